"""Conditional orders: a stop, a take profit, or both of which one cancels the other.

The venue has none. They are watched over by the service and live only while it runs: whoever needs
more than that must close the position or leave a resting order. One of these sells shares that are
held, never more, and never opens anything.

Both are compared with the best bid of others: a bid of our own is nobody to sell to. A stop fires
when it is at the stop price or below, a take profit when it is at its price or above. Either sells with a limit that
fills and is killed (FAK): a stop at a worst price that lies a stated way below it, a take profit at its own
price. What is left of a sale waits on.

What is typed to protect a position is read into a plan and checked against the market: problems stand beside their
entries, and what can be watched over says what its sales would bring.
"""

from collections.abc import Callable, Iterable, Sequence
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
from pmtui.domain.money import ONE, ZERO, Micros, notional_floor
from pmtui.domain.orders.amounts import is_on_tick, nearest_price, price_ceil, size_floor
from pmtui.domain.orders.order import LimitIntent, TimeInForce

ConditionalId = NewType("ConditionalId", str)
"""Ours alone; the venue never hears of it."""

DEFAULT_GIVE_WAY = Micros(50_000)
"""How far below its stop price a stop may sell unless told otherwise: five cents."""
GONE = "the venue says no shares are held any more"
"""Why one is paused whose shares are gone."""
UNFILLED = "its order ended without a fill"
UNDONE = "a trade of its sale FAILED on chain, the shares are back"


class Trigger(StrEnum):
    """Which of its two prices was reached."""

    STOP = "stop"
    TAKE_PROFIT = "target"


class ConditionalState(StrEnum):
    """Where a conditional order is in its life."""

    WATCHING = "watching"
    """The book is watched, and it fires when a price is reached."""
    SELLING = "selling"
    """A sale is under way; no other starts before its end is known."""
    CHECKING = "checking"
    """Its sale is unconfirmed: nothing else is sold meanwhile."""
    PAUSED = "paused"
    """Kept, but inactive until the trader starts it again."""
    DONE = "done"
    CANCELLED = "cancelled"

    @classmethod
    @override
    def _missing_(cls, value: object) -> "ConditionalState | None":
        """Read what journals of earlier versions called a paused one."""
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
class Conditional:
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
    """Sales since the last one that sold something."""
    sale: OrderId | None = None
    """The order of its last sale, until it is known what that sold."""
    counted: tuple[CountedFills, ...] = ()
    """Its sales whose trades may still fail."""
    is_all: bool = False
    """Whether it covers the whole position, whatever its size when it fires."""
    sources: tuple[CountedFills, ...] = ()
    """Purchases that it was attached to: it covers the shares that they have bought so far."""
    trail: Micros | None = None
    """How far the stop trails the highest best bid of others; None for a fixed stop."""

    @property
    def is_waiting(self) -> bool:
        """Whether it is attached to orders that have bought nothing that is still held."""
        return bool(self.sources) and size_floor(self.size) <= 0

    @property
    def has_stop(self) -> bool:
        """Whether it has a stop, also a trailing one without a price yet."""
        return self.stop is not None or self.trail is not None


@dataclass(frozen=True, slots=True)
class Attachment:
    """A stop and a target that are attached to a purchase and cover the shares that it buys."""

    stop: Micros | None = None
    take_profit: Micros | None = None
    give_way: Micros = DEFAULT_GIVE_WAY


@dataclass(frozen=True, slots=True)
class ConditionalPlan:
    """A stop or target as the trader asks for it."""

    condition_id: ConditionId
    token_id: TokenId
    size: Micros
    stop: Micros | None
    take_profit: Micros | None
    give_way: Micros = DEFAULT_GIVE_WAY
    is_all: bool = False
    """Whether it is for the whole position, as that grows and shrinks."""
    trail: Micros | None = None
    """How far the stop trails the highest best bid of others; None for a fixed stop."""


def plan_of(conditional: Conditional) -> ConditionalPlan:
    """Return the plan of a conditional order in its current state."""
    each = conditional
    return ConditionalPlan(
        each.condition_id, each.token_id, each.size, each.stop, each.take_profit, each.give_way,
        is_all=each.is_all, trail=each.trail,
    )  # fmt: skip


