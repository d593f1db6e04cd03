"""Conditional orders: a stop, a take profit, or both as one-cancels-other.

The venue has none. The service monitors them, and they work only while it runs: anyone who needs more than that
must close the position or leave a resting order. A conditional order sells shares that are held, never more,
and never opens a position.

Both are compared with the best bid of others, as we cannot sell to our own bid. A stop fires when it is at the
stop price or below, a take profit when it is at its price or above. Either sells with a fill-and-kill limit
order (FAK): a stop with a limit at a stated distance below its price, a take profit at its own price. The
unsold rest keeps waiting.

One for the whole position ("all") covers the shares that are not paired with the other outcome when it fires:
to sell a share of a pair would open a short position. A stated size is sold as it was typed; the form warns
where it would reach into pairs.

The typed entries are parsed into a plan and checked against the market: problems are shown beside their
entries, and a valid plan shows the proceeds of its sales.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import NewType

from typing_extensions import override

from pmtui.domain.account.position import Stake
from pmtui.domain.formats import (
    count_shares,
    format_cents,
    format_shares,
    parse_cents,
    parse_size,
    with_cent_sign,
)
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.fees import taker_fee
from pmtui.domain.markets.market import FeeSchedule, Side
from pmtui.domain.money import ONE, ZERO, Micros, complement, notional_floor
from pmtui.domain.orders.amounts import is_on_tick, nearest_price, price_ceil, size_floor
from pmtui.domain.orders.order import LimitIntent, TimeInForce

ConditionalId = NewType("ConditionalId", str)
"""Our own id; the venue does not know it."""

DEFAULT_GIVE_WAY = Micros(50_000)
"""The default distance between stop price and its limit: five cents."""
GONE = "the venue says no shares are held any more"
"""The reason for pausing a conditional order whose shares are gone."""
PAIRED = "all its shares are in pairs with the other outcome"
"""The reason for pausing one for the whole position when no trade explains that nothing of it is left."""
UNFILLED = "its order ended without a fill"
UNDONE = "a trade of its sale FAILED on chain, the shares are back"


class Trigger(StrEnum):
    """Which of its two prices was reached."""

    STOP = "stop"
    TAKE_PROFIT = "target"


class ConditionalState(StrEnum):
    """The lifecycle state of a conditional order."""

    WATCHING = "watching"
    """The book is monitored, and it fires when a price is reached."""
    SELLING = "selling"
    """A sale is in progress; no other starts before its result is known."""
    CHECKING = "checking"
    """Its sale is unconfirmed: nothing else is sold meanwhile."""
    PAUSED = "paused"
    """Kept, but inactive until the trader resumes it."""
    DONE = "done"
    CANCELLED = "cancelled"

    @classmethod
    @override
    def _missing_(cls, value: object) -> "ConditionalState | None":
        """Map the name that older journals used for the paused state."""
        return cls.PAUSED if value == "at rest" else None

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self in (ConditionalState.DONE, ConditionalState.CANCELLED)

    @property
    def is_active(self) -> bool:
        """Whether it may sell by itself."""
        return not self.is_over and self is not ConditionalState.PAUSED


@dataclass(frozen=True, slots=True)
class CountedFills:
    """The fills counted for an order so far; trades may still fail on chain, and fills may arrive late."""

    order_id: OrderId
    size: Micros
    failed: Micros
    """Size of the trades that had failed by then; not part of `size`."""
    at: datetime


@dataclass(frozen=True, slots=True)
class ConditionalOrder:
    """A stop, a target or both, in its current state."""

    conditional_id: ConditionalId
    condition_id: ConditionId
    token_id: TokenId
    outcome: str
    title: str
    """The market's title; untrusted text of the venue."""
    size: Micros
    """Shares still to be sold; for the whole position, the size of its last sale."""
    stop: Micros | None
    take_profit: Micros | None
    give_way: Micros
    """How far below the stop price the sale may fill."""
    created_at: datetime
    state: ConditionalState = ConditionalState.WATCHING
    reason: str = ""
    """Why it is paused or how it ended."""
    tries: int = 0
    """Number of sales since the last one that sold something."""
    sale: OrderId | None = None
    """The order of its last sale, until its result is known."""
    counted: tuple[CountedFills, ...] = ()
    """Its sales whose trades may still fail."""
    is_all: bool = False
    """Whether it covers the whole position, whatever its size when it fires."""
    sources: tuple[CountedFills, ...] = ()
    """Purchases that it is attached to: it covers the shares bought by them so far."""
    trail: Micros | None = None
    """How far the stop trails the highest best bid of others; None for a fixed stop."""

    @property
    def is_waiting(self) -> bool:
        """Whether it is attached to orders that have bought nothing that is still held."""
        return bool(self.sources) and size_floor(self.size) <= 0

    @property
    def has_stop(self) -> bool:
        """Whether it has a stop, including a trailing one without a price yet."""
        return self.stop is not None or self.trail is not None


