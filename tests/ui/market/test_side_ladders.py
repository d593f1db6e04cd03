from dataclasses import replace
from datetime import timedelta

import pytest
from textual.pilot import Pilot

from pmtui.config.workplace import Memory
from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.books.tape import TapeFilter
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Market
from pmtui.domain.money import Micros
from pmtui.service.topics import BookTopic
from pmtui.ui.app import PmtuiApp
from pmtui.ui.cells import Line
from pmtui.ui.desk.desk import DeskScreen
from pmtui.ui.ladder.ladder_columns import plan_columns
from pmtui.ui.ladder.side_ladder import SideLadder, paint_side_state
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.theme.theme_files import load_themes
from tests.scenes.world import World, make_world
from tests.ui.fake_surface import NOW
from tests.ui.look import screen_lines, text_of
from tests.ui.market.sibling_kit import HUGE, app_of, market_of, on_ada, opened
from tests.ui.market.test_whole_numbers import CUT
from tests.ui.stage import head_of, shown_text
from tests.ui.wait import settle, until

pytestmark = pytest.mark.no_cover

VAST = (250, 50)


def text_of_line(line: Line) -> str:
    return "".join(cell.text for cell in line)


def markets_of(world: World) -> tuple[Market, ...]:
    event = world.service.events[world.election].event
    assert event is not None
    return event.markets


async def side_by_side(pilot: Pilot[None], screen: MarketScreen, count: int) -> list[SideLadder]:
    await pilot.press("W")

    def shown() -> list[SideLadder]:
        return [
            s for s in screen.query(SideLadder) if s.display and s.ladder.viewport.top is not None
        ]

    await until(pilot, lambda: len(shown()) == count, "the ladders")
    await settle(pilot)
    return shown()


@pytest.mark.parametrize(("size", "count"), [((170, 32), 1), (HUGE, 2), (VAST, 3)])
async def test_the_next_outcomes_have_ladders_with_their_own_worth_and_touch(
    size: tuple[int, int], count: int
) -> None:
    world = make_world()
    async with on_ada(world, size) as (app, pilot, screen):
        sides = await side_by_side(pilot, screen, count)
        panes = [screen.ladder, *sides, screen.chart, screen.position, screen.orders, screen.tape]
        for number, pane in enumerate(panes):
            assert pane.region.area
            assert not any(pane.region.overlaps(other.region) for other in panes[:number])
        row = screen_lines(app)[sides[0].region.y]
        names = [m.title for m in markets_of(world)[2 : 2 + count]]
        assert [name for name in names if name in row] == names
        assert all(BookTopic(side.token_id) in world.service.watched() for side in sides
                   if side.token_id is not None)  # fmt: skip
        plans = [plan_columns(s.ladder.size.width, tick=Micros(10_000)) for s in sides]
        assert all(plan.bar >= 10 for plan in plans)
        token = sides[-1].token_id
        assert token is not None
        book = world.service.books[token]
        world.service.books[token] = replace(book, state=BookState.STALE, version=book.version + 1)
        world.service.announce(BookTopic(token))
        states = sides[0].region.y + 1
        await until(pilot, lambda: "stale" in screen_lines(app)[states], "one is stale")
        line = screen_lines(app)[states]
        assert line.count("stale") == 1
        assert "17¢ / 18¢" in line
        first = sides[0]
        corners = [
            screen_lines(app)[y][first.region.x] for y in (first.region.y, first.region.bottom - 1)
        ]
        assert corners == ["╭", "╰"]
        assert text_of_line(first.title_line).endswith(" Yes ─╮")
        assert any("17¢" in text for text in shown_text(sides[0].ladder))


async def test_a_click_on_a_ladder_makes_it_the_main_one() -> None:
    world = make_world()
    async with on_ada(world, VAST) as (_, pilot, screen):
        sides = await side_by_side(pilot, screen, 3)
        pointed_at = int(shown_text(sides[1].ladder)[7].split("¢")[0].split()[-1])
        assert await pilot.click(offset=(sides[1].region.x + 5, sides[1].region.y + 9), times=2)
        await settle(pilot)
        # A double click goes there once, and not on to what comes next in that place.
        assert screen.reader.condition_id == market_of(world, "Ruth Castellan")
        assert screen.ladder.cursor is not None
        assert screen.ladder.cursor[0] == pointed_at * 10_000
        assert screen.focused is screen.ladder
        tokens = [m.outcomes[0].token_id for m in markets_of(world)]
        assert [side.token_id for side in screen.query(SideLadder)] == tokens[4:7]
        await pilot.press("o")
        await settle(pilot)
        assert [side.token_id for side in screen.query(SideLadder)] == [
            m.outcomes[1].token_id for m in markets_of(world)[4:7]
        ]
        await pilot.press("W")
        await settle(pilot)
        watched = {t.token_id for t in world.service.watched() if isinstance(t, BookTopic)}
        assert watched == {screen.reader.token_id}


