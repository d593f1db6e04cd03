"""A stop ends with the position that it was for, whatever is bought afterwards."""

from dataclasses import replace

import pytest

from pmtui.domain.conditionals.conditional import ConditionalPlan, ConditionalState
from pmtui.domain.ids import OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    Fill,
    Liquidity,
    OrderChanged,
    OrderEventKind,
    OrderStatus,
    TradeChanged,
    TradeStatus,
)
from tests.service.conditional_kit import HELD, PLAN, m, only, protected
from tests.service.fakes import NO, YES, World, resting
from tests.service.fakes import fill as fill_of
from tests.service.order_kit import said, until

ALL = replace(PLAN, is_all=True)
TARGET = replace(PLAN, stop=None, is_all=True)


def fill(
    world: World, name: str, side: Side, size: str, *, token_id: TokenId = YES,
    status: TradeStatus = TradeStatus.MATCHED,
) -> Fill:  # fmt: skip
    """Let the stream report a fill of an order of that name."""
    made = fill_of(
        OrderId("0x" + name * 32), trade_id=TradeId(f"t{name}"), token_id=token_id,
        outcome="Yes" if token_id == YES else "No", side=side, price=m("0.6"), size=m(size),
        liquidity=Liquidity.TAKER, status=status, matched_at=world.clock.now(),
    )  # fmt: skip
    world.account.own_fills = (made, *world.account.own_fills)
    world.user_stream.send(TradeChanged((made,), None))
    return made


def order(world: World, name: str, side: Side, size: str) -> None:
    """Let the stream report that an order of ours has filled."""
    ours = resting(
        OrderId("0x" + name * 32), side=side, price=m("0.6"), original_size=m(size),
        matched_size=m(size), status=OrderStatus.FILLED,
    )  # fmt: skip
    world.user_stream.send(OrderChanged(OrderEventKind.UPDATE, ours, None))


def flatten_and_buy_again(world: World) -> Fill:
    """Sell all that is held, and buy as much again in the same second."""
    order(world, "0e", Side.SELL, "100")
    sale = fill(world, "0e", Side.SELL, "100")
    order(world, "0f", Side.BUY, "100")
    _ = fill(world, "0f", Side.BUY, "100")
    return sale


def held(world: World) -> Micros:
    return world.service.queries.account().held(YES)


@pytest.mark.parametrize("plan", [ALL, PLAN, TARGET, replace(PLAN, size=m("60"))])
async def test_a_new_purchase_does_not_inherit_the_stop_of_a_closed_position(
    world: World, plan: ConditionalPlan
) -> None:
    await protected(world, plan)
    _ = flatten_and_buy_again(world)
    await until(world, lambda: world.service.queries.account().conditionals == (), "its end")
    assert held(world) == HELD
    assert said(world, "Ended, its position was closed · SELL")
    assert not any(entry.until_read for entry in world.service.queries.log().entries)


async def test_a_closed_position_that_comes_back_is_protected_again(world: World) -> None:
    await protected(world, PLAN)
    order(world, "0e", Side.SELL, "100")
    sale = fill(world, "0e", Side.SELL, "100")
    await until(world, lambda: world.service.queries.account().conditionals == (), "its end")
    failed = replace(sale, status=TradeStatus.FAILED)
    world.account.own_fills = (failed,)
    world.user_stream.send(TradeChanged((failed,), None))
    await until(world, lambda: world.service.queries.account().conditionals, "its return")
    assert (only(world).state, only(world).size) == (ConditionalState.WATCHING, HELD)
    assert said(world, "A sale FAILED on chain")


async def test_a_sale_of_an_unknown_order_ends_a_stop_once_it_is_settled(world: World) -> None:
    await protected(world, ALL)
    sale = fill(world, "0e", Side.SELL, "100")
    await until(world, lambda: held(world) == 0, "the zero")
    await world.pass_time(2)
    assert only(world).state is ConditionalState.WATCHING
    order(world, "0f", Side.BUY, "100")
    _ = fill(world, "0f", Side.BUY, "100")
    await world.pass_time(2)
    assert only(world).state is ConditionalState.WATCHING
    settled = replace(sale, status=TradeStatus.CONFIRMED)
    world.user_stream.send(TradeChanged((settled,), None))
    await until(world, lambda: world.service.queries.account().conditionals == (), "its end")
    assert held(world) == HELD


async def test_a_partial_sale_ends_no_stop(world: World) -> None:
    await protected(world, ALL)
    order(world, "0e", Side.SELL, "60")
    _ = fill(world, "0e", Side.SELL, "60", status=TradeStatus.CONFIRMED)
    order(world, "0f", Side.BUY, "60")
    _ = fill(world, "0f", Side.BUY, "60", status=TradeStatus.CONFIRMED)
    await world.pass_time(5)
    assert only(world).state is ConditionalState.WATCHING


async def test_a_switch_to_the_other_outcome_ends_a_stop(world: World) -> None:
    await protected(world, ALL)
    world.account.shares[NO] = m("150")
    bought = fill(world, "0f", Side.BUY, "150", token_id=NO)
    await world.pass_time(2)
    # Its trade may fail, and no sale could be undone then.
    assert only(world).state is ConditionalState.WATCHING
    settled = replace(bought, status=TradeStatus.CONFIRMED)
    world.user_stream.send(TradeChanged((settled,), None))
    await until(world, lambda: world.service.queries.account().conditionals == (), "its end")
    assert held(world) == HELD
