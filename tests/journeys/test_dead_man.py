"""Heartbeats and the ends of a session: what the trader chose happens at the venue, and is said."""

import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.journeys import trader
from tests.journeys.conftest import Start
from tests.journeys.processes import wait_until_gone
from tests.journeys.terminal import Terminal
from tests.journeys.venue import PaperVenue

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

CANCEL = {"PMTUI_ON_QUIT": "cancel", "PMTUI_ON_HANGUP": "cancel"}


def test_lost_heartbeats_are_loud_and_what_the_venue_cancels_is_shown(
    start: Start, home: Path
) -> None:
    terminal = start(env={"PMTUI_HEARTBEAT": "on"})
    venue = _with_a_resting_order(terminal, home)
    terminal.until(lambda: _beat(terminal).rstrip("s").isdecimal(), "the age of a heartbeat")
    fault = {"host": "clob", "prefix": "/v1/heartbeats", "status": 503, "remaining": 100_000}
    venue.post("/faults", fault)
    terminal.until_text("Heartbeat missed")
    assert "the venue cancels every order unless" in trader.notice(terminal)
    terminal.until(lambda: _beat(terminal) == "late", "a late heartbeat on the status line")
    terminal.until_text("HEARTBEATS LOST")
    terminal.until(lambda: _beat(terminal) == "LOST", "the loss on the status line")
    terminal.until_text("0 working")
    terminal.until_text("1 order was cancelled since the last good heartbeat")
    assert venue.ledger().open_orders == []
    assert venue.ledger().is_whole
    trader.close_ticket(terminal)
    terminal.press("l")
    terminal.until(lambda: terminal.row_with("cancelled", "BUY", "40"), "the order's own message")
    venue.clear_faults()
    terminal.until_text("Heartbeats are accepted again after")
    terminal.until(lambda: _beat(terminal).rstrip("s").isdecimal(), "heartbeats again")


def test_every_end_with_the_choice_to_cancel_leaves_nothing(start: Start, home: Path) -> None:
    for end in (_quit, _hang_up_by_signal, _terminate, _lose_the_line, _terminate_on_a_silent_line):
        terminal = start(env=CANCEL)
        _see_that_nothing_rests(terminal, home)
        before = len(_leaving_lines(home))
        _with_a_resting_order(terminal, home)
        trader.close_ticket(terminal)
        end(terminal)
        assert wait_until_gone(home) == {}
        first, *rest = _leaving_lines(home)[before:]
        choice = "quit, on_quit" if end is _quit else "on_hangup"
        assert f"{choice} = cancel, 1 open: 0x" in first
        assert any("1 cancelled, and the venue lists no open order" in line for line in rest)
    _see_that_nothing_rests(start(), home)


def _quit(terminal: Terminal) -> None:
    """What will happen is said before, and what happened afterwards."""
    terminal.press("q")
    terminal.until_text("Quit with working orders?")
    assert terminal.row_with("Every order is cancelled before pmtui ends.", "on_quit = cancel")
    terminal.until_text("Cancel and quit")
    terminal.press("enter")
    assert terminal.exit_code() == 0
    said = "1 open order at quit, on_quit = cancel. 1 cancelled, and the venue lists"
    assert said in _last(terminal)


def _hang_up_by_signal(terminal: Terminal) -> None:
    terminal.send_signal(signal.SIGHUP)
    assert terminal.exit_code() == 0


def _terminate(terminal: Terminal) -> None:
    terminal.send_signal(signal.SIGTERM)
    assert terminal.exit_code() == 0


def _lose_the_line(terminal: Terminal) -> None:
    terminal.hang_up()
    terminal.exit_code()


def _terminate_on_a_silent_line(terminal: Terminal) -> None:
    """A line that only fell silent does not keep a signal from being heard."""
    terminal.freeze()
    _terminate(terminal)


def test_orders_that_are_left_are_named_on_the_normal_screen(start: Start, home: Path) -> None:
    terminal = start()
    _with_a_resting_order(terminal, home)
    terminal.send_signal(signal.SIGTERM)
    assert terminal.exit_code() == 0
    assert wait_until_gone(home) == {}
    assert "termination, on_hangup = leave. Paper orders are restored" in _last(terminal)
    assert "working: Buy 40 Yes at" in _last(terminal)


def _with_a_resting_order(terminal: Terminal, home: Path) -> PaperVenue:
    trader.wait_for_markets(terminal)
    venue = PaperVenue(home)
    trader.find_market(terminal, venue.busy_markets()[0])
    trader.rest_an_order(terminal)
    return venue


def _see_that_nothing_rests(terminal: Terminal, home: Path) -> None:
    """The next start shows it, and the venue's own book of the account agrees."""
    trader.wait_for_markets(terminal)
    terminal.until_text("0 working")
    ledger = PaperVenue(home).ledger()
    assert ledger.open_orders == []
    assert ledger.reserved == 0
    assert ledger.is_whole


def _beat(terminal: Terminal) -> str:
    """The word after `beat` on the status line; empty where there is none."""
    words = terminal.rows()[0].split()
    return words[words.index("beat") + 1] if "beat" in words else ""


def _last(terminal: Terminal) -> str:
    """What stands on the normal screen after the end, its lines joined as they were cut."""
    return "".join(row.ljust(terminal.size[0]) for row in terminal.rows())


def _leaving_lines(home: Path) -> list[str]:
    with closing(sqlite3.connect(home / "state" / "paper" / "journal.sqlite")) as file:
        query = "SELECT text FROM entries WHERE kind = 'leaving' ORDER BY sequence"
        return [text for (text,) in file.execute(query)]
