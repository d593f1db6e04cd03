"""The key that copies what is under the cursor."""

from pmtui.ui.frame import FrameScreen, show_answer
from pmtui.ui.surface import Surface
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.ticket.paint_confirm import shorten

_LONGEST_SHOWN = 40
"""What is longer is shown by its two ends: a token has 77 digits."""


class CopyKey:
    """Copies to the clipboard of the trader's own machine, and says what was copied."""

    def __init__(self, app: TerminalApp, surface: Surface) -> None:
        self._app = app
        self._surface = surface

    def press(self) -> None:
        """Copy what is under the cursor."""
        screen = self._app.screen
        what, text = screen.to_copy() if isinstance(screen, FrameScreen) else ("", "")
        if text:
            self._app.copy_to_clipboard(text)
        show_answer(self._app, self.words_for(what, text) if text else "Nothing to copy here.")

    def words_for(self, what: str, text: str) -> str:
        """Return what is said of a copied text, or the text itself where there is no clipboard."""
        if not self._app.clipboard_writer.is_there:
            # Whole if there is room, as it can only be selected on the screen.
            ways = f"No clipboard here. The {what}: {text}", f"{what}: {text}"
            return next((said for said in ways if len(said) < self._app.size.width - 1), text)
        shown = text if len(text) <= _LONGEST_SHOWN else shorten(text)
        return f"Copied the {what}: {shown}"
