"""Every switch of the operator's address beside delays and heartbeats, seen from outside."""

import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.markets.market import Side
from pmtui.domain.orders.order import TimeInForce
from pmtui.sim import admin
from pmtui.sim.admin import AdminRoutes, ControlRoutes
from pmtui.sim.subsystems import RESTARTING, Subsystems
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, Person, http_client, small_venue
from tests.sim.streams.wire import connected

BUY, SELL = Side.BUY, Side.SELL
FAK = TimeInForce.FAK


async def _fill(maker: Person, taker: Person, size: str = "5") -> dict[str, Any]:
    await maker.rest(BUY, "0.40", size)
    answer: dict[str, Any] = (await taker.place(BUY, "0.60", size, token=RAIN_NO)).json()
    return answer


async def _trade(person: Person) -> dict[str, Any]:
    rows = (await person.call("GET", "/data/trades")).json()["data"]
    row: dict[str, Any] = rows[0]
    return row


async def test_the_operators_table_names_every_route(ann: Person) -> None:
    venue = ann.running.venue
    routes = [*AdminRoutes(venue).routes(), *ControlRoutes(venue, Subsystems(venue)).routes()]
    served = {
        (method, re.sub(r"\{.*\}", "{}", route.path))
        for route in routes
        for method in route.methods or ()
        if method != "HEAD"
    }
    assert admin.__doc__ is not None
    told = {
        (method, re.sub(r"\{.*\}", "{}", path))
        for methods, path in re.findall(r"^\| (`[A-Z`, ]+ ?)(/\S*?)` \|", admin.__doc__, re.M)
        for method in re.findall(r"[A-Z]+", methods)
    }
    assert told == served


async def test_all_switches_are_shown(ann: Person) -> None:
    await ann.admin("POST", "/hashes", {"seconds": 2.5})
    shown = await ann.admin("GET", "/switches")
    assert shown["hash_delay_ms"] == 2_500
    assert shown["streams"]["silence"] == "none"
    assert shown["max_cancels"] == 1_000


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/restart", {"seconds": -1}),
        ("/limits", {"orders_per_s": 0}),
        ("/settlement", {"course": "sideways"}),
        ("/streams", {"silence": "loud"}),
        ("/statuses", {}),
    ],
)
async def test_odd_switches_are_refused(ann: Person, path: str, body: object) -> None:
    response = await ann.operate("POST", path, json=body)
    assert response.status_code == 400


async def test_unknown_markets_and_trades_have_no_controls(ann: Person) -> None:
    for path, body in (
        ("/delays", {"condition_id": "0x" + "00" * 32}),
        ("/trades/none", {"status": "FAILED"}),
    ):
        assert (await ann.operate("POST", path, json=body)).status_code == 404


async def test_older_wallets_can_be_refused(ann: Person) -> None:
    await ann.admin("POST", "/wallets", {"deposit_only": True})
    refused = await ann.place(BUY, "0.40", "5", kind=SignatureType.EOA)
    assert refused.json() == {
        "error": "maker address not allowed, please use the deposit wallet flow"
    }
    assert (await ann.place(BUY, "0.40", "5")).json()["status"] == "live"


async def test_statuses_can_have_their_longer_names(ann: Person, bob: Person) -> None:
    await ann.admin("POST", "/statuses", {"has_prefixes": True})
    async with connected(ann.running.urls["ws_user"]) as client:
        await client.send(type="user", auth=ann.credentials)
        assert await client.ping() == []
        await ann.rest(BUY, "0.30", "5")
        await _fill(ann, bob)
        events = await client.ping()
    assert [event["status"] for event in events] == [
        "ORDER_STATUS_LIVE",
        "ORDER_STATUS_LIVE",
        "TRADE_STATUS_MATCHED",
        "ORDER_STATUS_MATCHED",
    ]
    orders = (await ann.call("GET", "/data/orders")).json()["data"]
    assert orders[0]["status"] == "ORDER_STATUS_LIVE"
    assert (await _trade(ann))["status"] == "TRADE_STATUS_MATCHED"


