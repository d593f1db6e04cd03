"""What the trader wants to be warned of before an order leaves."""

from dataclasses import dataclass
from datetime import timedelta

from pmtui.domain.money import ZERO, Micros

_WARNED_FROM = Micros(1_000_000_000)


@dataclass(frozen=True, slots=True)
class TicketRules:
    """Bounds of the ticket's warnings; none of them stops an order."""

    worst_price_percent: int = 10
    """How much worse than the midpoint a price may be, in percent of it; 0 for any."""
    notional_warning: Micros = _WARNED_FROM
    """Dollars from which an order is called large; 0 for never."""
    duplicate_window: timedelta = timedelta(seconds=10)
    """For so long after an order the same one again is called a second one."""

    @property
    def warns_of_size(self) -> bool:
        """Whether any size is too large to go unsaid."""
        return self.notional_warning > ZERO


DEFAULT_RULES = TicketRules()