async def test_tab_and_a_key_reach_every_ladder_and_enter_goes_to_its_price() -> None:
    world = make_world()
    async with on_ada(world, VAST) as (app, pilot, screen):
        sides = await side_by_side(pilot, screen, 3)
        for key in ("tab", "f4"):
            screen.ladder.focus()
            for side in sides:
                await pilot.press(key)
                await settle(pilot)
                assert screen.focused is side.ladder
                assert text_of_line(side.title_line).startswith("╭■")
        screen.ladder.focus()
        screen.ladder.point_at(Micros(300_000))
        await pilot.press("f4", "f4", "up", "up")
        await settle(pilot)
        # The main cursor stays, and what would trade at it waits.
        assert screen.ladder.cursor is not None
        assert screen.ladder.cursor[0] == 300_000
        cursor = sides[1].ladder.cursor
        assert cursor is not None
        assert "Go there" in screen_lines(app)[-1]
        assert screen_lines(app)[-1].count("enter") == 1
        assert await pressed_in_vain(pilot, screen, ("b", "x", "B", "e"))
        assert "enter makes this one main, f5 goes back" in text_of(app, "#notice")
        await pilot.press("enter")
        await settle(pilot)
        assert screen.reader.condition_id == market_of(world, "Ruth Castellan")
        assert screen.ladder.cursor is not None
        assert screen.ladder.cursor[0] == cursor[0]
        assert screen.focused is screen.ladder
        assert all(side.ladder.cursor is None for side in sides)
        await pilot.press("W", "f4")
        assert "W shows them on a wide screen" in text_of(app, "#notice")


async def pressed_in_vain(pilot: Pilot[None], screen: MarketScreen, keys: tuple[str, ...]) -> bool:
    await pilot.press(*keys)
    await settle(pilot)
    return not (screen.ticket.is_open or screen.controls.moving.is_moving)


async def test_keys_act_on_the_main_ladder_alone() -> None:
    world = make_world()
    async with on_ada(world, VAST) as (_, pilot, screen):
        await side_by_side(pilot, screen, 3)
        await pilot.press("b")
        await until(pilot, lambda: screen.ticket.is_open, "the ticket opens")
        await settle(pilot)
        assert screen.ticket.price.value == "25"
        assert screen.ticket.size.height >= 9
        assert screen.ticket.size.width >= 30


@pytest.mark.parametrize(
    ("tick", "said"),
    [(10_000, "51¢ / 52¢ "), (1_000, "51.0¢ / 52.0¢ "), (100, "51.00¢ / 52.00¢ ")],
)
def test_a_side_ladder_tells_its_touch_at_every_tick(tick: int, said: str) -> None:
    bids, asks = ((Level(Micros(price), Micros(10**8)),) for price in (510_000, 520_000))
    book = BookView(TokenId("1"), BookState.VERIFIED, bids, asks, Micros(tick), as_of=NOW)
    text = "".join(cell.text for cell in paint_side_state(book, NOW, 29))
    assert text.startswith(" verified ")
    assert text.endswith(said)
    assert len(text) == 29


@pytest.mark.parametrize("state", BookState)
@pytest.mark.parametrize("tick", [10_000, 1_000, 100])
def test_the_heads_of_side_ladders_read_alike_in_every_state(state: BookState, tick: int) -> None:
    level, old = (Level(Micros(520_000), Micros(10**8)),), NOW - timedelta(minutes=59)
    book = BookView(TokenId("1"), state, (), level, Micros(tick), as_of=old)
    text = "".join(cell.text for cell in paint_side_state(book, NOW, 29))
    assert len(text) == 29
    assert text.startswith(f" {state.words}")
    is_known = state not in (BookState.LOADING, BookState.NO_BOOK)
    assert ("no bid / 52" in text) == is_known


async def test_ladders_that_come_take_back_that_there_are_none() -> None:
    world = make_world()
    async with on_ada(world, VAST) as (app, pilot, _):
        await pilot.press("f4")
        assert "No side ladders" in text_of(app, "#notice")
        await pilot.press("W")
        await until(
            pilot, lambda: "No side ladders" not in text_of(app, "#notice"), "it is taken back"
        )


