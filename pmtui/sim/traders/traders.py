"""Trades in the markets of a whole venue: in watched ones at full pace, in the others in turn.

All actions are ordinary orders of ordinary (unlimited) accounts. An unwatched market is updated to
its fair price every minute or so, and as soon as it is watched. Maker orders are post-only, so they
never match a user's order by mistake; a taker takes the best price available.
"""

import asyncio
import hashlib
import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import inf

from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, SCALE, Micros, complement, notional_floor
from pmtui.domain.orders.amounts import fit, size_floor
from pmtui.domain.orders.order import TimeInForce
from pmtui.signing.eip712 import checksum_address
from pmtui.sim.catalogue.model import CatalogueEvent, CatalogueMarket
from pmtui.sim.engine.events import Event, MarketAdded, MarketRemoved
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.matching import decimals_of
from pmtui.sim.engine.terms import NewOrder, Placed, Seeded, SeedOrder
from pmtui.sim.streams.publisher import Publisher
from pmtui.sim.traders.habits import (
    VOLATILITY,
    WINDOW_VOLATILITY,
    BookLevel,
    Bursts,
    Churn,
    FairValues,
    Pace,
    Touch,
    book_for,
    choose_churn,
    distance,
    drawn_count,
    follow,
    pace_of,
    shares,
)
from pmtui.sim.traders.habits import Side as BookSide
from pmtui.sim.venue import Venue

NOBODY = ApiKey("")
"""Simulated accounts have no credentials."""
_BUY_SHARE = 0.9
"""Fraction of orders that buy a token instead of selling the other."""
_KEEP_TOP_CHANCE = 0.9
_CANCEL_CANDIDATES = 3
"""Of this many orders the one nearest to the top is cancelled, so that books keep their initial
shape, although most orders are placed near the top."""
_FEWEST_SHARES = 5.0


@dataclass(slots=True, eq=False)
class _Quote:
    order_id: OrderId
    is_bid: bool
    price: Micros
    """In prices of the first token."""


