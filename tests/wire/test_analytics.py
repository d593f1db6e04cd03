"""The analytics host's payloads of both generations, recorded and hostile."""

import gzip
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.wire import analytics
from pmtui.wire.bounds import WireError
from pmtui.wire.gamma import decode_geo_answer
from tests.wire.payloads import CONDITION, TOKENS, Json, bent, json_values, wire

POSITION: dict[str, Json] = {
    "asset": TOKENS[0],
    "conditionId": CONDITION,
    "size": 13.771329999999999,
    "avgPrice": 0.4,
    "curPrice": 0.5,
    "realizedPnl": -1.5,
    "title": "T",
    "outcome": "Yes",
    "outcomeIndex": 0,
    "oppositeAsset": TOKENS[1],
    "redeemable": True,
    "mergeable": False,
    "negativeRisk": True,
    "endDate": "2027-01-01",
    "eventSlug": "e",
}
NEWER: dict[str, Json] = {
    "token_id": TOKENS[0],
    "condition_id": CONDITION,
    "current_size": 13.77133,
    "avg_price": 0.4,
    "current_price": 0.5,
    "realized_pnl": -1.5,
    "title": "T",
    "outcome": "Yes",
    "outcome_index": 0,
    "opposite_token_id": TOKENS[1],
    "redeemable": True,
    "mergeable": False,
    "negative_risk": True,
    "end_date": "2027-01-01",
    "event_slug": "e",
}
ACTIVITY: dict[str, Json] = {
    "type": "TRADE",
    "side": "BUY",
    "asset": TOKENS[0],
    "conditionId": CONDITION,
    "size": 10,
    "usdcSize": 1.2000001318105698,
    "price": 0.12000001318105698,
    "timestamp": 1773718931,
    "title": "T",
    "outcome": "Yes",
    "transactionHash": "0xabc",
}
HOLDERS: dict[str, Json] = {
    "token": TOKENS[0],
    "holders": [{"proxyWallet": "0x1", "pseudonym": "P", "amount": 5.5, "outcomeIndex": 1}, {}],
}
DECODERS: tuple[Callable[[bytes], object], ...] = (
    analytics.decode_positions,
    analytics.decode_closed_positions,
    analytics.decode_activity,
    analytics.decode_holders,
    analytics.decode_value,
    decode_geo_answer,
)


def test_both_generations_read_into_one_position() -> None:
    older = analytics.decode_positions(wire([POSITION])).items
    newer = analytics.decode_positions(wire({"data": [NEWER], "pagination": {"has_more": False}}))
    assert older == newer.items
    position = older[0]
    assert (position.size, position.average_price, position.realized) == (
        13_771_330,
        400_000,
        -1_500_000,
    )
    assert position.is_redeemable
    assert position.neg_risk
    assert position.opposite_token_id == TOKENS[1]


def test_an_envelope_gives_its_cursor() -> None:
    body = {"data": [NEWER], "pagination": {"has_more": True, "next_cursor": "abc"}}
    assert analytics.decode_positions(wire(body)).next_cursor == "abc"


def test_no_end_date_is_no_date_of_1970() -> None:
    row = NEWER | {"end_date": "1970-01-01", "outcome_index": None}
    position = analytics.decode_positions(wire([row])).items[0]
    assert position.end_date == ""
    assert position.outcome_index == analytics.NO_OUTCOME


def test_positions_without_what_they_need_are_skipped() -> None:
    rows = [POSITION | {key: None} for key in ("asset", "conditionId", "size", "avgPrice")]
    found = analytics.decode_positions(wire([*rows, POSITION]))
    assert (len(found.items), found.skipped) == (1, 4)


def test_closed_positions_of_both_generations() -> None:
    older = POSITION | {"timestamp": 1773718931, "totalBought": 20}
    newer = NEWER | {"last_event_at": 1773718931, "total_size": 20}
    found = [analytics.decode_closed_positions(wire([row])).items[0] for row in (older, newer)]
    assert found[0] == found[1]
    assert found[0].total_bought == 20_000_000
    assert found[0].closed_at == datetime.fromtimestamp(1773718931, UTC)


