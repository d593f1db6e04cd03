"""Single keys that trade: what each sends, when they are locked, and what is said of it."""

from dataclasses import replace
from datetime import timedelta

import pytest
from typing_extensions import override

from pmtui.domain.books.book_view import BookState
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    LimitIntent,
    OrderStatus,
    TimeInForce,
)
from pmtui.domain.ticket.draft import TicketRules
from pmtui.service import views
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import AccountTopic, BookTopic, MarketTopic, StatusTopic
from pmtui.ui.app import PmtuiApp
from pmtui.ui.ladder.ladder_viewport import RecentLadders
from pmtui.ui.market.controls.single_keys import SMALLEST
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.terminal.cell_diff import CellDisplay
from pmtui.ui.theme.theme_files import load_themes
from pmtui.ui.ticket.fields import Choice
from tests.scenes.world import make_world
from tests.ui import believable
from tests.ui.demo_market import MarketDemo
from tests.ui.market.market_kit import cents, line, on_market
from tests.ui.market.sibling_kit import market_of
from tests.ui.market.sibling_kit import opened as opened_outcome
from tests.ui.market.single_key_kit import arm, armed, chips, disarm, on_armed, sent, widen
from tests.ui.moving_market import CONDITION, YES
from tests.ui.wait import settle, until

pytestmark = pytest.mark.no_cover

SMALL, MIDDLE = (80, 24), (120, 36)
ORDER_KEYS = (
    "B", "S", "comma", "full_stop", "less_than_sign", "greater_than_sign", "D", "U", "F", "R",
)  # fmt: skip


def set_state(app: MarketDemo, state: BookState) -> None:
    service = app.market.service
    book = service.books[YES]
    service.books[YES] = replace(book, state=state, version=book.version + 1)
    service.announce(BookTopic(YES))


def answer_for_all(app: MarketDemo) -> None:
    """Leave no order in doubt, and none that a sale would meet."""
    service = app.market.service
    known = tuple(
        order
        for order in service.account_view.open_orders
        if order.status is not OrderStatus.UNKNOWN and order.side is Side.SELL
    )
    service.account_view = replace(service.account_view, open_orders=known)


def only_intent(app: MarketDemo) -> LimitIntent:
    (order,) = sent(app)
    assert isinstance(order.intent, LimitIntent)
    return order.intent


async def test_v_arms_and_says_in_words_what_keys_do_now() -> None:
    async with on_market() as (app, pilot, screen):
        service = app.market.service
        assert not chips(screen)
        await pilot.press("v")
        assert service.calls_of("arm") == [()]
        assert "ARMED 5: B/S trade at the cursor, v to disarm." in line(screen, "notice")
        arm(app)
        await until(pilot, lambda: chips(screen) == ["ARMED", "5"], "it shows")
        assert "ARMED" in line(screen, "status")
        await pilot.press("v")
        assert service.calls_of("disarm") == [("",)]
        assert "Disarmed" in line(screen, "notice")
        disarm(app)
        await until(pilot, lambda: not chips(screen), "it is off")


async def test_each_key_sends_its_order() -> None:
    async with on_armed(at=53) as (app, pilot, _):
        await pilot.press("2", *ORDER_KEYS[:-1])
        assert [order.intent for order in sent(app)] == [
            LimitIntent(
                condition_id=CONDITION, token_id=YES, side=side, price=cents(price),
                size=Micros(10_000_000), time_in_force=time_in_force, is_post_only=is_post_only,
            )
            for side, price, time_in_force, is_post_only in (
                (Side.BUY, 53, TimeInForce.GTC, False), (Side.SELL, 53, TimeInForce.GTC, False),
                (Side.BUY, 52, TimeInForce.GTC, True), (Side.SELL, 54, TimeInForce.GTC, True),
                (Side.BUY, 53, TimeInForce.GTC, True), (Side.SELL, 53, TimeInForce.GTC, True),
                (Side.SELL, 52, TimeInForce.FAK, False), (Side.BUY, 54, TimeInForce.FAK, False),
            )
        ]  # fmt: skip


async def test_a_large_order_is_said_to_be_one_beside_its_end_and_goes_out() -> None:
    app = MarketDemo(0)
    rules = TicketRules(notional_warning=Micros(1_000_000))
    app._surface = replace(
        app._surface, options=replace(app._surface.options, ticket=rules)
    )  # fmt: skip
    async with app.run_test(size=SMALL) as pilot:
        screen = await armed(app, pilot, at=53)
        await pilot.press("B")
        await until(
            pilot, lambda: "! large: $2.65" in line(screen, "notice"), "the warning"
        )  # fmt: skip
        assert only_intent(app).price == cents(53)


