"""What a damaged journal costs: the row that is damaged, and orders exactly when that is said."""

import sqlite3
from contextlib import closing
from pathlib import Path

from pmtui.domain.ids import OrderId
from pmtui.domain.orders.order import Accepted, OrderStatus, Rejected, TradeStatus
from pmtui.service.journal.journal import Journal, OutgoingOrder
from pmtui.service.journal.journal_rows import read_fills
from tests.service.fakes import World, lost, resting, running_world
from tests.service.journal_kit import SIGNED, fill
from tests.service.order_kit import prepared, said, until, verdict_of

FIRST, SECOND = OrderId("0x0a"), OrderId("0x0b")
REFUSED = "No orders can be sent"


async def left_behind(path: Path, body: bytes, change: str, *values: object) -> None:
    """Leave two orders without an end, the row of the second one damaged."""
    journal = Journal(path)
    for order_id in (FIRST, SECOND):
        await journal.begin([OutgoingOrder(resting(order_id), "River", body, "Buy 10")])
    await journal.close()
    with closing(sqlite3.connect(path)) as other, other:
        other.execute(f"UPDATE orders SET {change} WHERE order_id = ?", (*values, SECOND))


async def test_an_order_with_a_damaged_row_is_counted_and_looked_for(tmp_path: Path) -> None:
    await left_behind(tmp_path / "journal.sqlite", SIGNED, "facts = '{'")
    async with running_world(tmp_path) as world:
        account = world.service.queries.account()
        assert {o.order_id: o.status for o in account.open_orders} == {
            FIRST: OrderStatus.UNKNOWN,
            SECOND: OrderStatus.UNKNOWN,
        }
        assert account.reserved == 8_000_000
        assert said(world, "row of order 0x0b… is damaged")
        # Nothing says that no order can be sent, and one can.
        assert not said(world, "orders can be sent")
        assert isinstance(await verdict_of(world, await prepared(world)), Accepted)
        world.account.open[SECOND] = resting(SECOND)
        await until(world, lambda: said(world, "Found working"), "it is found by its id")


async def test_without_anything_but_an_id_no_order_is_sent_until_that_is_found(
    tmp_path: Path,
) -> None:
    await left_behind(tmp_path / "journal.sqlite", b"{", "facts = '{'")
    async with running_world(tmp_path) as world:
        assert said(world, "no orders can be sent until it is found")
        assert isinstance(await verdict_of(world, await prepared(world)), Rejected)
        world.account.open[SECOND] = resting(SECOND)
        await until(world, lambda: said(world, "orders can be sent again"), "it is found")
        assert isinstance(await verdict_of(world, await prepared(world)), Accepted)
        # What was not known of it is no contradiction.
        assert not said(world, "Conflicting reports")


async def test_an_order_of_a_damaged_row_that_is_nowhere_is_ruled_out(tmp_path: Path) -> None:
    await left_behind(tmp_path / "journal.sqlite", b"{", "facts = '{'")
    async with running_world(tmp_path) as world:
        await until(world, lambda: said(world, "orders can be sent again"), "it is ruled out")
        assert isinstance(await verdict_of(world, await prepared(world)), Accepted)


async def test_a_journal_that_cannot_be_read_sends_nothing_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(b"not a database" * 1000)
    async with running_world(tmp_path) as world:
        assert said(world, REFUSED)
        verdict = await verdict_of(world, await prepared(world))
        assert isinstance(verdict, Rejected)
        assert world.account.posted == []
        assert "journal cannot be used" in await world.service.commands.arm()


async def test_a_journal_removed_while_it_runs_sends_nothing_and_says_so(
    world: World, tmp_path: Path
) -> None:
    assert isinstance(await verdict_of(world, await prepared(world)), Accepted)
    (tmp_path / "journal.sqlite").unlink()
    verdict = await verdict_of(world, await prepared(world))
    assert isinstance(verdict, Rejected)
    assert "removed or replaced" in verdict.reason
    assert said(world, REFUSED)
    assert len(world.account.posted) == 1


async def test_a_fill_of_an_order_that_had_ended_is_in_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    async with running_world(tmp_path) as world:
        order = await prepared(world)
        order_id = order.unsigned.order_id
        world.account.answers = [lost()]
        await verdict_of(world, order)
        await until(world, lambda: said(world, "never reached the venue"), "it is ruled out")
    async with running_world(tmp_path) as world:
        world.account.own_fills = (fill(order_id, TradeStatus.MATCHED),)
        await world.pass_time(11)
        await world.catch_up()
    fills = read_fills(path)
    assert isinstance(fills, tuple)
    assert [each.fill.order_id for each in fills] == [order_id]