def test_activity_keeps_unknown_kinds_and_rows_without_a_market() -> None:
    odd = {"type": "TIP", "side": "IN", "asset": "", "conditionId": "", "price": 0, "timestamp": 5}
    trade, tip = analytics.decode_activity(wire([ACTIVITY, odd])).items
    assert (trade.kind, trade.price, trade.cash) == ("TRADE", 120_000, 1_200_000)
    assert (tip.kind, tip.side, tip.token_id, tip.condition_id) == ("TIP", "IN", None, None)


def test_equal_rows_stay_apart() -> None:
    assert len(analytics.decode_activity(wire([ACTIVITY, ACTIVITY])).items) == 2


def test_a_row_without_a_time_is_skipped() -> None:
    assert analytics.decode_activity(wire([ACTIVITY | {"timestamp": 0}])).skipped == 1


@pytest.mark.parametrize(
    "body",
    [
        [{"user": "0x1", "value": 12.5}],
        {"user": "0x1", "value": "12.5"},
        {"data": {"proxy_wallet": "0x1", "value": 12.5}},
    ],
)
def test_a_value_comes_in_three_forms(body: Json) -> None:
    assert analytics.decode_value(wire(body)).amount == 12_500_000


def test_no_value_row_is_worth_nothing_and_no_number_is_an_error() -> None:
    assert analytics.decode_value(b"[]").amount == 0
    for body in (b"{}", b'{"data":null}', b'[{"user":"0x1"}]', b"5", b"[5]"):
        with pytest.raises(WireError):
            analytics.decode_value(body)


def test_holders_are_listed_token_by_token() -> None:
    found = analytics.decode_holders(wire([HOLDERS, {"holders": []}]))
    assert [(h.address, h.name, h.amount, h.outcome_index) for h in found.items] == [
        ("0x1", "P", 5_500_000, 1)
    ]
    assert found.skipped == 2


def test_the_geographic_answer_is_taken_as_it_is() -> None:
    answer = decode_geo_answer(b'{"blocked":true,"ip":"203.0.113.7","country":"US","region":"NY"}')
    assert (answer.is_blocked, answer.country, answer.region) == (True, "US", "NY")
    assert not decode_geo_answer(b'{"blocked":false}').is_blocked
    with pytest.raises(WireError):
        decode_geo_answer(b'{"country":"US"}')


@given(json_values | bent(HOLDERS))
def test_any_json_is_a_value_or_a_wire_error(value: Json) -> None:
    for decode in DECODERS:
        _decodes_or_refuses(decode, wire(value))
        _decodes_or_refuses(decode, wire([value]))


@given(st.binary())
def test_any_bytes_are_a_value_or_a_wire_error(body: bytes) -> None:
    for decode in DECODERS:
        _decodes_or_refuses(decode, body)


@given(bent(POSITION | NEWER), bent(ACTIVITY))
def test_bent_rows_are_values_or_are_skipped(position: Json, activity: Json) -> None:
    assert analytics.decode_positions(wire([position, POSITION])).items
    assert analytics.decode_closed_positions(wire([position, POSITION])).items
    assert analytics.decode_activity(wire([activity, ACTIVITY])).items


def _decodes_or_refuses(decode: Callable[[bytes], object], body: bytes) -> None:
    try:
        decode(body)
    except WireError as error:
        assert str(error)  # noqa: PT017 - most examples raise nothing


def test_every_recorded_row_can_be_read(shared_dir: Path) -> None:
    folder = shared_dir / "data" / "data"
    found = 0
    for path in folder.glob("*.gz"):
        body = gzip.decompress(path.read_bytes())
        if path.name.startswith("positions"):
            rows = analytics.decode_positions(body)
            assert rows.skipped == 0
            found += len(rows.items)
        else:
            lines = analytics.decode_activity(body)
            assert lines.skipped == 0
            found += len(lines.items)
    assert found >= 5_000
