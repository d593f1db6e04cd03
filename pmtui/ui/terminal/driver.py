"""Our driver: Textual's own, but Escape arrives at once and nothing waits for the terminal.

Textual's input thread polls every 100 ms, so an Escape waits that long whatever `ESCDELAY` says,
and an idle program wakes ten times a second. Ours sleeps exactly as long as the parser needs
(`input_reader`).

Textual's output blocks when the terminal does not read, and the whole program with it: on a
connection that broke silently, orders, heartbeats and signals would wait. Ours tells the display
when the connection is behind (`output_throttle`), so that it stops painting; output that still
finds no room is dropped, and everything is repainted once the terminal has caught up.

It uses private names of the pinned Textual; if one is missing, `driver_class()` returns None and
Textual's driver is used.
"""

import os
import re
import select
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from io import StringIO
from queue import Full, Queue
from threading import Event
from typing import Any, TextIO

from textual import constants, events
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.driver import Driver
from textual.drivers._writer_thread import WriterThread
from textual.drivers.linux_driver import LinuxDriver
from typing_extensions import override

from pmtui.ui.terminal.cell_diff import CellDisplay
from pmtui.ui.terminal.desktop_notice import ASK_KIND, is_known_by_name_only, may_be_screen
from pmtui.ui.terminal.hidden_line import ask_hidden_line
from pmtui.ui.terminal.input_reader import InputReader
from pmtui.ui.terminal.output_throttle import OutputThrottle

ROOM_WAIT_S = 0.1
"""How long a frame may wait for a slow line before frames are dropped."""
CHECK_PERIOD_S = 0.25
"""How often a terminal that was too slow is checked."""
LAST_WORDS_S = 1.0
"""How long the terminal may take to read the last bytes."""

LAST_ANSWER_S = 0.3
"""How long to wait at the end for a pending reply, which the shell would take as typed."""

_CHUNK = 8192
"""Bytes that are written at once, whether or not more follows."""
_WIPED = "\x1b[m\x1b[H\x1b[J"
_OURS = "\x1b[?1049h\x1b[?25l"
MUTE = ("", "dumb", "unknown")
PLAIN = ("vt52", "vt100", "vt102", "vt220", "linux")
"""Terminals that print the rest of an unknown sequence."""
_UNKNOWN_THERE = re.compile(r"\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)|\[[<>=][0-9;]*u|\[\?[0-9;]*\$p)")
"""Operating system commands, the keyboard protocol, and mode queries."""


def driver_class() -> type[Driver] | None:
    """Return our driver, or None if Textual's must be used."""
    if constants.DRIVER is not None:
        return None
    has_parser_clock = "_timeout_time" in vars(XTermParser())
    has_input_thread = callable(getattr(LinuxDriver, "_run_input_thread", None))
    has_queue = isinstance(getattr(WriterThread(StringIO()), "_queue", None), Queue)
    return PmtuiDriver if has_parser_clock and has_input_thread and has_queue else None


