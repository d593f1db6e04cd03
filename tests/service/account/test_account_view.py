"""Several panes ask for the account in one frame: what has not changed is put together once."""

import asyncio
from dataclasses import replace

from pmtui.domain.books.market_events import TextLevel
from pmtui.domain.ids import OrderId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import OrderStatus
from pmtui.service.topics import AccountTopic
from pmtui.ui.portfolio.paint_portfolio import portfolio_of
from tests.service.conditional_kit import book, m, ready
from tests.service.fakes import CONDITION, YES, World, fill, resting
from tests.service.order_kit import until

FRAME_S = 0.2
"""Longer than one."""
FIRST = OrderId(f"0x{1:064x}")


async def test_what_did_not_change_is_the_same_object(world: World) -> None:
    await ready(world)
    rest(world, FIRST, OrderStatus.LIVE)
    queries = world.service.queries
    one, two = queries.account(), queries.account()
    assert one == two
    assert one.open_orders is two.open_orders
    assert one.recent is two.recent
    assert one.positions[0] is two.positions[0]


async def test_what_changes_is_told_at_once(world: World) -> None:
    await ready(world)
    queries = world.service.queries
    await world.clock.advance(FRAME_S)
    world.stream.send(book("0.60"))
    (held,) = queries.account().positions
    world.stream.send(book("0.40"))
    await world.clock.advance(FRAME_S)
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
    world.service.parts.account.feed.apply_order(
        resting(order_id, condition_id=CONDITION, status=status)
    )


async def test_a_remnant_is_not_held_but_what_it_brought_stays(world: World) -> None:
    await ready(world)
    (held,) = world.service.queries.account().positions
    left = replace(held, size=m("0.004"), realized=m("-7.06"))
    world.account.shares[YES] = left.size
    world.analytics.held = (left,)
    await until(world, lambda: not world.service.queries.account().positions, "nothing is held")
    queries = world.service.queries
    assert [each.realized for each in queries.account().remnants] == [m("-7.06")]
    assert [each.realized for each in portfolio_of(queries).closed] == [m("-7.06")]


async def test_a_slow_fetch_never_puts_older_cash_in_the_place_of_newer(world: World) -> None:
    slow = asyncio.Event()
    held_up: list[str] = []

    async def hold_up_the_first(what: str) -> None:
        if what == "from fills" and not held_up:
            held_up.append(what)
            await slow.wait()

    await ready(world)
    world.account.way = hold_up_the_first
    await until(world, lambda: held_up, "a poll whose trades are slow")
    world.account.cash = m("60")
    world.service.commands.refresh(AccountTopic())
    await world.pass_time(1)
    slow.set()
    await until(world, lambda: world.service.queries.account().balance == m("60"), "new cash")
    await world.pass_time(1)
    assert world.service.queries.account().balance == m("60")


async def test_an_own_bid_above_all_others_adds_nothing_to_what_is_held(world: World) -> None:
    await ready(world)
    queries = world.service.queries
    own = resting(FIRST, condition_id=CONDITION, price=m("0.60"), original_size=m("500"))
    world.service.parts.account.feed.apply_order(own)
    world.stream.send(
        replace(book("0.60"), bids=(TextLevel("0.60", "500"), TextLevel("0.40", "500")))
    )
    await world.clock.advance(FRAME_S)
    (held,) = queries.account().positions
    assert queries.book(YES).midpoint == m("0.795")
    assert held.current_price == m("0.695")


async def test_what_was_sold_whole_is_closed_before_the_host_says_so(world: World) -> None:
    await ready(world)
    queries, feed = world.service.queries, world.service.parts.account.feed
    (held,) = queries.account().positions
    sale = fill(
        FIRST, token_id=held.token_id, condition_id=held.condition_id, side=Side.SELL,
        size=held.size, price=Micros(held.average_price + m("0.1")),
        matched_at=queries.now(),
    )  # fmt: skip
    feed.apply_fill(sale, is_news=True)
    assert queries.account().positions == ()
    (closed,) = portfolio_of(queries).closed
    assert closed.token_id == held.token_id
    assert closed.realized == held.size // 10
    assert closed.closed_at == sale.matched_at
