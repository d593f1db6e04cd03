"""What becomes of a conditional order's sale, however it is told of: counted once, never sold twice."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from typing_extensions import override

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.conditionals.conditional import (
    Attachment,
    ConditionalOrder,
    ConditionalState,
    Trigger,
)
from pmtui.domain.health import Link, LinkState
from pmtui.domain.ids import OrderId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.exit_policy import ExitPolicy, ExitReason
from pmtui.domain.orders.order import (
    Fill,
    LimitIntent,
    Liquidity,
    MoveEnd,
    OrderDraft,
    OrderStatus,
    PostResult,
    PostStatus,
    Rejected,
    TimeInForce,
    TradeChanged,
    TradeStatus,
    UnsignedOrder,
)
from pmtui.service.conditionals.conditionals import SLOW_AFTER, SLOW_COOL_OFF_S
from pmtui.service.conditionals.sales import MOST_DOUBT_S, SALE_LAG_S
from pmtui.service.conditionals.triggers import CHECK_PERIOD_S, LASTS_S
from pmtui.service.journal.journal import Journal, OutgoingOrder
from pmtui.service.journal.journal_rows import JournalProblem
from pmtui.service.surface import PreparedOrder
from tests.service.conditional_kit import (
    HELD,
    PLAN,
    book,
    last_posted,
    m,
    only,
    protected,
    ready,
    sold,
    states,
    triggered,
)
from tests.service.fakes import (
    CONDITION,
    YES,
    FakeAccountHost,
    FakeSigner,
    World,
    lost,
    resting,
    running_world,
)
from tests.service.order_kit import said, until

REFUSED = PostResult(None, None, "no orders found to match with FAK order")
BUSY = Failure(FailureKind.BUSY, "POST /order", "Too Many Requests", 429)
UNREADABLE = Failure(FailureKind.SERVER, "POST /order", "", 200)
HALF = replace(PLAN, size=m("50"))
START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
"""Of every world."""


def fill_of(order_id: OrderId, size: str, *, trade: str = "t1") -> Fill:
    return Fill(
        trade_id=TradeId(trade), order_id=order_id, condition_id=CONDITION, token_id=YES,
        outcome="Yes", side=Side.SELL, price=m("0.39"), size=m(size), fee=Micros(0),
        liquidity=Liquidity.TAKER, status=TradeStatus.MATCHED,
        matched_at=datetime(2026, 11, 20, 12, 0, 30, tzinfo=UTC),
    )  # fmt: skip


async def selling(world: World) -> OrderId:
    """Have the stop fire; the venue answers that the sale is delayed."""
    await triggered(world)
    return last_posted(world)


async def refused(world: World) -> OrderId:
    """Let a stop sell half of what is held, which the venue answers with a refusal."""
    await protected(world, HALF)
    world.account.known.clear()
    world.account.answers[:] = [REFUSED]
    return await selling(world)


async def test_a_sale_that_only_trades_tell_of_ends_it(world: World) -> None:
    # Of an order that does not rest the venue may send trades and nothing else.
    await protected(world)
    order_id = await selling(world)
    world.account.known.clear()
    world.user_stream.send(TradeChanged((fill_of(order_id, "100"),), None))
    await until(world, lambda: not states(world), "its end")
    assert len(world.account.posted) == 1


async def test_what_is_told_of_trade_by_trade_is_not_sold_again(world: World) -> None:
    await protected(world)
    world.account.shares[YES] = m("200")
    order_id = await selling(world)
    first, second = fill_of(order_id, "30"), fill_of(order_id, "70", trade="t2")
    world.account.own_fills = (first, second)
    world.user_stream.send(TradeChanged((first,), None))
    await until(world, lambda: not states(world), "its end")
    await world.pass_time(5)
    assert len(world.account.posted) == 1


async def test_two_of_a_token_do_not_offer_the_same_shares(world: World) -> None:
    await protected(world, HALF)
    assert await world.service.commands.protect(HALF) == ""
    await selling(world)
    await world.pass_time(30)
    assert len(world.account.posted) == 1
    assert states(world) == [ConditionalState.SELLING, ConditionalState.WATCHING]
    world.account.shares[YES] = m("50")
    sold(world, "50", left="0")
    await until(world, lambda: len(world.account.posted) == 2, "the second sells its own")
    (order,) = world.service.queries.account().open_orders
    assert order.original_size == m("50")


async def test_what_an_answer_says_was_sold_is_not_offered_again(world: World) -> None:
    await protected(world, HALF)
    assert await world.service.commands.protect(HALF) == ""
    # Half of what is held has been sold elsewhere since.
    world.account.shares[YES] = m("50")
    await until(world, lambda: world.service.queries.account().held(YES) == m("50"), "held")
    order_id = OrderId(f"0x{1:064x}")
    matched = PostResult(
        order_id, PostStatus.MATCHED, making_amount=m("50"), taking_amount=m("19.5")
    )
    world.account.answers[:] = [matched]
    # Neither the trades nor the wallet have been told of yet.
    world.stream.send(book("0.39"))
    await until(world, lambda: not states(world), "nothing is left for the second")
    assert world.account.posted == [order_id.encode()]


async def test_what_a_sale_by_hand_has_just_sold_is_not_offered_again(world: World) -> None:
    await protected(world, HALF)
    world.account.known.clear()
    # Answered, and neither the trade nor the wallet has been told of yet.
    world.account.answers[0] = PostResult(
        OrderId(f"0x{1:064x}"), PostStatus.MATCHED, making_amount=m("60"),
        taking_amount=m("24"),
    )  # fmt: skip
    by_hand = LimitIntent(CONDITION, YES, Side.SELL, m("0.38"), m("60"), TimeInForce.FAK)
    order = await world.service.commands.prepare(by_hand)
    assert isinstance(order, PreparedOrder)
    await world.service.commands.verdict(world.service.commands.place(order.order_id))
    world.stream.send(book("0.39"))
    await until(world, lambda: len(world.account.posted) == 2, "the stop sells")
    (order_of_stop,) = world.service.queries.account().open_orders
    assert order_of_stop.original_size == m("40")


async def test_a_sale_in_doubt_keeps_back_only_its_own_shares(world: World) -> None:
    await protected(world)
    world.account.known.clear()
    world.account.answers[0] = lost()
    by_hand = LimitIntent(CONDITION, YES, Side.SELL, m("0.38"), m("10"), TimeInForce.FAK)
    order = await world.service.commands.prepare(by_hand)
    assert isinstance(order, PreparedOrder)
    await world.service.commands.verdict(world.service.commands.place(order.order_id))
    world.stream.send(book("0.39"))
    await until(world, lambda: len(world.account.posted) == 2, "the stop sells the others")
    sizes = [o.original_size for o in world.service.queries.account().open_orders]
    assert sorted(sizes) == [m("10"), m("90")]


async def test_a_purchase_of_before_that_is_heard_of_late_keeps_no_sale_in_doubt(
    world: World,
) -> None:
    order_id = await refused(world)
    bought = replace(fill_of(order_id, "100"), side=Side.BUY, order_id=OrderId("0xb0"))
    world.account.own_fills = (replace(bought, matched_at=START),)
    began_at = world.clock.monotonic()
    await until(world, lambda: len(world.account.posted) == 2, "the sale is ruled out")
    assert world.clock.monotonic() - began_at < MOST_DOUBT_S


async def test_a_sale_that_is_being_checked_uses_up_no_tries(world: World) -> None:
    await protected(world)
    world.account.known.clear()
    world.account.answers[:] = [lost()]
    by_hand = LimitIntent(CONDITION, YES, Side.SELL, m("0.70"), HELD)
    order = await world.service.commands.prepare(by_hand)
    assert isinstance(order, PreparedOrder)
    world.service.commands.place(order.order_id)
    orders = world.service.queries.account
    await until(world, lambda: orders().open_orders[0].status is OrderStatus.UNKNOWN, "the doubt")
    world.stream.send(book("0.39"))
    await world.pass_time(25)
    assert states(world) == [ConditionalState.WATCHING]
    assert len(world.account.posted) == 1
    await until(world, lambda: len(world.account.posted) == 2, "its sale, after the doubt")


@pytest.mark.parametrize("answer", [REFUSED, BUSY, UNREADABLE, lost()])
@pytest.mark.parametrize("filled", ["50", "20"])
async def test_a_sale_that_filled_whatever_the_answer_was_is_not_sold_again(
    world: World, answer: PostResult | Failure, filled: str
) -> None:
    await protected(world, HALF)
    world.account.known.clear()
    world.account.answers[:] = [answer]
    order_id = await selling(world)
    await until(world, lambda: states(world) == [ConditionalState.CHECKING], "the check")
    # Trades and balances tell of it only after the venue's lag.
    await world.pass_time(SALE_LAG_S - 1)
    assert len(world.account.posted) == 1
    assert only(world) in world.service.queries.account().active
    world.account.own_fills = (fill_of(order_id, filled),)
    world.account.shares[YES] = Micros(HELD - m(filled))
    if filled == "50":
        await until(world, lambda: not states(world), "its end")
        await world.pass_time(60)
        assert len(world.account.posted) == 1
    else:
        await until(world, lambda: len(world.account.posted) == 2, "the rest")
        assert only(world).size == m("30")


async def test_nothing_is_sold_again_while_trades_cannot_be_read(world: World) -> None:
    await refused(world)
    world.account.read_failure = lost("GET /data/trades")
    await world.pass_time(120)
    assert (states(world), len(world.account.posted)) == ([ConditionalState.CHECKING], 1)
    world.account.read_failure = None
    await until(world, lambda: len(world.account.posted) == 2, "ruled out by trades")


async def test_shares_that_are_missing_without_a_trade_keep_a_sale_in_doubt(world: World) -> None:
    order_id = await refused(world)
    # The balance has it already, the trades only long after the lag.
    world.account.shares[YES] = m("50")
    await world.pass_time(3 * SALE_LAG_S)
    assert (states(world), len(world.account.posted)) == ([ConditionalState.CHECKING], 1)
    world.account.own_fills = (fill_of(order_id, "50"),)
    await until(world, lambda: not states(world), "its end")
    assert len(world.account.posted) == 1


async def test_shares_that_left_without_a_trade_hold_nothing_up_for_ever(world: World) -> None:
    await refused(world)
    world.account.shares[YES] = m("70")
    await world.pass_time(MOST_DOUBT_S)
    assert len(world.account.posted) == 1
    await until(world, lambda: len(world.account.posted) > 1, "the second sale")


async def test_a_sale_that_never_left_is_tried_again_without_the_wait(tmp_path: Path) -> None:
    class FullDisk(Journal):
        refusals = 1

        @override
        async def begin(self, leaving: Sequence[OutgoingOrder]) -> JournalProblem | None:
            if self.refusals:
                self.refusals -= 1
                return JournalProblem("disk full")
            return await super().begin(leaving)

    journal = FullDisk(tmp_path / "journal.sqlite")
    async with running_world(tmp_path, journal=journal) as world:
        await protected(world, HALF)
        fired_at = world.clock.monotonic()
        await triggered(world)
        assert world.clock.monotonic() - fired_at < SALE_LAG_S
        assert said(world, "Nothing sold: Not sent: the journal")


def has_tried(world: World, tries: int) -> bool:
    return only(world).tries >= tries


async def test_a_sale_that_is_refused_again_and_again_is_tried_more_slowly_and_fills_no_log(
    world: World,
) -> None:
    await protected(world, HALF)
    world.account.known.clear()
    # A market that is halted while its book stands.
    world.account.answers[:] = [REFUSED] * 100
    world.stream.send(book("0.39"))
    for number in range(1, SLOW_AFTER + 2):
        await until(world, partial(has_tried, world, number), "one more try")
    tries, told = len(world.account.posted), len(world.service.queries.log().entries)
    began_at = world.clock.monotonic()
    await until(world, lambda: len(world.account.posted) == tries + 2, "two more tries")
    assert world.clock.monotonic() - began_at >= SLOW_COOL_OFF_S + SALE_LAG_S
    news = world.service.queries.log().entries[told:]
    assert [each.text for each in news if "SELL 50" in each.text] == []


async def test_paused_while_it_sells_it_sells_no_more(world: World) -> None:
    await protected(world)
    await selling(world)
    _ = await world.service.commands.pause_conditional(only(world).conditional_id)
    world.account.shares[YES] = m("40")
    sold(world, "60", left="40")
    await until(world, lambda: only(world).size == m("40"), "what was sold is counted")
    await world.pass_time(5)
    assert states(world) == [ConditionalState.PAUSED]
    assert len(world.account.posted) == 1


@pytest.mark.parametrize("is_ended", [False, True])
async def test_a_sale_that_waits_to_leave_never_does_once_its_stop_is_unwanted(
    world: World, *, is_ended: bool
) -> None:
    await protected(world)
    commands = world.service.commands
    world.account.lane.clear()
    world.stream.send(book("0.39"))
    await until(world, lambda: world.account.in_line, "the sale stands in line")
    end = commands.cancel_conditional if is_ended else commands.pause_conditional
    assert await end(only(world).conditional_id) == ""
    world.account.lane.set()
    await world.pass_time(5)
    assert world.account.posted == []
    assert states(world) == ([] if is_ended else [ConditionalState.PAUSED])


async def test_a_sale_that_waits_to_leave_never_does_once_its_price_of_a_pair_is_cancelled(
    world: World,
) -> None:
    await protected(world)
    world.account.lane.clear()
    world.stream.send(book("0.39"))
    await until(world, lambda: world.account.in_line, "the sale stands in line")
    _ = await world.service.commands.cancel_conditional(only(world).conditional_id, Trigger.STOP)
    world.account.lane.set()
    await world.pass_time(5)
    assert world.account.posted == []
    (left,) = world.service.queries.account().conditionals
    assert (left.state, left.stop) == (ConditionalState.WATCHING, None)
    assert left.take_profit == PLAN.take_profit


async def test_started_again_only_when_its_last_sale_is_known(world: World) -> None:
    await protected(world)
    await selling(world)
    conditional_id = only(world).conditional_id
    _ = await world.service.commands.pause_conditional(conditional_id)
    world.stream.send(book("0.60"))
    await world.pass_time(1)
    problem = await world.service.commands.start_conditional(conditional_id)
    assert problem == "Its last sale is still being checked"


async def test_cancelled_while_its_way_is_cleared_it_sells_nothing(world: World) -> None:
    await ready(world)
    old = LimitIntent(CONDITION, YES, Side.SELL, m("0.70"), m("100"))
    resting = await world.service.commands.prepare(old)
    assert isinstance(resting, PreparedOrder)
    await world.service.commands.verdict(world.service.commands.place(resting.order_id))
    assert await world.service.commands.protect(PLAN) == ""
    await until(world, lambda: YES in world.stream.watched, "its book watched")
    world.account.read_failure = lost("GET /data/trades")
    world.stream.send(book("0.39"))
    await until(world, lambda: world.account.cancelled, "its way is being cleared")
    _ = await world.service.commands.cancel_conditional(only(world).conditional_id)
    world.account.read_failure = None
    await world.pass_time(10)
    assert len(world.account.posted) == 1


async def restarted(world: World) -> ConditionalOrder:
    await until(world, lambda: world.service.queries.account().conditionals, "its return")
    return only(world)


@pytest.mark.parametrize(("brought", "left"), [("60", "40"), ("0", "100")])
async def test_a_restart_counts_what_the_cut_off_sale_brought(
    tmp_path: Path, brought: str, left: str
) -> None:
    async with running_world(tmp_path) as world:
        await protected(world)
        world.account.stalls = True
        order_id = await selling(world)
    async with running_world(tmp_path) as world:
        assert (await restarted(world)).state is ConditionalState.PAUSED
        if brought != "0":
            world.account.own_fills = (fill_of(order_id, brought),)
        await until(world, lambda: only(world).sale is None, "the sale is counted")
        assert only(world).size == m(left)
        await world.pass_time(5)
        assert world.account.posted == []


async def test_a_restart_ends_one_whose_sale_brought_everything(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        await protected(world)
        world.account.stalls = True
        order_id = await selling(world)
    async with running_world(tmp_path) as world:
        await restarted(world)
        world.account.own_fills = (fill_of(order_id, "100"),)
        await until(world, lambda: not states(world), "its end")
    async with running_world(tmp_path) as world:
        await world.pass_time(2)
        assert states(world) == []


async def test_a_fault_while_it_sells_is_told_and_it_stays_active(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: FakeSigner, draft: OrderDraft) -> UnsignedOrder:
        raise ZeroDivisionError(draft.token_id)

    await protected(world)
    monkeypatch.setattr(FakeSigner, "prepare", broken)
    world.stream.send(book("0.39"))
    await until(
        world, lambda: said(world, "conditional order failed (ZeroDivisionError)"), "the fault"
    )
    assert states(world) == [ConditionalState.WATCHING]
    assert "fault" in only(world).reason
    monkeypatch.undo()
    await until(world, lambda: world.account.posted, "the sale leaves")


async def test_nothing_fires_while_the_program_ends(world: World) -> None:
    await protected(world)
    leaving = asyncio.ensure_future(world.service.shutdown.run(ExitReason.QUIT, ExitPolicy.LEAVE))
    await world.pass_time(1)
    world.stream.send(book("0.39"))
    await world.pass_time(5)
    await leaving
    assert world.account.posted == []
    assert states(world) == [ConditionalState.PAUSED]


async def test_a_sale_in_its_order_is_a_sale_that_fills_and_is_killed(world: World) -> None:
    await protected(world)
    order_id = await selling(world)
    (order,) = world.service.queries.account().open_orders
    assert (order.order_id, order.time_in_force) == (order_id, TimeInForce.FAK)
    assert order.status is OrderStatus.DELAYED


async def sold_out(world: World) -> Fill:
    """Have the stop sell everything, in one trade that is only matched yet."""
    await protected(world)
    order_id = await selling(world)
    fill = fill_of(order_id, "100")
    world.account.known.clear()
    world.account.own_fills = (fill,)
    world.user_stream.send(TradeChanged((fill,), None))
    await until(world, lambda: not states(world), "its end")
    return fill


async def test_shares_of_a_sale_that_failed_on_chain_are_protected_again_at_once(
    world: World,
) -> None:
    fill = await sold_out(world)
    failed = replace(fill, status=TradeStatus.FAILED)
    world.account.own_fills = (failed,)
    world.stream.send(book("0.60"))
    world.user_stream.send(TradeChanged((failed,), None))
    await until(world, lambda: states(world), "it is back")
    each = only(world)
    assert (each.state, each.size) == (ConditionalState.WATCHING, m("100"))
    assert "FAILED on chain" in each.reason
    assert said(world, "100 Yes came back and are protected again")
    # Triggered again while the price has recovered: nothing is sold, and it counts once.
    world.user_stream.send(TradeChanged((failed,), None))
    await world.pass_time(30)
    assert len(world.account.posted) == 1
    assert [e.size for e in world.service.queries.account().conditionals] == [m("100")]
    world.account.known.clear()
    world.stream.send(book("0.39"))
    await until(world, lambda: len(world.account.posted) == 2, "the second sale")


async def test_a_sale_that_failed_while_nothing_ran_is_heard_of_by_the_next_session(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path) as world:
        fill = await sold_out(world)
        await world.catch_up()
    after = FakeAccountHost(own_fills=(replace(fill, status=TradeStatus.FAILED),))
    async with running_world(tmp_path, account=after) as world:
        await until(world, lambda: states(world), "it is back")
        assert (only(world).state, only(world).size) == (ConditionalState.WATCHING, m("100"))
        assert said(world, "came back and are protected again")
    async with running_world(tmp_path, account=after) as world:
        await world.pass_time(5)
        assert only(world).size == m("100"), "counted back once"


BRINGS = Attachment(stop=m("0.40"), take_profit=m("0.80"))


def bought(order_id: OrderId, size: str, *, trade: str, status: TradeStatus) -> Fill:
    fill = fill_of(order_id, size, trade=trade)
    return replace(fill, side=Side.BUY, price=m("0.55"), status=status)


async def bidding(world: World) -> OrderId:
    """Have a purchase of fifty rest that brings a stop and a target."""
    await ready(world)
    world.stream.send(book("0.60"))
    await world.pass_time(1)
    buy = LimitIntent(CONDITION, YES, Side.BUY, m("0.55"), m("50"))
    order = await world.service.commands.prepare(buy)
    assert isinstance(order, PreparedOrder)
    command_id = world.service.commands.place(order.order_id, attached=BRINGS)
    await world.service.commands.verdict(command_id)
    order_id = order.unsigned.order_id
    world.account.open[order_id] = resting(order_id, price=m("0.55"), original_size=m("50"))
    return order_id


async def test_what_comes_with_an_order_protects_exactly_its_fills(world: World) -> None:
    order_id = await bidding(world)
    assert only(world).is_waiting
    first = bought(order_id, "20", trade="t1", status=TradeStatus.MATCHED)
    second = bought(order_id, "10", trade="t2", status=TradeStatus.MATCHED)
    world.account.own_fills = (first,)
    world.user_stream.send(TradeChanged((first,), None))
    await until(world, lambda: only(world).size == m("20"), "its first fill")
    world.account.own_fills = (first, second)
    world.user_stream.send(TradeChanged((second,), None))
    await until(world, lambda: only(world).size == m("30"), "its second fill")
    failed = replace(first, status=TradeStatus.FAILED)
    world.account.own_fills = (failed, second)
    world.user_stream.send(TradeChanged((failed,), None))
    await until(world, lambda: only(world).size == m("10"), "the failed trade taken off")
    posted = len(world.account.posted)
    world.stream.send(book("0.39"))
    await until(world, lambda: len(world.account.posted) > posted, "the sale leaves")
    sale = last_posted(world)
    (order,) = (o for o in world.service.queries.account().recent if o.order_id == sale)
    assert (order.side, order.original_size) == (Side.SELL, m("10"))


async def test_what_comes_with_an_order_waits_over_a_restart_and_protects_its_later_fills(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path) as world:
        order_id = await bidding(world)
        kept = world.account
    async with running_world(tmp_path, account=kept) as world:
        await until(world, lambda: world.service.queries.account().conditionals, "its return")
        assert only(world).state is ConditionalState.WATCHING
        await ready(world)
        await world.pass_time(30)
        fill = bought(order_id, "20", trade="t1", status=TradeStatus.MATCHED)
        world.account.own_fills = (fill,)
        world.user_stream.send(TradeChanged((fill,), None))
        await until(world, lambda: only(world).size == m("20"), "its fill")
        assert only(world).state is ConditionalState.WATCHING


async def test_what_waits_for_fills_can_be_moved_and_started_again(world: World) -> None:
    order_id = await bidding(world)
    commands, conditional_id = world.service.commands, only(world).conditional_id
    assert "trigger" in await commands.move_conditional(conditional_id, Trigger.STOP, m("0.60"))
    assert await commands.move_conditional(conditional_id, Trigger.STOP, m("0.45")) == ""
    _ = await commands.pause_conditional(conditional_id)
    assert only(world).state is ConditionalState.PAUSED
    assert await commands.start_conditional(conditional_id) == ""
    fill = bought(order_id, "20", trade="t1", status=TradeStatus.MATCHED)
    world.account.own_fills = (fill,)
    world.user_stream.send(TradeChanged((fill,), None))
    await until(world, lambda: only(world).size == m("20"), "its fill")
    assert only(world).stop == m("0.45")


async def test_a_target_between_a_resting_purchase_and_the_bid_waits_for_the_fill(
    world: World,
) -> None:
    order_id = await bidding(world)
    commands, conditional_id = world.service.commands, only(world).conditional_id
    # The bid of 60 is gone when somebody sells to us at 55.
    moved = await commands.move_conditional(conditional_id, Trigger.TAKE_PROFIT, m("0.58"))
    assert moved == ""
    refused = await commands.move_conditional(conditional_id, Trigger.TAKE_PROFIT, m("0.55"))
    assert refused == "The target: must be above 55¢, else it triggers on the fill"
    await world.pass_time(5)
    posted = len(world.account.posted)
    fill = bought(order_id, "50", trade="t1", status=TradeStatus.MATCHED)
    world.account.own_fills = (fill,)
    world.user_stream.send(TradeChanged((fill,), None))
    await until(world, lambda: only(world).size == m("50"), "its fill")
    assert len(world.account.posted) == posted, "the bid on show may be of before the fill"
    world.stream.send(book("0.50"))
    await world.pass_time(5)
    assert len(world.account.posted) == posted
    world.stream.send(book("0.60"))
    await until(world, lambda: len(world.account.posted) > posted, "sold at the target")


async def test_a_target_that_is_exceeded_after_a_fill_sells_once_that_has_lasted(
    world: World,
) -> None:
    order_id = await bidding(world)
    commands, conditional_id = world.service.commands, only(world).conditional_id
    moved = await commands.move_conditional(conditional_id, Trigger.TAKE_PROFIT, m("0.58"))
    assert moved == ""
    posted = len(world.account.posted)
    fill = bought(order_id, "50", trade="t1", status=TradeStatus.MATCHED)
    world.account.own_fills = (fill,)
    world.user_stream.send(TradeChanged((fill,), None))
    await until(world, lambda: only(world).size == m("50"), "its fill")
    await world.pass_time(LASTS_S + CHECK_PERIOD_S)
    await until(world, lambda: len(world.account.posted) > posted, "the sale")


async def test_an_order_does_not_leave_without_what_was_to_come_with_it(world: World) -> None:
    await ready(world)
    world.stream.send(book("0.60"))
    await world.pass_time(1)
    buy = LimitIntent(CONDITION, YES, Side.BUY, m("0.55"), m("50"))
    order = await world.service.commands.prepare(buy)
    assert isinstance(order, PreparedOrder)
    place = world.service.commands.place
    verdict = await world.service.commands.verdict(
        place(order.order_id, attached=replace(BRINGS, stop=m("0.55")))
    )
    assert isinstance(verdict, Rejected)
    assert "below 55¢" in verdict.reason
    assert world.account.posted == []
    assert world.service.queries.account().conditionals == ()


async def test_a_move_that_is_refused_leaves_nothing_waiting_for_its_order(world: World) -> None:
    await bidding(world)
    commands, (order,) = world.service.commands, world.service.queries.account().open_orders
    moved = await commands.prepare(LimitIntent(CONDITION, YES, Side.BUY, m("0.54"), m("50")))
    assert isinstance(moved, PreparedOrder)
    assert world.user_stream.link is not None
    world.user_stream.link(Link(LinkState.DOWN, 1, "reset"))
    verdict = await commands.move_verdict(commands.move(order.order_id, moved.order_id))
    assert verdict.end is MoveEnd.NOT_MOVED
    await commands.cancel_verdict(commands.cancel([order.order_id]))
    await until(world, lambda: not states(world), "its end")


async def test_what_came_with_a_refused_order_is_gone_with_it(world: World) -> None:
    world.account.answers[:] = [PostResult(None, None, "not enough balance / allowance")]
    await bidding(world)
    world.account.open.clear()
    await until(world, lambda: not states(world), "its end")
