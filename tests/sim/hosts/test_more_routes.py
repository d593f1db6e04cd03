"""Public routes that few clients use: plural queries, histories in bulk, what a market is called."""

import json
from typing import Any

import pytest

from pmtui.domain.markets.market import Side
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, SNOW, Person

BUY = Side.BUY


async def _get(person: Person, path: str, **query: str) -> Any:
    response = await person.http.get(person.running.urls["clob"] + path, params=query)
    return response.json()


async def _post(person: Person, path: str, body: object) -> Any:
    response = await person.http.post(person.running.urls["clob"] + path, json=body)
    return response.json()


async def test_plural_queries_answer_as_posted_lists_do(ann: Person, bob: Person) -> None:
    await ann.rest(BUY, "0.40", "10")
    await ann.rest(BUY, "0.50", "10", token=RAIN_NO)
    await bob.place(BUY, "0.60", "5", token=RAIN_NO)
    tokens = f"{RAIN_YES},{RAIN_NO}"
    posted = [{"token_id": RAIN_YES, "side": "BUY"}, {"token_id": RAIN_NO, "side": "SELL"}]
    for path in ("/books", "/midpoints", "/spreads", "/last-trades-prices"):
        answer = await _get(ann, path, token_ids=tokens)
        assert answer == await _post(ann, path, posted)
        assert len(answer) == 2
    answer = await _get(ann, "/prices", token_ids=tokens, sides="BUY,SELL")
    assert answer == await _post(ann, "/prices", posted)
    assert answer == {RAIN_YES: {"BUY": "0.4"}, RAIN_NO: {"SELL": "0.6"}}
    assert await _get(ann, "/prices", token_ids=RAIN_YES, sides="UP") == {"error": "Invalid side"}
    assert await _get(ann, "/books") == []


async def test_histories_come_for_twenty_tokens_at_once(ann: Person) -> None:
    one = await _get(ann, "/prices-history", market=RAIN_YES, interval="1d", fidelity="60")
    body = {"markets": [RAIN_YES, "12"], "interval": "1d", "fidelity": 60}
    many = await _post(ann, "/batch-prices-history", body)
    assert many == {"history": {RAIN_YES: one["history"], "12": []}}
    assert len(one["history"]) == 24
    span = {"markets": [RAIN_NO], "start_ts": ann.now_s - 7_200, "end_ts": ann.now_s}
    points = (await _post(ann, "/batch-prices-history", {**span, "fidelity": 60}))["history"]
    assert 1 <= len(points[RAIN_NO]) <= 3


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({}, "Invalid payload"),
        ({"markets": ["1"] * 21}, "Payload exceeds the limit"),
        ({"markets": [], "interval": "2y"}, "Invalid filters"),
        ({"markets": [], "interval": "1d", "start_ts": 5}, "Invalid filters"),
        ({"markets": [], "fidelity": -1}, "Invalid filters"),
    ],
)
async def test_odd_batches_of_histories_are_refused(ann: Person, body: object, text: str) -> None:
    assert await _post(ann, "/batch-prices-history", body) == {"error": text}


async def test_live_activity_names_markets_and_their_event(ann: Person) -> None:
    one = await _get(ann, f"/markets/live-activity/{RAIN}")
    assert one == {
        "condition_id": RAIN,
        "id": "11",
        "question": "Will it rain",
        "market_slug": "will-it-rain",
        "event_slug": "rain",
        "series_slug": "",
        "icon": "",
        "image": "",
        "tags": ["weather"],
    }
    many = await _post(ann, "/markets/live-activity", [SNOW, RAIN, "0x12", SNOW])
    assert [row["condition_id"] for row in many] == [SNOW, RAIN]
    assert many[1] == one
    assert await _get(ann, "/markets/live-activity/0x12") == {"error": "market not found"}
    assert await _post(ann, "/markets/live-activity", {}) == {"error": "Invalid payload"}
    too_many = await _post(ann, "/markets/live-activity", ["0x12"] * 501)
    assert too_many == {"error": "Payload exceeds the limit"}


async def test_nothing_is_left_of_the_time_before_version_two(ann: Person) -> None:
    page = (await ann.call("GET", "/data/pre-migration-orders")).json()
    assert page == {"limit": 100, "next_cursor": "LTE=", "count": 0, "data": []}
    url = ann.running.urls["clob"]
    assert (await ann.http.get(f"{url}/data/pre-migration-orders")).status_code == 401


async def test_closed_only_is_told_to_its_owner(ann: Person, bob: Person) -> None:
    path = "/auth/ban-status/closed-only"
    assert (await ann.call("GET", path)).json() == {"closed_only": False}
    body = {"address": ann.wallet, "standing": "closed only"}
    await ann.admin("POST", "/standing", body)
    assert (await ann.call("GET", path)).json() == {"closed_only": True}
    assert (await bob.call("GET", path)).json() == {"closed_only": False}
    refused = await ann.place(BUY, "0.40", "5")
    assert refused.json() == {"error": f"'{ann.wallet}' address in closed only mode"}


async def test_one_order_is_read_under_both_names(ann: Person, bob: Person) -> None:
    order_id = await ann.rest(BUY, "0.40", "10")
    live = await ann.call("GET", f"/data/order/{order_id}")
    seed = await ann.call("GET", f"/order/{order_id}")
    assert live.json() == seed.json()
    assert json.loads(live.content)["id"] == order_id
    assert (await bob.call("GET", f"/data/order/{order_id}")).status_code == 404
