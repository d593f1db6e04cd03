import tracemalloc
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books import book as book_texts
from pmtui.domain.books.book import (
    MOST_LEVELS,
    Levels,
    OrderBook,
    price_text,
    read_price,
    read_size,
)
from pmtui.domain.books.book_view import BookState, Level
from pmtui.domain.books.market_events import BookSnapshot, LevelText, TextLevel
from pmtui.domain.books.verification import HashTerms
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import Micros, MoneyError, format_micros, parse_micros

NOW = datetime(2026, 9, 1, tzinfo=UTC)
TOKEN = TokenId("7132")
MOST_BYTES = 6_000_000
"""For what is remembered of prices and sizes, whatever comes."""


def snapshot(
    bids: dict[str, str],
    asks: dict[str, str],
    *,
    last: str | None = None,
    tick: str | None = "0.01",
    neg_risk: bool | None = False,
) -> BookSnapshot:
    return BookSnapshot(
        TOKEN,
        ConditionId("0xaa"),
        tuple(TextLevel(price, size) for price, size in bids.items()),
        tuple(TextLevel(price, size) for price, size in asks.items()),
        timestamp="1790000000000",
        hash="",
        min_order_size="5",
        tick_size=tick,
        neg_risk=neg_risk,
        last_trade_price=last,
    )


def change(side: str, price: str, size: str) -> LevelText:
    return LevelText(TOKEN, side, price, size)


def loaded(bids: dict[str, str], asks: dict[str, str]) -> OrderBook:
    book = OrderBook(TOKEN)
    book.apply_snapshot(snapshot(bids, asks))
    return book


def level(price: str, size: str) -> Level:
    return Level(parse_micros(price), parse_micros(size))


def test_a_view_has_the_best_level_first_whatever_the_order_received() -> None:
    view = loaded({"0.41": "1", "0.42": "2", "0.40": "3"}, {"0.44": "4", "0.43": "5"}).view(NOW)
    assert view.bids == (level("0.42", "2"), level("0.41", "1"), level("0.4", "3"))
    assert view.asks == (level("0.43", "5"), level("0.44", "4"))
    assert (view.state, view.as_of, view.tick_size) == (BookState.LIVE, NOW, 10_000)


def test_two_spellings_of_a_price_are_one_level() -> None:
    book = loaded({"0.50": "10"}, {})
    book.apply_change(change("BUY", "0.5", "7"))
    assert book.view(NOW).bids == (level("0.5", "7"),)


def test_a_level_of_size_zero_is_gone_and_an_unknown_one_is_ignored() -> None:
    book = loaded({"0.41": "1", "0.42": "2"}, {"0.43": "5"})
    book.apply_change(change("BUY", "0.42", "0"))
    book.apply_change(change("SELL", "0.99", "0"))
    assert (book.best_bid, book.best_ask) == (410_000, 430_000)
    book.apply_change(change("BUY", "0.41", "0.00"))
    book.apply_change(change("SELL", "0.43", "0"))
    assert (book.best_bid, book.best_ask) == (None, None)


def test_changes_before_a_snapshot_do_not_show() -> None:
    book = OrderBook(TOKEN)
    book.apply_change(change("BUY", "0.42", "2"))
    view = book.view(NOW)
    assert (view.state, view.bids, view.as_of, book.best_bid) == (BookState.LOADING, (), None, None)
    book.apply_snapshot(snapshot({}, {}))
    assert (book.view(NOW).bids, book.has_levels) == ((), True)


def test_a_view_is_the_same_object_until_something_changes() -> None:
    book = loaded({"0.41": "1"}, {"0.43": "5"})
    first, later = book.view(NOW), NOW + timedelta(seconds=1)
    assert book.view(later) is first
    book.apply_change(change("BUY", "0.41", "2"))
    second = book.view(later)
    assert (second.as_of, second.asks is first.asks) == (later, True)
    assert second.version > first.version
    book.apply_change(change("SELL", "0.43", "6"))
    assert book.view(later).bids is second.bids


def test_a_view_that_only_lost_trust_keeps_its_age() -> None:
    book = loaded({"0.41": "1"}, {"0.43": "5"})
    book.view(NOW)
    book.trust(BookState.STALE)
    view = book.view(NOW + timedelta(seconds=9))
    assert (view.state, view.as_of) == (BookState.STALE, NOW)


def test_a_bid_at_an_ask_is_crossed_unless_the_book_is_stale_anyway() -> None:
    book = loaded({"0.43": "1"}, {"0.43": "5"})
    book.trust(BookState.VERIFIED)
    assert (book.is_crossed, book.state) == (True, BookState.CROSSED)
    book.trust(BookState.STALE)
    assert book.state is BookState.STALE


