"""Answers that are one figure at the host, as records that say what they are about."""

from dataclasses import dataclass
from datetime import datetime
from typing import NewType

from pmtui.domain.account.onboarding import is_unlimited
from pmtui.domain.ids import Address, ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, format_micros

Word = NewType("Word", str)
"""One of this program's own words, in a field where others would be a stranger's."""


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
    """The generation of orders that the host takes."""

    version: int


@dataclass(frozen=True, slots=True)
class BookLevel:
    """One level of a book."""

    price: Micros
    size: Micros


@dataclass(frozen=True, slots=True)
class Book:
    """One token's book, the best level of each side first."""

    token_id: TokenId
    condition_id: ConditionId | None
    """None where the running service's book is told and no host says its market."""
    at: datetime | None
    """Of the book's last change."""
    worth: Word
    """`verified` where the levels give the venue's hash, else `unverified` or `crossed`.

    A book of the running service also is `live`, `stale`, `overdue`, `lossy` or `tick_changed`.
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
    """None while a stream tells of an empty side."""


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """A midpoint, or a price of a history's token."""

    token_id: TokenId
    price: Micros | None
    """None while a stream tells of an empty side, like a spread."""


@dataclass(frozen=True, slots=True)
class TokenSpread:
    """Best ask minus best bid."""

    token_id: TokenId
    spread: Micros | None


@dataclass(frozen=True, slots=True)
class TokenTick:
    """The distance between two prices of a token's grid."""

    token_id: TokenId
    tick_size: Micros


@dataclass(frozen=True, slots=True)
class TokenNegRisk:
    """Which of the two exchanges a token belongs to."""

    token_id: TokenId
    neg_risk: bool


@dataclass(frozen=True, slots=True)
class TokenFee:
    """The old fee; today's is part of the market's terms."""

    token_id: TokenId
    fee_bps: int


@dataclass(frozen=True, slots=True)
class LastTradePrice:
    """The last trade of a token; without a side nothing ever traded."""

    token_id: TokenId
    price: Micros
    side: Side | None


@dataclass(frozen=True, slots=True)
class TokenMarket:
    """A token's market and its pair of tokens, the first outcome's first."""

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
    """What one contract may take."""

    spender: Address
    amount: Word
    """Dollars, or shares of the token, as an exact decimal; `unlimited` where nothing bounds it."""


def to_allowance(spender: Address, amount: int) -> Allowance:
    """Return an allowance as it is read; `amount` is in millionths, up to 2^256 - 1."""
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
    """Our part of what a market pays out now."""

    condition_id: ConditionId
    percent: Micros


@dataclass(frozen=True, slots=True)
class Deployed:
    """Whether a wallet exists, in the relayer's view."""

    wallet: Address
    is_deployed: bool


@dataclass(frozen=True, slots=True)
class WalletNonce:
    """The counter that the next batch of an owner's wallet names."""

    owner: Address
    nonce: Word


@dataclass(frozen=True, slots=True)
class RelayPayload:
    """What the older kinds of wallet sign with their calls."""

    address: Address
    nonce: Word


@dataclass(frozen=True, slots=True)
class RelayerKeyName:
    """A relayer key by its first digits: the whole of it is a secret."""

    key: Word
    address: Address
    created_at: Word
