"""The markets of a recording, and their books at the replay's position.

Messages themselves are passed on verbatim; only a book that is first watched in the middle of a
recording is written here, with the hash of its levels, which equals the recorded one if the venue
sent one.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from pmtui.domain.books.book import OrderBook
from pmtui.domain.books.book_view import BookView
from pmtui.domain.books.market_events import (
    BookSnapshot,
    MarketEvent,
    PriceChanges,
    TickSizeChanged,
    TradePrinted,
)
from pmtui.domain.books.verification import MIN_ORDER_SIZE, HashTerms
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import MoneyError, format_micros
from pmtui.recording.reader import Message, Recording
from pmtui.sim.catalogue.load import RecordedRows, catalogue_of
from pmtui.sim.catalogue.model import Catalogue, CatalogueMarket
from pmtui.wire.bounds import UNREADABLE, WireError
from pmtui.wire.stream import BadMessage, UnknownMessage, decode_market_frame

_USUAL_TICK = "0.01"
_NO_TIME = datetime.min.replace(tzinfo=UTC)
"""Views are read at once here; their age is never used."""


@dataclass(slots=True)
class _RecordedTerms:
    """The terms of a market that the stream itself contains."""

    tokens: dict[str, None]
    tick_size: str = ""
    neg_risk: bool = False


def recorded_catalogue(recording: Recording) -> Catalogue:
    """Return the markets whose books are in a recording, with both tokens of each."""
    recorded = _read_markets(recording)
    rows = RecordedRows()
    for answer in recording.answers:
        if answer.host == "gamma":
            try:
                rows.add_answer(msgspec.json.decode(answer.data))
            except UNREADABLE:
                continue
    listed = catalogue_of(rows, wanted=lambda market: _is_recorded(market, recorded))
    missing = set(recorded) - {str(market.condition_id) for market in listed.markets}
    for number, condition_id in enumerate(sorted(missing), start=1):
        market = recorded[condition_id]
        if len(market.tokens) == 2:
            rows.add_answer(_event_row(number, condition_id, market, recording.header.started_ms))
    return catalogue_of(rows, wanted=lambda market: _is_recorded(market, recorded))


def hash_terms(market: CatalogueMarket) -> HashTerms:
    """Return the inputs of a market's book hashes besides the levels."""
    return HashTerms(
        format_micros(market.min_order_size), format_micros(market.tick_size), market.neg_risk
    )


def _is_recorded(market: CatalogueMarket, recorded: dict[str, _RecordedTerms]) -> bool:
    return market.is_tradable and str(market.condition_id) in recorded


def _read_markets(recording: Recording) -> dict[str, _RecordedTerms]:
    recorded: dict[str, _RecordedTerms] = {}
    for message in recording.messages:
        if message.kind not in ("book", "price_change"):
            continue
        market = recorded.setdefault(message.condition_id.lower(), _RecordedTerms({}))
        if len(market.tokens) == 2 and (message.kind != "book" or market.tick_size):
            continue
        try:
            events = decode_market_frame(message.data)
        except WireError:
            continue
        for event in events:
            if isinstance(event, BookSnapshot):
                _note_book(market, event)
            else:
                for change in getattr(event, "changes", ()):
                    market.tokens[change.asset_id] = None
    return recorded


def _note_book(market: _RecordedTerms, snapshot: BookSnapshot) -> None:
    market.tokens[snapshot.token_id] = None
    market.tick_size = market.tick_size or snapshot.tick_size or ""
    book = OrderBook(snapshot.token_id)
    try:
        book.apply_snapshot(snapshot)
    except MoneyError:
        return
    # Only the hash reveals in the stream which exchange a market uses.
    if book.matches(((snapshot.timestamp, snapshot.hash),)) and book.terms is not None:
        market.neg_risk = bool(book.terms.neg_risk)


def _event_row(
    number: int, condition_id: str, market: _RecordedTerms, started_ms: int
) -> dict[str, object]:
    """Return an event with one market in the metadata host's form, with known facts only."""
    began = datetime.fromtimestamp(started_ms / 1_000, UTC).isoformat()
    row = _market_row(number, condition_id, market)
    return {
        "id": row["id"],
        "slug": row["slug"],
        "title": row["question"],
        "description": row["description"],
        "active": True,
        "closed": False,
        "archived": False,
        "negRisk": market.neg_risk,
        # The lists are sorted by these.
        "volume": 0,
        "volume24hr": 0,
        "liquidity": 0,
        "startDate": began,
        "createdAt": began,
        "markets": [row],
    }


def _market_row(number: int, condition_id: str, market: _RecordedTerms) -> dict[str, object]:
    name = f"Recorded market {condition_id[:10]}"
    return {
        "id": f"{900_000 + number}",
        "slug": f"recorded-{condition_id[2:10]}",
        "question": name,
        "description": "The recording holds the books of this market and nothing about it.",
        "conditionId": condition_id,
        "clobTokenIds": json.dumps(list(market.tokens)),
        "outcomes": '["First token", "Second token"]',
        "active": True,
        "closed": False,
        "archived": False,
        "enableOrderBook": True,
        "acceptingOrders": True,
        "negRisk": market.neg_risk,
        "orderPriceMinTickSize": float(market.tick_size or _USUAL_TICK),
        "orderMinSize": int(MIN_ORDER_SIZE),
    }


