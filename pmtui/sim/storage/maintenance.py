"""Scheduled work: expiry, settlement, five-minute windows, the public tape.

The newest trades of every market are stored so that a restart does not empty the tape. Most of them
are between simulated traders and only for display, so they are written some seconds late in one
batch: a kill loses the last few rows of a tape, but no user's trade, which the exchange's own
records keep.
"""

import asyncio
import random
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from heapq import heappop, heappush

from pmtui.domain.ids import ConditionId, TradeId
from pmtui.domain.money import ONE, Micros
from pmtui.domain.orders.order import TradeStatus
from pmtui.sim.catalogue.model import Catalogue, CatalogueEvent
from pmtui.sim.catalogue.rolling import windows_between
from pmtui.sim.clob.markets import first_price
from pmtui.sim.controls import SettlementCourse
from pmtui.sim.engine.events import Event, MarketAdded, Trade, TradeMatched
from pmtui.sim.engine.terms import Payout, Refusal
from pmtui.sim.venue import Venue

PERIOD_MS = 5_000


class PublicTape:
    """Adds public trades from outside the exchange; `tick` is called regularly."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._unwritten: list[Trade] = []
        self._due_ms = venue.clock.now_ms() + PERIOD_MS
        venue.subscribe(self._notice)

    def tick(self) -> None:
        """Write periodically."""
        if self._venue.clock.now_ms() >= self._due_ms:
            self.write()

    def write(self) -> None:
        """Write the trades since the last time."""
        self._due_ms = self._venue.clock.now_ms() + PERIOD_MS
        if self._unwritten:
            self._venue.write_tape(self._unwritten)
            self._unwritten = []

    def _notice(self, events: Iterable[Event]) -> None:
        self._unwritten.extend(event.trade for event in events if isinstance(event, TradeMatched))


PERIOD_S = 0.25
MINED_MS = (1_800, 2_600)
"""After the match, at speed 1; recorded trades take two to four seconds to become final."""
CONFIRMED_MS = (1_000, 1_600)
"""After mining."""
_SLOT = timedelta(minutes=5)
_AHEAD = timedelta(minutes=60)
WINDOW_KEPT = timedelta(hours=2)
"""How long a window is kept after its end; one that users took part in is kept for good."""


class Maintenance:
    """The venue's timers, all run by `tick` so that a test can drive them with its own clock."""

    def __init__(self, venue: Venue, *, periodic_tasks: Callable[[], None] | None = None) -> None:
        """Continue from the state of the last run."""
        self._venue = venue
        self._periodic_tasks = periodic_tasks
        self._random = random.Random(f"{venue.seed}/settlement")
        # If books do not move, settlement keeps its normal pace.
        self._pace = venue.speed or 1.0
        self._settling: list[tuple[int, TradeId, str]] = []
        self._ending: list[tuple[int, ConditionId]] = []
        windows = [market for market in venue.catalogue.markets if market.is_window]
        starts = [market.starts_at for market in windows if market.starts_at is not None]
        self._listed_until = max(starts) + _SLOT if starts else None
        for condition_id in venue.exchange.reads.markets():
            self._watch_end(condition_id)
        for trade in venue.records.unsettled():
            self._schedule(trade.trade_id, SettlementCourse.NORMAL, MINED_MS)
        venue.subscribe(self._notice)

    async def run(self) -> None:
        """Tick until cancelled."""
        while True:
            self.tick()
            await asyncio.sleep(PERIOD_S)

    def tick(self) -> None:
        """Do whatever is due."""
        now_ms = self._venue.clock.now_ms()
        next_expiry_ms = self._venue.exchange.reads.next_expiry_ms()
        if next_expiry_ms is not None and next_expiry_ms <= now_ms:
            self._venue.act(lambda exchange, at_ms: exchange.expire(now_ms=at_ms))
        self._settle(now_ms)
        self._list_windows()
        self._end_windows(now_ms)
        if self._periodic_tasks is not None:
            self._periodic_tasks()

    def _notice(self, events: Iterable[Event]) -> None:
        for event in events:
            match event:
                case TradeMatched(trade=trade) if self._venue.records.concerns_users(trade):
                    self._schedule(trade.trade_id, self._venue.controls.take_course(), MINED_MS)
                case MarketAdded(spec=spec):
                    self._watch_end(spec.condition_id)
                case _:
                    pass

    def _schedule(
        self, trade_id: TradeId, course: SettlementCourse, after_ms: tuple[int, int]
    ) -> None:
        delay_ms = int(self._random.randint(*after_ms) / self._pace)
        # Ties are broken by the trade's id: a course has no order.
        due_ms = self._venue.clock.now_ms() + delay_ms
        heappush(self._settling, (due_ms, trade_id, course.value))

    def _settle(self, now_ms: int) -> None:
        while self._settling and self._settling[0][0] <= now_ms:
            _, trade_id, name = heappop(self._settling)
            pending = self._venue.exchange.reads.pending_trade(trade_id)
            if pending is None:
                continue
            course = SettlementCourse(name)
            status = next_status(pending.status, course)
            if isinstance(self._advance(trade_id, status), Refusal):
                # Its proceeds are no longer there and it cannot be reversed: it is mined after all.
                status = TradeStatus.MINED
                self._advance(trade_id, status)
            if not status.is_final:
                self._schedule(trade_id, course, CONFIRMED_MS)

    def _advance(self, trade_id: TradeId, status: TradeStatus) -> Trade | Refusal:
        return self._venue.act(
            lambda exchange, at_ms: exchange.advance_trade(trade_id, status, now_ms=at_ms)
        )

    def _list_windows(self) -> None:
        if self._listed_until is None:
            return
        now = self._venue.clock.now()
        if self._listed_until > now + _AHEAD - _SLOT:
            return
        # After a long sleep of the machine, windows that ended meanwhile are not listed.
        start, end = max(self._listed_until, now - _SLOT), now + _AHEAD
        for event in windows_between(start, end, now=now):
            self._venue.open_event(event)
        self._listed_until = end
        for event in _old_windows(self._venue.catalogue, now - WINDOW_KEPT):
            self._venue.remove_event(event)

    def _watch_end(self, condition_id: ConditionId) -> None:
        market = self._venue.market(condition_id)
        if market is not None and market.is_window and market.ends_at is not None:
            heappush(self._ending, (int(market.ends_at.timestamp() * 1_000), condition_id))

    def _end_windows(self, now_ms: int) -> None:
        while self._ending and self._ending[0][0] <= now_ms:
            _, condition_id = heappop(self._ending)
            view = self._venue.trading(condition_id)
            if view is not None and view.payout is None:
                self._resolve(condition_id)

    def _resolve(self, condition_id: ConditionId) -> None:
        payout = self._outcome(condition_id)
        self._venue.act(
            lambda exchange, at_ms: exchange.resolve(condition_id, payout, now_ms=at_ms)
        )

    def _outcome(self, condition_id: ConditionId) -> Payout:
        """Draw the winner by price: an outcome at 70 cents wins seven times in ten."""
        market = self._venue.market(condition_id)
        if market is None:
            return Payout.HALF
        if market.payouts:
            return Payout.FIRST if market.payouts[0] == ONE else Payout.SECOND
        price = first_price(self._venue, market)
        draw = random.Random(f"{self._venue.seed}/{condition_id}").randrange(ONE)
        return Payout.FIRST if Micros(draw) < price else Payout.SECOND


def _old_windows(catalogue: Catalogue, before: datetime) -> list[CatalogueEvent]:
    return [
        catalogue.event_of(market)
        for market in catalogue.markets
        if market.is_window and market.ends_at is not None and market.ends_at < before
    ]


def next_status(status: TradeStatus, course: SettlementCourse) -> TradeStatus:
    """Return the next step of a trade on its course."""
    match status, course:
        case TradeStatus.MINED, _:
            return TradeStatus.CONFIRMED
        case TradeStatus.MATCHED, SettlementCourse.RETRYING | SettlementCourse.FAILED:
            return TradeStatus.RETRYING
        case TradeStatus.RETRYING, SettlementCourse.FAILED:
            return TradeStatus.FAILED
        case _:
            return TradeStatus.MINED
