"""Moves the books of a whole venue: watched markets at full pace, the others in turn, from time to time.

Everything that happens is an ordinary order of an ordinary (unlimited) account. A market nobody
looks at is brought up to its fair price every minute or so, and as soon as somebody looks.
"""

import asyncio
import hashlib
import random
import re
from collections.abc import Iterable
from itertools import chain
from math import inf

from pmtui.domain.ids import Address, ConditionId
from pmtui.domain.money import ONE
from pmtui.signing.eip712 import checksum_address
from pmtui.sim.catalogue.depth import book_for
from pmtui.sim.catalogue.model import CatalogueEvent, CatalogueMarket
from pmtui.sim.engine.events import Event, MarketAdded, MarketRemoved
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.streams.publisher import Publisher
from pmtui.sim.traders.crowd import Crowd
from pmtui.sim.traders.habits import (
    VOLATILITY,
    WINDOW_VOLATILITY,
    Bursts,
    FairValues,
    Pace,
    drawn_count,
    follow,
    pace_of,
)
from pmtui.sim.venue import Venue

PERIOD_S = 0.05
"""Between two steps."""
TOURED_PER_S = 8.0
"""Unwatched markets that are brought up to date in a second."""
LONGEST_ABSENCE_S = 900.0
_MAX_PER_STEP = 400
_ACCOUNTS = 40
_WALLET = re.compile(r"0x[0-9a-fA-F]{40}")


class _Desk:
    """One market with its traders."""

    def __init__(self, market: CatalogueMarket, crowd: Crowd, rng: random.Random) -> None:
        self.market = market
        self.crowd = crowd
        self.rng = rng
        self.bursts = Bursts(rng)
        self.moved_ms = 0


class _Opinion:
    """What the markets of one event are worth."""

    def __init__(self, event: CatalogueEvent, rng: random.Random, now_ms: int) -> None:
        markets = [market for market in event.markets if market.is_tradable]
        self.rng = rng
        self.places = {market.condition_id: place for place, market in enumerate(markets)}
        self.asked_ms = now_ms
        self.values = FairValues(
            [market.start_price / ONE for market in markets],
            [_volatility(market) for market in markets],
            is_exclusive=event.neg_risk and len(markets) > 1,
            reverts=not any(market.is_window for market in markets),
        )


def _volatility(market: CatalogueMarket) -> float:
    return WINDOW_VOLATILITY if market.is_window else VOLATILITY[market.activity]