async def test_a_restart_is_425_then_two_careful_minutes(ann: Person) -> None:
    resting = await ann.rest(BUY, "0.40", "5")
    await ann.admin("POST", "/restart", {"seconds": 4})
    body = json.dumps({"orderID": resting}).encode()
    for response in (
        await ann.place(BUY, "0.40", "5"),
        await ann.call("DELETE", "/order", body),
        await ann.call("DELETE", "/cancel-all"),
    ):
        assert (response.status_code, response.json()) == (425, {"error": RESTARTING})
    ann.pass_time(4)
    refused = await ann.place(BUY, "0.40", "5")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "120")
    ann.pass_time(41)
    refused = await ann.place(BUY, "0.40", "5")
    assert refused.json() == {
        "error": "post-only mode: only post-only orders and cancels are allowed",
        "code": "post_only_mode",
        "retry_after_seconds": 79,
    }
    assert (await ann.place(BUY, "0.40", "5", post_only=True)).json()["status"] == "live"
    assert (await ann.call("DELETE", "/order", body)).json()["canceled"] == [resting]
    ann.pass_time(79)
    assert (await ann.place(BUY, "0.40", "5")).json()["status"] == "live"


async def test_the_operators_mode_ends_a_restart(ann: Person) -> None:
    await ann.admin("POST", "/restart", {"seconds": 600})
    await ann.admin("POST", "/mode", {"mode": "normal"})
    assert (await ann.place(BUY, "0.40", "5")).status_code == 200


async def test_cancel_only_and_disabled_trading(ann: Person) -> None:
    resting = await ann.rest(BUY, "0.40", "5")
    body = json.dumps({"orderID": resting}).encode()
    await ann.admin("POST", "/mode", {"mode": "disabled"})
    disabled = {"error": "Trading is currently disabled. Check polymarket.com for updates"}
    for response in (await ann.place(BUY, "0.4", "5"), await ann.call("DELETE", "/order", body)):
        assert (response.status_code, response.json()) == (503, disabled)
    await ann.admin("POST", "/mode", {"mode": "cancel only"})
    refused = await ann.place(BUY, "0.40", "5")
    assert (refused.status_code, refused.json()["error"][:35]) == (
        503,
        "Trading is currently cancel-only. N",
    )
    assert (await ann.call("DELETE", "/order", body)).json()["canceled"] == [resting]


async def test_another_region_is_403_for_orders_and_nothing_else(ann: Person) -> None:
    resting = await ann.rest(BUY, "0.40", "5")
    await ann.admin("POST", "/geoblock", {"blocked": True, "country": "US", "region": "NY"})
    refused = await ann.place(BUY, "0.40", "5")
    assert refused.status_code == 403
    assert refused.json()["error"].startswith("Trading restricted in your region")
    body = json.dumps({"orderID": resting}).encode()
    assert (await ann.call("DELETE", "/order", body)).json()["canceled"] == [resting]


async def test_rates_are_shown_warned_of_and_enforced_on_demand(ann: Person) -> None:
    limits = {"orders_per_s": 2, "orders_burst": 3, "cancels_burst": 4, "cancels_per_s": 1}
    await ann.admin("POST", "/limits", limits)
    now_s = ann.now_s
    first = await ann.place(BUY, "0.40", "5")
    assert first.headers["Poly-RateLimit-Remaining"] == "2"
    assert first.headers["Poly-RateLimit-Reset"] == str(now_s + 1)
    assert first.headers["Poly-RateLimit-Tier"] == "standard"
    assert "Poly-RateLimit-Warning" not in first.headers
    legs = [ann.encode(ann.sign(BUY, "0.40", "5")) for _ in range(3)]
    warned = await ann.call("POST", "/orders", b"[" + b",".join(legs) + b"]")
    assert warned.status_code == 200
    assert warned.headers["Poly-RateLimit-Warning"] == "true"
    assert warned.headers["Poly-RateLimit-Remaining"] == "2"
    await ann.admin("POST", "/limits", {**limits, "is_enforced": True})
    legs = [ann.encode(ann.sign(BUY, "0.40", "5")) for _ in range(3)]
    refused = await ann.call("POST", "/orders", b"[" + b",".join(legs) + b"]")
    assert (refused.status_code, refused.json()) == (429, {"error": "Too Many Requests"})
    assert refused.headers["Retry-After"] == "1"
    assert (await ann.call("GET", "/data/orders")).json()["count"] == 4
    # Four orders and one request are more than the four cancels there are, and stay.
    refused = await ann.call("DELETE", "/cancel-all")
    assert refused.status_code == 429
    one = (await ann.call("GET", "/data/orders")).json()["data"][0]["id"]
    cancelled = await ann.call("DELETE", "/orders", json.dumps([one]).encode())
    assert cancelled.json()["canceled"] == [one]
    by_market = json.dumps({"market": RAIN}).encode()
    assert (await ann.call("DELETE", "/cancel-market-orders", by_market)).status_code == 429
    ann.pass_time(1)
    assert len((await ann.call("DELETE", "/cancel-all")).json()["canceled"]) == 3


