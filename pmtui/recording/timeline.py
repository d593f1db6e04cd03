"""Where a replay is: playing at some speed, paused, stepped or moved, on a clock of the recording's own.

It knows no tasks. Whoever delivers messages asks for the position and how long the next one takes, and
is told of every change.
"""

from collections.abc import Callable
from typing import final

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0, 25.0, 60.0, 100.0)
"""Which faster and slower choose from."""
SLOWEST, FASTEST = SPEEDS[0], SPEEDS[-1]


@final
class Timeline:
    """The position within a recording, in microseconds."""

    def __init__(
        self, length_us: int, *, monotonic: Callable[[], float], speed: float = 1.0
    ) -> None:
        """Begin to play at the start.

        Args:
            length_us: of the recording.
            monotonic: seconds that never run backwards.
            speed: how many recorded seconds pass in one; 0 begins paused at speed 1.
        """
        self.length_us = length_us
        self.speed = speed or 1.0
        self.is_paused = not speed
        self.moves = 0
        """How often the position was set, so that everything has to be told anew."""
        self._monotonic = monotonic
        self._from_us = 0
        self._since_s = monotonic()
        self._played_s = 0.0
        """Until `_since_s`."""
        self._listeners: list[Callable[[], None]] = []

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call `listener` whenever anything but the passing of time changes the position."""
        self._listeners.append(listener)

    @property
    def position_us(self) -> int:
        """Where the replay is now; never beyond the end."""
        if self.is_paused:
            return self._from_us
        passed_us = round((self._monotonic() - self._since_s) * self.speed * 1_000_000)
        return min(self._from_us + passed_us, self.length_us)

    @property
    def played_s(self) -> float:
        """Seconds in which messages could come; they never run backwards.

        Playing counts real seconds, and fewer where it is slower than the recording, because messages
        are further apart then. A pause, a step and a jump count nothing.
        """
        if self.is_paused:
            return self._played_s
        return self._played_s + (self._monotonic() - self._since_s) * min(self.speed, 1.0)

    @property
    def has_ended(self) -> bool:
        """Whether nothing more comes."""
        return self.position_us >= self.length_us

    def wait_s(self, at_us: int) -> float | None:
        """Return how long it takes to come to a moment; None while it does not come closer."""
        if self.is_paused:
            return None
        return max(at_us - self.position_us, 0) / 1_000_000 / self.speed

    def pause(self) -> None:
        """Pause the time."""
        self._set(self.position_us, is_paused=True)

    def resume(self) -> None:
        """Go on; at the end, from the start."""
        if self.has_ended:
            self.move_to(0)
        self._set(self.position_us, is_paused=False)

    def change_speed(self, speed: float) -> None:
        """Go on at another speed, from where it is."""
        here, self._played_s = self.position_us, self.played_s
        self._since_s, self.speed = self._monotonic(), min(max(speed, SLOWEST), FASTEST)
        self._set(here, is_paused=self.is_paused)

    def faster(self) -> None:
        """Choose the next higher speed."""
        self.change_speed(next((s for s in SPEEDS if s > self.speed), FASTEST))

    def slower(self) -> None:
        """Choose the next lower speed."""
        self.change_speed(next((s for s in reversed(SPEEDS) if s < self.speed), SLOWEST))

    def step_to(self, at_us: int) -> None:
        """Pause at a later moment; what lies between is still to be told."""
        self._set(min(max(at_us, self.position_us), self.length_us), is_paused=True)

    def move_to(self, at_us: int) -> None:
        """Jump to a moment, playing or paused as before."""
        self.moves += 1
        self._set(min(max(at_us, 0), self.length_us), is_paused=self.is_paused)

    def _set(self, at_us: int, *, is_paused: bool) -> None:
        self._played_s = self.played_s
        self._from_us, self._since_s, self.is_paused = at_us, self._monotonic(), is_paused
        for listener in self._listeners:
            listener()
