"""Messages of the market channel and of the account channel, as domain events.

One frame is an object or an array of them, sometimes plain text (`PONG`). The caller counts unreadable
messages by kind; one bad message does not affect its neighbours in an array.

    {"event_type": "book", "asset_id": "7121…", "market": "0xab…", "timestamp": "1780000000000",
     "hash": "5f0c…", "bids": [{"price": "0.42", "size": "120"}], "asks": [{"price": "0.44", "size": "75.5"}]}
    {"market": "0xab…", "price_changes": [{"asset_id": "7121…", "price": "0.43", "size": "0",
     "side": "BUY", "hash": "9d1e…", "best_bid": "0.42", "best_ask": "0.44"}],
     "timestamp": "1780000000123", "event_type": "price_change"}
    {"event_type": "last_trade_price", "asset_id": "7121…", "market": "0xab…", "price": "0.43",
     "size": "10", "side": "BUY", "timestamp": "1780000000456", "transaction_hash": "0xfe…"}
    {"event_type": "tick_size_change", "asset_id": "7121…", "market": "0xab…",
     "old_tick_size": "0.01", "new_tick_size": "0.001", "timestamp": "1780000000789"}
    {"event_type": "order", "type": "UPDATE", "id": "0x12…", "asset_id": "7121…", "side": "BUY",
     "price": "0.42", "original_size": "10", "size_matched": "4", "status": "LIVE", "timestamp": "1780000000"}

Prices are dollars, sizes shares, both as decimal texts; a level's size is absolute and 0 removes it.
Timestamps are milliseconds on the market channel, seconds or milliseconds on the account channel.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, Literal

import msgspec

from pmtui.domain.books.book import SIDES, read_price, read_size
from pmtui.domain.books.market_events import (
    BestBidAsk,
    LevelText,
    LevelTexts,
    MarketCreated,
    MarketEvent,
    MarketResolved,
    PriceChanges,
    TickSizeChanged,
    TradePrinted,
)
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import ONE, PRICE, TICK, Micros, MoneyError
from pmtui.domain.orders.order import (
    OrderChanged,
    OrderEventKind,
    OrderStatus,
    TradeChanged,
    UserEvent,
)
from pmtui.wire import bounds, fields
from pmtui.wire.book_snapshot import checked_price, checked_size, decode_snapshot
from pmtui.wire.bounds import UNREADABLE, Identifier, NotJsonError, WireError, decode_json
from pmtui.wire.fields import Row
from pmtui.wire.orders import Owner, decode_fills, decode_order


@dataclass(frozen=True, slots=True)
class UnknownMessage:
    """A readable message that this program does not use: a new event type, or a plain text."""

    kind: str


@dataclass(frozen=True, slots=True)
class BadMessage:
    """A message of a known type that could not be decoded."""

    kind: str
    reason: str


MarketMessage = MarketEvent | UnknownMessage | BadMessage
UserMessage = UserEvent | UnknownMessage | BadMessage

_HEAD = 160
"""The type of a message appears within this many bytes."""
_LONGEST_KIND = 40
_PLAIN_TEXT_MAX = 40
"""Longest plain text of the venue that is worth reporting: PONG, NO NEW ASSETS, INVALID OPERATION."""


class _Change(msgspec.Struct, gc=False):
    asset_id: Identifier
    price: str
    size: str
    side: Literal["BUY", "SELL"]
    hash: Identifier = ""


class _Changes(
    PriceChanges,
    msgspec.Struct,
    gc=False,
    rename={"condition_id": "market", "changes": "price_changes"},
):
    condition_id: ConditionId
    changes: Annotated[list[_Change], msgspec.Meta(max_length=bounds.MOST_CHANGES)]
    timestamp: Identifier


PRICE_CHANGES_END = b'"price_change"}'
"""The end of a frame of price changes in today's format, in which the type comes last."""
decode_price_changes: Callable[[bytes], PriceChanges] = msgspec.json.Decoder(_Changes).decode
"""Decode such a frame; raises msgspec's `DecodeError` for any that differs from today's format.

Numbers stay texts: the book parses them once, and becomes LOSSY if it cannot.
"""


SMALL_FRAME = 64 * 1024
"""Bytes up to which a frame is decoded as a whole, whatever it contains."""
LARGEST_MESSAGE = 1024 * 1024
"""Bytes in one message: a book of the finest tick with a level on every price has some 700,000."""
_BYTES_A_COMMA = 10
"""Fewer than any level of a book has; denser data grows to many times its size when decoded."""
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])


