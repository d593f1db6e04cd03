from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import combinations

import pytest
from textual.geometry import Region
from textual.pilot import Pilot

from pmtui.domain.ids import OrderId
from pmtui.domain.markets.history import Interval
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import OrderStatus
from pmtui.service.topics import AccountTopic, BookTopic, HistoryTopic, StatusTopic, Topic
from pmtui.ui.format import format_money, format_size_compact
from pmtui.ui.market.market import MarketScreen
from tests.ui import believable
from tests.ui.demo_market import MarketDemo
from tests.ui.look import text_of
from tests.ui.market.market_kit import LARGE, MIDDLE, SMALL, line, on_market, opened
from tests.ui.moving_market import NO, YES
from tests.ui.stage import head_of, shown_text
from tests.ui.wait import settle, until

CENT = 10_000


def cents(number: int) -> Micros:
    return Micros(number * CENT)


def marked(screen: MarketScreen) -> list[str]:
    """The panes that are marked as the one with the keys, by a sign and not by colour."""
    panes = {
        "ladder": screen.ladder, "orders": screen.orders, "tape": screen.tape,
        "chart": screen.chart, "depth": screen.depth,
    }  # fmt: skip
    return [name for name, pane in panes.items() if pane.region.area and "■" in head_of(pane)[:2]]


def is_marked(screen: MarketScreen, name: str) -> bool:
    return marked(screen) == [name]


@pytest.mark.parametrize("topic", [BookTopic(YES), StatusTopic(), AccountTopic()])
async def test_the_status_line_and_the_position_show_the_prices_of_one_moment(topic: Topic) -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        screen, service = await opened(app, pilot), app.market.service
        held = next(p for p in service.account_view.positions if p.token_id == YES)
        dearer = replace(held, current_price=Micros(held.average_price + 10 * CENT))
        service.account_view = replace(service.account_view, positions=(dearer,))
        service.status_view = replace(service.status_view, portfolio_value=Micros(12_345_670_000))
        service.announce(topic)
        await until(pilot, lambda: "$12,345.67" in text_of(app, "#status"), "the equity")
        assert dearer.value is not None
        assert format_money(dearer.value) in " ".join(shown_text(screen.position))


@pytest.mark.parametrize("size", [SMALL, MIDDLE, LARGE, (100, 30), (160, 45)])
async def test_every_pane_has_a_key_and_shows_that_it_has_the_focus(size: tuple[int, int]) -> None:
    async with on_market(size) as (app, pilot, screen):
        assert marked(screen) == ["ladder"]
        for key, name in (("f6", "orders"), ("f7", "tape"), ("f5", "ladder")):
            await pilot.press(key)
            await until(pilot, partial(is_marked, screen, name), name)
        await pilot.press("f8")
        await settle(pilot)
        if size[0] >= 110:
            assert marked(screen) == ["chart"]
        else:
            assert "No room for the chart" in text_of(app, "#notice")
        await pilot.press("f9")
        await settle(pilot)
        assert "No ticket is open: b buys, s sells." in text_of(app, "#notice")
        await pilot.press("f5", "b")
        await until(pilot, lambda: screen.ticket.is_open, "the ticket opens")
        await pilot.press("escape")
        await until(pilot, lambda: not screen.ticket.is_open, "it closes")
        await pilot.press("s")
        await until(pilot, lambda: screen.ticket.is_open, "the ticket opens again")
        screen.ladder.focus()
        await pilot.press("f9")
        assert screen.focused is screen.ticket.size_field


@pytest.mark.parametrize("size", [SMALL, MIDDLE, LARGE])
async def test_tab_goes_round_every_pane_on_show(size: tuple[int, int]) -> None:
    async with on_market(size) as (_, pilot, screen):
        seen = set()
        for _ in range(6):
            await pilot.press("tab")
            await settle(pilot)
            seen |= set(marked(screen))
        charts: dict[tuple[int, int], set[str]] = {
            SMALL: set(),
            MIDDLE: {"chart"},
            LARGE: {"chart", "depth"},
        }
        assert seen == {"ladder", "orders", "tape"} | charts[size]


