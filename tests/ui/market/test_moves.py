"""Moving an order from the portfolio: a price, a card, a verdict."""

from datetime import timedelta

from textual.pilot import Pilot

from pmtui.domain.markets.market import Side
from pmtui.domain.orders.order import LimitIntent, MoveEnd, MoveVerdict
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import BookTopic, MarketTopic
from pmtui.ui.account.action_cards import MoveCard
from pmtui.ui.market.moves import MovePrompt
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.ticket.confirm import ConfirmScreen
from pmtui.ui.widgets.line_table import LineTable
from tests.ui import believable
from tests.ui.demo import ScreenApp
from tests.ui.fake_surface import FakeService
from tests.ui.look import shows
from tests.ui.moving_market import CONDITION, YES, MovingMarket
from tests.ui.wait import settle, until


def app_of(service: FakeService) -> ScreenApp:
    return ScreenApp(PortfolioScreen(service.surface()))


def point_at(app: ScreenApp, words: str) -> None:
    """Move the cursor to the first row with these words."""
    table = app.screen.query_one("#orders", LineTable)
    found = (row.key for row in table.rows if any(words in cell.text for cell in row.cells))
    assert table.move_cursor_to(next(found))


async def prompted(app: ScreenApp, pilot: Pilot[None]) -> MovePrompt:
    await pilot.press("right_square_bracket")
    await until(pilot, lambda: shows(app, "49.0¢"), "the orders")
    point_at(app, "49.0¢")
    await pilot.press("e")
    await until(pilot, lambda: isinstance(app.screen, MovePrompt), "the prompt")
    prompt = app.screen
    assert isinstance(prompt, MovePrompt)
    await settle(pilot)
    return prompt


async def agree(app: ScreenApp, pilot: Pilot[None], service: FakeService) -> None:
    await until(pilot, lambda: isinstance(app.screen, MoveCard | ConfirmScreen), "the card")
    card = app.screen
    await settle(pilot)
    service.at += timedelta(seconds=1)
    await pilot.press("enter")
    await until(pilot, lambda: app.screen is not card, "the card is answered")


async def test_e_asks_for_a_price_and_moves_after_the_card() -> None:
    service = MovingMarket().service
    app = app_of(service)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        prompt = await prompted(app, pilot)
        assert prompt.price.value == "49"
        assert {MarketTopic(CONDITION), BookTopic(YES)} <= service.watched()
        assert shows(app, "52 / ")
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: isinstance(app.screen, MoveCard), "the card")
        assert shows(app, "Replaces BUY 250 Yes @ 49¢")
        await agree(app, pilot, service)
        ((order_id, order),) = service.calls_of("move")
        assert order_id == believable.order(1).order_id
        assert isinstance(order, PreparedOrder)
        assert order.price == 470_000
        await until(pilot, lambda: shows(app, "Moved."), "the verdict")


async def test_e_changes_the_size_at_the_same_price_too() -> None:
    service = MovingMarket().service
    app = app_of(service)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        prompt = await prompted(app, pilot)
        prompt.amount.focus()
        prompt.amount.action_select_all()
        await pilot.press("x", "enter")
        await settle(pilot)
        await pilot.press("backspace", "enter")
        await settle(pilot)
        assert shows(app, "Enter a size in shares")
        await pilot.press(*"80", "up", "enter")
        await until(pilot, lambda: isinstance(app.screen, MoveCard), "the card")
        assert shows(app, "250 → 90")
        await agree(app, pilot, service)
        ((_, order),) = service.calls_of("move")
        assert isinstance(order, PreparedOrder)
        assert (order.price, order.size) == (490_000, 90_000_000)


async def test_a_price_that_will_not_do_is_said_in_the_prompt() -> None:
    service = MovingMarket().service
    app = app_of(service)
    async with app.run_test(size=(80, 24)) as pilot:
        prompt = await prompted(app, pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert shows(app, "at that price already")
        await pilot.press("full_stop", "5", "enter")
        await settle(pilot)
        assert shows(app, "nearest price")
        assert app.screen is prompt
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is not prompt, "it is left")
        assert not service.calls_of("move")
        assert not service.calls_of("cancel")


async def test_what_a_move_left_out_is_offered_again_from_the_portfolio_too() -> None:
    service = MovingMarket().service
    intent = LimitIntent(CONDITION, YES, Side.BUY, believable.micros(0.47), believable.micros(250))
    service.move_verdicts = [
        MoveVerdict(MoveEnd.NOT_REPLACED, "Cancelled, not replaced: not enough", left_out=intent)
    ]
    app = app_of(service)
    async with app.run_test(size=(120, 24), notifications=True) as pilot:
        await prompted(app, pilot)
        await pilot.press("down", "enter")
        await agree(app, pilot, service)
        await until(pilot, lambda: shows(app, "to retry"), "it is offered")
        await pilot.press("e")
        await agree(app, pilot, service)
        ((order,),) = service.calls_of("place")
        assert isinstance(order, PreparedOrder)
        assert order.intent == intent


async def test_an_order_in_doubt_cannot_be_moved() -> None:
    service = MovingMarket().service
    app = app_of(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: shows(app, "unknown"), "the orders")
        point_at(app, "unknown")
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, MovePrompt), "the prompt")
        await settle(pilot)
        await pilot.press("up", "enter")
        await settle(pilot)
        assert shows(app, "being checked")
