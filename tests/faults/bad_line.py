"""A bad line to the venue: requests and answers get lost, late, doubled, broken, or are out of date.

Reads may come from a replica that lags: what it answers is what the venue said up to `lag_s` ago.
"""

import asyncio
import random
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum

_END = b"\r\n\r\n"
LONGEST_DELAY_S = 0.8
_LAGGING = (b"GET /data/", b"GET /balance-allowance?")
"""Reads of one's own account that a replica may answer."""


@dataclass(frozen=True, slots=True)
class LineQuality:
    """How bad a line is."""

    action_faults: float = 0.45
    """Share of orders and cancels that something happens to."""
    read_faults: float = 0.05
    jitter_s: float = 0.25
    """Longest delay of any answer."""
    lag_s: float = 2.0
    """Age of the oldest answer that a read of one's own account may get."""


class Fault(StrEnum):
    """What happens to one request and its answer."""

    NONE = "none"
    LOST_REQUEST = "request lost"
    LOST_ANSWER = "answer lost"
    BROKEN_ANSWER = "answer broke off"
    LATE = "late"
    DOUBLED = "request doubled"
    SERVER_ERROR = "500 after the venue acted"
    BAD_GATEWAY = "502 before the venue"
    GARBAGE = "garbage after the venue acted"


_FAULTS = tuple(Fault)[1:]


class FaultProxy:
    """Passes HTTP requests on to one address, each over a connection of its own."""

    def __init__(
        self, target: tuple[str, int], rng: random.Random, quality: LineQuality | None = None
    ) -> None:
        self._target = target
        self._rng = rng
        self._quality = quality or LineQuality()
        self._replica: dict[bytes, deque[tuple[float, bytes]]] = {}
        """Answers of the last `lag_s` seconds, by the request's first line."""
        self.old_answers = 0
        self.counts: Counter[Fault] = Counter()
        self.posts = 0
        self.is_fair = False
        """Whether nothing goes wrong any more."""
        self.on_moment: Callable[[], None] = lambda: None
        """Called at every step of an order's or a cancellation's way."""
        self.port = 0
        self._busy = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["FaultProxy"]:
        """Listen on loopback for as long as the block lasts."""
        server = await asyncio.start_server(self._on_client, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def settle(self) -> None:
        """Wait until nothing is on its way any more."""
        await self._idle.wait()

    async def _on_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                while not writer.is_closing():
                    request = await _read_message(reader)
                    await self._carry(request, writer)
        except asyncio.CancelledError:
            # The block has ended, and with it this connection.
            pass
        finally:
            self._tasks.discard(task)
            writer.transport.abort()

    async def _carry(self, request: bytes, writer: asyncio.StreamWriter) -> None:
        self._busy += 1
        self._idle.clear()
        try:
            await self._misbehave(request, writer, self._choose(request))
        finally:
            self._busy -= 1
            if not self._busy:
                self._idle.set()

    def _choose(self, request: bytes) -> Fault:
        is_action = request.startswith((b"POST /order", b"DELETE "))
        self.posts += request.startswith(b"POST /order")
        quality = self._quality
        chance = quality.action_faults if is_action else quality.read_faults
        if self.is_fair:
            chance = 0.0
        fault = self._rng.choice(_FAULTS) if self._rng.random() < chance else Fault.NONE
        if is_action:
            self.counts[fault] += 1
            self.on_moment()
        return fault

    async def _misbehave(self, request: bytes, writer: asyncio.StreamWriter, fault: Fault) -> None:
        if fault is Fault.LOST_REQUEST:
            writer.transport.abort()
            return
        if fault is Fault.BAD_GATEWAY:
            await _reply(writer, b"<html>502</html>", "502 Bad Gateway", "text/html")
            return
        if fault is Fault.LATE:
            await asyncio.sleep(self._rng.uniform(0.1, LONGEST_DELAY_S))
        elif not self.is_fair:
            await asyncio.sleep(self._rng.uniform(0, self._quality.jitter_s))
        if fault is Fault.DOUBLED:
            _ = await self._ask_venue(request)
        answer = await self._answer(request)
        if request.startswith((b"POST /order", b"DELETE ")):
            self.on_moment()
        match fault:
            case Fault.LOST_ANSWER:
                writer.transport.abort()
            case Fault.BROKEN_ANSWER:
                writer.write(answer[: -max(len(answer.split(_END, 1)[1]) // 2, 1)])
                await writer.drain()
                writer.close()
            case Fault.SERVER_ERROR:
                await _reply(writer, b'{"error":"could not insert order"}', "500 Internal")
            case Fault.GARBAGE:
                await _reply(writer, b'{"orderID": 17, "status"', "200 OK")
            case _:
                writer.write(answer)
                await writer.drain()

    async def _answer(self, request: bytes) -> bytes:
        """Return the venue's answer, or for some reads one that it gave a moment ago."""
        if not request.startswith(_LAGGING):
            return await self._ask_venue(request)
        now = time.monotonic()
        known = self._replica.setdefault(request.split(b"\r\n", 1)[0], deque())
        while known and now - known[0][0] > self._quality.lag_s:
            known.popleft()
        if known and not self.is_fair and self._rng.randrange(2):
            self.old_answers += 1
            return self._rng.choice(known)[1]
        asked_at = now
        answer = await self._ask_venue(request)
        if answer.startswith(b"HTTP/1.1 200"):
            known.append((asked_at, answer))
        return answer

    async def _ask_venue(self, request: bytes) -> bytes:
        reader, writer = await asyncio.open_connection(*self._target)
        try:
            writer.write(request)
            await writer.drain()
            return await _read_message(reader)
        finally:
            writer.transport.abort()


async def _read_message(reader: asyncio.StreamReader) -> bytes:
    """Read one request or answer; both sides of this line always name a length."""
    head = await reader.readuntil(_END)
    names = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
    return head + await reader.readexactly(int(names.get(b"content-length", b"0")))


async def _reply(
    writer: asyncio.StreamWriter, body: bytes, status: str, kind: str = "application/json"
) -> None:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    await writer.drain()
