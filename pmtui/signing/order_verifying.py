"""What the venue checks of a signed order, and what we check once more before one leaves.

A flawed signature is an expected result and comes back as a value; nothing here raises for what
somebody else may have sent.
"""

from dataclasses import dataclass
from enum import StrEnum

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import Address
from pmtui.signing.contracts import contracts_on
from pmtui.signing.exchange import ExchangeDomain
from pmtui.signing.order_signing import (
    WRAPPER_TAIL,
    OrderFields,
    OrderFieldsError,
    nested_struct_hash,
    order_struct_hash,
)
from pmtui.signing.signer import SIGNATURE_LENGTH, recover_address
from pmtui.signing.typed_data import typed_digest
from pmtui.signing.wallet import derive_wallets

WRAPPED_LENGTH = SIGNATURE_LENGTH + 64 + len(WRAPPER_TAIL)


class SignatureFlaw(StrEnum):
    """Why a signature does not stand for an order."""

    FIELDS = "a field of the order cannot be encoded"
    LENGTH = "the signature has the wrong length"
    TYPE_STRING = "the signature wraps another type"
    APP_DOMAIN = "the signature was made for another exchange"
    CONTENTS = "the signature was made for another order"
    NOT_A_SIGNATURE = "the signature recovers to no account"
    SIGNER = "the order was signed by somebody else"
    MAKER = "the maker does not belong to the signer"


@dataclass(frozen=True, slots=True)
class WrappedSignature:
    """The parts of a deposit wallet's signature (ERC-7739)."""

    inner: bytes
    """What the owner signed, 65 bytes."""
    app_separator: bytes
    contents_hash: bytes
    tail: bytes
    """The type string and its length."""


def split_wrapper(signature: bytes) -> WrappedSignature | None:
    """Take a deposit wallet's signature apart, or None where its length is not that of one."""
    if len(signature) != WRAPPED_LENGTH:
        return None
    return WrappedSignature(signature[:65], signature[65:97], signature[97:129], signature[129:])


def recover_owner(
    fields: OrderFields, signature: str, domain: ExchangeDomain
) -> Address | SignatureFlaw:
    """Return the account whose key signed an order, or what is wrong with the signature.

    Args:
        fields: as posted.
        signature: as posted, in hexadecimal with 0x.
        domain: of the exchange the order is for.
    """
    try:
        contents = order_struct_hash(fields)
    except OrderFieldsError:
        return SignatureFlaw.FIELDS
    raw = _signature_bytes(signature)
    if fields.signature_type is not SignatureType.DEPOSIT_WALLET:
        if len(raw) != SIGNATURE_LENGTH:
            return SignatureFlaw.LENGTH
        digest = typed_digest(domain.separator, contents)
        return recover_address(digest, raw) or SignatureFlaw.NOT_A_SIGNATURE
    wrapped = split_wrapper(raw)
    if wrapped is None:
        return SignatureFlaw.LENGTH
    if wrapped.tail != WRAPPER_TAIL:
        return SignatureFlaw.TYPE_STRING
    if wrapped.app_separator != domain.separator:
        return SignatureFlaw.APP_DOMAIN
    if wrapped.contents_hash != contents:
        return SignatureFlaw.CONTENTS
    digest = typed_digest(domain.separator, nested_struct_hash(fields, contents, domain))
    return recover_address(digest, wrapped.inner) or SignatureFlaw.NOT_A_SIGNATURE


def verify_order(
    fields: OrderFields, signature: str, domain: ExchangeDomain, *, owner: Address
) -> SignatureFlaw | None:
    """Check that `owner` signed an order and may pay for it, as the exchange contract would.

    Args:
        fields: as posted.
        signature: as posted, in hexadecimal with 0x.
        domain: of the exchange the order is for.
        owner: the account that is logged in, or whose key we hold; checksummed.

    Returns:
        None where everything fits.
    """
    recovered = recover_owner(fields, signature, domain)
    if isinstance(recovered, SignatureFlaw):
        return recovered
    is_deposit = fields.signature_type is SignatureType.DEPOSIT_WALLET
    named = fields.maker if is_deposit else owner
    if recovered != owner or fields.signer.lower() != named.lower():
        return SignatureFlaw.SIGNER
    wallets = derive_wallets(owner, contracts_on(domain.chain_id).wallets)
    if wallets.signature_type(fields.maker) is not fields.signature_type:
        return SignatureFlaw.MAKER
    return None


def _signature_bytes(signature: str) -> bytes:
    try:
        raw = bytes.fromhex(signature.removeprefix("0x"))
    except ValueError:
        return b""
    # fromhex skips spaces, which no signature on the wire has.
    return raw if len(signature) == 2 + 2 * len(raw) else b""
