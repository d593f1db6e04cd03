import json
from dataclasses import replace
from itertools import count
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import OrderDraft, TimeInForce
from pmtui.signing.contracts import ExchangeKind, exchange_domain, exchange_for
from pmtui.signing.eip712 import typed_digest
from pmtui.signing.orders import (
    MAX_SALT,
    ORDER_TYPE,
    WRAPPED_LENGTH,
    WRAPPER_TAIL,
    OrderFields,
    OrderFieldsError,
    SignatureFlaw,
    SignatureMismatchError,
    WalletSigner,
    encode_batch,
    encode_post,
    nested_struct_hash,
    order_id,
    order_struct_hash,
    recover_owner,
    split_wrapper,
    verify_order,
)
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets
from tests.signing.kit import sign_order

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


NEG_RISK = exchange_domain(ExchangeKind.NEG_RISK)


def _order_of(signer: Signer, kind: SignatureType, template: OrderFields) -> OrderFields:
    wallets = derive_wallets(signer.address)
    maker = {
        SignatureType.EOA: wallets.owner,
        SignatureType.PROXY: wallets.proxy,
        SignatureType.SAFE: wallets.safe,
        SignatureType.DEPOSIT_WALLET: wallets.deposit_beacon,
    }[kind]
    names = maker if kind is SignatureType.DEPOSIT_WALLET else signer.address
    return msgspec.structs.replace(template, maker=maker, signer=names, signature_type=kind)


@pytest.mark.parametrize("kind", SignatureType)
def test_an_order_of_every_type_verifies_for_its_owner_only(
    kind: SignatureType, fields: OrderFields, signer: Signer, stranger: Signer
) -> None:
    order = _order_of(signer, kind, fields)
    signed = sign_order(order, signer, REGULAR)
    assert verify_order(order, signed.signature, REGULAR, owner=signer.address) is None
    flaw = verify_order(order, signed.signature, REGULAR, owner=stranger.address)
    assert flaw is SignatureFlaw.SIGNER


@pytest.mark.parametrize("kind", SignatureType)
def test_addresses_in_any_case_verify(
    kind: SignatureType, fields: OrderFields, signer: Signer
) -> None:
    signed = sign_order(_order_of(signer, kind, fields), signer, REGULAR)
    order = msgspec.structs.replace(
        signed.fields,
        maker=Address(signed.fields.maker.lower()),
        signer=Address(signed.fields.signer.lower()),
    )
    assert verify_order(order, signed.signature, REGULAR, owner=signer.address) is None


def test_the_older_deposit_wallet_verifies_too(fields: OrderFields, signer: Signer) -> None:
    wallet = derive_wallets(signer.address).deposit_uups
    order = msgspec.structs.replace(
        fields, maker=wallet, signer=wallet, signature_type=SignatureType.DEPOSIT_WALLET
    )
    signed = sign_order(order, signer, REGULAR)
    assert verify_order(order, signed.signature, REGULAR, owner=signer.address) is None


@pytest.mark.parametrize("kind", [SignatureType.PROXY, SignatureType.SAFE])
def test_a_wallet_of_somebody_else_does_not_pay(
    kind: SignatureType, fields: OrderFields, signer: Signer, stranger: Signer
) -> None:
    theirs = _order_of(stranger, kind, fields)
    order = msgspec.structs.replace(theirs, signer=signer.address)
    signed = sign_order(order, signer, REGULAR)
    flaw = verify_order(order, signed.signature, REGULAR, owner=signer.address)
    assert flaw is SignatureFlaw.MAKER


def test_a_deposit_wallet_of_somebody_else_does_not_pay(
    fields: OrderFields, signer: Signer, stranger: Signer
) -> None:
    order = _order_of(stranger, SignatureType.DEPOSIT_WALLET, fields)
    signed = sign_order(order, signer, REGULAR)
    flaw = verify_order(order, signed.signature, REGULAR, owner=signer.address)
    assert flaw is SignatureFlaw.MAKER