async def test_a_large_screen_has_room_for_both_charts() -> None:
    async with on_market(LARGE) as (app, pilot, screen):
        screen.ladder.point_at(cents(49))
        await until(pilot, lambda: "DEPTH 10¢" in head_of(screen.depth), "the depth")
        await until(pilot, lambda: "↑49¢" in "".join(shown_text(screen.depth)[-1:]), "the cursor")
        panes = (screen.ladder, screen.chart, screen.depth, screen.tape, screen.orders)
        for one, other in combinations(panes, 2):
            assert one.region.area
            assert not one.region.overlaps(other.region)
        assert HistoryTopic(YES, Interval.DAY) in app.market.service.watched()
        # The key says which of them is meant, and both stay.
        await pilot.press("d")
        await until(pilot, lambda: screen.focused is screen.depth, "the depth has the keys")
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: "DEPTH 20¢" in head_of(screen.depth), "farther")
        await pilot.press("d")
        await until(pilot, lambda: screen.focused is screen.chart, "the prices have the keys")
        await pilot.press("right_square_bracket")
        week = HistoryTopic(YES, Interval.WEEK)
        await until(pilot, lambda: week in app.market.service.watched(), "a longer time")
        await pilot.resize_terminal(*MIDDLE)
        await until(pilot, lambda: not screen.depth.region.area, "one chart on a smaller screen")
        assert screen.chart.region.area


@pytest.mark.parametrize("size", [SMALL, MIDDLE, (180, 50)])
async def test_depth_takes_the_place_of_the_chart_or_of_the_trades(size: tuple[int, int]) -> None:
    async with on_market(size) as (app, pilot, screen):
        service = app.market.service
        screen.ladder.point_at(cents(49))
        gone = screen.chart if size[0] >= 110 else screen.tape
        await pilot.press("d")
        await until(pilot, lambda: not gone.region.area, "it gives way")
        for pane in (screen.ladder, screen.position, screen.orders):
            assert pane.region.area
            assert not pane.region.overlaps(screen.depth.region)
        await until(pilot, lambda: "DEPTH 10¢" in head_of(screen.depth), "it is painted")
        text = shown_text(screen.depth)
        below = sum(b.size for b in service.books[YES].bids if b.price >= cents(49))
        assert f" {format_size_compact(Micros(below)).strip()} bid down to 49¢" in head_of(
            screen.depth
        )
        assert "↑49¢" in text[-1]
        assert HistoryTopic(YES, Interval.DAY) not in service.watched()
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: "DEPTH 20¢" in head_of(screen.depth), "farther")
        await pilot.press("right_square_bracket", "right_square_bracket")
        assert "Already the whole book." in text_of(app, "#notice")
        await pilot.press("d")
        await until(pilot, lambda: not screen.depth.region.area, "it is gone")
        watches = HistoryTopic(YES, Interval.DAY) in service.watched()
        assert watches == (size[0] >= 110)


async def test_depth_says_when_its_book_is_not_good() -> None:
    async with on_market(MIDDLE) as (app, pilot, screen):
        await pilot.press("d")
        await settle(pilot)
        book = app.market.service.books[YES]
        app.market.service.books[YES] = replace(book, state=book.state.STALE, version=99)
        app.market.service.announce(BookTopic(YES))
        await until(pilot, lambda: "stale" in head_of(screen.depth), "it says so")


async def test_the_cursor_of_the_ladder_is_a_line_on_the_price_chart() -> None:
    async with on_market(MIDDLE) as (_, pilot, screen):
        await until(pilot, lambda: screen.chart.is_drawn, "the chart is drawn")
        screen.ladder.point_at(cents(50))

        def lines() -> list[str]:
            return [row for row in shown_text(screen.chart) if "──" in row]

        await until(pilot, lines, "the line")
        assert len(lines()) == 1
        assert lines()[0].strip().endswith("50.0¢")
        screen.ladder.point_at(cents(2))
        await until(pilot, lambda: not lines(), "no line out of sight")
        assert "cursor 2.0¢ below" in head_of(screen.chart)
        screen.ladder.clear_cursor()
        await until(pilot, lambda: "cursor" not in head_of(screen.chart), "no cursor")


