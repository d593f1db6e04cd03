from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from threading import get_ident
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmtui.domain.ids import ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.history import Interval, LineEnd, PriceLine, PricePoint
from pmtui.domain.markets.market import Side
from pmtui.domain.markets.price_path import with_prints
from pmtui.domain.money import ONE, Micros
from pmtui.domain.orders.order import Fill, Liquidity, TradePrint, TradeStatus
from pmtui.service.views import HistoryView, Load
from pmtui.ui.cells import Cell, Emphasis, Line, line_width
from pmtui.ui.charts.chart import (
    ChartData,
    ChartPane,
    ChartStyle,
    add_out_of_range,
    chart_words,
    draw_chart,
    mark_price,
    paint_chart_title,
    tag_price,
)
from pmtui.ui.charts.plot import axes_over, corners, price_range, row_of_price
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.theme.theme import Role
from tests.ui.fake_surface import NOW
from tests.ui.look import words
from tests.ui.moving_market import history
from tests.ui.stage import Stage, shown_text
from tests.ui.wait import settle, until

START = datetime(2026, 6, 1, tzinfo=UTC)
POINTS = tuple(
    PricePoint(START + timedelta(minutes=n), Micros(300_000 + 2_000 * n)) for n in range(101)
)
PRICES = price_range(POINTS)


def test_the_line_stands_where_the_axis_names_its_price() -> None:
    curve = draw_chart(ChartData(POINTS), 70, 14)
    labels = {words(line)[-curve.axis + 1 :].strip(): y for y, line in enumerate(curve.lines[:-1])}
    checked = 0
    for price in range(300_000, 500_001, 50_000):
        label = f"{price // 10_000}¢"
        if label not in labels:
            continue
        checked += 1
        marked = mark_price(curve, Micros(price))
        changed = [row for row, line in enumerate(marked) if line != curve.lines[row]]
        assert changed == [labels[label]]
        assert "──" in words(marked[changed[0]])
        assert {line_width(line) for line in marked} == {70}
    assert checked >= 2


def test_the_curve_is_not_painted_over() -> None:
    curve = draw_chart(ChartData(POINTS), 70, 14)
    marked = mark_price(curve, Micros(400_000))
    for before, after in zip(curve.lines, marked, strict=True):
        pairs = zip(words(before)[: -curve.axis], words(after)[: -curve.axis], strict=True)
        assert all(old == new for old, new in pairs if old not in " ⠀┈┼")


@given(st.integers(0, 1_000_000).map(Micros), st.integers(1, 60))
def test_higher_prices_have_higher_rows_and_none_leaves_the_canvas(
    price: Micros, rows: int
) -> None:
    prices = (Micros(200_000), Micros(700_000))
    row = row_of_price(price, prices, rows)
    assert (row is None) == (not 200_000 <= price <= 700_000)
    if row is not None:
        assert 0 <= row < rows
        above = row_of_price(Micros(min(price + 5_000, 700_000)), prices, rows)
        assert above is not None
        assert above <= row


def test_out_of_sight_is_said_where_there_is_room() -> None:
    title = (Cell("Price "), Cell("1d "), Cell(" " * 40))
    where = words(add_out_of_range(title, Micros(990_000), PRICES, 60))
    assert where.startswith("Price 1d  cursor 99.0¢ above")
    assert add_out_of_range(title, Micros(400_000), PRICES, 60) == title
    assert add_out_of_range(title, Micros(10_000), PRICES, 14) == title


def test_what_follows_the_intervals_stands_apart_from_them() -> None:
    points = points_of(500_000, 535_000)
    view = HistoryView(points, Interval.WEEK, Load.READY, NOW)
    line = PriceLine(points, points[-1].at, LineEnd.RESULT)
    name, _ = paint_chart_title(view, line, points[-1].at, 70)
    assert words(name).endswith(" 1m max  resolved")
    whole = words(add_out_of_range(name, Micros(990_000), PRICES, 70)).rstrip()
    assert whole.endswith(" 1m max  resolved  cursor 99.0¢ above")


