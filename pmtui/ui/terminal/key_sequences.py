"""Key sequences that Textual does not know, which it would read as the letters within.

A function key that some terminal sends as `ESC [ U` would press `U`, and letters trade. So what is a
sequence by its form and means nothing here is dropped, and what means a key is told in the usual way.
"""

import re

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._keyboard_protocol import FUNCTIONAL_KEYS
from textual._xterm_parser import SPECIAL_SEQUENCES

_SEQUENCE = re.compile(
    r"""\x1b(?:
      O[!-~]                          # keys of a VT100
    | \[\[[A-E]                       # F1 to F5 of the Linux console
    | \[(?![M\[])[0-?]*[ -/]*[@-~]    # all others but old mice, whose bytes may be anything
    )""",
    re.VERBOSE,
)
_KNOWN_FORM = re.compile(
    r"""\x1b\[(?:
      <?[-\d;]+[mM]                   # the mouse
    | \d+;\d+R                        # where the cursor is
    | \?\d+;\d\$y                     # whether a mode is known
    | 48;[\d:;]+t                     # a new size
    | [\d:]*(?:;[\d:]*){0,2}u         # keys by their character
    | 27;\d+;\d+~                     # the same in xterm's way
    )""",
    re.VERBOSE,
)
_NUMBERED = re.compile(r"\x1b\[(?P<number>\d*)(?::\d*)*(?:;[\d:]*){0,2}(?P<kind>[~A-HPQRS])")
"""Keys with modifiers. Textual takes a number that it does not know for a character's."""
_USUAL = {
    # What PuTTY sends for F5 to F12 when told to be a VT100+.
    "\x1bOT": "\x1b[15~", "\x1bOU": "\x1b[17~", "\x1bOV": "\x1b[18~", "\x1bOW": "\x1b[19~",
    "\x1bOX": "\x1b[20~", "\x1bOY": "\x1b[21~", "\x1bOZ": "\x1b[23~", "\x1bO[": "\x1b[24~",
}  # fmt: skip


def usual_sequences(text: str) -> str:
    """Return what was typed, as Textual knows it."""
    return _SEQUENCE.sub(_usual, text) if "\x1b" in text else text


def _usual(found: re.Match[str]) -> str:
    sequence = found.group()
    is_known = sequence in ANSI_SEQUENCES_KEYS or sequence in SPECIAL_SEQUENCES
    if is_known or _KNOWN_FORM.fullmatch(sequence) or _is_key(sequence):
        return sequence
    return _USUAL.get(sequence, "")


def _is_key(sequence: str) -> bool:
    found = _NUMBERED.fullmatch(sequence)
    return found is not None and f"{found['number'] or 1}{found['kind']}" in FUNCTIONAL_KEYS
