"""The service of a profile as a process that terminals attach to.

It stops on SIGTERM, SIGINT or SIGHUP, or at the request of a terminal or `pmtui stop`, and applies the
chosen policy to open orders. Without a passphrase it runs READ-ONLY until a terminal provides one; then
the service restarts within the same process, and terminals reconnect automatically.
"""

import asyncio
import gc
import resource
import signal
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from pmtui.cli.keys.unlocking import SessionKey, find_session_key, open_keystore, take_key
from pmtui.cli.output import show
from pmtui.cli.service.session_service import SessionService
from pmtui.cli.session_process import (
    run_logged,
    session_lock,
    start_log,
    trim_heap,
    use_one_malloc_arena,
)
from pmtui.config.paths import Paths
from pmtui.config.settings import DetachPolicy, Settings, load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.orders.exit_policy import ExitPolicy, ExitReason
from pmtui.domain.orders.heartbeat import HeartbeatPolicy
from pmtui.link.local_socket import KeptSocket, is_somebody_there, socket_path_of, why_no_socket
from pmtui.link.messages import Configure, Configured, Unlock
from pmtui.link.server import HostProcess, LinkServer
from pmtui.service.clock import SystemClock
from pmtui.service.data_service import DataService
from pmtui.service.log import Log
from pmtui.service.views import Level
from pmtui.signing.secret import Secret

CHECK_PERIOD_S = 1.0
DETACHED_AFTER_S = 5.0
"""A terminal whose line was cut comes back sooner than this."""
CONFIGURE_WITHIN_S = 3.0
"""How long the settings may take to be read from the disk."""
TRIM_EVERY = 20
"""Checks after which freed memory is returned to the system."""
FILL_SEARCH_EVERY = 60
"""Checks after which markets for the search are requested again, if a host did not return them."""
_SIGNALS = {
    signal.SIGHUP: ExitReason.HANG_UP,
    signal.SIGTERM: ExitReason.TERMINATION,
    signal.SIGINT: ExitReason.QUIT,
}
_PAGE_BYTES = resource.getpagesize()


def serve(settings: Settings, paths: Paths, *, passphrase_fd: int | None, is_detached: bool) -> int:
    """Run the service of a profile to its end; return the exit code.

    Args:
        settings: the user's settings.
        paths: its directories.
        passphrase_fd: file descriptor of the keystore's passphrase; None to run READ-ONLY without
            it.
        is_detached: whether a terminal started it.

    Raises:
        ConfigError: the service cannot run with this configuration.
    """
    socket_path = socket_path_of(paths.runtime, settings.profile)
    with ExitStack() as stack:
        stack.enter_context(session_lock(paths.state / settings.profile))
        key = find_session_key(settings, paths.state, passphrase_fd=passphrase_fd, may_ask=False)
        if reason := why_nobody_may_listen(socket_path):
            raise ConfigError(str(socket_path), reason)
        start_log(settings.profile, paths)
        serving = ProfileService(settings, paths, key, socket_path, is_detached=is_detached)
        return asyncio.run(run_logged(serving.run()))


def why_nobody_may_listen(socket_path: Path) -> str:
    """Return why the service cannot listen at a path, or "" if it can."""
    try:
        reason = why_no_socket(socket_path)
    except OSError as error:
        return error.strerror or str(error)
    if not reason and is_somebody_there(socket_path):
        reason = "the service of another state directory listens here; set another PMTUI_HOME or XDG_RUNTIME_DIR"
    return reason


@dataclass(frozen=True, slots=True)
class ServiceEnd:
    """Why the service stops, and what happens to open orders."""

    reason: ExitReason
    policy: ExitPolicy


