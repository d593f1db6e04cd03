"""Drives a replay for the terminal: its position, and the recording's own time."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from typing_extensions import override

from pmtui.recording.timeline import Timeline
from pmtui.service.clock import SystemClock
from pmtui.sim.replay.feed import ReplayFeed
from pmtui.ui.replay.replay_controls import ReplayView

JUMP_S = 30
"""As far as a key jumps."""


class RecordedTime(SystemClock):
    """The time of the recording at the replay's position; waiting is in earnest."""

    def __init__(self, started_ms: int, timeline: Timeline) -> None:
        self._started_ms = started_ms
        self._timeline = timeline

    @override
    def now(self) -> datetime:
        at_us = self._started_ms * 1_000 + self._timeline.position_us
        return datetime.fromtimestamp(at_us / 1_000_000, UTC)

    @override
    def replay_shift(self) -> timedelta:
        return self.now() - super().now()

    @override
    def stream_s(self) -> float:
        return self._timeline.played_s


class Playback:
    """Fulfils the terminal's controls of a replay."""

    def __init__(self, timeline: Timeline, clock: RecordedTime) -> None:
        self._timeline = timeline
        self._clock = clock
        self._feed: ReplayFeed | None = None
        self._rewind: Callable[[datetime], None] = lambda _: None
        self._moves = timeline.moves
        timeline.on_change(self._note_move)

    def begin(self, feed: ReplayFeed, *, rewind: Callable[[datetime], None]) -> None:
        """Begin to play.

        Args:
            feed: knows when the next message comes.
            rewind: is told the recorded moment whenever the replay jumps to it.
        """
        self._feed = feed
        self._rewind = rewind

    def _note_move(self) -> None:
        """Tell of a jump; one forwards has nothing behind it to forget."""
        if self._moves != self._timeline.moves:
            self._moves = self._timeline.moves
            self._rewind(self._clock.now())

    def view(self) -> ReplayView:
        """Return where it is."""
        line = self._timeline
        return ReplayView(
            position_s=line.position_us // 1_000_000,
            length_s=line.length_us // 1_000_000,
            at=self._clock.now(),
            speed=line.speed,
            is_paused=line.is_paused,
            has_ended=line.has_ended,
        )

    def pause(self) -> None:
        """Pause, or go on; at the end, begin again."""
        if self._timeline.is_paused or self._timeline.has_ended:
            self._timeline.resume()
        else:
            self._timeline.pause()

    def step(self) -> None:
        """Pause at the next message."""
        at_us = self._feed.next_at_us if self._feed is not None else None
        if at_us is None:
            self._timeline.pause()
        else:
            self._timeline.step_to(at_us)

    def back(self) -> None:
        """Jump some seconds back."""
        self._timeline.move_to(self._timeline.position_us - JUMP_S * 1_000_000)

    def forward(self) -> None:
        """Jump some seconds forward."""
        self._timeline.move_to(self._timeline.position_us + JUMP_S * 1_000_000)

    def slower(self) -> None:
        """Play at the next lower speed."""
        self._timeline.slower()

    def faster(self) -> None:
        """Play at the next higher speed."""
        self._timeline.faster()
