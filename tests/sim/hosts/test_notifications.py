"""What an account is told without asking."""

from pathlib import Path
from typing import Any

from pmtui.domain.markets.market import Side
from pmtui.sim.clob.notifications import KEPT, Notifications
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, Person, http_client, small_venue

BUY = Side.BUY


async def _told(person: Person, kind: int = 3) -> list[dict[str, Any]]:
    query = f"?signature_type={kind}"
    answer: list[dict[str, Any]] = (await person.call("GET", "/notifications", query=query)).json()
    return answer


async def _drop(person: Person, ids: str) -> tuple[int, Any]:
    response = await person.call("DELETE", "/notifications", query=f"?ids={ids}")
    return response.status_code, response.json()


async def test_a_cancelled_order_is_told_with_what_was_left(ann: Person, bob: Person) -> None:
    order_id = await ann.rest(BUY, "0.40", "20")
    await bob.place(BUY, "0.60", "5", token=RAIN_NO)
    await ann.call("DELETE", "/cancel-all")
    cancelled, filled = await _told(ann)
    assert (cancelled["type"], filled["type"]) == (1, 2)
    assert cancelled["id"] > filled["id"]
    assert cancelled["owner"] == ann.api_key
    assert cancelled["timestamp"] == str(ann.now_s)
    payload = cancelled["payload"]
    assert (payload["order_id"], payload["asset_id"], payload["market"]) == (
        order_id,
        RAIN_YES,
        RAIN,
    )
    sizes = [payload[f"{name}_size"] for name in ("original", "matched", "remaining")]
    assert sizes == ["20", "5", "15"]
    assert (payload["side"], payload["type"], payload["price"]) == ("BUY", "GTC", "0.4")
    assert (payload["question"], payload["eventSlug"]) == ("Will it rain", "rain")
    assert (payload["outcome"], payload["outcome_index"]) == ("Yes", 0)


async def test_both_parties_are_told_of_a_fill_and_of_its_failure(ann: Person, bob: Person) -> None:
    await ann.admin("POST", "/settlement", {"course": "failed"})
    await ann.rest(BUY, "0.40", "5")
    posted = (await bob.place(BUY, "0.60", "5", token=RAIN_NO)).json()
    for _ in range(3):
        ann.pass_time(3)
    for person, outcome in ((ann, "Yes"), (bob, "No")):
        failed, filled = await _told(person)
        assert (failed["type"], filled["type"]) == (8, 2)
        assert filled["payload"]["outcome"] == outcome
        assert filled["payload"]["trade_id"] == posted["tradeIDs"][0]
        assert filled["payload"]["transaction_hash"] == posted["transactionsHashes"][0]


async def test_holders_are_told_when_a_market_ends(ann: Person, bob: Person) -> None:
    await ann.rest(BUY, "0.40", "5")
    await bob.place(BUY, "0.60", "5", token=RAIN_NO)
    await ann.admin("POST", "/resolve", {"condition_id": RAIN, "winner": 0})
    for person in (ann, bob):
        ended = (await _told(person))[0]
        assert ended["type"] == 4
        assert ended["payload"]["winning_asset_id"] == RAIN_YES
        assert ended["owner"] == person.api_key


async def test_notifications_are_dropped_by_their_owner_only(ann: Person, bob: Person) -> None:
    for _ in range(3):
        await ann.rest(BUY, "0.40", "5")
    await ann.call("DELETE", "/cancel-all")
    ids = [one["id"] for one in await _told(ann)]
    assert len(ids) == 3
    assert await _drop(bob, ",".join(map(str, ids))) == (200, "OK")
    assert len(await _told(ann)) == 3
    assert await _drop(ann, f"{ids[0]}%2C{ids[2]}") == (200, "OK")
    assert [one["id"] for one in await _told(ann)] == [ids[1]]
    assert await _drop(ann, "x") == (400, {"error": "Invalid ids"})
    assert await _told(ann, kind=0) == []
    url = ann.running.urls["clob"] + "/notifications"
    assert (await ann.http.get(url)).status_code == 401
    assert (await ann.http.delete(url)).status_code == 401
    bad = await ann.call("GET", "/notifications", query="?signature_type=7")
    assert bad.json() == {"error": "Invalid signature_type"}


async def test_they_survive_a_restart_and_their_number_is_bounded(tmp_path: Path) -> None:
    state = tmp_path / "state"
    async with small_venue(tmp_path, state=state) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        for _ in range(KEPT + 5):
            await ann.rest(BUY, "0.01", "5")
        await ann.call("DELETE", "/cancel-all")
        before = await _told(ann)
        assert len(before) == KEPT
        await _drop(ann, str(before[0]["id"]))
    async with small_venue(tmp_path, state=state) as running, http_client() as http:
        ann.running, ann.http = running, http
        assert await _told(ann) == before[1:]
        assert len(Notifications(running.venue).of(ann.wallet)) == KEPT - 1
