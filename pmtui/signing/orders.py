"""Order version 2: fields, hashes, signature, request body, and the final check before sending.

Salt and timestamp are arguments: hashing and signing read no clock and draw no random number. The
order id is known before the order is sent, and the body is written from a template, so that hash and
body come from the same fields and no JSON is built twice.

The venue's checks are repeated before an order is sent: the owner is recovered from the posted fields,
so that an error anywhere becomes a bug report instead of an order. An invalid signature from someone
else is an expected result, returned as a value.
"""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import msgspec

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import OrderDraft, TimeInForce, UnsignedOrder
from pmtui.signing.contracts import (
    POLYGON_CHAIN_ID,
    ExchangeDomain,
    contracts_on,
    exchange_for,
    token_ids,
)
from pmtui.signing.eip712 import (
    AddressError,
    HexError,
    address_word,
    bytes32,
    keccak256,
    text_hash,
    type_hash,
    typed_digest,
    uint_word,
)
from pmtui.signing.signer import SIGNATURE_LENGTH, Signer, recover_address
from pmtui.signing.wallet import derive_wallets

ZERO_BYTES32 = "0x" + "00" * 32
MAX_SALT = 2**53 - 1
"""The salt is sent as a JSON number, which other readers store in a double."""

MAX_TOKEN_DIGITS = 78
"""Digits of a 256-bit number."""

ORDER_TYPE = (
    "Order(uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,"
    "uint256 takerAmount,uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,"
    "bytes32 builder)"
)
NESTED_TYPE = (
    "TypedDataSign(Order contents,string name,string version,uint256 chainId,"
    "address verifyingContract,bytes32 salt)" + ORDER_TYPE
)
WRAPPER_TAIL = ORDER_TYPE.encode() + len(ORDER_TYPE).to_bytes(2, "big")
"""The end of a deposit wallet's signature: the type of its contents, and its length."""

_ORDER_TYPE_HASH = type_hash(ORDER_TYPE)
_NESTED_TYPE_HASH = type_hash(NESTED_TYPE)
_WALLET_NAME_AND_VERSION = text_hash("DepositWallet") + text_hash("1")
_NO_SALT = bytes(32)
_WRAPPER_TAIL_DIGITS = WRAPPER_TAIL.hex()

# Bound once: on Python 3.11 accessing or hashing an enum member costs as much as a small hash.
_BUY = Side.BUY
_SELL = Side.SELL
_DEPOSIT = SignatureType.DEPOSIT_WALLET
_EOA = SignatureType.EOA
_OLDER_WALLETS = (SignatureType.PROXY, SignatureType.SAFE)
_WORDS_OF_AN_ORDER = struct.Struct(">32s24xQ96s24xQ24xQ64s24xQ64s")
"""An order's own numbers take 64 of the 256 bits; none of them can need more."""
_WORDS = [[uint_word(side) + uint_word(kind) for kind in range(4)] for side in range(2)]
"""Side and signature type as two encoded words."""


class OrderFieldsError(ValueError):
    """Fields that are invalid in any order, or that this signer may not sign."""


class OrderFields(msgspec.Struct, frozen=True, gc=False):
    """All fields of an order. A msgspec struct, because creating one is on the critical path."""

    salt: int
    """Random, at most `MAX_SALT`."""
    maker: Address
    """The payer: the owner, or a wallet derived from it."""
    signer: Address
    """The owner; for a deposit wallet, the wallet itself."""
    token_id: TokenId
    maker_amount: Micros
    taker_amount: Micros
    side: Side
    signature_type: SignatureType
    timestamp_ms: int
    expiration_s: int = 0
    """Unix seconds; posted but not signed. Zero means none."""
    metadata: str = ZERO_BYTES32
    builder: str = ZERO_BYTES32
    """The builder code to credit; zero credits nobody."""


class OrderHashes(msgspec.Struct, frozen=True, gc=False):
    """The hashes that are signed for an order, in one envelope or another."""

    contents: bytes
    """The EIP-712 hash of the fields."""
    digest: bytes
    """The same hash bound to an exchange."""

    @property
    def order_id(self) -> OrderId:
        """The order id at the venue, whatever the signature type."""
        return OrderId("0x" + self.digest.hex())


