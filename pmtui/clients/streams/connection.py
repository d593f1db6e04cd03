"""One WebSocket, kept up: connect, subscribe, ping, watch for silence, wait, again.

Frames go to a protocol object that knows no sockets. Under load the socket is read a hundred times
a second at most, because waking up costs many times what reading a message does.
"""

import asyncio
import contextlib
import ipaddress
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any, Generic, Protocol, TypeVar, final
from urllib.parse import urlsplit

from typing_extensions import override
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from pmtui.clients.streams.backoff import Backoff
from pmtui.clients.streams.market_protocol import PING
from pmtui.clients.streams.read_pace import ReadPace
from pmtui.clients.streams.silence import Silence
from pmtui.clients.unreachable import why_unreachable
from pmtui.domain.link import Link, LinkState
from pmtui.records import dataclass

E = TypeVar("E")
E_co = TypeVar("E_co", covariant=True)

_LARGEST_MESSAGE = 64 * 1024 * 1024
"""Bytes. The first books of 400 tokens take some 3 MB."""
_OVERSLEPT_S = 1.0
"""Later than that, we were held up ourselves, and what has come meanwhile is still unread."""
_STEPS = 50
"""Looks within the time that a sign may take, at most."""
_FRAMES_A_TURN = 50
"""Frames after which others get their turn: a key must not wait for all that has piled up."""


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


@dataclass(frozen=True, slots=True)
class Times:
    """When a connection pings, and when it gives up. Seconds."""

    ping_s: float = 10.0
    """The host drops clients that say nothing for about as long."""
    dead_s: float = 5.0
    """Without a byte, the answer to a ping included. Half of it without one and a ping is sent: a
    line that went dead without a word must not look live for longer than a trader's next thought."""
    open_s: float = 10.0
    close_s: float = 2.0
    first_delay_s: float = 0.25
    longest_delay_s: float = 30.0


@dataclass(slots=True)
class Counts:
    """What a connection has done, for the log and for tests."""

    connects: int = 0
    frames: int = 0
    pings: int = 0
    read_pauses: int = 0


class BatchingConnection(ClientConnection):
    """Stops reading for a moment when messages come faster than it is worth waking up for."""

    counts: Counts | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._pace = ReadPace()

    @property
    def last_read(self) -> float:
        """When bytes last came, be it a part of a message only."""
        return self._pace.last_read

    @override
    def data_received(self, data: bytes) -> None:
        """Take what has come, and rest if the time before was no rest either."""
        super().data_received(data)
        if self.response is None:
            return
        pause_s = self._pace.pause_s(self.loop.time())
        tcp = self._tcp_transport() if pause_s else None
        if tcp is not None and not tcp.is_closing():
            tcp.pause_reading()
            self.loop.call_later(pause_s, self._read_again, tcp)
            if self.counts is not None:
                self.counts.read_pauses += 1

    def _tcp_transport(self) -> asyncio.ReadTransport | None:
        """Return the transport that reads the socket; pausing TLS itself would not stop it.

        The way down is private to asyncio: where it is not there any more, nothing is paused.
        """
        transport = self.transport
        if transport.get_extra_info("sslcontext") is None:
            return transport
        lower = getattr(getattr(transport, "_ssl_protocol", None), "_transport", None)
        return lower if isinstance(lower, asyncio.ReadTransport) else None

    def _read_again(self, tcp: asyncio.ReadTransport) -> None:
        self._pace.resumed(self.loop.time())
        if not tcp.is_closing():
            tcp.resume_reading()


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
            random, first_s=times.first_delay_s, longest_s=times.longest_delay_s
        )
        self._socket: ClientConnection | None = None
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
                self._reason = f"cannot connect: {_words(error)}"
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
            await asyncio.sleep(self._backoff.delay_s(lived_s))

    async def _connect(self) -> ClientConnection:
        self.counts.connects += 1
        return await connect(
            self._url,
            # Loopback is never meant for a proxy; elsewhere the environment decides.
            proxy=None if _is_loopback(self._url) else True,
            compression=None,
            max_size=_LARGEST_MESSAGE,
            max_queue=None,
            ping_interval=None,
            open_timeout=self._times.open_s,
            close_timeout=self._times.close_s,
            create_connection=BatchingConnection,
        )

    async def _serve(
        self,
        socket: ClientConnection,
        on_event: Callable[[E], None],
        on_link: Callable[[Link], None],
    ) -> None:
        clock = asyncio.get_running_loop().time
        if isinstance(socket, BatchingConnection):
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

    async def _read(self, socket: ClientConnection, on_event: Callable[[E], None]) -> None:
        clock = asyncio.get_running_loop().time
        received, counts, silence = self._session.received, self.counts, self._silence
        try:
            while True:
                frame = await socket.recv(decode=False)
                counts.frames += 1
                self._last_frame = clock()
                if received(frame, on_event) and silence is not None:
                    silence.heard(self._last_frame)
                if not counts.frames % _FRAMES_A_TURN:
                    await asyncio.sleep(0)
        except ConnectionClosed as error:
            self._reason = self._reason or f"closed: {_words(error)}"

    async def _send_mail(self, socket: ClientConnection) -> None:
        # A socket that is gone is the reader's to report.
        with contextlib.suppress(ConnectionClosed):
            while True:
                await self._has_mail.wait()
                self._has_mail.clear()
                frames, self._outbox = self._outbox, []
                for frame in frames:
                    await socket.send(frame)

    async def _keep_alive(self, socket: ClientConnection, on_link: Callable[[Link], None]) -> None:
        clock = asyncio.get_running_loop().time
        next_ping = clock() + self._times.ping_s
        patience_s = self._times.dead_s / 2
        asked_at: float | None = None
        while True:
            # Nothing can be due before: a terminal at rest had better not wake twice a second.
            since = self._last_sign(socket) if asked_at is None else asked_at
            due = max(min(next_ping, since + patience_s), clock() + patience_s / _STEPS)
            await asyncio.sleep(due - clock())
            now, heard = clock(), self._last_sign(socket)
            if now - due > _OVERSLEPT_S or (asked_at is not None and heard > asked_at):
                asked_at = None
            # Under traffic too: the host counts what we say, not what it says.
            if now >= next_ping or (asked_at is None and now - heard >= patience_s):
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

    def _last_sign(self, socket: ClientConnection) -> float:
        """Return when the host was last heard: a large message takes its time on a thin line."""
        return max(self._last_frame, getattr(socket, "last_read", 0.0))


async def _close(socket: ClientConnection, limit_s: float) -> None:
    # A peer that does not answer the close must not hold up the next attempt.
    try:
        async with asyncio.timeout(limit_s):
            await socket.close()
    except TimeoutError:
        socket.transport.abort()


def _words(error: Exception) -> str:
    known = why_unreachable(error) if isinstance(error, OSError) else ""
    return (known or str(error) or type(error).__name__)[:200]


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
