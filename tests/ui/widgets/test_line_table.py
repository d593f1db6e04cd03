from collections.abc import Callable

import pytest
from rich.style import Style
from textual.color import Color
from textual.message import Message
from textual.strip import Strip
from typing_extensions import override

from pmtui.ui.cells import Cell, Column, Row
from pmtui.ui.plain import Align
from pmtui.ui.theme.role_styles import RoleStyles
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_table import LineTable
from tests.ui.stage import THEMES, Stage, painted, shown_text
from tests.ui.wait import settle, until

COLUMNS = (
    Column("name", "Name", 10, grow=1),
    Column("price", "Price", 6, align=Align.RIGHT),
    Column("volume", "Volume", 8, priority=1, align=Align.RIGHT),
)


class _Table(LineTable):
    """Counts what it paints."""

    def __init__(self, **options: bool) -> None:
        super().__init__(COLUMNS, empty="No markets.", **options)  # type: ignore[arg-type]
        self.lines: list[int] = []
        self.views = 0
        self.heard: list[tuple[str, str]] = []

    @override
    def render_line(self, y: int) -> Strip:
        self.lines.append(y)
        return super().render_line(y)

    @override
    def post_message(self, message: Message) -> bool:
        if isinstance(message, LineTable.RowHighlighted | LineTable.RowSelected):
            self.heard.append((type(message).__name__, message.key))
        elif isinstance(message, LineTable.ViewChanged):
            self.views += 1
        elif isinstance(message, LineTable.EndApproached):
            self.heard.append(("EndApproached", ""))
        return super().post_message(message)

    def marked(self) -> str:
        """The text of the line that carries the cursor's ground."""
        row_ground = THEMES["harbour"].variables["role-cursor-row"].lower()
        found = [s.text.split()[0] for s in painted(self) if _ground(s) == row_ground]
        return found[0] if found else ""


def _ground(strip: Strip) -> str:
    style = next(iter(strip)).style
    return str(style.bgcolor.name) if isinstance(style, Style) and style.bgcolor else ""


def _rows(*names: str, price: str = "51¢") -> list[Row]:
    return [Row(name, (Cell(name), Cell(price, Role.BID), Cell("1.2k"))) for name in names]


def _many(count: int) -> list[Row]:
    return _rows(*(f"row{i}" for i in range(count)))


async def test_rows_are_placed_under_a_fixed_header() -> None:
    table = _Table()
    async with Stage(table).run_test(size=(40, 6)) as pilot:
        table.set_rows(_rows("alpha", "beta"))
        await settle(pilot)
        lines = shown_text(table)
        width = (
            table.size.width - 2
        )  # the last cell belongs to the scrollbar, apart from the columns
        assert lines[0] == f"{'Name':<{width - 16}} {'Price':>6} {'Volume':>8}  "
        assert lines[1] == f"{'alpha':<{width - 16}} {'51¢':>6} {'1.2k':>8}  "
        assert lines[3].strip() == ""


async def test_rows_that_are_updated_keep_their_place_and_cost_their_lines_only() -> None:
    table = _Table()
    async with Stage(table).run_test(size=(40, 6)) as pilot:
        table.set_rows(_many(20))
        await settle(pilot)
        table.lines.clear()
        table.update_rows([*_rows("row2", price="52¢"), *_rows("gone"), *_rows("row9", price="7¢")])
        await until(pilot, lambda: table.lines, "the line")
        assert set(table.lines) == {3}
        assert [row.key for row in table.rows] == [row.key for row in _many(20)]
        assert table.rows[9].cells[1].text == "7¢"


async def test_rows_in_view_are_named_and_told_of_when_they_change() -> None:
    table = _Table()
    async with Stage(table).run_test(size=(40, 6)) as pilot:
        assert table.keys_in_view == ()
        table.set_rows(_many(20))
        await settle(pilot)
        assert table.keys_in_view == tuple(f"row{n}" for n in range(5))
        assert table.views == 1
        table.set_rows([*_rows("row0", price="52¢"), *_many(20)[1:]])
        await settle(pilot)
        assert table.views == 1
        table.move_cursor_to("row7")
        await settle(pilot)
        assert table.keys_in_view == tuple(f"row{n}" for n in range(3, 8))
        assert table.views == 2


