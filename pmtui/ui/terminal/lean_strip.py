"""A line of Textual that weighs what it shows.

Textual gives each line seven caches for what may be made of it, a kilobyte that is filled for
hardly any: our lines are as wide as their place, are filtered by style, and are kept by the widgets
that painted them. So all of them share one cache that never keeps anything.

The private names used belong to the pinned Textual; in another release its own line is used.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final, cast

from rich.segment import Segment
from textual.cache import FIFOCache
from textual.strip import Strip
from typing_extensions import override

_CACHES: Final = (
    "_divide_cache", "_crop_cache", "_style_cache", "_filter_cache", "_line_length_cache",
    "_crop_extend_cache", "_offsets_cache",
)  # fmt: skip
_REST: Final = ("_segments", "_cell_length", "_render_cache", "_link_ids", "_cell_count")


class _KeepsNothing(FIFOCache[Any, Any]):
    """Takes everything and has nothing."""

    @override
    def __setitem__(self, key: Any, value: Any) -> None:
        pass


_NO_CACHE = _KeepsNothing(0)


class LeanStrip(Strip):
    """A line without caches of its own."""

    __slots__ = ()

    def __init__(self, segments: Iterable[Segment], cell_length: int | None = None) -> None:
        """Take the segments, and how many cells they fill where that is known."""
        self._segments = list(segments)
        self._cell_length = cell_length
        self._divide_cache = self._crop_cache = self._style_cache = _NO_CACHE
        self._filter_cache = self._line_length_cache = _NO_CACHE
        self._crop_extend_cache = self._offsets_cache = _NO_CACHE
        self._render_cache = self._link_ids = self._cell_count = None


def line_maker() -> Callable[..., Strip]:
    """Return what makes a line: ours, where Textual's has the parts that we know."""
    slots = cast("Iterable[str]", getattr(Strip, "__slots__", ()))
    return LeanStrip if set(slots) == {*_CACHES, *_REST} else Strip
