"""The market channel: whoever connects names tokens and gets their books and every change.

What is answered to which frame follows WIRE_CLOB §16.1. Unknown tokens are ignored; a connection
that asks for nothing gets nothing.
"""

from collections.abc import Sequence

import msgspec
from typing_extensions import override

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.sim.controls import Framing
from pmtui.sim.streams.frames import Frame
from pmtui.sim.streams.outbox import Outbox
from pmtui.sim.streams.publisher import Publisher, Watcher
from pmtui.sim.venue import Venue
from pmtui.wire.errors import UNREADABLE

INVALID_OPERATION = b"INVALID OPERATION"
NO_NEW_ASSETS = b"NO NEW ASSETS"


class MarketRequest(msgspec.Struct):
    """A frame from a client of the market channel."""

    type: str = ""
    operation: str = ""
    assets_ids: list[str] = []
    custom_feature_enabled: bool | None = None
    initial_dump: bool = True
    level: int = 2


_decoder = msgspec.json.Decoder(MarketRequest)


class MarketSession(Watcher):
    """One connection of the market channel."""

    def __init__(self, venue: Venue, publisher: Publisher, outbox: Outbox) -> None:
        self._venue = venue
        self._publisher = publisher
        self._outbox = outbox
        # A dict keeps the order in which tokens were asked for.
        self._tokens: dict[TokenId, ConditionId] = {}
        self._is_custom = False
        self._has_begun = False

    def receive(self, data: bytes) -> None:
        """Act on a frame from the client."""
        try:
            request = _decoder.decode(data)
        except UNREADABLE:
            self._outbox.put(INVALID_OPERATION)
            return
        match request.operation, request.type.lower():
            case "subscribe", _:
                self._add(request)
            case "unsubscribe", _:
                self._remove(request.assets_ids)
            case "", "market" if not self._has_begun:
                self._add(request)
            case _:
                self._outbox.put(INVALID_OPERATION)

    def leave(self) -> None:
        """End everything: the connection is gone."""
        self._publisher.leave(self)

    @override
    def take(self, frames: Sequence[Frame]) -> None:
        for frame in frames:
            if (self._is_custom or not frame.is_custom) and (
                frame.token_id is None or frame.token_id in self._tokens
            ):
                self._outbox.put(self._worded(frame.data))

    def _worded(self, data: bytes) -> bytes:
        if self._venue.switches.streams.has_lower_case_sides:
            return data.replace(b'"side":"BUY"', b'"side":"buy"').replace(
                b'"side":"SELL"', b'"side":"sell"'
            )
        return data

    def _add(self, request: MarketRequest) -> None:
        is_first = not self._has_begun
        self._has_begun = True
        if request.custom_feature_enabled is not None:
            self._is_custom = request.custom_feature_enabled
        if self._is_custom:
            self._publisher.watch_listings(self)
        wanted = [TokenId(t) for t in dict.fromkeys(request.assets_ids) if t not in self._tokens]
        if not wanted:
            if not is_first:
                self._outbox.put(NO_NEW_ASSETS)
            return
        books = [book for token_id in wanted if (book := self._watch(token_id)) is not None]
        if books and request.initial_dump:
            # In no useful order, as the service sends them; the same for the same tokens.
            books.sort(key=hash_of)
            if self._venue.switches.streams.framing is Framing.OBJECTS:
                for book in books:
                    self._outbox.put(book.encode())
            else:
                self._outbox.put(f"[{','.join(books)}]".encode())

    def _watch(self, token_id: TokenId) -> str | None:
        condition_id = self._venue.exchange.reads.market_of(token_id)
        if condition_id is None:
            return None
        ladder = self._publisher.watch(condition_id, self)
        if ladder is None:
            return None
        self._tokens[token_id] = condition_id
        return ladder.book_frame(ladder.index_of(token_id), with_last_price=True)

    def _remove(self, tokens: Sequence[str]) -> None:
        for text in tokens:
            condition_id = self._tokens.pop(TokenId(text), None)
            if condition_id is not None and condition_id not in self._tokens.values():
                self._publisher.unwatch(condition_id, self)


def hash_of(book: str) -> str:
    """Return the hash written in a book event."""
    return book.partition('"hash":"')[2][:40]
