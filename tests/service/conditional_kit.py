"""Conditional orders of a running service that holds shares."""

from datetime import UTC, datetime

from pmtui.domain.account.position import Position
from pmtui.domain.books.market_events import BookSnapshot, TextLevel
from pmtui.domain.conditionals.conditional import (
    ConditionalOrder,
    ConditionalPlan,
    ConditionalState,
)
from pmtui.domain.ids import OrderId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, parse_micros
from pmtui.domain.orders.order import (
    Liquidity,
    OrderChanged,
    OrderEventKind,
    OrderStatus,
    PostResult,
    PostStatus,
    TimeInForce,
    TradeChanged,
)
from pmtui.service.topics import BookTopic, MarketTopic
from tests.service.fakes import CONDITION, YES, World, fill, resting
from tests.service.order_kit import until

m = parse_micros


HELD = m("100")


PLAN = ConditionalPlan(CONDITION, YES, HELD, stop=m("0.40"), take_profit=m("0.80"))


def book(bid: str) -> BookSnapshot:
    return BookSnapshot(
        token_id=YES, condition_id=CONDITION, bids=(TextLevel(bid, "500"),),
        asks=(TextLevel("0.99", "500"),), timestamp="1790000000000", hash="",
        min_order_size="5", tick_size="0.01", neg_risk=False, last_trade_price="0.5",
    )  # fmt: skip


async def ready(world: World) -> None:
    """Hold a hundred shares, know the market, and see a bid of 60 cents."""
    position = Position(
        token_id=YES, condition_id=CONDITION, outcome="Yes", title="Will it?", size=HELD,
        average_price=m("0.5"), current_price=m("0.6"), realized=Micros(0),
    )  # fmt: skip
    world.analytics.held = (position,)
    world.account.shares[YES] = HELD
    world.service.hub.subscribe([MarketTopic(CONDITION), BookTopic(YES)], lambda _: None)
    await until(world, lambda: world.service.queries.account().shares(YES), "the position")
    await until(
        world,
        lambda: dict(world.service.queries.account().balances).get(YES) == HELD,
        "the shares by the trading host",
    )


async def protected(world: World, plan: ConditionalPlan = PLAN) -> None:
    await ready(world)
    # The venue takes a sale and says that it is still on its way, asked about by its id too.
    for number in range(1, 4):
        order_id = OrderId(f"0x{number:064x}")
        world.account.known[order_id] = resting(
            order_id, side=Side.SELL, price=m("0.35"), time_in_force=TimeInForce.FAK,
            original_size=HELD, status=OrderStatus.DELAYED,
        )  # fmt: skip
        world.account.answers.append(PostResult(order_id, PostStatus.DELAYED))
    assert await world.service.commands.protect(plan) == ""
    await until(world, lambda: YES in world.stream.watched, "its book watched")
    world.stream.send(book("0.60"))
    await world.pass_time(1)


async def triggered(world: World) -> None:
    """Let the bid fall below the stop, until a sale has left."""
    world.stream.send(book("0.39"))
    await until(world, lambda: world.account.posted, "the sale leaves")


def only(world: World) -> ConditionalOrder:
    (each,) = world.service.queries.account().conditionals
    return each


def sold(world: World, size: str, *, left: str) -> None:
    """Let the stream tell what became of the sale that was posted last."""
    order_id = OrderId(world.account.posted[-1].decode())
    matched = m(size)
    end = OrderStatus.FILLED if left == "0" else OrderStatus.CANCELLED
    order = resting(
        order_id, side=Side.SELL, price=m("0.35"), time_in_force=TimeInForce.FAK,
        original_size=Micros(matched + m(left)), matched_size=matched, status=end,
    )  # fmt: skip
    sale = fill(
        order_id, trade_id=TradeId(f"t{len(world.account.posted)}"), side=Side.SELL,
        price=m("0.39"), size=matched, liquidity=Liquidity.TAKER,
        matched_at=datetime(2026, 11, 20, 12, 0, 30, tzinfo=UTC),
    )  # fmt: skip
    if matched:
        world.user_stream.send(TradeChanged((sale,), None))
    world.user_stream.send(OrderChanged(OrderEventKind.CANCELLATION, order, None))


def states(world: World) -> list[ConditionalState]:
    return [each.state for each in world.service.queries.account().conditionals]


def last_posted(world: World) -> OrderId:
    return OrderId(world.account.posted[-1].decode())
