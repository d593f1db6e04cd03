"""Which chart is on show and how far it reaches, on panes that no terminal shows."""

from textual.geometry import Size

from pmtui.domain.markets.history import Interval
from pmtui.service.topics import HistoryTopic
from pmtui.ui.charts.chart import ChartPane
from pmtui.ui.charts.depth import DepthPane
from pmtui.ui.market.controls.panes import (
    BOTH_FROM_HEIGHT,
    BOTH_FROM_WIDTH,
    CHART_FROM_WIDTH,
    Charts,
)
from pmtui.ui.market.controls.workspace import Part
from tests.ui.market.controls.desk import Desk
from tests.ui.moving_market import YES


class ChartDesk(Desk):
    """A desk with charts."""

    def __init__(self) -> None:
        super().__init__()
        self.prices, self.depth = ChartPane(), DepthPane()
        self.charts = Charts(self.workspace, self.prices, self.depth)


def test_the_history_is_fetched_only_while_its_chart_is_on_show() -> None:
    desk = ChartDesk()
    assert list(desk.charts.topics()) == [HistoryTopic(YES, Interval.DAY)]
    desk.charts.switch()
    assert list(desk.charts.topics()) == []
    assert "-depth" in desk.page.classes
    assert Part.TOPICS in desk.page.shown
    desk.charts.switch()
    desk.page.size = Size(CHART_FROM_WIDTH - 1, 36)
    assert list(desk.charts.topics()) == []


def test_both_charts_stand_where_there_is_room_and_no_other_ladder() -> None:
    desk = ChartDesk()
    desk.page.size = Size(BOTH_FROM_WIDTH, BOTH_FROM_HEIGHT)
    desk.charts.place(is_alone=True)
    assert "-charts" in desk.page.classes
    desk.charts.switch()
    assert list(desk.charts.topics()) != []
    desk.charts.place(is_alone=False)
    assert "-charts" not in desk.page.classes
    assert list(desk.charts.topics()) == []


def test_a_small_screen_has_room_for_no_chart() -> None:
    desk = ChartDesk()
    desk.page.size = Size(70, 20)
    desk.charts.switch()
    assert desk.said.startswith("Charts need ")
    desk.charts.zoom(1)
    assert desk.said.startswith("The chart needs ")


def test_an_interval_is_shifted_until_there_is_no_other() -> None:
    desk = ChartDesk()
    desk.charts.zoom(1)
    (topic,) = desk.charts.topics()
    assert topic == HistoryTopic(YES, Interval.DAY.shifted(1))
    for _ in Interval:
        desk.charts.zoom(-1)
    assert desk.said.startswith("No shorter interval than ")