async def chosen(pilot: Pilot[None], screen: MarketScreen, *keys: str) -> None:
    await pilot.press("f6", *keys)
    await settle(pilot)


async def test_trades_get_the_room_of_own_panes_until_there_is_something_of_ours() -> None:
    app = MarketDemo(0)
    service = app.market.service
    known = service.account_view
    service.account_view = replace(known, open_orders=(), positions=(), conditionals=())
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(app, pilot)
        await until(pilot, lambda: screen.orders.size.height == 1, "no room for nothing")
        least, rows = screen.position.size.height, screen.tape.size.height
        assert least == 2
        service.account_view = replace(known, conditionals=())
        service.announce(AccountTopic())
        await until(pilot, lambda: screen.orders.size.height > 4, "room for the orders")
        assert screen.tape.size.height < rows
        assert screen.position.size.height == least
        heights = screen.orders.size.height, screen.position.size.height
        service.account_view = replace(known, open_orders=(), positions=(), conditionals=())
        service.announce(AccountTopic())
        await settle(pilot)
        # What has grown stays: a cancelled order moves nothing.
        assert (screen.orders.size.height, screen.position.size.height) == heights


@pytest.mark.parametrize("size", [(120, 30), MIDDLE, (120, 60), (170, 45), LARGE])
async def test_nothing_moves_as_orders_and_a_position_come_until_they_are_many(
    size: tuple[int, int],
) -> None:
    app = MarketDemo(0)
    service = app.market.service
    known = replace(service.account_view, conditionals=())
    (order,) = known.open_orders[:1]
    orders = tuple(replace(order, order_id=OrderId(f"{n}")) for n in range(6))
    service.account_view = replace(known, open_orders=(), positions=())
    async with app.run_test(size=size) as pilot:
        screen = await opened(app, pilot)
        panes = (screen.ladder, screen.chart, screen.position, screen.orders, screen.tape)

        async def regions(number: int) -> list[Region]:
            service.account_view = replace(known, open_orders=orders[:number])
            service.announce(AccountTopic())
            await settle(pilot)
            return [pane.region for pane in panes]

        before = [pane.region for pane in panes]
        assert screen.chart.size.height > screen.orders.size.height
        assert [await regions(number) for number in (1, 3, 0)] == [before] * 3
        grown = await regions(6)
        assert sum(row.strip().startswith("B ") for row in shown_text(screen.orders)) == 6
        # The ladder never moves, and what has grown stays.
        assert grown[0] == before[0]
        assert await regions(1) == grown


@pytest.mark.parametrize("size", [SMALL, (100, 30), MIDDLE, LARGE])
async def test_the_gain_above_the_position_always_states_its_basis(size: tuple[int, int]) -> None:
    # Today and exit count fees and the spread: without its basis it would contradict them.
    async with on_market(size) as (_, _, screen):
        assert " +$" in line(screen, "position-panel")
        assert line(screen, "position-panel").rstrip(" ─╮").endswith("mid")


async def test_an_order_chosen_in_the_list_is_cancelled_alone() -> None:
    async with on_market(MIDDLE) as (app, pilot, screen):
        service = app.market.service
        twin = believable.order(9, 2, price=0.47, size=10)
        service.account_view = replace(
            service.account_view, open_orders=(*service.account_view.open_orders, twin)
        )
        service.announce(AccountTopic())
        screen.ladder.point_at(cents(47))
        await settle(pilot)
        titles, *rows = shown_text(screen.orders)[:6]
        assert titles.split()[:2] == ["Open", "Price"]
        prices = [text.split()[2] for text in rows]
        assert prices == ["60", "57", "49", "47", "47"]
        await chosen(pilot, screen, "down", "down", "down")
        order = screen.orders.selected
        assert order is service.account_view.open_orders[1]
        assert shown_text(screen.orders)[4].startswith("▸")
        # This list is too narrow for columns of both.
        told = f"{order.time_in_force.value}  age "
        assert sum(told in line for line in shown_text(screen.orders)) == 1
        await pilot.press("x")
        assert service.calls_of("cancel") == [((order.order_id,),)]
        rest = tuple(o for o in service.account_view.open_orders if o is not order)
        service.account_view = replace(service.account_view, open_orders=rest)
        service.announce(AccountTopic())
        await settle(pilot)
        await pilot.press("x")
        assert len(service.calls_of("cancel")) == 1
        assert "has ended" in text_of(app, "#notice")
        await pilot.press("down", "x")
        assert len(service.calls_of("cancel")) == 2


