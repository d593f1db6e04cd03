"""The account channel: one socket for the whole account."""

from collections.abc import Callable
from random import Random
from typing import final

from pmtui.clients.streams.connection import StreamConnection, Times
from pmtui.clients.streams.malformed_messages import count_oddities
from pmtui.clients.streams.user_protocol import UserProtocol
from pmtui.domain.account.events import UserEvent
from pmtui.domain.health import Link
from pmtui.signing.l2_auth import ApiCredentials
from pmtui.wire.orders import Owner


@final
class UserChannel:
    """Fulfils the service's user stream. Quiet is normal here; only unanswered pings are not.

    The host drops a socket with bad credentials without a word: links that open and go down at
    once say that.
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

    def oddities(self) -> dict[str, int]:
        """Return how often something came that is of no use or cannot be read, by kind."""
        return count_oddities((self.protocol,))

    async def run(
        self, *, on_event: Callable[[UserEvent], None], on_link: Callable[[Link], None]
    ) -> None:
        """Keep the stream up until cancelled; there is no replay, so read REST on every OPEN."""
        await self.connection.run(on_event=on_event, on_link=on_link)
