"""Liquidity rewards and maker rebates: what the service pays for resting orders."""

from dataclasses import dataclass
from datetime import date

from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.domain.markets.market import RewardTerms
from pmtui.domain.money import ONE, Micros


@dataclass(frozen=True, slots=True)
class RewardBand:
    """Where a resting order can score now, and how large it has to be."""

    low: Micros
    high: Micros
    """Both ends score nothing any more."""
    min_size: Micros

    def holds(self, price: Micros) -> bool:
        """Whether an order at this price is near enough to the middle."""
        return self.low < price < self.high

    def takes(self, price: Micros, size: Micros) -> bool:
        """Whether an order is near enough and large enough."""
        return self.holds(price) and size >= self.min_size


def reward_band(terms: RewardTerms | None, midpoint: Micros | None) -> RewardBand | None:
    """Return the band around a midpoint; None without rewards or without a middle.

    The service leaves tiny orders out of its own middle and does not publish how: where the best
    orders are tiny, the answer to whether an own order scores is the truth.
    """
    if terms is None or midpoint is None or terms.max_spread <= 0:
        return None
    low, high = midpoint - terms.max_spread, midpoint + terms.max_spread
    return RewardBand(Micros(max(0, low)), Micros(min(ONE, high)), terms.min_size)


@dataclass(frozen=True, slots=True)
class RewardProgram:
    """One pot that is paid out in daily parts to the orders that score in a market."""

    asset: Address
    rate_per_day: Micros
    """Units of the asset."""
    starts_on: date | None = None
    ends_on: date | None = None
    """Far in the future for one without an end."""
    total: Micros | None = None
    remaining: Micros | None = None
    total_days: int | None = None


@dataclass(frozen=True, slots=True)
class OutcomePrice:
    """A token of a rewarded market and its price as the rewards list has it."""

    token_id: TokenId
    label: str
    """Untrusted text."""
    price: Micros | None


@dataclass(frozen=True, slots=True)
class AssetEarnings:
    """What was earned in one asset, and what a unit of it is worth."""

    asset: Address
    earnings: Micros
    asset_rate: Micros
    """Dollars for one unit."""


@dataclass(frozen=True, slots=True)
class RewardedMarket:
    """A market with rewards. What a list leaves out is None or empty; texts are untrusted."""

    condition_id: ConditionId
    terms: RewardTerms
    """What an order must satisfy to score."""
    programs: tuple[RewardProgram, ...]
    question: str = ""
    slug: str = ""
    event_slug: str = ""
    outcomes: tuple[OutcomePrice, ...] = ()
    competitiveness: Micros | None = None
    """How much scores there already; the service's own measure."""
    daily_rate: Micros | None = None
    """Dollars a day in all, where the list adds it up."""
    sponsored_rate: Micros | None = None
    """The part of it that others than the service pay."""
    spread: Micros | None = None
    volume_24h: Micros | None = None
    earning_percent: Micros | None = None
    """Our part of what is paid out now: 20.5 means 20.5 %."""
    earned: tuple[AssetEarnings, ...] = ()
    """By us on the day asked about."""


@dataclass(frozen=True, slots=True)
class Earnings:
    """What one day brought in one asset: in one market, or in all of them together."""

    day: date
    maker: Address
    paid: AssetEarnings
    condition_id: ConditionId | None = None
    """None for the sum of all markets."""


@dataclass(frozen=True, slots=True)
class Rebate:
    """Part of the takers' fees that one day's fills as a maker brought back."""

    day: date
    condition_id: ConditionId
    asset: Address
    maker: Address
    amount: Micros
    """Dollars."""
