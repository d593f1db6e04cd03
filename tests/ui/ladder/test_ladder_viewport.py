"""Which rows are in view and what is pointed at, without a terminal."""

from textual.geometry import Size

from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.books.ladder import NO_MARKS
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Side
from pmtui.ui.ladder.ladder_viewport import LadderViewport
from tests.ui.ladder.test_ladder import book, cents


class Viewport(LadderViewport):
    """Twelve rows, ten of them prices and one the titles'."""

    def __init__(self, height: int = 12) -> None:
        self.now = Size(50, height)
        super().__init__(lambda: self.now)

    def take(self, shown: BookView) -> bool:
        return self.show(
            shown, tick=None, orders=(), volume=(), marks=NO_MARKS, other_label="", lag_s=0.0
        )


def test_a_price_pointed_at_stays_while_the_book_moves() -> None:
    viewport = Viewport()
    _ = viewport.take(book(50, 52))
    viewport.point_at(cents(48))
    _ = viewport.take(book(40, 42, version=2))
    assert viewport.pointed_at == (cents(48), Side.SELL)


def test_nothing_is_pointed_at_before_there_is_a_book() -> None:
    viewport = Viewport()
    assert viewport.stepped(1) is None
    _ = viewport.take(BookView(TokenId("1"), BookState.LOADING))
    assert viewport.stepped(1) is None
    assert not viewport.scroll(3)


def test_the_first_step_lands_on_the_touch_in_its_direction() -> None:
    viewport = Viewport()
    _ = viewport.take(book(50, 52))
    assert viewport.stepped(1) == cents(52)
    assert viewport.stepped(-1) == cents(50)
    viewport.point_at(cents(50))
    assert viewport.stepped(-1) == cents(49)


def test_the_axis_follows_the_spread_unless_it_is_held() -> None:
    viewport = Viewport()
    _ = viewport.take(book(50, 52))
    top = viewport.top
    viewport.hold()
    _ = viewport.take(book(80, 82, version=2))
    assert viewport.top == top
    assert viewport.spread_is == "above"
    viewport.hold()
    assert viewport.spread_is == ""


def test_a_line_has_the_price_that_it_shows() -> None:
    viewport = Viewport()
    _ = viewport.take(book(50, 52))
    assert viewport.top is not None
    first = viewport.axis.price_at(viewport.top)
    assert viewport.price_at_line(0) is None
    assert viewport.price_at_line(1) == first
    assert viewport.price_at_line(2) == first - viewport.axis.tick
    assert viewport.price_at_line(99) is None


def test_another_tick_is_told_of() -> None:
    viewport = Viewport()
    assert not viewport.take(book(50, 52))
    assert viewport.take(book(50, 52, tick=0.1))


def test_rows_moved_by_hand_are_known_to_have_moved() -> None:
    viewport = Viewport()
    _ = viewport.take(book(50, 52))
    _ = viewport.take(book(55, 57, version=2))
    assert viewport.scroll(3)
    price = viewport.price_at_line(4)
    assert price is not None
    assert not viewport.was_other_price(4, price, 0.0)


def test_the_cursor_is_in_view_after_a_change_of_size() -> None:
    viewport = Viewport(30)
    _ = viewport.take(book(50, 52))
    viewport.point_at(cents(40))
    viewport.now = Size(50, 8)
    viewport.fit()
    lines = [viewport.price_at_line(y) for y in range(1, 8)]
    assert cents(40) in lines
