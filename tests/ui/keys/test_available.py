"""The footer offers what can be done now: the registry says what an action needs, a screen what is missing."""

from dataclasses import replace

import pytest
from textual.app import App

from pmtui.domain.money import Micros
from pmtui.service.topics import AccountTopic, StatusTopic
from pmtui.service.views import EventView, Load
from pmtui.ui.basket.basket_form import BasketForm
from pmtui.ui.event.event import EventScreen
from pmtui.ui.explore.watchlist import WatchlistScreen
from pmtui.ui.frame import FrameScreen
from pmtui.ui.keys.action_table import ACTIONS, Context, Need
from pmtui.ui.keys.actions import FooterEntry, available, footer_entries
from pmtui.ui.portfolio.conditionals import ConditionalsScreen
from pmtui.ui.portfolio.paint_portfolio import Tab
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.widgets.text_line import KeyLine
from tests.ui import believable
from tests.ui.demo import ScreenApp, believable_service
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.market.market_kit import LARGE, line, on_market
from tests.ui.wait import settle, until


def _offered(app: App[None]) -> set[str]:
    return {entry.id for entry in app.screen.query_one("#footer", KeyLine).entries}


def _event_screen(service: FakeService, *, neg_risk: bool) -> FrameScreen:
    event = replace(believable.election(), neg_risk=neg_risk)
    service.events[event.event_id] = EventView(event, Load.READY, NOW)
    service.quotes[event.event_id] = believable.quotes(event, live=3)
    return EventScreen(service.surface(), event.event_id)


def test_what_needs_something_that_is_missing_is_left_out() -> None:
    entries = footer_entries(Context.PORTFOLIO, Context.ROW)
    ids = {entry.id for entry in available(entries, {Need.ORDER, Need.MOVABLE, Need.TRADING})}
    assert not ids & {"portfolio.cancel_order", "portfolio.move_order", "row.buy", "row.sell"}
    assert {"portfolio.next_tab", "portfolio.flatten_marked", "row.flatten"} <= ids
    # A hint that is no action of its own needs nothing.
    hint = FooterEntry("", "0-9", "Size", is_dangerous=False)
    assert available((hint,), set(Need)) == (hint,)


def test_every_need_is_some_action_s() -> None:
    assert {action.needs for action in ACTIONS} - {None} == set(Need)


@pytest.mark.parametrize("is_race", [True, False])
async def test_a_basket_is_offered_where_one_outcome_wins(*, is_race: bool) -> None:
    app = ScreenApp(_event_screen(FakeService(), neg_risk=is_race))
    async with app.run_test(size=(160, 40)) as pilot:
        await until(pilot, lambda: "row.buy" in _offered(app), "the outcomes")
        assert ("event.basket" in _offered(app)) is is_race
        await pilot.press("B")
        await settle(pilot)
        assert isinstance(app.screen, BasketForm) is is_race


async def test_a_locked_market_offers_to_unlock_and_keys_say_why_they_do_nothing() -> None:
    async with on_market(LARGE) as (app, pilot, screen):
        trading = {"market.buy", "market.sell", "market.toggle_arming"}
        await until(pilot, lambda: trading <= _offered(app), "the keys that trade")
        service = app.market.service
        screen.ladder.point_at(Micros(500_000))
        await until(pilot, lambda: "enter sell @ 50¢" in line(screen, "book"), "what enter does")
        lock = "Trading locked since 12:00 UTC by K in the terminal"
        service.status_view = replace(service.status_view, kill_lock=lock)
        service.announce(StatusTopic())
        await until(pilot, lambda: "global.kill" in _offered(app), "the key that unlocks")
        await until(pilot, lambda: "enter" not in line(screen, "book"), "nothing said of enter")
        assert not trading & _offered(app)
        assert "market.flatten" not in _offered(app)
        for key in ("b", "s", "v", "f", "L"):
            screen.message_line.show("")
            await pilot.press(key)
            await until(pilot, lambda: lock in line(screen, "notice"), f"the answer to {key}")
        service.status_view = replace(service.status_view, kill_lock="")
        service.announce(StatusTopic())
        await until(pilot, lambda: trading <= _offered(app), "the keys again")


async def test_the_portfolio_offers_what_the_row_at_the_cursor_allows() -> None:
    service = believable_service()
    screen = PortfolioScreen(service.surface())
    app = ScreenApp(screen)
    async with app.run_test(size=(200, 50)) as pilot:
        await until(pilot, lambda: "row.flatten" in _offered(app), "the positions")
        orders = {"portfolio.cancel_order", "portfolio.move_order", "portfolio.cancel_marked"}
        assert not orders & _offered(app)
        screen.show_tab(Tab.ORDERS)
        await until(pilot, lambda: "portfolio.cancel_order" in _offered(app), "the orders")
        assert "portfolio.cancel_marked" not in _offered(app)
        await pilot.press("space")
        await until(pilot, lambda: "portfolio.cancel_marked" in _offered(app), "a marked one")
        service.account_view = replace(service.account_view, open_orders=())
        service.announce(AccountTopic())
        await until(pilot, lambda: not orders & _offered(app), "none any more")
        screen.show_tab(Tab.TRANSACTIONS)
        await settle(pilot)
        assert not {each for each in _offered(app) if each.startswith("row.")}


async def test_keys_of_stops_and_alerts_are_offered_beside_one() -> None:
    service = believable_service()
    service.account_view = replace(service.account_view, conditionals=())
    app = ScreenApp(ConditionalsScreen(service.surface()))
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        assert not {"conditionals.cancel", "conditionals.switch"} & _offered(app)
    app = ScreenApp(WatchlistScreen(FakeService().surface()))
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        empty = {"watchlist.remove_alert", "row.buy", "global.star", "global.open"}
        assert not empty & _offered(app)
