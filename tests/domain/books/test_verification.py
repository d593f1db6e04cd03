import gzip
import json
from pathlib import Path

import pytest

from pmtui.domain.books.book import OrderBook
from pmtui.domain.books.market_events import BookSnapshot, LevelText, TextLevel
from pmtui.domain.books.verification import (
    MIN_ORDER_SIZE,
    TOLERATED_FRAMES,
    Agreement,
    BookCheck,
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


TOKEN = TokenId("7132")
EMPTY = BookSnapshot(
    TOKEN, ConditionId("0xaa"), (), (), timestamp="7", hash="", tick_size="0.01", neg_risk=False
)


class Venue:
    """A book of the venue's own, and what it announces of it."""

    def __init__(self) -> None:
        self.ours, self.theirs = _empty_book(), _empty_book()
        self.check = BookCheck()

    def change(self, price: str, size: str) -> LevelText:
        self.theirs.apply_change(LevelText(TOKEN, "BUY", price, size))
        digest = self.theirs.state_hash("7", "")
        assert digest is not None
        return LevelText(TOKEN, "BUY", price, size, hash=digest)

    def deliver(self, change: LevelText, *, now_ms: int = 0) -> Agreement:
        self.ours.apply_change(change, "7")
        return self.check.check(self.ours, now_ms=now_ms)


def _empty_book() -> OrderBook:
    book = OrderBook(TOKEN)
    book.apply_snapshot(EMPTY)
    return book


def test_frames_in_order_match_at_once() -> None:
    venue = Venue()
    assert venue.deliver(venue.change("0.4", "1")) is Agreement.MATCH
    assert venue.check.check(venue.ours, now_ms=0) is Agreement.NOTHING_NEW


def test_a_group_that_comes_reversed_is_in_doubt_until_its_last_frame() -> None:
    venue = Venue()
    group = [venue.change(f"0.{index}", "1") for index in range(1, 9)]
    verdicts = [venue.deliver(change) for change in reversed(group)]
    assert verdicts == [Agreement.DOUBT] * 7 + [Agreement.MATCH]
    assert not venue.check.is_doubtful


def test_a_lost_frame_is_a_loss_after_the_frames_that_reordering_explains() -> None:
    venue = Venue()
    venue.change("0.9", "1")
    verdicts = [venue.deliver(venue.change(f"0.{index}", "1")) for index in range(10, 20)]
    assert verdicts[:TOLERATED_FRAMES] == [Agreement.DOUBT] * TOLERATED_FRAMES
    assert verdicts[TOLERATED_FRAMES] is Agreement.LOSS


def test_a_lost_frame_is_a_loss_after_a_tenth_of_a_second_of_quiet() -> None:
    venue = Venue()
    venue.change("0.9", "1")
    assert venue.deliver(venue.change("0.1", "1"), now_ms=1000) is Agreement.DOUBT
    assert venue.check.check(venue.ours, now_ms=1099) is Agreement.DOUBT
    assert venue.check.check(venue.ours, now_ms=1100) is Agreement.LOSS


def test_frames_nobody_looked_at_are_covered_by_a_later_match() -> None:
    venue = Venue()
    for index in range(10, 40):
        venue.ours.apply_change(venue.change(f"0.{index}", "1"), "7")
    assert venue.check.check(venue.ours, now_ms=0) is Agreement.MATCH


def test_a_swapped_pair_that_was_not_looked_at_in_between_matches_by_its_first() -> None:
    venue = Venue()
    first, second = venue.change("0.1", "1"), venue.change("0.2", "1")
    for change in (second, first):
        venue.ours.apply_change(change, "7")
    assert venue.check.check(venue.ours, now_ms=0) is Agreement.MATCH


def test_frames_without_a_hash_say_nothing() -> None:
    venue = Venue()
    venue.ours.apply_change(LevelText(TOKEN, "BUY", "0.1", "1"), "7")
    assert venue.check.check(venue.ours, now_ms=0) is Agreement.NOTHING_NEW


def test_a_new_snapshot_starts_over() -> None:
    venue = Venue()
    venue.change("0.9", "1")
    venue.deliver(venue.change("0.1", "1"))
    assert venue.check.is_doubtful
    venue.ours.apply_snapshot(EMPTY)
    venue.check.reset()
    assert not venue.check.is_doubtful
    assert venue.check.check(venue.ours, now_ms=9_999) is Agreement.NOTHING_NEW


def test_a_book_without_terms_is_not_judged() -> None:
    book = OrderBook(TOKEN)
    book.apply_change(LevelText(TOKEN, "BUY", "0.1", "1", hash="x"), "7")
    assert BookCheck().check(book, now_ms=0) is Agreement.NOTHING_NEW


def test_looking_again_without_a_further_frame_takes_nothing_from_its_patience() -> None:
    venue = Venue()
    venue.change("0.9", "1")
    venue.deliver(venue.change("0.1", "1"))
    looks = {venue.check.check(venue.ours, now_ms=index) for index in range(TOLERATED_FRAMES * 2)}
    assert looks == {Agreement.DOUBT}
