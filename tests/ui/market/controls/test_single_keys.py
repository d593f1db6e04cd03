"""Single keys without a terminal: what each sends, and why it sends nothing."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from textual.geometry import Size

from pmtui.domain.books.book_view import BookState
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, Micros
from pmtui.domain.orders.limits import EntryRules, Limits
from pmtui.domain.orders.order import (
    Accepted,
    LimitIntent,
    Order,
    OrderStatus,
    Rejected,
    TimeInForce,
    Unknown,
    Verdict,
)
from pmtui.domain.orders.single_keys import SingleKey
from pmtui.service.surface import PreparedOrder
from pmtui.ui.market.controls.single_keys import (
    ANSWER_WITHIN_S,
    KEYS_IN_TICKET,
    OVERRIDE_LIFE_S,
    SingleKeys,
)
from pmtui.ui.market.controls.workspace import Part
from pmtui.ui.market.paint_single_keys import ArmedKeys, KeyOrder, RestingKeys
from tests.ui import believable
from tests.ui.fake_surface import NOW, READ_ONLY_STATUS
from tests.ui.market.controls.desk import Desk, cents
from tests.ui.moving_market import CONDITION, NO, NUMBER, YES


def armed(*, cursor: float | None = None) -> Desk:
    desk = Desk()
    desk.set_orders()
    desk.arm()
    if cursor is not None:
        desk.ladder.point_at(cents(cursor))
    return desk


ALL_KEYS: tuple[Callable[[SingleKeys], Awaitable[None]], ...] = (
    *(partial(SingleKeys.press, key=key) for key in SingleKey),
    SingleKeys.flatten,
)


def close_market(desk: Desk) -> None:
    (condition_id, view), *_ = desk.service.markets.items()
    assert view.market is not None
    desk.service.markets[condition_id] = replace(view, market=replace(view.market, closed=True))


async def says_of_all(desk: Desk, said: str, *, of_override: bool = True) -> None:
    """Press every key that would trade, and the override: each says that, and sends nothing."""
    for press in ALL_KEYS:
        desk.line.show("")
        await press(desk.keys)
        assert desk.said == said, press
    if of_override:
        desk.line.show("")
        desk.keys.override()
        assert desk.said == said
    assert not {call.name for call in desk.service.calls} & {"place", "flatten", "prepare"}


@pytest.mark.parametrize(
    ("key", "side", "price", "time_in_force", "is_post_only"),
    [
        (SingleKey.BUY_HERE, Side.BUY, 53, TimeInForce.GTC, False),
        (SingleKey.SELL_HERE, Side.SELL, 53, TimeInForce.GTC, False),
        (SingleKey.JOIN_BID, Side.BUY, 52, TimeInForce.GTC, True),
        (SingleKey.JOIN_ASK, Side.SELL, 54, TimeInForce.GTC, True),
        (SingleKey.IMPROVE_BID, Side.BUY, 53, TimeInForce.GTC, True),
        (SingleKey.IMPROVE_ASK, Side.SELL, 53, TimeInForce.GTC, True),
        (SingleKey.HIT_BID, Side.SELL, 52, TimeInForce.FAK, False),
        (SingleKey.TAKE_ASK, Side.BUY, 54, TimeInForce.FAK, False),
    ],
)
async def test_each_key_sends_its_order_and_tells_how_it_ended(
    key: SingleKey, side: Side, price: int, time_in_force: TimeInForce, *, is_post_only: bool
) -> None:
    desk = armed(cursor=53)
    desk.keys.choose_preset(2)
    await desk.keys.press(key)
    (order,) = desk.placed()
    assert order.intent == LimitIntent(
        condition_id=CONDITION, token_id=YES, side=side, price=cents(price),
        size=Micros(10_000_000), time_in_force=time_in_force, is_post_only=is_post_only,
    )  # fmt: skip
    what, is_taking = f"{side.value} 10 Yes @ {price}¢", time_in_force is TimeInForce.FAK
    assert desk.said == f"Sent {what}{' (taker)' if is_taking else ''}."
    # Once by the key that chose the size, once by the one that traded.
    assert len(desk.service.calls_of("touch_arming")) == 2
    if is_taking:
        order_id = order.unsigned.order_id
        desk.service.verdicts = [Accepted(order_id, OrderStatus.FILLED, Micros(10_000_000), "")]
    await desk.page.finish()
    assert (f"{what} filled." if is_taking else f"Working: {what}.") in desk.said


async def test_an_order_at_the_cursor_that_takes_says_so() -> None:
    desk = armed(cursor=54)
    await desk.keys.press(SingleKey.BUY_HERE)
    assert desk.said == "Sent BUY 5 Yes @ 54¢ (taker)."
    await desk.page.finish()


async def test_the_price_is_the_cursors_whatever_the_book_does() -> None:
    desk = armed(cursor=51)
    book = desk.service.books[YES]
    desk.service.books[YES] = replace(book, bids=book.bids[8:], version=book.version + 1)
    await desk.keys.press(SingleKey.BUY_HERE)
    assert [order.price for order in desk.placed()] == [cents(51)]
    await desk.page.finish()


async def test_several_may_be_on_their_way_and_each_end_names_its_order() -> None:
    desk = armed(cursor=50)
    for key in (SingleKey.BUY_HERE, SingleKey.IMPROVE_BID, SingleKey.JOIN_BID):
        await desk.keys.press(key)
    assert [order.price for order in desk.placed()] == [cents(50), cents(53), cents(52)]
    await desk.page.finish()
    assert "Working: BUY 5 Yes @ 52¢." in desk.said


def accepted(status: OrderStatus, filled: int, text: str = "") -> Accepted:
    return Accepted(believable.order(1).order_id, status, Micros(filled * 1_000_000), text)


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (accepted(OrderStatus.FILLED, 5), "BUY 5 Yes @ 50¢ filled."),
        (accepted(OrderStatus.PARTIALLY_FILLED, 2), "BUY 5 Yes @ 50¢ filled 2, the rest is working."),
        (
            accepted(OrderStatus.DELAYED, 0),
            "BUY 5 Yes @ 50¢ accepted, delayed by the venue. Its fill shows here.",
        ),
        (
            accepted(OrderStatus.CANCELLED, 2, "filled 2 Yes, the rest cancelled"),
            "BUY 5 Yes @ 50¢ filled 2 Yes, the rest cancelled.",
        ),
        (Rejected("too many orders"), "BUY 5 Yes @ 50¢ refused: too many orders"),
        (
            Unknown(believable.order(1).order_id, "no answer within 10 s", NOW),
            "unconfirmed, checking: no answer",
        ),
    ],
)  # fmt: skip
async def test_every_end_has_its_words(verdict: Verdict, words: str) -> None:
    desk = armed(cursor=50)
    desk.service.verdicts = [verdict]
    await desk.keys.press(SingleKey.BUY_HERE)
    await desk.page.finish()
    assert words in desk.said


async def test_no_key_trades_before_it_is_armed() -> None:
    await says_of_all(Desk(), "Not armed: v to arm.")


async def test_idle_time_that_runs_out_is_seen_at_the_next_key() -> None:
    desk = armed(cursor=50)
    status = desk.service.status_view
    desk.service.status_view = replace(status, now=status.now + timedelta(minutes=5))
    await desk.keys.press(SingleKey.BUY_HERE)
    assert not desk.placed()
    assert desk.said.startswith("Not armed")


async def test_what_forbids_trading_is_said() -> None:
    desk = armed(cursor=50)
    usual = desk.service.status_view
    desk.service.status_view = replace(READ_ONLY_STATUS, armed_until=usual.armed_until)
    await says_of_all(desk, "Read-only: no key.")
    desk.service.status_view = replace(usual, kill_lock="Trading locked since noon by K")
    await says_of_all(desk, "Trading locked since noon by K.")
    desk.service.status_view = usual
    close_market(desk)
    await says_of_all(desk, "Closed: trading has ended.")


@pytest.mark.parametrize("state", [state for state in BookState if not state.is_good])
async def test_an_unproven_book_locks_the_keys_in_words(state: BookState) -> None:
    desk = armed(cursor=50)
    desk.set_state(state)
    said = f"The book is {state.words}: single keys are locked; ! permits one order."
    await says_of_all(desk, said, of_override=False)
    (cell,) = desk.keys.state_line(desk.reader.read())
    assert "KEYS LOCKED" in cell.text


async def test_nobody_arms_without_a_key_or_for_a_market_that_is_over() -> None:
    desk = Desk()
    close_market(desk)
    await desk.keys.toggle_arming()
    assert desk.said == "Not armed: Closed: trading has ended."
    desk = Desk()
    desk.service.status_view = READ_ONLY_STATUS
    await desk.keys.toggle_arming()
    assert desk.said == "Not armed: Read-only: no key."
    assert not desk.service.calls_of("arm")


async def test_what_the_rules_refuse_is_not_sent_and_said() -> None:
    desk = armed(cursor=70)
    await desk.keys.press(SingleKey.BUY_HERE)
    assert desk.said == "Not sent: 70¢ is 32% above the midpoint 53¢: too far for a single key."
    assert not desk.placed()


async def test_a_key_held_down_sends_once() -> None:
    desk = armed()
    await desk.keys.press(SingleKey.JOIN_BID)
    # Every press that is not obeyed holds it down further.
    for waited_ms in (0, 100, 100):
        desk.service.at += timedelta(milliseconds=waited_ms)
        await desk.keys.press(SingleKey.JOIN_BID)
        assert "the second sends nothing" in desk.said
        assert len(desk.placed()) == 1
    desk.service.at += timedelta(milliseconds=151)
    await desk.keys.press(SingleKey.JOIN_BID)
    assert len(desk.placed()) == 2
    await desk.page.finish()


async def test_at_another_price_the_same_key_is_another_order_however_soon() -> None:
    desk = armed()
    for price in (50, 49, 49, 48):
        desk.ladder.point_at(cents(price))
        await desk.keys.press(SingleKey.BUY_HERE)
    assert [order.price for order in desk.placed()] == [cents(50), cents(49), cents(48)]
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
    assert "book stale" in desk.said
    desk.service.at += timedelta(seconds=OVERRIDE_LIFE_S / 2)
    await desk.keys.press(SingleKey.JOIN_ASK)
    assert len(desk.placed()) == 1
    desk.service.at += timedelta(seconds=1)
    await desk.keys.press(SingleKey.JOIN_BID)
    assert len(desk.placed()) == 1
    await desk.page.finish()


async def test_a_permission_is_used_up_by_a_key_that_sends_nothing_too() -> None:
    desk = armed()
    desk.set_state(BookState.LOSSY)
    desk.keys.override()
    await desk.keys.press(SingleKey.BUY_HERE)
    assert desk.said == "Not sent: Put the cursor on a price first."
    desk.ladder.point_at(cents(50))
    await desk.keys.press(SingleKey.SELL_HERE)
    assert not desk.placed()


async def test_a_good_book_needs_no_override_and_an_order_from_it_is_no_override() -> None:
    desk = armed(cursor=50)
    desk.keys.override()
    assert "nothing to override" in desk.said
    await desk.keys.press(SingleKey.BUY_HERE)
    ((_,),) = desk.service.calls_of("place")
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


ASK = believable.order(9, NUMBER, side=Side.SELL, price=0.54, size=10)


@pytest.mark.parametrize(
    ("key", "own", "said"),
    [
        (SingleKey.TAKE_ASK, ASK, "SELL 10 Yes @ 54¢: ) pulls asks"),
        (
            SingleKey.HIT_BID, believable.order(9, NUMBER, price=0.52, size=10),
            "BUY 10 Yes @ 52¢: ( pulls bids",
        ),
        (
            SingleKey.HIT_BID, replace(ASK, price=cents(48), outcome="No", token_id=NO),
            "SELL 10 No @ 48¢: ( pulls bids",
        ),
    ],
)  # fmt: skip
async def test_a_key_that_would_meet_an_own_order_says_which_key_clears_it(
    key: SingleKey, own: Order, said: str
) -> None:
    desk = armed()
    desk.set_orders(own)
    await desk.keys.press(key)
    assert not desk.placed()
    assert desk.said == f"Not sent: Self-trade with your {said}."


@pytest.mark.parametrize("is_good", [True, False])
async def test_the_good_end_of_an_order_is_not_said_over_a_newer_refusal(*, is_good: bool) -> None:
    desk = armed()
    desk.set_orders(ASK)
    await desk.keys.press(SingleKey.HIT_BID)
    assert desk.said.startswith("Sent SELL")
    await desk.keys.press(SingleKey.TAKE_ASK)
    said = "Not sent: Self-trade with your SELL 10 Yes @ 54¢"
    assert desk.said.startswith(said)
    (reason,) = desk.service.calls_of("log_refusal")[0]
    assert str(reason).startswith(said)
    filled = accepted(OrderStatus.FILLED, 5)
    desk.service.verdicts = [filled if is_good else Rejected("no balance")]
    await desk.page.finish()
    # What went wrong is worse than a key that did nothing.
    assert desk.said.startswith(said) is is_good
    assert ("no balance" in desk.said) is not is_good


async def test_two_takers_in_a_row_are_both_sent() -> None:
    desk = armed()
    flying = replace(
        believable.order(9, NUMBER, side=Side.SELL, price=0.52, size=5), status=OrderStatus.SENT,
        time_in_force=TimeInForce.FAK,
    )  # fmt: skip
    desk.set_orders(flying)
    await desk.keys.press(SingleKey.TAKE_ASK)
    assert [order.intent.side for order in desk.placed()] == [Side.BUY]
    await desk.page.finish()


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


async def test_reversing_at_a_touch_that_is_gone_waits_for_a_second_press() -> None:
    desk = armed()
    desk.hold(yes=100, no=0)
    desk.ladder.seen = cents(53)
    await desk.keys.reverse()
    assert not desk.placed("flatten")
    assert desk.said == "Not sent: 53¢ is gone, now 52¢; press again to take it."
    desk.service.at += timedelta(seconds=1)
    await desk.keys.reverse()
    assert len(desk.placed("flatten")) == len(desk.placed()) == 1
    await desk.page.finish()


async def test_flattening_waits_until_a_reversal_has_ended() -> None:
    desk = armed()
    desk.hold(yes=100, no=0)
    desk.service.is_holding = True
    await desk.keys.reverse()
    desk.service.at += timedelta(seconds=1)
    await desk.keys.flatten()
    assert len(desk.placed("flatten")) == 1
    assert "a reversal is under way; z, v keep its second order back" in desk.said
    desk.service.release()
    await desk.page.finish()
    desk.service.at += timedelta(seconds=1)
    await desk.keys.flatten()
    assert len(desk.placed("flatten")) == 2
    await desk.page.finish()


async def test_a_short_is_reversed_at_the_asks_of_its_ladder() -> None:
    desk = armed()
    desk.hold(yes=0, no=100)
    await desk.keys.reverse()
    (sale,), (entry,) = desk.placed("flatten"), desk.placed()
    assert isinstance(sale.intent, LimitIntent)
    assert isinstance(entry.intent, LimitIntent)
    assert (sale.intent.side, sale.intent.token_id) == (Side.SELL, NO)
    assert (entry.intent.side, entry.intent.price) == (Side.BUY, cents(54))
    assert sale.size == entry.size
    dials = desk.keys.dials(desk.reader.read())
    assert isinstance(dials, ArmedKeys)
    assert dials.reverse == (Side.BUY, cents(54))
    await desk.page.finish()


async def test_a_key_that_waited_behind_others_sends_nothing_and_disarms() -> None:
    desk = armed()
    desk.ladder.key_late_s = 23.0
    for press in (
        partial(desk.keys.press, SingleKey.JOIN_BID), desk.keys.flatten, desk.keys.reverse,
    ):  # fmt: skip
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
        desk.keys.flatten, desk.keys.reverse,
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
    assert desk.service.calls_of("log_refusal") == [(desk.said,)]


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
    assert desk.said.startswith("Single-key size: 10 shares; ")
    desk.keys.choose_preset(len(presets) + 1)
    assert desk.keys.preset == presets[1]
    assert desk.said.startswith("Only ")
    desk = Desk()
    desk.keys.choose_preset(3)
    assert desk.said == "Single-key size: 50 shares; v to arm."


async def test_every_screen_sends_the_size_that_was_chosen_last_on_any_of_them() -> None:
    desk = armed()
    presets = desk.workspace.surface.options.presets
    elsewhere = SingleKeys(desk.workspace, desk.news, is_moving=lambda: False)
    desk.keys.choose_preset(4)
    elsewhere.choose_preset(1)
    dials = desk.keys.dials(desk.reader.read())
    assert isinstance(dials, ArmedKeys)
    assert dials.chosen == desk.workspace.surface.chosen_preset == 0
    await desk.keys.press(SingleKey.TAKE_ASK)
    (order,) = desk.placed()
    assert order.size == presets[0]
    await desk.page.finish()


@pytest.mark.parametrize("size", [1, 3, 5])
@pytest.mark.parametrize("held", [0, 3, 28.88, 1250])
@pytest.mark.parametrize("ask", [54, 70])
async def test_the_dials_show_the_order_that_each_key_sends_and_none_that_it_refuses(
    size: int, held: float, ask: int
) -> None:
    for key in SingleKey:
        desk = armed(cursor=52)
        desk.set_orders(believable.order(1, NUMBER, side=Side.SELL, price=0.54, size=10))
        desk.hold(yes=held, no=0)
        desk.keys.choose_preset(size)
        book = desk.service.books[YES]
        asks = tuple(each for each in book.asks if each.price >= cents(ask))
        desk.service.books[YES] = replace(book, asks=asks, version=book.version + 1)
        dials = desk.keys.dials(desk.reader.read())
        assert isinstance(dials, ArmedKeys)
        await desk.keys.press(key)
        offered = dials.orders[key]
        if isinstance(offered, str):
            assert not desk.placed(), (key, desk.said)
            assert desk.said.startswith("Not sent: ")
        else:
            (order,) = desk.placed()
            assert isinstance(order.intent, LimitIntent)
            price = order.intent.price if order.intent.token_id == YES else ONE - order.intent.price
            assert (offered.price, offered.size) == (price, order.size)
        await desk.page.finish()


def test_the_dials_follow_whatever_changes_an_order() -> None:
    desk = armed(cursor=49)
    book = desk.service.books[YES]
    deep = (*book.bids[:2], replace(book.bids[2], size=cents(100)), *book.bids[3:])

    def change_book(**changes: object) -> None:
        shown = desk.service.books[YES]
        desk.service.books[YES] = replace(shown, version=shown.version + 1, **changes)  # type: ignore[arg-type]

    for change in (
        partial(desk.hold, yes=7, no=0),
        partial(desk.keys.choose_preset, 5),
        partial(change_book, bids=deep),
        partial(change_book, asks=book.asks[2:]),
        partial(change_book, asks=()),
        partial(desk.set_orders, believable.order(1, NUMBER, side=Side.BUY, price=0.50, size=10)),
        partial(desk.ladder.point_at, cents(51)),
        partial(desk.hold, yes=0, no=7),
        partial(desk.set_state, BookState.STALE),
    ):
        change()
        model = desk.reader.read()
        fresh = SingleKeys(desk.workspace, desk.news, is_moving=lambda: False)
        fresh.follow(model)
        assert desk.keys.dials(model) == fresh.dials(model)


async def test_what_hits_with_a_large_size_sells_all_that_is_free_and_says_so() -> None:
    desk = armed()
    desk.set_orders()
    desk.hold(yes=28.88, no=0)
    desk.keys.choose_preset(5)
    dials = desk.keys.dials(desk.reader.read())
    assert isinstance(dials, ArmedKeys)
    assert dials.orders[SingleKey.HIT_BID] == KeyOrder(cents(52), cents(2888))
    await desk.keys.press(SingleKey.HIT_BID)
    assert [order.size for order in desk.placed()] == [cents(2888)]
    assert "all that was free to sell" in desk.said
    await desk.page.finish()


async def test_a_key_that_breaks_a_limit_has_no_price() -> None:
    desk = armed()
    desk.set_orders()
    rules = EntryRules(Limits(order=cents(100)))
    desk.service.account_view = replace(desk.service.account_view, entry=rules)
    dials = desk.keys.dials(desk.reader.read())
    assert isinstance(dials, ArmedKeys)
    assert dials.orders[SingleKey.TAKE_ASK] == ""
    await desk.keys.press(SingleKey.TAKE_ASK)
    assert not desk.placed()
    assert "Over your limit of $1" in desk.said


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


async def test_selling_all_from_an_unproven_book_is_journaled_too() -> None:
    desk = armed()
    desk.set_state(BookState.STALE)
    desk.keys.override()
    await desk.keys.flatten()
    ((_, _, override),) = desk.service.calls_of("flatten")
    assert str(override).startswith("the whole position from a book that is stale")
    await desk.page.finish()


async def test_selling_all_cancels_own_bids_that_it_would_meet_and_says_so() -> None:
    desk = armed()
    mine = tuple(believable.order(each, NUMBER, price=0.52, size=10) for each in (8, 9))
    asks = (believable.order(7, NUMBER, side=Side.SELL, price=0.57, size=1000),)
    desk.set_orders(*mine, *asks)
    await desk.keys.flatten()
    ((order, in_the_way),) = desk.service.calls_of("flatten")
    assert isinstance(order, PreparedOrder)
    assert in_the_way == (*mine, *asks)
    assert "Cancelling 2 bids, 1 ask; then SELL 1,250.5 Yes @ 47¢" in desk.said
    # One of them filled before it was cancelled.
    filled = replace(mine[0], status=OrderStatus.FILLED)
    desk.service.account_view = replace(desk.service.account_view, open_orders=(), recent=(filled,))
    size = order.size
    desk.service.verdicts = [
        Accepted(order.unsigned.order_id, OrderStatus.FILLED, size, "", Micros(size // 2))
    ]
    await desk.page.finish()
    assert "(limit 47¢); cancelled 1 bid, 1 ask." in desk.said


async def test_why_a_position_is_not_sold_says_what_to_do() -> None:
    desk = armed()
    desk.set_orders(believable.order(9, NUMBER, price=0.52, size=10))
    stayed = "Not sold: your BUY 10 Yes @ 52¢ stayed: order is delayed"
    desk.service.verdicts = [Rejected(stayed, is_blocked_by_own=True)]
    await desk.keys.flatten()
    await desk.page.finish()
    assert desk.said == f"{stayed}: F to retry, s to sell by ticket."


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


async def test_flattening_pulls_all_that_works_in_the_market_and_waits_for_what_is_in_the_way() -> (
    None
):
    desk = armed()
    desk.hold(yes=100, no=0)
    ask = believable.order(1, NUMBER, side=Side.SELL, price=0.57, size=100)
    low = believable.order(2, NUMBER, side=Side.BUY, price=0.20, size=10)
    # A sale of No stands among the bids of Yes.
    mirrored = replace(
        believable.order(3, NUMBER, side=Side.SELL, price=0.90, size=10), token_id=NO
    )
    desk.set_orders(ask, low, mirrored)
    dials = desk.keys.dials(desk.reader.read())
    assert isinstance(dials, ArmedKeys)
    assert (dials.held, dials.cancels) == (cents(10000), (2, 1))
    await desk.keys.flatten()
    ((_, in_the_way),) = desk.service.calls_of("flatten")
    assert in_the_way == (ask,)
    ((others,),) = desk.service.calls_of("cancel")
    assert isinstance(others, tuple)
    assert set(others) == {low.order_id, mirrored.order_id}
    assert desk.said.startswith("Cancelling 2 bids, 1 ask; then SELL 100 Yes")
    desk.set_orders(low)
    await desk.page.finish()
    assert desk.said.endswith("; cancelled 1 bid, 1 ask; 1 bid still working.")


async def test_flattening_without_a_position_pulls_what_could_open_one() -> None:
    desk = armed()
    desk.hold(yes=0, no=0)
    desk.set_orders(believable.order(1, NUMBER, side=Side.SELL, price=0.57, size=100))
    dials = desk.keys.dials(desk.reader.read())
    assert isinstance(dials, ArmedKeys)
    assert (dials.held, dials.cancels) == (0, (0, 1))
    await desk.keys.flatten()
    assert len(desk.service.calls_of("cancel_market")) == 1
    assert not desk.placed("flatten")
    assert desk.said == "Cancelling 1 ask; no position to sell."
    await desk.page.finish()


async def test_flattening_that_would_be_refused_shows_no_size() -> None:
    desk = armed()
    desk.hold(yes=100, no=0)
    book = desk.service.books[YES]
    desk.service.books[YES] = replace(book, bids=(), version=book.version + 1)
    dials = desk.keys.dials(desk.reader.read())
    assert isinstance(dials, ArmedKeys)
    assert (dials.held, dials.cancels) == (None, (0, 0))
    await desk.keys.flatten()
    assert not desk.service.calls_of("cancel")
    assert desk.said == "Nothing to sell: no bids now."


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


@pytest.mark.parametrize("is_armed", [True, False])
@pytest.mark.parametrize(("side", "name"), [(Side.BUY, "bid"), (Side.SELL, "ask")])
async def test_one_side_is_cancelled_armed_or_not_from_any_book(
    side: Side, name: str, *, is_armed: bool
) -> None:
    desk = Desk()
    if is_armed:
        desk.arm()
    desk.set_state(BookState.STALE)
    desk.keys.cancel_side(side)
    ((ids,),) = desk.service.calls_of("cancel")
    mine = [o.order_id for o in desk.service.account_view.open_orders if o.side is side]
    assert len(mine) == 2
    assert sorted(ids) == sorted(mine)  # type: ignore[call-overload]
    await desk.page.finish()
    assert desk.said == f"Cancelled 2 orders on the {name} side."
    desk.set_orders()
    desk.keys.cancel_side(side)
    assert desk.said == f"No working orders on the {name} side."
    assert len(desk.service.calls_of("cancel")) == 1


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
    close_market(desk)
    desk.keys.follow(desk.reader.read())
    assert desk.service.calls_of("disarm") == [("the market has ended",)]


def test_a_market_that_is_over_says_that_its_keys_are_off() -> None:
    desk = armed()
    close_market(desk)
    (cell,) = desk.keys.state_line(desk.reader.read())
    assert "KEYS OFF HERE" in cell.text
    assert isinstance(desk.keys.dials(desk.reader.read()), RestingKeys)
