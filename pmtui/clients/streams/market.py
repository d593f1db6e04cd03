"""The public market channel: as many sockets as the wanted tokens need, seen as one stream."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import final

from pmtui.clients.streams.connection import StreamConnection, Times
from pmtui.clients.streams.malformed_messages import count_oddities
from pmtui.clients.streams.market_protocol import CHUNK, MarketProtocol
from pmtui.clients.streams.sharing import Group, make_groups, share_out
from pmtui.clients.streams.silence import Silence
from pmtui.domain.books.market_events import MarketEvent
from pmtui.domain.health import Link, LinkState
from pmtui.domain.ids import TokenId

TOKENS_PER_SOCKET = 400
"""Beyond some 500 an adapter has seen no first books (reported 2026)."""

_WORST_FIRST = (LinkState.DOWN, LinkState.SILENT, LinkState.CONNECTING, LinkState.OPEN)


@dataclass(slots=True)
class _Shard:
    protocol: MarketProtocol
    connection: StreamConnection[MarketEvent]
    link: Link
    task: asyncio.Task[None] | None = None


@final
class MarketChannel:
    """Fulfils the service's market stream."""

    def __init__(
        self,
        url: str,
        *,
        random: Random,
        times: Times | None = None,
        make_silence: Callable[[], Silence] = Silence,
        tokens_per_socket: int = TOKENS_PER_SOCKET,
        chunk: int = CHUNK,
    ) -> None:
        """Prepare; no socket is opened before `run` and the first token."""
        self._url = url
        self._random = random
        self._times = times or Times()
        self._make_silence = make_silence
        self._tokens_per_socket = tokens_per_socket
        self._chunk = chunk
        self._wanted: frozenset[TokenId] = frozenset()
        self._groups: frozenset[Group] = frozenset()
        self._shards: list[_Shard] = []
        self._changed = asyncio.Event()
        self._epoch = 0

    @property
    def connections(self) -> tuple[StreamConnection[MarketEvent], ...]:
        """The sockets there are now."""
        return tuple(shard.connection for shard in self._shards)

    @property
    def protocols(self) -> tuple[MarketProtocol, ...]:
        """Their protocols, with what they could not read."""
        return tuple(shard.protocol for shard in self._shards)

    def oddities(self) -> dict[str, int]:
        """Return how often something came that is of no use or cannot be read, by kind."""
        return count_oddities(self.protocols)

    def deaf(self) -> frozenset[TokenId]:
        """Return the tokens whose socket is not open."""
        closed = (s.protocol.wanted for s in self._shards if s.link.state is not LinkState.OPEN)
        return frozenset[TokenId]().union(*closed)

    def watch(
        self, token_ids: frozenset[TokenId], *, together: Iterable[Iterable[TokenId]] = ()
    ) -> None:
        """Make this the set of tokens to hear about; takes effect on the open sockets.

        Args:
            token_ids: all of them.
            together: tokens to be heard on one socket; may name unwanted ones.
        """
        groups = make_groups(token_ids, together)
        if groups != self._groups:
            self._wanted, self._groups = token_ids, groups
            self._changed.set()

    async def run(
        self, *, on_event: Callable[[MarketEvent], None], on_link: Callable[[Link], None]
    ) -> None:
        """Keep the stream up until cancelled."""
        self._changed.set()
        try:
            async with asyncio.TaskGroup() as tasks:
                while True:
                    await self._changed.wait()
                    self._changed.clear()
                    if self._share_out():
                        on_link(self._whole())
                    for shard in self._shards:
                        if shard.task is None:
                            shard.task = tasks.create_task(self._keep(shard, on_event, on_link))
        finally:
            self._shards.clear()

    async def _keep(
        self,
        shard: _Shard,
        on_event: Callable[[MarketEvent], None],
        on_link: Callable[[Link], None],
    ) -> None:
        def heard(link: Link) -> None:
            shard.link = link
            if link.state is LinkState.CONNECTING:
                self._epoch += 1
            on_link(self._whole())

        await shard.connection.run(on_event=on_event, on_link=heard)

    def _whole(self) -> Link:
        """Return one link for all sockets: as good as the worst of them, idle without any."""
        if not self._shards:
            return Link(LinkState.IDLE, self._epoch)
        links = [shard.link for shard in self._shards]
        worst = min(links, key=lambda link: _WORST_FIRST.index(link.state))
        return Link(worst.state, self._epoch, worst.reason)

    def _share_out(self) -> bool:
        """Give every wanted token a socket, moving as few as can be; return whether any went."""
        held = [shard.protocol.wanted & self._wanted for shard in self._shards]
        shares = share_out(held, self._groups, limit=self._tokens_per_socket)
        self._shards += [self._new_shard() for _ in range(len(shares) - len(held))]
        for shard, tokens in zip(self._shards, shares, strict=True):
            shard.connection.send(shard.protocol.watch(tokens))
        unneeded = [shard for shard in self._shards if not shard.protocol.wanted]
        for shard in unneeded:
            self._shards.remove(shard)
            if shard.task is not None:
                shard.task.cancel()
        return bool(unneeded)

    def _new_shard(self) -> _Shard:
        protocol = MarketProtocol(chunk=self._chunk)
        connection: StreamConnection[MarketEvent] = StreamConnection(
            self._url,
            protocol,
            random=self._random,
            times=self._times,
            silence=self._make_silence(),
        )
        return _Shard(protocol, connection, Link(LinkState.CONNECTING, 0))
