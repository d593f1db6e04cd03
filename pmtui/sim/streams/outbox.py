"""What waits to be sent to one connection: bounded, so that a slow reader cannot fill our memory."""

import asyncio
from collections import deque

from websockets.asyncio.server import ServerConnection

MAX_WAITING_BYTES = 8 * 1_024 * 1_024
"""Some eight seconds of the busiest market recorded."""
TOO_SLOW = 1008
"""Close code: policy violation."""


class Outbox:
    """Frames for one connection, sent in order by `run`."""

    def __init__(self, connection: ServerConnection, *, limit: int = MAX_WAITING_BYTES) -> None:
        self._connection = connection
        self._limit = limit
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._has_news = asyncio.Event()
        self.is_overrun = False
        """Whether more was waiting than may wait: the connection gets closed."""

    def put(self, data: bytes) -> None:
        """Queue a text frame, given as UTF-8."""
        if self.is_overrun:
            return
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
