"""A bad line for a stream: frames get lost, doubled, late or out of order, and connections break."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from enum import StrEnum

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

LONGEST_DELAY_S = 1.5
CHANCE = 0.3
"""Share of frames that something happens to."""


class StreamFault(StrEnum):
    """What happens to one frame from the venue."""

    NONE = "none"
    LOST = "frame lost"
    DOUBLED = "frame doubled"
    LATE = "frame late, after others"
    CUT = "connection cut"


_FAULTS = (
    *[StreamFault.LOST] * 2, *[StreamFault.DOUBLED] * 3, *[StreamFault.LATE] * 4, StreamFault.CUT,
)  # fmt: skip


class StreamProxy:
    """Passes one stream on; what the trader's program sends goes through as it is."""

    def __init__(self, target: str, rng: random.Random) -> None:
        self._target = target
        self._rng = rng
        self.counts: Counter[StreamFault] = Counter()
        self.is_fair = False
        """Whether nothing goes wrong any more."""
        self.url = ""

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["StreamProxy"]:
        """Listen on loopback for as long as the block lasts."""
        async with serve(self._on_client, "127.0.0.1", 0, compression=None) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            self.url = f"ws://127.0.0.1:{port}"
            yield self

    async def _on_client(self, client: ServerConnection) -> None:
        with suppress(ConnectionClosed, OSError):
            async with connect(self._target, proxy=None, compression=None) as venue:
                up = asyncio.create_task(_pass_on(client, venue))
                try:
                    await self._down(venue, client)
                finally:
                    up.cancel()

    async def _down(self, venue: ClientConnection, client: ServerConnection) -> None:
        late: set[asyncio.Task[None]] = set()
        try:
            with suppress(ConnectionClosed):
                async for frame in venue:
                    fault = self._choose(frame)
                    self.counts[fault] += 1
                    match fault:
                        case StreamFault.LOST:
                            continue
                        case StreamFault.CUT:
                            return
                        case StreamFault.LATE:
                            delay_s = self._rng.uniform(0.05, LONGEST_DELAY_S)
                            late.add(asyncio.create_task(_send_late(client, frame, delay_s)))
                        case StreamFault.DOUBLED:
                            await client.send(frame)
                            await client.send(frame)
                        case StreamFault.NONE:
                            await client.send(frame)
        finally:
            for task in late:
                task.cancel()
            await client.close()

    def _choose(self, frame: str | bytes) -> StreamFault:
        is_sign_of_life = frame in ("PONG", b"PONG")
        if self.is_fair or is_sign_of_life or self._rng.random() >= CHANCE:
            return StreamFault.NONE
        return self._rng.choice(_FAULTS)


async def _pass_on(source: ServerConnection, target: ClientConnection) -> None:
    with suppress(ConnectionClosed):
        async for frame in source:
            await target.send(frame)
    await target.close()


async def _send_late(client: ServerConnection, frame: str | bytes, delay_s: float) -> None:
    await asyncio.sleep(delay_s)
    with suppress(ConnectionClosed):
        await client.send(frame)
