"""Finds the service of a profile for a terminal, or starts one that outlives it."""

import asyncio
import os
import select
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pmtui.cli.keys.secret_input import (
    PAPER_IGNORES_KEY,
    NoSecret,
    ask_secret,
    key_of_environment,
    read_secret,
)
from pmtui.cli.output import ask, warn
from pmtui.cli.service.shell_client import Greeting, NoAnswer, give_key, greet, stop_service, unlock
from pmtui.cli.session_process import is_session_running
from pmtui.config.paths import KEYSTORE_FILE, Paths, is_file_name, open_to_append, private_dir
from pmtui.config.terminal_settings import KEY_VARIABLE, TerminalSettings, settings_in
from pmtui.config.toml_file import ConfigError
from pmtui.link.local_socket import is_somebody_there, socket_path_of, why_no_socket
from pmtui.link.messages import Configure, Configured, Goodbye, Refused, Welcome, unpack_to_terminal
from pmtui.service.clock import Clock, SystemClock
from pmtui.signing.secret import Secret

TRIES = 3
START_WITHIN_S = 30.0
"""A service reads its settings and its journal before it listens."""
ENDS_WITHIN_S = 3.0
"""Seconds for a service to release its profile, after its goodbye to the terminals."""
CHECK_PERIOD_S = 0.05
RESTARTS_APART_S = 5.0
_SETTINGS_FD = 3
NOT_STARTED = "it was not started"
STANDALONE = (
    "a standalone terminal runs this profile, or a command such as `pmtui record`; end it first"
)
KEY_NOT_USED = "pmtui: the key of the environment is not used: the service that runs has one"


def service_command(options: Sequence[str]) -> list[str]:
    """Return the command that starts a service; `-P`: import nothing from the current directory."""
    return [sys.executable, "-P", "-m", "pmtui", "serve", "--detached", *options]


