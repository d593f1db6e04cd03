"""Routes of the analytics host that tell of whole markets, of one account over time, and limits."""

from typing import Any

import pytest

from pmtui.domain.markets.market import Side
from pmtui.sim.data.app import MOST_BY_GROUP, MOST_IN_ALL, WINDOW_MS
from pmtui.sim.engine.terms import Payout, Permission
from tests.sim.data.kit import ask, resolve, trade
from tests.sim.hosts.conftest import ann, bob, http, running
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, SNOW, START_MS, Person

__all__ = ["ann", "bob", "http", "running"]

START_S = START_MS // 1_000


async def get(person: Person, path: str, **query: str) -> Any:
    response = await person.http.get(person.running.urls["data"] + path, params=query)
    assert response.status_code == 200, response.text
    return response.json()


async def test_without_a_market_open_interest_is_that_of_all(ann: Person, bob: Person) -> None:
    await trade(ann, bob)
    assert await get(ann, "/oi") == [{"market": "GLOBAL", "value": 20}]
    assert (await get(ann, "/v2/oi"))["data"] == [{"condition_id": "GLOBAL", "value": 20}]
    assert (await get(ann, "/v2/oi", condition_id=SNOW))["data"] == [
        {"condition_id": SNOW, "value": 0}
    ]


async def test_positions_of_a_market_are_those_of_everybody(ann: Person, bob: Person) -> None:
    await trade(ann, bob)
    rows = (await get(ann, "/v2/positions", condition_id=RAIN))["data"]
    assert {(row["proxy_wallet"], row["token_id"]) for row in rows} == {
        (ann.wallet.lower(), RAIN_YES),
        (bob.wallet.lower(), RAIN_NO),
    }
    for person in (ann, bob):
        (own,) = (await ask(person, "/v2/positions"))["data"]
        assert own in rows
    # Nobody can merge what two people hold.
    assert not any(row["mergeable"] for row in rows)
    assert (await get(ann, "/v2/positions", condition_id=SNOW))["data"] == []


async def test_left_positions_of_a_market_are_listed_when_asked_for(
    ann: Person, bob: Person
) -> None:
    await trade(ann, bob)
    await ann.rest(Side.SELL, "0.45", "20")
    await bob.place(Side.BUY, "0.45", "20")
    closed = (await get(ann, "/v2/positions", condition_id=RAIN, status="CLOSED"))["data"]
    assert [row["proxy_wallet"] for row in closed] == [ann.wallet.lower()]
    (yes, no) = await get(ann, "/v1/market-positions", market=RAIN)
    assert (yes["token"], no["token"]) == (RAIN_YES, RAIN_NO)
    gone = next(row for row in yes["positions"] if row["proxyWallet"] == ann.wallet.lower())
    assert (gone["size"], gone["realizedPnl"], gone["totalPnl"]) == (0, 1, 1)
    (opened, _) = await get(ann, "/v1/market-positions", market=RAIN, status="OPEN")
    assert [row["proxyWallet"] for row in opened["positions"]] == [bob.wallet.lower()]


async def test_positions_can_be_filtered_by_worth_and_time(ann: Person, bob: Person) -> None:
    await trade(ann, bob)
    for query, count in (
        ({"filter_type": "CASH", "filter_amount": "10"}, 1),
        ({"filter_type": "CASH", "filter_amount": "10.01"}, 0),
        ({"filter_type": "TOKENS", "filter_amount": "20"}, 1),
        ({"start": str(START_S), "end": str(START_S)}, 1),
        ({"start": str(START_S + 1)}, 0),
    ):
        assert len((await ask(ann, "/v2/positions", **query))["data"]) == count, query


async def test_holders_can_be_told_with_what_they_gained(ann: Person, bob: Person) -> None:
    await trade(ann, bob)
    (yes, _) = (await get(ann, "/v2/holders", condition_id=RAIN, include_pnl="true"))["data"]
    (holder,) = yes["holders"]
    assert (holder["entry_cost_usdc"], holder["current_value"], holder["total_pnl"]) == (8, 10, 2)


