"""Both channels without a socket: what to send, and how received frames are decoded.

Unknown messages are counted and reported, never fatal.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, Protocol, TypeVar, final

import msgspec

from pmtui.domain.books.market_events import MarketEvent
from pmtui.domain.ids import TokenId
from pmtui.domain.orders.order import UserEvent
from pmtui.signing.auth import ApiCredentials
from pmtui.wire.bounds import UNREADABLE, WireError
from pmtui.wire.orders import Owner
from pmtui.wire.stream import (
    PRICE_CHANGES_END,
    BadMessage,
    UnknownMessage,
    decode_market_frame,
    decode_price_changes,
    decode_user_frame,
)

_NAMED_KINDS = 200
"""Kinds that are counted separately; a channel might invent many."""
CHUNK = 100
"""Tokens in one frame; the host closes the connection on frames with thousands."""
PING = "PING"
PONG = b"PONG"


class Counting(Protocol):
    """The counters of a channel's protocol."""

    @property
    def unknown(self) -> Counter[str]:
        """Readable messages that are not used, by kind."""
        ...

    @property
    def bad(self) -> Counter[str]:
        """Messages and frames that could not be decoded, by kind."""
        ...


def count_kind(counter: Counter[str], kind: str) -> None:
    """Count a message under its kind, or under "others" if there are too many kinds."""
    name = kind[:60]
    counter[name if name in counter or len(counter) < _NAMED_KINDS else "others"] += 1


def count_malformed(protocols: Iterable[Counting]) -> dict[str, int]:
    """Return all counts under names suitable for a log."""
    counts: Counter[str] = Counter()
    for protocol in protocols:
        for kind, count in protocol.unknown.items():
            counts[f"unknown message {kind!r}"] += count
        for kind, count in protocol.bad.items():
            counts[f"unreadable {kind or 'frame'!r}"] += count
    return dict(counts)


E = TypeVar("E")


class _CountingProtocol(Generic[E]):
    """Counts unused and unreadable messages of a channel."""

    def __init__(self) -> None:
        self.unknown: Counter[str] = Counter()
        """Readable messages that are not used, by kind."""
        self.bad: Counter[str] = Counter()
        """Messages and frames that could not be decoded, by kind."""

    def refused(self) -> None:
        """Count a frame that was refused without decoding."""
        self.bad[""] += 1

    def _publish_all(
        self, messages: Iterable[E | UnknownMessage | BadMessage], publish: Callable[[E], None]
    ) -> None:
        for message in messages:
            if isinstance(message, UnknownMessage):
                count_kind(self.unknown, message.kind)
            elif isinstance(message, BadMessage):
                count_kind(self.bad, message.kind)
            else:
                publish(message)


@final
class MarketProtocol(_CountingProtocol[MarketEvent]):
    """The subscriptions of one socket, across reconnects."""

    def __init__(self, *, chunk: int = CHUNK) -> None:
        """Start without tokens; `chunk` is the number of tokens per frame."""
        super().__init__()
        self._chunk = chunk
        self._wanted: frozenset[TokenId] = frozenset()
        self._is_open = False
        self._is_greeted = False

    @property
    def wanted(self) -> frozenset[TokenId]:
        """The subscribed tokens."""
        return self._wanted

    def opened(self) -> Sequence[str]:
        """Return the frames for a new socket: all subscriptions, as the host remembers none."""
        self._is_open, self._is_greeted = True, False
        return self._added(self._wanted)

    def closed(self) -> None:
        """Note that the socket is closed."""
        self._is_open = False

    def watch(self, tokens: frozenset[TokenId]) -> Sequence[str]:
        """Set the subscribed tokens; return the frames to send if a socket is open."""
        added, removed = tokens - self._wanted, self._wanted - tokens
        self._wanted = tokens
        if not self._is_open:
            return ()
        return [*self._removed(removed), *self._added(added)]

    def received(self, frame: bytes, publish: Callable[[MarketEvent], None]) -> bool:
        """Publish the events of a frame; return False for the host's keep-alive message, which is no data.

        Unreadable messages are counted. Only exceptions from `publish` propagate.
        """
        if frame.endswith(PRICE_CHANGES_END):
            # Nearly every frame; one that differs from today's format is decoded again by a slower
            # path.
            try:
                changes = decode_price_changes(frame)
            except UNREADABLE:
                pass
            else:
                publish(changes)
                return True
        if frame == PONG:
            return False
        try:
            messages = decode_market_frame(frame)
        except WireError:
            self.bad[""] += 1
            return True
        self._publish_all(messages, publish)
        return True

    def _added(self, tokens: frozenset[TokenId]) -> list[str]:
        frames: list[str] = []
        for part in self._parts(tokens):
            head: dict[str, object] = {"operation": "subscribe"}
            if not self._is_greeted:
                head = {"type": "market"}
                self._is_greeted = True
            # Includes tops of book, new markets and resolutions.
            frames.append(_text({**head, "assets_ids": part, "custom_feature_enabled": True}))
        return frames

    def _removed(self, tokens: frozenset[TokenId]) -> list[str]:
        return [
            _text({"operation": "unsubscribe", "assets_ids": part}) for part in self._parts(tokens)
        ]

    def _parts(self, tokens: Iterable[TokenId]) -> list[list[TokenId]]:
        # Sorted, so that the same set of tokens always gives the same frames.
        ordered = sorted(tokens)
        return [
            ordered[start : start + self._chunk] for start in range(0, len(ordered), self._chunk)
        ]


def _text(frame: dict[str, object]) -> str:
    return msgspec.json.encode(frame).decode()


@final
class UserProtocol(_CountingProtocol[UserEvent]):
    """One account's channel. No markets are named, because naming some would exclude the rest."""

    def __init__(self, credentials: ApiCredentials, owner: Owner) -> None:
        """Subscribe as this account, whose id marks its orders in a trade."""
        super().__init__()
        self._credentials = credentials
        self._owner = owner

    def opened(self) -> Sequence[str]:
        """Return the frames to send on a new socket."""
        auth = {
            "apiKey": self._credentials.key,
            "secret": self._credentials.secret.reveal_text(),
            "passphrase": self._credentials.passphrase.reveal_text(),
        }
        return [_text({"type": "user", "auth": auth})]

    def closed(self) -> None:
        """Note that the socket is closed; no state is kept."""

    def received(self, frame: bytes, publish: Callable[[UserEvent], None]) -> bool:
        """Publish the events of a frame; return False for a keep-alive message. Failures are counted."""
        if frame == PONG:
            return False
        try:
            messages = decode_user_frame(frame, self._owner)
        except WireError:
            self.bad[""] += 1
            return True
        self._publish_all(messages, publish)
        return True
