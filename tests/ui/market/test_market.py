import asyncio
from dataclasses import replace

import pytest
from textual import events
from textual.widget import Widget
from textual.widgets import Input

from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import Interval
from pmtui.domain.markets.market import Side
from pmtui.domain.orders.order import Order
from pmtui.service.topics import AccountTopic, BookTopic, HistoryTopic, MarketTopic, TapeTopic
from pmtui.service.views import Load, MarketView
from pmtui.ui.account.action_cards import MoveCard
from pmtui.ui.explore.reading import RulesScreen
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.question import QuestionScreen
from tests.ui.demo_market import MarketDemo
from tests.ui.fake_surface import READ_ONLY_STATUS
from tests.ui.look import shows
from tests.ui.market.market_kit import (
    LARGE,
    MIDDLE,
    SMALL,
    cents,
    earns,
    line,
    on_market,
    opened,
    prices_shown,
)
from tests.ui.moving_market import CONDITION, NO, YES
from tests.ui.stage import shown_text
from tests.ui.wait import settle, until


def on_terminal(screen: MarketScreen, pane: Widget) -> str:
    """What the compositor has where a pane is, not what the pane would paint."""
    region = pane.region
    lines = screen._compositor.render_strips()[region.y : region.bottom]
    return "\n".join(strip.crop(region.x, region.right).text for strip in lines)


@pytest.mark.parametrize("size", [SMALL, MIDDLE, LARGE, (79, 24), (110, 20), (170, 32)])
async def test_every_layout_shows_bids_asks_position_and_ticket_together(
    size: tuple[int, int],
) -> None:
    async with on_market(size) as (_, pilot, screen):
        await pilot.press("b")
        await until(pilot, lambda: screen.has_class("-ticket"), "the ticket opens")
        await settle(pilot)
        assert prices_shown(screen) >= 14 - (24 - min(size[1], 24))
        rows = shown_text(screen.ladder)
        assert any("53¢" in row for row in rows)
        assert any("52¢" in row for row in rows)
        # On a tall screen with what may come of the position, whether anything is held or not.
        assert screen.position.size.height == (6 if size in (MIDDLE, LARGE) else 2)
        is_line = screen.ticket.has_class("-line")
        assert is_line is (size in (SMALL, (79, 24)))
        assert screen.ticket.size.height >= (3 if is_line else 9)
        assert screen.ticket.size.width >= (79 if is_line else 30)
        has_tape = bool(screen.tape.region.area)
        beside = screen.tape if has_tape else screen.orders
        for pane in (screen.ladder, screen.position, beside):
            assert not screen.ticket.region.overlaps(pane.region)
        assert beside.size.height >= 2


async def test_only_a_wide_screen_fetches_the_chart() -> None:
    async with on_market() as (app, pilot, _):
        service = app.market.service
        plain = {MarketTopic(CONDITION), AccountTopic(), BookTopic(YES), TapeTopic(YES)}
        assert plain <= service.watched()
        assert HistoryTopic(YES, Interval.DAY) not in service.watched()
        await pilot.resize_terminal(*MIDDLE)
        await until(
            pilot, lambda: HistoryTopic(YES, Interval.DAY) in service.watched(), "it is watched"
        )


async def test_brackets_change_the_interval_and_say_when_there_is_no_chart() -> None:
    async with on_market(MIDDLE) as (app, pilot, screen):
        await pilot.press("right_square_bracket")
        topic = HistoryTopic(YES, Interval.WEEK)
        await until(pilot, lambda: topic in app.market.service.watched(), "a week is watched")
        await until(pilot, lambda: screen.chart.is_drawn, "a week is drawn")
        assert "1w" in line(screen, "chart-panel")
        await pilot.press(*["left_square_bracket"] * 5)
        await until(pilot, lambda: "No shorter" in line(screen, "notice"), "it says so")
        await pilot.resize_terminal(*SMALL)
        await settle(pilot)
        await pilot.press("left_square_bracket")
        assert "110 columns" in line(screen, "notice")


