"""What a search found, with what its prices are worth and how old they are."""

from dataclasses import dataclass
from datetime import datetime

from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.directory import HitKind, SearchHit
from pmtui.domain.money import Micros
from pmtui.reads.answers import Word

LISTED = Word("listed")
"""The prices are those of the metadata host's list, which lags."""


@dataclass(frozen=True, slots=True)
class FoundHit:
    """One hit of a search; what a kind does not have is empty. Texts are untrusted."""

    kind: HitKind
    title: str
    slug: str
    identifier: str
    """Id of an event, a market or a tag, or the wallet of a profile."""
    event_slug: str
    condition_id: ConditionId | None
    token_ids: tuple[TokenId, ...]
    closed: bool | None
    best_bid: Micros | None
    """Of the first outcome, like the best ask."""
    best_ask: Micros | None
    worth: Word | None
    """`listed`, or what the running service says of the market's live book; None without prices."""
    at: datetime | None
    """When the service last heard of the book, or when the list came, where the service has it."""
    volume_24h: Micros | None
    end_at: datetime | None


def to_found(
    hit: SearchHit, *, book: BookView | None = None, listed_at: datetime | None = None
) -> FoundHit:
    """Return a hit with the prices of its market's live book, where there is one.

    Args:
        hit: as the venue's search or the service's own found it.
        book: of the first outcome, as the running service has it.
        listed_at: when the list came that the hit's own prices are from, where that is known.
    """
    is_told = book is not None and book.as_of is not None and book.state not in _WITHOUT_PRICES
    live = book if is_told else None
    has_prices = hit.best_bid is not None or hit.best_ask is not None
    return FoundHit(
        kind=hit.kind,
        title=hit.title,
        slug=hit.slug,
        identifier=hit.identifier,
        event_slug=hit.event_slug,
        condition_id=hit.condition_id,
        token_ids=hit.token_ids,
        closed=hit.closed,
        best_bid=live.best_bid if live else hit.best_bid,
        best_ask=live.best_ask if live else hit.best_ask,
        worth=Word(live.state.value) if live else LISTED if has_prices else None,
        at=live.as_of if live else listed_at if has_prices else None,
        volume_24h=hit.volume_24h,
        end_at=hit.end_at,
    )


_WITHOUT_PRICES = frozenset({BookState.LOADING, BookState.NO_BOOK})
