"""One WebSocket that is kept connected: connect, subscribe, ping, detect silence, back off, reconnect.

Whatever a peer sends, the cost is bounded: bytes are parsed in slices with pauses between them, and
reading stops while messages are queued, while the peer does not read our replies (a pong for each
ping), and between two reads that follow each other closely. Redirects are refused: the first frame of
the account channel contains the credentials.

Frames go to a protocol object without sockets, message by message and for a few milliseconds at a
time: a key press must not wait for whatever a host has sent.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Generic, Protocol, TypeVar, final

from typing_extensions import override
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.frames import DATA_OPCODES, Frame
from websockets.protocol import Event

from pmtui.clients.http.client import trusted_context
from pmtui.clients.http.failures import why_unreachable
from pmtui.clients.http.proxies import find_proxy
from pmtui.clients.streams.protocols import PING
from pmtui.domain.backoff import Backoff
from pmtui.domain.health import Link, LinkState
from pmtui.wire.bounds import WireError
from pmtui.wire.stream import SMALL_FRAME, split_frame

FAST_READ_S = 0.002
"""Reads that follow the last one sooner than this are better combined."""
PAUSE_S = 0.010
"""Longer pauses at thousands of messages a second would save next to nothing (measured,
September 2026)."""
LONG_PAUSE_S = 0.020
STEADY_READS = 10
"""Consecutive pauses after which they become longer: at about a hundred messages a second each
read brings one or two, and reading costs more than they do."""
MAX_MESSAGE = 8 * 1024 * 1024
"""Bytes. The first books of 400 tokens take about 3 MB, and are requested for a hundred tokens at a
time."""
MAX_FRAGMENTS = 1_024
"""Fragments of one message; empty ones do not count as bytes."""
MOST_WAITING = 256
MOST_WAITING_BYTES = 1024 * 1024
"""Bytes of messages waiting to be applied. Beyond either limit nothing is read until a quarter is
left. One longer message is allowed on top, or it could never be completed."""
SLICE = 4 * 1024
"""Bytes that are parsed at a time: at most two thousand frames, in tens of milliseconds."""
WORK_S = 0.004
"""Seconds for which frames are parsed or applied before other tasks get as much time."""
_FRAMES_TO_JUDGE = 20
_PATIENCE_IN_GAPS = 30.0
_WEIGHT = 0.05
"""Weight of the newest gap in the mean: about twenty gaps count."""
_LONGEST_FIRST_WAIT_S = 3600.0
E = TypeVar("E")
_OVERSLEPT_S = 1.0
"""If a wake-up is later than this, we were held up ourselves, and received data is still unread."""
_STEPS = 50
"""The most checks within the time allowed for a sign of life."""
_MESSAGES_A_TURN = 50
"""Messages after which other tasks get a turn, however fast they were."""
_LONGEST_REST_S = 0.1


@final
class ReadPace:
    """Decides how long a socket pauses after a read: waking up costs many times what a message does."""

    __slots__ = ("_in_row", "last_read")

    def __init__(self) -> None:
        """Start with a socket that has never been read."""
        self._in_row = 0
        self.last_read = 0.0
        """When bytes last arrived, even part of a message, or when reading resumed."""

    def pause_s(self, now: float) -> float:
        """Record a read and return how long to pause after it; 0 means no pause."""
        is_fast = now - self.last_read < FAST_READ_S
        self.last_read = now
        if not is_fast:
            self._in_row = 0
            return 0.0
        self._in_row += 1
        return LONG_PAUSE_S if self._in_row > STEADY_READS else PAUSE_S

    def resumed(self, now: float) -> None:
        """Record that reading resumed: data that arrives at once then had been waiting."""
        self.last_read = now


@dataclass(slots=True)
class Counts:
    """Counters of a connection, for the log and for tests."""

    frames: int = 0
    messages: int = 0
    """Messages passed to the session; a frame may contain several."""
    read_pauses: int = 0
    """How often reading paused because messages came in quick succession."""
    rests: int = 0
    """How often other tasks got a turn in the middle of received data."""
    refused: int = 0
    """Frames that were refused without decoding."""
    most_messages: int = 0
    """The most complete messages that waited."""
    most_bytes: int = 0
    """The most bytes of waiting messages, including incomplete ones."""
    most_unsent: int = 0
    """The most bytes of our replies that the peer had not read."""


@final
class _ConnectHere(connect):
    @override
    def process_redirect(self, exc: Exception) -> Exception | str:
        """Never follow a redirect: return the error unchanged."""
        return exc


class BoundedSocket(ClientConnection):
    """Reads within limits. The caller of `recv` reports each message with `consumed`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._pace = ReadPace()
        self._unread: deque[memoryview] = deque()
        self._next_work: asyncio.Handle | None = None
        self._is_resting = False
        self._is_full = False
        self._is_discarding = False
        self._fragments = 0
        self._bytes = 0
        self.messages = 0
        """Complete messages that wait for `recv`."""
        self.counts = Counts()

    @property
    def last_read(self) -> float:
        """When bytes last arrived, even part of a message."""
        return self._pace.last_read

    def consumed(self, size: int) -> None:
        """Record that a message of this size was taken."""
        self.messages -= 1
        self._bytes -= size
        if self._is_full:
            self._work_soon()

    def discard(self) -> None:
        """Discard messages from now on, so that they do not delay a close."""
        self._is_discarding = True
        self._work_soon()

    @override
    def data_received(self, data: bytes) -> None:
        """Handle received data, and pause unless there was a pause before it."""
        self._unread.append(memoryview(data))
        pause_s = self._pace.pause_s(self.loop.time()) if self.response is not None else 0.0
        if pause_s and not self._is_resting:
            self._is_resting = True
            self.counts.read_pauses += 1
            self.loop.call_later(pause_s, self._rested)
        if self._next_work is None:
            self._work()

    @override
    def eof_received(self) -> None:
        """Drop unparsed data: the state is sent again on a new connection."""
        self._unread.clear()
        super().eof_received()

    @override
    def process_event(self, event: Event) -> None:
        """Count a queued message before it is delivered."""
        if isinstance(event, Frame) and event.opcode in DATA_OPCODES:
            if self._is_discarding:
                return
            self._bytes += len(event.data)
            self._fragments = 0 if event.fin else self._fragments + 1
            self.messages += event.fin
            if self._fragments > MAX_FRAGMENTS:
                self.transport.abort()
        super().process_event(event)

    @override
    def resume_writing(self) -> None:
        """Resume reading: the peer has read our replies."""
        super().resume_writing()
        self._work_soon()

    def _rested(self) -> None:
        self._is_resting = False
        self._pace.resumed(self.loop.time())
        self._steer()

    def _work_soon(self) -> None:
        if self._next_work is None:
            self._next_work = self.loop.call_soon(self._work)

    def _work(self) -> None:
        """Parse received data, for a few milliseconds at most."""
        self._next_work = None
        if self.transport.is_closing():
            self._unread.clear()
            return
        started = self.loop.time()
        while self._unread and self._check_room():
            super().data_received(self._next_slice())
            self._note_most()
            if self._unread and (spent := self.loop.time() - started) >= WORK_S:
                self._next_work = self.loop.call_later(spent, self._work)
                break
        self._steer()

    def _next_slice(self) -> bytes:
        data = self._unread.popleft()
        if len(data) > SLICE:
            self._unread.appendleft(data[SLICE:])
        return bytes(data[:SLICE])

    def _note_most(self) -> None:
        counts = self.counts
        counts.most_messages = max(counts.most_messages, self.messages)
        counts.most_bytes = max(counts.most_bytes, self._bytes)
        counts.most_unsent = max(counts.most_unsent, self.transport.get_write_buffer_size())

    def _check_room(self) -> bool:
        """Note whether too much waits to be read; return whether more may be parsed now."""
        part = 4 if self._is_full else 1
        # An incomplete message never blocks reading: it could not be completed.
        self._is_full = (
            self.messages > 0
            and not self._is_discarding
            and (self.messages * part > MOST_WAITING or self._bytes * part > MOST_WAITING_BYTES)
        )
        return not self._is_full and not self.paused

    def _steer(self) -> None:
        """Read from the socket, or leave data to the kernel, which makes the peer wait."""
        is_held = bool(self._unread) or self._is_resting or not self._check_room()
        for transport in self._transports():
            if is_held:
                transport.pause_reading()
            elif not transport.is_closing():
                transport.resume_reading()

    def _transports(self) -> list[asyncio.ReadTransport]:
        """Return the transports to pause: under TLS also the one below, which would keep reading for a while.

        Access to the lower one is private to asyncio: if it is no longer available, TLS fills its
        own buffer.
        """
        transport = self.transport
        lower = getattr(getattr(transport, "_ssl_protocol", None), "_transport", None)
        return [transport, lower] if isinstance(lower, asyncio.ReadTransport) else [transport]


