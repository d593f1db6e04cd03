"""From the bytes of a posted order to what the engine takes, or the service's refusal.

Decoding is strict: amounts are decimal strings, salt and signature type numbers. The struct hash,
the order id and the signature are recomputed under the exchange of the order's market; a signature
made for another exchange, order or owner is refused as the service refuses it.
"""

from dataclasses import dataclass
from enum import IntEnum

import msgspec

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import Address, ApiKey, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TimeInForce
from pmtui.signing.contracts import POLYGON, ExchangeDomain, exchange_for
from pmtui.signing.eip712 import AddressError, address_bytes, checksum_address
from pmtui.signing.orders import (
    ZERO_BYTES32,
    OrderFields,
    OrderFieldsError,
    SignatureFlaw,
    order_id,
    verify_order,
)
from pmtui.signing.wallet import derive_wallets
from pmtui.sim.accounts import Credentials
from pmtui.sim.engine.refusals import INVALID_PAYLOAD, INVALID_TOKEN
from pmtui.sim.engine.terms import NewOrder, Refusal
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE

VERSION_MISMATCH = Refusal(400, "order_version_mismatch")
WRONG_OWNER = Refusal(400, "the order owner has to be the owner of the API KEY")
WRONG_SIGNER = Refusal(400, "the order signer address has to be the address of the API KEY")
INVALID_SIGNATURE = Refusal(400, "invalid signature")
DEPOSIT_WALLETS_ONLY = Refusal(400, "maker address not allowed, please use the deposit wallet flow")


class _TypeNumber(IntEnum):
    EOA = 0
    PROXY = 1
    SAFE = 2
    DEPOSIT_WALLET = 3


class PostedFields(msgspec.Struct, rename="camel"):
    """The signed part of a post, as it travels."""

    salt: int
    maker: str
    signer: str
    token_id: str
    maker_amount: str
    taker_amount: str
    side: Side
    signature_type: _TypeNumber
    timestamp: str
    signature: str
    expiration: str = "0"
    metadata: str = ZERO_BYTES32
    builder: str = ZERO_BYTES32


class PostedOrder(msgspec.Struct, rename="camel"):
    """The body of `POST /order`."""

    order: PostedFields
    owner: str
    order_type: TimeInForce = TimeInForce.GTC
    defer_exec: bool = False
    post_only: bool = False


class _VersionFields(msgspec.Struct, rename="camel"):
    timestamp: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    nonce: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    fee_rate_bps: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class _VersionProbe(msgspec.Struct):
    order: _VersionFields


@dataclass(frozen=True, slots=True)
class CheckedOrder:
    """An order that is what it says, signed by who may sign it."""

    order: NewOrder
    builder: str
    """Whom the order is attributed to: 32 bytes, zero for nobody."""


_decode_order = msgspec.json.Decoder(PostedOrder).decode
_decode_probe = msgspec.json.Decoder(_VersionProbe).decode
_decode_batch = msgspec.json.Decoder(list[msgspec.Raw]).decode


def split_batch(body: bytes) -> list[bytes] | Refusal:
    """Return the single orders of a batch, still encoded."""
    try:
        return [bytes(raw) for raw in _decode_batch(body)]
    except UNREADABLE:
        return INVALID_PAYLOAD


def check_order(venue: Venue, body: bytes, caller: Credentials) -> CheckedOrder | Refusal:
    """Decode one posted order and prove it.

    Args:
        venue: knows markets and wallets.
        body: JSON of one order.
        caller: whose credentials the request carries.
    """
    posted = _decode(body)
    if isinstance(posted, Refusal):
        return posted
    if posted.owner != caller.api_key:
        return WRONG_OWNER
    fields = _fields_of(posted.order)
    if isinstance(fields, Refusal):
        return fields
    market = venue.trading_of_token(fields.token_id)
    if market is None:
        return INVALID_TOKEN
    domain = exchange_for(fields.token_id, neg_risk=market.spec.neg_risk)
    refusal = _check_binding(venue, fields, caller.eoa)
    if refusal is None:
        refusal = _check_signature(fields, posted.order.signature, domain, caller.eoa)
    if refusal is not None:
        return refusal
    return _checked(posted, fields, domain)


def _decode(body: bytes) -> PostedOrder | Refusal:
    try:
        return _decode_order(body)
    except UNREADABLE:
        return VERSION_MISMATCH if _is_old_version(body) else INVALID_PAYLOAD


def _is_old_version(body: bytes) -> bool:
    # Version 1 orders had a nonce and a fee, and no time.
    try:
        order = _decode_probe(body).order
    except UNREADABLE:
        return False
    has_old = order.nonce is not msgspec.UNSET or order.fee_rate_bps is not msgspec.UNSET
    return has_old and order.timestamp is msgspec.UNSET


def _fields_of(posted: PostedFields) -> OrderFields | Refusal:
    numbers = [
        _number(text)
        for text in (posted.maker_amount, posted.taker_amount, posted.timestamp, posted.expiration)
    ]
    if any(number is None for number in numbers) or _number(posted.token_id) is None:
        return INVALID_PAYLOAD
    maker_amount, taker_amount, timestamp_ms, expiration_s = (number or 0 for number in numbers)
    try:
        maker = checksum_address(address_bytes(posted.maker))
        signer = checksum_address(address_bytes(posted.signer))
    except AddressError:
        return INVALID_PAYLOAD
    return OrderFields(
        salt=posted.salt,
        maker=maker,
        signer=signer,
        token_id=TokenId(posted.token_id),
        maker_amount=Micros(maker_amount),
        taker_amount=Micros(taker_amount),
        side=posted.side,
        signature_type=SignatureType[posted.signature_type.name],
        timestamp_ms=timestamp_ms,
        expiration_s=expiration_s,
        metadata=posted.metadata,
        builder=posted.builder,
    )


def _number(text: str) -> int | None:
    # A uint256 has at most 78 digits.
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 78 else None


def _check_binding(venue: Venue, fields: OrderFields, eoa: Address) -> Refusal | None:
    if fields.signature_type is SignatureType.DEPOSIT_WALLET:
        wallets = derive_wallets(eoa, POLYGON.wallets)
        is_theirs = fields.signer in (wallets.deposit_uups, wallets.deposit_beacon)
        # The service words an undeployed wallet the same way.
        if not is_theirs or not venue.accounts.is_deployed(fields.signer):
            return WRONG_SIGNER
        return None
    if fields.signer != eoa:
        return WRONG_SIGNER
    return DEPOSIT_WALLETS_ONLY if venue.controls.deposit_wallets_only else None


def _check_signature(
    fields: OrderFields, signature: str, domain: ExchangeDomain, eoa: Address
) -> Refusal | None:
    match verify_order(fields, signature, domain, owner=eoa):
        case None:
            return None
        case SignatureFlaw.FIELDS:
            return INVALID_PAYLOAD
        case SignatureFlaw.MAKER:
            return WRONG_SIGNER
        case _:
            return INVALID_SIGNATURE


def _checked(
    posted: PostedOrder, fields: OrderFields, domain: ExchangeDomain
) -> CheckedOrder | Refusal:
    try:
        identity = order_id(fields, domain)
    except OrderFieldsError:
        return INVALID_PAYLOAD
    order = NewOrder(
        order_id=identity,
        account=fields.maker,
        owner=ApiKey(posted.owner),
        token_id=fields.token_id,
        side=fields.side,
        maker_amount=fields.maker_amount,
        taker_amount=fields.taker_amount,
        time_in_force=posted.order_type,
        expiration_s=fields.expiration_s,
        post_only=posted.post_only,
    )
    return CheckedOrder(order, fields.builder)
