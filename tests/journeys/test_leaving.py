"""Leaving, politely or not: orders are named first, nothing keeps running, nothing is lost."""

import signal
from decimal import Decimal
from pathlib import Path

import pytest

from tests.journeys import trader
from tests.journeys.conftest import Start
from tests.journeys.processes import processes_of, venues_of, wait_until_gone
from tests.journeys.terminal import Terminal
from tests.journeys.trader import cents
from tests.journeys.venue import Market, PaperVenue

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]


def test_quitting_without_orders_asks_nothing(start: Start, home: Path) -> None:
    terminal = start()
    trader.wait_for_markets(terminal)
    terminal.press("q")
    assert terminal.exit_code() == 0
    assert processes_of(home) == {}


def test_quitting_while_orders_rest_names_them_and_what_happens(start: Start, home: Path) -> None:
    terminal, _, price = _with_a_resting_order(start, home)
    trader.close_ticket(terminal)
    terminal.press("q")
    terminal.until_text("Quit with working orders?")
    assert terminal.row_with("BUY", "40 Yes", cents(price))
    assert terminal.row_with("Paper orders", "come back on the next start")
    terminal.press("escape")
    terminal.until_gone("Quit with working orders?")
    terminal.press("q")
    terminal.until_text("Quit with working orders?")
    terminal.press("enter")
    assert terminal.exit_code() == 0
    assert processes_of(home) == {}
    _see_the_order_again(start(), home)


def test_a_signal_ends_the_terminal_and_its_venue(start: Start, home: Path) -> None:
    terminal = start()
    trader.wait_for_markets(terminal)
    assert len(venues_of(home)) == 1
    terminal.send_signal(signal.SIGTERM)
    assert terminal.exit_code() == 0
    assert wait_until_gone(home) == {}


def test_a_lost_line_ends_everything_and_orders_come_back(start: Start, home: Path) -> None:
    terminal, _, _ = _with_a_resting_order(start, home)
    terminal.hang_up()
    terminal.exit_code()
    assert wait_until_gone(home) == {}
    _see_the_order_again(start(), home)


def test_a_killed_terminal_leaves_no_venue_and_loses_no_order(start: Start, home: Path) -> None:
    terminal, _, _ = _with_a_resting_order(start, home)
    terminal.send_signal(signal.SIGKILL)
    assert terminal.exit_code() == -signal.SIGKILL
    assert wait_until_gone(home) == {}
    _see_the_order_again(start(), home)


def _with_a_resting_order(start: Start, home: Path) -> tuple[Terminal, Market, Decimal]:
    terminal = start()
    trader.wait_for_markets(terminal)
    market = PaperVenue(home).busy_markets()[0]
    trader.find_market(terminal, market)
    price = trader.rest_an_order(terminal)
    return terminal, market, price


def _see_the_order_again(terminal: Terminal, home: Path) -> None:
    """The next start shows what rested, and the venue's own books agree."""
    trader.wait_for_markets(terminal)
    terminal.until_text("1 working")
    trader.open_orders_tab(terminal)
    terminal.until(lambda: terminal.row_with("BUY", "40/40"), "the order of last time")
    ledger = PaperVenue(home).ledger()
    assert [order["original_size"] for order in ledger.open_orders] == ["40"]
    assert ledger.is_whole
