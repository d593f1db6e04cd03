"""The trading host's open routes: shapes, types and error texts."""

import hashlib
import json
from typing import Any

import httpx
import pytest

from pmtui.domain.markets.market import Side
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, SNOW, SNOW_YES, Person

BUY = Side.BUY
UNKNOWN = "12345678901234567890123456789012345678901234567890"
NO_BOOK = {"error": "No orderbook exists for the requested token id"}


async def _get(person: Person, path: str, **query: str) -> httpx.Response:
    return await person.http.get(person.running.urls["clob"] + path, params=query)


async def _read(person: Person, path: str, **query: str) -> Any:
    response = await _get(person, path, **query)
    assert response.status_code == 200, response.text
    return response.json()


async def _post(person: Person, path: str, body: Any) -> httpx.Response:
    return await person.http.post(person.running.urls["clob"] + path, json=body)


@pytest.fixture
async def quoted(ann: Person) -> Person:
    """A market quoted 0.42 bid, 0.45 ask."""
    await ann.rest(BUY, "0.42", "10")
    await ann.rest(BUY, "0.40", "20")
    await ann.rest(BUY, "0.55", "7", token=RAIN_NO)
    return ann


async def test_utility_routes_answer_bare_values(ann: Person) -> None:
    assert await _read(ann, "/") == "OK"
    assert await _read(ann, "/ok") == "OK"
    assert await _read(ann, "/time") == ann.now_s
    assert await _read(ann, "/version") == {"version": 2}
    missing = await _get(ann, "/no-such-route")
    assert (missing.status_code, missing.json()) == (404, {"error": "not found"})


async def test_a_book_has_its_best_prices_last_and_hashes_to_its_hash(quoted: Person) -> None:
    book = await _read(quoted, "/book", token_id=RAIN_YES)
    assert book == {
        "market": RAIN,
        "asset_id": RAIN_YES,
        "timestamp": str(quoted.now_s * 1_000),
        "hash": book["hash"],
        "bids": [{"price": "0.4", "size": "20"}, {"price": "0.42", "size": "10"}],
        "asks": [{"price": "0.45", "size": "7"}],
        "min_order_size": "5",
        "tick_size": "0.01",
        "neg_risk": False,
        "last_trade_price": "",
    }
    canonical = json.dumps({**book, "hash": ""}, separators=(",", ":")).encode()
    assert hashlib.sha1(canonical).hexdigest() == book["hash"]


async def test_a_book_keeps_the_time_of_its_last_change(quoted: Person) -> None:
    before = await _read(quoted, "/book", token_id=RAIN_YES)
    quoted.running.venue.clock.step(60_000)
    assert await _read(quoted, "/book", token_id=RAIN_YES) == before


async def test_books_come_in_an_order_of_their_own_and_without_unknown_ones(quoted: Person) -> None:
    tokens = [RAIN_YES, UNKNOWN, RAIN_NO, RAIN_YES]
    posted = (await _post(quoted, "/books", [{"token_id": token} for token in tokens])).json()
    assert [book["asset_id"] for book in posted] == sorted([RAIN_YES, RAIN_NO])
    assert await _read(quoted, "/books", token_ids=f"{RAIN_YES},{RAIN_NO}") == posted
    assert (await _post(quoted, "/books", {"token_id": RAIN_YES})).json() == {
        "error": "Invalid payload"
    }
    many = await _post(quoted, "/books", [{"token_id": RAIN_YES}] * 501)
    assert (many.status_code, many.json()) == (400, {"error": "Payload exceeds the limit"})


@pytest.mark.parametrize("path", ["/book", "/midpoint", "/spread", "/last-trade-price"])
async def test_unknown_and_impossible_tokens_are_told_apart(ann: Person, path: str) -> None:
    unknown = await _get(ann, path, token_id=UNKNOWN)
    assert (unknown.status_code, unknown.json()) == (404, NO_BOOK)
    odd = await _get(ann, path, token_id="yes")
    assert (odd.status_code, odd.json()) == (400, {"error": "Invalid token id"})


