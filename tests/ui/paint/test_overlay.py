from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from pmtui.domain.markets.history import Interval, PricePoint
from pmtui.domain.money import ONE, Micros
from pmtui.service.views import HistoryView, Load
from pmtui.ui.cells import line_width
from pmtui.ui.paint.overlay import (
    MOST_CURVES,
    Curve,
    curves_of,
    draw_overlay,
    overlay_words,
    paint_overlay_title,
    say_coming,
)
from tests.ui.fake_surface import NOW
from tests.ui.screens.look import words


def points_of(*prices: int, start_minute: int = 0) -> tuple[PricePoint, ...]:
    return tuple(
        PricePoint(NOW + timedelta(minutes=start_minute + n), Micros(price))
        for n, price in enumerate(prices)
    )


def view_of(*prices: int, load: Load = Load.READY, problem: str = "") -> HistoryView:
    return HistoryView(points_of(*prices), Interval.DAY, load, NOW, problem=problem)


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
    lines = draw_overlay(curves, width, height, ascii_only=ascii_only)
    assert [line_width(line) for line in lines] == [width] * height
    ends = "".join(words(line)[-1] for line in lines)
    assert sorted(ends.replace(" ", "")) == [str(curve.number) for curve in curves]
    assert not ascii_only or "".join(words(line) for line in lines).isascii()


def test_numbers_stand_where_their_curves_end() -> None:
    lines = [words(line) for line in draw_overlay(curves_of(FLAT), 60, 12)]
    rows = {line[-1]: y for y, line in enumerate(lines) if line[-1] != " "}
    assert rows["2"] < rows["3"] < rows["1"]


def test_in_ascii_a_curve_is_made_of_its_number() -> None:
    lines = draw_overlay(curves_of(FLAT), 60, 12, ascii_only=True)
    rows = [words(line)[8:-2] for line in lines[:-1]]
    assert ["".join(sorted(set(row) - {" "})) for row in rows if row.strip()] == ["2", "3", "1"]


def test_curves_that_end_together_get_a_row_each() -> None:
    same = [Curve(n, points_of(500_000, 510_000)) for n in (1, 2, 3, 4)]
    ends = [words(line)[-1] for line in draw_overlay(same, 60, 12)]
    assert sorted(e for e in ends if e != " ") == ["1", "2", "3", "4"]


def test_the_title_names_as_many_as_fit() -> None:
    title = words(paint_overlay_title(Interval.WEEK, ["Ilse Maro", "Bo Lund"], 60))
    assert "1w" in title
    assert "1 Ilse Maro" in title
    assert "2 Bo Lund" in title
    long = ["A name that never ends and goes on", "Another one that does not end"]
    short = words(paint_overlay_title(Interval.DAY, long, 44))
    assert len(short) == 44
    assert "1 " in short
    assert "2 " in short


def test_the_title_says_that_some_are_still_coming() -> None:
    waiting, failed = view_of(load=Load.LOADING), view_of(load=Load.FAILED, problem="no route")
    assert say_coming([FLAT[0], FLAT[1], waiting, waiting]) == "loading, 2 of 4 here "
    assert say_coming([waiting, view_of(load=Load.EMPTY)]) == "loading, 0 of 2 here "
    assert say_coming([FLAT[0], failed, view_of()]) == ""
    # What is shown again while it is fetched anew is here.
    assert say_coming([view_of(500_000, 510_000, load=Load.LOADING)]) == ""
    title = words(paint_overlay_title(Interval.DAY, ["A", "B"], 60, coming="loading, 1 of 2 here "))
    assert "1d loading, 1 of 2 here  1 A" in title


def test_what_is_missing_is_said() -> None:
    waiting = view_of(load=Load.LOADING)
    failed = view_of(load=Load.FAILED, problem="no route")
    assert overlay_words([waiting, waiting], 80, 10) == "Loading the histories…"
    assert "no route" in overlay_words([waiting, failed], 80, 10)
    assert "No prices" in overlay_words([view_of(), view_of()], 80, 10)
    assert overlay_words([waiting, FLAT[0]], 80, 10) == ""
    assert overlay_words(FLAT, 20, 10) == "No room for the chart."
