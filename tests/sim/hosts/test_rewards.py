"""What resting orders and maker fills earn, read through both dialects."""

from pathlib import Path

import httpx
import pytest

from pmtui.domain.markets.market import Side
from pmtui.domain.money import parse_micros
from pmtui.signing.contracts import POLYGON
from pmtui.sim.run import VenueOptions, running_venue
from tests.sim.clock import ManualClock
from tests.sim.kit import (
    RAIN,
    RAIN_NO,
    RAIN_YES,
    SNOW,
    START_MS,
    Person,
    http_client,
    write_catalogue,
)

BUY, SELL = Side.BUY, Side.SELL
TODAY = "2026-09-21"


async def _get(person: Person, path: str, **query: str) -> httpx.Response:
    return await person.http.get(person.running.urls["clob"] + path, params=query)


async def _own(person: Person, path: str, **query: str) -> httpx.Response:
    query.setdefault("signature_type", "3")
    text = "&".join(f"{name}={value}" for name, value in query.items())
    return await person.call("GET", path, query=f"?{text}")


async def _quote(person: Person, bid: str, ask: str, size: str) -> list[str]:
    # A SELL of Yes as a BUY of No: nobody holds any shares yet.
    no = str(100 - int(ask.removeprefix("0."))).zfill(2)
    return [
        await person.rest(BUY, bid, size),
        await person.rest(BUY, f"0.{no}", size, token=RAIN_NO),
    ]


async def test_a_minute_of_quoting_both_sides_earns_a_minute_of_the_daily_rate(
    ann: Person,
) -> None:
    await _quote(ann, "0.49", "0.51", "100")
    assert (await _own(ann, "/rewards/user", date=TODAY)).json()["data"] == []
    ann.pass_time(60)
    row = {
        "date": TODAY,
        "condition_id": RAIN,
        "asset_address": POLYGON.collateral,
        "maker_address": ann.wallet,
        # Five dollars a day are 3472.2 millionths a minute.
        "earnings": 0.003472,
        "asset_rate": 1,
    }
    assert (await _own(ann, "/rewards/user", date=TODAY)).json()["data"] == [row]
    ann.pass_time(30)
    ann.pass_time(30)
    total = (await _own(ann, "/rewards/user/total", date=TODAY)).json()
    assert [(one["earnings"], one["maker_address"]) for one in total] == [(0.006944, ann.wallet)]
    assert (await _get(ann, "/rewards/earnings", date=TODAY)).json()[0]["earnings"] == 0.006944
    assert (await _get(ann, "/rewards/total-earnings", date=TODAY)).json() == total
    assert (await _own(ann, "/rewards/user", date="2026-09-20")).json()["count"] == 0


async def test_competitors_share_by_score_and_percentages_say_how(ann: Person, bob: Person) -> None:
    await _quote(ann, "0.49", "0.51", "100")
    await _quote(bob, "0.49", "0.51", "300")
    assert (await _own(ann, "/rewards/user/percentages")).json() == {RAIN: 25}
    assert (await _own(bob, "/rewards/user/percentages")).json() == {RAIN: 75}
    assert (await _get(ann, "/rewards/percentages")).json() == {RAIN: 100}
    mine = {"maker_address": ann.wallet}
    assert (await _get(ann, "/rewards/percentages", **mine)).json() == {RAIN: 25}
    ann.pass_time(60)
    earned = (await _get(ann, "/rewards/earnings", date=TODAY)).json()
    assert {row["maker_address"]: row["earnings"] for row in earned} == {
        ann.wallet: 0.000868,
        bob.wallet: 0.002604,
    }
    page = (await _own(ann, "/rewards/user/markets", date=TODAY, order_by="rate_per_day")).json()
    assert (page["count"], page["total_count"]) == (2, 2)
    rain = next(row for row in page["data"] if row["condition_id"] == RAIN)
    assert rain["earning_percentage"] == 25
    assert rain["earnings"][0]["earnings"] == 0.000868
    assert rain["market_competitiveness"] == pytest.approx(400 * (2.5 / 3.5) ** 2, abs=1e-3)
    alone = (await _own(ann, "/rewards/user/markets", date=TODAY, no_competition="true")).json()
    assert [row["condition_id"] for row in alone["data"]] == [SNOW]