async def test_flipping_shows_the_other_book_at_the_same_place() -> None:
    async with on_market() as (app, pilot, screen):
        screen.ladder.point_at(cents(49))
        await pilot.press("o")
        await until(pilot, lambda: BookTopic(NO) in app.market.service.watched(), "No is watched")
        assert BookTopic(YES) not in app.market.service.watched()
        assert screen.reader.outcome_index == 1
        assert screen.ladder.cursor is not None
        assert screen.ladder.cursor[0] == cents(51)
        assert line(screen, "question").startswith(" No ")
        assert "bid 47¢  ask 48¢" in line(screen, "quote")


@pytest.mark.parametrize(("key", "price"), [("b", "53"), ("s", "52")])
async def test_the_ticket_opens_at_the_touch_without_a_cursor(key: str, price: str) -> None:
    async with on_market() as (_, pilot, screen):
        await pilot.press(key)
        await until(pilot, lambda: screen.ticket.is_open, "the ticket opens")
        assert price in [field.value for field in screen.ticket.query(Input)]
        assert screen.ticket.draft.side is (Side.BUY if key == "b" else Side.SELL)


async def test_enter_on_a_level_opens_the_ticket_there_and_escape_returns() -> None:
    async with on_market() as (_, pilot, screen):
        screen.ladder.point_at(cents(50))
        await settle(pilot)
        assert "enter sell @ 50¢" in line(screen, "book")
        await pilot.press("enter")
        await until(pilot, lambda: screen.ticket.is_open, "the ticket opens")
        assert screen.ticket.draft.side is Side.SELL
        assert "50" in [field.value for field in screen.ticket.query(Input)]
        await pilot.press("escape")
        await until(pilot, lambda: screen.focused is screen.ladder, "the ladder has the keys")
        assert not screen.has_class("-ticket")


async def test_x_cancels_what_is_ours_at_the_cursor() -> None:
    async with on_market() as (app, pilot, screen):
        service = app.market.service
        await pilot.press("x")
        assert "Put the cursor" in line(screen, "notice")
        screen.ladder.point_at(cents(50))
        await pilot.press("x")
        assert "No order of yours at 50¢" in line(screen, "notice")
        assert service.calls_of("cancel") == []
        screen.ladder.point_at(cents(49))
        await pilot.press("x")
        ours = [o.order_id for o in service.account_view.open_orders if o.price == cents(49)]
        assert service.calls_of("cancel") == [(tuple(ours),)]
        await until(
            pilot, lambda: "Cancelled 1 order at 49¢" in line(screen, "notice"), "the result"
        )


async def test_x_on_a_row_of_grouped_prices_names_the_prices_of_what_it_cancels() -> None:
    async with on_market() as (app, pilot, screen):
        screen.ladder.point_at(cents(49))
        await pilot.press("g", "g")
        assert "group 5¢" in line(screen, "book")
        await pilot.press("x")
        words = "Cancelled 2 orders at 47¢ to 49¢."
        await until(pilot, lambda: words in line(screen, "notice"), "the result")
        service = app.market.service
        bids = [o.order_id for o in service.account_view.open_orders if o.side is Side.BUY]
        assert service.calls_of("cancel") == [(tuple(bids),)]


async def test_digits_change_the_size_of_what_is_picked_up_and_no_preset() -> None:
    async with on_market() as (app, pilot, screen):
        screen.ladder.point_at(cents(49))
        await pilot.press("e", "1", "2", "0", "backspace", "5")
        assert "Single-key size" not in line(screen, "notice")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MoveCard), "the card")
        assert shows(app, "250 → 125")


