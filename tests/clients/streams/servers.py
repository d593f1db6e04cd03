"""Scripted WebSocket servers on loopback, and waiting for things to become true."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import msgspec
from websockets.asyncio.server import ServerConnection, serve

Script = Callable[[ServerConnection, int], Awaitable[None]]
"""What a server does with its n-th connection, from 1."""


class ScriptedServer:
    def __init__(self, script: Script) -> None:
        self._script = script
        self.connections = 0
        self.received: list[tuple[int, str]] = []
        self.url = ""

    async def handle(self, socket: ServerConnection) -> None:
        self.connections += 1
        await self._script(socket, self.connections)

    def operations(self, connection: int) -> list[dict[str, object]]:
        """The JSON frames of one connection, pings left out."""
        texts = [text for number, text in self.received if number == connection and text != "PING"]
        return [msgspec.json.decode(text) for text in texts]

    async def listen(self, socket: ServerConnection, number: int, *, pong: bool = True) -> None:
        """Note everything until the client goes."""
        async for frame in socket:
            assert isinstance(frame, str)
            self.received.append((number, frame))
            if frame == "PING" and pong:
                await socket.send("PONG")


@asynccontextmanager
async def scripted(
    make: Callable[[ScriptedServer], Script],
) -> AsyncIterator[ScriptedServer]:
    server: ScriptedServer

    async def run(socket: ServerConnection, number: int) -> None:
        await script(socket, number)

    server = ScriptedServer(run)
    script = make(server)
    async with serve(server.handle, "127.0.0.1", 0, compression=None, max_size=None) as listening:
        port = listening.sockets[0].getsockname()[1]
        server.url = f"ws://127.0.0.1:{port}/ws/market"
        yield server


async def until(condition: Callable[[], bool], what: str, *, limit_s: float = 60.0) -> None:
    """Wait for a named condition."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + limit_s
    while not condition():
        assert loop.time() < deadline, f"never: {what}"
        await asyncio.sleep(0.002)
