"""The ticket's face: its rows of fields, and the lines that say what they would do.

It paints a draft and what the rules say of it; keys and orders are the pane's business. On a small
region notes and figures give way to each other line by line, never cell by cell. Where not even
that leaves room for the ladder, the same fields stand on one line (`show_on_a_line`).
"""

from dataclasses import dataclass
from datetime import datetime

from textual.message import Message
from textual.widgets import Input

from pmtui.domain.books.book_view import BookView
from pmtui.domain.markets.market import MarketTerms, Side
from pmtui.domain.orders.order import TimeInForce
from pmtui.domain.ticket.draft import OrderKind, Problem, TicketDraft, TicketField
from pmtui.domain.ticket.fields import unit_of
from pmtui.domain.ticket.ticket import TicketAfter, TicketCheck
from pmtui.service.views import MarketView
from pmtui.ui.cells import Cell, Line
from pmtui.ui.frame import is_live
from pmtui.ui.keys.actions import key_label
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.fields import TextBlock
from pmtui.ui.ticket.layout import FIELD_WIDGETS, TicketLayout
from pmtui.ui.ticket.paint_ticket import (
    FIELD_NAMES,
    paint_figures,
    paint_outcome,
    paint_problem,
    paint_touch,
    side_role,
    wrap_line,
)
from pmtui.ui.ticket.ticket_line import (
    name_problem,
    pack_notes,
    paint_below,
)
from pmtui.ui.widgets.text_line import TextLine

_FIELD_ROWS = 4
_STATE_LINES = 4
_ATTACHED_FROM = 11
"""A ticket this high has a row for the stop and the target that come with a purchase."""

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
    "ticket-attached-notes": (TicketField.STOP, TicketField.TARGET),
}


def _block_of(problem: Problem) -> str:
    return next(name for name, fields in _NOTES.items() if problem.field in fields)


