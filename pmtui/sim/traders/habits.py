"""The behaviour of simulated traders: how they fill a book, estimate a fair value, and trade on it.

Numbers are fitted to recorded books: how many levels a side has, how far apart they are, how sizes
grow away from the touch, and how often a size is a round number.

Decisions are pure, in ticks and shares, drawn from a seeded source. Fair prices are floats: they only
decide where a trader is willing to quote, and every quote is an exact price on the grid. Figures are
fitted to recorded streams: 97 of 100 changes leave the top of the book unchanged, nine in ten orders
are purchases of one of the tokens, one size in four is a round number.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from pmtui.domain.money import ONE, Micros
from pmtui.sim.catalogue.model import Activity, CatalogueMarket, DepthProfile

_CENT = 10_000
_ROUND_SIZES = (5, 10, 20, 25, 50, 100, 200, 250, 500, 1_000, 2_500, 5_000, 10_000)
LIMIT = 0.0005
"""The smallest value of any outcome, and the smallest distance from 1."""
_REVERSION_S = 1_800.0
"""In this time an excursion loses most of its size."""
_JUMPS_PER_S = 1 / 2_400
_JUMP_SIZE = 0.25
"""In log odds."""


class Side(Enum):
    """A side of the book."""

    BID = "bid"
    ASK = "ask"


@dataclass(frozen=True, slots=True)
class BookLevel:
    """The size at one price."""

    side: Side
    price: Micros
    size: Micros


@dataclass(frozen=True, slots=True)
class _Fit:
    """The fit for one side of one kind of book."""

    levels: tuple[int, int]
    """Minimum and maximum number of levels."""
    gap: float
    """Mean number of ticks skipped between levels near the touch."""
    size: float
    """Median size near the touch, in shares."""
    sigma: float
    """Spread of the logarithm of sizes."""
    growth: float
    """How much larger the median is at the far end, as a power of ten."""
    rounded: float
    """Fraction of sizes that are round numbers."""


_FITS = {
    DepthProfile.THIN: _Fit((4, 18), 2.4, 40.0, 1.1, 0.6, 0.35),
    DepthProfile.NORMAL: _Fit((18, 52), 0.35, 420.0, 1.5, 0.9, 0.22),
    DepthProfile.DEEP: _Fit((85, 110), 0.2, 5_200.0, 1.6, 0.5, 0.15),
    DepthProfile.LONG_SHOT: _Fit((12, 60), 0.2, 3_000.0, 1.9, 0.4, 0.3),
}
_LONG_SHOT_FAR = _Fit((0, 3), 0.1, 60_000.0, 1.4, 0.0, 0.1)
"""The side of a long shot next to 0 or 1; empty in a sixth of the books."""


def book_for(market: CatalogueMarket, rng: random.Random) -> list[BookLevel]:
    """Return the levels of the first outcome's book, best first on each side.

    Prices are on the market's grid, strictly between 0 and 1, and never cross. Empty for a market
    that accepts no orders or starts without a book.
    """
    if not market.is_tradable or market.depth is DepthProfile.EMPTY:
        return []
    tick = market.tick_size
    last = ONE // tick - 1
    bid, ask = _touch(market, last=last)
    below = [price for price in _ladder(market, rng, side=Side.BID, best=bid) if price >= 1]
    above = [price for price in _ladder(market, rng, side=Side.ASK, best=ask) if price <= last]
    return [
        *_sized(market, rng, side=Side.BID, prices=below),
        *_sized(market, rng, side=Side.ASK, prices=above),
    ]


def _touch(market: CatalogueMarket, *, last: int) -> tuple[int, int]:
    # In ticks; 0 and last + 1 mean that nothing fits on that side.
    tick = market.tick_size
    width = max(1, round(market.spread / tick))
    twice_bid = (2 * market.start_price) // tick - width
    bid = min(max(twice_bid // 2, 0), last)
    return bid, min(max(bid + width, 1), last + 1)


def _fit_of(market: CatalogueMarket, side: Side) -> _Fit:
    if market.depth is DepthProfile.LONG_SHOT:
        is_pressed = (side is Side.BID) == (market.start_price < ONE // 2)
        if is_pressed:
            return _LONG_SHOT_FAR
    return _FITS[market.depth]


def _ladder(market: CatalogueMarket, rng: random.Random, *, side: Side, best: int) -> list[int]:
    fit = _fit_of(market, side)
    # Gaps are measured in ticks of the market, but a finer grid is not filled ten times as densely.
    coarse = 1.0 if market.tick_size >= _CENT else 4.0
    step = -1 if side is Side.BID else 1
    prices: list[int] = []
    price = best
    for index in range(rng.randint(*fit.levels)):
        prices.append(price)
        # Orders further from the touch are further apart.
        mean = fit.gap * coarse * (1 + index / 12)
        price += step * (1 + int(rng.expovariate(1 / mean)))
    return prices


def _sized(
    market: CatalogueMarket, rng: random.Random, *, side: Side, prices: list[int]
) -> list[BookLevel]:
    fit = _fit_of(market, side)
    levels = []
    for index, price in enumerate(prices):
        reach = index / max(len(prices) - 1, 1)
        median = fit.size * 10 ** (fit.growth * reach)
        shares = math.exp(rng.gauss(math.log(median), fit.sigma))
        if rng.random() < fit.rounded:
            shares = min(_ROUND_SIZES, key=lambda size: abs(math.log(size / shares)))
        hundredths = max(int(shares * 100), market.min_order_size // _CENT)
        levels.append(BookLevel(side, Micros(price * market.tick_size), Micros(hundredths * _CENT)))
    return levels


class FairValues:
    """Fair prices of the first outcomes of an event's markets."""

    def __init__(
        self,
        starts: Sequence[float],
        volatilities: Sequence[float],
        *,
        is_exclusive: bool,
        reverts: bool,
    ) -> None:
        """Start at given prices.

        Args:
            starts: prices of the first outcomes.
            volatilities: of their log odds, per square root of a second.
            is_exclusive: whether only one of them can happen, so that the sum of prices stays
                constant.
            reverts: whether prices are drawn back to their starting values.
        """
        self._odds = [_log_odds(start) for start in starts]
        self._away = [0.0] * len(starts)
        self._volatilities = volatilities
        self._reverts = reverts
        self._total = sum(starts) if is_exclusive else None
        self._prices = [min(max(start, LIMIT), 1 - LIMIT) for start in starts]

    @property
    def prices(self) -> Sequence[float]:
        """The current prices."""
        return self._prices

    def advance(self, elapsed_s: float, rng: random.Random) -> None:
        """Advance the time."""
        keep = math.exp(-elapsed_s / _REVERSION_S) if self._reverts else 1.0
        spread = math.sqrt(_REVERSION_S / 2 * (1 - keep * keep) if self._reverts else elapsed_s)
        jump = -math.expm1(-elapsed_s * _JUMPS_PER_S) if self._reverts else 0.0
        for index, volatility in enumerate(self._volatilities):
            if not volatility:
                continue
            away = self._away[index] * keep + rng.gauss(0.0, 1.0) * volatility * spread
            # Calm markets jump less far: the size of news depends on the market's activity.
            if rng.random() < jump:
                away += rng.gauss(0.0, _JUMP_SIZE) * min(volatility * 200, 1.0)
            self._away[index] = away
        self._price()

    def _price(self) -> None:
        raw = [1 / (1 + math.exp(-(a + b))) for a, b in zip(self._odds, self._away, strict=True)]
        if self._total is not None and sum(raw) > 0:
            scale = self._total / sum(raw)
            raw = [price * scale for price in raw]
        self._prices = [min(max(price, LIMIT), 1 - LIMIT) for price in raw]


