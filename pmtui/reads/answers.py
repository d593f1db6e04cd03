"""Answers that are a single figure at the host, as records that say what they are about."""

from dataclasses import dataclass
from datetime import datetime
from typing import NewType

from pmtui.domain.account.onboarding import is_unlimited
from pmtui.domain.ids import Address, ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, format_micros

Word = NewType("Word", str)
"""A word of this program, in a field where other texts would be untrusted."""


@dataclass(frozen=True, slots=True)
class Reachable:
    """A host answered."""

    is_reachable: bool


@dataclass(frozen=True, slots=True)
class ServerTime:
    """The host's clock."""

    at: datetime


@dataclass(frozen=True, slots=True)
class OrderVersion:
    """The version of orders that the host accepts."""

    version: int


@dataclass(frozen=True, slots=True)
class BookLevel:
    """One price level of a book."""

    price: Micros
    size: Micros


@dataclass(frozen=True, slots=True)
class Book:
    """One token's book; each side begins with its best level."""

    token_id: TokenId
    condition_id: ConditionId | None
    """None if the book comes from the running service and no host names its market."""
    at: datetime | None
    """Time of the book's last change."""
    worth: Word
    """`verified` if the levels match the venue's hash, else `unverified` or `crossed`.

    A book of the running service can also be `live`, `stale`, `overdue`, `lossy` or `tick_changed`.
    """
    tick_size: Micros | None
    min_order_size: Micros | None
    neg_risk: bool | None
    last_trade_price: Micros | None
    hash: Word
    bids: tuple[BookLevel, ...]
    asks: tuple[BookLevel, ...]


@dataclass(frozen=True, slots=True)
class BestPrice:
    """The best bid for BUY, the best ask for SELL."""

    token_id: TokenId
    side: Side
    price: Micros | None
    """None while a stream reports an empty side."""


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """A midpoint, or a price of the token in a price history."""

    token_id: TokenId
    price: Micros | None
    """None while a stream reports an empty side, as for a spread."""


@dataclass(frozen=True, slots=True)
class TokenSpread:
    """Best ask minus best bid."""

    token_id: TokenId
    spread: Micros | None


@dataclass(frozen=True, slots=True)
class TokenTick:
    """Tick size of a token: the distance between two prices on its grid."""

    token_id: TokenId
    tick_size: Micros


@dataclass(frozen=True, slots=True)
class TokenNegRisk:
    """Whether a token trades on the negative-risk exchange."""

    token_id: TokenId
    neg_risk: bool


@dataclass(frozen=True, slots=True)
class TokenFee:
    """The old fee rate; the current one is part of the market's terms."""

    token_id: TokenId
    fee_bps: int


@dataclass(frozen=True, slots=True)
class LastTradePrice:
    """The last trade of a token; no side means that nothing has traded."""

    token_id: TokenId
    price: Micros
    side: Side | None


@dataclass(frozen=True, slots=True)
class TokenMarket:
    """A token's market and its two tokens, the first outcome's first."""

    condition_id: ConditionId
    token_ids: tuple[TokenId, ...]


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """The price of a token at a moment."""

    token_id: TokenId
    at: datetime
    price: Micros


@dataclass(frozen=True, slots=True)
class KeyName:
    """The public name of an API key."""

    api_key: Word


@dataclass(frozen=True, slots=True)
class ClosedOnly:
    """Whether the account may only close positions."""

    is_closed_only: bool


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one contract may spend."""

    spender: Address
    amount: Word
    """Dollars, or shares of the token, as an exact decimal; `unlimited` if there is no limit."""


def to_allowance(spender: Address, amount: int) -> Allowance:
    """Return an allowance as a record; `amount` is in millionths, up to 2^256 - 1."""
    text = "unlimited" if is_unlimited(amount) else format_micros(Micros(amount))
    return Allowance(spender, Word(text))


@dataclass(frozen=True, slots=True)
class Balance:
    """Cash, or shares of a token."""

    token_id: TokenId | None
    balance: Micros
    allowances: tuple[Allowance, ...]


@dataclass(frozen=True, slots=True)
class Scoring:
    """Whether an order earns rewards now."""

    order_id: OrderId
    is_scoring: bool


@dataclass(frozen=True, slots=True)
class RewardPercentage:
    """Our share of what a market pays out now."""

    condition_id: ConditionId
    percent: Micros


@dataclass(frozen=True, slots=True)
class Deployed:
    """Whether a wallet is deployed, according to the relayer."""

    wallet: Address
    is_deployed: bool


@dataclass(frozen=True, slots=True)
class WalletNonce:
    """The nonce that the next batch of an owner's wallet must use."""

    owner: Address
    nonce: Word


@dataclass(frozen=True, slots=True)
class RelayPayload:
    """What the older kinds of wallet sign with their calls."""

    address: Address
    nonce: Word


@dataclass(frozen=True, slots=True)
class RelayerKeyName:
    """A relayer key by its first digits; the whole key is a secret."""

    key: Word
    address: Address
    created_at: Word
