"""The terminal's answers among the keys, put together again where the line tore them.

Where the cursor is (`output_throttle` asks) comes back as `ESC [ row ; column R`, which kind of
terminal it is (`terminal_kind`) as `ESC [ > numbers c`, and an Escape that nothing follows for a
moment is a key. So while an answer may come, what could be its beginning waits longer for its end:
much longer once there is a digit, as no key looks like that while it is pressed. A lone Escape waits
longer only where the line is slow anyway.
"""

import re
from collections.abc import Callable

ALONE_S = 0.1
"""How long a lone Escape may wait for the rest of an answer on a slow line."""
BEGUN_S = 1.0
"""How long the rest may take of what is an answer by all appearance."""

_BEGINNING = re.compile(r"\x1b(?:\[(?:\d{1,4}(?:;\d{0,4})?|>[\d;]{0,16})?)?\Z")
_KIND_BEGINNING = re.compile(r"\x1b\[>[\d;]{0,16}\Z")
"""No key begins so: it is held whether an answer is awaited or not."""
_GOES_ON = re.compile(r"\x1b\[(?:\d{1,4}(?:;\d{0,4}(?:R|\Z)|\Z)|>[\d;]{0,16}(?:c|\Z))")


class ReplyReassembler:
    """Holds back the end of what came, while that may be half an answer."""

    def __init__(self, may_come: Callable[[], bool], alone_s: Callable[[], float]) -> None:
        """Take what the line knows.

        Args:
            may_come: whether an answer may be on its way.
            alone_s: how long a lone Escape is held then.
        """
        self._may_come = may_come
        self._alone_s = alone_s
        self._held = ""
        self._loose = ""
        """What was read as a key last although it may have begun an answer."""

    @property
    def is_holding(self) -> bool:
        """Whether something waits for its end."""
        return bool(self._held)

    def feed(self, text: str) -> str:
        """Return what is certain of all that has come so far."""
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
        """Return how long what is held may stay as it is."""
        return self._alone_s() if len(self._held) < 3 else BEGUN_S

    def give_up(self) -> str:
        """Return what was held: nothing came that would make it an answer."""
        text, self._held = self._held, ""
        if len(text) > 2:
            # Half an answer means no key, and its digits would mean several.
            return ""
        self._loose = text
        return text
