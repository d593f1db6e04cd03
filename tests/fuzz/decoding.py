"""Bends payloads that a decoder can read, and checks what becomes of them.

A payload is bent where it has structure: numbers, texts, types, keys, lengths and nesting are
changed at a place of a readable example, then the bytes of some of them. What comes out is a value
within the bounds of `wire.bounds` and the ranges of `domain.money`, or a `WireError`.
"""

import dataclasses
import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from enum import Enum
from importlib import import_module
from pkgutil import iter_modules
from random import Random
from typing import NamedTuple

import msgspec

from pmtui import wire
from pmtui.domain.books.market_events import PriceChanges
from pmtui.domain.ids import Address, ApiKey
from pmtui.domain.money import MoneyError
from pmtui.wire.bounds import EARLIEST, LATEST, MOST_POINTS, MOST_ROWS, PROSE, WireError
from pmtui.wire.fields import UINT256
from pmtui.wire.orders import Owner
from tests.wire.payloads import CONDITION, TOKENS, Json, event, market

OWNER = Owner(ApiKey("me"), frozenset({Address("0xAB")}))
ORDER: dict[str, Json] = {
    "id": "0xa", "status": "LIVE", "market": CONDITION, "asset_id": TOKENS[0], "side": "BUY",
    "original_size": "5", "size_matched": "0", "price": "0.5", "created_at": 1790000000,
    "order_type": "GTC", "expiration": "0", "outcome": "Yes", "event_type": "order",
    "type": "PLACEMENT", "timestamp": "1790000000000",
}  # fmt: skip
TRADE: dict[str, Json] = {
    "id": "t", "taker_order_id": "0xa", "market": CONDITION, "asset_id": TOKENS[0], "side": "SELL",
    "size": "5", "price": "0.5", "status": "MINED", "match_time": 1790000000, "owner": "me",
    "outcome": "Yes", "event_type": "trade", "transaction_hash": "0xff", "fee_usdc": "0.01",
    "maker_orders": [{"order_id": "0xm", "owner": "me", "asset_id": TOKENS[0],
                      "matched_amount": "2", "price": "0.5", "outcome": "No"}],
}  # fmt: skip
BOOK: dict[str, Json] = {
    "event_type": "book", "asset_id": TOKENS[0], "market": CONDITION, "timestamp": "1790000000000",
    "bids": [{"price": "0.4", "size": "10"}], "asks": [{"price": "0.6", "size": "10"}],
    "hash": "ab", "min_order_size": "5", "tick_size": "0.01", "last_trade_price": "0.5",
}  # fmt: skip
PRINT: dict[str, Json] = {
    "proxyWallet": "0xab", "side": "BUY", "asset": TOKENS[0], "conditionId": CONDITION,
    "size": 12.5, "price": 0.43, "timestamp": 1790000000, "title": "Will it?", "outcome": "Yes",
    "usdcSize": 5.375, "type": "TRADE", "transactionHash": "0xff",
}  # fmt: skip
POSITION: dict[str, Json] = {
    "asset": TOKENS[0], "conditionId": CONDITION, "size": 3.5, "avgPrice": 0.43, "curPrice": 0.5,
    "realizedPnl": -2.5, "totalBought": 9, "timestamp": 1790000000, "title": "Will it?",
    "outcome": "Yes", "outcomeIndex": 0, "oppositeAsset": TOKENS[1], "endDate": "2027-05-31",
    "redeemable": False,
}  # fmt: skip
REWARDED: dict[str, Json] = {
    "condition_id": CONDITION, "question": "Will it?", "rewards_max_spread": 3.5,
    "rewards_min_size": 50, "market_competitiveness": 1.5, "earning_percentage": 30,
    "tokens": [{"token_id": TOKENS[0], "outcome": "Yes", "price": 0.5}],
    "rewards_config": [{"asset_address": "0xAA", "rate_per_day": 5, "start_date": "2026-01-01",
                        "end_date": "2500-12-31", "total_rewards": 9, "total_days": 3}],
    "earnings": [{"asset_address": "0xAA", "earnings": 0.585, "asset_rate": 1.001}],
    "date": "2026-09-01", "asset_address": "0xAA", "maker_address": "0xAB", "earnings_": 1,
    "rebated_fees_usdc": "1.5", "volume_24hr": 12,
}  # fmt: skip
EARNED = REWARDED | {"earnings": 0.585, "asset_rate": 1.001}
NOTICE: dict[str, Json] = {
    "id": 5, "type": 2, "timestamp": 1790000000, "payload": ORDER | {
        "order_id": "0xa", "matched_size": "1", "remaining_size": "4", "question": "Will it?",
        "trade_id": "t", "eventSlug": "it",
    },
}  # fmt: skip
EXAMPLES: tuple[Json, ...] = (
    [market(), market(id=5)], market(), event(), {"events": [event()], "next_cursor": "abc"},
    {"events": [event()], "pagination": {"hasMore": True, "totalResults": 3}},
    [{"id": "5", "label": "Weather", "slug": "weather"}],
    [{"id": "7", "body": "well", "createdAt": "2026-03-11T21:00:00Z", "reactionCount": 3,
      "profile": {"name": "vivid"}, "parentCommentID": "6"}],
    [PRINT, PRINT], {"data": [PRINT], "pagination": {"has_more": True, "next_cursor": "x"}},
    [POSITION, POSITION], [{"user": "0x", "value": 12.5}], {"data": {"value": 3}},
    [{"token": TOKENS[0], "holders": [{"proxyWallet": "0xab", "amount": 5, "outcomeIndex": 0,
                                       "name": "vivid"}]}],
    {"price": "0.5", "side": "BUY", "token_id": TOKENS[0], "mid": 0.5, "spread": "0.1"},
    {TOKENS[0]: {"BUY": "0.4", "SELL": 0.5}}, {TOKENS[0]: "0.5"}, [{"token_id": "1", "price": 1}],
    {"c": CONDITION, "t": [{"t": TOKENS[0], "o": "Yes"}, {"t": TOKENS[1], "o": "No"}],
     "mts": 0.01, "mos": 5, "fd": {"r": 0.05, "e": 1, "to": True}, "sd": 3,
     "r": {"mi": 50, "ma": 3.5}},
    {"history": [{"t": 1790000000, "p": 0.5}, {"t": 1790000060, "p": 0.51}]},
    {"history": {TOKENS[0]: [{"t": 1790000000, "p": 0.5}]}},
    {"minimum_tick_size": 0.01, "neg_risk": True, "base_fee": 30, "version": 2},
    {"condition_id": CONDITION, "primary_token_id": "1", "secondary_token_id": "2",
     "tokens": [{"token_id": "1", "outcome": "Yes"}], "market_slug": "a", "question": "Will it?",
     "minimum_tick_size": 0.01, "minimum_order_size": 5},
    {"data": [{"condition_id": CONDITION, "tokens": [{"token_id": "1", "outcome": "Yes"}],
               "minimum_tick_size": 0.01}], "next_cursor": "MTAw"},
    1790000000, "1790000000", BOOK, [BOOK], {"data": [ORDER], "next_cursor": "LTE="}, ORDER,
    {"data": [TRADE, TRADE], "next_cursor": "MTAw"}, TRADE, [TRADE, ORDER],
    {"orderID": "0xa", "status": "live", "success": True, "errorMsg": "", "makingAmount": "1",
     "takingAmount": "2", "tradeIDs": ["a"], "transactionsHashes": ["0xff"]},
    [{"orderID": "0xa", "status": "matched"}, {"errorMsg": "no", "success": True}],
    {"canceled": ["0xa"], "not_canceled": {"0xb": "no"}, "closed_only": True, "apiKeys": ["k"]},
    {"balance": "7", "allowances": {"0xE1": "9"}, "allowance": "3"},
    {"apiKey": "k", "secret": "s", "passphrase": "p"}, True, "OK",
    [{"key": "k", "createdAt": "2026-03-11T21:00:00Z", "builderCode": CONDITION}],
    {"builder_maker_fee_rate_bps": 5, "builder_taker_fee_rate_bps": 7},
    [NOTICE], {"data": [NOTICE]}, {"heartbeat_id": "h", "error_msg": ""},
    {"scoring": True, "0xa": False}, {"data": [REWARDED], "total_count": 3, "next_cursor": "x"},
    [EARNED], {CONDITION: 30}, [{"condition_id": CONDITION, "percentage": 5}],
    {"blocked": True, "country": "GB", "region": "ENG"},
    {"event_type": "price_change", "market": CONDITION, "timestamp": "1790000000000",
     "price_changes": [{"asset_id": TOKENS[0], "price": "0.4", "size": "5", "side": "BUY",
                        "hash": "ab"}]},
    {"price_changes": [{"asset_id": TOKENS[0], "price": "0.4", "size": "5", "side": "BUY"}],
     "market": CONDITION, "timestamp": "1790000000000", "event_type": "price_change"},
    {"event_type": "last_trade_price", "market": CONDITION, "asset_id": TOKENS[0],
     "side": "BUY", "price": "0.4", "size": "5", "timestamp": "1790000000000"},
    {"event_type": "tick_size_change", "market": CONDITION, "asset_id": TOKENS[0],
     "old_tick_size": "0.01", "new_tick_size": "0.001", "timestamp": "1790000000000"},
    {"event_type": "best_bid_ask", "market": CONDITION, "asset_id": TOKENS[0],
     "best_bid": "0.4", "best_ask": "0.6", "timestamp": "1790000000000"},
    [{"event_type": "new_market", "market": CONDITION, "question": "Will it?", "slug": "it",
      "assets_ids": list(TOKENS), "outcomes": ["Yes", "No"], "timestamp": "1790000000000"}],
    {"event_type": "market_resolved", "market": CONDITION, "assets_ids": list(TOKENS),
     "winning_asset_id": TOKENS[0], "winning_outcome": "Yes", "timestamp": "1790000000000"},
)  # fmt: skip
"""In the venue's shapes; every decoder is given all of them, as a host may send anything."""