async def test_an_order_scores_while_it_is_large_near_and_resting(ann: Person) -> None:
    near, other = await _quote(ann, "0.49", "0.51", "60")
    far = await ann.rest(BUY, "0.40", "60")
    small = await ann.rest(BUY, "0.49", "20")
    one = await ann.call("GET", "/order-scoring", query=f"?order_id={near}")
    assert one.json() == {"scoring": True}
    ids = [near, other, far, small, "0x" + "00" * 32]
    body = ("[" + ",".join(f'"{name}"' for name in ids) + "]").encode()
    many = await ann.call("POST", "/orders-scoring", body)
    assert list(many.json().values()) == [True, True, False, False, False]
    url = ann.running.urls["clob"] + "/orders/scoring"
    assert (await ann.http.post(url, content=body)).json() == many.json()
    wrapped = b'{"orderIds":' + body + b"}"
    assert (await ann.http.post(url, content=wrapped)).json() == many.json()
    assert (await _get(ann, "/orders/scoring", order_id=near)).json() == {"scoring": True}
    await ann.call("DELETE", "/cancel-all")
    assert (await _get(ann, "/orders/scoring", order_id=near)).json() == {"scoring": False}
    bad = await _get(ann, "/orders/scoring", order_id="12")
    assert (bad.status_code, bad.json()) == (400, {"error": "Invalid order_id"})
    url = ann.running.urls["clob"]
    assert (await ann.http.get(f"{url}/order-scoring?order_id={near}")).status_code == 401
    assert (await ann.http.post(f"{url}/orders-scoring", content=body)).status_code == 401


async def test_paying_markets_are_listed_in_both_dialects(ann: Person) -> None:
    current = (await _get(ann, "/rewards/markets/current")).json()
    assert [row["condition_id"] for row in current["data"]] == [RAIN, SNOW]
    rain = current["data"][0]
    assert (rain["rewards_max_spread"], rain["rewards_min_size"]) == (3.5, 50)
    assert (rain["total_daily_rate"], rain["sponsored_daily_rate"]) == (5, 0)
    assert rain["rewards_config"][0]["rate_per_day"] == 5
    assert (await _get(ann, "/rewards/config")).json() == current
    one = (await _get(ann, f"/rewards/markets/{RAIN}")).json()
    assert [token["token_id"] for token in one["data"][0]["tokens"]] == [RAIN_YES, RAIN_NO]
    assert (await _get(ann, "/rewards/raw", market=RAIN)).json() == one
    unknown = (await _get(ann, "/rewards/markets/0x" + "00" * 32)).json()
    assert (unknown["data"], unknown["next_cursor"]) == ([], "LTE=")
    assert (await _get(ann, "/rewards/markets/12")).json() == {"error": "Invalid market"}


async def test_paying_markets_are_searched_filtered_and_sorted(ann: Person) -> None:
    async def found(**query: str) -> list[str]:
        page = (await _get(ann, "/rewards/markets/multi", **query)).json()
        return [row["market_slug"] for row in page["data"]]

    assert await found(q="SNOW") == ["will-it-snow"]
    assert await found(tag_slug="weather", event_title="rain") == ["will-it-rain"]
    assert await found(tag_slug="sports") == []
    assert await found(event_id="2") == ["will-it-snow"]
    assert await found(order_by="question", position="DESC") == ["will-it-snow", "will-it-rain"]
    assert await found(min_price="0.6") == []
    assert await found(max_spread="1", page_size="1") == ["will-it-rain"]
    page = (await _get(ann, "/rewards/markets/multi", page_size="1")).json()
    assert page["next_cursor"] == "MQ=="
    assert (await _get(ann, "/rewards/markets")).json()["count"] == 2
    for query, text in (
        ({"order_by": "colour"}, "Invalid order_by"),
        ({"position": "UP"}, "Invalid position"),
        ({"page_size": "501"}, "Invalid page_size"),
        ({"min_price": "x"}, "Invalid filters"),
    ):
        bad = await _get(ann, "/rewards/markets/multi", **query)
        assert (bad.status_code, bad.json()) == (400, {"error": text})