async def open_socket(url: str, **options: Any) -> BoundedSocket:
    """Connect to exactly this address.

    Args:
        url: of the channel.
        options: as for `websockets.asyncio.client.connect`.

    Raises:
        OSError: the connection failed.
        WebSocketException: it is not a WebSocket, or a redirect.
    """
    socket = await _ConnectHere(
        url,
        compression=None,
        max_size=MAX_MESSAGE,
        # Also limited by bytes here; two limits that pause the same transport would undo each
        # other.
        max_queue=None,
        ping_interval=None,
        create_connection=BoundedSocket,
        **options,
    )
    assert isinstance(socket, BoundedSocket)
    return socket


E_co = TypeVar("E_co", covariant=True)


@final
class SilenceTimeout:
    """Detects when an open socket is dead, which happens without a close.

    How long a silence is too long depends on how often data came before, on this socket and earlier
    ones; a book that nobody trades may be silent for an hour. Times in seconds.
    """

    __slots__ = ("_first_wait", "_frames", "_last", "_mean_gap", "_shortest_s")

    def __init__(self, *, shortest_s: float = 15.0, first_wait_s: float = 30.0) -> None:
        """Set the limits.

        Args:
            shortest_s: never give up sooner than this after the last frame.
            first_wait_s: give up this long after opening if nothing arrives at all; doubles each
                time, because tokens without a book never send anything.
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
        """Record a data frame."""
        gap = now - self._last
        self._mean_gap = (
            gap if self._frames <= 1 else self._mean_gap + (gap - self._mean_gap) * _WEIGHT
        )
        self._frames += 1
        self._last = now
        self._first_wait.reset()

    def is_too_long(self, now: float) -> bool:
        """Return whether to give up the socket."""
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
        """Note that the socket is closed."""
        ...

    def received(self, frame: bytes, publish: Callable[[E_co], None]) -> bool:
        """Publish the events of a frame; return False if it contains no data."""
        ...

    def refused(self) -> None:
        """Count a frame that was refused without decoding."""
        ...


@dataclass(frozen=True, slots=True)
class Times:
    """When a connection sends pings, and when it gives up. Seconds."""

    ping_s: float = 10.0
    """The host drops clients that send nothing for about this long."""
    dead_s: float = 5.0
    """The longest time without a byte, including replies to pings. After half of it a ping is
    sent: a connection that died silently must not look live for longer than a trader's next
    thought."""
    stood_still_s: float = 5.0
    """If this program was suspended for longer, received data is old: a new socket is opened,
    which begins with the current state."""
    message_s: float = 60.0
    """A host that takes longer to send a complete message is treated as silent."""
    open_s: float = 10.0
    close_s: float = 2.0
    first_delay_s: float = 0.25
    longest_delay_s: float = 30.0
    """Both as in the venue's own client (SDK 0.14.0)."""
    settled_s: float = 10.0
    """A connection that lived shorter does not count as one: otherwise a host that accepts and
    closes at once would be called in a loop."""


