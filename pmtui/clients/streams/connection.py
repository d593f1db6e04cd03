"""One WebSocket, kept up: connect, subscribe, ping, watch for silence, wait, again.

Frames go to a protocol object that knows no sockets, message by message and for a few milliseconds at
a time: a key must not wait for whatever a host has sent.
"""

import asyncio
import contextlib
import ipaddress
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Generic, Protocol, TypeVar, final
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed, WebSocketException

from pmtui.clients.http.failures import why_unreachable
from pmtui.clients.streams.bounded_socket import WORK_S, BoundedSocket, Counts, open_socket
from pmtui.clients.streams.protocols import PING
from pmtui.domain.backoff import Backoff
from pmtui.domain.health import Link, LinkState
from pmtui.wire.bounds import WireError
from pmtui.wire.stream import SMALL_FRAME, split_frame

_FRAMES_TO_JUDGE = 20
_PATIENCE_IN_GAPS = 30.0
_WEIGHT = 0.05
"""Of the newest gap in the mean: some twenty gaps are remembered."""
_LONGEST_FIRST_WAIT_S = 3600.0
E = TypeVar("E")
E_co = TypeVar("E_co", covariant=True)

_OVERSLEPT_S = 1.0
"""Later than that, we were held up ourselves, and what has come meanwhile is still unread."""
_STEPS = 50
"""Looks within the time that a sign may take, at most."""
_MESSAGES_A_TURN = 50
"""Messages after which others get their turn, however quick they were."""
_LONGEST_REST_S = 0.1


@final
class Silence:
    """Tells when an open socket has gone dead, which happens without a close and without a word.

    How long is too long depends on how often it spoke before, on this socket and those before it; a
    book that nobody trades may say nothing for an hour. Times in seconds.
    """

    __slots__ = ("_first_wait", "_frames", "_last", "_mean_gap", "_shortest_s")

    def __init__(self, *, shortest_s: float = 15.0, first_wait_s: float = 30.0) -> None:
        """Set the limits.

        Args:
            shortest_s: never give up sooner than this after the last frame.
            first_wait_s: give up this long after opening when nothing came at all; doubles each
                time, for tokens without a book never say anything.
        """
        self._shortest_s = shortest_s
        self._first_wait = Backoff(first_s=first_wait_s, longest_s=_LONGEST_FIRST_WAIT_S)
        self._frames = 0
        self._last = 0.0
        self._mean_gap = 0.0

    def opened(self, now: float) -> None:
        """Start over with a new socket."""
        self._frames = 0
        self._last = now

    def received(self, now: float) -> None:
        """Note a data frame."""
        gap = now - self._last
        self._mean_gap = (
            gap if self._frames <= 1 else self._mean_gap + (gap - self._mean_gap) * _WEIGHT
        )
        self._frames += 1
        self._last = now
        self._first_wait.reset()

    def is_too_long(self, now: float) -> bool:
        """Return whether to give the socket up."""
        quiet = now - self._last
        if self._frames == 0:
            if quiet < self._first_wait.step_s:
                return False
            _ = self._first_wait.next_s()
            return True
        if self._frames < _FRAMES_TO_JUDGE:
            return False
        return quiet >= max(self._shortest_s, self._mean_gap * _PATIENCE_IN_GAPS)


class Session(Protocol[E_co]):
    """A channel without its socket."""

    def opened(self) -> Sequence[str]:
        """Return the frames to send first."""
        ...

    def closed(self) -> None:
        """Note that the socket is gone."""
        ...

    def received(self, frame: bytes, tell: Callable[[E_co], None]) -> bool:
        """Tell the events of a frame; return False where it is no data."""
        ...

    def refused(self) -> None:
        """Count a frame that was not looked into."""
        ...


