"""Single keys without a terminal: what each sends, and why it sends nothing."""

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from textual.geometry import Size

from pmtui.domain.books.book_view import BookState
from pmtui.domain.markets.market import Side
from pmtui.domain.orders.order import LimitIntent, Rejected
from pmtui.domain.orders.single_keys import SingleKey
from pmtui.ui.market.controls.single_keys import ANSWER_WITHIN_S, KEYS_IN_TICKET, OVERRIDE_LIFE_S
from pmtui.ui.market.controls.workspace import Part
from pmtui.ui.market.paint_single_keys import ArmedKeys, RestingKeys
from tests.ui import believable
from tests.ui.market.controls.desk import Desk, cents
from tests.ui.moving_market import NO, NUMBER


def armed(*, cursor: float | None = None) -> Desk:
    desk = Desk()
    desk.set_orders()
    desk.arm()
    if cursor is not None:
        desk.ladder.point_at(cents(cursor))
    return desk


@pytest.mark.parametrize(
    ("key", "side", "price"),
    [
        (SingleKey.JOIN_BID, Side.BUY, 52), (SingleKey.JOIN_ASK, Side.SELL, 54),
        (SingleKey.IMPROVE_BID, Side.BUY, 53), (SingleKey.IMPROVE_ASK, Side.SELL, 53),
        (SingleKey.HIT_BID, Side.SELL, 52), (SingleKey.TAKE_ASK, Side.BUY, 54),
        (SingleKey.BUY_HERE, Side.BUY, 50), (SingleKey.SELL_HERE, Side.SELL, 50),
    ],
)  # fmt: skip
async def test_a_key_sends_its_price_at_once(key: SingleKey, side: Side, price: int) -> None:
    desk = armed(cursor=50)
    await desk.keys.press(key)
    (order,) = desk.placed()
    assert isinstance(order.intent, LimitIntent)
    assert (order.intent.side, order.intent.price) == (side, cents(price))
    assert desk.said.startswith("Sent ")
    await desk.page.finish()


async def test_a_key_that_is_not_armed_sends_nothing() -> None:
    desk = Desk()
    await desk.keys.press(SingleKey.JOIN_BID)
    assert not desk.placed()
    assert desk.said == "Not armed: v to arm."


async def test_a_key_held_down_sends_once() -> None:
    desk = armed()
    await desk.keys.press(SingleKey.JOIN_BID)
    await desk.keys.press(SingleKey.JOIN_BID)
    assert len(desk.placed()) == 1
    desk.service.at += timedelta(seconds=1)
    await desk.keys.press(SingleKey.JOIN_BID)
    assert len(desk.placed()) == 2
    await desk.page.finish()


async def test_a_key_pressed_again_trades_while_the_recorded_time_stands_still() -> None:
    desk = armed()
    await desk.keys.press(SingleKey.JOIN_BID)
    desk.service.waited_s += 1
    await desk.keys.press(SingleKey.JOIN_BID)
    assert len(desk.placed()) == 2
    await desk.page.finish()


async def test_a_book_that_may_be_wrong_locks_keys_until_one_is_permitted() -> None:
    desk = armed()
    desk.set_state(BookState.STALE)
    await desk.keys.press(SingleKey.JOIN_BID)
    assert not desk.placed()
    desk.keys.override()
    assert desk.said.startswith("OVERRIDE")
    desk.service.at += timedelta(seconds=OVERRIDE_LIFE_S / 2)
    await desk.keys.press(SingleKey.JOIN_ASK)
    assert len(desk.placed()) == 1
    desk.service.at += timedelta(seconds=1)
    await desk.keys.press(SingleKey.JOIN_BID)
    assert len(desk.placed()) == 1
    await desk.page.finish()


async def test_a_permission_runs_out() -> None:
    desk = armed()
    desk.set_state(BookState.STALE)
    desk.keys.override()
    desk.service.at += timedelta(seconds=OVERRIDE_LIFE_S)
    await desk.keys.press(SingleKey.JOIN_BID)
    assert not desk.placed()


async def test_a_permission_runs_out_while_the_recorded_time_stands_still() -> None:
    desk = armed()
    desk.set_state(BookState.STALE)
    desk.keys.override()
    desk.service.waited_s += OVERRIDE_LIFE_S
    await desk.keys.press(SingleKey.JOIN_BID)
    assert not desk.placed()