@final
class StreamConnection(Generic[E]):
    """Keeps one session's socket connected until cancelled."""

    def __init__(
        self,
        url: str,
        session: Session[E],
        *,
        random: Random,
        times: Times,
        silence: SilenceTimeout | None = None,
    ) -> None:
        """Prepare; nothing is opened before `run`.

        Args:
            url: of the channel, with its last path segment.
            session: handles the frames.
            random: adds jitter to the attempts.
            times: see `Times`.
            silence: for channels that must send data; None if silence is normal.
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
        """Send frames on the open socket; without one they are dropped, as `opened` returns everything."""
        if self._socket is not None:
            self._outbox.extend(frames)
            self._has_mail.set()

    async def run(self, *, on_event: Callable[[E], None], on_link: Callable[[Link], None]) -> None:
        """Keep the socket connected until cancelled."""
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
            # A socket that answers pings but is replaced as a precaution is not a broken
            # connection.
            state = LinkState.SILENT if self._is_quiet else LinkState.DOWN
            on_link(Link(state, self.epoch, self._reason))
            if lived_s >= self._times.settled_s:
                self._backoff.reset()
            await asyncio.sleep(self._backoff.next_s())

    async def _connect(self) -> BoundedSocket:
        return await open_socket(
            self._url,
            proxy=find_proxy(self._url),
            ssl=trusted_context() if self._url.startswith("wss:") else None,
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
                        # For as long as we took, so that the many small steps of handling a key get
                        # through.
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
        # A closed socket is reported by the reader.
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
            # Nothing can be due earlier: an idle terminal should not wake up twice a second.
            since = self._last_sign(socket) if asked_at is None else asked_at
            due = max(min(next_ping, since + patience_s), clock() + patience_s / _STEPS)
            await asyncio.sleep(due - clock())
            now, last_sign = clock(), self._last_sign(socket)
            if now - due > _OVERSLEPT_S or (asked_at is not None and last_sign > asked_at):
                asked_at = None
            # Also under traffic: the host counts what we send, not what it sends.
            if now >= next_ping or (asked_at is None and now - last_sign >= patience_s):
                next_ping = now + self._times.ping_s
                asked_at = now if asked_at is None else asked_at
                self.send([PING])
            if now - due > self._times.stood_still_s:
                self._reason = f"this program stood still for {now - due:.0f} s"
            elif asked_at is not None and now - asked_at >= patience_s:
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
        """Return when the host last sent something: a large message takes time on a slow connection."""
        is_slow = socket.last_read - self._last_frame > self._times.message_s
        return self._last_frame if is_slow else max(self._last_frame, socket.last_read)


async def _close(socket: BoundedSocket, limit_s: float) -> None:
    # A peer that does not answer the close must not delay the next attempt.
    socket.discard()
    try:
        async with asyncio.timeout(limit_s):
            await socket.close()
    except TimeoutError:
        socket.transport.abort()


def _message(error: Exception) -> str:
    known = why_unreachable(error) if isinstance(error, OSError) else ""
    return (known or str(error) or type(error).__name__)[:200]