async def test_a_key_means_the_book_that_is_on_show_not_one_nobody_has_seen() -> None:
    async with on_armed() as (app, pilot, _):
        service = app.market.service
        book = service.books[YES]
        # Known to the service, not announced and so not painted yet.
        service.books[YES] = replace(
            book, asks=tuple(x for x in book.asks if x.price >= cents(60)), version=99
        )
        await pilot.press("U")
        assert only_intent(app).price == cents(54)


async def test_a_book_that_is_known_to_be_bad_locks_though_it_still_looks_good() -> None:
    async with on_armed() as (app, pilot, screen):
        service = app.market.service
        service.books[YES] = replace(service.books[YES], state=BookState.STALE, version=99)
        await pilot.press("U")
        assert not sent(app)
        assert "The book is stale: single keys are locked" in line(screen, "notice")


async def test_what_was_said_to_rest_is_taken_back_when_it_fills() -> None:
    async with on_armed(at=50) as (app, pilot, screen):
        service = app.market.service
        await pilot.press("B")
        await until(
            pilot, lambda: "Working: BUY 5 Yes @ 50¢." in line(screen, "notice"), "it rests"
        )
        (order,) = sent(app)
        resting = replace(believable.order(1, price=0.5, size=5), order_id=order.unsigned.order_id)
        view = service.account_view
        service.account_view = replace(view, recent=(resting,))
        service.announce(AccountTopic())
        await settle(pilot)
        assert "Working:" in line(screen, "notice")
        filled = replace(resting, matched_size=Micros(5_000_000), status=OrderStatus.FILLED)
        service.account_view = replace(view, recent=(filled,))
        told = views.LogEntry(1, service.at, views.Level.GOOD, "order", "Bought 5 Yes at 50¢")
        service.log_view = views.LogView((told,), 0, 0)
        service.announce(AccountTopic())
        await until(pilot, lambda: "Bought 5 Yes" in line(screen, "notice"), "the fill")


async def test_the_override_permits_one_order_for_two_seconds_and_is_journaled() -> None:
    async with on_armed(at=50) as (app, pilot, screen):
        service = app.market.service
        set_state(app, BookState.STALE)
        await settle(pilot)
        await pilot.press("exclamation_mark")
        assert "OVERRIDE 5+ " in line(screen, "book")
        assert "book stale" in line(screen, "notice")
        await pilot.press("B")
        ((order, override),) = service.calls_of("place")
        assert isinstance(order, PreparedOrder)
        assert isinstance(override, str)
        assert override.startswith("BUY 5 at 50¢ from a book that is stale, of 2026-06-15")
        assert override.endswith("bid 52¢, ask 54¢")
        assert "KEYS LOCKED" in line(screen, "book")
        await pilot.press("S")
        assert len(service.calls_of("place")) == 1
        await pilot.press("exclamation_mark")
        service.at += timedelta(seconds=2)
        await pilot.press("S")
        assert len(service.calls_of("place")) == 1
        assert "locked" in line(screen, "notice")


async def test_selling_all_needs_no_card_when_armed() -> None:
    async with on_armed() as (app, pilot, screen):
        answer_for_all(app)
        app.market.service.is_holding = True
        await pilot.press("F")
        ((order, sales),) = app.market.service.calls_of("flatten")
        assert isinstance(order, PreparedOrder)
        assert order.intent.side is Side.SELL
        assert order.intent.time_in_force is TimeInForce.FAK
        assert app.screen is screen
        assert isinstance(sales, tuple)
        assert [sale.price for sale in sales] == [cents(57)]
        assert "Cancelling 1 ask; then SELL 1,250.5 Yes @ 47¢ (taker)." in line(screen, "notice")


async def test_a_side_is_cancelled() -> None:
    async with on_market() as (app, pilot, screen):
        for key, side in (("left_parenthesis", Side.BUY), ("right_parenthesis", Side.SELL)):
            await pilot.press(key)
            ((ids,),) = app.market.service.calls_of("cancel")[-1:]
            mine = {
                o.order_id for o in app.market.service.account_view.open_orders if o.side is side
            }
            assert isinstance(ids, tuple)
            assert set(ids) == mine
        await until(
            pilot, lambda: "Cancelled 2 orders on the ask side." in line(screen, "notice"), "it"
        )


