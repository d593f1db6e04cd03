"""A driver that writes to a list, so that one process can be both program and terminal."""

from textual.drivers.headless_driver import HeadlessDriver
from typing_extensions import override


class RecordingDriver(HeadlessDriver):
    """Looks like a terminal to the app and keeps every write."""

    @property
    @override
    def is_headless(self) -> bool:
        return False

    @override
    def write(self, data: str) -> None:
        self.frames.append(data)

    @property
    def frames(self) -> list[str]:
        """Everything written so far, one entry for each write."""
        frames: list[str] = self.__dict__.setdefault("_frames", [])
        return frames
