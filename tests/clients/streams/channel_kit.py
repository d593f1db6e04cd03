"""Channels to a scripted server, with calm times."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from random import Random
from typing import Any

from pmtui.clients.streams.channels import MarketChannel
from pmtui.clients.streams.connection import SilenceTimeout, Times
from pmtui.domain.books.market_events import MarketEvent
from pmtui.domain.health import Link, LinkState
from pmtui.domain.ids import TokenId
from tests.clients.streams.servers import Script, ScriptedServer, scripted

CALM = Times(first_delay_s=0.01, longest_delay_s=0.05, close_s=0.2)
CHANGE = (
    '{"market":"0xaa","price_changes":[{"asset_id":"1","price":"0.41","size":"19","side":"BUY",'
    '"hash":"h","best_bid":"0.41","best_ask":"0.6"}],"timestamp":"1790000000001",'
    '"event_type":"price_change"}'
)


class Heard:
    def __init__(self) -> None:
        self.events: list[MarketEvent] = []
        self.links: list[Link] = []

    def states(self) -> list[LinkState]:
        return [link.state for link in self.links]


def tokens(*names: str) -> frozenset[TokenId]:
    return frozenset(map(TokenId, names))


@asynccontextmanager
async def running(channel: MarketChannel) -> AsyncIterator[Heard]:
    heard = Heard()
    task = asyncio.create_task(
        channel.run(on_event=heard.events.append, on_link=heard.links.append)
    )
    try:
        yield heard
        assert not task.done(), "the stream ended by itself"
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def channel_to(
    server: ScriptedServer,
    *names: str,
    times: Times = CALM,
    shortest_s: float = 60.0,
    first_wait_s: float = 60.0,
    tokens_per_socket: int = 400,
    chunk: int = 100,
) -> MarketChannel:
    channel = MarketChannel(
        server.url,
        random=Random(1),
        times=times,
        make_silence=lambda: SilenceTimeout(shortest_s=shortest_s, first_wait_s=first_wait_s),
        tokens_per_socket=tokens_per_socket,
        chunk=chunk,
    )
    channel.watch(tokens(*names))
    return channel


@asynccontextmanager
async def streaming(
    make: Callable[[ScriptedServer], Script], *names: str, **options: Any
) -> AsyncIterator[tuple[ScriptedServer, MarketChannel, Heard]]:
    """Run a channel that watches some tokens of a scripted server."""
    async with scripted(make) as server:
        channel = channel_to(server, *names, **options)
        async with running(channel) as heard:
            yield server, channel, heard
