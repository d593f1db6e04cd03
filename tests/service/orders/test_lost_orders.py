"""Orders without a known end: lost replies, and those of a session that was cut off."""

import asyncio
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import OrderId
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    OrderStatus,
    PostResult,
    PostStatus,
    Rejected,
    TimeInForce,
    Unknown,
)
from pmtui.service.data_service import DataService
from pmtui.service.health import Health
from pmtui.service.journal.journal import Journal
from pmtui.service.journal.journal_rows import JournalProblem
from pmtui.service.ports import Hosts
from pmtui.service.profile import Profile
from pmtui.service.views import Level, Mode
from tests.manual_clock import ManualClock, settle
from tests.service.fakes import YES, World, fill, lost, resting, running_world
from tests.service.order_kit import (
    BUY,
    FIRST,
    left_behind,
    only_order,
    prepared,
    said,
    until,
    verdict_of,
)


async def unsettled_after(tmp_path: Path) -> tuple[OrderId, ...]:
    journal = Journal(tmp_path / "journal.sqlite")
    left = await journal.unsettled()
    await journal.close()
    assert not isinstance(left, JournalProblem)
    return tuple(order.order.order_id for order in left)


async def restored(world: World) -> None:
    await until(world, lambda: world.service.queries.account().open_orders, "it is taken up")


async def test_an_order_of_before_counts_as_resting_until_it_is_found(tmp_path: Path) -> None:
    await left_behind(tmp_path)
    async with running_world(tmp_path) as world:
        world.account.open = {}
        await restored(world)
        assert world.service.queries.status().unknown_orders == 1
        assert world.service.queries.account().reserved == 4_000_000
        world.account.known[FIRST] = resting(FIRST)
        (order,) = world.service.queries.account().open_orders
        assert order.reason
        await until(world, lambda: only_order(world) is OrderStatus.LIVE, "it is found")
        (order,) = world.service.queries.account().open_orders
        assert not order.reason
        assert said(world, "Checking 1 order from the last session")
        await until(world, lambda: said(world, "Found working"), "it is told")
        (found,) = (e for e in world.service.queries.log().entries if "Found" in e.text)
        assert (found.kind, found.level) == ("notice", Level.GOOD)
    assert await unsettled_after(tmp_path) == (FIRST,)


async def test_an_order_that_filled_meanwhile_is_found_in_the_trades(tmp_path: Path) -> None:
    await left_behind(tmp_path)
    async with running_world(tmp_path) as world:
        world.account.own_fills = (fill(FIRST),)
        await until(world, lambda: said(world, "Found filled"), "it is found")
        assert world.service.queries.account().reserved == 0
        (order,) = world.service.queries.fills().fills
        assert order.order_id == FIRST
    assert await unsettled_after(tmp_path) == ()


async def test_what_filled_in_part_and_no_longer_rests_ends_cancelled(tmp_path: Path) -> None:
    await left_behind(tmp_path, is_known=True)
    async with running_world(tmp_path) as world:
        world.account.own_fills = (fill(FIRST, size=Micros(3_000_000)),)
        await until(world, lambda: said(world, "Found partially filled"), "it is found")
        # The trader knew that the venue had it.
        (found,) = (e for e in world.service.queries.log().entries if "Found" in e.text)
        assert (found.kind, found.level) == ("order", Level.INFO)
        await until(world, lambda: not world.service.queries.account().open_orders, "its end")
    assert await unsettled_after(tmp_path) == ()


async def test_what_is_gone_but_for_a_crumb_is_filled(tmp_path: Path) -> None:
    await left_behind(tmp_path, is_known=True)
    async with running_world(tmp_path) as world:
        world.account.own_fills = (fill(FIRST, size=Micros(9_994_000)),)
        await until(world, lambda: said(world, "Found filled"), "it is found")
        assert not world.service.queries.account().open_orders
        assert not said(world, "Cancelled")
    assert await unsettled_after(tmp_path) == ()


async def test_an_order_that_never_left_is_ruled_out_and_stays_so(tmp_path: Path) -> None:
    await left_behind(tmp_path)
    async with running_world(tmp_path) as world:
        await restored(world)
        await until(world, lambda: only_order(world) is None, "it is ruled out")
        await until(world, lambda: said(world, "never reached the venue"), "it is told")
        assert world.account.posted == []
    assert await unsettled_after(tmp_path) == ()


