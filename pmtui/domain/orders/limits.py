"""The limits a trader sets to what could be lost; `exposure` says what counts against them."""

from dataclasses import dataclass

from pmtui.domain.money import Micros


@dataclass(frozen=True, slots=True)
class Limits:
    """What a trader allows at most, in dollars; None allows everything."""

    order: Micros | None = None
    """Of one purchase."""
    market: Micros | None = None
    """Exposure in one market, both outcomes together."""
    total: Micros | None = None
    """Exposure everywhere."""
    daily_loss: Micros | None = None
    """Loss since midnight UTC; once reached, nothing may be bought."""

    @property
    def need_account(self) -> bool:
        """Whether any of them depends on what is held and what rests."""
        return (self.market, self.total, self.daily_loss) != (None, None, None)


NO_LIMITS = Limits()