def test_a_new_tick_size_voids_the_levels_until_a_snapshot() -> None:
    book = loaded({"0.41": "1"}, {"0.43": "5"})
    book.apply_tick_size(Micros(1_000))
    book.apply_change(change("BUY", "0.425", "2"))
    view = book.view(NOW)
    assert (view.state, view.bids, view.tick_size) == (BookState.TICK_CHANGED, (), 1_000)
    assert not book.is_crossed
    book.apply_snapshot(snapshot({"0.425": "2"}, {}, tick="0.001"))
    assert book.state is BookState.LIVE


def test_a_new_tick_size_is_taken_before_any_snapshot() -> None:
    book = OrderBook(TOKEN)
    book.apply_tick_size(Micros(1_000))
    assert book.view(NOW).tick_size == 1_000
    assert book.terms is None


def test_a_token_without_a_book_says_so() -> None:
    book = OrderBook(TOKEN)
    book.mark_missing()
    assert book.view(NOW).state is BookState.NO_BOOK


@pytest.mark.parametrize("bad", ["x", "1.5", "-0.1", ""])
def test_a_snapshot_with_an_unreadable_level_leaves_the_book_alone(bad: str) -> None:
    book = loaded({"0.41": "1"}, {})
    with pytest.raises(MoneyError):
        book.apply_snapshot(snapshot({bad: "1"}, {}))
    assert book.best_bid == 410_000


@pytest.mark.parametrize(("price", "size"), [("two", "1"), ("0.4", "-1"), ("0.4", "many")])
def test_a_change_that_cannot_be_read_costs_the_book_its_trust(price: str, size: str) -> None:
    book = loaded({"0.41": "1"}, {})
    book.apply_change(change("BUY", price, size))
    assert (book.best_bid, book.state) == (410_000, BookState.LOSSY)


def test_both_the_old_and_the_new_trade_price_are_candidates() -> None:
    book = loaded({"0.41": "1"}, {})
    book.apply_snapshot(snapshot({"0.41": "1"}, {}, last="0.400"))
    old = book.state_hash("1", "0.400")
    new = book.state_hash("1", "0.410")
    assert old is not None
    assert new is not None
    assert not book.matches([("1", new)])
    book.apply_trade_price(Micros(410_000))
    book.apply_trade_price(Micros(410_000))
    assert book.view(NOW).last_trade_price == 410_000
    assert book.matches([("1", old)])
    assert book.matches([("2", "x"), ("1", new)])
    assert not book.matches([("1", old)]), "once the new price is proved the old one is out"


def test_whose_the_last_price_is_is_known_from_trades_until_another_price_comes() -> None:
    book = loaded({"0.50": "1"}, {"0.52": "1"})

    def own() -> int | None:
        return book.view(NOW).own_last_price

    book.apply_trade_price(Micros(490_000), of=TOKEN)
    assert own() == 490_000
    book.apply_trade_price(Micros(490_000), of=TokenId("another"))
    assert own() == 510_000
    book.apply_snapshot(snapshot({"0.50": "1"}, {"0.52": "1"}, last="0.490"))
    assert own() == 510_000
    book.apply_snapshot(snapshot({"0.50": "1"}, {"0.52": "1"}, last="0.480"))
    assert book.view(NOW).own_last is None
    book.apply_own_last_price(Micros(490_000))
    assert book.view(NOW).own_last is None, "of another trade"
    for price in (480_000, 520_000):
        book.apply_own_last_price(Micros(price))
        assert own() == price


def test_a_match_settles_the_negative_risk_flag() -> None:
    guide = OrderBook(TOKEN, terms=HashTerms("5", "0.01", neg_risk=True))
    guide.apply_snapshot(snapshot({"0.41": "1"}, {}, neg_risk=None, tick=None))
    expected = guide.state_hash("1", "")
    assert expected is not None
    book = OrderBook(TOKEN)
    book.apply_snapshot(snapshot({"0.41": "1"}, {}, neg_risk=None))
    assert book.state_hash("1", "") is None
    assert book.matches([("1", expected)])
    assert book.terms == HashTerms("5", "0.01", neg_risk=True)


def test_without_a_tick_size_nothing_can_be_verified() -> None:
    book = OrderBook(TOKEN)
    book.apply_snapshot(snapshot({"0.41": "1"}, {}, tick=None))
    assert (book.terms, book.state_hash("1", ""), book.matches([("1", "x")])) == (None, None, False)


def test_unusual_spellings_are_hashed_as_they_came() -> None:
    usual, unusual = loaded({"0.5": "1"}, {"0.6": "1"}), loaded({"0.50": "1"}, {"0.60": "1"})
    assert usual.state_hash("1", "") != unusual.state_hash("1", "")


PRICES = st.integers(1, 999).map(lambda tick: format_micros(Micros(tick * 1_000)))
SIZES = st.integers(0, 400).map(lambda cents: format_micros(Micros(cents * 250_000)))
CHANGES = st.lists(st.tuples(st.sampled_from(["BUY", "SELL"]), PRICES, SIZES), max_size=60)
SIDES = st.dictionaries(PRICES, SIZES, max_size=12)


