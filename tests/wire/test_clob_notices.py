from pathlib import Path

import pytest

from pmtui.domain.markets.market import Side
from pmtui.domain.orders.heartbeat import HeartbeatAnswer, HeartbeatId
from pmtui.domain.orders.order import NoticeKind
from pmtui.wire.bounds import WireError
from pmtui.wire.clob_account import decode_heartbeat, decode_notices
from tests.wire.doc_examples import documented
from tests.wire.payloads import Json, wire

NOTICE: dict[str, Json] = {
    "id": 1,
    "owner": "k",
    "type": 2,
    "timestamp": "1675277676",
    "payload": {
        "order_id": "0xa",
        "market": "0xcc",
        "asset_id": "71",
        "side": "SELL",
        "price": "0.6",
        "original_size": "100",
        "matched_size": "10",
        "remaining_size": "90",
        "outcome": "YES",
        "trade_id": "t1",
        "question": "Will it?",
    },
}


def test_a_fill_is_told_with_its_order() -> None:
    (notice,) = decode_notices(wire([NOTICE])).items
    assert (notice.notice_id, notice.kind, notice.condition_id) == ("1", NoticeKind.FILL, "0xcc")
    assert notice.at is not None
    assert notice.at.year == 2023
    assert notice.order is not None
    assert (notice.order.side, notice.order.remaining_size) == (Side.SELL, 90_000_000)
    assert notice.order.trade_id == "t1"


def test_other_notices_and_unheard_of_kinds_have_no_order() -> None:
    rows: list[Json] = [
        {"id": "7", "type": 5, "timestamp": 1675277676123, "payload": None},
        {"id": 8, "type": 99, "payload": {"market": "0xcc", "eventSlug": "it"}},
        {"id": 9},
    ]
    payout, unknown, bare = decode_notices(wire(rows)).items
    assert (payout.kind, payout.order) == (NoticeKind.REWARD_PAYOUT, None)
    assert (unknown.kind, unknown.event_slug) == (NoticeKind.UNKNOWN, "it")
    assert (bare.kind, bare.at) == (NoticeKind.UNKNOWN, None)


def test_notices_that_cannot_be_read_are_counted() -> None:
    assert decode_notices(wire([NOTICE, {"type": 1}, NOTICE | {"payload": "x"}])).skipped == 2


@pytest.mark.parametrize("name", ["error", "error_msg"])
def test_a_heartbeat_of_a_wrong_id_names_the_right_one(name: str) -> None:
    answer = decode_heartbeat(wire({name: "Invalid Heartbeat ID", "heartbeat_id": "h2"}))
    assert answer == HeartbeatAnswer(HeartbeatId("h2"), "Invalid Heartbeat ID")
    assert not answer.is_accepted


def test_a_heartbeat_answer_is_an_id_or_a_refusal() -> None:
    assert decode_heartbeat(b'{"heartbeat_id":"h1"}').is_accepted
    assert decode_heartbeat(b'{"error":"no"}') == HeartbeatAnswer(None, "no")
    with pytest.raises(WireError, match="heartbeat_id"):
        decode_heartbeat(b"{}")


def test_documented_notices_and_heartbeats_are_read(shared_dir: Path) -> None:
    for body in documented(shared_dir, "/notifications"):
        notices = decode_notices(body)
        assert notices.items[0].order is not None
        assert not notices.skipped
    for body in documented(shared_dir, "/v1/heartbeats", method="POST"):
        assert decode_heartbeat(body).is_accepted
    for body in documented(shared_dir, "/v1/heartbeats", method="POST", status="400"):
        answer = decode_heartbeat(body)
        assert answer.next_id
        assert not answer.is_accepted
