"""No sequence that means nothing here presses the letters within it: letters trade."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._xterm_parser import XTermParser

from pmtui.ui.terminal.key_sequences import usual_sequences

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
