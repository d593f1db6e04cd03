"""The columns of every list can be chosen, are previewed at once, and come back."""

from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pmtui.config.workplace import Memory
from pmtui.ui.app import PmtuiApp
from pmtui.ui.cells import Column
from pmtui.ui.event.event import EventScreen
from pmtui.ui.explore.markets import MarketsScreen
from pmtui.ui.explore.watchlist import WatchlistScreen
from pmtui.ui.frame import FrameScreen
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.question import QuestionScreen
from pmtui.ui.rows.columns import ColumnChooser, choosable, place_chips
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme_files import load_themes
from pmtui.ui.widgets.line_table import LineTable
from tests.ui import believable
from tests.ui.demo import ScreenApp, believable_service
from tests.ui.look import screen_lines, shows
from tests.ui.wait import until


def _surface(memory: Memory | None = None) -> Surface:
    surface = believable_service().surface()
    return surface if memory is None else replace(surface, memory=memory)


def _header(app: ScreenApp) -> str:
    return next(line for line in screen_lines(app) if "Ends" in line)


async def _open(app: ScreenApp, pilot: "Pilot[None]") -> None:
    await pilot.press("o")
    await until(pilot, lambda: isinstance(app.screen, ColumnChooser), "the chooser")


async def test_a_column_is_hidden_at_once_and_comes_back_with_escape() -> None:
    memory = Memory()
    app = ScreenApp(MarketsScreen(_surface(memory)))
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, "Harbour City"), "the first event")
        assert "Leader" in _header(app)
        await _open(app, pilot)
        await until(pilot, lambda: "enter Keep  esc Back" in screen_lines(app)[-1], "its keys")
        assert "Cancel all" not in screen_lines(app)[-1]
        await pilot.press("right", "space")
        await until(pilot, lambda: "Leader" not in _header(app), "the list without the column")
        await pilot.press("escape")
        await until(pilot, lambda: "Leader" in _header(app), "the list as it was")
        assert memory.hidden_columns("events") == frozenset()


async def test_what_is_kept_comes_back_in_the_next_session(tmp_path: Path) -> None:
    path = tmp_path / "workplace.json"
    app = ScreenApp(MarketsScreen(_surface(Memory(path))))
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, "Harbour City"), "the first event")
        await _open(app, pilot)
        await pilot.press("right", "space", "enter")
        await until(pilot, lambda: not isinstance(app.screen, ColumnChooser), "the list alone")
    app = ScreenApp(MarketsScreen(_surface(Memory(path))))
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, "Harbour City"), "the first event")
        assert "Leader" not in _header(app)
        await _open(app, pilot)
        await pilot.press("r", "enter")
        await until(pilot, lambda: "Leader" in _header(app), "all columns")
        assert Memory(path).hidden_columns("events") == frozenset()


async def test_a_hidden_column_makes_room_for_one_that_had_none() -> None:
    app = ScreenApp(MarketsScreen(_surface()))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, "Harbour City"), "the first event")
        assert "Spread" not in _header(app)
        await _open(app, pilot)
        assert shows(app, "· Spread")
        await pilot.press("right", "space")
        await until(pilot, lambda: "Spread" in _header(app), "the next column in importance")
        await until(pilot, lambda: shows(app, "■ Spread"), "its mark")


async def test_the_mark_of_the_order_and_that_of_the_cursor_stand_together() -> None:
    app = ScreenApp(MarketsScreen(_surface()))
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, "Harbour City"), "the first event")
        await _open(app, pilot)
        await pilot.press("down", "up", "left", "right")
        await until(pilot, lambda: shows(app, "Vol24h▾"), "the mark of the order")


def _screens() -> dict[str, type[FrameScreen]]:
    return {"portfolio": PortfolioScreen, "watchlist": WatchlistScreen}


@pytest.mark.parametrize("name", _screens())
async def test_every_list_has_the_chooser(name: str) -> None:
    app = ScreenApp(_screens()[name](_surface()))
    async with app.run_test(size=(80, 24)) as pilot:
        await _open(app, pilot)
        assert shows(app, "COLUMNS")


async def test_an_event_has_the_chooser() -> None:
    app = ScreenApp(EventScreen(_surface(), believable.election().event_id))
    async with app.run_test(size=(80, 24)) as pilot:
        await _open(app, pilot)
        await pilot.press("right", "space", "enter")
        await until(pilot, lambda: not shows(app, "COLUMNS"), "the event alone")
        assert app.screen.query_one(LineTable).columns.hidden == {"bid"}


async def test_what_a_row_is_about_cannot_be_hidden_by_a_file(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "workplace.json")
    memory.keep_columns("events", ("title", "nonsense", "day"))
    app = ScreenApp(MarketsScreen(_surface(memory)))
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, "Harbour City"), "the first event")
        assert app.screen.query_one("#events", LineTable).columns.hidden == {"day"}


def test_columns_take_as_many_lines_as_they_need() -> None:
    columns = (
        Column("title", "Title", 20, is_essential=True),
        Column("bid", "Bid", 6), Column("ask", "Ask", 6), Column("own", "", 1, about="In position"),
    )  # fmt: skip
    wanted = choosable(columns)
    assert [column.name for column in wanted] == ["Bid", "Ask", "In position"]
    assert [(chip.line, chip.at) for chip in place_chips(wanted, 14)] == [(0, 0), (0, 7), (1, 0)]
    assert [(chip.line, chip.at) for chip in place_chips(wanted, 5)] == [(0, 0), (1, 0), (2, 0)]


async def test_trading_can_be_stopped_over_the_chooser() -> None:
    app = PmtuiApp(_surface(), themes=load_themes()[0])
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, MarketsScreen), "the list")
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, ColumnChooser), "the chooser")
        await pilot.press("K")
        await until(pilot, lambda: isinstance(app.screen, QuestionScreen), "the question")
