"""Decides which stops and targets are triggered, and how far trailing stops have risen.

A price counts as reached by the best bid of others alone, the same price that a form checks a plan by. The book
and our own orders are reported separately, so for a moment one may lack what the other shows: where only a bid
of our own holds the market above a stop, that must last before the stop fires. So must a bid at a target just
after a fill of its purchase: the book may be of before the fill, and a sale into bids that are gone would keep
the stop waiting for its end.

After this program was suspended, the books and any unread stream data are old: nothing is decided by them until
the streams have had time to reconnect.
"""

from collections.abc import Set
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.conditionals.conditional import (
    ConditionalId,
    ConditionalOrder,
    Trigger,
    raise_trailing_stop,
    reached_trigger,
)
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import Micros
from pmtui.domain.orders.own_orders import OwnOrders
from pmtui.domain.orders.self_trade import best_bid_of_others
from pmtui.service.kernel import Kernel
from pmtui.service.views import Level
from pmtui.service.words import describe_price

STALE_AFTER = timedelta(seconds=10)
"""How long a book may be untrusted before a notice reports it: nothing fires from it."""
LASTS_S = 2.0
"""Longer than the possible difference between stream and replies in reporting a placed or
cancelled order."""


CHECK_PERIOD_S = 1.0
STOOD_STILL_S = 5.0
"""A regular check that is later than this shows that the program was suspended."""
CHECKS_AFTER = 5
"""Regular checks until a dead stream has been noticed or a new one is open."""


@dataclass(frozen=True, slots=True)
class Reached:
    """The price that a conditional order has reached."""

    trigger: Trigger
    bid: Micros
    """The best bid of others."""
    words: str


