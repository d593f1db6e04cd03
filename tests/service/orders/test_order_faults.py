"""Bugs of ours in the middle of an order: nothing hangs, nothing is forgotten, nothing goes twice."""

import asyncio
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pmtui.domain.answers import Failure, Listing
from pmtui.domain.ids import OrderId
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    Fill,
    Order,
    OrderChanged,
    OrderEventKind,
    OrderStatus,
    PostResult,
    PostStatus,
    Rejected,
    Unknown,
    UnsignedOrder,
)
from pmtui.service.account.pnl import DAY_FILE
from pmtui.service.journal.journal import Journal
from pmtui.service.ports import LastCheck
from tests.service.fakes import FakeSigner, World, lost, resting, running_world
from tests.service.order_kit import (
    FIRST,
    left_behind,
    only_order,
    prepared,
    said,
    until,
    verdict_of,
)


async def broken(*_: object) -> PostResult:
    raise ZeroDivisionError


async def broken_once_sent(_: bytes, last_check: LastCheck) -> PostResult:
    assert last_check() == ""
    raise ZeroDivisionError


async def test_a_fault_before_an_order_left_ends_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(_: FakeSigner, order: UnsignedOrder) -> bytes:
        raise ZeroDivisionError(order.order_id)

    monkeypatch.setattr(FakeSigner, "sign", break_down)
    verdict = await verdict_of(world, await prepared(world))
    assert isinstance(verdict, Rejected)
    assert world.service.queries.account().open_orders == ()
    assert world.account.posted == []
    assert said(world, "order failed (ZeroDivisionError)")


async def test_a_fault_after_an_order_left_makes_it_unknown_and_looked_for(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world.account, "post_order", broken_once_sent)
    order = await prepared(world)
    assert isinstance(await verdict_of(world, order), Unknown)
    assert only_order(world) is OrderStatus.UNKNOWN
    world.account.open[order.unsigned.order_id] = resting(order.unsigned.order_id)
    await until(world, lambda: only_order(world) is OrderStatus.LIVE, "it is found")


async def test_a_fault_while_searching_does_not_end_the_search(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.account.answers = [lost()]
    monkeypatch.setattr(world.account, "order", broken)
    order = await prepared(world)
    assert isinstance(await verdict_of(world, order), Unknown)
    await until(world, lambda: said(world, "order search failed"), "the fault")
    monkeypatch.undo()
    world.account.known[order.unsigned.order_id] = resting(order.unsigned.order_id)
    await until(world, lambda: only_order(world) is OrderStatus.LIVE, "it is found")


async def test_a_fault_does_not_stop_the_kill_switch(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world.account, "open_orders", broken)
    _ = await world.service.commands.kill()
    await until(world, lambda: said(world, "kill switch failed"), "the fault")
    monkeypatch.undo()
    await until(world, lambda: said(world, "none working"), "the kill goes on")


async def test_what_happens_during_a_refresh_is_fetched_after_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Far from the next regular look at everything.
    await world.pass_time(11)
    gate = asyncio.Event()
    asked = asyncio.Event()

    async def slow(*, after: datetime | None = None) -> Listing[Fill] | Failure:
        asked.set()
        await gate.wait()
        return Listing(())

    def hear(order_id: OrderId) -> None:
        order: Order = resting(order_id)
        world.account.open[order_id] = order
        event = OrderChanged(OrderEventKind.PLACEMENT, order, world.clock.now())
        world.user_stream.send(event)

    with monkeypatch.context() as patched:
        patched.setattr(world.account, "fills", slow)
        hear(OrderId("0x01"))
        await world.pass_time(0.5)
        assert asked.is_set()
        world.account.cash = Micros(42)
        hear(OrderId("0x02"))
        gate.set()
    await world.pass_time(1)
    assert world.service.queries.account().balance == Micros(42)


def modes_in(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.glob("*.sqlite*")}


async def test_what_holds_signed_orders_is_for_the_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = Journal(path)
    at = datetime(2026, 11, 20, 12, tzinfo=UTC)
    assert await journal.append("notice", "one", at=at) is None
    modes = modes_in(tmp_path)
    await journal.close()
    assert set(modes) == {"journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm"}
    assert set(modes.values()) == {0o600}


async def test_what_was_held_this_morning_is_for_the_owner_alone(
    world: World, tmp_path: Path
) -> None:
    day = world.service.parts.safeguards.day
    await until(world, lambda: day.loss() is not None, "the day's opening")
    assert stat.S_IMODE((tmp_path / DAY_FILE).stat().st_mode) == 0o600


async def test_an_order_that_was_thought_gone_is_open_again_when_the_venue_lists_it(
    world: World,
) -> None:
    # One that is held back is neither listed nor known by its id, and rests afterwards.
    order = await prepared(world)
    order_id = order.unsigned.order_id
    world.account.answers = [PostResult(order_id, PostStatus.DELAYED)]
    await verdict_of(world, order)
    await world.pass_time(20)
    assert only_order(world) is OrderStatus.DELAYED
    await until(world, lambda: not world.service.queries.account().open_orders, "the guess")
    world.account.open[order_id] = resting(order_id)
    await until(world, lambda: only_order(world) is OrderStatus.LIVE, "it is back")
    assert said(world, "Status corrected, was cancelled")


async def test_an_order_that_may_be_on_a_row_nobody_can_read_is_not_taken_for_gone(
    world: World,
) -> None:
    order_id = (await prepared(world)).unsigned.order_id
    world.account.open[order_id] = resting(order_id)
    await world.pass_time(21)
    assert only_order(world) is OrderStatus.LIVE
    # The venue still has it, on a row that says something new.
    del world.account.open[order_id]
    world.account.unread_orders = (None,)
    await world.pass_time(60)
    assert only_order(world) is OrderStatus.LIVE
    entries = world.service.queries.log().entries
    assert len([e for e in entries if "open orders cannot be read" in e.text]) == 1
    world.account.unread_orders = ()
    await until(world, lambda: only_order(world) is None, "a whole list rules it out")


async def test_an_order_of_before_that_was_ruled_out_is_open_again_when_listed(
    tmp_path: Path,
) -> None:
    await left_behind(tmp_path, is_known=True)
    async with running_world(tmp_path) as world:
        await until(world, lambda: said(world, "no longer at the venue"), "it is ruled out")
        assert only_order(world) is None
        world.account.open[FIRST] = resting(FIRST)
        await until(world, lambda: only_order(world) is OrderStatus.LIVE, "it is back")


async def test_a_clock_that_is_set_forward_rules_nothing_out(world: World) -> None:
    world.account.answers = [lost()]
    await verdict_of(world, await prepared(world))
    await world.catch_up()
    await world.pass_time(1)
    world.clock.set_wall(timedelta(hours=1))
    await world.pass_time(20)
    assert only_order(world) is OrderStatus.UNKNOWN
