"""How simulated traders behave: pure decisions in ticks and shares, drawn from a seeded source.

Figures are fits to recorded streams: 97 of 100 changes leave the top of the book alone, nine in
ten orders are purchases of one of the tokens, one size in four is a round number.
"""

import math
import random
from dataclasses import dataclass
from enum import Enum

from pmtui.domain.money import Micros
from pmtui.sim.catalogue.model import Activity

_HUNDREDTH = 10_000
_ROUND_SHARES = (5, 10, 20, 25, 50, 100, 200, 250, 500, 1_000)
_STICKINESS = 0.8
"""Ticks that the fair price may run before quotes follow."""

VOLATILITY = {
    Activity.IDLE: 0.0,
    Activity.QUIET: 0.000_4,
    Activity.STEADY: 0.001_5,
    Activity.BUSY: 0.004,
    Activity.FAST: 0.015,
}
"""Of the log odds per square root of a second."""
WINDOW_VOLATILITY = 0.06
"""Of five-minute markets, which go from an even chance to a certainty."""
WINDOW_BOOST = 14.0
"""Five-minute markets against other lively ones: recorded ones change hundreds of times a second."""
WATCHED_CHANGES_PER_S = 0.6
WATCHED_TRADES_PER_S = 1 / 60
"""What the quietest market does at least while somebody looks at it."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Mean rates of one market, per second."""

    changes: float
    trades: float

    def scaled(self, factor: float) -> "Pace":
        """Return the same habits at another speed."""
        return Pace(self.changes * factor, self.trades * factor)


def pace_of(activity: Activity, *, is_window: bool) -> Pace:
    """Return how often a market moves while it is watched."""
    if activity is Activity.IDLE:
        return Pace(0.0, 0.0)
    boost = WINDOW_BOOST if is_window and activity is Activity.FAST else 1.0
    return Pace(
        max(activity.changes_per_second * boost, WATCHED_CHANGES_PER_S),
        max(activity.trades_per_minute / 60 * boost, WATCHED_TRADES_PER_S),
    )


class Bursts:
    """Makes a steady rate come in bursts: four times as much for a tenth of the time."""

    __slots__ = ("_is_on", "_rng")

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._is_on = False

    def count(self, mean: float, elapsed_s: float) -> int:
        """Draw how many things happen."""
        turn = elapsed_s / (0.7 if self._is_on else 6.3)
        if self._rng.random() < -math.expm1(-turn):
            self._is_on = not self._is_on
        return drawn_count(mean * (4.0 if self._is_on else 0.67), self._rng)


def drawn_count(mean: float, rng: random.Random) -> int:
    """Draw a count with a mean, as of independent events."""
    if mean > 30:
        return max(round(rng.gauss(mean, math.sqrt(mean))), 0)
    limit, product, count = math.exp(-mean), rng.random(), 0
    while product > limit:
        product *= rng.random()
        count += 1
    return count


@dataclass(frozen=True, slots=True)
class Touch:
    """Best bid and best ask in ticks of the first token, 0 and `last` + 1 being no prices."""

    bid: int
    ask: int


def follow(touch: Touch, *, fair: float, last: int) -> Touch:
    """Return where to quote now.

    Args:
        touch: where quotes are.
        fair: fair price in ticks.
        last: highest price in ticks.
    """
    width = touch.ask - touch.bid
    if abs(fair - (touch.bid + touch.ask) / 2) <= _STICKINESS and touch.ask <= last + 1:
        return touch
    bid = min(max(math.floor(fair - width / 2 + 0.5), 0), last)
    return Touch(bid, min(max(bid + width, 1), last + 1))


class Churn(Enum):
    """What happens away from the top."""

    ADD = "add"
    REMOVE = "remove"


def choose_churn(orders: int, *, usual: int, rng: random.Random) -> Churn:
    """Add or remove, so that the number of orders hovers around the usual one."""
    is_removal = rng.random() * (orders + usual) < orders
    return Churn.REMOVE if is_removal else Churn.ADD


def distance(reach: int, rng: random.Random) -> int:
    """Draw how many ticks behind the top an order goes; `reach` is where half of the book lies."""
    return 1 + int(rng.expovariate(1 / max(reach, 1)))


def shares(usual: float, rng: random.Random) -> Micros:
    """Draw the size of an order: whole hundredths, at least five shares."""
    drawn = math.exp(rng.gauss(math.log(usual), 1.1))
    if rng.random() < 0.25:
        drawn = min(_ROUND_SHARES, key=lambda size: abs(math.log(size / drawn)))
    return Micros(max(int(drawn * 100), 500) * _HUNDREDTH)