async def test_keys_rest_while_an_order_is_moved() -> None:
    desk = Desk()
    desk.arm()
    desk.ladder.point_at(cents(49))
    await desk.moving.move()
    await desk.keys.press(SingleKey.JOIN_BID)
    assert not desk.placed()
    assert desk.said == "An order is being moved: finish that first."


async def test_a_key_that_would_meet_an_own_order_says_which_key_clears_it() -> None:
    desk = armed()
    desk.set_orders(believable.order(1, NUMBER, side=Side.SELL, price=0.54, size=10))
    await desk.keys.press(SingleKey.TAKE_ASK)
    assert not desk.placed()
    assert desk.said.endswith(": ) pulls asks.")


async def test_a_price_that_is_gone_is_taken_only_when_the_key_is_pressed_again() -> None:
    desk = armed()
    desk.ladder.seen = cents(53)
    await desk.keys.press(SingleKey.TAKE_ASK)
    assert not desk.placed()
    assert desk.said == "Not sent: 53¢ is gone, now 54¢; press again to take it."
    desk.service.at += timedelta(seconds=1)
    await desk.keys.press(SingleKey.TAKE_ASK)
    assert len(desk.placed()) == 1
    await desk.page.finish()


async def test_a_key_that_waited_behind_others_sends_nothing_and_disarms() -> None:
    desk = armed()
    desk.ladder.key_late_s = 23.0
    for press in (partial(desk.keys.press, SingleKey.JOIN_BID), desk.keys.flatten):
        await press()
    assert not desk.placed()
    assert not desk.service.calls_of("flatten")
    assert ("this key waited 23 s behind others",) in desk.service.calls_of("disarm")


@pytest.mark.parametrize("is_permitted", [False, True])
async def test_a_key_on_a_line_that_stood_still_sends_nothing_and_disarms(
    *, is_permitted: bool
) -> None:
    desk = armed()
    desk.set_state(BookState.STALE if is_permitted else BookState.LIVE)
    if is_permitted:
        desk.keys.override()
    desk.ladder.line_stood_still_s = 39.0
    for press in (
        partial(desk.keys.press, SingleKey.TAKE_ASK), partial(desk.keys.press, SingleKey.BUY_HERE),
        desk.keys.flatten,
    ):  # fmt: skip
        await press()
        assert desk.said == "Not sent: this line stood still for 39 s. Disarmed: v to arm."
    desk.keys.override()
    assert desk.said.startswith("Not sent")
    assert not desk.placed()
    assert not desk.service.calls_of("flatten")
    assert ("this line stood still for 39 s",) in desk.service.calls_of("disarm")


async def test_a_key_pressed_before_the_ladder_was_on_the_screen_sends_nothing() -> None:
    desk = armed()
    desk.ladder.is_unseen = True
    await desk.keys.press(SingleKey.TAKE_ASK)
    assert not desk.placed()
    assert desk.said == "Not sent: the ladder was not on your screen yet; press again."
    desk.ladder.is_unseen = False
    desk.service.at += timedelta(seconds=1)
    await desk.keys.press(SingleKey.TAKE_ASK)
    assert len(desk.placed()) == 1
    await desk.page.finish()


async def test_an_order_that_a_slow_service_prepared_too_late_is_not_sent() -> None:
    desk = armed()
    desk.service.prepares_for_s = ANSWER_WITHIN_S
    await desk.keys.press(SingleKey.TAKE_ASK)
    assert not desk.placed()
    assert desk.said == "Not sent: the service took 2 s to answer; press again."


async def test_an_order_that_the_service_refuses_says_why() -> None:
    desk = armed()
    desk.service.refusal = Rejected("over your limit")
    await desk.keys.press(SingleKey.JOIN_BID)
    assert not desk.placed()
    assert desk.said == "Not sent: over your limit."


async def test_arming_is_the_services_to_permit() -> None:
    desk = Desk()
    desk.service.arm_refusal = "the trading host is down"
    await desk.keys.toggle_arming()
    assert desk.said == "Not armed: the trading host is down."
    desk.service.arm_refusal = ""
    await desk.keys.toggle_arming()
    assert desk.said.startswith("ARMED 5")
    assert Part.STATUS in desk.page.shown


async def test_a_screen_that_shows_too_little_neither_arms_nor_stays_armed() -> None:
    desk = Desk()
    desk.page.size = Size(70, 20)
    await desk.keys.toggle_arming()
    assert not desk.service.calls_of("arm")
    desk.arm()
    assert len(desk.service.calls_of("disarm")) == 1


