"""Events of the public market channel, as one type each.

Books keep the texts received: the venue's hash is taken over texts, not numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros


@dataclass(frozen=True, slots=True)
class TextLevel:
    """A level as received."""

    price: str
    size: str


@dataclass(frozen=True, slots=True)
class BookSnapshot:
    """A whole book, from REST or from a stream `book` event; None marks a missing field."""

    token_id: TokenId
    condition_id: ConditionId
    bids: tuple[TextLevel, ...]
    """In the order received: usually best last, but that is not guaranteed."""
    asks: tuple[TextLevel, ...]
    timestamp: str
    """Milliseconds of the book's last change, which may be minutes ago."""
    hash: str
    min_order_size: str | None = None
    tick_size: str | None = None
    neg_risk: bool | None = None
    last_trade_price: str | None = None


class LevelChange(Protocol):
    """The new absolute size of one level, as received; size zero removes it.

    Texts, because most changes are applied to a book and never displayed: converting all of them
    would cost more than decoding the message did. `book_texts` converts them to numbers, and raises
    if they are invalid.
    """

    @property
    def asset_id(self) -> str:
        """The token."""
        ...

    @property
    def side(self) -> str:
        """BUY for a bid, SELL for an ask; always upper case, even if sent otherwise."""
        ...

    @property
    def price(self) -> str:
        """Between 0 and 1."""
        ...

    @property
    def size(self) -> str:
        """Shares."""
        ...

    @property
    def hash(self) -> str:
        """Hash of this token's book after the change, or empty."""
        ...


@dataclass(frozen=True, slots=True)
class LevelText:
    """A level change constructed by hand."""

    asset_id: str
    side: str
    price: str
    size: str
    hash: str = ""


class PriceChanges:
    """Simultaneous changes; normally one per token of a market, mirrored.

    Thousands arrive per second, so the decoded message itself serves as the event; this class
    defines its attributes.
    """

    __slots__ = ()

    condition_id: ConditionId
    changes: Sequence[LevelChange]
    timestamp: str


@dataclass(frozen=True, slots=True)
class LevelTexts(PriceChanges):
    """Price changes constructed by hand."""

    condition_id: ConditionId
    changes: Sequence[LevelChange]
    timestamp: str


@dataclass(frozen=True, slots=True)
class TradePrinted:
    """A public trade; its price, with three decimals, is part of the next hash."""

    condition_id: ConditionId
    token_id: TokenId
    side: Side
    """The taker's side."""
    price: Micros
    size: Micros
    timestamp: str
    transaction_hash: str = ""


@dataclass(frozen=True, slots=True)
class TickSizeChanged:
    """The tick size changed: levels of the old grid are void."""

    condition_id: ConditionId
    token_id: TokenId
    old_tick_size: Micros
    new_tick_size: Micros
    timestamp: str


@dataclass(frozen=True, slots=True)
class BestBidAsk:
    """Top of book, as announced just before the change that causes it."""

    condition_id: ConditionId
    token_id: TokenId
    best_bid: Micros | None
    best_ask: Micros | None
    timestamp: str


@dataclass(frozen=True, slots=True)
class MarketCreated:
    """A new market somewhere on the venue. Texts are untrusted."""

    condition_id: ConditionId
    question: str
    slug: str
    token_ids: tuple[TokenId, ...]
    outcomes: tuple[str, ...]
    at: datetime | None


@dataclass(frozen=True, slots=True)
class MarketResolved:
    """A market was resolved."""

    condition_id: ConditionId
    token_ids: tuple[TokenId, ...]
    winning_token_id: TokenId | None
    winning_outcome: str
    at: datetime | None


RareMarketEvent = (
    BookSnapshot | TradePrinted | TickSizeChanged | BestBidAsk | MarketCreated | MarketResolved
)
MarketEvent = PriceChanges | RareMarketEvent
