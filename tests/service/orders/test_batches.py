"""Several orders in one request: each leg is journaled, judged and looked for by itself."""

from dataclasses import replace
from pathlib import Path

import pytest

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import OrderId
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    Accepted,
    LimitIntent,
    OrderStatus,
    PostResult,
    PostStatus,
    Rejected,
    Unknown,
    Verdict,
)
from pmtui.service.journal.journal import Journal
from pmtui.service.journal.journal_rows import JournalProblem
from pmtui.service.surface import MOST_IN_BATCH, PreparedOrder
from tests.service.fakes import World, lost, resting, running_world
from tests.service.order_kit import BUY, prepared, until


async def prepared_legs(world: World, count: int) -> tuple[PreparedOrder, ...]:
    await prepared(world)
    prices = (Micros(100_000 + 10_000 * step) for step in range(count))
    intents: list[LimitIntent] = [replace(BUY, price=price) for price in prices]
    legs = await world.service.commands.prepare_many(intents)
    made = tuple(leg for leg in legs if isinstance(leg, PreparedOrder))
    assert len(made) == count
    return made


async def verdicts_of(world: World, legs: tuple[PreparedOrder, ...]) -> tuple[Verdict, ...]:
    commands = world.service.commands
    return await commands.batch_verdict(commands.place_many([leg.order_id for leg in legs]))


def statuses(world: World) -> dict[OrderId, OrderStatus]:
    return {o.order_id: o.status for o in world.service.queries.account().open_orders}


async def test_legs_leave_in_one_request_with_the_bytes_that_were_journaled(
    tmp_path: Path,
) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    async with running_world(tmp_path, journal=journal) as world:
        legs = await prepared_legs(world, 3)
        verdicts = await verdicts_of(world, legs)
        assert [type(v) for v in verdicts] == [Accepted] * 3
        bodies = tuple(leg.unsigned.order_id.encode() for leg in legs)
        assert world.account.batches == [bodies]
        assert world.account.posted == []
        for number, leg in enumerate(legs, start=1):
            entries = await journal.entries(leg.unsigned.order_id)
            assert not isinstance(entries, JournalProblem)
            assert [e.kind for e in entries][:2] == ["intent", "sending"]
            assert f"leg {number} of 3" in entries[0].text


async def test_in_flight_every_leg_is_shown_and_reserves_its_cash(world: World) -> None:
    legs = await prepared_legs(world, 2)
    world.account.stalls = True
    world.service.commands.place_many([leg.order_id for leg in legs])
    assert set(statuses(world).values()) == {OrderStatus.PENDING}
    assert world.service.queries.account().reserved == sum(leg.cash for leg in legs)


async def test_each_leg_has_the_verdict_that_stands_in_its_place(world: World) -> None:
    legs = await prepared_legs(world, 3)
    ids = [leg.unsigned.order_id for leg in legs]
    words = "not enough balance / allowance"
    world.account.batch_answers = [
        (
            PostResult(ids[0], PostStatus.LIVE),
            PostResult(None, None, words),
            PostResult(None, None, "could not insert order"),
        )
    ]
    first, second, third = await verdicts_of(world, legs)
    assert isinstance(first, Accepted)
    assert second == Rejected(words, "size")
    # The venue says that it does not know: a single order would have had a 500.
    assert isinstance(third, Unknown)
    assert statuses(world) == {ids[0]: OrderStatus.LIVE, ids[2]: OrderStatus.UNKNOWN}


async def test_a_lost_answer_leaves_every_leg_unknown_and_looked_for(world: World) -> None:
    legs = await prepared_legs(world, 3)
    ids = [leg.unsigned.order_id for leg in legs]
    world.account.batch_answers = [lost("POST /orders")]
    # The first arrived, the others did not.
    world.account.known[ids[0]] = resting(ids[0])
    verdicts = await verdicts_of(world, legs)
    assert [type(v) for v in verdicts] == [Unknown] * 3
    assert world.service.queries.status().unknown_orders == 3
    await until(world, lambda: statuses(world) == {ids[0]: OrderStatus.LIVE}, "all found out")
    assert len(world.account.batches) == 1


async def test_fewer_answers_than_orders_leave_all_of_them_unknown(world: World) -> None:
    legs = await prepared_legs(world, 2)
    world.account.batch_answers = [(PostResult(legs[0].unsigned.order_id, PostStatus.LIVE),)]
    assert [type(v) for v in await verdicts_of(world, legs)] == [Unknown] * 2


async def test_answers_in_another_order_leave_all_legs_unknown(world: World) -> None:
    legs = await prepared_legs(world, 2)
    world.account.batch_answers = [
        tuple(PostResult(leg.unsigned.order_id, PostStatus.LIVE) for leg in reversed(legs))
    ]
    assert [type(v) for v in await verdicts_of(world, legs)] == [Unknown] * 2


async def test_a_request_refused_whole_refuses_every_leg(world: World) -> None:
    legs = await prepared_legs(world, 2)
    world.account.batch_answers = [
        Failure(FailureKind.REFUSED, "POST /orders", "Invalid order payload", 400)
    ]
    assert [type(v) for v in await verdicts_of(world, legs)] == [Rejected] * 2
    assert statuses(world) == {}


@pytest.mark.parametrize("count", [MOST_IN_BATCH + 1])
async def test_more_than_fit_in_a_request_are_not_sent(world: World, count: int) -> None:
    legs = await prepared_legs(world, count)
    assert all(isinstance(v, Rejected) for v in await verdicts_of(world, legs))
    assert world.account.batches == []
    assert statuses(world) == {}


async def test_the_same_leg_never_leaves_twice(world: World) -> None:
    legs = await prepared_legs(world, 2)
    await verdicts_of(world, legs)
    again = await verdicts_of(world, legs)
    assert all(isinstance(v, Rejected) for v in again)
    assert len(world.account.batches) == 1


async def test_a_leg_that_is_named_twice_leaves_once_and_has_its_own_verdict(world: World) -> None:
    (leg,) = await prepared_legs(world, 1)
    assert all(isinstance(each, Accepted) for each in await verdicts_of(world, (leg, leg)))
    assert world.account.posted == [leg.unsigned.order_id.encode()]


async def test_no_leg_leaves_when_the_journal_cannot_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    async with running_world(tmp_path, journal=Journal(blocked / "journal.sqlite")) as world:
        legs = await prepared_legs(world, 2)
        verdicts = await verdicts_of(world, legs)
        assert all(isinstance(v, Rejected) and "journal" in v.reason for v in verdicts)
        assert world.account.batches == []
