"""Leaving: what the trader chose is done with open orders, within seconds, written down and said."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import OrderId
from pmtui.domain.orders.exit_policy import ExitPolicy, ExitReason
from pmtui.domain.orders.heartbeat import HeartbeatPolicy
from pmtui.domain.orders.order import OrderChanged, OrderEventKind, OrderStatus
from pmtui.service.profile import Tuning
from pmtui.service.safety.shutdown import CANCEL_WITHIN_S, ShutdownReport
from pmtui.service.views import Load
from tests.manual_clock import settle
from tests.service.fakes import World, lost, resting, running_world

pytestmark = pytest.mark.anyio

NAMED = "Buy 10 Yes at 40¢ · Will the river rise over four metres?"
ONE, TWO = OrderId("0x" + "1" * 64), OrderId("0x" + "2" * 64)


def rest(world: World, *order_ids: OrderId) -> None:
    for order_id in order_ids:
        order = resting(order_id)
        world.account.open[order_id] = order
        event = OrderChanged(OrderEventKind.PLACEMENT, order, world.clock.now())
        world.user_stream.send(event)


async def leave(
    world: World, policy: ExitPolicy, exit_reason: ExitReason = ExitReason.QUIT
) -> ShutdownReport:
    """Leave, letting as much time pass as that may take."""
    leaving = asyncio.ensure_future(world.service.shutdown.run(exit_reason, policy))
    await world.pass_time(CANCEL_WITHIN_S)
    assert leaving.done()
    return leaving.result()


def journal_lines(tmp_path: Path, order_id: OrderId | None = None) -> list[str]:
    with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as file:
        rows = file.execute(
            "SELECT text FROM entries WHERE kind = 'leaving' AND order_id IS ? ORDER BY sequence",
            (order_id,),
        )
        return [text for (text,) in rows]


async def test_cancel_asks_once_looks_and_says_that_nothing_rests(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        rest(world, ONE, TWO)
        report = await leave(world, ExitPolicy.CANCEL)
        assert world.account.open == {}
        assert report == ShutdownReport(
            "2 open orders at quit, on_quit = cancel. 2 cancelled, and the venue lists no open "
            "order any more."
        )
    first, last = journal_lines(tmp_path)
    assert first.startswith("quit, on_quit = cancel, 2 open: ")
    assert ONE in first
    assert TWO in first
    assert last.startswith("quit: 2 cancelled")
    assert journal_lines(tmp_path, ONE) == ["quit, on_quit = cancel", "quit: cancelled"]


async def test_a_cancellation_without_answer_is_tried_again_and_then_given_up(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path) as world:
        rest(world, ONE)
        world.account.cancel_failure = lost("DELETE /cancel-all")
        report = await leave(world, ExitPolicy.CANCEL, ExitReason.HANG_UP)
        assert "hang-up, on_hangup = cancel" in report.text
        assert "NOT all were cancelled within 5 s (DELETE /cancel-all: timed out)" in report.text
        assert report.may_rest == (f"working: {NAMED}",)
        assert report.are_orders_left
        assert len(world.account.cancelled) > 3
    assert any("NOT all" in line for line in journal_lines(tmp_path))
    assert journal_lines(tmp_path, ONE)[-1] == "hang-up: live"


async def test_a_cancellation_that_works_at_the_second_try_is_enough(world: World) -> None:
    rest(world, ONE)
    world.account.cancel_answers = [Failure(FailureKind.UNREACHABLE, "DELETE /cancel-all", "")]
    report = await leave(world, ExitPolicy.CANCEL)
    assert "1 cancelled, and the venue lists no open order" in report.text
    assert report.may_rest == ()
    assert not report.are_orders_left


async def test_a_listed_order_that_cannot_be_read_may_rest(world: World) -> None:
    rest(world, ONE)
    world.account.unread_orders = (None,)
    report = await leave(world, ExitPolicy.CANCEL)
    assert (
        "NOT all were cancelled within 5 s (1 row in the venue's list of open orders cannot be read)"
        in report.text
    )


async def test_a_stalled_cancellation_does_not_keep_the_next_from_being_tried(world: World) -> None:
    rest(world, ONE)
    world.account.stalled_cancels = 1
    report = await leave(world, ExitPolicy.CANCEL)
    assert "1 cancelled, and the venue lists no open order" in report.text


async def test_an_order_that_arrives_after_the_cancellation_is_cancelled_too(world: World) -> None:
    rest(world, ONE)
    world.account.read_failure = lost("GET /data/orders")
    leaving = asyncio.ensure_future(world.service.shutdown.run(ExitReason.QUIT, ExitPolicy.CANCEL))
    await settle()
    world.account.open[TWO] = resting(TWO)
    world.account.read_failure = None
    await world.pass_time(1)
    assert leaving.done()
    assert world.account.open == {}


async def test_an_order_without_an_answer_is_named_as_one_that_may_rest(world: World) -> None:
    unknown = resting(ONE, status=OrderStatus.UNKNOWN)
    world.user_stream.send(OrderChanged(OrderEventKind.UPDATE, unknown, world.clock.now()))
    report = await leave(world, ExitPolicy.CANCEL)
    assert "0 cancelled, and the venue lists no open order any more" in report.text
    assert report.may_rest == (f"unknown: {NAMED}",)
    assert report.are_orders_left


async def test_leaving_them_touches_nothing_and_names_them(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        rest(world, ONE)
        report = await leave(world, ExitPolicy.LEAVE)
        assert world.account.cancelled == []
        assert "1 open order at quit, on_quit = leave. Paper orders are restored" in report.text
        assert report.may_rest == (f"working: {NAMED}",)
    assert journal_lines(tmp_path, ONE) == ["quit, on_quit = leave", "quit: live"]


async def test_the_switch_is_counted_on_only_where_heartbeats_are_accepted(tmp_path: Path) -> None:
    async with running_world(tmp_path, tuning=Tuning(heartbeat=HeartbeatPolicy.ON)) as world:
        rest(world, ONE)
        report = await leave(world, ExitPolicy.SWITCH)
        assert "if a heartbeat arrives in time" in report.text
        assert world.account.cancelled == []


async def test_what_could_not_be_cancelled_is_left_to_a_switch_that_is_armed(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path, tuning=Tuning(heartbeat=HeartbeatPolicy.ON)) as world:
        rest(world, ONE)
        world.account.cancel_failure = lost("DELETE /cancel-all")
        report = await leave(world, ExitPolicy.CANCEL)
        assert "NOT all were cancelled" in report.text
        assert report.text.endswith(
            "are restored at the next start, if a heartbeat arrives in time."
        )


@pytest.mark.parametrize("policy", list(ExitPolicy))
async def test_without_orders_there_is_nothing_to_do_or_to_say(
    world: World, policy: ExitPolicy
) -> None:
    assert await leave(world, policy) == ShutdownReport()
    assert world.account.cancelled == []


async def test_before_the_first_look_at_the_venue_cancelling_takes_no_chances(world: World) -> None:
    world.service.parts.account.feed.state.load = Load.LOADING
    world.account.open[ONE] = resting(ONE)
    report = await leave(world, ExitPolicy.CANCEL)
    assert world.account.open == {}
    assert "the venue lists no open order any more" in report.text


async def test_an_account_that_was_never_reached_has_nothing_cancelled(tmp_path: Path) -> None:
    async def opening() -> Failure:
        return Failure(FailureKind.UNREACHABLE, "GET /auth/api-keys", "no route")

    async with running_world(tmp_path, opening=opening) as world:
        report = await leave(world, ExitPolicy.CANCEL)
        assert report.text == "NOT cancelled: GET /auth/api-keys: no route."
        assert report.are_orders_left


async def test_read_only_sessions_leave_without_a_word(tmp_path: Path) -> None:
    async with running_world(tmp_path, with_key=False) as world:
        assert await leave(world, ExitPolicy.CANCEL) == ShutdownReport()


async def test_the_first_reason_to_leave_counts(world: World) -> None:
    rest(world, ONE)
    world.service.shutdown.start(ExitReason.HANG_UP, ExitPolicy.CANCEL)
    report = await leave(world, ExitPolicy.LEAVE)
    assert "hang-up, on_hangup = cancel" in report.text
    assert world.account.open == {}


async def test_leaving_disarms(world: World) -> None:
    assert await world.service.commands.arm() == ""
    await leave(world, ExitPolicy.LEAVE)
    assert world.service.queries.status().armed_until is None
