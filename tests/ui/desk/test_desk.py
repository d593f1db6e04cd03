from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from textual.pilot import Pilot
from textual.widget import Widget

from pmtui.domain.markets.market import Market, Side
from pmtui.domain.markets.venue_state import Evidence, VenueFact, VenueState
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import LimitIntent
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import BookTopic, EventQuotesTopic, EventTopic, MarketTopic
from pmtui.service.views import EventView, Load
from pmtui.ui.account.action_cards import FlattenCard
from pmtui.ui.app import PmtuiApp
from pmtui.ui.cells import Cell
from pmtui.ui.desk.desk import DeskScreen
from pmtui.ui.desk.desk_controls import paint_outcome
from pmtui.ui.event.event import EventScreen
from pmtui.ui.event.paint_event import set_facts
from pmtui.ui.theme.theme_files import load_themes
from pmtui.ui.ticket.confirm import ConfirmScreen
from tests.ui.demo import ScreenApp
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.look import shows, text_of
from tests.ui.rows.row_stage import ELECTION, agree, hold, tradable_service
from tests.ui.wait import settle, until

OPEN = tuple(m for m in ELECTION.markets if not m.closed)
WIDE = (120, 36)


def armed_service() -> FakeService:
    service = tradable_service()
    until_then = NOW + timedelta(minutes=5)
    service.status_view = replace(service.status_view, armed_until=until_then)
    return service


@asynccontextmanager
async def on_desk(
    service: FakeService, size: tuple[int, int] = WIDE
) -> AsyncIterator[tuple[ScreenApp, Pilot[None], DeskScreen]]:
    app = ScreenApp(DeskScreen(service.surface(), ELECTION.event_id))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: shows(app, OPEN[0].title), "the first ladder")
        screen = app.screen
        assert isinstance(screen, DeskScreen)
        await until(pilot, lambda: screen.controls.market is not None, "a market with the keys")
        await settle(pilot)
        yield app, pilot, screen


def keyed(screen: DeskScreen) -> object:
    market = screen.controls.market
    return market.condition_id if market is not None else None


def has_keys(screen: DeskScreen, market: Market) -> bool:
    return keyed(screen) == market.condition_id


async def test_as_many_ladders_stand_side_by_side_as_there_is_room_for() -> None:
    for width, count in ((80, 2), (120, 3), (200, 4)):
        service = tradable_service()
        async with on_desk(service, (width, 36)) as (_, _, screen):
            shown = [column.condition_id for column in screen.controls.shown]
            assert shown == [m.condition_id for m in OPEN][:count]
            watched = service.watched()
            assert all(BookTopic(m.token_ids[0]) in watched for m in OPEN[:count])
            assert all(BookTopic(m.token_ids[0]) not in watched for m in OPEN[count:])


async def test_w_on_an_outcome_opens_the_desk_with_the_keys_on_it() -> None:
    service = tradable_service()
    app = ScreenApp(EventScreen(service.surface(), ELECTION.event_id))
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: shows(app, OPEN[0].title), "the rows")
        await pilot.press("down", "W")
        await until(pilot, lambda: isinstance(app.screen, DeskScreen), "the desk")
        screen = app.screen
        assert isinstance(screen, DeskScreen)
        await until(pilot, lambda: keyed(screen) == OPEN[1].condition_id, "the keys")
        assert screen.focused is next(c.ladder for c in screen.controls.shown if c.number == 2)


async def test_the_desk_says_what_all_outcomes_cost_together_as_the_event_does() -> None:
    service = tradable_service()
    async with on_desk(service) as (app, pilot, _):
        assert EventQuotesTopic(ELECTION.event_id) in service.watched()
        quotes = service.view(EventQuotesTopic(ELECTION.event_id))
        (sums, *_) = set_facts(ELECTION, quotes, 0)
        words = "".join(cell.text for cell in sums)
        await until(pilot, lambda: words in text_of(app, "#heading"), words)


async def test_arrows_move_the_keys_and_bring_hidden_outcomes_into_sight() -> None:
    service = tradable_service()
    async with on_desk(service) as (app, pilot, screen):
        for market in (*OPEN[1:], OPEN[0]):
            await pilot.press("right")
            await until(pilot, partial(has_keys, screen, market), market.title)
            assert screen.focused in [column.ladder for column in screen.controls.shown]
            await until(pilot, partial(shows, app, market.title), "its ladder")
        await pilot.press("left")
        await until(pilot, lambda: keyed(screen) == OPEN[-1].condition_id, "around the end")


