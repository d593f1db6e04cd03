"""Paints what a key changed at once, instead of waiting for the frame timer.

While a feed is painting, Textual's timer can hold the answer to a key for two frames. The
private names used belong to the pinned Textual; where one is missing, the timer paints as usual.
"""

import asyncio
from typing import Any

from textual import events
from textual.app import App
from textual.screen import Screen
from textual.widget import Widget
from typing_extensions import override

_TURNS = 48
"""Turns of the event loop to look for a key's effect: its handler, the refresh and the screen
are each a few turns apart. What takes longer waits for something, and the timer will do."""

_SIGNS = ("_dirty_widgets", "_layout_required", "_scroll_required", "_repaint_required")
"""Of a screen that has something to paint."""


class PaintNow(App[Any]):
    """An app that answers keys without a frame's delay; put it before `App` among the bases."""

    _turns_left = 0

    def paint_now(self, *widgets: Widget) -> None:
        """Paint what is dirty on the current screen, and these widgets, which were refreshed."""
        screen = self.screen if self.screen_stack else None
        if screen is None or not _can_paint(screen):
            return
        if widgets:
            screen._dirty_widgets.update(widget for widget in widgets if widget.screen is screen)
        if _needs_paint(screen):
            screen._on_timer_update()

    @override
    async def on_event(self, event: events.Event) -> None:
        await super().on_event(event)
        if isinstance(event, events.Key) and not self.is_headless and self._running:
            is_idle = self._turns_left == 0
            self._turns_left = _TURNS
            # What acted by now is painted now; the rest is looked for.
            self._paint_if_needed()
            if is_idle:
                asyncio.get_running_loop().call_soon(self._look_for_paint)

    def _look_for_paint(self) -> None:
        self._turns_left -= 1
        if not self._running or self._closed:
            self._turns_left = 0
            return
        self._paint_if_needed()
        if self._turns_left > 0:
            asyncio.get_running_loop().call_soon(self._look_for_paint)

    # Every turn asks, so the usual answer is to be cheap.
    def _paint_if_needed(self) -> None:
        stack = self.screen_stack
        if stack and _needs_paint(stack[-1]):
            self.paint_now()


def _can_paint(screen: Screen[Any]) -> bool:
    return all(hasattr(screen, name) for name in (*_SIGNS, "_on_timer_update")) and bool(
        screen.is_running and screen.is_current
    )


def _needs_paint(screen: Screen[Any]) -> bool:
    return any(getattr(screen, name, False) for name in _SIGNS)
