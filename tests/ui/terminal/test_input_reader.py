"""No sequence that means nothing here presses the letters within it: letters trade."""

import os
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import constants, events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._xterm_parser import XTermParser

from pmtui.ui.terminal.input_reader import (
    ALONE_S,
    BEGUN_S,
    ESCAPE_DELAY_S,
    InputReader,
    usual_sequences,
)
from pmtui.ui.terminal.output_throttle import SLOW_TRIP_S, SLOWEST_S, OutputThrottle

ESCAPE = "\x1b"


def keys_of(text: str) -> list[str]:
    parser = XTermParser()
    messages = [*parser.feed(usual_sequences(text)), *parser.feed("")]
    return [message.key for message in messages if isinstance(message, events.Key)]


@pytest.mark.parametrize(
    "sequence",
    [
        # Function keys of PuTTY as SCO's console, and of VT52s.
        *(f"{ESCAPE}[{letter}" for letter in "LNOTUVWXY]^_`{klmnopqrstvwxyz"),
        f"{ESCAPE}O!",
        # Numbers of no key, which are those of letters.
        f"{ESCAPE}[68~",
        f"{ESCAPE}[85;2~",
        f"{ESCAPE}[68A",
        # Answers to questions that others asked.
        f"{ESCAPE}[?1;2c",
        f"{ESCAPE}[>0;136;0c",
        f"{ESCAPE}[8;24;80t",
    ],
)
def test_what_is_unknown_presses_nothing(sequence: str) -> None:
    assert keys_of(f"a{sequence}b") == ["a", "b"]


@given(st.from_regex(r"\A\x1b(?:\[[0-?]{0,6}[ -/]{0,2}[@-LN-Z\\-tv-~]|O[A-Z])\Z"))
def test_no_sequence_presses_a_capital_letter(sequence: str) -> None:
    pressed = keys_of(sequence + "b")
    assert not [key for key in pressed if len(key) == 1 and key.isupper()], pressed


def test_what_textual_knows_stays() -> None:
    known = [sequence for sequence in ANSI_SEQUENCES_KEYS if sequence.startswith(ESCAPE)]
    assert len(known) > 200
    assert [usual_sequences(sequence) for sequence in known] == known


@pytest.mark.parametrize(
    "sequence",
    ["[<0;23;19M", "[<0;23;19m", "[32;23;19M", "[M !!", "[12;40R", "[?2026;2$y", "[48;24;80;480;800t",
     "[200~x[201~", "[I", "[O", "[97;5u", "[1;5C", "[97;;97u", "[27;5;68~", "[1;10A", "[3;13~", "[15;6~"],
)  # fmt: skip
def test_mice_answers_and_pastes_stay(sequence: str) -> None:
    assert usual_sequences(ESCAPE + sequence) == ESCAPE + sequence


def test_function_keys_of_a_vt100_plus_are_told_as_usual() -> None:
    typed = "".join(f"{ESCAPE}O{letter}" for letter in "PQRSTUVWXYZ[")
    assert keys_of(typed) == [f"f{number}" for number in range(1, 13)]


FAST_TRIP_S, SLOW_LINE_TRIP_S = SLOW_TRIP_S / 10, SLOW_TRIP_S * 5
ANSWER = b"\x1b[12;40R"


class Line:
    """A terminal that sends bytes after gaps, on a clock that only waiting moves."""

    def __init__(self, *, trip_s: float | None = None) -> None:
        self.at = 100.0
        self.pace = OutputThrottle(lambda: self.at)
        self._terminal, self._sender = os.pipe()
        self._wake, self._waker = os.pipe()
        self.reader = InputReader(
            self._terminal, self._wake, self.pace, now=lambda: self.at, wait=self._wait
        )
        self._script: list[tuple[float, bytes]] = []
        if trip_s is not None:
            self.pace.question()
            self.at += trip_s
            self.pace.answered()

    def close(self) -> None:
        self.reader.close()
        for descriptor in (self._terminal, self._sender, self._wake, self._waker):
            os.close(descriptor)

    def ask(self) -> None:
        """Ask the terminal something, as with every picture."""
        assert self.pace.question()

    def heard(self, *script: tuple[float, bytes]) -> list[tuple[float, str]]:
        """Return what is understood of bytes and the gaps before them, and when."""
        began, self._script = self.at, list(script)
        heard: list[tuple[float, str]] = []
        while self._script or self.reader._deadline() is not None:
            for message in self.reader.next_messages() or []:
                after = round(self.at - began, 4)
                if isinstance(message, events.Key):
                    heard.append((after, message.key))
                elif isinstance(message, events.CursorPosition):
                    self.pace.answered()
                    heard.append((after, f"at {message.x},{message.y}"))
        return heard

    def keys(self, *script: tuple[float, bytes]) -> list[str]:
        return [key for _, key in self.heard(*script)]

    def _wait(self, seconds: float | None) -> set[int]:
        gap, data = self._script[0] if self._script else (float("inf"), b"")
        if seconds is not None and seconds < gap:
            self.at += seconds
            if self._script:
                self._script[0] = (gap - seconds, data)
            return set()
        self.at += gap
        del self._script[0]
        os.write(self._sender, data)
        return {self._terminal}


@pytest.fixture
def line() -> Iterator[Line]:
    line = Line()
    yield line
    line.close()


@pytest.fixture(params=[FAST_TRIP_S, SLOW_LINE_TRIP_S], ids=["fast", "slow"])
def asked(request: pytest.FixtureRequest) -> Iterator[Line]:
    """A line on which an answer is awaited."""
    line = Line(trip_s=request.param)
    line.ask()
    yield line
    line.close()


