"""Reading a long history backwards in stretches of time, each short enough for a bound of pages.

The trading host says neither in which order its pages are nor whether the moments that bound a
request are included, so a stretch is read whole or again in smaller ones, and all overlap a little.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

BEGAN = datetime(2020, 1, 1, tzinfo=UTC)
"""Nobody traded before."""
FIRST = timedelta(days=7)
NARROWEST = timedelta(minutes=1)
OVERLAP = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of time, to be asked for with its overlap."""

    begin: datetime
    end: datetime

    @property
    def after(self) -> datetime:
        """The oldest moment to ask for."""
        return self.begin - OVERLAP

    @property
    def before(self) -> datetime:
        """The newest moment to ask for."""
        return self.end + OVERLAP

    @property
    def is_narrowest(self) -> bool:
        """Whether it cannot be read in smaller ones."""
        return self.end - self.begin <= NARROWEST


def first_window(end: datetime) -> Window:
    """Return the newest stretch of what is older than a moment."""
    return _window(end, FIRST)


def next_window(window: Window, *, is_whole: bool) -> Window | None:
    """Return what to read after a stretch; None once nothing is older.

    Args:
        window: what was read.
        is_whole: whether all of it was; else it is read again in smaller ones, as far as can be.
    """
    width = window.end - window.begin
    if not is_whole and not window.is_narrowest:
        return _window(window.end, max(width / 8, NARROWEST))
    return _window(window.begin, width * 2) if window.begin > BEGAN else None


def _window(end: datetime, width: timedelta) -> Window:
    longest = max(end - BEGAN, NARROWEST)
    return Window(end - min(width, longest), end)
