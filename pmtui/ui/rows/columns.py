"""The chooser for a list's columns, in a strip below it: changes show above at once."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen, Screen
from typing_extensions import override

from pmtui.config.workplace import Memory
from pmtui.ui.cells import Cell, Column, Emphasis, Line
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import STOPPING, bindings_for, bindings_of
from pmtui.ui.modal import Dimming
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_pane import LinePane
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.panel import Panel

_GAP = 2
_MOST_LINES = 4
_EDGES = 2
"""Lines of its frame."""


class Chip(NamedTuple):
    """A column's place in the strip."""

    column: Column
    line: int
    at: int
    """Cells to its left."""

    @property
    def width(self) -> int:
        """The width of its mark and its name."""
        return len(self.column.name) + 2


def choosable(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return the columns that can be hidden."""
    return tuple(column for column in columns if not column.is_essential)


def place_chips(columns: Sequence[Column], width: int) -> tuple[Chip, ...]:
    """Place columns side by side, on as many lines as they need."""
    chips: list[Chip] = []
    line = at = 0
    for column in columns:
        if at and at + len(column.name) + 2 > width:
            line, at = line + 1, 0
        chips.append(Chip(column, line, at))
        at += len(column.name) + 2 + _GAP
    return tuple(chips)


def paint_chips(chips: Sequence[Chip], table: LineTable, cursor: int) -> tuple[Line, ...]:
    """Paint each column with a mark if it is wanted, dimmed if it is not shown."""
    lines: list[list[Cell]] = [[] for _ in range(chips[-1].line + 1)] if chips else []
    hidden, in_view = table.columns.hidden, table.columns.in_view
    for number, (column, line, at) in enumerate(chips):
        is_wanted, is_seen = column.key not in hidden, column.key in in_view
        mark = "■" if is_seen else "·" if is_wanted else " "
        ground = Role.CURSOR_ROW if number == cursor else None
        cells = lines[line]
        if at:
            cells.append(Cell(" " * _GAP))
        cells += [
            Cell(f"{mark} ", Role.KEY if is_seen else Role.DIM, ground=ground),
            Cell(
                column.name,
                Role.TEXT if is_seen else Role.DIM,
                Emphasis.BOLD if number == cursor else Emphasis.NONE,
                ground=ground,
            ),
        ]
    return tuple(map(tuple, lines))


def describe_column(column: Column, table: LineTable) -> str:
    """Return whether a column is shown, and why not."""
    if column.key in table.columns.hidden:
        return "hidden"
    return "shown" if column.key in table.columns.in_view else "no room beside the others"


class ColumnStrip(LinePane):
    """The columns of a table side by side, one of them under a cursor."""

    def __init__(self, table: LineTable) -> None:
        """Start at the first column."""
        super().__init__(id="strip")
        self._table = table
        self._columns = choosable(table.columns.all)
        self._cursor = 0

    @property
    def column(self) -> Column:
        """The column at the cursor."""
        return self._columns[self._cursor]

    def lines_in(self, width: int) -> int:
        """Return how many lines the columns need."""
        chips = place_chips(self._columns, width)
        return min(chips[-1].line + 1, _MOST_LINES)

    def step(self, steps: int) -> None:
        """Move the cursor along the columns, wrapping around."""
        self._move_to((self._cursor + steps) % len(self._columns))

    def step_line(self, steps: int) -> None:
        """Move the cursor to the nearest column of another line."""
        chips = place_chips(self._columns, self.size.width)
        here = chips[self._cursor]
        wanted = (here.line + steps) % (chips[-1].line + 1)
        near = [n for n, chip in enumerate(chips) if chip.line == wanted]
        self._move_to(min(near, key=lambda n: abs(chips[n].at - here.at)))

    @override
    def title(self) -> Line:
        return (Cell("COLUMNS", Role.HEADING),)

    @override
    def value(self) -> Line:
        """Return the column at the cursor, and whether it is shown."""
        text = describe_column(self.column, self._table)
        return (Cell(f"{self.column.name} ", Role.KEY), Cell(text, Role.DIM))

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        chips = place_chips(self._columns, width)
        lines = paint_chips(chips, self._table, self._cursor)
        first = max(0, chips[self._cursor].line - height + 1)
        return lines[first : first + height]

    def _move_to(self, index: int) -> None:
        self._cursor = index
        self._table.columns.point_at(self.column.key)
        self.repaint()


class ColumnChooser(ModalScreen[bool]):
    """Shows and hides columns of the list behind it; enter keeps the choice, escape reverts it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for(Context.COLUMNS),
        *bindings_of(*STOPPING),
    ]
    # Only over the lines below the list, so that its titles and rows stay visible.
    DEFAULT_CSS = """
    ColumnChooser { align: center bottom; background: transparent; }
    ColumnChooser > Panel { width: 100%; margin-bottom: 1; background: $panel; }
    """

    def __init__(self, table: LineTable, memory: Memory) -> None:
        """Choose the columns of a table."""
        super().__init__()
        self.dimming = Dimming(self)
        self._table = table
        self._memory = memory
        self._before = table.columns.hidden
        self._strip = ColumnStrip(table)

    @override
    def compose(self) -> ComposeResult:
        yield Panel(self._strip, id="columns-panel")

    def on_mount(self) -> None:
        """Start at the first column."""
        self._strip.step(0)

    def on_resize(self) -> None:
        """Take as many lines as the columns need at this width."""
        width = self.app.size.width - 2 * _EDGES
        self.query_one(Panel).styles.height = self._strip.lines_in(width) + _EDGES
        self._repaint_soon()

    def action_switch(self) -> None:
        """Show or hide the selected column."""
        self._hide(self._table.columns.hidden ^ {self._strip.column.key})

    def action_reset(self) -> None:
        """Show all columns."""
        self._hide(frozenset())

    def action_next(self) -> None:
        """Move to the next column."""
        self._strip.step(1)

    def action_previous(self) -> None:
        """Move to the previous column."""
        self._strip.step(-1)

    def action_next_line(self) -> None:
        """Move one line down."""
        self._strip.step_line(1)

    def action_previous_line(self) -> None:
        """Move one line up."""
        self._strip.step_line(-1)

    def action_keep(self) -> None:
        """Keep the choice, for the next session, too."""
        hidden = self._table.columns.hidden
        if hidden != self._before:
            self._memory.keep_columns(self._table.id or "", hidden)
        self._leave(is_kept=True)

    def action_close(self) -> None:
        """Restore the previous columns."""
        self._table.columns.hide(self._before)
        self._leave(is_kept=False)

    def _hide(self, hidden: frozenset[str]) -> None:
        self._table.columns.hide(hidden)
        self._repaint_soon()

    # The table fits its columns while painting; only then it is known which did not fit.
    def _repaint_soon(self) -> None:
        _ = self.call_after_refresh(self._strip.repaint)

    def _leave(self, *, is_kept: bool) -> None:
        self._table.columns.point_at("")
        _ = self.dismiss(is_kept)


class ColumnKeys:
    """Opens the column chooser on a screen with lists, and restores their columns."""

    def __init__(
        self, page: Screen[Any], memory: Memory, tables: Sequence[LineTable],
        *, shown: Callable[[], LineTable],
    ) -> None:  # fmt: skip
        """Restore the remembered columns.

        Args:
            page: the screen below the chooser.
            memory: the remembered columns, by the tables' ids.
            tables: all lists of the screen.
            shown: returns the visible one.
        """
        self._page = page
        self._memory = memory
        self._shown = shown
        for table in tables:
            table.columns.hide(memory.hidden_columns(table.id or ""))

    @property
    def actions(self) -> Mapping[str, Callable[[], Awaitable[None] | None]]:
        """The handler of the action in the registry's row context."""
        return {"columns": self.choose}

    def choose(self) -> None:
        """Open the column chooser for the visible list."""
        _ = self._page.app.push_screen(ColumnChooser(self._shown(), self._memory))
