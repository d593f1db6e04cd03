"""A market that has ended says so once, and leaves the room of its empty ladder to chart and trades."""

from dataclasses import replace

import pytest

from pmtui.domain.money import ONE, ZERO
from pmtui.service.topics import BookTopic, MarketTopic
from pmtui.ui.market.market import MarketScreen
from tests.ui.demo_market import MarketDemo
from tests.ui.look import screen_lines
from tests.ui.market.market_kit import MIDDLE, on_market
from tests.ui.moving_market import CONDITION, YES
from tests.ui.wait import until


def resolve(app: MarketDemo) -> None:
    """End the market: Yes has won, and the venue empties the book."""
    service = app.market.service
    view = service.markets[CONDITION]
    assert view.market is not None
    yes, no = view.market.outcomes
    paid = (replace(yes, price=ONE), replace(no, price=ZERO))
    service.markets[CONDITION] = replace(
        view, market=replace(view.market, closed=True, outcomes=paid)
    )
    service.books[YES] = replace(service.books[YES], bids=(), asks=())
    service.announce(MarketTopic(CONDITION))
    service.announce(BookTopic(YES))


def shows_result(screen: MarketScreen) -> bool:
    return screen.has_class("-over") and screen.book.size.height < 10


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
async def test_the_result_stands_once_above_chart_and_trades(size: tuple[int, int]) -> None:
    async with on_market(size) as (app, pilot, screen):
        resolve(app)
        await until(pilot, lambda: shows_result(screen), "the result above the rest")
        await until(pilot, lambda: screen.chart.is_drawn, "the chart")
        text = "\n".join(screen_lines(app))
        assert text.lower().count("resolved yes") + text.count("RESOLVED  Yes") == 1
        assert "trading has ended" not in text
        assert not any(word in text for word in ("OVER", "POSITION", "WORKING", "space Centre"))
        assert screen.chart.size.height + screen.tape.size.height > screen.book.size.height
        assert screen.ladder.has_focus


async def test_no_stroke_stands_where_nothing_is_beside_the_chart() -> None:
    async with on_market() as (app, pilot, screen):
        resolve(app)
        await until(pilot, lambda: shows_result(screen), "the result above the rest")
        await until(pilot, lambda: screen.chart.is_drawn, "the chart")
        lines = screen_lines(app)
        top = next(y for y, line in enumerate(lines) if "PRICE" in line)
        assert lines[top].startswith("─ PRICE")
        assert not any(line.startswith("│") for line in lines[top:])


async def test_a_ticket_that_is_open_as_the_market_ends_keeps_its_place() -> None:
    async with on_market(MIDDLE) as (app, pilot, screen):
        await pilot.press("b")
        await until(pilot, lambda: screen.ticket.is_open, "the ticket is open")
        region = screen.ticket.region
        resolve(app)
        await until(pilot, lambda: any("RESOLVED" in x for x in screen_lines(app)), "the result")
        assert screen.ticket.region == region
        await pilot.press("escape")
        await until(pilot, lambda: shows_result(screen), "the room is free")
