"""A host that sends whatever it likes: counted bounds, over real sockets."""

import asyncio
import ssl
import struct
from collections.abc import Awaitable, Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

from websockets.asyncio.server import ServerConnection, serve

from pmtui.clients.streams.channels import MarketChannel
from pmtui.clients.streams.connection import (
    _MESSAGES_A_TURN,
    MAX_MESSAGE,
    MOST_WAITING,
    MOST_WAITING_BYTES,
    SLICE,
    open_socket,
)
from pmtui.domain.books.market_events import MarketEvent, PriceChanges
from pmtui.domain.health import LinkState
from tests.clients.raw_server import answering, frame, serving
from tests.clients.streams.channel_kit import (
    CALM,
    CHANGE,
    channel_to,
    running,
    streaming,
    tokens,
)
from tests.clients.streams.servers import Script, ScriptedServer, scripted, until
from tests.clients.tls_server import make_certificate, needs_openssl

WRITE_LIMIT = 64 * 1024
"""A little more than the library's own."""


def writing(*pieces: bytes, reads: bool = True) -> Callable[[ScriptedServer], Script]:
    """A server that writes bytes past its library, and then listens, or not even that."""

    def make(server: ScriptedServer) -> Script:
        async def script(socket: ServerConnection, number: int) -> None:
            if number == 1:
                if not reads:
                    socket.transport.pause_reading()
                for piece in pieces:
                    socket.transport.write(piece)
            await server.listen(socket, number)

        return script

    return make


async def test_a_flood_of_tiny_frames_waits_outside() -> None:
    flood = [frame(b"{}") * 1_000] * 30
    async with streaming(writing(*flood, frame(CHANGE.encode())), "1") as (_, channel, heard):
        await until(lambda: bool(heard.events), "what came after the flood")
        (connection,) = channel.connections
        assert connection.counts.frames >= 30_001
        assert connection.counts.most_messages <= MOST_WAITING + SLICE // 2


async def test_a_flood_of_large_frames_waits_outside() -> None:
    large = frame(b'{"pad":"' + b"x" * 500_000 + b'"}')
    async with streaming(writing(*[large] * 20, frame(CHANGE.encode())), "1") as (
        _,
        channel,
        heard,
    ):
        await until(lambda: bool(heard.events), "what came after the flood")
        (connection,) = channel.connections
        assert connection.counts.most_bytes <= MOST_WAITING_BYTES + len(large) + SLICE


async def test_pings_whose_answers_nobody_reads_are_left_unread() -> None:
    flood = [frame(b"p" * 125, first=0x89) * 1_000] * 150
    async with streaming(writing(*flood, reads=False), "1", times=replace(CALM, dead_s=1.0)) as (
        _,
        channel,
        heard,
    ):
        await until(lambda: LinkState.SILENT in heard.states(), "the end of it")
        (connection,) = channel.connections
        assert connection.counts.most_unsent <= WRITE_LIMIT + SLICE
        assert "ping" in next(li.reason for li in heard.links if li.reason)


