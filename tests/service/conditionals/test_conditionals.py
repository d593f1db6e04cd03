"""Conditional orders: they sell once, only from a good book, and come back paused."""

from dataclasses import replace
from pathlib import Path

import pytest

from pmtui.domain.books.market_events import TextLevel
from pmtui.domain.conditionals.conditional import (
    GONE,
    PAIRED,
    ConditionalState,
    Trigger,
)
from pmtui.domain.health import LinkState
from pmtui.domain.ids import OrderId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.exit_policy import ExitPolicy, ExitReason
from pmtui.domain.orders.order import (
    Fill,
    Liquidity,
    OrderChanged,
    OrderEventKind,
    OrderStatus,
    PostResult,
    TradeChanged,
    TradeStatus,
)
from pmtui.service.conditionals.conditionals import RESTARTED
from pmtui.service.topics import MarketTopic
from pmtui.service.views import Level
from pmtui.ui.message_line import is_over
from tests.manual_clock import settle
from tests.service.conditional_kit import (
    HELD,
    PLAN,
    book,
    m,
    only,
    protected,
    ready,
    sold,
    triggered,
)
from tests.service.fakes import CONDITION, NO, YES, World, resting, running_world
from tests.service.order_kit import said, until


async def test_a_stop_sells_at_its_worst_price_and_is_done(world: World) -> None:
    await protected(world)
    assert world.account.posted == []
    await triggered(world)
    assert only(world).state is ConditionalState.SELLING
    (order,) = world.service.queries.account().open_orders
    assert (order.side, order.price, order.original_size) == (Side.SELL, m("0.35"), HELD)
    sold(world, "100", left="0")
    await until(world, lambda: not world.service.queries.account().conditionals, "its end")
    await world.pass_time(5)
    assert len(world.account.posted) == 1
    # What happened comes first, because the end of a long line is cut.
    assert said(world, "Stop hit: bid 39¢, selling · SELL 100 Yes, stop 40¢")
    assert not said(world, "SELL 0 ")


async def test_a_take_profit_sells_at_its_own_price(world: World) -> None:
    await protected(world)
    world.stream.send(book("0.85"))
    await until(world, lambda: world.account.posted, "the sale leaves")
    (order,) = world.service.queries.account().open_orders
    assert order.price == m("0.80")


async def test_no_second_sale_before_the_first_has_ended(world: World) -> None:
    await protected(world)
    await triggered(world)
    for bid in ("0.38", "0.30", "0.20"):
        world.stream.send(book(bid))
        await world.pass_time(5)
    assert len(world.account.posted) == 1


async def test_what_a_sale_left_is_sold_next(world: World) -> None:
    await protected(world)
    await triggered(world)
    world.account.shares[YES] = m("40")
    sold(world, "60", left="40")
    await until(world, lambda: len(world.account.posted) == 2, "the second sale")
    assert only(world).size == m("40")
    (order,) = world.service.queries.account().open_orders
    assert order.original_size == m("40")


async def test_a_refused_sale_is_tried_again_after_a_pause(world: World) -> None:
    await protected(world)
    refused = PostResult(None, None, "no orders found to match with FAK order")
    world.account.answers.insert(0, refused)
    world.stream.send(book("0.39"))
    await until(world, lambda: len(world.account.posted) == 2, "the second try")
    assert said(world, "Nothing sold: no orders found to match")


async def test_open_sales_in_the_way_are_cancelled_first(world: World) -> None:
    await ready(world)
    old = OrderId("0x" + "0b" * 32)
    world.account.open[old] = resting(old, side=Side.SELL, price=m("0.70"), original_size=HELD)
    await until(world, lambda: world.service.queries.account().open_orders, "the open sale")
    assert await world.service.commands.protect(PLAN) == ""
    await until(world, lambda: YES in world.stream.watched, "its book watched")
    await triggered(world)
    assert world.account.cancelled[0] == (old,)


async def test_a_book_that_cannot_be_trusted_fires_nothing_and_is_told(world: World) -> None:
    await protected(world)
    queries = world.service.queries
    assert (queries.status().watching, queries.status().blind) == (1, 0)
    world.stream.change_link(LinkState.DOWN, "reset")
    await world.pass_time(1)
    assert (queries.status().watching, queries.status().blind) == (1, 1)
    assert queries.account().is_blind(only(world))
    await world.pass_time(30)
    assert said(world, "Stops and targets cannot trigger here")
    assert world.account.posted == []
    world.stream.change_link(LinkState.OPEN)
    world.stream.send(book("0.60"))
    await until(world, lambda: said(world, "can trigger again"), "the good news")
    assert queries.status().blind == 0


