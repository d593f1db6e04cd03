"""Posting, matching and cancelling through real sockets."""

import json

import pytest

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.markets.market import Side
from pmtui.domain.orders.order import TimeInForce
from pmtui.sim.engine.terms import GTD_EARLY_MS
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, SNOW_YES, Person

BUY, SELL = Side.BUY, Side.SELL
GTD, FOK, FAK = TimeInForce.GTD, TimeInForce.FOK, TimeInForce.FAK


async def _book(person: Person, token: str = RAIN_YES) -> dict[str, object]:
    url = f"{person.running.urls['clob']}/book"
    response = await person.http.get(url, params={"token_id": token})
    assert response.status_code == 200
    answer: dict[str, object] = response.json()
    return answer


async def test_an_order_rests_shows_in_both_books_and_is_cancelled(ann: Person) -> None:
    response = await ann.place(BUY, "0.42", "10")
    order_id = response.json()["orderID"]
    assert response.json() == {
        "errorMsg": "",
        "orderID": order_id,
        "takingAmount": "",
        "makingAmount": "",
        "status": "live",
        "success": True,
    }
    assert (await _book(ann))["bids"] == [{"price": "0.42", "size": "10"}]
    assert (await _book(ann, RAIN_NO))["asks"] == [{"price": "0.58", "size": "10"}]
    listed = (await ann.call("GET", "/data/orders")).json()
    assert listed["count"] == 1
    assert listed["next_cursor"] == "LTE="
    assert listed["data"][0] == {
        "id": order_id,
        "status": "LIVE",
        "owner": ann.api_key,
        "maker_address": ann.wallet,
        "market": RAIN,
        "asset_id": RAIN_YES,
        "side": "BUY",
        "original_size": "10",
        "size_matched": "0",
        "price": "0.42",
        "outcome": "Yes",
        "expiration": "0",
        "order_type": "GTC",
        "associate_trades": [],
        "created_at": ann.now_s,
    }
    for path in (f"/data/order/{order_id}", f"/order/{order_id}"):
        assert (await ann.call("GET", path)).json() == listed["data"][0]
    body = json.dumps({"orderID": order_id}).encode()
    cancelled = await ann.call("DELETE", "/order", body)
    assert cancelled.json() == {"canceled": [order_id], "not_canceled": {}}
    assert (await _book(ann))["bids"] == []
    again = await ann.call("DELETE", "/order", body)
    assert again.json()["not_canceled"] == {order_id: "Order not found or already canceled"}
    assert (await ann.call("GET", f"/data/order/{order_id}")).status_code == 404


async def test_a_crossing_pair_mints_and_settles_to_the_last_unit(ann: Person, bob: Person) -> None:
    order_id = await ann.rest(BUY, "0.42", "10")
    response = await bob.place(BUY, "0.58", "10", token=RAIN_NO)
    answer = response.json()
    assert (answer["status"], answer["makingAmount"], answer["takingAmount"]) == (
        "matched",
        "5.8",
        "10",
    )
    theirs, mine = await bob.ledger(), await ann.ledger()
    # Fee: 10 shares · 0.04 · 0.58 · 0.42 = 0.09744, to five decimals.
    assert theirs["fees_paid"] == "0.09744"
    assert theirs["collateral"] == "994.10256"
    assert theirs["shares"] == {RAIN_NO: "10"}
    assert mine["collateral"] == "995.8"
    assert mine["shares"] == {RAIN_YES: "10"}
    assert mine["is_whole"]
    assert theirs["is_whole"]
    assert (await ann.admin("GET", "/audit")) == {"is_whole": True, "problems": []}
    trades = (await ann.call("GET", "/data/trades")).json()["data"]
    assert [trade["id"] for trade in trades] == answer["tradeIDs"]
    assert trades[0]["trader_side"] == "MAKER"
    assert trades[0]["asset_id"] == RAIN_NO
    assert trades[0]["maker_orders"][0]["order_id"] == order_id
    assert trades[0]["maker_orders"][0]["asset_id"] == RAIN_YES
    assert trades[0]["maker_orders"][0]["price"] == "0.42"
    assert trades[0]["maker_orders"][0]["side"] == "BUY"
    taken = (await bob.call("GET", "/data/trades")).json()["data"][0]
    assert (taken["trader_side"], taken["maker_address"]) == ("TAKER", bob.wallet)


async def test_a_trade_is_mined_and_confirmed_as_time_passes(ann: Person, bob: Person) -> None:
    await ann.rest(BUY, "0.42", "10")
    await bob.place(BUY, "0.58", "10", token=RAIN_NO)

    async def status_after(milliseconds: int) -> str:
        ann.running.venue.clock.step(milliseconds)
        ann.running.maintenance.tick()
        row = (await ann.call("GET", "/data/trades")).json()["data"][0]
        return str(row["status"])

    assert await status_after(0) == "MATCHED"
    assert await status_after(2_600) == "MINED"
    assert await status_after(1_600) == "CONFIRMED"


@pytest.mark.parametrize("kind", list(SignatureType))
async def test_every_signature_type_trades(ann: Person, kind: SignatureType) -> None:
    await ann.arrive(kind=kind)
    await ann.rest(BUY, "0.42", "10", kind=kind)
    await ann.rest(BUY, "0.42", "10", kind=kind, token=SNOW_YES)