async def test_prices_midpoints_and_spreads_are_texts(quoted: Person) -> None:
    assert await _read(quoted, "/price", token_id=RAIN_YES, side="BUY") == {"price": "0.42"}
    assert await _read(quoted, "/price", token_id=RAIN_YES, side="SELL") == {"price": "0.45"}
    assert await _read(quoted, "/price", token_id=RAIN_NO, side="BUY") == {"price": "0.55"}
    odd = await _get(quoted, "/price", token_id=RAIN_YES, side="UP")
    assert (odd.status_code, odd.json()) == (400, {"error": "Invalid side"})
    assert await _read(quoted, "/midpoint", token_id=RAIN_YES) == {"mid": "0.435"}
    assert await _read(quoted, "/spread", token_id=RAIN_YES) == {"spread": "0.03"}
    body = [{"token_id": RAIN_YES, "side": "BUY"}, {"token_id": RAIN_YES, "side": "SELL"}]
    assert (await _post(quoted, "/prices", body)).json() == {
        RAIN_YES: {"BUY": "0.42", "SELL": "0.45"}
    }
    assert await _read(quoted, "/prices", token_ids=f"{RAIN_YES},{RAIN_NO}", sides="BUY,SELL") == {
        RAIN_YES: {"BUY": "0.42"},
        RAIN_NO: {"SELL": "0.58"},
    }
    tokens = [{"token_id": RAIN_YES}, {"token_id": UNKNOWN}]
    assert (await _post(quoted, "/midpoints", tokens)).json() == {RAIN_YES: "0.435"}
    assert (await _post(quoted, "/spreads", tokens)).json() == {RAIN_YES: "0.03"}


async def test_empty_sides_count_as_nothing_and_everything(ann: Person) -> None:
    assert await _read(ann, "/price", token_id=RAIN_YES, side="BUY") == {"price": "0"}
    assert await _read(ann, "/price", token_id=RAIN_YES, side="SELL") == {"price": "1"}
    assert await _read(ann, "/midpoint", token_id=RAIN_YES) == {"mid": "0.5"}


async def test_the_last_trade_is_shared_by_both_tokens(quoted: Person, bob: Person) -> None:
    never = await _read(quoted, "/last-trade-price", token_id=RAIN_YES)
    assert never == {"price": "0.5", "side": ""}
    tokens = [{"token_id": RAIN_YES}, {"token_id": SNOW_YES}]
    assert (await _post(quoted, "/last-trades-prices", tokens)).json() == []
    await bob.place(BUY, "0.45", "5", token=RAIN_YES)
    for token in (RAIN_YES, RAIN_NO):
        last = await _read(quoted, "/last-trade-price", token_id=token)
        assert last == {"price": "0.45", "side": "BUY"}
        assert (await _read(quoted, "/book", token_id=token))["last_trade_price"] == "0.450"
    rows = (await _post(quoted, "/last-trades-prices", tokens)).json()
    assert rows == [{"token_id": RAIN_YES, "price": "0.450", "side": "BUY"}]


async def test_terms_of_a_token_are_told_by_query_and_by_path(ann: Person) -> None:
    for tick in (
        await _read(ann, "/tick-size", token_id=RAIN_YES),
        await _read(ann, f"/tick-size/{RAIN_NO}"),
    ):
        assert tick == {"minimum_tick_size": 0.01}
    assert await _read(ann, "/neg-risk", token_id=RAIN_YES) == {"neg_risk": False}
    assert await _read(ann, "/neg-risk", token_id=SNOW_YES) == {"neg_risk": True}
    assert await _read(ann, "/fee-rate", token_id=RAIN_YES) == {"base_fee": 1000}
    assert (await _get(ann, "/tick-size", token_id=UNKNOWN)).json() == {"error": "market not found"}
    fee = await _get(ann, "/fee-rate", token_id=UNKNOWN)
    assert (fee.status_code, fee.json()) == (404, {"error": "fee rate not found for market"})


