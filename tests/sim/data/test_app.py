"""The analytics host against the ledger, over HTTP."""

import httpx
import pytest

from pmtui.domain.markets.market import Side
from pmtui.sim.engine.terms import Payout
from pmtui.sim.run import RunningVenue
from tests.sim.data.kit import ask, resolve, trade
from tests.sim.hosts.conftest import ann, bob, http, running
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, Person

__all__ = ["ann", "bob", "http", "running"]


async def test_positions_agree_with_the_ledger(ann: Person, bob: Person) -> None:
    await trade(ann, bob)
    (mine,) = await ask(ann, "/positions")
    assert (mine["asset"], mine["size"], mine["avgPrice"]) == (RAIN_YES, 20, 0.4)
    assert (mine["initialValue"], mine["curPrice"], mine["currentValue"]) == (8, 0.5, 10)
    assert (mine["cashPnl"], mine["percentPnl"], mine["oppositeAsset"]) == (2, 25, RAIN_NO)
    (theirs,) = await ask(bob, "/positions")
    assert (theirs["outcome"], theirs["outcomeIndex"], theirs["initialValue"]) == ("No", 1, 12)
    assert (await ask(ann, "/value"))[0]["value"] == 10
    assert (await ask(ann, "/traded"))["traded"] == 1
    assert await ask(ann, "/oi", market=RAIN) == [{"market": RAIN, "value": 20}]
    assert await ask(ann, "/oi", market=RAIN_YES) == [{"market": RAIN, "value": 20}]
    assert await ask(ann, "/holders", market=RAIN_NO) == await ask(ann, "/holders", market=RAIN)


async def test_trades_show_only_takers_unless_asked(ann: Person, bob: Person) -> None:
    await trade(ann, bob)
    assert await ask(ann, "/trades") == []
    (row,) = await ask(ann, "/trades", takerOnly="false")
    assert (row["side"], row["size"], row["price"], row["asset"]) == ("BUY", 20, 0.4, RAIN_YES)
    (row,) = await ask(bob, "/trades")
    assert (row["price"], row["outcome"], row["conditionId"]) == (0.6, "No", RAIN)


async def test_a_sale_realizes_its_part_of_the_cost(ann: Person, bob: Person) -> None:
    await trade(ann, bob)
    await bob.rest(Side.BUY, "0.50", "5")
    await ann.place(Side.SELL, "0.50", "5")
    (mine,) = await ask(ann, "/positions")
    assert (mine["size"], mine["avgPrice"], mine["realizedPnl"]) == (15, 0.4, 0.5)
    assert mine["totalBought"] == 20


async def test_losers_stay_listed_and_winners_close_when_redeemed(
    running: RunningVenue, ann: Person, bob: Person
) -> None:
    await trade(ann, bob)
    resolve(running, Payout.FIRST)
    (lost,) = await ask(bob, "/positions")
    assert (lost["curPrice"], lost["redeemable"], lost["cashPnl"]) == (0, True, -12)
    view = running.venue.trading(RAIN)
    assert view is not None
    condition_id = view.spec.condition_id
    running.venue.act(lambda x, now_ms: x.redeem(ann.wallet, condition_id, now_ms=now_ms))
    assert await ask(ann, "/positions") == []
    (closed,) = await ask(ann, "/closed-positions")
    assert (closed["realizedPnl"], closed["avgPrice"], closed["curPrice"]) == (12, 0.4, 1)
    redeemed = (await ask(ann, "/activity", type="REDEEM"))[0]
    assert (redeemed["outcomeIndex"], redeemed["asset"], redeemed["side"]) == (999, "", "")
    assert (redeemed["usdcSize"], redeemed["price"]) == (20, 0)


async def test_splits_cost_half_a_dollar_a_side_and_can_be_merged(
    running: RunningVenue, ann: Person
) -> None:
    view = running.venue.trading(RAIN)
    assert view is not None
    condition_id = view.spec.condition_id
    amount = view.spec.min_size
    running.venue.act(lambda x, now_ms: x.split(ann.wallet, condition_id, amount, now_ms=now_ms))
    rows = await ask(ann, "/positions", mergeable="true")
    assert [(row["size"], row["avgPrice"], row["mergeable"]) for row in rows] == [
        (5, 0.5, True)
    ] * 2
    assert [row["type"] for row in await ask(ann, "/activity")] == ["SPLIT"]
    everything = await ask(ann, "/activity", excludeDepositsWithdrawals="false")
    assert {row["type"] for row in everything} == {"SPLIT", "DEPOSIT"}


async def test_holders_and_volume_and_standings_come_from_the_same_trades(
    ann: Person, bob: Person
) -> None:
    await trade(ann, bob)
    lists = await ask(ann, "/holders", market=RAIN)
    assert [(h["token"], h["holders"][0]["amount"]) for h in lists] == [
        (RAIN_YES, 20),
        (RAIN_NO, 20),
    ]
    assert lists[0]["holders"][0]["proxyWallet"] == ann.wallet.lower()
    (volume,) = await ask(ann, "/live-volume", id="1")
    assert volume["total"] == 12
    (standing,) = await ask(bob, "/v1/leaderboard")
    assert (standing["rank"], standing["vol"], standing["pnl"]) == ("2", 12, -2)


async def test_the_newer_dialect_tells_the_same_in_envelopes(ann: Person, bob: Person) -> None:
    await trade(ann, bob)
    body = await ask(bob, "/v2/positions")
    (row,) = body["data"]
    assert (row["token_id"], row["current_size"], row["status"]) == (RAIN_NO, 20, "OPEN")
    assert row["entry_fees_usdc"] > 0
    assert body["pagination"] == {"limit": 100, "offset": 0, "has_more": False, "next_cursor": None}
    assert (await ask(ann, "/v2/value"))["data"]["value"] == 10
    first = await ask(ann, "/v2/trades", taker_only="false", limit="1")
    assert first["data"][0]["proxy_wallet"] == ann.wallet.lower()
    assert (await ask(ann, "/v2/oi", condition_id=RAIN))["data"][0]["value"] == 20
    activity = await ask(ann, "/v2/activity", exclude_deposits_withdrawals="false", limit="1")
    assert activity["pagination"]["has_more"] is True
    more = await ask(
        ann,
        "/v2/activity",
        exclude_deposits_withdrawals="false",
        limit="1",
        cursor=activity["pagination"]["next_cursor"],
    )
    assert [row["type"] for row in (*activity["data"], *more["data"])] == ["TRADE", "DEPOSIT"]
    assert (await ask(ann, "/v2/live-volume", event_id="1"))["data"]["taker_volume_total"] == 12
    assert len((await ask(ann, "/v2/holders", condition_id=RAIN))["data"]) == 2


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("/positions", "required query param 'user' not provided"),
        ("/positions?user=nobody", "user must be an address"),
        ("/holders", "required query param 'market' not provided"),
        ("/trades?limit=many", "invalid limit"),
        ("/trades?takerOnly=perhaps", "invalid takerOnly"),
    ],
)
async def test_queries_that_cannot_be_answered_are_refused(
    running: RunningVenue, http: httpx.AsyncClient, path: str, problem: str
) -> None:
    response = await http.get(running.urls["data"] + path)
    assert (response.status_code, response.json()) == (400, {"error": problem})