async def test_where_it_is_narrow_the_desk_opens_with_the_keys_on_the_market() -> None:
    world = make_world()
    app = app_of(world)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot, world.strike)
        await pilot.press("W")
        assert "no other open market" in text_of(app, "#notice")
        ruth = market_of(world, "Ruth Castellan")
        screen = await opened(app, pilot, ruth)
        await pilot.press("W")
        await until(pilot, lambda: isinstance(app.screen, DeskScreen), "the desk")
        desk = app.screen
        assert isinstance(desk, DeskScreen)
        await until(pilot, lambda: desk.controls.market is not None, "its ladders")
        assert desk.controls.market is not None
        assert desk.controls.market.condition_id == ruth
        assert not screen.has_class("-sides")


async def test_on_a_screen_that_became_narrow_there_are_none_and_nothing_is_heard_for_them() -> (
    None
):
    world = make_world()
    async with on_ada(world, VAST) as (_, pilot, screen):
        await side_by_side(pilot, screen, 3)
        await pilot.resize_terminal(120, 36)
        await settle(pilot)
        assert not screen.sides.display
        watched = {t.token_id for t in world.service.watched() if isinstance(t, BookTopic)}
        assert watched == {screen.reader.token_id}


@pytest.mark.parametrize("width", [170, 175, 199, 200, 202])
async def test_beside_other_ladders_the_trades_keep_their_sizes_and_times(width: int) -> None:
    world = make_world()
    async with on_ada(world, (width, 50)) as (_, pilot, screen):
        await side_by_side(pilot, screen, 2 if width >= 199 else 1)
        trades = [text for text in shown_text(screen.tape)[1:] if text.strip()]
        assert trades
        assert all(text.count(":") == 2 for text in trades)
        await pilot.press("b")
        await until(pilot, lambda: screen.ticket.is_open, "the ticket opens")
        await settle(pilot)
        assert screen.ticket.size.width >= 30
        assert screen.orders.size.height >= 2
        await pilot.press("escape")
        await until(pilot, lambda: not screen.ticket.is_open, "the ticket is closed")
        await settle(pilot)
        assert screen.tape.size.width >= 20
        assert not any("…" in text for text in shown_text(screen.tape))
        screen.tape.focus()
        await pilot.press("n", "n", "n")
        await settle(pilot)
        assert "10,000+ and mine" in head_of(screen.tape)


@pytest.mark.parametrize(
    "widths",
    [
        (202, 201, 200, 199, 175, 171, 170, 169),
        (122, 119, 118, 111, 110, 109),
        (84, 80, 79, 78, 44),
    ],
)
async def test_no_number_on_the_screen_is_cut_at_odd_sizes(widths: tuple[int, ...]) -> None:
    world = make_world()
    async with on_ada(world, VAST) as (app, pilot, screen):
        await side_by_side(pilot, screen, 3)
        for width in widths:
            await pilot.resize_terminal(width, 24 if width < 100 else 36)
            await settle(pilot)
            shown = screen_lines(app)
            assert "PAPER" in shown[0]
            assert [line for line in shown if CUT.search(line)] == []


async def test_side_ladders_and_the_filter_of_the_tape_come_back() -> None:
    world, memory = make_world(), Memory()
    surface = replace(world.service.surface(), memory=memory)
    for keys, count in ((("W", "n"), 3), ((), 3), (("W",), 0)):
        app = PmtuiApp(surface, themes=load_themes()[0])
        async with app.run_test(size=VAST) as pilot:
            screen = await opened(app, pilot, market_of(world, "Ada Lindqvist"))
            await pilot.press(*keys)
            await settle(pilot)
            shown = [side for side in screen.query(SideLadder) if side.ladder.region.area]
            assert len(shown) == count
            assert screen.tape.wanted is TapeFilter.HUNDRED


async def test_side_ladders_that_were_left_wait_for_room_and_for_outcomes() -> None:
    world, memory = make_world(), Memory()
    memory.keep_sides(has_sides=True)
    surface = replace(world.service.surface(), memory=memory)
    app = PmtuiApp(surface, themes=load_themes()[0])
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot, market_of(world, "Ada Lindqvist"))
        assert not screen.query(SideLadder)
        await pilot.resize_terminal(*VAST)
        await until(pilot, lambda: len(screen.query(SideLadder)) == 3, "the ladders")
        await settle(pilot)
        assert all(side.ladder.region.area for side in screen.query(SideLadder))
        await pilot.resize_terminal(120, 36)
        await settle(pilot)
        assert not any(side.ladder.region.area for side in screen.query(SideLadder))
        assert screen.chart.region.area
