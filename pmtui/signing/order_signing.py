"""Order version 2: from its fields to the bytes that are posted, with one native signature.

Salt and timestamp are arguments: nothing here reads a clock or draws a number. The order id is
known before the order leaves, and the body is written from a template, so that what was hashed
and what is sent come from the same fields and no JSON is built twice.
"""

import struct
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import Address, ApiKey, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TimeInForce
from pmtui.signing.addresses import AddressError, HexError, address_word, bytes32
from pmtui.signing.exchange import ExchangeDomain
from pmtui.signing.keccak import keccak256
from pmtui.signing.signer import Signer
from pmtui.signing.typed_data import text_hash, type_hash, typed_digest, uint_word

ZERO_BYTES32 = "0x" + "00" * 32
MAX_SALT = 2**53 - 1
"""Salt travels as a JSON number, which other readers hold in a double."""

MAX_TOKEN_DIGITS = 78
"""Of a number of 256 bits."""

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
"""What ends the signature of a deposit wallet: the type of its contents, and its length."""

_ORDER_TYPE_HASH = type_hash(ORDER_TYPE)
_NESTED_TYPE_HASH = type_hash(NESTED_TYPE)
_WALLET_NAME_AND_VERSION = text_hash("DepositWallet") + text_hash("1")
_NO_SALT = bytes(32)
_WRAPPER_TAIL_DIGITS = WRAPPER_TAIL.hex()

# Bound once: on Python 3.11 naming or hashing a member of an enum costs as much as a small hash.
_BUY = Side.BUY
_SELL = Side.SELL
_DEPOSIT = SignatureType.DEPOSIT_WALLET
_EOA = SignatureType.EOA
_OLDER_WALLETS = (SignatureType.PROXY, SignatureType.SAFE)
_WORDS_OF_AN_ORDER = struct.Struct(">32s24xQ96s24xQ24xQ64s24xQ64s")
"""Its own numbers take 64 of the 256 bits; none of them can need more."""
_WORDS = [[uint_word(side) + uint_word(kind) for kind in range(4)] for side in range(2)]
"""Side and signature type as two words."""


class OrderFieldsError(ValueError):
    """Fields that no order can carry, or that this signer may not sign."""


class OrderFields(msgspec.Struct, frozen=True, gc=False):
    """Everything an order says. A msgspec struct, because making one is on the way to the wire."""

    salt: int
    """Random, at most `MAX_SALT`."""
    maker: Address
    """Who pays: the owner, or the wallet derived from it."""
    signer: Address
    """The owner; for a deposit wallet the wallet itself."""
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
    """The builder code that is credited; zero means nobody."""


class OrderHashes(msgspec.Struct, frozen=True, gc=False):
    """What is signed for an order, in one envelope or another."""

    contents: bytes
    """The EIP-712 hash of the fields."""
    digest: bytes
    """The same, tied to an exchange."""

    @property
    def order_id(self) -> OrderId:
        """The id the service will know the order by, whatever the signature type."""
        return OrderId("0x" + self.digest.hex())


class SignedOrder(msgspec.Struct, frozen=True, gc=False):
    """An order that is ready to travel."""

    hashes: OrderHashes
    signature: str
    """0x and 130 hexadecimal digits, or 634 for a deposit wallet."""
    fields: OrderFields

    @property
    def order_id(self) -> OrderId:
        """The id the service will know the order by."""
        return self.hashes.order_id


def order_struct_hash(fields: OrderFields) -> bytes:
    """Return the EIP-712 hash of an order's fields.

    Raises:
        OrderFieldsError: a field that cannot be encoded: no address, no number, out of range.
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
    """Return the hash of the ERC-7739 envelope that the owner of a deposit wallet signs."""
    tail = _wallet_words(domain.chain_id, fields.signer)
    return keccak256(_NESTED_TYPE_HASH + contents_hash + tail)


def hash_order(fields: OrderFields, domain: ExchangeDomain) -> OrderHashes:
    """Hash an order once, for its id and for its signature.

    Raises:
        OrderFieldsError: a field that cannot be encoded.
    """
    contents = order_struct_hash(fields)
    return OrderHashes(contents, typed_digest(domain.separator, contents))


def order_id(fields: OrderFields, domain: ExchangeDomain) -> OrderId:
    """Return the id the service will know an order by; raises as `hash_order` does."""
    return hash_order(fields, domain).order_id


def sign_order(fields: OrderFields, signer: Signer, domain: ExchangeDomain) -> SignedOrder:
    """Hash and sign an order for an exchange; raises as `hash_order` and `sign_hashed` do."""
    return sign_hashed(fields, hash_order(fields, domain), signer, domain=domain)


def sign_hashed(
    fields: OrderFields, hashes: OrderHashes, signer: Signer, *, domain: ExchangeDomain
) -> SignedOrder:
    """Sign an order that is hashed already.

    Args:
        fields: what travels. Nothing here proves that the hashes are theirs: `verify_order` does.
        hashes: of the fields.
        signer: the owner's key.
        domain: of the exchange.

    Raises:
        OrderFieldsError: addresses that contradict the signature type: the venue would refuse
            such an order after it has left.
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
    """Write the body of `POST /order`: compact JSON in the key order of the Python library.

    Args:
        signed: the order.
        owner: API key of the caller.
        order_type: how long the order lives.
        post_only: refuse it rather than let it take.
        defer_exec: ask the venue to execute it later.

    Raises:
        OrderFieldsError: an owner that would not survive in JSON unescaped.
    """
    _check_owner(owner)
    fields = signed.fields
    # With !s, because formatting a member of an enum takes three times as long.
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
    """Write the body of `POST /orders` from the bodies of single orders."""
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
    """Return what ends the envelope of a deposit wallet: its own domain, whose salt is zero."""
    return _WALLET_NAME_AND_VERSION + uint_word(chain_id) + address_word(wallet) + _NO_SALT


@lru_cache(maxsize=4096)
def _fixed_words(
    maker: Address, signer: Address, token_id: TokenId, metadata: str, builder: str
) -> tuple[bytes, bytes]:
    """Return the words that orders for one token share: the parties and the token, and the end."""
    # Decimal digits only: int() would take signs, spaces, underscores and foreign digits.
    if not (token_id.isascii() and token_id.isdigit() and len(token_id) <= MAX_TOKEN_DIGITS):
        raise OrderFieldsError(f"not a token id: {token_id[:80]!r}")
    parties = address_word(maker) + address_word(signer) + uint_word(int(token_id))
    return parties, bytes32(metadata) + bytes32(builder)
