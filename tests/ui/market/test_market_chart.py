"""The chart of the trading screen begins where the settings say."""

from dataclasses import replace
from datetime import timedelta

from pmtui.domain.books.book_view import BookState
from pmtui.domain.markets.history import Interval
from pmtui.domain.money import Micros
from pmtui.service.topics import HistoryTopic, MarketTopic, StatusTopic
from pmtui.service.views import HistoryView, Load
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.surface import Options, Surface
from tests.ui.demo import ScreenApp
from tests.ui.demo_market import MarketDemo
from tests.ui.fake_surface import NOW
from tests.ui.market.market_kit import MIDDLE, on_market, opened
from tests.ui.moving_market import CONDITION, YES, MovingMarket
from tests.ui.stage import shown_text
from tests.ui.wait import until


def head(screen: MarketScreen) -> str:
    """Return what stands in the frame above the chart."""
    name, value = screen.chart.titles()
    return "".join(cell.text for cell in (*name, *value))


async def test_a_chart_reaches_as_far_back_as_was_chosen() -> None:
    service = MovingMarket().service
    surface = Surface(service, service, service, Options(chart_interval=Interval.WEEK))
    app = ScreenApp(MarketScreen(surface, CONDITION))
    async with app.run_test(size=(120, 36)) as pilot:
        wanted = HistoryTopic(YES, Interval.WEEK)
        await until(pilot, lambda: wanted in service.watched(), "the chosen interval")


async def test_a_chart_ends_at_the_middle_of_a_good_book_and_else_where_its_data_ends() -> None:
    app = MarketDemo(0)
    service = app.market.service
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)

        await until(pilot, lambda: "→ 52.5¢" in head(screen), "the middle of the book")
        app.market.set_state(BookState.STALE)
        await until(pilot, lambda: "→ 52.0¢" in head(screen), "the last trade")
        service.at += timedelta(minutes=7)
        service.announce(StatusTopic())
        await until(pilot, lambda: " old" in head(screen), "the age of the last trade")


async def test_a_chart_ends_at_what_a_share_is_worth_once_the_market_is_resolved() -> None:
    app = MarketDemo(0)
    service = app.market.service
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        view = service.markets[CONDITION]
        assert view.market is not None
        yes, no = view.market.outcomes
        lost = (replace(yes, price=Micros(0)), replace(no, price=Micros(1_000_000)))
        market = replace(view.market, closed=True, outcomes=lost)
        service.markets[CONDITION] = replace(view, market=market)
        service.announce(MarketTopic(CONDITION))
        await until(pilot, lambda: "→ 0.0¢" in head(screen), "the worth of a share")
        assert "resolved" in head(screen)


async def test_a_market_with_trades_and_no_history_shows_its_trades() -> None:
    app = MarketDemo(0)
    for interval in Interval:
        empty = HistoryView((), interval, Load.READY, NOW)
        app.market.service.histories[(YES, interval)] = empty
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        await until(pilot, lambda: screen.chart.is_drawn, "the trades drawn")
        assert "→ 52.5¢" in head(screen)


async def test_candles_take_the_place_of_the_line_and_the_other_way_round() -> None:
    async with on_market(MIDDLE) as (_, pilot, screen):

        def has_candles() -> bool:
            return any(mark in line for line in shown_text(screen.chart) for mark in "┃╻╹")

        await until(pilot, lambda: screen.chart.is_drawn, "the line")
        assert not has_candles()
        await pilot.press("c")
        await until(pilot, has_candles, "candles")
        await pilot.press("c")
        await until(pilot, lambda: screen.chart.is_drawn and not has_candles(), "the line")
