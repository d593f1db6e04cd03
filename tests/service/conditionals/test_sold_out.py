"""A stop for the whole position, once everything is sold: it ends, and claims nothing more meanwhile."""

from dataclasses import replace
from datetime import datetime

from pmtui.domain.conditionals.conditional import ConditionalState
from pmtui.domain.ids import OrderId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ZERO, Micros
from pmtui.domain.orders.order import (
    Fill,
    LimitIntent,
    Liquidity,
    PostResult,
    PostStatus,
    TimeInForce,
    TradeChanged,
    TradeStatus,
)
from pmtui.service.conditionals.sales import SALE_LAG_S
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import BookTopic, MarketTopic
from tests.service.conditional_kit import HELD, PLAN, book, last_posted, m, protected, states
from tests.service.fakes import CONDITION, YES, World
from tests.service.order_kit import HELD as POSITION
from tests.service.order_kit import said, until

WHOLE = replace(PLAN, is_all=True, take_profit=None)


def fill_now(world: World, order_id: OrderId, side: Side, price: str) -> Fill:
    """Return a trade of this very second, as the venue dates it."""
    now: datetime = world.clock.now()
    return Fill(
        trade_id=TradeId(f"of {order_id}"), order_id=order_id, condition_id=CONDITION,
        token_id=YES, outcome="Yes", side=side, price=m(price), size=HELD, fee=Micros(0),
        liquidity=Liquidity.TAKER, status=TradeStatus.MATCHED,
        matched_at=now.replace(microsecond=0),
    )  # fmt: skip


def trade(world: World, fill: Fill, *, left: Micros) -> None:
    """Let the venue trade, and its stream tell of it before the answer to the order."""
    world.account.own_fills = (fill, *world.account.own_fills)
    world.analytics.held = (replace(POSITION, size=left),) if left else ()
    world.user_stream.send(TradeChanged((fill,), None))


async def buy_everything(world: World) -> None:
    """Buy a hundred shares of a market of which nothing was held."""
    world.service.hub.subscribe([MarketTopic(CONDITION), BookTopic(YES)], lambda _: None)
    await until(world, lambda: YES in world.stream.watched, "its book watched")
    world.stream.send(book("0.60"))
    await until(world, lambda: YES in world.account.asked_balances, "nothing is held")
    intent = LimitIntent(CONDITION, YES, Side.BUY, m("0.70"), HELD, TimeInForce.FAK)
    order = await world.service.commands.prepare(intent)
    assert isinstance(order, PreparedOrder)
    world.account.before_answer = lambda: trade(
        world, fill_now(world, last_posted(world), Side.BUY, "0.6"), left=HELD
    )
    world.account.answers[:] = [
        PostResult(
            order.unsigned.order_id, PostStatus.MATCHED, making_amount=m("60"), taking_amount=HELD
        )
    ]
    await world.service.commands.verdict(world.service.commands.place(order.order_id))
    account = world.service.queries.account
    await until(world, lambda: account().held(YES) == HELD, "the shares")


async def sell_everything(world: World) -> None:
    """Let the price fall through the stop; its sale fills whole."""
    world.account.before_answer = lambda: trade(
        world, fill_now(world, last_posted(world), Side.SELL, "0.39"), left=ZERO
    )
    world.account.answers[:] = [
        PostResult(
            OrderId(f"0x{2:064x}"), PostStatus.MATCHED, making_amount=HELD,
            taking_amount=m("39"),
        )
    ]  # fmt: skip
    world.stream.send(book("0.39"))
    await until(world, lambda: len(world.account.posted) == 2, "the sale leaves")


def tries(world: World) -> int:
    """Return how often a sale was begun."""
    return sum("Stop hit" in entry.text for entry in world.service.queries.log().entries)


async def test_what_was_bought_and_sold_within_a_second_ends_its_stop_at_once(world: World) -> None:
    await buy_everything(world)
    assert await world.service.commands.protect(WHOLE) == ""
    await world.catch_up()
    await sell_everything(world)
    await until(world, lambda: said(world, "Sold 100 at 39¢"), "its sale counted")
    await world.catch_up()
    assert states(world) == []
    await world.pass_time(20)
    assert tries(world) == 1
    assert len(world.account.posted) == 2


async def left_elsewhere(world: World) -> None:
    """Hold a hundred shares under a stop, and have them leave without a trade."""
    await protected(world)
    world.account.shares[YES] = ZERO
    world.analytics.held = ()
    await until(world, lambda: world.service.queries.account().held(YES) == 0, "nothing is held")
    world.stream.send(book("0.39"))
    await world.pass_time(1)


async def test_a_stop_whose_shares_are_gone_tries_once_and_is_paused(world: World) -> None:
    await left_elsewhere(world)
    await until(world, lambda: states(world) == [ConditionalState.PAUSED], "its end")
    await world.pass_time(20)
    assert tries(world) == 1
    assert world.account.posted == []


async def test_shares_that_are_seen_again_are_sold_at_once(world: World) -> None:
    await left_elsewhere(world)
    world.account.shares[YES] = HELD
    seen_at = world.clock.monotonic()
    await until(world, lambda: world.account.posted, "the sale leaves")
    assert world.clock.monotonic() - seen_at < SALE_LAG_S + 2
