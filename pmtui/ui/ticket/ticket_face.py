"""The ticket's face: paints its state into the fields and the lines below them.

Keys and orders are handled by the pane. In a small region notes and figures are dropped line by
line, never cropped. If even that leaves no room for the ladder, the fields stand on one line.
"""

from pmtui.domain.markets.market import Side
from pmtui.domain.orders.order import TimeInForce
from pmtui.domain.ticket.draft import OrderKind, Problem, TicketField, unit_of
from pmtui.ui.cells import Cell, Line
from pmtui.ui.keys.actions import Keymap, key_label
from pmtui.ui.plain import plain
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.fields import FIELD_WIDGETS, MORE, TextBlock, TicketLayout
from pmtui.ui.ticket.paint_ticket import (
    FIELD_NAMES,
    name_problem,
    pack_notes,
    paint_below,
    paint_figures,
    paint_outcome,
    paint_problem,
    paint_touch,
    side_role,
    wrap_line,
)
from pmtui.ui.ticket.ticket_state import TicketState
from pmtui.ui.widgets.text_line import TextLine

_FIELD_ROWS = 4
_STATE_LINES = 4
_SLIM = 35
"""In fewer columns the words of a row are closer together."""
_TIGHT = 77
"""A line of fields narrower than this drops words."""
_ATTACHED_FROM = 11
"""From this height on, a row shows the stop and the target attached to a purchase."""

# The block of notes for each field's problems, from the top down.
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


