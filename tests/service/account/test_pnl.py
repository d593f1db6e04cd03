"""The day's result and the equity curve of a running service: told, and there again after a restart."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from pmtui.domain.account.pnl import DayFigures
from pmtui.domain.account.position import Activity, Position
from pmtui.domain.ids import OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, ZERO, Micros, cents_down, parse_micros
from pmtui.domain.orders.order import Fill, Liquidity, TradeStatus
from pmtui.service.account.pnl import EQUITY_FILE, SAMPLE_PERIOD_S
from pmtui.service.topics import AccountTopic, MarketTopic
from tests.manual_clock import settle
from tests.service.fakes import CONDITION, EVENT_WITH_MARKET, MARKET, NO, YES, World, running_world

m = parse_micros
BEGAN = m("1000")


def held_at(
    sizes: Mapping[TokenId, str], price: str, *, is_over: bool = False
) -> tuple[Position, ...]:
    """Return shares at the price of a Yes."""
    prices = {YES: m(price), NO: Micros(ONE - m(price))}
    return tuple(
        Position(
            token_id=token, condition_id=CONDITION, title="", outcome="", size=m(size),
            average_price=m("0.5"), current_price=prices[token], realized=ZERO,
            is_redeemable=is_over,
        )
        for token, size in sizes.items()
    )  # fmt: skip


def hold(world: World, sizes: Mapping[TokenId, str], price: str, *, is_over: bool = False) -> None:
    """Let the host list shares at the price of a Yes."""
    world.analytics.held = held_at(sizes, price, is_over=is_over)


def sale(size: str, price: str, at: datetime) -> Fill:
    return Fill(
        trade_id=TradeId("t1"), order_id=OrderId("0x" + "01" * 32), condition_id=CONDITION,
        token_id=NO, outcome="No", side=Side.SELL, price=m(price), size=m(size), fee=m("1.5"),
        liquidity=Liquidity.TAKER, status=TradeStatus.CONFIRMED, matched_at=at,
    )  # fmt: skip


async def look(world: World) -> None:
    world.service.commands.refresh(AccountTopic())
    await settle()
    await world.pass_time(12)


def today(world: World) -> Micros:
    """Return the day's result, which is the equity less what it was at the opening."""
    status = world.service.queries.status()
    assert status.portfolio_value is not None
    assert status.day_result == cents_down(status.portfolio_value) - BEGAN
    return status.day_result


@pytest.mark.parametrize(("paid", "brought"), [("1", "113.5"), ("0", "-86.5")])
async def test_a_split_that_is_redeemed_within_minutes_leaves_the_day_right(
    tmp_path: Path, paid: str, brought: str
) -> None:
    async with running_world(tmp_path) as world:
        world.service.hub.subscribe([MarketTopic(CONDITION)], lambda _: None)
        world.account.cash = BEGAN
        await look(world)
        assert today(world) == ZERO
        world.account.cash = m("800")
        hold(world, {YES: "200", NO: "200"}, "0.6")
        await look(world)
        assert today(world) == ZERO
        world.account.own_fills = (sale("200", "0.575", world.clock.now()),)
        world.account.cash = m("913.5")
        hold(world, {YES: "200"}, "0.4")
        await look(world)
        assert today(world) == m("-6.5")
        hold(world, {YES: "200"}, paid, is_over=True)
        await look(world)
        assert today(world) == m(brought)
        world.account.cash = Micros(world.account.cash + 200 * m(paid))
        hold(world, {}, paid)
        await look(world)
        assert today(world) == m(brought)
        account, later = world.account, world.clock.now()
    # A service that starts again knows the same, within the minutes of doubt and after them.
    async with running_world(tmp_path, start=later, account=account) as world:
        await look(world)
        assert today(world) == m(brought)
        await world.pass_time(600)
        assert today(world) == m(brought)


async def test_what_is_redeemed_before_its_resolution_is_seen_counts_with_what_it_paid(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path, held=held_at({YES: "100"}, "0.9")) as world:
        world.service.hub.subscribe([MarketTopic(CONDITION)], lambda _: None)
        world.account.cash = m("910")
        await look(world)
        assert today(world) == ZERO
        # The venue redeems by itself: the shares are gone while the last price is still the old one.
        world.account.cash = m("1010")
        hold(world, {}, "0.9")
        await look(world)
        yes, no = MARKET.outcomes
        outcomes = (replace(yes, price=ONE), replace(no, price=ZERO))
        over = replace(MARKET, closed=True, outcomes=outcomes)
        world.metadata.events = [replace(EVENT_WITH_MARKET, markets=(over,))]
        world.analytics.history = (
            Activity(
                kind="REDEEM", title="", outcome="", side="", price=None, size=m("100"),
                cash=m("100"), at=world.clock.now(), condition_id=CONDITION,
            ),
        )  # fmt: skip
        await world.pass_time(90)
        assert today(world) == m("10")


async def test_shares_sent_here_count_from_then_on_over_a_restart_as_well(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        await look(world)
        hold(world, {YES: "100"}, "0.5")
        await look(world)
        hold(world, {YES: "100"}, "0.3")
        await look(world)
        assert world.service.queries.status().day_result == -m("20")
        later = world.clock.now()
    held = held_at({YES: "100"}, "0.3")
    async with running_world(tmp_path, start=later, held=held) as world:
        await look(world)
        assert world.service.queries.status().day_result == -m("20")


async def test_with_what_a_sale_left_over_alone_the_equity_is_the_cash(tmp_path: Path) -> None:
    async with running_world(tmp_path, held=held_at({YES: "0.009"}, "0.9")) as world:
        world.account.cash = BEGAN
        await look(world)
        status = world.service.queries.status()
        assert status.portfolio_value == status.cash == BEGAN
        assert status.day_figures == DayFigures(ZERO, ZERO, ZERO)


async def test_equity_is_sampled_and_kept_for_the_next_session(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        await world.pass_time(4 * SAMPLE_PERIOD_S)
        equity = world.service.queries.status().portfolio_value
        points = world.service.queries.activity().equity
        assert points
        assert points[-1].value == equity
        assert [p.at for p in points] == sorted(p.at for p in points)
        first = points[0]
    assert (tmp_path / EQUITY_FILE).exists()
    async with running_world(tmp_path, start=first.at + timedelta(hours=1)) as world:
        await world.pass_time(2 * SAMPLE_PERIOD_S)
        again = world.service.queries.activity().equity
        assert again[0] == first


async def test_a_file_that_cannot_be_read_begins_a_new_curve(tmp_path: Path) -> None:
    _ = (tmp_path / EQUITY_FILE).write_text("{no curve}")
    async with running_world(tmp_path) as world:
        await world.pass_time(2 * SAMPLE_PERIOD_S)
        assert world.service.queries.activity().equity
