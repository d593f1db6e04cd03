from dataclasses import replace
from datetime import timedelta

import pytest

from pmtui.domain.ids import ConditionId
from pmtui.domain.money import Micros
from pmtui.service.topics import BookTopic, EventQuotesTopic, EventTopic, MarketTopic, StatusTopic
from pmtui.service.views import Load, MarketView
from pmtui.ui.widgets.text_line import TextLine
from tests.scenes.world import make_world
from tests.ui.look import screen_lines, text_of
from tests.ui.market.sibling_kit import HUGE, SMALL, TALL, app_of, market_of, on_ada, opened
from tests.ui.recording_driver import RecordingDriver
from tests.ui.stage import shown_text
from tests.ui.wait import settle, until

pytestmark = pytest.mark.no_cover


async def test_a_tall_screen_shows_the_outcomes_with_live_prices_and_marks_its_own() -> None:
    world = make_world()
    async with on_ada(world) as (app, pilot, screen):
        strip = text_of(app, "#siblings")
        assert strip.startswith(" Outcome 2 of 8 ")
        assert "[Ada Lindqvist  24.5¢]" in strip
        assert " Xavier Marchetti  28.5¢ " in strip
        assert strip.rstrip().endswith("›")
        watched = world.service.watched()
        assert {EventTopic(world.election), EventQuotesTopic(world.election)} <= watched
        await pilot.press("o")
        await settle(pilot)
        assert "Xavier Marchetti  71.5¢" in text_of(app, "#siblings")
        assert screen.reader.outcome_index == 1


async def test_the_outcome_on_show_has_the_mid_of_its_book_in_the_same_picture() -> None:
    world = make_world()
    async with on_ada(world) as (app, pilot, screen):
        service, token_id = world.service, screen.reader.token_id
        assert token_id is not None
        quotes = service.quotes[world.election]
        rows = tuple(
            replace(row, best_bid=Micros(220_000)) if row.best_bid == 240_000 else row
            for row in quotes.rows
        )
        assert rows != quotes.rows
        service.quotes[world.election] = replace(quotes, rows=rows)
        book = service.books[token_id]
        bids = tuple(level for level in book.bids if level.price <= 220_000)
        service.books[token_id] = replace(book, bids=bids, version=book.version + 1)
        # Of the book alone: what is told of the event comes later.
        service.announce(BookTopic(token_id))
        await settle(pilot)
        assert "mid 23.5¢" in text_of(app, "#quote")
        assert "[Ada Lindqvist  23.5¢]" in text_of(app, "#siblings")


async def test_a_price_that_is_not_live_is_not_shown() -> None:
    world = make_world()
    quotes = world.service.quotes[world.election]
    rows = tuple(replace(row, is_live=row.best_bid == 280_000) for row in quotes.rows)
    world.service.quotes[world.election] = replace(quotes, rows=rows)
    async with on_ada(world) as (app, _, _):
        assert "Xavier Marchetti  28.5¢" in text_of(app, "#siblings")
        assert "Tomas Oyelaran      -" in text_of(app, "#siblings")


async def test_a_big_event_is_named_but_not_streamed() -> None:
    world = make_world()
    view = world.service.events[world.election]
    assert view.event is not None
    more = tuple(
        replace(view.event.markets[-1], condition_id=ConditionId(f"0x{n:064x}"))
        for n in range(9_000, 9_005)
    )
    event = replace(view.event, markets=(*view.event.markets, *more))
    world.service.events[world.election] = replace(view, event=event)
    async with on_ada(world) as (app, _, _):
        assert text_of(app, "#siblings").startswith(" Outcome 2 of 13 ")
        assert EventQuotesTopic(world.election) not in world.service.watched()


async def test_a_small_screen_has_the_keys_without_the_line_or_its_topics() -> None:
    world = make_world()
    async with on_ada(world, SMALL) as (app, pilot, screen):
        assert not screen.query_one("#siblings").display
        assert not {EventTopic(world.election), EventQuotesTopic(world.election)} & (
            world.service.watched()
        )
        await pilot.press("right")
        assert screen.reader.condition_id == market_of(world, "Tomas Oyelaran")
        assert "Outcome 3 of 8: Tomas Oyelaran." in text_of(app, "#notice")
        await pilot.press("left", "left", "left")
        assert screen.reader.condition_id == market_of(world, "Somebody else")
        assert len(app.screen_stack) == 2


