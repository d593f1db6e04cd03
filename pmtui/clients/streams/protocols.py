"""Both channels without a socket: what to send, and what the frames that arrive mean.

What nobody understands is counted and told of, never fatal.
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
"""Kinds that are told apart; a channel is not trusted to invent only few."""
CHUNK = 100
"""Tokens named in one frame; the host closes on frames that name thousands."""
PING = "PING"
PONG = b"PONG"


class Counting(Protocol):
    """A channel's protocol, as far as it counts."""

    @property
    def unknown(self) -> Counter[str]:
        """Messages that were readable and of no use, by kind."""
        ...

    @property
    def bad(self) -> Counter[str]:
        """Messages and frames that could not be read, by kind."""
        ...


def count_kind(counter: Counter[str], kind: str) -> None:
    """Count something under its kind, or under "others" where there are too many kinds."""
    name = kind[:60]
    counter[name if name in counter or len(counter) < _NAMED_KINDS else "others"] += 1


def count_malformed(protocols: Iterable[Counting]) -> dict[str, int]:
    """Return all counts under names fit for a log."""
    counts: Counter[str] = Counter()
    for protocol in protocols:
        for kind, count in protocol.unknown.items():
            counts[f"unknown message {kind!r}"] += count
        for kind, count in protocol.bad.items():
            counts[f"unreadable {kind or 'frame'!r}"] += count
    return dict(counts)


E = TypeVar("E")


class _CountingProtocol(Generic[E]):
    """Counts what of a channel is of no use."""

    def __init__(self) -> None:
        self.unknown: Counter[str] = Counter()
        """Messages that were readable and of no use, by kind."""
        self.bad: Counter[str] = Counter()
        """Messages and frames that could not be read, by kind."""

    def refused(self) -> None:
        """Count a frame that was not looked into."""
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
    """One socket's worth of subscriptions, across reconnects."""

    def __init__(self, *, chunk: int = CHUNK) -> None:
        """Start without tokens; frames name so many of them at a time."""
        super().__init__()
        self._chunk = chunk
        self._wanted: frozenset[TokenId] = frozenset()
        self._is_open = False
        self._is_greeted = False

    @property
    def wanted(self) -> frozenset[TokenId]:
        """The tokens to hear about."""
        return self._wanted

    def opened(self) -> Sequence[str]:
        """Return what to send on a new socket: everything again, for nothing is remembered."""
        self._is_open, self._is_greeted = True, False
        return self._added(self._wanted)

    def closed(self) -> None:
        """Note that the socket is gone."""
        self._is_open = False

    def watch(self, tokens: frozenset[TokenId]) -> Sequence[str]:
        """Want these tokens from now on; return what to send if a socket is open."""
        added, removed = tokens - self._wanted, self._wanted - tokens
        self._wanted = tokens
        if not self._is_open:
            return ()
        return [*self._removed(removed), *self._added(added)]

    def received(self, frame: bytes, publish: Callable[[MarketEvent], None]) -> bool:
        """Publish the events of a frame; return False for the host's sign of life, which is no data.

        What cannot be read is counted. Nothing is raised but what `publish` raises.
        """
        if frame.endswith(PRICE_CHANGES_END):
            # Nearly every frame; one that is unlike today's is read again, more patiently.
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
            # With tops of book, new markets and resolutions too.
            frames.append(_text({**head, "assets_ids": part, "custom_feature_enabled": True}))
        return frames

    def _removed(self, tokens: frozenset[TokenId]) -> list[str]:
        return [
            _text({"operation": "unsubscribe", "assets_ids": part}) for part in self._parts(tokens)
        ]

    def _parts(self, tokens: Iterable[TokenId]) -> list[list[TokenId]]:
        # Sorted, so that the same wish always makes the same frames.
        ordered = sorted(tokens)
        return [
            ordered[start : start + self._chunk] for start in range(0, len(ordered), self._chunk)
        ]


def _text(frame: dict[str, object]) -> str:
    return msgspec.json.encode(frame).decode()


@final
class UserProtocol(_CountingProtocol[UserEvent]):
    """One account's channel. No markets are named: naming some would leave out the rest."""

    def __init__(self, credentials: ApiCredentials, owner: Owner) -> None:
        """Subscribe as this account, whose id marks its orders in a trade."""
        super().__init__()
        self._credentials = credentials
        self._owner = owner

    def opened(self) -> Sequence[str]:
        """Return what to send on a new socket."""
        auth = {
            "apiKey": self._credentials.key,
            "secret": self._credentials.secret.reveal_text(),
            "passphrase": self._credentials.passphrase.reveal_text(),
        }
        return [_text({"type": "user", "auth": auth})]

    def closed(self) -> None:
        """Note that the socket is gone; nothing is remembered of it."""

    def received(self, frame: bytes, publish: Callable[[UserEvent], None]) -> bool:
        """Publish the events of a frame; False for the host's sign of life. Failures are counted."""
        if frame == PONG:
            return False
        try:
            messages = decode_user_frame(frame, self._owner)
        except WireError:
            self.bad[""] += 1
            return True
        self._publish_all(messages, publish)
        return True
