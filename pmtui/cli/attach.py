"""`pmtui attach`: a terminal on the service of a profile, which is started where none runs.

The terminal holds no key, no journal and no connection to the venue. When its line is cut the service
goes on; when the service is gone the terminal says so and starts another.
"""

import asyncio
import gc
import os
import signal
import sys
from contextlib import suppress

from pmtui.cli.heap import give_back, use_one_pool
from pmtui.cli.keys.key_variable import forget_key_variable
from pmtui.cli.keys.passphrase import NoSecret, ask_secret, read_secret
from pmtui.cli.output import ask, show_last, warn
from pmtui.cli.running import CRASHED, run_logged
from pmtui.cli.session_lock import is_session_running
from pmtui.cli.shell_line import stop_service, unlock
from pmtui.cli.terminal import end_past_terminal
from pmtui.cli.terminal_app import Look, make_app, read_keys, read_look, start_log
from pmtui.cli.usage import refuse
from pmtui.config.paths import Paths, locate, open_to_append, private_dir
from pmtui.config.settings import Settings, load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.health import HealthState, Source, SourceHealth
from pmtui.link.attachment import Attachment
from pmtui.link.messages import Refused, Welcome
from pmtui.link.mirror import Mirror
from pmtui.link.mirror_queries import MirrorQueries
from pmtui.link.place import is_somebody_there, socket_path
from pmtui.link.remote_commands import RemoteCommands
from pmtui.service.clock import SystemClock
from pmtui.service.safety.entry_lock import new_kill, write_killed
from pmtui.service.views import Mode, StatusView

TRIES = 3
START_WITHIN_S = 30.0
"""A service reads its settings and its journal before it listens."""
LOOK_PERIOD_S = 0.05
GIVE_BACK_S = 20.0
_RESTARTS_APART_S = 5.0
_ENDED = (signal.SIGHUP, signal.SIGTERM)


def open_attached(profile: str | None, passphrase_fd: int | None) -> int:
    """Run a terminal on the service to its end; returns the exit code.

    Args:
        profile: which one, where the command line names it.
        passphrase_fd: where the keystore's passphrase comes from; None to ask for it.
    """
    try:
        settings = load_settings({"profile": profile})
        keymap = read_keys(settings)
        paths = locate()
        log = start_log(settings, paths)
        look = read_look(settings, paths, keymap)
        terminal = AttachedTerminal(settings, paths, look)
        terminal.prepare(passphrase_fd)
        # The service has it, where it started with it; here nothing needs it.
        forget_key_variable()
        code = asyncio.run(run_logged(terminal.run()))
    except ConfigError as error:
        return refuse(str(error))
    end_past_terminal(code)
    if code == CRASHED:
        warn(f"pmtui: stopped by a bug; details in {log}")
    return code