async def test_a_429_can_carry_either_form_of_retry_after(ann: Person) -> None:
    for value in ("2", "Mon, 21 Sep 2026 13:33:30 GMT"):
        fault = {
            "host": "clob",
            "prefix": "/book",
            "status": 429,
            "headers": {"Retry-After": value},
        }
        await ann.admin("POST", "/faults", fault)
        url = f"{ann.running.urls['clob']}/book?token_id={RAIN_YES}"
        refused = await ann.http.get(url)
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, value)


async def test_only_the_answer_of_a_post_is_lost(ann: Person) -> None:
    fault = {"host": "clob", "prefix": "/order", "method": "POST", "is_answer_lost": True}
    await ann.admin("POST", "/faults", fault)
    body = json.dumps({"orderID": "0x" + "00" * 32}).encode()
    assert (await ann.call("DELETE", "/order", body)).status_code == 200
    with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)):
        await ann.place(BUY, "0.42", "10")
    assert (await ann.call("GET", "/data/orders")).json()["count"] == 1


async def test_shares_just_bought_are_seen_late(ann: Person, bob: Person) -> None:
    await ann.admin("POST", "/balances", {"stale_seconds": 5})
    query = f"?asset_type=CONDITIONAL&token_id={RAIN_NO}&signature_type=3"

    async def seen() -> str:
        row = (await bob.call("GET", "/balance-allowance", query=query)).json()
        return str(row["balance"])

    await _fill(ann, bob, "20")
    assert await seen() == "0"
    refused = await bob.place(SELL, "0.70", "5", token=RAIN_NO)
    assert refused.json()["error"] == (
        "not enough balance / allowance: the balance is not enough -> balance: 0, "
        "sum of active orders: 0, sum of matched orders: 0, order amount (inc. fees): 5000000"
    )
    updated = await bob.call("GET", "/balance-allowance/update", query=query)
    assert (updated.status_code, updated.content) == (200, b"")
    assert await seen() == "20000000"
    assert (await bob.place(SELL, "0.70", "5", token=RAIN_NO)).json()["status"] == "live"
    await _fill(ann, bob)
    assert await seen() == "20000000"
    assert (await bob.place(SELL, "0.70", "15", token=RAIN_NO)).json()["status"] == "live"
    refused = await bob.place(SELL, "0.70", "5", token=RAIN_NO)
    assert "balance: 20000000, sum of active orders: 20000000" in refused.json()["error"]
    bob.pass_time(5)
    assert await seen() == "25000000"
    assert (await bob.place(SELL, "0.70", "5", token=RAIN_NO)).json()["status"] == "live"


async def test_transaction_hashes_can_come_late(ann: Person, bob: Person) -> None:
    await ann.admin("POST", "/hashes", {"seconds": 2})
    answer = await _fill(ann, bob)
    assert "transactionsHashes" not in answer
    assert (await _trade(bob))["transaction_hash"] == ""
    bob.pass_time(2)
    assert re.fullmatch("0x[0-9a-f]{64}", (await _trade(bob))["transaction_hash"])


