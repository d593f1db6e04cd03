"""What reaches a terminal from a command: by every way, for every character."""

import io
import os
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.cli.output import printable, show, warn
from pmtui.cli.usage import refuse

HOSTILE = (
    "\x1b]52;c;ZWNobyBoaQ==\x07 \x1b[2J\x1b[31mred \x9b31m \u202eright to left\u202c \u2066x\u2069 "
    "\x00 \x7f \r over \n next \t tab \u2028 line \u200b \ufeff \U000e0041 \x85"
)
PROGRAM = """
import sys
from pmtui.cli.output import show, show_last, warn
text = sys.stdin.buffer.read().decode()
show(text, "second")
warn(text)
if "utf" in sys.stdout.encoding:
    show_last([text])
if sys.argv[1:]:
    from pmtui.cli.output import show_crash
    sys.excepthook = show_crash
    raise RuntimeError(text)
"""


@given(st.text())
def test_a_line_holds_nothing_that_steers(text: str) -> None:
    line = printable(text)
    assert line.isprintable()
    assert not {unicodedata.category(c) for c in line} & {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    assert printable(line) == line
    assert len(line) == len(text)


def test_words_of_any_language_stay() -> None:
    text = "Größe – 東京 🗳 «¿qué?» − ¢ ≥"
    assert printable(text) == text


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
@pytest.mark.parametrize("crash", [False, True])
def test_nothing_raw_leaves_by_any_way(encoding: str, crash: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *(["crash"] if crash else [])],
        input=HOSTILE.encode(),
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "1"},
    )
    assert done.returncode == int(crash)
    for stream in (done.stdout, done.stderr):
        text = stream.decode(encoding)
        assert text.replace("\n", "").isprintable()
    assert done.stdout.count(b"\n") == (3 if encoding == "utf-8" else 2)
    assert crash == (b"RuntimeError" in done.stderr)


def test_lines_go_where_they_belong(capsys: pytest.CaptureFixture[str]) -> None:
    show("one", "two\nlines")
    warn("three")
    assert tuple(capsys.readouterr()) == ("one\ntwo lines\n", "three\n")


def test_a_stream_without_the_letters_gets_what_it_can_show(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    show("café \x1b[1m")
    sys.stdout.flush()
    assert raw.getvalue() == b"caf? ?[1m\n"


def test_what_a_venue_says_is_plain_in_a_refusal(capsys: pytest.CaptureFixture[str]) -> None:
    assert refuse(f"positions: {HOSTILE}", code=69) == 69
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    assert line.removesuffix("\n").isprintable()
