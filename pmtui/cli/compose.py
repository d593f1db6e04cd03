"""Puts a session together: settings, service, venue and terminal, in the order that shows first."""

import asyncio
import gc
import locale
import logging
import os
import random
import signal
import sys
from contextlib import AsyncExitStack, ExitStack, suppress
from typing import TYPE_CHECKING

import msgspec
from textual.theme import Theme

from pmtui.cli.heap import give_back, use_one_pool
from pmtui.cli.keys.session_key import SessionKey
from pmtui.cli.late_service import LateService
from pmtui.cli.logs import start_logging
from pmtui.cli.paper import VenueProblem, VenueUrls, running_venue, venue_command
from pmtui.cli.session_lock import session_lock
from pmtui.config.endpoints import LIVE, Endpoints
from pmtui.config.errors import ConfigError
from pmtui.config.paths import Paths, locate, open_to_overwrite, why_untrusted
from pmtui.config.settings import Settings
from pmtui.domain.account.exit_policy import Departure
from pmtui.domain.account.key_kind import KeyKind
from pmtui.service.clock import SystemClock
from pmtui.service.profile import Profile
from pmtui.service.views import Mode
from pmtui.sim.admin.admin_token import read_token
from pmtui.ui.app import PmtuiApp
from pmtui.ui.keys.actions import Keymap
from pmtui.ui.keys.keymap import KeyOverride, read_keymap
from pmtui.ui.surface import Options, Surface
from pmtui.ui.terminal.cell_diff import WITHOUT_COLOR
from pmtui.ui.terminal.terminal_kind import forget_true_color
from pmtui.ui.theme.theme_files import load_themes
from pmtui.ui.theme.usual_theme import usual_theme

if TYPE_CHECKING:
    from pmtui.service.data_service import DataService
    from pmtui.service.health import Health
    from pmtui.service.ports import Hosts

_logger = logging.getLogger(__name__)

CRASHED = 70
LONGEST_FIRST_PAINT_S = 2.0
"""A terminal that never paints must not keep the venue waiting."""

GIVE_BACK_S = 20.0
"""What lists and charts needed while they were made is free after this time, and given back."""

_VENUE_GONE = "paper venue ended, quit and start again"
_VENUE_HELP = "The paper venue has ended. Quit and start again: orders and money are kept."
_SIGNALS = {signal.SIGHUP: Departure.HANG_UP, signal.SIGTERM: Departure.TERMINATION}


