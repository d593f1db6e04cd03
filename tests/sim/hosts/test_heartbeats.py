"""The dead man's switch."""

import json
from pathlib import Path

from pmtui.domain.markets.market import Side
from pmtui.sim.run import VenueOptions, running_venue
from tests.sim.clock import ManualClock
from tests.sim.kit import RAIN_NO, START_MS, Person, http_client, write_catalogue
from tests.sim.streams.test_user_channel import login
from tests.sim.streams.wire import connected

BUY = Side.BUY


async def _beat(person: Person, heartbeat_id: str | None) -> tuple[int, dict[str, str]]:
    body = json.dumps({"heartbeat_id": heartbeat_id}).encode()
    response = await person.call("POST", "/v1/heartbeats", body)
    return response.status_code, response.json()


async def _open(person: Person) -> int:
    return int((await person.call("GET", "/data/orders")).json()["count"])


async def test_each_heartbeat_names_the_next_and_a_wrong_one_is_told_the_right(
    ann: Person,
) -> None:
    status, first = await _beat(ann, "")
    assert status == 200
    status, second = await _beat(ann, first["heartbeat_id"])
    assert status == 200
    assert second != first
    expected = {"error_msg": "Invalid Heartbeat ID", "heartbeat_id": second["heartbeat_id"]}
    assert await _beat(ann, first["heartbeat_id"]) == (400, expected)
    assert await _beat(ann, None) == (400, expected)
    assert (await _beat(ann, second["heartbeat_id"]))[0] == 200
    bad = await ann.call("POST", "/v1/heartbeats", b"[")
    assert bad.json() == {"error": "Invalid order payload"}
    assert (await ann.http.post(ann.running.urls["clob"] + "/v1/heartbeats")).status_code == 401


async def test_silence_of_ten_seconds_cancels_every_order_of_that_key_only(
    ann: Person, bob: Person
) -> None:
    await ann.rest(BUY, "0.40", "10")
    await ann.rest(BUY, "0.30", "10", token=RAIN_NO)
    await bob.rest(BUY, "0.40", "10")
    await _beat(ann, "")
    ann.pass_time(5)
    ann.pass_time(4)
    assert await _open(ann) == 2
    ann.pass_time(1)
    assert await _open(ann) == 0
    assert await _open(bob) == 1
    # The lapse is over: what is placed now stays until somebody beats again.
    await ann.rest(BUY, "0.40", "10")
    ann.pass_time(60)
    assert await _open(ann) == 1


async def test_a_heartbeat_after_a_sweep_arms_it_anew(ann: Person) -> None:
    _, answer = await _beat(ann, "")
    for _ in range(2):
        await ann.rest(BUY, "0.40", "10")
        ann.pass_time(10)
        assert await _open(ann) == 0
        # The chain outlives the sweep.
        status, answer = await _beat(ann, answer["heartbeat_id"])
        assert status == 200


async def test_a_sweep_tells_the_user_stream_of_every_order(ann: Person) -> None:
    async with connected(ann.running.urls["ws_user"]) as client:
        await login(client, ann)
        kept = [await ann.rest(BUY, price, "10") for price in ("0.40", "0.30")]
        assert [event["type"] for event in await client.ping()] == ["PLACEMENT"] * 2
        await _beat(ann, "")
        ann.pass_time(15)
        swept = {(event["id"], event["type"]) for event in await client.ping()}
        assert swept == {(order_id, "CANCELLATION") for order_id in kept}


async def test_heartbeats_keep_orders_and_wrong_ones_do_not(ann: Person) -> None:
    await ann.rest(BUY, "0.40", "10")
    _, answer = await _beat(ann, "")
    for _ in range(5):
        ann.pass_time(5)
        _, answer = await _beat(ann, answer["heartbeat_id"])
    assert await _open(ann) == 1
    for _ in range(3):
        ann.pass_time(5)
        await _beat(ann, "wrong")
    assert await _open(ann) == 0


async def test_whoever_never_beats_keeps_their_orders(ann: Person) -> None:
    await ann.rest(BUY, "0.40", "10")
    ann.pass_time(3_600)
    assert await _open(ann) == 1


async def test_the_older_route_counts_without_ids(ann: Person) -> None:
    await ann.rest(BUY, "0.40", "10")
    answer = await ann.call("POST", "/heartbeats")
    assert answer.json() == {"status": "ok"}
    assert (await ann.http.post(ann.running.urls["clob"] + "/heartbeats")).status_code == 401
    assert (await _beat(ann, ""))[0] == 200
    for _ in range(4):
        ann.pass_time(5)
    assert await _open(ann) == 0


async def test_the_sweep_can_be_switched_off_and_waits_for_a_stopped_engine(ann: Person) -> None:
    await ann.rest(BUY, "0.40", "10")
    await _beat(ann, "")
    await ann.admin("POST", "/heartbeats", {"is_swept": False})
    ann.pass_time(60)
    assert await _open(ann) == 1
    await ann.admin("POST", "/heartbeats", {"is_swept": True})
    await ann.admin("POST", "/mode", {"mode": "disabled"})
    ann.pass_time(60)
    assert await _open(ann) == 1
    await ann.admin("POST", "/mode", {"mode": "normal"})
    ann.pass_time(5)
    assert await _open(ann) == 0


async def test_after_a_restart_the_chain_goes_on_and_still_protects(tmp_path: Path) -> None:
    clock = ManualClock(START_MS)
    options = VenueOptions(
        speed=0, catalogue=(write_catalogue(tmp_path),), state=tmp_path / "state"
    )
    async with running_venue(options, clock=clock) as running, http_client() as http:
        ann = await Person(running, http).arrive()
        await ann.rest(BUY, "0.40", "10")
        _, answer = await _beat(ann, "")
    clock.step(30_000)
    async with running_venue(options, clock=clock) as running, http_client() as http:
        ann.running, ann.http = running, http
        ann.pass_time(9)
        assert await _open(ann) == 1
        assert (await _beat(ann, answer["heartbeat_id"]))[0] == 200
        ann.pass_time(9)
        ann.pass_time(6)
        assert await _open(ann) == 0
