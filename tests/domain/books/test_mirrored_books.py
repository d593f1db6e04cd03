from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book import MirroredBooks, OrderBook
from pmtui.domain.books.book_view import BookState
from pmtui.domain.books.market_events import BookSnapshot, LevelText, LevelTexts, TextLevel
from pmtui.domain.books.verification import Agreement, BookCheck
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import ONE, Micros, format_micros, parse_micros

NOW = datetime(2026, 9, 1, tzinfo=UTC)
MARKET = ConditionId("0xaa")
YES, NO = TokenId("71"), TokenId("72")


def other_price(price: str) -> str:
    return format_micros(Micros(ONE - parse_micros(price)))


def snapshot(token: TokenId, bids: dict[str, str], asks: dict[str, str]) -> BookSnapshot:
    """A book in terms of YES, told of either token."""
    if token == NO:
        bids, asks = (
            {other_price(price): size for price, size in side.items()} for side in (asks, bids)
        )
    return BookSnapshot(
        token, MARKET, tuple(TextLevel(*level) for level in bids.items()),
        tuple(TextLevel(*level) for level in asks.items()), "1", "",
        min_order_size="5", tick_size="0.01", neg_risk=False, last_trade_price="",
    )  # fmt: skip


def both_changes(
    side: str, price: str, size: str, *, digests: tuple[str, str] = ("", "")
) -> LevelTexts:
    mine = LevelText(YES, side, price, size, digests[0])
    opposite = "SELL" if side == "BUY" else "BUY"
    return LevelTexts(
        MARKET, (mine, LevelText(NO, opposite, other_price(price), size, digests[1])), "7"
    )


def pair_of_books(bids: dict[str, str], asks: dict[str, str]) -> tuple[OrderBook, OrderBook]:
    books = OrderBook(YES), OrderBook(NO)
    for book in books:
        book.apply_snapshot(snapshot(book.token_id, bids, asks))
    return books


def seen(book: OrderBook) -> tuple[object, ...]:
    view = book.view(NOW)
    return (
        view.bids, view.asks, view.state, view.tick_size, view.last_trade_price,
        book.best_bid, book.best_ask, book.is_crossed, book.has_levels,
        book.state_hash("7", ""), list(book.announced),
    )  # fmt: skip


def test_one_change_is_seen_in_both_books() -> None:
    yes, no = pair_of_books({"0.41": "1"}, {"0.43": "5"})
    twins = MirroredBooks(yes, no)
    assert twins.apply(both_changes("BUY", "0.42", "7"))
    assert (yes.best_bid, no.best_ask) == (420_000, 580_000)
    assert [level.size for level in no.view(NOW).asks] == [7_000_000, 1_000_000]
    assert [level.price for level in no.view(NOW).bids] == [570_000]


def test_it_does_not_matter_which_token_comes_first() -> None:
    yes, no = pair_of_books({"0.41": "1"}, {"0.43": "5"})
    event = both_changes("BUY", "0.42", "7", digests=("a", "b"))
    twins = MirroredBooks(yes, no)
    assert twins.apply(LevelTexts(MARKET, event.changes[::-1], "7"))
    assert (yes.best_bid, no.best_ask) == (420_000, 580_000)
    assert (list(yes.announced), list(no.announced)) == ([("7", "a")], [("7", "b")])


GOOD = both_changes("BUY", "0.42", "7").changes


@pytest.mark.parametrize(
    "changes",
    [
        (),
        GOOD[:1],
        (GOOD[0], GOOD[0]),
        (*GOOD, GOOD[0]),
        (GOOD[0], LevelText(NO, "SELL", "0.58", "8")),
        (GOOD[0], LevelText(NO, "SELL", "0.57", "7")),
        (GOOD[0], LevelText(NO, "BUY", "0.58", "7")),
        (GOOD[0], LevelText("73", "SELL", "0.58", "7")),
        (LevelText("73", "BUY", "0.42", "7"), GOOD[1]),
        (LevelText(YES, "BUY", "0.42", "x"), LevelText(NO, "SELL", "0.58", "x")),
        (LevelText(YES, "BUY", "two", "7"), LevelText(NO, "SELL", "0.58", "7")),
    ],
)
def test_what_is_no_change_of_both_is_left_to_the_books(changes: tuple[LevelText, ...]) -> None:
    yes, no = pair_of_books({"0.41": "1"}, {"0.43": "5"})
    twins = MirroredBooks(yes, no)
    before = seen(yes), seen(no)
    assert not twins.apply(LevelTexts(MARKET, changes, "7"))
    assert (seen(yes), seen(no)) == before


@pytest.mark.parametrize(
    "write",
    [
        lambda book: book.apply_change(LevelText(book.token_id, "BUY", "0.3", "9")),
        lambda book: book.apply_snapshot(snapshot(book.token_id, {"0.2": "1"}, {})),
        lambda book: book.apply_tick_size(Micros(1_000)),
        lambda book: book.mark_missing(),
    ],
    ids=["change", "snapshot", "tick size", "no book"],
)
@pytest.mark.parametrize("token", [YES, NO])
def test_a_change_of_one_book_leaves_the_other_alone(
    write: Callable[[OrderBook], None], token: TokenId
) -> None:
    books = dict(zip((YES, NO), pair_of_books({"0.41": "1"}, {"0.43": "5"}), strict=True))
    twins = MirroredBooks(books[YES], books[NO])
    other = books[NO if token == YES else YES]
    before = seen(other)
    write(books[token])
    assert seen(other) == before
    assert not twins.apply(both_changes("BUY", "0.42", "7")), "they have parted for good"
    other.apply_change(LevelText(other.token_id, "BUY", "0.01", "3"))
    assert other.best_bid is not None


