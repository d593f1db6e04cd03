"""Scaled orders: one total spread over a range of prices, with parsing, stepping and checks.

All prices and sizes are on the venue's grids. The legs add up to the total exactly if the size grid
permits it, and never to more; each size differs from its ideal share by less than one grid step.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from pmtui.domain.books.book_view import BookView
from pmtui.domain.formats import (
    count,
    describe_free_shares,
    exact_shares,
    format_dollars_down,
    parse_cents,
    parse_size,
)
from pmtui.domain.markets.market import MarketTerms, Side
from pmtui.domain.money import SCALE, Micros, format_micros, notional_ceil
from pmtui.domain.orders.amounts import (
    MIN_MARKETABLE_BUY,
    SIZE_STEP,
    is_on_tick,
    nearest_price,
    size_floor,
)
from pmtui.domain.orders.order import LimitIntent
from pmtui.domain.ticket.draft import step_cents

MOST_LEGS = 15
"""Orders in one request (docs/wire.md#orders)."""
_HUNDREDTHS = SCALE // SIZE_STEP


class SizeShape(StrEnum):
    """How sizes change from the first price to the last."""

    EQUAL = "equal"
    RISING = "rising"
    """One part, two parts, three parts, …"""
    FALLING = "falling"


class TotalUnit(StrEnum):
    """The unit of the total."""

    SHARES = "shares"
    DOLLARS = "dollars"


@dataclass(frozen=True, slots=True)
class ScaledSpec:
    """Scaled orders as requested by the trader."""

    side: Side
    first_price: Micros
    last_price: Micros
    count: int
    total: Micros
    unit: TotalUnit = TotalUnit.SHARES
    shape: SizeShape = SizeShape.EQUAL
    is_post_only: bool = False


@dataclass(frozen=True, slots=True)
class Leg:
    """One of the scaled orders."""

    price: Micros
    size: Micros

    @property
    def cash(self) -> Micros:
        """Cost or proceeds at its price."""
        return notional_ceil(self.price, self.size)


class ScaledField(StrEnum):
    """The entry that a problem is about."""

    FIRST_PRICE = "from"
    LAST_PRICE = "to"
    COUNT = "count"
    TOTAL = "total"


@dataclass(frozen=True, slots=True)
class ScaledProblem:
    """Why scaled orders are impossible, and the nearest valid entry."""

    field: ScaledField
    text: str


@dataclass(frozen=True, slots=True)
class ScaledPlan:
    """The legs, ordered from the first price to the last."""

    spec: ScaledSpec
    legs: tuple[Leg, ...]

    @property
    def shares(self) -> Micros:
        """All sizes together."""
        return Micros(sum(leg.size for leg in self.legs))

    @property
    def cash(self) -> Micros:
        """Cash of all legs at their prices."""
        return Micros(sum(leg.cash for leg in self.legs))

    @property
    def left_over(self) -> Micros:
        """The part of the total that the size grid leaves over."""
        used = self.shares if self.spec.unit is TotalUnit.SHARES else self.cash
        return Micros(self.spec.total - used)

    def intents(self, terms: MarketTerms, outcome_index: int) -> tuple[LimitIntent, ...]:
        """Return the orders of the plan."""
        return tuple(
            LimitIntent(
                condition_id=terms.condition_id,
                token_id=terms.token_ids[outcome_index],
                side=self.spec.side,
                price=leg.price,
                size=leg.size,
                is_post_only=self.spec.is_post_only,
            )
            for leg in self.legs
        )


def plan_scaled(spec: ScaledSpec, terms: MarketTerms) -> ScaledPlan | ScaledProblem:
    """Spread the total over the range, or return why that is impossible."""
    prices = _prices(spec, terms.tick_size)
    if isinstance(prices, ScaledProblem):
        return prices
    if spec.total <= 0:
        return ScaledProblem(ScaledField.TOTAL, "Enter a total")
    weights = _weights(spec.shape, spec.count)
    if spec.unit is TotalUnit.SHARES:
        sizes = _spread_shares(spec.total, weights)
    else:
        sizes = _spread_dollars(spec.total, weights, prices)
    minimum = terms.min_order_size
    if min(sizes) < minimum:
        return ScaledProblem(ScaledField.TOTAL, _too_little(spec, weights, prices, minimum))
    legs = tuple(Leg(price, size) for price, size in zip(prices, sizes, strict=True))
    return ScaledPlan(spec, legs)


def _range_problems(
    first: Micros | None, last: Micros | None, number: int | None, tick: Micros
) -> Iterable[ScaledProblem]:
    """Yield the problems of a price range, entry by entry; None is an unparsed entry."""
    is_range = True
    for field, price in ((ScaledField.FIRST_PRICE, first), (ScaledField.LAST_PRICE, last)):
        if price is None:
            yield ScaledProblem(field, "Enter a price in cents")
        elif not is_on_tick(price, tick):
            nearest = format_micros(Micros(nearest_price(price, tick) * 100))
            yield ScaledProblem(field, f"Off tick; nearest price {nearest}¢")
        else:
            continue
        is_range = False
    if number is None or not 2 <= number <= MOST_LEGS:
        yield ScaledProblem(ScaledField.COUNT, f"From 2 to {MOST_LEGS} orders")
    elif is_range and first is not None and last is not None:
        prices = abs(last - first) // tick + 1
        if prices < number:
            text = f"The range has only {count(prices, 'price')}"
            yield ScaledProblem(ScaledField.COUNT, text)


def _prices(spec: ScaledSpec, tick: Micros) -> tuple[Micros, ...] | ScaledProblem:
    """Return as many different prices as requested, evenly over the range, on the grid."""
    problems = _range_problems(spec.first_price, spec.last_price, spec.count, tick)
    if (problem := next(iter(problems), None)) is not None:
        return problem
    steps = (spec.last_price - spec.first_price) // tick
    gaps = spec.count - 1
    # Halves round towards the last price in both directions, so that reversing the range only
    # reverses the order of its prices if it divides evenly.
    sign = 1 if steps >= 0 else -1
    return tuple(
        Micros(spec.first_price + sign * ((2 * number * abs(steps) + gaps) // (2 * gaps)) * tick)
        for number in range(spec.count)
    )


def _weights(shape: SizeShape, count: int) -> tuple[int, ...]:
    rising = range(1, count + 1)
    if shape is SizeShape.EQUAL:
        return (1,) * count
    return tuple(rising if shape is SizeShape.RISING else reversed(rising))


def _spread_shares(total: Micros, weights: tuple[int, ...]) -> tuple[Micros, ...]:
    """Divide a total into hundredths by weight; the remainder goes where most was truncated."""
    steps, whole = size_floor(total) // SIZE_STEP, sum(weights)
    counts = [steps * weight // whole for weight in weights]
    cut = [steps * weight % whole for weight in weights]
    by_need = sorted(range(len(weights)), key=lambda index: (-cut[index], index))
    for index in by_need[: steps - sum(counts)]:
        counts[index] += 1
    return tuple(Micros(count * SIZE_STEP) for count in counts)


def _spread_dollars(
    total: Micros, weights: tuple[int, ...], prices: tuple[Micros, ...]
) -> tuple[Micros, ...]:
    """Divide dollars so that sizes keep their shape, and as many dollars as possible are spent.

    A hundredth of a share costs a whole number of millionths on every grid, so sums are exact.
    """
    costs = [price // _HUNDREDTHS for price in prices]
    whole = sum(weight * cost for weight, cost in zip(weights, costs, strict=True))
    counts = [total * weight // whole for weight in weights]
    left = total - sum(count * cost for count, cost in zip(counts, costs, strict=True))
    for index in _best_subset(costs, left):
        counts[index] += 1
    return tuple(Micros(count * SIZE_STEP) for count in counts)


def _best_subset(costs: list[int], budget: int) -> tuple[int, ...]:
    """Return which items to buy, each at most once, to spend as much of a budget as possible."""
    mask = (1 << (budget + 1)) - 1
    reachable = [1]
    for cost in costs:
        reachable.append((reachable[-1] | reachable[-1] << cost) & mask)
    spent = reachable[-1].bit_length() - 1
    chosen = []
    for index in range(len(costs) - 1, -1, -1):
        if not reachable[index] >> spent & 1:
            chosen.append(index)
            spent -= costs[index]
    return tuple(chosen)


def _too_little(
    spec: ScaledSpec, weights: tuple[int, ...], prices: Iterable[Micros], minimum: Micros
) -> str:
    """Return a message with the total needed for every leg to reach the minimum."""
    least_steps = -(-minimum // SIZE_STEP)
    scale = -(-least_steps // min(weights))
    sizes = [Micros(weight * scale * SIZE_STEP) for weight in weights]
    text = f"Minimum {exact_shares(minimum)} an order: "
    if spec.unit is TotalUnit.SHARES:
        return text + f"{format_micros(Micros(sum(sizes)))} in all"
    cash = sum(notional_ceil(p, s) for p, s in zip(prices, sizes, strict=True))
    return text + f"${format_micros(Micros(cash))} in all"


_TOTAL_STEP = Micros(10 * SCALE)


@dataclass(frozen=True, slots=True)
class ScaledDraft:
    """The entries as texts, and the current choices."""

    side: Side = Side.BUY
    first_text: str = ""
    last_text: str = ""
    count_text: str = "5"
    total_text: str = ""
    unit: TotalUnit = TotalUnit.SHARES
    shape: SizeShape = SizeShape.EQUAL
    is_post_only: bool = False


def read_scaled(draft: ScaledDraft, terms: MarketTerms) -> ScaledPlan | tuple[ScaledProblem, ...]:
    """Return the scaled orders for the entries, or what is wrong with each entry, in order."""
    first, last = (
        parse_cents(text) if text.strip() else None for text in (draft.first_text, draft.last_text)
    )
    digits = draft.count_text.strip()
    number = min(int(digits), 1_000) if digits.isascii() and digits.isdigit() else None
    total = parse_size(draft.total_text) if draft.total_text.strip() else None
    problems = list(_range_problems(first, last, number, terms.tick_size))
    if total is None or total <= 0:
        problems.append(ScaledProblem(ScaledField.TOTAL, "Enter a total"))
    if problems or first is None or last is None or number is None or total is None:
        return tuple(problems)
    unit = TotalUnit.DOLLARS if draft.total_text.strip().startswith("$") else draft.unit
    spec = ScaledSpec(
        side=draft.side,
        first_price=first,
        last_price=last,
        count=number,
        total=total,
        unit=unit,
        shape=draft.shape,
        is_post_only=draft.is_post_only,
    )
    plan = plan_scaled(spec, terms)
    return plan if isinstance(plan, ScaledPlan) else (plan,)


def entry_of(draft: ScaledDraft, field: ScaledField) -> str:
    """Return the text of an entry."""
    texts = {
        ScaledField.FIRST_PRICE: draft.first_text,
        ScaledField.LAST_PRICE: draft.last_text,
        ScaledField.COUNT: draft.count_text,
        ScaledField.TOTAL: draft.total_text,
    }
    return texts[field]


def with_entry(draft: ScaledDraft, field: ScaledField, text: str) -> ScaledDraft:
    """Return the draft with another text in an entry."""
    if field is ScaledField.FIRST_PRICE:
        return replace(draft, first_text=text)
    if field is ScaledField.LAST_PRICE:
        return replace(draft, last_text=text)
    if field is ScaledField.COUNT:
        return replace(draft, count_text=text)
    return replace(draft, total_text=text)


def step_entry(
    draft: ScaledDraft, field: ScaledField, step: int, terms: MarketTerms
) -> ScaledDraft:
    """Return the draft with an entry stepped up or down; an invalid entry is unchanged."""
    text = entry_of(draft, field)
    if field is ScaledField.COUNT:
        number = int(text) if text.isascii() and text.isdigit() else 2
        stepped = str(min(max(number + step, 2), MOST_LEGS))
    elif field is ScaledField.TOTAL:
        total = Micros(max((parse_size(text) or 0) + step * _TOTAL_STEP, 0))
        stepped = format_micros(total) if total else ""
    else:
        stepped = step_cents(text, step, terms.tick_size)
    return with_entry(draft, field, stepped)


def next_shape(draft: ScaledDraft, step: int = 1) -> ScaledDraft:
    """Return the draft with the next size shape."""
    shapes = tuple(SizeShape)
    return replace(draft, shape=shapes[(shapes.index(draft.shape) + step) % len(shapes)])


def next_unit(draft: ScaledDraft) -> ScaledDraft:
    """Return the draft with its total in the other unit, and no number: it would mean something else."""
    is_shares = draft.unit is TotalUnit.SHARES
    unit = TotalUnit.DOLLARS if is_shares else TotalUnit.SHARES
    return replace(draft, unit=unit, total_text="")


def warnings_of(
    plan: ScaledPlan,
    *,
    book: BookView | None,
    available_cash: Micros | None,
    available_shares: Micros,
) -> tuple[str, ...]:
    """Return warnings about how the venue may treat the orders; the venue decides, not this check."""
    warnings = []
    is_buy = plan.spec.side is Side.BUY
    if is_buy and available_cash is not None and plan.cash > available_cash:
        warnings.append(f"Costs more than the {format_dollars_down(available_cash)} available")
    if not is_buy and plan.shares > available_shares:
        warnings.append(describe_free_shares(available_shares))
    crossing = legs_that_cross(plan, book)
    if crossing and plan.spec.is_post_only:
        warnings.append(f"{len(crossing)} of {len(plan.legs)} would cross and be rejected")
    elif crossing:
        warnings.append(f"{len(crossing)} of {len(plan.legs)} would cross")
        if is_buy and any(leg.cash < MIN_MARKETABLE_BUY for leg in crossing):
            warnings.append("Marketable buys need at least $1")
    return tuple(warnings)


def legs_that_cross(plan: ScaledPlan, book: BookView | None) -> tuple[Leg, ...]:
    """Return the legs that would match the other side of the book at once."""
    if book is None:
        return ()
    if plan.spec.side is Side.BUY:
        ask = book.best_ask
        return tuple(leg for leg in plan.legs if ask is not None and leg.price >= ask)
    bid = book.best_bid
    return tuple(leg for leg in plan.legs if bid is not None and leg.price <= bid)
