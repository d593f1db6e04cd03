"""A terminal knows its settings from the service that reads them, and loads nothing for it."""

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.journeys import trader
from tests.journeys.conftest import Start
from tests.journeys.listing_program import LOADED
from tests.journeys.listing_program import __name__ as listing_program
from tests.journeys.processes import processes_of
from tests.journeys.terminal import PROGRAM, Terminal
from tests.journeys.venue import PaperVenue

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

NOT_A_TERMINALS = {
    "coincurve", "eth_abi", "eth_account", "h11", "httpcore", "httpx", "mcp", "pydantic",
    "pydantic_core", "pydantic_settings", "sqlite3", "starlette", "uvicorn", "websockets",
}  # fmt: skip


def test_a_terminal_that_traded_has_loaded_no_settings_sockets_key_or_journal(
    home: Path,
) -> None:
    with ExitStack() as opened:
        for number, how in enumerate(("starts the service", "finds it running")):
            listed = home.parent / f"loaded {number}"
            command = (sys.executable, "-m", listing_program)
            terminal = opened.enter_context(Terminal(command, home=home, env={LOADED: str(listed)}))
            trader.wait_for_markets(terminal)
            trader.find_market(terminal, PaperVenue(home).busy_markets()[0])
            trader.rest_an_order(terminal, count=number + 1)
            trader.close_ticket(terminal)
            terminal.press("q")
            terminal.until_text("Leave this terminal?")
            terminal.press("enter")
            assert terminal.exit_code() == 0
            loaded = set(listed.read_text().split())
            assert "textual" in loaded
            assert not loaded & NOT_A_TERMINALS, how


def test_a_running_service_reads_a_later_terminals_settings_with_its_variables(
    start: Start, home: Path
) -> None:
    trader.wait_for_markets(start(is_attached=True))
    (home / "config").mkdir(exist_ok=True)
    config = home / "config" / "config.toml"
    config.write_text('[keys]\n"global.log" = ["ctrl+k"]\n')
    later = start(is_attached=True, env={"PMTUI_THEME": "nord"}, size=(200, 50))
    trader.wait_for_markets(later)
    later.press("ctrl+k")
    later.until(lambda: later.row_with("LOG", "everything"), "the log")
    config.write_text('frame_rate = "often"\n')
    refused = start(is_attached=True)
    assert refused.exit_code() == 2
    assert "config.toml:1 frame_rate" in refused.text()
    nowhere = start(is_attached=True, env={"PMTUI_FRAME_RATE": "-4"})
    assert nowhere.exit_code() == 2
    assert "PMTUI_FRAME_RATE" in nowhere.text()


def test_a_service_does_not_begin_anew_what_another_runs(home: Path, start: Start) -> None:
    trader.wait_for_markets(start())
    with Terminal((PROGRAM, "serve", "--fresh"), home=home, size=(200, 50)) as busy:
        assert busy.exit_code() == 2
        assert "another terminal or service runs this profile" in busy.text()


def test_beginning_anew_is_said_by_the_terminal(start: Start, home: Path) -> None:
    first = start()
    trader.wait_for_markets(first)
    first.press("q")
    assert first.exit_code() == 0
    anew = start("--fresh", is_attached=True, size=(200, 50))
    anew.until_text("¢")
    assert b"the paper account of before is kept in" in anew.output
    assert len(processes_of(home)) > 1
    found = subprocess.run(
        (PROGRAM, "status", "--json"), env={"PMTUI_HOME": str(home), "PATH": ""},
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert json.loads(found.stdout)["running"]