def drawn(
    points: tuple[PricePoint, ...], width: int, height: int, **options: bool
) -> tuple[Line, ...]:
    return draw_chart(ChartData(points), width, height, **options).lines


def text_of(lines: tuple[Line, ...]) -> str:
    return "\n".join("".join(cell.text for cell in line) for line in lines)


def points_of(*prices: int) -> tuple[PricePoint, ...]:
    return tuple(PricePoint(NOW + timedelta(minutes=i), Micros(p)) for i, p in enumerate(prices))


BRAILLE = set(map(chr, range(0x2801, 0x2900)))
series = st.lists(st.integers(0, ONE), min_size=2, max_size=400).map(lambda p: points_of(*p))


@settings(max_examples=40, deadline=None)
@given(series, st.integers(16, 120), st.integers(4, 40), st.booleans())
def test_a_drawing_is_exactly_as_large_as_asked(
    points: tuple[PricePoint, ...], width: int, height: int, ascii_only: bool
) -> None:
    lines = draw_chart(ChartData(points), width, height, ascii_only=ascii_only).lines
    assert len(lines) == height
    assert all(line_width(line) == width for line in lines)
    assert not ascii_only or not BRAILLE & set(text_of(lines))


def test_two_threads_draw_two_charts() -> None:
    calm, wild = points_of(500_000, 500_000, 500_000), tuple(history(Random(1)))
    alone = [drawn(p, 60, 12) for p in (calm, wild)]
    with ThreadPoolExecutor(4) as pool:
        together = list(
            pool.map(lambda p: drawn(p, 60, 12), [calm, wild] * 8)
        )  # fmt: skip
    assert together == alone * 8


def test_a_rising_price_climbs_to_the_right() -> None:
    lines = drawn(points_of(*range(100_000, 900_000, 10_000)), 60, 12)
    rows = ["".join(c.text for c in line) for line in lines[:-1]]
    marked = [(y, x) for y, row in enumerate(rows) for x, c in enumerate(row) if "⠀" < c <= "⣿"]
    assert min(marked)[1] > max(marked)[1]
    assert all(price in text_of(lines) for price in ("0¢", "50¢", "100¢"))


@pytest.mark.parametrize(
    ("load", "problem", "words"),
    [
        (Load.LOADING, "", "Loading"),
        (Load.EMPTY, "", "Loading"),
        (Load.FAILED, "no route", "no route"),
        (Load.READY, "", "No prices"),
    ],
)
def test_no_curve_is_explained(load: Load, problem: str, words: str) -> None:
    view = HistoryView((), Interval.DAY, load, None, problem=problem)
    assert words in chart_words(view, PriceLine(()), 60, 12)


def test_the_title_says_interval_both_ends_the_change_and_what_it_ends_with() -> None:
    points = points_of(500_000, 535_000)
    view = HistoryView(points, Interval.WEEK, Load.READY, NOW)

    def title(end: LineEnd, minutes: int) -> list[str]:
        line = PriceLine(points, points[-1].at, end)
        now = points[-1].at + timedelta(minutes=minutes)
        name, value = paint_chart_title(view, line, now, width)
        return text_of(((*name, Cell(" "), *value),)).split()

    width = 40
    ends = ["50.0¢", "→", "53.5¢", "+3.5¢"]
    assert title(LineEnd.QUOTE, 9) == title(LineEnd.DATA, 0) == ["PRICE", "1w", *ends]
    assert title(LineEnd.RESULT, 9) == ["PRICE", "1w", "resolved", *ends]
    assert title(LineEnd.DATA, 9) == ["PRICE", "1w", "9m", "old", *ends]
    width = 60
    assert title(LineEnd.QUOTE, 9)[:7] == ["PRICE", "1h", "6h", "1d", "[1w]", "1m", "max"]
    assert chart_words(view, PriceLine(points), 10, 12) == "No room for the chart."


