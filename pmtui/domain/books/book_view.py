"""What everyone but the book itself sees of an order book: an immutable picture with its worth."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pmtui.domain.ids import TokenId
from pmtui.domain.money import Micros, complement


@dataclass(frozen=True, slots=True)
class Level:
    """All resting size at one price."""

    price: Micros
    size: Micros


class BookState(StrEnum):
    """Whether a book may be traded from. Only LIVE and VERIFIED are good."""

    LOADING = "loading"
    """No snapshot yet."""
    LIVE = "live"
    """Fed by the stream; its hash not confirmed lately."""
    VERIFIED = "verified"
    """The hash over our own levels equals the one the venue sent."""
    STALE = "stale"
    """The stream is down or silent; the levels are old."""
    OVERDUE = "overdue"
    """The stream is up and has not sent this book, or nothing of it; what REST told may be old."""
    CROSSED = "crossed"
    """A bid at or above an ask: something was missed."""
    LOSSY = "lossy"
    """Hashes disagree for longer than reordering explains."""
    REGRIDDING = "regridding"
    """The tick size changed; waiting for levels on the new grid."""
    NO_BOOK = "no book"
    """The venue has no book for this token."""

    @property
    def is_good(self) -> bool:
        """Whether prices may be taken from it without saying so."""
        return self in (BookState.LIVE, BookState.VERIFIED)


@dataclass(frozen=True, slots=True)
class BookView:
    """Both sides of one token's book, best level first."""

    token_id: TokenId
    state: BookState
    bids: tuple[Level, ...] = ()
    asks: tuple[Level, ...] = ()
    tick_size: Micros | None = None
    last_trade_price: Micros | None = None
    as_of: datetime | None = None
    """When we last heard of this book, not the venue's time stamp: that one may be minutes old."""
    version: int = 0
    """Grows with every change."""
    own_last: Micros | None = None
    """The last trade's price as this token's own, where a trade told whose it was."""

    @property
    def best_bid(self) -> Micros | None:
        """Highest price somebody pays."""
        return self.bids[0].price if self.bids else None

    @property
    def best_ask(self) -> Micros | None:
        """Lowest price somebody asks."""
        return self.asks[0].price if self.asks else None

    @property
    def midpoint(self) -> Micros | None:
        """Halfway between the two; None with a side empty. May fall between ticks."""
        if not self.bids or not self.asks:
            return None
        return Micros((self.bids[0].price + self.asks[0].price) // 2)

    @property
    def spread(self) -> Micros | None:
        """Best ask minus best bid."""
        if not self.bids or not self.asks:
            return None
        return Micros(self.asks[0].price - self.bids[0].price)

    @property
    def own_last_price(self) -> Micros | None:
        """The last trade's price as this token's own.

        The venue states one price for both tokens of a market, in terms of the token that was
        taken. Where no trade told which, of the price and its complement the one nearer to the
        midpoint is taken for ours.
        """
        if self.own_last is not None:
            return self.own_last
        last, mid = self.last_trade_price, self.midpoint
        if last is None or mid is None:
            return last
        return min(last, complement(last), key=lambda price: abs(price - mid))