@given(bids=SIDES, asks=SIDES, changes=CHANGES)
def test_the_fold_of_changes_is_what_a_dictionary_would_hold(
    bids: dict[str, str], asks: dict[str, str], changes: list[tuple[str, str, str]]
) -> None:
    book = loaded(bids, asks)
    model = {
        "BUY": {parse_micros(p): parse_micros(s) for p, s in bids.items()},
        "SELL": {parse_micros(p): parse_micros(s) for p, s in asks.items()},
    }
    for side, price, size in changes:
        book.apply_change(change(side, price, size))
        model[side][parse_micros(price)] = parse_micros(size)
        held = {name: {p: s for p, s in levels.items() if s} for name, levels in model.items()}
        assert book.best_bid == max(held["BUY"], default=None)
        assert book.best_ask == min(held["SELL"], default=None)
    held = {name: {p: s for p, s in levels.items() if s} for name, levels in model.items()}
    view = book.view(NOW)
    assert view.bids == tuple(Level(p, s) for p, s in sorted(held["BUY"].items(), reverse=True))
    assert view.asks == tuple(Level(p, s) for p, s in sorted(held["SELL"].items()))


@given(bids=SIDES, changes=CHANGES)
def test_the_hash_depends_on_the_levels_and_not_on_the_way_there(
    bids: dict[str, str], changes: list[tuple[str, str, str]]
) -> None:
    walked = loaded(bids, {})
    for side, price, size in changes:
        walked.apply_change(change(side, price, size))
    view = walked.view(NOW)
    direct = loaded(
        {format_micros(v.price): format_micros(v.size) for v in view.bids},
        {format_micros(v.price): format_micros(v.size) for v in view.asks},
    )
    assert walked.state_hash("7", "0.500") == direct.state_hash("7", "0.500")


@pytest.mark.parametrize("side", ["BUY", "SELL"])
def test_a_venue_that_invents_prices_makes_a_book_that_is_not_trusted_and_not_endless(
    side: str,
) -> None:
    levels = Levels()
    for number in range(1, MOST_LEVELS + 1):
        levels.put(side, f"0.{number:06}", "1")
    with pytest.raises(MoneyError):
        levels.put(side, "0.999999", "1")
    levels.put(side, "0.000001", "2")
    levels.put(side, "0.000002", "0")
    levels.put(side, "0.999999", "1")
    assert len(levels.bid_rows) + len(levels.ask_rows) == MOST_LEVELS


def test_a_book_that_should_have_come_is_overdue_until_it_comes() -> None:
    book = OrderBook(TOKEN)
    book.mark_overdue()
    assert book.view(NOW).state is BookState.OVERDUE
    book.apply_snapshot(snapshot({"0.41": "1"}, {"0.43": "5"}))
    assert book.view(NOW).state is BookState.LIVE
    book.mark_overdue()
    late = book.view(NOW)
    assert (late.state, late.bids) == (BookState.OVERDUE, (level("0.41", "1"),))
    assert book.tick_size == 10_000


def test_texts_are_read_exactly_and_twice_alike() -> None:
    assert [read_price("0.571"), read_price("0.571"), read_price("0"), read_price("1")] == [
        571_000,
        571_000,
        0,
        1_000_000,
    ]
    assert read_size("31045290.25") == 31_045_290_250_000


@pytest.mark.parametrize("text", ["", "1.01", "-0.1", "x", "0.1234567", "1e-2"])
def test_what_is_no_price_is_refused(text: str) -> None:
    with pytest.raises(MoneyError):
        read_price(text)


@pytest.mark.parametrize("text", ["", "-1", "x"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(MoneyError):
        read_size(text)


def test_a_full_table_starts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_texts, "_REMEMBERED", 1)
    assert [read_size("77.01"), read_size("77.02")] == [77_010_000, 77_020_000]
    assert [price_text(Micros(123_400)), price_text(Micros(500_000))] == ["0.1234", "0.5"]


def test_any_number_of_sizes_is_remembered_in_a_few_megabytes() -> None:
    tracemalloc.start()
    try:
        for cents in range(15_000):
            row = (Micros(500_000), book_texts.kept_size(f"{cents / 100:.2f}") or "0")
            _ = book_texts.show((row,)), book_texts.show_mirrored((row,))
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most_bytes < MOST_BYTES


def test_a_size_is_kept_as_it_came_and_nothing_of_one_that_is_zero() -> None:
    text = "".join(("12.", "50"))
    assert book_texts.kept_size(text) == "12.50"
    assert book_texts.kept_size("12.50") is book_texts.kept_size("".join(("12.5", "0")))
    assert [book_texts.kept_size(zero) for zero in ("0", "0.00", "0")] == ["", "", ""]
    with pytest.raises(MoneyError):
        book_texts.kept_size("-1")
