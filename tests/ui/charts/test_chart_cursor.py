from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.markets.history import PricePoint
from pmtui.domain.money import Micros
from pmtui.ui.cells import Cell, line_width
from pmtui.ui.charts.canvas import row_of_price
from pmtui.ui.charts.chart_cursor import add_out_of_range, mark_price
from pmtui.ui.charts.paint_chart import ChartData, draw_chart
from pmtui.ui.charts.plot import price_range
from tests.ui.screens.look import words

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
    assert where.startswith("Price 1d  cursor 99¢ above")
    assert add_out_of_range(title, Micros(400_000), PRICES, 60) == title
    assert add_out_of_range(title, Micros(10_000), PRICES, 14) == title
