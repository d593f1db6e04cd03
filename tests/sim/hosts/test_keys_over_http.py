"""Level 1 and level 2: who gets a key, and which requests it opens."""

import httpx
import pytest

from pmtui.signing.auth import auth_headers
from pmtui.sim.auth import WINDOW_S
from pmtui.sim.run import RunningVenue
from tests.sim.kit import Person

UNAUTHORIZED = {"error": "Unauthorized/Invalid api key"}


@pytest.fixture
async def stranger(running: RunningVenue, http: httpx.AsyncClient) -> Person:
    return Person(running, http, key=2)


async def test_a_key_is_created_once_and_derived_ever_after(stranger: Person) -> None:
    assert (await stranger.derive_key()).json() == {"error": "Could not derive api key!"}
    created = await stranger.create_key()
    assert created.status_code == 200
    assert set(created.json()) == {"apiKey", "secret", "passphrase"}
    again = await stranger.create_key()
    assert (again.status_code, again.json()) == (400, {"error": "Could not create api key"})
    assert (await stranger.derive_key()).json() == created.json()


async def test_every_nonce_has_a_key_of_its_own(stranger: Person) -> None:
    large = 2**200
    first, second = await stranger.create_key(nonce=0), await stranger.create_key(nonce=large)
    assert first.json() != second.json()
    assert (await stranger.derive_key(nonce=large)).json() == second.json()
    stranger.use(first.json())
    listed = await stranger.call("GET", "/auth/api-keys")
    assert listed.json() == {"apiKeys": [first.json()["apiKey"], second.json()["apiKey"]]}


async def test_a_deleted_key_opens_nothing(stranger: Person) -> None:
    stranger.use((await stranger.create_key()).json())
    assert (await stranger.call("DELETE", "/auth/api-key")).json() == "OK"
    refused = await stranger.call("GET", "/auth/api-keys")
    assert (refused.status_code, refused.json()) == (401, UNAUTHORIZED)
    assert (await stranger.create_key()).status_code == 200


@pytest.mark.parametrize("skew_s", [WINDOW_S + 1, -WINDOW_S - 1])
async def test_level_one_signatures_go_stale(stranger: Person, skew_s: int) -> None:
    headers = auth_headers(stranger.signer, timestamp_s=stranger.now_s + skew_s)
    url = stranger.running.urls["clob"] + "/auth/api-key"
    response = await stranger.http.post(url, headers=headers)
    assert (response.status_code, response.json()) == (401, {"error": "Invalid L1 Request headers"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("POLY_ADDRESS", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"),
        ("POLY_SIGNATURE", "0x" + "00" * 65),
        ("POLY_NONCE", "1"),
        ("POLY_NONCE", "-1"),
        ("POLY_TIMESTAMP", ""),
    ],
)
async def test_level_one_headers_are_all_signed(stranger: Person, name: str, value: str) -> None:
    headers = auth_headers(stranger.signer, timestamp_s=stranger.now_s)
    headers[name] = value
    url = stranger.running.urls["clob"] + "/auth/api-key"
    assert (await stranger.http.post(url, headers=headers)).status_code == 401


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("POLY_ADDRESS", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"),
        ("POLY_API_KEY", "6f1c2a34-9a0b-4c7d-8e1f-0a1b2c3d4e5f"),
        ("POLY_PASSPHRASE", "0f1e"),
        ("POLY_SIGNATURE", "ZwAdJKvoYRlEKDkNMwd5BuwNNtg93kNaR_oU2HrfVvc="),
        ("POLY_TIMESTAMP", "1790000001"),
        ("POLY_TIMESTAMP", "soon"),
    ],
)
async def test_every_level_two_header_counts(ann: Person, name: str, value: str) -> None:
    headers = ann.headers("GET", "/data/orders")
    headers[name] = value
    response = await ann.http.get(ann.running.urls["clob"] + "/data/orders", headers=headers)
    assert (response.status_code, response.json()) == (401, UNAUTHORIZED)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/auth/api-keys"),
        ("DELETE", "/auth/api-key"),
        ("GET", "/auth/ban-status/closed-only"),
        ("GET", "/balance-allowance"),
        ("GET", "/balance-allowance/update"),
        ("GET", "/data/orders"),
        ("GET", "/data/order/0x12"),
        ("GET", "/order/0x12"),
        ("GET", "/data/trades"),
        ("POST", "/order"),
        ("POST", "/orders"),
        ("DELETE", "/order"),
        ("DELETE", "/orders"),
        ("DELETE", "/cancel-all"),
        ("DELETE", "/cancel-market-orders"),
    ],
)
async def test_account_routes_are_closed_to_strangers(
    stranger: Person, method: str, path: str
) -> None:
    response = await stranger.http.request(method, stranger.running.urls["clob"] + path)
    assert (response.status_code, response.json()) == (401, UNAUTHORIZED)


async def test_the_body_is_signed_to_the_last_byte(ann: Person) -> None:
    headers = ann.headers("DELETE", "/order", b'{"orderID":"0x12"}')
    url = ann.running.urls["clob"] + "/order"
    spaced = await ann.http.request("DELETE", url, content=b'{"orderID": "0x12"}', headers=headers)
    assert spaced.status_code == 401
    exact = await ann.http.request("DELETE", url, content=b'{"orderID":"0x12"}', headers=headers)
    assert exact.json() == {"error": "Invalid orderID"}


async def test_the_query_is_not_signed_but_the_path_is(ann: Person) -> None:
    url = ann.running.urls["clob"]
    headers = ann.headers("GET", "/data/orders")
    assert (await ann.http.get(f"{url}/data/orders?market=0x1", headers=headers)).status_code == 200
    assert (await ann.http.get(f"{url}/data/trades", headers=headers)).status_code == 401


async def test_balances_are_those_of_the_wallet_that_is_asked_for(ann: Person) -> None:
    async def balance(query: str) -> httpx.Response:
        return await ann.call("GET", "/balance-allowance", query=query)

    mine = await balance("?asset_type=COLLATERAL&signature_type=3")
    assert mine.json()["balance"] == "1000000000"
    assert set(mine.json()["allowances"]) >= {"0xE111180000d2663C0091e4f400237545B87B996B"}
    assert (await balance("?asset_type=COLLATERAL&signature_type=0")).json()["balance"] == "0"
    assert (await balance("?asset_type=GOLD")).json() == {"error": "Invalid asset type"}
    odd = await balance("?asset_type=COLLATERAL&signature_type=9")
    assert odd.json() == {"error": "Invalid signature_type"}
    update = await ann.call(
        "GET", "/balance-allowance/update", query="?asset_type=COLLATERAL&signature_type=3"
    )
    assert (update.status_code, update.content) == (200, b"")
