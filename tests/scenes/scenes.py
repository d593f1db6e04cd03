"""The scenes: every screen at three sizes and in six themes; a dozen of them are accepted pictures."""

import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from textual.pilot import Pilot

from pmtui.ui.app import PmtuiApp
from pmtui.ui.theme.theme import DEFAULT_THEME
from pmtui.ui.theme.theme_files import load_themes
from tests.scenes import plays
from tests.scenes.picture import canonical
from tests.scenes.plays import Play
from tests.scenes.world import make_world
from tests.ui.wait import settle

SMALL, WIDE, LARGE = (80, 24), (120, 36), (200, 50)
SIZES = (SMALL, WIDE, LARGE)
THEMES = tuple(theme.name for theme in load_themes()[0])
SCREENS: dict[str, Play] = {
    "markets": plays.markets,
    "tags": plays.tags,
    "search": plays.search,
    "event": plays.event,
    "rules": plays.rules,
    "market": plays.market,
    "both": plays.both,
    "armed": plays.armed,
    "unproven": plays.unproven,
    "ticket": plays.ticket,
    "confirm": plays.confirm,
    "scaled": plays.scaled,
    "protect": plays.protect,
    "picked-up": plays.picked_up,
    "kill": plays.kill,
    "portfolio": plays.portfolio,
    "open-orders": plays.open_orders,
    "move": plays.move,
    "fills": plays.fills,
    "rewards": plays.rewards,
    "conditionals": plays.conditionals,
    "watchlist": plays.watchlist,
    "account": plays.account,
    "log": plays.log,
    "holders": plays.holders,
    "comments": plays.comments,
    "alert": plays.alert,
    "sides": plays.sides,
    "desk": plays.desk,
    "basket": plays.basket,
    "leaving": plays.leaving,
    "help": plays.help_,
    "glossary": plays.glossary,
    "theme-picker": plays.theme_picker,
    "tour": plays.tour,
    "palette": plays.palette,
}


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture and the way to it."""

    screen: str
    size: tuple[int, int] = WIDE
    theme: str = DEFAULT_THEME
    is_ascii: bool = False
    """Whether the terminal shows nothing else."""

    @property
    def name(self) -> str:
        """The screen, and what is not usual about it."""
        size = "" if self.size == WIDE else f"-{self.size[0]}x{self.size[1]}"
        theme = f"-{self.theme}" if self.theme != DEFAULT_THEME else ""
        return f"{self.screen}{size}{theme}{'-ascii' if self.is_ascii else ''}"


SCENES = (
    *(Scene(s) for s in ("market", "markets", "event", "ticket", "portfolio", "confirm", "armed")),
    *(Scene(screen, SMALL) for screen in ("market", "ticket")),
    *(Scene(screen, LARGE) for screen in ("market", "sides")),
    Scene("ticket", SMALL, "daylight"),
)
"""Of which the accepted pictures are kept: those that show the most, the first five in the README."""

ROWS: dict[str, tuple[str, ...]] = {
    "tags": ("Commodities", "Ice hockey"),
    "search": ("Will the harbour tunnel open", "-4.0¢"),
    "rules": ("Resolves Yes if the operator announces it", "body concerned"),
    "both": ("Bids Price   No", "DEPTH 10¢"),
    "unproven": ("stale 14s",),
    "scaled": ("58¢         20      $11.60", "62¢         20      $12.40"),
    "protect": ("63 / 64", "150 of 250"),
    "picked-up": ("BUY 120 Yes @ 61¢ to 59¢",),
    "kill": ("none is left: 4 now",),
    "open-orders": ("60/100", "SELL  150 of 150 Yes"),
    "move": ("SELL 150 Yes @ 68¢", "63 / 64"),
    "fills": ("$119.70   $2.06", "as maker"),
    "rewards": ("rewards $14.17  rebates $3.08", "23.5%"),
    "conditionals": ("100  Yes       40.0¢  35.0¢  80.0¢  63.0¢",),
    "watchlist": ("250 Yes", "$21.0M 15d 5h"),
    "account": ("+ done", "CH ZH: not blocked"),
    "log": ("GET /positions 200 in 6 ms", "bought 40 Yes at 58¢"),
    "holders": ("▄▄ harbour-seal", "44,000  ▄▄", "[R]"),
    "comments": ("Maro was ahead in every district poll.", "[b]loud[/b]"),
    "alert": ("63 / 64",),
    "desk": ("1 Xavier Marchetti", "keys trade: "),
    "basket": ("Basket", "Xavier Marchetti"),
    "leaving": ("▼ stop 40.0¢  ▲ target 80.0¢", "4 orders, $141.00", "BUY  120 Yes @ 61¢"),
    "help": ("Orders", "Bring the spread back to the middle."),
    "glossary": ("API credentials",),
    "theme-picker": ("16 colours", "high contr"),
    "tour": ("3/9",),
    "palette": ("Cancel market",),
}
"""What the screens without a picture show, in one row or several."""


async def paint(scene: Scene) -> str:
    """Play a scene and return its canonical picture."""
    async with playing(scene) as pilot:
        return picture(pilot, scene)


@asynccontextmanager
async def playing(scene: Scene) -> AsyncIterator[Pilot[None]]:
    """Play a scene, and stop where its picture is."""
    world = make_world()
    with _still_environment():
        themes, _ = load_themes()
        app = PmtuiApp(world.service.surface(), themes=themes, theme=scene.theme)
        app.animation_level = "none"
        app.is_ascii = scene.is_ascii
        async with app.run_test(size=scene.size, tooltips=False) as pilot:
            # Every way begins at the list, whose rows are streamed by and by.
            await plays.shown(pilot, "updated now")
            await SCREENS[scene.screen](pilot, world)
            await settle(pilot)
            yield pilot


def picture(pilot: Pilot[None], scene: Scene) -> str:
    """Return what is on the screen now."""
    return canonical(pilot.app.export_screenshot(title="pmtui"), scene.name)


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
