from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.ticket.command_line import complete, parse_command
from pmtui.ui.app import PmtuiApp
from pmtui.ui.cells import line_width
from pmtui.ui.command_line.command_screen import (
    MOST,
    CommandHistory,
    CommandScreen,
    paint_candidates,
    paint_preview,
)
from pmtui.ui.explore.alert_form import AlertForm
from pmtui.ui.explore.markets import MarketsScreen
from pmtui.ui.explore.watchlist import WatchlistScreen
from pmtui.ui.frame import MarketChosen
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.portfolio.log import LogScreen
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.theme.theme_files import load_themes
from pmtui.ui.ticket.confirm import ConfirmScreen
from pmtui.ui.ticket.fields import NumberField
from pmtui.ui.ticket.protect import ProtectScreen
from pmtui.ui.widgets.text_line import TextLine
from tests.ui import believable
from tests.ui.demo import believable_service
from tests.ui.fake_surface import FakeService
from tests.ui.look import words
from tests.ui.moving_market import CONDITION, MovingMarket
from tests.ui.stage import shown_text
from tests.ui.wait import settle, until

OUTCOMES = ("Yes", "No")


@pytest.mark.parametrize("width", [10, 40, 80])
@pytest.mark.parametrize(
    "text", ["buy 100 yes 39.7 gtd 15m", "buy 100 maybe 39", "buy", "cancel all"]
)
def test_the_lines_fit(text: str, width: int) -> None:
    found = parse_command(text, OUTCOMES)
    assert line_width(paint_preview(found, OUTCOMES, width, indent=2)) == width
    assert line_width(paint_candidates(complete(text, OUTCOMES), width, indent=2)) == width


def test_what_is_wrong_is_pointed_at() -> None:
    text = "buy 100 maybe 39"
    line = words(paint_preview(parse_command(text, OUTCOMES), OUTCOMES, 80, indent=2))
    assert line.index("^") == 2 + text.index("maybe")
    assert line.count("^") == len("maybe")
    assert "Not understood: maybe" in line


def test_the_first_candidate_is_explained() -> None:
    line = words(paint_candidates(complete("buy 5 40 gt", OUTCOMES), 80, indent=2))
    assert line.split() == ["gtc", "until", "cancelled", "gtd"]


def test_a_walk_goes_back_and_comes_home_to_what_was_typed() -> None:
    history = CommandHistory()
    for text in ("sell all", "cancel bids", " sell all ", ""):
        history.keep(text)
    walk = history.begin("bu")
    assert [walk.older(), walk.older(), walk.older()] == ["sell all", "cancel bids", "cancel bids"]
    assert [walk.newer(), walk.newer(), walk.newer()] == ["sell all", "bu", "bu"]


def test_only_so_many_are_kept() -> None:
    history = CommandHistory()
    for number in range(MOST + 5):
        history.keep(f"buy {number} 40")
    walk = history.begin("")
    assert [walk.older() for _ in range(MOST + 1)][-1] == "buy 5 40"


def _app(service: FakeService) -> PmtuiApp:
    return PmtuiApp(service.surface(), themes=load_themes()[0])


async def _in_market(pilot: Pilot[None], app: PmtuiApp) -> MarketScreen:
    app.navigation.go(MarketChosen(CONDITION))
    await until(pilot, lambda: isinstance(app.screen, MarketScreen), "the market")
    screen = app.screen
    assert isinstance(screen, MarketScreen)
    await until(pilot, lambda: screen.ladder.ladder is not None, "the book")
    await settle(pilot)
    return screen


async def _typed(pilot: Pilot[None], app: PmtuiApp, text: str) -> CommandScreen:
    await pilot.press("colon")
    await until(pilot, lambda: isinstance(app.screen, CommandScreen), "the line")
    screen = app.screen
    assert isinstance(screen, CommandScreen)
    screen.field.write(text)
    await settle(pilot)
    return screen


@asynccontextmanager
async def commanded(
    text: str, *, size: tuple[int, int] = (120, 36), service: FakeService | None = None
) -> AsyncIterator[tuple[PmtuiApp, Pilot[None], MarketScreen, CommandScreen]]:
    """Type a command over the usual market, without entering it."""
    app = _app(service or MovingMarket().service)
    async with app.run_test(size=size) as pilot:
        market = await _in_market(pilot, app)
        yield app, pilot, market, await _typed(pilot, app, text)


