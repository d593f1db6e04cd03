import json
from datetime import date
from pathlib import Path

import pytest

from pmtui.domain.ids import OrderId
from pmtui.domain.markets.rewards import RewardedMarket
from pmtui.wire import clob_rewards as wire
from pmtui.wire.bounds import WireError
from tests.wire.doc_examples import documented
from tests.wire.payloads import Json
from tests.wire.payloads import wire as to_bytes

PROGRAM: dict[str, Json] = {
    "id": 3,
    "asset_address": "0xAA",
    "start_date": "2026-03-01",
    "end_date": "2500-12-31",
    "rate_per_day": 2.5,
    "total_rewards": 92,
    "remaining_reward_amount": "11.5",
    "total_days": 174161,
}
MARKET: dict[str, Json] = {
    "condition_id": "0xcc",
    "question": "Will it?",
    "market_slug": "will-it",
    "event_slug": "it",
    "rewards_max_spread": 3.5,
    "rewards_min_size": "50",
    "market_competitiveness": 0.42,
    "tokens": [{"token_id": "71", "outcome": "YES", "price": 0.8}],
    "rewards_config": [PROGRAM],
    "sponsored_daily_rate": 0.5,
    "total_daily_rate": 3,
    "spread": 0.12,
    "volume_24hr": 12345.67,
    "earning_percentage": 30,
    "earnings": [{"asset_address": "0xAA", "earnings": 0.585051, "asset_rate": 1.001}],
}
EARNING: dict[str, Json] = {
    "date": "2026-03-26T00:00:00Z",
    "condition_id": "0xcc",
    "asset_address": "0xAA",
    "maker_address": "0xBB",
    "earnings": 0.237519,
    "asset_rate": 1,
}
REBATE: dict[str, Json] = {
    "date": "2026-02-27",
    "condition_id": "0xcc",
    "asset_address": "0xAA",
    "maker_address": "0xBB",
    "rebated_fees_usdc": "0.237519",
}


def page(*rows: Json, **more: Json) -> bytes:
    return to_bytes({"limit": 100, "next_cursor": "LTE=", "data": list(rows)} | more)


def only_market(body: bytes) -> RewardedMarket:
    (market,) = wire.decode_rewarded_markets(body).items
    return market


def test_a_rewarded_market_is_read_whole() -> None:
    market = only_market(page(MARKET))
    assert (market.terms.max_spread, market.terms.min_size) == (35_000, 50_000_000)
    program = market.programs[0]
    assert (program.rate_per_day, program.remaining) == (2_500_000, 11_500_000)
    assert (program.starts_on, program.ends_on) == (date(2026, 3, 1), date(2500, 12, 31))
    assert market.earned[0].earnings == 585_051
    assert (market.outcomes[0].label, market.outcomes[0].price) == ("YES", 800_000)
    assert (market.daily_rate, market.earning_percent) == (3_000_000, 30_000_000)


def test_a_short_row_says_less() -> None:
    market = only_market(page({"condition_id": "0xcc", "rewards_config": None}))
    assert (market.programs, market.daily_rate, market.terms.min_size) == ((), None, 0)


def test_lists_come_bare_or_as_pages_and_may_tell_their_length() -> None:
    assert len(wire.decode_rewarded_markets(to_bytes([MARKET])).items) == 1
    listed = wire.decode_rewarded_markets(page(MARKET, {}, total_count=42, next_cursor="NQ=="))
    assert (listed.total, listed.next_cursor, listed.skipped) == (42, "NQ==", 1)


def test_earnings_are_of_a_market_or_of_all() -> None:
    (earned,) = wire.decode_earnings(page(EARNING)).items
    assert (earned.day, earned.condition_id) == (date(2026, 3, 26), "0xcc")
    del_market = {key: value for key, value in EARNING.items() if key != "condition_id"}
    (total,) = wire.decode_total_earnings(to_bytes([del_market | {"asset_rate": None}]))
    assert (total.condition_id, total.paid.asset_rate) == (None, 1_000_000)


@pytest.mark.parametrize("bad", [{"date": ""}, {"date": "someday"}, {"earnings": None}])
def test_a_sum_that_cannot_be_read_spoils_the_sums(bad: dict[str, Json]) -> None:
    with pytest.raises(WireError):
        wire.decode_total_earnings(to_bytes([EARNING, EARNING | bad]))
    assert wire.decode_earnings(page(EARNING, EARNING | bad)).skipped == 1


def test_percentages_come_by_market_or_as_rows() -> None:
    assert wire.decode_percentages(b'{"0xcc":20.5}') == {"0xcc": 20_500_000}
    rows = b'[{"condition_id":"0xcc","percentage":"20.5"}]'
    assert wire.decode_percentages(rows) == {"0xcc": 20_500_000}


def test_rebates_are_read_and_odd_rows_counted() -> None:
    rebates = wire.decode_rebates(to_bytes([REBATE, REBATE | {"rebated_fees_usdc": "much"}]))
    assert (rebates.items[0].amount, rebates.items[0].day) == (237_519, date(2026, 2, 27))
    assert rebates.skipped == 1


def test_scoring_is_yes_or_no_and_nothing_else() -> None:
    assert wire.decode_scoring(b'{"scoring":true}')
    assert wire.decode_scorings(b'{"0xa":true,"0xb":false}') == {
        OrderId("0xa"): True,
        OrderId("0xb"): False,
    }
    for body in (b"{}", b"true", b'{"scoring":"maybe"}'):
        with pytest.raises(WireError):
            wire.decode_scoring(body)


@pytest.mark.parametrize(
    "path",
    [
        "/rewards/markets/current",
        "/rewards/markets/{condition_id}",
        "/rewards/markets/multi",
        "/rewards/user/markets",
    ],
)
def test_documented_markets_with_rewards_are_read(shared_dir: Path, path: str) -> None:
    for body in documented(shared_dir, path):
        listed = wire.decode_rewarded_markets(body)
        assert listed.items
        assert not listed.skipped
        assert all(market.programs and market.terms.max_spread for market in listed.items)


def test_documented_earnings_and_rebates_are_read(shared_dir: Path) -> None:
    for body in documented(shared_dir, "/rewards/user"):
        assert wire.decode_earnings(body).items[0].condition_id
    for body in documented(shared_dir, "/rewards/user/total"):
        assert len(wire.decode_total_earnings(body)) == 2
    for body in documented(shared_dir, "/rewards/user/percentages"):
        assert set(wire.decode_percentages(body).values()) == {20_000_000}
    for body in documented(shared_dir, "/rebates/current"):
        assert wire.decode_rebates(body).items[0].amount == 237_519
    for body in documented(shared_dir, "/order-scoring"):
        assert wire.decode_scoring(body) is json.loads(body)["scoring"]
    for body in documented(shared_dir, "/orders-scoring"):
        assert sorted(wire.decode_scorings(body).values()) == [False, True]