async def test_columns_leave_on_a_narrow_screen() -> None:
    table = _Table()
    app = Stage(table)
    async with app.run_test(size=(40, 6)) as pilot:
        table.set_rows(_rows("alpha"))
        await pilot.resize_terminal(24, 6)
        await until(pilot, lambda: "Volume" not in shown_text(table)[0], "the column to leave")
        assert "51¢" in shown_text(table)[1]


async def test_without_rows_the_table_says_why() -> None:
    table = _Table()
    async with Stage(table).run_test(size=(40, 6)) as pilot:
        await settle(pilot)
        titles, _, text, *_ = shown_text(table)
        # In the middle, and no titles over nothing.
        assert text.strip() == "No markets."
        assert text.index("N") == (40 - len("No markets.")) // 2
        assert not titles.strip()
        table.set_empty_text("Offline.")
        assert shown_text(table)[2].strip() == "Offline."
        table.set_loading_more(is_loading=True)
        assert shown_text(table)[1].strip() == "Loading…"
        table.set_rows(_rows("alpha"))
        assert shown_text(table)[2].strip() == "Loading…"
        table.set_loading_more(is_loading=False)
        assert shown_text(table)[2].strip() == ""


async def test_only_the_changed_line_is_painted() -> None:
    table = _Table()
    async with Stage(table).run_test(size=(40, 10)) as pilot:
        table.set_rows(_many(5))
        await settle(pilot)
        table.lines.clear()
        table.set_rows([*_many(3), *_rows("row3", price="52¢"), *_many(5)[4:]])
        await until(pilot, lambda: table.lines, "the paint of the changed line")
        await settle(pilot)
        assert set(table.lines) == {4}
        table.lines.clear()
        table.set_rows(table.rows)
        await settle(pilot)
        assert not table.lines


async def test_the_cursor_stays_on_its_row_when_rows_move() -> None:
    table = _Table()
    async with Stage(table).run_test(size=(40, 10)) as pilot:
        table.set_rows(_rows("a", "b", "c"))
        assert table.move_cursor_to("b")
        table.set_rows(_rows("new", "c", "a", "b"))
        await settle(pilot)
        assert table.cursor_key == "b"
        assert table.marked() == "b"
        assert not table.move_cursor_to("gone")


async def test_the_cursor_goes_to_the_neighbour_when_its_row_leaves() -> None:
    table = _Table()
    async with Stage(table).run_test(size=(40, 10)) as pilot:
        table.set_rows(_rows("a", "b", "c"))
        table.move_cursor_to("c")
        table.set_rows(_rows("a", "b"))
        assert table.cursor_key == "b"
        table.set_rows([])
        assert table.cursor_key is None
        table.set_rows(_rows("z"))
        await settle(pilot)
        assert table.cursor_key == "z"
        assert [key for _, key in table.heard if key] == ["a", "c", "b", "z"]


async def test_rows_arriving_above_do_not_move_the_cursors_line() -> None:
    table = _Table()
    async with Stage(table).run_test(size=(40, 8)) as pilot:
        table.set_rows(_many(40))
        await settle(pilot)
        table.move_cursor_to("row20")
        await settle(pilot)
        line = [text.split()[0] for text in shown_text(table)].index("row20")
        table.set_rows([*_rows("x", "y", "z"), *_many(40)])
        await settle(pilot)
        assert [text.split()[0] for text in shown_text(table)].index("row20") == line


async def test_keys_move_and_open() -> None:
    table = _Table()
    async with Stage(table).run_test(size=(40, 8)) as pilot:
        table.set_rows(_many(40))
        table.focus()
        await settle(pilot)
        for key, where in (
            ("down", "row1"),
            ("j", "row2"),
            ("k", "row1"),
            ("pagedown", "row7"),
            ("end", "row39"),
            ("down", "row39"),
            ("pageup", "row33"),
            ("home", "row0"),
            ("up", "row0"),
        ):
            await pilot.press(key)
            assert table.cursor_key == where, key
            assert table.marked() == where, key
        await pilot.press("enter")
        assert table.heard[-1] == ("RowSelected", "row0")