async def test_markets_are_listed_in_full_simplified_and_compact(ann: Person) -> None:
    page = await _read(ann, "/markets", next_cursor="MA==")
    assert (page["limit"], page["count"], page["next_cursor"]) == (1000, 2, "LTE=")
    rain = page["data"][0]
    assert rain == await _read(ann, f"/markets/{RAIN}")
    assert rain["tokens"][0] == {
        "token_id": RAIN_YES,
        "outcome": "Yes",
        "price": 0.5,
        "winner": False,
    }
    assert (rain["minimum_tick_size"], rain["minimum_order_size"]) == (0.01, 5)
    assert rain["accepting_orders"]
    assert rain["tags"] == ["Weather", "All"]
    simplified = (await _read(ann, "/simplified-markets", cursor="MQ=="))["data"]
    assert [row["condition_id"] for row in simplified] == [SNOW]
    assert set(simplified[0]) == {
        "condition_id",
        "tokens",
        "rewards",
        "active",
        "closed",
        "archived",
        "accepting_orders",
    }
    compact = await _read(ann, f"/clob-markets/{SNOW}")
    assert compact["nr"] is True
    assert compact["fd"] == {"r": 0.04, "e": 1, "to": True}
    assert (compact["mos"], compact["mts"], compact["ao"]) == (5, 0.01, True)
    assert "nr" not in await _read(ann, f"/clob-markets/{RAIN}")
    pair = await _read(ann, f"/markets-by-token/{RAIN_NO}")
    assert pair == {
        "condition_id": RAIN,
        "primary_token_id": RAIN_YES,
        "secondary_token_id": RAIN_NO,
    }
    missing = await _get(ann, "/markets/0x12")
    assert (missing.status_code, missing.json()) == (404, {"error": "market not found"})
    bad = await _get(ann, "/markets", next_cursor="%%")
    assert (bad.status_code, bad.json()) == (400, {"error": "Invalid next_cursor"})


async def test_only_markets_that_pay_for_orders_are_sampled(ann: Person) -> None:
    for path in ("/sampling-markets", "/sampling-simplified-markets"):
        page = await _read(ann, path)
        assert [row["condition_id"] for row in page["data"]] == [RAIN, SNOW]
    await ann.admin("POST", "/resolve", {"condition_id": RAIN, "winner": None})
    page = await _read(ann, "/sampling-markets")
    assert [row["condition_id"] for row in page["data"]] == [SNOW]


async def test_history_ascends_mirrors_and_ends_with_what_traded(
    quoted: Person, bob: Person
) -> None:
    quoted.running.venue.clock.step(600_000)
    await bob.place(BUY, "0.45", "5", token=RAIN_YES)
    quoted.running.venue.clock.step(120_000)
    query = {"interval": "1d", "fidelity": "1"}
    yes = (await _read(quoted, "/prices-history", market=RAIN_YES, **query))["history"]
    no = (await _read(quoted, "/prices-history", market=RAIN_NO, **query))["history"]
    assert [point["t"] for point in yes] == sorted({point["t"] for point in yes})
    assert len(yes) > 1_300
    assert yes[-1]["p"] == 0.45
    assert all(abs(a["p"] + b["p"] - 1) < 1e-9 for a, b in zip(yes, no, strict=True))
    assert all(0 < point["p"] < 1 for point in yes)
    again = (await _read(quoted, "/prices-history", market=RAIN_YES, **query))["history"]
    assert again == yes


async def test_history_of_no_token_is_empty_and_odd_filters_are_refused(ann: Person) -> None:
    assert await _read(ann, "/prices-history", market=RAIN, interval="1h") == {"history": []}
    now = ann.now_s
    span = {"startTs": str(now - 3_600), "endTs": str(now), "fidelity": "10"}
    points = (await _read(ann, "/prices-history", market=RAIN_YES, **span))["history"]
    assert 6 <= len(points) <= 7
    for odd in (
        {"interval": "2d"},
        {"interval": "1d", "startTs": "1"},
        {"fidelity": "x"},
        {"startTs": "-"},
    ):
        assert (await _get(ann, "/prices-history", market=RAIN_YES, **odd)).status_code == 400
