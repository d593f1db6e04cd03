"""The dead man's switch: heartbeats in time, loud when they fail, and no silence while orders rest."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import OrderId
from pmtui.domain.orders.heartbeat import BeatState, HeartbeatPolicy, HeartbeatView
from pmtui.domain.orders.order import OrderChanged, OrderEventKind, OrderStatus
from pmtui.domain.orders.own_orders import LAG_S
from pmtui.service.profile import Tuning
from pmtui.service.views import Level
from tests.manual_clock import settle
from tests.service.fakes import World, resting, running_world

pytestmark = pytest.mark.anyio

DOWN = Failure(FailureKind.UNREACHABLE, "POST /v1/heartbeats", "connection refused")
ONE, TWO = OrderId("0x" + "1" * 64), OrderId("0x" + "2" * 64)


@asynccontextmanager
async def world_with(tmp_path: Path, policy: HeartbeatPolicy) -> AsyncIterator[World]:
    # Armed for longer than any of these tests takes.
    tuning = Tuning(heartbeat=policy, disarm_after_s=3_600)
    async with running_world(tmp_path, tuning=tuning) as world:
        yield world


def beat(world: World) -> HeartbeatView:
    return world.service.queries.status().heartbeat


def state(world: World) -> BeatState:
    return beat(world).state


def told(world: World, level: Level) -> list[str]:
    return [e.text for e in world.service.queries.log().entries if e.level is level]


def rest(world: World, *order_ids: OrderId) -> None:
    """Let orders rest at the venue, and us know of them."""
    for order_id in order_ids:
        order = resting(order_id)
        world.account.open[order_id] = order
        world.user_stream.send(OrderChanged(OrderEventKind.PLACEMENT, order, world.clock.now()))


def drop(world: World, *order_ids: OrderId) -> None:
    """Cancel orders at the venue."""
    for order_id in order_ids:
        order = resting(order_id, status=OrderStatus.CANCELLED)
        world.account.open.pop(order_id, None)
        world.user_stream.send(OrderChanged(OrderEventKind.CANCELLATION, order, world.clock.now()))


async def test_without_being_asked_nobody_beats(world: World) -> None:
    assert await world.service.commands.arm() == ""
    await world.pass_time(60)
    assert world.heart.beats == []
    assert beat(world) == HeartbeatView()


async def test_on_means_a_heartbeat_every_four_seconds_from_the_start(tmp_path: Path) -> None:
    async with world_with(tmp_path, HeartbeatPolicy.ON) as world:
        await world.pass_time(17)
        assert world.heart.beats == [0, 4, 8, 12, 16]
        view = beat(world)
        assert view.state is BeatState.BEATING
        assert view.accepted_at is not None
        assert (world.clock.now() - view.accepted_at).total_seconds() == 1
        assert told(world, Level.BAD) == []


async def test_a_stalled_heartbeat_is_given_up_in_time_for_two_more(tmp_path: Path) -> None:
    async with world_with(tmp_path, HeartbeatPolicy.ON) as world:
        await world.pass_time(1)
        world.heart.stalls = True
        await world.pass_time(8.9)
        assert world.heart.beats == [0, 4, 6.5, 9]


async def test_one_lost_heartbeat_is_made_good_without_a_word(tmp_path: Path) -> None:
    async with world_with(tmp_path, HeartbeatPolicy.ON) as world:
        await world.pass_time(1)
        world.heart.failure = DOWN
        await world.pass_time(3.2)
        world.heart.failure = None
        await world.pass_time(1)
        assert state(world) is BeatState.BEATING
        assert told(world, Level.BAD) == told(world, Level.GOOD) == []


async def test_a_missed_heartbeat_is_told_once_and_so_is_its_recovery(tmp_path: Path) -> None:
    async with world_with(tmp_path, HeartbeatPolicy.ON) as world:
        await world.pass_time(1)
        world.heart.failure = DOWN
        await world.pass_time(6)
        assert state(world) is BeatState.LATE
        (text,) = told(world, Level.BAD)
        assert text == (
            "Heartbeat missed (connection refused): the venue cancels every order unless one is "
            "accepted within 4 s"
        )
        world.heart.failure = None
        await world.pass_time(1)
        assert state(world) is BeatState.BEATING
        (text,) = told(world, Level.GOOD)
        assert "in time: orders were kept" in text
        assert len(told(world, Level.BAD)) == 1


async def test_a_loss_is_loud_and_every_order_that_goes_with_it_is_told(tmp_path: Path) -> None:
    async with world_with(tmp_path, HeartbeatPolicy.ON) as world:
        rest(world, ONE, TWO)
        await world.pass_time(1)
        world.heart.stalls = True
        await world.pass_time(10)
        assert state(world) is BeatState.LOST
        missed, lost = told(world, Level.BAD)
        assert "no answer" in missed
        assert lost.startswith("HEARTBEATS LOST (no answer within 2 s): none accepted for 10 s")
        drop(world, ONE)
        await world.pass_time(2)
        assert len(told(world, Level.BAD)) == 2
        drop(world, TWO)
        await world.pass_time(20)
        assert told(world, Level.BAD)[2:] == [
            "2 orders were cancelled since the last good heartbeat"
        ]
        each = [e for e in world.service.queries.log().entries if e.kind == "order"]
        assert [e.order_id for e in each] == [ONE, TWO]
        assert all(e.text.startswith("Cancelled: Buy 10 Yes at 40¢") for e in each)

        world.heart.stalls = False
        await world.pass_time(5)
        assert state(world) is BeatState.BEATING
        assert told(world, Level.WARNING)[-1].startswith("Heartbeats are accepted again")
        assert len(told(world, Level.BAD)) == 3


async def test_orders_that_a_silent_stream_kept_from_us_are_asked_for_after_a_loss(
    tmp_path: Path,
) -> None:
    async with world_with(tmp_path, HeartbeatPolicy.ON) as world:
        rest(world, ONE)
        await world.pass_time(6)
        world.heart.failure = DOWN
        await world.pass_time(14)
        assert state(world) is BeatState.LOST
        world.account.open.clear()
        world.heart.failure = None
        await world.pass_time(LAG_S + 10)
        assert not world.service.queries.account().open_orders
        assert "1 order was cancelled since the last good heartbeat" in told(world, Level.BAD)


async def test_orders_are_unconfirmed_from_a_loss_until_the_venue_shows_them_again(
    tmp_path: Path,
) -> None:
    async with world_with(tmp_path, HeartbeatPolicy.ON) as world:

        def unconfirmed() -> set[OrderId]:
            orders = world.service.queries.account().open_orders
            found = {o.order_id for o in orders if o.status is OrderStatus.UNKNOWN}
            assert world.service.queries.status().unknown_orders == len(found)
            return found

        rest(world, ONE, TWO)
        await world.pass_time(6)
        world.heart.failure = DOWN
        await world.pass_time(4)
        assert state(world) is BeatState.LATE
        assert not unconfirmed()
        await world.pass_time(5 * LAG_S)
        assert state(world) is BeatState.LOST
        assert unconfirmed() == {ONE, TWO}
        del world.account.open[ONE]
        world.heart.failure = None
        await world.pass_time(5)
        assert state(world) is BeatState.BEATING
        assert unconfirmed() == {ONE, TWO}
        await world.pass_time(LAG_S + 10)
        assert not unconfirmed()
        assert [o.order_id for o in world.service.queries.account().open_orders] == [TWO]
        assert world.service.parts.account.feed.own.order(TWO) == resting(TWO)


async def test_each_loss_is_told_anew(tmp_path: Path) -> None:
    async with world_with(tmp_path, HeartbeatPolicy.ON) as world:
        for _ in range(2):
            world.heart.failure = None
            await world.pass_time(5)
            world.heart.failure = DOWN
            await world.pass_time(20)
        lost = [text for text in told(world, Level.BAD) if "LOST" in text]
        assert len(lost) == 2


async def test_a_switch_that_never_starts_is_told_and_protects_nothing(tmp_path: Path) -> None:
    async with world_with(tmp_path, HeartbeatPolicy.ARMED) as world:
        world.heart.failure = DOWN
        await world.service.commands.arm()
        await world.pass_time(11)
        assert state(world) is BeatState.STARTING
        assert not state(world).is_armed_at_venue
        (text,) = told(world, Level.BAD)
        assert text.startswith("The dead man's switch could not be started (connection refused)")
        world.heart.failure = None
        await world.pass_time(1)
        assert state(world) is BeatState.BEATING
        assert told(world, Level.GOOD)[0].startswith("The dead man's switch is on")


async def test_while_armed_it_beats_and_ends_with_disarming_where_nothing_rests(
    tmp_path: Path,
) -> None:
    async with world_with(tmp_path, HeartbeatPolicy.ARMED) as world:
        await world.pass_time(20)
        assert world.heart.beats == []
        assert state(world) is BeatState.OFF
        await world.service.commands.arm()
        await settle()
        assert world.heart.beats == [20]
        assert state(world) is BeatState.BEATING
        await world.pass_time(5)
        world.service.commands.disarm("asked")
        await world.pass_time(30)
        assert world.heart.beats == [20, 24]
        assert beat(world) == HeartbeatView(HeartbeatPolicy.ARMED)
        assert any(
            t.startswith("Heartbeats stop, no working orders") for t in told(world, Level.INFO)
        )


async def test_disarming_while_orders_rest_does_not_let_the_venue_cancel_them(
    tmp_path: Path,
) -> None:
    async with world_with(tmp_path, HeartbeatPolicy.ARMED) as world:
        await world.service.commands.arm()
        rest(world, ONE)
        await world.pass_time(5)
        world.service.commands.disarm("asked")
        await settle()
        assert "Heartbeats continue while 1 order is working" in told(world, Level.WARNING)[-1]
        await world.pass_time(30)
        assert state(world) is BeatState.BEATING
        drop(world, ONE)
        await world.pass_time(5)
        assert state(world) is BeatState.OFF
        count = len(world.heart.beats)
        await world.pass_time(30)
        assert len(world.heart.beats) == count


async def test_an_order_soon_after_the_last_heartbeat_is_not_left_to_the_sweep(
    tmp_path: Path,
) -> None:
    # Nothing disarms the venue: what is placed before its sweep goes with it.
    async with world_with(tmp_path, HeartbeatPolicy.ARMED) as world:
        await world.service.commands.arm()
        await world.pass_time(5)
        world.service.commands.disarm("asked")
        await world.pass_time(7)
        assert state(world) is BeatState.OFF
        rest(world, ONE)
        await settle()
        assert state(world) is BeatState.BEATING
        await world.pass_time(30)
        assert state(world) is BeatState.BEATING
        assert told(world, Level.BAD) == []


async def test_an_order_after_the_sweep_needs_no_heartbeats(tmp_path: Path) -> None:
    async with world_with(tmp_path, HeartbeatPolicy.ARMED) as world:
        await world.service.commands.arm()
        await world.pass_time(5)
        world.service.commands.disarm("asked")
        await world.pass_time(20)
        rest(world, ONE)
        await world.pass_time(30)
        assert state(world) is BeatState.OFF
        assert world.heart.beats == [0, 4]


async def test_arming_again_starts_anew(tmp_path: Path) -> None:
    async with world_with(tmp_path, HeartbeatPolicy.ARMED) as world:
        await world.service.commands.arm()
        await world.pass_time(1)
        world.service.commands.disarm("asked")
        await world.pass_time(60)
        await world.service.commands.arm()
        await settle()
        # Sixty seconds without heartbeats were meant: nothing was lost.
        assert state(world) is BeatState.BEATING
        assert told(world, Level.BAD) == []
