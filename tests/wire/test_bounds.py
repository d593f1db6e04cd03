"""One row beyond all bounds costs itself: the others are read, long texts are cut, ids refused."""

import json
import time
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import Address, ApiKey
from pmtui.wire import analytics, bounds, clob, clob_account, fields, gamma, stream
from pmtui.wire.analytics import decode_activity
from pmtui.wire.bounds import UNREADABLE, WireError, decode_json, mend_surrogates, split_list
from pmtui.wire.clob_account import decode_order_page
from pmtui.wire.gamma import decode_events, decode_market
from pmtui.wire.orders import Owner
from pmtui.wire.stream import UnknownMessage, decode_market_frame, split_frame
from tests.fuzz.decoding import BOOK, ORDER, POSITION, PRINT, TRADE, Text, write
from tests.wire.payloads import Json, event, market, wire

OWNER = Owner(ApiKey("me"), frozenset({Address("0xAB")}))
HOSTILE = [
    "1e1000000",
    Text("1e1000000"),
    Text("1" + "0" * 5_000),
    -1,
    "NaN",
    1e18,
    "１２",
    "+1",
    " 1 ",
]


@pytest.mark.parametrize("number", HOSTILE, ids=lambda number: write(number)[:12])
def test_a_hostile_number_costs_its_row_alone(number: Json) -> None:
    events = gamma.decode_events(write([event(volume=number), event()]).encode())
    assert (len(events.items), events.skipped) == (1, 1)
    markets = gamma.decode_markets(write([market(liquidityNum=number), market()]).encode())
    assert (len(markets.items), markets.skipped) == (1, 1)
    orders = clob_account.decode_order_page(
        write({"data": [ORDER, ORDER | {"price": number}]}).encode()
    )
    assert (len(orders.items), orders.skipped) == (1, 1)
    fills = clob_account.decode_fill_page(
        write({"data": [TRADE, TRADE | {"size": number}]}).encode(), OWNER
    )
    assert (len(fills.items) > 0, fills.skipped) == (True, 0 if number is None else 1)
    prints = analytics.decode_prints(write([PRINT, PRINT | {"price": number}]).encode())
    assert (len(prints.items), prints.skipped) == (1, 1)
    positions = analytics.decode_positions(write([POSITION, POSITION | {"size": number}]).encode())
    assert (len(positions.items), positions.skipped) == (1, 1)


@pytest.mark.parametrize("row", [None, 5, "x", [], Text("[" * 900 + "]" * 900)], ids=repr)
def test_a_row_that_is_no_object_is_counted(row: Json) -> None:
    page = clob_account.decode_order_page(write({"data": [ORDER, row]}).encode())
    assert (len(page.items), page.skipped, page.unread) == (1, 1, (None,))


@pytest.mark.parametrize("price", ["1.01", "-0.01", "1e15", "1e1000000"])
def test_a_price_beside_its_range_is_no_trade_and_no_book(price: str) -> None:
    with pytest.raises(WireError):
        clob.decode_book(wire(BOOK | {"bids": [{"price": price, "size": "1"}]}))
    told = {"event_type": "last_trade_price", "asset_id": "1", "side": "BUY", "size": "5"}
    (message,) = stream.decode_market_frame(wire(told | {"price": price}))
    assert isinstance(message, stream.BadMessage)


@pytest.mark.parametrize("tick", ["0", "-0.01", "0.000001", "0.5", "1e1000000"])
def test_a_tick_that_no_ladder_has_is_refused(tick: str) -> None:
    changed = {"event_type": "tick_size_change", "asset_id": "1", "new_tick_size": tick}
    (message,) = stream.decode_market_frame(wire(changed))
    assert isinstance(message, stream.BadMessage)
    if tick != "0":
        with pytest.raises(WireError):
            clob.decode_book(wire(BOOK | {"tick_size": tick}))


def test_texts_that_are_shown_are_cut_and_say_so() -> None:
    long = "A" * 1_000_000
    (found,) = gamma.decode_events(wire([event(title=long, description=long)])).items
    assert (len(found.title), found.title[-1]) == (bounds.TITLE, "…")
    assert (len(found.description), found.description[-1]) == (bounds.PROSE, "…")
    assert len(found.markets[0].event_title) == bounds.TITLE
    (held,) = analytics.decode_positions(wire([POSITION | {"title": long, "outcome": long}])).items
    assert (len(held.title), len(held.outcome)) == (bounds.TITLE, bounds.LABEL)
    refused = clob_account.decode_post_result(wire({"errorMsg": long}))
    assert len(refused.error) == bounds.REASON
    assert bounds.cut("short", 5) == "short"
    assert bounds.cut(None, 5) == ""


def test_identifiers_that_are_too_long_are_refused() -> None:
    long = "1" * 201
    rows = gamma.decode_markets(wire([market(slug=long), market(id=long), market()]))
    assert (len(rows.items), rows.skipped) == (1, 2)
    page = clob_account.decode_order_page(wire([ORDER | {"id": long}, ORDER]))
    assert (len(page.items), page.skipped) == (1, 1)
    with pytest.raises(WireError):
        clob.decode_amounts(wire({long: "0.5"}))


