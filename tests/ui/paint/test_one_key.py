from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.book_view import BookState, BookView, Level
from pmtui.domain.ids import TokenId
from pmtui.domain.market import Side
from pmtui.domain.money import Micros
from pmtui.ui.cells import line_width
from pmtui.ui.paint.ladder_state import paint_state
from pmtui.ui.paint.one_key import paint_arming
from tests.ui.fake_surface import NOW
from tests.ui.screens.look import words

SIZE = Micros(12_500_000)


def book(state: BookState) -> BookView:
    bids = (Level(Micros(500_000), Micros(1_000_000)),)
    return BookView(TokenId("1"), state, bids, tick_size=Micros(2_500), as_of=NOW)


@pytest.mark.parametrize("state", BookState)
@pytest.mark.parametrize("is_permitted", [True, False])
def test_it_is_said_in_words_whether_keys_trade(state: BookState, *, is_permitted: bool) -> None:
    said = words(paint_arming(SIZE, book(state), is_permitted=is_permitted))
    if state.is_good:
        assert said == " ARMED 12.5 "
    else:
        assert said == (" OVERRIDE 12.5 " if is_permitted else " KEYS LOCKED ")


@given(
    state=st.sampled_from(BookState), width=st.integers(30, 120), is_permitted=st.booleans(),
    has_cursor=st.booleans(), is_held=st.booleans(),
)  # fmt: skip
def test_neither_the_words_nor_a_price_beside_them_are_ever_cut(
    state: BookState, width: int, *, is_permitted: bool, has_cursor: bool, is_held: bool
) -> None:
    shown = book(state)
    keys = paint_arming(SIZE, shown, is_permitted=is_permitted)
    line = paint_state(
        shown, NOW + timedelta(hours=11), width, keys=keys, is_held=is_held,
        cursor=(Micros(512_500), Side.BUY) if has_cursor else None,
    )  # fmt: skip
    assert line_width(line) == width
    said = words(line)
    assert words(keys) in said
    assert "51" not in said or "51.25¢" in said
    if width >= 60 and has_cursor:
        assert "enter buys 51.25¢" in said
