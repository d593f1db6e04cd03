"""The card between ticket and venue: it shows what is signed, beside the prices it is about."""

import re
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import ClassVar, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.getters import query_one
from typing_extensions import override

from pmtui.service.surface import PreparedOrder, Subscription
from pmtui.ui.cells import Cell, Line
from pmtui.ui.facts import key_of
from pmtui.ui.frame import is_live, ladder_bottom
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import bindings_for, bindings_of
from pmtui.ui.modal import Modal, form_below
from pmtui.ui.surface import Surface
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.paint_confirm import Occasion, least_lines, paint_confirm
from pmtui.ui.ticket.ticket_state import WOULD_BE_REFUSED, numbers_of, review_order, topics_of
from pmtui.ui.widgets.text_line import KeyLine, TextLine, answer_entries, answer_keys

CARD_WIDTH = 42
NARROWEST = 28
"""On a narrower card facts would break into too many lines to be read at a glance."""
WIDE = 76
"""A card above a ticket has few rows: this is wide enough for two facts on a line."""
LADDER = 42
"""Columns of the ladder at the left of a small screen, to be kept visible."""
_LEAST_ABOVE = 14
"""The fewest rows above a ticket for a wide card."""
_HEADER = 3
"""Rows of status and market, which a card covers last."""


class CardRegion(NamedTuple):
    """A region of the screen, in cells."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """The first column to the right of it."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """The first row below it."""
        return self.y + self.height


def place_card(
    screen: tuple[int, int],
    form: CardRegion | None,
    height_of: Callable[[int], int],
    least_of: Callable[[int], int] | None = None,
    *,
    bottom: int | None = None,
) -> CardRegion:
    """Return the region for the card.

    Over the form that it repeats, which it covers whole, and beside the ladder, whose prices it is about.
    Above a ticket on one line, because both fit; without a form at the right. It is wider where a small
    screen would cut it off.

    Args:
        screen: columns and rows.
        form: the region of the ticket or of the form that it is about; None for none.
        height_of: returns the rows that the card takes at a width, borders included.
        least_of: returns the fewest rows that it needs; by default the same.
        bottom: the row above which it ends without a form, if it fits there; None for the last.
    """
    columns, rows = screen
    least_of = least_of or height_of
    if form is not None and is_above(screen, form):
        width = min(CARD_WIDTH, columns - LADDER)
        if width < NARROWEST or least_of(width) > form.y:
            width = min(WIDE, columns)
        height = min(height_of(width), form.y)
        y = form.y - height
        # The ticket's title stays visible unless the header would go instead.
        return CardRegion(columns - width, y - 1 if y > _HEADER else y, width, height)
    width = min(CARD_WIDTH, columns)
    if columns - LADDER >= NARROWEST:
        width = min(width, columns - LADDER)
    if form is not None:
        width = max(width, form.width)
    if least_of(width) > rows:
        width = min(WIDE, columns)
    height = min(max(height_of(width), form.height if form is not None else 0), rows)
    # Leave the last row, which shows the keys, and the header's, if possible.
    last = max(rows - 1 - height, 0)
    if form is None or form.width == 0:
        above = last if bottom is None else min(max(bottom - height, _HEADER), last)
        return CardRegion(columns - width, above, width, height)
    y = min(max(form.bottom - height, min(_HEADER, form.y)), last)
    return CardRegion(min(form.x, columns - width), y, width, height)


def is_above(screen: tuple[int, int], ticket: CardRegion) -> bool:
    """Return whether a card goes above the ticket: no room beside it, and enough above."""
    is_whole_width = screen[0] - ticket.width < NARROWEST
    return is_whole_width and ticket.y >= _LEAST_ABOVE


def rows_for_card(screen: tuple[int, int], ticket: CardRegion | None) -> int:
    """Return how many rows a card may take."""
    return ticket.y if ticket is not None and is_above(screen, ticket) else screen[1]


ARMING_PAUSE_S = 0.15
"""A second enter of an impatient finger must not send what nobody has read."""
_CLOCK_S = 1.0
_LOOKS = 3
"""The refreshes after which a form that opened or moved has its place."""
_CHROME = 4
"""Columns of border and padding; rows of border, hint and keys."""


def _nowhere() -> CardRegion | None:
    return None


class CardScreen(Modal[bool]):
    """Shows what is about to be signed; enter sends it, escape changes nothing."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.CONFIRM)
    AGREE: ClassVar[str] = "Send"
    """The label of the agreeing key."""

    DEFAULT_CSS = """
    CardScreen { align: left top; }
    CardScreen > #card {
        height: auto; background: $panel; border: heavy $warning; padding: 0 1;
    }
    """

    hint = query_one("#hint", TextLine)

    def __init__(
        self, *, surface: Surface, orders: Sequence[PreparedOrder] = (),
        doubt: Callable[[], str] = lambda: "", form: Callable[[], CardRegion | None] = _nowhere,
    ) -> None:  # fmt: skip
        """Ask for confirmation.

        Args:
            surface: the service, for its clock and mode, and the user's choices.
            orders: what is sent; what may change the reasons against them is followed.
            doubt: returns why it may be a mistake now; empty for no reason.
            form: returns the region of the form that it is about, if that is not the screen below.
        """
        super().__init__()
        self._surface = surface
        self._orders = tuple(orders)
        self._doubt_now = doubt
        self._doubt = doubt()
        self._form = form
        self._placed: CardRegion | None = None
        self._shown_at_s: float | None = None
        self._opened_time = 0.0
        self._has_details = False
        self._rows: tuple[TextLine, ...] = ()
        self._inner = 0
        """Cells of a line of it, as it stands."""
        self._watching: Subscription | None = None

    @property
    def details_key(self) -> str:
        """The key that shows addresses and id; empty once they are shown."""
        keymap = self._surface.options.keymap
        return "" if self._has_details else key_of(keymap, "confirm.details")

    async def action_details(self) -> None:
        """Show addresses and id as well, on a card that has them."""
        self._has_details = True
        await self.recompose()

    @abstractmethod
    def card_lines(self, width: int) -> tuple[Line, ...]:
        """Return the card's lines, painted from the fields that are hashed."""

    def least_lines(self, width: int) -> int:
        """Return the fewest lines that leave nothing out."""
        return len(self.card_lines(width))

    def lines_within(self, width: int, most: int) -> tuple[Line, ...]:  # noqa: ARG002 - for cards that can be dense
        """Return what the card says, in so many lines if that leaves nothing out."""
        return self.card_lines(width)

    def judge_again(self) -> bool:
        """Take the reasons against it as they are now; return whether there is a new one to be read."""
        before, self._doubt = self._doubt, self._doubt_now()
        return bool(self._doubt) and not before

    def on_mount(self) -> None:
        """Follow the form, and what the reasons against it depend on: the screen behind rests meanwhile."""
        self._follow_form()
        if self._orders:
            subscribe = self._surface.subscriptions.subscribe
            self._watching = subscribe(
                topics_of(self._orders), lambda _: self.call_next(self._update)
            )
            # Time alone makes a timed order too short, also while the book is quiet.
            _ = self.set_interval(_CLOCK_S, self._update)

    def on_unmount(self) -> None:
        """Watch nothing any more."""
        if self._watching is not None:
            self._watching.close()

    def _update(self) -> None:
        """Show the reasons against it as they are now, where it stands; one that needs more lines grows."""
        if not is_live(self) or not self._rows:
            return
        if self.judge_again():
            # Whoever is about to agree has not read it yet.
            self._shown_at_s = None
            self.call_after_refresh(self._start_pause)
        lines = self.lines_within(self._inner, len(self._rows))
        if len(lines) > len(self._rows):
            _ = self.call_after_refresh(self.recompose)
            return
        keys = next(iter(self.query(KeyLine)), None)
        if keys is None:
            # It is being composed again, with what is true now.
            return
        for row, line in zip_longest(self._rows, lines, fillvalue=()):
            if isinstance(row, TextLine):
                row.show(line)
        keys.show_keys(answer_entries(self.agree, self._surface.options), self._inner)

    @property
    def agree(self) -> str:
        """The label of the agreeing key now."""
        return self.AGREE

    @property
    def room(self) -> int:
        """The lines available to the card on this screen."""
        columns, rows = self.app.size
        return max(rows_for_card((columns, rows), self._region_of_form()) - _CHROME, 1)

    @override
    def compose(self) -> ComposeResult:
        options = self._surface.options
        place = self._placed = self._place()
        width = self._inner = place.width - _CHROME
        self._rows = tuple(TextLine(line) for line in self.card_lines(width))
        with Vertical(id="card") as card:
            card.styles.width = place.width
            card.styles.min_height = place.height
            card.styles.offset = (place.x, place.y)
            yield from self._rows
            yield TextLine(id="hint")
            yield answer_keys(self.agree, options, width=width)

    def on_resize(self) -> None:
        """Follow the form on a screen of another size."""
        self._follow_form()

    def _follow_form(self, looks: int = _LOOKS) -> None:
        """Stand where the form stands once the screen below is laid out, which may take some refreshes."""
        if self._placed is None or not is_live(self):
            # A card that is laid out in another way has no place to keep.
            return
        if self._place() != self._placed:
            _ = self.call_after_refresh(self.recompose)
        if looks:
            # A layout of theirs that fell into the composing of this card is not begun by itself.
            for screen in self.app.screen_stack:
                screen.check_idle()
            _ = self.call_after_refresh(self._follow_form, looks - 1)

    def _place(self) -> CardRegion:
        columns, rows = self.app.size
        return place_card(
            (columns, rows),
            self._region_of_form(),
            lambda width: len(self.card_lines(width - _CHROME)) + _CHROME,
            lambda width: self.least_lines(width - _CHROME) + _CHROME,
            bottom=ladder_bottom(self.app),
        )

    def _region_of_form(self) -> CardRegion | None:
        """Return where the ticket stands, or the form below."""
        if (region := self._form()) is not None:
            return region
        frame = form_below(self)
        return None if frame is None else CardRegion(*frame)

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Start the pause once the card is visible."""
        self._opened_time = event.time
        self.call_after_refresh(self._start_pause)

    def on_key(self, event: events.Key) -> None:
        """Ignore a sending key that was pressed before the card could be read."""
        keymap = self._surface.options.keymap
        if event.key not in keymap.keys_of("confirm.accept"):
            meant = {*keymap.keys_of("confirm.decline"), *keymap.keys_of("confirm.details")}
            if event.is_printable and event.key not in meant:
                back = key_of(keymap, "confirm.decline")
                self.hint.show((Cell(f"Answer this first; {back} to go back", Role.NOTICE_WARN),))
            return
        if event.time <= self._opened_time or not self.is_armed:
            event.stop()
            self.hint.show((Cell("Too quick: read it first", Role.NOTICE_WARN),))
            self._await_pause()
        elif still_s := self.app.terminal.stood_still_s if isinstance(self.app, TerminalApp) else 0:
            event.stop()
            words = f"The line stood still for {still_s:.0f} s: look, then press again"
            self.hint.show((Cell(words, Role.NOTICE_WARN),))

    @property
    def is_armed(self) -> bool:
        """Whether the card has been visible for long enough."""
        shown_at_s = self._shown_at_s
        return (
            shown_at_s is not None
            and self._surface.queries.monotonic() - shown_at_s >= ARMING_PAUSE_S
        )

    def action_accept(self) -> None:
        """Send."""
        if self.is_armed:
            _ = self.dismiss(result=True)

    def action_decline(self) -> None:
        """Cancel without a change."""
        _ = self.dismiss(result=False)

    def _start_pause(self) -> None:
        if self._shown_at_s is None:
            self._shown_at_s = self._surface.queries.monotonic()

    def _await_pause(self) -> None:
        """Show when the key that came too early may be pressed again."""
        if self.is_armed:
            self.hint.show((Cell("Press again to send", Role.NOTICE_WARN),))
        else:
            self.set_timer(ARMING_PAUSE_S, self._await_pause)


_FIGURES = re.compile(r"[0-9][0-9.,]*")


def _kind_of(warning: str) -> str:
    """Return what a warning is about, without the figures that move with the market."""
    return _FIGURES.sub("0", warning)


class ConfirmScreen(CardScreen):
    """Shows a prepared order; enter sends it, escape returns to the unchanged ticket."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("confirm.details")

    def __init__(
        self,
        order: PreparedOrder,
        *,
        surface: Surface,
        doubt: str = "",
        warnings: tuple[str, ...] = (),
        also: tuple[tuple[str, str], ...] = (),
        form: Callable[[], CardRegion | None] = _nowhere,
    ) -> None:
        """Ask for confirmation.

        Args:
            order: the order to send.
            surface: the service, for its clock and mode, and the user's choices.
            doubt: why sending it may be a mistake; empty for none.
            warnings: further reasons against it.
            also: further facts, as names and values.
            form: returns the region of the form that it is about, if that is not the screen below.
        """
        super().__init__(surface=surface, orders=(order,), form=form)
        self._order = order
        self._own_doubt = doubt
        self._refusal = ""
        found = review_order(surface, order)
        judged = set() if found is None else {_kind_of(text) for text in found.warnings}
        self._lasting = tuple(text for text in warnings if _kind_of(text) not in judged)
        """Those that are of what was typed, which does not change any more."""
        self._occasion = Occasion(warnings=warnings, estimates=also)
        _ = self.judge_again()

    @override
    def judge_again(self) -> bool:
        before, was_refused = self._occasion.warnings, bool(self._refusal)
        numbers = numbers_of(self._surface, self._order)
        found = review_order(self._surface, self._order)
        if found is not None:
            now = {_kind_of(text): text for text in (*self._lasting, *found.warnings)}
            known = dict.fromkeys(map(_kind_of, before))
            # Those that stay keep their lines, with the figures of now.
            kinds = (*(k for k in known if k in now), *(k for k in now if k not in known))
            self._refusal = found.refusal
            self._occasion = replace(self._occasion, warnings=tuple(now[k] for k in kinds))
        self._occasion = replace(self._occasion, numbers=numbers)
        is_refused = bool(self._refusal) and not was_refused
        return is_refused or len(self._occasion.warnings) > len(before)

    @property
    def _against(self) -> str:
        if not self._refusal:
            return self._own_doubt
        return f"{WOULD_BE_REFUSED}: {self._refusal}. {self._own_doubt}".rstrip()

    @property
    def _as_shown(self) -> Occasion:
        return replace(self._occasion, details_key=self.details_key)

    @override
    def card_lines(self, width: int) -> tuple[Line, ...]:
        return self._paint(width, self.room)

    @override
    def lines_within(self, width: int, most: int) -> tuple[Line, ...]:
        if self.least_lines(width) > most:
            return self.card_lines(width)
        return self._paint(width, most)

    def _paint(self, width: int, height: int) -> tuple[Line, ...]:
        return paint_confirm(
            self._order,
            width,
            mode=self._surface.queries.status().mode,
            doubt=self._against,
            height=height,
            occasion=self._as_shown,
        )

    @override
    def least_lines(self, width: int) -> int:
        return least_lines(
            self._order,
            width,
            mode=self._surface.queries.status().mode,
            doubt=self._against,
            occasion=self._as_shown,
        )
