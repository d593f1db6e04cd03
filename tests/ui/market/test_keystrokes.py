"""How many keys the daily jobs of a ladder trader take, from the screen as it opens."""

from dataclasses import replace

import pytest
from textual.pilot import Pilot

from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TimeInForce
from pmtui.domain.ticket.draft import TicketRules
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import AccountTopic
from pmtui.ui.market.market import MarketScreen
from tests.ui.demo_market import MarketDemo
from tests.ui.market.controls.desk import cents
from tests.ui.market.market_kit import MIDDLE, on_market, opened
from tests.ui.market.single_key_kit import armed, on_armed, sent
from tests.ui.moving_market import CONDITION, NO
from tests.ui.wait import settle, until

SMALL_ORDERS = TicketRules(confirm_above=Micros(1_000_000_000))
"""A trader who wants no card for what is worth less than a thousand dollars."""


def demo() -> MarketDemo:
    app = MarketDemo(0)
    surface = app._surface
    surface.memory.keep_size("100")
    app._surface = replace(surface, options=replace(surface.options, ticket=SMALL_ORDERS))
    return app


async def pressed(pilot: Pilot[None], keys: list[str], *, most: int) -> None:
    assert len(keys) <= most
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


async def test_the_usual_size_is_bought_at_the_offer_with_two_keys() -> None:
    app = demo()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot)
        await pressed(pilot, ["b", "enter"], most=4)
        await until(pilot, lambda: sent(app), "the order")
        (order,) = sent(app)
        assert (order.price, order.size) == (cents(53), Micros(100_000_000))


async def test_it_is_bought_at_another_price_with_the_price_and_three_keys() -> None:
    app = demo()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot)
        await pressed(pilot, ["b", "shift+tab", *"47", "enter"], most=8)
        await until(pilot, lambda: sent(app), "the order")
        assert sent(app)[0].price == cents(47)


async def test_an_order_moves_three_ticks_with_three_keys_while_armed() -> None:
    async with on_armed(MIDDLE, at=49) as (app, pilot, _):
        # At once: they are one move only while no pause is between them, however busy the machine.
        for _ in range(3):
            app.simulate_key("shift+down")
        await until(pilot, lambda: app.market.service.calls_of("move"), "one replacement")
        ((_, order),) = app.market.service.calls_of("move")
        assert isinstance(order, PreparedOrder)
        assert order.price == cents(46)


async def test_only_the_size_changes_with_the_size_and_two_keys_while_armed() -> None:
    async with on_armed(MIDDLE, at=49) as (app, pilot, _):
        await pressed(pilot, ["e", "9", "enter"], most=3)
        await until(pilot, lambda: app.market.service.calls_of("move"), "one replacement")
        ((_, order),) = app.market.service.calls_of("move")
        assert isinstance(order, PreparedOrder)
        assert (order.price, order.size) == (cents(49), Micros(9_000_000))


async def test_everything_here_is_cancelled_with_one_key() -> None:
    async with on_market(MIDDLE) as (app, pilot, _):
        await pressed(pilot, ["z"], most=1)
        assert app.market.service.calls_of("cancel_market") == [(CONDITION, None)]


async def test_a_stop_at_the_cursor_is_placed_with_three_keys() -> None:
    async with on_market(MIDDLE) as (app, pilot, screen):
        screen.ladder.point_at(cents(47))
        await pressed(pilot, ["t", "enter", "enter"], most=3)
        await until(pilot, lambda: app.market.service.calls_of("protect"), "the plan")


async def test_one_key_goes_short_while_armed_and_flat() -> None:
    app = MarketDemo(0)
    service = app.market.service
    service.account_view = replace(service.account_view, positions=(), balances=(), open_orders=())
    async with app.run_test(size=(120, 36)) as pilot:
        screen: MarketScreen = await armed(app, pilot, at=55)
        service.announce(AccountTopic())
        await pressed(pilot, ["S"], most=1)
        await until(pilot, lambda: sent(app), "the order")
        intent = sent(app)[0].intent
        assert (intent.token_id, intent.side) == (NO, Side.BUY)
        assert screen.ladder.cursor is not None


@pytest.mark.parametrize(("times", "life"), [(1, "5m"), (2, "15m"), (3, "60m")])
async def test_a_timed_order_takes_one_key_for_each_usual_life(times: int, life: str) -> None:
    app = demo()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        await pressed(pilot, ["b", *["ctrl+t"] * times], most=1 + times)
        draft = screen.ticket.draft
        assert (draft.time_in_force, draft.expiry_text) == (TimeInForce.GTD, life)
