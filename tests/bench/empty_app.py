"""The least an app of Textual can be: the measure of a cold start.

Modules that are named on its command line are imported before it starts.
"""

import sys
from importlib import import_module

from textual.app import App, ComposeResult
from textual.widgets import Static
from typing_extensions import override

SIGN = "EMPTY"


class EmptyApp(App[None]):
    """Shows one word."""

    @override
    def compose(self) -> ComposeResult:
        yield Static(SIGN)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        _ = import_module(name)
    EmptyApp().run()