async def test_a_frame_of_a_million_lists_is_not_looked_into() -> None:
    giant = b"[" + b"[]," * ((MAX_MESSAGE - 10) // 3) + b"[]]"
    async with streaming(writing(frame(giant), frame(CHANGE.encode())), "1") as (_, channel, heard):
        await until(lambda: bool(heard.events), "what came after it")
        (connection,) = channel.connections
        assert connection.counts.refused == 1
        assert connection.epoch == 1
        assert channel.malformed_messages() == {"unreadable 'frame'": 1}


async def test_a_frame_above_the_largest_ends_the_connection_unread() -> None:
    async with streaming(writing(bytes((0x81, 127)) + struct.pack("!Q", MAX_MESSAGE + 1)), "1") as (
        _,
        _,
        heard,
    ):
        await until(lambda: LinkState.DOWN in heard.states(), "the end of it")
        assert heard.events == []


async def test_a_message_of_endless_empty_parts_ends_the_connection() -> None:
    parts = [frame(b"", first=0x01), *[frame(b"", first=0x00) * 1_000] * 100]
    async with streaming(writing(*parts), "1") as (_, channel, heard):
        await until(lambda: LinkState.DOWN in heard.states(), "the end of it")
        (connection,) = channel.connections
        assert connection.counts.frames == 0


async def test_a_message_that_drips_counts_as_silence() -> None:
    def make(server: ScriptedServer) -> Script:
        async def script(socket: ServerConnection, number: int) -> None:
            socket.transport.write(bytes((0x81, 127)) + struct.pack("!Q", 1_000_000))
            while number == 1 and not socket.transport.is_closing():
                socket.transport.write(b" ")
                await asyncio.sleep(0.01)

        return script

    async with streaming(make, "1", times=replace(CALM, dead_s=0.4, message_s=0.2)) as (
        _,
        _,
        heard,
    ):
        await until(lambda: LinkState.SILENT in heard.states(), "the end of it")


async def test_others_get_their_turn_within_a_frame_of_many_messages() -> None:
    sent, seen = 2_000, [0]
    many = f"[{','.join([CHANGE] * sent)}]".encode()

    async def look(events: list[MarketEvent]) -> None:
        while seen[-1] < sent:
            seen.append(len(events))
            await asyncio.sleep(0)

    async with streaming(writing(frame(many)), "1") as (_, _, heard):
        await asyncio.wait_for(look(heard.events), 60)
        assert all(isinstance(event, PriceChanges) for event in heard.events)
    portions = [after - before for before, after in pairwise(seen)]
    assert max(portions) <= 2 * _MESSAGES_A_TURN


async def test_a_redirect_is_not_followed() -> None:
    async with scripted(writing()) as elsewhere:
        location = f"Location: {elsewhere.url}\r\n"
        moved = answering(b"", status="302 Found", headers=location)
        async with serving(moved) as server:
            channel = MarketChannel(server.url.replace("http", "ws"), random=Random(1), times=CALM)
            channel.watch(tokens("1"))
            async with running(channel) as heard:
                await until(lambda: heard.states().count(LinkState.DOWN) > 2, "three refusals")
                assert elsewhere.connections == 0
                assert "302" in heard.links[1].reason
                assert len(server.calls) >= 3


async def test_a_close_is_not_held_up_by_what_waits() -> None:
    """A reader that stops in the middle of a flood still ends in an orderly way."""
    taken: list[MarketEvent] = []
    ended: Awaitable[object]

    async with scripted(writing(*[frame(CHANGE.encode()) * 100] * 300)) as server:
        channel = channel_to(server, times=replace(CALM, close_s=30.0))
        channel.watch(tokens("1"))
        running_channel = asyncio.create_task(
            channel.run(on_event=taken.append, on_link=lambda _: None)
        )
        await until(lambda: len(taken) > 1_000, "the middle of the flood")
        running_channel.cancel()
        ended = asyncio.gather(running_channel, return_exceptions=True)
        await asyncio.wait_for(ended, 25)


@needs_openssl
async def test_a_flood_waits_outside_under_tls_too(tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path, "127.0.0.1")
    theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    theirs.load_cert_chain(certificate)

    async def flood(socket: ServerConnection) -> None:
        for _ in range(100):
            socket.transport.write(frame(CHANGE.encode()) * 300)
        await socket.wait_closed()

    async with serve(flood, "127.0.0.1", 0, ssl=theirs, compression=None) as server:
        port = server.sockets[0].getsockname()[1]
        ours = ssl.create_default_context(cafile=str(certificate))
        socket = await open_socket(
            f"wss://127.0.0.1:{port}", ssl=ours, proxy=None, close_timeout=20
        )
        await until(lambda: socket.messages >= MOST_WAITING, "a full queue")
        for _ in range(50):
            await asyncio.sleep(0)
        assert socket.counts.most_messages <= MOST_WAITING + SLICE // 2
        for _ in range(30_000):
            socket.consumed(len(await socket.recv(decode=False)))
        socket.discard()
        await socket.close()
