"""Starring a market, finding it again after a restart, and a price alert that rings."""

import re
from pathlib import Path

import pytest

from tests.journeys import trader
from tests.journeys.conftest import Start
from tests.journeys.terminal import Terminal
from tests.journeys.venue import Market, PaperVenue

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

_COMMAND = re.compile(rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
"""Ends with the same byte as a bell, and is none."""


def roomy_market(venue: PaperVenue) -> Market:
    """Return a market in which one can bid more than the best bid without taking anything."""
    for market in venue.busy_markets():
        bid, ask = venue.best(market.tokens[0])
        if ask - bid >= 3 * trader.CENT:
            return market
    raise AssertionError("no market with room between bid and ask")


def row_of(terminal: Terminal, words: str) -> str:
    return terminal.row_with(words) or ""


def is_live(row: str) -> bool:
    """Whether a row has prices and no word on how old they are."""
    return "¢" in row and "old" not in row and "waiting" not in row


def bells(terminal: Terminal) -> int:
    """Count how often it has rung."""
    return _COMMAND.sub(b"", bytes(terminal.output)).count(b"\x07")


def open_watchlist(terminal: Terminal) -> None:
    terminal.press("w")
    terminal.until_text("WATCHLIST")


def test_a_star_outlives_a_restart_and_an_alert_rings_once(start: Start, home: Path) -> None:
    terminal = start(size=(120, 36))
    trader.wait_for_markets(terminal)
    market = roomy_market(PaperVenue(home))
    trader.find_market(terminal, market)
    terminal.press("*")
    terminal.until_text("★")
    open_watchlist(terminal)
    is_early = market.title.casefold() in market.question[:32].casefold()
    start_of_title = (market.question if is_early else f"{market.title}: ")[:18]
    terminal.until(lambda: is_live(row_of(terminal, start_of_title)), "its live prices")
    terminal.press("q")
    assert terminal.exit_code() == 0

    terminal = start(size=(120, 36))
    trader.wait_for_markets(terminal)
    open_watchlist(terminal)
    terminal.until(lambda: is_live(row_of(terminal, f"★ {start_of_title}")), "the star again")
    terminal.press("enter")
    trader.wait_for_ladder(terminal, market)

    shown = trader.quote(terminal)
    assert shown is not None
    wanted = shown[0] + trader.CENT
    terminal.press("A")
    terminal.until_text("Price alert on")
    terminal.type(f"{wanted * 100:.0f}")
    terminal.press("enter")
    terminal.until_text("Price alert set on")
    assert bells(terminal) == 0
    assert "Price alert: " not in terminal.text()
    # Our own bid is the best one now, and somebody pays so much.
    trader.open_ticket(terminal)
    trader.fill_in(terminal, price=f"{wanted * 100:.0f}", size="40")
    trader.review(terminal)
    trader.send(terminal)
    terminal.until(lambda: bells(terminal), "the bell")
    trader.close_ticket(terminal)
    open_watchlist(terminal)
    terminal.until(lambda: "RANG" in row_of(terminal, "bid ≥"), "the alert that rang")
    assert bells(terminal) == 1
    terminal.press("l")
    terminal.until_text("Price alert: ")
    assert PaperVenue(home).audit() == []
