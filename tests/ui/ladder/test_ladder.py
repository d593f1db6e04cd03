import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual.message import Message
from textual.pilot import Pilot
from textual.strip import Strip
from typing_extensions import override

from pmtui.domain.account.position import Stake
from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.books.ladder import LadderMarks, groupings
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import FeeSchedule, RewardTerms, Side
from pmtui.domain.money import Micros
from pmtui.ui.cells import Cell
from pmtui.ui.ladder.ladder import LadderPane
from tests.ui import believable
from tests.ui.ladder.ladder_kit import SIZE, book, cents
from tests.ui.moving_market import YES, MovingMarket
from tests.ui.stage import Stage, shown_text, top_price
from tests.ui.wait import settle, until


class _Ladder(LadderPane):
    """Counts what it paints and hears what it posts."""

    def __init__(self) -> None:
        super().__init__(id="ladder")
        self.lines: list[int] = []
        self.picked: list[tuple[Micros, Side]] = []

    @override
    def render_line(self, y: int) -> Strip:
        self.lines.append(y)
        return super().render_line(y)

    @override
    def post_message(self, message: Message) -> bool:
        if isinstance(message, LadderPane.LevelPicked) and not message.doubt:
            self.picked.append((message.price, message.side))
        return super().post_message(message)


def row_of(ladder: LadderPane, price: str) -> str:
    return next(line for line in shown_text(ladder) if price in line.replace("•", "").split())


@asynccontextmanager
async def on_ladder(
    view: BookView | None = None, *, size: tuple[int, int] = SIZE
) -> AsyncIterator[tuple[_Ladder, Pilot[None]]]:
    """Show a book on a ladder that is all there is."""
    ladder = _Ladder()
    async with Stage(ladder).run_test(size=size) as pilot:
        ladder.show(view or book())
        await settle(pilot)
        yield ladder, pilot


async def test_rows_are_prices_and_gaps_are_rows_too() -> None:
    async with on_ladder() as (ladder, _):
        prices = [re.findall(r"\d+¢", line)[0] for line in shown_text(ladder)[1:-1]]
        assert prices == [f"{61 - i}¢" for i in range(20)]
        assert row_of(ladder, "51¢").split() == ["51¢"]
        assert row_of(ladder, "52¢").split()[:2] == ["52¢", "15"]


async def test_a_change_repaints_its_row_and_the_sums_and_no_other() -> None:
    ladder = _Ladder()
    ladder.repaint.is_calm = True
    async with Stage(ladder).run_test(size=SIZE) as pilot:
        before = book()
        ladder.show(before)
        await settle(pilot)
        ladder.lines.clear()
        changed = (Level(before.bids[0].price, cents(700)), *before.bids[1:])
        ladder.show(replace(before, bids=changed, version=1))
        await until(pilot, lambda: ladder.lines, "a row is painted")
        assert ladder.lines == [12, 21]
        assert "7" in row_of(ladder, "50¢").split()
        ladder.lines.clear()
        ladder.show(replace(before, bids=changed, version=2))
        await settle(pilot)
        assert ladder.lines == []


async def test_the_first_step_lands_on_the_touch_and_each_next_is_a_tick() -> None:
    async with on_ladder() as (ladder, pilot):
        ladder.focus()
        assert ladder.cursor is None
        await pilot.press("up")
        assert ladder.cursor == (cents(52), Side.BUY)
        await pilot.press("down", "j")
        assert ladder.cursor == (cents(50), Side.SELL)
        await pilot.press("k")
        assert ladder.cursor == (cents(51), Side.BUY)
        await pilot.press("pagedown")
        assert ladder.cursor == (cents(32), Side.BUY)
        await pilot.press("pageup")
        assert ladder.cursor == (cents(51), Side.BUY)
        await pilot.press("space")
        assert ladder.cursor is None


async def test_enter_picks_the_price_pointed_at_and_what_the_book_on_show_makes_of_it() -> None:
    async with on_ladder() as (ladder, pilot):
        ladder.focus()
        await pilot.press("up")
        assert ladder.cursor == (cents(52), Side.BUY)
        # The ask that was pointed at is gone and bids stand there now.
        ladder.show(book(bid=53, ask=57))
        assert ladder.cursor == (cents(52), Side.SELL)
        # Nobody has seen that yet: the first press says so.
        await pilot.press("enter")
        assert not ladder.picked
        await pilot.press("enter")
        assert ladder.picked == [(cents(52), Side.SELL)]


