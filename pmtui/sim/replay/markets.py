"""What a recording says about its markets: rows of the metadata host, or else the stream alone."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from pmtui.domain.books.book import OrderBook
from pmtui.domain.books.market_events import BookSnapshot
from pmtui.domain.books.verification import MIN_ORDER_SIZE, HashTerms
from pmtui.domain.money import MoneyError, format_micros
from pmtui.recording.reader import Recording
from pmtui.sim.catalogue.load import catalogue_of
from pmtui.sim.catalogue.model import Catalogue, CatalogueMarket
from pmtui.sim.catalogue.recorded import RecordedRows
from pmtui.wire.bounds import UNREADABLE, WireError
from pmtui.wire.stream import decode_market_frame

_USUAL_TICK = "0.01"


@dataclass(slots=True)
class _Heard:
    """What the stream says of a market by itself."""

    tokens: dict[str, None]
    tick_size: str = ""
    neg_risk: bool = False


def recorded_catalogue(recording: Recording) -> Catalogue:
    """Return the markets whose books are in a recording, both tokens of each."""
    heard = _read_markets(recording)
    rows = RecordedRows()
    for answer in recording.answers:
        if answer.host == "gamma":
            try:
                rows.add_answer(msgspec.json.decode(answer.data))
            except UNREADABLE:
                continue
    listed = catalogue_of(rows, wanted=lambda market: _is_heard(market, heard))
    missing = set(heard) - {str(market.condition_id) for market in listed.markets}
    for number, condition_id in enumerate(sorted(missing), start=1):
        market = heard[condition_id]
        if len(market.tokens) == 2:
            rows.add_answer(_event_row(number, condition_id, market, recording.header.started_ms))
    return catalogue_of(rows, wanted=lambda market: _is_heard(market, heard))


def hash_terms(market: CatalogueMarket) -> HashTerms:
    """Return what a market's book hashes depend on besides the levels."""
    return HashTerms(
        format_micros(market.min_order_size), format_micros(market.tick_size), market.neg_risk
    )


def _is_heard(market: CatalogueMarket, heard: dict[str, _Heard]) -> bool:
    return market.is_tradable and str(market.condition_id) in heard


def _read_markets(recording: Recording) -> dict[str, _Heard]:
    heard: dict[str, _Heard] = {}
    for message in recording.messages:
        if message.kind not in ("book", "price_change"):
            continue
        market = heard.setdefault(message.condition_id.lower(), _Heard({}))
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
    return heard


def _note_book(market: _Heard, snapshot: BookSnapshot) -> None:
    market.tokens[snapshot.token_id] = None
    market.tick_size = market.tick_size or snapshot.tick_size or ""
    book = OrderBook(snapshot.token_id)
    try:
        book.apply_snapshot(snapshot)
    except MoneyError:
        return
    # The hash is the only place where the stream says which exchange a market belongs to.
    if book.matches(((snapshot.timestamp, snapshot.hash),)) and book.terms is not None:
        market.neg_risk = bool(book.terms.neg_risk)


def _event_row(
    number: int, condition_id: str, market: _Heard, started_ms: int
) -> dict[str, object]:
    """Word an event of one market as the metadata host would, saying no more than what is known."""
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
        # By these the lists are ordered.
        "volume": 0,
        "volume24hr": 0,
        "liquidity": 0,
        "startDate": began,
        "createdAt": began,
        "markets": [row],
    }


def _market_row(number: int, condition_id: str, market: _Heard) -> dict[str, object]:
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
