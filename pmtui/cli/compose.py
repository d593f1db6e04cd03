"""Puts a session together: settings, key, service, hosts and terminal."""

import asyncio
import gc
import logging
import os
import signal
from contextlib import ExitStack
from pathlib import Path

from textual.theme import Theme

from pmtui.cli.heap import give_back, use_one_pool
from pmtui.cli.keys.unlocking import SessionKey, find_session_key
from pmtui.cli.output import start_logging, warn
from pmtui.cli.paper import begin_practice
from pmtui.cli.session_lock import IN_USE, is_session_running, session_lock
from pmtui.cli.session_service import JOURNAL_FILE, SessionService
from pmtui.cli.terminal import (
    end_past_terminal,
    hand_to_tmux,
    is_ascii_terminal,
    is_without_color,
    print_report,
)
from pmtui.cli.usage import refuse
from pmtui.config.paths import Paths, locate, why_untrusted
from pmtui.config.settings import Settings, load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.orders.heartbeat import ExitReason
from pmtui.service.clock import SystemClock
from pmtui.service.data_service import DataService
from pmtui.ui.app import PmtuiApp
from pmtui.ui.keys.actions import Keymap
from pmtui.ui.keys.keymap import KeyOverride, read_keymap
from pmtui.ui.surface import Options, Surface
from pmtui.ui.terminal.terminal_kind import forget_true_color
from pmtui.ui.theme.theme_files import load_themes
from pmtui.ui.theme.usual_theme import usual_theme

_logger = logging.getLogger(__name__)

CRASHED = 70
GIVE_BACK_S = 20.0
"""What lists and charts needed while they were made is free after this time, and given back."""
_SIGNALS = {signal.SIGHUP: ExitReason.HANG_UP, signal.SIGTERM: ExitReason.TERMINATION}


def open_terminal(profile: str | None, passphrase_fd: int | None, *, is_fresh: bool = False) -> int:
    """Run the terminal to its end; returns the exit code.

    Args:
        profile: which one, where the command line names it.
        passphrase_fd: where the keystore's passphrase comes from; None to ask for it.
        is_fresh: whether paper begins anew with a bare key.
    """
    try:
        settings = load_settings({"profile": profile})
        keymap = _keymap(settings)
        paths = locate()
        if is_fresh:
            _begin_anew(settings, paths)
        key = find_session_key(
            settings, paths.state, passphrase_fd=passphrase_fd, is_for_session=True
        )
        log = _start_log(settings, paths)
        themes = _themes(settings, paths)
        with ExitStack() as stack:
            if settings.is_paper or key.secret is not None:
                stack.enter_context(session_lock(paths.state / settings.profile))
            code = asyncio.run(_run(Session(settings, paths, keymap, key, themes)))
    except ConfigError as error:
        return refuse(str(error))
    end_past_terminal(code)
    if code == CRASHED:
        warn(f"pmtui: stopped by a bug; details in {log}")
    return code


def _begin_anew(settings: Settings, paths: Paths) -> None:
    """Put the paper account aside, and begin one that takes every step by hand.

    Raises:
        ConfigError: it is no paper profile, a terminal runs it, or its directory cannot be moved.
    """
    if not settings.is_paper:
        raise ConfigError("--fresh", "only a paper profile begins anew, with play money")
    state = paths.state / settings.profile
    if is_session_running(state):
        raise ConfigError(str(state), IN_USE)
    stamp = SystemClock().now().strftime("%Y%m%dT%H%M%S")
    try:
        aside = begin_practice(state, stamp)
    except OSError as error:
        raise ConfigError(str(state), error.strerror or str(error)) from None
    if aside is not None:
        warn(f"pmtui: the paper account of before is kept in {aside}")


def _keymap(settings: Settings) -> Keymap:
    overrides = {
        action: KeyOverride(keys=keys, line=settings.line_of_key(action))
        for action, keys in settings.keys.items()
    }
    keymap, problems = read_keymap(overrides)
    if problems:
        raise ConfigError(f"config.toml:{problems[0].line}", problems[0].text)
    return keymap


def _start_log(settings: Settings, paths: Paths) -> Path:
    if reason := why_untrusted(paths.state / settings.profile):
        raise ConfigError(str(paths.state), f"refused: {reason}")
    log = paths.state / "pmtui.log"
    try:
        start_logging(log)
    except OSError as error:
        raise ConfigError(str(log), error.strerror or str(error)) from None
    return log