class Session:
    """One run of the terminal on one profile."""

    def __init__(
        self,
        settings: Settings,
        paths: Paths,
        keymap: Keymap,
        key: SessionKey,
        themes: tuple[Theme, ...],
        theme_problems: tuple[str, ...] = (),
    ) -> None:
        self._settings = settings
        self._themes = themes
        self._theme_problems = theme_problems
        self._key = key
        self._clock = SystemClock()
        self._keymap = keymap
        self._paths = paths
        self._state = paths.state / settings.profile
        self._journal = self._state / "journal.sqlite"
        self._is_first_run = not self._journal.exists()
        self._stack = AsyncExitStack()
        self._is_painted = asyncio.Event()

    async def run(self) -> int:
        """Show the terminal until the trader leaves; returns the exit code."""
        late = LateService(self._profile(), self._clock)
        app = self._app(late)
        self._leave_on_signals(app, late)
        async with self._stack, AsyncExitStack() as services:
            starting = asyncio.create_task(self._start_service(services, app, late))
            # Fails as the program would, and gives the terminal back first.
            starting.add_done_callback(lambda task: _exit_after_failure(app, task))
            await app.run_async()
            await self._end_start(starting)
            if late.service is None:
                return 0 if app.crash is None else CRASHED
            departure = Departure.QUIT if app.crash is None else Departure.BUG
            policy = self._settings.leave_policy(departure)
            report = await late.service.departing.leave(departure, policy)
        from pmtui.cli.exit_report import print_report  # noqa: PLC0415 - loaded by now

        print_report(report)
        return CRASHED if app.crash is not None else 0

    async def _start_service(
        self, services: AsyncExitStack, app: PmtuiApp, late: LateService
    ) -> None:
        """Load the service behind the first picture, start it, and tidy up while it runs."""
        await self._first_paint()
        use_one_pool()
        # Off since the program began (`main`). What was thrown away on the way here makes room for
        # what comes; what is left stays, and is not searched.
        gc.collect()
        gc.freeze()
        gc.enable()
        await asyncio.to_thread(_load_service)
        service = await services.enter_async_context(self._service().running())
        late.begin(service)
        gc.freeze()
        app.begin()
        while True:
            await self._clock.sleep(GIVE_BACK_S)
            give_back()

    @staticmethod
    async def _end_start(starting: "asyncio.Task[None]") -> None:
        starting.cancel()
        await asyncio.wait({starting})
        if not starting.cancelled() and isinstance(starting.exception(), ConfigError):
            await starting

    def _service(self) -> "DataService":
        from pmtui.service.data_service import DataService  # noqa: PLC0415 - loaded in a thread
        from pmtui.service.orders.journal import Journal  # noqa: PLC0415
        from pmtui.service.profile import Tuning  # noqa: PLC0415

        return DataService(
            profile=self._profile(),
            connect=self._connect,
            clock=self._clock,
            journal=Journal(self._journal),
            rng=random.Random(),  # noqa: S311 - spreads retries, keeps no secret
            tuning=Tuning(
                frames_per_second=self._settings.frame_rate,
                post_deadline_s=self._settings.order_deadline_s,
                disarm_after_s=self._settings.disarm_after_s,
                limits=self._settings.limits,
                heartbeat=self._settings.heartbeat,
            ),
            state_dir=self._state,
        )

    def _app(self, late: LateService) -> PmtuiApp:
        forget_true_color(os.environ)
        is_grey = _is_without_color()
        surface = Surface(
            queries=late.queries,
            commands=late.commands,
            subscriptions=late.subscriptions,
            options=Options(
                keymap=self._keymap,
                ascii_only=_is_ascii_terminal(),
                ticket=self._settings.ticket,
                flatten_percent=self._settings.flatten_percent,
                presets=self._settings.presets,
                chart_interval=self._settings.chart_interval,
                is_first_run=self._is_first_run,
                theme_problems=self._theme_problems,
            ),
        )
        app = PmtuiApp(
            surface,
            themes=self._themes,
            theme=self._settings.theme or usual_theme(os.environ, is_grey=is_grey),
            on_quit=self._settings.leave_policy(Departure.QUIT),
            on_first_paint=self._is_painted.set,
        )
        app.after_drawing = give_back
        if os.environ.get("TMUX"):
            from pmtui.cli.tmux import hand_to_tmux  # noqa: PLC0415 - seldom

            app.hand_over = hand_to_tmux
        return app

    def _profile(self) -> Profile:
        name = self._settings.profile
        if self._settings.is_paper:
            return Profile(name, Mode.PAPER)
        if self._key.secret is None:
            return Profile(name, Mode.READ_ONLY, self._key.reason, self._key.remedy)
        return Profile(name, Mode.LIVE)

    async def _connect(self, health: "Health") -> "Hosts | str":
        # In a thread: these imports take a third of a second, and the first keys come now.
        loading = asyncio.create_task(asyncio.to_thread(_load_hosts))
        usual: Endpoints = LIVE
        operator = None
        if self._settings.is_paper:
            command = venue_command(self._state / "venue")
            urls = await self._stack.enter_async_context(
                running_venue(
                    command,
                    self._paths.state / "venue.log",
                    on_end=lambda: health.note_gone(_VENUE_GONE, _VENUE_HELP),
                )
            )
            if isinstance(urls, VenueProblem):
                await loading
                return urls.text
            try:
                operator = (urls.admin, read_token(self._state / "venue"))
                self._publish(urls)
            except OSError as error:
                await loading
                return f"The paper venue's state cannot be used: {error}"
            usual = urls
        await loading
        return self._hosts(self._settings.endpoints(usual), health, operator)

    async def _first_paint(self) -> None:
        """Wait until there is something to look at."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_FIRST_PAINT_S):
                await self._is_painted.wait()

    def _publish(self, urls: VenueUrls) -> None:
        """Say where the running venue is, for whoever wants to look at it from outside."""
        path = self._state / "venue.json"
        with os.fdopen(open_to_overwrite(path), "wb") as file:
            file.write(msgspec.json.encode(urls))
        self._stack.callback(path.unlink, missing_ok=True)

    def _hosts(
        self, endpoints: Endpoints, health: "Health", operator: tuple[str, str] | None
    ) -> "Hosts | str":
        from pmtui.cli.hosts import SessionHosts  # noqa: PLC0415 - loaded by now, in a thread
        from pmtui.cli.paper_account import load_paper_key  # noqa: PLC0415

        secret, kind = self._key.secret, self._key.kind
        try:
            if self._settings.is_paper:
                secret, kind = load_paper_key(self._state), KeyKind.PAPER
        except (OSError, ValueError) as error:
            return f"The key cannot be used: {error}"
        session = SessionHosts(
            endpoints,
            self._settings.dialect,
            health=health,
            clock=self._clock,
            operator=operator,
            order_deadline_s=self._settings.order_deadline_s,
        )
        return session.hosts(secret, self._settings.signature_type, kind=kind)

    def _leave_on_signals(self, app: PmtuiApp, late: LateService) -> None:
        def leave(departure: Departure) -> None:
            # At once: giving a terminal back that does not read any more may take for ever.
            if late.service is not None:
                policy = self._settings.leave_policy(departure)
                late.service.departing.begin(departure, policy)
            app.exit()

        loop = asyncio.get_running_loop()
        for number, departure in _SIGNALS.items():
            loop.add_signal_handler(number, leave, departure)


def run_terminal(settings: Settings, keymap: Keymap, key: SessionKey) -> int:
    """Run the terminal to its end.

    Args:
        settings: what the user wants.
        keymap: the user's keys.
        key: what to trade with; the paper profile finds its own.

    Raises:
        ConfigError: no such theme, the state directory cannot be written, or another terminal
            runs the same account.
    """
    paths = locate()
    if reason := why_untrusted(paths.state / settings.profile):
        raise ConfigError(str(paths.state), f"refused: {reason}")
    log = paths.state / "pmtui.log"
    try:
        start_logging(log)
    except OSError as error:
        raise ConfigError(str(log), error.strerror or str(error)) from None
    themes, problems = _themes(settings, paths)
    with ExitStack() as stack:
        if settings.is_paper or key.secret is not None:
            stack.enter_context(session_lock(paths.state / settings.profile))
        code = asyncio.run(Session(settings, paths, keymap, key, themes, problems).run())
    from pmtui.cli.exit_report import end_past_terminal  # noqa: PLC0415 - loaded by now

    end_past_terminal(code)
    return code


def _themes(settings: Settings, paths: Paths) -> tuple[tuple[Theme, ...], tuple[str, ...]]:
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


def keymap_of(settings: Settings) -> tuple[Keymap, tuple[str, ...]]:
    """Return the user's keys and what is wrong with them, one line each."""
    overrides = {
        action: KeyOverride(keys=setting.keys, line=setting.line)
        for action, setting in settings.keys.items()
    }
    keymap, problems = read_keymap(overrides)
    return keymap, tuple(f"config.toml:{p.line}: {p.text}" for p in problems)


