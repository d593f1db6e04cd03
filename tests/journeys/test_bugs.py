"""A bug ends the program in order: 70, one line, the details in the log, and no local variable."""

import re
import sys
from pathlib import Path

import pytest

from tests.journeys import trader
from tests.journeys.broken_program import BUG, PRIVATE
from tests.journeys.broken_program import __name__ as broken_program
from tests.journeys.processes import processes_of
from tests.journeys.terminal import Terminal
from tests.journeys.unstartable_program import __name__ as unstartable_program

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

CRASHED = 70


def test_a_bug_ends_with_70_and_shows_no_locals(home: Path) -> None:
    with Terminal((sys.executable, "-m", broken_program, "--standalone"), home=home) as terminal:
        trader.wait_for_markets(terminal)
        terminal.press("l")
        terminal.until(lambda: terminal.row_with("LOG", "everything"), "the log")
        terminal.press("f")
        assert terminal.exit_code() == CRASHED
        assert _last_words(terminal) == [_one_line(home)]
        assert PRIVATE.encode() not in terminal.output
        assert processes_of(home) == {}
    log = (home / "state" / "pmtui.log").read_text()
    assert BUG in log
    assert "Traceback" in log
    assert PRIVATE not in log


def test_a_bug_before_the_service_runs_ends_with_70_too(home: Path) -> None:
    with Terminal(
        (sys.executable, "-m", unstartable_program, "--standalone"), home=home
    ) as terminal:
        assert terminal.exit_code() == CRASHED
        assert _last_words(terminal) == [_one_line(home)]
        assert processes_of(home) == {}
    log = (home / "state" / "pmtui.log").read_text()
    assert BUG in log
    assert "Traceback" in log


def _last_words(terminal: Terminal) -> list[str]:
    """Return what stands on the normal screen, below what was there before."""
    screen_left = b"\x1b[?1049l"
    after = bytes(terminal.output).rpartition(screen_left)[2].decode()
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", after).splitlines()


def _one_line(home: Path) -> str:
    return f"pmtui: stopped by a bug; details in {home / 'state' / 'pmtui.log'}"
