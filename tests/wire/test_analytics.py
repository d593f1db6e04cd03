"""The analytics host's payloads of both generations, recorded and hostile."""

import gzip
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given

from pmtui.wire import analytics
from pmtui.wire.bounds import WireError
from pmtui.wire.gamma import decode_geo_answer
from tests.wire.analytics_rows import ACTIVITY, HOLDERS, NEWER, POSITION
from tests.wire.payloads import TOKENS, Json, bent, wire


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


@given(bent(POSITION | NEWER), bent(ACTIVITY))
def test_bent_rows_are_values_or_are_skipped(position: Json, activity: Json) -> None:
    assert analytics.decode_positions(wire([position, POSITION])).items
    assert analytics.decode_closed_positions(wire([position, POSITION])).items
    assert analytics.decode_activity(wire([activity, ACTIVITY])).items


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


MARKET_ID = "0x" + "ab" * 32
OLDER = {
    "proxyWallet": "0xab",
    "side": "BUY",
    "asset": "71",
    "conditionId": MARKET_ID,
    "size": 5,
    "price": 0.1 + 0.2,
    "timestamp": 1780000000,
    "transactionHash": "0xff",
}


def test_trades_are_read_in_both_generations() -> None:
    newer = {
        "proxy_wallet": "0xab",
        "side": "BUY",
        "token_id": "71",
        "condition_id": MARKET_ID,
        "size": "5",
        "price": "0.3",
        "timestamp": 1780000000,
        "transaction_hash": "0xff",
    }
    old = analytics.decode_trades(wire([OLDER]))
    new = analytics.decode_trades(wire({"data": [newer], "pagination": {"next_cursor": "x"}}))
    assert old.items == new.items
    assert (new.next_cursor, old.items[0].price, old.items[0].wallet) == ("x", 300_000, "0xab")


@pytest.mark.parametrize(
    "body",
    [
        [{"user": "0xab", "value": 12.5}],
        {"user": "0xab", "value": "12.5"},
        {"data": {"proxy_wallet": "0xab", "value": 12.5}},
    ],
)
def test_a_wallets_value_comes_in_three_forms(body: object) -> None:
    value = analytics.decode_wallet_value(wire(body))
    assert (value.wallet, value.value) == ("0xab", 12_500_000)


def test_a_standing_is_a_row_of_a_list_or_alone_or_not_there() -> None:
    older = {"rank": "2", "proxyWallet": "0xab", "userName": "ann", "vol": 10.5, "pnl": -3}
    newer = {"rank": 2, "user_id": "0xab", "user_name": "ann", "volume": 10.5, "pnl": -3}
    old, new = (
        analytics.decode_standings(wire([older])),
        analytics.decode_standings(wire({"data": [newer]})),
    )
    assert old.items == new.items
    assert (old.items[0].rank, old.items[0].profit) == (2, -3_000_000)
    alone = analytics.decode_standings(wire({"data": {**newer, "rank_pnl": 4, "rank": None}}))
    assert alone.items[0].rank == 4
    assert analytics.decode_standings(wire({"data": None})).items == ()


def test_volumes_of_an_event_come_in_both_generations() -> None:
    old = analytics.decode_live_volume(
        wire([{"total": 20, "markets": [{"market": MARKET_ID, "value": 20}]}])
    )
    new = analytics.decode_live_volume(
        wire({"data": {"conditions": [{"condition_id": MARKET_ID, "taker_volume": "20"}]}})
    )
    assert old.items == new.items
    assert analytics.decode_live_volume(wire([{"total": 0, "markets": None}])).items == ()


def test_open_interest_and_counts() -> None:
    rows = analytics.decode_open_interest(wire([{"market": "GLOBAL", "value": 1e6}]))
    assert (rows.items[0].condition_id, rows.items[0].value) == ("GLOBAL", 10**12)
    assert analytics.decode_traded(wire({"user": "0xab", "traded": 7})).markets == 7
    with pytest.raises(WireError):
        analytics.decode_traded(wire({"user": "0xab"}))


def test_totals_of_a_wallet_may_be_missing() -> None:
    stats = analytics.decode_wallet_stats(
        wire({"data": {"proxy_wallet": "0xab", "trades": 3, "all_time_pnl": -1.5}})
    )
    assert (stats.trades, stats.profit, stats.biggest_win) == (3, -1_500_000, None)
    point = analytics.decode_wallet_stats(wire({"data": {"all_time_pnl": {"position_pnl": 2}}}))
    assert point.profit == 2_000_000
    assert analytics.decode_wallet_stats(wire({"data": None})).wallet == ""
    volume = analytics.decode_wallet_volume(wire({"data": {"volume": 3, "trade_count": 1}}))
    assert (volume.shares, volume.cash, volume.trades) == (3_000_000, None, 1)


def test_profit_over_time_positions_tokens_resolutions_and_approvals() -> None:
    points = analytics.decode_profit_points(
        wire({"data": {"points": [{"timestamp": 1780000000, "position_pnl": 1.5}]}})
    )
    assert points.items[0].profit == 1_500_000
    held = analytics.decode_market_positions(
        wire([{"token": "71", "positions": [{"proxyWallet": "0xab", "size": 2, "asset": "71"}]}])
    )
    assert (held.items[0].size, held.items[0].token_id) == (2_000_000, "71")
    tokens = analytics.decode_tokens(wire({"data": [{"token_id": "71", "outcome": "Yes"}]}))
    assert tokens.items[0].outcome == "Yes"
    resolutions = analytics.decode_resolutions(
        wire({"data": [{"condition_id": MARKET_ID, "status": "resolved", "price": 1}]})
    )
    assert (resolutions.items[0].status, resolutions.items[0].price) == ("resolved", 1_000_000)
    approvals = analytics.decode_approvals(
        wire({"data": {"contracts": [{"token": "0x1", "approved": True, "amount": "max"}]}})
    )
    assert (approvals.items[0].is_approved, approvals.items[0].amount) == (True, "max")
    winners = analytics.decode_winners(wire({"data": [{"user_id": "0xab", "pnl": 9}]}))
    assert winners.items[0].profit == 9_000_000


@pytest.mark.parametrize("body", [b"", b"7", b"<html>", b"{", b'{"data": 7}'])
def test_what_is_no_answer_is_refused(body: bytes) -> None:
    for decode in (
        analytics.decode_trades,
        analytics.decode_standings,
        analytics.decode_live_volume,
        analytics.decode_profit_points,
        analytics.decode_wallet_value,
    ):
        with pytest.raises(WireError):
            decode(body)
