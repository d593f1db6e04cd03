"""Reads terminal input without delay, joins split replies, and drops unknown sequences."""

import os
import re
import selectors
import time
from codecs import getincrementaldecoder
from collections.abc import Callable

from textual import constants
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._keyboard_protocol import FUNCTIONAL_KEYS
from textual._xterm_parser import SPECIAL_SEQUENCES, XTermParser
from textual.message import Message

from pmtui.ui.terminal.desktop_notice import is_another_kind
from pmtui.ui.terminal.output_throttle import OutputThrottle

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
"""Keys with modifiers. Textual takes an unknown number for that of a character."""
_USUAL = {
    # What PuTTY sends for F5 to F12 when set to VT100+.
    "\x1bOT": "\x1b[15~", "\x1bOU": "\x1b[17~", "\x1bOV": "\x1b[18~", "\x1bOW": "\x1b[19~",
    "\x1bOX": "\x1b[20~", "\x1bOY": "\x1b[21~", "\x1bOZ": "\x1b[23~", "\x1bO[": "\x1b[24~",
}  # fmt: skip


def usual_sequences(text: str) -> str:
    """Return the input with only the sequences that Textual knows."""
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


ALONE_S = 0.1
"""How long a lone Escape may wait on a slow connection for the rest of a reply."""
BEGUN_S = 1.0
"""How long the rest of an apparent reply may take."""

_BEGINNING = re.compile(r"\x1b(?:\[(?:\d{1,4}(?:;\d{0,4})?|>[\d;]{0,16})?)?\Z")
_KIND_BEGINNING = re.compile(r"\x1b\[>[\d;]{0,16}\Z")
"""No key starts like this, so it is always held."""
_GOES_ON = re.compile(r"\x1b\[(?:\d{1,4}(?:;\d{0,4}(?:R|\Z)|\Z)|>[\d;]{0,16}(?:c|\Z))")


class ReplyReassembler:
    """Holds back the end of the input while it may be part of a terminal reply."""

    def __init__(self, may_come: Callable[[], bool], alone_s: Callable[[], float]) -> None:
        """Start with nothing held.

        Args:
            may_come: returns whether a reply is pending.
            alone_s: returns how long a lone Escape is held.
        """
        self._may_come = may_come
        self._alone_s = alone_s
        self._held = ""
        self._loose = ""
        """Input last passed on as a key although it may have started a reply."""

    @property
    def is_holding(self) -> bool:
        """Whether input is held back."""
        return bool(self._held)

    def feed(self, text: str) -> str:
        """Return the input that is complete so far."""
        is_awaited = self._may_come()
        if self._loose and is_awaited and _GOES_ON.match(self._loose + text):
            text = self._loose + text
        text, self._held, self._loose = self._held + text, "", ""
        found = (_BEGINNING if is_awaited else _KIND_BEGINNING).search(text)
        if found is None:
            return text
        self._held = found.group()
        return text[: found.start()]

    def wait_s(self) -> float:
        """Return how long the held input may wait for its rest."""
        return self._alone_s() if len(self._held) < 3 else BEGUN_S

    def give_up(self) -> str:
        """Return the held input, which was not completed to a reply."""
        text, self._held = self._held, ""
        if len(text) > 2:
            # Half a reply is no key, and its digits would be several.
            return ""
        self._loose = text
        return text


ESCAPE_DELAY_S = 0.025
"""How long the rest of an escape sequence may take: enough for a slow connection, too short for
two keys."""

READ_BYTES = 4096

Wait = Callable[[float | None], set[int]]
"""Waits some seconds, or for ever, until a descriptor is readable; returns those that are."""


class InputReader:
    """Reads the keys of one terminal."""

    def __init__(
        self,
        fileno: int,
        wake_read: int,
        pace: OutputThrottle,
        *,
        on_another_kind: Callable[[], object] | None = None,
        now: Callable[[], float] = time.monotonic,
        wait: Wait | None = None,
    ) -> None:
        """Read from a terminal until closed.

        Args:
            fileno: the terminal's descriptor.
            wake_read: a descriptor on which a byte ends a wait.
            pace: knows whether a reply is pending.
            on_another_kind: called when a terminal that might be Screen replies that it is not.
            now: the clock.
            wait: replaced in tests; by default both descriptors are watched.
        """
        self._fileno = fileno
        self._wake_read = wake_read
        self._on_another_kind = on_another_kind
        self._now = now
        self._parser = XTermParser()
        self._decode = getincrementaldecoder("utf-8")(errors="replace").decode
        self._escape_delay_s = (
            constants.ESCAPE_DELAY if "ESCDELAY" in os.environ else ESCAPE_DELAY_S
        )
        self._answers = ReplyReassembler(
            pace.may_be_answered,
            lambda: max(self._escape_delay_s, ALONE_S if pace.is_slow() else 0.0),
        )
        self._selector = selectors.SelectSelector()
        self._selector.register(fileno, selectors.EVENT_READ)
        self._selector.register(wake_read, selectors.EVENT_READ)
        self._wait = wait or self._select

    def next_messages(self) -> list[Message] | None:
        """Wait for input or the end of an open sequence; return None when the terminal is gone."""
        deadline = self._deadline()
        while True:
            wait = None if deadline is None else max(0.0, deadline - self._now())
            ready = self._wait(wait)
            if self._wake_read in ready:
                os.read(self._wake_read, READ_BYTES)
                return []
            if self._fileno in ready:
                return self._read()
            if deadline is not None and self._now() >= deadline:
                return self._end_of_sequence()

    def close(self) -> None:
        """Stop reading; an incomplete sequence is dropped."""
        self._selector.close()

    def _deadline(self) -> float | None:
        if self._answers.is_holding:
            return self._now() + self._answers.wait_s()
        is_open = self._parser._timeout_time is not None
        return self._now() + self._escape_delay_s if is_open else None

    def _select(self, wait_s: float | None) -> set[int]:
        return {key.fd for key, _ in self._selector.select(wait_s)}

    def _read(self) -> list[Message] | None:
        try:
            data = os.read(self._fileno, READ_BYTES)
        except OSError:
            return None
        if not data:
            return None
        return self._parse(self._answers.feed(self._decode(data)))

    def _parse(self, text: str) -> list[Message]:
        if self._on_another_kind is not None and is_another_kind(text):
            self._on_another_kind()
        text = usual_sequences(text)
        return list(self._parser.feed(text)) if text else []

    def _end_of_sequence(self) -> list[Message]:
        messages = self._parse(self._answers.give_up()) if self._answers.is_holding else []
        if self._parser._timeout_time is not None:
            # Our deadline is the shorter one; the parser must not wait for its own.
            self._parser._timeout_time = 0.0
            messages += self._parser.tick()
        return messages
