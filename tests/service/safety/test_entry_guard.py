import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pmtui.domain.account.pnl import SURE_AFTER
from pmtui.domain.ids import OrderId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    Accepted,
    Fill,
    LimitIntent,
    Liquidity,
    OrderStatus,
    PostResult,
    PostStatus,
    Rejected,
    TimeInForce,
    TradeChanged,
    TradeStatus,
    Unknown,
    Verdict,
)
from pmtui.service.safety.entry_guard import CLOCK_UNKNOWN, MAY_ARRIVE_FOR_S, NOT_YET_KNOWN
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import AccountTopic
from tests.manual_clock import settle
from tests.service.fakes import (
    CONDITION,
    NO,
    YES,
    FakeAccountHost,
    World,
    lost,
    resting,
    running_world,
)
from tests.service.order_kit import (
    BUY,
    HELD,
    left_behind,
    limited,
    prepared,
    said,
    until,
    verdict_of,
)

ONE = Micros(1_000_000)
FOUR_DOLLARS = Micros(4_000_000)


async def sent(world: World, intent: LimitIntent = BUY) -> Verdict:
    return await verdict_of(world, await prepared(world, intent))


def told(*fills: Fill) -> TradeChanged:
    return TradeChanged(fills, at=fills[0].matched_at)


def fill_of(order_id: str, *, size: Micros, side: Side = Side.BUY, price: int = 400_000) -> Fill:
    return Fill(
        trade_id=TradeId("t1"), order_id=OrderId(order_id), condition_id=CONDITION, token_id=YES,
        outcome="Yes", side=side, price=Micros(price), size=size, fee=Micros(0),
        liquidity=Liquidity.TAKER, status=TradeStatus.MATCHED,
        matched_at=datetime(2026, 11, 20, 12, 0, tzinfo=UTC),
    )  # fmt: skip


async def test_a_purchase_within_every_limit_is_sent(tmp_path: Path) -> None:
    tuning = limited(order=FOUR_DOLLARS, market=FOUR_DOLLARS, total=FOUR_DOLLARS)
    async with running_world(tmp_path, tuning=tuning) as world:
        assert isinstance(await sent(world), Accepted)
        assert len(world.account.posted) == 1


async def test_an_order_over_its_own_limit_cannot_even_be_reviewed(tmp_path: Path) -> None:
    async with running_world(tmp_path, tuning=limited(order=Micros(3_990_000))) as world:
        await prepared(world, replace(BUY, side=Side.SELL, size=Micros(1_000_000_000)))
        refusal = await world.service.commands.prepare(BUY)
        text = "Over your limit of $3.99 for an order: it would be $4.00"
        assert refusal == Rejected(text)
        assert world.service.queries.account().entry.problem(BUY) == text


async def test_what_rests_and_what_is_held_count_at_the_last_moment_too(tmp_path: Path) -> None:
    async with running_world(tmp_path, tuning=limited(market=Micros(57_000_000))) as world:
        ready = await prepared(world)
        world.analytics.held = (HELD,)
        world.account.open[OrderId("0xother")] = resting(OrderId("0xother"))
        await looked(world)
        verdict = await verdict_of(world, ready)
        text = "Over your limit of $57.00 for a market: it would be $58.00"
        assert verdict == Rejected(text)
        assert world.service.queries.account().entry.problem(BUY) == text
        assert world.account.posted == []
        # Getting out is never in the way of a limit.
        out = replace(BUY, side=Side.SELL, size=HELD.size)
        assert isinstance(await sent(world, out), Accepted)


async def test_orders_sent_at_the_same_time_do_not_share_the_same_room(tmp_path: Path) -> None:
    async with running_world(tmp_path, tuning=limited(total=Micros(10_000_000))) as world:
        orders = [await prepared(world) for _ in range(4)]
        commands = [world.service.commands.place(order.order_id) for order in orders]
        async with asyncio.timeout(60):
            verdicts = [await world.service.commands.verdict(c) for c in commands]
        assert [type(v) for v in verdicts] == [Accepted, Accepted, Rejected, Rejected]


async def test_a_batch_is_cut_where_it_would_break_a_limit(tmp_path: Path) -> None:
    async with running_world(tmp_path, tuning=limited(market=Micros(10_000_000))) as world:
        orders = [await prepared(world) for _ in range(3)]
        command_id = world.service.commands.place_many([order.order_id for order in orders])
        async with asyncio.timeout(60):
            verdicts = await world.service.commands.batch_verdict(command_id)
        assert [isinstance(v, Rejected) for v in verdicts] == [False, False, True]