async def test_before_there_is_a_book_no_key_points_and_the_first_one_is_centred() -> None:
    ladder = _Ladder()
    async with Stage(ladder).run_test(size=SIZE) as pilot:
        ladder.show(BookView(TokenId("1"), BookState.LOADING))
        await settle(pilot)
        ladder.focus()
        await pilot.press("down", "down", "enter", "pageup", "up")
        await pilot._post_mouse_events([_scroll_up()], "#ladder", offset=(5, 5))
        await pilot.click("#ladder", offset=(20, 8))
        await settle(pilot)
        assert ladder.cursor is None
        ladder.show(book(bid=9, ask=10))
        assert top_price(ladder) < cents(25)
        await settle(pilot)
        assert "15" in row_of(ladder, "10¢").split()
        await pilot.press("down")
        assert ladder.cursor == (cents(9), Side.SELL)


async def test_another_outcome_that_loads_with_a_cursor_shows_the_cursor() -> None:
    async with on_ladder(book(bid=9, ask=10)) as (ladder, pilot):
        ladder.show(BookView(TokenId("2"), BookState.LOADING))
        ladder.point_at(cents(80))
        ladder.show(book(bid=90, ask=91, token_id=TokenId("2")))
        await settle(pilot)
        assert ladder.cursor == (cents(80), Side.BUY)
        assert row_of(ladder, "80¢")
        assert row_of(ladder, "90¢")


async def test_enter_without_a_cursor_points_first() -> None:
    ladder = _Ladder()
    async with Stage(ladder).run_test(size=SIZE) as pilot:
        ladder.focus()
        await pilot.press("enter", "up")
        assert ladder.cursor is None
        ladder.show(book())
        await pilot.press("enter")
        assert not ladder.picked
        await pilot.press("enter")
        assert ladder.picked == [(cents(50), Side.SELL)]


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    seed=st.integers(0, 10**6),
    start=st.integers(5, 95),
    states=st.lists(st.sampled_from(BookState), max_size=8),
)
def test_no_book_moves_the_cursor_to_another_price(
    seed: int, start: int, states: list[BookState]
) -> None:
    market = MovingMarket(seed)
    ladder = LadderPane()
    ladder.show(market.service.books[YES])
    ladder.point_at(cents(start))
    for state in (*states, BookState.LIVE):
        for _ in range(40):
            market.step()
        market.publish()
        ladder.show(replace(market.service.books[YES], state=state))
        assert ladder.cursor is not None
        assert ladder.cursor[0] == cents(start)
    for tick in (0.1, 0.25, 1, 10):
        ladder.show(book(tick=tick))
        assert ladder.cursor is not None
        assert ladder.cursor[0] == cents(start)
    ladder.show(BookView(YES, BookState.NO_BOOK))
    assert ladder.cursor is not None
    assert ladder.cursor[0] == cents(start)


async def test_the_view_follows_the_spread_until_the_trader_moves() -> None:
    async with on_ladder() as (ladder, pilot):
        top = top_price(ladder)
        ladder.show(book(bid=53, ask=54))
        assert top_price(ladder) == top
        ladder.show(book(bid=70, ask=71))
        assert top_price(ladder) == cents(80)
        ladder.focus()
        await pilot.press("down")
        ladder.show(book(bid=20, ask=21))
        await settle(pilot)
        assert top_price(ladder) == cents(80)
        await pilot.press("space")
        assert top_price(ladder) == cents(30)
        ladder.show(book(bid=80, ask=81))
        assert top_price(ladder) == cents(90)