@dataclass(frozen=True, slots=True)
class Attachment:
    """A stop and a target that are attached to a purchase and cover the shares that it buys."""

    stop: Micros | None = None
    take_profit: Micros | None = None
    give_way: Micros = DEFAULT_GIVE_WAY


@dataclass(frozen=True, slots=True)
class ConditionalPlan:
    """A stop or target as requested by the trader."""

    condition_id: ConditionId
    token_id: TokenId
    size: Micros
    stop: Micros | None
    take_profit: Micros | None
    give_way: Micros = DEFAULT_GIVE_WAY
    is_all: bool = False
    """Whether it covers the whole position, including later changes in size."""
    trail: Micros | None = None
    """How far the stop trails the highest best bid of others; None for a fixed stop."""


def mirror_draft(draft: "ConditionalDraft") -> "ConditionalDraft":
    """Return a draft whose prices are of one outcome in prices of the other; other texts stay."""
    stop, profit = (_mirror(text) for text in (draft.stop_text, draft.take_profit_text))
    return replace(draft, stop_text=stop, take_profit_text=profit)


def _mirror(text: str) -> str:
    price = parse_cents(text) if text.strip() else None
    return text if price is None or not ZERO < price < ONE else format_cents(complement(price))


def plan_of(conditional: ConditionalOrder) -> ConditionalPlan:
    """Return the plan that matches a conditional order's current state."""
    each = conditional
    return ConditionalPlan(
        each.condition_id, each.token_id, each.size, each.stop, each.take_profit, each.give_way,
        is_all=each.is_all, trail=each.trail,
    )  # fmt: skip


def without(conditional: ConditionalOrder, trigger: Trigger) -> ConditionalOrder | None:
    """Return a pair without one of its prices; None if that was its only one."""
    if not conditional.has_stop or conditional.take_profit is None:
        return None
    if trigger is Trigger.STOP:
        return replace(conditional, stop=None, trail=None)
    return replace(conditional, take_profit=None)


def moved_to(
    conditional: ConditionalOrder, trigger: Trigger, price: Micros, *, tick: Micros
) -> ConditionalOrder:
    """Return the conditional order with another trigger price."""
    if trigger is Trigger.TAKE_PROFIT:
        return replace(conditional, take_profit=price, tries=0)
    # A stop close to the lowest price has less room for its limit.
    give_way = Micros(max(0, min(conditional.give_way, price - tick)))
    trail = conditional.trail
    if trail is not None and conditional.stop is not None:
        # The highest bid stays the same, so a new stop price means a new distance.
        trail = Micros(max(trail + conditional.stop - price, tick))
    return replace(conditional, stop=price, give_way=give_way, trail=trail, tries=0)


def raise_trailing_stop(
    conditional: ConditionalOrder, bid: Micros | None
) -> ConditionalOrder | None:
    """Return a trailing stop raised to follow the best bid of others; None if it is not raised."""
    each = conditional
    if each.trail is None or bid is None or each.state is not ConditionalState.WATCHING:
        return None
    stop = Micros(bid - each.trail)
    if stop <= 0 or (each.stop is not None and stop <= each.stop):
        return None
    return replace(each, stop=stop)


def reached_trigger(conditional: ConditionalOrder, bid: Micros | None) -> Trigger | None:
    """Return the price that the best bid of others has reached; None for neither, or without bids."""
    if bid is None or conditional.state is not ConditionalState.WATCHING or conditional.is_waiting:
        return None
    if conditional.stop is not None and bid <= conditional.stop:
        return Trigger.STOP
    if conditional.take_profit is not None and bid >= conditional.take_profit:
        return Trigger.TAKE_PROFIT
    return None