def split_frame(frame: bytes) -> Iterator[bytes]:
    """Return the messages of a frame that is an array, without decoding them; else the frame itself.

    Raises:
        WireError: the frame must not be decoded: it is not JSON, or of a form that would take too
            long.
    """
    if frame[:SMALL_FRAME].lstrip()[:1] != b"[":
        if len(frame) > LARGEST_MESSAGE:
            raise WireError("", f"a message of {len(frame)} bytes")
        return iter((frame,))
    if frame.count(b",") * _BYTES_A_COMMA > len(frame):
        raise WireError("", "too many values for its length")
    try:
        parts = decode_json(_ARRAY, frame)
    except UNREADABLE as error:
        raise WireError("", "not an array") from error
    if len(parts) > bounds.MOST_MESSAGES or any(
        memoryview(part).nbytes > LARGEST_MESSAGE for part in parts
    ):
        raise WireError("", "too many or too long messages")
    return map(bytes, parts)


def decode_market_frame(frame: bytes) -> tuple[MarketMessage, ...]:
    """Decode one frame of the market channel.

    Raises:
        WireError: it is neither JSON nor a short plain text.
    """
    # According to the protocol, a key that only one type has determines the type.
    if frame.endswith(PRICE_CHANGES_END) or frame.find(b'"price_changes"', 0, _HEAD) > 0:
        try:
            return (decode_price_changes(frame),)
        except UNREADABLE:
            pass
    return _slow_market_frame(frame)


def _slow_market_frame(frame: bytes) -> tuple[MarketMessage, ...]:
    try:
        loaded = fields.load(frame)
    except NotJsonError:
        return (_plain_text(frame),)
    messages = _messages(loaded)
    return tuple(_market_message(message) for message in messages)


def _messages(loaded: object) -> list[object]:
    if not isinstance(loaded, list):
        return [loaded]
    return fields.items(loaded, "messages", most=bounds.MOST_MESSAGES)


def _market_message(message: object) -> MarketMessage:
    if not isinstance(message, dict):
        return UnknownMessage(f"no object: {type(message).__name__}")
    kind = _kind(message)
    decode = _MARKET_EVENTS.get(kind)
    if decode is None:
        return UnknownMessage(kind)
    try:
        return decode(message)
    except (WireError, MoneyError) as error:
        return BadMessage(kind, str(error))


def _kind(message: Row) -> str:
    kind = _kind_of(message, "event_type")
    if kind:
        return kind
    # A book fetched over REST has no event_type.
    return "book" if "bids" in message and "asks" in message else "no event type"


def _kind_of(message: Row, name: str) -> str:
    kind = message.get(name)
    return kind[:_LONGEST_KIND] if isinstance(kind, str) else ""


def _plain_text(frame: bytes) -> UnknownMessage:
    text = frame.strip()
    if len(text) > _PLAIN_TEXT_MAX or not text.isascii() or text[:1] in (b"{", b"[", b'"', b""):
        raise WireError("", f"not JSON: {frame[:60]!r}")
    return UnknownMessage(f"text {text.decode()}")


def _price_changes(source: Row) -> PriceChanges:
    # Until September 2025 one change was at the top level of the message, or several in `changes`.
    listed = source.get("price_changes", source.get("changes"))
    most = bounds.MOST_CHANGES
    rows = [source] if listed is None else fields.items(listed, "price_changes", most=most)
    changes = tuple(_change(fields.row(item, "price_changes"), source) for item in rows)
    return LevelTexts(
        ConditionId(fields.text(source, "market")), changes, fields.text(source, "timestamp")
    )


def _change(source: Row, message: Row) -> LevelText:
    side = SIDES.get(fields.text(source, "side")) or fields.side(source)
    return LevelText(
        asset_id=fields.text(source, "asset_id") or fields.required(message, "asset_id"),
        side=side.value,
        price=checked_price(source),
        size=checked_size(source),
        hash=fields.text(source, "hash"),
    )


