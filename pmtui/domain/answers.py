"""Shapes that answers of several hosts share."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from pmtui.domain.money import Micros

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Part of a list; `next_cursor` is None on the last page."""

    items: tuple[T, ...]
    next_cursor: str | None
    skipped: int = 0
    """Rows of the answer that could not be read."""
    total: int | None = None
    """Items of the whole list, where the host says so."""


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
