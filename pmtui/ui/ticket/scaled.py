"""Scaled orders: a total spread over a range of prices, shown leg by leg before it is sent."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.formats import format_cents, format_shares
from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, cents_down, cents_up, format_micros
from pmtui.domain.orders.order import Accepted, Order, OrderStatus, Rejected, Unknown, Verdict
from pmtui.domain.ticket.ghosts import ghosts_of_plan
from pmtui.domain.ticket.scaled import (
    Leg,
    ScaledDraft,
    ScaledField,
    ScaledPlan,
    ScaledProblem,
    TotalUnit,
    entry_of,
    legs_that_cross,
    next_shape,
    next_unit,
    read_scaled,
    step_entry,
    warnings_of,
    with_entry,
)
from pmtui.ui.account.action_cards import ScaledCard
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line
from pmtui.ui.format import format_past_money, format_price
from pmtui.ui.frame import is_live, show_answer
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.fields import MORE, Choice, EntryLabel, NumberField, TextBlock
from pmtui.ui.ticket.order_form import Draw, LegOrders, OrderForm, draw_nothing
from pmtui.ui.ticket.paint_ticket import side_role, wrap_line
from pmtui.ui.widgets.text_line import KeyLine, TextLine, answer_entries

_NAMES = {
    ScaledField.FIRST_PRICE: "From",
    ScaledField.LAST_PRICE: "To",
    ScaledField.COUNT: "Orders",
    ScaledField.TOTAL: "Total",
}
_LEGS_IN_A_COLUMN = 8
_ROOMY = 56
"""On a narrower line a leg shows its cash or its result, not both."""


def paint_plan(
    plan: ScaledPlan, crossing: Sequence[Leg], ends: Sequence[Cell], *,
    width: int = 64, tick: Micros | None = None,
) -> tuple[Line, ...]:  # fmt: skip
    """Paint the legs and their sum; many legs stand in two columns.

    Args:
        plan: the scaled order.
        crossing: its legs that would fill at once.
        ends: the results of the legs, in their order; fewer while some are unknown.
        width: the cells available.
        tick: fixes the digits of prices.
    """
    is_narrow = width < _ROOMY
    is_wide = len(plan.legs) <= _LEGS_IN_A_COLUMN
    price_at, shares_at = (6, 8) if is_narrow else (7, 10)
    legs = []
    # Rounded leg by leg, as charged or paid, so that each line is right by itself.
    to_cents = cents_up if plan.spec.side is Side.BUY else cents_down
    parts = [to_cents(leg.cash) for leg in plan.legs]
    for number, leg in enumerate(plan.legs):
        end = ends[number] if number < len(ends) else None
        if end is None and leg in crossing:
            end = Cell("would cross", Role.NOTICE_WARN)
        price = format_price(leg.price, tick=tick)
        cells = [
            Cell(f"{price:>{price_at}}", side_role(plan.spec.side)),
            Cell(f" {format_shares(leg.size):>{shares_at}}"),
        ]
        if (end is None and not (is_narrow and not is_wide)) or (is_wide and not is_narrow):
            cells.append(Cell(f" {format_past_money(parts[number]):>11}", Role.DIM))
        if end is not None:
            cells += [Cell("  "), end]
        legs.append(tuple(cells))
    rows = len(legs) if is_wide else -(-len(legs) // 2)
    half = width // (1 if is_wide else 2)
    lines: list[Line] = [
        tuple(cell for leg in legs[row::rows] for cell in fit_line(leg, half))
        for row in range(rows)
    ]
    cash = to_cents(plan.cash)
    shares = format_shares(plan.shares)
    total = f"{'total':>{price_at}} {shares:>{shares_at}} {format_past_money(cash):>11}"
    note = _describe_rest(plan, is_off=sum(parts) != cash)
    lines.append((Cell(total, Role.TEXT, Emphasis.BOLD), Cell(note, Role.DIM)))
    return tuple(lines)


def _describe_rest(plan: ScaledPlan, *, is_off: bool) -> str:
    """Return why the rows do not add up to the sum, and what was left over."""
    rounding = f"rows round {'up' if plan.spec.side is Side.BUY else 'down'}" if is_off else ""
    if not plan.left_over:
        return f"  {rounding}" if rounding else ""
    unit = "$" if plan.spec.unit is TotalUnit.DOLLARS else ""
    left = f"{unit}{format_micros(plan.left_over)}"
    if rounding:
        return f"  {rounding}; {left} left"
    return f"  {left} left over"


def paint_scaled_problem(problem: ScaledProblem, *, is_missing: bool = False) -> Line:
    """Paint what is wrong with an entry, by its name in the form; dimmed if it is empty."""
    role = Role.DIM if is_missing else Role.NOTICE_WARN
    return (Cell(f"{_NAMES[problem.field]}: {plain(problem.text, 70)}", role),)


class LegEnd(NamedTuple):
    """What became of a leg: its verdict, and the order where the account knows it."""

    verdict: Verdict | None
    known: Order | None

    @property
    def word(self) -> str:
        """The state it is counted as."""
        if isinstance(self.verdict, Rejected):
            return "refused"
        status = OrderStatus.UNKNOWN
        if self.known is not None:
            status = self.known.status
        elif isinstance(self.verdict, Accepted):
            status = self.verdict.status
        if status is OrderStatus.UNKNOWN:
            return "unconfirmed"
        return _WORKING if status is OrderStatus.PARTIALLY_FILLED else status.words


_WORKING, _FILLED = OrderStatus.LIVE.words, OrderStatus.FILLED.words


def paint_sent(ends: Sequence[LegEnd]) -> Line:
    """Paint how many legs ended in which way, once the venue has answered."""
    if any(end.verdict is None for end in ends):
        return (Cell("sending", Role.NOTICE_WARN, Emphasis.BOLD),)
    are_good = {end.word for end in ends} <= {_WORKING, _FILLED}
    role = Role.NOTICE_GOOD if are_good else Role.NOTICE_WARN
    return (Cell(f"{count_ends(ends)}. Enter closes; edit to send more.", role),)


def count_ends(ends: Sequence[LegEnd]) -> str:
    """Return how many legs ended in which way: `2 working, 1 refused`."""
    counts = Counter(end.word for end in ends)
    words = sorted(counts, key=lambda word: (word != _WORKING, word != _FILLED))
    return ", ".join(f"{counts[word]} {word}" for word in words)


def paint_leg_end(verdict: Verdict | None, known: Order | None) -> Cell:
    """Paint the state of a leg: by the account if it lists it, else by its verdict."""
    if known is not None and known.status is OrderStatus.UNKNOWN:
        return Cell("unconfirmed", Role.NOTICE_WARN, Emphasis.BOLD)
    if known is not None and verdict is not None:
        return Cell(known.status.words, Role.NOTICE_GOOD)
    match verdict:
        case None:
            return Cell("sending", Role.NOTICE_WARN)
        case Accepted():
            return Cell(plain(verdict.text, 24), Role.NOTICE_GOOD)
        case Rejected():
            return Cell(f"refused: {plain(verdict.reason, 40)}", Role.NOTICE_BAD)
        case Unknown():
            return Cell("unconfirmed", Role.NOTICE_WARN, Emphasis.BOLD)


_ENTRIES = {
    "scaled-first": ScaledField.FIRST_PRICE,
    "scaled-last": ScaledField.LAST_PRICE,
    "scaled-count": ScaledField.COUNT,
    "scaled-total": ScaledField.TOTAL,
}


class ScaledScreen(OrderForm[None]):
    """Spreads a total over a range of prices; enter reviews it, escape closes the form."""

    # Fifteen legs fill a small terminal: there is no line to spare.
    DEFAULT_CSS = """
    ScaledScreen #state { min-height: 0; }
    ScaledScreen .label { width: 9; }
    ScaledScreen Choice { width: 10; }
    ScaledScreen .unit { width: 2; }
    ScaledScreen.-narrow .label { width: 8; }
    ScaledScreen.-narrow NumberField { width: 7; }
    ScaledScreen.-narrow #scaled-side { width: 7; }
    ScaledScreen.-narrow #scaled-post-only { width: 16; }
    ScaledScreen #scaled-post-only { width: 27; }
    ScaledScreen NumberField { width: 10; }
    ScaledScreen #scaled-legs { height: auto; max-height: 16; }
    """

    side = query_one("#scaled-side", Choice)
    unit = query_one("#scaled-unit", Choice)
    shape = query_one("#scaled-shape", Choice)
    post_only = query_one("#scaled-post-only", Choice)
    legs = query_one("#scaled-legs", TextBlock)

    def __init__(
        self,
        surface: Surface,
        condition_id: ConditionId,
        *,
        outcome_index: int,
        start: Micros | None = None,
        draw: Draw = draw_nothing,
    ) -> None:
        """Open for one outcome of a market.

        Args:
            surface: the service and the user's choices.
            condition_id: the market.
            outcome_index: the outcome.
            start: the first price; None leaves it empty.
            draw: shows the draft on a ladder.
        """
        super().__init__(surface, condition_id, draw, outcome_index=outcome_index)
        self.draft = ScaledDraft(first_text=format_cents(start) if start is not None else "")
        """The current entries."""
        self._orders = LegOrders(self, surface, on_end=self._close_if_accepted)
        self._is_begun = False
        """Whether anything was entered or asked for: an empty form is no error before that."""

    @override
    def compose(self) -> ComposeResult:
        title = self.market_title(max(self.inner - 14, 8))
        with Vertical(classes="frame"):
            yield TextLine(
                (Cell("Scaled orders ", Role.HEADING, Emphasis.BOLD), Cell(title, Role.DIM)),
            )
            with Horizontal(classes="row"):
                yield Choice(id="scaled-side")
                yield TextLine((Cell(self.outcome),))
                yield Choice(id="scaled-post-only")
            with Horizontal(classes="row"):
                yield from self._entry("From", "scaled-first", "0-9.¢")
                yield TextLine((Cell("¢", Role.DIM),), classes="unit")
                yield from self._entry("to", "scaled-last", "0-9.¢")
                yield TextLine((Cell("¢", Role.DIM),), classes="unit")
            with Horizontal(classes="row"):
                yield from self._entry("Orders", "scaled-count", "0-9")
                yield EntryLabel("sizes", "scaled-shape")
                yield Choice(id="scaled-shape")
            with Horizontal(classes="row"):
                yield from self._entry("Total", "scaled-total", "0-9.,$")
                yield Choice(id="scaled-unit")
            yield TextBlock(id="scaled-legs")
            yield TextBlock(id="state")
            yield self.keys()

    def on_mount(self) -> None:
        """Fill in the entries and subscribe to the market."""
        self._load(self.draft)
        self.watch_market(self.token_id)
        _ = self.field("scaled-last" if self.draft.first_text else "scaled-first").focus()

    async def action_accept(self) -> None:
        """Ask whether to send the legs; close once they are sent."""
        if self._orders.sent:
            if self._orders.verdicts:
                _ = self.dismiss()
            return
        self._is_begun = True
        plan = self._plan()
        terms = self.terms
        if not isinstance(plan, ScaledPlan) or terms is None:
            self.show()
            self._focus_problem(plan)
            return
        doubt = " ".join(f"{text}." for text in self._doubts(plan)[1])
        card = partial(ScaledCard, surface=self._surface, doubt=doubt)
        await self._orders.ask(plan.intents(terms, self._outcome_index), card)

    def _close_if_accepted(self) -> None:
        """Close and tell how the legs ended; a leg that was refused or is unconfirmed stays on show."""
        if all(isinstance(verdict, Accepted) for verdict in self._orders.verdicts):
            said = f"Sent {len(self._orders.sent)}: {count_ends(self._leg_ends())}"
            _ = self.dismiss()
            self.app.call_later(show_answer, self.app, said)

    @on(Input.Changed)
    def _on_typed(self, event: Input.Changed) -> None:
        field = _ENTRIES.get(event.input.id or "")
        if (field is ScaledField.FIRST_PRICE and "-" in event.value.strip("- ")) or (
            field is ScaledField.FIRST_PRICE and event.value.strip().endswith("-")
        ):
            self._take_range(event.value)
        elif field is not None:
            self._change(with_entry(self.draft, field, event.value))

    def _take_range(self, text: str) -> None:
        """Split `46-47`, entered as the first price, into both prices; then focus the last."""
        first, _, last = text.partition("-")
        draft = with_entry(self.draft, ScaledField.FIRST_PRICE, first.strip())
        if last.strip():
            draft = with_entry(draft, ScaledField.LAST_PRICE, last.strip())
        self._load(draft)
        field = self.field("scaled-last")
        _ = field.focus()
        if not last.strip():
            field.action_select_all()

    @on(NumberField.Stepped)
    def _on_stepped(self, event: NumberField.Stepped) -> None:
        field, terms = _ENTRIES.get(event.field.id or ""), self.terms
        if field is not None and terms is not None:
            self._load(step_entry(self.draft, field, event.step, terms))

    @on(Choice.Moved)
    def _on_moved(self, event: Choice.Moved) -> None:
        draft = self.draft
        match event.choice.id:
            case "scaled-side":
                self._load(replace(draft, side=draft.side.opposite))
            case "scaled-shape":
                self._load(next_shape(draft, event.step))
            case "scaled-unit":
                self._load(next_unit(draft))
            case _:
                self._load(replace(draft, is_post_only=not draft.is_post_only))

    def _entry(self, label: str, name: str, characters: str) -> ComposeResult:
        yield EntryLabel(label, name)
        yield NumberField(id=name, characters=characters)

    def _plan(self) -> ScaledPlan | tuple[ScaledProblem, ...] | None:
        terms = self.terms
        return None if terms is None else read_scaled(self.draft, terms)

    def _load(self, draft: ScaledDraft) -> None:
        """Replace the draft and write it into the fields."""
        for name, entry in _ENTRIES.items():
            self.field(name).fill(entry_of(draft, entry))
        self._change(draft)

    def _change(self, draft: ScaledDraft) -> None:
        if draft != self.draft:
            self._is_begun = True
            # An edited form is a new order; the one that was sent is in the account.
            self._orders.forget()
        self.draft = draft
        self.show()

    @override
    def show(self) -> None:
        if not is_live(self):
            return
        self._show_choices()
        agree = "Close" if self._orders.verdicts else "Review"
        self.query_one(KeyLine).show_keys(answer_entries(agree, self._surface.options), self.inner)
        plan, sent = self._plan(), self._orders.sent
        if not isinstance(plan, ScaledPlan):
            self._draw(())
            self.legs.show(())
            lines: Sequence[Line] = ((Cell("The trading terms are loading", Role.DIM),),)
            if plan is not None:
                lines = [
                    paint_scaled_problem(each, is_missing=not entry_of(self.draft, each.field))
                    for each in plan
                    if self._is_begun
                ]
            self._show_lines(lines, most=2)
            return
        self._draw(() if sent else ghosts_of_plan(plan))
        ends = self._leg_ends()
        painted = tuple(paint_leg_end(*end) for end in ends)
        crossing, doubts = self._doubts(plan)
        tick = self.terms.tick_size if self.terms is not None else None
        self.legs.show(paint_plan(plan, crossing, painted, width=self.inner, tick=tick))
        if not sent:
            warnings = [(Cell(text, Role.NOTICE_WARN),) for text in doubts]
            self._show_lines(warnings, most=2)
            return
        reasons = [v.reason for v in self._orders.verdicts if isinstance(v, Rejected)]
        refused = [(Cell(f"refused: {plain(r, 90)}", Role.NOTICE_BAD),) for r in reasons[:1]]
        self._show_lines((paint_sent(ends), *refused), most=3)

    def _show_lines(self, lines: Sequence[Line], *, most: int) -> None:
        parts = (part for line in lines for part in wrap_line(line, self.inner, most=most))
        self.state.show(tuple(parts))

    def _show_choices(self) -> None:
        draft = self.draft
        self.side.show(f" {draft.side.value} {MORE}", side_role(draft.side))
        self.unit.show(f" {draft.unit.value} {MORE}")
        self.shape.show(f" {draft.shape.value} {MORE}")
        self.post_only.show(f" [{'x' if draft.is_post_only else ' '}] post-only")

    def _leg_ends(self) -> tuple[LegEnd, ...]:
        account = self._surface.queries.account()
        known = {o.order_id: o for o in (*account.recent, *account.open_orders)}
        return tuple(
            LegEnd(verdict, known.get(order.order_id)) for order, verdict in self._orders.ends
        )

    def _doubts(self, plan: ScaledPlan) -> tuple[tuple[Leg, ...], tuple[str, ...]]:
        """Return the legs that would fill at once, and the warnings about them all."""
        account, token_id = self._surface.queries.account(), self.token_id
        book = None if token_id is None else self._surface.queries.book(token_id)
        held = account.sellable(token_id) if token_id is not None else Micros(0)
        warnings = warnings_of(
            plan, book=book, available_cash=account.available, available_shares=held
        )
        return tuple(legs_that_cross(plan, book)), warnings

    def _focus_problem(self, plan: ScaledPlan | tuple[ScaledProblem, ...] | None) -> None:
        if isinstance(plan, tuple) and plan:
            name = next(name for name, field in _ENTRIES.items() if field is plan[0].field)
            _ = self.field(name).focus()