async def test_makers_are_told_their_part_of_the_fee_of_a_trade(ann: Person, bob: Person) -> None:
    await ann.rest(BUY, "0.40", "20")
    await bob.place(BUY, "0.60", "20", token=RAIN_NO)
    fee = (await bob.ledger())["fees_paid"]
    assert fee == "0.192"
    query = {"date": TODAY, "maker_address": ann.wallet}
    row = (await _get(ann, "/rebates/current", **query)).json()
    assert row == [
        {
            "date": TODAY,
            "condition_id": RAIN,
            "asset_address": POLYGON.collateral,
            "maker_address": ann.wallet,
            "rebated_fees_usdc": "0.048",
        }
    ]
    assert (await _get(ann, "/rebates")).json() == row
    assert (await _get(ann, "/rebates", maker_address=bob.wallet)).json() == []
    assert (await _get(ann, "/rebates/current", date="2026-09-20")).json() == []
    bad = await _get(ann, "/rebates/current", maker_address="0x12")
    assert bad.json() == {"error": "Invalid maker_address"}
    bad = await _get(ann, "/rebates/current", date="yesterday")
    assert bad.json() == {"error": "Invalid date (format: YYYY-MM-DD)"}


async def test_a_failed_trade_earns_no_rebate(ann: Person, bob: Person) -> None:
    await ann.rest(BUY, "0.40", "20")
    await ann.admin("POST", "/settlement", {"course": "failed"})
    await bob.place(BUY, "0.60", "20", token=RAIN_NO)
    for _ in range(3):
        ann.pass_time(3)
    assert (await _get(ann, "/rebates")).json() == []


async def test_earnings_are_the_owners_alone_and_dates_are_checked(
    ann: Person, bob: Person
) -> None:
    url = ann.running.urls["clob"]
    for path in ("/rewards/user", "/rewards/user/total", "/rewards/user/percentages"):
        assert (await ann.http.get(f"{url}{path}?date={TODAY}")).status_code == 401
    other = await _own(ann, "/rewards/user", date=TODAY, maker_address=bob.wallet)
    assert other.json() == {"error": "Invalid maker_address"}
    mine = await _own(ann, "/rewards/user", date=TODAY, maker_address=ann.wallet)
    assert mine.status_code == 200
    for path in ("/rewards/user", "/rewards/user/total", "/rewards/user/markets"):
        bad = await _own(ann, path, date="21.9.2026")
        assert bad.json() == {"error": "Invalid date (format: YYYY-MM-DD)"}
    bad = await _own(ann, "/rewards/user", date=TODAY, signature_type="9")
    assert bad.json() == {"error": "Invalid signature_type"}


async def test_what_was_earned_survives_a_restart(tmp_path: Path) -> None:
    clock = ManualClock(START_MS)
    options = VenueOptions(
        speed=0, catalogue=(write_catalogue(tmp_path),), state=tmp_path / "state"
    )
    async with running_venue(options, clock=clock) as running, http_client() as http:
        ann = await Person(running, http).arrive()
        await _quote(ann, "0.49", "0.51", "100")
        ann.pass_time(61)
    clock.step(3_600_000)
    async with running_venue(options, clock=clock) as running, http_client() as http:
        ann.running, ann.http = running, http
        ann.pass_time(61)
        rows = (await _own(ann, "/rewards/user", date=TODAY)).json()["data"]
        assert parse_micros(str(rows[0]["earnings"])) == 2 * 3_472
