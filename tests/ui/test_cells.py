from hypothesis import given
from hypothesis import strategies as st

from pmtui.ui.cells import (
    Cell,
    Column,
    bar_text,
    blank_line,
    fit_columns,
    fit_line,
    least_width,
    line_width,
)
from pmtui.ui.plain import cell_width
from pmtui.ui.theme.theme import Role

COLUMNS = (
    Column("question", "Question", 20, grow=1),
    Column("price", "Price", 6),
    Column("volume", "Volume", 8, priority=2),
    Column("left", "Ends", 6, priority=1),
)


@given(st.lists(st.text("ab 市😀", max_size=8), max_size=5), st.integers(0, 30))
def test_a_line_fits_its_width_exactly(texts: list[str], width: int) -> None:
    line = tuple(Cell(text) for text in texts)
    assert line_width(fit_line(line, width)) == width


def test_a_cropped_line_says_so() -> None:
    line = (Cell("abc", Role.BID), Cell("def", Role.ASK))
    assert fit_line(line, 5) == (Cell("abc", Role.BID), Cell("d…", Role.ASK))
    assert fit_line(line, 3) == (Cell("ab…", Role.BID),)
    assert fit_line((Cell("a", ground=Role.BID_BAR),), 2)[1].ground is Role.BID_BAR


def test_a_blank_line_is_blank() -> None:
    assert blank_line(3) == (Cell("   "),)


@given(st.integers(0, 100), st.integers(0, 100), st.integers(0, 20), st.booleans())
def test_a_bar_has_its_width_and_shows_something_for_something(
    part: int, whole: int, width: int, right: bool
) -> None:
    bar = bar_text(part, whole, width, is_from_right=right)
    assert cell_width(bar) == width
    assert bool(bar.strip()) == bool(part and whole and width)


def test_a_bar_is_as_long_as_its_share() -> None:
    assert bar_text(1, 2, 8) == "▄▄▄▄    "
    assert bar_text(3, 16, 4) == "▖   "
    assert bar_text(3, 8, 4) == "▄▖  "
    assert bar_text(1, 2, 4, is_from_right=True) == "  ▄▄"
    assert bar_text(3, 8, 4, is_from_right=True) == "  ▗▄"
    assert bar_text(9, 2, 4) == "▄▄▄▄"


def test_columns_leave_by_priority_and_the_rest_grows() -> None:
    assert fit_columns(COLUMNS, 60) == ((0, 37), (1, 6), (2, 8), (3, 6))
    assert fit_columns(COLUMNS, 42) == ((0, 28), (1, 6), (3, 6))
    assert fit_columns(COLUMNS, 30) == ((0, 23), (1, 6))
    assert fit_columns(COLUMNS, 24) == ((0, 20), (1, 3))
    assert fit_columns(COLUMNS, 5) == ((0, 5),)
    assert fit_columns(COLUMNS, 0) == ()


@given(st.integers(0, 200))
def test_columns_never_overflow(width: int) -> None:
    placed = fit_columns(COLUMNS, width)
    assert sum(size for _, size in placed) + max(0, len(placed) - 1) <= width


def test_columns_of_high_priority_come_once_others_have_their_ease() -> None:
    columns = (
        Column("name", "Name", 10, grow=1, ease=20),
        Column("price", "Price", 6),
        Column("extra", "Extra", 6, priority=3),
    )
    assert least_width(columns) == 17
    assert fit_columns(columns, 24) == ((0, 17), (1, 6))
    assert fit_columns(columns, 33) == ((0, 26), (1, 6))
    assert fit_columns(columns, 34) == ((0, 20), (1, 6), (2, 6))


def test_hidden_columns_make_room_unless_they_are_essential() -> None:
    columns = (
        Column("name", "Name", 10, grow=1, is_essential=True),
        Column("bid", "Bid", 6),
        Column("volume", "Volume", 8, priority=1),
    )
    assert fit_columns(columns, 20) == ((0, 13), (1, 6))
    assert fit_columns(columns, 20, hidden={"bid", "name"}) == ((0, 11), (2, 8))
