import json
import time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.wire import fields
from pmtui.wire.analytics import decode_activity
from pmtui.wire.bodies import decode_json, mend_surrogates, split_list
from pmtui.wire.bounds import UNREADABLE, WireError
from pmtui.wire.clob_account import decode_order_page
from pmtui.wire.gamma import decode_events, decode_market
from pmtui.wire.stream import UnknownMessage, decode_market_frame, split_frame
from tests.wire.payloads import event, market

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
