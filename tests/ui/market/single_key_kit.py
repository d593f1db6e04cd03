"""Single keys: armed, pressed, and what they sent."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

from textual.pilot import Pilot

from pmtui.domain.books.book_view import BookState, Level
from pmtui.domain.money import Micros
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import BookTopic, StatusTopic
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.theme.theme import Role
from tests.ui.demo_market import MarketDemo
from tests.ui.market.market_kit import SMALL, cents, opened
from tests.ui.moving_market import YES
from tests.ui.wait import settle, until


def widen(app: MarketDemo) -> None:
    """Leave room in the spread: 52 bid, 54 asked, with plenty of both."""
    service = app.market.service
    book = service.books[YES]
    lots = Micros(900_000_000)
    service.books[YES] = replace(
        book,
        state=BookState.LIVE,
        bids=(Level(cents(52), lots), *book.bids[1:]),
        asks=(Level(cents(54), lots), *(x for x in book.asks if x.price > cents(54))),
        version=book.version + 1,
    )


def arm(app: MarketDemo) -> None:
    service = app.market.service
    until_then = service.status_view.now + timedelta(minutes=5)
    service.status_view = replace(service.status_view, armed_until=until_then)
    service.announce(StatusTopic())


def disarm(app: MarketDemo) -> None:
    service = app.market.service
    service.status_view = replace(service.status_view, armed_until=None)
    service.announce(StatusTopic())


def chips(screen: MarketScreen) -> list[str]:
    """Return what stands out on the line of sizes while keys are armed."""
    return [cell.text.strip() for cell in screen.dials[0].line if cell.role is Role.ARMED]


async def armed(app: MarketDemo, pilot: Pilot[None], *, at: float | None = None) -> MarketScreen:
    widen(app)
    screen = await opened(app, pilot)
    app.market.service.announce(BookTopic(YES))
    await settle(pilot)
    arm(app)
    await until(pilot, lambda: "ARMED" in chips(screen), "it is armed")
    if at is not None:
        screen.ladder.point_at(cents(at))
        await settle(pilot)
    return screen


@asynccontextmanager
async def on_armed(
    size: tuple[int, int] = SMALL, *, at: float | None = None
) -> AsyncIterator[tuple[MarketDemo, Pilot[None], MarketScreen]]:
    """Open the usual market with room in the spread and keys armed, the cursor where it is told."""
    app = MarketDemo(0)
    async with app.run_test(size=size) as pilot:
        yield app, pilot, await armed(app, pilot, at=at)


def sent(app: MarketDemo) -> list[PreparedOrder]:
    calls = app.market.service.calls
    orders = [call.arguments[0] for call in calls if call.name in ("place", "flatten")]
    assert all(isinstance(order, PreparedOrder) for order in orders)
    return [order for order in orders if isinstance(order, PreparedOrder)]
