"""The book as the service writes it, against its published hashes."""

import json
from pathlib import Path
from typing import Any

import pytest

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import Micros
from pmtui.sim.clob.books import (
    BookDocument,
    BookRow,
    book_document,
    book_hash,
    last_price_text,
)
from pmtui.sim.engine.terms import BookView, Level, MarketSpec, MarketView

VECTORS = Path(__file__).parents[2] / "vectors" / "clob.json"


def _document(market: str) -> BookDocument:
    return BookDocument(
        market=market,
        asset_id="100",
        timestamp="123456789",
        hash="",
        bids=(BookRow("0.3", "100"), BookRow("0.4", "100")),
        asks=(BookRow("0.6", "100"), BookRow("0.7", "100")),
        min_order_size="100",
        tick_size="0.01",
        neg_risk=False,
        last_trade_price="0.5",
    )


def test_the_published_unit_value_is_reproduced() -> None:
    document = _document("0xaabbcc")
    assert book_hash(document) == "0458ea5755c9f73d64a14636fa5c36ed460ec394"
    document.hash = "whatever it carried"
    assert book_hash(document) == "0458ea5755c9f73d64a14636fa5c36ed460ec394"
    assert document.hash == "whatever it carried"


@pytest.mark.parametrize("row", json.loads(VECTORS.read_text())["bookHash"])
def test_every_book_of_the_vectors_hashes_to_its_hash(row: dict[str, Any]) -> None:
    book = row["book"]
    sides = {side: tuple(BookRow(**level) for level in book[side]) for side in ("bids", "asks")}
    assert book_hash(BookDocument(**{**book, **sides})) == book["hash"]


def test_a_view_becomes_a_document_with_the_time_of_its_last_change() -> None:
    token = TokenId("100")
    spec = MarketSpec(ConditionId("0x1"), (token, TokenId("200")), neg_risk=True)
    market = MarketView(spec, Micros(1_000), True, None, Micros(980_000), None, Micros(0))
    book = BookView(token, (Level(Micros(400_000), Micros(12_500_000)),), (), 1_790_000_000_123)
    document = book_document(book, market)
    assert (document.timestamp, document.tick_size) == ("1790000000123", "0.001")
    assert document.bids == (BookRow("0.4", "12.5"),)
    assert (document.last_trade_price, document.min_order_size) == ("0.980", "5")
    assert document.hash == book_hash(document)


def test_last_prices_have_three_decimals_at_least() -> None:
    assert last_price_text(None) == ""
    assert last_price_text(Micros(500_000)) == "0.500"
    assert last_price_text(Micros(512_500)) == "0.5125"
