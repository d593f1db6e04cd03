"""The kill switch: from another shell while a terminal runs, and from a key."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.journeys import trader
from tests.journeys.conftest import BOTH_WAYS, Start
from tests.journeys.processes import service_pid
from tests.journeys.terminal import PROGRAM, Terminal
from tests.journeys.venue import PaperVenue

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

DEADLINE_S = 60


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the program in a shell beside the terminal."""
    return subprocess.run(
        [PROGRAM, *arguments],
        env={**os.environ, "PMTUI_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )


def with_a_resting_order(start: Start, home: Path, *, is_attached: bool) -> Terminal:
    terminal = start(is_attached=is_attached)
    trader.wait_for_markets(terminal)
    trader.find_market(terminal, PaperVenue(home).busy_markets()[0])
    trader.rest_an_order(terminal)
    trader.close_ticket(terminal)
    return terminal


@BOTH_WAYS
def test_a_kill_from_another_shell_cancels_and_locks_until_it_is_released(
    start: Start, home: Path, is_attached: bool
) -> None:
    terminal = with_a_resting_order(start, home, is_attached=is_attached)

    killed = run(home, "kill")
    assert killed.returncode == 0, killed
    assert "Trading is locked on profile paper." in killed.stdout
    assert "Cancelled 1 order; none working." in killed.stdout
    terminal.until_text("LOCKED")
    terminal.until_text("0 working")

    # It outlives the terminal.
    terminal.press("q")
    assert terminal.exit_code() == 0
    terminal = start(is_attached=is_attached)
    trader.wait_for_markets(terminal)
    terminal.until_text("LOCKED")

    unanswered = run(home, "release")
    assert unanswered.returncode == 1, unanswered
    assert "by `pmtui kill` in another shell" in unanswered.stdout
    released = run(home, "release", "--yes")
    assert released.returncode == 0, released
    terminal.until_gone("LOCKED")
    trader.find_market(terminal, PaperVenue(home).busy_markets()[0])
    trader.rest_an_order(terminal)


@BOTH_WAYS
def test_the_key_asks_cancels_and_releases(start: Start, home: Path, is_attached: bool) -> None:
    terminal = with_a_resting_order(start, home, is_attached=is_attached)
    terminal.press("K")
    terminal.until_text("Kill switch?")
    assert terminal.row_with("Cancels all working orders", "1 now.")
    terminal.press("escape")
    terminal.until_gone("Kill switch?")
    assert "1 working" in terminal.text()

    terminal.press("K")
    terminal.until_text("Kill switch?")
    terminal.press("enter")
    terminal.until_text("LOCKED")
    terminal.until_text("0 working")
    assert (home / "state" / "paper" / "killed.json").exists()

    terminal.press("K")
    terminal.until_text("Unlock trading?")
    terminal.press("enter")
    terminal.until_gone("LOCKED")
    assert not (home / "state" / "paper" / "killed.json").exists()


def test_the_key_locks_though_the_service_hangs_and_cancels_once_it_goes_on(
    start: Start, home: Path
) -> None:
    terminal = with_a_resting_order(start, home, is_attached=True)
    pid = service_pid(home)
    terminal.press("K")
    terminal.until_text("Kill switch?")
    os.kill(pid, signal.SIGSTOP)
    try:
        terminal.press("enter")
        terminal.until_text("Kill switch: Trading is locked.")
        assert (home / "state" / "paper" / "killed.json").exists()
    finally:
        os.kill(pid, signal.SIGCONT)
    terminal.until_text("LOCKED")
    terminal.until_text("0 working")
    assert service_pid(home) == pid


def test_without_a_terminal_the_kill_says_that_nothing_was_cancelled(
    start: Start, home: Path
) -> None:
    killed = run(home, "kill")
    assert killed.returncode == 1, killed
    assert "No terminal or service runs on it, so nothing was cancelled" in killed.stdout
    terminal = start()
    terminal.until_text("LOCKED")
