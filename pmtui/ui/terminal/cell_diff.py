"""Writes only the cells that changed, because the terminal is a slow line.

`CellDiff` keeps a shadow of what the terminal shows and compares each frame with it. It overrides
a private method of the pinned Textual; anything it does not know goes the stock way, and the
shadow is dropped, so that the worst case is a repaint and never a wrong screen.

While the line is behind nothing is compared and nothing sent: what the terminal shows stays known,
and the first frame with room brings the newest state, whatever was skipped.
"""

import asyncio
import logging
import os
from typing import Any

from rich.console import RenderableType
from textual import events
from textual._ansi_sequences import SYNC_END, SYNC_START
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.driver import Driver
from textual.geometry import Offset
from textual.screen import Screen
from typing_extensions import override

from pmtui.ui.terminal.output_throttle import LinePace
from pmtui.ui.terminal.screen_buffer import Piece, TerminalShadow

_LOG = logging.getLogger(__name__)

_SURPRISES = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What reading private structures of another release would raise."""

_PATIENCE = 3
"""Surprises after which the stock display stays in use."""

WITHOUT_COLOR = ("vt52", "vt100", "vt102", "vt220", "dumb")
"""Terminals that Textual would send sixteen colours."""
_LOOK_S = 0.02
"""How often a line that is behind is looked at."""


class CellDiff(App[Any]):
    """An app that sends cell differences; put it before `App` among the bases."""

    is_ascii_terminal = False
    """Whether the terminal knows ASCII only: nothing else is sent, whoever painted it."""

    _shadow: TerminalShadow | None = None
    _shadow_driver: Driver | None = None
    _surprises = 0
    _is_held = False
    """Something is to be painted as soon as the line has room."""

    @property
    def line_lag_s(self) -> float:
        """How long a picture and the answer to it are on their way, as far as is known."""
        pace = getattr(self._driver, "pace", None)
        return pace.lag_s() if isinstance(pace, LinePace) else 0.0

    def redraw_terminal(self) -> None:
        """Forget what the terminal should show and paint all of it."""
        self._shadow = None
        if self._running and self.screen_stack:
            self.screen.refresh()

    def paint_held(self) -> None:
        """Paint what was held back, or look again a little later."""
        if not self._is_held or not self._running or self._closed:
            return
        if self._is_line_behind():
            return
        self._is_held = False
        if self.screen_stack:
            self.screen.refresh()

    def _is_line_behind(self) -> bool:
        pace = getattr(self._driver, "pace", None)
        return isinstance(pace, LinePace) and pace.is_behind()

    def _hold(self) -> None:
        if not self._is_held:
            self._is_held = True
            self._look_at_line()

    # An answer wakes us as well; this is for terminals that give none.
    def _look_at_line(self) -> None:
        self.paint_held()
        if self._is_held and self._running and not self._closed:
            asyncio.get_running_loop().call_later(_LOOK_S, self._look_at_line)

    @override
    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Resize):
            # A terminal moves its text about when it is resized, also when it returns to a size.
            self._shadow = None
        elif isinstance(event, events.AppFocus | Driver.SignalResume):
            # While we were away, another program may have written here.
            self.redraw_terminal()
        await super().on_event(event)

    @override
    def _suspend_signal(self) -> None:
        self._shadow = None
        super()._suspend_signal()

    @override
    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        driver = self._driver
        if renderable is None or self._batch_count or not self._running or self._closed:
            super()._display(screen, renderable)
            return
        if driver is None or self.is_headless or driver.is_inline:
            super()._display(screen, renderable)
            return
        if self._surprises < _PATIENCE and isinstance(renderable, ChopsUpdate | LayoutUpdate):
            if self._is_line_behind():
                self._hold()
                return
            try:
                frame = self._encode_frame(driver, renderable)
            except _SURPRISES as error:
                self._surprises += 1
                _LOG.warning("a frame went the stock way: %s", error)
            else:
                self._send_frame(driver, frame)
                self.post_display_hook()
                return
        self._shadow = None
        super()._display(screen, renderable)

    def _encode_frame(self, driver: Driver, renderable: ChopsUpdate | LayoutUpdate) -> str:
        width, height = self.size
        shadow = self._shadow
        if shadow is None or shadow.size != (width, height) or self._shadow_driver is not driver:
            # Dropped until the frame is complete: half a frame is no knowledge.
            # Without colour Textual paints in greys of its own; the terminal's are better.
            is_grey = self.no_color or os.environ.get("TERM", "") in WITHOUT_COLOR
            colors = None if is_grey else self.console._color_system
            shadow = TerminalShadow(width, height, colors, is_ascii=self.is_ascii_terminal)
        self._shadow = None
        frame = shadow.encode(_pieces_of(renderable))
        self._shadow, self._shadow_driver = shadow, driver
        return frame

    def _send_frame(self, driver: Driver, frame: str) -> None:
        cursor = self.screen.outer_size.clamp_offset(self.cursor_position)
        has_moved = cursor != self._previous_cursor_position
        self._previous_cursor_position = cursor
        # The hidden cursor matters to input methods only, which need it at a text field.
        if has_moved or (frame and cursor != Offset(0, 0)):
            frame += f"\x1b[{cursor.y + 1};{cursor.x + 1}H"
        if frame:
            if self._sync_available:
                frame = f"{SYNC_START}{frame}{SYNC_END}"
            write = getattr(driver, "write_picture", driver.write)
            write(frame)
            driver.flush()


def _pieces_of(renderable: ChopsUpdate | LayoutUpdate) -> list[Piece]:
    pieces: list[Piece] = []
    if isinstance(renderable, LayoutUpdate):
        for y, line in enumerate(renderable.strips, renderable.region.y):
            x = renderable.region.x
            for strip in line:
                pieces.append((x, y, strip._segments))
                x += strip.cell_length
        return pieces
    for y, x1, x2 in renderable.spans:
        # A piece between two cuts belongs to one widget and was rendered whole, so it need not
        # be cropped; a piece outside the span may show what lies below another widget.
        for end, (x, chop) in zip(
            renderable.chop_ends[y], renderable.chops[y].items(), strict=False
        ):
            if chop is not None and x < x2 and end > x1:
                pieces.append((x, y, chop._segments))
    return pieces
