"""Moving an order and selling a whole position, from the keys to the venue's ledger."""

import re
from decimal import Decimal
from pathlib import Path

import pytest

from tests.journeys import trader
from tests.journeys.conftest import Start
from tests.journeys.terminal import Terminal
from tests.journeys.venue import Market, PaperVenue

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]


def begin(terminal: Terminal, home: Path) -> tuple[PaperVenue, Market]:
    trader.wait_for_markets(terminal)
    venue = PaperVenue(home)
    market = venue.busy_markets()[0]
    trader.find_market(terminal, market)
    return venue, market


def cursor_price(terminal: Terminal) -> str:
    """Return the price the ladder's cursor is on; sizes around it move by themselves."""
    # The titles are marked too while the ladder has the keys.
    marked = (r for r in terminal.rows() if r.startswith(("▸", ">", "│▸")))
    row = next((r for r in marked if "Bids" not in r), "")
    found = re.search(r"([0-9.]+¢)", row)
    return found[1] if found is not None else ""


def point_at(terminal: Terminal, price: Decimal) -> None:
    """Move the ladder's cursor down to a price."""
    for _ in range(60):
        seen = cursor_price(terminal)
        if seen == trader.cents(price):
            return
        terminal.press("down")
        terminal.until(lambda seen=seen: cursor_price(terminal) != seen, "the cursor moving")  # type: ignore[misc]  # bound now
    raise AssertionError(f"{trader.cents(price)} is not on the ladder")


def test_a_whole_position_is_sold_and_orders_are_moved_as_one(start: Start, home: Path) -> None:
    terminal = start(size=(160, 45))
    venue, market = begin(terminal, home)
    _sell_a_whole_position(terminal, venue, market)
    price = trader.rest_an_order(terminal)
    trader.close_ticket(terminal)
    lower = _move(terminal, venue, price)
    _move_without_an_answer_to_the_cancel(terminal, venue, lower)
    assert venue.audit() == []


def _sell_a_whole_position(terminal: Terminal, venue: PaperVenue, market: Market) -> None:
    """The sale that ties a part of it up is cancelled first."""
    shown = trader.quote(terminal)
    assert shown is not None
    trader.open_ticket(terminal)
    trader.fill_in(terminal, price=f"{(shown[1] + 3 * trader.CENT) * 100:.0f}", size="40")
    trader.review(terminal)
    trader.send(terminal)
    terminal.until(
        lambda: venue.ledger().shares.get(market.tokens[0]) == Decimal(40), "forty shares"
    )
    trader.close_ticket(terminal)
    # The venue has them before the terminal has heard of it.
    terminal.until(lambda: terminal.row_with("Yes", "40 at"), "the position")
    # A sale of half of them, far above the market, ties that half up.
    trader.open_ticket(terminal, "s")
    high = min(Decimal("0.99"), shown[1] + 15 * trader.CENT)
    trader.fill_in(terminal, price=f"{high * 100:.0f}", size="20")
    trader.review(terminal)
    trader.send(terminal)
    terminal.until_text("1 working")
    trader.close_ticket(terminal)
    terminal.press("f")
    terminal.until_text("Cancels first: SELL 20")
    terminal.until_text("SELL 40")
    trader.agree(terminal, "Sell the whole position?")
    terminal.until(lambda: not venue.ledger().open_orders, "the sale cancelled")
    terminal.until(lambda: not venue.ledger().shares.get(market.tokens[0]), "all of it sold")
    terminal.until_text("Sold 40 Yes @")
    terminal.until_text("0 working")


def _move(terminal: Terminal, venue: PaperVenue, price: Decimal) -> Decimal:
    """Move an order down by a cent: another takes its place, and only one rests."""
    (before,) = venue.ledger().open_orders
    point_at(terminal, price)
    terminal.press("e")
    terminal.until_text("MOVE BUY 40")
    terminal.press("down")
    lower = price - trader.CENT
    terminal.until_text(f"to {trader.cents(lower)}")
    terminal.press("enter")
    terminal.until_text("Replaces BUY 40")
    trader.agree(terminal, "Move this order?")
    terminal.until_text(f"to {trader.cents(lower)}: working")
    (after,) = venue.ledger().open_orders
    assert after["id"] != before["id"]
    assert Decimal(after["price"]) == lower
    terminal.until(lambda: terminal.row_with("1 working"), "one open order")
    return lower


def _move_without_an_answer_to_the_cancel(
    terminal: Terminal, venue: PaperVenue, price: Decimal
) -> None:
    """Whatever is said of it, there is one order at most, and it is said which."""
    (before,) = venue.ledger().open_orders
    point_at(terminal, price)
    venue.post(
        "/faults",
        {"host": "clob", "prefix": "/order", "method": "DELETE", "is_answer_lost": True},
    )
    terminal.press("e")
    terminal.until_text("MOVE BUY 40")
    terminal.press("down", "enter")
    trader.agree(terminal, "Move this order?")
    terminal.until(
        lambda: any(words in terminal.text() for words in ("Not moved", "not replaced", "Moved")),
        "the verdict",
    )
    venue.clear_faults()
    orders = venue.ledger().open_orders
    assert len(orders) <= 1
    assert before["id"] not in {order["id"] for order in orders} or len(orders) == 1
