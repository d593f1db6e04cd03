from dataclasses import replace
from itertools import count

import pytest

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import ApiKey, ConditionId, OrderId
from pmtui.domain.orders.order import OrderDraft, TimeInForce
from pmtui.signing.contracts import exchange_for
from pmtui.signing.orders import (
    OrderFields,
    SignatureMismatchError,
    WalletSigner,
    encode_post,
    sign_order,
)
from pmtui.signing.signer import Signer

OWNER = ApiKey("6f1c2a34-9a0b-4c7d-8e1f-0a1b2c3d4e5f")
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
