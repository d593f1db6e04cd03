"""Several panes ask for the account in one frame: what has not changed is put together once."""

from pathlib import Path

from pmtui.domain.ids import OrderId
from pmtui.domain.orders.order import OrderStatus
from tests.service.conditional_kit import book, m, ready
from tests.service.fakes import CONDITION, World, resting, running_world

FIRST = OrderId(f"0x{1:064x}")


async def test_what_did_not_change_is_the_same_object(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        await ready(world)
        rest(world, FIRST, OrderStatus.LIVE)
        queries = world.service.queries
        one, two = queries.account(), queries.account()
        assert one == two
        assert one.open_orders is two.open_orders
        assert one.recent is two.recent
        assert one.positions[0] is two.positions[0]


async def test_what_changes_is_told_at_once(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        await ready(world)
        queries = world.service.queries
        world.stream.send(book("0.60"))
        (held,) = queries.account().positions
        world.stream.send(book("0.40"))
        (moved,) = queries.account().positions
        assert held.current_price == m("0.795")
        assert moved.current_price == m("0.695")
        rest(world, FIRST, OrderStatus.LIVE)
        assert [o.order_id for o in queries.account().open_orders] == [FIRST]
        assert [o.status for o in queries.account().recent] == [OrderStatus.LIVE]
        rest(world, FIRST, OrderStatus.CANCELLED)
        assert queries.account().open_orders == ()
        assert [o.status for o in queries.account().recent] == [OrderStatus.CANCELLED]


def rest(world: World, order_id: OrderId, status: OrderStatus) -> None:
    world.service._account.apply_order(resting(order_id, condition_id=CONDITION, status=status))
