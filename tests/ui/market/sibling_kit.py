"""The trading screen of an outcome among others."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from pmtui.domain.ids import ConditionId
from pmtui.ui.app import PmtuiApp
from pmtui.ui.frame import MarketChosen
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.theme.theme_files import load_themes
from tests.scenes.world import World
from tests.ui.wait import settle, until

TALL, SMALL, HUGE = (120, 36), (80, 24), (200, 50)


def app_of(world: World) -> PmtuiApp:
    return PmtuiApp(world.service.surface(), themes=load_themes()[0])


def market_of(world: World, name: str) -> ConditionId:
    event = world.service.events[world.election].event
    assert event is not None
    found = next(m for m in event.markets if m.group_title == name)
    assert found.condition_id is not None
    return found.condition_id


async def opened(app: PmtuiApp, pilot: Pilot[None], condition_id: ConditionId) -> MarketScreen:
    await settle(pilot)
    app.navigation.go(MarketChosen(condition_id))
    await until(pilot, lambda: isinstance(app.screen, MarketScreen), "the screen opens")
    screen = app.screen
    assert isinstance(screen, MarketScreen)
    shown = lambda: bool(screen.query("#ladder")) and screen.ladder.ladder is not None  # noqa: E731
    await until(pilot, shown, "the book is shown")
    await settle(pilot)
    return screen


@asynccontextmanager
async def on_ada(
    world: World, size: tuple[int, int] = TALL
) -> AsyncIterator[tuple[PmtuiApp, Pilot[None], MarketScreen]]:
    """Open the market of one candidate among thirteen."""
    app = app_of(world)
    async with app.run_test(size=size) as pilot:
        yield app, pilot, await opened(app, pilot, market_of(world, "Ada Lindqvist"))
