"""The account channel without a socket: who we are out, events about own orders and trades in."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import final

import msgspec

from pmtui.clients.streams.malformed_messages import count_kind
from pmtui.clients.streams.market_protocol import PONG
from pmtui.domain.account.events import UserEvent
from pmtui.signing.l2_auth import ApiCredentials
from pmtui.wire.bounds import WireError
from pmtui.wire.orders import Owner
from pmtui.wire.stream import BadMessage, UnknownMessage, decode_user_frame


@final
class UserProtocol:
    """One account's channel. No markets are named: naming some would leave out the rest."""

    def __init__(self, credentials: ApiCredentials, owner: Owner) -> None:
        """Take who we are, and how to tell own orders in a trade."""
        self._credentials = credentials
        self._owner = owner
        self.unknown: Counter[str] = Counter()
        """Messages that were readable and of no use, by kind."""
        self.bad: Counter[str] = Counter()
        """Messages and frames that could not be read, by kind."""

    def opened(self) -> Sequence[str]:
        """Return what to send on a new socket."""
        auth = {
            "apiKey": self._credentials.key,
            "secret": self._credentials.secret.reveal_text(),
            "passphrase": self._credentials.passphrase.reveal_text(),
        }
        return [msgspec.json.encode({"type": "user", "auth": auth}).decode()]

    def closed(self) -> None:
        """Note that the socket is gone; nothing is remembered of it."""

    def refused(self) -> None:
        """Count a frame that was not looked into."""
        self.bad[""] += 1

    def received(self, frame: bytes, tell: Callable[[UserEvent], None]) -> bool:
        """Tell the events of a frame; False for the host's sign of life. Failures are counted."""
        if frame == PONG:
            return False
        try:
            messages = decode_user_frame(frame, self._owner)
        except WireError:
            self.bad[""] += 1
            return True
        for message in messages:
            if isinstance(message, UnknownMessage):
                count_kind(self.unknown, message.kind)
            elif isinstance(message, BadMessage):
                count_kind(self.bad, message.kind)
            else:
                tell(message)
        return True
