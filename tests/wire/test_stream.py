import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book import MirroredBooks, OrderBook
from pmtui.domain.books.book_view import BookState
from pmtui.domain.books.market_events import (
    BestBidAsk,
    BookSnapshot,
    LevelTexts,
    MarketCreated,
    MarketResolved,
    PriceChanges,
    TickSizeChanged,
    TradePrinted,
)
from pmtui.domain.books.verification import Agreement, BookCheck
from pmtui.domain.ids import ApiKey, ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.orders.order import (
    Liquidity,
    OrderChanged,
    OrderEventKind,
    OrderStatus,
    TradeChanged,
    TradeStatus,
)
from pmtui.wire import bounds
from pmtui.wire.book_snapshot import decode_snapshot_body
from pmtui.wire.bounds import WireError
from pmtui.wire.orders import Owner
from pmtui.wire.stream import (
    LARGEST_MESSAGE,
    BadMessage,
    MarketMessage,
    UnknownMessage,
    decode_market_frame,
    decode_user_frame,
    split_frame,
)

ENTRY = {"asset_id": "71", "price": "0.42", "size": "19", "side": "BUY", "hash": "04"}
ME = Owner(ApiKey("me"))


def decode(message: object) -> MarketMessage:
    (decoded,) = decode_market_frame(json.dumps(message).encode())
    return decoded


def changes(**fields: object) -> dict[str, object]:
    entry = ENTRY | fields
    return {
        "market": "0xaa",
        "price_changes": [entry],
        "timestamp": "1790000001123",
        "event_type": "price_change",
    }


def test_a_price_change_is_read_the_fast_way() -> None:
    event = decode(changes(best_bid="0.42", best_ask="0.43"))
    assert isinstance(event, PriceChanges)
    (change,) = event.changes
    assert (event.condition_id, event.timestamp) == ("0xaa", "1790000001123")
    assert (change.asset_id, change.price, change.size, change.side) == ("71", "0.42", "19", "BUY")
    assert change.hash == "04"


@pytest.mark.parametrize(
    ("given_fields", "price", "size", "side"),
    [
        ({"side": "sell"}, "0.42", "19", "SELL"),
        ({"price": 0.5, "size": 7}, "0.5", "7", "BUY"),
        ({"price": "0.50", "size": "7.250"}, "0.50", "7.250", "BUY"),
    ],
)
def test_numbers_and_lower_case_are_read_too(
    given_fields: dict[str, object], price: str, size: str, side: str
) -> None:
    event = decode(changes(**given_fields))
    assert isinstance(event, PriceChanges)
    (change,) = event.changes
    assert (change.price, change.size, change.side) == (price, size, side)


def test_the_flat_change_of_before_september_2025_is_read() -> None:
    event = decode(ENTRY | {"market": "0xaa", "timestamp": "1", "event_type": "price_change"})
    assert isinstance(event, PriceChanges)
    assert [change.price for change in event.changes] == ["0.42"]
    listed = {"market": "0xaa", "asset_id": "71", "event_type": "price_change"}
    listed_event = decode({**listed, "changes": [{"price": "0.4", "size": "1", "side": "BUY"}]})
    assert isinstance(listed_event, PriceChanges)
    assert listed_event.changes[0].asset_id == "71"


@pytest.mark.parametrize(
    "fields",
    [
        {"price": "2"},
        {"price": None},
        {"size": "-1"},
        {"size": "x"},
        {"side": "HOLD"},
        {"asset_id": None},
        {"price": {"a": 1}},
    ],
)
def test_a_change_that_cannot_be_read_is_bad_or_costs_the_book_its_trust(
    fields: dict[str, object],
) -> None:
    decoded = decode(changes(**fields))
    if isinstance(decoded, BadMessage):
        assert decoded.kind == "price_change"
        return
    assert isinstance(decoded, PriceChanges)
    book = OrderBook(TokenId("71"))
    book.apply_snapshot(BookSnapshot(TokenId("71"), ConditionId("0xaa"), (), (), "1", ""))
    book.apply_change(decoded.changes[0])
    assert book.state is BookState.LOSSY


def test_one_bad_message_of_an_array_does_not_spoil_the_others() -> None:
    frame = json.dumps([changes(price="9"), changes(), {"event_type": "news"}, 7]).encode()
    kinds = [type(message) for message in decode_market_frame(frame)]
    assert kinds == [BadMessage, LevelTexts, UnknownMessage, UnknownMessage]


