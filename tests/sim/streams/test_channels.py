"""A reader that does not read must not fill the venue's memory."""

import asyncio
import socket
from collections.abc import Sequence

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from pmtui.sim.streams.channels import Outbox


async def test_a_reader_that_is_too_slow_is_cut_off() -> None:
    outboxes: list[Outbox] = []

    async def flood(connection: ServerConnection) -> None:
        outbox = Outbox(connection, limit=200_000)
        outboxes.append(outbox)
        for _ in range(300):
            outbox.put(b"x" * 1_000)
        await outbox.run()
        with pytest.raises(ConnectionClosed):
            await connection.recv()

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    async with serve(flood, sock=listener) as server:
        names: Sequence[socket.socket] = tuple(server.sockets)
        port = names[0].getsockname()[1]
        async with connect(f"ws://127.0.0.1:{port}", proxy=None) as client:
            with pytest.raises(ConnectionClosed):
                await client.recv()
    assert outboxes[0].is_overrun


async def test_what_fits_is_sent_in_order() -> None:
    async def greet(connection: ServerConnection) -> None:
        outbox = Outbox(connection)
        for word in (b"one", b"two"):
            outbox.put(word)
        sending = asyncio.create_task(outbox.run())
        await connection.wait_closed()
        sending.cancel()

    async with serve(greet, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with connect(f"ws://127.0.0.1:{port}", proxy=None) as client:
            assert [await client.recv(), await client.recv()] == ["one", "two"]