class SignedOrder(msgspec.Struct, frozen=True, gc=False):
    """An order that is ready to be sent."""

    hashes: OrderHashes
    signature: str
    """0x and 130 hexadecimal digits, or 634 for a deposit wallet."""
    fields: OrderFields

    @property
    def order_id(self) -> OrderId:
        """The order id at the venue."""
        return self.hashes.order_id


def order_struct_hash(fields: OrderFields) -> bytes:
    """Return the EIP-712 hash of an order's fields.

    Raises:
        OrderFieldsError: a field cannot be encoded: an invalid address, an invalid number, or out
            of range.
    """
    if not 0 <= fields.salt <= MAX_SALT:
        raise OrderFieldsError("salt outside 0 and 2^53 - 1")
    try:
        parties, tail = _fixed_words(
            fields.maker, fields.signer, fields.token_id, fields.metadata, fields.builder
        )
        return keccak256(
            _WORDS_OF_AN_ORDER.pack(
                _ORDER_TYPE_HASH,
                fields.salt,
                parties,
                fields.maker_amount,
                fields.taker_amount,
                _choice_words(fields.side, fields.signature_type),
                fields.timestamp_ms,
                tail,
            )
        )
    except (struct.error, OverflowError, AddressError, HexError) as error:
        raise OrderFieldsError(str(error)) from error


def nested_struct_hash(fields: OrderFields, contents_hash: bytes, domain: ExchangeDomain) -> bytes:
    """Return the hash of the ERC-7739 envelope that a deposit wallet's owner signs."""
    tail = _wallet_words(domain.chain_id, fields.signer)
    return keccak256(_NESTED_TYPE_HASH + contents_hash + tail)


def hash_order(fields: OrderFields, domain: ExchangeDomain) -> OrderHashes:
    """Hash an order once, for its id and for its signature.

    Raises:
        OrderFieldsError: a field cannot be encoded.
    """
    contents = order_struct_hash(fields)
    return OrderHashes(contents, typed_digest(domain.separator, contents))


def order_id(fields: OrderFields, domain: ExchangeDomain) -> OrderId:
    """Return the order id at the venue; raises as `hash_order` does."""
    return hash_order(fields, domain).order_id


def sign_hashed(
    fields: OrderFields, hashes: OrderHashes, signer: Signer, *, domain: ExchangeDomain
) -> SignedOrder:
    """Sign an order that is already hashed.

    Args:
        fields: the fields to send. The hashes are not checked against them here: `verify_order`
            does that.
        hashes: of the fields.
        signer: the owner's key.
        domain: of the exchange.

    Raises:
        OrderFieldsError: the addresses contradict the signature type: the venue would refuse such
            an order after it was sent.
    """
    contents = hashes.contents
    if fields.signature_type is _DEPOSIT:
        if fields.maker != fields.signer:
            raise OrderFieldsError("a deposit wallet is both maker and signer")
        envelope = nested_struct_hash(fields, contents, domain)
        inner = signer.sign_digest(typed_digest(domain.separator, envelope))
        wrapped = (inner + domain.separator + contents).hex()
        signature = f"0x{wrapped}{_WRAPPER_TAIL_DIGITS}"
    else:
        _check_addresses(fields, signer)
        signature = f"0x{signer.sign_digest(hashes.digest).hex()}"
    return SignedOrder(hashes, signature, fields)


def encode_post(
    signed: SignedOrder,
    *,
    owner: ApiKey,
    order_type: TimeInForce,
    post_only: bool = False,
    defer_exec: bool = False,
) -> bytes:
    """Return the body of `POST /order`: compact JSON in the key order of the Python library.

    Args:
        signed: the order.
        owner: API key of the caller.
        order_type: the time in force.
        post_only: whether the venue must refuse it rather than let it take.
        defer_exec: whether to ask the venue to execute it later.

    Raises:
        OrderFieldsError: the owner would need escaping in JSON.
    """
    _check_owner(owner)
    fields = signed.fields
    # With !s, because formatting an enum member takes three times as long.
    return (
        f'{{"order":{{"salt":{fields.salt},"maker":"{fields.maker}","signer":"{fields.signer}"'
        f',"tokenId":"{fields.token_id}","makerAmount":"{fields.maker_amount}"'
        f',"takerAmount":"{fields.taker_amount}","side":"{fields.side!s}"'
        f',"expiration":"{fields.expiration_s}"'
        f',"signatureType":{_type_number(fields.signature_type)}'
        f',"timestamp":"{fields.timestamp_ms}","metadata":"{fields.metadata}"'
        f',"builder":"{fields.builder}","signature":"{signed.signature}"}}'
        f',"owner":"{owner}","orderType":"{order_type!s}"'
        f',"deferExec":{"true" if defer_exec else "false"}'
        f',"postOnly":{"true" if post_only else "false"}}}'
    ).encode()


