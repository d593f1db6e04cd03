"""Toasts that do not pile up: the same words again stand once, and leave with their screen."""

from typing import Any

from textual.app import App
from textual.notifications import Notify
from textual.screen import Screen


class CalmToasts(App[Any]):
    """An app whose toasts cover no more than they must."""

    _toasts_over: Screen[Any] | None = None
    """The screen, dialogs aside, that was in front last."""

    def on_mount(self) -> None:
        """Learn when another screen comes to the front."""
        self._toasts_over = self.screen
        self.screen_change_signal.subscribe(self, self._leave_toasts_behind, immediate=True)

    def on_notify(self, message: Notify) -> None:
        """Take back what says the same; Textual's own handler shows the new one after this."""
        for told in list(self._notifications):
            if told.message == message.notification.message:
                del self._notifications[told]

    # What a key says together with a change of screens comes after it, and stays.
    def _leave_toasts_behind(self, screen: Screen[Any]) -> None:
        if not screen.is_modal and screen is not self._toasts_over:
            self._toasts_over = screen
            self.clear_notifications()