class AttachedTerminal:
    """One terminal, as long as it is open."""

    def __init__(self, settings: Settings, paths: Paths, look: Look) -> None:
        """Take what the terminal runs with.

        Args:
            settings: what the user wants.
            paths: where the service and its state lie.
            look: keys and themes.
        """
        self._settings = settings
        self._paths = paths
        self._look = look
        self._state = paths.state / settings.profile
        self._place = socket_path(paths.runtime, settings.profile)
        self._clock = SystemClock()
        self._is_first_run = not (self._state / "journal.sqlite").exists()
        self._started_at = float("-inf")
        self._is_leaving = False
        self._service: int | None = None
        """The service that this terminal started last."""

    def prepare(self, passphrase_fd: int | None) -> None:
        """Find or start the service, and unlock it, while the terminal is still an ordinary one.

        Raises:
            ConfigError: there is no way to attach.
        """
        if not is_somebody_there(self._place):
            if is_session_running(self._state):
                text = "a standalone terminal runs this profile; leave it first"
                raise ConfigError(str(self._state), text)
            self._start_service()
            if self._settings.is_paper:
                # Nothing is to be asked: the first picture need not wait.
                return
            self._wait_for_service()
        welcome = asyncio.run(self._greet())
        if isinstance(welcome, Refused):
            self._replace(welcome)
            welcome = asyncio.run(self._greet())
        if isinstance(welcome, Welcome) and welcome.locked:
            self._unlock(welcome.locked, passphrase_fd)

    async def run(self) -> int:
        """Show the terminal until it is left; returns the exit code."""
        use_one_pool()
        mirror = Mirror(self._nothing_yet())
        line = Attachment(self._place, mirror, self._clock, restart=self._restart)
        commands = RemoteCommands(line, mirror, self._clock, lock=self._lock)
        app = make_app(
            self._settings, self._look, queries=MirrorQueries(mirror, self._clock),
            commands=commands, subscriptions=mirror, is_first_run=self._is_first_run,
            is_attached=True,
        )  # fmt: skip
        loop = asyncio.get_running_loop()
        for number in _ENDED:
            loop.add_signal_handler(number, app.exit)
        listening = asyncio.create_task(line.run())
        giving_back = asyncio.create_task(self._give_back_memory())
        gc.collect()
        gc.freeze()
        await app.run_async()
        self._is_leaving = True
        giving_back.cancel()
        if app.stop_policy is not None and app.crash is None:
            await self._stop(line, listening, app.stop_policy)
        await line.close()
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        return 0 if app.crash is None else CRASHED

    async def _stop(self, line: Attachment, listening: "asyncio.Task[None]", policy: str) -> None:
        """End the service with this terminal, and print its last words."""
        problem = await line.stop_service(policy)
        if problem:
            show_last([f"pmtui: the service goes on: {problem}"])
            return
        _ = await asyncio.wait({listening}, timeout=START_WITHIN_S)
        words = line.goodbye.text if line.goodbye is not None else "pmtui: the service has ended"
        show_last(words.splitlines())

    async def _greet(self) -> Welcome | Refused | None:
        line = Attachment(self._place, Mirror(self._nothing_yet()), self._clock, may_trade=False)
        try:
            return await line.connect()
        finally:
            await line.close()

    def _replace(self, refused: Refused) -> None:
        """Offer to start a service of another version anew."""
        text = refused.reason
        if not refused.can_restart:
            raise ConfigError(
                "service", f"{text}; orders or stops depend on it: `pmtui stop` ends it"
            )
        if ask(f"{text[:1].upper()}{text[1:]}. Nothing depends on it: restart it? [Y/n]") not in (
            "", "y", "Y", "yes",
        ):  # fmt: skip
            raise ConfigError("service", f"{text}; `pmtui stop` ends it")
        problem, _ = stop_service(self._place, "")
        if problem:
            raise ConfigError("service", problem)
        self._start_service()
        self._wait_for_service()

    def _unlock(self, owner: str, passphrase_fd: int | None) -> None:
        warn(f"Account {owner}", "An empty passphrase opens READ-ONLY: viewing only, no trading.")
        for left in reversed(range(TRIES if passphrase_fd is None else 1)):
            secret = (
                ask_secret("Passphrase: ") if passphrase_fd is None else read_secret(passphrase_fd)
            )
            if isinstance(secret, NoSecret):
                raise ConfigError("passphrase", secret.text)
            if not secret.reveal():
                return
            warn("Unlocking the keystore …")
            problem = unlock(self._place, secret.reveal())
            if not problem:
                # It starts anew with the key.
                self._wait_for_service()
                return
            if not left:
                raise ConfigError("keystore", problem)
            warn(f"{problem}; {left} {'tries' if left > 1 else 'try'} left")

    def _start_service(self) -> None:
        """Start a service in a session of its own: it does not end with this terminal or its line."""
        self._started_at = self._clock.monotonic()
        log = private_dir(self._paths.state) / "service.log"
        output = open_to_append(log)
        command = [sys.executable, "-m", "pmtui", "serve", "--detached"]
        try:
            self._service = os.posix_spawn(
                sys.executable,
                [*command, "--profile", self._settings.profile],
                os.environ,
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_DUP2, output, 1),
                    (os.POSIX_SPAWN_DUP2, output, 2),
                ],
                setsid=True,
            )
        finally:
            os.close(output)

    def _wait_for_service(self) -> None:
        deadline = self._clock.monotonic() + START_WITHIN_S
        while not is_somebody_there(self._place):
            if self._clock.monotonic() > deadline or self._has_ended():
                raise ConfigError("service", f"it did not start: {self._last_words()}")
            asyncio.run(self._clock.sleep(LOOK_PERIOD_S))

    def _has_ended(self) -> bool:
        """Whether this terminal started a service that is no more."""
        if self._service is None:
            return False
        try:
            ended, _ = os.waitpid(self._service, os.WNOHANG)
        except ChildProcessError:
            # Heard of before.
            return True
        return ended != 0

    def _last_words(self) -> str:
        with suppress(OSError):
            lines = (self._paths.state / "service.log").read_text(errors="replace").splitlines()
            if lines:
                return lines[-1]
        return f"see {self._paths.state / 'service.log'}"

    async def _restart(self) -> None:
        """Start a service in the place of one that is gone, but not again and again."""
        is_recent = self._clock.monotonic() - self._started_at < _RESTARTS_APART_S
        is_starting = self._service is not None and not self._has_ended()
        if self._is_leaving or is_recent or is_starting or is_session_running(self._state):
            return
        # Without the passphrase it is READ-ONLY: the next terminal that attaches is asked for it.
        self._start_service()

    def _lock(self) -> None:
        """Lock entry for the next service: nobody is there to cancel anything."""
        killed = new_kill("the key in a terminal without its service", self._clock.now())
        try:
            write_killed(self._state, killed)
        except OSError as error:
            warn(f"pmtui: NOT locked: {error.strerror or error}")

    def _nothing_yet(self) -> StatusView:
        mode = Mode.PAPER if self._settings.is_paper else Mode.READ_ONLY
        return StatusView(
            profile=self._settings.profile, mode=mode, mode_reason="", cash=None,
            portfolio_value=None, open_orders=0, unknown_orders=0, unread_notices=0,
            health=tuple(SourceHealth(each, HealthState.CONNECTING) for each in Source),
            clock_skew_ms=None, now=self._clock.now(), are_orders_known=False,
        )  # fmt: skip

    async def _give_back_memory(self) -> None:
        while True:
            await self._clock.sleep(GIVE_BACK_S)
            give_back()
