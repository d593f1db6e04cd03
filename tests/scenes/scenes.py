"""The scenes: for each picture, how one gets there by keys, in a world that stands still."""

import os
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from pmtui.ui.app import PmtuiApp
from pmtui.ui.screens.market import MarketScreen
from pmtui.ui.theme_files import load_themes
from tests.scenes.picture import canonical
from tests.scenes.world import World, make_world
from tests.ui.wait import settle, until

WIDE = (120, 36)
Play = Callable[[Pilot[None], World], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture and the way to it."""

    name: str
    size: tuple[int, int]
    play: Play


async def paint(scene: Scene) -> str:
    """Play a scene and return its canonical picture."""
    world = make_world()
    with _still_environment():
        themes, _ = load_themes()
        app = PmtuiApp(world.service.surface(), themes=themes)
        app.animation_level = "none"
        async with app.run_test(size=scene.size, tooltips=False) as pilot:
            await scene.play(pilot, world)
            await settle(pilot)
            return canonical(app.export_screenshot(title="pmtui"), scene.name)


async def _markets(pilot: Pilot[None], world: World) -> None:
    await _shown(pilot, "Presidential nominee")


async def _search(pilot: Pilot[None], world: World) -> None:
    await pilot.press("slash")
    await until(pilot, lambda: isinstance(pilot.app.focused, Input), "the search line")
    await pilot.press(*("space" if c == " " else c for c in "will the"))
    await _shown(pilot, "service asked too")


async def _event(pilot: Pilot[None], world: World) -> None:
    _app(pilot).open_event(world.election)
    await _shown(pilot, "Xavier Marchetti")


async def _market(pilot: Pilot[None], world: World) -> None:
    _app(pilot).open_market(world.strike)
    await until(pilot, lambda: isinstance(pilot.app.screen, MarketScreen), "the market")
    await _shown(pilot, "verified")


async def _ticket(pilot: Pilot[None], world: World) -> None:
    await _market(pilot, world)
    await pilot.press("b")
    await until(pilot, lambda: isinstance(pilot.app.focused, Input), "the ticket")
    await pilot.press("8", "0")
    await _shown(pilot, "Cost")


async def _confirm(pilot: Pilot[None], world: World) -> None:
    await _ticket(pilot, world)
    await pilot.press("enter")
    await _shown(pilot, "Send this order?")


async def _portfolio(pilot: Pilot[None], world: World) -> None:
    await _shown(pilot, "Presidential nominee")
    await pilot.press("p")
    await _shown(pilot, "Open orders 4")


async def _open_orders(pilot: Pilot[None], world: World) -> None:
    await _portfolio(pilot, world)
    await pilot.press("right_square_bracket")
    await _shown(pilot, "buying for")


async def _log(pilot: Pilot[None], world: World) -> None:
    await pilot.press("l")
    await _shown(pilot, "reconnecting")


async def _help(pilot: Pilot[None], world: World) -> None:
    await _market(pilot, world)
    await pilot.press("question_mark")
    await _shown(pilot, "What it means")


SCENES = (
    Scene("markets", WIDE, _markets),
    Scene("search", WIDE, _search),
    Scene("event", WIDE, _event),
    Scene("market", WIDE, _market),
    Scene("market-80x24", (80, 24), _market),
    Scene("market-200x50", (200, 50), _market),
    Scene("ticket", WIDE, _ticket),
    Scene("confirm", WIDE, _confirm),
    Scene("portfolio", WIDE, _portfolio),
    Scene("open-orders", WIDE, _open_orders),
    Scene("log", WIDE, _log),
    Scene("help", WIDE, _help),
)


async def _shown(pilot: Pilot[None], text: str) -> None:
    await until(pilot, lambda: text in screen_text(pilot.app), f"{text!r} on the screen")


def screen_text(app: App[None]) -> str:
    """Return the whole screen as text."""
    return "\n".join(
        "".join(segment.text for segment in strip)
        for strip in app.screen._compositor.render_strips()
    )


def _app(pilot: Pilot[None]) -> PmtuiApp:
    assert isinstance(pilot.app, PmtuiApp)
    return pilot.app


@contextmanager
def _still_environment() -> Iterator[None]:
    """Paint in colour and in one time zone, whatever the tests run under."""
    saved = {name: os.environ.pop(name, None) for name in ("NO_COLOR", "TZ")}
    os.environ["TZ"] = "UTC"
    time.tzset()
    try:
        yield
    finally:
        for name, value in saved.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        time.tzset()
