"""An empty app in our themes, to put single widgets on."""

from collections.abc import Iterator

from textual.app import App, ComposeResult
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from pmtui.domain.money import Micros
from pmtui.ui.ladder.ladder import LadderPane
from pmtui.ui.theme.theme import DEFAULT_THEME, role_variables
from pmtui.ui.theme.theme_files import load_themes
from pmtui.ui.widgets.panel import Panel

THEMES = {theme.name: theme for theme in load_themes()[0]}


class Themed(App[None]):
    """An app in our themes."""

    def __init__(self, *, theme: str = DEFAULT_THEME) -> None:
        super().__init__()
        for loaded in THEMES.values():
            self.register_theme(loaded)
        self.theme = theme

    @override
    def get_theme_variable_defaults(self) -> dict[str, str]:
        return role_variables(self.current_theme)


class Stage(Themed):
    """Shows the widgets it is given."""

    def __init__(self, *widgets: Widget, theme: str = DEFAULT_THEME) -> None:
        super().__init__(theme=theme)
        self._widgets = widgets

    @override
    def compose(self) -> ComposeResult:
        yield from self._widgets


def shown_text(widget: Widget) -> list[str]:
    """Return the lines a widget paints."""
    return [strip.text for strip in painted(widget)]


def head_of(widget: Widget) -> str:
    """Return the title a widget has in its frame, else the first line it paints; it may have none."""
    if isinstance(widget.parent, Panel):
        return "".join(cell.text for cell in widget.parent.title_line)
    return next(iter(shown_text(widget)), "")


def painted(widget: Widget) -> Iterator[Strip]:
    """Return the strips a widget paints, which all have to carry a style and fill the width."""
    for y in range(widget.size.height):
        strip = widget.render_line(y)
        assert strip.cell_length == widget.size.width
        assert all(segment.style is not None for segment in strip)
        yield strip


def top_price(pane: LadderPane) -> Micros:
    """Return the price of the first row on show."""
    assert pane.viewport.top is not None
    return pane.axis.price_at(pane.viewport.top)
