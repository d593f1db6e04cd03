"""What the environment asks for, and handing a text to tmux; the journey in a real one is `tests/journeys/test_ways_in.py`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pmtui.cli import terminal

TEXT = "0x" + "ab" * 32


async def test_it_gets_the_text_as_it_is(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    assert await terminal.copy_to_tmux(TEXT, command=("sh", "-c", 'cat > "$0"', str(taken)))
    assert taken.read_text() == TEXT


async def test_one_that_knows_no_such_command_did_not_take_it() -> None:
    assert not await terminal.copy_to_tmux(TEXT, command=("sh", "-c", "exit 1"))


async def test_where_there_is_none_it_was_not_taken(tmp_path: Path) -> None:
    assert not await terminal.copy_to_tmux(TEXT, command=(str(tmp_path / "tmux"),))


async def test_one_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "DEADLINE_S", 0.2)
    assert not await terminal.copy_to_tmux(TEXT, command=("sh", "-c", "exec sleep 600"))


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, False),
        ({"NO_COLOR": ""}, False),
        ({"NO_COLOR": "1"}, True),
        ({"CLICOLOR": "1"}, False),
        ({"CLICOLOR": "0"}, True),
        ({"CLICOLOR": "0", "CLICOLOR_FORCE": "1"}, False),
        ({"CLICOLOR": "0", "CLICOLOR_FORCE": "0"}, True),
        ({"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, True),
    ],
)
def test_colour_is_left_out_as_the_environment_asks(
    environ: dict[str, str], expected: bool
) -> None:
    assert terminal.wants_no_color(environ) is expected


ASK = "from pmtui.cli.terminal import is_ascii_terminal as is_ascii; print(is_ascii())"
SAID = ("LC_ALL", "LC_CTYPE", "LANG", "PYTHONUTF8")


@pytest.mark.parametrize(
    ("said", "is_ascii"),
    [
        ({"LANG": "C"}, True),
        ({"LANG": "POSIX"}, True),
        ({"LC_ALL": "C", "LANG": "C.UTF-8"}, True),
        ({"LANG": "C.UTF-8"}, False),
        ({"LANG": "C", "LC_ALL": "C.UTF-8"}, False),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, False),
        ({}, False),
        ({"LANG": "C.UTF-8", "TERM": "vt100"}, True),
    ],
)
def test_plain_characters_are_for_who_asks_for_them(said: dict[str, str], is_ascii: bool) -> None:
    usual = {name: value for name, value in os.environ.items() if name not in SAID}
    env = {**usual, "TERM": "xterm-256color", **said}
    done = subprocess.run(
        [sys.executable, "-c", ASK], env=env, check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == str(is_ascii)