@pytest.mark.parametrize("text", ["PONG", "NO NEW ASSETS", "INVALID OPERATION"])
def test_plain_texts_are_named(text: str) -> None:
    assert decode_market_frame(text.encode()) == (UnknownMessage(f"text {text}"),)
    assert decode_user_frame(text.encode(), ME) == (UnknownMessage(f"text {text}"),)


DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize(
    "frame",
    [
        b'{"x":' + DEEP + b',"market":"1","price_changes":[],"event_type":"price_change"}',
        b'{"market":"1","price_changes":[],"timestamp":"1","x":' + DEEP + b"}",
        b'{"event_type":"book","asset_id":"1","market":"1","bids":[],"asks":[],"x":' + DEEP + b"}",
    ],
)
def test_what_is_nested_too_deeply_is_broken_too(frame: bytes) -> None:
    with pytest.raises(WireError, match="not JSON"):
        decode_market_frame(frame)
    with pytest.raises(WireError):
        decode_user_frame(frame, ME)
    with pytest.raises(WireError):
        decode_snapshot_body(frame)


@pytest.mark.parametrize("frame", [b"{", b"", b'{"a":', b"<html>" * 20, b"\xff\xfe", b"[" * 5000])
def test_broken_frames_raise_with_a_reason(frame: bytes) -> None:
    with pytest.raises(WireError, match="not JSON"):
        decode_market_frame(frame)
    with pytest.raises(WireError):
        decode_user_frame(frame, ME)


def test_a_book_keeps_the_texts_it_came_with_and_none_marks_what_was_not_sent() -> None:
    book = {
        "event_type": "book",
        "market": "0xaa",
        "asset_id": "71",
        "timestamp": 1790000000123,
        "hash": "ab",
        "bids": [{"price": "0.50", "size": "12.5"}],
        "asks": [],
    }
    event = decode(book)
    assert isinstance(event, BookSnapshot)
    assert [(level.price, level.size) for level in event.bids] == [("0.50", "12.5")]
    assert (event.timestamp, event.asks, event.tick_size) == ("1790000000123", (), None)
    assert (event.neg_risk, event.min_order_size, event.last_trade_price) == (None, None, None)
    full = decode(book | {"neg_risk": True, "tick_size": "0.01", "last_trade_price": ""})
    assert isinstance(full, BookSnapshot)
    assert (full.neg_risk, full.tick_size, full.last_trade_price) == (True, "0.01", "")
    assert isinstance(decode(book | {"neg_risk": "maybe"}), BadMessage)
    assert isinstance(decode(book | {"bids": [{"price": "7", "size": "1"}]}), BadMessage)
    assert isinstance(decode(book | {"bids": 3}), BadMessage)
    unnamed = {name: value for name, value in book.items() if name != "event_type"}
    assert isinstance(decode(unnamed), BookSnapshot)


def test_the_other_events_are_read() -> None:
    base = {"market": "0xaa", "asset_id": "71", "timestamp": "1790000000123"}
    trade = decode(
        base
        | {"event_type": "last_trade_price", "price": "0.46", "size": "11.276594", "side": "sell"}
    )
    assert isinstance(trade, TradePrinted)
    assert (trade.price, trade.size, trade.side) == (460_000, 11_276_594, Side.SELL)
    tick = decode(
        base | {"event_type": "tick_size_change", "old_tick_size": "0.01", "new_tick_size": "0.001"}
    )
    assert isinstance(tick, TickSizeChanged)
    assert (tick.old_tick_size, tick.new_tick_size) == (10_000, 1_000)
    top = decode(base | {"event_type": "best_bid_ask", "best_bid": "0", "best_ask": "0.01"})
    assert isinstance(top, BestBidAsk)
    assert (top.best_bid, top.best_ask) == (None, 10_000)
    full = decode(base | {"event_type": "best_bid_ask", "best_bid": "0.99", "best_ask": "1"})
    assert isinstance(full, BestBidAsk)
    assert (full.best_bid, full.best_ask) == (990_000, None)
    made = decode(
        {"event_type": "new_market", "market": "0xaa", "assets_ids": ["1", "2"], "outcomes": ["A"]}
    )
    assert isinstance(made, MarketCreated)
    assert (made.token_ids, made.at) == (("1", "2"), None)
    resolved = decode(base | {"event_type": "market_resolved", "winning_asset_id": "71"})
    assert isinstance(resolved, MarketResolved)
    assert resolved.winning_token_id == "71"
    assert resolved.at == datetime.fromtimestamp(1790000000.123, UTC)


def user(message: object) -> object:
    (decoded,) = decode_user_frame(json.dumps(message).encode(), ME)
    return decoded


