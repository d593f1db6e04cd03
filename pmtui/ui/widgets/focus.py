"""The focus as it is shown: behind a form the widget that has it gets no keys, and looks so."""

from typing import Any

from textual.screen import Screen
from textual.widget import Widget

from pmtui.ui.widgets.panel import Panel


def shows_focus(widget: Widget) -> bool:
    """Return whether a mounted widget has the focus on the screen in front."""
    return widget.has_focus and widget.app.screen is widget.screen


def show_focus(screen: Screen[Any]) -> None:
    """Show the focus on a screen in front; behind a form only the form shows one."""
    is_behind = screen.app.screen is not screen
    if is_behind == screen.has_class("-behind"):
        return
    # Only the focused widget looks different: the others need no new styles.
    screen.set_class(is_behind, "-behind", update=False)
    if screen.focused is not None:
        screen.focused.update_node_styles(animate=False)
        screen.focused.refresh()
    for panel in screen.query(Panel):
        if panel.has_focus_within:
            panel.refresh()