async def test_mouse_points_picks_and_scrolls() -> None:
    async with on_ladder() as (ladder, pilot):
        await pilot.click("#ladder", offset=(20, 0))
        assert ladder.cursor is None
        await pilot.click("#ladder", offset=(20, 10))
        assert ladder.cursor == (cents(52), Side.BUY)
        await pilot.click("#ladder", offset=(20, 12), times=2)
        assert ladder.picked == [(cents(50), Side.SELL)]
        top = top_price(ladder)
        await pilot._post_mouse_events([_scroll_up()], "#ladder", offset=(5, 5))
        await until(pilot, lambda: top_price(ladder) != top, "the wheel scrolls")
        assert top_price(ladder) == cents(64)
        assert ladder.cursor == (cents(50), Side.SELL)
        # The titles centre; the line of facts is no row.
        await pilot.click("#ladder", offset=(20, 21))
        assert ladder.cursor == (cents(50), Side.SELL)
        await pilot.click("#ladder", offset=(20, 0))
        assert (ladder.cursor, top_price(ladder)) == (None, cents(61))


def _scroll_up() -> type:
    from textual import events  # noqa: PLC0415

    return events.MouseScrollUp


async def test_grouping_widens_rows_and_leaves_the_cursor_at_its_price() -> None:
    async with on_ladder() as (ladder, _):
        ladder.point_at(cents(49))
        before = ladder.cursor
        assert before is not None
        assert before[0] == cents(49)
        for group in (2, 5, 10):
            assert ladder.next_grouping() == cents(group)
            assert ladder.cursor == before
            # The row is marked at the very price that would be traded.
            assert "▸" in row_of(ladder, "49¢")
        assert ladder.next_grouping() == cents(1)
        assert ladder.cursor == before
        assert "▸" in row_of(ladder, "49¢")


async def test_from_a_price_within_a_wide_row_the_cursor_goes_to_the_next_row_price() -> None:
    async with on_ladder() as (ladder, _):
        ladder.point_at(cents(47))
        assert [ladder.next_grouping() for _ in range(2)] == [cents(2), cents(5)]
        ladder.action_move_up()
        assert ladder.cursor is not None
        assert ladder.cursor[0] == cents(50)
        ladder.point_at(cents(47))
        ladder.action_move_down()
        assert ladder.cursor[0] == cents(45)


async def test_another_tick_keeps_what_is_looked_at() -> None:
    async with on_ladder() as (ladder, pilot):
        ladder.point_at(cents(50))
        ladder.show(book(tick=0.1))
        await settle(pilot)
        assert cents(50) <= top_price(ladder) <= cents(53)
        assert any("▸" in line for line in shown_text(ladder))


@pytest.mark.parametrize("tick", [10, 1, 0.5, 0.25, 0.1, 0.01])
async def test_every_tick_the_service_has_gets_a_row_for_every_price(tick: float) -> None:
    async with on_ladder() as (ladder, pilot):
        ladder.point_at(cents(50))
        ladder.show(book(tick=tick))
        await settle(pilot)
        assert ladder.cursor is not None
        assert ladder.cursor[0] == cents(50)
        rows = [line for line in shown_text(ladder)[1:-1] if "¢" in line]
        prices = [float(next(w for w in re.findall(r"[\d.]+(?=¢)", row))) for row in rows]
        steps = {round(high - low, 4) for high, low in pairwise(prices)}
        assert steps == {tick}
        assert 50 in prices
        assert all("#" not in row for row in rows)


@pytest.mark.parametrize(
    ("price", "tick", "row"),
    [(51, 10, "50¢"), (50.1, 1, "50¢"), (50.25, 0.1, "50.3¢"), (50.01, 0.25, "50.00¢")],
)
async def test_a_price_that_the_new_grid_does_not_have_is_marked_as_near_a_row(
    price: float, tick: float, row: str
) -> None:
    async with on_ladder(book(tick=0.01)) as (ladder, pilot):
        ladder.point_at(cents(price))
        ladder.show(book(tick=tick))
        await settle(pilot)
        for _ in range(len(groupings(cents(tick)))):
            marked = [line for line in shown_text(ladder)[1:-1] if line[0] in "~▸"]
            assert len(marked) == 1
            assert "#" not in marked[0]
            assert marked[0][0] == "~"
            assert row in marked[0] or ladder.axis.group > ladder.axis.tick
            assert shown_text(ladder)[-1].split()[0] == f"{price:g}¢"
            ladder.next_grouping()
            await settle(pilot)
        assert ladder.cursor is not None
        assert ladder.cursor[0] == cents(price)


