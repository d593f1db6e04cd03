"""One market whose book moves: a seeded walk of the touch, sizes that come and go, trades."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from math import sin
from random import Random

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.history import Interval, PricePoint
from pmtui.domain.markets.market import FeeSchedule, MarketTerms, RewardTerms, Side
from pmtui.domain.money import ONE, Micros, complement
from pmtui.domain.orders.order import OrderStatus, TradePrint
from pmtui.service.topics import AccountTopic, BookTopic, MarketTopic, TapeTopic
from pmtui.service.views import HistoryView, Load, MarketView, TapeView
from tests.ui import believable
from tests.ui.fake_surface import NOW, FakeService

NUMBER = 2
CONDITION = ConditionId(f"0x{NUMBER:064x}")
YES = TokenId(str(10**70 + 2 * NUMBER))
NO = TokenId(str(10**70 + 2 * NUMBER + 1))
TICK = Micros(10_000)


class MovingMarket:
    """Steps a book, its mirror and the tape in a `FakeService`."""

    def __init__(self, seed: int = 7, *, tick: Micros = TICK) -> None:
        self.service = FakeService()
        self.tick = tick
        self._random = Random(seed)
        self._bid = 520_000 // tick
        self._sizes: dict[int, int] = {}
        self._prints: list[TradePrint] = []
        self._version = 0
        self._at = NOW
        for index in range(1, ONE // tick):
            if self._random.random() < (0.9 if abs(index - self._bid) < 30 else 0.3):
                self._sizes[index] = self._size()
        self._set_market()
        for _ in range(40):
            self._trade()
        self._publish()

    def step(self) -> None:
        """Change one or two levels; now and then trade, now and then move the touch."""
        near = min(15, ONE // self.tick // 4)
        for _ in range(self._random.choice((1, 1, 2))):
            index = self._bid + self._random.randint(-near, near)
            if 1 <= index < ONE // self.tick:
                self._sizes[index] = self._size()
        chance = self._random.random()
        if chance < 0.1:
            self._trade()
        if chance < 0.03:
            self._bid += self._random.choice((-1, 1))
            self._bid = min(max(self._bid, 5), ONE // self.tick - 6)
        self._version += 1

    def publish(self) -> None:
        """Announce what the steps brought."""
        self._publish()
        for token in (YES, NO):
            self.service.announce(BookTopic(token), TapeTopic(token))

    def set_state(self, state: BookState) -> None:
        """Announce another worth of both books."""
        for token in (YES, NO):
            book = self.service.books[token]
            self.service.books[token] = replace(book, state=state, version=book.version + 1)
            self.service.announce(BookTopic(token))

    def announce_all(self) -> None:
        self.service.announce(MarketTopic(CONDITION), AccountTopic())
        self.publish()

    def _size(self) -> int:
        return round(self._random.paretovariate(1.1) * 40 * 100) * 10_000

    def _trade(self) -> None:
        side = self._random.choice((Side.BUY, Side.SELL))
        index = self._bid + (1 if side is Side.BUY else 0)
        self._at += timedelta(seconds=self._random.randint(0, 9))
        size = Micros(self._random.randint(5, 900) * 1_000_000)
        trade = TradePrint(YES, side, Micros(index * self.tick), size, self._at)
        self._prints = [trade, *self._prints[:199]]

    def _publish(self) -> None:
        bids = [
            Level(Micros(i * self.tick), Micros(self._sizes[i]))
            for i in sorted(self._sizes, reverse=True) if i <= self._bid
        ]  # fmt: skip
        asks = [
            Level(Micros(i * self.tick), Micros(self._sizes[i]))
            for i in sorted(self._sizes) if i > self._bid
        ]  # fmt: skip
        last = self._prints[0].price
        state = BookState.VERIFIED if self._version % 9 else BookState.LIVE
        yes = BookView(
            YES, state, tuple(bids), tuple(asks), self.tick, last, self.service.at,
            version=self._version, own_last=last,
        )  # fmt: skip
        self.service.books[YES] = yes
        self.service.books[NO] = mirrored(yes, NO)
        self.service.tapes[YES] = _tape(self._prints, self._version)
        opposite = tuple(
            replace(t, token_id=NO, side=t.side.opposite, price=complement(t.price))
            for t in self._prints
        )
        self.service.tapes[NO] = _tape(opposite, self._version)

    def _set_market(self) -> None:
        market = believable.market(
            NUMBER, "Will the central bank cut rates at its meeting in July?", price=0.525,
            change=-0.055, volume=8_800_000,
        )  # fmt: skip
        terms = MarketTerms(
            condition_id=CONDITION, token_ids=(YES, NO), outcome_labels=("Yes", "No"),
            tick_size=self.tick, min_order_size=Micros(5_000_000), neg_risk=False,
            fee=FeeSchedule(Micros(40_000)), rewards=RewardTerms(Micros(100_000_000), Micros(35_000)),
        )  # fmt: skip
        market = replace(market, tick_size=self.tick)
        service = self.service
        service.markets[CONDITION] = MarketView(market, terms, Load.READY, NOW)
        points = tuple(history(self._random))
        for token in (YES, NO):
            for interval in Interval:
                shown = points if token == YES else tuple(
                    PricePoint(p.at, complement(p.price)) for p in points
                )  # fmt: skip
                view = HistoryView(shown, interval, Load.READY, NOW, version=1)
                service.histories[(token, interval)] = view
        service.account_view = replace(
            service.account_view,
            reserved=believable.micros(231.4),
            positions=(
                believable.position(NUMBER, "Rates", size=1_250.5, average=0.4813, current=0.52),
            ),
            open_orders=(
                believable.order(1, NUMBER, price=0.49, size=250),
                believable.order(2, NUMBER, price=0.47, size=1_200, matched=31.5,
                                 status=OrderStatus.PARTIALLY_FILLED),
                believable.order(3, NUMBER, side=Side.SELL, price=0.57, size=400),
                believable.order(4, NUMBER, side=Side.SELL, price=0.6, size=55.5,
                                 status=OrderStatus.UNKNOWN),
            ),
            queue_ahead=tuple(
                (believable.order(n).order_id, believable.micros(size))
                for n, size in ((1, 96.4), (2, 12), (3, 1_234))
            ),
            scoring=frozenset({believable.order(1).order_id}),
        )  # fmt: skip


def _tape(prints: Iterable[TradePrint], version: int) -> TapeView:
    shown, volume = tuple(prints), Counter[Micros]()
    for trade in shown:
        volume[trade.price] += trade.size
    sizes = tuple((price, Micros(size)) for price, size in volume.items())
    return TapeView(shown, version, sizes)


def mirrored(book: BookView, token_id: TokenId) -> BookView:
    """Return the other outcome's book, as the venue keeps it."""
    last = book.last_trade_price
    return replace(
        book,
        token_id=token_id,
        bids=tuple(Level(complement(level.price), level.size) for level in book.asks),
        asks=tuple(Level(complement(level.price), level.size) for level in book.bids),
        last_trade_price=None if last is None else complement(last),
        own_last=None if book.own_last is None else complement(book.own_last),
    )


def history(random: Random, *, count: int = 600) -> list[PricePoint]:
    """Return a day's walk that ends near 52 cents."""
    drift = [0]
    for _ in range(count - 1):
        drift.append(drift[-1] + random.choice((-5_000, -5_000, 0, 0, 0, 0, 5_000, 5_000)))
    prices = [520_000 + d - drift[-1] + round(20_000 * sin(i / 70)) for i, d in enumerate(drift)]
    start = NOW - timedelta(days=1)
    return [
        PricePoint(start + timedelta(minutes=2.4 * i), Micros(min(max(p // 5_000 * 5_000, 5_000), 995_000)))
        for i, p in enumerate(prices)
    ]  # fmt: skip
