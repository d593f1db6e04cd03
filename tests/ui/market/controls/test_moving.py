"""Moving own orders: picked up by id, taken to a price, and let go of when they end."""

from dataclasses import replace

from pmtui.domain.books.book_view import BookState
from pmtui.domain.conditionals.conditional import Trigger
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import LimitIntent, MoveEnd, MoveVerdict
from pmtui.service.orders.moving import NOT_REPLACED
from pmtui.service.surface import PreparedOrder
from pmtui.ui.account.action_cards import MoveCard
from pmtui.ui.market.controls.workspace import Part
from pmtui.ui.question import QuestionScreen
from pmtui.ui.ticket.confirm import ConfirmScreen
from tests.ui import believable
from tests.ui.market.controls.desk import Desk, cents
from tests.ui.market.controls.test_own_orders import watch_stop
from tests.ui.moving_market import NO, NUMBER


async def picked_up(price: float = 49) -> Desk:
    desk = Desk()
    desk.ladder.point_at(cents(price))
    await desk.moving.move()
    return desk


def moving_text(desk: Desk) -> str:
    return "".join(cell.text for cell in desk.moving.state_line(desk.reader.read()))


async def test_an_order_is_moved_to_another_price_after_its_card() -> None:
    desk = await picked_up()
    assert desk.moving.is_moving
    assert {Part.FOOTER, Part.STATE} <= {*desk.page.shown}
    desk.ladder.point_at(cents(50))
    assert moving_text(desk).rstrip().endswith("to 50¢")
    await desk.moving.move_to(cents(50))
    assert isinstance(desk.page.asked[0], MoveCard)
    await desk.page.answer(False)
    assert desk.moving.is_moving
    assert not desk.service.calls_of("move")
    await desk.page.answer(True)
    ((old, new),) = desk.service.calls_of("move")
    assert old == desk.order(0).order_id
    assert getattr(new, "price", None) == cents(50)
    assert not desk.moving.is_moving
    await desk.page.finish()
    assert desk.said == "Moved."


async def test_digits_give_an_order_another_size_with_one_replacement() -> None:
    desk = await picked_up()
    for key in ("1", "2", "9", "backspace", ".", "5"):
        assert desk.moving.type_size(key)
    assert moving_text(desk).endswith("size 12.5▏")
    await desk.moving.move_to(cents(49))
    await desk.page.answer(True)
    ((old, new),) = desk.service.calls_of("move")
    assert old == desk.order(0).order_id
    assert isinstance(new, PreparedOrder)
    assert (new.price, new.size) == (cents(49), Micros(12_500_000))
    await desk.page.finish()


async def test_what_is_typed_that_is_no_size_moves_nothing() -> None:
    desk = await picked_up()
    for key in "1..":
        assert desk.moving.type_size(key)
    await desk.moving.move_to(cents(50))
    assert desk.said == "Not moved: 1.. is no size."
    assert not desk.page.asked
    desk.moving.drop()
    assert not desk.moving.type_size("1")


async def test_a_stop_keeps_its_size() -> None:
    desk = Desk()
    watch_stop(desk)
    desk.ladder.point_at(cents(45))
    await desk.moving.move()
    assert desk.moving.type_size("5")
    assert desk.said.startswith("The size of a stop stays")


async def test_an_order_is_moved_without_a_card_while_armed() -> None:
    desk = await picked_up()
    desk.arm()
    await desk.moving.move_to(cents(50))
    assert not desk.page.asked
    assert len(desk.service.calls_of("move")) == 1
    await desk.page.finish()


async def test_a_move_that_crosses_asks_though_armed() -> None:
    desk = await picked_up()
    desk.arm()
    await desk.moving.move_to(cents(54))
    assert isinstance(desk.page.asked[0], MoveCard)


async def test_a_move_on_a_line_that_stood_still_asks_and_disarms() -> None:
    desk = await picked_up()
    desk.arm()
    desk.ladder.line_stood_still_s = 39.0
    await desk.moving.move_to(cents(50))
    assert isinstance(desk.page.asked[0], MoveCard)
    assert ("this line stood still for 39 s",) in desk.service.calls_of("disarm")
    assert not desk.service.calls_of("move")


async def test_what_is_put_back_is_pointed_at_again() -> None:
    desk = await picked_up()
    desk.ladder.point_at(cents(50))
    desk.moving.drop()
    assert desk.ladder.cursor is not None
    assert desk.ladder.cursor[0] == cents(49)
    assert desk.said == "Nothing was moved."
    assert moving_text(desk) == ""
    await desk.moving.move()
    assert desk.moving.is_moving


async def test_an_order_that_ends_is_moved_no_more() -> None:
    desk = await picked_up()
    desk.set_orders()
    desk.moving.follow(desk.reader.read())
    assert not desk.moving.is_moving
    assert desk.said == "The order you were moving has ended."


