"""Order books as answers of reads: levels as numbers, best first, and what the book is worth."""

from datetime import UTC, datetime

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.books.book import OrderBook
from pmtui.domain.books.book_view import BookState
from pmtui.domain.books.market_events import BookSnapshot
from pmtui.domain.money import Micros, MoneyError, parse_micros
from pmtui.reads.answers import Book, BookLevel, Word
from pmtui.wire import fields
from pmtui.wire.bounds import WireError

UNVERIFIED = "unverified"
"""Nothing contradicts the book; its hash says nothing, or could not be made again."""
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


def to_book(snapshot: BookSnapshot) -> Book | Failure:
    """Return a snapshot as an answer, checked against the hash that came with it."""
    book = OrderBook(snapshot.token_id)
    try:
        book.apply_snapshot(snapshot)
        least = snapshot.min_order_size
        min_order_size = parse_micros(least) if least else None
    except MoneyError as error:
        return Failure(FailureKind.SERVER, "GET /book", str(error))
    if book.matches(((snapshot.timestamp, snapshot.hash),)):
        book.trust(BookState.VERIFIED)
    return write_book(
        book,
        timestamp=snapshot.timestamp,
        digest=snapshot.hash,
        neg_risk=snapshot.neg_risk,
        min_order_size=min_order_size,
    )


def write_book(
    book: OrderBook,
    *,
    timestamp: str,
    digest: str,
    neg_risk: bool | None,
    min_order_size: Micros | None,
) -> Book:
    """Return a book as an answer.

    Args:
        book: with its levels.
        timestamp: of its last change, in milliseconds as sent.
        digest: the hash that the venue gave for it.
        neg_risk: of its market.
        min_order_size: of its market.
    """
    try:
        at = fields.to_moment(timestamp, "timestamp") if timestamp else None
    except WireError:
        at = None
    # The view's own time is when we heard of it; the venue's is told here, so none is given.
    view = book.view(_NEVER)
    worth = UNVERIFIED if view.state is BookState.LIVE else view.state.value
    return Book(
        token_id=book.token_id,
        condition_id=book.condition_id,
        at=at,
        worth=Word(worth),
        tick_size=view.tick_size,
        min_order_size=min_order_size,
        neg_risk=neg_risk,
        last_trade_price=view.last_trade_price,
        hash=Word(digest),
        bids=tuple(BookLevel(level.price, level.size) for level in view.bids),
        asks=tuple(BookLevel(level.price, level.size) for level in view.asks),
    )