def _themes(settings: Settings, paths: Paths) -> tuple[tuple[Theme, ...], tuple[str, ...]]:
    """Return the themes to choose from, and what is wrong with others."""
    themes, problems = load_themes(paths.config / "themes")
    for problem in problems:
        _logger.warning("theme: %s", problem)
    names = {theme.name for theme in themes}
    if settings.theme is not None and settings.theme not in names:
        # Most likely it is the very file that could not be read.
        wrong = min(problems, key=lambda p: not p.startswith(f"{settings.theme}."), default="")
        near = f"themes/{wrong}" if wrong else f"try {', '.join(sorted(t.name for t in themes))}"
        raise ConfigError("theme", f"there is no {settings.theme!r}; {near}")
    return themes, problems


async def _run(session: "Session") -> int:
    """Run a session; a bug in it ends in the log, as the screen could show its local variables."""
    running = asyncio.ensure_future(session.run())
    await asyncio.wait({running})
    error = running.exception()
    if error is None or isinstance(error, ConfigError):
        return running.result()
    _logger.error("the session failed", exc_info=error)
    return CRASHED


class Session:
    """One run of the terminal on one profile."""

    def __init__(
        self,
        settings: Settings,
        paths: Paths,
        keymap: Keymap,
        key: SessionKey,
        themes: tuple[tuple[Theme, ...], tuple[str, ...]],
    ) -> None:
        """Take what the session runs with.

        Args:
            settings: what the user wants.
            paths: where configuration and state lie.
            keymap: the user's keys.
            key: what to trade with; the paper profile finds its own.
            themes: those to choose from, and what is wrong with others.
        """
        self._settings = settings
        self._keymap = keymap
        self._themes, self._theme_problems = themes
        self._clock = SystemClock()
        self._is_first_run = not (paths.state / settings.profile / JOURNAL_FILE).exists()
        self._paths = paths
        self._key = key

    async def run(self) -> int:
        """Show the terminal until the trader leaves; returns the exit code."""
        use_one_pool()
        parts = SessionService(self._settings, self._paths, self._key, clock=self._clock)
        service = parts.service
        app = self._make_app(service)
        async with parts.venue, service.running():
            self._leave_on_signals(app, service)
            # What is loaded by now stays until the end: no search for garbage need look at it.
            gc.collect()
            gc.freeze()
            giving_back = asyncio.create_task(self._give_back_memory())
            await app.run_async()
            giving_back.cancel()
            departure = ExitReason.QUIT if app.crash is None else ExitReason.BUG
            report = await service.departing.leave(
                departure, self._settings.leave_policy(departure)
            )
        print_report(report)
        return 0 if app.crash is None else CRASHED

    def _make_app(self, service: DataService) -> PmtuiApp:
        forget_true_color(os.environ)
        is_grey = is_without_color()
        surface = Surface(
            queries=service.queries,
            commands=service.commands,
            subscriptions=service.hub,
            options=Options(
                keymap=self._keymap,
                ascii_only=is_ascii_terminal(),
                ticket=self._settings.ticket.to_rules(),
                flatten_percent=self._settings.flatten_percent,
                presets=self._settings.presets,
                chart_interval=self._settings.chart.interval,
                is_first_run=self._is_first_run,
                theme_problems=self._theme_problems,
            ),
        )
        app = PmtuiApp(
            surface,
            themes=self._themes,
            theme=self._settings.theme or usual_theme(os.environ, is_grey=is_grey),
            on_quit=self._settings.leave_policy(ExitReason.QUIT),
        )
        app.after_drawing = give_back
        if os.environ.get("TMUX"):
            app.clipboard_writer.hand_over = hand_to_tmux
        return app

    def _leave_on_signals(self, app: PmtuiApp, service: DataService) -> None:
        def leave(departure: ExitReason) -> None:
            # At once: giving a terminal back that does not read any more may take for ever.
            service.departing.begin(departure, self._settings.leave_policy(departure))
            app.exit()

        loop = asyncio.get_running_loop()
        for number, departure in _SIGNALS.items():
            loop.add_signal_handler(number, leave, departure)

    async def _give_back_memory(self) -> None:
        while True:
            await self._clock.sleep(GIVE_BACK_S)
            give_back()
