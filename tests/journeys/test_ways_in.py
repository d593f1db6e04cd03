"""What lies between the program and the eye of somebody far away: Screen, tmux, mosh."""

import base64
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys import trader
from tests.journeys.terminal import PROGRAM, Terminal

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

COPIED = re.compile(rb"\x1b\]52;c?;([A-Za-z0-9+/=]*)\x07")
"""tmux leaves it to the terminal which clipboard is meant."""
CONNECT = re.compile(r"MOSH CONNECT (\d+) (\S+)")


def needs(*programs: str) -> pytest.MarkDecorator:
    missing = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


def has_new_tmux() -> bool:
    """Tell whether tmux can pass on what it is handed, which it can from 3.2 on."""
    if shutil.which("tmux") is None:
        return False
    said = subprocess.run(("tmux", "-V"), capture_output=True, text=True, check=False).stdout
    found = re.search(r"(\d+)\.(\d+)", said)
    return found is not None and (int(found[1]), int(found[2])) >= (3, 2)


@pytest.fixture
def sockets() -> Iterator[Path]:
    """A place with a name that is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="pmtui-") as directory:
        yield Path(directory)


def clipboard(terminal: Terminal) -> list[str]:
    """Return what has come for the clipboard of the terminal so far."""
    return [base64.b64decode(found).decode() for found in COPIED.findall(terminal.output)]


def copy_token(terminal: Terminal) -> str:
    """Open a market, copy its token, and return what the terminal was told to keep."""
    trader.wait_for_markets(terminal)
    trader.open_first_market(terminal)
    terminal.press("y")
    terminal.until(lambda: clipboard(terminal), "something for the clipboard")
    terminal.until_text("Copied the token id")
    (text,) = set(clipboard(terminal))
    assert re.fullmatch(r"\d{70,78}", text)
    return text


def close_ticket_by_escape(terminal: Terminal) -> None:
    """Open a ticket and press Escape and nothing more."""
    trader.open_ticket(terminal)
    trader.close_ticket(terminal)
    terminal.until(lambda: terminal.row_with("o Flip", "b Buy"), "the ladder's own keys")


@needs("screen")
def test_in_screen(home: Path, sockets: Path) -> None:
    settings = sockets / "rc"
    settings.write_text("startup_message off\n")
    env = {"SCREENDIR": str(sockets)}
    screen = ("screen", "-U", "-c", settings)
    begin = (*screen, "-S", "desk", "-T", "screen-256color", PROGRAM)
    # The terminal promises more colours than Screen knows.
    with Terminal(begin, home=home, size=(80, 24), env={**env, "COLORTERM": "truecolor"}) as first:
        copy_token(first)
        close_ticket_by_escape(first)
        assert b"[38;5;" in first.output
        first.hang_up()
        with Terminal((*screen, "-D", "-r", "desk"), home=home, env=env) as second:
            second.until(lambda: second.row_with("Bids", "Price", "Asks", "Queue"), "the ladder")
            second.until_text("v Arm")
            second.press("q")
            assert second.exit_code() == 0
            assert "Traceback" not in second.text()


@pytest.mark.skipif(not has_new_tmux(), reason="not installed: tmux 3.2 or newer")
def test_in_tmux(home: Path, sockets: Path) -> None:
    tmux = ("tmux", "-S", sockets / "s", "-f", os.devnull)
    with Terminal((*tmux, "new", "-s", "desk", PROGRAM), home=home, size=(80, 25)) as first:
        copy_token(first)
        close_ticket_by_escape(first)
        first.hang_up()
        with Terminal((*tmux, "attach", "-t", "desk"), home=home) as second:
            second.until_text("v Arm")
            second.press("q")
            assert second.exit_code() == 0
            assert "Traceback" not in second.text()


@needs("mosh-server", "mosh-client")
def test_over_mosh(home: Path) -> None:
    # Those two would stand above whatever size mosh tells of.
    env = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    env |= {"PMTUI_HOME": str(home), "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
    server = ("mosh-server", "new", "-i", "127.0.0.1", "-c", "256", "--", PROGRAM)
    said = subprocess.run(server, env=env, capture_output=True, text=True, check=True, timeout=20)
    found = CONNECT.search(said.stdout)
    assert found is not None, said
    client = ("mosh-client", "127.0.0.1", found[1])
    with Terminal(client, home=home, size=(80, 24), env={"MOSH_KEY": found[2]}) as terminal:
        text = copy_token(terminal)
        close_ticket_by_escape(terminal)
        # The same again: mosh itself sends only what has changed.
        terminal.press("y")
        terminal.until(lambda: clipboard(terminal) == [text, "", text], "the same once more")
        terminal.resize(120, 36)
        terminal.until_text("v Arm")
        terminal.press("q")
        terminal.until_text("[mosh is exiting.]")
        assert "cash" not in terminal.text(), terminal.text()
        assert terminal.exit_code() == 0