def _trade_printed(source: Row) -> TradePrinted:
    return TradePrinted(
        condition_id=ConditionId(fields.text(source, "market")),
        token_id=TokenId(fields.required(source, "asset_id")),
        side=fields.side(source),
        price=read_price(fields.required(source, "price")),
        size=read_size(fields.text(source, "size") or "0"),
        timestamp=fields.text(source, "timestamp"),
        transaction_hash=fields.text(source, "transaction_hash"),
    )


def _tick_size_changed(source: Row) -> TickSizeChanged:
    return TickSizeChanged(
        condition_id=ConditionId(fields.text(source, "market")),
        token_id=TokenId(fields.required(source, "asset_id")),
        old_tick_size=fields.amount(source, "old_tick_size", within=PRICE) or Micros(0),
        new_tick_size=fields.required_amount(source, "new_tick_size", within=TICK),
        timestamp=fields.text(source, "timestamp"),
    )


def _best_bid_ask(source: Row) -> BestBidAsk:
    bid = fields.amount(source, "best_bid", within=PRICE)
    ask = fields.amount(source, "best_ask", within=PRICE)
    return BestBidAsk(
        condition_id=ConditionId(fields.text(source, "market")),
        token_id=TokenId(fields.required(source, "asset_id")),
        # The venue sends 0 or 1 for an empty side; no order can rest at either.
        best_bid=bid if bid and bid < ONE else None,
        best_ask=ask if ask and ask < ONE else None,
        timestamp=fields.text(source, "timestamp"),
    )


def _market_created(source: Row) -> MarketCreated:
    return MarketCreated(
        condition_id=ConditionId(fields.required(source, "market", "condition_id")),
        question=fields.shown(source, "question", most=bounds.TITLE),
        slug=fields.text(source, "slug"),
        token_ids=tuple(map(TokenId, fields.texts(source, "assets_ids", "clob_token_ids"))),
        outcomes=tuple(
            bounds.cut(label, bounds.LABEL)
            for label in fields.items(source.get("outcomes") or [], "outcomes")
            if isinstance(label, str)
        ),
        at=fields.moment(source, "timestamp"),
    )


def _market_resolved(source: Row) -> MarketResolved:
    winner = fields.text(source, "winning_asset_id")
    return MarketResolved(
        condition_id=ConditionId(fields.required(source, "market")),
        token_ids=tuple(map(TokenId, fields.texts(source, "assets_ids"))),
        winning_token_id=TokenId(winner) if winner else None,
        winning_outcome=fields.shown(source, "winning_outcome", most=bounds.LABEL),
        at=fields.moment(source, "timestamp"),
    )


_MARKET_EVENTS: MappingProxyType[str, Callable[[Row], MarketEvent]] = MappingProxyType(
    {
        "book": decode_snapshot,
        "price_change": _price_changes,
        "last_trade_price": _trade_printed,
        "tick_size_change": _tick_size_changed,
        "best_bid_ask": _best_bid_ask,
        "new_market": _market_created,
        "market_resolved": _market_resolved,
    }
)


def decode_user_frame(frame: bytes, owner: Owner) -> tuple[UserMessage, ...]:
    """Decode one frame of the account channel.

    Raises:
        WireError: it is neither JSON nor a short plain text.
    """
    try:
        loaded = fields.load(frame)
    except NotJsonError:
        return (_plain_text(frame),)
    messages = _messages(loaded)
    return tuple(_user_message(message, owner) for message in messages)


def _user_message(message: object, owner: Owner) -> UserMessage:
    if not isinstance(message, dict):
        return UnknownMessage(f"no object: {type(message).__name__}")
    kind = _kind_of(message, "event_type") or _kind_of(message, "type").lower() or "no event type"
    try:
        if kind in ("order", "placement", "update", "cancellation"):
            return _order_changed(message)
        if kind == "trade":
            at = fields.moment(message, "timestamp", "last_update")
            return TradeChanged(decode_fills(message, owner), at)
    except WireError as error:
        return BadMessage(kind, str(error))
    return UnknownMessage(kind)


def _order_changed(source: Row) -> OrderChanged:
    word = fields.text(source, "type").upper()
    if word not in OrderEventKind.__members__:
        raise WireError("type", f"unknown: {word[:20]!r}")
    kind = OrderEventKind[word]
    order = decode_order(source)
    if kind is OrderEventKind.CANCELLATION and order.status.is_open:
        order = replace(order, status=OrderStatus.CANCELLED)
    return OrderChanged(kind, order, fields.moment(source, "timestamp"))