async def test_an_order_that_had_rested_and_is_gone_was_cancelled(tmp_path: Path) -> None:
    await left_behind(tmp_path, is_known=True)
    async with running_world(tmp_path) as world:
        await restored(world)
        await until(world, lambda: said(world, "no longer at the venue"), "it is ruled out")
        assert not said(world, "never reached")


async def test_looks_that_fail_rule_nothing_out(world: World) -> None:
    order = await prepared(world)
    world.account.answers = [lost()]
    world.account.read_failure = Failure(FailureKind.UNREACHABLE, "GET /data/orders", "down")
    assert isinstance(await verdict_of(world, order), Unknown)
    for _ in range(20):
        await world.pass_time(10)
    assert only_order(world) is OrderStatus.UNKNOWN
    world.account.read_failure = None
    await until(world, lambda: only_order(world) is None, "it is ruled out")


@pytest.mark.parametrize("is_order", [True, False])
async def test_looks_at_lists_that_cannot_all_be_read_rule_nothing_out(
    tmp_path: Path, is_order: bool
) -> None:
    await left_behind(tmp_path)
    async with running_world(tmp_path) as world:
        await restored(world)
        # Of another order even: what names nothing of ours proves nothing either.
        unread = (frozenset({OrderId("0x99")}),)
        if is_order:
            world.account.unread_orders = unread
        else:
            world.account.unread_fills = unread
        for _ in range(40):
            await world.catch_up()
            await world.pass_time(3)
        assert only_order(world) is OrderStatus.UNKNOWN
        world.account.unread_orders = world.account.unread_fills = ()
        await until(world, lambda: only_order(world) is None, "it is ruled out")


async def test_a_post_without_an_answer_is_unknown_at_the_deadline(world: World) -> None:
    order = await prepared(world)
    world.account.stalls = True
    command = world.service.commands.place(order.order_id)
    await until(world, lambda: world.account.posted, "it left")
    start = world.clock.now()
    await until(world, lambda: only_order(world) is OrderStatus.UNKNOWN, "the deadline")
    assert timedelta(seconds=9) <= world.clock.now() - start <= timedelta(seconds=11)
    verdict = await world.service.commands.verdict(command)
    assert isinstance(verdict, Unknown)
    assert "no answer within 10 s" in verdict.reason


async def test_a_duplicate_refusal_is_no_rejection(world: World) -> None:
    order = await prepared(world)
    order_id = order.unsigned.order_id
    words = f"order {order_id} is invalid. Duplicated."
    world.account.answers = [Failure(FailureKind.REFUSED, "POST /order", words, 400)]
    world.account.known[order_id] = resting(order_id)
    assert isinstance(await verdict_of(world, order), Unknown)
    await until(world, lambda: only_order(world) is OrderStatus.LIVE, "it is found")


async def test_a_closed_venue_says_so_and_has_taken_nothing(world: World) -> None:
    order = await prepared(world)
    words = (
        "Trading is currently cancel-only. New orders are not accepted, but cancels are allowed."
    )
    world.account.answers = [Failure(FailureKind.SERVER, "POST /order", words, 503)]
    assert await verdict_of(world, order) == Rejected(words)


async def test_the_same_order_leaves_only_once(world: World) -> None:
    order = await prepared(world)
    await verdict_of(world, order)
    assert isinstance(await verdict_of(world, order), Rejected)
    assert len(world.account.posted) == 1
    assert only_order(world) is OrderStatus.LIVE


async def test_what_fell_into_place_is_final_in_the_journal(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        order = await prepared(world, replace(BUY, time_in_force=TimeInForce.FOK))
        world.account.answers = [
            PostResult(
                order.unsigned.order_id,
                PostStatus.MATCHED,
                making_amount=order.cash,
                taking_amount=order.size,
            )
        ]
        await verdict_of(world, order)
        assert world.service.queries.account().shares(YES) == 0
    assert await unsettled_after(tmp_path) == ()


async def test_what_an_earlier_session_left_rests_before_any_host_answers(tmp_path: Path) -> None:
    await left_behind(tmp_path)
    never: asyncio.Future[Hosts | str] = asyncio.get_running_loop().create_future()

    async def connect(_: Health) -> Hosts | str:
        return await never

    service = DataService(
        profile=Profile("paper", Mode.PAPER),
        connect=connect,
        clock=ManualClock(datetime(2026, 11, 20, 12, 0, tzinfo=UTC)),
        journal=Journal(tmp_path / "journal.sqlite"),
        rng=random.Random(7),
    )
    async with service.running(), asyncio.timeout(60):
        while not service.queries.status().open_orders:
            await settle()
        assert service.queries.status().unknown_orders == 1