async def test_another_outcome_on_show_ends_a_move() -> None:
    desk = await picked_up()
    desk.reader.outcome_index = 1
    assert desk.reader.token_id == NO
    desk.moving.follow(desk.reader.read())
    assert not desk.moving.is_moving


async def test_an_order_in_doubt_cannot_be_picked_up() -> None:
    desk = await picked_up(60)
    assert not desk.moving.is_moving
    assert desk.said.startswith("Cannot be moved")
    assert "being checked" in desk.said


async def test_where_no_order_rests_there_is_nothing_to_move() -> None:
    desk = await picked_up(50)
    assert not desk.moving.is_moving
    assert desk.said == "No order of yours at 50¢."


async def test_the_order_chosen_in_the_list_is_picked_up() -> None:
    desk = Desk()
    desk.listed.has_focus, desk.listed.selected = True, desk.order(2)
    await desk.moving.move()
    assert desk.moving.is_moving
    assert desk.ladder.is_focused
    assert desk.ladder.cursor is not None
    assert desk.ladder.cursor[0] == cents(57)


async def test_a_stop_is_moved_after_a_question() -> None:
    desk = Desk()
    watch_stop(desk)
    desk.ladder.point_at(cents(45))
    await desk.moving.move()
    await desk.moving.move_to(cents(46))
    assert isinstance(desk.page.asked[0], QuestionScreen)
    await desk.page.answer(True)
    assert desk.service.calls_of("move_conditional") == [("c1", Trigger.STOP, cents(46))]
    assert not desk.moving.is_moving


LONG_REASON = "refused: invalid post-only order: order crosses book, and it said so at some length"


async def test_what_a_move_left_out_is_offered_again_once() -> None:
    desk = await picked_up()
    await desk.moving.move_to(cents(50))
    intent = next(a[0] for a in desk.service.calls_of("prepare"))
    assert isinstance(intent, LimitIntent)
    desk.service.move_verdicts = [
        MoveVerdict(MoveEnd.NOT_REPLACED, f"{NOT_REPLACED}: {LONG_REASON}", left_out=intent)
    ]
    await desk.page.answer(True)
    await desk.page.finish()
    assert desk.said == f"{NOT_REPLACED} (e to retry): {LONG_REASON}"
    # What rests of ours on the other side by now would be met by it.
    mine = believable.order(9, NUMBER, side=Side.SELL, price=0.48, size=10)
    desk.set_orders(*desk.service.account_view.open_orders, mine)
    await desk.moving.move()
    card = desk.page.asked[-1]
    assert isinstance(card, ConfirmScreen)
    assert any("your SELL 10 Yes" in warning for warning in card._occasion.warnings)
    await desk.page.answer(True)
    assert [order.intent for order in desk.placed()] == [intent]
    await desk.page.finish()
    desk.ladder.clear_cursor()
    await desk.moving.move()
    assert desk.said == "Put the cursor on one of your orders first."


async def test_a_market_without_terms_lets_nothing_be_picked_up() -> None:
    desk = Desk()
    (condition_id, view), *_ = desk.service.markets.items()
    desk.service.markets[condition_id] = replace(view, terms=None)
    desk.ladder.point_at(cents(49))
    await desk.moving.move()
    assert not desk.moving.is_moving
    assert desk.said == "The trading terms are loading."


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


async def test_ticks_across_the_spread_ask_and_are_refused_while_armed() -> None:
    for is_armed in (False, True):
        desk = desk_at(is_armed=is_armed)
        for _ in range(5):
            desk.nudging.nudge(1)
        await settle(desk)
        assert moved_to(desk) == []
        assert [isinstance(each, MoveCard) for each in desk.page.asked] == [True] * (not is_armed)
        if is_armed:
            # No card takes the keys that follow, and they find the order where it is.
            assert desk.said == "Not moved: it would cross the spread; e moves with a card."
            assert desk.ladder.cursor is not None
            assert desk.ladder.cursor[0] == cents(49)
            assert len(desk.service.calls_of("log_refusal")) == 1


async def test_ticks_on_a_book_that_may_be_wrong_are_refused_while_armed() -> None:
    desk = desk_at()
    desk.set_state(BookState.STALE)
    desk.nudging.nudge(1)
    await settle(desk)
    assert desk.page.asked == []
    assert desk.said.startswith("Not moved: the book is stale")


async def test_ticks_on_a_line_that_stood_still_are_refused_and_disarm() -> None:
    desk = desk_at()
    desk.ladder.line_stood_still_s = 39.0
    desk.nudging.nudge(1)
    await settle(desk)
    assert desk.page.asked == []
    assert "this line stood still for 39 s" in desk.said
    assert ("this line stood still for 39 s",) in desk.service.calls_of("disarm")
    assert moved_to(desk) == []


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
    desk.page.are_keys_locked = True
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