async def test_keys_are_not_called_armed_where_nothing_trades_any_more() -> None:
    async with on_armed(at=50) as (app, pilot, screen):
        await until(pilot, lambda: chips(screen), "they trade")
        service = app.market.service
        view = service.markets[CONDITION]
        assert view.market is not None
        service.markets[CONDITION] = replace(view, market=replace(view.market, closed=True))
        service.announce(MarketTopic(CONDITION))
        await until(pilot, lambda: "KEYS OFF HERE" in line(screen, "book"), "it is said")
        assert not chips(screen)
        service.markets[CONDITION] = view
        service.announce(MarketTopic(CONDITION))
        await until(pilot, lambda: chips(screen), "they trade again")


async def test_arming_ends_with_its_market_whatever_screen_is_in_front() -> None:
    async with on_armed(at=50) as (app, pilot, _):
        service = app.market.service
        view = service.markets[CONDITION]
        assert view.market is not None
        await app.push_screen(PortfolioScreen(app.market.service.surface()))
        await until(pilot, lambda: isinstance(app.screen, PortfolioScreen), "it is in front")
        service.announce(MarketTopic(CONDITION))
        await settle(pilot)
        assert not service.calls_of("disarm")
        service.markets[CONDITION] = replace(view, market=replace(view.market, closed=True))
        service.announce(MarketTopic(CONDITION))
        await until(pilot, lambda: bool(service.calls_of("disarm")), "it disarms")
        assert service.calls_of("disarm") == [("the market has ended",)]
        assert isinstance(app.screen, PortfolioScreen)


async def test_a_ticket_with_the_focus_keeps_every_key_to_itself() -> None:
    async with on_armed(at=50) as (app, pilot, screen):
        await pilot.press("b")
        await until(pilot, lambda: screen.ticket.has_focus_within, "the ticket has the keys")
        fields = set()
        for _ in range(9):
            assert screen.ticket.has_focus_within
            fields.add(screen.focused)
            await pilot.press(*ORDER_KEYS, "3", "v", "left_parenthesis", "exclamation_mark")
            await settle(pilot)
            names = {call.name for call in app.market.service.calls}
            assert not names & {"place", "flatten", "cancel", "disarm", "touch_arming"}
            await pilot.press("tab")
        assert len(fields) == 7
        for _ in range(9):
            await pilot.press("shift+tab")
            assert screen.ticket.has_focus_within
            assert screen.focused in fields


@pytest.mark.parametrize("where", ["a field", "a choice"])
async def test_it_is_said_that_keys_rest_while_the_ticket_has_them(where: str) -> None:
    async with on_armed(at=50) as (app, pilot, screen):
        assert " ARMED 5 · " in line(screen, "status")
        await pilot.press("b")
        await until(pilot, lambda: screen.ticket.has_focus_within, "the ticket has the keys")
        await until(pilot, lambda: "ARMED, ticket open" in line(screen, "status"), "the status")
        assert "KEYS IN TICKET" in line(screen, "book")
        while where == "a choice" and not isinstance(screen.focused, Choice):
            await pilot.press("shift+tab")
        await pilot.press("F")
        said = "Ticket has focus: single keys are off. esc to close it."
        await until(pilot, lambda: said in line(screen, "notice"), "why nothing happens")
        assert app.market.service.calls_of("flatten") == []
        await pilot.press("escape")
        await until(pilot, lambda: " ARMED 5 · " in line(screen, "status"), "keys trade again")
        assert chips(screen) == ["ARMED", "5"]
        await until(pilot, lambda: said not in line(screen, "notice"), "it is true no more")


async def test_a_screen_too_small_for_what_is_ours_disarms() -> None:
    async with on_armed() as (app, pilot, screen):
        service = app.market.service
        await pilot.resize_terminal(SMALLEST.width, SMALLEST.height)
        await settle(pilot)
        assert not service.calls_of("disarm")
        await pilot.resize_terminal(SMALLEST.width - 1, SMALLEST.height)
        await until(pilot, lambda: service.calls_of("disarm"), "it is disarmed")
        assert service.calls_of("disarm")[0] == ("the screen is smaller than 79x18",)
        disarm(app)
        await settle(pilot)
        await pilot.press("v")
        assert "Not armed: The screen is smaller than 79x18." in line(screen, "notice")
        assert not service.calls_of("arm")


