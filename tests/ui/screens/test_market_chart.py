"""The chart of the trading screen begins where the settings say."""

from dataclasses import replace

from pmtui.domain.history import Interval
from pmtui.domain.money import Micros
from pmtui.service.topics import BookTopic, HistoryTopic
from pmtui.service.views import HistoryView, Load
from pmtui.ui.screens.market import MarketScreen
from pmtui.ui.surface import Options, Surface
from pmtui.ui.widgets.text_line import TextLine
from tests.ui.demo import ScreenApp
from tests.ui.demo_market import MarketDemo
from tests.ui.fake_surface import NOW
from tests.ui.moving_market import CONDITION, YES, MovingMarket
from tests.ui.screens.look import words
from tests.ui.screens.test_market import opened
from tests.ui.stage import shown_text
from tests.ui.wait import until


async def test_a_chart_reaches_as_far_back_as_was_chosen() -> None:
    service = MovingMarket().service
    surface = Surface(service, service, service, Options(chart_interval=Interval.WEEK))
    app = ScreenApp(MarketScreen(surface, CONDITION))
    async with app.run_test(size=(120, 36)) as pilot:
        wanted = HistoryTopic(YES, Interval.WEEK)
        await until(pilot, lambda: wanted in service.watched(), "the chosen interval")


async def test_a_chart_ends_at_the_last_price_of_the_book_after_every_trade() -> None:
    app = MarketDemo(0)
    service = app.market.service
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)

        def title() -> str:
            return shown_text(screen.chart)[0]

        def last_is(price: str) -> bool:
            return f"last {price}" in words(screen.query_one("#quote", TextLine).line)

        await until(pilot, lambda: last_is("52¢") and "to 52¢" in title(), "the last price, twice")
        service.books[YES] = replace(
            service.books[YES], last_trade_price=Micros(530_000), own_last=Micros(530_000)
        )
        service.announce(BookTopic(YES))
        await until(pilot, lambda: last_is("53¢") and "to 53¢" in title(), "the next one, twice")


async def test_a_market_with_trades_and_no_history_shows_its_trades() -> None:
    app = MarketDemo(0)
    for interval in Interval:
        empty = HistoryView((), interval, Load.READY, NOW)
        app.market.service.histories[(YES, interval)] = empty
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        await until(pilot, lambda: screen.chart.is_drawn, "the trades drawn")
        assert "to 52¢" in shown_text(screen.chart)[0]