def without(conditional: Conditional, trigger: Trigger) -> Conditional | None:
    """Return a pair without one of its prices; None where that was its only one."""
    if not conditional.has_stop or conditional.take_profit is None:
        return None
    if trigger is Trigger.STOP:
        return replace(conditional, stop=None, trail=None)
    return replace(conditional, take_profit=None)


def moved_to(
    conditional: Conditional, trigger: Trigger, price: Micros, *, tick: Micros
) -> Conditional:
    """Return it with another trigger price."""
    if trigger is Trigger.TAKE_PROFIT:
        return replace(conditional, take_profit=price, tries=0)
    # A stop that comes near to the lowest price has less room to give way.
    give_way = Micros(max(0, min(conditional.give_way, price - tick)))
    trail = conditional.trail
    if trail is not None and conditional.stop is not None:
        # From the same highest bid, it follows at another distance.
        trail = Micros(max(trail + conditional.stop - price, tick))
    return replace(conditional, stop=price, give_way=give_way, trail=trail, tries=0)


def raise_trailing_stop(conditional: Conditional, bid: Micros | None) -> Conditional | None:
    """Return a trailing stop raised to follow the best bid of others; None if it is not raised."""
    each = conditional
    if each.trail is None or bid is None or each.state is not ConditionalState.WATCHING:
        return None
    stop = Micros(bid - each.trail)
    if stop <= 0 or (each.stop is not None and stop <= each.stop):
        return None
    return replace(each, stop=stop)


def reached_trigger(conditional: Conditional, bid: Micros | None) -> Trigger | None:
    """Return which price the best bid of others has reached; None for neither, or without bids."""
    if bid is None or conditional.state is not ConditionalState.WATCHING or conditional.is_waiting:
        return None
    if conditional.stop is not None and bid <= conditional.stop:
        return Trigger.STOP
    if conditional.take_profit is not None and bid >= conditional.take_profit:
        return Trigger.TAKE_PROFIT
    return None


def worst_price(conditional: Conditional, trigger: Trigger, tick: Micros) -> Micros:
    """Return the lowest price that a sale may fill at, on the grid."""
    if trigger is Trigger.TAKE_PROFIT and conditional.take_profit is not None:
        return price_ceil(conditional.take_profit, tick)
    stop = conditional.stop if conditional.stop is not None else tick
    return price_ceil(Micros(stop - conditional.give_way), tick)


def allot(conditionals: Iterable[Conditional], held: Micros) -> dict[ConditionalId, Micros]:
    """Return how many of the shares held each active one speaks for; never more than all of them.

    Stated sizes come first, the oldest of them before the others; one for the whole position has
    what is left.
    """
    left = max(held, 0)
    shares: dict[ConditionalId, Micros] = {}
    active = (each for each in conditionals if each.state.is_active)
    for each in sorted(active, key=lambda each: (each.is_all, each.created_at)):
        shares[each.conditional_id] = Micros(left if each.is_all else min(each.size, left))
        left -= shares[each.conditional_id]
    return shares


def unprotected(conditionals: Sequence[Conditional], held: Micros) -> Micros | None:
    """Return how many shares no active stop speaks for; None where there is no stop at all."""
    stops = {each.conditional_id for each in conditionals if each.has_stop}
    if not stops:
        return None
    allotted = allot(conditionals, held)
    return Micros(max(held, 0) - sum(size for key, size in allotted.items() if key in stops))


def sale_of(
    conditional: Conditional, trigger: Trigger, *, held: Micros, tick: Micros
) -> LimitIntent | None:
    """Return what to send; None when nothing is held that could be sold."""
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