async def test_trades_can_be_retried_and_fail(ann: Person, bob: Person) -> None:
    before = (await ann.ledger())["collateral"], (await bob.ledger())["collateral"]
    await ann.admin("POST", "/settlement", {"course": "failed"})
    async with connected(bob.running.urls["ws_user"]) as client:
        await client.send(type="user", auth=bob.credentials)
        assert await client.ping() == []
        await _fill(ann, bob)
        for _ in range(3):
            bob.pass_time(3)
        events = [e for e in await client.ping() if e["event_type"] == "trade"]
    assert [event["status"] for event in events] == ["MATCHED", "RETRYING", "FAILED"]
    assert (await _trade(bob))["status"] == "FAILED"
    assert before == ((await ann.ledger())["collateral"], (await bob.ledger())["collateral"])
    assert (await ann.admin("GET", "/audit"))["problems"] == []
    await ann.admin("POST", "/settlement", {"course": "retrying"})
    await _fill(ann, bob)
    seen = []
    for _ in range(4):
        seen.append((await _trade(bob))["status"])
        bob.pass_time(3)
    assert seen == ["MATCHED", "RETRYING", "MINED", "CONFIRMED"]


async def test_the_course_of_trades_can_be_taken_back(ann: Person, bob: Person) -> None:
    await ann.admin("POST", "/settlement", {"course": "failed", "count": 5})
    await ann.admin("POST", "/settlement", {"course": "normal"})
    await _fill(ann, bob)
    bob.pass_time(3)
    assert (await _trade(bob))["status"] == "MINED"


async def test_one_trade_can_be_taken_by_the_hand(ann: Person, bob: Person) -> None:
    trade_id = (await _fill(ann, bob))["tradeIDs"][0]
    for status in ("RETRYING", "FAILED"):
        moved = await ann.admin("POST", f"/trades/{trade_id}", {"status": status})
        assert moved == {"id": trade_id, "status": status}
    again = await ann.operate("POST", f"/trades/{trade_id}", json={"status": "MINED"})
    assert again.status_code == 404


async def test_a_trade_whose_proceeds_were_moved_is_mined_after_all(
    ann: Person, bob: Person
) -> None:
    await ann.admin("POST", "/settlement", {"course": "failed"})
    await _fill(ann, bob)
    # Bob's shares go on to Ann before the first trade fails.
    await bob.rest(SELL, "0.70", "5", token=RAIN_NO)
    assert (await ann.place(BUY, "0.70", "5", token=RAIN_NO)).json()["status"] == "matched"
    for _ in range(4):
        bob.pass_time(3)
    rows = (await bob.call("GET", "/data/trades")).json()["data"]
    assert {row["status"] for row in rows} == {"CONFIRMED"}
    assert (await ann.admin("GET", "/audit"))["problems"] == []


async def test_a_failed_trade_is_as_undone_after_a_restart(tmp_path: Path) -> None:
    state = tmp_path / "state"
    async with small_venue(tmp_path, state=state) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        bob = await Person(running, http, key=1).arrive()
        await ann.admin("POST", "/settlement", {"course": "failed"})
        await _fill(ann, bob)
        for _ in range(3):
            bob.pass_time(3)
    async with small_venue(tmp_path, state=state) as running, http_client() as http:
        bob.running, bob.http = running, http
        assert (await bob.admin("GET", "/audit"))["problems"] == []
        assert (await bob.ledger())["collateral"] == "1000"
        assert running.venue.exchange.export_state().fees == 0


async def test_cancels_are_limited_by_dialect_and_by_the_operator(ann: Person) -> None:
    ids = [f"0x{number:064x}" for number in range(1_001)]
    bare, seed = json.dumps(ids).encode(), json.dumps({"orderIDs": ids * 3}).encode()
    refused = await ann.call("DELETE", "/orders", bare)
    text = "Too many orders in payload, max allowed: 1000"
    assert (refused.status_code, refused.json()) == (400, {"error": text})
    assert (await ann.call("DELETE", "/orders", seed)).status_code == 400
    wrapped = json.dumps({"orderIDs": ids}).encode()
    assert (await ann.call("DELETE", "/orders", wrapped)).status_code == 200
    await ann.admin("POST", "/cancels", {"max_ids": 3_000})
    assert (await ann.call("DELETE", "/orders", bare)).status_code == 200


