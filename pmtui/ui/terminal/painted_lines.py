"""Lets go of lines that were painted for a screen nobody sees any more.

Textual and our tables keep every line as it was painted, some hundred kilobytes a screen. They
are painted again when the screen comes back, which takes a quarter of a frame.

The private name used belongs to the pinned Textual; where it is missing, lines are kept.
"""

from typing import Any, Protocol, runtime_checkable

from textual.screen import Screen
from textual.widget import Widget


@runtime_checkable
class KeepsLines(Protocol):
    """A widget with painted lines of its own."""

    def forget_lines(self) -> None:
        """Let them go; what they show is known still."""
        ...


def drop_lines(screen: Screen[Any]) -> None:
    """Let go of every painted line of a screen."""
    for widget in screen.walk_children(Widget, with_self=True):
        cache = getattr(widget, "_styles_cache", None)
        if cache is not None:
            cache.clear()
        if isinstance(widget, KeepsLines):
            widget.forget_lines()