def test_a_line_is_drawn_in_steps() -> None:
    # Two points in five minutes are no climb: the first price holds until the second is known.
    low, high = points_of(200_000, 800_000)
    rows = text_of(drawn((low, replace(high, at=low.at + timedelta(minutes=5))), 60, 13))
    marked = [
        (y, x)
        for y, row in enumerate(rows.splitlines()[:-1])
        for x, mark in enumerate(row)
        if "⠀" < mark <= "⣿"
    ]
    bottom = max(y for y, _ in marked)
    assert {x for y, x in marked if y < bottom} == {max(x for _, x in marked)}
    assert len({x for y, x in marked if y == bottom}) > 40


def test_a_line_that_ends_before_now_leaves_the_rest_empty() -> None:
    points = points_of(500_000, 500_000)
    until = points[0].at + timedelta(minutes=4)
    rows = text_of(draw_chart(ChartData(points, until), 60, 13).lines).splitlines()[:-1]
    last = max(x for row in rows for x, mark in enumerate(row) if "⠀" < mark <= "⣿")
    assert 11 <= last <= 15


_HOSTILE = (10**21, -1, -(10**21), 1_000_001, float("nan"), float("inf"), float("-inf"))


@pytest.mark.parametrize("price", _HOSTILE)
def test_what_is_no_price_is_never_drawn(price: float) -> None:
    good = points_of(400_000, 500_000, 450_000)
    bad = PricePoint(good[1].at, cast("Micros", price))
    for points in ((good[0], bad, good[2]), (bad, bad), (good[0], bad)):
        lines = drawn(points, 60, 12)
        assert [line_width(line) for line in lines] == [60] * 12
    with_bad = text_of(drawn((good[0], bad, good[2]), 60, 12))
    assert with_bad == text_of(drawn((good[0], good[2]), 60, 12))


@pytest.mark.parametrize("year", [1, 1969, 9999])
def test_times_beyond_all_sense_are_drawn_without_harm(year: int) -> None:
    points = (PricePoint(NOW, Micros(500_000)), PricePoint(NOW.replace(year=year), Micros(600_000)))
    ordered = tuple(sorted(points, key=lambda point: point.at))
    lines = draw_chart(ChartData(ordered, NOW), 60, 12).lines
    assert [line_width(line) for line in lines] == [60] * 12


def test_a_hundred_thousand_points_are_a_few_for_each_column() -> None:
    random = Random(2)
    points = points_of(*(random.randrange(ONE) for _ in range(100_000)))
    axes = axes_over(points, 80, 20)
    xs, ys = corners(points, axes, 140)
    assert len(xs) == len(ys) <= 4 * 140
    assert min(xs) >= 0
    assert max(xs) <= 140
    assert axes.low <= min(ys) <= max(ys) <= axes.high


def test_long_times_are_told_in_days() -> None:
    start, end = points_of(500_000, 510_000)
    week = (start, PricePoint(start.at + timedelta(days=7), end.price))
    assert "Jun" in text_of(drawn(week, 60, 12))
    assert ":" in text_of(drawn((start, end), 60, 12))


def test_the_moments_below_a_short_chart_differ() -> None:
    low, high = PricePoint(NOW, Micros(500_000)), Micros(600_000)
    for seconds, colons in ((90, 2), (7_200, 1)):
        end = PricePoint(NOW + timedelta(seconds=seconds), high)
        *moments, _ = text_of(drawn((low, end), 100, 12)).splitlines()[-1].split()
        assert len(moments) >= 4
        assert len(set(moments)) == len(moments)
        assert {moment.count(":") for moment in moments} == {colons}


def test_the_price_now_is_a_tag_on_the_axis() -> None:
    drawing = draw_chart(ChartData(points_of(400_000, 500_000, 455_000)), 60, 12)
    for last, said, role in (
        (455_000, "45.5¢", Role.UP), (460_000, "46.0¢", Role.UP), (399_000, "39.9¢", Role.DOWN),
        (990_000, "99.0¢", Role.UP),
    ):  # fmt: skip
        tagged = tag_price(drawing, PriceLine(points_of(400_000, 500_000, last)))
        tags = [cell for line in tagged.lines for cell in line if Emphasis.REVERSE in cell.emphasis]
        assert [tag.text.strip() for tag in tags] == [said]
        assert {tag.role for tag in tags} == {role}
        assert {line_width(line) for line in tagged.lines} == {60}