async def test_an_order_goes_through_the_ticket_to_its_card() -> None:
    async with commanded("buy 100 yes 39 gtd 15m po") as (app, pilot, market, line):
        preview = shown_text(line.query_one("#preview", TextLine))[0]
        assert preview.strip() == "BUY 100 Yes @ 39¢ · GTD 15m · post-only"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen), "the card")
        draft = market.ticket.draft
        assert (draft.side, draft.price_text, draft.size_text) == (Side.BUY, "39", "100")
        assert (draft.expiry_text, draft.is_post_only) == ("15m", True)


async def test_the_card_stands_over_the_ticket_and_follows_it_through_sizes() -> None:
    async with commanded("buy 100 yes 39") as (app, pilot, market, _):
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen), "the card")
        card = app.screen
        assert isinstance(card, ConfirmScreen)

        def is_right() -> bool:
            frame = next(iter(card.query("#card")), None)
            ticket = market.ticket.region
            if frame is None or market.ticket.has_class("-line"):
                return frame is not None and not frame.region.overlaps(ticket)
            return frame.region.contains_region(ticket) and frame.region.width <= 44

        await until(pilot, is_right, "over the ticket")
        for size in ((80, 24), (200, 50), (120, 36), (80, 24), (120, 36)):
            await pilot.resize_terminal(*size)
            # The clock goes on while the card is composed again.
            card._update()
            await until(pilot, is_right, f"in its place at {size}")
        assert app.screen is card


async def test_what_the_ticket_refuses_stays_in_the_ticket() -> None:
    async with commanded("buy 100 39.77") as (app, pilot, market, _):
        await pilot.press("enter")
        await until(pilot, lambda: market.ticket.is_open, "the ticket")
        await settle(pilot)
        assert app.screen is market
        assert market.ticket.draft.price_text == "39.77"


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_the_preview_says_what_the_ticket_would_refuse(size: tuple[int, int]) -> None:
    async with commanded("buy 100 yes 39.77", size=size) as (_, pilot, _, line):
        preview = line.query_one("#preview", TextLine)
        said = "BUY 100 Yes @ 39.77¢ · GTC: Tick 1¢: next below is 39¢"
        assert shown_text(preview)[0].strip() == said
        line.field.write("buy 3 yes 39")
        await until(pilot, lambda: "inimum" in shown_text(preview)[0], "the least size")
        line.field.write("buy 100 yes 39")
        await until(
            pilot, lambda: shown_text(preview)[0].strip() == "BUY 100 Yes @ 39¢ · GTC", "no problem"
        )


async def test_enter_says_what_a_command_lacks_although_its_last_word_could_go_on() -> None:
    async with commanded("buy $20 no", size=(80, 24)) as (app, pilot, _, line):
        assert not shown_text(line.preview)[0].strip()
        await pilot.press("enter")
        await settle(pilot)
        assert app.screen is line
        assert "Enter a price in cents, or market" in shown_text(line.preview)[0]


async def test_an_order_in_the_other_outcome_shows_that_outcome() -> None:
    async with commanded("buy 100 no 39") as (_, pilot, market, _):
        await pilot.press("enter")
        await until(pilot, lambda: market.ticket.is_open, "the ticket")
        assert market.reader.outcome_index == 1
        assert market.ticket.draft.outcome_index == 1


async def test_a_problem_keeps_the_line_open_and_escape_leaves_it() -> None:
    async with commanded("buy 100 yes", size=(80, 24)) as (app, pilot, market, line):
        await pilot.press("enter")
        await settle(pilot)
        assert app.screen is line
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is market, "the market")
        assert not market.ticket.is_open


async def test_tab_completes_and_the_arrows_walk_through_what_was_typed() -> None:
    async with commanded("canc") as (app, pilot, _, line):
        await pilot.press("tab")
        await until(pilot, lambda: line.field.value == "cancel ", "the verb")
        await pilot.press("b", "tab")
        await until(pilot, lambda: line.field.value == "cancel bids ", "the scope")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MarketScreen), "the market")
        again = await _typed(pilot, app, "se")
        await pilot.press("up")
        await until(pilot, lambda: again.field.value == "cancel bids", "the command before")
        await pilot.press("down")
        await until(pilot, lambda: again.field.value == "se", "what was typed")


async def test_orders_at_a_price_are_cancelled() -> None:
    service = MovingMarket().service
    order = believable.order(2, price=0.39, size=50)
    service.account_view = replace(service.account_view, open_orders=(order,))
    async with commanded("cancel 39", service=service) as (_, pilot, _, _):
        await pilot.press("enter")
        await until(pilot, lambda: service.calls_of("cancel"), "the cancellation")
        assert service.calls_of("cancel")[0] == ((order.order_id,),)
        assert order.price == Micros(390_000)


