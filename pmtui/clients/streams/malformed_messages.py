"""What a channel sent that nobody understands: counted, told, never fatal."""

from collections import Counter
from collections.abc import Iterable
from typing import Protocol

_NAMED_KINDS = 200
"""Kinds that are told apart; a channel is not trusted to invent only few."""


class Counting(Protocol):
    """A channel's protocol, as far as it counts."""

    @property
    def unknown(self) -> Counter[str]:
        """Messages that were readable and of no use, by kind."""
        ...

    @property
    def bad(self) -> Counter[str]:
        """Messages and frames that could not be read, by kind."""
        ...


def count_kind(counter: Counter[str], kind: str) -> None:
    """Count something under its kind, or under "others" where there are too many kinds."""
    name = kind[:60]
    counter[name if name in counter or len(counter) < _NAMED_KINDS else "others"] += 1


def count_oddities(protocols: Iterable[Counting]) -> dict[str, int]:
    """Return all counts under names fit for a log."""
    counts: Counter[str] = Counter()
    for protocol in protocols:
        for kind, count in protocol.unknown.items():
            counts[f"unknown message {kind!r}"] += count
        for kind, count in protocol.bad.items():
            counts[f"unreadable {kind or 'frame'!r}"] += count
    return dict(counts)