async def test_nothing_of_the_market_before_stays_on_the_screen() -> None:
    world = make_world()
    app = app_of(world)
    async with app.run_test(size=HUGE) as pilot:
        ada, tomas = market_of(world, "Ada Lindqvist"), market_of(world, "Tomas Oyelaran")
        screen = await opened(app, pilot, ada)
        old = screen.reader.token_id
        assert old is not None
        screen.ladder.point_at(Micros(240_000))
        await pilot.press("b")
        await until(pilot, lambda: screen.ticket.is_open, "the ticket opens")
        screen.ladder.focus()
        await pilot.press("d")
        await until(pilot, lambda: "↑24¢" in shown_text(screen.depth)[-1], "the depth")
        view = world.service.markets[tomas]
        world.service.markets[tomas] = MarketView(None, None, Load.LOADING, None)
        await pilot.press("right")
        await settle(pilot)
        assert not screen.ticket.is_open
        assert "Its ticket is closed" in text_of(app, "#notice")
        assert screen.ladder.cursor is None
        assert not any("¢" in row for row in shown_text(screen.tape))
        assert not any("240" in row for row in shown_text(screen.ladder))
        assert "Loading the book" in shown_text(screen.depth)[0]
        assert "¢" not in text_of(app, "#quote")
        assert BookTopic(old) not in world.service.watched()
        world.service.markets[tomas] = view
        world.service.announce(MarketTopic(tomas))
        await settle(pilot)
        token = screen.reader.token_id
        assert token is not None
        assert token != old
        assert BookTopic(token) in world.service.watched()
        assert "bid 17¢  ask 18¢" in text_of(app, "#quote")
        assert any("17¢" in row for row in shown_text(screen.ladder))


async def test_a_click_on_a_name_goes_there() -> None:
    world = make_world()
    async with on_ada(world) as (app, pilot, screen):
        strip = screen.query_one("#siblings", TextLine)
        y = strip.region.y
        x = screen_lines(app)[y].index("Oyelaran")
        assert await pilot.click(offset=(x, y))
        await settle(pilot)
        assert screen.reader.condition_id == market_of(world, "Tomas Oyelaran")


async def test_a_market_alone_says_that_there_is_no_other() -> None:
    world = make_world()
    app = app_of(world)
    async with app.run_test(size=TALL) as pilot:
        screen = await opened(app, pilot, world.strike)
        assert not screen.query_one("#siblings").display
        await pilot.press("right")
        assert "no other open market" in text_of(app, "#notice")


@pytest.mark.parametrize("size", [SMALL, TALL, HUGE])
async def test_hopping_over_a_resting_order_drops_what_was_picked_up(
    size: tuple[int, int],
) -> None:
    world = make_world()
    async with on_ada(world, size) as (_, pilot, screen):
        orders = [
            o
            for o in world.service.account_view.open_orders
            if o.condition_id == screen.reader.condition_id and o.token_id == screen.reader.token_id
        ]
        screen.ladder.point_at(orders[0].price)
        await pilot.press("e")
        assert screen.controls.moving.is_moving
        await pilot.press("right")
        assert not screen.controls.moving.is_moving


async def test_going_to_another_market_disarms_single_keys() -> None:
    world = make_world()
    async with on_ada(world) as (_, pilot, screen):
        first, service = screen.reader.condition_id, world.service
        until_then = service.now() + timedelta(minutes=1)
        service.status_view = replace(service.status_view, armed_until=until_then)
        service.announce(StatusTopic())
        await settle(pilot)
        assert not service.calls_of("disarm")
        await pilot.press("right")
        await until(pilot, lambda: screen.reader.condition_id != first, "the next outcome")
        assert len(service.calls_of("disarm")) == 1


async def test_a_screen_where_nothing_changes_writes_nothing() -> None:
    world = make_world()
    app = app_of(world)
    app.driver_class = RecordingDriver
    async with app.run_test(headless=False, size=HUGE) as pilot:
        screen = await opened(app, pilot, market_of(world, "Ada Lindqvist"))
        await pilot.press("W", "d", "f6")
        await until(pilot, lambda: screen.depth.region.area, "the depth")
        await settle(pilot)
        driver = app._driver
        assert isinstance(driver, RecordingDriver)
        driver.frames.clear()
        for topic in screen.topics():
            world.service.announce(topic)
        world.service.announce(StatusTopic())
        await settle(pilot)
        assert not driver.frames