def worst_price(conditional: ConditionalOrder, trigger: Trigger, tick: Micros) -> Micros:
    """Return the lowest price that a sale may fill at, on the grid."""
    if trigger is Trigger.TAKE_PROFIT and conditional.take_profit is not None:
        return price_ceil(conditional.take_profit, tick)
    stop = conditional.stop if conditional.stop is not None else tick
    return price_ceil(Micros(stop - conditional.give_way), tick)


def sale_of(
    conditional: ConditionalOrder, trigger: Trigger, *, held: Micros, tick: Micros
) -> LimitIntent | None:
    """Return the order to send; None if nothing is held that could be sold."""
    size = size_floor(Micros(min(conditional.size, held)))
    if size <= 0:
        return None
    return LimitIntent(
        condition_id=conditional.condition_id,
        token_id=conditional.token_id,
        side=Side.SELL,
        price=worst_price(conditional, trigger, tick),
        size=size,
        time_in_force=TimeInForce.FAK,
    )


def after_sale(
    conditional: ConditionalOrder, sold: Micros, *, problem: str = ""
) -> ConditionalOrder:
    """Return the conditional order after a sale: done, or active for the rest, however often that failed.

    Args:
        conditional: as it was while selling; one that was paused meanwhile stays paused.
        sold: shares sold; zero if the sale was refused or found no buyer.
        problem: why nothing was sold, in words.
    """
    if conditional.state.is_over:
        return replace(conditional, sale=None)
    left = replace(conditional, size=Micros(max(conditional.size - sold, 0)), sale=None)
    if size_floor(left.size) <= 0:
        return replace(left, state=ConditionalState.DONE, reason="sold", tries=0)
    if left.state is ConditionalState.PAUSED:
        return left
    tries = 0 if sold > 0 else conditional.tries + 1
    return replace(left, state=ConditionalState.WATCHING, reason=problem, tries=tries)


def paused(conditional: ConditionalOrder, reason: str) -> ConditionalOrder:
    """Return the conditional order paused until it is resumed."""
    if conditional.state.is_over:
        return conditional
    return replace(conditional, state=ConditionalState.PAUSED, reason=reason, tries=0)


@dataclass(frozen=True, slots=True)
class Recount:
    """Changes in sales that were counted earlier."""

    conditional: ConditionalOrder
    back: Micros
    """Shares returned because trades failed on chain."""
    late: Micros
    """Shares that were sold but not counted at the time."""


def recount(
    conditional: ConditionalOrder,
    *,
    matched: Callable[[OrderId], Micros],
    failed: Callable[[OrderId], Micros],
) -> Recount | None:
    """Return a conditional order with its earlier sales counted again; None if nothing changed.

    Returned shares are protected again at once: a conditional order that had sold them all is
    active again, and so is one that was paused because they were gone. One that the trader paused
    stays paused, and one that the trader cancelled stays cancelled.

    Args:
        conditional: in its current state.
        matched: returns the known matched size of an order, without failed trades.
        failed: returns the size of an order matched by trades that failed on chain.
    """
    counted, back, late = _count_anew(conditional.counted, matched, failed)
    anew = replace(conditional, counted=counted)
    if not back and not late:
        return None if anew == conditional else Recount(anew, Micros(0), Micros(0))
    size = Micros(max(0, conditional.size + back - late))
    return Recount(_with_size(anew, size), Micros(back), Micros(late))


def follow_purchases(
    conditional: ConditionalOrder,
    *,
    matched: Callable[[OrderId], Micros],
    failed: Callable[[OrderId], Micros],
    is_open: Callable[[OrderId], bool],
) -> ConditionalOrder | None:
    """Return the conditional order sized to the shares that its purchases have bought; None if unchanged.

    Args:
        conditional: in its current state.
        matched: returns the known matched size of an order, without failed trades.
        failed: returns the size of an order matched by trades that failed on chain.
        is_open: whether an order may still fill.
    """
    if not conditional.sources:
        return None
    sources, lost, gained = _count_anew(conditional.sources, matched, failed)
    size = Micros(max(0, conditional.size + gained - lost))
    each = replace(conditional, sources=sources, size=size)
    state = each.state
    if gained and not each.is_waiting and (state is ConditionalState.DONE or each.reason == GONE):
        each = replace(each, state=ConditionalState.WATCHING, reason="")
    elif (
        state is ConditionalState.WATCHING
        and each.is_waiting
        and each.sale is None
        and not any(is_open(source.order_id) for source in sources)
    ):
        reason = "sold" if any(source.size for source in sources) else UNFILLED
        each = replace(each, state=ConditionalState.DONE, reason=reason)
    return each if each != conditional else None