async def test_an_order_chosen_in_the_list_is_moved_or_shown_on_the_ladder() -> None:
    async with on_market(MIDDLE) as (_, pilot, screen):
        await chosen(pilot, screen, "down")
        order = screen.orders.selected
        assert order is not None
        assert order.status is OrderStatus.LIVE
        await pilot.press("enter")
        await until(pilot, lambda: screen.focused is screen.ladder, "the ladder has the keys")
        assert screen.ladder.cursor is not None
        assert screen.ladder.cursor[0] == order.price
        await chosen(pilot, screen, "e")
        assert screen.controls.moving.is_moving
        assert screen.focused is screen.ladder


async def test_an_order_of_the_other_outcome_is_not_mistaken_for_one_of_this() -> None:
    async with on_market(MIDDLE) as (app, pilot, screen):
        service = app.market.service
        other = replace(believable.order(9, 2, price=0.47, size=10), token_id=NO, outcome="No")
        service.account_view = replace(service.account_view, open_orders=(other,))
        service.announce(AccountTopic())
        screen.ladder.point_at(cents(30))
        await chosen(pilot, screen, "e")
        assert not screen.controls.moving.is_moving
        assert "flip to see it" in text_of(app, "#notice")
        assert screen.ladder.cursor is not None
        assert screen.ladder.cursor[0] == cents(30)


async def test_trades_looked_back_at_stand_still_and_say_what_is_newer() -> None:
    async with on_market(MIDDLE) as (app, pilot, screen):
        await pilot.press("f7", "down", "down")
        await settle(pilot)
        before = shown_text(screen.tape)
        assert "2 newer above" in head_of(screen.tape)
        for _ in range(40):
            app.market.step()
        app.market.publish()
        await until(pilot, lambda: "2 newer" not in head_of(screen.tape), "more are newer")
        assert shown_text(screen.tape) == before
        await pilot.press("home")
        await until(pilot, lambda: "newer" not in head_of(screen.tape), "the newest")


async def test_keys_never_go_to_a_pane_out_of_sight() -> None:
    async with on_market(MIDDLE) as (_, pilot, screen):
        await pilot.press("f8")
        await pilot.resize_terminal(*SMALL)
        await until(pilot, lambda: screen.focused is not screen.chart, "others have them")
        await until(pilot, lambda: len(marked(screen)) == 1, "and are marked")
        screen.set_focus(None)
        await until(pilot, lambda: screen.focused is screen.ladder, "the ladder has them")


@pytest.mark.parametrize("key", ["f6", "f7", "f8"])
async def test_escape_goes_back_to_the_ladder_before_it_leaves(key: str) -> None:
    async with on_market(MIDDLE) as (app, pilot, screen):
        await pilot.press(key)
        await until(pilot, lambda: screen.focused is not screen.ladder, "others have the keys")
        await pilot.press("escape")
        await until(pilot, lambda: screen.focused is screen.ladder, "the ladder has them")
        assert app.screen is screen
        assert not screen.check_action("perform", ("drop_order",))


async def test_ages_of_own_orders_move_on_while_the_book_stands_still() -> None:
    async with on_market(LARGE) as (app, pilot, screen):
        assert any("5m" in line for line in shown_text(screen.orders))
        service = app.market.service
        service.at += timedelta(minutes=2)
        service.announce(StatusTopic())
        await until(
            pilot, lambda: any("7m" in line for line in shown_text(screen.orders)), "they age"
        )