async def test_a_single_key_trades_the_ladder_that_has_the_keys_and_no_other() -> None:
    service = armed_service()
    async with on_desk(service) as (_, pilot, screen):
        await pilot.press("right")
        await until(pilot, lambda: keyed(screen) == OPEN[1].condition_id, "the second")
        await pilot.press("U")
        await until(pilot, lambda: service.calls_of("place"), "the order")
        service.at += timedelta(seconds=1)
        await pilot.press("tab")
        await until(pilot, lambda: keyed(screen) == OPEN[2].condition_id, "the third")
        await pilot.press("comma")
        await until(pilot, lambda: len(service.calls_of("place")) == 2, "the other order")
        orders = [order for (order, *_) in service.calls_of("place")]
        intents = [o.intent for o in orders if isinstance(o, PreparedOrder)]
        assert [i.token_id for i in intents] == [OPEN[1].token_ids[0], OPEN[2].token_ids[0]]
        assert isinstance(intents[1], LimitIntent)
        assert (intents[1].side, intents[1].is_post_only) == (Side.BUY, True)


async def test_going_to_another_ladder_closes_the_ticket_of_the_one_before() -> None:
    service = tradable_service()
    async with on_desk(service) as (_, pilot, screen):
        await pilot.press("b")
        await until(pilot, lambda: screen.ticket.is_open, "the ticket")
        assert screen.are_keys_locked
        # The ticket has the keys: an arrow moves in it.
        await pilot.press("U")
        assert not service.calls_of("place")
        screen.set_focus(screen.controls.shown[1].ladder)
        await until(pilot, lambda: not screen.ticket.is_open, "the ticket to close")
        assert keyed(screen) == OPEN[1].condition_id


async def test_flip_shows_no_of_every_outcome_and_flatten_sells_what_is_held_there() -> None:
    service = tradable_service()
    hold(service, OPEN[0], size=50, index=1)
    async with on_desk(service) as (app, pilot, screen):
        # On the ladder of Yes they are a short position.
        await until(pilot, lambda: shows(app, "-50"), "the position")
        await pilot.press("o")
        await until(pilot, lambda: BookTopic(OPEN[0].token_ids[1]) in service.watched(), "No")
        assert [column.token_id for column in screen.controls.shown] == [
            m.token_ids[1] for m in OPEN[:3]
        ]
        await until(pilot, lambda: shows(app, "+50"), "the position")
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, FlattenCard), "the card")
        await agree(app, pilot, service)
        ((order, _),) = service.calls_of("flatten")
        assert isinstance(order, PreparedOrder)
        assert order.intent.token_id == OPEN[0].token_ids[1]


async def test_an_outcome_that_closes_keeps_the_keys_from_every_other() -> None:
    service = armed_service()
    async with on_desk(service) as (app, pilot, screen):
        await pilot.press("right")
        await until(pilot, lambda: keyed(screen) == OPEN[1].condition_id, "the second")
        over = replace(OPEN[1], closed=True)
        markets = tuple(over if m == OPEN[1] else m for m in ELECTION.markets)
        service.events[ELECTION.event_id] = EventView(
            replace(ELECTION, markets=markets), Load.READY, NOW
        )
        assert OPEN[1].condition_id is not None
        view = service.markets[OPEN[1].condition_id]
        service.markets[OPEN[1].condition_id] = replace(view, market=over)
        service.announce(EventTopic(ELECTION.event_id))
        await settle(pilot)
        assert keyed(screen) == OPEN[1].condition_id
        await pilot.press("U")
        await until(pilot, lambda: "trading has ended" in text_of(app, "#notice"), "why not")
    assert not service.calls_of("place")


async def test_a_command_acts_on_the_ladder_that_has_the_keys() -> None:
    service = tradable_service()
    app = PmtuiApp(service.surface(), themes=load_themes()[0])
    async with app.run_test(size=WIDE) as pilot:
        await app.push_screen(DeskScreen(service.surface(), ELECTION.event_id))
        await until(pilot, lambda: shows(app, OPEN[0].title), "the first ladder")
        screen = app.screen
        assert isinstance(screen, DeskScreen)
        await settle(pilot)
        await pilot.press("right")
        await until(pilot, lambda: keyed(screen) == OPEN[1].condition_id, "the second")
        await pilot.press("at", *"17", "enter")
        await until(pilot, lambda: app.screen is screen, "the desk again")
        second = screen.controls.shown[1].ladder
        await until(pilot, lambda: second.viewport.cursor == Micros(170_000), "the cursor")
        await pilot.press("colon", *"buy 20 16", "enter")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen), "the card")
        assert screen.ticket.draft.price_text == "16"


async def test_the_desk_tells_what_armed_keys_do_and_escape_disarms_before_it_leaves() -> None:
    service = armed_service()
    async with on_desk(service) as (app, pilot, screen):
        await until(pilot, lambda: screen.has_class("-dials"), "the two lines of keys")
        assert shows(app, "5:00 left")
        assert shows(app, "ARMED 5 · 5:00")
        await pilot.press("escape")
        await until(pilot, lambda: service.calls_of("disarm"), "disarmed")
        assert service.calls_of("disarm") == [("",)]
        assert app.screen is screen


