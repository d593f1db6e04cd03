"""Our fills: the trades from before this session, and the fee of each.

A short history is read at once. Of a long one the last days come first; the rest is read in the
background in time windows, newest first, and a failed window is requested again. If reading has to
stop, a notice says since when fills are known.

Replies seldom contain a fee, so it is computed from the market's schedule. After a restart the markets
of earlier fills are unknown: a fee stays unknown until its market is known, and never counts as zero.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from pmtui.domain.answers import Failure, Listing, Window, first_window, next_window
from pmtui.domain.health import Source
from pmtui.domain.ids import ConditionId, OrderId, TradeId
from pmtui.domain.markets.fees import taker_fee
from pmtui.domain.markets.market import FeeSchedule
from pmtui.domain.orders.order import Fill
from pmtui.domain.orders.own_orders import OwnOrders
from pmtui.service.kernel import Kernel
from pmtui.service.ports import Account
from pmtui.service.views import Level


class FillFees:
    """Calculates fees, and remembers which wait for their market."""

    def __init__(self, own: OwnOrders, fee_of: Callable[[ConditionId], FeeSchedule | None]) -> None:
        self._own = own
        self._fee_of = fee_of
        self._waiting: dict[ConditionId, set[tuple[OrderId, TradeId]]] = {}
        self._listeners: list[Callable[[], None]] = []

    def on_unknown(self, listener: Callable[[], None]) -> None:
        """Call `listener` after every refresh of the account while schedules are missing."""
        self._listeners.append(listener)

    def waits_for(self, condition_id: ConditionId) -> bool:
        """Whether the schedule of a market is needed."""
        return condition_id in self._waiting

    def price(self, fill: Fill) -> Fill:
        """Return a fill with its fee, if it can be calculated."""
        if fill.fee is not None:
            return fill
        schedule = self._fee_of(fill.condition_id)
        if schedule is not None:
            return replace(fill, fee=taker_fee(fill.size, fill.price, schedule))
        known = self._own.fill(fill.order_id, fill.trade_id)
        if known is None or known.fee is None:
            key = (fill.order_id, fill.trade_id)
            self._waiting.setdefault(fill.condition_id, set()).add(key)
        return fill

    def take_priced(self) -> tuple[Fill, ...]:
        """Return the fills whose fee can now be calculated, once each."""
        if not self._waiting:
            return ()
        ready = [each for each in self._waiting if self._fee_of(each) is not None]
        keys = [key for each in ready for key in self._waiting.pop(each)]
        return tuple(fill for key in keys if (fill := self._own.fill(*key)) is not None)

    def ask(self) -> None:
        """Request the missing fee schedules."""
        if self._waiting:
            for listener in self._listeners:
                listener()


FIRST_PAGES = 20
"""Pages that are read at once; nearly every account has fewer."""
OLDER_PAGES = 50
RECENT = timedelta(days=2)
"""Read first of a long history: the day's result needs no more."""
MOST_FILLS = 20_000
"""Fills of a long history kept in memory, and searched on every refresh."""
PAUSE_S = 0.5
AFTER_FAILURE_S = 30.0
_MINUTE = "%Y-%m-%d %H:%M UTC"


class PastFills:
    """Reads the history of an account once."""

    def __init__(self, kernel: Kernel, apply: Callable[[Listing[Fill]], None]) -> None:
        """Start without any fills."""
        self._kernel = kernel
        self._apply = apply

    async def read(self, account: Account) -> Listing[Fill] | Failure:
        """Return earlier trades, or the last days of them; the rest is read in the background."""
        found = await account.host.fills(max_pages=FIRST_PAGES)
        if isinstance(found, Failure) or found.is_whole:
            return found
        since = self._kernel.venue_now() - RECENT
        recent = await account.host.fills(after=since)
        if not isinstance(recent, Failure):
            window = first_window(since)
            self._kernel.start_unless_running(
                "older trades", "older trades", lambda: self._read_older(account, window)
            )
            if not recent.is_whole:
                self._report(
                    f"Some trades since {since:{_MINUTE}} are not read: there are too many"
                )
        return recent

    async def _read_older(self, account: Account, first: Window) -> None:
        window: Window | None = first
        count = 0
        while window is not None and count < MOST_FILLS:
            await self._kernel.clock.sleep(PAUSE_S)
            found = self._kernel.check(
                Source.TRADING,
                await account.host.fills(
                    after=window.after, before=window.before, max_pages=OLDER_PAGES
                ),
            )
            if isinstance(found, Failure):
                await self._kernel.clock.sleep(AFTER_FAILURE_S)
                continue
            if found.is_whole or window.is_narrowest:
                self._apply(found)
                count += len(found.items)
            if not found.is_whole and window.is_narrowest:
                self._report(
                    f"Some trades of {window.begin:{_MINUTE}} are not read: too many at once"
                )
            window = next_window(window, is_whole=found.is_whole)
        if window is not None:
            self._report(f"Trades before {window.end:{_MINUTE}} are not read: there are too many")

    def _report(self, text: str) -> None:
        self._kernel.log.notice(Level.WARNING, text)
