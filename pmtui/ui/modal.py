"""The base of forms, cards and questions: it dims what lies behind, except the prices it is about.

The lines above and below the screen's body stay bright: they tell the health of the sources, and
the keys of what is in front. A line on which the dimming would delay the next key carries none.
"""

from collections.abc import Sequence
from typing import TypeVar

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

    _is_dimming = False

    @on(events.Mount)
    def dim_later(self) -> None:
        """Dim what lies behind once the form itself is shown, if the line has room for that."""

        def dim() -> None:
            app = self.app
            self._is_dimming = not isinstance(app, TerminalApp) or app.terminal.is_brisk
            if self._is_dimming:
                self.refresh()
            elif again := next(waits, None):
                self.set_timer(again, dim)

        waits = iter(_DIM_AGAIN_S)

        if self.app.is_headless:
            dim()
        else:
            self.set_timer(_DIM_AFTER_S, dim)

    @on(events.ScreenResume)
    @on(events.ScreenSuspend)
    def follow_front(self) -> None:
        """Leave the focus to a card in front, and take it back."""
        if self in self.app.screen_stack:
            self.show_focus()

    def show_focus(self) -> None:
        """Show the focus while this form is in front."""
        show_focus(self)

    @override
    def render(self) -> RenderResult:  # type: ignore[override]  # Textual takes a Visual, too
        shown = super().render()
        if not isinstance(shown, BackgroundScreen):
            return shown
        dimmed: tuple[Region, ...] = ()
        bright: tuple[Region, ...] = ()
        if self._is_dimming:
            fronts = tuple(child.region for child in self.children)
            dimmed, bright = _regions_of(shown.screen, fronts)
        return Backdrop(shown.screen, shown.color, dimmed=dimmed, bright=bright)


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