async def test_a_click_moves_and_a_double_click_opens() -> None:
    table = _Table()
    async with Stage(table).run_test(size=(40, 8)) as pilot:
        table.set_rows(_many(5))
        await settle(pilot)
        await pilot.click(table, offset=(2, 3))
        assert table.cursor_key == "row2"
        await pilot.click(table, offset=(2, 0))
        await pilot.click(table, offset=(2, 7))
        assert table.cursor_key == "row2"
        await pilot.double_click(table, offset=(2, 4))
        assert table.heard[-1] == ("RowSelected", "row3")


async def test_a_click_on_a_title_names_its_column() -> None:
    table, pressed = _Table(), list[str]()
    async with Stage(table).run_test(size=(40, 8)) as pilot:
        table.set_rows(_many(5))
        await settle(pilot)
        await pilot.click(table, offset=(2, 0))
        table.columns.on_press = pressed.append
        starts = [0]
        for _, width in table.columns.fit():
            starts.append(starts[-1] + width + 1)
        for start in starts[:-1]:
            await pilot.click(table, offset=(start, 0))
        assert pressed == [table.columns.all[index].key for index, _ in table.columns.fit()]
        # Between two titles is nothing.
        await pilot.click(table, offset=(starts[1] - 1, 0))
        assert len(pressed) == len(table.columns.fit())


async def test_the_end_is_announced_once_for_a_number_of_rows() -> None:
    table = _Table()
    async with Stage(table).run_test(size=(40, 8)) as pilot:
        table.set_rows(_many(40))
        await settle(pilot)
        assert ("EndApproached", "") not in table.heard
        table.move_cursor_to("row30")
        table.move_cursor_to("row39")
        await settle(pilot)
        assert table.heard.count(("EndApproached", "")) == 1
        table.set_rows(_many(60))
        assert table.heard.count(("EndApproached", "")) == 1
        table.move_cursor_to("row59")
        assert table.heard.count(("EndApproached", "")) == 2


async def test_a_table_without_cursor_scrolls() -> None:
    table = _Table(show_cursor=False, show_header=False)
    async with Stage(table).run_test(size=(40, 5)) as pilot:
        table.set_rows(_many(20))
        table.focus()
        await settle(pilot)
        await pilot.press("down", "enter")
        assert shown_text(table)[0].split()[0] == "row1"
        assert all(kind == "EndApproached" for kind, _ in table.heard)


async def test_rows_must_have_keys_of_their_own_and_a_cell_for_each_column() -> None:
    table = _Table()
    with pytest.raises(ValueError, match="key of its own"):
        table.set_rows(_rows("a", "a"))
    with pytest.raises(ValueError, match="one cell for each column"):
        table.set_rows([Row("a", (Cell("a"),))])


async def test_a_hostile_title_is_only_text() -> None:
    table = _Table()
    async with Stage(table).run_test(size=(40, 5)) as pilot:
        table.set_rows(_rows("\x1b[31m[@click=quit]x[/]"))
        await settle(pilot)
        assert shown_text(table)[1].startswith("[@click=quit]x[/]")


def _cursor_stands_out(table: _Table) -> bool:
    strips = list(painted(table))
    first, second = next(iter(strips[1])).style, next(iter(strips[2])).style
    assert first is not None
    assert second is not None
    return first.bgcolor != second.bgcolor or first.reverse != second.reverse


@pytest.mark.parametrize("theme", THEMES)
async def test_the_cursor_stands_out_in_every_theme(theme: str) -> None:
    table = _Table()
    async with Stage(table, theme=theme).run_test(size=(40, 5)) as pilot:
        table.set_rows(_rows("a", "b"))
        await settle(pilot)
        assert _cursor_stands_out(table)


