from datetime import timedelta

from pmtui.domain.account.exposure import EventProfit, Exposure
from pmtui.domain.account.pnl import DayFigures, EquityPoint
from pmtui.domain.account.position import Activity
from pmtui.domain.money import Micros
from pmtui.ui.cells import Line
from pmtui.ui.portfolio.summary import (
    paint_equity_value,
    paint_exposure_line,
    paint_profits,
    paint_risk,
    paint_today,
    paint_today_value,
    transfers_on,
    until_now,
)
from tests.ui import believable
from tests.ui.fake_surface import NOW


def text(line: Line) -> str:
    return "".join(cell.text for cell in line)


def test_the_equity_stands_with_the_same_result_as_today() -> None:
    assert paint_equity_value(None, None) == ()
    assert text(paint_equity_value(believable.micros(7), None)) == "$7.00"
    assert text(paint_equity_value(believable.micros(7), believable.micros(-3))) == "$7.00  -$3.00"


def test_the_curve_ends_at_the_equity_that_the_title_says() -> None:
    sample = EquityPoint(NOW, believable.micros(7))
    later = NOW + timedelta(minutes=1)
    assert until_now((sample,), believable.micros(9), later)[1:] == (
        EquityPoint(later, believable.micros(9)),
    )
    assert until_now((sample,), None, later) == (sample,)
    assert until_now((sample,), sample.value, later) == (sample,)
    assert until_now((), believable.micros(9), later) == ()


def test_todays_parts_add_up_and_fills_are_counted() -> None:
    figures = DayFigures(Micros(25_180_000), realized=Micros(12_400_000), fees=Micros(1_810_000))
    lines = [text(line) for line in paint_today(figures, (), NOW)]
    assert [line.split()[-1] for line in lines[:3]] == ["+$12.40", "+$14.59", "-$1.81"]
    # What they add up to is the pane's value.
    assert text(paint_today_value(figures, Micros(1_025_180_000))) == "+$25.18 2.52%"
    assert text(paint_today_value(figures, None)) == "+$25.18"
    assert paint_today_value(None, None) == ()
    fill = believable.fill(1, 2)
    assert "1 fill" in text(paint_today(figures, (fill,), NOW)[-1])
    assert "loading" in text(paint_today(None, (), NOW)[0])


def test_cash_that_was_moved_stands_beside_the_result() -> None:
    def moved(kind: str, cash: int) -> Activity:
        return Activity(kind, "", "", "", None, None, Micros(cash), NOW)

    rows = (moved("DEPOSIT", 9_000_000), moved("WITHDRAWAL", 2_500_000), moved("TRADE", 7))
    assert transfers_on(rows, NOW.date()) == 6_500_000
    assert transfers_on(rows, NOW.date() + timedelta(days=1)) == 0
    figures = DayFigures(Micros(0), Micros(0), Micros(0))
    told = [text(line) for line in paint_today(figures, (), NOW, transfers=Micros(6_500_000))]
    assert any(line.split() == ["transfers", "+$6.50"] for line in told)
    assert not any("transfers" in text(line) for line in paint_today(figures, (), NOW))


def test_risk_is_told_from_the_marks_on() -> None:
    exposure = Exposure(
        value=Micros(80_060_000), cost=Micros(92_500_000), worst=Micros(0),
        best=Micros(151_670_000), largest=("ECB", Micros(19_050_000)),
    )  # fmt: skip
    lines = [text(line) for line in paint_risk(exposure, Micros(10_000_000_000))]
    assert lines[0].split() == ["value", "$80.06", "0.8%"]
    assert lines[1].split() == ["cost", "$92.50"]
    assert lines[2].split() == ["worst", "case", "-$80.06", "from", "now"]
    assert lines[3].split() == ["best", "case", "+$71.61", "from", "now"]
    assert lines[4].split() == ["largest", "$19.05", "23.8%"]
    assert lines[5] == "ECB"


def test_a_small_screen_tells_of_the_risk_in_one_line() -> None:
    exposure = Exposure(
        value=Micros(80_060_000), cost=Micros(92_500_000), worst=Micros(0),
        best=Micros(151_670_000), largest=("ECB", Micros(19_050_000)),
    )  # fmt: skip
    line = text(paint_exposure_line(exposure, Micros(10_000_000_000), 100))
    for words in (
        "equity $10,000.00",
        "exposure $80.06",
        "worst -$80.06",
        "best +$71.61",
        "largest ECB  23.8%",
    ):
        assert words in line


def test_gains_and_losses_go_to_different_sides() -> None:
    profits = [
        EventProfit("Up", Micros(40_000_000), Micros(0)),
        EventProfit("Down", Micros(-20_000_000), Micros(0)),
    ]
    up, down = (text(line) for line in paint_profits(profits, 80, 5))
    assert up.index("│") < up.index("▄")
    assert down.index("▄") < down.index("│")
    assert up.count("▄") > down.count("▄") > 0
    assert len(paint_profits(profits * 5, 80, 3)) == 3
    assert "Nothing" in text(paint_profits([], 80, 3)[0])


def test_bars_of_profits_begin_where_the_names_end_however_wide_the_pane_is() -> None:
    profits = [EventProfit("A name of some length", Micros(-40_000_000), Micros(0))]
    for width in (40, 80, 196):
        (line,) = (text(each) for each in paint_profits(profits, width, 5))
        assert len(line) <= width
        assert line.split("▄")[0].rstrip(" …") in "A name of some length"
        assert line.index("▄") <= 22
