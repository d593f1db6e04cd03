"""Cancels whose answers get lost: asked again, never for more than was meant, until it is known."""

from dataclasses import replace
from pathlib import Path

import pytest

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import ConditionId, OrderId
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import CancelResult, OrderChanged, OrderEventKind, OrderStatus
from pmtui.service.orders.cancelling import BUSY
from pmtui.service.views import Level
from tests.service.fakes import CONDITION, World, lost, resting, running_world
from tests.service.order_kit import BUY, prepared, until, verdict_of

FIRST, SECOND, THIRD = OrderId("0x01"), OrderId("0x02"), OrderId("0x03")


async def with_resting(world: World, *order_ids: OrderId) -> None:
    world.account.open.update({o: resting(o) for o in order_ids})
    await world.pass_time(11)


def shown(world: World) -> set[OrderId]:
    return {o.order_id for o in world.service.queries.account().open_orders}


def told(world: World, words: str) -> int:
    return sum(words in entry.text for entry in world.service.queries.log().entries)


async def test_a_lost_cancel_is_asked_again_until_it_is_answered(world: World) -> None:
    await with_resting(world, FIRST)
    world.account.cancel_answers = [lost("DELETE /order"), lost("DELETE /order")]
    command = world.service.commands.cancel([FIRST])
    verdict = await world.service.commands.cancel_verdict(command)
    assert verdict.result.unanswered == (FIRST,)
    assert "again" in verdict.problem
    assert shown(world) == {FIRST}
    await until(world, lambda: not shown(world), "it is cancelled")
    assert world.account.cancelled == [(FIRST,)] * 3
    assert told(world, "asking again") == 1
    await until(world, lambda: told(world, "Late answer to a cancel: 1 cancelled"), "it is told")


async def test_a_lost_cancel_of_everything_is_not_repeated_for_newer_orders(world: World) -> None:
    await with_resting(world, FIRST, SECOND)
    world.account.cancel_answers = [lost("DELETE /cancel-all")]
    await world.service.commands.cancel_verdict(world.service.commands.cancel_all())
    world.account.open[THIRD] = resting(THIRD)
    await until(world, lambda: shown(world) == {THIRD}, "those meant are gone")
    assert set(world.account.cancelled[-1]) == {FIRST, SECOND}


async def test_the_next_session_asks_for_what_nobody_answered_and_not_for_what_was_kept(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path) as world:
        await with_resting(world)
        ids = []
        for number in (40, 41):
            order = await prepared(world, replace(BUY, price=Micros(number * 10_000)))
            _ = await verdict_of(world, order)
            ids.append(order.unsigned.order_id)
            world.account.open[ids[-1]] = resting(ids[-1])
        lost_one, kept = ids
        world.account.refuses_to_cancel = {kept: "the market is halted"}
        world.account.cancel_answers = [lost("DELETE /order"), lost("DELETE /order")]
        world.service.commands.cancel([kept])
        await until(world, lambda: told(world, "Not cancelled"), "it is kept")
        world.account.cancel_failure = lost("DELETE /order")
        await world.service.commands.cancel_verdict(world.service.commands.cancel([lost_one]))
    async with running_world(tmp_path) as world:
        world.account.open.update({order_id: resting(order_id) for order_id in ids})
        await world.pass_time(5)
        assert set(world.account.open) == {kept}
        assert told(world, "1 order from the last session was to be cancelled") == 1


async def test_an_order_heard_to_have_ended_is_not_asked_for_again(world: World) -> None:
    await with_resting(world, FIRST)
    world.account.cancel_answers = [lost("DELETE /order")]
    await world.service.commands.cancel_verdict(world.service.commands.cancel([FIRST]))
    world.account.open.clear()
    ended = resting(FIRST, status=OrderStatus.CANCELLED)
    world.user_stream.send(OrderChanged(OrderEventKind.CANCELLATION, ended, world.clock.now()))
    await until(world, lambda: told(world, "Late answer to a cancel: 1 cancelled"), "it is told")
    assert world.account.cancelled == [(FIRST,)]


