from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmtui.domain.markets.history import Interval, PricePoint
from pmtui.domain.money import ONE, Micros
from pmtui.service.views import HistoryView, Load
from pmtui.ui.cells import Emphasis, Line, line_width
from pmtui.ui.charts.overlay import (
    MOST_CURVES,
    Curve,
    describe_coming,
    draw_overlay,
    drawable,
    label_ends,
    overlay_words,
    paint_leader,
    paint_overlay_title,
)
from pmtui.ui.charts.plot import evened, price_labels, row_of_price, widened
from pmtui.ui.terminal.ascii_filter import to_ascii_cells
from pmtui.ui.theme.theme import Role
from tests.ui.fake_surface import NOW
from tests.ui.look import words


def points_of(*prices: int, start_minute: int = 0) -> tuple[PricePoint, ...]:
    return tuple(
        PricePoint(NOW + timedelta(minutes=start_minute + n), Micros(price))
        for n, price in enumerate(prices)
    )


def view_of(*prices: int, load: Load = Load.READY, problem: str = "") -> HistoryView:
    return HistoryView(points_of(*prices), Interval.DAY, load, NOW, problem=problem)


def curves_of(
    views: Sequence[HistoryView], names: Sequence[str] = ("",) * MOST_CURVES
) -> tuple[Curve, ...]:
    return drawable(
        Curve(n, view.points, name, n - 1)
        for n, (view, name) in enumerate(zip(views, names, strict=False), 1)
    )


def labelled(
    curves: Sequence[Curve], width: int, height: int, *, ascii_only: bool = False
) -> tuple[Line, ...]:
    drawing = draw_overlay(curves, width, height, ascii_only=ascii_only)
    return label_ends(drawing, curves, width, ascii_only=ascii_only)


NAMES = ("Ann", "The longest name of all", "Bea")
FLAT = (view_of(*[200_000] * 30), view_of(*[600_000] * 30), view_of(*[400_000] * 30))
walks = st.lists(
    st.lists(st.integers(0, ONE), min_size=2, max_size=60), min_size=1, max_size=MOST_CURVES
)


@settings(max_examples=25, deadline=None)
@given(walks, st.integers(30, 120), st.integers(7, 30), st.booleans())
def test_a_drawing_fits_and_numbers_every_curve(
    series: list[list[int]], width: int, height: int, ascii_only: bool
) -> None:
    curves = [Curve(n, points_of(*prices, start_minute=n)) for n, prices in enumerate(series, 1)]
    lines = labelled(curves, width, height, ascii_only=ascii_only)
    assert [line_width(line) for line in lines] == [width] * height
    ends = [line[-1] for line in lines[:-1] if line[-1].role is not Role.DIM]
    numbers = sorted(end.text.split()[0] for end in ends if end.text.strip())
    assert numbers == [str(curve.number) for curve in curves]
    assert not ascii_only or "".join(to_ascii_cells(words(line)) for line in lines).isascii()


@settings(max_examples=200, deadline=None)
@given(st.integers(0, ONE), st.integers(0, ONE), st.integers(4, 40))
def test_round_prices_stand_on_whole_rows_equally_far_apart(
    one: int, other: int, rows: int
) -> None:
    low, high = widened(Micros(min(one, other)), Micros(max(one, other)))
    least, most = evened(low, high, rows)
    assert least <= low
    assert most >= high
    assert least >= 0
    labels = price_labels(least, most, rows)
    at = [row_of_price(price, (least, most), rows) for price in labels]
    places = [place for place in at if place is not None]
    assert len(places) == len(labels) >= 2
    assert len({below - above for below, above in pairwise(places)}) == 1
    assert places[0] - places[1] >= 2
    # Little of the height is given away where there is some.
    assert rows < 8 or (most - least) * 10 <= (high - low) * 17


def test_numbers_stand_where_their_curves_end() -> None:
    lines = [words(line) for line in labelled(curves_of(FLAT), 50, 12)]
    rows = {line[-1]: y for y, line in enumerate(lines) if line[-1] != " "}
    assert rows["2"] < rows["3"] < rows["1"]


