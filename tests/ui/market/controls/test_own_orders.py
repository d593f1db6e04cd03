"""Which own orders a key means, and cancelling them, without a terminal."""

from dataclasses import replace
from datetime import timedelta

from pmtui.domain.conditionals.conditional import ConditionalId, ConditionalOrder, Trigger
from pmtui.domain.markets.market import Side
from tests.ui import believable
from tests.ui.fake_surface import NOW
from tests.ui.market.controls.desk import Desk, cents
from tests.ui.moving_market import CONDITION, NO, NUMBER, YES

STOP = ConditionalOrder(
    conditional_id=ConditionalId("c1"), condition_id=CONDITION, token_id=YES, outcome="Yes",
    title="Rates", size=cents(4_000), stop=cents(45), take_profit=None, give_way=cents(1),
    created_at=NOW - timedelta(hours=1),
)  # fmt: skip


def watch_stop(desk: Desk) -> None:
    desk.service.account_view = replace(desk.service.account_view, conditionals=(STOP,))


async def test_the_order_at_the_cursor_is_cancelled_and_its_end_is_said() -> None:
    desk = Desk()
    desk.ladder.point_at(cents(49))
    desk.own.cancel()
    assert desk.service.calls_of("cancel") == [((desk.order(0).order_id,),)]
    assert desk.said.startswith("Cancelling 1 order at 49")
    await desk.page.finish()
    assert desk.said.endswith("at 49¢.")


async def test_the_order_chosen_in_the_list_goes_before_the_cursor() -> None:
    desk = Desk()
    desk.ladder.point_at(cents(49))
    desk.listed.has_focus, desk.listed.selected = True, desk.order(2)
    desk.own.cancel()
    assert desk.service.calls_of("cancel") == [((desk.order(2).order_id,),)]
    await desk.page.finish()


def test_a_price_without_orders_is_named_until_the_cursor_leaves_it() -> None:
    desk = Desk()
    desk.ladder.point_at(cents(30))
    desk.own.cancel()
    assert desk.said == "No order of yours at 30¢."
    desk.own.cursor_moved()
    assert desk.said
    desk.ladder.point_at(cents(31))
    desk.own.cursor_moved()
    assert not desk.said
    assert not desk.service.calls_of("cancel")


async def test_a_stop_alone_on_its_row_is_cancelled() -> None:
    desk = Desk()
    watch_stop(desk)
    desk.ladder.point_at(cents(45))
    desk.own.cancel()
    await desk.page.finish()
    assert desk.service.calls_of("cancel_conditional") == [("c1", Trigger.STOP)]


async def test_a_stop_that_shares_its_row_with_an_order_stays() -> None:
    desk = Desk()
    watch_stop(desk)
    desk.set_orders(believable.order(1, NUMBER, price=0.45, size=250))
    desk.ladder.point_at(cents(45))
    desk.own.cancel()
    assert not desk.service.calls_of("cancel_conditional")
    await desk.page.finish()
    assert desk.said.endswith("The stop there stays active.")


def test_an_order_of_the_list_is_shown_on_the_ladder_of_its_outcome_only() -> None:
    desk = Desk()
    desk.own.show(desk.order(1))
    assert desk.ladder.cursor == (cents(47), Side.BUY)
    assert desk.ladder.is_focused
    desk.own.show(replace(desk.order(0), token_id=NO))
    assert desk.said == "That order is in the other outcome: flip to see it."