async def test_a_held_axis_stays_until_it_is_asked_for() -> None:
    async with on_ladder() as (ladder, pilot):
        ladder.focus()
        await pilot.press("h")
        assert ladder.viewport.is_held
        top = top_price(ladder)
        ladder.show(book(bid=80, ask=81))
        assert top_price(ladder) == top
        await pilot.press("space")
        assert top_price(ladder) == cents(90)
        ladder.show(book(bid=20, ask=21))
        assert top_price(ladder) == cents(90)
        await pilot.press("h")
        assert not ladder.viewport.is_held
        assert top_price(ladder) == cents(30)


async def test_own_changes_stand_out_with_a_sign_and_then_no_more() -> None:
    ladder = _Ladder()
    resting = believable.order(1, price=0.5, size=250)
    async with Stage(ladder).run_test(size=SIZE) as pilot:
        ladder.show(book())
        await settle(pilot)
        ladder.show(book(version=1), orders=(resting,))
        await until(pilot, lambda: "250" in row_of(ladder, "50¢"), "it is there")
        ladder.lines.clear()
        ladder.repaint.end_flashes()
        await until(pilot, lambda: ladder.lines, "the row is painted")
        # One row, once, and nothing after it.
        assert ladder.lines == [12]
        assert "250 " in row_of(ladder, "50¢")
        ladder.lines.clear()
        ladder.repaint.end_flashes()
        await settle(pilot)
        assert not ladder.lines
        partial = replace(resting, matched_size=cents(5_000))
        ladder.show(book(version=2), orders=(partial,))
        await until(pilot, lambda: "200!" in row_of(ladder, "50¢"), "it is marked as filled")
        ladder.repaint.end_flashes()
        ladder.show(book(version=3))
        await until(pilot, lambda: "×" in row_of(ladder, "50¢"), "it is marked as cancelled")


async def test_what_was_there_before_and_another_outcome_are_no_changes() -> None:
    ladder = _Ladder()
    resting = believable.order(1, price=0.5, size=250)
    unknown, known = LadderMarks(is_account_known=False), LadderMarks()
    async with Stage(ladder).run_test(size=SIZE) as pilot:
        ladder.show(book(), marks=unknown)
        ladder.show(book(version=1), orders=(resting,), marks=known)
        await settle(pilot)
        assert "250+" not in row_of(ladder, "50¢")
        ladder.show(replace(book(), token_id=TokenId("2")), marks=known)
        await settle(pilot)
        assert "×" not in row_of(ladder, "50¢")
        ladder.show(replace(book(), token_id=TokenId("2")), orders=(resting,), other_label="No")
        await settle(pilot)
        assert "250+" not in row_of(ladder, "50¢")


async def test_the_last_line_tells_what_a_narrow_ladder_has_no_column_for() -> None:
    ladder = _Ladder()
    async with Stage(ladder).run_test(size=(90, 22)) as pilot:
        ladder.show(book())
        ladder.point_at(cents(50))
        await settle(pilot)
        assert shown_text(ladder)[-1].split()[0] == "50¢"
        await pilot.resize_terminal(41, 22)
        await settle(pilot)
        assert "depth 10" in shown_text(ladder)[-1]
        await pilot.resize_terminal(41, 16)
        await settle(pilot)
        assert "Depth" not in "".join(shown_text(ladder)[1:])


async def test_marks_of_cost_and_rewards_stand_at_their_prices() -> None:
    ladder = _Ladder()
    stake = Stake(cents(100_000), cents(47.8), fee=FeeSchedule(cents(4)))
    marks = LadderMarks(net=stake, rewards=RewardTerms(cents(1_000), cents(2)))
    async with Stage(ladder).run_test(size=(80, 21)) as pilot:
        ladder.show(book(), marks=marks)
        await settle(pilot)
        lines = shown_text(ladder)
        ends = [found[0] for x in lines if (found := re.search(r"[┐┘] ?\d+¢", x))]
        assert [end.replace(" ", "") for end in ends] == ["┐52¢", "┘50¢"]
        assert any(re.search(r"48¢ .*avg", x) for x in lines)
        assert any(re.search(r"49¢ .*b/e", x) for x in lines)
        assert any("60¢" in x and "+$112" in x for x in lines)


