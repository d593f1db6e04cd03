"""Fills a book at the start the way recorded books are filled.

Numbers are fits to the books measured in recordings: how many levels a side has, how far apart
they lie, how sizes grow away from the touch, and how often a size is a round number.
"""

import math
import random
from dataclasses import dataclass
from enum import Enum

from pmtui.domain.money import ONE, Micros
from pmtui.sim.catalogue.model import CatalogueMarket, DepthProfile

_CENT = 10_000
_ROUND_SIZES = (5, 10, 20, 25, 50, 100, 200, 250, 500, 1_000, 2_500, 5_000, 10_000)


class Side(Enum):
    """A side of the book."""

    BID = "bid"
    ASK = "ask"


@dataclass(frozen=True, slots=True)
class BookLevel:
    """What rests at one price."""

    side: Side
    price: Micros
    size: Micros


@dataclass(frozen=True, slots=True)
class _Fit:
    """A side of a book of one kind."""

    levels: tuple[int, int]
    """Fewest and most levels."""
    gap: float
    """Mean number of ticks skipped between levels near the touch."""
    size: float
    """Median size near the touch, in shares."""
    sigma: float
    """Spread of the logarithm of sizes."""
    growth: float
    """How much larger the median is at the far end, as a power of ten."""
    rounded: float
    """Share of sizes that are round numbers."""


_FITS = {
    DepthProfile.THIN: _Fit((4, 18), 2.4, 40.0, 1.1, 0.6, 0.35),
    DepthProfile.NORMAL: _Fit((18, 52), 0.35, 420.0, 1.5, 0.9, 0.22),
    DepthProfile.DEEP: _Fit((85, 110), 0.2, 5_200.0, 1.6, 0.5, 0.15),
    DepthProfile.LONG_SHOT: _Fit((12, 60), 0.2, 3_000.0, 1.9, 0.4, 0.3),
}
_LONG_SHOT_FAR = _Fit((0, 3), 0.1, 60_000.0, 1.4, 0.0, 0.1)
"""The side of a long shot that is pressed against 0 or 1; empty in a sixth of the books."""


def book_for(market: CatalogueMarket, rng: random.Random) -> list[BookLevel]:
    """Return the levels of the first outcome's book, best first on each side.

    Prices lie on the market's grid, strictly between 0 and 1, and never cross. Empty for a market
    that takes no orders or starts without a book.
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
    # Gaps are measured in ticks of the market, but a finer grid is not filled ten times denser.
    coarse = 1.0 if market.tick_size >= _CENT else 4.0
    step = -1 if side is Side.BID else 1
    prices: list[int] = []
    price = best
    for index in range(rng.randint(*fit.levels)):
        prices.append(price)
        # Away from the touch orders sit further apart.
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
