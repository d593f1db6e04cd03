"""Reads the terminal and says what was pressed, at the moment that is certain.

Textual's input thread looks at the clock every 100 ms; this one sleeps exactly as long as an open
sequence may take, and for ever where none is.
"""

import os
import selectors
import time
from codecs import getincrementaldecoder
from collections.abc import Callable

from textual import constants
from textual._xterm_parser import XTermParser
from textual.message import Message

from pmtui.ui.terminal.key_sequences import usual_sequences
from pmtui.ui.terminal.output_throttle import OutputThrottle
from pmtui.ui.terminal.reply_reassembler import ALONE_S, ReplyReassembler
from pmtui.ui.terminal.terminal_kind import is_another_kind

ESCAPE_DELAY_S = 0.025
"""How long the rest of an escape sequence may take: enough for a slow line, short for a thumb."""

READ_BYTES = 4096

Wait = Callable[[float | None], set[int]]
"""Waits so many seconds, or for ever, until one of the descriptors can be read; returns which."""


class InputReader:
    """The keys of one terminal."""

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
        """Read from a terminal until told otherwise.

        Args:
            fileno: of the terminal.
            wake_read: where a byte ends a wait.
            pace: knows whether the terminal has been asked something.
            on_another_kind: told when a terminal that may be Screen answers that it is not.
            now: the clock.
            wait: for tests; by default both descriptors are watched.
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
        """Wait for input or for the end of an open sequence; None when the terminal is gone."""
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
        """Leave the terminal to others; what was pressed half is dropped."""
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
