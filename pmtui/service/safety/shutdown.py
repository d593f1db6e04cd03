"""Ends a session: applies the trader's exit policy to resting orders within seconds, and reports it.

It begins at once on a signal, before the terminal is restored: a hanging connection must not keep
orders alive. Everything is journaled without waiting for the disk.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from pmtui.domain.answers import Failure, Listing
from pmtui.domain.formats import count, ellipsize
from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.orders.exit_policy import (
    ExitPolicy,
    ExitReason,
    describe_exit,
    describe_paused_stops,
)
from pmtui.domain.orders.order import Order, OrderStatus
from pmtui.service.account.account import AccountFeed
from pmtui.service.account.list_completeness import describe_missing
from pmtui.service.conditionals.conditionals import Conditionals
from pmtui.service.journal.journal import Journal
from pmtui.service.kernel import Kernel
from pmtui.service.parts import Safeguards
from pmtui.service.ports import Account
from pmtui.service.surface import Commands
from pmtui.service.views import Load, OwnList, active_of
from pmtui.service.words import describe_order

T = TypeVar("T")

CANCEL_WITHIN_S = 5.0
"""The longest a shutdown may take: process managers seldom wait longer before a forced kill."""
ANSWER_WITHIN_S = 2.0
RETRY_PAUSE_S = 0.25
NO_ANSWER = f"no answer within {ANSWER_WITHIN_S:.0f} s"
MOST_LISTED = 20
LINE_WIDTH = 160
ON_THE_WAY = frozenset({OrderStatus.PENDING, OrderStatus.SENT})


@dataclass(frozen=True, slots=True)
class ShutdownReport:
    """The result of a shutdown, printed on the normal screen."""

    text: str = ""
    """One line; empty if there was nothing to do."""
    may_rest: tuple[str, ...] = ()
    """The orders that may be at the venue after the program ends; contains untrusted text."""
    are_orders_left: bool = False
    """Whether orders that were to be cancelled may still be working, known here or not."""

    @property
    def lines(self) -> list[str]:
        """The report as printed; empty if there was nothing to do."""
        if not self.text:
            return []
        lines = [f"pmtui: {ellipsize(self.text, 2 * LINE_WIDTH)}"]
        lines += [f"  {ellipsize(line, LINE_WIDTH)}" for line in self.may_rest[:MOST_LISTED]]
        if len(self.may_rest) > MOST_LISTED:
            lines.append(
                f"  and {len(self.may_rest) - MOST_LISTED} more; see `pmtui export orders`"
            )
        return lines


class Shutdown:
    """The shutdown of one session."""

    def __init__(
        self,
        kernel: Kernel,
        feed: AccountFeed,
        journal: Journal,
        *,
        commands: Commands,
        safeguards: Safeguards,
        conditionals: Conditionals,
        title_of: Callable[[TokenId], str],
        is_paper: bool,
    ) -> None:
        self._kernel = kernel
        self._feed = feed
        self._journal = journal
        self._commands = commands
        self._safeguards = safeguards
        self._conditionals = conditionals
        self._title_of = title_of
        self._is_paper = is_paper
        self._report: asyncio.Future[ShutdownReport] | None = None
        self._problem = ""

    def start(self, exit_reason: ExitReason, policy: ExitPolicy) -> None:
        """Start the shutdown; only the first reason counts."""
        if self._report is not None:
            return
        future: asyncio.Future[ShutdownReport] = asyncio.get_running_loop().create_future()
        self._report = future

        async def run() -> None:
            stopped = f"{exit_reason.value}: stopped while leaving"
            may_rest, is_to_cancel = self._resting(), policy is ExitPolicy.CANCEL
            report = ShutdownReport(stopped, may_rest, are_orders_left=is_to_cancel)
            try:
                report = await self._shut_down(exit_reason, policy)
            finally:
                if not future.done():
                    future.set_result(report)

        self._kernel.start("shutdown", run)

    async def run(self, exit_reason: ExitReason, policy: ExitPolicy) -> ShutdownReport:
        """Shut down, or wait for a shutdown that was already started."""
        self.start(exit_reason, policy)
        if self._report is None:
            raise RuntimeError("started, and no report")
        return await asyncio.shield(self._report)

    async def _shut_down(self, exit_reason: ExitReason, policy: ExitPolicy) -> ShutdownReport:
        account, orders = self._feed.account, self._feed.own.open_orders()
        is_switch_armed = self._safeguards.heartbeats.state.is_armed_at_venue
        self._safeguards.arming.disarm("leaving")
        ended = describe_paused_stops(len(active_of(self._conditionals.view())))
        self._conditionals.pause_all(f"the program ended ({exit_reason.value})")
        # Without a first read from the venue, its resting orders are unknown.
        is_blind = self._feed.state.load is not Load.READY and policy is ExitPolicy.CANCEL
        if account is None and (orders or self._feed.state.load is Load.LOADING) and is_blind:
            text = f"NOT cancelled: {self._feed.state.problem or 'the venue was not reached'}."
            return ShutdownReport(f"{text} {ended}".strip(), self._resting(), are_orders_left=True)
        if account is None or not (orders or is_blind):
            return ShutdownReport(ended)
        reason = f"{exit_reason.value}, {exit_reason.setting} = {policy.value}"
        ids = " ".join(order.order_id for order in orders)
        self._record(f"{reason}, {len(orders)} open: {ids}")
        for order in orders:
            self._record(reason, order.order_id)
        text, may_rest, left, is_done = "", self._resting(), policy, True
        if policy is ExitPolicy.CANCEL:
            text, may_rest, is_done = await self._cancel_all(account, orders)
            left = ExitPolicy.LEAVE
        if may_rest:
            end = describe_exit(left, is_switch_armed=is_switch_armed, is_paper=self._is_paper)
            text = f"{text} {end}".strip()
        self._record(f"{exit_reason.value}: {text}")
        for order in orders:
            known = self._feed.own.order(order.order_id) or order
            self._record(f"{exit_reason.value}: {known.status.value}", order.order_id)
        sentence = f"{count(len(orders), 'open order')} at {reason}. {text}"
        return ShutdownReport(f"{sentence} {ended}".strip(), may_rest, not is_done)

    async def _cancel_all(
        self, account: Account, orders: tuple[Order, ...]
    ) -> tuple[str, tuple[str, ...], bool]:
        """Cancel until the venue lists no orders, as long as there is time.

        Returns:
            The result, what may still rest, and whether it is certain that nothing does.
        """
        self._problem = "no answer"
        if not await self._kernel.within(CANCEL_WITHIN_S, self._cancel_until_none(account)):
            text = f"NOT all were cancelled within {CANCEL_WITHIN_S:.0f} s ({self._problem})."
            return text, self._resting(), False
        known = [self._feed.own.order(order.order_id) for order in orders]
        count = sum(order is not None and order.status is OrderStatus.CANCELLED for order in known)
        text = f"{count} cancelled, and the venue lists no open order any more."
        unsure = self._resting(frozenset({OrderStatus.UNKNOWN}))
        return text, unsure, not unsure

    async def _cancel_until_none(self, account: Account) -> bool:
        """Cancel through the desk first, then repeatedly at the venue; return whether nothing is left."""
        problem = await self._within(self._ask_desk())
        while True:
            # An order on its way may arrive after the cancellation.
            on_the_way = sum(o.status in ON_THE_WAY for o in self._feed.own.open_orders())
            listed = await self._within(account.host.open_orders())
            if problem:
                self._problem = problem
            elif not isinstance(listed, Listing):
                self._problem = f"cancelled, but what is left is not known: {listed}"
            elif listed.items or on_the_way:
                self._problem = f"{len(listed.items)} still listed, {on_the_way} on the way"
            elif listed.is_complete:
                return True
            else:
                self._problem = describe_missing(OwnList.ORDERS, listed)
            await self._kernel.clock.sleep(RETRY_PAUSE_S)
            problem = await self._within(self._ask_venue(account))

    async def _ask_desk(self) -> str:
        """Cancel everything; return what went wrong."""
        return (await self._commands.cancel_verdict(self._commands.cancel_all())).problem

    async def _ask_venue(self, account: Account) -> str:
        answer = await account.host.cancel_all()
        if isinstance(answer, Failure):
            return str(answer)
        for order_id in answer.canceled:
            self._feed.mark_cancelled(order_id)
        return ""

    async def _within(self, work: Awaitable[T]) -> T | str:
        """Wait for a reply, but leave time to ask again."""
        answer = await self._kernel.within(ANSWER_WITHIN_S, work)
        return NO_ANSWER if answer is None else answer

    def _resting(self, states: frozenset[OrderStatus] | None = None) -> tuple[str, ...]:
        """Return names of the open orders, or of those in certain states."""
        return tuple(
            f"{order.status.words}: {describe_order(order, self._title_of(order.token_id))}"
            for order in self._feed.own.open_orders()
            if states is None or order.status in states
        )

    def _record(self, text: str, order_id: OrderId | None = None) -> None:
        self._journal.record("leaving", text, at=self._kernel.clock.now(), order_id=order_id)