def _log_odds(price: float) -> float:
    inside = min(max(price, LIMIT), 1 - LIMIT)
    return math.log(inside / (1 - inside))


_HUNDREDTH = 10_000
_ROUND_SHARES = (5, 10, 20, 25, 50, 100, 200, 250, 500, 1_000)
_BURSTS = ((5.0, 7.0), (50.0, 4.0), (math.inf, 2.5))
"""Changes per second, and how many times the mean a burst is below that rate."""
_STICKINESS = 0.8
"""Ticks that the fair price may move before quotes follow."""

VOLATILITY = {
    Activity.IDLE: 0.0,
    Activity.QUIET: 0.000_4,
    Activity.STEADY: 0.001_5,
    Activity.BUSY: 0.004,
    Activity.FAST: 0.006,
}
"""Volatility of the log odds, per square root of a second."""
WINDOW_VOLATILITY = 0.06
"""The same for five-minute markets, which go from an even chance to a certainty."""
WATCHED_CHANGES_PER_S = 0.6
WATCHED_TRADES_PER_S = 1 / 60
"""The minimum activity of the quietest market while it is watched."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Mean rates of one market, per second."""

    changes: float
    trades: float

    def scaled(self, factor: float) -> "Pace":
        """Return the same rates at another speed."""
        return Pace(self.changes * factor, self.trades * factor)