async def test_a_review_refuses_already_and_lets_a_replacement_take_the_old_ones_room(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path, tuning=limited(market=Micros(5_000_000))) as world:
        accepted = await sent(world)
        assert isinstance(accepted, Accepted)
        dearer = replace(BUY, price=Micros(500_000))
        prepare = world.service.commands.prepare
        text = "Over your limit of $5.00 for a market: it would be $9.00"
        assert await prepare(dearer) == Rejected(text)
        assert isinstance(await prepare(dearer, replacing=accepted.order_id), PreparedOrder)
        too_dear = await prepare(replace(BUY, price=Micros(510_000)), replacing=accepted.order_id)
        assert too_dear == Rejected("Over your limit of $5.00 for a market: it would be $5.10")


async def test_the_legs_of_a_batch_are_reviewed_together(tmp_path: Path) -> None:
    async with running_world(tmp_path, tuning=limited(total=Micros(10_000_000))) as world:
        await prepared(world)
        legs = await world.service.commands.prepare_many([BUY, replace(BUY, token_id=NO), BUY])
        assert [isinstance(leg, PreparedOrder) for leg in legs] == [True, True, False]
        sale = replace(BUY, side=Side.SELL)
        legs = await world.service.commands.prepare_many([sale, sale, sale])
        assert all(isinstance(leg, PreparedOrder) for leg in legs)


async def test_an_unknown_order_keeps_its_room_and_a_refused_one_gives_it_back(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path, tuning=limited(total=FOUR_DOLLARS)) as world:
        world.account.answers = [PostResult(None, None, error="not enough balance / allowance")]
        assert isinstance(await sent(world), Rejected)
        world.account.answers = [lost()]
        assert isinstance(await sent(world), Unknown)
        ready = await world.service.commands.prepare(BUY)
        text = "Over your limit of $4.00 for all markets: it would be $8.00"
        assert ready == Rejected(text)


async def test_what_was_matched_counts_before_and_after_its_fill_is_told_of(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path, tuning=limited(total=Micros(7_000_000))) as world:
        order = await prepared(world)
        order_id = order.unsigned.order_id
        world.account.answers = [
            PostResult(
                order_id, PostStatus.MATCHED,
                making_amount=FOUR_DOLLARS, taking_amount=BUY.size,
            )
        ]  # fmt: skip
        async with asyncio.timeout(60):
            verdict = await world.service.commands.verdict(
                world.service.commands.place(order.order_id)
            )
        assert isinstance(verdict, Accepted)
        assert verdict.status is OrderStatus.FILLED
        assert "would be $8.00" in world.service.queries.account().entry.problem(BUY)
        # Later than the reports of the start, which cannot contain it.
        await world.pass_time(5)
        now = world.clock.now()
        bought = replace(fill_of(order_id, size=BUY.size), matched_at=now)
        world.user_stream.send(told(bought))
        assert "would be $8.00" in world.service.queries.account().entry.problem(BUY)
        # Sold again: there is room.
        sold = fill_of("0xsale", size=BUY.size, side=Side.SELL)
        world.user_stream.send(told(replace(sold, matched_at=now)))
        assert world.service.queries.account().entry.problem(BUY) == ""


async def test_nothing_is_bought_before_it_is_known_what_is_held(tmp_path: Path) -> None:
    async with running_world(tmp_path, with_key=False, tuning=limited(total=ONE)) as world:
        assert world.service.queries.account().entry.problem(BUY) == NOT_YET_KNOWN
        assert world.service.queries.account().entry.problem(replace(BUY, side=Side.SELL)) == ""
    async with running_world(tmp_path, with_key=False, tuning=limited(order=FOUR_DOLLARS)) as world:
        assert world.service.queries.account().entry.problem(BUY) == ""


async def test_after_the_days_loss_only_sales_are_sent(tmp_path: Path) -> None:
    tuning = limited(daily_loss=Micros(2_000_000))
    late = datetime(2026, 11, 20, 23, 59, 30, tzinfo=UTC)
    async with running_world(tmp_path, tuning=tuning, start=late) as world:
        bought = fill_of("0xa", size=Micros(20_000_000), price=500_000)
        sold = fill_of("0xb", size=Micros(20_000_000), side=Side.SELL, price=400_000)
        world.user_stream.send(told(bought))
        world.user_stream.send(told(replace(sold, trade_id=TradeId("t2"))))
        await settle()
        await prepared(world, replace(BUY, side=Side.SELL))
        assert await world.service.commands.prepare(BUY) == Rejected(
            "Your daily loss limit of $2.00 is reached: $2.00 lost since 00:00 UTC"
        )
        assert isinstance(await sent(world, replace(BUY, side=Side.SELL)), Accepted)
        # A new day begins with nothing lost.
        await world.pass_time(30)
        assert isinstance(await sent(world), Accepted)


