"""What a channel sent that nobody understands: counted, told, never fatal."""

from collections import Counter
from collections.abc import Iterable
from typing import Protocol


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


def count_oddities(protocols: Iterable[Counting]) -> dict[str, int]:
    """Return all counts under names fit for a log."""
    counts: Counter[str] = Counter()
    for protocol in protocols:
        for kind, count in protocol.unknown.items():
            counts[f"unknown message {kind!r}"] += count
        for kind, count in protocol.bad.items():
            counts[f"unreadable {kind or 'frame'!r}"] += count
    return dict(counts)