def _count_anew(
    counted: Sequence[CountedFills],
    matched: Callable[[OrderId], Micros],
    failed: Callable[[OrderId], Micros],
) -> tuple[tuple[CountedFills, ...], int, int]:
    """Return the orders with their current fills, with the sizes that failed and that arrived since."""
    anew, undone, unheard = [], 0, 0
    for each in counted:
        lost = max(0, min(failed(each.order_id) - each.failed, each.size))
        new = max(0, matched(each.order_id) - (each.size - lost))
        undone, unheard = undone + lost, unheard + new
        size, most_failed = Micros(each.size - lost + new), max(each.failed, failed(each.order_id))
        anew.append(replace(each, size=size, failed=most_failed))
    # A trade first reported as failed was never counted, so it appears in both.
    both = min(undone, unheard)
    return tuple(anew), undone - both, unheard - both


def _with_size(conditional: ConditionalOrder, size: Micros) -> ConditionalOrder:
    """Return the conditional order with a new size to sell, active or done accordingly."""
    state, reason = conditional.state, conditional.reason
    if state is ConditionalState.CANCELLED:
        return conditional
    is_back = size > conditional.size
    if is_back and (state is ConditionalState.DONE or reason in (GONE, PAIRED)):
        state, reason = ConditionalState.WATCHING, UNDONE
    elif state is ConditionalState.WATCHING and size_floor(size) <= 0:
        state, reason = ConditionalState.DONE, "sold"
    return replace(conditional, size=size, state=state, reason=reason, tries=0)


def describe_conditional(conditional: ConditionalOrder) -> str:
    """Describe it in one line: `SELL 100 Yes, stop 40¢ (limit 35¢), target 80¢ (OCO)`."""
    each = conditional
    # An order attached to a purchase has no size before that fills.
    size = "all" if each.is_all else "" if each.is_waiting else format_shares(each.size)
    return _describe(size, each.outcome, plan_of(each))


def describe_plan(plan: ConditionalPlan, outcome: str) -> str:
    """Describe a plan in the words of the list of conditional orders, with the size that `all` is now."""
    size = format_shares(plan.size)
    return _describe(f"all {size}" if plan.is_all else size, outcome, plan)


def describe_attachment(attachment: Attachment) -> str:
    """Describe the orders attached to a purchase: `stop 38¢ (limit 33¢), target 42¢`."""
    parts, stop = [], attachment.stop
    if stop is not None:
        parts.append(_describe_stop(stop, attachment.give_way))
    if attachment.take_profit is not None:
        parts.append(f"target {with_cent_sign(attachment.take_profit)}")
    return ", ".join(parts)


def _describe(size: str, outcome: str, plan: ConditionalPlan) -> str:
    parts = []
    if plan.stop is not None:
        parts.append(_describe_stop(plan.stop, plan.give_way))
    if plan.trail is not None:
        parts.append(f"trail {with_cent_sign(plan.trail)}")
    if plan.take_profit is not None:
        parts.append(f"target {with_cent_sign(plan.take_profit)}")
    both = " (OCO)" if len(parts) > 1 and plan.take_profit is not None else ""
    what = f"{size} {outcome}".lstrip()
    return f"SELL {what}, {', '.join(parts)}{both}"


def _describe_stop(stop: Micros, give_way: Micros) -> str:
    lowest = with_cent_sign(Micros(max(stop - give_way, 0)))
    return f"stop {with_cent_sign(stop)} (limit {lowest})"


class PlanField(StrEnum):
    """The entry that a problem is shown beside."""

    STOP = "stop"
    GIVE_WAY = "slippage"
    TAKE_PROFIT = "target"
    SIZE = "size"
    TRAIL = "trail"