async def test_the_days_result_is_told_without_a_limit_and_of_what_is_gone(world: World) -> None:
    assert world.service.queries.status().day_result in (None, 0)
    bought = fill_of("0xa", size=Micros(20_000_000), price=500_000)
    sold = fill_of("0xb", size=Micros(20_000_000), side=Side.SELL, price=400_000)
    world.user_stream.send(told(bought))
    world.user_stream.send(told(replace(sold, trade_id=TradeId("t2"))))
    # At once: it must not contradict the cash and the value beside it.
    await world.catch_up()
    # Nothing of it is held any more, and no list of positions would show it.
    assert world.service.queries.account().positions == ()
    assert world.service.queries.status().day_result == -2_000_000


async def test_a_restart_on_the_same_day_goes_on_counting_from_the_morning(
    tmp_path: Path,
) -> None:
    tuning = limited(daily_loss=Micros(30_000_000))
    written = {"day": "2026-11-20", "held": {YES: [100_000_000, 900_000]}}
    (tmp_path / "day.json").write_text(json.dumps(written))
    async with running_world(tmp_path, tuning=tuning) as world:
        # What is held came down from 90 to 50 cents since, before this session began.
        world.analytics.held = (HELD,)
        await looked(world)
        problem = world.service.queries.account().entry.problem(replace(BUY, token_id=NO))
        assert "$40.00 lost since 00:00 UTC" in problem


async def test_shares_that_came_by_a_conversion_count_for_the_days_limit(tmp_path: Path) -> None:
    tuning = limited(daily_loss=Micros(30_000_000))
    fallen = replace(HELD, current_price=Micros(200_000))
    start = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
    async with running_world(tmp_path, tuning=tuning, start=start) as world:
        await looked(world)
        assert world.service.queries.status().day_result == 0
        # A hundred shares at 50 cents that nobody has bought.
        world.analytics.held = (HELD,)
        await looked(world)
        assert world.service.queries.status().day_result == 0
        await world.pass_time(SURE_AFTER.total_seconds() + 10)
        world.analytics.held = (fallen,)
        await looked(world)
        assert world.service.queries.status().day_result == -30_000_000
        elsewhere = replace(BUY, token_id=NO)
        assert "Your daily loss limit" in world.service.queries.account().entry.problem(elsewhere)
    later = start + timedelta(hours=1)
    async with running_world(tmp_path, tuning=tuning, start=later) as world:
        world.analytics.held = (fallen,)
        await looked(world)
        assert world.service.queries.status().day_result == -30_000_000


@pytest.mark.parametrize("left", ["", "{", '{"day": "2026-11-19", "held": {}}'])
async def test_without_an_opening_of_today_the_day_opens_now(tmp_path: Path, left: str) -> None:
    (tmp_path / "day.json").write_text(left)
    async with running_world(tmp_path, tuning=limited(daily_loss=ONE)) as world:
        assert world.service.queries.account().entry.problem(BUY) == ""
        await world.pass_time(10)
    kept = json.loads((tmp_path / "day.json").read_text())
    assert kept == {"day": "2026-11-20", "held": {}}


async def ruled_out(world: World, intent: LimitIntent = BUY) -> None:
    """Lose the answer to an order that never shows up."""
    world.account.answers = [lost()]
    assert isinstance(await sent(world, intent), Unknown)
    world.account.open.clear()
    await until(world, lambda: said(world, "never reached the venue"), "it is ruled out")


async def test_an_order_that_was_ruled_out_keeps_its_room_while_it_may_arrive(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path, tuning=limited(market=Micros(7_000_000))) as world:
        await ruled_out(world)
        problem = world.service.queries.account().entry.problem(BUY)
        assert "it would be $8.00" in problem
        assert "may still arrive, and counts until 12:15 UTC" in problem
        smaller = replace(BUY, size=Micros(5_000_000))
        assert world.service.queries.account().entry.problem(smaller) == ""
        await world.pass_time(MAY_ARRIVE_FOR_S)
        assert world.service.queries.account().entry.problem(BUY) == ""


