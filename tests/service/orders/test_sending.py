"""What may still keep an order back until its bytes leave: all of it is asked at the last moment."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from typing_extensions import override

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import CommandId, OrderId
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    Accepted,
    CancelResult,
    CancelVerdict,
    MoveEnd,
    MoveVerdict,
    OrderChanged,
    OrderEventKind,
    OrderStatus,
    Rejected,
    TimeInForce,
    Unknown,
)
from pmtui.service.clock import read_moment
from pmtui.service.journal.journal import Journal, OutgoingOrder
from pmtui.service.journal.journal_rows import JournalProblem
from pmtui.service.orders.sending import POST_DEADLINE_S
from pmtui.service.safety.kill_lock import new_kill, remove_killed, write_killed
from pmtui.service.surface import PreparedOrder
from tests.manual_clock import settle
from tests.service.book_kit import book, quoted
from tests.service.fakes import CONDITION, NO, YES, World, lost, resting, running_world
from tests.service.order_kit import BUY, prepared, said, until

NOT_FOUND = "Order not found or already canceled"


class StalledDisk(Journal):
    """Writes an order down only when a test lets it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.let_go = asyncio.Event()
        self.is_asked = asyncio.Event()
        self.has_written = False

    @override
    async def begin(self, leaving: Sequence[OutgoingOrder]) -> JournalProblem | None:
        self.is_asked.set()
        await self.let_go.wait()
        problem = await super().begin(leaving)
        self.has_written = True
        return problem


async def entries_of(world: World, order_id: OrderId) -> list[tuple[str, str]]:
    entries = await world.service._journal.entries(order_id)
    assert not isinstance(entries, JournalProblem)
    return [(entry.kind, entry.text) for entry in entries]


async def in_line(world: World, order: PreparedOrder) -> CommandId:
    """Place an order that has to wait for its turn after it was journaled."""
    world.account.lane.clear()
    command = world.service.commands.place(order.order_id)
    await until(world, lambda: world.account.in_line, "it stands in line")
    return command


Wish = Callable[[World, OrderId], CommandId]
WISHES: dict[str, Wish] = {
    "by id": lambda world, order_id: world.service.commands.cancel([order_id]),
    "market": lambda world, _: world.service.commands.cancel_market(CONDITION, None),
    "token": lambda world, _: world.service.commands.cancel_market(CONDITION, YES),
    "all": lambda world, _: world.service.commands.cancel_all(),
}


@pytest.mark.parametrize("how", WISHES)
async def test_an_order_in_line_that_is_cancelled_never_leaves(world: World, how: str) -> None:
    order = await prepared(world)
    order_id = order.unsigned.order_id
    command = await in_line(world, order)
    cancel = WISHES[how](world, order_id)
    # Both are answered at once: nobody waits for the line.
    cancelled = await world.service.commands.cancel_verdict(cancel)
    assert cancelled == CancelVerdict(CancelResult((order_id,)))
    assert isinstance(await world.service.commands.verdict(command), Rejected)
    world.account.lane.set()
    await world.pass_time(30)
    assert world.account.posted == []
    assert world.service.queries.account().open_orders == ()
    assert ("not sent", "Not sent: cancelled before it left") in await entries_of(world, order_id)


async def test_a_sweep_of_another_market_keeps_nothing_back(world: World) -> None:
    command = await in_line(world, await prepared(world))
    world.service.commands.cancel_market(CONDITION, NO)
    await settle()
    world.account.lane.set()
    assert isinstance(await world.service.commands.verdict(command), Accepted)


async def test_an_order_that_was_asked_for_after_a_sweep_leaves(world: World) -> None:
    world.service.commands.cancel_all()
    command = world.service.commands.place((await prepared(world)).order_id)
    assert isinstance(await world.service.commands.verdict(command), Accepted)


async def test_a_kill_keeps_back_what_stands_in_line_even_if_it_is_released(world: World) -> None:
    command = await in_line(world, await prepared(world))
    _ = await world.service.commands.kill()
    assert await world.service.commands.unlock_entry() == ""
    verdict = await world.service.commands.verdict(command)
    assert isinstance(verdict, Rejected)
    world.account.lane.set()
    await world.pass_time(30)
    assert world.account.posted == []