class Text(str):
    """JSON as it is to be written, for what no value of Python is written as."""

    __slots__ = ()


NUMBERS: tuple[Json, ...] = (
    "1e1000000", Text("1e1000000"), "1e-1000000", Text("1e-1000000"), Text("1e999"),
    Text("-1e999"), "1e-400", Text("1e-400"), 10**400, Text("1" + "0" * 5_000),
    Text("-" + "9" * 5_000), "9" * 10_000, "0." + "9" * 10_000, "0x10", "１２", " 1 ", "+1",
    "1_000", "NaN", "Infinity", "-Infinity", -1, "-1", "-0", 0, "", 1e15, "1e15", 1.0000001,
    2**63, -(2**64), 2**256, 2**300, 1.5, "1.5", "0.5", 99_999_999_999, 253402300800, "1" * 30,
)  # fmt: skip
TEXTS: tuple[Json, ...] = (
    "A" * 100_000, "\x1b]52;c;aGk=\x07", "\u202e\u2066", Text('"\\ud800"'), "\x00\x9b31m",
    "[b][/]", "e" + "\u0301" * 5_000, "市" * 1_000, "😀" * 3, "TRADE_STATUS_MINED", "[[1]]",
    '["' + "x" * 1_000 + '"]', "[" * 50_000, "2026-02-30", "0001-01-01T00:00:00+23:00",
    "9999-12-31T23:59:59-23:00", "2026-01-01T00:00:00+00:00:00.000001", "a" * 201,
)  # fmt: skip
TYPES: tuple[Json, ...] = (
    None, True, False, [], {}, [[]], [None], [{}], {"a": {"a": {}}}, [1, "a", None, {}],
    Text("[" * 400 + "]" * 400), Text("[" * 5_000 + "]" * 5_000),
    Text('{"a":' * 3_000 + "1" + "}" * 3_000), Text("{"), Text("tru"), Text('{"a":1,"a":2}'),
)  # fmt: skip
KEYS = ("event_type", "type", "data", "events", "", "k" * 100_000, "1e1000000", "history", "id")
LENGTHS = (0, 2, 70, 300)
LONG_LENGTHS = (2_100, 5_100, 10_100, MOST_ROWS + 1)


