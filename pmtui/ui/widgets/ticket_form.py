"""The ticket's face: its rows of fields, and the lines that say what they would do.

It paints a draft and what the rules say of it; keys and orders are the pane's business. On a small
region notes and figures give way to each other line by line, never cell by cell.
"""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.book_view import BookView
from pmtui.domain.market import MarketTerms, Side
from pmtui.domain.order import TimeInForce
from pmtui.domain.ticket import TicketCheck
from pmtui.domain.ticket_draft import OrderKind, Problem, TicketDraft, TicketField
from pmtui.domain.ticket_reading import unit_of
from pmtui.domain.ticket_steps import DEFAULT_LIFE
from pmtui.service.views import MarketView
from pmtui.ui.actions import key_label
from pmtui.ui.cells import Cell, Line
from pmtui.ui.paint.ticket import (
    FIELD_NAMES,
    paint_figures,
    paint_outcome,
    paint_problem,
    paint_touch,
    side_role,
    wrap_line,
)
from pmtui.ui.surface import Surface
from pmtui.ui.theme import Role
from pmtui.ui.widgets.text_line import TextLine
from pmtui.ui.widgets.ticket_fields import Choice, NumberField, TextBlock

_FIELD_ROWS = 4
_STATE_LINES = 4

# Which block of notes a field's problems go to, from the top down.
_NOTES = {
    "ticket-side-notes": (TicketField.SIDE, TicketField.OUTCOME),
    "ticket-kind-notes": (
        TicketField.KIND,
        TicketField.TIME_IN_FORCE,
        TicketField.EXPIRY,
        TicketField.POST_ONLY,
    ),
    "ticket-price-notes": (TicketField.PRICE,),
    "ticket-size-notes": (TicketField.SIZE,),
}
FIELD_WIDGETS = {
    TicketField.SIDE: "#ticket-side",
    TicketField.OUTCOME: "#ticket-side",
    TicketField.KIND: "#ticket-kind",
    TicketField.TIME_IN_FORCE: "#ticket-time-in-force",
    TicketField.EXPIRY: "#ticket-expiry",
    TicketField.POST_ONLY: "#ticket-post-only",
    TicketField.PRICE: "#ticket-price",
    TicketField.SIZE: "#ticket-size",
}