def test_a_preset_changes_the_size_of_the_next_order() -> None:
    desk = armed()
    presets = desk.workspace.surface.options.presets
    desk.keys.choose_preset(2)
    assert desk.keys.preset == presets[1]
    desk.keys.choose_preset(len(presets) + 1)
    assert desk.keys.preset == presets[1]
    assert desk.said.startswith("Only ")


async def test_what_is_typed_for_a_form_that_did_not_open_is_no_order() -> None:
    desk = armed()
    desk.line.refuse_form("No position in this outcome to protect.")
    desk.keys.choose_preset(2)
    await desk.keys.press(SingleKey.JOIN_BID)
    assert desk.keys.preset == desk.workspace.surface.options.presets[0]
    assert not desk.placed()
    # No field takes a capital letter.
    await desk.keys.press(SingleKey.HIT_BID)
    assert len(desk.placed()) == 1
    await desk.page.finish()


async def test_the_whole_position_is_sold_without_a_question() -> None:
    desk = armed()
    await desk.keys.flatten()
    assert not desk.page.asked
    (order,) = desk.placed("flatten")
    assert order.size == desk.service.account_view.positions[0].size // 10_000 * 10_000
    await desk.page.finish()


async def test_flattening_sells_the_net_position_and_leaves_pairs() -> None:
    desk = armed()
    desk.set_orders()
    desk.hold(yes=100, no=101.58)
    offered = desk.keys.dials(desk.reader.read())
    assert isinstance(offered, ArmedKeys)
    assert offered.held == cents(158)
    await desk.keys.flatten()
    (order,) = desk.placed("flatten")
    assert (order.intent.token_id, order.intent.side, order.size) == (NO, Side.SELL, cents(158))
    assert "100 pairs stay: p M merges them" in desk.said
    await desk.page.finish()


async def test_pairs_alone_are_not_sold() -> None:
    desk = armed()
    desk.set_orders()
    desk.hold(yes=100, no=100)
    offered = desk.keys.dials(desk.reader.read())
    assert isinstance(offered, ArmedKeys)
    assert (offered.held, offered.closing) == (0, None)
    await desk.keys.flatten()
    assert not desk.placed("flatten")
    assert "100 pairs stay: p M merges them" in desk.said


async def test_one_side_is_cancelled_armed_or_not() -> None:
    desk = Desk()
    desk.keys.cancel_side(Side.BUY)
    ((ids,),) = desk.service.calls_of("cancel")
    bids = [o.order_id for o in desk.service.account_view.open_orders if o.side is Side.BUY]
    assert sorted(ids) == sorted(bids)  # type: ignore[call-overload]
    await desk.page.finish()
    desk.set_orders()
    desk.keys.cancel_side(Side.SELL)
    assert desk.said == "No working orders on the ask side."


@pytest.mark.parametrize("is_armed", [True, False])
def test_the_ticket_is_said_to_have_the_keys(is_armed: bool) -> None:
    desk = armed() if is_armed else Desk()
    desk.keys.explain_ticket_has_keys()
    assert desk.said.startswith(KEYS_IN_TICKET[0] if is_armed else KEYS_IN_TICKET[1])
    desk.line.take_back(*KEYS_IN_TICKET)
    assert not desk.said


def test_another_market_takes_a_permission_away() -> None:
    desk = armed()
    desk.set_state(BookState.STALE)
    desk.keys.override()
    desk.keys.forget()
    (cell,) = desk.keys.state_line(desk.reader.read())
    assert "LOCKED" in cell.text


def test_a_market_that_ends_disarms() -> None:
    desk = armed()
    desk.keys.follow(desk.reader.read())
    assert not desk.service.calls_of("disarm")
    (condition_id, view), *_ = desk.service.markets.items()
    assert view.market is not None
    desk.service.markets[condition_id] = replace(view, market=replace(view.market, closed=True))
    desk.keys.follow(desk.reader.read())
    assert desk.service.calls_of("disarm") == [("the market has ended",)]


def test_a_market_that_is_over_says_that_its_keys_are_off() -> None:
    desk = armed()
    (condition_id, view), *_ = desk.service.markets.items()
    assert view.market is not None
    desk.service.markets[condition_id] = replace(view, market=replace(view.market, closed=True))
    (cell,) = desk.keys.state_line(desk.reader.read())
    assert "KEYS OFF HERE" in cell.text
    assert isinstance(desk.keys.dials(desk.reader.read()), RestingKeys)
