"""Every refusal of an order, in the service's words and with its status."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.markets.market import Side
from pmtui.domain.orders.order import TimeInForce
from pmtui.signing.order_signing import SignedOrder
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, SNOW_YES, Person

BUY, SELL = Side.BUY, Side.SELL
GTC, GTD, FOK, FAK = TimeInForce
SIGNER_TEXT = "the order signer address has to be the address of the API KEY"


async def _post(person: Person, signed: SignedOrder, **changes: Any) -> tuple[int, Any]:
    body = json.loads(person.encode(signed))
    body["order"].update(changes)
    return await _post_raw(person, json.dumps(body).encode())


async def _post_raw(person: Person, body: bytes) -> tuple[int, Any]:
    response = await person.call("POST", "/order", body)
    return response.status_code, response.json()


def _refusal(text: str, status: int = 400) -> tuple[int, dict[str, str]]:
    return status, {"error": text}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"{",
        b'{"order":{},"owner":"x","orderType":"GTC"}',
        b'{"order":1,"owner":"x","orderType":"GTC"}',
    ],
)
async def test_malformed_bodies_are_no_order(ann: Person, body: bytes) -> None:
    assert await _post_raw(ann, body) == _refusal("Invalid order payload")


@pytest.mark.parametrize(
    "changes",
    [
        {"salt": "479249096354"},
        {"salt": -1},
        {"salt": 2**53},
        {"makerAmount": 4200000},
        {"makerAmount": "4.2"},
        {"makerAmount": "-1"},
        {"takerAmount": "1e7"},
        {"tokenId": "yes"},
        {"tokenId": "9" * 90},
        {"side": "buy"},
        {"side": 0},
        {"signatureType": "3"},
        {"signatureType": 4},
        {"maker": "0x12"},
        {"signer": ""},
        {"timestamp": ""},
        {"expiration": "soon"},
        {"metadata": "0x00"},
        {"signature": None},
    ],
)
async def test_fields_of_the_wrong_form_are_no_order(ann: Person, changes: dict[str, Any]) -> None:
    status = await _post(ann, ann.sign(BUY, "0.42", "10"), **changes)
    assert status == _refusal("Invalid order payload")


async def test_an_order_of_version_one_is_told_so(ann: Person) -> None:
    body = json.loads(ann.encode(ann.sign(BUY, "0.42", "10")))
    for name in ("timestamp", "metadata", "builder"):
        del body["order"][name]
    body["order"].update(taker="0x" + "00" * 20, nonce="0", feeRateBps="0")
    assert await _post_raw(ann, json.dumps(body).encode()) == _refusal("order_version_mismatch")


async def test_the_owner_field_must_be_the_callers_key(ann: Person, bob: Person) -> None:
    body = json.loads(ann.encode(ann.sign(BUY, "0.42", "10")))
    body["owner"] = bob.api_key
    text = "the order owner has to be the owner of the API KEY"
    assert await _post_raw(ann, json.dumps(body).encode()) == _refusal(text)


@pytest.mark.parametrize("kind", list(SignatureType))
async def test_a_changed_field_breaks_the_signature(ann: Person, kind: SignatureType) -> None:
    await ann.arrive(kind=kind)
    signed = ann.sign(BUY, "0.42", "10", kind=kind)
    assert await _post(ann, signed, takerAmount="11000000") == _refusal("invalid signature")
    assert await _post(ann, signed, salt=999) == _refusal("invalid signature")
    assert await _post(ann, signed, tokenId=RAIN_NO) == _refusal("invalid signature")
    assert await _post(ann, signed, builder="0x" + "11" * 32) == _refusal("invalid signature")
    assert await _post(ann, signed, signature="0x" + "00" * 65) == _refusal("invalid signature")
    assert await _post(ann, signed, signature=signed.signature[:-2]) == _refusal(
        "invalid signature"
    )
    assert await _post(ann, signed) == (200, await _answer_of(ann))


async def _answer_of(person: Person) -> dict[str, Any]:
    rows = (await person.call("GET", "/data/orders")).json()["data"]
    return {
        "errorMsg": "",
        "orderID": rows[0]["id"],
        "takingAmount": "",
        "makingAmount": "",
        "status": "live",
        "success": True,
    }


async def test_a_signature_for_the_other_exchange_is_invalid(ann: Person) -> None:
    regular = ann.sign(BUY, "0.42", "10", token=SNOW_YES, neg_risk=False)
    assert await _post(ann, regular) == _refusal("invalid signature")
    neg_risk = ann.sign(BUY, "0.42", "10", token=RAIN_YES, neg_risk=True)
    assert await _post(ann, neg_risk) == _refusal("invalid signature")


async def test_a_signature_by_somebody_else_is_invalid(ann: Person, bob: Person) -> None:
    theirs = bob.sign(BUY, "0.42", "10", maker=ann.wallet, signer=ann.wallet)
    assert await _post(ann, theirs) == _refusal("invalid signature")


async def test_signer_and_maker_belong_to_the_caller(ann: Person, bob: Person) -> None:
    theirs = bob.sign(BUY, "0.42", "10")
    body = json.loads(ann.encode(theirs))
    assert await _post_raw(ann, json.dumps(body).encode()) == _refusal(SIGNER_TEXT)
    await ann.arrive(kind=SignatureType.PROXY)
    stolen = ann.sign(BUY, "0.42", "10", kind=SignatureType.PROXY, maker=bob.wallets.proxy)
    assert await _post(ann, stolen) == _refusal(SIGNER_TEXT)
    mixed = ann.sign(BUY, "0.42", "10", kind=SignatureType.SAFE, maker=ann.wallets.proxy)
    assert await _post(ann, mixed) == _refusal(SIGNER_TEXT)


async def test_a_deposit_wallet_without_code_cannot_sign(ann: Person) -> None:
    old = ann.wallets.deposit_uups
    assert await _post(ann, ann.sign(BUY, "0.42", "10", maker=old, signer=old)) == _refusal(
        SIGNER_TEXT
    )


async def test_the_switch_for_deposit_wallets_only_refuses_the_rest(ann: Person) -> None:
    await ann.arrive(kind=SignatureType.EOA)
    await ann.admin("POST", "/wallets", {"deposit_only": True})
    text = "maker address not allowed, please use the deposit wallet flow"
    assert await _post(ann, ann.sign(BUY, "0.42", "10", kind=SignatureType.EOA)) == _refusal(text)
    assert (await _post(ann, ann.sign(BUY, "0.42", "10")))[0] == 200


async def test_an_unknown_token_has_no_market(ann: Person) -> None:
    token = str(int(RAIN_YES) + 1)
    assert await _post(ann, ann.sign(BUY, "0.42", "10", token=token)) == _refusal(
        "Invalid token id"
    )


async def test_the_same_order_is_taken_once(ann: Person) -> None:
    signed = ann.sign(BUY, "0.42", "10")
    assert (await _post(ann, signed))[0] == 200
    text = f"order {signed.order_id} is invalid. Duplicated."
    assert await _post(ann, signed) == _refusal(text)


async def _tick(ann: Person) -> tuple[SignedOrder, str]:
    signed = ann.sign(BUY, "0.305", "10", tick="0.001")
    tail = "is invalid. Price (0.305) breaks minimum tick size rule: 0.01"
    return signed, f"order {signed.order_id} {tail}"


async def _small(ann: Person) -> tuple[SignedOrder, str]:
    signed = ann.sign(BUY, "0.42", "3")
    return signed, f"order {signed.order_id} is invalid. Size (3) lower than the minimum: 5"


async def _poor(ann: Person) -> tuple[SignedOrder, str]:
    await ann.rest(BUY, "0.5", "1000")
    return ann.sign(BUY, "0.5", "1010"), (
        "not enough balance / allowance: the balance is not enough -> balance: 1000000000, "
        "sum of active orders: 500000000, sum of matched orders: 0, "
        # 505 dollars, and the fee of 1010 · 0.04 · 0.25.
        "order amount (inc. fees): 515100000"
    )


async def _no_shares(ann: Person) -> tuple[SignedOrder, str]:
    return ann.sign(SELL, "0.42", "10"), (
        "not enough balance / allowance: the balance is not enough -> balance: 0, "
        "sum of active orders: 0, sum of matched orders: 0, order amount (inc. fees): 10000000"
    )


async def _too_fine(ann: Person) -> tuple[SignedOrder, str]:
    signed = ann.sign(BUY, "0.42", "10", maker_amount=4_200_042, taker_amount=10_000_100)
    return signed, (
        "invalid amounts, the buy orders maker amount supports a max accuracy of 4 decimals, "
        "taker amount a max of 2"
    )


@pytest.mark.parametrize("case", [_tick, _small, _poor, _no_shares, _too_fine])
async def test_terms_that_break_a_rule_are_named(
    ann: Person, case: Callable[[Person], Awaitable[tuple[SignedOrder, str]]]
) -> None:
    signed, text = await case(ann)
    assert await _post(ann, signed) == _refusal(text)


async def test_prices_of_nothing_and_of_everything_are_refused(ann: Person) -> None:
    signed = ann.sign(BUY, "0.42", "10", maker_amount=10_000_000, taker_amount=10_000_000)
    text = "invalid price, price must be greater than 0 and less than 1"
    assert await _post(ann, signed) == _refusal(text)


async def _refused(response: Any) -> str:
    assert response.status_code == 400
    return str(response.json()["error"])


async def test_what_takes_must_be_worth_a_dollar(ann: Person, bob: Person) -> None:
    await ann.rest(BUY, "0.9", "10")
    response = await bob.place(BUY, "0.1", "5", token=RAIN_NO)
    text = "invalid amount for a marketable BUY order ($0.5), min size: $1"
    assert await _refused(response) == text


async def test_post_only_orders_do_not_take(ann: Person, bob: Person) -> None:
    await ann.rest(BUY, "0.42", "10")
    response = await bob.place(BUY, "0.58", "10", token=RAIN_NO, post_only=True)
    assert await _refused(response) == "invalid post-only order: order crosses book"


async def test_orders_that_must_fill_now_are_killed_otherwise(ann: Person, bob: Person) -> None:
    await ann.rest(BUY, "0.42", "10")
    killed = await bob.place(BUY, "0.58", "100", FOK, token=RAIN_NO, market=True)
    text = "order couldn't be fully filled. FOK orders are fully filled or killed."
    assert await _refused(killed) == text
    unmatched = await bob.place(BUY, "0.5", "10", FAK, token=RAIN_NO, market=True)
    assert (await _refused(unmatched)).startswith("no orders found to match with FAK order. FAK")


async def test_expirations_must_be_three_minutes_ahead(ann: Person) -> None:
    near = await ann.place(BUY, "0.42", "10", GTD, expiration_s=ann.now_s + 179)
    assert await _refused(near) == "invalid expiration"
    misplaced = await ann.place(BUY, "0.42", "10", GTC, expiration_s=ann.now_s + 600)
    assert await _refused(misplaced) == "invalid expiration"


async def test_accounts_are_banned_and_limited_by_name(ann: Person) -> None:
    await ann.admin("POST", "/standing", {"address": ann.wallet, "standing": "banned"})
    assert await _refused(await ann.place(BUY, "0.42", "10")) == f"'{ann.wallet}' address banned"
    await ann.admin("POST", "/standing", {"address": ann.wallet, "standing": "closed only"})
    text = f"'{ann.wallet}' address in closed only mode"
    assert await _refused(await ann.place(BUY, "0.42", "10")) == text
    status = await ann.call("GET", "/auth/ban-status/closed-only")
    assert status.json() == {"closed_only": True}


async def test_the_region_is_checked_before_the_key(ann: Person) -> None:
    await ann.admin("POST", "/geoblock", {"blocked": True, "country": "US", "region": "NY"})
    for path in ("/order", "/orders"):
        response = await ann.http.post(ann.running.urls["clob"] + path)
        assert response.status_code == 403
        assert response.json()["error"].startswith(
            "Trading restricted in your region, please refer"
        )
    geo = await ann.http.get(ann.running.urls["geoblock"] + "/api/geoblock")
    assert geo.json() == {"blocked": True, "ip": "127.0.0.1", "country": "US", "region": "NY"}
    assert (await ann.call("DELETE", "/cancel-all")).status_code == 200


async def test_a_halted_exchange_says_what_it_still_takes(ann: Person) -> None:
    order_id = await ann.rest(BUY, "0.42", "10")
    await ann.admin("POST", "/mode", {"mode": "post only", "retry_after_s": 79})
    response = await ann.place(BUY, "0.41", "10")
    assert response.status_code == 503
    assert response.headers["retry-after"] == "79"
    assert response.json() == {
        "error": "post-only mode: only post-only orders and cancels are allowed",
        "code": "post_only_mode",
        "retry_after_seconds": 79,
    }
    assert (await ann.place(BUY, "0.41", "10", post_only=True)).status_code == 200
    await ann.admin("POST", "/mode", {"mode": "cancel only"})
    body = b"[" + ann.encode(ann.sign(BUY, "0.41", "10")) + b"]"
    response = await ann.call("POST", "/orders", body)
    assert response.status_code == 503
    assert response.json()["error"].startswith("Trading is currently cancel-only.")
    cancelled = await ann.call("DELETE", "/order", json.dumps({"orderID": order_id}).encode())
    assert cancelled.json()["canceled"] == [order_id]


async def test_a_changed_grid_binds_at_once(ann: Person) -> None:
    await ann.admin("POST", "/tick", {"condition_id": RAIN, "tick_size": "0.1"})
    tick = await ann.http.get(ann.running.urls["clob"] + f"/tick-size/{RAIN_YES}")
    assert tick.json() == {"minimum_tick_size": 0.1}
    assert "breaks minimum tick size rule: 0.1" in await _refused(
        await ann.place(BUY, "0.42", "10")
    )
