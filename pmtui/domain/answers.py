"""Results of requests: a page, a whole list, or a failure and what may be concluded from it.

A long history is read backwards in time windows, each short enough for a bounded number of pages.
The trading host documents neither the order of its pages nor whether the bounds of a request are
inclusive, so a window is read completely or again in smaller ones, and all overlap a little.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Generic, TypeVar

from pmtui.domain.ids import OrderId
from pmtui.domain.money import Micros

T = TypeVar("T")

MAX_PAGES = 500
"""Pages of one list: a host that returns new cursors forever must not keep us busy forever."""

Named = frozenset[OrderId] | None
"""The orders that an unreadable row names; None if not even those are certain."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Part of a list; `next_cursor` is None on the last page."""

    items: tuple[T, ...]
    next_cursor: str | None
    skipped: int = 0
    """Rows of the reply that could not be decoded."""
    total: int | None = None
    """Items in the whole list, if the host states it."""
    unread: tuple[Named, ...] = ()
    """Orders named by the skipped rows, if the rows are about orders."""


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """A list read from all pages, with what may be missing: an incomplete one rules nothing out."""

    items: tuple[T, ...]
    skipped: int = 0
    """Rows that could not be decoded."""
    is_whole: bool = True
    """Whether it was read to its end, and not only up to a limit."""
    unread: tuple[Named, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether absence from the list means that an item does not exist."""
        return self.is_whole and not self.skipped

    def may_miss(self, order_ids: frozenset[OrderId]) -> bool:
        """Whether an unreadable row may be about one of some orders."""
        return not self.is_whole or any(n is None or n & order_ids for n in self.unread)


@dataclass(frozen=True, slots=True)
class Value:
    """A wallet's value according to the analytics host."""

    amount: Micros


@dataclass(frozen=True, slots=True)
class GeoAnswer:
    """The result of the geographic check. It is shown as received."""

    is_blocked: bool
    country: str
    region: str


class FailureKind(StrEnum):
    """Why there is no reply."""

    REFUSED = "refused"
    """The venue replied with an error of its own: 4xx with a text."""
    UNREACHABLE = "unreachable"
    """No connection: the request was not sent."""
    LOST = "lost"
    """The connection broke or timed out after the request may have been sent."""
    SERVER = "server"
    """5xx, or an unreadable reply: an error page of the edge, an empty or truncated body."""
    BUSY = "busy"
    """429 or 425: retry after `retry_after_s`."""
    NOT_FOUND = "not found"
    CANCELLED = "cancelled"
    """Cancelled by us before it was sent."""


NEVER_PROCESSED = frozenset({403, 425, 429})
"""Statuses that are sent before a request is processed, whoever sends them and in whatever form: the region
is checked before anything else, the engine restarts, there were too many (docs/wire.md#refusals and
#rate-limits). Every other status from an intermediary proves nothing: a 502 or 504 may follow an executed
request, and the meaning of a 503 is undocumented."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A request without a usable reply. The venue's texts are untrusted."""

    kind: FailureKind
    route: str
    """Method and path template, for example `POST /order`; never a query or a secret."""
    text: str
    status: int | None = None
    retry_after_s: float | None = None

    @property
    def may_have_happened(self) -> bool:
        """Whether the venue may have executed the request all the same."""
        is_open = self.kind in (FailureKind.LOST, FailureKind.SERVER)
        return is_open and self.status not in NEVER_PROCESSED

    def __str__(self) -> str:  # type: ignore[explicit-override]  # not in 3.11's library
        """Return the failure in one line."""
        status = f" ({self.status})" if self.status is not None else ""
        return f"{self.route}: {self.text or self.kind.value}{status}"


BEGAN = datetime(2020, 1, 1, tzinfo=UTC)
"""The earliest time in any history: nobody traded before."""
FIRST = timedelta(days=7)
NARROWEST = timedelta(minutes=1)
OVERLAP = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Window:
    """A time window, requested with its overlap."""

    begin: datetime
    end: datetime

    @property
    def after(self) -> datetime:
        """The oldest moment to request."""
        return self.begin - OVERLAP

    @property
    def before(self) -> datetime:
        """The newest moment to request."""
        return self.end + OVERLAP

    @property
    def is_narrowest(self) -> bool:
        """Whether it cannot be split further."""
        return self.end - self.begin <= NARROWEST


def first_window(end: datetime) -> Window:
    """Return the newest window before a moment."""
    return _window(end, FIRST)


def next_window(window: Window, *, is_whole: bool) -> Window | None:
    """Return the next window to read; None once nothing older is left.

    Args:
        window: the window just read.
        is_whole: whether it was read completely; if not, it is read again in smaller windows, as
            far as possible.
    """
    width = window.end - window.begin
    if not is_whole and not window.is_narrowest:
        return _window(window.end, max(width / 8, NARROWEST))
    return _window(window.begin, width * 2) if window.begin > BEGAN else None


def _window(end: datetime, width: timedelta) -> Window:
    longest = max(end - BEGAN, NARROWEST)
    return Window(end - min(width, longest), end)
