"""The screens that are not the first picture, and when each is loaded.

Those that every session comes to are loaded in a thread while somebody looks at that picture. The
others are loaded where they are opened, which takes a few milliseconds, and cost nothing until then.
What quitting takes is loaded too: leaving must not depend on files that may be gone.
"""

from importlib import import_module

_SOON = ("pmtui.ui.paint.exit_policy", "pmtui.ui.explore.event", "pmtui.ui.market.market")


def load_later_screens() -> None:
    """Load what every session comes to, so that opening it waits for no import."""
    for name in _SOON:
        _ = import_module(name)
