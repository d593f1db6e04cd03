"""A host of our own on loopback that answers with exactly the bytes a test names."""

import asyncio
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx

from pmtui.clients.http.client import HttpHost, Pace

Handler = Callable[["Call"], Awaitable[None]]


@dataclass
class Call:
    """One connection's request, and the way to answer it."""

    head: bytes
    body: bytes
    writer: asyncio.StreamWriter

    @property
    def line(self) -> str:
        return self.head.split(b"\r\n", 1)[0].decode()

    @property
    def headers(self) -> dict[str, str]:
        pairs = (line.split(b": ", 1) for line in self.head.split(b"\r\n")[1:] if line)
        return {name.decode().lower(): value.decode() for name, value in pairs}

    async def send(self, raw: bytes) -> None:
        self.writer.write(raw)
        await self.writer.drain()

    async def answer(
        self,
        body: bytes,
        *,
        status: str = "200 OK",
        headers: str = "",
        kind: str = "application/json",
    ) -> None:
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        await self.send(head.encode() + headers.encode() + b"\r\n" + body)

    def reset(self) -> None:
        self.writer.transport.abort()


@dataclass
class RawServer:
    url: str
    calls: list[Call] = field(default_factory=list)
    hosts: list[HttpHost] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        return [call.line for call in self.calls]

    def host(self, path: str = "") -> HttpHost:
        """A transport to this server that does not wait, closed together with it."""
        host = HttpHost(self.url + path, pace=Pace(sleep=_no_wait), timeouts=httpx.Timeout(2.0))
        self.hosts.append(host)
        return host


async def _no_wait(_seconds: float) -> None:
    return


@asynccontextmanager
async def serving(*handlers: Handler) -> AsyncIterator[RawServer]:
    """Serve: the n-th request is met by the n-th handler, later ones by the last."""
    server_view = RawServer("")
    connections: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        try:
            await _serve_connection(reader, writer, server_view, handlers)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()
            connections.discard(task)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server_view.url = f"http://127.0.0.1:{port}"
    try:
        yield server_view
    finally:
        for host in server_view.hosts:
            await host.aclose()
        server.close()
        for task in list(connections):
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)


async def _serve_connection(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    view: RawServer,
    handlers: tuple[Handler, ...],
) -> None:
    while not writer.is_closing():
        head = await reader.readuntil(b"\r\n\r\n")
        call = Call(head.removesuffix(b"\r\n\r\n"), b"", writer)
        call.body = await reader.readexactly(int(call.headers.get("content-length", "0")))
        view.calls.append(call)
        await handlers[min(len(view.calls), len(handlers)) - 1](call)


def answering(body: bytes, **kwargs: str) -> Handler:
    async def handler(call: Call) -> None:
        await call.answer(body, **kwargs)

    return handler


def sending(raw: bytes, *, then_close: bool = True) -> Handler:
    async def handler(call: Call) -> None:
        await call.send(raw)
        if then_close:
            call.writer.close()

    return handler


async def resetting(call: Call) -> None:
    call.reset()


async def silent(call: Call) -> None:
    await asyncio.Event().wait()


def frame(data: bytes, *, first: int = 0x81) -> bytes:
    """Return a WebSocket frame as a server sends it."""
    if len(data) < 126:
        return bytes((first, len(data))) + data
    if len(data) < 65_536:
        return bytes((first, 126)) + struct.pack("!H", len(data)) + data
    return bytes((first, 127)) + struct.pack("!Q", len(data)) + data