WINDOW_PACE = Pace(changes=170.0, trades=13.0)
"""For five-minute markets: recorded ones change hundreds of times, and trade 12 to 15 times, a
second."""
WINDOW_END_PACE = Pace(changes=620.0, trades=15.0)
WINDOW_END_S = 90.0
"""The last seconds of a five-minute market: 633 to 795 frames a second in recordings, trades
included."""


def pace_of(activity: Activity, *, is_window: bool, left_s: float = math.inf) -> Pace:
    """Return the rates of a market while it is watched."""
    if activity is Activity.IDLE:
        return Pace(0.0, 0.0)
    if is_window and activity is Activity.FAST:
        return WINDOW_END_PACE if left_s <= WINDOW_END_S else WINDOW_PACE
    return Pace(
        max(activity.changes_per_second, WATCHED_CHANGES_PER_S),
        max(activity.trades_per_minute / 60, WATCHED_TRADES_PER_S),
    )


class Bursts:
    """Turns a steady rate into bursts, which take a tenth of the time.

    In recordings, quiet seconds and bursts differ strongly in slow books, and less in the fastest.
    """

    __slots__ = ("_is_on", "_rng")

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._is_on = False

    def count(self, rate: float, elapsed_s: float) -> int:
        """Draw the number of events."""
        turn = elapsed_s / (0.7 if self._is_on else 6.3)
        if self._rng.random() < -math.expm1(-turn):
            self._is_on = not self._is_on
        burst = next(burst for limit, burst in _BURSTS if rate < limit)
        factor = burst if self._is_on else (1 - burst / 10) / 0.9
        return drawn_count(rate * elapsed_s * factor, self._rng)


def drawn_count(mean: float, rng: random.Random) -> int:
    """Draw a Poisson-distributed count with the given mean."""
    if mean > 30:
        return max(round(rng.gauss(mean, math.sqrt(mean))), 0)
    limit, product, count = math.exp(-mean), rng.random(), 0
    while product > limit:
        product *= rng.random()
        count += 1
    return count


@dataclass(frozen=True, slots=True)
class Touch:
    """Best bid and best ask in ticks of the first token; 0 and `last` + 1 mean no price."""

    bid: int
    ask: int


def follow(touch: Touch, *, fair: float, last: int) -> Touch:
    """Return where to quote now.

    Args:
        touch: the current quotes.
        fair: the fair price in ticks.
        last: the highest price in ticks.
    """
    width = touch.ask - touch.bid
    if abs(fair - (touch.bid + touch.ask) / 2) <= _STICKINESS and touch.ask <= last + 1:
        return touch
    bid = min(max(math.floor(fair - width / 2 + 0.5), 0), last)
    return Touch(bid, min(max(bid + width, 1), last + 1))


class Churn(Enum):
    """What happens away from the top of the book."""

    ADD = "add"
    REMOVE = "remove"


def choose_churn(orders: int, *, usual: int, rng: random.Random) -> Churn:
    """Choose to add or remove, so that the number of orders stays near the usual one."""
    is_removal = rng.random() * (orders + usual) < orders
    return Churn.REMOVE if is_removal else Churn.ADD


def distance(reach: int, rng: random.Random) -> int:
    """Draw how many ticks behind the top an order is added or removed.

    In a recorded deep book (2026-07-27) half of all changes are within a quarter of `reach`, like
    half of the levels, and a quarter are beyond two thirds of it.
    """
    return 1 + int(reach * rng.lognormvariate(math.log(0.23), 1.4))


def shares(usual: float, rng: random.Random) -> Micros:
    """Draw the size of an order: whole hundredths, at least five shares."""
    drawn = math.exp(rng.gauss(math.log(usual), 1.1))
    if rng.random() < 0.25:
        drawn = min(_ROUND_SHARES, key=lambda size: abs(math.log(size / drawn)))
    return Micros(max(int(drawn * 100), 500) * _HUNDREDTH)
