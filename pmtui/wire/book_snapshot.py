"""Decoding of a whole book, from a frame of the market channel or from a reply to a request.

Prices and sizes stay the texts received, because the venue's hash is over texts; each of them is
still parsed once here, so that an invalid book is refused as a whole.
"""

from typing import Annotated

import msgspec

from pmtui.domain.books.book import read_price, read_size
from pmtui.domain.books.market_events import BookSnapshot, TextLevel
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import PRICE, SIZE, TICK, MoneyError, Range
from pmtui.wire import bounds, fields
from pmtui.wire.bounds import UNREADABLE, Identifier, WireError
from pmtui.wire.fields import Row

_Levels = Annotated[tuple[TextLevel, ...], msgspec.Meta(max_length=bounds.MOST_LEVELS)]


class _Book(msgspec.Struct, gc=False):
    market: Identifier
    asset_id: Identifier
    bids: _Levels
    asks: _Levels
    timestamp: Identifier
    hash: Identifier = ""
    min_order_size: str | None = None
    tick_size: str | None = None
    neg_risk: bool | None = None
    last_trade_price: str | None = None


_decode_book = msgspec.json.Decoder(_Book).decode


def decode_snapshot(source: Row) -> BookSnapshot:
    """Decode a whole book, from the stream or from a reply.

    Raises:
        WireError: a field cannot be decoded.
        MoneyError: a price or size is invalid.
    """
    flag = source.get("neg_risk")
    if flag is not None and not isinstance(flag, bool):
        raise WireError("neg_risk", "not a boolean")
    return BookSnapshot(
        token_id=TokenId(fields.required(source, "asset_id")),
        condition_id=ConditionId(fields.required(source, "market")),
        bids=_levels(source, "bids", "buys"),
        asks=_levels(source, "asks", "sells"),
        timestamp=fields.text(source, "timestamp"),
        hash=fields.text(source, "hash"),
        min_order_size=_optional_amount(source.get("min_order_size"), "min_order_size", SIZE),
        tick_size=_optional_amount(source.get("tick_size"), "tick_size", TICK) or None,
        neg_risk=flag,
        last_trade_price=_optional_amount(
            source.get("last_trade_price"), "last_trade_price", PRICE
        ),
    )


def decode_snapshot_body(body: bytes) -> BookSnapshot:
    """Decode a whole book from bytes, by a fast path if it has the usual types.

    Raises:
        WireError: the body is not a book.
        MoneyError: a price or size is invalid.
    """
    try:
        raw = _decode_book(body)
        for level in (*raw.bids, *raw.asks):
            read_price(level.price)
            read_size(level.size)
    except (*UNREADABLE, MoneyError):
        return decode_snapshot(fields.load_object(body, "book"))
    return BookSnapshot(
        TokenId(raw.asset_id),
        ConditionId(raw.market),
        raw.bids,
        asks=raw.asks,
        timestamp=raw.timestamp,
        hash=raw.hash,
        min_order_size=_optional_amount(raw.min_order_size, "min_order_size", SIZE),
        tick_size=_optional_amount(raw.tick_size, "tick_size", TICK) or None,
        neg_risk=raw.neg_risk,
        last_trade_price=_optional_amount(raw.last_trade_price, "last_trade_price", PRICE),
    )


def _optional_amount(value: object, name: str, within: Range) -> str | None:
    if value is None:
        return None
    text = fields.text({name: value}, name)
    if text:
        _ = fields.to_micros(text, name, within)
    return text


def _levels(source: Row, *names: str) -> tuple[TextLevel, ...]:
    listed = next((source[name] for name in names if source.get(name) is not None), [])
    return tuple(
        [
            TextLevel(checked_price(level), checked_size(level))
            for level in (
                fields.row(item, names[0])
                for item in fields.items(listed, names[0], most=bounds.MOST_LEVELS)
            )
        ]
    )


def checked_price(source: Row) -> str:
    """Return the text of a price after checking it.

    Raises:
        WireError: the price is missing.
        MoneyError: it is not a valid price.
    """
    text = fields.required(source, "price")
    read_price(text)
    return text


def checked_size(source: Row) -> str:
    """Return the text of a size after checking it.

    Raises:
        WireError: the size is missing.
        MoneyError: it is not a valid size.
    """
    text = fields.required(source, "size")
    read_size(text)
    return text
