from typing import Any

import msgspec
import pytest

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import Address, TokenId
from pmtui.signing.exchange import ExchangeKind, exchange_domain
from pmtui.signing.order_signing import (
    OrderFields,
    nested_struct_hash,
    order_struct_hash,
    sign_order,
)
from pmtui.signing.order_verifying import (
    WRAPPED_LENGTH,
    SignatureFlaw,
    recover_owner,
    split_wrapper,
    verify_order,
)
from pmtui.signing.signer import Signer
from pmtui.signing.typed_data import typed_digest
from pmtui.signing.wallet import derive_wallets

REGULAR = exchange_domain(ExchangeKind.REGULAR)
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