class TicketForm(TicketLayout):
    """Shows a draft; subclasses change it."""

    @dataclass
    class Reshaped(Message):
        """It wants to be shown whole, or on one line again."""

        form: "TicketForm"

    @dataclass
    class SuggestionChanged(Message):
        """There is a value to suggest now, or none any more."""

        form: "TicketForm"

    def __init__(self, surface: Surface, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        """Build a closed ticket."""
        super().__init__(surface, id=id)
        self.draft = TicketDraft(Side.BUY, 0)
        """The fields as they are now."""
        self._market: MarketView | None = None
        self._book: BookView | None = None
        self._check: TicketCheck | None = None
        self._after: TicketAfter | None = None
        self._refusal: Problem | None = None
        self._forbidden: Problem | None = None
        """What the trader's own rules have against it."""
        self._ends: datetime | None = None
        """When a timed order is to be gone, by the clock of this machine."""
        self._message: Line = ()
        self._was_reviewed = False
        self._is_whole = False
        self._has_suggestion = False

    @property
    def is_open(self) -> bool:
        """Whether the ticket is on the screen."""
        return self.has_class("-open")

    @property
    def is_whole(self) -> bool:
        """Whether the trader wants all of it, even where that takes the room of something else."""
        return self._is_whole

    @property
    def is_on_a_line(self) -> bool:
        """Whether its fields stand on one line."""
        return self.has_class("-line")

    @property
    def has_suggestion(self) -> bool:
        """Whether a problem names a value that a key takes."""
        return self._has_suggestion

    def show_on_a_line(self, *, is_line: bool) -> None:
        """StepStatus on one line, or in rows; what was typed and where the focus is stays."""
        if is_line != self.is_on_a_line:
            self.set_class(is_line, "-line")
            if self.is_open:
                self._paint()

    def _load(self, draft: TicketDraft) -> None:
        self.draft = draft
        if not is_live(self):
            return
        fields = (self.price, self.size_field, self.expiry, self.stop, self.target)
        texts = (
            draft.price_text, draft.size_text, draft.expiry_text, draft.stop_text,
            draft.target_text,
        )  # fmt: skip
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

    def _look_for_suggestion(self) -> None:
        has_one = self._fixable() is not None
        if has_one != self._has_suggestion:
            self._has_suggestion = has_one
            self.post_message(self.SuggestionChanged(self))

    def _paint(self) -> None:
        """Paint everything; what stays the same costs nothing."""
        self._look_for_suggestion()
        self._show_choices()
        self._show_labels()
        if self.is_on_a_line:
            self._show_below()
            return
        is_low = self.size.height < _ATTACHED_FROM
        self.set_class(is_low, "-low")
        room = self.size.height - _FIELD_ROWS - (self.draft.side is Side.BUY and not is_low)
        state = self._state_lines()
        room -= len(state)
        room -= self._show_notes(room)
        self._show_figures(room)
        self.state.show(state)

    def _show_choices(self) -> None:
        draft, ascii_only = self.draft, self.surface.options.ascii_only
        self.set_class(draft.time_in_force is TimeInForce.GTD, "-timed")
        self.set_class(draft.kind is OrderKind.MARKET, "-market")
        self.set_class(draft.side is Side.SELL, "-sell")
        self.price.placeholder = "auto" if draft.kind is OrderKind.MARKET else ""
        self.side.show(f" {draft.side.value:<4} ", side_role(draft.side))
        self.kind.show(f" {draft.kind.value}")
        self.time_in_force.show(f" {draft.time_in_force.value}")
        self.post_only.show(f" [{'x' if draft.is_post_only else ' '}] post-only")
        self.unit.show(f" {unit_of(draft).value}")
        market = self._market.market if self._market is not None else None
        terms = self._terms
        label = terms.outcome_labels[draft.outcome_index] if terms is not None else ""
        title = market.title if market is not None else ""
        if self.is_on_a_line:
            self.outcome.show((Cell(plain(label, ascii_only=ascii_only)),))
            return
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
            name = "Limit" if is_worst else FIELD_NAMES[field]
            if self.is_on_a_line:
                name = "at" if name == FIELD_NAMES[TicketField.PRICE] else name.lower()
            line = (Cell("!" if problem is not None else " ", role), Cell(name, Role.DIM))
            self.query_one(f"{FIELD_WIDGETS[field]}-label", TextLine).show(line)
        touch = paint_touch(
            self._book, terms.tick_size if terms is not None else None,
            ascii_only=self.surface.options.ascii_only,
        )  # fmt: skip
        is_word = self.draft.kind is OrderKind.MARKET and not self.draft.price_text
        # The unit belongs to a number, and there is none: the book decides.
        touch = touch[1:] if is_word else touch[:1] if self.is_on_a_line else touch
        self.touch.show(() if is_word and self.is_on_a_line else touch)

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
        shown: dict[str, tuple[Line, ...]] = dict.fromkeys(_NOTES, ())
        used = 0
        for problem in self._problems():
            block = _block_of(problem)
            if shown[block] or (self._is_quiet(problem) and used):
                continue
            shown[block] = self._paint_note(problem, problem)[: max(0, room - used)]
            used += len(shown[block])
        for name, lines in shown.items():
            self.query_one(f"#{name}", TextBlock).show(lines)
        return used

    def _paint_note(self, problem: Problem, said: Problem) -> tuple[Line, ...]:
        """Paint a problem in the words of `said`, with the key that mends it."""
        key = key_label(
            next(iter(self.surface.options.keymap.keys_of("ticket.use_suggestion")), "")
        )
        return paint_problem(
            said, self.draft, self.size.width,
            key=key if problem is self._fixable() else "", is_quiet=self._is_quiet(problem),
        )  # fmt: skip

    def _show_below(self) -> None:
        """Say all there is to say below the one line of fields."""
        chosen: dict[str, Problem] = {}
        for problem in self._problems():
            if not (self._is_quiet(problem) and chosen):
                _ = chosen.setdefault(_block_of(problem), problem)
        notes = [
            self._paint_note(problem, name_problem(problem, is_quiet=self._is_quiet(problem)))
            for problem in chosen.values()
        ]
        check, ascii_only = self._check, self.surface.options.ascii_only
        figures = paint_figures(
            self.draft, check.numbers if check is not None else None,
            width=self.size.width, height=1, ends=self._ends, after=self._after,
            ascii_only=ascii_only,
        )  # fmt: skip
        # Which key reviews is in the footer too, a refusal says itself that it is one: both give
        # way to what has to be read.
        is_said = bool(notes) and (self._refusal is not None or not self._message)
        state = () if is_said else self._state_lines()
        key = key_label(next(iter(self.surface.options.keymap.keys_of("ticket.switch_form")), ""))
        lines = paint_below(
            pack_notes(notes, self.size.width), figures, state, width=self.size.width,
            more=(Cell(f" {key}", Role.KEY), Cell(" shows all", Role.DIM)),
            is_forbidden=any(not problem.is_warning for problem in chosen.values()),
            ascii_only=ascii_only,
        )  # fmt: skip
        self.below.show(lines)

    def _show_figures(self, room: int) -> None:
        check = self._check
        self.figures.show(
            paint_figures(
                self.draft, check.numbers if check is not None else None,
                width=self.size.width, height=room, ends=self._ends, after=self._after,
                ascii_only=self.surface.options.ascii_only,
            )
        )  # fmt: skip

    def _state_lines(self) -> tuple[Line, ...]:
        if self._message:
            return wrap_line(self._message, max(8, self.size.width), most=_STATE_LINES)
        check = self._check
        if check is None:
            return ((Cell(f" Loading the market{self._dots}", Role.DIM),),)
        if check.intent is None or self._forbidden is not None:
            return ()
        key = key_label(next(iter(self.surface.options.keymap.keys_of("ticket.review")), ""))
        return ((Cell(f" {key} ", Role.KEY), Cell("review", Role.DIM)),)