async def test_streams_can_fall_silent_without_closing(ann: Person) -> None:
    async with connected(ann.running.urls["ws_market"]) as client:
        await client.send(type="market", assets_ids=[RAIN_YES])
        assert await client.ping()
        await ann.admin("POST", "/streams", {"silence": "events"})
        await ann.rest(BUY, "0.40", "5")
        assert await client.ping() == []
        await ann.admin("POST", "/streams", {"silence": "all"})
        await client.socket.send("PING")
        await ann.rest(BUY, "0.41", "5")
        await ann.admin("POST", "/streams", {})
        await ann.rest(BUY, "0.42", "5")
        heard = await client.event()
        # Neither the answer to the ping nor what changed meanwhile is made up for.
        assert heard["price_changes"][0]["price"] == "0.42"


async def test_sides_and_frames_have_other_forms_on_demand(ann: Person, bob: Person) -> None:
    await ann.admin("POST", "/streams", {"has_lower_case_sides": True, "framing": "arrays"})
    async with connected(ann.running.urls["ws_market"]) as client:
        await client.send(type="market", assets_ids=[RAIN_YES])
        assert isinstance(await client.event(), list)
        await _fill(ann, bob)
        frames = await client.ping()
        assert all(isinstance(frame, list) for frame in frames)
        events = [event for frame in frames for event in frame]
        sides = {
            row["side"]
            for event in events
            if event["event_type"] in ("price_change", "last_trade_price")
            for row in event.get("price_changes", [event])
        }
        assert sides == {"buy", "sell"}
    await ann.admin("POST", "/streams", {"framing": "objects"})
    async with connected(ann.running.urls["ws_market"]) as client:
        await client.send(type="market", assets_ids=[RAIN_YES, RAIN_NO])
        frames = await client.ping()
        assert [frame["event_type"] for frame in frames] == ["book", "book"]


async def test_the_user_stream_closes_on_bad_credentials_or_on_demand(ann: Person) -> None:
    url = ann.running.urls["ws_user"]
    wrong = {**ann.credentials, "secret": "d3Jvbmc="}
    async with connected(url) as client:
        await client.send(type="user", auth=wrong)
        with pytest.raises(ConnectionClosed):
            await client.text()
    await ann.admin("POST", "/streams", {"refuses_users": True})
    async with connected(url) as client:
        await client.send(type="user", auth=ann.credentials)
        with pytest.raises(ConnectionClosed):
            await client.text()


async def test_tricks_are_played_on_the_next_events_of_a_channel(ann: Person) -> None:
    # Every bid is the best so far: such changes leave the venue in order.
    prices = iter(range(10, 90))

    async def heard_after(*tricks: dict[str, object]) -> list[int]:
        for trick in tricks:
            await ann.admin("POST", "/tricks", {"channel": "market", **trick})
        asked = [next(prices) for _ in range(3)]
        for cents in asked:
            await ann.rest(BUY, f"0.{cents}", "5")
        return [
            round(float(event["price_changes"][0]["price"]) * 100) - asked[0]
            for event in await client.ping()
        ]

    await ann.admin("POST", "/tricks", {"trick": "drop", "channel": "user"})
    async with connected(ann.running.urls["ws_market"]) as client:
        await client.send(type="market", assets_ids=[RAIN_YES])
        assert await client.ping()
        assert await heard_after() == [0, 1, 2]
        assert await heard_after({"trick": "drop", "remaining": 2}) == [2]
        assert await heard_after({"trick": "duplicate"}) == [0, 0, 1, 2]
        assert await heard_after({"trick": "swap"}) == [1, 0, 2]
        await ann.admin("POST", "/tricks", {"trick": "garble", "channel": "market"})
        await ann.rest(BUY, "0.90", "5")
        with pytest.raises(json.JSONDecodeError):
            await client.event()
        await ann.admin("POST", "/tricks", {"trick": "close", "channel": "market"})
        await ann.rest(BUY, "0.91", "5")
        with pytest.raises(ConnectionClosed):
            await client.text()
    assert len((await ann.admin("GET", "/switches"))["tricks"]) == 1
    assert await ann.admin("DELETE", "/tricks") == []
