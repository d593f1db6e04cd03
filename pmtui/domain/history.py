"""Price history: what a chart draws."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pmtui.domain.money import Micros


class Interval(StrEnum):
    """How far back a chart reaches; the values are the service's own words."""

    HOUR = "1h"
    SIX_HOURS = "6h"
    DAY = "1d"
    WEEK = "1w"
    MONTH = "1m"
    MAX = "max"

    def shifted(self, steps: int) -> "Interval":
        """Return the interval so many places longer, stopping at the ends."""
        members = list(Interval)
        return members[min(max(members.index(self) + steps, 0), len(members) - 1)]


@dataclass(frozen=True, slots=True)
class PricePoint:
    """The price of a token at a moment."""

    at: datetime
    price: Micros