def test_a_deposit_wallet_signs_in_its_own_name(
    deposit_fields: OrderFields, signer: Signer
) -> None:
    order = msgspec.structs.replace(deposit_fields, signer=signer.address)
    contents = order_struct_hash(order)
    envelope = nested_struct_hash(order, contents, REGULAR)
    inner = signer.sign_digest(typed_digest(REGULAR.separator, envelope))
    template = sign_order(deposit_fields, signer, REGULAR).signature
    signature = "0x" + (inner + REGULAR.separator + contents).hex() + template[2 + 2 * 129 :]
    assert recover_owner(order, signature, REGULAR) == signer.address
    assert verify_order(order, signature, REGULAR, owner=signer.address) is SignatureFlaw.SIGNER


@pytest.mark.parametrize(
    "change",
    [{"salt": 1}, {"maker_amount": 1}, {"token_id": TokenId("7")}, {"timestamp_ms": 1}],
    ids=lambda c: next(iter(c)),
)
@pytest.mark.parametrize("kind", [SignatureType.EOA, SignatureType.DEPOSIT_WALLET])
def test_an_altered_order_does_not_verify(
    kind: SignatureType, fields: OrderFields, signer: Signer, change: dict[str, Any]
) -> None:
    signed = sign_order(_order_of(signer, kind, fields), signer, REGULAR)
    altered = msgspec.structs.replace(signed.fields, **change)
    flaw = verify_order(altered, signed.signature, REGULAR, owner=signer.address)
    is_wrapped = kind is SignatureType.DEPOSIT_WALLET
    assert flaw is (SignatureFlaw.CONTENTS if is_wrapped else SignatureFlaw.SIGNER)


@pytest.mark.parametrize("kind", [SignatureType.EOA, SignatureType.DEPOSIT_WALLET])
def test_an_order_for_another_exchange_does_not_verify(
    kind: SignatureType, fields: OrderFields, signer: Signer
) -> None:
    signed = sign_order(_order_of(signer, kind, fields), signer, NEG_RISK)
    flaw = verify_order(signed.fields, signed.signature, REGULAR, owner=signer.address)
    is_wrapped = kind is SignatureType.DEPOSIT_WALLET
    assert flaw is (SignatureFlaw.APP_DOMAIN if is_wrapped else SignatureFlaw.SIGNER)


@pytest.mark.parametrize(
    ("at", "flaw"),
    [
        (10, None),
        (70, SignatureFlaw.APP_DOMAIN),
        (100, SignatureFlaw.CONTENTS),
        (130, SignatureFlaw.TYPE_STRING),
        (316, SignatureFlaw.TYPE_STRING),
        (64, SignatureFlaw.NOT_A_SIGNATURE),
    ],
)
def test_an_altered_byte_is_found_in_the_part_it_is_in(
    at: int, flaw: SignatureFlaw | None, deposit_fields: OrderFields, signer: Signer
) -> None:
    signed = sign_order(deposit_fields, signer, REGULAR)
    raw = bytearray.fromhex(signed.signature[2:])
    raw[at] ^= 0x44
    found = verify_order(deposit_fields, "0x" + raw.hex(), REGULAR, owner=signer.address)
    # A changed r is no point of the curve, or one that recovers to some other account.
    expected = (flaw,) if flaw else (SignatureFlaw.NOT_A_SIGNATURE, SignatureFlaw.SIGNER)
    assert found in expected


@pytest.mark.parametrize("signature", ["", "0x", "0x12", "xyz", "0x" + " " * 130, "0x" + "0" * 131])
@pytest.mark.parametrize("kind", [SignatureType.EOA, SignatureType.DEPOSIT_WALLET])
def test_what_has_the_wrong_length_is_no_signature(
    kind: SignatureType, signature: str, fields: OrderFields, signer: Signer
) -> None:
    order = _order_of(signer, kind, fields)
    assert recover_owner(order, signature, REGULAR) is SignatureFlaw.LENGTH


def test_a_plain_signature_does_not_stand_for_a_wallet_nor_a_wrapped_one_for_an_owner(
    fields: OrderFields, deposit_fields: OrderFields, signer: Signer
) -> None:
    plain = sign_order(fields, signer, REGULAR).signature
    wrapped = sign_order(deposit_fields, signer, REGULAR).signature
    assert recover_owner(deposit_fields, plain, REGULAR) is SignatureFlaw.LENGTH
    assert recover_owner(fields, wrapped, REGULAR) is SignatureFlaw.LENGTH


def test_zeros_are_no_signature(fields: OrderFields) -> None:
    assert recover_owner(fields, "0x" + "00" * 65, REGULAR) is SignatureFlaw.NOT_A_SIGNATURE