@dataclass(frozen=True, slots=True)
class Times:
    """When a connection pings, and when it gives up. Seconds."""

    ping_s: float = 10.0
    """The host drops clients that say nothing for about as long."""
    dead_s: float = 5.0
    """Without a byte, the answer to a ping included. Half of it without one and a ping is sent: a
    line that went dead without a word must not look live for longer than a trader's next thought."""
    message_s: float = 60.0
    """A host that takes longer to send a message whole is as good as silent."""
    open_s: float = 10.0
    close_s: float = 2.0
    first_delay_s: float = 0.25
    longest_delay_s: float = 30.0
    """Both as in the venue's own client (SDK 0.14.0)."""
    settled_s: float = 10.0
    """A connection that lived shorter does not count as one: a host that accepts and closes at once
    would be called in a loop."""


@final
class StreamConnection(Generic[E]):
    """Keeps one session's socket up until cancelled."""

    def __init__(
        self,
        url: str,
        session: Session[E],
        *,
        random: Random,
        times: Times,
        silence: Silence | None = None,
    ) -> None:
        """Prepare; nothing is opened before `run`.

        Args:
            url: of the channel, with its last path segment.
            session: what the frames mean.
            random: spreads the attempts.
            times: see there.
            silence: for channels that ought to speak; None where quiet is normal.
        """
        self._url = url
        self._session = session
        self._times = times
        self._silence = silence
        self._is_quiet = False
        self._backoff = Backoff(
            first_s=times.first_delay_s, longest_s=times.longest_delay_s, jitter=random.random
        )
        self._socket: BoundedSocket | None = None
        self._outbox: list[str] = []
        self._has_mail = asyncio.Event()
        self._reason = ""
        self._last_frame = 0.0
        self.epoch = 0
        self.counts = Counts()

    def send(self, frames: Iterable[str]) -> None:
        """Send frames on the open socket; without one they are void, for `opened` says it all."""
        if self._socket is not None:
            self._outbox.extend(frames)
            self._has_mail.set()

    async def run(self, *, on_event: Callable[[E], None], on_link: Callable[[Link], None]) -> None:
        """Keep the socket up until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            self.epoch += 1
            on_link(Link(LinkState.CONNECTING, self.epoch))
            lived_s = 0.0
            self._is_quiet = False
            try:
                socket = await self._connect()
            except (OSError, WebSocketException) as error:
                self._reason = f"cannot connect: {_message(error)}"
            else:
                opened_at = loop.time()
                try:
                    await self._serve(socket, on_event, on_link)
                finally:
                    self._session.closed()
                    self._socket = None
                    await _close(socket, self._times.close_s)
                lived_s = loop.time() - opened_at
            # A socket that answers pings and is replaced to be sure is no broken line.
            state = LinkState.SILENT if self._is_quiet else LinkState.DOWN
            on_link(Link(state, self.epoch, self._reason))
            if lived_s >= self._times.settled_s:
                self._backoff.reset()
            await asyncio.sleep(self._backoff.next_s())

    async def _connect(self) -> BoundedSocket:
        self.counts.connects += 1
        return await open_socket(
            self._url,
            # Loopback is never meant for a proxy; elsewhere the environment decides.
            proxy=None if _is_loopback(self._url) else True,
            open_timeout=self._times.open_s,
            close_timeout=self._times.close_s,
        )

    async def _serve(
        self,
        socket: BoundedSocket,
        on_event: Callable[[E], None],
        on_link: Callable[[Link], None],
    ) -> None:
        clock = asyncio.get_running_loop().time
        socket.counts = self.counts
        self._reason = ""
        self._last_frame = clock()
        if self._silence is not None:
            self._silence.opened(clock())
        self._outbox = list(self._session.opened())
        self._has_mail.set()
        self._socket = socket
        on_link(Link(LinkState.OPEN, self.epoch))
        keepers = [
            asyncio.create_task(self._send_mail(socket)),
            asyncio.create_task(self._keep_alive(socket, on_link)),
        ]
        try:
            await self._read(socket, on_event)
        finally:
            for keeper in keepers:
                keeper.cancel()
            await asyncio.gather(*keepers, return_exceptions=True)

    async def _read(self, socket: BoundedSocket, on_event: Callable[[E], None]) -> None:
        clock = asyncio.get_running_loop().time
        received, counts, silence = self._session.received, self.counts, self._silence
        turn = clock()
        try:
            while True:
                is_idle = not socket.messages
                frame = await socket.recv(decode=False)
                socket.consumed(len(frame))
                counts.frames += 1
                self._last_frame = now = clock()
                if is_idle:
                    turn = now
                for message in self._messages(frame):
                    if received(message, on_event) and silence is not None:
                        silence.received(self._last_frame)
                    counts.messages += 1
                    spent = clock() - turn
                    if spent < WORK_S:
                        if not counts.messages % _MESSAGES_A_TURN:
                            await asyncio.sleep(0)
                    else:
                        # As long as we took, so that the many small steps of a key get through.
                        counts.rests += 1
                        await asyncio.sleep(min(spent, _LONGEST_REST_S))
                        turn = clock()
        except ConnectionClosed as error:
            self._reason = self._reason or f"closed: {_message(error)}"

    def _messages(self, frame: bytes) -> Iterable[bytes]:
        if len(frame) <= SMALL_FRAME:
            return (frame,)
        try:
            return split_frame(frame)
        except WireError:
            self.counts.refused += 1
            self._session.refused()
            return ()

    async def _send_mail(self, socket: BoundedSocket) -> None:
        # A socket that is gone is the reader's to report.
        with contextlib.suppress(ConnectionClosed):
            while True:
                await self._has_mail.wait()
                self._has_mail.clear()
                frames, self._outbox = self._outbox, []
                for frame in frames:
                    await socket.send(frame)

    async def _keep_alive(self, socket: BoundedSocket, on_link: Callable[[Link], None]) -> None:
        clock = asyncio.get_running_loop().time
        next_ping = clock() + self._times.ping_s
        patience_s = self._times.dead_s / 2
        asked_at: float | None = None
        while True:
            # Nothing can be due before: a terminal at rest had better not wake twice a second.
            since = self._last_sign(socket) if asked_at is None else asked_at
            due = max(min(next_ping, since + patience_s), clock() + patience_s / _STEPS)
            await asyncio.sleep(due - clock())
            now, last_sign = clock(), self._last_sign(socket)
            if now - due > _OVERSLEPT_S or (asked_at is not None and last_sign > asked_at):
                asked_at = None
            # Under traffic too: the host counts what we say, not what it says.
            if now >= next_ping or (asked_at is None and now - last_sign >= patience_s):
                next_ping = now + self._times.ping_s
                asked_at = now if asked_at is None else asked_at
                self.counts.pings += 1
                self.send([PING])
            if asked_at is not None and now - asked_at >= patience_s:
                self._reason = "no answer to a ping"
            elif self._silence is not None and self._silence.is_too_long(now):
                self._reason = "open, but nothing comes"
                self._is_quiet = True
            else:
                continue
            on_link(Link(LinkState.SILENT, self.epoch, self._reason))
            socket.transport.abort()
            return

    def _last_sign(self, socket: BoundedSocket) -> float:
        """Return when the host was last heard: a large message takes its time on a thin line."""
        is_slow = socket.last_read - self._last_frame > self._times.message_s
        return self._last_frame if is_slow else max(self._last_frame, socket.last_read)


async def _close(socket: BoundedSocket, limit_s: float) -> None:
    # A peer that does not answer the close must not hold up the next attempt.
    socket.discard()
    try:
        async with asyncio.timeout(limit_s):
            await socket.close()
    except TimeoutError:
        socket.transport.abort()


def _message(error: Exception) -> str:
    known = why_unreachable(error) if isinstance(error, OSError) else ""
    return (known or str(error) or type(error).__name__)[:200]


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
