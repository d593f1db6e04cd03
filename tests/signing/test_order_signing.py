import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import Address, ApiKey, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TimeInForce
from pmtui.signing.exchange import ExchangeKind, exchange_domain
from pmtui.signing.order_signing import (
    MAX_SALT,
    ORDER_TYPE,
    WRAPPER_TAIL,
    OrderFields,
    OrderFieldsError,
    encode_batch,
    encode_post,
    order_id,
    order_struct_hash,
    sign_order,
)
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer

REGULAR = exchange_domain(ExchangeKind.REGULAR)
OWNER = ApiKey("6f1c2a34-9a0b-4c7d-8e1f-0a1b2c3d4e5f")


def test_the_order_type_has_its_published_length() -> None:
    assert len(ORDER_TYPE) == 186
    assert WRAPPER_TAIL[-2:] == b"\x00\xba"


def test_the_order_id_is_known_without_a_key(fields: OrderFields, signer: Signer) -> None:
    signed = sign_order(fields, signer, REGULAR)
    assert order_id(fields, REGULAR) == signed.order_id
    assert signed.order_id == "0xac090555658e68b372919d411c92287b1efc3d680f2f8da958a6d1b73d08cec3"


def test_the_order_id_of_a_deposit_wallet_is_not_what_is_signed(
    deposit_fields: OrderFields, signer: Signer
) -> None:
    signed = sign_order(deposit_fields, signer, REGULAR)
    assert signed.order_id == order_id(deposit_fields, REGULAR)
    assert len(signed.signature) == 2 + 634


@pytest.mark.parametrize("kind", [ExchangeKind.NEG_RISK, ExchangeKind.V3])
def test_another_exchange_means_another_order(
    fields: OrderFields, signer: Signer, kind: ExchangeKind
) -> None:
    ours, other = (
        sign_order(fields, signer, REGULAR),
        sign_order(fields, signer, exchange_domain(kind)),
    )
    assert ours.order_id != other.order_id
    assert ours.signature != other.signature


@pytest.mark.parametrize(
    "change",
    [
        {"salt": 1},
        {"token_id": TokenId("5")},
        {"maker_amount": 1},
        {"taker_amount": 1},
        {"timestamp_ms": 1},
        {"metadata": "0x" + "5a" * 32},
        {"builder": "0x" + "ab" * 32},
    ],
    ids=lambda c: next(iter(c)),
)
def test_every_signed_field_changes_the_hash(fields: OrderFields, change: dict[str, Any]) -> None:
    changed = msgspec.structs.replace(fields, **change)
    assert order_struct_hash(changed) != order_struct_hash(fields)


def test_the_expiration_is_posted_but_not_signed(fields: OrderFields, signer: Signer) -> None:
    later = msgspec.structs.replace(fields, expiration_s=1_790_003_600)
    assert order_struct_hash(later) == order_struct_hash(fields)
    body = encode_post(sign_order(later, signer, REGULAR), owner=OWNER, order_type=TimeInForce.GTD)
    assert json.loads(body)["order"]["expiration"] == "1790003600"


@pytest.mark.parametrize(
    "change",
    [
        {"salt": -1},
        {"salt": MAX_SALT + 1},
        {"token_id": TokenId("")},
        {"token_id": TokenId("1_0")},
        {"token_id": TokenId("٣")},
        {"token_id": TokenId(str(1 << 256))},
        {"token_id": TokenId("1" * 5000)},
        {"maker_amount": -1},
        {"taker_amount": 1 << 256},
        {"timestamp_ms": -1},
        {"maker": Address("0x12")},
        {"metadata": "0x"},
        {"builder": '0x"' + "0" * 63},
        {"side": "BUY"},
        {"signature_type": 1},
    ],
    ids=str,
)
def test_fields_that_cannot_be_encoded_are_refused(
    fields: OrderFields, change: dict[str, Any]
) -> None:
    with pytest.raises(OrderFieldsError):
        order_struct_hash(msgspec.structs.replace(fields, **change))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"signer": Address("0x" + "11" * 20)}, "another signer"),
        ({"maker": Address("0x" + "11" * 20)}, "paid by the owner"),
        (
            {"signature_type": SignatureType.DEPOSIT_WALLET, "maker": Address("0x" + "11" * 20)},
            "both",
        ),
    ],
    ids=["signer", "maker", "wallet"],
)
def test_addresses_that_contradict_the_signature_type_are_not_signed(
    fields: OrderFields, signer: Signer, change: dict[str, Any], reason: str
) -> None:
    with pytest.raises(OrderFieldsError, match=reason):
        sign_order(msgspec.structs.replace(fields, **change), signer, REGULAR)


@given(
    salt=st.integers(0, MAX_SALT),
    amounts=st.tuples(st.integers(0, 2**63), st.integers(0, 2**63)),
    flags=st.tuples(st.booleans(), st.booleans()),
    time_in_force=st.sampled_from(TimeInForce),
)
def test_the_body_says_what_was_signed(
    salt: int,
    amounts: tuple[int, int],
    flags: tuple[bool, bool],
    time_in_force: TimeInForce,
) -> None:
    signer = Signer(Secret(b"\x02" * 32))
    fields = OrderFields(
        salt=salt,
        maker=signer.address,
        signer=signer.address,
        token_id=TokenId("1" * 70),
        maker_amount=Micros(amounts[0]),
        taker_amount=Micros(amounts[1]),
        side=Side.SELL,
        signature_type=SignatureType.EOA,
        timestamp_ms=salt,
    )
    signed = sign_order(fields, signer, REGULAR)
    body = encode_post(
        signed,
        owner=OWNER,
        order_type=time_in_force,
        post_only=flags[0],
        defer_exec=flags[1],
    )
    posted = json.loads(body)
    assert posted["order"]["salt"] == salt
    assert posted["order"]["makerAmount"] == str(amounts[0])
    assert posted["order"]["takerAmount"] == str(amounts[1])
    assert posted["order"]["signature"] == signed.signature
    assert (posted["postOnly"], posted["deferExec"]) == flags
    assert posted["orderType"] == time_in_force.value
    assert json.dumps(posted, separators=(",", ":")).encode() == body


@pytest.mark.parametrize("owner", ['a"b', "a\\b", "a\nb", "é"])
def test_an_owner_that_would_break_the_json_is_refused(
    fields: OrderFields, signer: Signer, owner: str
) -> None:
    signed = sign_order(fields, signer, REGULAR)
    with pytest.raises(OrderFieldsError, match="plain text"):
        encode_post(signed, owner=ApiKey(owner), order_type=TimeInForce.GTC)


def test_a_batch_is_the_bodies_in_order(clob: dict[str, Any]) -> None:
    bodies = [order["post"]["bodyPyOrder"].encode() for order in clob["orders"][:3]]
    assert encode_batch(bodies) == b"[" + b",".join(bodies) + b"]"
    assert [entry["order"]["salt"] for entry in json.loads(encode_batch(bodies))] == [
        order["inputs"]["salt"] for order in clob["orders"][:3]
    ]
