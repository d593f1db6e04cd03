from dataclasses import replace
from random import Random
from threading import get_ident

from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import Interval, PriceLine
from pmtui.service.views import HistoryView, Load
from pmtui.ui.charts.chart import ChartPane
from tests.ui.fake_surface import NOW
from tests.ui.moving_market import history
from tests.ui.stage import Stage, shown_text
from tests.ui.wait import settle, until

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


class _TidyStage(Stage):
    def __init__(self, chart: ChartPane) -> None:
        super().__init__(chart)
        self.tidied_in: list[int] = []

    def after_drawing(self) -> None:
        self.tidied_in.append(get_ident())


async def test_what_a_drawing_took_is_tidied_up_where_it_was_drawn() -> None:
    chart = ChartPane()
    app = _TidyStage(chart)
    async with app.run_test(size=(70, 14)) as pilot:
        show(chart, VIEW)
        await until(pilot, lambda: has_curve(chart), "the curve is drawn")
        assert app.tidied_in
        assert get_ident() not in app.tidied_in
