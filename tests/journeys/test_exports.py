"""What was traded comes out of the program as data: beside the terminal, after it, and offline."""

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
from tests.journeys.processes import processes_of, venues_of
from tests.journeys.venue import PaperVenue

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

SIZE = "10"


def export(home: Path, *arguments: str) -> list[dict[str, Any]]:
    """Export as another shell does; nothing is said beside the data."""
    done = subprocess.run(
        [sys.executable, "-m", "pmtui", "export", *arguments, "--format", "json"],
        env={**os.environ, "PMTUI_HOME": str(home)},
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def test_a_trade_is_exported_beside_the_terminal_after_it_and_offline(
    start: Start, home: Path
) -> None:
    terminal = start(size=(160, 45))
    trader.wait_for_markets(terminal)
    venue = PaperVenue(home)
    trader.open_first_market(terminal)
    shown = trader.quote(terminal)
    assert shown is not None
    trader.open_ticket(terminal)
    trader.fill_in(terminal, price=f"{shown[1] * 100 + 2:f}".rstrip("0").rstrip("."), size=SIZE)
    trader.review(terminal)
    trader.send(terminal)
    terminal.until(venue.own_trades, "the trade at the venue")
    terminal.until(lambda: export(home, "fills", "--offline"), "the fill in the journal")

    beside = export(home, "fills")
    assert {fill["source"] for fill in beside} == {"both"}
    assert sum(Decimal(fill["size"]) for fill in beside) == Decimal(SIZE)
    bought = {held["token_id"]: Decimal(held["size"]) for held in export(home, "positions")}
    assert bought == {token: size for token, size in venue.ledger().shares.items() if size}
    done = [line for line in export(home, "activity") if line["kind"] == "TRADE"]
    assert {line["side"] for line in done} == {"BUY"}
    assert sum(Decimal(line["size"]) for line in done) == Decimal(SIZE)
    assert len(venues_of(home)) == 1

    trader.close_ticket(terminal)
    terminal.press("q")
    assert terminal.exit_code() == 0
    after = export(home, "fills")
    assert [fill["trade_id"] for fill in after] == [fill["trade_id"] for fill in beside]
    offline = export(home, "fills", "--offline")
    assert [fill["trade_id"] for fill in offline] == [fill["trade_id"] for fill in beside]
    assert processes_of(home) == {}