@pytest.fixture
def slow() -> Iterator[Line]:
    line = Line(trip_s=SLOW_LINE_TRIP_S)
    line.ask()
    yield line
    line.close()


def test_a_lone_escape_waits_as_long_as_the_rest_of_a_sequence_may_take(line: Line) -> None:
    assert line.heard((0, b"\x1b")) == [(ESCAPE_DELAY_S, "escape")]


def test_the_users_own_delay_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ESCDELAY", "200")
    monkeypatch.setattr(constants, "ESCAPE_DELAY", 0.2)
    line = Line(trip_s=FAST_TRIP_S)
    assert line.heard((0, b"\x1b")) == [(0.2, "escape")]
    line.ask()
    assert line.heard((0, b"\x1b")) == [(0.2, "escape")]
    line.close()


def test_sequences_text_and_escapes_are_told_apart(line: Line) -> None:
    assert line.keys((0, b"a\x1b[A\x1b")) == ["a", "up", "escape"]
    assert line.keys((0, b"\x1b["), (0.02, b"B")) == ["down"]
    assert line.keys((0, b"\xc3"), (5, b"\xa9")) == ["é"]


def test_a_fast_terminal_does_not_make_escape_slower() -> None:
    line = Line(trip_s=FAST_TRIP_S)
    line.ask()
    assert line.heard((0, b"\x1b")) == [(ESCAPE_DELAY_S, "escape")]
    line.close()


def test_on_a_slow_line_an_escape_waits_only_while_an_answer_may_come(slow: Line) -> None:
    assert slow.heard((0, b"\x1b")) == [(ALONE_S, "escape")]
    slow.pace.answered()
    assert slow.heard((0, b"\x1b")) == [(ESCAPE_DELAY_S, "escape")]


def test_a_terminal_that_never_answered_makes_escape_no_slower_for_long(line: Line) -> None:
    line.ask()
    assert line.heard((0, b"\x1b")) == [(ALONE_S, "escape")]
    line.at += SLOWEST_S
    assert line.heard((0, b"\x1b")) == [(ESCAPE_DELAY_S, "escape")]


@pytest.mark.parametrize("cut", range(3, 9))
def test_what_kind_a_terminal_is_is_no_typing_however_late_it_is_told(line: Line, cut: int) -> None:
    answer = b"\x1b[>83;0;0c"
    line.ask()
    assert line.keys((5 * SLOWEST_S, answer[:cut]), (BEGUN_S / 2, answer[cut:]), (0, b"x")) == ["x"]


@pytest.mark.parametrize("cut", range(1, len(ANSWER)))
def test_an_answer_torn_anywhere_is_an_answer(slow: Line, cut: int) -> None:
    gap = ALONE_S * 0.9 if cut < 3 else BEGUN_S * 0.9
    assert slow.keys((0, b"x" + ANSWER[:cut]), (gap, ANSWER[cut:] + b"y")) == ["x", "at 39,11", "y"]


@given(st.sets(st.integers(1, len(ANSWER) - 1)), st.floats(0, ALONE_S * 0.99))
def test_an_answer_in_many_pieces_is_an_answer(cuts: set[int], gap: float) -> None:
    line = Line(trip_s=SLOW_LINE_TRIP_S)
    line.ask()
    edges = [0, *sorted(cuts), len(ANSWER)]
    pieces = [ANSWER[a:b] for a, b in pairwise(edges)]
    assert line.keys(*((gap, piece) for piece in pieces)) == ["at 39,11"]
    line.close()


@pytest.mark.parametrize("cut", [1, 2])
def test_the_rest_of_an_answer_is_no_typing_even_when_its_start_was_a_key(
    asked: Line, cut: int
) -> None:
    keys = asked.keys((0, ANSWER[:cut]), (ALONE_S * 3, ANSWER[cut:]), (0, b"y"))
    assert len(keys) == 3
    assert keys[1:] == ["at 39,11", "y"]


def test_half_an_answer_is_nothing(slow: Line) -> None:
    assert slow.keys((0, b"\x1b[12;4")) == []
    assert slow.keys((0, b"7")) == ["7"]


@pytest.mark.parametrize(
    ("sequence", "key"),
    [(b"\x1b[A", "up"), (b"\x1b[1;5C", "ctrl+right"), (b"\x1bOP", "f1"), (b"\x1b[15~", "f5")],
)  # fmt: skip
def test_keys_are_keys_while_an_answer_is_awaited(asked: Line, sequence: bytes, key: str) -> None:
    for cut in range(1, len(sequence)):
        torn = ((0, sequence[:cut]), (ESCAPE_DELAY_S * 0.9, sequence[cut:]))
        assert asked.keys(*torn) == [key]
    assert asked.keys((0, sequence + sequence)) == [key, key]
    assert asked.keys((0, sequence + ANSWER)) == [key, "at 39,11"]


def test_an_escape_pressed_just_before_the_answer_is_both(slow: Line) -> None:
    assert slow.keys((0, b"\x1b"), (0.01, ANSWER)) == ["escape", "at 39,11"]


def test_a_byte_on_the_other_descriptor_ends_a_wait_and_a_closed_line_ends_it_all() -> None:
    terminal, keys = os.pipe()
    wake, waker = os.pipe()
    reader = InputReader(terminal, wake, OutputThrottle(lambda: 0.0))
    os.write(waker, b"x")
    assert reader.next_messages() == []
    os.close(keys)
    assert reader.next_messages() is None
    reader.close()
    for descriptor in (terminal, wake, waker):
        os.close(descriptor)