async def test_statistics_volume_and_profit_agree_with_the_ledger(ann: Person, bob: Person) -> None:
    await trade(ann, bob)
    ann.pass_time(3_600 * 5)
    await ann.rest(Side.SELL, "0.45", "10")
    await bob.place(Side.BUY, "0.45", "10")
    stats = (await ask(ann, "/v2/user-stats"))["data"]
    assert (stats["trades"], stats["biggest_win"], stats["join_date"]) == (1, 0.5, START_S)
    assert (await ask(ann, "/v2/user-volume"))["data"] == {
        "volume": 30,
        "volume_usdc": 12.5,
        "trade_count": 2,
    }
    later = {"start": str(START_S + 1)}
    assert (await ask(ann, "/v2/user-volume", **later))["data"]["trade_count"] == 1
    pnl = (await ask(ann, "/v2/user-pnl", interval="1d", fidelity="1h"))["data"]
    assert (pnl["interval"], pnl["fidelity"]) == ("1d", "1h")
    points = pnl["points"]
    times = [point["timestamp"] for point in points]
    assert times == sorted(times)
    assert times[-1] == START_S + 3_600 * 5
    assert [point["realized_pnl"] for point in (points[0], points[-1])] == [0, 0.5]
    assert points[-1] == stats["all_time_pnl"]
    ledger = await ann.ledger()
    assert points[-1]["deposits"] == float(ledger["deposited"])
    spent = points[-1]["deposits"] - float(ledger["collateral"])
    # What was paid is what is still held at its cost, less what was gained.
    (position,) = await ask(ann, "/positions")
    assert spent == position["initialValue"] - points[-1]["realized_pnl"]
    assert points[-1]["unrealized_pnl"] == position["cashPnl"]
    assert float((await bob.ledger())["fees_paid"]) == pytest.approx(
        (await ask(bob, "/v2/user-pnl"))["data"]["points"][-1]["fees_paid"]
    )


async def test_who_never_did_anything_has_no_statistics(ann: Person) -> None:
    stranger = "0x" + "12" * 20
    assert await get(ann, "/v2/user-stats", user=stranger) == {"data": None}
    assert await get(ann, "/v2/leaderboard", user=stranger) == {"data": None}
    assert (await get(ann, "/v2/user-pnl", user=stranger))["data"]["points"] == []


async def test_the_newer_leaderboard_ranks_by_either_measure(ann: Person, bob: Person) -> None:
    await trade(ann, bob)
    rows = (await get(ann, "/v2/leaderboard"))["data"]
    assert [(row["rank"], row["user_id"], row["pnl"], row["volume"]) for row in rows] == [
        (1, ann.wallet.lower(), 2, 20),
        (2, bob.wallet.lower(), -2, 20),
    ]
    own = (await ask(bob, "/v2/leaderboard"))["data"]
    assert (own["rank_pnl"], own["volume"]) == (2, 20)
    for category, count in (("WEATHER", 2), ("sports", 0)):
        assert len((await get(ann, "/v2/leaderboard", category=category))["data"]) == count
        assert len(await get(ann, "/v1/leaderboard", category=category)) == count


async def test_tokens_are_told_by_themselves_and_by_their_market(ann: Person) -> None:
    by_token = (await get(ann, "/v2/tokens", token_id=f"{RAIN_NO},{RAIN_YES},12"))["data"]
    assert [row["token_id"] for row in by_token] == [RAIN_NO, RAIN_YES]
    by_market = (await get(ann, "/v2/tokens", condition=RAIN))["data"]
    assert by_market == by_token[::-1]
    no = by_token[0]
    assert (no["outcome"], no["outcome_index"], no["opposite_token_id"]) == ("No", 1, RAIN_YES)
    assert (no["resolved"], no["final_price"], no["closed"]) == (False, None, False)
    resolve(ann.running, Payout.SECOND)
    (no,) = (await get(ann, "/v2/tokens", token_id=RAIN_NO))["data"]
    assert (no["resolved"], no["final_price"], no["closed"]) == (True, 1, True)


async def test_a_resolution_is_told_with_its_moment(ann: Person) -> None:
    (before,) = (await get(ann, "/v2/resolutions", condition_id=RAIN))["data"]
    assert (before["status"], before["payouts"], before["resolved_at"]) == (
        "initialized",
        None,
        None,
    )
    ann.pass_time(60)
    resolve(ann.running, Payout.HALF)
    (after,) = (await get(ann, "/v2/resolutions", event_id="1"))["data"]
    assert (after["status"], after["price"], after["payouts"]) == (
        "resolved",
        0.5,
        [500_000, 500_000],
    )
    assert after["resolved_at"] == after["last_update_timestamp"] == START_S + 60
    (same,) = (await get(ann, "/v2/resolutions", question_id=after["question_id"]))["data"]
    assert same == after


async def test_approvals_follow_from_the_wallets_standing(ann: Person) -> None:
    def approved(body: Any) -> set[bool]:
        return {row["approved"] for row in body["data"]["contracts"]}

    body = await ask(ann, "/v2/approvals")
    assert (body["data"]["address"], body["data"]["chain_id"]) == (ann.wallet.lower(), 137)
    assert approved(body) == {True}
    await ann.admin(
        "POST", "/standing", {"address": ann.wallet, "standing": Permission.NO_ALLOWANCE.value}
    )
    assert approved(await ask(ann, "/v2/approvals")) == {False}
    assert approved(await get(ann, "/v2/approvals", user=ann.wallets.safe)) == {False}