ORDER = {
    "event_type": "order",
    "type": "PLACEMENT",
    "id": "0x01",
    "market": "0xaa",
    "asset_id": "71",
    "side": "BUY",
    "price": "0.53",
    "original_size": "100",
    "size_matched": "",
    "status": "ORDER_STATUS_LIVE",
    "order_type": "GTD",
    "expiration": "1790000100",
    "created_at": "1790000000",
    "timestamp": "1790000000123",
    "owner": "me",
}


def test_an_order_event_carries_the_order() -> None:
    event = user(ORDER)
    assert isinstance(event, OrderChanged)
    order = event.order
    assert (event.kind, order.status) == (OrderEventKind.PLACEMENT, OrderStatus.LIVE)
    assert order.created_at == datetime.fromtimestamp(1790000000, UTC)
    # The venue removes it a minute before the time it states.
    assert order.expires_at == datetime.fromtimestamp(1790000040, UTC)
    assert (order.matched_size, order.remaining_size) == (0, 100_000_000)


def test_a_killed_order_tells_the_venues_reason() -> None:
    event = user(
        ORDER
        | {
            "type": "CANCELLATION",
            "status": "CANCELED_order couldn't be fully filled. FOK orders are fully filled or killed.",
            "created_at": "",
            "order_type": "FOK",
        }
    )
    assert isinstance(event, OrderChanged)
    assert event.order.status is OrderStatus.CANCELLED
    assert event.order.reason.startswith("order couldn't be fully filled")
    assert event.order.created_at == datetime.fromtimestamp(1790000000.123, UTC)


def test_a_cancellation_is_one_whatever_its_status_says() -> None:
    event = user(ORDER | {"type": "CANCELLATION", "status": "LIVE"})
    assert isinstance(event, OrderChanged)
    assert event.order.status is OrderStatus.CANCELLED


TRADE: dict[str, Any] = {
    "event_type": "trade",
    "type": "TRADE",
    "id": "t1",
    "taker_order_id": "0xtaker",
    "market": "0xaa",
    "asset_id": "yes",
    "outcome": "Yes",
    "side": "BUY",
    "size": "100",
    "price": "0.52",
    "status": "TRADE_STATUS_MATCHED",
    "match_time": "1790000000",
    "owner": "other",
    "trader_side": "MAKER",
    "timestamp": "1790000001",
    "maker_orders": [
        {"order_id": "0x1", "owner": "stranger", "asset_id": "yes", "matched_amount": "60",
         "price": "0.52", "side": "SELL"},
        {"order_id": "0x2", "owner": "me", "asset_id": "no", "outcome": "No",
         "matched_amount": "30", "price": "0.48"},
        {"order_id": "0x3", "owner": "me", "asset_id": "yes", "matched_amount": "10",
         "price": "0.52"},
    ],
}  # fmt: skip


def test_of_a_trade_we_made_only_our_orders_are_kept_with_their_own_token_and_price() -> None:
    event = user(TRADE)
    assert isinstance(event, TradeChanged)
    assert [(f.order_id, f.token_id, f.side, f.price, f.size) for f in event.fills] == [
        ("0x2", "no", Side.BUY, 480_000, 30_000_000),
        ("0x3", "yes", Side.SELL, 520_000, 10_000_000),
    ]
    assert {f.liquidity for f in event.fills} == {Liquidity.MAKER}
    assert event.at == datetime.fromtimestamp(1790000001, UTC)


TAKEN = TRADE | {"trader_side": "TAKER", "owner": "me", "status": "CONFIRMED"}


def test_of_a_trade_we_took_the_top_of_the_message_is_ours() -> None:
    event = user(TAKEN | {"maker_orders": TRADE["maker_orders"][:1]})
    assert isinstance(event, TradeChanged)
    (fill,) = event.fills
    assert (fill.order_id, fill.side, fill.size) == ("0xtaker", Side.BUY, 100_000_000)
    assert (fill.liquidity, fill.status) == (Liquidity.TAKER, TradeStatus.CONFIRMED)


def test_of_a_trade_with_ourselves_both_sides_are_ours() -> None:
    event = user(TAKEN)
    assert isinstance(event, TradeChanged)
    assert [(f.order_id, f.liquidity, f.side) for f in event.fills] == [
        ("0xtaker", Liquidity.TAKER, Side.BUY),
        ("0x2", Liquidity.MAKER, Side.BUY),
        ("0x3", Liquidity.MAKER, Side.SELL),
    ]