class TicketForm(Vertical):
    """Shows a draft; subclasses change it."""

    DEFAULT_CSS = """
    TicketForm { display: none; width: 100%; height: 100%; }
    TicketForm.-open { display: block; }
    TicketForm .ticket-row { height: 1; }
    TicketForm .ticket-label { width: 7; }
    TicketForm #ticket-side { width: 6; }
    TicketForm #ticket-kind { width: 8; }
    TicketForm #ticket-time-in-force { width: 5; }
    TicketForm #ticket-post-only { width: 15; }
    TicketForm #ticket-unit { width: 9; }
    TicketForm #ticket-price { width: 9; }
    TicketForm #ticket-size { width: 12; }
    TicketForm #ticket-expiry { width: 7; display: none; }
    TicketForm.-timed #ticket-expiry { display: block; }
    TicketForm.-market #ticket-post-only { display: none; }
    TicketForm.-market #ticket-price { width: 13; }
    TicketForm #ticket-figures { height: 1fr; }
    """

    side = query_one("#ticket-side", Choice)
    kind = query_one("#ticket-kind", Choice)
    time_in_force = query_one("#ticket-time-in-force", Choice)
    post_only = query_one("#ticket-post-only", Choice)
    unit = query_one("#ticket-unit", Choice)
    price = query_one("#ticket-price", NumberField)
    size_field = query_one("#ticket-size", NumberField)
    expiry = query_one("#ticket-expiry", NumberField)
    outcome = query_one("#ticket-outcome", TextLine)
    touch = query_one("#ticket-touch", TextLine)
    figures = query_one("#ticket-figures", TextBlock)
    state = query_one("#ticket-state", TextBlock)

    def __init__(self, surface: Surface, *, id: str | None = None) -> None:  # noqa: A002 - the toolkit's word
        """Build a closed ticket."""
        super().__init__(id=id)
        self.surface = surface
        self.draft = TicketDraft(Side.BUY, 0)
        """The fields as they are now."""
        self._market: MarketView | None = None
        self._book: BookView | None = None
        self._check: TicketCheck | None = None
        self._refusal: Problem | None = None
        self._forbidden: Problem | None = None
        """What the trader's own rules have against it."""
        self._message: Line = ()
        self._was_reviewed = False

    @property
    def is_open(self) -> bool:
        """Whether the ticket is on the screen."""
        return self.has_class("-open")

    @override
    def compose(self) -> ComposeResult:
        ascii_only = self.surface.options.ascii_only
        with Horizontal(classes="ticket-row"):
            yield Choice(id="ticket-side", ascii_only=ascii_only)
            yield TextLine(id="ticket-outcome", ascii_only=ascii_only)
        yield TextBlock(id="ticket-side-notes", ascii_only=ascii_only)
        with Horizontal(classes="ticket-row"):
            yield Choice(id="ticket-kind", ascii_only=ascii_only)
            yield Choice(id="ticket-time-in-force", ascii_only=ascii_only)
            yield NumberField(
                id="ticket-expiry", characters="0-9smhdSMHD", placeholder=DEFAULT_LIFE
            )
            yield Choice(id="ticket-post-only", ascii_only=ascii_only)
        yield TextBlock(id="ticket-kind-notes", ascii_only=ascii_only)
        with Horizontal(classes="ticket-row"):
            yield TextLine(id="ticket-price-label", classes="ticket-label", ascii_only=ascii_only)
            yield NumberField(id="ticket-price", characters="0-9.,¢")
            yield TextLine(id="ticket-touch", ascii_only=ascii_only)
        yield TextBlock(id="ticket-price-notes", ascii_only=ascii_only)
        with Horizontal(classes="ticket-row"):
            yield TextLine(id="ticket-size-label", classes="ticket-label", ascii_only=ascii_only)
            yield NumberField(id="ticket-size", characters="0-9.,$%")
            yield Choice(id="ticket-unit", ascii_only=ascii_only)
        yield TextBlock(id="ticket-size-notes", ascii_only=ascii_only)
        yield TextBlock(id="ticket-figures", ascii_only=ascii_only)
        yield TextBlock(id="ticket-state", ascii_only=ascii_only)

    def _load(self, draft: TicketDraft) -> None:
        self.draft = draft
        if not self.is_mounted:
            return
        fields = (self.price, self.size_field, self.expiry)
        texts = (draft.price_text, draft.size_text, draft.expiry_text)
        for field, text in zip(fields, texts, strict=True):
            if field.value != text:
                with field.prevent(Input.Changed):
                    field.value = text
                field.cursor_position = len(text)

    @property
    def _terms(self) -> MarketTerms | None:
        return self._market.terms if self._market is not None else None

    @property
    def _dots(self) -> str:
        return "..." if self.surface.options.ascii_only else "…"

    def _problems(self) -> tuple[Problem, ...]:
        own = self._check.problems if self._check is not None else ()
        ranked = sorted(own, key=lambda p: (self._is_quiet(p), p.is_warning))
        first = (self._refusal, self._forbidden)
        return (*(problem for problem in first if problem is not None), *ranked)

    def _fixable(self) -> Problem | None:
        """Return the problem whose fix the key takes: the focused field's first."""
        fixable = [p for p in self._problems() if p.fix is not None]
        focused = self.screen.focused
        near = [
            p for p in fixable if focused is not None and FIELD_WIDGETS[p.field] == f"#{focused.id}"
        ]
        return next(iter([*near, *fixable]), None)

    def _paint(self) -> None:
        """Paint everything; what stays the same costs nothing."""
        self._show_choices()
        self._show_labels()
        room = self.size.height - _FIELD_ROWS
        state = self._state_lines()
        room -= len(state)
        room -= self._show_notes(room)
        self._show_figures(room)
        self.state.show(state)

    def _show_choices(self) -> None:
        draft, ascii_only = self.draft, self.surface.options.ascii_only
        self.set_class(draft.time_in_force is TimeInForce.GTD, "-timed")
        self.set_class(draft.kind is OrderKind.MARKET, "-market")
        self.price.placeholder = "book decides" if draft.kind is OrderKind.MARKET else ""
        self.side.show(f" {draft.side.value:<4} ", side_role(draft.side))
        self.kind.show(f" {draft.kind.value}")
        self.time_in_force.show(f" {draft.time_in_force.value}")
        self.post_only.show(f" [{'x' if draft.is_post_only else ' '}] post-only")
        self.unit.show(f" {unit_of(draft).value}")
        market = self._market.market if self._market is not None else None
        terms = self._terms
        label = terms.outcome_labels[draft.outcome_index] if terms is not None else ""
        title = market.title if market is not None else ""
        self.outcome.show((Cell(" "), *paint_outcome(label, title, ascii_only=ascii_only)))

    def _show_labels(self) -> None:
        terms = self._terms
        marks = {p.field: p for p in reversed(self._problems()) if not self._is_quiet(p)}
        for field in (TicketField.PRICE, TicketField.SIZE):
            problem = marks.get(field)
            role = Role.DIM if problem is None else Role.NOTICE_BAD
            if problem is not None and problem.is_warning:
                role = Role.NOTICE_WARN
            is_worst = field is TicketField.PRICE and self.draft.kind is OrderKind.MARKET
            name = "Worst" if is_worst else FIELD_NAMES[field]
            line = (Cell("!" if problem is not None else " ", role), Cell(name, Role.DIM))
            self.query_one(f"{FIELD_WIDGETS[field]}-label", TextLine).show(line)
        touch = paint_touch(
            self._book, terms.tick_size if terms is not None else None,
            ascii_only=self.surface.options.ascii_only,
        )  # fmt: skip
        is_word = self.draft.kind is OrderKind.MARKET and not self.draft.price_text
        # The unit belongs to a number, and there is none: the book decides.
        self.touch.show(touch[1:] if is_word else touch)

    def _is_quiet(self, problem: Problem) -> bool:
        """Whether a field is only not filled in yet, which nobody needs to be told loudly."""
        texts = {
            TicketField.PRICE: self.draft.price_text,
            TicketField.SIZE: self.draft.size_text,
            TicketField.EXPIRY: self.draft.expiry_text,
        }
        is_empty = not texts.get(problem.field, "x").strip()
        return is_empty and not problem.is_warning and not self._was_reviewed

    def _show_notes(self, room: int) -> int:
        """Show the first problem of each block, the blocking ones first; return the lines used."""
        fixable, width = self._fixable(), self.size.width
        key = key_label(
            next(iter(self.surface.options.keymap.keys_of("ticket.use_suggestion")), "")
        )
        shown: dict[str, tuple[Line, ...]] = dict.fromkeys(_NOTES, ())
        used = 0
        for problem in self._problems():
            block = next(name for name, fields in _NOTES.items() if problem.field in fields)
            if shown[block] or (self._is_quiet(problem) and used):
                continue
            lines = paint_problem(
                problem, self.draft, width, key=key if problem is fixable else "",
                is_quiet=self._is_quiet(problem),
            )[: max(0, room - used)]  # fmt: skip
            shown[block] = lines
            used += len(lines)
        for name, lines in shown.items():
            self.query_one(f"#{name}", TextBlock).show(lines)
        return used

    def _show_figures(self, room: int) -> None:
        check = self._check
        self.figures.show(
            paint_figures(
                self.draft, check.numbers if check is not None else None,
                width=self.size.width, height=room, ascii_only=self.surface.options.ascii_only,
            )
        )  # fmt: skip

    def _state_lines(self) -> tuple[Line, ...]:
        if self._message:
            return wrap_line(self._message, max(8, self.size.width), most=_STATE_LINES)
        check = self._check
        if check is None:
            return ((Cell(f" Waiting for the market{self._dots}", Role.DIM),),)
        if check.intent is None or self._forbidden is not None:
            return ()
        key = key_label(next(iter(self.surface.options.keymap.keys_of("ticket.review")), ""))
        return ((Cell(f" {key} ", Role.KEY), Cell("reviews the order", Role.DIM)),)
