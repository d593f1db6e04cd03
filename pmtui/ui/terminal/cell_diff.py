"""Writes only the cells that changed, because the connection to the terminal may be slow.

`CellDisplay` keeps a buffer of what the terminal shows and compares each frame with it. It reads
private structures of the pinned Textual; anything unexpected is left to Textual's own display, and
the buffer is dropped, so that the worst case is a full repaint and never a wrong screen.

While the connection is behind, frames are neither compared nor sent: the buffer stays valid, and
the first frame with room shows the latest state, whatever was skipped.
"""

import asyncio
import logging
import os
from collections.abc import Callable
from typing import Any

from rich.console import RenderableType
from textual._ansi_sequences import SYNC_END, SYNC_START
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.driver import Driver
from textual.geometry import Offset

from pmtui.ui.terminal.output_throttle import OutputThrottle
from pmtui.ui.terminal.screen_buffer import Piece, ScreenBuffer

_LOG = logging.getLogger(__name__)

_SURPRISES = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""Errors from reading the private structures of another release."""

_PATIENCE = 3
"""So many errors turn our display off for good."""

WITHOUT_COLOR = ("vt52", "vt100", "vt102", "vt220", "dumb")
"""Terminals without colour, to which Textual would send sixteen colours."""
_CHECK_PERIOD_S = 0.02
"""How often a connection that is behind is checked."""


class CellDisplay:
    """Shows an application's frames on its terminal."""

    def __init__(self, app: App[Any], *, on_room: Callable[[], object]) -> None:
        """Start without knowing what the terminal shows.

        Args:
            app: the application.
            on_room: called when the connection has room again, before the latest state is painted.
        """
        self._app = app
        self._on_room = on_room
        self._buffer: ScreenBuffer | None = None
        self._buffer_driver: Driver | None = None
        self._surprises = 0
        self._is_held = False

    @property
    def is_behind(self) -> bool:
        """Whether a frame is held back, so that another one would only replace it."""
        return self._is_held

    @property
    def is_known(self) -> bool:
        """Whether the buffer matches the terminal."""
        return self._buffer is not None

    @property
    def is_brisk(self) -> bool:
        """Whether the line carries whole screens at once; so does one that nothing is known of."""
        return self._pace is None or self._pace.is_brisk()

    @property
    def lag_s(self) -> float:
        """The round trip of a frame in seconds, as far as is known."""
        return self._pace.lag_s() if self._pace is not None else 0.0

    @property
    def stood_still_s(self) -> float:
        """For how long the line stood still as of the picture that a key is meant for; else zero."""
        return self._pace.stood_still_s() if self._pace is not None else 0.0

    def beat(self) -> None:
        """Note that the application runs: a key that it reads late was pressed on an old picture."""
        if self._pace is not None:
            self._pace.beat()

    def forget(self) -> None:
        """Drop the buffer: the next frame is written in full."""
        self._buffer = None

    def redraw(self) -> None:
        """Repaint the whole terminal, whatever it shows."""
        self.forget()
        if self._app._running and self._app.screen_stack:
            self._app.screen.refresh()

    def paint_held(self) -> None:
        """Paint the frame held back if the connection has room."""
        app = self._app
        if not self._is_held or not app._running or app._closed or self.has_no_room():
            return
        self._is_held = False
        if app.screen_stack:
            # Before the screen is idle, and so before it is painted.
            self._on_room()
            app.screen.refresh()

    def has_no_room(self) -> bool:
        """Return whether a frame painted now would be outdated before it is seen."""
        return self._pace is not None and self._pace.is_behind()

    @property
    def _pace(self) -> OutputThrottle | None:
        pace = getattr(self._app._driver, "pace", None)
        return pace if isinstance(pace, OutputThrottle) else None

    def _hold(self) -> None:
        if not self._is_held:
            self._is_held = True
            self._check_line()

    # A reply triggers this as well; the timer is for terminals without replies.
    def _check_line(self) -> None:
        self.paint_held()
        if self._is_held and self._app._running and not self._app._closed:
            asyncio.get_running_loop().call_later(_CHECK_PERIOD_S, self._check_line)

    def show(self, renderable: RenderableType | None) -> bool:
        """Write the cells that differ; return False if Textual must display the frame."""
        app = self._app
        driver = app._driver
        if renderable is None or app._batch_count or not app._running or app._closed:
            return False
        if driver is None or app.is_headless or driver.is_inline:
            return False
        if self._surprises < _PATIENCE and isinstance(renderable, ChopsUpdate | LayoutUpdate):
            if self.has_no_room():
                self._hold()
                return True
            try:
                frame = self.encode(driver, renderable)
            except _SURPRISES as error:
                self._surprises += 1
                _LOG.warning("a frame went the stock way: %s", error)
            else:
                self._send(driver, frame)
                app.post_display_hook()
                return True
        self.forget()
        return False

    def encode(self, driver: Driver, renderable: ChopsUpdate | LayoutUpdate) -> str:
        """Return what to write for a frame, and update the buffer."""
        app = self._app
        width, height = app.size
        buffer = self._buffer
        if buffer is None or buffer.size != (width, height) or self._buffer_driver is not driver:
            # The buffer is dropped until the frame is complete: half a frame would make it wrong.
            # Without colour Textual paints its own greys; the terminal's defaults are better.
            is_grey = app.no_color or os.environ.get("TERM", "") in WITHOUT_COLOR
            colors = None if is_grey else app.console._color_system
            buffer = ScreenBuffer(width, height, colors)
        self._buffer = None
        frame = buffer.encode(_pieces_of(renderable))
        self._buffer, self._buffer_driver = buffer, driver
        return frame

    def _send(self, driver: Driver, frame: str) -> None:
        app = self._app
        cursor = app.screen.outer_size.clamp_offset(app.cursor_position)
        has_moved = cursor != app._previous_cursor_position
        app._previous_cursor_position = cursor
        # The hidden cursor matters only to input methods, which need it at a text field.
        if has_moved or (frame and cursor != Offset(0, 0)):
            frame += f"\x1b[{cursor.y + 1};{cursor.x + 1}H"
        if frame:
            if app._sync_available:
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
        # A piece between two cuts belongs to one widget and was rendered whole, so it need not be
        # cropped; a piece outside the span may show what lies below another widget.
        for end, (x, chop) in zip(
            renderable.chop_ends[y], renderable.chops[y].items(), strict=False
        ):
            if chop is not None and x < x2 and end > x1:
                pieces.append((x, y, chop._segments))
    return pieces
