"""Finds the service of a profile for a terminal, or starts one that outlives it."""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from pmtui.cli.keys.passphrase import NoSecret, ask_secret, read_secret
from pmtui.cli.output import ask, warn
from pmtui.cli.service.shell_line import give_key, greet, stop_service, unlock
from pmtui.cli.session_lock import is_session_running
from pmtui.config.paths import KEYSTORE_FILE, Paths, open_to_append, private_dir
from pmtui.config.settings import Settings
from pmtui.config.toml_file import ConfigError
from pmtui.link.messages import Refused, Welcome
from pmtui.link.place import is_somebody_there, socket_path, why_no_socket
from pmtui.service.clock import SystemClock

TRIES = 3
START_WITHIN_S = 30.0
"""A service reads its settings and its journal before it listens."""
LOOK_PERIOD_S = 0.05
RESTARTS_APART_S = 5.0
STANDALONE = "a standalone terminal runs this profile; leave it first"
KEY_NOT_USED = "pmtui: the key of the environment is not used: the service that runs has one"


class ServiceStarter:
    """The service of one profile, as a terminal finds it."""

    def __init__(self, settings: Settings, paths: Paths) -> None:
        """Look for nothing yet.

        Args:
            settings: of the profile.
            paths: where the service and its state lie.
        """
        self._settings = settings
        self._paths = paths
        self.state = paths.state / settings.profile
        """Of the profile."""
        self.place = socket_path(paths.runtime, settings.profile)
        """Where the service listens."""
        self._clock = SystemClock()
        self._started_at = float("-inf")
        self._service: int | None = None
        """The service that this terminal started last."""

    def prepare(self, passphrase_fd: int | None) -> None:
        """Find or start the service, and unlock it, while the terminal is still an ordinary one.

        Args:
            passphrase_fd: where the keystore's passphrase comes from; None to ask for it.

        Raises:
            ConfigError: there is no way to attach.
        """
        if not is_somebody_there(self.place):
            self._why_not_here()
            self._start()
            if not self._needs_key():
                # Nothing is to be asked: the first picture need not wait.
                return
            self._wait()
        welcome = greet(self.place)
        if isinstance(welcome, Refused):
            self._replace(welcome)
            welcome = greet(self.place)
        if isinstance(welcome, Welcome):
            self._bring_key(welcome, passphrase_fd)

    def take_back(self) -> None:
        """End a service that was started for a terminal which does not come."""
        if self._service is not None and not self._has_ended():
            with suppress(ProcessLookupError):
                os.kill(self._service, signal.SIGTERM)

    async def restart(self) -> str:
        """Start a service in the place of one that is gone, but not again and again.

        Returns why there is none, where that is known.
        """
        is_recent = self._clock.monotonic() - self._started_at < RESTARTS_APART_S
        if is_recent or is_session_running(self.state):
            return ""
        if self._service is not None and not self._has_ended():
            return ""
        words = self._last_words() if self._service is not None else ""
        try:
            # Without the passphrase it is READ-ONLY until it is asked for.
            self._start()
        except OSError as error:
            return error.strerror or str(error)
        return words

    def _why_not_here(self) -> None:
        if is_session_running(self.state):
            raise ConfigError(str(self.state), STANDALONE)
        try:
            reason = why_no_socket(self.place)
        except OSError as error:
            reason = error.strerror or str(error)
        if reason:
            raise ConfigError(str(self.place), f"{reason}; `pmtui --standalone` needs no socket")

    def _needs_key(self) -> bool:
        """Whether the service has a key to open, which it may refuse."""
        if self._settings.is_paper:
            return False
        return self._settings.private_key is not None or (self.state / KEYSTORE_FILE).exists()

    def _bring_key(self, welcome: Welcome, passphrase_fd: int | None) -> None:
        private_key = self._settings.private_key
        if self._settings.is_paper:
            return
        if private_key is None:
            # A keystore may have been made since the service started.
            keystore = self.state / KEYSTORE_FILE
            if welcome.needs_key and keystore.exists():
                self._unlock(welcome.locked or str(keystore), passphrase_fd)
        elif not welcome.needs_key:
            if self._service is None:
                warn(KEY_NOT_USED)
        elif problem := give_key(self.place, private_key.get_secret_value().encode()):
            raise ConfigError("PMTUI_PRIVATE_KEY", problem)
        else:
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
            problem = unlock(self.place, secret.reveal())
            if not problem:
                # It starts anew with the key.
                self._wait()
                return
            if not left:
                raise ConfigError("keystore", problem)
            warn(f"{problem}; {left} {'tries' if left > 1 else 'try'} left")

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
        problem, _ = stop_service(self.place, "")
        if problem:
            raise ConfigError("service", problem)
        self._start()
        self._wait()

    def _start(self) -> None:
        """Start a service in a session of its own: it does not end with this terminal or its line."""
        self._started_at = self._clock.monotonic()
        output = open_to_append(private_dir(self._paths.state) / "service.log")
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

    def _wait(self) -> None:
        deadline = self._clock.monotonic() + START_WITHIN_S
        while not is_somebody_there(self.place):
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
        log = self._paths.state / "service.log"
        with suppress(OSError):
            lines = log.read_text(errors="replace").splitlines()
            if lines:
                return lines[-1]
        return f"see {log}"


def end_idle_service(state: Path, place: Path) -> None:
    """End a service that a terminal left behind and that nobody needs, so that its profile is free.

    Args:
        state: of the profile.
        place: where the service listens, or none does.
    """
    if not is_somebody_there(place):
        return
    problem, _ = stop_service(place, "", is_only_if_idle=True)
    clock, ends_at = SystemClock(), SystemClock().monotonic() + START_WITHIN_S
    while not problem and is_session_running(state) and clock.monotonic() < ends_at:
        asyncio.run(clock.sleep(LOOK_PERIOD_S))
