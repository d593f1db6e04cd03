"""Builder keys, read-only keys, and what was traded through a builder."""

from pathlib import Path

from pmtui.domain.ids import ApiKey
from pmtui.domain.markets.market import Side
from pmtui.domain.orders.order import TimeInForce
from pmtui.signing.auth import ApiCredentials, RequestSigner
from pmtui.signing.secret import Secret
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, Person, http_client, small_venue

BUY = Side.BUY
KEY, KEYS = "/auth/builder-api-key", "/auth/builder-api-keys"


async def _builder(person: Person) -> dict[str, str]:
    answer: dict[str, str] = (await person.call("POST", KEY)).json()
    return answer


async def test_builder_keys_are_minted_listed_and_revoked_in_both_dialects(
    ann: Person, bob: Person
) -> None:
    first, second = await _builder(ann), await _builder(ann)
    assert {"key", "secret", "passphrase"} <= first.keys()
    listed = (await ann.call("GET", KEY)).json()
    assert [(row["key"], row["revokedAt"]) for row in listed] == [
        (first["key"], None),
        (second["key"], None),
    ]
    assert (await ann.call("GET", KEYS)).json() == listed
    assert (await bob.call("GET", KEYS)).json() == []
    assert (await bob.call("DELETE", f"{KEY}/{first['key']}")).status_code == 404
    assert (await ann.call("DELETE", f"{KEY}/{first['key']}")).json() == "OK"
    assert (await ann.call("DELETE", f"{KEY}/{first['key']}")).status_code == 404
    assert (await ann.call("DELETE", KEY)).json() == "OK"
    assert all(row["revokedAt"] for row in (await ann.call("GET", KEYS)).json())
    assert (await ann.call("DELETE", KEY)).status_code == 404


async def test_a_builder_key_revokes_itself_by_its_own_signature(ann: Person) -> None:
    minted = await _builder(ann)
    await _builder(ann)

    def signed(secret: str, passphrase: str) -> dict[str, str]:
        credentials = ApiCredentials(
            ApiKey(minted["key"]), Secret.from_text(secret), Secret.from_text(passphrase)
        )
        return RequestSigner(credentials).builder_headers(
            timestamp_s=ann.now_s, method="DELETE", path=KEY
        )

    url = ann.running.urls["clob"] + KEY
    wrong = signed(minted["secret"], "wrong")
    assert (await ann.http.delete(url, headers=wrong)).status_code == 401
    late = signed(minted["secret"], minted["passphrase"]) | {"POLY_BUILDER_TIMESTAMP": "1"}
    assert (await ann.http.delete(url, headers=late)).status_code == 401
    right = signed(minted["secret"], minted["passphrase"])
    assert (await ann.http.delete(url, headers=right)).json() == "OK"
    assert [bool(row["revokedAt"]) for row in (await ann.call("GET", KEY)).json()] == [True, False]
    assert (await ann.http.delete(url, headers=right)).status_code == 401


async def test_read_only_keys_are_minted_listed_and_deleted(ann: Person, bob: Person) -> None:
    path = "/auth/readonly-api-key"
    key = (await ann.call("POST", path)).json()["apiKey"]
    assert (await ann.call("GET", f"{path}s")).json() == {"readonlyApiKeys": [key]}
    body = f'{{"key":"{key}"}}'.encode()
    assert (await bob.call("DELETE", path, body)).json() is False
    assert (await ann.call("DELETE", path, body)).json() is True
    assert (await ann.call("DELETE", path, body)).json() is False
    assert (await ann.call("GET", f"{path}s")).json() == {"readonlyApiKeys": []}
    assert (await ann.call("DELETE", path, b"{}")).status_code == 400


async def test_none_of_it_is_open_to_strangers(ann: Person) -> None:
    url = ann.running.urls["clob"]
    for method, path in (
        ("POST", KEY),
        ("GET", KEY),
        ("DELETE", KEY),
        ("GET", KEYS),
        ("DELETE", f"{KEY}/x"),
        ("POST", "/auth/readonly-api-key"),
        ("GET", "/auth/readonly-api-keys"),
        ("DELETE", "/auth/readonly-api-key"),
    ):
        response = await ann.http.request(method, url + path)
        assert (response.status_code, response.json()) == (
            401,
            {"error": "Unauthorized/Invalid api key"},
        )


async def test_trades_are_attributed_to_the_builders_their_orders_name(
    ann: Person, bob: Person
) -> None:
    code = (await _builder(ann))["builderCode"]
    url = ann.running.urls["clob"]
    fees = (await ann.http.get(f"{url}/fees/builder-fees/{code}")).json()
    assert fees == {"builder_maker_fee_rate_bps": 0, "builder_taker_fee_rate_bps": 0}
    unknown = "0x" + "12" * 32
    assert (await ann.http.get(f"{url}/fees/builder-fees/{unknown}")).status_code == 404
    await ann.rest(BUY, "0.40", "10", builder=code)
    await bob.place(BUY, "0.60", "5", token=RAIN_NO)
    await bob.place(BUY, "0.60", "3", TimeInForce.FAK, token=RAIN_NO, builder=code, market=True)
    page = (await ann.http.get(f"{url}/builder/trades", params={"builder_code": code})).json()
    assert [(row["tradeType"], row["assetId"], row["size"]) for row in page["data"]] == [
        ("MAKER", RAIN_YES, "5"),
        ("TAKER", RAIN_NO, "5"),
        ("MAKER", RAIN_YES, "5"),
    ]
    taken = page["data"][1]
    assert (taken["builder"], taken["market"], taken["sizeUsdc"]) == (code, RAIN, "3")
    assert (taken["fee"], taken["feeUsdc"], taken["outcomeIndex"]) == ("0.048", "0.048", 1)
    query = {"builder_code": code, "maker_address": bob.wallet, "after": str(ann.now_s)}
    page = (await ann.http.get(f"{url}/builder/trades", params=query)).json()
    assert page["count"] == 1
    for query in ({"builder_code": "0x" + "00" * 32}, {}, {"builder_code": code, "after": "x"}):
        assert (await ann.http.get(f"{url}/builder/trades", params=query)).status_code == 400


async def test_keys_and_attribution_survive_a_restart(tmp_path: Path) -> None:
    state = tmp_path / "state"
    async with small_venue(tmp_path, state=state) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        code = (await _builder(ann))["builderCode"]
        await ann.call("POST", "/auth/readonly-api-key")
        await ann.rest(BUY, "0.40", "10", builder=code)
        before = [
            (await ann.call("GET", KEYS)).json(),
            (await ann.call("GET", "/auth/readonly-api-keys")).json(),
        ]
    async with small_venue(tmp_path, state=state) as running, http_client() as http:
        ann.running, ann.http = running, http
        bob = await Person(running, http, key=1).arrive()
        assert before == [
            (await ann.call("GET", KEYS)).json(),
            (await ann.call("GET", "/auth/readonly-api-keys")).json(),
        ]
        await bob.place(BUY, "0.60", "5", token=RAIN_NO)
        url = f"{running.urls['clob']}/builder/trades?builder_code={code}"
        assert (await http.get(url)).json()["count"] == 1
