"""The chart of the trading screen begins where the settings say."""

from pmtui.domain.history import Interval
from pmtui.service.topics import HistoryTopic
from pmtui.ui.screens.market import MarketScreen
from pmtui.ui.surface import Options, Surface
from tests.ui.demo import ScreenApp
from tests.ui.moving_market import CONDITION, YES, MovingMarket
from tests.ui.wait import until


async def test_a_chart_reaches_as_far_back_as_was_chosen() -> None:
    service = MovingMarket().service
    surface = Surface(service, service, service, Options(chart_interval=Interval.WEEK))
    app = ScreenApp(MarketScreen(surface, CONDITION))
    async with app.run_test(size=(120, 36)) as pilot:
        wanted = HistoryTopic(YES, Interval.WEEK)
        await until(pilot, lambda: wanted in service.watched(), "the chosen interval")
