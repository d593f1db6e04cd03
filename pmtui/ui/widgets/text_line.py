"""Lines of cells that repaint only when they change and never ask for layout; one shows keys."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial

from rich.segment import Segment
from textual import events
from textual.geometry import Offset
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import FooterEntry, footer_entries
from pmtui.ui.surface import Options
from pmtui.ui.theme.role_styles import RoleStyles
from pmtui.ui.theme.theme import Role


class TextLine(Widget):
    """One row of the screen, given as cells and cropped to the width."""

    DEFAULT_CSS = """
    TextLine { height: 1; width: 1fr; }
    """

    def __init__(
        self, line: Line = (), *, id: str | None = None,  # noqa: A002 - Textual's word
        classes: str | None = None,
    ) -> None:  # fmt: skip
        """Start with a line, empty by default."""
        super().__init__(id=id, classes=classes)
        self._line: Line = line
        self._paint: Callable[[int], Line] | None = None
        self._width = 0

    @property
    def line(self) -> Line:
        """The full line, before cropping."""
        return self._line

    def show(self, line: Line) -> None:
        """Show these cells; does nothing when they are unchanged."""
        self._paint = None
        self._show(line)

    def show_in_width(self, paint: Callable[[int], Line]) -> None:
        """Show a line painted for the width, and again when the width changes."""
        self._paint, self._width = paint, self.size.width
        if self._width:
            self._show(paint(self._width))

    def _show(self, line: Line) -> None:
        if line != self._line:
            self._line = line
            if self.is_mounted:
                self.refresh(layout=False)

    @override
    def render_line(self, y: int) -> Strip:
        if y:
            return Strip([Segment(" " * self.size.width, self.rich_style)], self.size.width)
        if self._paint is not None and self._width != self.size.width:
            # A line that becomes visible is not always notified of its size.
            self._width = self.size.width
            self._line = self._paint(self._width)
        return RoleStyles.of_widget(self).strip(fit_line(self._line, self.size.width))


_ALWAYS = frozenset({"global.help", "global.quit"})


class KeyLine(TextLine):
    """Shows keys with their labels; a click presses the key."""

    def __init__(
        self,
        entries: tuple[FooterEntry, ...],
        options: Options,
        *,
        width: int,
        id: str | None = None,  # noqa: A002 - Textual's word
    ) -> None:
        """Show these keys.

        Args:
            entries: keys and what they do.
            options: the user's keys and character set.
            width: the cells available.
            id: of the widget.
        """
        super().__init__(
            paint_footer(entries, width),
            id=id,
        )
        self.on_change: Callable[[], object] | None = None
        """Called when it shows other keys."""
        self._entries = entries
        self._options = options
        # The width may turn out different: keys are left out whole then, never cropped.
        self._paint, self._width = partial(paint_footer, entries), width

    @property
    def entries(self) -> tuple[FooterEntry, ...]:
        """The keys shown."""
        return self._entries

    def show_keys(self, entries: tuple[FooterEntry, ...], width: int) -> None:
        """Show other keys or use another width; does nothing when both are unchanged."""
        if (entries, width) != (self._entries, self._width):
            self._entries = entries
            self._paint, self._width = partial(paint_footer, entries), width
            self._show(paint_footer(entries, width))
            if self.on_change is not None:
                _ = self.on_change()

    def on_click(self, event: events.Click) -> None:
        """Press the key of the clicked entry."""
        offset: Offset | None = event.get_content_offset(self)
        if offset is None:
            return
        entry = entry_at(self.line, offset.x, self._entries)
        keys = self._options.keymap.keys_of(entry.id) if entry is not None and entry.id else ()
        if keys:
            event.stop()
            self.app.simulate_key(keys[0])


def answer_keys(agree: str, options: Options, *, width: int) -> KeyLine:
    """Return the line of keys that answer a question."""
    return KeyLine(answer_entries(agree, options), options, width=width)


def answer_entries(agree: str, options: Options) -> tuple[FooterEntry, ...]:
    """Return the entries that answer a question."""
    entries = footer_entries(Context.CONFIRM, keymap=options.keymap)
    return tuple(replace(e, label=agree) if e.id == "confirm.accept" else e for e in entries)


def entry_at(line: Line, x: int, entries: tuple[FooterEntry, ...]) -> FooterEntry | None:
    """Return the entry painted at a column; None between entries."""
    start = 0
    for number, cell in enumerate(line):
        width = line_width((cell,))
        if cell.role is Role.KEY and number + 1 < len(line):
            label = line[number + 1]
            words = len(label.text.rstrip())
            if start <= x < start + width + words:
                return next(
                    (e for e in entries if (e.key, e.label) == (cell.text, label.text.strip())),
                    None,
                )
        start += width
    return None


class _Group(StrEnum):
    """The purposes of keys, in the order of the line."""

    TRADE = "TRADE"
    VIEW = "VIEW"
    GO = "GO"


_TRADING = frozenset({
    "market.buy", "market.sell", "market.protect", "ladder.trade_here", "row.buy", "row.sell",
})  # fmt: skip
"""Actions for trading, even those that ask first."""
_NAMES_FROM_WIDTH = 110


def _group_of(entry: FooterEntry) -> _Group:
    if entry.is_dangerous or entry.id in _TRADING:
        return _Group.TRADE
    return _Group.GO if entry.id.startswith("global.") else _Group.VIEW


def _grouped(entries: Sequence[FooterEntry], *, has_names: bool) -> Line:
    """Return the keys in their groups, separated by strokes."""
    groups = [(group, [e for e in entries if _group_of(e) is group]) for group in _Group]
    found = [(group, members) for group, members in groups if members]
    cells: list[Cell] = [Cell(" ")]
    for number, (group, members) in enumerate(found):
        if number:
            cells.append(Cell("│ ", Role.FRAME))
        if has_names and len(found) > 1:
            cells.append(Cell(f"{group.value} ", Role.DIM))
        cells += [cell for entry in members for cell in _entry(entry)]
    return tuple(cells)


def paint_footer(entries: tuple[FooterEntry, ...], width: int) -> Line:
    """Paint keys with labels, in groups: trading, view, navigation.

    The first entries matter most, and stay if there is little room. The last are always the help
    and the way out.
    """
    always = tuple(e for e in entries if e.id in _ALWAYS)
    shown = [e for e in entries if e not in always]
    tail = tuple(cell for e in always for cell in _entry(e))
    room = width - line_width(tail) - 1
    # The keys of a question are few, and none trades without it.
    is_question = any(e.id.startswith("confirm.") for e in shown)
    has_names = width >= _NAMES_FROM_WIDTH and not is_question
    line: Line = (Cell(" "),)
    for number in range(1, len(shown) + 1):
        longer = _grouped(shown[:number], has_names=has_names)
        if line_width(longer) > room:
            break
        line = longer
    return fit_line((*line, *tail), width)


def _entry(entry: FooterEntry) -> Line:
    return (
        Cell(entry.key, Role.KEY, Emphasis.BOLD),
        Cell(f" {entry.label}  ", Role.DIM),
    )
