"""A terminal that stands still, at a thousand changes a second, harms nobody and catches up."""

import signal
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from random import Random

import pytest

from pmtui.domain.books.book import OrderBook
from pmtui.domain.money import ONE
from tests.bench.busy_venue import busy_venue
from tests.bench.memory import held
from tests.bench.session import make_session
from tests.journeys import trader
from tests.journeys.conftest import Start
from tests.journeys.terminal import Terminal
from tests.journeys.test_service import at_a_market, open_orders, terminals, wait_for
from tests.journeys.venue import PaperVenue

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

PER_SECOND = 1_000
SECONDS = 8.0
MOST_GROWTH_MB = 8.0
"""What it comes to remember of prices and sizes in its first minutes."""


def is_right(terminal: Terminal, book: OrderBook) -> bool:
    """Whether the ladder is live and has the sizes of a book's best prices."""
    view = book.view(datetime.fromtimestamp(0, tz=UTC))
    near = [level for side in (view.bids, view.asks) for level in side[:3]]
    return trader.has_good_book(terminal) and all(
        f"{Decimal(level.size) / ONE:,f}".removesuffix(".0")
        in trader.ladder_row(terminal, Decimal(level.price) / ONE).split()
        for level in near
    )


def test_a_stopped_terminal_costs_nothing_and_is_right_afterwards(tmp_path: Path) -> None:
    session = make_session(Random(5), markets=1, messages=round(PER_SECOND * SECONDS))
    book = session.books[session.snapshots[0].token_id]
    with busy_venue(tmp_path, session, PER_SECOND) as busy:
        used, stopped = busy.terminals
        stopped.send_signal(signal.SIGSTOP)
        before, shown = held(busy.pid), stopped.byte_count
        busy.start()
        used.pump_for(SECONDS)
        busy.wait_for_end()
        used.until(lambda: is_right(used, book), "the last sizes")
        assert held(busy.pid).private - before.private < MOST_GROWTH_MB
        assert stopped.byte_count == shown
        stopped.send_signal(signal.SIGCONT)
        stopped.until(lambda: is_right(stopped, book), "the same sizes")


def test_a_terminal_beside_a_frozen_one_trades(start: Start, home: Path) -> None:
    frozen = start("attach")
    trader.wait_for_markets(frozen)
    at_a_market(frozen, home)
    frozen.freeze()
    other = start("attach")
    trader.wait_for_ladder(other, PaperVenue(home).busy_markets()[0])
    price = trader.rest_an_order(other)
    other.until(lambda: "40" in trader.ladder_row(other, price), "the order in the ladder")
    assert terminals(home) == 2
    frozen.hang_up()
    frozen.exit_code()
    wait_for(lambda: terminals(home) == 1, "one terminal")
    assert open_orders(home) == 1
    assert PaperVenue(home).ledger().is_whole
