"""What a request brings: a page, a whole list, or a failure and what it allows one to conclude.

A long history is read backwards in windows of time, each short enough for a bounded number of pages.
The trading host says neither in which order its pages are nor whether the moments that bound a
request are included, so a window is read whole or again in smaller ones, and all overlap a little.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Generic, TypeVar

from pmtui.domain.ids import OrderId
from pmtui.domain.money import Micros

T = TypeVar("T")

MAX_PAGES = 500
"""Of one list: a host that names ever new cursors must not keep us for ever."""

Named = frozenset[OrderId] | None
"""The orders that a row names which cannot be read further; None where not even that is sure."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Part of a list; `next_cursor` is None on the last page."""

    items: tuple[T, ...]
    next_cursor: str | None
    skipped: int = 0
    """Rows of the answer that could not be read."""
    total: int | None = None
    """Items of the whole list, where the host says so."""
    unread: tuple[Named, ...] = ()
    """Of the skipped rows, where they are about orders."""


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """A list of all pages, and what it may lack: nothing is ruled out by one that is incomplete."""

    items: tuple[T, ...]
    skipped: int = 0
    """Rows that could not be read."""
    is_whole: bool = True
    """Whether it was read to its end, and not only to a bound."""
    unread: tuple[Named, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether what is not in it is not there."""
        return self.is_whole and not self.skipped

    def may_miss(self, order_ids: frozenset[OrderId]) -> bool:
        """Whether a row that was not read may be about one of some orders."""
        return not self.is_whole or any(n is None or n & order_ids for n in self.unread)


@dataclass(frozen=True, slots=True)
class Value:
    """A wallet's worth in the analytics host's eyes."""

    amount: Micros


@dataclass(frozen=True, slots=True)
class GeoAnswer:
    """What the geographic check says. It is shown as it is and never argued with."""

    is_blocked: bool
    country: str
    region: str


class FailureKind(StrEnum):
    """Why there is no answer."""

    REFUSED = "refused"
    """The venue answered with an error of its own: 4xx with a text."""
    UNREACHABLE = "unreachable"
    """No connection: the request did not leave."""
    LOST = "lost"
    """The connection broke or timed out after the request may have left."""
    SERVER = "server"
    """5xx, or an answer that cannot be read: a page of the edge, an empty or truncated body."""
    BUSY = "busy"
    """429 or 425: come back after `retry_after_s`."""
    NOT_FOUND = "not found"
    CANCELLED = "cancelled"
    """Given up by us before it left."""


NEVER_PROCESSED = frozenset({403, 425, 429})
"""Answered before a request is looked at, whoever answers and in whatever form: the region is
checked before anything else, the engine restarts, there were too many (docs/wire.md#refusals and #rate-limits). Every
other status of a page of somebody in between tells nothing: a 502 or 504 may follow the deed, and
what a 503 stands for nobody has written down."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A request without a usable answer. Texts of the venue are untrusted."""

    kind: FailureKind
    route: str
    """Method and path template, for example `POST /order`; never a query or a secret."""
    text: str
    status: int | None = None
    retry_after_s: float | None = None

    @property
    def may_have_happened(self) -> bool:
        """Whether the venue may have acted on it all the same."""
        is_open = self.kind in (FailureKind.LOST, FailureKind.SERVER)
        return is_open and self.status not in NEVER_PROCESSED

    def __str__(self) -> str:  # type: ignore[explicit-override]  # not in 3.11's library
        """Say it in one line."""
        status = f" ({self.status})" if self.status is not None else ""
        return f"{self.route}: {self.text or self.kind.value}{status}"


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