async def test_only_the_part_without_an_answer_is_asked_again(world: World) -> None:
    await with_resting(world, FIRST, SECOND)
    world.account.cancel_answers = [CancelResult((FIRST,), (), unanswered=(SECOND,))]
    command = world.service.commands.cancel([FIRST, SECOND])
    verdict = await world.service.commands.cancel_verdict(command)
    assert verdict.result.canceled == (FIRST,)
    await until(world, lambda: not shown(world), "the other one too")
    assert world.account.cancelled[1:] == [(SECOND,)]


async def test_a_cancel_that_never_left_is_said_at_once_and_not_repeated(world: World) -> None:
    await with_resting(world, FIRST)
    world.account.cancel_answers = [Failure(FailureKind.UNREACHABLE, "DELETE /order", "no route")]
    command = world.service.commands.cancel([FIRST])
    verdict = await world.service.commands.cancel_verdict(command)
    assert "no route" in verdict.problem
    await world.pass_time(30)
    assert len(world.account.cancelled) == 1
    assert shown(world) == {FIRST}


async def test_a_cancel_that_a_busy_venue_did_not_take_is_asked_again(world: World) -> None:
    await with_resting(world, FIRST)
    restarting = Failure(FailureKind.BUSY, "DELETE /order", "the engine restarts", 425)
    world.account.cancel_answers = [restarting, restarting]
    command = world.service.commands.cancel([FIRST])
    verdict = await world.service.commands.cancel_verdict(command)
    assert (verdict.problem, verdict.result.unanswered) == (BUSY, (FIRST,))
    assert told(world, "Not cancelled") == 0
    await until(world, lambda: not shown(world), "it is cancelled")
    assert len(world.account.cancelled) == 3


async def test_an_outage_after_a_lost_cancel_does_not_end_the_asking(world: World) -> None:
    await with_resting(world, FIRST)
    world.account.cancel_answers = [
        lost("DELETE /order"),
        Failure(FailureKind.UNREACHABLE, "DELETE /order", "no route"),
        Failure(FailureKind.BUSY, "DELETE /order", "slow down", 429),
    ]
    world.service.commands.cancel([FIRST])
    await until(world, lambda: not shown(world), "it is cancelled")
    assert len(world.account.cancelled) == 4


async def test_a_refusal_after_a_lost_cancel_ends_the_asking_and_is_told(world: World) -> None:
    await with_resting(world, FIRST)
    world.account.cancel_answers = [
        lost("DELETE /order"),
        Failure(FailureKind.REFUSED, "DELETE /order", "Invalid orderID", 400),
    ]
    world.service.commands.cancel([FIRST])
    await until(world, lambda: told(world, "Cancel unconfirmed"), "it is told")
    await world.pass_time(30)
    assert len(world.account.cancelled) == 2


async def test_a_cancelled_order_is_told_of_once(world: World) -> None:
    await with_resting(world, FIRST)
    command = world.service.commands.cancel([FIRST])
    await world.service.commands.cancel_verdict(command)
    assert told(world, "Cancelled") == 1


async def test_orders_never_heard_of_are_counted_when_they_are_cancelled(world: World) -> None:
    world.account.cancel_answers = [CancelResult((FIRST, SECOND))]
    await world.service.commands.cancel_verdict(world.service.commands.cancel_all())
    assert told(world, "Cancelled 2 orders that this program has not seen") == 1


async def test_an_order_that_the_answer_leaves_out_is_doubted_and_asked_for_again(
    world: World,
) -> None:
    await with_resting(world, FIRST, SECOND)
    world.account.cancel_answers = [CancelResult((FIRST,)), CancelResult(())]
    command = world.service.commands.cancel([FIRST, SECOND])
    verdict = await world.service.commands.cancel_verdict(command)
    assert (verdict.result.canceled, verdict.result.unanswered) == ((FIRST,), (SECOND,))
    assert verdict.problem
    assert told(world, "leaves out 1 order") == 1
    await until(world, lambda: not shown(world), "it is cancelled as well")
    assert world.account.cancelled == [(FIRST, SECOND), (SECOND,), (SECOND,)]