def after_sale(conditional: Conditional, sold: Micros, *, problem: str = "") -> Conditional:
    """Return it after a sale ended: done, or watching on for the rest, however often that failed.

    Args:
        conditional: as it was while selling; one that was paused meanwhile stays paused.
        sold: shares that were sold; none when the sale was refused or found nobody.
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


def paused(conditional: Conditional, reason: str) -> Conditional:
    """Return it doing nothing until it is started again."""
    if conditional.state.is_over:
        return conditional
    return replace(conditional, state=ConditionalState.PAUSED, reason=reason, tries=0)


@dataclass(frozen=True, slots=True)
class Recount:
    """What is known by now of sales that were counted earlier."""

    conditional: Conditional
    back: Micros
    """Shares that came back because trades failed on chain."""
    late: Micros
    """Shares that turn out to be sold although they were not counted."""


def recount(
    conditional: Conditional,
    *,
    matched: Callable[[OrderId], Micros],
    failed: Callable[[OrderId], Micros],
) -> Recount | None:
    """Return a conditional order with its earlier sales counted anew; None where nothing changed.

    Shares that came back are protected again at once: one that had sold them all is active again,
    and so is one that was paused because they were gone. What the trader paused stays paused, and
    what the trader cancelled stays cancelled.

    Args:
        conditional: as it stands.
        matched: how much of an order is known to be matched, failed trades not counted.
        failed: how much of an order was matched by trades that failed on chain.
    """
    counted, back, late = _count_anew(conditional.counted, matched, failed)
    anew = replace(conditional, counted=counted)
    if not back and not late:
        return None if anew == conditional else Recount(anew, Micros(0), Micros(0))
    size = Micros(max(0, conditional.size + back - late))
    return Recount(_with_size(anew, size), Micros(back), Micros(late))


def follow_purchases(
    conditional: Conditional,
    *,
    matched: Callable[[OrderId], Micros],
    failed: Callable[[OrderId], Micros],
    is_open: Callable[[OrderId], bool],
) -> Conditional | None:
    """Return one for exactly the shares that its orders have brought; None where nothing changed.

    Args:
        conditional: as it stands.
        matched: how much of an order is known to be matched, failed trades not counted.
        failed: how much of an order was matched by trades that failed on chain.
        is_open: whether more may come of an order.
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
    """Return orders as they are known now, with what failed since and what was told of since."""
    anew, undone, unheard = [], 0, 0
    for each in counted:
        lost = max(0, min(failed(each.order_id) - each.failed, each.size))
        new = max(0, matched(each.order_id) - (each.size - lost))
        undone, unheard = undone + lost, unheard + new
        size, most_failed = Micros(each.size - lost + new), max(each.failed, failed(each.order_id))
        anew.append(replace(each, size=size, failed=most_failed))
    # A trade that is heard of as failed from the first was never counted: it is in both.
    both = min(undone, unheard)
    return tuple(anew), undone - both, unheard - both


def _with_size(conditional: Conditional, size: Micros) -> Conditional:
    """Return it with what is left to sell, active or done as that asks for."""
    state, reason = conditional.state, conditional.reason
    if state is ConditionalState.CANCELLED:
        return conditional
    is_back = size > conditional.size
    if is_back and (state is ConditionalState.DONE or reason == GONE):
        state, reason = ConditionalState.WATCHING, UNDONE
    elif state is ConditionalState.WATCHING and size_floor(size) <= 0:
        state, reason = ConditionalState.DONE, "sold"
    return replace(conditional, size=size, state=state, reason=reason, tries=0)


def describe_conditional(conditional: Conditional) -> str:
    """Say what it does in one line: `SELL 100 Yes, stop 40¢ (limit 35¢), target 80¢ (OCO)`."""
    each = conditional
    # What is to come with the fills of a purchase has no size before them.
    size = "all" if each.is_all else "" if each.is_waiting else format_shares(each.size)
    return _describe(size, each.outcome, plan_of(each))


def describe_plan(plan: ConditionalPlan, outcome: str) -> str:
    """Say what a plan would do, in the words that it is listed with afterwards."""
    size = "all" if plan.is_all else format_shares(plan.size)
    return _describe(size, outcome, plan)


def describe_attachment(attachment: Attachment) -> str:
    """Say what comes with a purchase: `stop 38¢ (limit 33¢), target 42¢`."""
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
        return f"Position: {count_shares(held if size_floor(held) > 0 else ZERO)}"
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
) -> ConditionalPlan | tuple[PlanProblem, ...]:
    """Return the plan, or the entries that cannot be read."""
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
    size = held if is_all else parse_size(size_text) if size_text else Micros(0)
    if size is None:
        problems.append(PlanProblem(PlanField.SIZE, "Enter shares, or all"))
    if size is None or problems:
        return tuple(problems)
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
