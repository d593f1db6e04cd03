"""Full searches for garbage, which stop everything for some frames, wait until nobody presses keys.

Nearly nothing here is garbage of the kind that has to be searched for, but a screen that was closed is.
The interpreter searches whenever enough was made, be it between a key and its answer. So it is left
the young things only, and all is searched at a calm moment, or after a long time without one. What
the program is made of is taken out of it for good, once it is all there.
"""

import asyncio
import gc
from collections.abc import Callable
from typing import Any

from textual import events
from textual.app import App
from typing_extensions import override

CALM_S = 2.0
"""Without a key for so long, the next one will hardly come in the next moment."""
PATIENCE_S = 120.0
"""After so long it is searched, calm or not: a screen is some megabytes."""
LOOK_S = 5.0
_YOUNG, _MIDDLE_AGED = 2_000, 10
_NEVER = 1_000_000
_FEW = 1
"""Searches of the middle-aged since the last full one that are not worth another."""
_KEPT_OUT_BY_PYTHON = gc.get_freeze_count()
"""Python 3.12 starts with some hundred things that are never searched."""


class CalmCollector:
    """Decides when to search."""

    def __init__(self, now: Callable[[], float], search: Callable[[], object]) -> None:
        """Take a clock in seconds, and what searches all."""
        self._now = now
        self._search = search
        self._pressed_at = self._searched_at = now()

    def key_pressed(self) -> None:
        """Note that the trader is at it."""
        self._pressed_at = self._now()

    def look(self, *, is_worth_it: bool) -> bool:
        """Search if this is a moment for it; return whether it was."""
        now = self._now()
        is_calm = now - self._pressed_at >= CALM_S or now - self._searched_at >= PATIENCE_S
        if is_calm and is_worth_it:
            self._search()
            self._searched_at = self._now()
            return True
        return False


class CalmCollection(App[Any]):
    """An app that searches for garbage while nobody presses keys."""

    _collector: CalmCollector | None = None
    _has_settled = False

    def collect_when_calm(self) -> None:
        """Begin, in a program that keeps what it started with out of the search; elsewhere nothing."""
        if gc.get_freeze_count() <= _KEPT_OUT_BY_PYTHON or self._collector is not None:
            return
        gc.set_threshold(_YOUNG, _MIDDLE_AGED, _NEVER)
        self._collector = CalmCollector(asyncio.get_running_loop().time, gc.collect)
        # Whoever calls this is not the app, and a timer lives in the context that it was made in.
        self.call_later(self.set_interval, LOOK_S, self._look_for_calm)

    def _look_for_calm(self) -> None:
        if not self._has_settled:
            # What was kept out while the service was loaded had not been searched by then.
            gc.unfreeze()
        is_worth_it = not self._has_settled or gc.get_count()[2] > _FEW
        if self._collector is not None and self._collector.look(is_worth_it=is_worth_it):
            if not self._has_settled:
                # Later screens would never be searched again, and they come and go.
                gc.freeze()
            self._has_settled = True

    @override
    async def on_event(self, event: events.Event) -> None:
        if self._collector is not None and isinstance(event, events.Key):
            self._collector.key_pressed()
        await super().on_event(event)
