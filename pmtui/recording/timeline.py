"""The position of a replay: play at a chosen speed, pause, step or seek, on the recording's own clock.

It runs no tasks. The code that delivers messages asks for the position and for the wait until the next
message, and is notified of every change.
"""

from collections.abc import Callable
from typing import final

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0, 25.0, 60.0, 100.0)
"""The speeds that faster and slower choose from."""
SLOWEST, FASTEST = SPEEDS[0], SPEEDS[-1]


@final
class Timeline:
    """The position within a recording, in microseconds."""

    def __init__(
        self, length_us: int, *, monotonic: Callable[[], float], speed: float = 1.0
    ) -> None:
        """Start playing at the beginning.

        Args:
            length_us: of the recording, in microseconds.
            monotonic: returns seconds that never run backwards.
            speed: recorded seconds per real second; 0 starts paused at speed 1.
        """
        self.length_us = length_us
        self.speed = speed or 1.0
        self.is_paused = not speed
        self.moves = 0
        """How often the position was set; after each, everything has to be sent again."""
        self._monotonic = monotonic
        self._from_us = 0
        self._since_s = monotonic()
        self._played_s = 0.0
        """Seconds played until `_since_s`."""
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
        """Seconds in which messages could arrive; they never run backwards.

        Playing counts real seconds, and fewer at speeds below 1, because messages are further apart
        then. A pause, a step and a jump do not count.
        """
        if self.is_paused:
            return self._played_s
        return self._played_s + (self._monotonic() - self._since_s) * min(self.speed, 1.0)

    @property
    def has_ended(self) -> bool:
        """Whether the replay has reached the end."""
        return self.position_us >= self.length_us

    def wait_s(self, at_us: int) -> float | None:
        """Return the seconds until a moment is reached; None while time does not move towards it."""
        if self.is_paused:
            return None
        return max(at_us - self.position_us, 0) / 1_000_000 / self.speed

    def pause(self) -> None:
        """Pause the replay."""
        self._set(self.position_us, is_paused=True)

    def resume(self) -> None:
        """Resume; at the end, start over."""
        if self.has_ended:
            self.move_to(0)
        self._set(self.position_us, is_paused=False)

    def change_speed(self, speed: float) -> None:
        """Continue from the same position at another speed."""
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
        """Pause at a later position; messages in between are still to be delivered."""
        self._set(min(max(at_us, self.position_us), self.length_us), is_paused=True)

    def move_to(self, at_us: int) -> None:
        """Jump to a position, playing or paused as before."""
        self.moves += 1
        self._set(min(max(at_us, 0), self.length_us), is_paused=self.is_paused)

    def _set(self, at_us: int, *, is_paused: bool) -> None:
        self._played_s = self.played_s
        self._from_us, self._since_s, self.is_paused = at_us, self._monotonic(), is_paused
        for listener in self._listeners:
            listener()
