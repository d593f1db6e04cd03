"""Runs a session in one process: settings, key, service, hosts and terminal."""

import asyncio
import gc
import signal
from contextlib import ExitStack

from pmtui.cli.keys.unlocking import SessionKey, find_session_key
from pmtui.cli.output import show_last, warn
from pmtui.cli.service.session_service import SessionService
from pmtui.cli.service.starting import end_idle_service
from pmtui.cli.session_process import (
    CRASHED,
    run_logged,
    session_lock,
    start_log,
    trim_heap_regularly,
    use_one_malloc_arena,
)
from pmtui.cli.terminal import exit_despite_stuck_output
from pmtui.cli.terminal_app import Appearance, load_appearance, make_app, read_keys
from pmtui.cli.usage import refuse
from pmtui.cli.venue.paper import start_fresh_account
from pmtui.config.paths import JOURNAL_FILE, Paths, locate
from pmtui.config.settings import Settings, load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.orders.exit_policy import ExitReason
from pmtui.link.local_socket import socket_path_of
from pmtui.service.clock import SystemClock
from pmtui.service.data_service import DataService
from pmtui.ui.app import PmtuiApp

_SIGNALS = {signal.SIGHUP: ExitReason.HANG_UP, signal.SIGTERM: ExitReason.TERMINATION}


def open_standalone(
    profile: str | None, passphrase_fd: int | None, *, is_fresh: bool = False
) -> int:
    """Run a terminal with a service of its own to its end; return the exit code.

    Args:
        profile: the profile that the command line names, if it names one.
        passphrase_fd: file descriptor of the keystore's passphrase; None to ask for it.
        is_fresh: whether to start a new paper account with a bare key.
    """
    try:
        settings = load_settings({"profile": profile})
        own = settings.for_terminal()
        paths = locate()
        keymap = read_keys(own, paths)
        if is_fresh:
            warn(*start_fresh_account(settings, paths))
        state = paths.state / settings.profile
        end_idle_service(state, socket_path_of(paths.runtime, settings.profile))
        key = find_session_key(
            settings, paths.state, passphrase_fd=passphrase_fd, is_for_session=True
        )
        log = start_log(settings.profile, paths)
        appearance = load_appearance(own, paths, keymap)
        with ExitStack() as stack:
            if settings.is_paper or key.secret is not None:
                stack.enter_context(session_lock(state))
            code = asyncio.run(run_logged(Session(settings, paths, key, appearance).run()))
    except ConfigError as error:
        return refuse(str(error))
    exit_despite_stuck_output(code)
    if code == CRASHED:
        warn(f"pmtui: stopped by a bug; details in {log}")
    return code


class Session:
    """One run of the terminal on one profile, with its service in the same process."""

    def __init__(
        self, settings: Settings, paths: Paths, key: SessionKey, appearance: Appearance
    ) -> None:
        """Create the session."""
        self._settings = settings
        self._paths = paths
        self._key = key
        self._appearance = appearance
        self._clock = SystemClock()
        self._is_first_run = not (paths.state / settings.profile / JOURNAL_FILE).exists()

    async def run(self) -> int:
        """Show the terminal until the trader quits; return the exit code."""
        use_one_malloc_arena()
        parts = SessionService(self._settings, self._paths, self._key, clock=self._clock)
        service = parts.service
        app = make_app(
            self._settings.for_terminal(), self._appearance, queries=service.queries, commands=service.commands,
            subscriptions=service.hub, is_first_run=self._is_first_run,
        )  # fmt: skip
        async with parts.venue, service.running():
            self._leave_on_signals(app, service)
            # Everything loaded by now stays until the end: the garbage collector need not visit it.
            gc.collect()
            gc.freeze()
            gc.enable()
            trimming = asyncio.create_task(trim_heap_regularly(self._clock))
            await app.run_async()
            trimming.cancel()
            exit_reason = ExitReason.QUIT if app.crash is None else ExitReason.BUG
            report = await service.shutdown.run(
                exit_reason, self._settings.leave_policy(exit_reason)
            )
        show_last(report.lines)
        return 0 if app.crash is None else CRASHED

    def _leave_on_signals(self, app: PmtuiApp, service: DataService) -> None:
        def leave(exit_reason: ExitReason) -> None:
            # At once: restoring a terminal that no longer reads may never finish.
            service.shutdown.start(exit_reason, self._settings.leave_policy(exit_reason))
            app.exit()

        loop = asyncio.get_running_loop()
        for number, exit_reason in _SIGNALS.items():
            loop.add_signal_handler(number, leave, exit_reason)