@pytest.mark.parametrize("theme", ["ansi", "slate"])
def test_a_cursor_shown_by_swapping_colours_is_one_bar(theme: str) -> None:
    styles = RoleStyles(THEMES[theme].variables, Color.parse("ansi_default"))
    looks = {
        (style.color, style.bgcolor, style.reverse, style.dim)
        for role in (Role.TEXT, Role.DIM, Role.BID, Role.ASK, Role.OWN_ORDER, Role.UP)
        for style in [styles.style(role, ground=Role.CURSOR_ROW)]
    }
    assert len(looks) == 1
    assert styles.style(Role.BID) != styles.style(Role.BID, ground=Role.CURSOR_ROW)


@pytest.mark.parametrize("theme", ["harbour", "ansi", "slate"])
async def test_a_table_lives_without_colour(theme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    table = _Table()
    app = Stage(table, theme=theme)
    shows: Callable[[], bool] = lambda: "alpha" in app.export_screenshot()  # noqa: E731 - named condition
    async with app.run_test(size=(40, 5)) as pilot:
        table.set_rows(_rows("alpha", "beta"))
        await until(pilot, shows, "the row on the screen")
        (reverse,) = {segment.style.reverse for segment in list(painted(table))[1] if segment.style}
        assert reverse


async def test_a_column_that_tells_nothing_is_left_out() -> None:
    columns = (
        Column("name", "Name", 8, grow=1),
        Column("state", "State", 9, is_essential=True, silent=("fine",)),
    )
    table = LineTable(columns)
    async with Stage(table).run_test(size=(40, 8)) as pilot:
        await settle(pilot)
        # Nothing moves once rows come that tell nothing in it either.
        assert "State" not in shown_text(table)[0]
        for number, said in enumerate((("fine", "fine"), ("fine", "late"), ("fine", "fine"))):
            rows = [Row(f"{i}", (Cell(f"{number}"), Cell(text))) for i, text in enumerate(said)]
            table.set_rows(rows)
            await settle(pilot)
            assert ("State" in shown_text(table)[0]) is ("late" in said)


TEXTS = (
    Column("name", "Name", 8, grow=1),
    Column("price", "Price", 6, align=Align.RIGHT),
    Column("note", "Note", 6),
)


def _noted(key: str, note: str, *, span: int | None = None, tail: str = "") -> Row:
    rest = (Cell(tail, Role.DIM),) if tail else ()
    return Row(key, (Cell(key), Cell("51¢"), Cell(note)), span=span, tail=rest)


@pytest.mark.parametrize(("width", "gap"), [(40, 2), (26, 2), (24, 1)])
async def test_a_text_stands_apart_from_the_number_at_its_left_where_there_is_room(
    width: int, gap: int
) -> None:
    table = LineTable(TEXTS)
    pressed: list[str] = []
    table.columns.on_press = pressed.append
    async with Stage(table).run_test(size=(width, 6)) as pilot:
        table.set_rows([_noted("alpha", "good")])
        await settle(pilot)
        head, row = shown_text(table)[:2]
        assert f"Price{' ' * gap}Note" in head
        assert f"51¢{' ' * gap}good" in row
        assert all(strip.cell_length == width for strip in painted(table))
        await pilot.click(table, offset=(head.index("Note"), 0))
        assert pressed == ["note"]


async def test_a_row_without_numbers_gives_their_room_to_its_text() -> None:
    table = LineTable(TEXTS)
    async with Stage(table).run_test(size=(30, 6)) as pilot:
        words = "a text that is longer"
        table.set_rows([_noted("alpha", "good"), _noted("beta", words, span=1)])
        await settle(pilot)
        head, first, second = shown_text(table)[:3]
        assert "good" in first
        assert words[:10] in second
        assert "51¢" not in second
        # From the beginning of the first column that it takes over.
        assert second.index("a text") == head.index("Price") - 1
        assert all(strip.cell_length == 30 for strip in painted(table))


async def test_the_last_text_of_a_row_may_go_on_in_another_role() -> None:
    table = LineTable(TEXTS, show_cursor=False)
    async with Stage(table).run_test(size=(40, 6)) as pilot:
        table.set_rows([_noted("alpha", "Go", tail=": it")])
        await settle(pilot)
        assert "Go: it" in shown_text(table)[1]
