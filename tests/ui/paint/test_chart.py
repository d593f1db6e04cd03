from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmtui.domain.history import Interval, PricePoint
from pmtui.domain.money import ONE, Micros
from pmtui.service.views import HistoryView, Load
from pmtui.ui.cells import Line, line_width
from pmtui.ui.paint.chart import (
    chart_words,
    draw_chart,
    paint_chart_title,
)
from tests.ui.fake_surface import NOW
from tests.ui.moving_market import history


def text_of(lines: tuple[Line, ...]) -> str:
    return "\n".join("".join(cell.text for cell in line) for line in lines)


def points_of(*prices: int) -> tuple[PricePoint, ...]:
    return tuple(PricePoint(NOW + timedelta(minutes=i), Micros(p)) for i, p in enumerate(prices))


series = st.lists(st.integers(0, ONE), min_size=2, max_size=400).map(lambda p: points_of(*p))


@settings(max_examples=40, deadline=None)
@given(series, st.integers(16, 120), st.integers(4, 40), st.booleans())
def test_a_drawing_is_exactly_as_large_as_asked(
    points: tuple[PricePoint, ...], width: int, height: int, ascii_only: bool
) -> None:
    lines = draw_chart(points, width, height, ascii_only=ascii_only)
    assert len(lines) == height
    assert all(line_width(line) == width for line in lines)
    assert text_of(lines).replace("\n", "").isascii() or not ascii_only


def test_two_threads_draw_two_charts() -> None:
    calm, wild = points_of(500_000, 500_000, 500_000), tuple(history(Random(1)))
    alone = [draw_chart(p, 60, 12) for p in (calm, wild)]
    with ThreadPoolExecutor(4) as pool:
        drawn = list(
            pool.map(lambda p: draw_chart(p, 60, 12), [calm, wild] * 8)
        )  # fmt: skip
    assert drawn == alone * 8


def test_a_rising_price_climbs_to_the_right() -> None:
    lines = draw_chart(points_of(*range(100_000, 900_000, 10_000)), 60, 12)
    rows = ["".join(c.text for c in line) for line in lines[:-1]]
    marked = [(y, x) for y, row in enumerate(rows) for x, c in enumerate(row) if "⠀" < c <= "⣿"]
    assert min(marked)[1] > max(marked)[1]
    assert all(price in text_of(lines) for price in ("20¢", "40¢", "60¢", "80¢"))


@pytest.mark.parametrize(
    ("load", "problem", "words"),
    [
        (Load.LOADING, "", "Loading"),
        (Load.EMPTY, "", "Loading"),
        (Load.FAILED, "no route", "no route"),
        (Load.READY, "", "no prices"),
    ],
)
def test_no_curve_is_explained(load: Load, problem: str, words: str) -> None:
    view = HistoryView((), Interval.DAY, load, None, problem=problem)
    assert words in chart_words(view, 60, 12)


def test_the_title_says_interval_both_ends_and_the_change_between_them() -> None:
    view = HistoryView(points_of(500_000, 535_000), Interval.WEEK, Load.READY, NOW)
    title = text_of((paint_chart_title(view, NOW, 40),))
    assert title.split() == ["Price", "1w", "from", "50¢", "to", "53.5¢", "+3.5¢"]
    assert chart_words(view, 10, 12) == "No room for the chart."


def test_long_times_are_told_in_days() -> None:
    start, end = points_of(500_000, 510_000)
    week = (start, PricePoint(start.at + timedelta(days=7), end.price))
    assert "Jun" in text_of(draw_chart(week, 60, 12))
    assert ":" in text_of(draw_chart((start, end), 60, 12))


def test_the_moments_below_a_short_chart_differ() -> None:
    low, high = PricePoint(NOW, Micros(500_000)), Micros(600_000)
    for seconds, colons in ((90, 2), (7_200, 1)):
        end = PricePoint(NOW + timedelta(seconds=seconds), high)
        *moments, _ = text_of(draw_chart((low, end), 100, 12)).splitlines()[-1].split()
        assert len(moments) >= 4
        assert len(set(moments)) == len(moments)
        assert {moment.count(":") for moment in moments} == {colons}
