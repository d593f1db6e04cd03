import gzip
import json
from pathlib import Path

import pytest

from pmtui.domain.books.market_events import BookSnapshot, TextLevel
from pmtui.domain.books.verification import (
    MIN_ORDER_SIZE,
    HashTerms,
    hash_of,
    levels_text,
    terms_of,
    trade_price_text,
)
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import Micros

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "clob.json").read_bytes())


def to_snapshot(raw: dict[str, object]) -> BookSnapshot:
    def levels(name: str) -> tuple[TextLevel, ...]:
        listed = raw[name]
        assert isinstance(listed, list)
        return tuple(TextLevel(row["price"], row["size"]) for row in listed)

    flag = raw.get("neg_risk")
    assert flag is None or isinstance(flag, bool)
    return BookSnapshot(
        TokenId(str(raw["asset_id"])),
        ConditionId(str(raw["market"])),
        levels("bids"),
        levels("asks"),
        timestamp=str(raw["timestamp"]),
        hash=str(raw["hash"]),
        min_order_size=str(raw["min_order_size"]),
        tick_size=str(raw["tick_size"]),
        neg_risk=flag,
        last_trade_price=str(raw["last_trade_price"]),
    )


def _hash_of(snapshot: BookSnapshot, terms: HashTerms) -> str:
    return hash_of(
        snapshot.condition_id, snapshot.token_id, snapshot.timestamp,
        bids=levels_text((level.price, level.size) for level in snapshot.bids),
        asks=levels_text((level.price, level.size) for level in snapshot.asks),
        terms=terms, last_trade_price=snapshot.last_trade_price or "",
    )  # fmt: skip


@pytest.mark.parametrize("row", VECTORS["bookHash"])
def test_golden_books_have_their_hash(row: dict[str, dict[str, object]]) -> None:
    snapshot = to_snapshot(row["book"])
    terms = terms_of(snapshot)
    assert terms is not None
    assert _hash_of(snapshot, terms) == row["book"]["hash"]


def test_recorded_canonical_texts_have_their_hash(shared_dir: Path) -> None:
    lines = gzip.decompress((shared_dir / "data/derived/hash_vectors.jsonl.gz").read_bytes())
    rows = [json.loads(line) for line in lines.splitlines()]
    assert len(rows) >= 16
    for row in rows:
        snapshot = to_snapshot(json.loads(row["canonical"]))
        terms = terms_of(snapshot)
        assert terms is not None
        assert _hash_of(snapshot, terms) == row["sha1"], row["source"]


def test_every_recorded_rest_book_has_its_hash(shared_dir: Path) -> None:
    folder = shared_dir / "data/clob"
    books = json.loads(
        gzip.decompress((folder / "books__fed_june__2026-05-17.json.gz").read_bytes())
    )
    books.append(json.loads((folder / "book__empty_asks__2026-08-03.json").read_bytes()))
    for raw in books:
        snapshot = to_snapshot(raw)
        terms = terms_of(snapshot)
        assert terms is not None
        assert _hash_of(snapshot, terms) == raw["hash"]


def test_terms_fill_up_from_what_is_known() -> None:
    bare = BookSnapshot(TokenId("1"), ConditionId("0x"), (), (), timestamp="1", hash="")
    assert terms_of(bare) is None
    known = HashTerms("15", "0.01", neg_risk=True)
    assert terms_of(bare, known) == known
    ticked = BookSnapshot(
        TokenId("1"), ConditionId("0x"), (), (), timestamp="1", hash="", tick_size="0.001"
    )
    assert terms_of(ticked) == HashTerms(MIN_ORDER_SIZE, "0.001", neg_risk=None)
    assert terms_of(ticked, known) == HashTerms("15", "0.001", neg_risk=True)


def test_unknown_flags_have_two_alternatives() -> None:
    flags = [terms.neg_risk for terms in HashTerms("5", "0.01", neg_risk=None).alternatives()]
    assert flags == [False, True]


@pytest.mark.parametrize(
    ("price", "text"),
    [(680_000, "0.680"), (1_000, "0.001"), (1_000_000, "1.000"), (123_500, "0.124")],
)
def test_a_trade_price_has_three_decimals(price: int, text: str) -> None:
    assert trade_price_text(Micros(price)) == text
