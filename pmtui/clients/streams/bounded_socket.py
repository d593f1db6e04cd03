"""A WebSocket that takes in no more than is worked off, and only from the host it was meant for.

Whatever a peer sends, the cost is bounded: bytes are parsed in slices with rests between them, and
reading stops while messages wait, while the peer does not read our answers (a pong for each ping),
and between two reads that follow each other closely. Redirects are refused: the first frame of the
account channel holds the credentials.
"""

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Any, final

from typing_extensions import override
from websockets.asyncio.client import ClientConnection, connect
from websockets.frames import DATA_OPCODES, Frame
from websockets.protocol import Event

FAST_READ_S = 0.002
"""What comes sooner after the last read had better come together."""
PAUSE_S = 0.010
"""Of thousands of messages a second more would save next to nothing (measured, September 2026)."""
LONG_PAUSE_S = 0.020
STEADY_READS = 10
"""Pauses in a row after which they are longer: of some hundred messages a second each read brings one
or two, and reading costs more than they do."""
MAX_MESSAGE = 8 * 1024 * 1024
"""Bytes. The first books of 400 tokens take some 3 MB, and are asked for a hundred tokens at a time."""
MAX_FRAGMENTS = 1_024
"""Of one message; empty ones count for no bytes."""
MOST_MESSAGES = 256
MOST_BYTES = 1024 * 1024
"""Of messages that wait, after which nothing is read until a quarter is left. One longer message may
come on top, or it would never be whole."""
SLICE = 4 * 1024
"""Bytes that are parsed at a time: at most two thousand frames, in some tens of milliseconds."""
WORK_S = 0.004
"""How long frames are parsed or applied before everybody else gets as much time."""


@final
class ReadPace:
    """Decides how long a socket rests after a read: waking up costs many times what a message does."""

    __slots__ = ("_in_row", "last_read")

    def __init__(self) -> None:
        """Start with a socket that was never read."""
        self._in_row = 0
        self.last_read = 0.0
        """When bytes last came, be it a part of a message only, or when reading began again."""

    def pause_s(self, now: float) -> float:
        """Note a read and return how long to rest after it; 0 is not at all."""
        is_fast = now - self.last_read < FAST_READ_S
        self.last_read = now
        if not is_fast:
            self._in_row = 0
            return 0.0
        self._in_row += 1
        return LONG_PAUSE_S if self._in_row > STEADY_READS else PAUSE_S

    def resumed(self, now: float) -> None:
        """Note that reading began again: what comes at once then had been waiting."""
        self.last_read = now


@dataclass(slots=True)
class Counts:
    """What a connection has done, for the log and for tests."""

    connects: int = 0
    frames: int = 0
    messages: int = 0
    """Passed to the session; a frame may hold several."""
    pings: int = 0
    read_pauses: int = 0
    """How often reading rested because messages came closely."""
    rests: int = 0
    """How often others got their turn in the middle of what had come."""
    refused: int = 0
    """Frames that were not looked into."""
    most_messages: int = 0
    """Whole messages that waited, at most."""
    most_bytes: int = 0
    """Of messages that waited, parts of one included, at most."""
    most_unsent: int = 0
    """Bytes that the peer did not read, at most."""


@final
class _ConnectHere(connect):
    @override
    def process_redirect(self, exc: Exception) -> Exception | str:
        """Never follow: return the error as it is."""
        return exc


class BoundedSocket(ClientConnection):
    """Reads within bounds. Whoever takes a message with `recv` says so with `consumed`."""

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
        """Whole messages that wait for `recv`."""
        self.counts = Counts()

    @property
    def last_read(self) -> float:
        """When bytes last came, be it a part of a message only."""
        return self._pace.last_read

    def consumed(self, size: int) -> None:
        """Note that a message of so many bytes was taken."""
        self.messages -= 1
        self._bytes -= size
        if self._is_full:
            self._work_soon()

    def discard(self) -> None:
        """Throw messages away from now on, so that a close is not held up by them."""
        self._is_discarding = True
        self._work_soon()

    @override
    def data_received(self, data: bytes) -> None:
        """Take what has come, and rest if the time before was no rest either."""
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
        """Leave what was not parsed: whatever is told next comes with a new connection."""
        self._unread.clear()
        super().eof_received()

    @override
    def process_event(self, event: Event) -> None:
        """Count what waits before it does."""
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
        """Read on: the peer has read our answers."""
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
        """Parse what was read, for a few milliseconds at most."""
        self._next_work = None
        if self.transport.is_closing():
            self._unread.clear()
            return
        started = self.loop.time()
        while self._unread and not self._is_held():
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

    def _is_held(self) -> bool:
        """Whether nothing more may be parsed now."""
        part = 4 if self._is_full else 1
        # A message that is not whole yet never holds: it could not become whole.
        self._is_full = (
            self.messages > 0
            and not self._is_discarding
            and (self.messages * part > MOST_MESSAGES or self._bytes * part > MOST_BYTES)
        )
        return self._is_full or self.paused

    def _steer(self) -> None:
        """Read from the socket, or leave what comes to the kernel, which makes the peer wait."""
        is_held = bool(self._unread) or self._is_resting or self._is_held()
        for transport in self._transports():
            if is_held:
                transport.pause_reading()
            elif not transport.is_closing():
                transport.resume_reading()

    def _transports(self) -> list[asyncio.ReadTransport]:
        """Return what to pause: under TLS also the transport below, which would read on for a while.

        The way down is private to asyncio: where it is not there any more, TLS fills its own buffer.
        """
        transport = self.transport
        lower = getattr(getattr(transport, "_ssl_protocol", None), "_transport", None)
        return [transport, lower] if isinstance(lower, asyncio.ReadTransport) else [transport]


async def open_socket(url: str, **options: Any) -> BoundedSocket:
    """Connect to exactly this address.

    Args:
        url: of the channel.
        options: as `websockets.asyncio.client.connect` takes them.

    Raises:
        OSError: no connection.
        WebSocketException: no WebSocket, or a redirect.
    """
    socket = await _ConnectHere(
        url,
        compression=None,
        max_size=MAX_MESSAGE,
        # Bounded here by bytes too; two that pause the same transport would undo each other.
        max_queue=None,
        ping_interval=None,
        create_connection=BoundedSocket,
        **options,
    )
    assert isinstance(socket, BoundedSocket)
    return socket
