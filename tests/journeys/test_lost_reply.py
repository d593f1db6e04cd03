"""A reply that never comes: the order is unknown for a moment, found, and told in full."""

import json
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.journeys import trader
from tests.journeys.conftest import Start
from tests.journeys.venue import PaperVenue

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]


def test_an_order_whose_reply_is_lost_is_found_and_sent_once(start: Start, home: Path) -> None:
    terminal = start(size=(160, 45))
    trader.wait_for_markets(terminal)
    venue = PaperVenue(home)
    trader.find_market(terminal, venue.busy_markets()[0])
    fault = {"host": "clob", "prefix": "/order", "method": "POST", "is_answer_lost": True}
    venue.post("/faults", fault)
    shown = trader.quote(terminal)
    assert shown is not None
    trader.open_ticket(terminal)
    trader.fill_in(terminal, price=f"{(shown[0] - Decimal('0.1')) * 100:.0f}", size="40")
    trader.review(terminal)
    trader.send(terminal)
    terminal.until_text("1 working")
    trader.close_ticket(terminal)
    terminal.press("l")
    terminal.until_text("Confirmed at the venue")
    (order,) = venue.ledger().open_orders
    (exported,) = _exported(home)
    assert exported["order_id"] == order["id"]
    assert exported["state"] == "open"
    told = [line["text"] for line in exported["life"] if line["kind"] in ("verdict", "found")]
    assert told[0].startswith("unknown: ")
    assert told[1] == "live"


def _exported(home: Path) -> list[dict[str, Any]]:
    """Return the journal's orders as another shell sees them while the terminal runs."""
    done = subprocess.run(
        [sys.executable, "-m", "pmtui", "export", "orders", "--format", "json"],
        env={**os.environ, "PMTUI_HOME": str(home)},
        capture_output=True,
        check=True,
    )
    orders: list[dict[str, Any]] = json.loads(done.stdout)
    return orders
