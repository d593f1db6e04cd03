"""The market channel and the account channel: reconnecting sockets, each channel seen as one stream.

The market channel opens as many sockets as the wanted tokens need: few sockets, few moves, and a market's
tokens together. The host sends a change of a market once on each socket with one of its tokens, so a market
on two sockets is decoded twice, and its two books can no longer share their levels.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import NewType, final

from pmtui.clients.streams.connection import SilenceTimeout, StreamConnection, Times
from pmtui.clients.streams.protocols import (
    CHUNK,
    PONG,
    MarketProtocol,
    UserProtocol,
    count_malformed,
)
from pmtui.domain.books.market_events import MarketEvent
from pmtui.domain.health import Link, LinkState
from pmtui.domain.ids import TokenId
from pmtui.domain.orders.order import UserEvent
from pmtui.signing.auth import ApiCredentials
from pmtui.wire.orders import Owner

Group = NewType("Group", frozenset[TokenId])
"""Tokens that stay together."""
TOKENS_PER_SOCKET = 400
"""With more than about 500, an adapter received no first books (reported 2026)."""

_WORST_FIRST = (LinkState.DOWN, LinkState.SILENT, LinkState.CONNECTING, LinkState.OPEN)


def make_groups(
    tokens: frozenset[TokenId], together: Iterable[Iterable[TokenId]]
) -> frozenset[Group]:
    """Return groups that contain each token exactly once.

    Args:
        tokens: the wanted tokens; others in `together` are left out.
        together: tokens that belong together; every other token is a group by itself.
    """
    left = set(tokens)
    groups: set[Group] = set()
    for named in together:
        group = Group(frozenset(left.intersection(named)))
        if len(group) > 1:
            left -= group
            groups.add(group)
    return frozenset(groups) | {Group(frozenset((token,))) for token in left}


def assign_tokens(
    held: Sequence[frozenset[TokenId]], groups: Iterable[Group], *, limit: int
) -> list[frozenset[TokenId]]:
    """Return the tokens of each socket: first the existing sockets, then further ones.

    A group that is complete on one socket stays there. Any other is gathered on a socket that has
    some of it, or moves to one with room.

    Args:
        held: the tokens of each socket now.
        groups: from `make_groups`.
        limit: tokens per socket; larger groups are split.
    """
    sockets: list[set[TokenId]] = [set() for _ in held]
    pieces = sorted((piece for group in groups for piece in _pieces(group, limit)), key=min)
    scattered: list[frozenset[TokenId]] = []
    for piece in pieces:
        home = next((index for index, tokens in enumerate(held) if piece <= tokens), None)
        if home is None:
            scattered.append(piece)
        else:
            sockets[home] |= piece
    # Pieces that already have a socket come before those that do not.
    scattered.sort(key=lambda piece: not any(piece & tokens for tokens in held))
    for piece in scattered:
        best = sorted(range(len(held)), key=lambda index: -len(piece & held[index]))
        order = [*best, *range(len(held), len(sockets))]
        fitting = (index for index in order if len(sockets[index]) + len(piece) <= limit)
        home = next(fitting, None)
        if home is None:
            sockets.append(set(piece))
        else:
            sockets[home] |= piece
    return [frozenset(tokens) for tokens in sockets]


def _pieces(group: Group, limit: int) -> list[frozenset[TokenId]]:
    ordered = sorted(group)
    return [frozenset(ordered[start : start + limit]) for start in range(0, len(ordered), limit)]


@dataclass(slots=True)
class _Shard:
    protocol: MarketProtocol
    connection: StreamConnection[MarketEvent]
    link: Link
    task: asyncio.Task[None] | None = None


@final
class MarketChannel:
    """Implements the service's market stream."""

    def __init__(
        self,
        url: str,
        *,
        random: Random,
        times: Times | None = None,
        make_silence: Callable[[], SilenceTimeout] = SilenceTimeout,
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
        """The current sockets."""
        return tuple(shard.connection for shard in self._shards)

    @property
    def protocols(self) -> tuple[MarketProtocol, ...]:
        """Their protocols, with counts of unreadable messages."""
        return tuple(shard.protocol for shard in self._shards)

    def malformed_messages(self) -> dict[str, int]:
        """Return how many unused or unreadable messages were received, by kind."""
        return count_malformed(self.protocols)

    def disconnected(self) -> frozenset[TokenId]:
        """Return the tokens whose socket is not open."""
        closed = (s.protocol.wanted for s in self._shards if s.link.state is not LinkState.OPEN)
        return frozenset[TokenId]().union(*closed)

    def watch(
        self, token_ids: frozenset[TokenId], *, together: Iterable[Iterable[TokenId]] = ()
    ) -> None:
        """Set the tokens to subscribe to; takes effect on the open sockets.

        Args:
            token_ids: all wanted tokens.
            together: tokens to put on one socket; may contain unwanted ones.
        """
        groups = make_groups(token_ids, together)
        if groups != self._groups:
            self._wanted, self._groups = token_ids, groups
            self._changed.set()

    async def run(
        self, *, on_event: Callable[[MarketEvent], None], on_link: Callable[[Link], None]
    ) -> None:
        """Keep the stream connected until cancelled."""
        self._changed.set()
        try:
            async with asyncio.TaskGroup() as tasks:
                while True:
                    await self._changed.wait()
                    self._changed.clear()
                    if self._assign_tokens():
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
        def on_shard_link(link: Link) -> None:
            shard.link = link
            if link.state is LinkState.CONNECTING:
                self._epoch += 1
            on_link(self._whole())

        await shard.connection.run(on_event=on_event, on_link=on_shard_link)

    def _whole(self) -> Link:
        """Return one link for all sockets: the worst of them, or idle without any."""
        if not self._shards:
            return Link(LinkState.IDLE, self._epoch)
        links = [shard.link for shard in self._shards]
        worst = min(links, key=lambda link: _WORST_FIRST.index(link.state))
        return Link(worst.state, self._epoch, worst.reason)

    def _assign_tokens(self) -> bool:
        """Assign every wanted token to a socket with as few moves as possible; return whether any moved."""
        held = [shard.protocol.wanted & self._wanted for shard in self._shards]
        shares = assign_tokens(held, self._groups, limit=self._tokens_per_socket)
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


@final
class UserChannel:
    """Implements the service's user stream. Silence is normal here; only unanswered pings are not.

    The host closes a socket with bad credentials without a message: links that open and go down at
    once are a sign of that.
    """

    def __init__(
        self,
        url: str,
        credentials: ApiCredentials,
        owner: Owner,
        *,
        random: Random,
        times: Times | None = None,
    ) -> None:
        """Prepare; no socket is opened before `run`."""
        self.protocol = UserProtocol(credentials, owner)
        self.connection: StreamConnection[UserEvent] = StreamConnection(
            url, self.protocol, random=random, times=times or Times()
        )

    def malformed_messages(self) -> dict[str, int]:
        """Return how many unused or unreadable messages were received, by kind."""
        return count_malformed((self.protocol,))

    async def run(
        self, *, on_event: Callable[[UserEvent], None], on_link: Callable[[Link], None]
    ) -> None:
        """Keep the stream connected until cancelled; nothing is replayed, so read REST on every OPEN."""
        await self.connection.run(on_event=on_event, on_link=on_link)


@final
class RawMarketProtocol:
    """Subscribes like a terminal, and passes frames on without decoding them."""

    def __init__(self, token_ids: frozenset[TokenId]) -> None:
        self._protocol = MarketProtocol()
        _ = self._protocol.watch(token_ids)

    def opened(self) -> Sequence[str]:
        """Return the frames to send on a new socket."""
        return self._protocol.opened()

    def closed(self) -> None:
        """Note that the socket is closed."""
        self._protocol.closed()

    def refused(self) -> None:
        """Count a frame that was too large to be decoded."""
        self._protocol.refused()

    def received(self, frame: bytes, publish: Callable[[bytes], None]) -> bool:
        """Publish a frame; return False for the host's keep-alive message, which is no data."""
        if frame == PONG:
            return False
        publish(frame)
        return True


@final
class RawMarketChannel:
    """One socket for some tokens, kept connected until cancelled."""

    def __init__(
        self,
        url: str,
        token_ids: frozenset[TokenId],
        *,
        random: Random,
    ) -> None:
        """Prepare; nothing is opened before `run`.

        Args:
            url: of the channel.
            token_ids: the tokens to subscribe to, a few hundred at most.
            random: adds jitter to the reconnection attempts.
        """
        self._connection: StreamConnection[bytes] = StreamConnection(
            url,
            RawMarketProtocol(token_ids),
            random=random,
            times=Times(),
            silence=SilenceTimeout(),
        )

    async def run(
        self, *, on_frame: Callable[[bytes], None], on_link: Callable[[Link], None]
    ) -> None:
        """Pass on every frame as it arrives; a frame with many messages is split."""
        await self._connection.run(on_event=on_frame, on_link=on_link)