UNREAD = "price changes"
"""Their texts are read by the book, and by the decoder only where it is in doubt."""


class Decoder(NamedTuple):
    """One way to read bytes from outside."""

    name: str
    decode: Callable[[bytes], object]


class Finding(NamedTuple):
    """A payload that did what none may do."""

    decoder: str
    what: str
    payload: bytes


def every_decoder() -> tuple[Decoder, ...]:
    """Every function of the package `wire` that reads a body or a frame."""
    found = []
    for info in iter_modules(wire.__path__):
        module = import_module(f"pmtui.wire.{info.name}")
        for name, function in sorted(vars(module).items()):
            if not name.startswith("decode_") or not inspect.isfunction(function):
                continue
            parameters = list(inspect.signature(function).parameters)
            if function.__module__ == module.__name__ and parameters[:1] in (["body"], ["frame"]):
                found.append(Decoder(f"{info.name}.{name}", _with_owner(function, parameters)))
    return tuple(found)


def _with_owner(
    function: Callable[..., object], parameters: list[str]
) -> Callable[[bytes], object]:
    return (lambda body: function(body, OWNER)) if "owner" in parameters else function


def payloads(random: Random, *, is_long: bool = False) -> Iterator[bytes]:
    """Yield bent payloads without end.

    Args:
        random: decides everything.
        is_long: also with lists of tens of thousands of rows.
    """
    lengths = LENGTHS * 8 + LONG_LENGTHS if is_long else LENGTHS
    while True:
        value: Json = random.choice(EXAMPLES)
        for _ in range(random.choice((1, 1, 1, 2, 3))):
            value = bend(value, random, lengths)
        body = write(value).encode("utf-8", "surrogatepass")
        yield _garble(body, random) if random.random() < 0.1 else body