async def test_price_history_is_that_of_the_trading_host(ann: Person, bob: Person) -> None:
    await trade(ann, bob)
    clob = ann.running.urls["clob"]
    for token in (RAIN_YES, RAIN_NO):
        rows = (await get(ann, "/v2/prices-history", token_id=token, interval="1h"))["data"]
        query = {"market": token, "interval": "1h", "fidelity": "1"}
        chart = (await ann.http.get(f"{clob}/prices-history", params=query)).json()["history"]
        assert [(row["timestamp"], row["price"]) for row in rows] == [
            (p["t"], p["p"]) for p in chart
        ]
        assert {row["resolution_seconds"] for row in rows} == {60}
    at = {"token_id": RAIN_YES, "as_of": str(START_S - 7)}
    (point,) = (await get(ann, "/v2/prices-history", **at))["data"]
    assert point["timestamp"] == START_S - 7
    first = await get(ann, "/v2/prices-history", token_id=RAIN_YES, interval="1h", limit="7")
    cursor = first["pagination"]["next_cursor"]
    second = await get(
        ann, "/v2/prices-history", token_id=RAIN_YES, interval="1h", limit="7", cursor=cursor
    )
    assert second["data"][0]["timestamp"] - first["data"][-1]["timestamp"] == 60


@pytest.mark.parametrize(
    "path",
    [
        "/v2/prices-history",
        "/v2/prices-history?token_id=1",
        "/v2/prices-history?token_id=1&interval=2d",
        "/v2/prices-history?token_id=1&interval=1d&as_of=5",
        "/v2/prices-history?token_id=1&interval=1w&bucket_seconds=60",
        "/v2/prices-history?token_id=1&start=1&end=9999999",
        "/v2/tokens",
        f"/v2/tokens?token_id={RAIN_YES}&condition={RAIN}",
        "/v2/tokens?token_id=" + ",".join(map(str, range(51))),
        "/v2/resolutions",
        f"/v2/resolutions?condition_id={RAIN}&event_id=1",
        "/v2/positions",
        f"/v2/positions?condition_id={RAIN},{SNOW}",
        f"/v2/positions?condition_id={RAIN}&status=MERGEABLE",
        "/v2/user-pnl",
        f"/v2/user-pnl?user={'0x' + '12' * 20}&interval=2d",
        "/v2/leaderboard?category=knitting",
        "/v2/leaderboard?time_period=century",
        "/v2/approvals?user=nobody",
    ],
)
async def test_the_newer_dialect_words_its_refusals_in_full(ann: Person, path: str) -> None:
    answer = await ann.http.get(ann.running.urls["data"] + path)
    body = answer.json()
    assert answer.status_code == 400
    assert set(body) == {"error", "code", "retryable", "trace_id"}
    assert (body["code"], body["retryable"]) == ("invalid_request", False)
    assert answer.headers["x-trace-id"] == body["trace_id"]


async def _statuses(person: Person, path: str, count: int) -> list[int]:
    url = person.running.urls["data"] + path
    return [(await person.http.get(url)).status_code for _ in range(count)]


@pytest.mark.parametrize(
    ("path", "group"),
    [
        ("/", "health"),
        ("/positions?user=nobody", "positions"),
        ("/closed-positions?user=nobody", "closed-positions"),
        ("/trades?limit=x", "trades"),
    ],
)
async def test_each_group_of_routes_has_a_limit_in_ten_seconds(
    ann: Person, path: str, group: str
) -> None:
    most = MOST_BY_GROUP[group]
    assert 429 not in await _statuses(ann, path, most)
    ann.pass_time(2.5)
    refused = await ann.http.get(ann.running.urls["data"] + path)
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "8"
    # Other routes are still answered.
    assert (await ann.http.get(ann.running.urls["data"] + "/oi")).status_code == 200
    ann.pass_time(7.5)
    assert 429 not in await _statuses(ann, path, most)


async def test_both_dialects_share_a_limit_and_it_can_be_scaled_and_switched_off(
    ann: Person,
) -> None:
    await ann.admin("POST", "/analytics-limits", {"scale": 0.01})
    assert 429 not in await _statuses(ann, "/trades?limit=x", 2)
    url = ann.running.urls["data"] + "/v2/trades"
    refused = await ann.http.get(url)
    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert refused.json()["retryable"] is True
    await ann.admin("POST", "/analytics-limits", {"is_enforced": False})
    assert 429 not in await _statuses(ann, "/trades?limit=x", 5)
    assert (await ann.operate("POST", "/analytics-limits", json={"scale": 0})).status_code == 400


async def test_the_whole_host_has_a_limit_too(ann: Person) -> None:
    await ann.admin("POST", "/analytics-limits", {"scale": 0.02})
    assert MOST_IN_ALL * 0.02 == 20
    assert 429 not in await _statuses(ann, "/oi", 20)
    assert await _statuses(ann, "/value?user=nobody", 1) == [429]
    ann.pass_time(WINDOW_MS / 1_000)
    assert 429 not in await _statuses(ann, "/oi", 20)