def test_fields_that_cannot_be_encoded_verify_for_nobody(
    fields: OrderFields, signer: Signer
) -> None:
    broken = msgspec.structs.replace(fields, salt=-1)
    flaw = verify_order(broken, "0x" + "00" * 65, REGULAR, owner=signer.address)
    assert flaw is SignatureFlaw.FIELDS


def test_a_wrapped_signature_has_317_bytes() -> None:
    assert WRAPPED_LENGTH == 317
    assert split_wrapper(bytes(316)) is None
    assert split_wrapper(bytes(317)) is not None


KINDS = (SignatureType.EOA, SignatureType.DEPOSIT_WALLET)


@pytest.fixture(params=KINDS, ids=str)
def like(
    request: pytest.FixtureRequest, fields: OrderFields, deposit_fields: OrderFields
) -> OrderFields:
    """An order as it is to be posted."""
    return fields if request.param is SignatureType.EOA else deposit_fields


@pytest.fixture
def wallet(signer: Signer, like: OrderFields) -> WalletSigner:
    salts = count(like.salt)
    return WalletSigner(
        signer,
        maker=like.maker,
        signature_type=like.signature_type,
        api_key=OWNER,
        now_ms=lambda: like.timestamp_ms,
        draw_bits=lambda _bits: next(salts),
    )


@pytest.fixture
def draft(like: OrderFields) -> OrderDraft:
    return OrderDraft(
        token_id=like.token_id,
        is_buy=True,
        maker_amount=like.maker_amount,
        taker_amount=like.taker_amount,
        neg_risk=False,
        time_in_force=TimeInForce.GTC.value,
        is_post_only=False,
        expiration_s=0,
    )


def test_what_is_posted_is_what_was_prepared(
    wallet: WalletSigner, draft: OrderDraft, like: OrderFields, signer: Signer
) -> None:
    prepared = wallet.prepare(draft)
    signed = sign_order(like, signer, exchange_for(like.token_id, neg_risk=False))
    assert prepared.order_id == signed.order_id
    assert wallet.sign(prepared) == encode_post(signed, owner=OWNER, order_type=TimeInForce.GTC)


def test_every_order_has_a_salt_of_its_own(wallet: WalletSigner, draft: OrderDraft) -> None:
    assert wallet.prepare(draft).order_id != wallet.prepare(draft).order_id


@pytest.mark.parametrize(
    "change",
    [
        {"contents_hash": b"\x01" * 32},
        {"order_id": OrderId("0x" + "01" * 32)},
        {"salt": 7},
        {"timestamp_ms": 7},
    ],
    ids=lambda change: next(iter(change)),
)
def test_an_order_that_is_not_the_one_on_its_card_never_leaves(
    wallet: WalletSigner, draft: OrderDraft, change: dict[str, object]
) -> None:
    prepared = wallet.prepare(draft)
    with pytest.raises(SignatureMismatchError):
        wallet.sign(replace(prepared, **change))  # type: ignore[arg-type]


def test_another_draft_under_the_same_id_never_leaves(
    wallet: WalletSigner, draft: OrderDraft
) -> None:
    prepared = wallet.prepare(draft)
    with pytest.raises(SignatureMismatchError):
        wallet.sign(replace(prepared, draft=replace(draft, maker_amount=54_000_000)))


def test_a_wallet_names_its_owner_its_maker_and_the_tokens_of_a_market(
    wallet: WalletSigner, signer: Signer, like: OrderFields
) -> None:
    assert (wallet.owner, wallet.maker) == (signer.address, like.maker)
    found = wallet.tokens_of(ConditionId("0x" + "ab" * 32), neg_risk=False)
    assert found is not None
    assert len(set(found)) == 2
    assert wallet.tokens_of(ConditionId("0xab"), neg_risk=False) == ()


def test_the_tokens_of_the_test_chain_are_not_known(signer: Signer, fields: OrderFields) -> None:
    wallet = WalletSigner(
        signer, maker=fields.maker, signature_type=SignatureType.EOA, api_key=OWNER,
        now_ms=lambda: 0, draw_bits=lambda _bits: 0, chain_id=80002,
    )  # fmt: skip
    assert wallet.tokens_of(ConditionId("0x" + "ab" * 32), neg_risk=False) is None
