"""What the official Python client would send passes our checks, and ours is what it would send."""

import json
from typing import Any

import pytest

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import Address, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TimeInForce
from pmtui.signing.auth import ApiCredentials, RequestSigner
from pmtui.signing.contracts import exchange_for
from pmtui.signing.orders import (
    OrderFields,
    encode_post,
    verify_order,
)
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from tests.bench.signing import (
    API_KEY,
    API_SECRET,
    KEY,
    PASSPHRASE,
    our_click_to_bytes,
    peer_click_to_bytes,
)
from tests.signing.kit import sign_order

CREDENTIALS = ApiCredentials(API_KEY, Secret.from_text(API_SECRET), Secret.from_text(PASSPHRASE))


def _fields_of(posted: dict[str, Any]) -> OrderFields:
    order = posted["order"]
    return OrderFields(
        salt=order["salt"],
        maker=Address(order["maker"]),
        signer=Address(order["signer"]),
        token_id=TokenId(order["tokenId"]),
        maker_amount=Micros(int(order["makerAmount"])),
        taker_amount=Micros(int(order["takerAmount"])),
        side=Side(order["side"]),
        signature_type=list(SignatureType)[order["signatureType"]],
        timestamp_ms=int(order["timestamp"]),
        expiration_s=int(order["expiration"]),
        metadata=order["metadata"],
        builder=order["builder"],
    )


@pytest.mark.parametrize("kind", [SignatureType.EOA, SignatureType.DEPOSIT_WALLET])
def test_both_clients_send_the_same_bytes_for_the_same_order(kind: SignatureType) -> None:
    body, headers = peer_click_to_bytes(kind)()
    fields = _fields_of(json.loads(body))
    signer = Signer(Secret.from_hex(KEY))
    domain = exchange_for(fields.token_id, neg_risk=False)
    signed = sign_order(fields, signer, domain)
    assert encode_post(signed, owner=API_KEY, order_type=TimeInForce.GTC) == body.encode()
    assert verify_order(fields, signed.signature, domain, owner=signer.address) is None
    requests = RequestSigner(CREDENTIALS)
    assert requests.verify(headers, method="POST", path="/order", body=body.encode())
    assert headers == requests.headers(
        signer.address,
        timestamp_s=int(headers["POLY_TIMESTAMP"]),
        method="POST",
        path="/order",
        body=body.encode(),
    )


@pytest.mark.parametrize("kind", [SignatureType.EOA, SignatureType.DEPOSIT_WALLET])
def test_the_measured_way_makes_orders_that_verify(kind: SignatureType) -> None:
    body, headers = our_click_to_bytes(kind)()
    posted = json.loads(body)
    fields = _fields_of(posted)
    domain = exchange_for(fields.token_id, neg_risk=False)
    owner = Address(headers["POLY_ADDRESS"])
    assert verify_order(fields, posted["order"]["signature"], domain, owner=owner) is None
    assert RequestSigner(CREDENTIALS).verify(headers, method="POST", path="/order", body=body)