class Crowd:
    """The simulated orders of one market."""

    def __init__(
        self,
        condition_id: ConditionId,
        tokens: tuple[TokenId, TokenId],
        tick: Micros,
        *,
        accounts: tuple[Address, ...],
        rng: random.Random,
    ) -> None:
        self.tick = tick
        self.touch = Touch(0, ONE // tick)
        self._condition_id = condition_id
        self._tokens = tokens
        self._accounts = accounts
        self._rng = rng
        self._quotes: list[_Quote] = []
        self._sides: dict[bool, float] = {}
        self._usual_count = 0
        self._reach = 1

    @property
    def last(self) -> int:
        """Highest price in ticks."""
        return ONE // self.tick - 1

    @property
    def is_quoting(self) -> bool:
        """Whether this market has simulated traders at all."""
        return bool(self._sides)

    def fill(self, exchange: Exchange, now_ms: int, *, levels: Sequence[BookLevel]) -> None:
        """Rest a whole starting book without events; orders that would match a user's are left out."""
        # A grid that became coarser in an earlier run does not contain some of their prices.
        levels = [level for level in levels if level.price % self.tick == 0]
        self._learn_habits(levels)
        quotes: dict[OrderId, _Quote] = {}
        orders: list[SeedOrder] = []
        for level in levels:
            is_bid = level.side is BookSide.BID
            terms = self._worded(level.price, is_bid=is_bid)
            order_id, account = self._signature()
            orders.append(SeedOrder(order_id, account, *terms, level.size))
            quotes[order_id] = _Quote(order_id, is_bid, level.price)
        seeded = exchange.seed(self._condition_id, orders, owner=NOBODY, now_ms=now_ms)
        if isinstance(seeded, Seeded):
            for order_id in seeded.crossing:
                del quotes[order_id]
            self._quotes.extend(quotes.values())

    def _learn_habits(self, levels: Sequence[BookLevel]) -> None:
        self._usual_count = len(levels)
        for is_bid in (True, False):
            side = [level for level in levels if (level.side is BookSide.BID) == is_bid]
            if side:
                sizes = sorted(level.size for level in side)
                self._sides[is_bid] = max(sizes[len(sizes) // 2] / SCALE, _FEWEST_SHARES)
                best, middle = side[0].price, side[len(side) // 2].price
                self._reach = max(self._reach, abs(best - middle) // self.tick)
                if is_bid:
                    self.touch = Touch(best // self.tick, self.touch.ask)
                else:
                    self.touch = Touch(self.touch.bid, best // self.tick)

    def churn(self, exchange: Exchange, now_ms: int) -> None:
        """Add or cancel one order, nearly always behind the top."""
        if not self._sides:
            return
        rng = self._rng
        if self._quotes and (
            choose_churn(len(self._quotes), usual=self._usual_count, rng=rng) is Churn.REMOVE
        ):
            index = min(
                (rng.randrange(len(self._quotes)) for _ in range(_CANCEL_CANDIDATES)),
                key=self._behind_top,
            )
            is_spared = self._behind_top(index) == 0 and rng.random() < _KEEP_TOP_CHANCE
            if not is_spared:
                self._cancel_at(exchange, now_ms, index)
                return
        is_bid = rng.choice(tuple(self._sides))
        away = distance(self._reach, rng)
        ticks = self.touch.bid - away if is_bid else self.touch.ask + away
        if 1 <= ticks <= self.last:
            size = shares(self._sides[is_bid], rng)
            self._rest(exchange, now_ms, Micros(ticks * self.tick), is_bid=is_bid, size=size)

    def _behind_top(self, index: int) -> int:
        quote = self._quotes[index]
        best = self.touch.bid if quote.is_bid else self.touch.ask
        return abs(quote.price - best * self.tick)

    def requote(self, exchange: Exchange, now_ms: int, touch: Touch) -> None:
        """Move the top of the book: cancel crossed orders, quote again, and take users' stale orders."""
        if not self._sides:
            return
        self.touch = touch
        bid, ask = Micros(touch.bid * self.tick), Micros(touch.ask * self.tick)
        for index in range(len(self._quotes) - 1, -1, -1):
            quote = self._quotes[index]
            if quote.price > bid if quote.is_bid else quote.price < ask:
                self._cancel_at(exchange, now_ms, index)
        self._take_stale(exchange, now_ms, bid, ask)
        best_bid, best_ask = exchange.reads.top(self._tokens[0])
        for is_bid, price, best in ((True, bid, best_bid), (False, ask, best_ask)):
            is_behind = best is None or (best < price if is_bid else best > price)
            if is_bid in self._sides and is_behind and 0 < price < ONE:
                size = shares(self._sides[is_bid], self._rng)
                self._rest(exchange, now_ms, price, is_bid=is_bid, size=size)

    def take(self, exchange: Exchange, now_ms: int) -> None:
        """Send a marketable order of a trader who wants in or out at the best price."""
        is_up = self._rng.random() < 0.5
        bid, ask = exchange.reads.top(self._tokens[0])
        best = ask if is_up else bid
        if best is not None and self._sides:
            self._cross(exchange, now_ms, best, is_up=is_up)

    def _take_stale(self, exchange: Exchange, now_ms: int, bid: Micros, ask: Micros) -> None:
        # The fair price has crossed these users' orders: they are taken bit by bit.
        best_bid, best_ask = exchange.reads.top(self._tokens[0])
        if best_bid is not None and best_bid >= ask:
            self._cross(exchange, now_ms, ask, is_up=False)
        if best_ask is not None and best_ask <= bid:
            self._cross(exchange, now_ms, bid, is_up=True)

    def _cross(self, exchange: Exchange, now_ms: int, limit: Micros, *, is_up: bool) -> None:
        size = shares(min(self._sides.get(not is_up, _FEWEST_SHARES), 60.0), self._rng)
        token, side, price = self._worded(limit, is_bid=is_up)
        cash = notional_floor(price, size)
        if side is Side.BUY:
            # Immediate purchases are in dollars: whole cents, at least one dollar.
            cash = max(size_floor(cash), ONE)
            size = fit(cash, price, decimals=min(decimals_of(self.tick) + 2, 6))
        self._place(exchange, now_ms, (token, side), cash=cash, size=size, force=TimeInForce.FAK)

    def _rest(
        self, exchange: Exchange, now_ms: int, price: Micros, *, is_bid: bool, size: Micros
    ) -> None:
        token, side, own_price = self._worded(price, is_bid=is_bid)
        cash = notional_floor(own_price, size)
        order_id = self._place(
            exchange, now_ms, (token, side), cash=cash, size=size, force=TimeInForce.GTC
        )
        if order_id is not None:
            self._quotes.append(_Quote(order_id, is_bid, price))

    def _worded(self, price: Micros, *, is_bid: bool) -> tuple[TokenId, Side, Micros]:
        # A bid for the first token is a purchase of it or a sale of the second.
        is_purchase = self._rng.random() < _BUY_SHARE
        is_first = is_bid == is_purchase
        side = Side.BUY if is_purchase else Side.SELL
        return self._tokens[0 if is_first else 1], side, price if is_first else complement(price)

    def _signature(self) -> tuple[OrderId, Address]:
        order_id = OrderId(f"0x{self._rng.getrandbits(256):064x}")
        return order_id, self._accounts[int(self._rng.random() * len(self._accounts))]

    def _place(
        self,
        exchange: Exchange,
        now_ms: int,
        terms: tuple[TokenId, Side],
        *,
        cash: Micros,
        size: Micros,
        force: TimeInForce,
    ) -> OrderId | None:
        token, side = terms
        order_id, account = self._signature()
        order = NewOrder(
            order_id=order_id,
            account=account,
            owner=NOBODY,
            token_id=token,
            side=side,
            maker_amount=cash if side is Side.BUY else size,
            taker_amount=size if side is Side.BUY else cash,
            time_in_force=force,
            post_only=force.rests,
        )
        placed = exchange.place(order, now_ms=now_ms)
        return placed.order_id if isinstance(placed, Placed) else None

    def _cancel_at(self, exchange: Exchange, now_ms: int, index: int) -> None:
        quote = self._quotes[index]
        self._quotes[index] = self._quotes[-1]
        self._quotes.pop()
        # One that was filled meanwhile simply no longer exists.
        exchange.cancel((quote.order_id,), NOBODY, now_ms=now_ms)

    def regrid(self, tick: Micros) -> None:
        """Switch to a new price grid."""
        old, self.tick = self.tick, tick
        self._reach = max(self._reach * old // tick, 1)
        self.touch = Touch(self.touch.bid * old // tick, self.touch.ask * old // tick)


PERIOD_S = 0.05
"""Seconds between two steps."""
TOURED_PER_S = 8.0
"""Unwatched markets that are updated per second."""
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
    """Fair values of the markets of one event."""

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
            venue: the venue.
            seed: for all their random decisions.
            speed: multiplies their pace.
            publisher: knows which markets are watched; None means that none is.
        """
        self._venue = venue
        # Another run on the same state continues with other orders, not with those of the first
        # again.
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
            publisher.before_watch(self._prepare_market)

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
        """Do what is due since the last step."""
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

    def _prepare_market(self, condition_id: ConditionId) -> None:
        # This book is about to be watched: it has to be up to date.
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
        # A round through all of them, so that each gets its turn.
        condition_id = self._tour.pop()
        desk, view = self._desks.get(condition_id), self._venue.trading(condition_id)
        if desk is None or view is None or view.payout is not None:
            self._desks.pop(condition_id, None)
            return
        self._tour.insert(self._rng.randrange(len(self._tour) // 4 + 1), condition_id)
        if self._publisher is None or not self._publisher.is_watched(condition_id):
            self._visit(desk, now_ms)

    def _visit(self, desk: _Desk, now_ms: int) -> None:
        # Instead of many small changes long ago there are a few now.
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
    # Traders with a public profile first, so that lists of holders show people from the catalogue.
    known = (str(row.get("proxyWallet", "")) for row in venue.catalogue.extras.profiles)
    drawn = (
        hashlib.sha256(f"{seed}/{number}".encode()).digest()[:20] for number in range(_ACCOUNTS)
    )
    raw = chain((bytes.fromhex(w[2:]) for w in known if _WALLET.fullmatch(w)), drawn)
    names = dict.fromkeys(checksum_address(address) for address in raw)
    return tuple(names)[:_ACCOUNTS]