def encode_batch(bodies: Sequence[bytes]) -> bytes:
    """Return the body of `POST /orders` from the bodies of single orders."""
    return b"[" + b",".join(bodies) + b"]"


def _check_addresses(fields: OrderFields, signer: Signer) -> None:
    if fields.signer != signer.address:
        raise OrderFieldsError("the order names another signer")
    if fields.signature_type is _EOA and fields.maker != fields.signer:
        raise OrderFieldsError("an owner's own order is paid by the owner")


def _choice_words(side: Side, kind: SignatureType) -> bytes:
    if side is _BUY:
        words = _WORDS[0]
    elif side is _SELL:
        words = _WORDS[1]
    else:
        raise OrderFieldsError(f"not a side: {side!r}")
    return words[3] if kind is _DEPOSIT else words[_type_number(kind)]


def _type_number(kind: SignatureType) -> int:
    if kind is _DEPOSIT:
        return 3
    if kind is _EOA:
        return 0
    if kind not in _OLDER_WALLETS:
        raise OrderFieldsError(f"not a signature type: {kind!r}")
    return kind.number


@lru_cache(maxsize=64)
def _check_owner(owner: ApiKey) -> None:
    if not owner.isascii() or '"' in owner or "\\" in owner or not owner.isprintable():
        raise OrderFieldsError("an API key is plain text")


@lru_cache(maxsize=64)
def _wallet_words(chain_id: int, wallet: Address) -> bytes:
    """Return the end of a deposit wallet's envelope: its own domain, whose salt is zero."""
    return _WALLET_NAME_AND_VERSION + uint_word(chain_id) + address_word(wallet) + _NO_SALT


@lru_cache(maxsize=4096)
def _fixed_words(
    maker: Address, signer: Address, token_id: TokenId, metadata: str, builder: str
) -> tuple[bytes, bytes]:
    """Return the words shared by orders for one token: the parties and the token, and the end."""
    # Decimal digits only: int() accepts signs, spaces, underscores and non-ASCII digits.
    if not (token_id.isascii() and token_id.isdigit() and len(token_id) <= MAX_TOKEN_DIGITS):
        raise OrderFieldsError(f"not a token id: {token_id[:80]!r}")
    parties = address_word(maker) + address_word(signer) + uint_word(int(token_id))
    return parties, bytes32(metadata) + bytes32(builder)


WRAPPED_LENGTH = SIGNATURE_LENGTH + 64 + len(WRAPPER_TAIL)


class SignatureFlaw(StrEnum):
    """Why a signature is not valid for an order."""

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
    """The owner's signature, 65 bytes."""
    app_separator: bytes
    contents_hash: bytes
    tail: bytes
    """The type string and its length."""


def split_wrapper(signature: bytes) -> WrappedSignature | None:
    """Split a deposit wallet's signature into its parts, or return None if the length is wrong."""
    if len(signature) != WRAPPED_LENGTH:
        return None
    return WrappedSignature(signature[:65], signature[65:97], signature[97:129], signature[129:])


