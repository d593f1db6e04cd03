"""What painters return: lines of cells with a role and an emphasis, always of exact width.

A painter is a pure function from a view model and a width to lines. It names roles, never
colours, so it can be tested without a terminal and every theme can dress it.
"""

from collections.abc import Collection, Sequence
from enum import Flag, auto
from typing import NamedTuple, TypeAlias

from rich.cells import cell_len, set_cell_size

from pmtui.ui.plain import Align, cell_width
from pmtui.ui.theme.theme import Role


class Emphasis(Flag):
    """Text styles beyond the role's colour."""

    NONE = 0
    BOLD = auto()
    DIM = auto()
    ITALIC = auto()
    UNDERLINE = auto()
    REVERSE = auto()


class Cell(NamedTuple):
    """A piece of text with one meaning."""

    text: str
    role: Role = Role.TEXT
    emphasis: Emphasis = Emphasis.NONE
    ground: Role | None = None
    """The role that colours the background; without one it is the widget's background."""


Line: TypeAlias = tuple[Cell, ...]


class Row(NamedTuple):
    """A row of a table: a key that stays the same over updates, and one cell for each column."""

    key: str
    cells: tuple[Cell, ...]
    ground: Role | None = None
    tail: Line = ()
    """What goes on behind the text of the last column."""
    span: int | None = None
    """The index of the column from which the last cell takes all the room."""


EXTRA_PRIORITY = 3
"""A column of this priority or above is shown only when all others have their full width."""


class Column(NamedTuple):
    """A column of a table."""

    key: str
    title: str
    width: int
    """Its width in cells; a growing column is never narrower."""
    priority: int = 0
    """0 keeps it on every screen; of the others the largest number is dropped first."""
    align: Align = Align.LEFT
    grow: int = 0
    """Its share of the remaining width; 0 keeps `width`."""
    ease: int = 0
    """Its width before columns of priority 3 and above are shown."""
    is_essential: bool = False
    """Whether it cannot be hidden: it names the row, or qualifies its prices."""
    about: str = ""
    """Its name in the column chooser, if other than its title."""
    silent: tuple[str, ...] | None = None
    """Texts without information: the column is left out while every row shows one of these."""
    is_name: bool = False
    """Whether it names the row: names that would be cut to the same text are cut distinctly."""

    @property
    def name(self) -> str:
        """Its name in the column chooser."""
        return self.about or self.title


def line_width(line: Line) -> int:
    """Return how many cells a line takes."""
    width = 0
    for cell in line:
        text = cell.text
        # Nearly every text is ASCII, and every line of every frame is measured.
        width += len(text) if text.isascii() and text.isprintable() else cell_len(text)
    return width


def focus_mark() -> str:
    """Return the sign of the focused pane; a colour alone would not do."""
    return "■"


def blank_line(width: int) -> Line:
    """Return an empty line."""
    return (Cell(" " * width),)


def choose_form(forms: Sequence[Line], width: int) -> Line:
    """Return the first form that fits, else the last."""
    return next((form for form in forms if line_width(form) <= width), forms[-1])


def fit_line(line: Line, width: int) -> Line:
    """Return the line in exactly `width` cells: padded, or cropped with an ellipsis."""
    room = width - line_width(line)
    if room >= 0:
        ground = line[-1].ground if line else None
        return (*line, Cell(" " * room, ground=ground)) if room else line
    fitted: list[Cell] = []
    room = width - 1
    for cell in line if width > 0 else ():
        size = cell_width(cell.text)
        if size > room:
            fitted.append(cell._replace(text=set_cell_size(cell.text, room) + "…"))
            break
        fitted.append(cell)
        room -= size
    return tuple(fitted)


def bar_text(
    part: int,
    whole: int,
    width: int,
    *,
    is_from_right: bool = False,
) -> str:
    """Return a bar of `width` cells, filled in the proportion of `part` to `whole`.

    A part above 0 always shows something.
    """
    if part <= 0 or whole <= 0 or width <= 0:
        return " " * max(0, width)
    halves = min(width * 2, max(1, part * width * 2 // whole))
    full, rest = divmod(halves, 2)
    # Half a row high, so that bars in rows below each other stay apart.
    if is_from_right:
        return ("▗" * rest + "▄" * full).rjust(width)
    return ("▄" * full + "▖" * rest).ljust(width)


def fit_columns(
    columns: Sequence[Column], width: int, *, hidden: Collection[str] = ()
) -> tuple[tuple[int, int], ...]:
    """Choose the columns that fit, with one cell between them.

    Args:
        columns: from left to right.
        width: the cells available.
        hidden: keys of hidden columns; an essential one is shown all the same.

    Returns:
        Pairs of the column's index and its width. When not even the columns of priority 0 fit,
        the leftmost are kept, and the last one is narrowed.
    """
    chosen = [
        i for i, column in enumerate(columns) if column.is_essential or column.key not in hidden
    ]
    while any(columns[i].priority for i in chosen):
        last = max(chosen, key=lambda i: (columns[i].priority, i))
        is_extra = columns[last].priority >= EXTRA_PRIORITY
        if _needed(columns, chosen, is_eased=is_extra) <= width:
            break
        chosen.remove(last)
    free = width - _needed(columns, chosen)
    growing = [i for i in chosen if columns[i].grow]
    shares = sum(columns[i].grow for i in growing)
    sizes = {i: columns[i].width for i in chosen}
    for i in growing:
        if free > 0:
            sizes[i] += free * columns[i].grow // shares
    if growing and free > 0:
        sizes[growing[0]] += width - sum(sizes.values()) - max(0, len(chosen) - 1)
    return _squeeze([(i, sizes[i]) for i in chosen], width)


def least_width(columns: Sequence[Column]) -> int:
    """Return the width of the columns of priority 0, with one cell between them."""
    return _needed(columns, [i for i, column in enumerate(columns) if not column.priority])


def _needed(columns: Sequence[Column], chosen: Sequence[int], *, is_eased: bool = False) -> int:
    sizes = (max(columns[i].width, columns[i].ease * is_eased) for i in chosen)
    return sum(sizes) + max(0, len(chosen) - 1)


def _squeeze(sized: list[tuple[int, int]], width: int) -> tuple[tuple[int, int], ...]:
    kept: list[tuple[int, int]] = []
    room = width
    for index, size in sized:
        if room <= 0:
            break
        kept.append((index, min(size, room)))
        room -= size + 1
    return tuple(kept)