async def test_enters_too_many_after_a_question_do_not_reach_the_ladder() -> None:
    async with on_market() as (app, pilot, screen):
        screen.ladder.point_at(cents(49))
        answers: list[bool | None] = []
        question = QuestionScreen("Really?", (), agree="Yes", surface=screen.surface)
        await app.push_screen(question, answers.append)
        await settle(pilot)
        for _ in range(3):
            app.post_message(events.Key("enter", None))
        await until(pilot, lambda: app.screen is screen, "it is answered")
        await settle(pilot)
        assert answers == [True]
        assert not screen.ticket.is_open


async def test_an_enter_pressed_before_the_question_opened_is_no_answer() -> None:
    async with on_market() as (app, pilot, screen):
        answers: list[bool | None] = []
        question = QuestionScreen("Really?", (), agree="Yes", surface=screen.surface)
        pressed = [events.Key("enter", None) for _ in range(2)]
        await app.push_screen(question, answers.append)
        for key in pressed:
            app.post_message(key)
        await settle(pilot)
        assert app.screen is question
        assert answers == []


def _set_orders(app: MarketDemo, orders: tuple[Order, ...]) -> None:
    service = app.market.service
    service.account_view = replace(service.account_view, open_orders=orders)
    service.announce(AccountTopic())


async def test_own_orders_show_in_the_ladder_and_in_their_pane() -> None:
    async with on_market() as (app, pilot, screen):
        row = next(t for t in shown_text(screen.ladder) if " 49¢" in t)
        assert "250" in row.split()
        assert earns(screen, 49)
        # The highest of them, as on the ladder.
        assert "400" in " ".join(shown_text(screen.orders))
        _set_orders(app, ())
        await until(
            pilot, lambda: "No working orders" in " ".join(shown_text(screen.orders)), "they go"
        )
        assert not earns(screen, 49)


@pytest.mark.parametrize("size", [SMALL, MIDDLE, LARGE])
async def test_an_order_placed_while_the_ticket_hid_the_pane_is_there_when_it_closes(
    size: tuple[int, int],
) -> None:
    async with on_market(size) as (app, pilot, screen):
        placed = app.market.service.account_view.open_orders
        _set_orders(app, ())
        await until(
            pilot, lambda: "No working orders" in " ".join(shown_text(screen.orders)), "they go"
        )
        await pilot.press("b")
        await until(pilot, lambda: screen.has_class("-ticket"), "the ticket opens")
        await settle(pilot)
        _set_orders(app, placed)
        await settle(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: not screen.has_class("-ticket"), "the ticket closes")
        await until(pilot, lambda: "400" in on_terminal(screen, screen.orders), "they are shown")


async def test_grouping_and_rules_have_their_keys() -> None:
    async with on_market() as (app, pilot, screen):
        await pilot.press("g")
        assert "group 2¢" in line(screen, "book")
        await pilot.press("i")
        await until(pilot, lambda: isinstance(app.screen, RulesScreen), "the rules open")


@pytest.mark.parametrize("token_id", [YES, NO])
async def test_a_market_opens_at_the_order_it_was_opened_for(token_id: TokenId) -> None:
    async with on_market() as (app, pilot, _):
        screen = MarketScreen(app.market.service.surface(), CONDITION, aim=(token_id, cents(20)))
        await app.push_screen(screen)
        await until(pilot, lambda: screen.ladder.cursor is not None, "the cursor is there")
        assert screen.reader.token_id == token_id
        assert screen.ladder.cursor is not None
        assert screen.ladder.cursor[0] == cents(20)
        rows = range(1, screen.ladder.viewport.body_height + 1)
        shown = [screen.ladder.viewport.price_at_line(y) for y in rows]
        assert cents(20) in shown


async def test_candles_are_refused_where_depth_is_on_show() -> None:
    async with on_market(MIDDLE) as (_, pilot, screen):
        style = screen.chart.style
        await pilot.press("d", "c")
        assert screen.chart.style is style
        await pilot.press("d", "c")
        assert screen.chart.style is not style


