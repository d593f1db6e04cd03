"""A form stands out: what lies behind is dimmed, except prices and the lines around the screen."""

import time

import pytest
from textual._compositor import LayoutUpdate
from textual.pilot import Pilot
from textual.strip import Strip

from pmtui.ui.market.market import MarketScreen
from pmtui.ui.modal import Modal
from pmtui.ui.terminal.output_throttle import OutputThrottle
from pmtui.ui.theme.theme import DEFAULT_THEME
from pmtui.ui.ticket.fields import NumberField
from pmtui.ui.ticket.scaled import ScaledScreen
from tests.ui import believable
from tests.ui.demo_market import MarketDemo
from tests.ui.wait import settle, until


def inks(app: MarketDemo, x: int, y: int, width: int) -> set[str]:
    """Return the colours of the texts on a part of a line."""
    update = app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    assert isinstance(update, LayoutUpdate)
    return {
        style.color.get_truecolor().hex
        for text, style, _ in Strip.join(update.strips[y]).crop(x, x + width)
        if text.strip() and style is not None and style.color is not None
    }


async def opened(app: MarketDemo, pilot: Pilot[None]) -> MarketScreen:
    await until(pilot, lambda: isinstance(app.screen, MarketScreen), "the market")
    await settle(pilot)
    screen = app.screen
    assert isinstance(screen, MarketScreen)
    return screen


async def form(app: MarketDemo, pilot: Pilot[None]) -> Modal[None]:
    await pilot.press("L")
    await until(pilot, lambda: isinstance(app.screen, ScaledScreen), "the form")
    await settle(pilot)
    assert isinstance(app.screen, ScaledScreen)
    return app.screen


def middle(app: MarketDemo, screen: MarketScreen, name: str) -> set[str]:
    region = screen.query_one(name).region
    lines = [inks(app, region.x, y, region.width) for y in range(region.y, region.bottom)]
    return set().union(*lines)


@pytest.fixture(autouse=True)
def true_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORTERM", "truecolor")


async def test_a_form_dims_what_it_is_not_about() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        names = ("#book", "#head", "#status")
        before = {name: middle(app, screen, name) for name in names}
        _ = await form(app, pilot)
        after = {name: middle(app, screen, name) for name in names}
        assert after["#book"] == before["#book"]
        assert after["#status"] == before["#status"]
        assert not after["#head"] & before["#head"]
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "the screen")
        await settle(pilot)
        assert middle(app, screen, "#head") == before["#head"]


async def test_a_card_over_a_form_dims_the_form_and_nothing_twice() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        screen.ladder.point_at(believable.micros("0.45"))
        dialog = await form(app, pilot)
        head = middle(app, screen, "#head")
        title = inks(app, *dialog.query_one("TextLine").region.offset, 14)
        await pilot.press("4", "7", "tab", "3", "tab", "tab", *"60")
        dialog.query_one("#scaled-count", NumberField).value = "3"
        await settle(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: app.screen not in (screen, dialog), "the card")
        await settle(pilot)
        assert not title & inks(app, *dialog.query_one("TextLine").region.offset, 14)
        assert middle(app, screen, "#head") == head


@pytest.mark.parametrize("few", ["NO_COLOR", "sixteen", "ansi"])
async def test_with_few_colours_a_frame_alone_stands_out(
    few: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if few == "NO_COLOR":
        monkeypatch.setenv("NO_COLOR", "1")
    if few == "sixteen":
        monkeypatch.delenv("COLORTERM")
        monkeypatch.setenv("TERM", "linux")
    app = MarketDemo(0, theme="ansi" if few == "ansi" else DEFAULT_THEME)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        before = middle(app, screen, "#head")
        _ = await form(app, pilot)
        assert middle(app, screen, "#head") == before


async def test_a_line_without_room_carries_no_dimming() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        before = middle(app, screen, "#head")
        app._driver.pace = OutputThrottle(time.monotonic)  # type: ignore[union-attr]
        _ = await form(app, pilot)
        assert middle(app, screen, "#head") == before
