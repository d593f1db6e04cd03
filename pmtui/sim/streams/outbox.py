"""What waits to be sent to one connection: bounded, so that a slow reader cannot fill our memory."""

import asyncio
from collections import deque

from websockets.asyncio.server import ServerConnection

from pmtui.sim.controls import Controls, Framing, Silence, Trick

MAX_WAITING_BYTES = 8 * 1_024 * 1_024
"""Some eight seconds of the busiest market recorded."""
PONG = b"PONG"
TOO_SLOW = 1008
"""Close code: policy violation."""


class Outbox:
    """Frames for one connection, sent in order by `run`."""

    def __init__(
        self,
        connection: ServerConnection,
        *,
        controls: Controls | None = None,
        channel: str = "",
        limit: int = MAX_WAITING_BYTES,
    ) -> None:
        """Begin empty.

        Args:
            connection: where the frames go.
            controls: may silence the connection, frame its events otherwise or play tricks.
            channel: `market` or `user`.
            limit: how many bytes may wait.
        """
        self._connection = connection
        self._controls = Controls() if controls is None else controls
        self._channel = channel
        self._swapped: bytes | None = None
        self._limit = limit
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._has_news = asyncio.Event()
        self.is_overrun = False
        """Whether more was waiting than may wait: the connection gets closed."""

    def put(self, data: bytes) -> None:
        """Queue a text frame, given as UTF-8."""
        manner = self._controls.streams
        is_said = manner.silence is Silence.NONE or (
            manner.silence is Silence.EVENTS and data == PONG
        )
        if self.is_overrun or not is_said:
            return
        if manner.framing is Framing.ARRAYS and data.startswith(b"{"):
            data = b"[%b]" % data
        if data.startswith((b"{", b"[")):
            self._put_event(data)
        else:
            self._queue(data)

    def _put_event(self, data: bytes) -> None:
        swapped, self._swapped = self._swapped, None
        match self._controls.take_trick(self._channel):
            case None:
                self._queue(data)
            case Trick.DROP:
                pass
            case Trick.DUPLICATE:
                self._queue(data)
                self._queue(data)
            case Trick.SWAP:
                self._swapped = data
            case Trick.GARBLE:
                # Still text, or the client's library would end the connection by itself.
                self._queue(data[: len(data) // 2].decode(errors="ignore").encode())
            case Trick.CLOSE:
                self._connection.transport.abort()
        if swapped is not None:
            self._queue(swapped)

    def _queue(self, data: bytes) -> None:
        self._waiting.append(data)
        self._waiting_bytes += len(data)
        if self._waiting_bytes > self._limit:
            self.is_overrun = True
            self._waiting.clear()
        self._has_news.set()

    async def run(self) -> None:
        """Send until cancelled, or until the reader is too slow.

        Raises:
            ConnectionClosed: the other side is gone.
        """
        while not self.is_overrun:
            await self._has_news.wait()
            self._has_news.clear()
            while self._waiting:
                data = self._waiting.popleft()
                self._waiting_bytes -= len(data)
                await self._connection.send(data, text=True)
        # Closing would wait behind what the reader does not read.
        self._connection.transport.abort()
