"""The screens that are not the first picture: loaded in a thread while somebody looks at that one."""

from importlib import import_module

_LATER = (
    "pmtui.ui.paint.leaving",
    "pmtui.ui.screens.account",
    "pmtui.ui.screens.conditionals",
    "pmtui.ui.screens.event",
    "pmtui.ui.screens.market",
    "pmtui.ui.screens.portfolio",
    "pmtui.ui.screens.theme_picker",
    "pmtui.ui.screens.watchlist",
    "pmtui.ui.tour_guide",
)


def load_later_screens() -> None:
    """Load them, so that opening one waits for no import."""
    for name in _LATER:
        _ = import_module(name)
