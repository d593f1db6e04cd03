"""A replay for a front end: its position and its controls."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ReplayView:
    """The state of a replay."""

    position_s: int
    length_s: int
    at: datetime
    """The recorded time."""
    speed: float
    """Recorded seconds per second."""
    is_paused: bool
    has_ended: bool

    @property
    def paused_reason(self) -> str:
        """Why nothing new arrives; empty while it plays."""
        if self.has_ended:
            return "recording ended"
        return "replay paused" if self.is_paused else ""


class ReplayControls(Protocol):
    """Drives a replay."""

    def view(self) -> ReplayView:
        """Return its position, speed and state."""
        ...

    def pause(self) -> None:
        """Pause or resume; at the end, start over."""
        ...

    def step(self) -> None:
        """Pause at the next message."""
        ...

    def back(self) -> None:
        """Jump some seconds back."""
        ...

    def forward(self) -> None:
        """Jump some seconds forward."""
        ...

    def slower(self) -> None:
        """Play at the next lower speed."""
        ...

    def faster(self) -> None:
        """Play at the next higher speed."""
        ...
