"""Books, trades and price histories around one price, made of fixed numbers only."""

from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.markets.history import Interval, PricePoint
from pmtui.domain.markets.market import Market, Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TradePrint
from pmtui.service.views import HistoryView, Load, TapeView
from tests.ui.fake_surface import NOW

CENT = 10_000
DOLLAR = 1_000_000
TICK = Micros(CENT)

# Shares at the best price and outwards, in hundreds; thin in front, thick behind.
_DEPTH = (3, 12, 28, 41, 35, 60, 52, 88, 74, 120, 95, 140, 60, 210, 45, 30, 25, 80, 15, 10)


def ago(seconds: float) -> datetime:
    """Return a moment before now."""
    return NOW - timedelta(seconds=seconds)


def book_of(market: Market) -> BookView:
    """Return a good book between a market's best prices."""
    bid, ask = market.best_bid or 0, market.best_ask or 0
    return BookView(
        market.token_ids[0],
        BookState.VERIFIED,
        bids=_levels(bid, -CENT),
        asks=_levels(ask, CENT),
        tick_size=TICK,
        last_trade_price=Micros(ask),
        as_of=ago(0),
        version=7,
    )


def _levels(best: int, step: int) -> tuple[Level, ...]:
    # The other side starts elsewhere in the profile, or the book would be a mirror of itself.
    offset = 0 if step > 0 else 3
    prices = [best + step * distance for distance in range(len(_DEPTH))]
    return tuple(
        Level(
            Micros(price),
            Micros((_DEPTH[(n + offset) % len(_DEPTH)] * 100 + n * 7) * DOLLAR + 250_000 * (n % 2)),
        )
        for n, price in enumerate(prices)
        if 0 < price < DOLLAR
    )


def mirrored(book: BookView, market: Market) -> BookView:
    """Return the book of the other outcome: the same orders seen from there."""

    def turn(levels: tuple[Level, ...]) -> tuple[Level, ...]:
        return tuple(Level(Micros(DOLLAR - level.price), level.size) for level in levels)

    return replace(
        book, token_id=market.token_ids[1], bids=turn(book.asks), asks=turn(book.bids),
        last_trade_price=Micros(DOLLAR - (book.last_trade_price or 0)),
    )  # fmt: skip


def tape_of(book: BookView) -> TapeView:
    """Return trades at the touch, one every eleven seconds."""
    bid, ask = book.best_bid or Micros(0), book.best_ask or Micros(0)
    prints = tuple(
        TradePrint(
            book.token_id,
            Side.BUY if n % 3 else Side.SELL,
            ask if n % 3 else bid,
            Micros((5 + n * 37 % 180) * DOLLAR),
            ago(3 + n * 11),
        )
        for n in range(24)
    )
    volume: dict[Micros, int] = {}
    for trade in prints:
        volume[trade.price] = volume.get(trade.price, 0) + trade.size
    sizes = tuple((price, Micros(size)) for price, size in volume.items())
    return TapeView(prints, len(prints), sizes)


_SPANS_S = {
    Interval.HOUR: 3_600, Interval.SIX_HOURS: 21_600, Interval.DAY: 86_400,
    Interval.WEEK: 604_800, Interval.MONTH: 2_592_000, Interval.MAX: 5_184_000,
}  # fmt: skip
_POINTS = 240


# Many tests make the same afternoon, and its walks are most of the work.
@cache
def history_of(book: BookView, interval: Interval, day_change: int) -> HistoryView:
    """Walk back from now in small steps of a fixed, uneven rhythm.

    A day begins where the change over a day says that it did.
    """
    step = timedelta(seconds=_SPANS_S[interval] / _POINTS)
    price = book.midpoint or Micros(0)
    state = len(interval.value) * 7_919 + int(book.token_id) % 9_973
    points = []
    for n in range(_POINTS):
        points.append(PricePoint(NOW - step * n, Micros(price)))
        state = (state * 1_103_515_245 + 12_345) % 2**31
        move = (state >> 16) % 5 - 2
        drift = CENT if n % 24 == 23 else 0
        price = Micros(min(max(price - move * CENT // 2 - drift, CENT), DOLLAR - CENT))
    if interval is Interval.DAY:
        points = _begun_at((book.last_trade_price or 0) - day_change, points)
    return HistoryView(tuple(reversed(points)), interval, Load.READY, ago(20), version=1)


def _begun_at(price: int, points: list[PricePoint]) -> list[PricePoint]:
    """Bend a walk, the newest first, so that its oldest point is this price."""
    off = price - points[-1].price
    last = len(points) - 1
    return [
        replace(p, price=Micros(min(max(_to_half(p.price + off * n // last), CENT), DOLLAR - CENT)))
        for n, p in enumerate(points)
    ]


def _to_half(price: int) -> int:
    return round(price / (CENT // 2)) * (CENT // 2)