def test_in_ascii_a_curve_is_made_of_its_number() -> None:
    lines = draw_overlay(curves_of(FLAT), 50, 12, ascii_only=True).lines
    rows = [words(line)[8:-2] for line in lines[:-1] if "≈" not in words(line)]
    marks = ["".join(sorted(set(row) - set(" .+"))) for row in rows]
    assert [mark for mark in marks if mark] == ["2", "3", "1"]


def test_curves_that_end_together_get_a_row_each() -> None:
    same = [Curve(n, points_of(500_000, 510_000)) for n in (1, 2, 3, 4)]
    ends = [words(line)[-1] for line in labelled(same, 50, 12)[:-1]]
    assert sorted(e for e in ends if e != " ") == ["1", "2", "3", "4"]


def named(*names: str) -> list[Curve]:
    return [Curve(number, (), name) for number, name in enumerate(names, 1)]


def test_the_title_names_as_many_as_fit() -> None:
    title = words(paint_overlay_title(Interval.WEEK, named("Ilse Maro", "Bo Lund"), 60)[0])
    assert "1w" in title
    assert "1 Ilse Maro" in title
    assert "2 Bo Lund" in title
    long = named("A name that never ends and goes on", "Another one that does not end")
    short = words(paint_overlay_title(Interval.DAY, long, 44)[0])
    assert len(short) <= 44
    assert "1 " in short
    assert "2 " in short


def test_wide_charts_name_their_curves_at_the_ends() -> None:
    curves = curves_of(FLAT, ["Ilse Maro", "Bo Lund", "Somebody else"])
    lines = [words(line).rstrip() for line in labelled(curves, 110, 12)]
    ends = [line[line.rindex(" 2 " if "Bo" in line else " 1 ") :] for line in lines
            if "Bo" in line or "Ilse" in line]  # fmt: skip
    assert [end.split() for end in ends] == [
        ["2", "Bo", "Lund", "60.0¢"], ["1", "Ilse", "Maro", "20.0¢"],
    ]  # fmt: skip
    name, value = paint_overlay_title(Interval.DAY, curves, 110)
    assert words(name) == "PRICE 1h 6h [1d] 1w 1m max"
    assert words(value) == "Bo Lund  60.0¢ → 60.0¢  0.0¢"


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        ((200_000, 285_000), "Ilse Maro  20.0¢ → 28.5¢  +8.5¢"),
        ((285_000, 200_000), "Ilse Maro  28.5¢ → 20.0¢  -8.5¢"),
    ],
)
def test_the_title_says_how_far_the_leader_has_come(prices: tuple[int, int], said: str) -> None:
    lower = view_of(150_000, 150_000)
    curves = curves_of([lower, view_of(*prices)], ["Bo Lund", "Ilse Maro"])
    assert words(paint_overlay_title(Interval.DAY, curves, 110)[1]) == said
    assert words(paint_leader(curves, 24)).endswith(said.removeprefix("Ilse Maro  "))
    assert paint_leader([], 80) == ()


def test_names_take_what_they_need_of_a_wide_chart() -> None:
    names = ["Cut of 50 bps or more", "Rise of 25 bps or more", "No change"]
    for width in (100, 114, 194):
        text = "\n".join(words(line) for line in labelled(curves_of(FLAT, names), width, 14))
        assert all(name in text for name in names)


def test_long_names_that_begin_alike_stay_apart() -> None:
    start = "The governing coalition of the northern provinces wins"
    names = [f"{start} more than {seats} seats" for seats in (40, 50, 60)]
    lines = [words(line) for line in labelled(curves_of(FLAT, names), 100, 14)]
    text = "\n".join(lines)
    assert all(f"{seats} seats" in text for seats in (40, 50, 60))
    # The curves keep most of the width.
    assert max(len(line.rstrip("⣀⠤⠒⠉ ")) for line in lines) <= 100


def test_the_curve_at_the_cursor_is_bold_and_on_top() -> None:
    same = [Curve(n, points_of(500_000, 510_000), place=n - 1) for n in (1, 2)]
    for picked in (0, 1):
        curves = [
            c._replace(emphasis=Emphasis.BOLD if n == picked else Emphasis.DIM)
            for n, c in enumerate(same)
        ]
        lines = labelled(curves, 50, 12)
        dots = [
            cell for line in lines for cell in line if any("⠀" < mark <= "⣿" for mark in cell.text)
        ]
        assert {(cell.role, cell.emphasis) for cell in dots} == {(same[picked].role, Emphasis.BOLD)}
        labels = {line[-1].text.strip(): line[-1].emphasis for line in lines[:-1]}
        assert labels[str(picked + 1)] is Emphasis.BOLD


