"""What the markets of an event are worth to the simulated traders, wandering as time passes.

A random process in floats: it only decides where somebody is willing to quote, every quote being
an exact price on the grid. Sans clock: the caller says how much time has passed.
"""

import math
import random
from collections.abc import Sequence

LIMIT = 0.0005
"""No outcome is ever worth less than this, or more than the rest."""
_REVERSION_S = 1_800.0
"""In this time an excursion loses most of its size."""
_JUMPS_PER_S = 1 / 2_400
_JUMP_SIZE = 0.25
"""Of the log odds."""


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
        """Begin at given prices.

        Args:
            starts: prices of the first outcomes.
            volatilities: of their log odds, per square root of a second.
            is_exclusive: only one of them can happen, so the sum of prices never changes.
            reverts: whether prices are drawn back to where they began.
        """
        self._odds = [_log_odds(start) for start in starts]
        self._away = [0.0] * len(starts)
        self._volatilities = volatilities
        self._reverts = reverts
        self._total = sum(starts) if is_exclusive else None
        self._prices = [min(max(start, LIMIT), 1 - LIMIT) for start in starts]

    @property
    def prices(self) -> Sequence[float]:
        """The prices now."""
        return self._prices

    def advance(self, elapsed_s: float, rng: random.Random) -> None:
        """Let time pass."""
        keep = math.exp(-elapsed_s / _REVERSION_S) if self._reverts else 1.0
        spread = math.sqrt(_REVERSION_S / 2 * (1 - keep * keep) if self._reverts else elapsed_s)
        jump = -math.expm1(-elapsed_s * _JUMPS_PER_S) if self._reverts else 0.0
        for index, volatility in enumerate(self._volatilities):
            if not volatility:
                continue
            away = self._away[index] * keep + rng.gauss(0.0, 1.0) * volatility * spread
            # Who is calm jumps less far: the size of news goes with the market's liveliness.
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