class ServiceStarter:
    """Finds or starts the service of one profile."""

    def __init__(
        self, paths: Paths, profile: str, *, stated: str | None, clock: Clock | None = None
    ) -> None:
        """Prepare to find or start a service.

        Args:
            paths: the directories of the service.
            profile: the selected profile.
            stated: the profile as named on the command line; None if it names none.
            clock: for pauses; None for this machine's.
        """
        self._paths = paths
        self._profile = profile
        self._stated = stated
        self.state = paths.state / profile
        """State directory of the profile."""
        self.socket_path = socket_path_of(paths.runtime, profile)
        """Where the service listens."""
        self._clock = clock or SystemClock()
        self._started_at = float("-inf")
        self._service: int | None = None
        """Process id of the service that this terminal started last."""
        self._settings_pipe: int | None = None
        """Pipe on which that service sends the settings for the terminal."""
        self._greeting: Greeting | None = None
        """Greeting of a service that was already running."""
        self._settings: TerminalSettings | None = None

    def find_or_start(self, *, is_fresh: bool = False) -> None:
        """Find the service, or start one.

        Args:
            is_fresh: whether to start a new paper account with a bare key.

        Raises:
            ConfigError: it is impossible to attach.
        """
        if not is_file_name(self._profile):
            # Such a service refuses to start, and says why.
            self._start()
            return
        found = None if is_fresh else self.find()
        if isinstance(found, NoAnswer):
            raise ConfigError(str(self.socket_path), found.words)
        if isinstance(found, Refused):
            self._replace(found)
        elif found is None:
            if not is_fresh:
                self._why_not_here()
            self._start(is_fresh=is_fresh)
        else:
            self._greeting = found

    def find(self) -> Greeting | Refused | NoAnswer | None:
        """Greet the service; return None if none runs.

        A service that has just said goodbye, or restarts with its key, holds the profile without
        listening: this waits for it.
        """
        ends_at = self._clock.monotonic() + ENDS_WITHIN_S
        while (
            (found := greet(self.socket_path, self._question())) is None
            and is_session_running(self.state)
            and self._clock.monotonic() < ends_at
        ):
            asyncio.run(self._clock.sleep(CHECK_PERIOD_S))
        return found

    def settings(self) -> TerminalSettings:
        """Return the settings that the terminal needs, from the service that reads them.

        Raises:
            ConfigError: they cannot be used, or the service exits before it has read them.
        """
        if self._settings is None:
            configured = (
                self._wait_for_settings() if self._greeting is None else self._greeting.configured
            )
            if configured.settings is None:
                raise ConfigError(configured.place, configured.problem)
            warn(*configured.words)
            self._settings = configured.settings
        return self._settings

    def unlock(self, passphrase_fd: int | None) -> None:
        """Provide the key to a service without one, before the terminal switches to full screen.

        Args:
            passphrase_fd: file descriptor of the keystore's passphrase; None to ask for it.

        Raises:
            ConfigError: the key cannot be used.
        """
        private_key = key_of_environment()
        keystore = self.state / KEYSTORE_FILE
        if private_key is None and not keystore.exists():
            # There is nothing to ask: the first picture need not wait.
            return
        if self.settings().is_paper:
            if private_key is not None:
                warn(f"pmtui: {PAPER_IGNORES_KEY}")
            return
        if self._greeting is None:
            self._wait()
            found = self.find()
            welcome = found.welcome if isinstance(found, Greeting) else None
        else:
            welcome = self._greeting.welcome
        if welcome is not None:
            self._bring_key(welcome, private_key, passphrase_fd)

    def _question(self) -> Configure:
        return Configure(self._stated, str(self._paths.config_file), settings_in(os.environ))

    def _wait_for_settings(self) -> Configured:
        """Wait until the started service has read its settings, which it does first."""
        number, self._settings_pipe = self._settings_pipe, None
        if number is None:
            raise ConfigError("service", NOT_STARTED)
        data, deadline = b"", self._clock.monotonic() + START_WITHIN_S
        with os.fdopen(number, "rb", buffering=0) as told:
            while (left_s := deadline - self._clock.monotonic()) > 0:
                if not select.select([told], [], [], left_s)[0] or not (more := told.read(1 << 16)):
                    break
                data += more
        message = unpack_to_terminal(data)
        if not isinstance(message, Configured):
            raise ConfigError("service", f"it did not start: {self._last_words()}")
        return message

    def take_back(self) -> None:
        """Stop a service that was started for a terminal that does not come."""
        if self._settings_pipe is not None:
            os.close(self._settings_pipe)
            self._settings_pipe = None
        if self._service is None or self._has_ended():
            return
        if is_somebody_there(self.socket_path):
            # Other terminals may have attached to it by now.
            _ = stop_service(self.socket_path, "", is_only_if_idle=True)
            return
        with suppress(ProcessLookupError):
            os.kill(self._service, signal.SIGTERM)

    async def restart(self) -> str:
        """Start a service in place of one that is gone, but not repeatedly.

        Return why there is none, if known.
        """
        is_recent = self._clock.monotonic() - self._started_at < RESTARTS_APART_S
        if is_recent or is_session_running(self.state):
            return ""
        if self._service is not None and not self._has_ended():
            return ""
        words = self._last_words() if self._service is not None else ""
        try:
            # Without the passphrase it is READ-ONLY until one is provided.
            self._spawn(["--profile", self._profile])
        except OSError as error:
            return error.strerror or str(error)
        return words

    def _why_not_here(self) -> None:
        if is_session_running(self.state):
            raise ConfigError(str(self.state), STANDALONE)
        try:
            reason = why_no_socket(self.socket_path)
        except OSError as error:
            reason = error.strerror or str(error)
        if reason:
            raise ConfigError(
                str(self.socket_path), f"{reason}; `pmtui --standalone` needs no socket"
            )

    def _bring_key(
        self, welcome: Welcome, private_key: Secret | None, passphrase_fd: int | None
    ) -> None:
        if private_key is None:
            # A keystore may have been created since the service started.
            if welcome.needs_key:
                owner = welcome.locked or str(self.state / KEYSTORE_FILE)
                self._unlock(owner, passphrase_fd)
        elif not welcome.needs_key:
            if self._service is None:
                warn(KEY_NOT_USED)
        else:
            problem = give_key(self.socket_path, private_key.reveal())
            if problem and not self._has_key_by_now():
                raise ConfigError(KEY_VARIABLE, problem)
            self._wait()

    def _unlock(self, owner: str, passphrase_fd: int | None) -> None:
        if passphrase_fd is None:
            read_only = "An empty passphrase opens READ-ONLY: viewing only, no trading."
            warn(f"Account {owner}", read_only)
        for left in reversed(range(TRIES if passphrase_fd is None else 1)):
            secret = (
                ask_secret("Passphrase: ") if passphrase_fd is None else read_secret(passphrase_fd)
            )
            if isinstance(secret, NoSecret):
                raise ConfigError("passphrase", secret.text)
            if not secret.reveal():
                return
            if passphrase_fd is None:
                warn("Unlocking the keystore …")
            problem = unlock(self.socket_path, secret.reveal())
            if not problem or self._has_key_by_now():
                # It restarts with the key.
                self._wait()
                return
            if not left:
                raise ConfigError("keystore", problem)
            warn(f"{problem}; {left} {'tries' if left > 1 else 'try'} left")

    def _has_key_by_now(self) -> bool:
        """Whether another terminal, opened at the same moment, has provided the key meanwhile."""
        # The service restarts with it, and drops connections at that moment.
        self._wait()
        found = self.find()
        return isinstance(found, Greeting) and not found.welcome.needs_key

    def _replace(self, refused: Refused) -> None:
        """Offer to restart a service of another version."""
        text = refused.reason
        if not refused.version:
            raise ConfigError("service", text)
        if not refused.can_restart:
            raise ConfigError(
                "service", f"{text}; orders or stops depend on it: `pmtui stop` ends it"
            )
        if ask(f"{text[:1].upper()}{text[1:]}. Nothing depends on it: restart it? [Y/n]") not in (
            "", "y", "Y", "yes",
        ):  # fmt: skip
            raise ConfigError("service", f"{text}; `pmtui stop` ends it")
        goodbye = stop_service(self.socket_path, "")
        if isinstance(goodbye, str):
            raise ConfigError("service", goodbye)
        _wait_for_end(self.state, self._clock)
        self._start()

    def _start(self, *, is_fresh: bool = False) -> None:
        """Start a service that sends its settings, with the options of this terminal."""
        reading, writing = os.pipe()
        options = [] if self._stated is None else ["--profile", self._stated]
        if is_fresh:
            options.append("--fresh")
        self._settings_pipe = reading
        try:
            self._spawn([*options, "--settings-fd", str(_SETTINGS_FD)], writing=writing)
        finally:
            os.close(writing)

    def _spawn(self, options: Sequence[str], *, writing: int | None = None) -> None:
        """Start a service in a session of its own: it does not end with this terminal or its connection.

        Args:
            options: of `pmtui serve`.
            writing: its file descriptor 3.
        """
        self._started_at = self._clock.monotonic()
        output = open_to_append(private_dir(self._paths.state) / "service.log")
        actions: list[tuple[int, int, str, int, int] | tuple[int, int, int]] = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, output, 1),
            (os.POSIX_SPAWN_DUP2, output, 2),
        ]
        if writing is not None:
            actions.append((os.POSIX_SPAWN_DUP2, writing, _SETTINGS_FD))
        try:
            self._service = os.posix_spawn(
                sys.executable,
                service_command(options),
                os.environ,
                file_actions=actions,
                setsid=True,
            )
        finally:
            os.close(output)

    def _wait(self) -> None:
        deadline = self._clock.monotonic() + START_WITHIN_S
        while not is_somebody_there(self.socket_path):
            # One that lost the profile to another terminal's service exits; then wait for that one.
            is_nobody_coming = self._has_ended() and not is_session_running(self.state)
            if self._clock.monotonic() > deadline or is_nobody_coming:
                raise ConfigError("service", f"it did not start: {self._last_words()}")
            asyncio.run(self._clock.sleep(CHECK_PERIOD_S))

    def _has_ended(self) -> bool:
        """Whether this terminal started a service that has exited."""
        if self._service is None:
            return False
        try:
            ended, _ = os.waitpid(self._service, os.WNOHANG)
        except ChildProcessError:
            # Already known.
            return True
        return ended != 0

    def _last_words(self) -> str:
        log = self._paths.state / "service.log"
        with suppress(OSError):
            lines = log.read_text(errors="replace").splitlines()
            if lines:
                return lines[-1]
        return f"see {log}"


def end_idle_service(state: Path, socket_path: Path) -> None:
    """Stop a service that a terminal left behind and that nobody needs, to free its profile."""
    if not is_somebody_there(socket_path):
        return
    goodbye = stop_service(socket_path, "", is_only_if_idle=True)
    if isinstance(goodbye, Goodbye):
        _wait_for_end(state, SystemClock())


def _wait_for_end(state: Path, clock: Clock) -> None:
    """Wait until a stopping service has released its profile, with a timeout."""
    ends_at = clock.monotonic() + START_WITHIN_S
    while is_session_running(state) and clock.monotonic() < ends_at:
        asyncio.run(clock.sleep(CHECK_PERIOD_S))
