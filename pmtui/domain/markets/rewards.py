"""Liquidity rewards and maker rebates: what the venue pays for resting orders, by day and market."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.domain.markets.market import RewardTerms
from pmtui.domain.money import ONE, ZERO, Micros, notional_floor


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

    The venue leaves tiny orders out of its own middle and does not publish how: where the best
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
    """How much scores there already; the venue's own measure."""
    daily_rate: Micros | None = None
    """Dollars a day in all, where the list adds it up."""
    sponsored_rate: Micros | None = None
    """The part of it that others than the venue pay."""
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


@dataclass(frozen=True, slots=True)
class Earned:
    """What one market brought on one day (UTC), in dollars."""

    day: date
    condition_id: ConditionId
    reward: Micros = ZERO
    """For orders that rested near the middle; what today brings is not paid out yet."""
    rebate: Micros = ZERO
    """Part of the fees of those who took our orders."""
    percent: Micros | None = None
    """Our part of what the market pays out now: 20.5 means 20.5 %. None on any day but today."""

    @property
    def total(self) -> Micros:
        """Both together."""
        return Micros(self.reward + self.rebate)


def earned_on(
    day: date,
    earnings: Iterable[Earnings],
    rebates: Iterable[Rebate],
    percents: Mapping[ConditionId, Micros] | None = None,
) -> tuple[Earned, ...]:
    """Return a day's markets, what brought most first; several assets become one sum of dollars.

    Rows of another day and sums over all markets are left out, as is what came to nothing.

    Args:
        day: of the answers, in UTC.
        earnings: what each market paid for resting orders, in units of its asset.
        rebates: what each market gave back of fees, in dollars.
        percents: our part of what is paid out now, only for today.
    """
    rewards: dict[ConditionId, Micros] = {}
    for one in earnings:
        if one.day == day and one.condition_id is not None:
            worth = notional_floor(one.paid.asset_rate, one.paid.earnings)
            rewards[one.condition_id] = Micros(rewards.get(one.condition_id, ZERO) + worth)
    given_back: dict[ConditionId, Micros] = {}
    for each in rebates:
        if each.day == day:
            before = given_back.get(each.condition_id, ZERO)
            given_back[each.condition_id] = Micros(before + each.amount)
    now = percents or {}
    rows = (
        Earned(
            day,
            condition_id,
            rewards.get(condition_id, ZERO),
            given_back.get(condition_id, ZERO),
            now.get(condition_id),
        )
        for condition_id in rewards.keys() | given_back.keys() | now.keys()
    )
    kept = [row for row in rows if row.total or row.percent]
    return tuple(sorted(kept, key=lambda row: (-row.total, -(row.percent or 0), row.condition_id)))