async def test_an_order_that_was_ruled_out_counts_once_when_it_does_arrive(tmp_path: Path) -> None:
    async with running_world(tmp_path, tuning=limited(market=Micros(9_000_000))) as world:
        await ruled_out(world)
        assert world.service.queries.account().entry.problem(BUY) == ""
        (known,) = world.service.queries.account().recent
        world.account.open[known.order_id] = resting(known.order_id)
        await world.pass_time(11)
        assert world.service.queries.status().open_orders == 1
        assert world.service.queries.account().entry.problem(BUY) == ""
        dearer = replace(BUY, price=Micros(600_000))
        assert "it would be $10.00" in world.service.queries.account().entry.problem(dearer)
        assert "may still arrive" not in world.service.queries.account().entry.problem(dearer)


async def test_an_order_that_has_expired_cannot_arrive_any_more(tmp_path: Path) -> None:
    async with running_world(tmp_path, tuning=limited(market=FOUR_DOLLARS)) as world:
        soon = world.clock.now() + timedelta(minutes=5)
        await ruled_out(world, replace(BUY, time_in_force=TimeInForce.GTD, expires_at=soon))
        assert world.service.queries.account().entry.problem(BUY) != ""
        await world.pass_time(300)
        assert world.service.queries.account().entry.problem(BUY) == ""


async def test_what_was_ruled_out_after_a_restart_keeps_its_room_too(tmp_path: Path) -> None:
    await left_behind(tmp_path)
    async with running_world(tmp_path, tuning=limited(total=FOUR_DOLLARS)) as world:
        await until(world, lambda: said(world, "never reached the venue"), "it is ruled out")
        assert "may still arrive" in world.service.queries.account().entry.problem(BUY)


async def lose_two_dollars(world: World) -> None:
    now = world.clock.now() + world.trading.ahead
    bought = fill_of("0xa", size=Micros(20_000_000), price=500_000)
    sold = fill_of("0xb", size=Micros(20_000_000), side=Side.SELL, price=400_000)
    world.user_stream.send(told(replace(bought, matched_at=now)))
    world.user_stream.send(told(replace(sold, trade_id=TradeId("t2"), matched_at=now)))
    await settle()


@pytest.mark.parametrize(
    "step", [timedelta(hours=-13), timedelta(hours=13), timedelta(days=2), timedelta(days=-400)]
)
async def test_a_clock_that_is_set_neither_hides_nor_resets_the_days_loss(
    tmp_path: Path, step: timedelta
) -> None:
    async with running_world(tmp_path, tuning=limited(daily_loss=Micros(2_000_000))) as world:
        await lose_two_dollars(world)
        assert "Your daily loss limit" in world.service.queries.account().entry.problem(BUY)
        world.clock.set_wall(step)
        world.trading.ahead -= step
        for _ in range(70):
            assert "Your daily loss limit" in world.service.queries.account().entry.problem(BUY)
            await world.pass_time(1)
        assert world.service.queries.status().day_result == -2_000_000


@pytest.mark.parametrize("days", [-3, -1, 1, 3])
async def test_a_clock_that_is_days_wrong_at_the_start_counts_the_venues_day(
    tmp_path: Path, days: int
) -> None:
    limits = limited(daily_loss=Micros(2_000_000))
    host = FakeAccountHost()
    async with running_world(tmp_path, tuning=limits, account=host) as world:
        now = world.clock.now()
        bought = fill_of("0xa", size=Micros(20_000_000), price=500_000)
        sold = fill_of("0xb", size=Micros(20_000_000), side=Side.SELL, price=400_000)
        sold = replace(sold, trade_id=TradeId("t2"))
        host.own_fills = tuple(replace(f, matched_at=now) for f in (sold, bought))
    wrong = now + timedelta(days=days)
    async with running_world(
        tmp_path, tuning=limits, account=host, start=wrong, ahead=-timedelta(days=days)
    ) as world:
        await until(world, lambda: world.service.queries.status().day_result is not None, "a day")
        assert "Your daily loss limit" in world.service.queries.account().entry.problem(BUY)


async def test_nothing_is_bought_under_a_daily_limit_before_the_venues_clock_is_known(
    tmp_path: Path,
) -> None:
    both = limited(daily_loss=Micros(2_000_000), total=Micros(50_000_000))
    async with running_world(tmp_path, tuning=both, time=lost("GET /time")) as world:
        await world.pass_time(30)
        assert world.service.queries.account().entry.problem(BUY) == CLOCK_UNKNOWN
        assert world.service.queries.account().entry.problem(replace(BUY, side=Side.SELL)) == ""
        assert world.service.queries.status().day_result is None
        world.trading.time = None
        await world.pass_time(30)
        assert world.service.queries.account().entry.problem(BUY) == ""


async def looked(world: World) -> None:
    world.service.commands.refresh(AccountTopic())
    await world.pass_time(1)
