"""What a recorded change says of the best bid and ask after it, which only this check looks at."""

import json
from collections.abc import Mapping, Sequence

from pmtui.domain.books.book import OrderBook, read_price
from pmtui.domain.money import Micros, MoneyError

Tops = tuple[str, str]
"""Best bid and ask as sent; empty where not sent."""

NOT_SENT: Tops = ("", "")
_NO_PRICES = ("", "0", "1")
"""What a change says of the top of an empty side; no order can rest there."""


def tops_of(frame: bytes) -> list[list[Tops]]:
    """Return the tops that each change of each message of a frame tells."""
    try:
        loaded = json.loads(frame)
    except (ValueError, RecursionError):
        return [[]]
    return [_tops(message) for message in (loaded if isinstance(loaded, list) else [loaded])]


def agrees(book: OrderBook, tops: Tops) -> bool:
    """Return whether a book's top is the one that was told."""
    bid, ask = tops
    return _is_top(bid, book.best_bid) and _is_top(ask, book.best_ask)


def _tops(message: object) -> list[Tops]:
    if not isinstance(message, Mapping):
        return []
    listed = message.get("price_changes", message.get("changes"))
    entries = listed if isinstance(listed, Sequence) else [message]
    return [_told(entry) for entry in entries]


def _told(entry: object) -> Tops:
    if not isinstance(entry, Mapping):
        return NOT_SENT
    return str(entry.get("best_bid") or ""), str(entry.get("best_ask") or "")


def _is_top(said: str, ours: Micros | None) -> bool:
    if ours is None:
        return said in _NO_PRICES
    try:
        return not said or read_price(said) == ours
    except MoneyError:
        return False