async def test_a_kill_from_another_shell_keeps_back_what_stands_in_line(
    world: World, tmp_path: Path
) -> None:
    command = await in_line(world, await prepared(world))
    write_killed(tmp_path, new_kill("another shell", world.clock.now()))
    # Nothing of time passes: only the last question can find it.
    world.account.lane.set()
    verdict = await world.service.commands.verdict(command)
    assert isinstance(verdict, Rejected)
    assert "another shell" in verdict.reason
    assert world.account.posted == []
    remove_killed(tmp_path)


async def test_an_order_in_line_past_its_deadline_is_rejected_and_never_leaves(
    world: World,
) -> None:
    order = await prepared(world)
    command = await in_line(world, order)
    await world.pass_time(10)
    assert isinstance(await world.service.commands.verdict(command), Rejected)
    world.account.lane.set()
    await world.pass_time(30)
    assert world.account.posted == []
    assert not said(world, "never reached the venue")


@pytest.mark.parametrize("clock", ["wall", "steady"])
async def test_an_order_does_not_leave_after_the_machine_was_suspended(
    world: World, clock: str
) -> None:
    """Asleep, the steady clock may stand still; stopped, no timer rings before the order goes on."""
    order = await prepared(world)
    command = await in_line(world, order)
    if clock == "wall":
        world.clock.set_wall(timedelta(seconds=60))
    else:
        world.clock.skip(60)
    world.account.lane.set()
    verdict = await world.service.commands.verdict(command)
    assert isinstance(verdict, Rejected)
    assert "could not leave within 10 s" in verdict.reason
    assert world.account.posted == []


async def test_recorded_time_makes_no_order_late(world: World) -> None:
    order = await prepared(world)
    command = await in_line(world, order)
    world.clock.play_on(timedelta(hours=1))
    await world.pass_time(9)
    world.account.lane.set()
    assert isinstance(await world.service.commands.verdict(command), Accepted)


async def test_a_clock_that_is_set_back_makes_nothing_older_or_younger(world: World) -> None:
    order = await prepared(world)
    command = await in_line(world, order)
    world.clock.set_wall(timedelta(hours=-1))
    await world.pass_time(9)
    world.account.lane.set()
    assert isinstance(await world.service.commands.verdict(command), Accepted)


@pytest.mark.parametrize("how", ["by id", "all", "nobody"])
async def test_an_order_that_waits_for_the_disk_is_answered_and_never_leaves_late(
    tmp_path: Path, how: str
) -> None:
    journal = StalledDisk(tmp_path / "journal.sqlite")
    async with running_world(tmp_path, journal=journal) as world:
        order = await prepared(world)
        order_id = order.unsigned.order_id
        command = world.service.commands.place(order.order_id)
        await journal.is_asked.wait()
        if how in WISHES:
            cancel = WISHES[how](world, order_id)
            verdict = await world.service.commands.cancel_verdict(cancel)
            assert verdict.result.canceled == (order_id,)
        else:
            await world.pass_time(10)
        assert isinstance(await world.service.commands.verdict(command), Rejected)
        await world.pass_time(20)
        journal.let_go.set()
        await until(world, lambda: journal.has_written, "the disk goes on")
        await settle()
        await world.catch_up()
        assert world.account.posted == []
        # The next session has nothing to look for.
        assert await journal.unsettled() == ()
        assert "not sent" in {kind for kind, _ in await entries_of(world, order_id)}


async def test_an_order_whose_date_passed_while_it_waited_never_leaves(world: World) -> None:
    ends_at = world.clock.now() + timedelta(seconds=5)
    dated = replace(BUY, time_in_force=TimeInForce.GTD, expires_at=ends_at)
    command = await in_line(world, await prepared(world, dated))
    await world.pass_time(6)
    world.account.lane.set()
    verdict = await world.service.commands.verdict(command)
    assert verdict == Rejected("Not sent: it expired before it left")
    assert world.account.posted == []


async def test_the_date_of_an_order_is_met_by_the_venues_clock(world: World) -> None:
    world.service.parts.kernel.skew = timedelta(seconds=-60)
    ends_at = world.clock.now() + timedelta(seconds=5)
    dated = replace(BUY, time_in_force=TimeInForce.GTD, expires_at=ends_at)
    command = await in_line(world, await prepared(world, dated))
    await world.pass_time(6)
    world.account.lane.set()
    assert isinstance(await world.service.commands.verdict(command), Accepted)