async def test_a_sweep_that_leaves_an_order_out_asks_for_it_by_name(world: World) -> None:
    await with_resting(world, FIRST)
    world.account.cancel_answers = [CancelResult(())]
    verdict = await world.service.commands.cancel_verdict(world.service.commands.cancel_all())
    assert verdict.result.unanswered == (FIRST,)
    await until(world, lambda: not shown(world), "it is cancelled")


async def test_an_order_said_to_be_both_cancelled_and_not_is_asked_for_again(world: World) -> None:
    await with_resting(world, FIRST)
    world.account.cancel_answers = [CancelResult((FIRST,), ((FIRST, "already matched"),))]
    command = world.service.commands.cancel([FIRST])
    verdict = await world.service.commands.cancel_verdict(command)
    assert verdict.result.unanswered == (FIRST,)
    assert shown(world) == {FIRST}


async def test_a_cancel_confirmed_for_an_order_nobody_asked_about_changes_nothing(
    world: World,
) -> None:
    await with_resting(world, FIRST, SECOND)
    world.account.cancel_answers = [CancelResult((SECOND,))]
    command = world.service.commands.cancel([FIRST])
    verdict = await world.service.commands.cancel_verdict(command)
    assert verdict.result == CancelResult((), (), (FIRST,))
    assert told(world, "1 order cancelled that were not asked about") == 1
    assert shown(world) == {FIRST, SECOND}
    await until(world, lambda: shown(world) == {SECOND}, "the one that was meant")


async def test_a_sweep_of_a_market_changes_nothing_elsewhere(world: World) -> None:
    elsewhere = resting(SECOND, condition_id=ConditionId("0x" + "cd" * 32))
    world.account.open.update({FIRST: resting(FIRST), SECOND: elsewhere})
    await world.pass_time(11)
    world.account.cancel_answers = [CancelResult((FIRST, SECOND))]
    command = world.service.commands.cancel_market(CONDITION, None)
    verdict = await world.service.commands.cancel_verdict(command)
    assert verdict.result.canceled == (FIRST,)
    assert told(world, "1 order cancelled that were not asked about") == 1
    assert shown(world) == {SECOND}


async def test_ids_of_an_answer_count_in_any_case_of_letters(world: World) -> None:
    mixed, other = OrderId("0xAb"), OrderId("0xCd")
    await with_resting(world, mixed, other)
    world.account.cancel_answers = [
        CancelResult((OrderId("0xaB"),), ((OrderId("0xcD"), "already matched"),))
    ]
    command = world.service.commands.cancel([mixed, other])
    verdict = await world.service.commands.cancel_verdict(command)
    assert verdict.result == CancelResult((mixed,), ((other, "already matched"),))


async def test_a_cancel_of_one_terminal_is_told_in_the_others(world: World) -> None:
    first = world.service.open_terminal()
    told = [e.text for e in world.service.queries.log().entries]
    _ = first.commands.cancel_all()
    _ = first.commands.cancel((OrderId("0x1"),))
    assert "Cancelling" not in " ".join(told)
    second = world.service.open_terminal()
    _ = first.commands.cancel((OrderId("0x1"), OrderId("0x2")))
    entry = world.service.queries.log().entries[-1]
    assert (entry.text, entry.level) == ("Cancelling 2 orders in one of 2 terminals", Level.GOOD)
    # Nothing works, so nothing is told.
    _ = first.commands.cancel_all()
    _ = second.commands.cancel_market(BUY.condition_id, None)
    assert world.service.queries.log().entries[-1] == entry


@pytest.mark.parametrize(
    ("refusal", "status"),
    [
        ("Order not found or already canceled", OrderStatus.UNKNOWN),
        ("the market is halted", OrderStatus.LIVE),
    ],
)
async def test_an_order_that_the_venue_does_not_find_is_unconfirmed_until_it_is_proved(
    world: World, refusal: str, status: OrderStatus
) -> None:
    await with_resting(world, FIRST)
    world.account.refuses_to_cancel = {FIRST: refusal}
    await world.service.commands.cancel_verdict(world.service.commands.cancel([FIRST]))
    assert [o.status for o in world.service.queries.account().open_orders] == [status]
    world.account.open.clear()
    await until(world, lambda: not shown(world), "it is known to be gone")
