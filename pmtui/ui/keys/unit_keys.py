"""The keys that change how prices and times are written, on every screen at once."""

from textual.app import App

from pmtui.ui.frame import FrameScreen, show_answer
from pmtui.ui.surface import Surface
from pmtui.ui.units import PRICE_NAMES, TIME_NAMES, UNITS, member_of, next_of
from pmtui.ui.widgets.line_pane import LinePane


class UnitKeys:
    """Puts in force what was kept, else what the settings say; and what a key chooses."""

    def __init__(self, app: App[None], surface: Surface) -> None:
        self._app = app
        self._memory = surface.memory
        kept, options = surface.memory.now, surface.options
        UNITS.prices = member_of(options.prices, kept.prices)
        UNITS.times = member_of(options.times, kept.times)

    def switch_prices(self) -> None:
        """Write prices the next way, from now on."""
        UNITS.prices = next_of(UNITS.prices)
        self._memory.keep_prices(UNITS.prices.value)
        self._show(PRICE_NAMES[UNITS.prices])

    def switch_times(self) -> None:
        """Write times by the other clock, from now on."""
        UNITS.times = next_of(UNITS.times)
        self._memory.keep_times(UNITS.times.value)
        self._show(TIME_NAMES[UNITS.times])

    def _show(self, words: str) -> None:
        for screen in self._app.screen_stack:
            if isinstance(screen, FrameScreen):
                # Every topic is announced again; panes that are told nothing new paint by themselves.
                screen.feed.renew()
                for pane in screen.query(LinePane):
                    pane.repaint()
        show_answer(self._app, words)