async def test_a_single_key_does_not_leave_once_its_book_is_bad(world: World) -> None:
    order = await prepared(world)
    await quoted(world)
    await settle()
    assert book(world).state.is_good
    world.account.lane.clear()
    command = world.service.commands.place(order.order_id, is_single_key=True)
    await until(world, lambda: world.account.in_line, "it stands in line")
    world.stream.close_sockets_of(frozenset({YES, NO}))
    assert not book(world).state.is_good
    world.account.lane.set()
    verdict = await world.service.commands.verdict(command)
    assert isinstance(verdict, Rejected)
    assert verdict.reason.startswith("Not sent: the book is")
    assert world.account.posted == []


@pytest.mark.parametrize("override", ["", "from a book that is stale"])
async def test_a_bad_book_keeps_back_neither_a_card_nor_what_was_permitted(
    world: World, override: str
) -> None:
    # No book at all is a bad one.
    order = await prepared(world)
    command = world.service.commands.place(
        order.order_id, override=override, is_single_key=bool(override)
    )
    assert isinstance(await world.service.commands.verdict(command), Accepted)


async def test_the_rest_of_a_batch_leaves_without_the_order_that_is_not_wanted(
    world: World,
) -> None:
    orders = [await prepared(world, replace(BUY, price=p)) for p in PRICES]
    world.account.lane.clear()
    command = world.service.commands.place_many([leg.order_id for leg in orders])
    await until(world, lambda: world.account.in_line, "they stand in line")
    world.service.commands.cancel([orders[1].unsigned.order_id])
    await settle()
    world.account.lane.set()
    verdicts = await world.service.commands.batch_verdict(command)
    assert [type(verdict) for verdict in verdicts] == [Accepted, Rejected, Accepted]
    bodies = [o.unsigned.order_id.encode() for o in orders]
    assert world.account.batches == [(bodies[0], bodies[2])]


async def test_a_sale_that_waits_for_cancels_is_kept_back_by_a_sweep(world: World) -> None:
    order = await prepared(world)
    in_the_way = resting(OrderId("0x0f"))
    world.account.open[in_the_way.order_id] = in_the_way
    await world.pass_time(11)
    command = world.service.commands.flatten(order.order_id, [in_the_way])
    world.service.commands.cancel_all()
    verdict = await world.service.commands.verdict(command)
    assert isinstance(verdict, Rejected)
    await world.pass_time(30)
    assert world.account.posted == []


async def test_an_order_without_an_answer_is_unknown_when_its_own_deadline_passes(
    world: World,
) -> None:
    order = await prepared(world)
    command = await in_line(world, order)
    await world.pass_time(4)
    world.account.stalls = True
    world.account.lane.set()
    await until(world, lambda: world.account.posted, "it left")
    await world.pass_time(7)
    verdict = await world.service.commands.verdict(command)
    assert isinstance(verdict, Unknown)
    assert "no answer within 10 s" in verdict.reason


PRICES = (BUY.price, type(BUY.price)(390_000), type(BUY.price)(380_000))


# What is on its way when it is to be cancelled.


async def on_its_way(world: World, *, answer: Failure | None) -> OrderId:
    """Leave an order that the venue has not got yet: still unanswered, or with its answer lost."""
    order = await prepared(world)
    world.account.refuses_to_cancel = {order.unsigned.order_id: NOT_FOUND}
    if answer is None:
        world.account.stalls = True
    else:
        world.account.answers = [answer]
    world.service.commands.place(order.order_id)
    await until(world, lambda: world.account.posted, "it left")
    await settle()
    return order.unsigned.order_id


async def arrive(world: World, order_id: OrderId) -> None:
    """Let an order arrive at the venue, which tells of it and lets it be cancelled from now on."""
    world.account.refuses_to_cancel = {}
    live = resting(order_id)
    world.account.open[order_id] = live
    world.user_stream.send(OrderChanged(OrderEventKind.PLACEMENT, live, world.clock.now()))
    await world.pass_time(1)


@pytest.mark.parametrize("how", WISHES)
@pytest.mark.parametrize("answer", [None, lost()], ids=["sent", "unknown"])
async def test_an_order_on_its_way_is_cancelled_when_it_arrives(
    world: World, how: str, answer: Failure | None
) -> None:
    order_id = await on_its_way(world, answer=answer)
    cancel = WISHES[how](world, order_id)
    verdict = await world.service.commands.cancel_verdict(cancel)
    assert verdict.result.unanswered == (order_id,)
    assert "cancelling again" in verdict.problem
    await world.pass_time(3)
    # It arrives, whoever tells of it.
    await arrive(world, order_id)
    assert world.account.open == {}
    known = world.service.parts.account.feed.own.order(order_id)
    assert known is not None
    assert known.status is OrderStatus.CANCELLED


