"""A table for live rows, which repaints only changed lines.

The cursor belongs to a row's key, not to a line number, so rows that arrive, leave or move never
move it to another row. Titles and numbers come in as cells; the table only places them. It has no
cell cursor, no editing and no sorting: rows are shown in the order given.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from typing_extensions import override

from pmtui.ui.cells import Cell, Column, Emphasis, Line, Row, fit_columns, fit_line, least_width
from pmtui.ui.keys.actions import bindings_of
from pmtui.ui.plain import Align, cell_width, ellipsize_distinctly, fit
from pmtui.ui.theme.role_styles import RoleStyles
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.focus import shows_focus

_CACHED_SCREENS = 4
"""The size of the cache in screens of lines: enough for lines that come back, not for a scrolled
list."""


class _LineState(NamedTuple):
    """Everything that a line's look depends on, except theme and width."""

    row: Row | None = None
    note: str = ""
    is_header: bool = False
    is_cursor: bool = False
    is_focused: bool = False


class TableColumns:
    """The columns of a table: which are wanted, which fit, and their titles."""

    def __init__(
        self, columns: Sequence[Column], *,
        width: Callable[[], int], marked: Callable[[], None], chosen: Callable[[], None],
    ) -> None:  # fmt: skip
        """Start with all columns wanted.

        Args:
            columns: from left to right.
            width: returns the cells available.
            marked: called when a title has changed.
            chosen: called when other columns are wanted, after the first layout.
        """
        self.all = tuple(columns)
        self.hidden: frozenset[str] = frozenset()
        """The keys of hidden columns."""
        self.on_press: Callable[[str], object] | None = None
        """Called with the column's key when its title is clicked; None for nothing."""
        self._width = width
        self._marked = marked
        self._chosen = chosen
        self._order = ("", "")
        self._pointed_at = ""
        self._placed: tuple[tuple[int, int], ...] = ()
        self._parted: frozenset[int] = frozenset()
        """The places of columns with a wider gap before them."""
        self._names: tuple[object, ...] = ()
        """The inputs of `short_names`."""
        self.short_names: Mapping[str, str] = {}
        """Distinct short forms of names that would be cut to the same text."""
        self._silent = frozenset(i for i, each in enumerate(self.all) if each.silent is not None)
        """The indices of columns without information now; before there are rows, of all that may have none."""

    @property
    def in_view(self) -> frozenset[str]:
        """The keys of the columns that are wanted and fit."""
        return frozenset(self.all[index].key for index, _ in self.fit())

    def width_of(self, key: str) -> int:
        """Return the current width of a column; 0 if it is not in view."""
        return next((width for index, width in self.fit() if self.all[index].key == key), 0)

    @property
    def marks(self) -> str:
        """Everything that the titles' look depends on, except the width."""
        return " ".join((*self._order, self._pointed_at))

    def hide(self, keys: Collection[str]) -> None:
        """Hide these columns and show all others; essential ones are always shown."""
        hidden = frozenset(keys) & {column.key for column in self.all if not column.is_essential}
        if hidden != self.hidden:
            self.hidden = hidden
            if self._placed:
                self._chosen()

    def mark_order(self, key: str, mark: str) -> None:
        """Mark the title of the sorted column; an unknown key removes the mark."""
        self._order = (key, mark)
        self._marked()

    def point_at(self, key: str) -> None:
        """Highlight a column's title; an empty key removes the highlight."""
        self._pointed_at = key
        self._marked()

    def fit(self) -> tuple[tuple[int, int], ...]:
        """Return the indices and widths of the columns that fit."""
        if not self._placed:
            # Keep the last column apart from the scrollbar if there is room.
            width = self._width()
            apart = least_width(self.all) < width
            spoken = [c for i, c in enumerate(self.all) if i not in self._silent]
            places = [i for i in range(len(self.all)) if i not in self._silent]
            fitted = fit_columns(spoken, width - apart, hidden=self.hidden)
            self._placed = self._part_columns([(places[i], size) for i, size in fitted])
        return self._placed

    def gap_before(self, place: int) -> int:
        """Return the cells between a column in view and the one at its left."""
        return 1 + (place in self._parted) if place else 0

    def spanned(self, start: int | None) -> tuple[tuple[int, int], ...]:
        """Return the columns that fit, with the last one from the column of this index on."""
        placed = self.fit()
        taken = [n for n, (index, _) in enumerate(placed) if start is not None and index >= start]
        if len(taken) < 2:
            return placed
        width = sum(placed[n][1] + self.gap_before(n) for n in taken) - self.gap_before(taken[0])
        return (*placed[: taken[0]], (placed[-1][0], width))

    def _part_columns(self, placed: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        """Keep a text apart from the number at its left, as far as a growing column has room."""
        columns = [self.all[index] for index, _ in placed]
        wanted = [
            place
            for place in range(1, len(columns))
            if columns[place - 1].align is Align.RIGHT and columns[place].align is Align.LEFT
        ]
        # Taken from the column that has grown most.
        spare = [
            size - column.width if column.grow else 0
            for (_, size), column in zip(placed, columns, strict=True)
        ]
        room = max((0, *spare))
        number = spare.index(room) if room else -1
        self._parted = frozenset(wanted[:room])
        if self._parted:
            index, size = placed[number]
            placed[number] = (index, size - len(self._parted))
        return tuple(placed)

    def follow(self, rows: Sequence[Row]) -> bool:
        """Drop silent columns and shorten names distinctly; return whether lines have changed."""
        silent = frozenset(
            index
            for index, column in enumerate(self.all)
            if column.silent is not None
            and all(row.cells[index].text in column.silent for row in rows)
        )
        has_other = bool(rows) and silent != self._silent
        if has_other:
            self._silent = silent
            self.forget()
        return self._ellipsize_names_distinctly(rows) or has_other

    def _ellipsize_names_distinctly(self, rows: Sequence[Row]) -> bool:
        index = next((i for i, column in enumerate(self.all) if column.is_name), None)
        if index is None:
            return False
        width = self.width_of(self.all[index].key)
        names = (width, *(row.cells[index].text for row in rows))
        if names == self._names:
            return False
        self._names, before = names, self.short_names
        self.short_names = ellipsize_distinctly((row.cells[index].text for row in rows), width)
        return before != self.short_names

    def press(self, x: int) -> bool:
        """Handle a click on a title; return whether there is a handler."""
        start = 0
        for place, (index, width) in enumerate(self.fit()):
            start += self.gap_before(place)
            if start <= x < start + width and self.all[index].title:
                if self.on_press is None:
                    return False
                _ = self.on_press(self.all[index].key)
            start += width
        return True

    def forget(self) -> None:
        """Fit the columns again."""
        self._placed = ()

    def heads(self) -> tuple[Cell, ...]:
        """Return the title cells."""
        return tuple(map(self._head, self.all))

    def _head(self, column: Column) -> Cell:
        key, mark = self._order
        cell = Cell(column.title, Role.HEADING)
        if column.key == key:
            room = column.width - len(mark)
            fits = len(column.title) <= room
            title = column.title if fits else column.title.replace(" ", "")[:room]
            cell = Cell(f"{title}{mark}", Role.KEY)
        is_pointed_at = column.key == self._pointed_at
        return cell._replace(ground=Role.CURSOR_ROW) if is_pointed_at else cell


class LineTable(ScrollView, can_focus=True):
    """A scrolling list of rows with keys under a fixed header."""

    DEFAULT_CSS = """
    LineTable {
        height: 1fr; overflow-x: hidden; overflow-y: auto;
        scrollbar-size-vertical: 1; scrollbar-gutter: stable;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_of(
            "global.move_up",
            "global.move_down",
            "global.page_up",
            "global.page_down",
            "global.move_to_top",
            "global.move_to_end",
            "global.open",
        )
    ]

    @dataclass
    class _OfTable(Message):
        table: "LineTable"

        @property
        @override
        def control(self) -> "LineTable":
            return self.table

    @dataclass
    class RowHighlighted(_OfTable):
        """The cursor moved to another row."""

        key: str

    @dataclass
    class RowSelected(_OfTable):
        """The trader opened a row."""

        key: str

    @dataclass
    class TitleClicked(_OfTable):
        """The title of a column without an order was clicked."""

    @dataclass
    class EndApproached(_OfTable):
        """Less than a screen of rows is left below; sent once for a number of rows."""

    @dataclass
    class ViewChanged(_OfTable):
        """The rows in view, or their order, have changed."""

    def __init__(
        self, columns: Sequence[Column], *, empty: str = "Nothing to show.",
        show_header: bool = True, show_cursor: bool = True,
        id: str | None = None,  # noqa: A002 - Textual's word
    ) -> None:  # fmt: skip
        """Start without rows.

        Args:
            columns: From left to right; each row brings one cell for each of them.
            empty: The text shown without rows.
            show_header: Whether the first line holds the columns' titles.
            show_cursor: Whether there is a cursor; a tape needs none.
            id: As for every widget.
        """
        super().__init__(id=id)
        self.columns = TableColumns(
            columns,
            # The scrollbar's column is reserved even when there is nothing to scroll.
            width=lambda: self.scrollable_content_region.width,
            marked=self._repaint_changed,
            chosen=self.on_resize,
        )
        self._empty = empty
        self._header_height = int(show_header)
        self._show_cursor = show_cursor
        self._rows: tuple[Row, ...] = ()
        self._index_of: dict[str, int] = {}
        self._cursor_key: str | None = None
        self._is_loading_rows = False
        self._end_announced_at = 0
        self._view_announced: tuple[str, ...] = ()
        self._strips: dict[_LineState, Strip] = {}
        self._painted: dict[int, _LineState] = {}

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows shown."""
        return self._rows

    @property
    def cursor_key(self) -> str | None:
        """The key of the selected row."""
        return self._cursor_key

    @property
    def keys_in_view(self) -> tuple[str, ...]:
        """The keys of the rows in view, from the top."""
        rows = self._rows[self._top : self._top + self._body_height] if self.size.height else ()
        return tuple(row.key for row in rows)

    def update_rows(self, rows: Iterable[Row]) -> None:
        """Replace these rows in place; unknown keys are ignored."""
        new = list(self._rows)
        for row in rows:
            if (index := self._index_of.get(row.key)) is not None:
                new[index] = row
        self._rows = tuple(new)
        self._follow_rows()
        self._repaint_changed()

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show these rows; the cursor stays on its row, and on its line where possible.

        Raises:
            ValueError: two rows have the same key, or a row does not have one cell for each column.
        """
        new = tuple(rows)
        if new == self._rows:
            return
        index_of = {row.key: index for index, row in enumerate(new)}
        if len(index_of) != len(new) or any(len(r.cells) != len(self.columns.all) for r in new):
            raise ValueError("each row needs a key of its own and one cell for each column")
        old_index = self._cursor_index
        self._rows, self._index_of = new, index_of
        self._resize_canvas()
        new_index = self._index_of.get(self._cursor_key or "", -1)
        if new_index >= 0 and old_index >= 0:
            self._scroll_by_rows(new_index - old_index)
        elif new:
            new_index = min(max(old_index, 0), len(new) - 1)
        self._put_cursor(new[new_index].key if new else None)
        self._follow_rows()
        self._repaint_changed()
        self._announce_end()
        self._announce_view()

    def _follow_rows(self) -> None:
        """Fit the columns to the rows as they are now."""
        if self.columns.follow(self._rows):
            self._strips.clear()
            self._painted.clear()

    def set_empty_text(self, text: str) -> None:
        """Set the text shown without rows."""
        self._empty = text
        self._repaint_changed()

    def set_loading_more(self, *, is_loading: bool) -> None:
        """Show or hide a line that says more rows are loading."""
        if is_loading != self._is_loading_rows:
            self._is_loading_rows = is_loading
            self._resize_canvas()
            self._repaint_changed()

    def move_cursor_to(self, key: str) -> bool:
        """Move the cursor to a row and scroll it into view; return whether there is such a row."""
        index = self._index_of.get(key)
        if index is None:
            return False
        self._put_cursor(key)
        self._bring_into_view(index)
        self._repaint_changed()
        self._announce_end()
        return True

    def action_move_up(self) -> None:
        """Move the cursor one row up."""
        self._move_by(-1)

    def action_move_down(self) -> None:
        """Move the cursor one row down."""
        self._move_by(1)

    @override
    def action_page_up(self) -> None:
        """Move the cursor one screen up."""
        self._move_by(-max(1, self._body_height - 1))

    @override
    def action_page_down(self) -> None:
        """Move the cursor one screen down."""
        self._move_by(max(1, self._body_height - 1))

    def action_move_to_top(self) -> None:
        """Move the cursor to the first row."""
        self._move_by(-len(self._rows))

    def action_move_to_end(self) -> None:
        """Move the cursor to the last row."""
        self._move_by(len(self._rows))

    def action_open(self) -> None:
        """Open the row under the cursor."""
        if self._show_cursor and self._cursor_key is not None:
            self.post_message(self.RowSelected(self, self._cursor_key))

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the clicked row, or press the title; a double click opens a row."""
        offset = event.get_content_offset(self)
        if offset is None or not self._show_cursor:
            return
        if offset.y < self._header_height and not self.columns.press(offset.x):
            self.post_message(self.TitleClicked(self))
        index = offset.y - self._header_height + self._top
        if offset.y >= self._header_height and 0 <= index < len(self._rows):
            event.stop()
            self.move_cursor_to(self._rows[index].key)
            if event.chain == 2:
                self.action_open()

    def on_focus(self) -> None:
        """Repaint the selected row with the focus."""
        self._repaint_changed()

    def on_blur(self) -> None:
        """Repaint the selected row without the focus."""
        self._repaint_changed()

    def on_resize(self) -> None:
        """Fit the columns again and keep the cursor in view."""
        self._forget_layout()
        _ = self.columns.follow(self._rows)
        self._resize_canvas()
        if self._cursor_index >= 0:
            self._bring_into_view(self._cursor_index)
        self.refresh()
        self._announce_end()
        self._announce_view()

    @override
    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._announce_end()
        self._announce_view()

    @override
    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    @override
    def render_line(self, y: int) -> Strip:
        state = self._painted[y] = self._state_of(y)
        strip = self._strips.get(state)
        if strip is None:
            if len(self._strips) >= _CACHED_SCREENS * self.size.height:
                self._strips.clear()
            strip = self._strips[state] = RoleStyles.of_widget(self).strip(self._paint(state))
        return strip

    @property
    def _cursor_index(self) -> int:
        return self._index_of.get(self._cursor_key or "", -1)

    @property
    def _top(self) -> int:
        return self.scroll_offset.y

    @property
    def _body_height(self) -> int:
        return max(1, self.size.height - self._header_height)

    def _state_of(self, y: int) -> _LineState:
        if not self._rows and not self._is_loading_rows:
            # Titles over nothing say nothing, except by what the rows would be ordered.
            if y < self._header_height and self.columns.marks.strip():
                return _LineState(note=self.columns.marks, is_header=True)
            is_said = y == max(self._header_height, self.size.height // 3)
            return _LineState(note=self._empty.strip() if is_said else "")
        if y < self._header_height:
            return _LineState(note=self.columns.marks, is_header=True)
        index = y - self._header_height + self._top
        if index < len(self._rows):
            row = self._rows[index]
            is_cursor = self._show_cursor and row.key == self._cursor_key
            return _LineState(row, is_cursor=is_cursor, is_focused=is_cursor and shows_focus(self))
        if index == len(self._rows) and self._is_loading_rows:
            return _LineState(note="Loading…")
        return _LineState()

    def _paint(self, state: _LineState) -> Line:
        width = self.size.width
        if state.is_header:
            return self._place(self.columns.heads(), None)
        if state.row is None:
            left = (
                0 if self._rows or self._is_loading_rows else (width - cell_width(state.note)) // 2
            )
            return fit_line((Cell(" " * max(left, 0)), Cell(state.note, Role.DIM)), width)
        row = state.row
        if not state.is_cursor:
            return self._place(row.cells, row.ground, tail=row.tail, span=row.span)
        bold = Emphasis.BOLD if state.is_focused else Emphasis.NONE
        marked = (c._replace(ground=None, emphasis=c.emphasis | bold) for c in row.cells)
        return self._place(tuple(marked), Role.CURSOR_ROW, span=row.span)

    def _place(
        self, cells: tuple[Cell, ...], ground: Role | None, *,
        tail: Line = (), span: int | None = None,
    ) -> Line:  # fmt: skip
        line: list[Cell] = []
        placed = self.columns.spanned(span)
        for place, (index, width) in enumerate(placed):
            if line:
                line.append(Cell(" " * self.columns.gap_before(place), ground=ground))
            cell, column = cells[index], self.columns.all[index]
            short = self.columns.short_names.get(cell.text) if column.is_name else None
            text = fit(cell.text if short is None else short, width, column.align)
            line.append(cell._replace(text=text, ground=cell.ground or ground))
        if tail:
            last = line.pop()
            line += fit_line((last._replace(text=last.text.rstrip()), *tail), placed[-1][1])
        used = sum(width + self.columns.gap_before(n) for n, (_, width) in enumerate(placed))
        if used < self.size.width:
            line.append(Cell(" " * (self.size.width - used), ground=ground))
        return tuple(line)

    # Refresh only lines that differ from the last paint.
    def _repaint_changed(self) -> None:
        if not self.is_mounted:
            return
        changed = [
            Region(0, y, self.size.width, 1)
            for y in range(self.size.height)
            if self._painted.get(y) != self._state_of(y)
        ]
        if changed:
            self.refresh(*changed)

    def _move_by(self, step: int) -> None:
        if not self._rows:
            return
        if not self._show_cursor:
            self.scroll_to(y=self._top + step, animate=False)
            return
        index = min(max(self._cursor_index + step, 0), len(self._rows) - 1)
        self.move_cursor_to(self._rows[index].key)

    def _put_cursor(self, key: str | None) -> None:
        if key != self._cursor_key:
            self._cursor_key = key
            if key is not None and self._show_cursor:
                self.post_message(self.RowHighlighted(self, key))

    def _bring_into_view(self, index: int) -> None:
        if not self.size.height:
            # Hidden: the rows in view are those that it had.
            return
        top = self._top
        if index < top:
            self.scroll_to(y=index, animate=False)
        elif index >= top + self._body_height:
            self.scroll_to(y=index - self._body_height + 1, animate=False)

    # Rows added or removed above the cursor must not move it on the screen; at the very top the
    # list shows its new first rows instead.
    def _scroll_by_rows(self, count: int) -> None:
        if count and self._top:
            self.scroll_to(y=max(0, self._top + count), animate=False)
        if self._show_cursor:
            self._bring_into_view(self._cursor_index)

    def _resize_canvas(self) -> None:
        lines = len(self._rows) + self._header_height + int(self._is_loading_rows)
        size = Size(self.size.width, lines)
        if size != self.virtual_size:
            self.virtual_size = size

    def _forget_layout(self) -> None:
        self.columns.forget()
        self._strips.clear()
        self._painted.clear()

    def _announce_view(self) -> None:
        keys = self.keys_in_view
        if keys != self._view_announced:
            self._view_announced = keys
            self.post_message(self.ViewChanged(self))

    def _announce_end(self) -> None:
        count = len(self._rows)
        if not count or self._end_announced_at == count or not self.size.height:
            return
        if self._top + 2 * self._body_height >= count:
            self._end_announced_at = count
            self.post_message(self.EndApproached(self))
