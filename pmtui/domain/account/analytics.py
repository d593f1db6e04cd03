"""Figures from the analytics host: trades, leaderboards, volumes, open interest, resolutions, approvals.

The figures lag and are rounded to six decimals: they are for display, never for signing.
"""

from dataclasses import dataclass
from datetime import datetime

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import Micros


@dataclass(frozen=True, slots=True)
class PublicTrade:
    """One side of a trade, or a trade from the stream, which names no wallet. Texts are untrusted."""

    at: datetime
    condition_id: ConditionId | None
    token_id: TokenId | None
    side: str
    price: Micros
    size: Micros
    title: str = ""
    outcome: str = ""
    wallet: str = ""
    name: str = ""
    transaction_hash: str = ""


@dataclass(frozen=True, slots=True)
class WalletValue:
    """The value of a wallet's positions."""

    wallet: str
    value: Micros


@dataclass(frozen=True, slots=True)
class TradedCount:
    """The number of markets in which a wallet has traded."""

    wallet: str
    markets: int


@dataclass(frozen=True, slots=True)
class OpenInterest:
    """Dollars locked in a market; `GLOBAL` stands for all markets."""

    condition_id: str
    value: Micros


@dataclass(frozen=True, slots=True)
class MarketVolume:
    """Dollars traded in a market of an event."""

    condition_id: str
    volume: Micros


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """A row of the leaderboard. The name is untrusted."""

    rank: int | None
    wallet: str
    name: str
    profit: Micros | None
    volume: Micros | None
    """Dollars in the older dialect, shares in the newer one."""


@dataclass(frozen=True, slots=True)
class Winner:
    """One of the largest gains of a period. Texts are untrusted."""

    rank: int | None
    wallet: str
    name: str
    profit: Micros | None
    title: str
    event_slug: str


@dataclass(frozen=True, slots=True)
class WalletStats:
    """Totals of a wallet's whole history."""

    wallet: str
    trades: int | None
    biggest_win: Micros | None
    profit: Micros | None
    joined_at: datetime | None


@dataclass(frozen=True, slots=True)
class WalletVolume:
    """A wallet's volume in a period."""

    shares: Micros | None
    cash: Micros | None
    trades: int | None


@dataclass(frozen=True, slots=True)
class ProfitPoint:
    """A wallet's cumulative profit at a moment."""

    at: datetime
    profit: Micros


@dataclass(frozen=True, slots=True)
class MarketPosition:
    """A wallet's current or former position in a market. The name is untrusted."""

    wallet: str
    name: str
    token_id: TokenId | None
    outcome: str
    size: Micros | None
    average_price: Micros | None
    current_price: Micros | None
    current_value: Micros | None
    realized: Micros | None
    profit: Micros | None


@dataclass(frozen=True, slots=True)
class TokenReference:
    """The market and outcome of a token, and its payout once known. Texts are untrusted."""

    token_id: TokenId | None
    condition_id: ConditionId | None
    outcome: str
    outcome_index: int | None
    opposite_token_id: TokenId | None
    title: str
    slug: str
    event_slug: str
    closed: bool
    resolved: bool
    final_price: Micros | None
    neg_risk: bool


@dataclass(frozen=True, slots=True)
class Resolution:
    """The resolution status of a market."""

    condition_id: ConditionId | None
    question_id: str
    status: str
    was_disputed: bool
    price: Micros | None
    proposed_price: Micros | None
    resolved_at: datetime | None
    updated_at: datetime | None
    source: str
    reporter: str


@dataclass(frozen=True, slots=True)
class Approval:
    """Whether a wallet allows a contract to move a token."""

    token: str
    spender: str
    standard: str
    is_approved: bool
    amount: str
    """Base units, or `max`; empty if the approval has no amount."""
