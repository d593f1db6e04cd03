"""The application at the terminal: dispatch of input, and output.

All changes to Textual's behaviour are made here and in the modules of this package.
`TerminalApp.on_event` defines the order in which an event is handled; nothing else overrides it.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from rich.console import RenderableType
from textual import events
from textual._styles_cache import StylesCache
from textual.app import App
from textual.driver import Driver
from textual.filter import LineFilter
from textual.notifications import Notify
from textual.screen import Screen
from textual.worker import WorkerFailed
from typing_extensions import override

from pmtui.ui.terminal.ascii_filter import AsciiFilter
from pmtui.ui.terminal.cell_diff import CellDisplay
from pmtui.ui.terminal.desktop_notice import ClipboardWriter
from pmtui.ui.terminal.driver import PmtuiDriver, driver_class
from pmtui.ui.terminal.key_queue import KeyQueue

_LOG = logging.getLogger(__name__)
_ASCII = AsciiFilter()

_INPUT = (events.Key, events.Paste, events.MouseDown, events.MouseScrollUp, events.MouseScrollDown)


class Toasts:
    """Shows each toast once, and clears toasts when another screen opens."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._screen: Screen[Any] | None = None
        """The last screen in front, modals aside."""

    def follow_screens(self) -> None:
        """Subscribe to changes of the screen."""
        app = self._app
        self._screen = app.screen
        app.screen_change_signal.subscribe(app, self._leave_behind, immediate=True)

    def take_back(self, words: str) -> None:
        """Remove the toasts with these words."""
        for shown in list(self._app._notifications):
            if shown.message == words:
                del self._app._notifications[shown]

    # A toast shown together with a change of screens comes after it, and stays.
    def _leave_behind(self, screen: Screen[Any]) -> None:
        forget_closed_screens()
        if not screen.is_modal and screen is not self._screen:
            self._screen = screen
            self._app.clear_notifications()


class HiddenPrompt:
    """Suspends the application and asks for a line without echo, such as a key."""

    def __init__(self, app: "TerminalApp") -> None:
        self._app = app
        self._is_asking = False

    async def ask(self, prompt: str) -> str | None:
        """Ask for a line; the service keeps running. Returns None for no line or no terminal."""
        app, driver = self._app, self._app._driver
        if not isinstance(driver, PmtuiDriver) or not driver.input_tty or self._is_asking:
            return None
        self._is_asking = True
        try:
            with driver.no_automatic_restart():
                app._suspend_signal()
                driver.suspend_application_mode()
                try:
                    return await driver.ask_hidden_line(prompt)
                finally:
                    # An application that was told to exit meanwhile must not resume.
                    if not app._exit:
                        driver.resume_application_mode()
                        app._resume_signal()
                        app.terminal.redraw()
        finally:
            self._is_asking = False


def forget_closed_screens() -> None:
    """Let go of the lines of widgets that are gone.

    Textual remembers the colours of each widget's border by the object that holds all of its drawn
    lines, for a thousand widgets: hopping between markets doubled the terminal's memory.
    """
    clear = getattr(getattr(StylesCache, "get_inner_outer", None), "cache_clear", None)
    if clear is not None:
        clear()


BEAT_S = 0.5
"""How often the application notes that it runs."""


class TerminalApp(App[None]):
    """An application on a slow connection. In multiple inheritance it comes first."""

    QUESTIONS: ClassVar[tuple[type[Screen[Any]], ...]] = ()
    """Screens that a key answers: a repeat of that key is not meant for the screen below."""
    after_drawing: Callable[[], object] | None = None
    """Called after a drawing, in its thread, to free the megabytes that it took."""

    is_ascii = False
    """Whether the terminal shows plain ASCII only."""
    crash: BaseException | None = None
    """The error that ended the application, if any."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Accept the arguments of the other base class."""
        super().__init__(*args, **kwargs)
        self.terminal = CellDisplay(self, on_room=lambda: self.screen.call_next(self.catch_up))
        """Writes frames to the terminal, and knows whether it has room."""
        self.clipboard_writer = ClipboardWriter(self)
        """Copies texts to the clipboard."""
        self.key_queue = KeyQueue(
            self, self._handle_input, questions=self.QUESTIONS, on_settled=self._paint_answer
        )
        """Hands keys on one by one, and knows which of them came late."""
        self._toasts = Toasts(self)
        self.hidden_prompt = HiddenPrompt(self)
        """Asks for secrets."""

    def catch_up(self) -> None:
        """Show updates that waited for the connection; overridden in subclasses."""

    def note_key(self) -> None:
        """Note that a key was pressed; overridden in subclasses."""

    @override
    def get_driver_class(self) -> type[Driver]:
        return driver_class() or super().get_driver_class()

    @override
    def get_line_filters(self) -> Sequence[LineFilter]:
        filters = super().get_line_filters()
        return (*filters, _ASCII) if self.is_ascii else filters

    @override
    async def on_event(self, event: events.Event) -> None:
        """Handle an event, in this order.

        1. If the terminal's content may be lost, it is repainted in full.
        2. Keys and pasted text wait until those before them have been handled (`KeyQueue`).
        3. Deferred updates are applied, so that input never meets an outdated screen.
        4. Textual dispatches the event.
        """
        if isinstance(event, events.Mount):
            self._toasts.follow_screens()
            _ = self.set_interval(BEAT_S, self.terminal.beat)
        elif isinstance(event, events.Resize):
            # A terminal moves its text on a resize, even if it returns to the same size.
            self.terminal.forget()
        elif isinstance(event, events.AppFocus | Driver.SignalResume):
            # While the application was away, another program may have written here.
            self.terminal.redraw()
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            await self.key_queue.take(event)
        else:
            await self._handle_input(event)

    async def _handle_input(self, event: events.Event) -> None:
        if isinstance(event, _INPUT) and self.screen_stack:
            self.catch_up()
            if isinstance(event, events.Key):
                self.note_key()
        await super().on_event(event)

    # Textual's frame timer would paint it one or two frames later.
    def _paint_answer(self) -> None:
        screen = self.screen if self.screen_stack and not self.is_headless else None
        if screen is not None and screen.is_running and screen.is_current and self._running:
            screen._on_timer_update()

    @override
    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if not self.terminal.show(renderable):
            super()._display(screen, renderable)

    @override
    def _suspend_signal(self) -> None:
        self.terminal.forget()
        super()._suspend_signal()

    @override
    def copy_to_clipboard(self, text: str) -> None:
        self.clipboard_writer.copy(text)

    def on_notify(self, message: Notify) -> None:
        """Remove an older toast with the same words; Textual's handler then shows the new one."""
        self._toasts.take_back(message.notification.message)

    @override
    def _fatal_error(self) -> None:
        # Textual would print every local variable of the traceback, and one of them may be a key.
        self._close_messages_no_wait()

    @override
    def _handle_exception(self, error: Exception) -> None:
        if self.crash is None:
            self.crash = error
            # A worker's failure is wrapped; the cause is inside.
            cause = error.error if isinstance(error, WorkerFailed) else error
            _LOG.error("the terminal stopped", exc_info=cause)
        super()._handle_exception(error)
