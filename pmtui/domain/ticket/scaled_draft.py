"""A scaled ladder as it is being typed: reading the entries, stepping them, and what to warn of."""

from dataclasses import dataclass, replace

from pmtui.domain.books.book_view import BookView
from pmtui.domain.markets.market import MarketTerms, Side
from pmtui.domain.money import SCALE, Micros, format_micros
from pmtui.domain.plurals import say_free_shares
from pmtui.domain.ticket.reading import (
    parse_cents,
    parse_size,
    say_dollars,
)
from pmtui.domain.ticket.scaled import (
    MOST_LEGS,
    Leg,
    ScaledField,
    ScaledPlan,
    ScaledProblem,
    ScaledSpec,
    SizeShape,
    TotalUnit,
    plan_scaled,
)
from pmtui.domain.ticket.steps import step_cents

MIN_MARKETABLE_BUY = Micros(SCALE)
"""A purchase that fills at once must be worth a dollar (WIRE_CLOB §5.3)."""
_TOTAL_STEP = Micros(10 * SCALE)


@dataclass(frozen=True, slots=True)
class ScaledDraft:
    """The entries as texts, the choices as they stand."""

    side: Side = Side.BUY
    first_text: str = ""
    last_text: str = ""
    count_text: str = "5"
    total_text: str = ""
    unit: TotalUnit = TotalUnit.SHARES
    shape: SizeShape = SizeShape.EQUAL
    is_post_only: bool = False


def read_scaled(draft: ScaledDraft, terms: MarketTerms) -> ScaledPlan | ScaledProblem:
    """Return the ladder that the entries mean, or the first problem with them."""
    prices = []
    for field, text in (
        (ScaledField.FIRST_PRICE, draft.first_text),
        (ScaledField.LAST_PRICE, draft.last_text),
    ):
        price = parse_cents(text) if text.strip() else None
        if price is None:
            return ScaledProblem(field, "Enter a price in cents")
        prices.append(price)
    count = draft.count_text.strip()
    if not count.isascii() or not count.isdigit():
        return ScaledProblem(ScaledField.COUNT, f"From 2 to {MOST_LEGS} orders")
    total = parse_size(draft.total_text) if draft.total_text.strip() else None
    if total is None:
        return ScaledProblem(ScaledField.TOTAL, "Enter a total")
    unit = TotalUnit.DOLLARS if draft.total_text.strip().startswith("$") else draft.unit
    spec = ScaledSpec(
        side=draft.side,
        first_price=prices[0],
        last_price=prices[1],
        count=min(int(count), 1_000),
        total=total,
        unit=unit,
        shape=draft.shape,
        is_post_only=draft.is_post_only,
    )
    return plan_scaled(spec, terms)


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
    """Return the draft with an entry one step up or down; what cannot be read stays."""
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
    """Return the draft with the next shape of sizes."""
    shapes = tuple(SizeShape)
    return replace(draft, shape=shapes[(shapes.index(draft.shape) + step) % len(shapes)])


def next_unit(draft: ScaledDraft) -> ScaledDraft:
    """Return the draft with its total counted the other way."""
    is_shares = draft.unit is TotalUnit.SHARES
    return replace(draft, unit=TotalUnit.DOLLARS if is_shares else TotalUnit.SHARES)


def warnings_of(
    plan: ScaledPlan,
    *,
    book: BookView | None,
    available_cash: Micros | None,
    available_shares: Micros,
) -> tuple[str, ...]:
    """Say what the venue may make of a ladder as things are; it decides, not this."""
    warnings = []
    is_buy = plan.spec.side is Side.BUY
    if is_buy and available_cash is not None and plan.cash > available_cash:
        warnings.append(f"Costs more than the {say_dollars(available_cash)} available")
    if not is_buy and plan.shares > available_shares:
        warnings.append(say_free_shares(available_shares))
    crossing = legs_that_cross(plan, book)
    if crossing and plan.spec.is_post_only:
        warnings.append(f"{len(crossing)} of {len(plan.legs)} would cross and be rejected")
    elif crossing:
        warnings.append(f"{len(crossing)} of {len(plan.legs)} would cross")
        if is_buy and any(leg.cash < MIN_MARKETABLE_BUY for leg in crossing):
            warnings.append("A purchase that fills at once needs $1 at least")
    return tuple(warnings)


def legs_that_cross(plan: ScaledPlan, book: BookView | None) -> tuple[Leg, ...]:
    """Return the legs that the other side of the book would meet at once."""
    if book is None:
        return ()
    if plan.spec.side is Side.BUY:
        ask = book.best_ask
        return tuple(leg for leg in plan.legs if ask is not None and leg.price >= ask)
    bid = book.best_bid
    return tuple(leg for leg in plan.legs if bid is not None and leg.price <= bid)