async def test_an_order_that_was_ruled_out_is_cancelled_when_it_arrives_all_the_same(
    world: World,
) -> None:
    order_id = await on_its_way(world, answer=lost())
    world.service.commands.cancel([order_id])
    await until(world, lambda: said(world, "never reached the venue"), "it is ruled out")
    await arrive(world, order_id)
    assert world.account.open == {}
    assert said(world, "arrived after its cancel: cancelling it now")


@pytest.mark.parametrize("is_ruled_out", [False, True])
async def test_the_next_session_goes_on_cancelling_what_arrives_only_then(
    tmp_path: Path, *, is_ruled_out: bool
) -> None:
    async with running_world(tmp_path) as world:
        order_id = await on_its_way(world, answer=lost())
        world.service.commands.cancel([order_id])
        if is_ruled_out:
            await until(world, lambda: said(world, "never reached the venue"), "it is ruled out")
        else:
            await world.pass_time(1)
    async with running_world(tmp_path) as world:
        world.account.refuses_to_cancel = {order_id: NOT_FOUND}
        await world.pass_time(3)
        await arrive(world, order_id)
        assert world.account.open == {}


async def test_a_kill_that_is_released_still_cancels_what_was_on_its_way(world: World) -> None:
    order_id = await on_its_way(world, answer=lost())
    _ = await world.service.commands.kill()
    await world.pass_time(0.5)
    assert await world.service.commands.unlock_entry() == ""
    await arrive(world, order_id)
    assert world.account.open == {}


async def test_a_cancel_that_never_left_is_repeated_for_an_order_that_may_arrive(
    world: World,
) -> None:
    order_id = await on_its_way(world, answer=lost())
    no_way = Failure(FailureKind.UNREACHABLE, "DELETE /order", "no route")
    world.account.cancel_answers = [no_way, no_way]
    verdict = await world.service.commands.cancel_verdict(world.service.commands.cancel([order_id]))
    assert verdict.result.unanswered == (order_id,)
    world.account.refuses_to_cancel = {}
    world.account.open[order_id] = resting(order_id)
    await until(world, lambda: not world.account.open, "it is cancelled")


TOO_LATE = Rejected(f"Too late: given {POST_DEADLINE_S} s ago; nothing was sent")


@pytest.mark.parametrize("is_suspended", [False, True])
@pytest.mark.parametrize("how", ["place", "place_many", "flatten"])
async def test_what_reaches_the_service_after_its_deadline_is_not_begun(
    world: World, how: str, *, is_suspended: bool
) -> None:
    order = await prepared(world)
    given = read_moment(world.clock)
    if is_suspended:
        world.clock.set_wall(timedelta(seconds=POST_DEADLINE_S))
    else:
        world.clock.skip(POST_DEADLINE_S)
    commands = world.service.open_terminal().commands_given(given)
    match how:
        case "place":
            command_id = commands.place(order.order_id)
        case "place_many":
            command_id = commands.place_many([order.order_id])
        case _:
            command_id = commands.flatten(order.order_id, [resting(OrderId("0x02"))])
    assert await commands.verdict(command_id) == TOO_LATE
    assert world.account.posted == []
    assert world.account.cancelled == []
    assert await entries_of(world, order.order_id) == []


async def test_a_move_that_comes_too_late_leaves_the_order_where_it_is(world: World) -> None:
    old, new = await prepared(world), await prepared(world, replace(BUY, price=Micros(410_000)))
    assert isinstance(
        await world.service.commands.verdict(world.service.commands.place(old.order_id)), Accepted
    )
    given = read_moment(world.clock)
    world.clock.skip(POST_DEADLINE_S)
    commands = world.service.open_terminal().commands_given(given)
    verdict = await commands.move_verdict(commands.move(old.order_id, new.order_id))
    assert verdict == MoveVerdict(MoveEnd.NOT_MOVED, TOO_LATE.reason)
    assert len(world.account.posted) == 1
    assert world.account.cancelled == []