async def test_when_the_venue_says_twice_that_nothing_is_held_they_pause_loudly(
    world: World,
) -> None:
    await protected(world)
    world.account.shares[YES] = Micros(0)
    world.analytics.held = ()
    await until(world, lambda: only(world).state is ConditionalState.PAUSED, "the pause")
    assert only(world).reason == GONE
    assert world.account.refreshed.count(YES) >= 2, "asked past its cache, and asked again"
    (notice,) = (e for e in world.service.queries.log().entries if e.until_read)
    assert (notice.level, "PAUSED" in notice.text) == (Level.BAD, True)
    # A warning that nothing can come of would only teach to overlook it.
    assert world.service.queries.account().idle == (only(world),)
    assert world.service.queries.status().paused == 0
    world.account.shares[YES] = HELD
    world.stream.send(book("0.20"))
    await world.pass_time(30)
    assert world.account.posted == []


async def test_what_the_trader_sold_ends_its_stop_without_an_alarm_once_that_is_final(
    world: World,
) -> None:
    await protected(world)
    await world.pass_time(1)
    sale = Fill(
        trade_id=TradeId("t9"), order_id=OrderId("0x" + "0f" * 32), condition_id=CONDITION,
        token_id=YES, outcome="Yes", side=Side.SELL, price=m("0.6"), size=HELD, fee=Micros(0),
        liquidity=Liquidity.TAKER, status=TradeStatus.MATCHED, matched_at=world.clock.now(),
    )  # fmt: skip
    world.account.own_fills = (sale, *world.account.own_fills)
    world.account.shares[YES] = Micros(0)
    world.analytics.held = ()
    world.user_stream.send(TradeChanged((sale,), None))
    await until(world, lambda: world.service.queries.account().has_none(YES), "none held")
    await world.pass_time(60)
    # The trade may yet fail, and then the shares are there again.
    assert only(world).state is ConditionalState.WATCHING
    final = replace(sale, status=TradeStatus.CONFIRMED)
    world.account.own_fills = (final, *world.account.own_fills[1:])
    world.user_stream.send(TradeChanged((final,), None))
    account = world.service.queries.account
    await until(world, lambda: not account().conditionals, "its end")
    assert world.account.posted == []
    assert not any(entry.until_read for entry in world.service.queries.log().entries)