class TicketFace:
    """Shows the state of one ticket."""

    def __init__(self, layout: TicketLayout, state: TicketState, keymap: Keymap) -> None:
        self._layout = layout
        self._state = state
        self._keymap = keymap

    def write_fields(self) -> None:
        """Write the draft into the fields."""
        draft, layout = self._state.draft, self._layout
        fields = (layout.price, layout.size_field, layout.expiry, layout.stop, layout.target)
        texts = (
            draft.price_text, draft.size_text, draft.expiry_text, draft.stop_text,
            draft.target_text,
        )  # fmt: skip
        for field, text in zip(fields, texts, strict=True):
            field.fill(text)

    def fixable(self) -> Problem | None:
        """Return the problem that the suggestion key fixes: the focused field's first."""
        fixable = [p for p in self._state.problems() if p.fix is not None]
        focused = self._layout.screen.focused
        near = [
            p for p in fixable if focused is not None and FIELD_WIDGETS[p.field] == f"#{focused.id}"
        ]
        return next(iter([*near, *fixable]), None)

    def paint(self) -> None:
        """Paint everything; unchanged parts cost nothing."""
        self._show_choices()
        self._show_labels()
        self._layout.set_class(self._is_slim, "-slim")
        if self._layout.has_class("-line"):
            self._layout.set_class(self._is_tight, "-tight")
            self._show_below()
            return
        is_low = self._layout.size.height < _ATTACHED_FROM
        self._layout.set_class(is_low, "-low")
        room = (
            self._layout.size.height
            - _FIELD_ROWS
            - (self._state.draft.side is Side.BUY and not is_low)
        )
        state = self._state_lines()
        room -= len(state)
        room -= self._show_notes(room)
        self._show_figures(room)
        self._layout.state.show(state)

    @property
    def _is_slim(self) -> bool:
        return self._layout.size.width < _SLIM and not self._layout.has_class("-line")

    @property
    def _is_tight(self) -> bool:
        return self._layout.has_class("-line") and self._layout.size.width < _TIGHT

    def _show_choices(self) -> None:
        draft = self._state.draft
        self._layout.set_class(draft.time_in_force is TimeInForce.GTD, "-timed")
        self._layout.set_class(draft.kind is OrderKind.MARKET, "-market")
        self._layout.set_class(draft.side is Side.SELL, "-sell")
        self._layout.price.placeholder = "auto" if draft.kind is OrderKind.MARKET else ""
        # On one line there is no room for a mark, and next to the word it would look like a letter.
        is_line = self._layout.has_class("-line")
        lead, more = (" ", "") if is_line else ("", f" {MORE}")
        side = f" {draft.side.value:<4} " if is_line else f"{draft.side.value}{more}"
        self._layout.side.show(side, side_role(draft.side))
        self._layout.kind.show(f"{lead}{draft.kind.value}{more}")
        self._layout.time_in_force.show(f"{lead}{draft.time_in_force.value}{more}")
        is_crowded = self._is_tight or (self._is_slim and draft.time_in_force is TimeInForce.GTD)
        # As the command line spells it.
        name = "po" if is_crowded else "post-only"
        self._layout.post_only.show(f" [{'x' if draft.is_post_only else ' '}] {name}")
        self._layout.unit.show(f" {unit_of(draft).value}{more}")
        market = self._state.market.market if self._state.market is not None else None
        terms = self._state.terms
        label = terms.outcome_labels[draft.outcome_index] if terms is not None else ""
        title = market.title if market is not None else ""
        if self._layout.has_class("-line"):
            self._layout.outcome.show((Cell(plain(label)),))
            return
        self._layout.outcome.show((Cell(" "), *paint_outcome(label, title)))

    def _show_labels(self) -> None:
        terms = self._state.terms
        marks = {
            p.field: p for p in reversed(self._state.problems()) if not self._state.is_quiet(p)
        }
        for field in (TicketField.PRICE, TicketField.SIZE):
            problem = marks.get(field)
            role = Role.DIM if problem is None else Role.NOTICE_BAD
            if problem is not None and problem.is_warning:
                role = Role.NOTICE_WARN
            is_worst = field is TicketField.PRICE and self._state.draft.kind is OrderKind.MARKET
            name = "Limit" if is_worst else FIELD_NAMES[field]
            if self._layout.has_class("-line"):
                name = "at" if name == FIELD_NAMES[TicketField.PRICE] else name.lower()
            self._show_label(field, name, "!" if problem is not None else "", role)
        for field, name in ((TicketField.STOP, "Stop"), (TicketField.TARGET, "Target")):
            problem = marks.get(field)
            self._show_label(
                field, name, "!" if problem is not None else "",
                Role.NOTICE_WARN if problem is None or problem.is_warning else Role.NOTICE_BAD,
            )  # fmt: skip
        touch = paint_touch(
            self._state.book, terms.tick_size if terms is not None else None,
            width=self._layout.touch.size.width,
        )  # fmt: skip
        is_word = self._state.draft.kind is OrderKind.MARKET and not self._state.draft.price_text
        # Without a price there is no unit to show: the book decides.
        touch = touch[1:] if is_word else touch[:1] if self._layout.has_class("-line") else touch
        self._layout.touch.show(() if is_word and self._layout.has_class("-line") else touch)

    def _show_label(self, field: TicketField, name: str, mark: str, role: Role) -> None:
        """Paint a field's name with its problem's mark; with the focus it is bright and marked."""
        widget = FIELD_WIDGETS[field]
        screen = self._layout.screen
        focused = screen.focused if screen.app.screen is screen else None
        is_here = focused is not None and f"#{focused.id}" == widget
        sign = Cell(mark, role) if mark else Cell("▸" if is_here else " ", Role.KEY)
        words = Cell(name, Role.KEY if is_here else Role.DIM)
        self._layout.query_one(f"{widget}-label", TextLine).show((sign, words))

    def _show_notes(self, room: int) -> int:
        """Show the first problem of each block, the blocking ones first; return the lines used."""
        shown: dict[str, tuple[Line, ...]] = dict.fromkeys(_NOTES, ())
        used = 0
        for problem in self._state.problems():
            block = _block_of(problem)
            if shown[block] or (self._state.is_quiet(problem) and used):
                continue
            shown[block] = self._paint_note(problem, problem)[: max(0, room - used)]
            used += len(shown[block])
        for name, lines in shown.items():
            self._layout.query_one(f"#{name}", TextBlock).show(lines)
        return used

    def _paint_note(self, problem: Problem, said: Problem) -> tuple[Line, ...]:
        """Paint a problem with the text of `said`, and the key that fixes it."""
        key = self._key("use_suggestion")
        return paint_problem(
            said, self._state.draft, self._layout.size.width,
            key=key if problem is self.fixable() else "", is_quiet=self._state.is_quiet(problem),
        )  # fmt: skip

    def _show_below(self) -> None:
        """Show everything below the one line of fields."""
        chosen: dict[str, Problem] = {}
        for problem in self._state.problems():
            if not (self._state.is_quiet(problem) and chosen):
                _ = chosen.setdefault(_block_of(problem), problem)
        notes = [
            self._paint_note(problem, name_problem(problem, is_quiet=self._state.is_quiet(problem)))
            for problem in chosen.values()
        ]
        check = self._state.check
        figures = paint_figures(
            self._state.meant, check.numbers if check is not None else None,
            width=self._layout.size.width, height=1 if notes or self._state.message else 2,
            ends=self._state.ends, after=self._state.after, is_mirrored=self._state.is_mirrored,
        )  # fmt: skip
        # The review key is in the footer, too, and a refusal says that it is one: both give way to
        # problems, and the key to figures.
        is_said = bool(notes) and (self._state.refusal is not None or not self._state.message)
        state = () if is_said or len(figures) > 1 else self._state_lines()
        key = self._key("switch_form") if self._layout.has_whole_form else ""
        lines = paint_below(
            pack_notes(notes, self._layout.size.width), figures, state, width=self._layout.size.width,
            more=(Cell(f" {key}", Role.KEY), Cell(" shows all", Role.DIM)) if key else (),
            is_forbidden=any(not problem.is_warning for problem in chosen.values()),
        )  # fmt: skip
        self._layout.below.show(lines)

    def _show_figures(self, room: int) -> None:
        check = self._state.check
        self._layout.figures.show(
            paint_figures(
                self._state.meant, check.numbers if check is not None else None,
                width=self._layout.size.width, height=room, ends=self._state.ends, after=self._state.after,
                is_mirrored=self._state.is_mirrored,
            )
        )  # fmt: skip

    def _state_lines(self) -> tuple[Line, ...]:
        if self._state.message:
            return wrap_line(
                self._state.message, max(8, self._layout.size.width), most=_STATE_LINES
            )
        check = self._state.check
        if check is None:
            dots = "…"
            return ((Cell(f" Loading the market{dots}", Role.DIM),),)
        if check.intent is None or self._state.forbidden is not None:
            return ()
        key = self._key("review")
        return ((Cell(f" {key} ", Role.KEY), Cell("review", Role.DIM)),)

    def _key(self, name: str) -> str:
        keys = self._keymap.keys_of(f"ticket.{name}")
        return key_label(keys[0]) if keys else ""