def test_the_prices_at_the_ends_are_of_now_over_an_older_drawing() -> None:
    names = ["No change", "Cut of 25 bps"]
    old = curves_of([view_of(400_000, 95_000), view_of(400_000, 273_000)], names)
    drawing = draw_overlay(old, 120, 14)
    before = [words(line) for line in label_ends(drawing, old, 120)]
    for price, said in ((273_500, "27.35¢"), (999_000, "99.9¢")):
        now = [old[0], old[1]._replace(points=points_of(400_000, price))]
        lines = label_ends(drawing, now, 120)
        changed = [words(line) for line in lines if words(line) not in before]
        # Only the line whose price changed is repainted, from that price on.
        assert [line.split()[-1] for line in changed] == [said]
        assert "2 Cut of 25 bps " in changed[0]
    whole = [old[0], old[1]._replace(points=points_of(400_000, 1_000_000))]
    lines = label_ends(drawing, whole, 120)
    assert {line_width(line) for line in lines} == {120}
    assert any(words(line).endswith("2 Cut of 25 bps  100.0¢") for line in lines)


def test_the_colour_of_a_curve_is_that_of_its_place_and_not_of_its_number() -> None:
    late, first = Curve(7, (), place=1), Curve(2, (), place=1)
    assert late.role is first.role
    assert (late.mark, Curve(12, ()).mark) == ("7", "c")


def test_a_desert_between_the_curves_is_left_out() -> None:
    near = (view_of(400_000, 420_000), view_of(100_000, 110_000))
    lines = [words(line) for line in draw_overlay(curves_of(near), 80, 20).lines]
    breaks = [y for y, line in enumerate(lines) if "nothing between" in line]
    assert len(breaks) == 1
    assert any("40¢" in line for line in lines[: breaks[0]])
    assert any("10¢" in line for line in lines[breaks[0] + 1 :])
    assert not any(line.startswith(("20¢", "30¢")) for line in lines)
    # Others that are on their way may lie between.
    whole = [words(line) for line in draw_overlay(curves_of(near), 80, 20, is_whole=False).lines]
    assert not any("nothing between" in line for line in whole)


def test_a_curve_that_is_coming_has_room_for_its_name() -> None:
    come = [
        Curve(n, view.points, name)
        for n, (view, name) in enumerate(zip(FLAT, NAMES, strict=True), 1)
    ]
    coming = [come[0], come[1]._replace(points=()), come[2]._replace(points=())]
    first, last = draw_overlay(coming, 120, 20, is_whole=False), draw_overlay(come, 120, 20)
    assert first.axis == last.axis
    assert not any(NAMES[1] in words(line) for line in first.lines)


def test_the_title_says_that_some_are_still_coming() -> None:
    waiting, failed = view_of(load=Load.LOADING), view_of(load=Load.FAILED, problem="no route")
    assert describe_coming([FLAT[0], FLAT[1], waiting, waiting]) == "loading, 2 of 4 here "
    assert describe_coming([waiting, view_of(load=Load.EMPTY)]) == "loading, 0 of 2 here "
    assert describe_coming([FLAT[0], failed, view_of()]) == ""
    # What is shown again while it is fetched anew is here.
    assert describe_coming([view_of(500_000, 510_000, load=Load.LOADING)]) == ""
    coming = "loading, 1 of 2 here "
    title = words(paint_overlay_title(Interval.DAY, named("A", "B"), 60, coming=coming)[0])
    assert "1d loading, 1 of 2 here  1 A" in title


def test_what_is_missing_is_said() -> None:
    waiting = view_of(load=Load.LOADING)
    failed = view_of(load=Load.FAILED, problem="no route")
    assert overlay_words([waiting, waiting], 80, 10) == "Loading the histories…"
    assert "no route" in overlay_words([waiting, failed], 80, 10)
    assert "No prices" in overlay_words([view_of(), view_of()], 80, 10)
    assert overlay_words([waiting, FLAT[0]], 80, 10) == ""
    assert overlay_words(FLAT, 20, 10) == "No room for the chart."