class ProfileService:
    """One process that serves a profile."""

    def __init__(
        self,
        settings: Settings,
        paths: Paths,
        key: SessionKey,
        socket_path: Path,
        *,
        is_detached: bool,
    ) -> None:
        """Create the process.

        Args:
            settings: the user's settings.
            paths: its directories.
            key: the key to trade with.
            socket_path: where it listens.
            is_detached: whether a terminal started it: then it prints nothing, and stops when idle.
        """
        self._settings = settings
        self._paths = paths
        self._key = key
        self._socket_path = socket_path
        self._is_detached = is_detached
        self._clock = SystemClock()
        self._ending: ServiceEnd | None = None
        self._changed = asyncio.Event()
        self._opened: SessionKey | None = None
        """An unlocked key, with which the service restarts."""

    async def run(self) -> int:
        """Serve until asked to stop; return the exit code."""
        use_one_malloc_arena()
        loop = asyncio.get_running_loop()
        for number, reason in _SIGNALS.items():
            loop.add_signal_handler(number, self._end, reason)
        while self._ending is None:
            await self._run_once()
        return 0

    async def _run_once(self) -> None:
        self._changed.clear()
        self._key, self._opened = self._opened or self._key, None
        parts = SessionService(self._settings, self._paths, self._key, clock=self._clock)
        service = parts.service
        async with parts.venue, service.running():
            server = LinkServer(service, self._host_process())
            kept = KeptSocket(self._socket_path, server.listen)
            if not self._is_detached:
                show(f"Serving profile {self._settings.profile}; `pmtui` opens a terminal.")
            gc.collect()
            gc.freeze()
            watching = asyncio.create_task(self._watch(server, kept, service))
            try:
                await self._changed.wait()
                watching.cancel()
                await self._disconnect_terminals(server, service)
            finally:
                kept.remove()

    async def _disconnect_terminals(self, server: LinkServer, service: DataService) -> None:
        """Disconnect the terminals once the exit policy for open orders is carried out."""
        if (ending := self._ending) is None:
            await server.close("unlocked", is_back_soon=True)
            return
        report = await service.shutdown.run(ending.reason, ending.policy)
        lines = report.lines
        await server.close(
            "\n".join(lines) or "pmtui: the service has ended",
            are_orders_left=report.are_orders_left,
        )
        if not self._is_detached:
            show(*lines)

    def _host_process(self) -> HostProcess:
        return HostProcess(
            profile=self._settings.profile,
            now=self._clock.now,
            memory_bytes=resident_bytes,
            unlock=self._unlock,
            stop=self._stop,
            configure=configure,
            locked=self._key.locked,
            needs_key=not self._settings.is_paper and self._key.secret is None,
            rules=self._settings.rules_digest(),
            may_idle=self._is_detached,
        )

    async def _unlock(self, given: Unlock) -> str:
        if self._settings.is_paper or self._key.secret is not None:
            return "nothing is locked"
        if given.is_key:
            opened = take_key(self._settings, self._paths.state, Secret(given.secret))
            return self._start_anew(opened)
        # Deriving the key takes a second; the views need not wait for it.
        return self._start_anew(
            await asyncio.to_thread(
                open_keystore, self._settings, self._paths.state, Secret(given.secret)
            )
        )

    def _start_anew(self, found: SessionKey | str) -> str:
        """Restart the service with its key; return why there is none, or "" on success."""
        if isinstance(found, str):
            return found
        if self._key.secret is not None or self._opened is not None:
            # Another terminal provided it while this one's passphrase was tried.
            return ""
        self._opened = found
        self._changed.set()
        return ""

    def _stop(self, policy: str) -> str:
        try:
            chosen = ExitPolicy(policy) if policy else self._settings.leave_policy(ExitReason.QUIT)
        except ValueError:
            return f"{policy}: leave, cancel or switch"
        has_heartbeat = self._settings.heartbeat is not HeartbeatPolicy.OFF
        if chosen is ExitPolicy.SWITCH and not has_heartbeat:
            return 'switch needs heartbeat = "on" or "armed"'
        if chosen is ExitPolicy.LEAVE and has_heartbeat and policy:
            return "leave cannot be kept: once heartbeats end, the venue cancels every order"
        self._end(ExitReason.QUIT, chosen)
        return ""

    def _end(self, reason: ExitReason, policy: ExitPolicy | None = None) -> None:
        if self._ending is None:
            self._ending = ServiceEnd(reason, policy or self._settings.leave_policy(reason))
            self._changed.set()

    async def _watch(self, server: LinkServer, kept: KeptSocket, service: DataService) -> None:
        """Stop a service that nobody needs or can reach, and return freed memory to the system."""
        idle_s, alone_s, looks = 0.0, 0.0, 0
        while True:
            await self._clock.sleep(CHECK_PERIOD_S)
            looks += 1
            if looks % TRIM_EVERY == 0:
                trim_heap()
            if not self._is_detached and looks % FILL_SEARCH_EVERY == 1:
                # Programs search too, before any terminal is attached.
                service.fill_search()
            self._keep_reachable(kept, service.log)
            alone_s = 0.0 if server.terminals else alone_s + CHECK_PERIOD_S
            has_left = server.was_attended and alone_s >= DETACHED_AFTER_S
            if has_left and self._settings.on_detach is DetachPolicy.STOP:
                self._end(ExitReason.HANG_UP)
            idle_s = 0.0 if server.is_needed else idle_s + CHECK_PERIOD_S
            limit_s = self._settings.service.idle_exit_s
            is_lost = kept.problem and idle_s
            if self._is_detached and (is_lost or (limit_s and idle_s >= limit_s)):
                self._end(ExitReason.QUIT)

    def _keep_reachable(self, kept: KeptSocket, log: Log) -> None:
        """Create the socket again after it was removed, and report that once."""
        before = kept.problem
        if kept.keep():
            log.notice(
                Level.WARNING,
                f"The service's socket was gone; it listens again at {self._socket_path}",
            )
        elif kept.problem and kept.problem != before:
            text = f"No terminal can attach any more, {self._socket_path}: {kept.problem}"
            log.notice(Level.BAD, text, until_read=True)


async def configure(asked: Configure) -> Configured:
    """Read the settings as a terminal finds them now; a disk that hangs stops nothing else."""
    try:
        async with asyncio.timeout(CONFIGURE_WITHIN_S):
            return await asyncio.to_thread(_read_settings, asked)
    except TimeoutError:
        return Configured(
            place=asked.config_file, problem=f"not read within {CONFIGURE_WITHIN_S:.0f} s"
        )


def _read_settings(asked: Configure) -> Configured:
    try:
        settings = load_settings(
            {"profile": asked.profile}, config_file=Path(asked.config_file), environ=asked.environ
        )
    except ConfigError as error:
        return Configured(place=error.place, problem=error.problem)
    return Configured(settings.for_terminal())


def resident_bytes() -> int:
    """Return the resident memory of this process in bytes."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE_BYTES
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
