"""The base of forms, cards and questions: it dims what lies behind, except the prices it is about.

The lines above and below the screen's body stay bright: they tell the health of the sources, and
the keys of what is in front. A line on which the dimming would delay the next key carries none.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from textual import events, on
from textual.app import RenderResult
from textual.geometry import Region
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen
from typing_extensions import override

from pmtui.ui.frame import FrameScreen
from pmtui.ui.terminal.backdrop import Backdrop
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.widgets.focus import show_focus

ResultT = TypeVar("ResultT")
_PRICES = "#book, SideLadder, #ticket"
"""The selector of ladders and the ticket, which forms and cards are read beside."""
_MOST_COVERED = 1 / 4
"""A ladder that is covered further is dimmed, as it would distract from the form."""
_DIM_AGAIN_S = (0.5, 1.5, 4.0)
"""When a line that had no room is asked again: asking sends nothing, and ends."""
_DIM_AFTER_S = 0.15
"""The frame with the form has been answered by then, on a line that is fast enough."""


class Dimming:
    """Dims what lies behind a screen once that screen is shown, if the line has room for it."""

    def __init__(self, front: Screen[Any], *, parts: str = "") -> None:
        """Dim what lies behind a screen.

        Args:
            front: the screen.
            parts: the selector of what is seen of it; empty for its children.
        """
        self._front = front
        self._parts = parts
        self._is_on = False

    def start(self) -> None:
        """Dim soon; called when the screen is mounted."""

        def dim() -> None:
            app = front.app
            self._is_on = not isinstance(app, TerminalApp) or app.terminal.is_brisk
            if self._is_on:
                front.refresh()
            elif again := next(waits, None):
                front.set_timer(again, dim)

        front, waits = self._front, iter(_DIM_AGAIN_S)
        if front.app.is_headless:
            dim()
        else:
            front.set_timer(_DIM_AFTER_S, dim)

    def over(self, shown: RenderResult) -> RenderResult:
        """Return what to show in the place of Textual's own tinted screen."""
        if not isinstance(shown, BackgroundScreen):
            return shown
        dimmed: tuple[Region, ...] = ()
        bright: tuple[Region, ...] = ()
        if self._is_on:
            front = self._front
            shapes = front.query(self._parts) if self._parts else front.children
            fronts = tuple(shape.region for shape in shapes)
            dimmed, bright = _regions_of(shown.screen, fronts)
        return Backdrop(shown.screen, shown.color, dimmed=dimmed, bright=bright)


class Modal(ModalScreen[ResultT]):
    """A screen in front of another."""

    DEFAULT_CSS = """
    Modal { background: $background 50%; }
    Modal:ansi { background: transparent; }
    /* The focus is in the card in front, as it is over a FrameScreen. */
    Modal.-behind NumberField:focus > .input--cursor {
        background: $surface; color: $foreground; text-style: none;
    }
    Modal.-behind NumberField:focus > .input--selection { background: $surface; }
    """

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self._dimming = Dimming(self)

    @on(events.Mount)
    def dim_later(self) -> None:
        """Dim what lies behind once the form itself is shown."""
        self._dimming.start()

    @on(events.ScreenResume)
    @on(events.ScreenSuspend)
    def follow_front(self) -> None:
        """Leave the focus to a card in front, and take it back."""
        if self in self.app.screen_stack:
            show_focus(self)

    @override
    def render(self) -> RenderResult:  # type: ignore[override]  # Textual takes a Visual, too
        return self._dimming.over(super().render())


def form_below(screen: Screen[Any]) -> Region | None:
    """Return where the form stands over which a card is shown; None if a screen lies below."""
    stack = screen.app.screen_stack
    below = stack[stack.index(screen) - 1] if screen in stack[1:] else None
    frame = next(iter(below.query(".frame")), None) if isinstance(below, Modal) else None
    return None if frame is None else frame.region


def _regions_of(
    below: Screen[object], fronts: Sequence[Region]
) -> tuple[tuple[Region, ...], tuple[Region, ...]]:
    """Return what is dimmed of a screen behind these regions, and what stays bright of that."""
    if not isinstance(below, FrameScreen):
        # The rest is dimmed already.
        return tuple(child.region for child in below.children), ()
    prices = (each.region for each in below.query(_PRICES))
    bright = (r for r in prices if all(_is_beside(front, r) for front in fronts))
    return (below.query_one("#body").region,), tuple(bright)


def _is_beside(front: Region, prices: Region) -> bool:
    """Return whether a form leaves enough of the prices to be read."""
    return front.intersection(prices).area <= prices.area * _MOST_COVERED
