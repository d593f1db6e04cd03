"""What a key is answered with in words: on the line of messages where a screen has one, else in a toast."""

from typing import Any

from textual.app import App

from pmtui.ui.frame import FrameScreen

_TOAST_S = 4


def show_answer(app: App[Any], text: str, *, is_refusal: bool = False) -> None:
    """Show why a key did nothing, or what it did where nothing else shows it.

    Args:
        app: whose screen in front answers.
        text: one line.
        is_refusal: whether a form or a question did not open: what is typed next may be meant for it.
    """
    line = app.screen.message_line if isinstance(app.screen, FrameScreen) else None
    if line is None:
        app.notify(text, markup=False, timeout=_TOAST_S)
    elif is_refusal:
        line.refuse_form(text)
    else:
        # A line of its own covers nothing.
        line.say(text)
