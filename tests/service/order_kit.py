"""Orders of a running service: what they are prepared from, and waiting for what becomes of them."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pmtui.domain.account.position import Position
from pmtui.domain.ids import OrderId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.limits import Limits
from pmtui.domain.orders.order import (
    Fill,
    LimitIntent,
    MarketBuyIntent,
    OrderStatus,
    Verdict,
)
from pmtui.service.journal.journal import Journal, OutgoingOrder
from pmtui.service.profile import Tuning
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import MarketTopic
from tests.service.fakes import (
    CONDITION,
    YES,
    World,
    fill,
    resting,
)
from tests.service.journal_kit import note_standing

BUY = LimitIntent(
    condition_id=CONDITION,
    token_id=YES,
    side=Side.BUY,
    price=Micros(400_000),
    size=Micros(10_000_000),
)


async def until(world: World, predicate: Callable[[], object], what: str) -> None:
    """Step the clock until something holds; the journal's thread keeps its own time."""
    deadline = time.monotonic() + 10
    while not predicate():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        await world.catch_up()
        if not predicate():
            await world.pass_time(0.25)


def said(world: World, words: str) -> bool:
    return any(words in entry.text for entry in world.service.queries.log().entries)


def only_order(world: World) -> OrderStatus | None:
    orders = world.service.queries.account().open_orders
    return orders[0].status if len(orders) == 1 else None


async def prepared(world: World, intent: LimitIntent | MarketBuyIntent = BUY) -> PreparedOrder:
    await world.watch(MarketTopic(CONDITION))
    order = await world.service.commands.prepare(intent)
    assert isinstance(order, PreparedOrder)
    return order


async def verdict_of(world: World, order: PreparedOrder) -> Verdict:
    async with asyncio.timeout(60):
        return await world.service.commands.verdict(world.service.commands.place(order.order_id))


FIRST = OrderId("0x01")


async def left_behind(tmp_path: Path, *, is_known: bool = False, **changes: object) -> None:
    """Write the journal of a session that ended while an order was on its way."""
    journal = Journal(tmp_path / "journal.sqlite")
    order = resting(FIRST, **{"status": OrderStatus.PENDING, **changes})
    assert await journal.begin([OutgoingOrder(order, "River", b"{}", "Buy 10")]) is None
    if is_known:
        note_standing(journal, FIRST, OrderStatus.LIVE, is_known=True)
    await journal.close()


HELD = Position(
    token_id=YES, condition_id=CONDITION, title="", outcome="Yes", size=Micros(100_000_000),
    average_price=Micros(500_000), current_price=Micros(500_000), realized=Micros(0),
)  # fmt: skip


def limited(**limits: Micros) -> Tuning:
    return Tuning(limits=Limits(**limits))


START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def history(days: int, *, a_day: int) -> tuple[Fill, ...]:
    """Newest first."""
    step = timedelta(days=1) / a_day
    return tuple(
        replace(
            fill(OrderId(f"0x{n}")),
            trade_id=TradeId(f"t{n}"),
            matched_at=START - step * n - step / 2,
        )
        for n in range(days * a_day)
    )
