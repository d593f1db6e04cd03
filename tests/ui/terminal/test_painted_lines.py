"""A screen that nobody sees keeps no painted lines, and looks the same when it comes back."""

from typing import Any

from textual.screen import Screen
from textual.widget import Widget

from pmtui.ui.ladder.ladder import LadderPane
from pmtui.ui.portfolio.log import LogScreen
from pmtui.ui.question import QuestionScreen
from pmtui.ui.surface import Options
from pmtui.ui.widgets.line_table import LineTable
from tests.ui.demo_market import MarketDemo
from tests.ui.wait import settle, until

SIZE = (120, 36)


def kept_lines(screen: Screen[Any]) -> int:
    own = sum(len(ladder._strips) for ladder in screen.query(LadderPane))
    own += sum(len(table._strips) for table in screen.query(LineTable))
    dressed = (len(widget._styles_cache._cache) for widget in screen.walk_children(Widget))
    return own + sum(dressed)


def shown(screen: Screen[Any]) -> list[str]:
    return [strip.text for strip in screen._compositor.render_strips()]


async def test_lines_go_with_the_screen_and_are_painted_as_before_when_it_returns() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: app.screen.query("#ladder"), "the screen opens")
        await settle(pilot)
        market = app.screen
        before = shown(market)
        assert kept_lines(market)
        await app.push_screen(LogScreen(app._surface))
        await settle(pilot)
        assert not kept_lines(market)
        await app.pop_screen()
        await until(pilot, lambda: app.screen is market, "it is in front again")
        await settle(pilot)
        assert shown(market) == before
        assert kept_lines(market)


async def test_lines_below_a_question_stay() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: app.screen.query("#ladder"), "the screen opens")
        await settle(pilot)
        market = app.screen
        await app.push_screen(QuestionScreen("Sure?", (), agree="Yes", options=Options()))
        await settle(pilot)
        assert kept_lines(market)
