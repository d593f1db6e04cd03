"""The trading screen from its first step to its last under eager tasks."""

from datetime import timedelta

import pytest

from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import LimitIntent
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import BookTopic
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.ticket.confirm import ConfirmScreen
from tests.eager_tasks import EAGER, HAS_EAGER_TASKS
from tests.skipping_loop import Backend
from tests.ui.demo_market import MarketDemo
from tests.ui.moving_market import YES
from tests.ui.wait import settle, until

CONFIRM_PAUSE = timedelta(seconds=1)

pytestmark = pytest.mark.skipif(not HAS_EAGER_TASKS, reason="eager tasks came with Python 3.12")


@pytest.fixture
def anyio_backend() -> Backend:
    return EAGER


async def test_an_order_is_sent_and_the_screen_left_when_tasks_start_at_once() -> None:
    app = MarketDemo(0)
    service = app.market.service
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, MarketScreen), "the screen opens")
        screen = app.screen
        assert isinstance(screen, MarketScreen)
        await until(pilot, lambda: screen.ladder.ladder is not None, "the book is shown")
        await pilot.press("b")
        await until(pilot, lambda: screen.ticket.is_open, "the ticket opens")
        screen.ticket.size_field.focus()
        await settle(pilot)
        await pilot.press(*"20", "enter")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen), "it asks")
        service.at += CONFIRM_PAUSE
        await pilot.press("enter")
        await until(pilot, lambda: service.calls_of("place"), "the order is sent")
        ((prepared,),) = service.calls_of("place")
        assert isinstance(prepared, PreparedOrder)
        assert isinstance(prepared.intent, LimitIntent)
        assert (prepared.intent.side, prepared.intent.size) == (Side.BUY, Micros(20_000_000))
        await until(pilot, lambda: app.screen is screen, "the card goes")
        _ = app.pop_screen()
        await until(pilot, lambda: BookTopic(YES) not in service.watched(), "the book is let go")
