import pytest

from pmtui.wire import standings
from pmtui.wire.bounds import WireError
from tests.wire.payloads import wire

CONDITION = "0x" + "ab" * 32
OLDER = {
    "proxyWallet": "0xab",
    "side": "BUY",
    "asset": "71",
    "conditionId": CONDITION,
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
        "condition_id": CONDITION,
        "size": "5",
        "price": "0.3",
        "timestamp": 1780000000,
        "transaction_hash": "0xff",
    }
    old = standings.decode_trades(wire([OLDER]))
    new = standings.decode_trades(wire({"data": [newer], "pagination": {"next_cursor": "x"}}))
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
def test_a_value_comes_in_three_forms(body: object) -> None:
    value = standings.decode_wallet_value(wire(body))
    assert (value.wallet, value.value) == ("0xab", 12_500_000)


def test_a_standing_is_a_row_of_a_list_or_alone_or_not_there() -> None:
    older = {"rank": "2", "proxyWallet": "0xab", "userName": "ann", "vol": 10.5, "pnl": -3}
    newer = {"rank": 2, "user_id": "0xab", "user_name": "ann", "volume": 10.5, "pnl": -3}
    old, new = (
        standings.decode_standings(wire([older])),
        standings.decode_standings(wire({"data": [newer]})),
    )
    assert old.items == new.items
    assert (old.items[0].rank, old.items[0].profit) == (2, -3_000_000)
    alone = standings.decode_standings(wire({"data": {**newer, "rank_pnl": 4, "rank": None}}))
    assert alone.items[0].rank == 4
    assert standings.decode_standings(wire({"data": None})).items == ()


def test_volumes_of_an_event_come_in_both_generations() -> None:
    old = standings.decode_live_volume(
        wire([{"total": 20, "markets": [{"market": CONDITION, "value": 20}]}])
    )
    new = standings.decode_live_volume(
        wire({"data": {"conditions": [{"condition_id": CONDITION, "taker_volume": "20"}]}})
    )
    assert old.items == new.items
    assert standings.decode_live_volume(wire([{"total": 0, "markets": None}])).items == ()


def test_open_interest_and_counts() -> None:
    rows = standings.decode_open_interest(wire([{"market": "GLOBAL", "value": 1e6}]))
    assert (rows.items[0].condition_id, rows.items[0].value) == ("GLOBAL", 10**12)
    assert standings.decode_traded(wire({"user": "0xab", "traded": 7})).markets == 7
    with pytest.raises(WireError):
        standings.decode_traded(wire({"user": "0xab"}))


def test_totals_of_a_wallet_may_be_missing() -> None:
    stats = standings.decode_wallet_stats(
        wire({"data": {"proxy_wallet": "0xab", "trades": 3, "all_time_pnl": -1.5}})
    )
    assert (stats.trades, stats.profit, stats.biggest_win) == (3, -1_500_000, None)
    point = standings.decode_wallet_stats(wire({"data": {"all_time_pnl": {"position_pnl": 2}}}))
    assert point.profit == 2_000_000
    assert standings.decode_wallet_stats(wire({"data": None})).wallet == ""
    volume = standings.decode_wallet_volume(wire({"data": {"volume": 3, "trade_count": 1}}))
    assert (volume.shares, volume.cash, volume.trades) == (3_000_000, None, 1)


def test_profit_over_time_positions_tokens_resolutions_and_approvals() -> None:
    points = standings.decode_profit_points(
        wire({"data": {"points": [{"timestamp": 1780000000, "position_pnl": 1.5}]}})
    )
    assert points.items[0].profit == 1_500_000
    held = standings.decode_market_positions(
        wire([{"token": "71", "positions": [{"proxyWallet": "0xab", "size": 2, "asset": "71"}]}])
    )
    assert (held.items[0].size, held.items[0].token_id) == (2_000_000, "71")
    tokens = standings.decode_tokens(wire({"data": [{"token_id": "71", "outcome": "Yes"}]}))
    assert tokens.items[0].outcome == "Yes"
    resolutions = standings.decode_resolutions(
        wire({"data": [{"condition_id": CONDITION, "status": "resolved", "price": 1}]})
    )
    assert (resolutions.items[0].status, resolutions.items[0].price) == ("resolved", 1_000_000)
    approvals = standings.decode_approvals(
        wire({"data": {"contracts": [{"token": "0x1", "approved": True, "amount": "max"}]}})
    )
    assert (approvals.items[0].is_approved, approvals.items[0].amount) == (True, "max")
    winners = standings.decode_winners(wire({"data": [{"user_id": "0xab", "pnl": 9}]}))
    assert winners.items[0].profit == 9_000_000


@pytest.mark.parametrize("body", [b"", b"7", b"<html>", b"{", b'{"data": 7}'])
def test_what_is_no_answer_is_refused(body: bytes) -> None:
    for decode in (
        standings.decode_trades,
        standings.decode_standings,
        standings.decode_live_volume,
        standings.decode_profit_points,
        standings.decode_wallet_value,
    ):
        with pytest.raises(WireError):
            decode(body)
