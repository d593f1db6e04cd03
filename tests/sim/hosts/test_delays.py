"""Markets that let takers wait: answered `delayed` and tried later, or held before the answer."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from pmtui.domain.markets.market import Side
from pmtui.domain.orders.order import TimeInForce
from pmtui.sim.clob.pending_orders import STILL_PENDING
from pmtui.sim.run import VenueOptions, running_venue
from tests.sim.clock import ManualClock
from tests.sim.kit import (
    RAIN,
    RAIN_NO,
    START_MS,
    Person,
    http_client,
    small_venue,
    write_catalogue,
)
from tests.sim.streams.wire import connected

BUY = Side.BUY
FOK, FAK = TimeInForce.FOK, TimeInForce.FAK


@pytest.fixture
async def delayed(ann: Person) -> None:
    await ann.admin("POST", "/delays", {"condition_id": RAIN, "seconds": 3})


async def _taken(person: Person, *, size: str = "5", price: str = "0.60", **more: Any) -> Any:
    return (await person.place(BUY, price, size, token=RAIN_NO, **more)).json()


async def _order(person: Person, order_id: str) -> Any:
    return (await person.call("GET", f"/data/order/{order_id}")).json()


@pytest.mark.usefixtures("delayed")
async def test_a_taker_is_answered_delayed_and_matches_seconds_later(
    ann: Person, bob: Person
) -> None:
    await ann.rest(BUY, "0.40", "10")
    answer = await _taken(bob)
    order_id = answer["orderID"]
    assert answer == {
        "errorMsg": "",
        "orderID": order_id,
        "takingAmount": "",
        "makingAmount": "",
        "status": "delayed",
        "success": True,
    }
    assert (await _order(bob, order_id))["status"] == "DELAYED"
    bob.pass_time(2.9)
    assert (await bob.call("GET", "/data/trades")).json()["count"] == 0
    bob.pass_time(0.1)
    trades = (await bob.call("GET", "/data/trades")).json()["data"]
    assert [(trade["taker_order_id"], trade["size"]) for trade in trades] == [(order_id, "5")]
    assert (await _order(bob, order_id)) == {"error": "Order not found"}


@pytest.mark.usefixtures("delayed")
async def test_one_that_finds_no_match_any_more_rests(ann: Person, bob: Person) -> None:
    await ann.rest(BUY, "0.40", "10")
    order_id = (await _taken(bob))["orderID"]
    await ann.call("DELETE", "/cancel-all")
    bob.pass_time(3)
    assert (await _order(bob, order_id))["status"] == "LIVE"
    assert (await bob.call("GET", "/data/trades")).json()["count"] == 0


@pytest.mark.usefixtures("delayed")
async def test_one_that_cannot_be_paid_for_any_more_is_gone_and_its_owner_hears_of_it(
    ann: Person, bob: Person
) -> None:
    await ann.rest(BUY, "0.40", "10")
    async with connected(bob.running.urls["ws_user"]) as client:
        await client.send(type="user", auth=bob.credentials)
        assert await client.ping() == []
        order_id = (await _taken(bob))["orderID"]
        assert await client.ping() == []
        await bob.rest(BUY, "0.50", "1999", post_only=True)
        bob.pass_time(3)
        *_, gone = await client.ping()
    assert (gone["type"], gone["id"], gone["status"]) == ("CANCELLATION", order_id, "INVALID")
    assert (await _order(bob, order_id)) == {"error": "Order not found"}


@pytest.mark.usefixtures("delayed")
async def test_a_delayed_order_can_neither_be_cancelled_nor_posted_again(
    ann: Person, bob: Person
) -> None:
    await ann.rest(BUY, "0.40", "10")
    signed = bob.sign(BUY, "0.60", "5", token=RAIN_NO)
    answer = (await bob.call("POST", "/order", bob.encode(signed))).json()
    body = json.dumps({"orderID": answer["orderID"]}).encode()
    cancelled = (await bob.call("DELETE", "/order", body)).json()
    assert cancelled == {"canceled": [], "not_canceled": {answer["orderID"]: STILL_PENDING}}
    again = await bob.call("POST", "/order", bob.encode(signed))
    assert again.json() == {"error": f"order {answer['orderID']} is invalid. Duplicated."}
    await bob.call("DELETE", "/cancel-all")
    bob.pass_time(3)
    assert (await bob.call("GET", "/data/trades")).json()["count"] == 1


@pytest.mark.usefixtures("delayed")
async def test_only_orders_that_would_take_and_are_good_are_delayed(
    ann: Person, bob: Person
) -> None:
    assert (await _taken(bob, order_type=FAK, market=True))["error"].startswith("no orders found")
    await ann.rest(BUY, "0.40", "10")
    assert (await _taken(bob, price="0.50"))["status"] == "live"
    assert (await _taken(bob, post_only=True)) == {
        "error": "invalid post-only order: order crosses book"
    }
    refused = await _taken(bob, size="5000")
    assert refused["error"].startswith("not enough balance / allowance")
    killed = await _taken(bob, size="50", order_type=FOK, market=True)
    assert killed["status"] == "delayed"
    bob.pass_time(3)
    assert (await bob.call("GET", "/data/trades")).json()["count"] == 0


@pytest.mark.usefixtures("delayed")
async def test_legs_of_a_batch_are_delayed_each_on_its_own(ann: Person, bob: Person) -> None:
    await ann.rest(BUY, "0.40", "10")
    legs = [bob.sign(BUY, price, "5", token=RAIN_NO) for price in ("0.60", "0.30")]
    body = b"[" + b",".join(bob.encode(leg) for leg in legs) + b"]"
    answers = (await bob.call("POST", "/orders", body)).json()
    assert [answer["status"] for answer in answers] == ["delayed", "live"]


async def test_the_catalogue_says_which_markets_delay_and_the_operator_overrules_it(
    tmp_path: Path,
) -> None:
    page = write_catalogue(tmp_path)
    events = json.loads(page.read_text())
    events[0]["markets"][0]["secondsDelay"] = 3
    page.write_text(json.dumps(events))
    options = VenueOptions(speed=0, catalogue=(page,))
    clock = ManualClock(START_MS)
    async with running_venue(options, clock=clock) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        bob = await Person(running, http, key=1).arrive()
        url = f"{running.urls['clob']}"

        async def listed() -> tuple[Any, Any]:
            full = (await http.get(f"{url}/markets/{RAIN}")).json()
            compact = (await http.get(f"{url}/clob-markets/{RAIN}")).json()
            return full["seconds_delay"], (compact.get("sd"), compact.get("itode"))

        assert await listed() == (3, (3, None))
        await ann.rest(BUY, "0.40", "50")
        assert (await _taken(bob))["status"] == "delayed"
        await ann.admin("POST", "/delays", {"condition_id": RAIN, "hold_ms": 1})
        assert await listed() == (0, (None, True))
        assert (await _taken(bob))["status"] == "matched"
        await ann.admin("DELETE", "/delays")
        assert (await _taken(bob))["status"] == "delayed"


async def test_a_delayed_order_survives_a_restart(tmp_path: Path) -> None:
    state = tmp_path / "state"
    async with small_venue(tmp_path, state=state) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        bob = await Person(running, http, key=1).arrive()
        await ann.admin("POST", "/delays", {"condition_id": RAIN, "seconds": 3})
        await ann.rest(BUY, "0.40", "10")
        order_id = (await _taken(bob))["orderID"]
    async with small_venue(tmp_path, state=state) as running, http_client() as http:
        bob.running, bob.http = running, http
        assert (await _order(bob, order_id))["status"] == "DELAYED"
        bob.pass_time(3)
        trades = (await bob.call("GET", "/data/trades")).json()["data"]
        assert [trade["taker_order_id"] for trade in trades] == [order_id]
    async with small_venue(tmp_path, state=state) as running, http_client() as http:
        bob.running, bob.http = running, http
        bob.pass_time(10)
        assert (await bob.call("GET", "/data/trades")).json()["count"] == 1
        assert (await bob.admin("GET", "/audit"))["problems"] == []


async def test_a_held_order_is_answered_after_the_hold_and_cannot_be_cancelled_meanwhile(
    ann: Person, bob: Person
) -> None:
    await ann.admin("POST", "/delays", {"condition_id": RAIN, "hold_ms": 250})
    await ann.rest(BUY, "0.40", "10")
    signed = bob.sign(BUY, "0.60", "5", token=RAIN_NO)
    loop = asyncio.get_running_loop()
    began = loop.time()
    async with http_client() as other:
        posting = asyncio.create_task(bob.call("POST", "/order", bob.encode(signed)))
        bob_elsewhere = Person(bob.running, other, key=1)
        bob_elsewhere.use(bob.credentials)
        body = json.dumps({"orderID": signed.order_id}).encode()
        async with asyncio.timeout(60):
            reasons: set[str] = set()
            while STILL_PENDING not in reasons:
                cancelled = (await bob_elsewhere.call("DELETE", "/order", body)).json()
                reasons |= set(cancelled["not_canceled"].values())
        answer = (await posting).json()
    assert loop.time() - began >= 0.25
    assert answer["status"] == "matched"
    assert answer["takingAmount"] == "5"