@dataclass(frozen=True, slots=True)
class PlanProblem:
    """Why a plan is not possible, short enough to stand beside its entry."""

    field: PlanField
    text: str

    @property
    def sentence(self) -> str:
        """The problem as a sentence, for places without an entry."""
        return f"The {self.field.value}: {self.text[0].lower()}{self.text[1:]}"


@dataclass(frozen=True, slots=True)
class SaleEnd:
    """The proceeds of selling all of a plan's shares at one price."""

    name: str
    price: Micros
    cash: Micros
    """After the taker fee."""
    profit: Micros | None
    """Net of all fees and of the cost of the shares; None if that cost is unknown."""


def check_plan(
    plan: ConditionalPlan,
    *,
    held: Micros,
    bid: Micros | None,
    tick: Micros,
    others: Sequence[ConditionalOrder] = (),
    of_other: Micros = ZERO,
) -> tuple[PlanProblem, ...]:
    """Return why a plan is not possible; empty if it is.

    Args:
        plan: the requested plan.
        held: shares of the token.
        of_other: shares of the market's other outcome.
        bid: the best bid of others now; None if there is none, or it is unknown.
        tick: tick size of the market.
        others: active conditional orders of the same token.
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
    if text := _why_not_size(plan, held, others, of_other):
        problems.append(PlanProblem(PlanField.SIZE, text))
    return tuple(problems)


def check_attachment(
    attachment: Attachment, *, price: Micros, bid: Micros | None, tick: Micros,
    others: Sequence[ConditionalOrder] = (),
) -> tuple[PlanProblem, ...]:  # fmt: skip
    """Return why a stop and a target cannot be attached to a purchase; empty if they can.

    Both begin with its fills. A bid above its price is gone by then: the purchase rests, and nobody sells
    to it while others pay more. So a target is compared with the price alone. If bids are back above the
    target at once, it sells there, and at a gain. A bid below the price is still there after the fill: the
    stop must lie below both.

    Args:
        attachment: what was asked for.
        price: the worst that the purchase may pay.
        bid: the best bid of others now; None where nobody bids, or nobody knows.
        tick: of the market.
        others: active ones of the same token.
    """
    plan = ConditionalPlan(
        ConditionId(""), TokenId(""), ONE, attachment.stop, attachment.take_profit,
        attachment.give_way,
    )  # fmt: skip
    stop, profit = attachment.stop, attachment.take_profit
    lowest = price if bid is None else min(price, bid)
    problems = list(check_plan(plan, held=ONE, bid=None, tick=tick))
    if stop is not None and stop >= lowest:
        text = f"Must be below {format_cents(lowest)}¢, else it triggers on the fill"
        problems.append(PlanProblem(PlanField.STOP, text))
    if profit is not None and profit <= price:
        text = f"Must be above {format_cents(price)}¢, else it triggers on the fill"
        problems.append(PlanProblem(PlanField.TAKE_PROFIT, text))
    if any(each.is_all for each in others):
        text = "The whole position has a stop or target already: leave it empty"
        problems.append(PlanProblem(PlanField.STOP, text))
    return tuple(problems)


def shares_short(
    plan: ConditionalPlan,
    *,
    held: Micros,
    of_other: Micros,
    others: Sequence[ConditionalOrder] = (),
) -> Micros:
    """Return how many shares of pairs a plan with a stated size sells: it leaves one short by as many.

    Args:
        plan: the requested plan.
        held: shares of the token.
        of_other: shares of the market's other outcome.
        others: active conditional orders of the same token, which sell the shares that are not paired, too.
    """
    if plan.is_all or not of_other:
        return ZERO
    taken = sum(each.size for each in others if not each.is_all)
    free = max(held - of_other - taken, 0)
    return Micros(min(max(plan.size - free, 0), of_other))


def _why_not_size(
    plan: ConditionalPlan, held: Micros, others: Sequence[ConditionalOrder], of_other: Micros
) -> str:
    """Return why there are not enough shares; two orders never cover the same ones."""
    taken = Micros(sum(each.size for each in others if not each.is_all))
    if any(each.is_all for each in others):
        return "The whole position has one already: cancel that first"
    if plan.is_all and others:
        return (
            f"{count_shares(taken)} have one already: cancel that first"
            if taken
            else ("A working order brings its own: cancel that first")
        )
    if plan.is_all and size_floor(held) > 0:
        is_flat = size_floor(Micros(max(held - of_other, 0))) <= 0
        return f"All {format_shares(held)} are in pairs" if is_flat else ""
    if plan.size > held:
        return f"Position: {count_shares(held if size_floor(held) > 0 else ZERO)}"
    if taken and size_floor(Micros(max(held - taken, 0))) <= 0:
        return f"{count_shares(taken)} have one already: cancel that first"
    if size_floor(plan.size) <= 0:
        return "Enter a size in shares, or all"
    if plan.size + taken > held:
        free = Micros(max(held - taken, 0))
        return f"{format_shares(taken)} of {format_shares(held)} have one already: {format_shares(free)} left"
    return ""


def ends_of(plan: ConditionalPlan, *, stake: Stake | None, fee: FeeSchedule) -> tuple[SaleEnd, ...]:
    """Return the proceeds of a plan at each price at which it may sell.

    Args:
        plan: a valid plan.
        stake: the net holding and its cost; None if unknown.
        fee: the market's taker fee.
    """
    named: list[tuple[str, Micros]] = []
    if plan.stop is not None:
        named.append(("At the stop", plan.stop))
        if plan.give_way:
            named.append(("At the limit", Micros(plan.stop - plan.give_way)))
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
    return stake.part(size)


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
_USUAL = format_cents(DEFAULT_GIVE_WAY)


@dataclass(frozen=True, slots=True)
class ConditionalDraft:
    """The current texts of the entries: prices in cents; an empty one is not wanted."""

    stop_text: str = ""
    take_profit_text: str = ""
    give_way_text: str = _USUAL
    """Cents below the stop at which its sale may fill."""
    trail_text: str = ""
    """Cents between the highest best bid and the stop that trails it; empty for a fixed stop."""
    size_text: str = ALL
    """Shares, or the word for the whole position at the time it fires."""


def read_attachment(
    stop_text: str, target_text: str, *, tick: Micros
) -> Attachment | PlanProblem | None:
    """Return what to attach to a purchase, None for nothing, or which text cannot be parsed."""
    prices: list[Micros | None] = []
    for field, text in ((PlanField.STOP, stop_text), (PlanField.TAKE_PROFIT, target_text)):
        price = parse_cents(text) if text.strip() else None
        if text.strip() and price is None:
            return PlanProblem(field, "Enter cents")
        prices.append(price)
    stop, target = prices
    if stop is None and target is None:
        return None
    return Attachment(stop, target, _usual_give_way(stop, tick))


def _usual_give_way(stop: Micros | None, tick: Micros) -> Micros:
    """Return how far below a stop its limit usually is: near the lowest price there is less room."""
    most = max(stop - tick, 0) if stop is not None else DEFAULT_GIVE_WAY
    return Micros(min(DEFAULT_GIVE_WAY, most))


def read_conditional(
    draft: ConditionalDraft,
    *,
    condition_id: ConditionId,
    token_id: TokenId,
    unpaired: Micros,
    tick: Micros,
) -> ConditionalPlan | tuple[PlanProblem, ...]:
    """Return the plan, or the entries that cannot be parsed; `all` is the shares that are not paired."""
    prices: list[Micros | None] = []
    problems: list[PlanProblem] = []
    for field, text in (
        (PlanField.STOP, draft.stop_text),
        (PlanField.TAKE_PROFIT, draft.take_profit_text),
        (PlanField.GIVE_WAY, draft.give_way_text),
        (PlanField.TRAIL, draft.trail_text),
    ):
        price = parse_cents(text) if text.strip() else None
        if text.strip() and price is None:
            problems.append(PlanProblem(field, "Enter cents"))
        prices.append(price)
    size_text = draft.size_text.strip().lower()
    is_all = size_text == ALL
    size = unpaired if is_all else parse_size(size_text) if size_text else Micros(0)
    if size is None:
        problems.append(PlanProblem(PlanField.SIZE, "Enter shares, or all"))
    if size is None or problems:
        return tuple(problems)
    stop, take_profit, give_way, trail = prices
    if draft.give_way_text == _USUAL:
        # Nobody has asked for more than there is room for.
        give_way = _usual_give_way(stop, tick)
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
