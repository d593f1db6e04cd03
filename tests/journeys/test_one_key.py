"""Trading by single keys, from arming to the kill switch, with the venue's ledger as the witness."""

import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from tests.journeys import trader
from tests.journeys.conftest import Start
from tests.journeys.terminal import Terminal
from tests.journeys.test_actions import begin, point_at

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

FAR = 8 * trader.CENT
SOLD = re.compile(r" (Sold |SELL |Not sold|Nothing to sell)")
END = re.compile(r" (Bought [0-9.]+ |BUY [0-9.]+ Yes @ [0-9.]+¢(:| filled| refused| unconfirmed))")


def take(terminal: Terminal, is_taken: Callable[[], object]) -> None:
    """Take the best ask; the others may have been faster, then once more."""
    for _ in range(5):
        terminal.press("U")
        terminal.until(lambda: END.match(trader.notice(terminal)), "the verdict")
        if is_taken():
            return
        terminal.until(lambda: not END.match(trader.notice(terminal)), "the words gone")
    raise AssertionError("nothing was there to take five times")


def sell_all(terminal: Terminal, is_sold: Callable[[], object]) -> None:
    """Sell the position into the best bids; where these were gone first, once more."""
    for _ in range(5):
        terminal.press("F")
        terminal.until(lambda: is_sold() or SOLD.match(trader.notice(terminal)), "the verdict")
        if is_sold():
            return
        terminal.until(lambda: not SOLD.match(trader.notice(terminal)), "the words gone")
    raise AssertionError("no buyer five times")


def test_armed_keys_rest_take_cancel_and_end_with_the_kill_switch(start: Start, home: Path) -> None:
    terminal = start()
    venue, market = begin(terminal, home)
    shown = trader.quote(terminal)
    assert shown is not None
    price = shown[0] - FAR
    point_at(terminal, price)

    terminal.press("B")
    terminal.until_text("Not armed: v to arm.")
    assert venue.ledger().open_orders == []

    terminal.press("v")
    terminal.until_text("ARMED 5: B/S trade")
    terminal.until(lambda: terminal.row_with("PAPER", "ARMED"), "the status line")
    terminal.press("3")
    terminal.until_text("ARMED 50")
    terminal.press("B")
    terminal.until_text(f"Working: BUY 50 Yes @ {trader.cents(price)}.")
    (order,) = venue.ledger().open_orders
    assert (Decimal(order["price"]), Decimal(order["original_size"])) == (price, Decimal(50))

    # What is taken is really there, and gone again by one key, with what still worked.
    take(terminal, lambda: venue.ledger().shares.get(market.tokens[0]))
    sell_all(terminal, lambda: not venue.ledger().shares.get(market.tokens[0]))
    terminal.until(lambda: not venue.ledger().open_orders, "flat")

    terminal.press("B")
    terminal.until_text(f"Working: BUY 50 Yes @ {trader.cents(price)}.")
    terminal.press("K")
    terminal.until_text("Kill switch?")
    terminal.press("enter")
    terminal.until_text("LOCKED")
    terminal.until_gone("ARMED")
    terminal.until_text("0 working")
    terminal.press("B")
    terminal.until_text("Trading locked since")
    assert venue.ledger().open_orders == []
    assert venue.audit() == []