@pytest.mark.parametrize("theme", ["harbour", "ansi"])
@pytest.mark.parametrize("has_color", [True, False])
async def test_every_theme_paints_it_at_every_size(
    theme: str, has_color: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_color:
        monkeypatch.setenv("NO_COLOR", "1")
    ladder = _Ladder()
    market = MovingMarket()
    async with Stage(ladder, theme=theme).run_test(size=(120, 50)) as pilot:
        for size in ((120, 50), (41, 20), (30, 5), (10, 2), (200, 60)):
            await pilot.resize_terminal(*size)
            ladder.show(market.service.books[YES])
            ladder.point_at(cents(52))
            await settle(pilot)
            lines = shown_text(ladder)
            assert len(lines) == size[1]


async def test_a_terminal_that_was_small_for_a_moment_shows_both_sides_again() -> None:
    async with on_ladder() as (ladder, pilot):
        ladder.action_trade_here()
        before = top_price(ladder)
        await pilot.resize_terminal(20, 3)
        await settle(pilot)
        await pilot.resize_terminal(*SIZE)
        await settle(pilot)
        assert top_price(ladder) == before


async def test_home_and_end_point_at_the_ends_of_the_axis() -> None:
    ladder = _Ladder()
    async with Stage(ladder).run_test(size=SIZE) as pilot:
        ladder.show(book())
        ladder.focus()
        await settle(pilot)
        await pilot.press("home")
        assert ladder.cursor is not None
        assert ladder.cursor[0] == cents(99)
        await pilot.press("end")
        assert ladder.cursor[0] == cents(1)
        assert any("▸" in line and "1¢" in line for line in shown_text(ladder))


@pytest.mark.parametrize("theme", ["ansi", "slate"])
async def test_with_the_terminals_own_colours_a_bar_is_of_one_piece(theme: str) -> None:
    async with on_ladder(MovingMarket().service.books[YES], size=(60, 20)) as (ladder, pilot):
        pilot.app.theme = theme
        await settle(pilot)
        bars = [
            {segment.style for segment in ladder.render_line(y) if set(segment.text) & set("▏▌█▐▕")}
            for y in range(1, 20)
        ]
        assert any(bars)
        assert all(len(styles) <= 1 for styles in bars)
        assert not any(style and style.reverse for styles in bars for style in styles)


async def test_how_a_market_ended_stands_in_the_middle_until_there_are_levels_again() -> None:
    ladder = _Ladder()
    ending = ((Cell("RESOLVED Up"),), (), (Cell("you hold none"),))
    async with Stage(ladder).run_test(size=SIZE) as pilot:
        over = book(bids=(), asks=(), state=BookState.VERIFIED)
        ladder.show(over, ending=ending)
        await settle(pilot)
        lines = [line.strip() for line in shown_text(ladder)]
        assert [line for line in lines if line] == ["RESOLVED Up", "you hold none"]
        assert lines.index("RESOLVED Up") == 9
        assert shown_text(ladder)[9].index("RESOLVED") == 15
        # Nothing can be pointed at where no row is.
        ladder.focus()
        await pilot.press("up", "enter", "end")
        await pilot.click("#ladder", offset=(20, 5))
        assert ladder.cursor is None
        assert not ladder.picked
        ladder.lines.clear()
        ladder.show(over, ending=ending)
        await settle(pilot)
        assert ladder.lines == []
        ladder.show(book(version=2), ending=ending)
        await settle(pilot)
        assert row_of(ladder, "51¢").split() == ["51¢"]


async def test_bars_compare_what_is_near_the_spread_and_scrolling_changes_none() -> None:
    ladder = _Ladder()
    wall = Level(cents(2), cents(10_000_000))
    async with Stage(ladder).run_test(size=SIZE) as pilot:
        near = book(bid=50)
        ladder.show(replace(near, bids=(*near.bids, wall)))
        await settle(pilot)
        bars = row_of(ladder, "52¢").rstrip()
        # Beside the wall alone it would be a hairline.
        assert "█" in bars
        for _ in range(3):
            ladder.viewport.scroll(-3)
        ladder.repaint.changed()
        await settle(pilot)
        assert row_of(ladder, "52¢").rstrip() == bars
        ladder.point_at(cents(2))
        await settle(pilot)
        assert "◄█" in row_of(ladder, "2¢")
