"""A frame around a pane, with the main value in its title.

`╭─ PRICE 1d ────── 37.7 → 39.8 +2.1¢ ─╮` if there is room. On small screens (`-ruled` on the
screen) only the title remains, as a rule above the pane; a panel of class `-split` also has a
stroke at its left, towards its neighbour. A new title repaints one line and needs no layout.
"""

from collections.abc import Callable, Sequence
from enum import Enum, auto

from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from pmtui.ui.cells import Cell, Line, fit_line, focus_mark, line_width
from pmtui.ui.theme.role_styles import RoleStyles
from pmtui.ui.theme.theme import Role

FRAMES_FROM = Size(110, 30)
"""The smallest screen with frames; smaller ones have rules."""
_LEAST_DASHES = 1
"""The fewest dashes between a title and its value."""


class Edges(Enum):
    """The strokes that a panel draws."""

    FRAME = auto()
    RULE = auto()
    """A line above."""
    SPLIT = auto()
    """A line above and one at the left."""


def are_frames_wanted(size: Size) -> bool:
    """Return whether panels have frames on a screen of this size."""
    return size.width >= FRAMES_FROM.width and size.height >= FRAMES_FROM.height


def paint_title(
    name: Line,
    value: Line,
    width: int,
    *,
    edges: Edges = Edges.FRAME,
    stroke: Role = Role.FRAME,
    is_focused: bool = False,
) -> Line:
    """Return the line above a pane in exactly `width` cells.

    The value is left out if it does not fit whole beside the name; a name that does not fit is
    cropped.

    Args:
        name: what the pane shows; may be empty.
        value: the main value, at the right.
        width: the cells available.
        edges: which strokes the panel draws.
        stroke: the role of the strokes.
        is_focused: whether the pane has the focus, which a sign shows as well as the colour.
    """
    if width < len(_ENDS[edges][0]) + len(_ENDS[edges][1]):
        return fit_line((), width)
    left, right = _ENDS[edges]
    if is_focused:
        left = f"{left[:-1]}{focus_mark()}"
    begin = Cell(left, Role.KEY if is_focused and len(left) == 1 else stroke)
    room = width - len(left) - len(right)
    name, value = trim_line(name), trim_line(value)
    before, after = _spaced(name), _spaced(value)
    if line_width(before) + line_width(after) + _LEAST_DASHES > room:
        after = ()
    if line_width(before) > room:
        before = fit_line(trim_line(before), room) if room > 0 else ()
    dashes = max(0, room - line_width(before) - line_width(after))
    return (begin, *before, Cell("─" * dashes, stroke), *after, Cell(right, stroke))


_ENDS = {Edges.FRAME: ("╭─", "─╮"), Edges.RULE: ("─", "─"), Edges.SPLIT: ("├─", "─")}


def paint_below(width: int, *, stroke: Role = Role.FRAME) -> Line:
    """Return the line below a framed pane."""
    if width < len("╰╯"):
        return fit_line((), width)
    return (Cell(f"╰{'─' * (width - 2)}╯", stroke),)


def _spaced(line: Line) -> Line:
    return (Cell(" "), *line, Cell(" ")) if line else ()


def trim_line(line: Line) -> Line:
    """Return a line without the blanks at its ends, which are strokes in a title."""
    cells = [cell for cell in line if cell.text]
    while cells and not cells[0].text.strip() and cells[0].ground is None:
        del cells[0]
    while cells and not cells[-1].text.strip() and cells[-1].ground is None:
        del cells[-1]
    if cells:
        cells[0] = cells[0]._replace(text=cells[0].text.lstrip())
        cells[-1] = cells[-1]._replace(text=cells[-1].text.rstrip())
    return tuple(cells)


def fit_title(names: Sequence[Line], values: Sequence[Line], room: int) -> tuple[Line, Line]:
    """Put facts into a title as far as they fit whole; empty ones are left out.

    The first name is always kept, then the first value, then the rest.
    """
    sides: tuple[list[Cell], list[Cell]] = ([], [])
    ordered = [(0, names[0]), *((1, v) for v in values[:1])]
    ordered += [*((0, name) for name in names[1:]), *((1, value) for value in values[1:])]
    used = 0
    for side, fact in ordered:
        gap = (Cell("  "),) if sides[side] else ()
        size = line_width((*gap, *fact))
        if fact and (used + size <= room or not used):
            sides[side].extend((*gap, *fact))
            used += size
    return tuple(sides[0]), tuple(sides[1])