async def test_a_search_is_begun_from_anywhere() -> None:
    async with commanded("find ether") as (app, pilot, _, _):
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MarketsScreen), "the list")
        front = app.screen
        assert isinstance(front, MarketsScreen)
        await until(pilot, lambda: front.search.value == "ether", "the text")


async def test_a_typed_price_takes_the_cursor_there_and_its_row_to_the_middle() -> None:
    app = _app(MovingMarket().service)
    async with app.run_test(size=(120, 36)) as pilot:
        market = await _in_market(pilot, app)
        await pilot.press("at")
        await until(pilot, lambda: isinstance(app.screen, CommandScreen), "the line")
        await pilot.press(*"71.5", "enter")
        await settle(pilot)
        assert isinstance(app.screen, CommandScreen)
        said = shown_text(app.screen.query_one("#preview", TextLine))[0]
        assert said.strip() == "^^^^^ Tick 1¢: 71¢ or 72¢"
        await pilot.press("backspace", "backspace", "enter")
        await until(pilot, lambda: app.screen is market, "the market")
        viewport, price = market.ladder.viewport, Micros(710_000)
        assert viewport.cursor == price
        middle = 1 + viewport.body_height // 2
        assert viewport.price_at_line(middle) == price


async def test_a_picked_up_order_is_taken_to_a_typed_price() -> None:
    service = MovingMarket().service
    order = believable.order(2, price=0.39, size=50)
    service.account_view = replace(service.account_view, open_orders=(order,))
    app = _app(service)
    async with app.run_test(size=(120, 36)) as pilot:
        market = await _in_market(pilot, app)
        market.ladder.point_at(Micros(390_000))
        await pilot.press("e", "at")
        await until(pilot, lambda: isinstance(app.screen, CommandScreen), "the line")
        await pilot.press(*"35", "enter")
        await until(pilot, lambda: app.screen is market, "the market")
        assert market.controls.moving.is_moving
        assert market.ladder.viewport.cursor == Micros(350_000)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("portfolio", PortfolioScreen), ("log", LogScreen), ("watch", WatchlistScreen),
     ("markets", MarketsScreen), ("alert", AlertForm)],
)  # fmt: skip
async def test_a_command_goes_places(text: str, kind: type[Screen[Any]]) -> None:
    async with commanded(text) as (app, pilot, _, _):
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, kind), "the screen")


async def test_a_stop_and_a_target_stand_in_their_form() -> None:
    async with commanded("target 61 stop 12.5") as (app, pilot, _, _):
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ProtectScreen), "the form")
        typed = {field.id: field.value for field in app.screen.query(NumberField)}
        assert (typed["protect-stop"], typed["protect-profit"]) == ("12.5", "61")


@pytest.mark.parametrize(
    ("text", "field"),
    [("alert 99", "alert-above"), ("alert 1", "alert-below"), ("alert spread >= 4", "alert-when")],
)
async def test_an_alert_stands_in_its_form(text: str, field: str) -> None:
    async with commanded(text) as (app, pilot, _, _):
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, AlertForm), "the form")
        entry = app.screen.query_one(f"#{field}", Input)
        await until(pilot, lambda: entry.value == text.removeprefix("alert "), "what was typed")


async def test_a_theme_is_chosen_by_name_and_an_unknown_one_is_said() -> None:
    app = _app(MovingMarket().service)
    async with app.run_test(size=(120, 36)) as pilot:
        market = await _in_market(pilot, app)
        before = app.theme
        _ = await _typed(pilot, app, "theme none")
        await pilot.press("enter")
        await until(pilot, lambda: market.message_line.current() is not None, "the answer")
        assert app.theme == before
        _ = await _typed(pilot, app, "theme nord")
        await pilot.press("enter")
        await until(pilot, lambda: app.theme == "nord", "the theme")


async def test_tab_on_a_word_that_is_none_says_so() -> None:
    app = _app(MovingMarket().service)
    async with app.run_test(size=(80, 24)) as pilot:
        line = await _typed(pilot, app, "zzz")
        await pilot.press("tab")
        await settle(pilot)
        said = shown_text(line.query_one("#preview", TextLine))[0]
        assert said.strip() == "No word begins with zzz"
        assert line.field.value == "zzz"


async def test_an_order_from_a_list_opens_the_market_of_the_row() -> None:
    app = _app(believable_service())
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, MarketsScreen), "the list")
        front = app.screen
        assert isinstance(front, MarketsScreen)
        await until(pilot, lambda: front.cursor_item().traded is not None, "a row")
        row = front.cursor_item().traded
        assert row is not None
        _ = await _typed(pilot, app, "buy 100 40")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MarketScreen), "the market")
        market = app.screen
        assert isinstance(market, MarketScreen)
        assert market.reader.condition_id == row[0].condition_id
