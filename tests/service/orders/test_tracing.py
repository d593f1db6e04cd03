"""What a run of the service says of orders that one before it was asked to send."""

from dataclasses import replace
from pathlib import Path

import pytest

from pmtui.domain.ids import OrderId
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Accepted, OrderStatus, Rejected, Unknown, Verdict
from pmtui.service.journal.journal import Journal
from pmtui.service.orders.desk import NEVER_LEFT
from tests.service.fakes import World, resting, running_world
from tests.service.journal_kit import AT, note_standing
from tests.service.order_kit import BUY, FIRST, left_behind, prepared, until

ALL = resting(FIRST).original_size


async def trace_after(tmp_path: Path, order_id: OrderId = FIRST) -> Verdict:
    async with running_world(tmp_path, with_key=False) as world:
        return await world.service.trace_order(order_id)


async def test_an_order_that_is_not_in_the_journal_never_left(tmp_path: Path) -> None:
    await left_behind(tmp_path)
    assert await trace_after(tmp_path, OrderId("0x99")) == Rejected(NEVER_LEFT)


async def test_an_order_without_an_end_is_looked_for(tmp_path: Path) -> None:
    await left_behind(tmp_path)
    async with running_world(tmp_path) as world:
        verdict = await world.service.trace_order(FIRST)
        assert isinstance(verdict, Unknown)
        await until(world, lambda: world.service.queries.account().open_orders, "it is counted")
        assert isinstance(await world.service.trace_order(FIRST), Unknown)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (OrderStatus.FILLED, Accepted(FIRST, OrderStatus.FILLED, ALL, "")),
        (OrderStatus.CANCELLED, Accepted(FIRST, OrderStatus.CANCELLED, Micros(0), "")),
        (OrderStatus.REJECTED, Rejected("refused by the venue")),
    ],
)
async def test_an_order_that_ended_is_told_as_the_journal_has_it(
    tmp_path: Path, status: OrderStatus, expected: Verdict
) -> None:
    await left_behind(tmp_path)
    journal = Journal(tmp_path / "journal.sqlite")
    note_standing(journal, FIRST, status, is_known=True)
    await journal.close()
    assert await trace_after(tmp_path) == expected


async def test_what_another_process_may_still_write_down_is_not_called_unsent(
    tmp_path: Path,
) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    assert await journal.open() is None
    verdict = await trace_after(tmp_path)
    await journal.close()
    assert isinstance(verdict, Unknown)
    assert "journal" in verdict.reason


@pytest.mark.parametrize("kind", ["move", "resized"])
async def test_an_order_that_another_may_have_left_for_is_not_called_unsent(
    tmp_path: Path, kind: str
) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    await journal.append(kind, "as 0x02", at=AT, order_id=FIRST)
    await journal.close()
    assert isinstance(await trace_after(tmp_path), Unknown)


async def test_a_permission_alone_sends_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    await journal.append("override", "buy from a stale book", at=AT, order_id=FIRST)
    await journal.close()
    assert await trace_after(tmp_path) == Rejected(NEVER_LEFT)


async def test_an_order_that_this_run_sends_is_not_called_unsent(world: World) -> None:
    order = await prepared(world, replace(BUY, size=Micros(20_000_000)))
    world.account.lane.clear()
    world.service.commands.place(order.order_id)
    assert isinstance(await world.service.trace_order(order.order_id), Unknown)
    world.account.lane.set()
    await until(world, lambda: world.account.posted, "it leaves")