async def test_a_smaller_sale_does_not_explain_that_all_is_gone(world: World) -> None:
    await protected(world)
    await world.pass_time(1)
    sale = Fill(
        trade_id=TradeId("t9"), order_id=OrderId("0x" + "0f" * 32), condition_id=CONDITION,
        token_id=YES, outcome="Yes", side=Side.SELL, price=m("0.6"), size=Micros(HELD // 2),
        fee=Micros(0), liquidity=Liquidity.TAKER, status=TradeStatus.CONFIRMED,
        matched_at=world.clock.now(),
    )  # fmt: skip
    world.account.own_fills = (sale, *world.account.own_fills)
    world.user_stream.send(TradeChanged((sale,), None))
    world.account.shares[YES] = Micros(0)
    world.analytics.held = ()
    await until(world, lambda: only(world).state is ConditionalState.PAUSED, "the pause")
    assert only(world).reason == GONE


async def test_a_zero_of_our_own_pauses_nothing_and_the_stop_sells_what_the_venue_holds(
    world: World,
) -> None:
    await protected(world)
    # A fill that is on record twice: by our own sums nothing is left.
    wrong = Fill(
        trade_id=TradeId("t9"), order_id=OrderId("0x" + "0f" * 32), condition_id=CONDITION,
        token_id=YES, outcome="Yes", side=Side.SELL, price=m("0.6"), size=HELD, fee=Micros(0),
        liquidity=Liquidity.MAKER, status=TradeStatus.MATCHED, matched_at=world.clock.now(),
    )  # fmt: skip
    world.user_stream.send(TradeChanged((wrong,), None))
    await until(world, lambda: world.service.queries.account().has_none(YES), "the zero")
    await world.pass_time(20)
    assert only(world).state is ConditionalState.WATCHING
    await triggered(world)
    (order,) = world.service.queries.account().open_orders
    assert order.original_size == HELD


async def test_the_kill_switch_pauses_them_loudly(world: World) -> None:
    await protected(world)
    _ = await world.service.commands.kill()
    await until(world, lambda: only(world).state is ConditionalState.PAUSED, "the pause")
    assert any(e.until_read for e in world.service.queries.log().entries)
    world.stream.send(book("0.20"))
    await world.pass_time(5)
    assert world.account.posted == []


async def test_the_notice_of_a_pause_ends_once_no_stop_is_paused(world: World) -> None:
    await protected(world)
    _ = await world.service.commands.kill()
    await until(world, lambda: only(world).state is ConditionalState.PAUSED, "the pause")
    (notice,) = (e for e in world.service.queries.log().entries if e.until_read)
    assert notice.cause
    assert not is_over(notice, world.service.queries.log())
    assert notice.text == "1 stop paused by the kill switch until you resume it (C)"
    assert only(world).reason == "the kill switch"
    assert await world.service.commands.unlock_entry() == ""
    assert not is_over(notice, world.service.queries.log())
    world.stream.send(book("0.60"))
    await world.pass_time(1)
    assert await world.service.commands.start_conditional(only(world).conditional_id) == ""
    assert is_over(notice, world.service.queries.log())


async def test_a_kill_that_is_released_at_once_pauses_them_all_the_same(world: World) -> None:
    await protected(world)
    _ = await world.service.commands.kill()
    assert await world.service.commands.unlock_entry() == ""
    world.stream.send(book("0.20"))
    await world.pass_time(5)
    assert only(world).state is ConditionalState.PAUSED
    assert world.account.posted == []


async def test_after_a_restart_they_are_back_paused_until_started(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        await protected(world)
    async with running_world(tmp_path) as world:
        await until(world, lambda: world.service.queries.account().conditionals, "its return")
        back = only(world)
        assert (back.state, back.reason) == (ConditionalState.PAUSED, RESTARTED)
        assert said(world, "1 stop is paused: pmtui was restarted")
        await ready(world)
        status = world.service.queries.status()
        assert (status.watching, status.paused) == (0, 1)
        world.stream.send(book("0.20"))
        await world.pass_time(5)
        assert world.account.posted == []
        world.stream.send(book("0.60"))
        assert await world.service.commands.start_conditional(back.conditional_id) == ""
        await until(world, lambda: YES in world.stream.watched, "its book watched")
        await triggered(world)


async def test_what_was_cancelled_does_not_come_back(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        await protected(world)
        _ = await world.service.commands.cancel_conditional(only(world).conditional_id)
        assert world.service.queries.account().conditionals == ()
        world.stream.send(book("0.20"))
        await world.pass_time(5)
        assert world.account.posted == []
    async with running_world(tmp_path) as world:
        await settle()
        assert world.service.queries.account().conditionals == ()


async def test_more_than_is_held_is_refused(world: World) -> None:
    await ready(world)
    refusal = await world.service.commands.protect(replace(PLAN, size=m("101")))
    assert refusal == "The size: position: 100 shares"


async def test_a_read_only_session_has_none(tmp_path: Path) -> None:
    async with running_world(tmp_path, with_key=False) as world:
        await world.watch(MarketTopic(CONDITION))
        assert await world.service.commands.protect(PLAN) == "Your positions are loading"


async def test_leaving_pauses_what_is_active_and_says_so(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        await protected(world)
        report = await world.service.shutdown.run(ExitReason.HANG_UP, ExitPolicy.LEAVE)
        assert "1 stop is inactive now" in report.text
        assert only(world).state is ConditionalState.PAUSED
    async with running_world(tmp_path) as world:
        kept = only(world)
        assert (kept.state, kept.reason) == (
            ConditionalState.PAUSED, "the program ended (hang-up)",
        )  # fmt: skip


ALL = replace(PLAN, is_all=True)


def hold(world: World, size: str) -> None:
    """Let the venue hold this many shares for us from now on."""
    world.account.shares[YES] = m(size)
    (position,) = world.analytics.held
    world.analytics.held = (replace(position, size=m(size)),)


@pytest.mark.parametrize("size", ["40", "160"])
async def test_one_for_the_whole_position_sells_what_is_held_when_it_fires(
    world: World, size: str
) -> None:
    await protected(world, ALL)
    hold(world, size)
    await until(world, lambda: world.service.queries.account().held(YES) == m(size), "held")
    await triggered(world)
    (order,) = world.service.queries.account().open_orders
    assert order.original_size == m(size)
    hold(world, "0")
    sold(world, size, left="0")
    await until(world, lambda: not world.service.queries.account().conditionals, "its end")
    assert len(world.account.posted) == 1


async def pair_up(
    world: World, size: str, *, status: TradeStatus | None = TradeStatus.MATCHED
) -> None:
    """Hold this many of the other outcome, by a purchase in this state; None for none."""
    world.account.shares[NO] = m(size)
    if status is not None:
        bought = Fill(
            trade_id=TradeId("t8"), order_id=OrderId("0x" + "0e" * 32), condition_id=CONDITION,
            token_id=NO, outcome="No", side=Side.BUY, price=m("0.4"), size=m(size), fee=Micros(0),
            liquidity=Liquidity.TAKER, status=status, matched_at=world.clock.now(),
        )  # fmt: skip
        world.account.own_fills = (
            bought,
            *(fill for fill in world.account.own_fills if fill.trade_id != bought.trade_id),
        )
        world.user_stream.send(TradeChanged((bought,), None))
    else:
        (yes,) = world.analytics.held
        no = replace(yes, token_id=NO, outcome="No", size=m(size), outcome_index=1)
        world.analytics.held = (yes, no)
    await until(world, lambda: world.service.queries.account().held(NO) == m(size), "the pairs")


async def test_one_for_the_whole_position_leaves_the_pairs(world: World) -> None:
    await protected(world, ALL)
    await pair_up(world, "70.5")
    account = world.service.queries.account()
    assert account.allotted(only(world)) == m("29.5")
    assert account.unprotected(YES) == 0
    await triggered(world)
    (order,) = world.service.queries.account().open_orders
    assert order.original_size == m("29.5")
    hold(world, "70.5")
    sold(world, "29.5", left="0")
    await until(world, lambda: not world.service.queries.account().conditionals, "its end")
    await world.pass_time(30)
    assert len(world.account.posted) == 1


async def test_one_with_a_stated_size_sells_it_from_pairs_too(world: World) -> None:
    await protected(world)
    await pair_up(world, "70.5")
    await triggered(world)
    (order,) = world.service.queries.account().open_orders
    assert order.original_size == HELD


@pytest.mark.parametrize("size", ["100", "130"])
async def test_a_purchase_that_turns_the_position_ends_one_for_all_of_it_once_final(
    world: World, size: str
) -> None:
    await protected(world, ALL)
    await world.pass_time(1)
    await pair_up(world, size)
    world.stream.send(book("0.39"))
    await world.pass_time(60)
    # The trade may yet fail, and then there is a position again.
    assert not only(world).state.is_over
    await pair_up(world, size, status=TradeStatus.CONFIRMED)
    account = world.service.queries.account
    await until(world, lambda: not account().conditionals, "its end")
    assert world.account.posted == []
    assert said(world, "its shares were sold")


async def test_one_for_the_whole_position_pauses_where_no_trade_explains_the_pairs(
    world: World,
) -> None:
    await protected(world, ALL)
    await pair_up(world, "100", status=None)
    await until(world, lambda: only(world).state is ConditionalState.PAUSED, "the pause")
    assert only(world).reason == PAIRED
    assert "in pairs" in await world.service.commands.start_conditional(only(world).conditional_id)


async def test_one_for_the_whole_position_is_resumed_with_pairs_after_a_restart(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path) as world:
        await protected(world, ALL)
        await pair_up(world, "70.5", status=None)
    async with running_world(tmp_path) as world:
        await until(world, lambda: world.service.queries.account().conditionals, "its return")
        await ready(world)
        await pair_up(world, "70.5", status=None)
        world.stream.send(book("0.60"))
        assert await world.service.commands.start_conditional(only(world).conditional_id) == ""
        await until(world, lambda: YES in world.stream.watched, "its book watched")
        await triggered(world)
        (order, *_) = world.service.queries.account().recent
        assert order.original_size == m("29.5")


async def test_two_never_speak_for_the_same_shares(world: World) -> None:
    await protected(world, replace(PLAN, size=m("60")))
    protect = world.service.commands.protect
    assert "60 of 100 have one already: 40 left" in await protect(replace(PLAN, size=m("41")))
    assert "60 shares have one already" in await protect(ALL)
    assert await protect(replace(PLAN, size=m("40"))) == ""
    first, second = world.service.queries.account().conditionals
    # A paused one speaks for nothing, and is asked again when it is started.
    _ = await world.service.commands.pause_conditional(first.conditional_id)
    assert await protect(replace(PLAN, size=m("60"))) == ""
    start = world.service.commands.start_conditional
    assert "100 shares have one already" in await start(first.conditional_id)
    _ = await world.service.commands.cancel_conditional(second.conditional_id)
    assert "40 left" in await start(first.conditional_id)


async def test_the_one_whose_price_is_reached_sells_what_is_left_for_both(world: World) -> None:
    await protected(world, replace(PLAN, size=m("60"), stop=m("0.20")))
    assert await world.service.commands.protect(replace(PLAN, size=m("40"))) == ""
    world.account.known.clear()
    world.account.shares[YES] = m("50")
    await until(world, lambda: world.service.queries.account().held(YES) == m("50"), "held")
    await triggered(world)
    (order,) = world.service.queries.account().open_orders
    assert order.original_size == m("40")


async def test_a_moved_stop_fires_at_its_new_price(world: World) -> None:
    await protected(world)
    move, stop = world.service.commands.move_conditional, Trigger.STOP
    conditional_id = only(world).conditional_id
    assert await move(conditional_id, stop, m("0.60")) == "The stop: bid 60¢: it would trigger now"
    assert "below the target" in await move(conditional_id, stop, m("0.85"))
    assert only(world).stop == PLAN.stop
    assert await move(conditional_id, stop, m("0.50")) == ""
    assert await move(conditional_id, Trigger.TAKE_PROFIT, m("0.70")) == ""
    world.stream.send(book("0.50"))
    await until(world, lambda: world.account.posted, "the sale leaves")
    assert await move(conditional_id, stop, m("0.30")) == "It is selling"


async def test_one_price_of_a_pair_can_be_taken_away(world: World) -> None:
    await protected(world)
    cancel, conditional_id = (world.service.commands.cancel_conditional, only(world).conditional_id)
    _ = await cancel(conditional_id, Trigger.TAKE_PROFIT)
    assert (only(world).stop, only(world).take_profit) == (PLAN.stop, None)
    _ = await cancel(conditional_id, Trigger.STOP)
    assert world.service.queries.account().conditionals == ()


TRAILING = replace(PLAN, stop=None, take_profit=None, trail=m("0.05"))


async def test_a_trailing_stop_follows_the_bid_up_over_a_restart_and_fires(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        await protected(world, TRAILING)
        assert only(world).stop == m("0.55")
        for bid, stop in (("0.64", "0.59"), ("0.62", "0.59"), ("0.70", "0.65"), ("0.66", "0.65")):
            world.stream.send(book(bid))
            await world.pass_time(1)
            assert only(world).stop == m(stop)
        assert world.account.posted == []
    async with running_world(tmp_path) as world:
        await until(world, lambda: world.service.queries.account().conditionals, "its return")
        assert (only(world).stop, only(world).trail) == (m("0.65"), m("0.05"))
        await ready(world)
        world.stream.send(book("0.67"))
        assert await world.service.commands.start_conditional(only(world).conditional_id) == ""
        await until(world, lambda: YES in world.stream.watched, "its book watched")
        world.stream.send(book("0.65"))
        await until(world, lambda: world.account.posted, "the sale leaves")


async def test_a_bid_that_was_our_own_a_moment_ago_raises_no_trailing_stop(world: World) -> None:
    await protected(world, TRAILING)
    mine = OrderId("0x" + "0c" * 32)
    world.account.open[mine] = resting(mine, price=m("0.70"), original_size=m("20"))
    await until(world, lambda: world.service.queries.account().open_orders, "the bid")
    mixed = replace(book("0.70"), bids=(TextLevel("0.70", "20"), TextLevel("0.60", "500")))
    world.stream.send(mixed)
    await world.pass_time(5)
    assert only(world).stop == m("0.55")
    # It is cancelled, and the book is told of that a moment later.
    gone = resting(mine, price=m("0.70"), original_size=m("20"), status=OrderStatus.CANCELLED)
    del world.account.open[mine]
    world.user_stream.send(OrderChanged(OrderEventKind.CANCELLATION, gone, None))
    await world.pass_time(1)
    world.stream.send(book("0.60"))
    await world.pass_time(5)
    assert only(world).stop == m("0.55")
    assert world.account.posted == []
