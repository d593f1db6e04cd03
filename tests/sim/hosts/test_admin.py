"""The operator's address, faults, and the hosts beside the trading host."""

import httpx
import pytest

from pmtui.domain.markets.market import Side
from pmtui.sim.admin_token import operator_headers
from tests.sim.kit import RAIN_YES, Person

BUY = Side.BUY


async def test_money_arrives_exactly_and_deploys_the_wallet(ann: Person) -> None:
    ledger = await ann.ledger()
    assert ledger["collateral"] == "1000"
    assert ledger["deposited"] == "1000"
    assert ledger["owner"] == ann.signer.address
    relayer = ann.running.urls["relayer"]
    query = {"address": ann.wallet, "type": "WALLET"}
    assert (await ann.http.get(f"{relayer}/deployed", params=query)).json() == {"deployed": True}
    for other in ({}, {"type": "SAFE"}, {"type": "PROXY"}):
        asked = {"address": ann.wallet, **other}
        assert (await ann.http.get(f"{relayer}/deployed", params=asked)).json() == {
            "deployed": False
        }
    query["address"] = ann.wallets.deposit_uups
    assert (await ann.http.get(f"{relayer}/deployed", params=query)).json() == {"deployed": False}
    assert (await ann.http.get(f"{relayer}/nonce", params=query)).json() == {"nonce": "0"}
    bad = await ann.http.get(f"{relayer}/deployed", params={"address": "0x12"})
    assert (bad.status_code, bad.json()) == (400, {"error": "invalid address"})


@pytest.mark.parametrize(
    "body",
    [
        {"address": "0x12", "amount": "1"},
        {"address": "0x" + "12" * 20, "amount": "0.0000001"},
        {"address": "0x" + "12" * 20, "amount": 5},
        {"address": "0x" + "12" * 20, "amount": "-5"},
        {},
    ],
)
async def test_odd_deposits_are_refused(ann: Person, body: object) -> None:
    response = await ann.operate("POST", "/fund", json=body)
    assert response.status_code == 400


async def test_web_pages_cannot_reach_the_operators_address(ann: Person) -> None:
    url = ann.running.urls["admin"] + "/fund"
    body = {"address": ann.wallet, "amount": "1"}
    headers = operator_headers(ann.running.admin_token)
    for origin in ("http://example.org", "null", ""):
        response = await ann.http.post(url, json=body, headers={**headers, "Origin": origin})
        assert response.status_code == 403, origin
    assert (await ann.ledger())["collateral"] == "1000"


async def test_time_goes_forward_only(ann: Person) -> None:
    before = (await ann.admin("GET", "/clock"))["now_ms"]
    after = (await ann.admin("POST", "/clock/step", {"seconds": 90.5}))["now_ms"]
    assert after - before == 90_500
    back = await ann.operate("POST", "/clock/step", json={"seconds": -1})
    assert back.status_code == 400


async def test_a_fault_strikes_as_often_as_asked(ann: Person) -> None:
    fault = {"host": "clob", "prefix": "/time", "status": 500, "remaining": 2}
    await ann.admin("POST", "/faults", fault)
    url = ann.running.urls["clob"]
    assert (await ann.http.get(f"{url}/ok")).status_code == 200
    for _ in range(2):
        response = await ann.http.get(f"{url}/time")
        assert (response.status_code, response.json()) == (500, {"error": "Internal server error"})
    assert (await ann.http.get(f"{url}/time")).status_code == 200
    await ann.admin(
        "POST", "/faults", {**fault, "status": 429, "body": '{"error":"Too Many Requests"}'}
    )
    assert (await ann.http.get(f"{url}/time")).json() == {"error": "Too Many Requests"}
    assert await ann.admin("DELETE", "/faults") == []
    assert (await ann.http.get(f"{url}/time")).status_code == 200


async def test_a_lost_answer_leaves_the_order_in_the_book(ann: Person) -> None:
    fault = {"host": "clob", "prefix": "/order", "is_answer_lost": True}
    await ann.admin("POST", "/faults", fault)
    with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)):
        await ann.place(BUY, "0.42", "10")
    orders = (await ann.call("GET", "/data/orders")).json()
    assert orders["count"] == 1


async def test_a_bug_in_a_handler_is_a_500_and_a_line_without_values(
    ann: Person, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # What no input can cause is caused by breaking the venue itself, where nothing else looks.
    monkeypatch.delattr(ann.running.venue.controls, "geo")
    response = await ann.http.get(ann.running.urls["geoblock"] + "/api/geoblock?secret=hunter2")
    monkeypatch.undo()
    assert (response.status_code, response.json()) == (500, {"error": "Internal server error"})
    log = capsys.readouterr().err
    assert log.startswith("bug: geoblock GET /api/geoblock: AttributeError in check:")
    assert "hunter2" not in log


@pytest.mark.parametrize("host", ["clob", "gamma", "data", "relayer", "rpc", "geoblock", "admin"])
async def test_unknown_routes_of_every_host_are_404(ann: Person, host: str) -> None:
    headers = operator_headers(ann.running.admin_token)
    response = await ann.http.get(ann.running.urls[host] + "/no/such/route", headers=headers)
    assert response.status_code == 404


async def test_the_metadata_host_shows_what_trades(ann: Person) -> None:
    await ann.rest(BUY, "0.42", "10")
    rows = (await ann.http.get(ann.running.urls["gamma"] + "/markets")).json()
    rain = next(row for row in rows if RAIN_YES in row["clobTokenIds"])
    assert (rain["bestBid"], rain["bestAsk"]) == (0.42, 1)
