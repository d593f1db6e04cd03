"""A pane with a drawing that takes milliseconds: made in a thread, cached until it would differ."""

import asyncio
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import NamedTuple

from textual.worker import Worker
from typing_extensions import override

from pmtui.ui.cells import Cell, Line, fit_line
from pmtui.ui.charts.plot import Drawing
from pmtui.ui.format import UNITS
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_pane import LinePane

_SETTLE_S = 3.0
"""The least interval at which a growing series is redrawn; its numbers are never delayed."""


Draw = Callable[[], Drawing]


def _drawn(draw: Draw, tidy_up: Callable[[], object] | None) -> Drawing:
    drawing = draw()
    if tidy_up is not None:
        tidy_up()
    return drawing


class Picture(NamedTuple):
    """The cache key of a drawing. The theme is no part of it: drawings name roles, not colours."""

    subject: Hashable
    """What is drawn."""
    period: Hashable
    """The period drawn."""
    version: Hashable
    """The version of its series."""
    width: int
    height: int
    units: Hashable = None
    """The units of its prices and times."""

    def is_same_frame(self, other: "Picture | None") -> bool:
        """Return whether only the series have grown."""
        return other is not None and self._replace(version=0) == other._replace(version=0)

    def is_same_subject(self, other: "Picture | None") -> bool:
        """Return whether the same subject is drawn, in any period and size."""
        return other is not None and self.subject == other.subject


class DrawnPane(LinePane, can_focus=False):
    """Subclasses return the wanted picture, its drawing, and a text to show without one."""

    DEFAULT_CSS = "DrawnPane { height: 1fr; }"

    _wanted: Picture | None = None
    _drawn: Picture | None = None
    _drawing: Drawing | None = None
    _worker: Worker[None] | None = None
    _has_new_frame: asyncio.Event | None = None
    """Ends the wait between two drawings, so that a change by key is drawn at once."""

    @property
    def is_drawn(self) -> bool:
        """Whether the drawing shown is of the latest series."""
        return self._wanted is not None and self._drawn == self._wanted

    @property
    def is_gathering(self) -> bool:
        """Whether series are still loading, so that redraws are not delayed."""
        return False

    def picture(self, width: int, height: int) -> Picture | None:  # noqa: ARG002 - for subclasses
        """Return what to draw at this size, without the title; None if a text is shown."""
        return None

    def drawing(self, picture: Picture) -> Draw | None:  # noqa: ARG002 - for subclasses
        """Return a function that draws a picture in a thread, with all its inputs."""
        return None

    def words(self, width: int, height: int) -> str:  # noqa: ARG002 - for subclasses
        """Return the text shown in place of a drawing; empty when there is one."""
        return ""

    @override
    def repaint(self) -> None:
        self._want()
        super().repaint()

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        words = self.words(width, height)
        if words:
            return (fit_line((Cell(words, Role.DIM),), width),)
        return self.shown.lines if self.shown is not None else ()

    @property
    def shown(self) -> Drawing | None:
        """The drawing shown: the previous one until the new one is ready, if of the same subject.

        A new one takes milliseconds, in which no text replaces it.
        """
        is_fitting = self._wanted is not None and self._wanted.is_same_subject(self._drawn)
        return self._drawing if is_fitting else None

    def _want(self) -> None:
        width, height = self.size
        rows = height - self.title_rows
        wanted = self.picture(width, rows) if width and rows > 0 else None
        self._wanted = wanted._replace(units=UNITS.key) if wanted is not None else None
        is_idle = self._worker is None or self._worker.is_finished
        if is_idle and self._wanted is not None and not self.is_drawn:
            self._worker = self.run_worker(self._draw(), group="chart")
        elif self._wanted is not None and not self._wanted.is_same_frame(self._drawn):
            self._wake()

    def _wake(self) -> None:
        if self._has_new_frame is not None:
            self._has_new_frame.set()

    async def _draw(self) -> None:
        while (picture := self._wanted) is not None and picture != self._drawn:
            draw = self.drawing(picture)
            if draw is None:
                return
            has_grown = picture.is_same_frame(self._drawn)
            tidy_up = self.app.after_drawing if isinstance(self.app, TerminalApp) else None
            self._drawing = await asyncio.to_thread(_drawn, draw, tidy_up)
            self._drawn = picture
            super().repaint()
            if has_grown and not self.is_gathering:
                self._has_new_frame = asyncio.Event()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._has_new_frame.wait(), _SETTLE_S)
