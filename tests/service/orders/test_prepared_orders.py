import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pmtui.domain.ids import CommandId, OrderId
from pmtui.domain.orders.order import Accepted, CancelResult, CancelVerdict, MoveEnd, Rejected
from pmtui.service.orders.preparing import KEPT_FOR_S, MOST_PREPARED, NOT_PREPARED, PreparedOrders
from pmtui.service.orders.verdicts import MOST_VERDICTS, Verdicts
from tests.manual_clock import ManualClock
from tests.service.fakes import World, running_world
from tests.service.order_kit import prepared

UNHEARD = OrderId("0x" + "99" * 32)
ENDED = CancelVerdict(CancelResult(()))


async def test_only_what_was_prepared_here_can_be_sent(world: World) -> None:
    commands, order = world.service.commands, await prepared(world)
    assert await commands.verdict(commands.place(UNHEARD)) == NOT_PREPARED
    assert await commands.verdict(commands.flatten(UNHEARD, ())) == NOT_PREPARED
    batch = commands.place_many([order.order_id, UNHEARD])
    assert await commands.batch_verdict(batch) == (NOT_PREPARED, NOT_PREPARED)
    moved = await commands.move_verdict(commands.move(order.order_id, UNHEARD))
    assert (moved.end, moved.text) == (MoveEnd.NOT_MOVED, NOT_PREPARED.reason)
    assert world.account.posted == []
    assert isinstance(await commands.verdict(commands.place(order.order_id)), Accepted)


@pytest.mark.parametrize("is_machine_asleep", [False, True])
async def test_an_order_can_be_sent_for_a_minute(world: World, *, is_machine_asleep: bool) -> None:
    order = await prepared(world)
    if is_machine_asleep:
        world.clock.set_wall(timedelta(seconds=KEPT_FOR_S + 1))
    else:
        await world.pass_time(KEPT_FOR_S + 1)
    verdict = await world.service.commands.verdict(world.service.commands.place(order.order_id))
    assert isinstance(verdict, Rejected)
    assert world.account.posted == []


async def test_what_is_kept_is_bounded(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        order = await prepared(world)
    kept = PreparedOrders(ManualClock())
    ids = [OrderId(f"0x{number:064x}") for number in range(MOST_PREPARED + 1)]
    for order_id in ids:
        kept.keep(replace(order, unsigned=replace(order.unsigned, order_id=order_id)))
    assert kept.find(ids[0]) == NOT_PREPARED
    assert all(not isinstance(kept.find(order_id), Rejected) for order_id in ids[1:])


async def test_old_verdicts_are_dropped_and_none_that_is_waited_for() -> None:
    verdicts: Verdicts[CancelVerdict] = Verdicts()
    loop = asyncio.get_running_loop()
    waited: asyncio.Future[CancelVerdict] = loop.create_future()
    verdicts.expect(CommandId("first"), waited)
    for number in range(MOST_VERDICTS + 5):
        future: asyncio.Future[CancelVerdict] = loop.create_future()
        future.set_result(ENDED)
        verdicts.expect(CommandId(str(number)), future)
    assert await verdicts.of(CommandId(str(MOST_VERDICTS))) == (ENDED,)
    with pytest.raises(KeyError):
        await verdicts.of(CommandId("0"))
    waited.set_result(ENDED)
    assert await verdicts.of(CommandId("first")) == (ENDED,)