def _exit_after_failure(app: PmtuiApp, task: "asyncio.Task[None]") -> None:
    error = None if task.cancelled() else task.exception()
    if error is None:
        return
    if not isinstance(error, ConfigError):
        app.crash = error
        _logger.error("the service did not start", exc_info=error)
    app.exit()


def _load_service() -> None:
    import pmtui.cli.exit_report  # noqa: PLC0415
    import pmtui.service.data_service  # noqa: F401, PLC0415


def _load_hosts() -> None:
    import pmtui.cli.hosts  # noqa: F401, PLC0415


_PLAIN = ("vt100", "vt102", "vt220", "linux")
"""Terminals without most of our signs; the font of the Linux console has at most 512."""


def _is_without_color() -> bool:
    """Tell, and let the toolkit know, which reads one variable only: else a cursor is a colour."""
    if os.environ.get("TERM", "") in WITHOUT_COLOR:
        os.environ["NO_COLOR"] = "1"
    return bool(os.environ.get("NO_COLOR"))


def _is_ascii_terminal() -> bool:
    encoding = locale.getpreferredencoding(do_setlocale=False).lower().replace("-", "")
    is_plain = os.environ.get("TERM", "") in _PLAIN or _asked_locale() in ("C", "POSIX")
    return is_plain or encoding not in ("utf8", "utf")


def _asked_locale() -> str:
    """Return what the user says the terminal speaks; Python overrules a plain `C` for itself."""
    if everything := os.environ.get("LC_ALL"):
        return everything
    letters = "" if sys.flags.utf8_mode else os.environ.get("LC_CTYPE")
    return letters or os.environ.get("LANG", "")
