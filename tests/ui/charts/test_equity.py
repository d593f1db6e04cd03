import re
from datetime import timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.pnl import EquityPoint
from pmtui.domain.money import Micros
from pmtui.ui.cells import Emphasis, Line
from pmtui.ui.charts.equity import draw_equity
from pmtui.ui.portfolio.summary import paint_equity_value
from pmtui.ui.theme.theme import Role
from tests.ui.fake_surface import NOW


def text(line: Line) -> str:
    return "".join(cell.text for cell in line)


def curve(*values: float) -> tuple[EquityPoint, ...]:
    return tuple(
        EquityPoint(NOW + timedelta(minutes=n), Micros(round(value * 1_000_000)))
        for n, value in enumerate(values)
    )


@given(
    st.lists(st.integers(-10_000, 10_000), min_size=2, max_size=40),
    st.integers(20, 90),
    st.integers(4, 18),
)
def test_a_curve_keeps_to_its_pane_and_names_round_amounts(
    values: list[int], width: int, height: int
) -> None:
    lines = [text(line) for line in draw_equity(curve(*values), width, height)]
    assert [len(line) for line in lines] == [width] * height
    named = [found[1] for line in lines[:-1] if (found := re.search(r"┤ +(\S+)", line))]
    amounts = [float(name.replace("$", "").replace(",", "")) for name in named]
    # The tag may stand in the place of one.
    assert len(amounts) >= (1 if height > 5 else 0)
    gaps = {round(above - below, 2) for above, below in pairwise(amounts)}
    assert all(str(gap).strip("0.")[:1] in ("1", "2", "4", "5") for gap in gaps)


def test_the_newest_value_is_a_tag_at_the_right_where_the_curve_ends() -> None:
    lines = draw_equity(curve(10_000, 9_990, 9_985, 9_979.45), 60, 9)
    (row,) = (y for y, line in enumerate(lines) if Emphasis.REVERSE in line[-1].emphasis)
    tag = lines[row][-1]
    assert (tag.text.strip(), tag.role) == ("$9,979.45", Role.DOWN)
    assert "⠀" < text(lines[row][:-1])[-1] <= "⣿"
    assert any("┤   $10,000" in text(line) for line in lines)


def test_the_tag_is_exact_and_ends_where_the_round_amounts_end() -> None:
    lines = [text(line) for line in draw_equity(curve(10_000, 9_990, 9_985, 9_999.57), 60, 9)]
    assert any(line.endswith("  $9,999.57 ") for line in lines)
    ends = {len(line.rstrip()) for line in lines[:-1] if "$" in line}
    assert ends == {59}


def test_the_tag_is_the_figure_in_the_title_of_the_pane() -> None:
    points = curve(10_000, 10_000.2, 10_000.3966)
    (title, *_) = paint_equity_value(points[-1].value, None)
    lines = [text(line) for line in draw_equity(points, 60, 9)]
    assert title.text == "$10,000.39"
    assert any(line.endswith(f"  {title.text} ") for line in lines)


def test_the_area_below_has_the_tint_of_the_result_and_a_flat_day_has_none() -> None:
    def grounds(*values: float) -> set[Role | None]:
        return {cell.ground for line in draw_equity(curve(*values), 60, 9) for cell in line}

    assert grounds(1, 50) == {None, Role.AREA_UP}
    assert grounds(50, 1) == {None, Role.AREA_DOWN}
    assert grounds(50, 60, 50) == {None}


def test_without_samples_or_room_the_pane_says_so() -> None:
    assert "Sampled" in text(draw_equity((), 40, 7)[0])
    assert "No room" in text(draw_equity(curve(1, 2), 40, 3)[0])