def bend(value: Json, random: Random, lengths: tuple[int, ...]) -> Json:
    """Return a value that differs in one place."""
    if isinstance(value, dict) and value and random.random() < 0.85:
        key = random.choice(sorted(value))
        match random.randrange(12):
            case 0:
                return {k: v for k, v in value.items() if k != key}
            case 1:
                return value | {random.choice(KEYS): value[key]}
            case _:
                return value | {key: bend(value[key], random, lengths)}
    if isinstance(value, list) and value and random.random() < 0.85:
        place = random.randrange(len(value))
        if random.random() < 0.15:
            return [value[place]] * random.choice(lengths)
        return [*value[:place], bend(value[place], random, lengths), *value[place + 1 :]]
    return random.choice(random.choice((NUMBERS, NUMBERS, TEXTS, TYPES)))


def torn_texts(examples: Iterable[Json]) -> Iterator[tuple[bytes, bytes]]:
    """Yield each example once for each of its texts: with half a character there, and mended."""
    for example in examples:
        for place in range(_count_texts(example)):
            yield (
                write(_with_text(example, [place], Text('"\\ud800x"'))).encode(),
                write(_with_text(example, [place], Text('"\\ufffdx"'))).encode(),
            )


def outcome_of(decoder: Decoder, body: bytes) -> object:
    """Return what a decoder makes of a body: its value, or that it refuses it."""
    try:
        value = decoder.decode(body)
    except (WireError, MoneyError):
        return "refused"
    is_unread = isinstance(value, tuple) and any(isinstance(v, PriceChanges) for v in value)
    return UNREAD if is_unread else value


def _count_texts(value: Json) -> int:
    if isinstance(value, dict):
        return sum(map(_count_texts, value.values()))
    if isinstance(value, list):
        return sum(map(_count_texts, value))
    return int(isinstance(value, str))


def _with_text(value: Json, place: list[int], text: Text) -> Json:
    """Return a value whose text at a place, counted down on the way there, is another one."""
    if isinstance(value, dict):
        return {key: _with_text(each, place, text) for key, each in value.items()}
    if isinstance(value, list):
        return [_with_text(each, place, text) for each in value]
    if not isinstance(value, str):
        return value
    place[0] -= 1
    return text if place[0] == -1 else value


def write(value: Json) -> str:
    """Write a value as JSON, hostile literals as they are."""
    if isinstance(value, Text):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k)}:{write(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _garble(body: bytes, random: Random) -> bytes:
    place = random.randrange(len(body) + 1)
    match random.randrange(4):
        case 0:
            return body[:place]
        case 1:
            return body[:place] + random.randbytes(random.randrange(1, 4)) + body[place:]
        case 2:
            return body[:place] + random.randbytes(1) + body[place + 1 :]
        case _:
            return random.randbytes(random.randrange(40))


def judge(decoder: Decoder, payload: bytes) -> Finding | None:
    """Decode a payload; return what went wrong where it is neither a sane value nor refused."""
    try:
        value = decoder.decode(payload)
    except (WireError, MoneyError) as error:
        found = "a long reason" if len(str(error)) > 500 else ""
    except Exception as error:  # noqa: BLE001 - any other is what is looked for
        found = f"{type(error).__name__}: {error}"[:200]
    else:
        found = next(insane_parts(value), "")
    return Finding(decoder.name, found, payload) if found else None


def insane_parts(value: object) -> Iterator[str]:
    """Yield what is out of all bounds in a decoded value."""
    parts = _parts_of(value)
    if parts is not None:
        if len(parts) > MOST_POINTS:
            yield "a list out of bounds"
        for part in parts:
            yield from insane_parts(part)
    elif not _is_sane(value):
        yield f"out of bounds: {type(value).__name__}"


def _parts_of(value: object) -> tuple[object, ...] | None:
    match value:
        case PriceChanges():
            # The book itself reads the texts of these, and trusts itself less if it cannot.
            return ()
        case Mapping():
            return tuple(value.items())
        case tuple() | list() | frozenset():
            return tuple(value)
        case msgspec.Struct():
            return msgspec.structs.astuple(value)
        case _ if dataclasses.is_dataclass(value):
            return tuple(getattr(value, field.name) for field in dataclasses.fields(value))
        case _:
            return None


def _is_sane(value: object) -> bool:
    match value:
        case int():
            return -UINT256.high <= value <= UINT256.high
        case str():
            return len(value) <= PROSE
        case datetime():
            return EARLIEST <= value < LATEST
        case _:
            # A raw row is read by another decoder.
            return value is None or isinstance(value, date | Enum | msgspec.Raw)