class PmtuiDriver(LinuxDriver):
    """Delivers input without polling."""

    def __init__(
        self,
        app: App[Any],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        """Accept Textual's arguments; GNU screen gets no mouse."""
        self._takes_mouse_later = mouse and is_known_by_name_only(os.environ)
        # While Screen looks for clicks, it holds an Escape back until another key follows.
        mouse = mouse and not may_be_screen(os.environ)
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._is_stalled = False
        self._attributes: list[Any] | None = None
        self.pace = OutputThrottle(time.monotonic)
        term = os.environ.get("TERM", "")
        self._can_ask = self.input_tty and term not in MUTE
        self.is_plain = term in PLAIN
        """Whether it prints unknown sequences, and has no clipboard."""
        self._file = _Taken(self._file, self.pace)  # type: ignore[assignment, arg-type]  # as much as is used

    @override
    def _get_terminal_size(self) -> tuple[int, int]:
        # Ask the terminal: COLUMNS and LINES are those of the shell's start, so that a resize would
        # be missed, and single keys not disarmed by it.
        with suppress(OSError):
            width, height = os.get_terminal_size(self.fileno)
            if width and height:
                return width, height
        return super()._get_terminal_size()

    # Run between two steps of the program, which may hold a lock that these need.
    @override
    def _sigtstp_application(self, *_: object) -> None:
        self._do_soon(super()._sigtstp_application)

    @override
    def _sigcont_application(self, *_: object) -> None:
        self._do_soon(self._go_on)

    def _do_soon(self, what: Callable[[], object]) -> None:
        # At the very end there is no event loop any more.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(what)

    # SIGCONT also reaches a process that was stopped without giving the terminal back, or hung up.
    # Textual's handler would then start a second reader.
    def _go_on(self) -> None:
        if self._must_signal_resume:
            super()._sigcont_application()
        elif self._writer_thread is not None:
            self._take_again()

    def _take_again(self) -> None:
        if self._attributes is not None:
            with suppress(termios.error):
                termios.tcsetattr(self.fileno, termios.TCSANOW, self._attributes)
        self.write(_OURS)
        self._enable_bracketed_paste()
        self._enable_mouse_support()
        self._disable_line_wrap()
        self._redraw()

    def _display_of_app(self) -> CellDisplay | None:
        display = getattr(self._app, "terminal", None)
        return display if isinstance(display, CellDisplay) else None

    def _redraw(self) -> None:
        display = self._display_of_app()
        if display is not None:
            display.redraw()

    @override
    def start_application_mode(self) -> None:
        if not isinstance(self.exit_event, _WakingEvent):
            self._wake_read, wake_write = os.pipe()
            self.exit_event = _WakingEvent(wake_write)
        self.pace = OutputThrottle(time.monotonic)
        if isinstance(self._file, _Taken):
            self._file.pace = self.pace
        super().start_application_mode()  # type: ignore[no-untyped-call]
        with suppress(termios.error):
            self._attributes = termios.tcgetattr(self.fileno)
        if self._takes_mouse_later:
            self.write(ASK_KIND)
        # Measure the round trip before there is much output.
        if self._can_ask and self._writer_thread is not None:
            self.write(self.pace.question())

    @override
    def stop_application_mode(self) -> None:
        # A console, mosh and Screen may have no alternate screen to leave.
        self.write(_WIPED)
        super().stop_application_mode()

    async def ask_hidden_line(self, prompt: str) -> str | None:
        """Ask for a line that is not shown; only while the application is suspended."""
        output = self.fileno if self._file is None else self._file.fileno()
        return await ask_hidden_line(self.fileno, prompt, output=output)

    def write_picture(self, data: str) -> None:
        """Write a frame, and request a reply once it is shown."""
        self.write(data + self.pace.question() if self._can_ask else data)
        self.pace.painted()

    @override
    def disable_input(self) -> None:
        self.pace.wait_for_answer(LAST_ANSWER_S)
        super().disable_input()

    @override
    def write(self, data: str) -> None:
        """Queue output, or drop it if the terminal does not read."""
        writer = self._writer_thread
        if writer is None or self._is_stalled:
            return
        if self.is_plain:
            data = _UNKNOWN_THERE.sub("", data)
        self.pace.given()
        try:
            # A writer that ended with its terminal takes nothing any more.
            writer._queue.put(data, timeout=ROOM_WAIT_S if writer.is_alive() else 0)
        except Full:
            self._is_stalled = True
            self._loop.call_later(CHECK_PERIOD_S, self._check_reader)

    @override
    def run_input_thread(self) -> None:
        """Feed the parser until the terminal or the program ends."""
        on_another_kind = self._take_mouse_soon if self._takes_mouse_later else None
        reader = InputReader(
            self.fileno, self._wake_read, self.pace, on_another_kind=on_another_kind
        )
        try:
            while not self.exit_event.is_set():
                messages = reader.next_messages()
                if messages is None:
                    self._end_of_input()
                    return
                for message in messages:
                    if isinstance(message, events.CursorPosition):
                        self._receive_answer()
                    else:
                        self.process_message(message)
        finally:
            reader.close()

    def _take_mouse_soon(self) -> None:
        self._do_soon(self._take_mouse)

    def _take_mouse(self) -> None:
        if self._takes_mouse_later and not self.exit_event.is_set():
            self._takes_mouse_later = False
            self._mouse = True
            self._enable_mouse_support()

    def _receive_answer(self) -> None:
        self.pace.answered()
        display = self._display_of_app()
        if display is not None:
            self._loop.call_soon_threadsafe(display.paint_held)

    def _check_reader(self) -> None:
        """Repaint everything once the terminal has read its backlog."""
        writer = self._writer_thread
        if writer is None:
            return
        if writer._queue.empty():
            self._is_stalled = False
            self._redraw()
        else:
            self._loop.call_later(CHECK_PERIOD_S, self._check_reader)

    @override
    def close(self) -> None:
        writer, self._writer_thread = self._writer_thread, None
        if writer is not None:
            # Textual's own would wait for ever. A thread that stays behind is a daemon.
            with suppress(Full):
                writer._queue.put_nowait(None)
            writer.join(LAST_WORDS_S)
        super().close()
        if isinstance(self.exit_event, _WakingEvent):
            os.close(self.exit_event.wake_write)
            os.close(self._wake_read)
            self.exit_event = Event()

    # Without a terminal nobody can press `q`; with piped input that is normal.
    def _end_of_input(self) -> None:
        if self.input_tty:
            self._loop.call_soon_threadsafe(self._app.exit)


class _Taken:
    """The writer thread's file for the terminal, which reports what the kernel has taken.

    It writes to the descriptor itself: a thread blocked in a Python file holds that file's lock,
    for which the end of the process, and any other flush, would wait in vain.
    """

    def __init__(self, file: TextIO, pace: OutputThrottle) -> None:
        self.pace = pace
        self._number = file.fileno()
        self._encoding = file.encoding
        self._errors = file.errors or "strict"
        self._unwritten = bytearray()

    def write(self, text: str) -> int:
        """Buffer a text until the next flush; block if much is buffered."""
        self._unwritten += text.encode(self._encoding, self._errors)
        if len(self._unwritten) >= _CHUNK:
            self._hand_over()
        return len(text)

    def flush(self) -> None:
        """Block until everything is written; called when nothing more is queued."""
        self._hand_over()
        self.pace.taken()

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._number

    def _hand_over(self) -> None:
        unwritten = memoryview(bytes(self._unwritten))
        self._unwritten.clear()
        while unwritten:
            try:
                taken = os.write(self._number, unwritten)
            except BlockingIOError:
                # A process that shares the terminal may have made it non-blocking.
                select.select((), (self._number,), ())
            else:
                unwritten = unwritten[taken:]


class _WakingEvent(Event):
    """An event that also ends a wait on the terminal."""

    def __init__(self, wake_write: int) -> None:
        super().__init__()
        self.wake_write = wake_write

    @override
    def set(self) -> None:
        super().set()
        os.write(self.wake_write, b"x")
