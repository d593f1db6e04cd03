"""Nudging: keys add up, one replacement goes out, and only armed keys do without a card."""

from pmtui.domain.books.book_view import BookState
from pmtui.ui.account.action_cards import MoveCard
from tests.ui.market.controls.desk import Desk, cents
from tests.ui.moving_market import NO


def desk_at(price: float = 49, *, is_armed: bool = True) -> Desk:
    desk = Desk()
    if is_armed:
        desk.arm()
    desk.ladder.point_at(cents(price))
    return desk


async def settle(desk: Desk) -> None:
    """Let every pause end, and wait for what goes out."""
    for callback in desk.page.timers:
        callback()
    desk.page.timers.clear()
    await desk.page.finish()


def moved_to(desk: Desk) -> list[object]:
    return [getattr(new, "price", None) for _, new in desk.service.calls_of("move")]


async def test_three_keys_are_one_move_of_three_ticks() -> None:
    desk = desk_at()
    for _ in range(3):
        desk.nudging.nudge(-1)
    assert desk.said == "Move 1 order 49¢ → 46¢"
    assert desk.ladder.cursor is not None
    assert desk.ladder.cursor[0] == cents(46)
    await settle(desk)
    assert moved_to(desk) == [cents(46)]
    assert desk.page.asked == []
    assert desk.said == "Moved."


async def test_without_arming_a_card_comes_first() -> None:
    desk = desk_at(is_armed=False)
    desk.nudging.nudge(1)
    await settle(desk)
    assert isinstance(desk.page.asked[0], MoveCard)
    assert moved_to(desk) == []
    await desk.page.answer(True)
    await desk.page.finish()
    assert moved_to(desk) == [cents(50)]


async def test_a_price_that_crosses_is_asked_about_even_while_armed() -> None:
    desk = desk_at()
    for _ in range(5):
        desk.nudging.nudge(1)
    await settle(desk)
    assert isinstance(desk.page.asked[0], MoveCard)
    assert moved_to(desk) == []


async def test_a_book_that_may_be_wrong_is_asked_about() -> None:
    desk = desk_at()
    desk.set_state(BookState.STALE)
    desk.nudging.nudge(1)
    await settle(desk)
    assert isinstance(desk.page.asked[0], MoveCard)


async def test_back_and_forth_sends_nothing() -> None:
    desk = desk_at()
    desk.nudging.nudge(1)
    desk.nudging.nudge(-1)
    await settle(desk)
    assert moved_to(desk) == []
    assert desk.said.startswith("Back where it was")


async def test_another_market_takes_the_move_away() -> None:
    desk = desk_at()
    desk.nudging.nudge(1)
    desk.nudging.forget()
    await settle(desk)
    assert moved_to(desk) == []


async def test_a_price_without_orders_and_keys_of_a_ticket_move_nothing() -> None:
    desk = desk_at(51)
    desk.nudging.nudge(1)
    assert "51" in desk.said
    desk.page.do_keys_rest = True
    desk.ladder.point_at(cents(49))
    desk.nudging.nudge(1)
    await settle(desk)
    assert desk.service.calls_of("move") == []
    assert desk.page.asked == []


async def test_the_outcome_on_show_has_to_stay_the_same() -> None:
    desk = desk_at()
    desk.nudging.nudge(1)
    desk.reader.outcome_index = 1
    assert desk.reader.token_id == NO
    await settle(desk)
    assert moved_to(desk) == []
