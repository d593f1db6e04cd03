from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Accepted, LimitIntent, OrderStatus, Rejected, Unknown, Verdict
from pmtui.service.surface import PreparedOrder
from pmtui.sim.engine.refusals import FAK_UNMATCHED
from pmtui.ui.cells import line_width
from pmtui.ui.ladder.ladder_state import paint_state
from pmtui.ui.market.paint_single_keys import describe_end, describe_sent, paint_arming
from tests.ui.fake_surface import NOW, FakeService
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
        assert said == " ARMED 12.5+ "
    else:
        assert said == (" OVERRIDE 12.5+ " if is_permitted else " KEYS LOCKED ")


@given(
    state=st.sampled_from(BookState), width=st.integers(30, 120), is_permitted=st.booleans(),
    has_cursor=st.booleans(), is_held=st.booleans(),
)  # fmt: skip
def test_neither_the_words_nor_a_price_beside_them_are_ever_cut(
    state: BookState, width: int, *, is_permitted: bool, has_cursor: bool, is_held: bool
) -> None:
    shown = book(state)
    keys = paint_arming(SIZE, shown, is_permitted=is_permitted)
    name, value = paint_state(
        shown, NOW + timedelta(hours=11), width, keys=keys, release_key="h" if is_held else "",
        cursor=(Micros(512_500), Side.BUY) if has_cursor else None,
    )  # fmt: skip
    assert line_width(name) + line_width(value) <= width
    said = words((*name, *value))
    assert words(keys).strip() in said
    assert "51" not in said or "51.25¢" in said
    if width >= 60 and has_cursor:
        assert "enter buy @ 51.25¢" in said


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (Accepted(OrderId("0x1"), OrderStatus.FILLED, Micros(0), ""), "filled. ! large: $5.00; w"),
        (Unknown(OrderId("0x1"), "no answer", since=NOW), "checking: no answer ! large: $5.00; w"),
        (Rejected("no"), "refused: no"),
    ],
)
def test_what_the_trader_wants_to_hear_of_stands_beside_the_end(
    verdict: Verdict, said: str
) -> None:
    order = FakeService().prepare_now(
        LimitIntent(ConditionId("0xa"), TokenId("1"), Side.BUY, Micros(500_000), Micros(10_000_000))
    )
    assert isinstance(order, PreparedOrder)
    warnings = ("large: $5.00", "w")
    assert describe_end(verdict, order, warnings=warnings).endswith(said)
    assert describe_sent(order, takes=False, warnings=warnings).endswith("50¢. ! large: $5.00; w")
    assert "!" not in describe_sent(order, takes=True)


@pytest.mark.parametrize(("side", "gone"), [(Side.BUY, "ask"), (Side.SELL, "bid")])
def test_a_key_that_came_too_late_says_that_nothing_was_left(side: Side, gone: str) -> None:
    order = FakeService().prepare_now(
        LimitIntent(ConditionId("0xa"), TokenId("1"), side, Micros(500_000), Micros(10_000_000))
    )
    assert isinstance(order, PreparedOrder)
    said = describe_end(Rejected(FAK_UNMATCHED.text), order, warnings=("large: $5.00",))
    assert said.endswith(f": no fill, the {gone} was gone.")
    assert "refused" not in said
