from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, Micros
from pmtui.domain.orders.own_orders import ticks_away
from tests.ui import believable

TICK = Micros(10_000)
cents = st.integers(1, 99).map(lambda n: Micros(n * 10_000))


@given(cents, cents, st.sampled_from(Side))
def test_the_way_to_the_touch_is_whole_ticks_and_never_negative(
    price: Micros, best: Micros, side: Side
) -> None:
    order = replace(believable.order(1, side=side), price=price)
    level = (Level(best, ONE),)
    book = BookView(order.token_id, BookState.LIVE, level, level)
    away = ticks_away(order, book, TICK)
    assert away is not None
    behind = best - price if side is Side.BUY else price - best
    assert away == max(behind // TICK, 0)


def test_a_book_that_proves_nothing_tells_no_distance() -> None:
    order = believable.order(1)
    level = (Level(order.price, ONE),)
    book = BookView(order.token_id, BookState.LIVE, level, level)
    assert ticks_away(order, book, TICK) == 0
    assert ticks_away(order, book, None) is None
    assert ticks_away(order, replace(book, bids=()), TICK) is None
    assert ticks_away(order, replace(book, state=BookState.STALE), TICK) is None
