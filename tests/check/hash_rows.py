"""Rows that state the text a book was hashed from, and its hash."""

from collections.abc import Mapping

from pmtui.domain.books.market_events import BookSnapshot
from pmtui.domain.books.verification import hash_of, levels_text, terms_of
from pmtui.domain.money import MoneyError
from pmtui.wire.bounds import WireError
from pmtui.wire.stream import decode_market_frame
from tests.check.payload_kinds import Finding

KIND = "book hash"


def is_hash_row(row: Mapping[str, object]) -> bool:
    return "canonical" in row and "sha1" in row


def examine_hash_row(row: Mapping[str, object]) -> Finding:
    """Read the book as the program does, and hash it as it does, in the order in which it came."""
    text = row["canonical"]
    if not isinstance(text, str):
        return Finding(KIND, problems=["canonical: not a text"])
    try:
        messages = decode_market_frame(text.encode())
        book = next((m for m in messages if isinstance(m, BookSnapshot)), None)
        if book is None:
            return Finding(KIND, problems=[f"no book: {messages}"[:200]])
        computed = _hash_of(book)
    except (WireError, MoneyError, UnicodeEncodeError) as error:
        return Finding(KIND, problems=[str(error)])
    if computed != row["sha1"]:
        return Finding(KIND, problems=[f"hash is {computed}, stated is {str(row['sha1'])[:60]}"])
    return Finding(KIND, 1)


def _hash_of(book: BookSnapshot) -> str | None:
    terms = terms_of(book, None)
    if terms is None:
        return None
    return hash_of(
        book.condition_id,
        book.token_id,
        book.timestamp,
        bids=levels_text((level.price, level.size) for level in book.bids),
        asks=levels_text((level.price, level.size) for level in book.asks),
        terms=terms,
        last_trade_price=book.last_trade_price or "",
    )
