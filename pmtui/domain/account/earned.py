"""What resting orders brought, by day and market: rewards for resting, rebates for being taken."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.rewards import Earnings, Rebate
from pmtui.domain.money import ZERO, Micros, notional_floor


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
