"""Leaving, politely or not: orders are named first, nothing keeps running, nothing is lost."""

import signal
from decimal import Decimal
from pathlib import Path

import pytest

from tests.journeys import trader
from tests.journeys.conftest import Start
from tests.journeys.processes import processes_of, wait_until_gone
from tests.journeys.terminal import Terminal
from tests.journeys.trader import cents
from tests.journeys.venue import Market, PaperVenue

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]


def test_an_order_outlives_quitting_a_lost_line_and_a_kill(start: Start, home: Path) -> None:
    terminal, _, price = _with_a_resting_order(start, home)
    trader.close_ticket(terminal)
    _quit_with_an_order(terminal, price)
    assert processes_of(home) == {}

    terminal = start()
    _see_the_order_again(terminal, home)
    terminal.hang_up()
    terminal.exit_code()
    assert wait_until_gone(home) == {}

    terminal = start()
    _see_the_order_again(terminal, home)
    terminal.send_signal(signal.SIGKILL)
    assert terminal.exit_code() == -signal.SIGKILL
    assert wait_until_gone(home) == {}
    _see_the_order_again(start(), home)


def _quit_with_an_order(terminal: Terminal, price: Decimal) -> None:
    """The card names it and what happens, and can be left."""
    terminal.press("q")
    terminal.until_text("Quit with working orders?")
    assert terminal.row_with("BUY", "40 Yes", cents(price))
    assert terminal.row_with("Paper orders", "are restored at the next start")
    terminal.press("escape")
    terminal.until_gone("Quit with working orders?")
    terminal.press("q")
    terminal.until_text("Quit with working orders?")
    terminal.press("enter")
    assert terminal.exit_code() == 0


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
    terminal.until(lambda: terminal.row_with("BUY", "40"), "the order of last time")
    ledger = PaperVenue(home).ledger()
    assert [order["original_size"] for order in ledger.open_orders] == ["40"]
    assert ledger.is_whole