def recover_owner(
    fields: OrderFields, signature: str, domain: ExchangeDomain
) -> Address | SignatureFlaw:
    """Return the account whose key signed an order, or the flaw in the signature.

    Args:
        fields: as posted.
        signature: as posted, in hexadecimal with 0x.
        domain: of the order's exchange.
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
        domain: of the order's exchange.
        owner: the account that is logged in, or whose key we have; checksummed.

    Returns:
        None if everything is valid.
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
    # fromhex skips spaces, which never occur in a signature on the wire.
    return raw if len(signature) == 2 + 2 * len(raw) else b""


class SignatureMismatchError(RuntimeError):
    """Our own signature does not recover to the owner: this is a bug, and nothing is sent."""


class WalletSigner:
    """Signs orders for one wallet of one owner."""

    def __init__(
        self,
        signer: Signer,
        *,
        maker: Address,
        signature_type: SignatureType,
        api_key: ApiKey,
        now_ms: Callable[[], int],
        draw_bits: Callable[[int], int],
        chain_id: int = POLYGON_CHAIN_ID,
        builder: str = ZERO_BYTES32,
    ) -> None:
        """Bind a key to the wallet that pays.

        Args:
            signer: the owner's key.
            maker: the wallet that pays and receives.
            signature_type: the type of that wallet.
            api_key: API key that owns the posted orders.
            now_ms: returns the venue's time in milliseconds.
            draw_bits: like `random.SystemRandom().getrandbits`.
            chain_id: the chain of the exchange.
            builder: the bytes32 builder code to credit.
        """
        self._signer = signer
        self._maker = maker
        self._signature_type = signature_type
        self._api_key = api_key
        self._now_ms = now_ms
        self._draw_bits = draw_bits
        self._chain_id = chain_id
        self._builder = builder

    @property
    def owner(self) -> Address:
        """The key's own address."""
        return self._signer.address

    @property
    def maker(self) -> Address:
        """The wallet that pays and receives."""
        return self._maker

    def tokens_of(self, condition_id: ConditionId, *, neg_risk: bool) -> tuple[TokenId, ...] | None:
        """Return the tokens of a condition; empty for an invalid condition id, None on the test chain."""
        if self._chain_id != POLYGON_CHAIN_ID:
            return None
        try:
            return token_ids(condition_id, neg_risk=neg_risk)
        except HexError:
            return ()

    def prepare(self, draft: OrderDraft) -> UnsignedOrder:
        """Fix the salt, timestamp and amounts of an order, and thereby its id."""
        domain = self._domain(draft)
        fields = self._fields(
            draft, salt=self._draw_bits(MAX_SALT.bit_length()), timestamp_ms=self._now_ms()
        )
        hashes = hash_order(fields, domain)
        return UnsignedOrder(
            draft=draft,
            order_id=hashes.order_id,
            contents_hash=hashes.contents,
            salt=fields.salt,
            maker=fields.maker,
            signer=fields.signer,
            signature_type=self._signature_type.number,
            timestamp_ms=fields.timestamp_ms,
            metadata=fields.metadata,
            builder=fields.builder,
            exchange=domain.contract,
            chain_id=domain.chain_id,
        )

    def sign(self, order: UnsignedOrder) -> bytes:
        """Return the body to post.

        Raises:
            SignatureMismatchError: the signature does not prove the owner, or the id changed.
        """
        draft = order.draft
        domain = self._domain(draft)
        fields = self._fields(draft, salt=order.salt, timestamp_ms=order.timestamp_ms)
        # Not hashed again when sending: the check below does that, from the posted fields.
        hashes = OrderHashes(order.contents_hash, bytes32(order.order_id))
        signed = sign_hashed(fields, hashes, self._signer, domain=domain)
        flaw = verify_order(fields, signed.signature, domain, owner=self._signer.address)
        if flaw is not None or typed_digest(domain.separator, hashes.contents) != hashes.digest:
            raise SignatureMismatchError(f"the signed order is not the prepared one: {flaw}")
        return encode_post(
            signed,
            owner=self._api_key,
            order_type=TimeInForce(draft.time_in_force),
            post_only=draft.is_post_only,
        )

    def _domain(self, draft: OrderDraft) -> ExchangeDomain:
        return exchange_for(draft.token_id, neg_risk=draft.neg_risk, chain_id=self._chain_id)

    def _fields(self, draft: OrderDraft, *, salt: int, timestamp_ms: int) -> OrderFields:
        is_wallet = self._signature_type is SignatureType.DEPOSIT_WALLET
        return OrderFields(
            salt=salt,
            maker=self._maker,
            signer=self._maker if is_wallet else self._signer.address,
            token_id=draft.token_id,
            maker_amount=Micros(draft.maker_amount),
            taker_amount=Micros(draft.taker_amount),
            side=Side.BUY if draft.is_buy else Side.SELL,
            signature_type=self._signature_type,
            timestamp_ms=timestamp_ms,
            expiration_s=draft.expiration_s,
            builder=self._builder,
        )
