"""A terminal that is attached to its service.

It has no key, no journal and no connection to the venue. When its connection is lost the service
keeps running; when the service is gone the terminal reports that and starts another.
"""

import asyncio
import gc
import signal
import socket

from pmtui.cli.output import show_last
from pmtui.cli.service.starting import START_WITHIN_S, ServiceStarter
from pmtui.cli.session_process import CRASHED, trim_heap_regularly, use_one_malloc_arena
from pmtui.cli.terminal_app import Appearance, make_app
from pmtui.config.terminal_settings import TerminalSettings
from pmtui.link.connection import ServiceConnection
from pmtui.link.messages import Welcome
from pmtui.link.mirror import Mirror, MirrorQueries, nothing_known
from pmtui.link.remote_commands import RemoteCommands
from pmtui.service.clock import SystemClock
from pmtui.service.safety.kill_lock import KillLock, new_kill, write_killed
from pmtui.ui.app import PmtuiApp
from pmtui.ui.frame import show_answer

OLDER_SETTINGS = (
    "The service runs with older settings: `pmtui stop`, then `pmtui`, to use the new ones."
)
_EXIT_SIGNALS = (signal.SIGHUP, signal.SIGTERM)


class AttachedTerminal:
    """One terminal, for as long as it is open."""

    def __init__(
        self,
        settings: TerminalSettings,
        appearance: Appearance,
        starter: ServiceStarter,
        *,
        is_first_run: bool,
        opened: socket.socket | None = None,
    ) -> None:
        """Create a terminal.

        Args:
            settings: the settings that it needs.
            appearance: keys and themes.
            starter: has found or started the service.
            is_first_run: whether nobody has traded on the profile before.
            opened: a connection on which the first views have been requested.
        """
        self._opened = opened
        self._settings = settings
        self._appearance = appearance
        self._starter = starter
        self._is_first_run = is_first_run
        self._clock = SystemClock()
        self._kill_lock = KillLock(self._clock, starter.state)
        self._mirror = Mirror(
            nothing_known(settings.profile, is_paper=settings.is_paper, now=self._clock.now()),
            read_lock=self._read_lock,
        )
        self._is_leaving = False
        self._has_been_welcome = False
        self._has_tried = False
        """Whether a service was started since the last one accepted the terminal."""

    async def run(self) -> int:
        """Show the terminal until it is closed; return the exit code."""
        use_one_malloc_arena()
        mirror = self._mirror
        line = ServiceConnection(
            self._starter.socket_path,
            mirror,
            self._clock,
            restart=self._restart,
            on_welcome=lambda welcome: self._on_welcome(app, line, welcome),
            opened=self._opened,
        )
        commands = RemoteCommands(line, mirror, self._clock, lock=self._lock)
        app = make_app(
            self._settings, self._appearance, queries=MirrorQueries(mirror, self._clock),
            commands=commands, subscriptions=mirror, is_first_run=self._is_first_run,
            process=line,
        )  # fmt: skip
        loop = asyncio.get_running_loop()
        for number in _EXIT_SIGNALS:
            loop.add_signal_handler(number, app.exit)
        listening = line.start()
        trimming = asyncio.create_task(trim_heap_regularly(self._clock))
        gc.freeze()
        gc.enable()
        await app.run_async()
        self._is_leaving = True
        trimming.cancel()
        if app.quit_key.stop_policy is not None and app.crash is None:
            await self._stop(line, listening, app.quit_key.stop_policy)
        await line.close()
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        return 0 if app.crash is None else CRASHED

    async def _stop(
        self, line: ServiceConnection, listening: "asyncio.Task[None]", policy: str
    ) -> None:
        """Stop the service together with this terminal, and print its final report."""
        problem = await line.stop_service(policy)
        if problem:
            show_last([f"pmtui: the service goes on: {problem}"])
            return
        _ = await asyncio.wait({listening}, timeout=START_WITHIN_S)
        words = line.goodbye.text if line.goodbye is not None else "pmtui: the service has ended"
        show_last(words.splitlines())

    def _on_welcome(self, app: PmtuiApp, line: ServiceConnection, welcome: Welcome) -> None:
        """Report a service with older settings, and ask for the passphrase of one that was restarted."""
        is_first, self._has_been_welcome = not self._has_been_welcome, True
        self._has_tried = False
        if welcome.rules != self._settings.rules:
            _ = app.call_later(show_answer, app, OLDER_SETTINGS)
        if is_first:
            # Any question was asked before the screen opened.
            app.unlock_prompt.offer(welcome.locked, line.unlock)
            return
        # In the application's own task, because a screen is opened or closed.
        if welcome.locked:
            _ = app.call_later(app.unlock_prompt.open, welcome.locked, line.unlock)
        else:
            _ = app.call_later(app.unlock_prompt.withdraw)

    async def _restart(self) -> None:
        """Start a service in place of one that is gone; report why none starts."""
        if self._is_leaving:
            return
        problem = await self._starter.restart()
        # The final report of the previous service does not explain why none starts.
        if problem and self._has_tried:
            self._mirror.detach(f"no service: {problem}")
        self._has_tried = True

    def _read_lock(self) -> str:
        """Return why no order may be entered, as the disk says now; empty if orders may."""
        _ = self._kill_lock.refresh()
        return self._kill_lock.reason

    def _lock(self) -> str:
        """Lock entry on the disk, for this service and the next; return why that failed."""
        killed = new_kill("K in the terminal", self._clock.now())
        try:
            write_killed(self._starter.state, killed)
        except OSError as error:
            return error.strerror or str(error)
        return ""