def test_what_lies_below_the_line_is_tinted_by_the_sign_of_the_change() -> None:
    for prices, tint in (((400_000, 500_000), Role.AREA_UP), ((500_000, 400_000), Role.AREA_DOWN)):
        grounds = {cell.ground for line in drawn(points_of(*prices), 60, 12) for cell in line}
        assert grounds == {None, tint}


def fill_of(side: Side, cents: int, minute: int) -> Fill:
    return Fill(
        TradeId(f"{minute}"), OrderId("0x1"), ConditionId("0x2"), TokenId("1"), "Yes", side,
        Micros(cents * 10_000), Micros(10**6), None, Liquidity.MAKER, TradeStatus.CONFIRMED,
        NOW + timedelta(minutes=minute),
    )  # fmt: skip


def test_own_fills_stand_where_and_when_they_happened() -> None:
    points = points_of(*(400_000 + 1_000 * n for n in range(101)))
    fills = (fill_of(Side.BUY, 50, 10), fill_of(Side.SELL, 40, 90), fill_of(Side.BUY, 99, 50))
    rows = text_of(draw_chart(ChartData(points, fills=fills), 60, 12).lines).splitlines()
    found = [(mark, row.index(mark)) for row in rows for mark in "BS&" if mark in row]
    assert [mark for mark, _ in found] == ["B", "S"]
    assert found[0][1] < 10
    assert found[1][1] > 40


def print_of(minute: int, shares: int) -> TradePrint:
    at = NOW + timedelta(minutes=minute)
    return TradePrint(TokenId("1"), Side.BUY, Micros(450_000), Micros(shares * 10**6), at)


def test_traded_shares_are_a_strip_below_the_line_where_trades_are_known() -> None:
    points = points_of(*(400_000 + 1_000 * n for n in range(101)))
    prints = tuple(print_of(minute, 10 * minute) for minute in range(50, 101))
    drawing = draw_chart(ChartData(points, traded=with_prints((), prints)), 60, 12)
    strip = text_of(drawing.lines[drawing.rows : -1])
    assert drawing.rows == 9
    assert "vol" in strip
    assert "█" in strip
    assert "  volume since 12:50 " in strip.splitlines()[-1]


@settings(max_examples=60, deadline=None)
@given(series, st.integers(5, 40), st.integers(1, 40))
def test_above_a_strip_of_volume_the_labels_are_equally_far_apart(
    points: tuple[PricePoint, ...], height: int, trades: int
) -> None:
    prints = tuple(print_of(minute, 10) for minute in range(trades))
    drawing = draw_chart(ChartData(points, traded=with_prints((), prints)), 60, height)
    lines = text_of(drawing.lines).splitlines()
    at = [row for row, line in enumerate(lines) if "┤" in line]
    assert len({below - above for above, below in pairwise(at)}) <= 1


def test_volume_of_a_small_part_says_since_when_it_is_known() -> None:
    points = points_of(*(400_000 + 1_000 * n for n in range(101)))
    drawing = draw_chart(
        ChartData(points, traded=with_prints((), (print_of(99, 5), print_of(100, 5)))), 60, 12
    )
    (row,) = drawing.lines[drawing.rows : -1]
    assert "volume since 13:39 " in text_of((row,))
    assert draw_chart(ChartData(points), 60, 12).rows == 11


@settings(max_examples=40, deadline=None)
@given(series, st.integers(16, 120), st.integers(4, 40), st.booleans())
def test_candles_fill_the_same_place(
    points: tuple[PricePoint, ...], width: int, height: int, ascii_only: bool
) -> None:
    data = ChartData(points, style=ChartStyle.CANDLES)
    lines = draw_chart(data, width, height, ascii_only=ascii_only).lines
    assert [line_width(line) for line in lines] == [width] * height
    assert not ascii_only or not BRAILLE & set(text_of(lines))


