"""What to write so that the terminal shows a notice on the desktop it runs on: OSC 9 or OSC 777."""

import os
from collections.abc import Mapping
from typing import Any

from textual.app import App

from pmtui.domain.notices import DesktopWay
from pmtui.ui.terminal.clipboard import wrap_for_terminal

_ESC = "\x1b"
_TITLE = "pmtui"


class DesktopNotices:
    """Asks the trader's own terminal to show notices, through whatever lies between."""

    def __init__(self, app: App[Any], way: DesktopWay) -> None:
        self._app, self._way = app, way

    def show(self, text: str) -> None:
        """Show one; a plain line without control characters."""
        driver = self._app._driver
        if driver is None or getattr(driver, "is_plain", False):
            return
        sequence = notice_sequence(text, self._way, os.environ)
        if sequence:
            driver.write(sequence)


def notice_sequence(text: str, way: DesktopWay, environ: Mapping[str, str]) -> str:
    """Return the sequence that shows a notice; empty where none is wished.

    Args:
        text: what to show, a plain line.
        way: which sequence the terminal knows.
        environ: what tells of the terminal.
    """
    # A semicolon would end the title of one, and begin the progress bar of the other.
    words = text.replace(";", ",")
    match way:
        case DesktopWay.OFF:
            return ""
        case DesktopWay.OSC_9:
            return wrap_for_terminal(f"{_ESC}]9;{_TITLE}: {words}\a", environ)
        case DesktopWay.OSC_777:
            return wrap_for_terminal(f"{_ESC}]777;notify;{_TITLE};{words}\a", environ)