def test_user_messages_that_cannot_be_read_are_bad_and_unknown_ones_named() -> None:
    assert isinstance(user(TRADE | {"status": "LOST"}), BadMessage)
    assert isinstance(user(ORDER | {"type": "THOUGHT"}), BadMessage)
    assert user({"event_type": "weather"}) == UnknownMessage("weather")
    assert isinstance(user(3), UnknownMessage)


def test_recorded_user_events_are_all_read(shared_dir: Path) -> None:
    files = sorted((shared_dir / "data/user").glob("*/*.json"))
    files = [f for f in files if "http_" not in f.name]
    assert len(files) >= 8
    keys = ("3e2c94ca-8124-c4c1-c7ea-be1ea21b71fe", "000000000-0000-0000-0000-000000000000")
    for path in files:
        raw = json.loads(path.read_bytes())
        owner = Owner(ApiKey(keys["polypy" in str(path)]))
        (decoded,) = decode_user_frame(json.dumps(raw).encode(), owner)
        if isinstance(decoded, TradeChanged):
            assert len(decoded.fills) == 1, path.name
        else:
            assert isinstance(decoded, OrderChanged), path.name


def test_a_recorded_session_leaves_a_verified_book(shared_dir: Path) -> None:
    path = shared_dir / "data/ws/market__2026-07-27__deep_book_0x18b1.jsonl.gz"
    books: dict[str, OrderBook] = {}
    last: dict[str, tuple[str, str]] = {}
    for line in gzip.decompress(path.read_bytes()).splitlines():
        (event,) = decode_market_frame(line)
        if isinstance(event, BookSnapshot):
            books[event.token_id] = OrderBook(event.token_id)
            books[event.token_id].apply_snapshot(event)
        else:
            assert isinstance(event, PriceChanges)
            for change in event.changes:
                books[change.asset_id].apply_change(change)
                last[change.asset_id] = (event.timestamp, change.hash)
    assert all(books[token].matches([expected]) for token, expected in last.items())


def test_in_a_recorded_session_the_books_of_a_market_can_be_held_as_one(shared_dir: Path) -> None:
    path = shared_dir / "data/ws/market__2026-07-27__deep_book_0x18b1.jsonl.gz"
    events = [decode_market_frame(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    first, second = (event for (event,) in events if isinstance(event, BookSnapshot))
    yes, no = OrderBook(first.token_id), OrderBook(second.token_id)
    yes.apply_snapshot(first)
    no.apply_snapshot(second)
    assert no.is_mirror_of(yes)
    twins, checks, matches = MirroredBooks(yes, no), {yes: BookCheck(), no: BookCheck()}, 0
    for (event,) in events:
        if isinstance(event, PriceChanges):
            assert twins.apply(event)
            found = [check.check(book, now_ms=0) for book, check in checks.items()]
            assert Agreement.LOSS not in found
            matches += found.count(Agreement.MATCH)
    assert matches >= 1_604


@given(
    messages=st.lists(
        st.dictionaries(st.text(max_size=5), st.text(max_size=30) | st.integers(0, 9), max_size=3),
        max_size=8,
    ),
    space=st.sampled_from([b"", b" ", b"\n\t "]),
)
def test_a_frame_is_split_into_the_messages_it_holds(
    messages: list[dict[str, str | int]], space: bytes
) -> None:
    padding = {"pad": "x" * 2_000}
    frame = space + msgspec.json.encode([padding, *messages]) + space
    assert [msgspec.json.decode(part) for part in split_frame(frame)] == [padding, *messages]


@pytest.mark.parametrize(
    "frame",
    [
        b"[" + b"[]," * 50_000 + b"[]]",
        b"[" + b"0," * 50_000 + b"0]",
        b"[" + b'{"a":"bbbbbbbbbb"},' * bounds.MOST_MESSAGES + b"{}]",
        b'["' + b"x" * LARGEST_MESSAGE + b'"]',
        b'{"a":"' + b"x" * LARGEST_MESSAGE + b'"}',
        b"[" * 200_000,
        b"[{}" + b" " * 100_000,
        b"\xff" * (LARGEST_MESSAGE + 1),
    ],
    ids=["lists", "numbers", "many", "long", "alone", "deep", "open", "noise"],
)
def test_a_frame_that_would_take_too_long_is_refused_unread(frame: bytes) -> None:
    with pytest.raises(WireError):
        split_frame(frame)


def test_a_message_alone_is_itself() -> None:
    assert list(split_frame(b'{"a":1}')) == [b'{"a":1}']
