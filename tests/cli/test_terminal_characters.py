"""Which characters a terminal gets, by what its user says of it."""

import os
import subprocess
import sys

import pytest

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
