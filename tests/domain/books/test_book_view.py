from dataclasses import replace

import pytest

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.ids import TokenId
from pmtui.domain.money import Micros

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
