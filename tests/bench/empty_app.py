"""The least an app of our toolkit can be: the measure of a cold start."""

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
    EmptyApp().run()
