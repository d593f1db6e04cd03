"""The fields of an order as they are hashed and posted, before a signature exists."""

from dataclasses import dataclass

from pmtui.domain.ids import Address, OrderId, TokenId


@dataclass(frozen=True, slots=True)
class OrderDraft:
    """What is to be signed, in trading words and integer amounts."""

    token_id: TokenId
    is_buy: bool
    maker_amount: int
    taker_amount: int
    neg_risk: bool
    time_in_force: str
    is_post_only: bool
    expiration_s: int
    """Unix seconds; 0 for none."""


@dataclass(frozen=True, slots=True)
class UnsignedOrder:
    """The very fields that are hashed, and those that travel beside them."""

    draft: OrderDraft
    order_id: OrderId
    contents_hash: bytes
    """Of the fields alone (EIP-712), kept so that signing need not hash them again."""
    salt: int
    maker: Address
    signer: Address
    signature_type: int
    timestamp_ms: int
    metadata: str
    builder: str
    exchange: Address
    chain_id: int