async def test_with_a_ticket_open_the_line_below_says_that_it_has_the_keys() -> None:
    service = tradable_service()
    async with on_desk(service) as (app, pilot, screen):
        assert " · Yes" in text_of(app, "#state")
        assert text_of(app, "#heading").rstrip().endswith((" left", "no end date"))
        # Not all of them fit.
        assert "(1-3 of 4 on show)" in text_of(app, "#state")
        await pilot.press("b")
        await until(pilot, lambda: "ticket has the keys" in text_of(app, "#state"), "it is said")
        assert "other ladders" not in text_of(app, "#state")
        await pilot.press("escape")
        await until(pilot, lambda: "other ladders" in text_of(app, "#state"), "the ladder's keys")
        assert not screen.ticket.is_open


async def test_w_on_the_desk_says_that_the_ladders_stand_there_already() -> None:
    service = tradable_service()
    async with on_desk(service) as (app, pilot, _):
        await pilot.press("W")
        await until(pilot, lambda: "side by side already" in text_of(app, "#notice"), "it is said")


async def test_a_paused_market_has_no_quote_in_its_title() -> None:
    service = tradable_service()
    async with on_desk(service) as (_, _, screen):
        column = screen.controls.shown[0]
        quote = "".join(cell.text for cell in column.title_line)
        assert "/" in quote
        assert column.condition_id is not None
        view = service.markets[column.condition_id]
        assert view.market is not None
        service.markets[column.condition_id] = replace(
            view, market=replace(view.market, accepting_orders=False)
        )
        screen.controls.show_columns()
        said = "".join(cell.text for cell in column.title_line)
        assert "paused" in said.lower()
        assert "/" not in said


def test_the_name_of_an_outcome_keeps_what_tells_it_apart_on_the_desk() -> None:
    names = ("No change", "Cut of 25 bps", "Rise of 25 bps or more", "Cut of 50 bps or more")
    held, touch = Cell("+143.05 "), Cell("30.3/30.4¢")

    def said(name: str, width: int) -> str:
        left, right = paint_outcome(2, name, names, ((held, touch), (held,)), width)
        return "".join(cell.text for cell in (*left, Cell(" | "), *right))

    assert said("Cut of 25 bps", 33) == "2 Cut of 25 bps | +143.05 30.3/30.4¢"
    assert said("Rise of 25 bps or more", 36) == "2 Rise of 25 bps… | +143.05 30.3/30.4¢"
    # Of what would read alike the touch makes way, which the rows show.
    assert said("Cut of 25 bps", 28) == "2 Cut of 25 bps | +143.05 "


@pytest.mark.parametrize("width", [50, 60, 66, 78])
async def test_on_a_narrow_desk_the_ticket_keeps_its_side_and_its_unit(width: int) -> None:
    service = tradable_service()
    async with on_desk(service, (width, 24)) as (_, pilot, screen):
        await pilot.press("b", "2", "5")
        await until(pilot, lambda: screen.ticket.is_open, "the ticket")
        await settle(pilot)
        for field, word in ((screen.ticket.side, "BUY"), (screen.ticket.unit, "shares")):
            region = field.region
            assert region.width >= len(word) + 1
            assert region.right <= width
            assert word in field.text


async def test_a_ticket_names_no_key_for_a_form_that_the_desk_has_no_room_for() -> None:
    service = tradable_service()
    async with on_desk(service, (80, 24)) as (app, pilot, screen):
        await pilot.press("b")
        await until(pilot, lambda: screen.ticket.is_open, "the ticket")
        await pilot.press(*"100")
        fact = VenueFact(VenueState.CANCEL_ONLY, Evidence.ANSWER, NOW)
        other = VenueFact(VenueState.POST_ONLY, Evidence.ANSWER, NOW)
        assert OPEN[0].condition_id is not None
        view = service.markets[OPEN[0].condition_id]
        service.markets[OPEN[0].condition_id] = replace(view, venue=(fact, other))
        service.announce(MarketTopic(OPEN[0].condition_id))
        await until(pilot, lambda: shows(app, "cancel-only"), "the warning")
        assert not shows(app, "shows all")


def is_traded(screen: DeskScreen, column: Widget) -> bool:
    return screen.traded_ladder is column


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
async def test_no_card_stands_over_the_ladder_that_is_traded(size: tuple[int, int]) -> None:
    service = tradable_service()
    service.status_view = replace(service.status_view, open_orders=1)
    async with on_desk(service, size) as (app, pilot, screen):
        for column in screen.controls.shown:
            column.ladder.focus()
            await until(pilot, partial(is_traded, screen, column), "the keys")
            await pilot.press("b", *"10")
            await settle(pilot)
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, ConfirmScreen), "the card")
            await settle(pilot)
            card = app.screen.query_one("#card").region
            assert not card.overlaps(column.region)
            for name in ("#status", "#heading", "#notice", "#footer"):
                assert not card.overlaps(screen.query_one(name).region), name
            await pilot.press("escape", "escape")
            await until(pilot, lambda: not screen.ticket.is_open, "the ladders")