def test_a_candle_has_a_body_and_wicks_in_the_colour_of_its_change() -> None:
    rising = points_of(400_000, 450_000, 420_000, 500_000)
    lines = draw_chart(ChartData(rising, style=ChartStyle.CANDLES), 20, 12).lines
    marks = {(c.role, mark) for line in lines for c in line for mark in c.text if mark in "║┃"}
    assert marks == {(Role.UP, "║"), (Role.DOWN, "┃")}


@settings(max_examples=40, deadline=None)
@given(series, st.booleans())
def test_candles_that_rose_and_those_that_fell_share_no_body(
    points: tuple[PricePoint, ...], ascii_only: bool
) -> None:
    data = ChartData(points, style=ChartStyle.CANDLES)
    cells = [c for line in draw_chart(data, 60, 16, ascii_only=ascii_only).lines for c in line]
    risen, fallen = (
        {mark for c in cells if c.role is role for mark in c.text} - set("│╷╵|·")
        for role in (Role.UP, Role.DOWN)
    )
    assert not risen & fallen


TOKEN = TokenId("1")
VIEW = HistoryView(tuple(history(Random(3))), Interval.DAY, Load.READY, NOW, version=1)


def show(chart: ChartPane, view: HistoryView) -> None:
    chart.show(view, PriceLine(view.points), token_id=TOKEN, now=NOW)


def has_curve(chart: ChartPane) -> bool:
    return any("⠀" < c <= "⣿" for line in shown_text(chart) for c in line)


async def test_a_curve_appears_once_it_is_drawn() -> None:
    chart = ChartPane()
    async with Stage(chart).run_test(size=(70, 14)) as pilot:
        show(chart, VIEW)
        await until(pilot, lambda: has_curve(chart), "the curve is drawn")
        assert chart.is_drawn
        assert "1d" in shown_text(chart)[0]


async def test_another_size_is_drawn_anew_and_the_old_one_is_not_shown() -> None:
    chart = ChartPane()
    async with Stage(chart).run_test(size=(70, 14)) as pilot:
        show(chart, VIEW)
        await until(pilot, lambda: has_curve(chart), "the curve is drawn")
        await pilot.resize_terminal(50, 10)
        await until(pilot, lambda: chart.is_drawn and has_curve(chart), "it is drawn anew")
        assert len(shown_text(chart)) == 10
        await pilot.resize_terminal(8, 3)
        await settle(pilot)
        assert not has_curve(chart)


async def test_another_interval_replaces_the_curve() -> None:
    chart = ChartPane()
    async with Stage(chart).run_test(size=(70, 14)) as pilot:
        show(chart, VIEW)
        await until(pilot, lambda: has_curve(chart), "the curve is drawn")
        loading = HistoryView((), Interval.WEEK, Load.LOADING, None)
        show(chart, loading)
        await settle(pilot)
        assert "Loading" in "".join(shown_text(chart))
        assert not has_curve(chart)
        show(chart, replace(VIEW, interval=Interval.WEEK))
        await until(pilot, lambda: has_curve(chart), "the week is drawn")


async def test_a_failed_history_says_so() -> None:
    chart = ChartPane()
    async with Stage(chart).run_test(size=(70, 14)) as pilot:
        failed = HistoryView((), Interval.DAY, Load.FAILED, None, problem="timed out")
        show(chart, failed)
        await settle(pilot)
        assert "timed out" in "".join(shown_text(chart))


class _TidyStage(TerminalApp, Stage):
    """Notes in which threads drawings are tidied up."""


async def test_what_a_drawing_took_is_tidied_up_where_it_was_drawn() -> None:
    chart = ChartPane()
    app, tidied_in = _TidyStage(chart), list[int]()
    app.after_drawing = lambda: tidied_in.append(get_ident())
    async with app.run_test(size=(70, 14)) as pilot:
        show(chart, VIEW)
        await until(pilot, lambda: has_curve(chart), "the curve is drawn")
        assert tidied_in
        assert get_ident() not in tidied_in
