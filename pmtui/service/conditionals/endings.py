"""Ends stops and targets that have nothing left to do: the position was closed, or the market is resolved.

Shares that are gone without a sale of ours pause them instead, as one reply proves nothing.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Protocol

from pmtui.domain.conditionals.conditional import (
    GONE,
    PAIRED,
    ConditionalOrder,
    ConditionalState,
    CountedFills,
    describe_conditional,
    paused,
)
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.money import ZERO
from pmtui.service.conditionals.flat_positions import FlatPositions
from pmtui.service.conditionals.sales import GONE_AGAIN_S, ConditionalSales
from pmtui.service.kernel import Kernel
from pmtui.service.views import AccountView, Level, Load
from pmtui.service.words import shorten

PAUSES = "paused stops"
"""The cause of notices that stops were paused."""
SOLD_OTHERWISE = "its shares were sold"
RESOLVED = "the market is resolved"
CLOSED = "its position was closed"


class Save(Protocol):
    """Saves a changed order and logs what happened to it."""

    def __call__(
        self, changed: ConditionalOrder, text: str, *, level: Level = Level.INFO,
        named_as: ConditionalOrder | None = None,
    ) -> None:  # fmt: skip
        """Save an order as it is now; `named_as` is the order to describe, if not that one."""


class ConditionalEndings:
    """Watches what the conditional orders protect, and ends those for which nothing is left."""

    def __init__(  # noqa: PLR0913 - what it asks of the orders that it ends
        self,
        kernel: Kernel,
        sales: ConditionalSales,
        flat: FlatPositions,
        *,
        account: Callable[[], AccountView],
        view: Callable[[], tuple[ConditionalOrder, ...]],
        save: Save,
        is_selling: Callable[[ConditionalOrder], bool],
        is_busy: Callable[[TokenId], bool],
        may_bring_more: Callable[[OrderId], bool],
        is_resolved: Callable[[ConditionId], bool],
    ) -> None:
        """Prepare to watch.

        Args:
            kernel: time and the log.
            sales: knows what was sold.
            flat: knows which positions own fills have closed.
            account: returns current holdings.
            view: returns the orders that have not ended.
            save: saves a change.
            is_selling: whether an order's own sale is in progress or unconfirmed.
            is_busy: whether a sale of a token is in progress.
            may_bring_more: whether a purchase may still fill.
            is_resolved: whether a market is known to be resolved.
        """
        self._kernel = kernel
        self._sales = sales
        self._flat = flat
        self._account = account
        self._view = view
        self._save = save
        self._is_selling = is_selling
        self._is_busy = is_busy
        self._may_bring_more = may_bring_more
        self._is_resolved = is_resolved

    def check(self) -> None:
        """End what has ended, and ask about shares that seem to be gone."""
        for condition_id in {each.condition_id for each in self._view()}:
            self.end_closed(condition_id)
            if self._is_resolved(condition_id):
                self._end_market(condition_id)
        them = (e for e in self._view() if e.reason not in (GONE, PAIRED) and not e.is_waiting)
        for token_id in {each.token_id for each in them if self._sales.has_nothing_for(each)}:
            if not self._is_busy(token_id):
                self._kernel.start_unless_running(
                    ("shares gone", token_id), "conditional order",
                    partial(self._pause_if_gone, token_id),
                )  # fmt: skip

    def end_closed(self, condition_id: ConditionId) -> None:
        """End the orders in a market whose position our own fills are proven to have closed."""
        if self._account().load is not Load.READY:
            return
        for each in self._view():
            if each.condition_id != condition_id:
                continue
            self._flat.follow(each)
            if self._is_selling(each):
                continue
            sales = self._flat.proof(each, self._kernel.clock.now())
            if sales is not None:
                self._end_one_closed(each, sales)

    def _end_market(self, condition_id: ConditionId) -> None:
        """End the orders of a market that is resolved: its shares are redeemed, not sold."""
        for each in self._view():
            if each.condition_id == condition_id and not self._is_selling(each):
                over = replace(each, state=ConditionalState.CANCELLED, reason=RESOLVED)
                self._save(over, f"ended, {RESOLVED}", named_as=each)
                text = f"Stop over, {RESOLVED}: {describe_conditional(each)}"
                self._kernel.log.notice(Level.WARNING, f"{text} · {shorten(each.title)}")

    def _end_one_closed(self, each: ConditionalOrder, sales: tuple[CountedFills, ...]) -> None:
        """End an order; it is active again if one of the sales that closed its position fails."""
        known = {sale.order_id for sale in each.counted}
        counted = (*each.counted, *(sale for sale in sales if sale.order_id not in known))
        then = replace(each, size=ZERO, counted=counted)
        if not any(self._may_bring_more(source.order_id) for source in each.sources):
            then = replace(then, state=ConditionalState.DONE, reason=CLOSED)
        # What its purchase still brings is a new position, which it is for.
        text = f"ended, {CLOSED}" if then.state.is_over else f"{CLOSED}, waits for further fills"
        self._save(then, text, named_as=each)
        self._flat.follow(then)

    async def _pause_if_gone(self, token_id: TokenId) -> None:
        """End or pause orders whose shares are gone according to two replies a lag apart."""
        if await self._sales.is_gone(token_id):
            for each in self._view():
                is_free = not self._is_busy(token_id) and not each.is_waiting
                if each.token_id == token_id and is_free and self._sales.has_nothing_for(each):
                    self._end_or_pause(each)
        await self._kernel.clock.sleep(GONE_AGAIN_S)

    def _end_or_pause(self, each: ConditionalOrder) -> None:
        """End an order whose shares were sold; if no trade explains the missing shares, pause it."""
        if each.is_all and each.counted and each.state.is_active:
            self._save(replace(each, state=ConditionalState.DONE, reason="sold"), "sold")
            return
        sold, is_final = self._sales.sold_since(each)
        if sold > 0 and (each.is_all or sold >= each.size):
            # Until the trades are final they may fail, and the shares return.
            if is_final:
                over = replace(each, state=ConditionalState.CANCELLED, reason=SOLD_OTHERWISE)
                self._save(over, f"ended, {SOLD_OTHERWISE}")
            return
        reason = GONE if self._account().has_none(each.token_id) else PAIRED
        self._save(paused(each, reason), f"paused: {reason}", level=Level.WARNING)
        if each.state.is_active:
            text = f"Stop PAUSED, {reason}: {describe_conditional(each)} · {shorten(each.title)}"
            self._kernel.log.notice(Level.BAD, text, until_read=True, cause=PAUSES)