async def test_the_next_outcome_keeps_the_size_and_no_permission() -> None:
    world = make_world()
    app = PmtuiApp(world.service.surface(), themes=load_themes()[0])
    service = world.service
    async with app.run_test(size=MIDDLE) as pilot:
        screen = await opened_outcome(app, pilot, market_of(world, "Ada Lindqvist"))
        service.status_view = replace(
            service.status_view, armed_until=service.status_view.now + timedelta(minutes=5)
        )
        service.announce(StatusTopic())
        await pilot.press("3")
        await until(pilot, lambda: chips(screen) == ["ARMED", "50"], "it is armed")
        token_id = screen.reader.token_id
        assert token_id is not None
        service.books[token_id] = replace(service.books[token_id], state=BookState.STALE)
        service.announce(BookTopic(token_id))
        await settle(pilot)
        await pilot.press("exclamation_mark")
        assert "OVERRIDE 50+ " in line(screen, "book")
        await pilot.press("right")
        await until(pilot, lambda: screen.reader.token_id != token_id, "the next outcome")
        await settle(pilot)
        assert screen.controls.single_keys.preset == 50_000_000
        other = screen.reader.token_id
        assert other is not None
        service.books[other] = replace(service.books[other], state=BookState.STALE, version=99)
        service.announce(BookTopic(other))
        await settle(pilot)
        await pilot.press("comma")
        assert not service.calls_of("place")
        assert "single keys are locked" in line(screen, "notice")


class SlowLine(CellDisplay):
    """A line that takes a minute."""

    @property
    @override
    def lag_s(self) -> float:
        return 60.0


class SlowDemo(MarketDemo):
    def __init__(self, changes: int) -> None:
        super().__init__(changes)
        self.terminal = SlowLine(self, on_room=self.catch_up)


async def test_a_price_that_went_before_it_was_seen_is_taken_at_the_second_press() -> None:
    app = SlowDemo(0)
    async with app.run_test(size=SMALL) as pilot:
        screen = await armed(app, pilot)
        screen.ladder.viewport.recent = RecentLadders()
        service = app.market.service
        book = service.books[YES]
        service.books[YES] = replace(book, asks=book.asks[1:], version=book.version + 1)
        service.announce(BookTopic(YES))
        await settle(pilot)
        await pilot.press("U")
        assert not sent(app)
        said = "Not sent: 54¢ is gone, now 55¢; press again to take it."
        assert said in line(screen, "notice")
        service.at += timedelta(seconds=1)
        await pilot.press("U")
        assert only_intent(app).price == cents(55)
        # What rests at the best price waits for nobody to see it.
        await pilot.press("comma")
        assert len(sent(app)) == 2


async def test_a_click_points_and_never_trades() -> None:
    async with on_armed(MIDDLE) as (app, pilot, screen):
        await pilot.click(screen.ladder, offset=(20, 6))
        await settle(pilot)
        assert screen.ladder.cursor is not None
        assert not sent(app)


@pytest.mark.parametrize("size", [SMALL, MIDDLE, (200, 50)])
async def test_neither_arming_nor_a_ticket_moves_a_price_or_hides_own_orders(
    size: tuple[int, int],
) -> None:
    async with on_market(size) as (app, pilot, screen):
        widen(app)
        app.market.service.announce(BookTopic(YES))
        await settle(pilot)
        rows = [screen.ladder.viewport.price_at_line(y) for y in (1, 8, 13)]
        place = screen.ladder.region.offset
        arm(app)
        await until(pilot, lambda: screen.has_class("-armed"), "single keys are armed")
        await settle(pilot)
        assert [screen.ladder.viewport.price_at_line(y) for y in (1, 8, 13)] == rows
        await pilot.press("b")
        await until(pilot, lambda: screen.ticket.is_open, "the ticket")
        await settle(pilot)
        assert [screen.ladder.viewport.price_at_line(y) for y in (1, 8, 13)] == rows
        assert screen.ladder.region.offset == place
        assert screen.orders.region.height >= 3
        assert not screen.orders.region.overlaps(screen.ticket.region)
        disarm(app)
        await settle(pilot)
        assert [screen.ladder.viewport.price_at_line(y) for y in (1, 8, 13)] == rows
