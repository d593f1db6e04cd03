"""The market channel unchanged, for whoever keeps what it said and reads it later."""

from collections.abc import Callable, Sequence
from random import Random
from typing import final

from pmtui.clients.streams.connection import Silence, StreamConnection, Times
from pmtui.clients.streams.protocols import PONG, MarketProtocol
from pmtui.domain.health import Link
from pmtui.domain.ids import TokenId


@final
class RawMarketProtocol:
    """Subscribes as a terminal does, and hands frames on without looking into them."""

    def __init__(self, token_ids: frozenset[TokenId]) -> None:
        self._protocol = MarketProtocol()
        _ = self._protocol.watch(token_ids)

    def opened(self) -> Sequence[str]:
        """Return what to send on a new socket."""
        return self._protocol.opened()

    def closed(self) -> None:
        """Note that the socket is gone."""
        self._protocol.closed()

    def refused(self) -> None:
        """Count a frame that was too large to be looked into."""
        self._protocol.refused()

    def received(self, frame: bytes, tell: Callable[[bytes], None]) -> bool:
        """Tell a frame; False for the host's sign of life, which is no data."""
        if frame == PONG:
            return False
        tell(frame)
        return True


@final
class RawMarketChannel:
    """One socket for some tokens, kept up until cancelled."""

    def __init__(
        self,
        url: str,
        token_ids: frozenset[TokenId],
        *,
        random: Random,
        times: Times | None = None,
    ) -> None:
        """Prepare; nothing is opened before `run`.

        Args:
            url: of the channel.
            token_ids: to be heard, a few hundred at most.
            random: spreads the attempts.
            times: when it pings and gives up.
        """
        self._connection: StreamConnection[bytes] = StreamConnection(
            url,
            RawMarketProtocol(token_ids),
            random=random,
            times=times or Times(),
            silence=Silence(),
        )

    async def run(
        self, *, on_frame: Callable[[bytes], None], on_link: Callable[[Link], None]
    ) -> None:
        """Hand on every frame as it arrives; a frame of many messages comes in pieces."""
        await self._connection.run(on_event=on_frame, on_link=on_link)
