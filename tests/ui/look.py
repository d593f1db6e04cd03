"""What a screen shows, as lines of text, and the checks every screen has to pass."""

from datetime import timedelta
from typing import Any

from textual._compositor import InlineUpdate
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

from pmtui.service.topics import Topic
from pmtui.ui.cells import Line
from pmtui.ui.ticket.confirm import CardScreen
from pmtui.ui.ticket.scaled import ScaledScreen
from pmtui.ui.widgets.panel import Panel
from pmtui.ui.widgets.text_line import TextLine
from tests.ui.demo import ScreenApp
from tests.ui.demo_market import MarketDemo
from tests.ui.fake_surface import FakeService
from tests.ui.market.market_kit import cents, opened
from tests.ui.wait import settle, until

SIZES = ((80, 24), (200, 50), (120, 36), (40, 10), (20, 5), (80, 24))


def screen_lines(app: App[Any]) -> list[str]:
    """Return what the terminal shows, line by line, with the screens that are seen behind a card."""
    # A card that is rendered without them keeps an empty background for what is painted next, too.
    behind = app._background_screens
    update = app.screen._compositor.render_inline(app.size, screen_stack=behind)
    assert isinstance(update, InlineUpdate)
    return ["".join(segment.text for segment in strip) for strip in update.strips]


def shows(app: App[Any], text: str) -> bool:
    """Whether the text is somewhere on the screen."""
    return any(text in line for line in screen_lines(app))


def words(line: Line) -> str:
    """Return the text of a painted line."""
    return "".join(cell.text for cell in line)


def text_of(app: App[Any], selector: str) -> str:
    """Return the text of a line of the screen in front, uncropped, or of a panel's title."""
    found = app.screen.query_one(selector)
    if isinstance(found, Panel):
        return words(found.title_line)
    assert isinstance(found, TextLine)
    return words(found.line)


async def survives_resizing(pilot: Pilot[Any], app: App[Any], essential: str) -> None:
    """Resize through narrow and wide, and see the essential thing at the end."""
    for width, height in SIZES:
        await pilot.resize_terminal(width, height)
        await settle(pilot)
    await until(pilot, lambda: shows(app, essential), f"{essential!r} at 80x24")


async def listens_only_in_front(
    service: FakeService, screen: Screen[None], topics: set[Topic]
) -> None:
    """The topics are watched while the screen is in front, dropped behind another, and back."""
    app = ScreenApp(screen)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: topics <= service.watched(), "the topics to be watched")
        _ = app.push_screen(Screen())
        await until(pilot, lambda: not service.watched(), "the topics to be dropped")
        _ = app.pop_screen()
        await until(pilot, lambda: topics <= service.watched(), "the topics to be watched again")


def is_tame(app: App[None]) -> bool:
    """Whether nothing on the screen could move a cursor, turn a line round or hide in it."""
    text = "\n".join(screen_lines(app))
    return not any(c in text for c in "\x1b\x07\x9b\u202e\u2066\u200b")


async def agree(app: MarketDemo, pilot: Pilot[None]) -> None:
    """Read the card for long enough, then press the key that sends."""
    card = app.screen
    assert isinstance(card, CardScreen)
    await settle(pilot)
    app.market.service.at += timedelta(seconds=1)
    await pilot.press("enter")
    await until(pilot, lambda: app.screen is not card, "the card is answered")


async def scaled(app: MarketDemo, pilot: Pilot[None]) -> ScaledScreen:
    screen = await opened(app, pilot)
    screen.ladder.point_at(cents(45))
    await pilot.press("L")
    await until(pilot, lambda: isinstance(app.screen, ScaledScreen), "the dialog")
    dialog = app.screen
    assert isinstance(dialog, ScaledScreen)
    await settle(pilot)
    return dialog


async def filled_in(app: MarketDemo, pilot: Pilot[None], total: str = "60") -> ScaledScreen:
    dialog = await scaled(app, pilot)
    assert dialog.draft.first_text == "45"
    await pilot.press("4", "7", "tab", "3", "tab", "tab", *total)
    dialog.query_one("#scaled-count").value = "3"  # type: ignore[attr-defined]
    await settle(pilot)
    return dialog
