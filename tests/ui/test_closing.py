"""What is told or answered in the very moment a screen goes must not reach into what is half gone."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget

from pmtui.ui.account.account import AccountScreen
from pmtui.ui.account.action_cards import ScaledCard
from pmtui.ui.app import PmtuiApp
from pmtui.ui.event.event import EventScreen
from pmtui.ui.explore.alert_form import AlertForm, AlertSubject
from pmtui.ui.explore.markets import MarketsScreen
from pmtui.ui.explore.tag_picker import TagChoice, TagPicker
from pmtui.ui.explore.watchlist import WatchlistScreen
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.market.moves import MovePrompt
from pmtui.ui.portfolio.conditionals import ConditionalsScreen
from pmtui.ui.portfolio.log import LogScreen
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme_files import load_themes
from pmtui.ui.ticket.protect import ProtectScreen
from pmtui.ui.ticket.scaled import ScaledScreen
from tests.ui import believable
from tests.ui.demo_market import MarketDemo
from tests.ui.fake_surface import FakeService
from tests.ui.look import agree, filled_in
from tests.ui.market.market_kit import cents, opened
from tests.ui.moving_market import CONDITION, NUMBER, YES, MovingMarket
from tests.ui.wait import settle, until


@dataclass
class _Told:
    """Whether the last part of a screen to go has told what it had to."""

    is_done: bool = False


class LastPart(Widget):
    """Part of a screen; announces everything that is still listened to when it is taken away."""

    def __init__(self, service: FakeService, told: _Told) -> None:
        super().__init__()
        self._service, self._told = service, told

    async def on_unmount(self) -> None:
        """Go last, then tell."""
        parent = self.parent
        assert isinstance(parent, Widget)
        others = [child for child in parent.children if child is not self]
        await _until(lambda: not any(child.is_running for child in others))
        self._told.is_done = True
        self._service.release()
        self._service.announce(*self._service.watched())
        await _until(lambda: all(worker.is_finished for worker in self.app.workers))


async def _until(predicate: Callable[[], bool]) -> None:
    while not predicate():  # noqa: ASYNC110 - Textual tells nobody of this
        await asyncio.sleep(0)


SUBJECT = AlertSubject(CONDITION, YES, "Yes", "A market")
SCREENS: dict[str, Callable[[Surface], Screen[Any]]] = {
    "scaled": lambda s: ScaledScreen(s, CONDITION, outcome_index=0, start=cents(45)),
    "protect": lambda s: ProtectScreen(s, CONDITION, outcome_index=0),
    "alert": lambda s: AlertForm(s, SUBJECT),
    "move": lambda s: MovePrompt(s, believable.order(1, NUMBER)),
    "tags": lambda s: TagPicker(s, TagChoice()),
    "market": lambda s: MarketScreen(s, CONDITION),
    "event": lambda s: EventScreen(s, believable.election().event_id),
    "markets": MarketsScreen,
    "portfolio": PortfolioScreen,
    "watchlist": WatchlistScreen,
    "account": AccountScreen,
    "conditionals": ConditionalsScreen,
    "log": LogScreen,
}


async def closed_while_told(
    app: App[None], pilot: Pilot[None], screen: Screen[Any], service: FakeService
) -> None:
    """Close a screen; everything it listens to is announced when all its parts are gone."""
    told = _Told()
    _ = screen.mount(LastPart(service, told))
    await settle(pilot)
    _ = app.pop_screen()
    await until(pilot, lambda: not screen.is_attached, "the screen gone")
    await settle(pilot)
    assert told.is_done, "nothing was told: the test proves nothing"
    assert app.is_running


@pytest.mark.parametrize("name", SCREENS)
async def test_a_topic_told_while_a_screen_closes_ends_nothing(name: str) -> None:
    service = MovingMarket().service
    app = PmtuiApp(service.surface(), themes=load_themes()[0])
    async with app.run_test(size=(120, 36)) as pilot:
        screen = SCREENS[name](service.surface())
        _ = app.push_screen(screen)
        await until(pilot, lambda: screen.is_mounted, "the screen")
        await closed_while_told(app, pilot, screen, service)


async def test_verdicts_that_come_while_a_form_closes_end_nothing() -> None:
    app = MarketDemo(0)
    service = app.market.service
    async with app.run_test(size=(80, 24)) as pilot:
        form = await filled_in(app, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ScaledCard), "the card")
        service.is_holding = True
        await agree(app, pilot)
        await until(pilot, lambda: app.screen is form, "the form, waiting for verdicts")
        await closed_while_told(app, pilot, form, service)


async def test_a_verdict_that_comes_while_the_market_closes_ends_nothing() -> None:
    app = MarketDemo(0)
    service = app.market.service
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        order = next(o for o in service.account_view.open_orders if o.token_id == YES)
        screen.ladder.point_at(order.price)
        service.is_holding = True
        await pilot.press("x")
        await until(pilot, lambda: service.calls_of("cancel"), "the cancel asked for")
        await closed_while_told(app, pilot, screen, service)