class Panel(Widget):
    """Holds and frames one pane. Content shared by several panes has its own container.

    A `LinePane` sets its title itself; others call `show_title`.
    """

    SCOPED_CSS = False
    """The class that removes the frames belongs to the screen."""
    DEFAULT_CSS = """
    Panel { layout: vertical; height: 1fr; }
    Panel > * { margin: 1 2; }
    Panel.-tight > * { margin: 1 1; }
    .-ruled Panel > * { margin: 1 0 0 0; }
    .-ruled Panel.-split > * { margin: 1 1 0 2; }
    .-ruled Panel.-split.-tight > * { margin: 1 0 0 1; }
    Panel.-table > LineTable { margin: 1 1 1 2; }
    .-ruled Panel.-table > LineTable { margin: 1 0 0 1; }
    """

    def __init__(
        self,
        *children: Widget,
        title: Line = (),
        id: str | None = None,  # noqa: A002 - Textual's word
        classes: str | None = None,
    ) -> None:
        """Frame a pane.

        Args:
            children: the pane.
            title: the initial title.
            id: of the widget.
            classes: `-tight` for a pane that keeps a column free at its left itself; `-table` for
                tables,
                which keep one at their right; `-split`.
        """
        super().__init__(*children, id=id, classes=classes)
        self._subject: Line = title
        self._value: Line = ()
        self._paint: Callable[[int], tuple[Line, Line]] | None = None
        self._painted_for = -1
        self._look: Role | None = None

    @property
    def edges(self) -> Edges:
        """The strokes for the current size."""
        if not self.screen.has_class("-ruled"):
            return Edges.FRAME
        return Edges.SPLIT if self.has_class("-split") else Edges.RULE

    @property
    def title_room(self) -> int:
        """The cells that name and value have together, the strokes between them included."""
        left, right = _ENDS[self.edges]
        return max(0, self.size.width - len(left) - len(right) - 2 * 2 - _LEAST_DASHES)

    @property
    def title_line(self) -> Line:
        """The line above the pane as painted."""
        return self._edge(0)

    def show_title(self, name: Line, value: Line = ()) -> None:
        """Show another title; does nothing when it is unchanged."""
        self._paint = None
        self._show(name, value)

    def show_title_in_width(self, paint: Callable[[int], tuple[Line, Line]]) -> None:
        """Show a title painted for the width, and again when the width changes."""
        self._paint, self._painted_for = paint, self.title_room
        self._show(*paint(self._painted_for))

    def show_look(self, stroke: Role | None) -> None:
        """Draw the strokes in another role; None for the default."""
        if stroke is not self._look:
            self._look = stroke
            if self.is_mounted:
                self.refresh()

    def on_descendant_focus(self) -> None:
        """Show the focus."""
        self.refresh()

    def on_descendant_blur(self) -> None:
        """Remove the focus sign."""
        self.refresh()

    @override
    def render_line(self, y: int) -> Strip:
        return RoleStyles.of_widget(self).strip(self._edge(y))

    def _edge(self, y: int) -> Line:
        width, height = self.size
        edges = self.edges
        # Behind a form its widgets keep the focus, but the keys go to the form.
        is_focused = self.has_focus_within and self.app.screen is self.screen
        stroke = self._look or (Role.FRAME_FOCUS if is_focused else Role.FRAME)
        if y == 0:
            if self._paint is not None and self._painted_for != self.title_room:
                self._painted_for = self.title_room
                self._subject, self._value = self._paint(self._painted_for)
            return paint_title(
                self._subject, self._value, width, edges=edges, stroke=stroke, is_focused=is_focused
            )
        if edges is Edges.RULE or width < 2:
            return fit_line((), width)
        if edges is Edges.SPLIT:
            return fit_line((Cell("│", stroke),), width)
        if y == height - 1:
            return paint_below(width, stroke=stroke)
        return (Cell("│", stroke), Cell(" " * (width - 2)), Cell("│", stroke))

    def _show(self, name: Line, value: Line) -> None:
        if (name, value) != (self._subject, self._value):
            self._subject, self._value = name, value
            if self.is_mounted and self.size.width:
                self.refresh(Region(0, 0, self.size.width, 1))
