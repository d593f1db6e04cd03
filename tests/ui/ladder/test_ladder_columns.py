import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.markets.market import Side
from pmtui.ui.cells import Cell, Emphasis, Line, line_width
from pmtui.ui.ladder.ladder_columns import BarLook, BarScale, bar_scale, paint_bar
from pmtui.ui.terminal.ascii_filter import to_ascii_cells
from pmtui.ui.theme.theme import Role

sizes = st.lists(st.integers(1, 10**13), min_size=1, max_size=60)
scales = st.builds(BarScale, st.integers(1, 10**14))


def text_of(line: Line) -> str:
    return "".join(cell.text for cell in line)


def bar(size: int, scale: BarScale, width: int, side: Side) -> str:
    return text_of(paint_bar(size, scale, width, look=BarLook(side, Role.BID)))


@given(sizes)
def test_every_size_fits_and_more_is_never_shorter(found: list[int]) -> None:
    scale = bar_scale(found, BarScale())
    lengths = [scale.eighths(size, 10) for size in sorted(found)]
    assert lengths == sorted(lengths)
    assert lengths[0] >= 1
    assert lengths[-1] <= 80
    # The largest fills more than half of its bar, whatever the scale.
    assert lengths[-1] >= 40


def test_walls_differ_from_each_other_and_the_rest_is_still_seen() -> None:
    ordinary = [1_000, 2_039, 5_247, 8_733, 1_000, 16_200, 2_500]
    scale = bar_scale([*ordinary, 66_000, 117_000], BarScale())
    small, wall, larger = (scale.eighths(size, 10) for size in (1_000, 66_000, 117_000))
    # Two whole cells, also where nobody looks closely.
    assert larger - wall >= 16
    assert small >= 3
    # Also where a bar is short.
    assert scale.eighths(117_000, 5) - scale.eighths(66_000, 5) >= 8


def test_four_times_the_size_is_twice_the_bar() -> None:
    scale = bar_scale([4_000, 8_000, 8_000, 12_000], BarScale())
    assert scale.eighths(8_192, 10) == 2 * scale.eighths(2_048, 10)


@given(sizes, st.lists(sizes, max_size=6))
def test_the_scale_stays_until_it_fits_no_more(first: list[int], later: list[list[int]]) -> None:
    scale = bar_scale(first, BarScale())
    for each in later:
        new = bar_scale(each, scale)
        # It never hops back and forth between neighbours: it falls by far or not at all.
        assert new.full >= scale.full or new.full <= scale.full // 4
        assert bar_scale(each, new) == new
        scale = new
    assert bar_scale([], scale) == scale


@given(
    st.integers(0, 10**13), scales, st.integers(0, 24), st.sampled_from(Side),
    st.none() | st.just(Role.CURSOR_ROW),
)  # fmt: skip
def test_a_bar_fills_its_width_and_something_is_seen_of_everything(
    size: int, scale: BarScale, width: int, side: Side, ground: Role | None
) -> None:
    line = paint_bar(size, scale, width, look=BarLook(side, Role.BID, ground=ground))
    assert line_width(line) == width
    assert bool(text_of(line).strip()) == (size > 0 and width > 0)


def test_bars_grow_away_from_the_price() -> None:
    scale = BarScale(100)
    assert bar(25, scale, 4, Side.BUY) == "  ██"
    assert bar(25, scale, 4, Side.SELL) == "██  "
    assert bar(100, scale, 4, Side.BUY) == "████"
    assert bar(1, BarScale(10**6), 4, Side.SELL) == "▏   "


def test_a_bar_that_ought_to_be_longer_ends_in_an_arrow() -> None:
    scale = BarScale(100)
    assert bar(101, scale, 4, Side.BUY) == "◄███"
    assert bar(101, scale, 4, Side.SELL) == "███►"
    assert to_ascii_cells(bar(500, scale, 4, Side.SELL)) == "###>"
    assert not bar(500, scale, 0, Side.SELL)


def test_a_wall_at_the_edge_of_what_counts_does_not_swing_the_scale() -> None:
    far_wall, near = 1_000_000, [1_000, 4_341, 9_000]
    scale = bar_scale(near, BarScale(), around=[*near, far_wall])
    assert scale.full == 16_384
    # It comes near, and a tick later it is a little further away again.
    scale = bar_scale([*near, far_wall], scale, around=[*near, far_wall])
    assert scale.full >= far_wall
    assert bar_scale(near, scale, around=[*near, far_wall]).full == scale.full
    assert bar_scale(near, scale, around=near).full == 16_384


def test_the_tip_of_a_bid_is_a_block_with_its_colours_exchanged() -> None:
    line = paint_bar(8, BarScale(100), 4, look=BarLook(Side.BUY, Role.BID))
    assert text_of(line) == "  ▉█"
    assert Emphasis.REVERSE in line[1].emphasis
    # On a ground of its own it would be lost.
    look = BarLook(Side.BUY, Role.BID, ground=Role.CURSOR_ROW)
    assert text_of(paint_bar(8, BarScale(100), 4, look=look)) == "  ▕█"


@pytest.mark.parametrize("side", Side)
def test_in_a_reversed_row_a_bar_is_a_shade_and_no_gap(side: Side) -> None:
    look = BarLook(side, Role.BID, ground=Role.CURSOR_ROW, is_plain=True)
    own = Cell("5", Role.OWN_ORDER)
    for size, shades in ((0, 0), (1, 1), (40, 5), (100, 8), (101, 7)):
        line = paint_bar(size, BarScale(100), 8, look=look)
        assert line_width(line) == 8
        assert text_of(line).count("▒") == shades
        assert not set(text_of(line)) & set("█▐▕▏")
        assert all(cell.ground is Role.CURSOR_ROW for cell in line)
        under = paint_bar(size, BarScale(100), 8, look=look, over=(own,))
        assert line_width(under) == 8
        assert own._replace(ground=Role.CURSOR_ROW) in under
    assert to_ascii_cells("▒") == "#"


@given(
    st.integers(0, 10**13), scales, st.integers(8, 24), st.sampled_from(Side),
    st.integers(0, 4),
)  # fmt: skip
def test_under_what_is_written_over_it_a_bar_goes_on_as_a_ground(
    size: int, scale: BarScale, width: int, side: Side, length: int
) -> None:
    # From the price outwards, two words.
    own, queue = Cell("1" * length, Role.OWN_ORDER), Cell("1" * length, Role.DIM)
    over = tuple(each for each in (own, queue) if length)
    over = over[::-1] if side is Side.BUY else over
    look = BarLook(side, Role.BID)
    line = paint_bar(size, scale, width, look=look, over=over)
    assert line_width(line) == width
    assert text_of(line).strip("▏▎▍▌▋▊▉█◄► ") == "1" * 2 * length
    ground = Role.BID_BAR if side is Side.BUY else Role.ASK_BAR
    from_price = reversed(line) if side is Side.BUY else line
    cells = [(char, cell) for cell in from_price for char in cell.text]
    eighths = scale.eighths(size, width)
    covered = (eighths + 4) // 8
    for word in range(2):
        part = cells[word * length : (word + 1) * length]
        assert {char for char, _ in part} <= {"1"}
        # A word lies on the bar or beside it, never across its end.
        is_on = length <= 2 * (covered - word * length)
        assert all((cell.ground is ground) is is_on for _, cell in part)
    assert all(char in "█◄►" for char, _ in cells[2 * length : eighths // 8])
