"""How long a socket rests between two reads, because waking up costs many times what a message does."""

from typing import final

FAST_READ_S = 0.002
"""What comes sooner after the last read had better come together."""
PAUSE_S = 0.010
"""Of thousands of messages a second more would save next to nothing (measured, September 2026)."""
LONG_PAUSE_S = 0.020
STEADY_READS = 10
"""Pauses in a row after which they are longer: of some hundred messages a second each read brings one
or two, and reading costs more than they do."""


@final
class ReadPace:
    """Decides after every read of one socket."""

    __slots__ = ("_in_row", "last_read")

    def __init__(self) -> None:
        """Start with a socket that was never read."""
        self._in_row = 0
        self.last_read = 0.0
        """When bytes last came, be it a part of a message only, or when reading began again."""

    def pause_s(self, now: float) -> float:
        """Note a read and return how long to rest after it; 0 is not at all."""
        is_fast = now - self.last_read < FAST_READ_S
        self.last_read = now
        if not is_fast:
            self._in_row = 0
            return 0.0
        self._in_row += 1
        return LONG_PAUSE_S if self._in_row > STEADY_READS else PAUSE_S

    def resumed(self, now: float) -> None:
        """Note that reading began again: what comes at once then had been waiting."""
        self.last_read = now
