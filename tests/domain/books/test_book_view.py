from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import (
    BookState,
    BookView,
    Level,
    Reach,
    Span,
    default_reach,
    depth_curve,
    depth_within,
    span_around,
)
from pmtui.domain.ids import TokenId
from pmtui.domain.money import ONE, Micros

TOKEN = TokenId("1")


def view(bid: int | None, ask: int | None, last: int | None) -> BookView:
    return BookView(
        TOKEN,
        BookState.LIVE,
        bids=(Level(Micros(bid), Micros(1)),) if bid else (),
        asks=(Level(Micros(ask), Micros(1)),) if ask else (),
        last_trade_price=None if last is None else Micros(last),
    )


@pytest.mark.parametrize(
    ("last", "own"), [(120_000, 880_000), (890_000, 890_000), (None, None), (500_000, 500_000)]
)
def test_the_last_price_is_told_as_this_tokens_own(last: int | None, own: int | None) -> None:
    assert view(880_000, 890_000, last).own_last_price == own


def test_a_last_price_whose_token_is_known_is_not_guessed() -> None:
    # Around 50 cents a price and its complement are equally near to the middle.
    near = replace(view(500_000, 520_000, 490_000), own_last=Micros(490_000))
    assert near.own_last_price == 490_000
    assert view(500_000, 520_000, 490_000).own_last_price == 510_000


def test_without_both_sides_the_last_price_stands_as_it_came() -> None:
    assert view(None, 890_000, 120_000).own_last_price == 120_000


def test_spread_and_midpoint_need_both_sides() -> None:
    book = view(880_000, 890_000, None)
    assert (book.spread, book.midpoint) == (10_000, 885_000)
    assert (book.best_bid, book.best_ask) == (880_000, 890_000)
    empty = view(None, None, None)
    assert (empty.spread, empty.midpoint, empty.best_bid, empty.best_ask) == (None,) * 4


def test_only_live_and_verified_books_are_good() -> None:
    good = {state for state in BookState if state.is_good}
    assert good == {BookState.LIVE, BookState.VERIFIED}


def test_a_state_travels_as_one_word_and_is_shown_as_words() -> None:
    assert BookState("tick_changed") is BookState.TICK_CHANGED
    assert BookState.TICK_CHANGED.words == "new tick"
    assert all("_" not in state.words and len(state.words) <= 10 for state in BookState)


CENT = 10_000


@st.composite
def books(draw: st.DrawFn) -> BookView:
    touch = draw(st.integers(1, 98))
    sizes = st.integers(1, 10**12)
    bids = draw(st.dictionaries(st.integers(1, touch), sizes, max_size=20))
    asks = draw(st.dictionaries(st.integers(touch + 1, 99), sizes, max_size=20))

    def side(levels: dict[int, int], *, is_down: bool) -> tuple[Level, ...]:
        prices = sorted(levels, reverse=is_down)
        return tuple(Level(Micros(price * CENT), Micros(levels[price])) for price in prices)

    return BookView(
        TokenId("1"), BookState.LIVE, side(bids, is_down=True), side(asks, is_down=False),
        tick_size=Micros(CENT),
    )  # fmt: skip


prices = st.integers(0, ONE).map(Micros)


@given(books(), prices)
def test_depth_is_the_sum_of_all_that_is_as_good_or_better(book: BookView, price: Micros) -> None:
    curve = depth_curve(book)
    assert curve.bid_depth(price) == sum(b.size for b in book.bids if b.price >= price)
    assert curve.ask_depth(price) == sum(a.size for a in book.asks if a.price <= price)


@given(books(), st.sampled_from(Reach), st.integers(1, 120))
def test_depth_only_grows_away_from_the_touch(book: BookView, reach: Reach, parts: int) -> None:
    curve, span = depth_curve(book), span_around(book, reach)
    bids, asks = curve.bid_steps(span, parts), curve.ask_steps(span, parts)
    assert len(bids) == len(asks) == parts
    assert list(bids) == sorted(bids, reverse=True)
    assert list(asks) == sorted(asks)


@given(books())
def test_the_widest_span_holds_the_whole_book(book: BookView) -> None:
    curve, span = depth_curve(book), span_around(book, Reach.EVERYTHING)
    assert curve.bid_steps(span, 7)[0] == sum(level.size for level in book.bids)
    assert curve.ask_steps(span, 7)[-1] == sum(level.size for level in book.asks)


@given(books(), st.sampled_from(Reach))
def test_the_middle_is_in_sight_and_the_span_keeps_its_width(book: BookView, reach: Reach) -> None:
    span = span_around(book, reach)
    assert 0 <= span.low < span.high <= ONE
    assert span.high - span.low == min(2 * reach.value * CENT, ONE)
    for middle in [book.midpoint] if book.midpoint is not None else []:
        assert span.low <= middle <= span.high


@given(prices, st.integers(1, 200))
def test_a_price_lies_between_the_edges_of_its_part(price: Micros, parts: int) -> None:
    span = Span(Micros(200_000), Micros(600_000))
    part = span.part_of(price, parts)
    if part is None:
        assert not span.low <= price <= span.high
    else:
        # An edge between two ticks is cut down.
        assert span.edge(part, parts) <= price <= span.edge(part + 1, parts) + 1


def test_a_reach_stops_at_its_ends() -> None:
    assert Reach.TEN.shifted(-1) is Reach.FIVE
    assert Reach.TWO.shifted(-1) is Reach.TWO
    assert Reach.TWENTY.shifted(5) is Reach.EVERYTHING


def book_of(*, step: int, levels: int) -> BookView:
    def side(start: int, sign: int) -> tuple[Level, ...]:
        return tuple(
            Level(Micros(start + sign * step * n), Micros(10**6)) for n in range(1, levels + 1)
        )

    return BookView(TokenId("1"), BookState.LIVE, side(500_000, -1), side(500_000, 1))


def test_the_reach_is_where_the_levels_that_matter_lie() -> None:
    assert default_reach(book_of(step=1_000, levels=200)) is Reach.TWO
    assert default_reach(book_of(step=CENT, levels=40)) is Reach.TEN
    assert default_reach(book_of(step=5 * CENT, levels=9)) is Reach.EVERYTHING
    assert default_reach(book_of(step=CENT, levels=2)) is Reach.TEN


def test_depth_is_counted_from_the_best_price_of_each_side() -> None:
    book = book_of(step=1_000, levels=50)
    assert depth_within(book, Micros(CENT)) == (11 * 10**6, 11 * 10**6)
    wide = replace(
        book, asks=tuple(replace(a, price=Micros(a.price + 5 * CENT)) for a in book.asks)
    )
    assert depth_within(wide, Micros(CENT)) == (11 * 10**6, 11 * 10**6)
    assert depth_within(replace(book, bids=(), asks=()), Micros(CENT)) == (0, 0)
