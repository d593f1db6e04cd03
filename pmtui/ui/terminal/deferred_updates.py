"""On a line that is behind, books and trades are shown when there is room for a picture of them.

Nothing is painted then (`cell_diff`), so working out pictures in between would be for nothing. What keys
act on is caught up with first: a key never meets an older state than on a fast line.
"""

from textual import events
from typing_extensions import override

from pmtui.ui.frame import FrameScreen
from pmtui.ui.terminal.cell_diff import CellDiff

_INPUT = (events.Key, events.Paste, events.MouseDown, events.MouseScrollUp, events.MouseScrollDown)


class LateTelling(CellDiff):
    """An app whose screens wait for the line with what only shows."""

    @property
    def is_line_behind(self) -> bool:
        """Whether a picture waits for room already, so that another one would only replace it."""
        return self._is_held

    @override
    def paint_held(self) -> None:
        was_held = self._is_held
        super().paint_held()
        if was_held and not self._is_held and self.screen_stack:
            screen = self.screen
            if isinstance(screen, FrameScreen):
                # Before the screen is idle, and so before it is painted.
                screen.call_next(screen.catch_up)

    @override
    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, _INPUT) and self.screen_stack:
            screen = self.screen
            if isinstance(screen, FrameScreen):
                screen.catch_up()
        await super().on_event(event)