async def test_the_older_deposit_wallet_trades_once_it_is_deployed(ann: Person) -> None:
    old = ann.wallets.deposit_uups
    await ann.admin("POST", "/fund", {"address": old, "amount": "50"})
    await ann.rest(BUY, "0.42", "10", maker=old, signer=old)
    query = "?asset_type=COLLATERAL&signature_type=3"
    balance = await ann.call("GET", "/balance-allowance", query=query)
    assert balance.json()["balance"] == "50000000"


async def test_a_batch_answers_each_leg_in_order(ann: Person) -> None:
    good = ann.encode(ann.sign(BUY, "0.42", "10"))
    small = ann.encode(ann.sign(BUY, "0.42", "3"))
    garbled = b'{"order":{}}'
    body = b"[" + b",".join((good, small, garbled)) + b"]"
    response = await ann.call("POST", "/orders", body)
    first, second, third = response.json()
    assert response.status_code == 200
    assert first["status"] == "live"
    assert second["success"] is False
    assert second["orderID"] == ""
    assert second["errorMsg"].endswith("Size (3) lower than the minimum: 5")
    assert third["errorMsg"] == "Invalid order payload"


async def test_a_batch_of_sixteen_is_refused(ann: Person) -> None:
    bodies = [ann.encode(ann.sign(BUY, "0.42", "10")) for _ in range(16)]
    response = await ann.call("POST", "/orders", b"[" + b",".join(bodies) + b"]")
    assert response.status_code == 400
    assert response.json() == {"error": "Too many orders in payload: 16, max allowed: 15"}


async def test_cancelling_by_list_takes_both_dialects(ann: Person) -> None:
    first, second = await ann.rest(BUY, "0.42", "10"), await ann.rest(BUY, "0.41", "10")
    bare = await ann.call("DELETE", "/orders", json.dumps([first, first]).encode())
    wrapped = await ann.call("DELETE", "/orders", json.dumps({"orderIDs": [second]}).encode())
    assert bare.json() == {"canceled": [first], "not_canceled": {}}
    assert wrapped.json() == {"canceled": [second], "not_canceled": {}}
    many = await ann.call("DELETE", "/orders", json.dumps([first] * 1001).encode())
    assert many.json() == {"error": "Too many orders in payload, max allowed: 1000"}
    odd = await ann.call("DELETE", "/orders", b'["0x12"]')
    assert odd.json() == {"error": "Invalid orderID"}


async def test_cancelling_by_market_touches_only_that_market(ann: Person) -> None:
    rain = await ann.rest(BUY, "0.42", "10")
    snow = await ann.rest(BUY, "0.42", "10", token=SNOW_YES)
    body = json.dumps({"market": RAIN, "asset_id": RAIN_YES}).encode()
    response = await ann.call("DELETE", "/cancel-market-orders", body)
    assert response.json()["canceled"] == [rain]
    refused = await ann.call("DELETE", "/cancel-market-orders", b"{}")
    assert refused.json() == {"error": "Invalid order payload"}
    everything = await ann.call("DELETE", "/cancel-all")
    assert everything.json()["canceled"] == [snow]


async def test_nobody_cancels_or_reads_somebody_elses_order(ann: Person, bob: Person) -> None:
    order_id = await ann.rest(BUY, "0.42", "10")
    response = await bob.call("DELETE", "/order", json.dumps({"orderID": order_id}).encode())
    assert response.json()["canceled"] == []
    assert order_id in response.json()["not_canceled"]
    assert (await bob.call("GET", f"/data/order/{order_id}")).status_code == 404


async def test_a_good_till_date_order_leaves_one_minute_early(ann: Person) -> None:
    await ann.rest(BUY, "0.42", "10", order_type=GTD, expiration_s=ann.now_s + 240)
    clock, maintenance = ann.running.venue.clock, ann.running.maintenance
    clock.step(240_000 - GTD_EARLY_MS - 1)
    maintenance.tick()
    assert (await ann.call("GET", "/data/orders")).json()["count"] == 1
    clock.step(1)
    maintenance.tick()
    assert (await ann.call("GET", "/data/orders")).json()["count"] == 0


async def test_a_market_buy_spends_dollars_and_leaves_the_hashes_out(
    ann: Person, bob: Person
) -> None:
    await ann.rest(BUY, "0.60", "50")
    response = await bob.place(BUY, "0.40", "10", FOK, token=RAIN_NO, market=True)
    answer = response.json()
    assert (answer["status"], answer["makingAmount"], answer["takingAmount"]) == (
        "matched",
        "10",
        "25",
    )
    assert "transactionsHashes" not in answer
    assert len(answer["tradeIDs"]) == 1
    resting = await bob.place(BUY, "0.40", "10", token=RAIN_NO)
    assert len(resting.json()["transactionsHashes"]) == 1


async def test_orders_of_a_resolved_market_are_gone_and_shares_pay(
    ann: Person, bob: Person
) -> None:
    await ann.rest(BUY, "0.42", "10")
    await bob.place(BUY, "0.58", "10", token=RAIN_NO)
    await ann.rest(BUY, "0.30", "10")
    await ann.admin("POST", "/resolve", {"condition_id": RAIN, "winner": 0})
    assert (await ann.ledger())["reserved"] == "0"
    refused = await ann.place(BUY, "0.42", "10")
    assert refused.json() == {"error": "the market is not yet ready to process new orders"}
    book = await ann.http.get(f"{ann.running.urls['clob']}/book", params={"token_id": RAIN_YES})
    assert book.status_code == 404
    row = (await ann.http.get(f"{ann.running.urls['clob']}/markets/{RAIN}")).json()
    assert row["closed"]
    assert [token["winner"] for token in row["tokens"]] == [True, False]
