"""The trading screen over a demo: opened, and what its lines say."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from pmtui.domain.money import Micros
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.widgets.panel import Panel
from pmtui.ui.widgets.text_line import TextLine
from tests.ui import believable
from tests.ui.demo_market import MarketDemo
from tests.ui.stage import shown_text
from tests.ui.wait import settle, until

SMALL, MIDDLE, LARGE = (80, 24), (120, 36), (200, 50)


def cents(number: float) -> Micros:
    return believable.micros(number / 100)


async def opened(app: MarketDemo, pilot: Pilot[None]) -> MarketScreen:
    await until(pilot, lambda: isinstance(app.screen, MarketScreen), "the screen opens")
    screen = app.screen
    assert isinstance(screen, MarketScreen)
    await until(pilot, lambda: screen.ladder.ladder is not None, "the book is shown")
    await settle(pilot)
    return screen


@asynccontextmanager
async def on_market(
    size: tuple[int, int] = SMALL,
) -> AsyncIterator[tuple[MarketDemo, Pilot[None], MarketScreen]]:
    """Open the usual market over a book that stands still."""
    app = MarketDemo(0)
    async with app.run_test(size=size) as pilot:
        yield app, pilot, await opened(app, pilot)


def earns(screen: MarketScreen, price: float) -> bool:
    """Whether an own order at a price is told to earn rewards."""
    ladder = screen.ladder.ladder
    assert ladder is not None
    return ladder.rung_at(cents(price)).is_scoring


def line(screen: MarketScreen, name: str) -> str:
    widget = screen.query_one(f"#{name}")
    if isinstance(widget, Panel):
        return "".join(cell.text for cell in widget.title_line)
    assert isinstance(widget, TextLine)
    return "".join(cell.text for cell in widget.line)


def prices_shown(screen: MarketScreen) -> int:
    return sum("¢" in text for text in shown_text(screen.ladder))