class Traders:
    """All simulated traders of a venue."""

    def __init__(
        self, venue: Venue, *, seed: int, speed: float, publisher: Publisher | None = None
    ) -> None:
        """Open their accounts.

        Args:
            venue: where they trade.
            seed: of everything they do.
            speed: multiplies their pace.
            publisher: knows which markets are watched; None takes none to be.
        """
        self._venue = venue
        # Another run on the same state goes on with other orders, not with those of the first again.
        self._stream = str(seed) if venue.run == 1 else f"{seed}/{venue.run}"
        self._speed = speed
        self._publisher = publisher
        self._desks: dict[ConditionId, _Desk] = {}
        self._opinions: dict[str, _Opinion] = {}
        self._tour: list[ConditionId] = []
        self._due = 0.0
        self._stepped_ms = venue.clock.now_ms()
        self._rng = random.Random(f"{self._stream}/traders")
        self._accounts = _account_names(venue, seed)

        def open_accounts(exchange: Exchange, now_ms: int) -> None:
            del now_ms
            for account in self._accounts:
                exchange.open_account(account, simulated=True, unlimited=True)

        venue.act(open_accounts)
        venue.subscribe(self._notice)
        if publisher is not None:
            publisher.before_watch(self._get_ready)

    def fill_books(self) -> None:
        """Rest the starting books of all open markets."""
        for condition_id in self._venue.exchange.reads.markets():
            self._open(condition_id)

    async def run(self) -> None:
        """Trade until cancelled."""
        while True:
            self.step()
            await asyncio.sleep(PERIOD_S)

    def step(self) -> None:
        """Do what the time since the last step brings."""
        now_ms = self._venue.clock.now_ms()
        elapsed_s = min(max(now_ms - self._stepped_ms, 0) / 1_000, LONGEST_ABSENCE_S)
        self._stepped_ms = now_ms
        watched = () if self._publisher is None else tuple(self._publisher.watched)
        for condition_id in watched:
            desk = self._desks.get(condition_id)
            if desk is not None:
                self._move(desk, now_ms)
        self._due += elapsed_s * TOURED_PER_S * min(self._speed, 4.0)
        while self._due >= 1:
            self._due -= 1
            self._visit_next(now_ms)

    def _notice(self, events: Iterable[Event]) -> None:
        for event in events:
            match event:
                case MarketAdded(spec=spec):
                    self._open(spec.condition_id)
                case MarketRemoved(spec=spec):
                    self._desks.pop(spec.condition_id, None)
                    listed = self._venue.market(spec.condition_id)
                    if listed is not None:
                        self._opinions.pop(listed.event_id, None)
                case _:
                    pass

    def _get_ready(self, condition_id: ConditionId) -> None:
        # Somebody is about to see this book: it has to be up to date.
        self._open(condition_id)
        desk = self._desks.get(condition_id)
        if desk is not None and self._speed > 0:
            self._visit(desk, self._venue.clock.now_ms())

    def _open(self, condition_id: ConditionId) -> None:
        market, view = self._venue.market(condition_id), self._venue.trading(condition_id)
        if (
            market is None
            or view is None
            or not view.is_accepting
            or view.payout is not None
            or condition_id in self._desks
        ):
            return
        rng = random.Random(f"{self._stream}/{condition_id}")
        crowd = Crowd(
            condition_id, view.spec.tokens, view.tick_size, accounts=self._accounts, rng=rng
        )
        desk = self._desks[condition_id] = _Desk(market, crowd, rng)
        desk.moved_ms = self._venue.clock.now_ms()
        levels = book_for(market, rng)
        if levels:
            self._tour.append(condition_id)
            self._venue.act(lambda exchange, now_ms: crowd.fill(exchange, now_ms, levels=levels))

    def _visit_next(self, now_ms: int) -> None:
        if not self._tour:
            return
        # A walk through all of them, so that each has its turn.
        condition_id = self._tour.pop()
        desk, view = self._desks.get(condition_id), self._venue.trading(condition_id)
        if desk is None or view is None or view.payout is not None:
            self._desks.pop(condition_id, None)
            return
        self._tour.insert(self._rng.randrange(len(self._tour) // 4 + 1), condition_id)
        if self._publisher is None or not self._publisher.is_watched(condition_id):
            self._visit(desk, now_ms)

    def _visit(self, desk: _Desk, now_ms: int) -> None:
        # What long ago would have been many small changes is a handful now.
        pace = self._pace(desk)
        elapsed_s = (now_ms - desk.moved_ms) / 1_000
        desk.moved_ms = now_ms
        changes = min(drawn_count(min(pace.changes * elapsed_s, 3.0), desk.rng), 3)
        trades = min(drawn_count(min(pace.trades * elapsed_s, 1.0), desk.rng), 1)
        self._act(desk, changes, trades, now_ms)

    def _move(self, desk: _Desk, now_ms: int) -> None:
        elapsed_s = min((now_ms - desk.moved_ms) / 1_000, 2.0)
        desk.moved_ms = now_ms
        pace = self._pace(desk)
        changes = min(desk.bursts.count(pace.changes, elapsed_s), _MAX_PER_STEP)
        trades = min(drawn_count(pace.trades * elapsed_s, desk.rng), _MAX_PER_STEP)
        self._act(desk, changes, trades, now_ms)

    def _pace(self, desk: _Desk) -> Pace:
        market, now = desk.market, self._venue.clock.now()
        left_s = inf if market.ends_at is None else (market.ends_at - now).total_seconds()
        pace = pace_of(market.activity_at(now), is_window=market.is_window, left_s=left_s)
        return pace.scaled(self._speed)

    def _act(self, desk: _Desk, changes: int, trades: int, now_ms: int) -> None:
        view = self._venue.trading(desk.market.condition_id)
        crowd = desk.crowd
        if view is None or not view.is_accepting or view.payout or not crowd.is_quoting:
            return
        if view.tick_size != crowd.tick:
            crowd.regrid(view.tick_size)
        fair = self._fair(desk.market, now_ms) * ONE / crowd.tick
        touch = follow(crowd.touch, fair=fair, last=crowd.last)
        if not changes and not trades and touch == crowd.touch:
            return

        def command(exchange: Exchange, at_ms: int) -> None:
            if touch != crowd.touch or trades:
                crowd.requote(exchange, at_ms, touch)
            for _ in range(changes):
                crowd.churn(exchange, at_ms)
            for _ in range(trades):
                crowd.take(exchange, at_ms)

        self._venue.act(command)

    def _fair(self, market: CatalogueMarket, now_ms: int) -> float:
        opinion = self._opinions.get(market.event_id)
        if opinion is None:
            event = self._venue.catalogue.event_of(market)
            rng = random.Random(f"{self._stream}/{event.event_id}/fair")
            opinion = self._opinions[market.event_id] = _Opinion(event, rng, now_ms)
        elapsed_s = (now_ms - opinion.asked_ms) / 1_000
        is_asleep = market.activity_at(self._venue.clock.now()) is not market.activity
        if elapsed_s > 0 and not is_asleep:
            opinion.values.advance(min(elapsed_s, LONGEST_ABSENCE_S) * self._speed, opinion.rng)
        opinion.asked_ms = now_ms
        return opinion.values.prices[opinion.places[market.condition_id]]


def _account_names(venue: Venue, seed: int) -> tuple[Address, ...]:
    # Traders with a public profile first: then lists of holders show people of the catalogue.
    known = (str(row.get("proxyWallet", "")) for row in venue.catalogue.extras.profiles)
    drawn = (
        hashlib.sha256(f"{seed}/{number}".encode()).digest()[:20] for number in range(_ACCOUNTS)
    )
    raw = chain((bytes.fromhex(w[2:]) for w in known if _WALLET.fullmatch(w)), drawn)
    names = dict.fromkeys(checksum_address(address) for address in raw)
    return tuple(names)[:_ACCOUNTS]