class Triggers:
    """Compares conditional orders with the books, excluding our own bids."""

    def __init__(self, kernel: Kernel, own: OwnOrders) -> None:
        self._kernel = kernel
        self._own = own
        self._held_up: dict[ConditionalId, float] = {}
        """Since when only an own bid has held the market above a stop."""
        self._rising: dict[ConditionalId, tuple[float, Micros]] = {}
        """Since when a trailing stop could be raised, and to what price throughout that time."""
        self._own_at: dict[ConditionId, float] = {}
        """When one of our orders was last open in a market."""
        self._filled: dict[ConditionalId, float] = {}
        """When the purchase of one last filled."""
        self._checked_at, self._checked_s = self._now()
        self._checks_left = 0

    @property
    def has_stood_still(self) -> bool:
        """Whether books may date from before the program was suspended."""
        return self._checks_left > 0 or self._late_s() > STOOD_STILL_S

    async def watch_standstill(self) -> None:
        """Check regularly whether the program was suspended."""
        while True:
            await self._kernel.clock.sleep(CHECK_PERIOD_S)
            self._note_check()

    def _note_check(self) -> None:
        """Record a regular check; a late one shows that the program was suspended."""
        is_late = self._late_s() > STOOD_STILL_S
        self._checked_at, self._checked_s = self._now()
        self._checks_left = CHECKS_AFTER if is_late else max(self._checks_left - 1, 0)

    def _now(self) -> tuple[datetime, float]:
        clock = self._kernel.clock
        return clock.now() - clock.replay_shift(), clock.monotonic()

    def _late_s(self) -> float:
        """Return the time since the last check, by the clock that shows more."""
        now, now_s = self._now()
        return max((now - self._checked_at).total_seconds(), now_s - self._checked_s)

    def bid_of_others(self, each: ConditionalOrder, book: BookView) -> Micros | None:
        """Return the price that a conditional order is compared with."""
        return best_bid_of_others(book, each.condition_id, self._own.open_orders())

    def reached(self, each: ConditionalOrder, book: BookView) -> Reached | None:
        """Return the price that is reached; None for neither."""
        bid = self.bid_of_others(each, book)
        trigger = reached_trigger(each, bid)
        if trigger is None or bid is None:
            return None
        is_held_up = self._is_held_up(each, book)
        if is_held_up and not self._has_lasted(each):
            return None
        if trigger is Trigger.TAKE_PROFIT and self._has_just_filled(each):
            return None
        yours = " (excluding yours)" if is_held_up else ""
        words = f"{trigger.value} hit: bid {describe_price(bid)}{yours}"
        return Reached(trigger, bid, words)

    def note_own_bid_above_stop(self, each: ConditionalOrder, book: BookView) -> None:
        """Start or clear the time for which only an own bid holds the market above a stop."""
        if self._is_held_up(each, book):
            self._held_up.setdefault(each.conditional_id, self._kernel.clock.monotonic())
        else:
            self._held_up.pop(each.conditional_id, None)

    def note_fill(self, conditional_id: ConditionalId) -> None:
        """Note that the purchase of one has filled just now."""
        self._filled[conditional_id] = self._kernel.clock.monotonic()

    def update_trailing_stop(
        self, each: ConditionalOrder, book: BookView
    ) -> ConditionalOrder | None:
        """Raise a trailing stop with the bid; return it with its new price, None if unchanged.

        Just after one of our orders is gone, the book may still show it, so the bid must then last.
        """
        now = self._kernel.clock.monotonic()
        if any(order.condition_id == each.condition_id for order in self._own.open_orders()):
            self._own_at[each.condition_id] = now
        higher = raise_trailing_stop(each, self.bid_of_others(each, book))
        if higher is None or higher.stop is None:
            self._rising.pop(each.conditional_id, None)
            return None
        if now - self._own_at.get(each.condition_id, -LASTS_S) >= LASTS_S:
            return higher
        since, stop = self._rising.get(each.conditional_id, (now, higher.stop))
        self._rising[each.conditional_id] = (since, min(stop, higher.stop))
        if now - since < LASTS_S:
            return None
        del self._rising[each.conditional_id]
        return replace(each, stop=min(stop, higher.stop))

    def _is_held_up(self, each: ConditionalOrder, book: BookView) -> bool:
        bid = self.bid_of_others(each, book)
        return reached_trigger(each, bid) is Trigger.STOP and book.best_bid != bid

    def _has_lasted(self, each: ConditionalOrder) -> bool:
        now = self._kernel.clock.monotonic()
        return now - self._held_up.get(each.conditional_id, now) >= LASTS_S

    def _has_just_filled(self, each: ConditionalOrder) -> bool:
        filled_s = self._filled.get(each.conditional_id)
        return filled_s is not None and self._kernel.clock.monotonic() - filled_s < LASTS_S


class StaleBooks:
    """Reports books that have been untrusted for long, from which nothing can trigger."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._books: dict[TokenId, tuple[datetime, BookState]] = {}
        """Since when each has been untrusted, and its current state."""
        self._reported: set[TokenId] = set()

    def note(self, token_id: TokenId, state: BookState) -> bool:
        """Record a book's state; return whether it became trusted or untrusted."""
        known = self._books.pop(token_id, None)
        if not state.is_good:
            self._books[token_id] = (known[0] if known else self._kernel.clock.now(), state)
            return known is None
        if token_id in self._reported:
            self._reported.discard(token_id)
            text = "Stops and targets can trigger again: the book is back"
            self._kernel.log.notice(Level.GOOD, text)
        return known is not None

    def report(self, tokens: Set[TokenId]) -> None:
        """Report books that have long been untrusted, once, and forget books no longer needed."""
        for token_id in self._books.keys() - tokens:
            del self._books[token_id]
            self._reported.discard(token_id)
        for token_id, (since, state) in self._books.items():
            is_long = self._kernel.clock.now() - since >= STALE_AFTER
            if is_long and token_id not in self._reported:
                self._reported.add(token_id)
                text = f"Stops and targets cannot trigger here: book {state.words}"
                self._kernel.log.notice(Level.BAD, text)