def test_lists_in_rows_are_read_to_a_bound_and_the_rest_is_counted() -> None:
    many = event(tags=[{"id": n} for n in range(bounds.MOST_TAGS + 3)], markets=[])
    found = gamma.decode_events(wire([many]))
    assert (len(found.items[0].tags), found.skipped) == (bounds.MOST_TAGS, 3)
    labels = json.dumps(["Yes"] * (bounds.MOST_OUTCOMES + 1))
    assert gamma.decode_markets(wire([market(outcomes=labels), market()])).skipped == 1
    level = {"price": "0.4", "size": "1"}
    with pytest.raises(WireError):
        clob.decode_book(wire(BOOK | {"bids": [level] * (bounds.MOST_LEVELS + 1)}))
    with pytest.raises(WireError):
        clob_account.decode_order_page(wire([5] * (bounds.MOST_ROWS + 1)))
    rows = analytics.decode_prints(wire([PRINT] + [5] * bounds.MOST_ROWS))
    assert (len(rows.items), rows.skipped) == (1, bounds.MOST_ROWS)


def test_a_time_is_sane_between_the_epoch_and_the_year_3000() -> None:
    assert bounds.is_sane(bounds.EARLIEST)
    assert not bounds.is_sane(bounds.LATEST)
    assert not bounds.is_sane(datetime(1969, 12, 31, tzinfo=UTC))


ANY = msgspec.json.Decoder()


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (rb'"\ud800"', "\ufffd"), (rb'"a\uDFFFb"', "a\ufffdb"), (rb'"\ud800\u0041"', "\ufffdA"),
        (rb'"\ud83d\ude00"', "\U0001f600"), (rb'"\ud800\ud83d\ude00"', "\ufffd\U0001f600"),
        (rb'"\udc00\ud800"', "\ufffd\ufffd"), (rb'"\\ud800\ud800"', "\\ud800\ufffd"),
        (rb'"\\\ud800"', "\\\ufffd"), (rb'"\"\ud800"', '"\ufffd'),
        ('"\U0001f600\\ud800é"'.encode(), "\U0001f600\ufffdé"),
    ],
)  # fmt: skip
def test_half_a_character_becomes_the_sign_for_an_unreadable_one(sent: bytes, read: str) -> None:
    assert decode_json(ANY, sent) == read


def test_an_escaped_backslash_is_no_surrogate() -> None:
    assert decode_json(ANY, rb'"\\ud800"') == r"\ud800"
    assert mend_surrogates(rb'"\\ud800"') is None


@pytest.mark.parametrize("body", [b"", b"{", rb'"\ud8"', rb'"\ud800', b"\xff", rb'["\ud800",]'])
def test_what_is_no_json_stays_unreadable(body: bytes) -> None:
    with pytest.raises(UNREADABLE):
        decode_json(ANY, body)


@given(st.text(st.characters(categories=None), max_size=30))
def test_every_text_that_can_be_escaped_is_read(text: str) -> None:
    read = decode_json(ANY, json.dumps(text).encode())
    assert read == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def test_mending_takes_no_longer_than_reading_does() -> None:
    body = b'"' + rb"\ud800" * 200_000 + b"\\\\" * 200_000 + b'"'
    begun = time.perf_counter()
    assert len(decode_json(msgspec.json.Decoder(str), body)) == 400_000
    assert time.perf_counter() - begun < 5


def test_one_bad_title_leaves_its_page_readable() -> None:
    body = json.dumps({"events": [event(title="\ud800 rain"), event(id=5)]}).encode()
    events = decode_events(body)
    assert (len(events.items), events.skipped) == (2, 0)
    assert events.items[0].title == "\ufffd rain"


def test_lists_inside_texts_are_mended_too() -> None:
    body = json.dumps(market(outcomes=json.dumps(["\ud800", "No"]))).encode()
    assert [outcome.label for outcome in decode_market(body).outcomes] == ["\ufffd", "No"]


def test_pages_rows_and_frames_of_every_host_are_mended() -> None:
    assert split_list(rb'{"data": [{"a": "\ud800"}]}', "data")[0]
    assert fields.load(rb'{"a": "\ud800"}') == {"a": "\ufffd"}
    assert (
        decode_activity(rb'[{"title": "\ud800", "timestamp": 1790000000}]').items[0].title
        == "\ufffd"
    )
    assert (
        decode_order_page(rb'{"data": [{"outcome": "\udc00"}], "next_cursor": "LTE="}').skipped == 1
    )
    assert len(list(split_frame(b"[" + b" " * 70_000 + rb'{"event_type": "\ud800"}, {}]'))) == 2
    assert decode_market_frame(rb'{"event_type": "\ud800"}') == (UnknownMessage("\ufffd"),)


def test_a_list_is_found_under_its_key_or_data_or_bare() -> None:
    assert len(split_list(b"[1, 2]", "events")[0]) == 2
    assert split_list(b'{"data": [1], "next_cursor": "x"}', "events")[1] == "x"
    with pytest.raises(WireError):
        split_list(b'{"data": null}', "events")
    assert split_list(b'{"data": null}', "data", is_required=False) == ([], None)