class RecordedBook:
    """One token's book."""

    def __init__(self, token_id: TokenId, terms: HashTerms) -> None:
        self._terms = terms
        self._token_id = token_id
        self.book = OrderBook(token_id, terms=terms)
        self.timestamp = ""
        """Timestamp of the last message about it, in milliseconds, as sent."""

    def reset(self) -> None:
        """Clear everything, because the replay starts over."""
        self.book, self.timestamp = OrderBook(self._token_id, terms=self._terms), ""

    def view(self) -> BookView:
        """Return its levels as numbers."""
        return self.book.view(_NO_TIME)

    @property
    def hash(self) -> str:
        """Return the hash of its contents; empty if it cannot be computed."""
        return self.book.state_hash(self.timestamp, self.book.last_trade_text) or ""

    def to_document(self) -> str:
        """Return it in the form of the trading host's `/book` reply."""
        terms = self.book.terms or self._terms
        neg_risk = "true" if terms.neg_risk else "false"
        return (
            f'{{{self._head()},"min_order_size":"{terms.min_order_size}",'
            f'"tick_size":"{terms.tick_size}","neg_risk":{neg_risk},'
            f'"last_trade_price":"{self.book.last_trade_text}"}}'
        )

    def to_event(self) -> str:
        """Return it as the stream's `book` event."""
        terms = self.book.terms or self._terms
        return (
            f'{{{self._head()},"tick_size":"{terms.tick_size}","event_type":"book",'
            f'"last_trade_price":"{self.book.last_trade_text}"}}'
        )

    def _head(self) -> str:
        bids, asks = self.book.written_sides()
        return (
            f'"market":"{self.book.condition_id}","asset_id":"{self._token_id}",'
            f'"timestamp":"{self.timestamp}","hash":"{self.hash}","bids":[{bids}],"asks":[{asks}]'
        )


class RecordedMarket:
    """Both books of a market, for a connection that starts to watch them."""

    def __init__(self, market: CatalogueMarket) -> None:
        self.condition_id = market.condition_id
        self.token_ids = market.token_ids
        terms = hash_terms(market)
        self.books = tuple(RecordedBook(token_id, terms) for token_id in market.token_ids)

    def index_of(self, token_id: TokenId) -> int:
        """Return which of the two tokens this is."""
        return self.token_ids.index(token_id)

    def book_frame(self, token_index: int, *, with_last_price: bool) -> str | None:
        """Return one token's `book` event; None before the first book."""
        del with_last_price
        recorded = self.books[token_index]
        return recorded.to_event() if recorded.book.has_levels else None

    def apply(self, event: MarketEvent) -> None:
        """Apply a message; unreadable levels have the same effect as in the terminal."""
        match event:
            case BookSnapshot():
                self._snapshot(event)
            case PriceChanges():
                for change in event.changes:
                    for recorded in self._of(TokenId(change.asset_id)):
                        recorded.book.apply_change(change, event.timestamp)
                        recorded.timestamp = event.timestamp
            case TradePrinted():
                for recorded in self.books:
                    recorded.book.apply_trade_price(event.price, of=event.token_id)
            case TickSizeChanged():
                for recorded in self._of(event.token_id):
                    recorded.book.apply_tick_size(event.new_tick_size)
            case _:
                pass

    def _snapshot(self, event: BookSnapshot) -> None:
        for recorded in self._of(event.token_id):
            try:
                recorded.book.apply_snapshot(event)
            except MoneyError:
                continue
            recorded.timestamp = event.timestamp

    def _of(self, token_id: TokenId) -> Iterator[RecordedBook]:
        if token_id in self.token_ids:
            yield self.books[self.token_ids.index(token_id)]


class RecordedBooks:
    """Every book of a recording."""

    def __init__(self, markets: Iterable[CatalogueMarket]) -> None:
        self.markets = {str(market.condition_id): RecordedMarket(market) for market in markets}
        self._by_token = {
            token_id: market for market in self.markets.values() for token_id in market.token_ids
        }

    def market(self, condition_id: ConditionId | str) -> RecordedMarket | None:
        """Find a market."""
        return self.markets.get(condition_id.lower())

    def book(self, token_id: str) -> RecordedBook | None:
        """Find a token's book."""
        market = self._by_token.get(TokenId(token_id))
        return None if market is None else market.books[market.index_of(TokenId(token_id))]

    def reset(self) -> None:
        """Clear everything, because the replay starts over."""
        for market in self.markets.values():
            for recorded in market.books:
                recorded.reset()

    def apply(self, message: Message) -> tuple[MarketEvent, ...]:
        """Apply a message and return its changes of the replayed markets."""
        market = self.market(message.condition_id)
        if market is None:
            return ()
        try:
            events = decode_market_frame(message.data)
        except WireError:
            return ()
        readable = tuple(e for e in events if not isinstance(e, UnknownMessage | BadMessage))
        for event in readable:
            market.apply(event)
        return readable