async def test_the_grouping_of_one_market_is_not_that_of_another() -> None:
    async with on_market() as (app, pilot, screen):
        await pilot.press("g")
        memory = screen.surface.memory
        assert memory.grouping_of(CONDITION) == 1
        assert memory.grouping_of("0xother") == 0
        again = MarketScreen(screen.surface, CONDITION)
        await app.push_screen(again)
        await until(pilot, lambda: again.ladder.ladder is not None, "the book is shown")
        assert again.ladder.axis.group == cents(2)


async def test_read_only_says_why_keys_do_nothing() -> None:
    app = MarketDemo(0)
    app.market.service.status_view = READ_ONLY_STATUS
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(app, pilot)
        for key in "bsfxzetLvBS":
            screen.message_line.show("")
            await pilot.press(key)
            assert "Read-only: no key" in line(screen, "notice"), key
        assert not screen.ticket.is_open


@pytest.mark.parametrize(
    ("change", "words"), [({"closed": True}, "Closed"), ({"accepting_orders": False}, "Paused")]
)
async def test_a_market_that_cannot_be_traded_says_so(change: dict[str, bool], words: str) -> None:
    app = MarketDemo(0)
    view = app.market.service.markets[CONDITION]
    assert view.market is not None
    market = replace(view.market, **change)  # type: ignore[arg-type]
    app.market.service.markets[CONDITION] = replace(view, market=market)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(app, pilot)
        assert words in line(screen, "quote")
        await pilot.press("b")
        assert words in line(screen, "notice")
        assert not screen.ticket.is_open


async def test_a_market_that_comes_late_is_waited_for() -> None:
    app = MarketDemo(0)
    service = app.market.service
    late = service.markets.pop(CONDITION)
    async with app.run_test(size=MIDDLE) as pilot:
        await until(pilot, lambda: isinstance(app.screen, MarketScreen), "the screen opens")
        screen = app.screen
        assert isinstance(screen, MarketScreen)
        await until(pilot, lambda: "Loading" in line(screen, "question"), "it says so")
        await pilot.press("b", "x", "o", "g", "z", "up", "enter", "space")
        service.markets[CONDITION] = MarketView(late.market, None, Load.READY, None)
        service.announce(MarketTopic(CONDITION))
        await until(pilot, lambda: BookTopic(YES) in service.watched(), "the book is watched")
        await pilot.press("b")
        assert "terms are loading" in line(screen, "notice")


@pytest.mark.parametrize(("theme", "has_color"), [("harbour", False), ("ansi", True)])
@pytest.mark.no_cover
@pytest.mark.slow
async def test_resizing_while_everything_moves_never_breaks(
    theme: str, has_color: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_color:
        monkeypatch.setenv("NO_COLOR", "1")
    app = MarketDemo(0, theme=theme, ascii_only=not has_color)
    async with app.run_test(size=LARGE) as pilot:
        screen = await opened(app, pilot)
        for size in (SMALL, (40, 10), (20, 5), LARGE, (120, 12), (60, 40), MIDDLE):
            for key in ("down", "b"):
                await pilot.press(key)
                for _ in range(10):
                    app.market.step()
                app.market.publish()
                await settle(pilot)
            await pilot.press("escape")
            await pilot.resize_terminal(*size)
            await settle(pilot)
            assert screen.size.width == size[0]
        await until(pilot, lambda: screen.chart.is_drawn, "the chart is drawn")


async def test_leaving_lets_every_feed_go() -> None:
    async with on_market() as (app, pilot, _):
        await asyncio.wait_for(_pop(app), 60)
        await until(pilot, lambda: BookTopic(YES) not in app.market.service.watched(), "it goes")


async def _pop(app: MarketDemo) -> None:
    await app.pop_screen()


async def test_n_narrows_the_tape_to_larger_trades_and_says_so() -> None:
    async with on_market(MIDDLE) as (_, pilot, screen):
        await pilot.press("n", "n")
        await until(pilot, lambda: "Tape: 1,000+ and mine" in line(screen, "notice"), "the words")
        title = "".join(cell.text for cell in screen.tape.title())
        assert "1,000+ and mine" in title
