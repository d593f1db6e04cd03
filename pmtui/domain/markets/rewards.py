"""Liquidity rewards and maker rebates: the venue's payments for resting orders, by day and market."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.domain.markets.market import RewardTerms
from pmtui.domain.money import ONE, ZERO, Micros, notional_floor


@dataclass(frozen=True, slots=True)
class RewardBand:
    """The price range in which a resting order earns rewards now, and its minimum size."""

    low: Micros
    high: Micros
    """Upper end; orders at either end score nothing."""
    min_size: Micros

    def holds(self, price: Micros) -> bool:
        """Whether a price is close enough to the midpoint."""
        return self.low < price < self.high

    def takes(self, price: Micros, size: Micros) -> bool:
        """Whether an order is close enough and large enough."""
        return self.holds(price) and size >= self.min_size


def reward_band(terms: RewardTerms | None, midpoint: Micros | None) -> RewardBand | None:
    """Return the band around a midpoint; None without rewards or without a midpoint.

    The venue leaves tiny orders out of its own midpoint and does not publish how: if the best
    orders are tiny, only its answer to whether an order scores is reliable.
    """
    if terms is None or midpoint is None or terms.max_spread <= 0:
        return None
    low, high = midpoint - terms.max_spread, midpoint + terms.max_spread
    return RewardBand(Micros(max(0, low)), Micros(min(ONE, high)), terms.min_size)


@dataclass(frozen=True, slots=True)
class RewardProgram:
    """A reward pot that is paid out daily to the scoring orders in a market."""

    asset: Address
    rate_per_day: Micros
    """Units of the asset."""
    starts_on: date | None = None
    ends_on: date | None = None
    """Far in the future if it has no end."""
    total: Micros | None = None
    remaining: Micros | None = None
    total_days: int | None = None


@dataclass(frozen=True, slots=True)
class OutcomePrice:
    """A token of a rewarded market and its price according to the rewards list."""

    token_id: TokenId
    label: str
    """Untrusted text."""
    price: Micros | None


@dataclass(frozen=True, slots=True)
class AssetEarnings:
    """Earnings in one asset, and the value of one unit of it."""

    asset: Address
    earnings: Micros
    asset_rate: Micros
    """Dollars for one unit."""


@dataclass(frozen=True, slots=True)
class RewardedMarket:
    """A market with rewards. Fields that a list omits are None or empty; texts are untrusted."""

    condition_id: ConditionId
    terms: RewardTerms
    """The conditions for an order to score."""
    programs: tuple[RewardProgram, ...]
    question: str = ""
    slug: str = ""
    event_slug: str = ""
    outcomes: tuple[OutcomePrice, ...] = ()
    competitiveness: Micros | None = None
    """The venue's own measure of how many orders score there already."""
    daily_rate: Micros | None = None
    """Total dollars per day, if the list contains the sum."""
    sponsored_rate: Micros | None = None
    """The part of it that is paid by sponsors other than the venue."""
    spread: Micros | None = None
    volume_24h: Micros | None = None
    earning_percent: Micros | None = None
    """Our share of current payouts: 20.5 means 20.5 %."""
    earned: tuple[AssetEarnings, ...] = ()
    """Our earnings on the requested day."""


@dataclass(frozen=True, slots=True)
class Earnings:
    """The earnings of one day in one asset: in one market, or in all of them together."""

    day: date
    maker: Address
    paid: AssetEarnings
    condition_id: ConditionId | None = None
    """None for the sum over all markets."""


@dataclass(frozen=True, slots=True)
class Rebate:
    """The part of takers' fees that is returned for one day's maker fills."""

    day: date
    condition_id: ConditionId
    asset: Address
    maker: Address
    amount: Micros
    """Dollars."""


@dataclass(frozen=True, slots=True)
class Earned:
    """The earnings of one market on one day (UTC), in dollars."""

    day: date
    condition_id: ConditionId
    reward: Micros = ZERO
    """For orders that rested near the midpoint; today's is not paid out yet."""
    rebate: Micros = ZERO
    """Part of the fees of those who traded with our orders."""
    percent: Micros | None = None
    """Our share of the market's current payouts: 20.5 means 20.5 %. None on any day but today."""

    @property
    def total(self) -> Micros:
        """Reward and rebate together."""
        return Micros(self.reward + self.rebate)


def earned_on(
    day: date,
    earnings: Iterable[Earnings],
    rebates: Iterable[Rebate],
    percents: Mapping[ConditionId, Micros] | None = None,
) -> tuple[Earned, ...]:
    """Return a day's markets by earnings, largest first; several assets are summed in dollars.

    Rows of another day and sums over all markets are left out, as are markets that earned nothing.

    Args:
        day: of the replies, in UTC.
        earnings: each market's payment for resting orders, in units of its asset.
        rebates: each market's refund of fees, in dollars.
        percents: our share of current payouts, only for today.
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