def test_only_mirrors_that_are_not_shared_yet_are_brought_together() -> None:
    yes, no = pair_of_books({"0.41": "1"}, {"0.43": "5"})
    assert no.is_mirror_of(yes)
    assert not OrderBook(NO).is_mirror_of(yes)
    other = OrderBook(NO)
    other.apply_snapshot(snapshot(NO, {"0.41": "1.0"}, {"0.43": "5"}))
    assert not other.is_mirror_of(yes), "the hash is taken over texts"
    unusual = OrderBook(YES)
    unusual.apply_snapshot(snapshot(YES, {"0.410": "1"}, {"0.43": "5"}))
    assert not no.is_mirror_of(unusual)
    twins = MirroredBooks(yes, no)
    assert not no.is_mirror_of(yes)
    twins.split()
    assert no.is_mirror_of(yes)


def test_each_book_is_checked_by_its_own_hashes() -> None:
    theirs = pair_of_books({"0.41": "1"}, {"0.43": "5"})
    yes, no = pair_of_books({"0.41": "1"}, {"0.43": "5"})
    twins = MirroredBooks(yes, no)
    plain = both_changes("SELL", "0.44", "2.5")
    for book, change in zip(theirs, plain.changes, strict=True):
        book.apply_change(change)
    digests = theirs[0].state_hash("7", "") or "", "0" * 40
    assert twins.apply(both_changes("SELL", "0.44", "2.5", digests=digests))
    assert BookCheck().check(yes, now_ms=0) is Agreement.MATCH
    assert BookCheck().check(no, now_ms=0) is Agreement.DOUBT
    assert no.announced.pop() == ("7", "0" * 40)
    no.announce("7", theirs[1].state_hash("7", "") or "")
    assert BookCheck().check(no, now_ms=0) is Agreement.MATCH


PRICES = st.integers(1, 99).map(lambda cents: format_micros(Micros(cents * 10_000)))
SIZES = st.integers(0, 9).map(lambda quarter: format_micros(Micros(quarter * 250_000)))
SIDES = st.dictionaries(PRICES, SIZES, max_size=5)
CHANGES = st.tuples(st.sampled_from(["BUY", "SELL"]), PRICES, SIZES)
DIGESTS = st.sampled_from(["", "a", "b"])
STEPS = st.one_of(
    st.tuples(st.just("both"), CHANGES, DIGESTS),
    st.tuples(st.just("both"), CHANGES, DIGESTS),
    st.tuples(st.sampled_from([YES, NO]), CHANGES, DIGESTS),
    st.tuples(st.just("books"), SIDES, SIDES),
    st.tuples(st.just("look"), st.none(), st.none()),
    st.tuples(st.just("trust"), st.sampled_from([YES, NO]), st.sampled_from(BookState)),
    st.tuples(st.just("forget"), st.sampled_from([YES, NO]), st.none()),
)


@given(bids=SIDES, asks=SIDES, steps=st.lists(STEPS, max_size=30))
def test_holding_two_books_as_one_never_shows(
    bids: dict[str, str], asks: dict[str, str], steps: list[tuple[str, object, object]]
) -> None:
    apart = dict(zip((YES, NO), pair_of_books(bids, asks), strict=True))
    joined = dict(zip((YES, NO), pair_of_books(bids, asks), strict=True))
    twins: MirroredBooks | None = MirroredBooks(joined[YES], joined[NO])
    for kind, what, more in steps:
        match kind, what, more:
            case "both", (str(side), str(price), str(size)), str(digest):
                event = both_changes(side, price, size, digests=(digest, digest + "n"))
                if twins is None or not twins.apply(event):
                    _apply_apart(joined, event)
                _apply_apart(apart, event)
            case "71" | "72", (str(side), str(price), str(size)), str(digest):
                event = LevelTexts(MARKET, (LevelText(kind, side, price, size, digest),), "9")
                assert twins is None or not twins.apply(event)
                _apply_apart(joined, event)
                _apply_apart(apart, event)
            case "books", dict(some), dict(others):
                for books in (apart, joined):
                    for token, book in books.items():
                        book.apply_snapshot(snapshot(token, some, others))
                twins = (
                    MirroredBooks(joined[YES], joined[NO])
                    if joined[NO].is_mirror_of(joined[YES])
                    else None
                )
            case "trust", str(token), BookState() as state:
                for books in (apart, joined):
                    books[TokenId(token)].trust(state)
            case "forget", str(token), _:
                for books in (apart, joined):
                    books[TokenId(token)].announced.clear()
            case _:
                assert [seen(joined[t]) for t in (YES, NO)] == [seen(apart[t]) for t in (YES, NO)]
    assert [seen(joined[t]) for t in (YES, NO)] == [seen(apart[t]) for t in (YES, NO)]


def _apply_apart(books: dict[TokenId, OrderBook], event: LevelTexts) -> None:
    for change in event.changes:
        books[TokenId(change.asset_id)].apply_change(change, event.timestamp)
