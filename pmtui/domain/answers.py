"""Shapes that answers of several hosts share."""

from dataclasses import dataclass
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

    def may_lack(self, order_ids: frozenset[OrderId]) -> bool:
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
