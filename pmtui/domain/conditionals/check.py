"""What is typed to protect a position: read into a plan, and checked against the market.

Problems stand beside their entries; what can be watched over says what its sales would bring.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pmtui.domain.account.position import Stake
from pmtui.domain.conditionals.conditional import (
    DEFAULT_GIVE_WAY,
    Attachment,
    Conditional,
    ConditionalPlan,
)
from pmtui.domain.formats import count_shares, format_cents, format_shares, parse_cents, parse_size
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.fees import taker_fee
from pmtui.domain.markets.market import FeeSchedule
from pmtui.domain.money import ONE, ZERO, Micros, notional_floor
from pmtui.domain.orders.amounts import is_on_tick, nearest_price, size_floor


class PlanField(StrEnum):
    """Where a problem is shown."""

    STOP = "stop"
    GIVE_WAY = "slippage"
    TAKE_PROFIT = "target"
    SIZE = "size"
    TRAIL = "trail"


@dataclass(frozen=True, slots=True)
class PlanProblem:
    """Why a plan cannot be watched over, short enough to stand beside its entry."""

    field: PlanField
    text: str

    @property
    def sentence(self) -> str:
        """The same where no entry stands beside it."""
        return f"The {self.field.value}: {self.text[0].lower()}{self.text[1:]}"


@dataclass(frozen=True, slots=True)
class SaleEnd:
    """What selling all of a plan at one price would bring."""

    name: str
    price: Micros
    cash: Micros
    """After the taker fee."""
    profit: Micros | None
    """Net of every fee, on what the shares cost; None where that is not known."""


def check_plan(
    plan: ConditionalPlan,
    *,
    held: Micros,
    bid: Micros | None,
    tick: Micros,
    others: Sequence[Conditional] = (),
) -> tuple[PlanProblem, ...]:
    """Return why a plan cannot be watched over; empty when it can.

    Args:
        plan: what was asked for.
        held: shares of the token.
        bid: the best bid of others now; None where nobody bids, or nobody knows.
        tick: of the market.
        others: active ones of the same token.
    """
    problems: list[PlanProblem] = []
    if plan.stop is None and plan.take_profit is None and plan.trail is None:
        text = "Enter a stop, a target, or both"
        problems.append(PlanProblem(PlanField.STOP, text))
    for field, price in ((PlanField.STOP, plan.stop), (PlanField.TAKE_PROFIT, plan.take_profit)):
        if price is not None and not is_on_tick(price, tick):
            text = f"{format_cents(nearest_price(price, tick))}¢ is the nearest price"
            problems.append(PlanProblem(field, text))
    problems += _order_problems(plan, bid)
    problems += _give_way_problems(plan, tick)
    problems += _trail_problems(plan, bid, tick)
    if text := _why_not_size(plan, held, others):
        problems.append(PlanProblem(PlanField.SIZE, text))
    return tuple(problems)


def check_attachment(
    attachment: Attachment, *, price: Micros, bid: Micros | None, tick: Micros,
    others: Sequence[Conditional] = (),
) -> tuple[PlanProblem, ...]:  # fmt: skip
    """Return why a stop and a target cannot come with a purchase; empty when they can.

    Args:
        attachment: what was asked for.
        price: the worst that the purchase may pay. It fills where the market comes down to that, so
            the stop must lie below it.
        bid: the best bid of others now; None where nobody bids, or nobody knows.
        tick: of the market.
        others: active ones of the same token.
    """
    plan = ConditionalPlan(
        ConditionId(""), TokenId(""), ONE, attachment.stop, attachment.take_profit,
        attachment.give_way,
    )  # fmt: skip
    stop, profit = attachment.stop, attachment.take_profit
    lowest, highest = (price, price) if bid is None else (min(price, bid), max(price, bid))
    problems = list(check_plan(plan, held=ONE, bid=None, tick=tick))
    if stop is not None and stop >= lowest:
        text = f"Must be below {format_cents(lowest)}¢, else it triggers now"
        problems.append(PlanProblem(PlanField.STOP, text))
    if profit is not None and profit <= highest:
        text = f"Must be above {format_cents(highest)}¢, else it triggers now"
        problems.append(PlanProblem(PlanField.TAKE_PROFIT, text))
    if any(each.is_all for each in others):
        text = "The whole position has a stop or target already: leave it empty"
        problems.append(PlanProblem(PlanField.STOP, text))
    return tuple(problems)


def _why_not_size(plan: ConditionalPlan, held: Micros, others: Sequence[Conditional]) -> str:
    """Say why there are not enough shares; two never speak for the same ones."""
    taken = Micros(sum(each.size for each in others if not each.is_all))
    if any(each.is_all for each in others):
        return "The whole position has one already: cancel that first"
    if plan.is_all and others:
        return (
            f"{count_shares(taken)} have one already: cancel that first"
            if taken
            else ("A working order brings its own: cancel that first")
        )
    if size_floor(plan.size) <= 0:
        return "Enter a size in shares, or all"
    if plan.size > held:
        return f"Position: {count_shares(held)}"
    if plan.size + taken > held:
        free = Micros(max(held - taken, 0))
        return f"{format_shares(taken)} of {format_shares(held)} have one already: {format_shares(free)} left"
    return ""


def ends_of(plan: ConditionalPlan, *, stake: Stake | None, fee: FeeSchedule) -> tuple[SaleEnd, ...]:
    """Return what a plan would bring at the prices at which it may sell.

    Args:
        plan: one that can be watched over.
        stake: what is held and what it cost; None where that is not known.
        fee: of the market, for whoever takes.
    """
    named: list[tuple[str, Micros]] = []
    if plan.stop is not None:
        named.append(("At the stop", plan.stop))
        if plan.give_way:
            named.append(("At worst", Micros(plan.stop - plan.give_way)))
    if plan.take_profit is not None:
        named.append(("At the target", plan.take_profit))
    part = _part(stake, plan.size)
    return tuple(
        SaleEnd(
            name,
            price,
            cash=Micros(notional_floor(price, plan.size) - taker_fee(plan.size, price, fee)),
            profit=part.profit_at(price) if part is not None else None,
        )
        for name, price in named
    )


def _part(stake: Stake | None, size: Micros) -> Stake | None:
    if stake is None or not ZERO < size <= stake.size:
        return None
    fees = Micros(-(-stake.entry_fees * size // stake.size))
    return replace(stake, size=size, entry_fees=fees)


def _order_problems(plan: ConditionalPlan, bid: Micros | None) -> list[PlanProblem]:
    problems = []
    stop, profit = plan.stop, plan.take_profit
    if stop is not None and profit is not None and stop >= profit:
        problems.append(PlanProblem(PlanField.STOP, "The stop must be below the target"))
    if bid is None:
        return problems
    text = f"Bid {format_cents(bid)}¢: it would trigger now"
    if stop is not None and stop >= bid:
        problems.append(PlanProblem(PlanField.STOP, text))
    if profit is not None and profit <= bid:
        problems.append(PlanProblem(PlanField.TAKE_PROFIT, text))
    return problems


def _trail_problems(plan: ConditionalPlan, bid: Micros | None, tick: Micros) -> list[PlanProblem]:
    if plan.trail is None:
        return []
    if plan.trail < tick or plan.trail % tick:
        text = f"In steps of {format_cents(tick)}¢, at least one"
    elif bid is not None and plan.stop is None and plan.trail >= bid:
        text = f"Bid {format_cents(bid)}¢: must be less than that"
    else:
        return []
    return [PlanProblem(PlanField.TRAIL, text)]


def _give_way_problems(plan: ConditionalPlan, tick: Micros) -> list[PlanProblem]:
    if plan.give_way < ZERO:
        return [PlanProblem(PlanField.GIVE_WAY, "Slippage cannot be negative")]
    if plan.stop is None or not is_on_tick(plan.stop, tick) or plan.stop - plan.give_way >= tick:
        return []
    most = format_cents(Micros(plan.stop - tick))
    text = f"At most {most}: no price is below {format_cents(tick)}¢"
    return [PlanProblem(PlanField.GIVE_WAY, text)]


ALL = "all"


@dataclass(frozen=True, slots=True)
class ConditionalDraft:
    """The entries, as they stand: prices in cents, an empty one is not wanted."""

    stop_text: str = ""
    take_profit_text: str = ""
    give_way_text: str = format_cents(DEFAULT_GIVE_WAY)
    """Cents below the stop that its sale may fill at."""
    trail_text: str = ""
    """Cents below the highest best bid that the stop follows; empty for one that stays put."""
    size_text: str = ALL
    """Shares, or the word for the whole position, whatever that is when it fires."""


def read_attachment(
    stop_text: str, target_text: str, *, tick: Micros
) -> Attachment | PlanProblem | None:
    """Return what is to come with a purchase, None for nothing, or which text cannot be read."""
    prices: list[Micros | None] = []
    for field, text in ((PlanField.STOP, stop_text), (PlanField.TAKE_PROFIT, target_text)):
        price = parse_cents(text) if text.strip() else None
        if text.strip() and price is None:
            return PlanProblem(field, "Enter cents")
        prices.append(price)
    stop, target = prices
    if stop is None and target is None:
        return None
    # Near the lowest price there is less room to give way.
    most = max(stop - tick, 0) if stop is not None else DEFAULT_GIVE_WAY
    return Attachment(stop, target, Micros(min(DEFAULT_GIVE_WAY, most)))


def read_conditional(
    draft: ConditionalDraft, *, condition_id: ConditionId, token_id: TokenId, held: Micros
) -> ConditionalPlan | PlanProblem:
    """Return the plan, or which entry cannot be read."""
    prices: list[Micros | None] = []
    for field, text in (
        (PlanField.STOP, draft.stop_text),
        (PlanField.TAKE_PROFIT, draft.take_profit_text),
        (PlanField.GIVE_WAY, draft.give_way_text),
        (PlanField.TRAIL, draft.trail_text),
    ):
        price = parse_cents(text) if text.strip() else None
        if text.strip() and price is None:
            return PlanProblem(field, "Enter cents")
        prices.append(price)
    size_text = draft.size_text.strip().lower()
    is_all = size_text == ALL
    size = held if is_all else parse_size(size_text) if size_text else Micros(0)
    if size is None:
        return PlanProblem(PlanField.SIZE, "Enter shares, or all")
    stop, take_profit, give_way, trail = prices
    return ConditionalPlan(
        condition_id,
        token_id,
        size,
        stop,
        take_profit,
        give_way or Micros(0),
        is_all=is_all,
        trail=trail,
    )
