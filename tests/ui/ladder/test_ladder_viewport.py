"""Which rows are in view and what is pointed at, without a terminal."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.pilot import Pilot
from typing_extensions import override

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.books.ladder import NO_MARKS, Ghost, LadderMarks, StopMark
from pmtui.domain.conditionals.conditional import ConditionalId, Trigger
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Order, OrderStatus, TimeInForce
from pmtui.ui.ladder.ladder import LadderPane
from pmtui.ui.ladder.ladder_state import paint_beyond
from pmtui.ui.ladder.ladder_viewport import SEEING_S, Beyond, LadderViewport, RecentLadders
from tests.ui.fake_surface import NOW
from tests.ui.ladder.ladder_kit import SIZE, book, cents
from tests.ui.look import words
from tests.ui.stage import Stage, top_price
from tests.ui.wait import settle


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


@pytest.mark.parametrize("cursor", [None, 50, 49])
def test_a_line_or_two_that_come_below_the_rows_move_no_price(cursor: int | None) -> None:
    viewport = Viewport(20)
    viewport.fit()
    _ = viewport.take(book(50, 52))
    if cursor is not None:
        viewport.point_at(cents(cursor))
    top = viewport.top
    for height in (18, 17, 20):
        viewport.now = Size(50, height)
        viewport.fit()
        assert viewport.top == top
    viewport.now = Size(50, 50)
    viewport.fit()
    assert viewport.top != top


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


LONG_AGO = SEEING_S + 0.001


class _Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s

    def step(self, seconds: float) -> None:
        self.now_s += seconds


def test_a_book_is_unseen_until_a_slow_line_has_brought_its_first_picture() -> None:
    clock = _Clock()
    recent = RecentLadders(clock)
    assert not recent.is_unseen(2.0)
    recent.forget()
    assert recent.is_unseen(2.0)
    assert not recent.is_unseen(0.1)
    clock.step(2.0)
    assert not recent.is_unseen(2.0)


class _Ladder(LadderPane):
    """Hears what it posts, by a clock that is stepped."""

    lag_s = 0.0

    def __init__(self) -> None:
        super().__init__(id="ladder")
        self.clock = _Clock()
        self.viewport.recent = RecentLadders(self.clock)
        self.picked: list[tuple[Micros, Side]] = []
        self.doubts: list[str] = []

    @property
    @override
    def line_lag_s(self) -> float:
        return self.lag_s

    @override
    def post_message(self, message: Message) -> bool:
        if isinstance(message, LadderPane.LevelPicked):
            if message.doubt:
                self.doubts.append(message.doubt)
            else:
                self.picked.append((message.price, message.side))
        if isinstance(message, LadderPane.Doubted):
            self.doubts.append(message.words)
        return super().post_message(message)


@asynccontextmanager
async def on_ladder(lag_s: float = 0.0) -> AsyncIterator[tuple[_Ladder, Pilot[None], int]]:
    """Show 50 bid and 52 asked, for long; the number is that of the line on which 51¢ stands."""
    ladder = _Ladder()
    ladder.lag_s = lag_s
    async with Stage(ladder).run_test(size=SIZE) as pilot:
        ladder.show(book(50, 52))
        await settle(pilot)
        ladder.clock.step(LONG_AGO)
        yield ladder, pilot, 1 + (top_price(ladder) - cents(51)) // cents(1)


async def test_a_click_on_rows_that_had_just_moved_points_at_nothing() -> None:
    async with on_ladder() as (ladder, pilot, line):
        ladder.show(book(70, 72))
        await pilot.click("#ladder", offset=(20, line))
        await pilot.click("#ladder", offset=(20, line), times=2)
        assert ladder.cursor is None
        assert not ladder.picked
        assert ladder.doubts == ["The rows had just moved: click again."] * 3
        ladder.clock.step(LONG_AGO)
        await pilot.click("#ladder", offset=(20, line))
        assert ladder.cursor is not None
        assert ladder.cursor[0] == ladder.axis.price_at(ladder.axis.nearest(cents(71)))


@pytest.mark.parametrize("lag_s", [0.0, 1.5])
async def test_on_a_slow_line_rows_have_to_stand_for_longer(lag_s: float) -> None:
    async with on_ladder(lag_s) as (ladder, pilot, line):
        ladder.clock.step(lag_s)
        ladder.show(book(70, 72))
        ladder.clock.step(1.0)
        await pilot.click("#ladder", offset=(20, line))
        assert (ladder.cursor is None) == (lag_s > 1)


async def test_a_changed_tick_takes_no_click_meant_for_the_one_before() -> None:
    async with on_ladder() as (ladder, pilot, line):
        ladder.show(book(50, 52, tick=0.1))
        await pilot.click("#ladder", offset=(20, line + 3))
        assert ladder.cursor is None


async def test_rows_that_only_changed_their_sizes_take_clicks_at_once() -> None:
    async with on_ladder() as (ladder, pilot, line):
        ladder.show(book(50, 52, version=2))
        await pilot.click("#ladder", offset=(20, line))
        assert ladder.cursor == (cents(51), Side.BUY)
        assert not ladder.doubts


async def test_rows_moved_by_hand_take_clicks_at_once() -> None:
    async with on_ladder() as (ladder, pilot, line):
        ladder.show(book(50, 52, version=2))
        ladder.clock.step(0.01)
        assert ladder.viewport.scroll(3)
        await pilot.click("#ladder", offset=(20, line))
        assert ladder.cursor is not None
        assert ladder.cursor[0] == cents(54)


async def test_a_double_click_on_an_ask_opens_no_sale_when_the_book_passes_it() -> None:
    async with on_ladder() as (ladder, pilot, line):
        await pilot.click("#ladder", offset=(20, line - 1))
        assert ladder.cursor == (cents(52), Side.BUY)
        ladder.show(book(53, 54))
        ladder.clock.step(LONG_AGO)
        ladder.post_message(_second_click(ladder, line - 1))
        await settle(pilot)
        assert not ladder.picked
        assert ladder.doubts == ["The book just changed at 52¢; press again to sell."]


def _second_click(ladder: LadderPane, y: int) -> events.Click:
    return events.Click(ladder, 20, y, 0, 0, 1, False, False, False, 20, y, None, chain=2)


@pytest.mark.parametrize("seconds", [0.0, SEEING_S - 0.001])
async def test_enter_does_not_take_the_side_that_nobody_has_seen(seconds: float) -> None:
    async with on_ladder() as (ladder, _, _):
        ladder.point_at(cents(52))
        ladder.show(book(53, 54))
        ladder.clock.step(seconds)
        ladder.action_trade_here()
        assert not ladder.picked
        assert ladder.doubts == ["The book just changed at 52¢; press again to sell."]
        ladder.action_trade_here()
        assert ladder.picked == [(cents(52), Side.SELL)]


async def test_enter_takes_the_side_that_has_been_seen() -> None:
    async with on_ladder() as (ladder, _, _):
        ladder.point_at(cents(52))
        ladder.show(book(53, 54))
        ladder.clock.step(LONG_AGO)
        ladder.action_trade_here()
        assert ladder.picked == [(cents(52), Side.SELL)]
        assert not ladder.doubts


async def test_a_level_that_comes_and_goes_cannot_hold_enter_up() -> None:
    async with on_ladder() as (ladder, _, _):
        ladder.point_at(cents(51))
        fuller = book(50, 52)
        fuller = replace(fuller, bids=(Level(cents(51), cents(900)), *fuller.bids))
        for _ in range(3):
            ladder.show(fuller)
            ladder.show(replace(book(50, 52), version=1))
        ladder.action_trade_here()
        ladder.action_trade_here()
        assert ladder.picked == [(cents(51), Side.BUY)]


@pytest.mark.parametrize(("lag_s", "is_slow"), [(0.1, False), (2.0, True)])
async def test_on_a_slow_line_a_touch_that_got_worse_unseen_is_known(
    lag_s: float, *, is_slow: bool
) -> None:
    async with on_ladder(lag_s) as (ladder, _, _):
        ladder.clock.step(lag_s)
        ladder.show(book(48, 54))
        assert ladder.better_seen(Side.BUY, cents(54)) == (cents(52) if is_slow else None)
        assert ladder.better_seen(Side.SELL, cents(48)) == (cents(50) if is_slow else None)
        # What got better is taken as it is.
        assert ladder.better_seen(Side.BUY, cents(51)) is None
        ladder.clock.step(lag_s)
        assert ladder.better_seen(Side.BUY, cents(54)) is None


async def test_another_outcome_is_no_book_that_moved() -> None:
    async with on_ladder() as (ladder, pilot, line):
        other: BookView = replace(book(20, 22), token_id=TokenId("2"))
        ladder.show(other)
        await pilot.click("#ladder", offset=(20, line))
        assert ladder.cursor is not None
        assert not ladder.doubts


def _order(price: int, side: Side = Side.BUY) -> Order:
    return Order(
        OrderId(f"0x{price}"), ConditionId("0xa"), TokenId("1"), "Yes", side, cents(price), Micros(10**6),
        Micros(0), OrderStatus.LIVE, TimeInForce.GTC, NOW,
    )  # fmt: skip


def test_what_is_ours_out_of_view_is_counted_at_its_end_with_the_nearest_price() -> None:
    viewport = Viewport()
    stop = StopMark(ConditionalId("1"), Trigger.STOP, cents(20), Micros(10**6), is_active=True)
    orders = tuple(_order(price) for price in (50, 30, 10))
    marks = replace(NO_MARKS, ghosts=(Ghost(cents(80), Side.SELL, Micros(10**6)),))

    def take(marks: LadderMarks, orders: tuple[Order, ...]) -> None:
        _ = viewport.show(
            book(50, 52), tick=None, orders=orders, volume=(), marks=marks, other_label="",
            lag_s=0.0,
        )  # fmt: skip

    def seen() -> tuple[Beyond | None, Beyond | None]:
        return viewport.beyond

    take(marks, orders)
    assert seen() == (Beyond(1, "typed", cents(80)), Beyond(2, "mine", cents(30)))
    take(replace(marks, ghosts=(), stops=(stop,)), (orders[0],))
    assert seen() == (None, Beyond(1, "stop", cents(20)))
    take(replace(marks, ghosts=(), stops=(stop,)), orders)
    assert seen() == (None, Beyond(3, "mine", cents(30)))
    viewport.centre_on(cents(30))
    above, below = viewport.beyond
    assert above == Beyond(1, "mine", cents(50))
    assert below == Beyond(2, "mine", cents(20))
    above_forms, below_forms = paint_beyond(above, below, tick=cents(1))
    assert [words(form) for form in above_forms] == [
        "↑ 1 mine 50¢", "↑1 50¢", "↑50¢", "↑1", "↑",
    ]  # fmt: skip
    # Of several the nearest price alone would be taken for all of them.
    assert [words(form) for form in below_forms] == [
        "↓ 2 mine 20¢", "↓2 20¢", "↓2", "↓",
    ]  # fmt: skip
    assert paint_beyond(None, None, tick=cents(1)) == ((), ())
