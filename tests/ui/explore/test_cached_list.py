"""What the last session saw, on the screen of this one."""

from dataclasses import replace
from datetime import timedelta

import pytest

from pmtui.domain.money import Micros
from pmtui.service.topics import MarketListTopic
from pmtui.service.views import Load, MarketListView
from pmtui.ui.explore.markets import MarketsScreen
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_table import LineTable
from tests.ui import believable
from tests.ui.demo import ScreenApp
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.look import shows, text_of
from tests.ui.wait import until

LIST = MarketListTopic()
EVENTS = tuple(believable.single(300 + i, f"Will gauge {i} pass two metres?") for i in range(8))


def _cached(**changes: object) -> MarketListView:
    rows = tuple(believable.event_row(event) for event in EVENTS)
    view = MarketListView(rows, Load.LOADING, False, NOW - timedelta(minutes=3), is_cached=True)
    return replace(view, **changes)  # type: ignore[arg-type]


def _table(app: ScreenApp) -> LineTable:
    return app.screen.query_one("#events", LineTable)


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)], ids=str)
async def test_rows_of_the_last_session_say_their_age_and_look_stale(size: tuple[int, int]) -> None:
    service = FakeService()
    service.lists[LIST] = _cached()
    app = ScreenApp(MarketsScreen(service.surface()))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: shows(app, "gauge 7"), "the rows")
        assert "cached 3m ago" in text_of(app, "#list-panel")
        assert "updated now" not in text_of(app, "#list-panel")
        roles = {cell.role for row in _table(app).rows for cell in row.cells if cell.text}
        assert roles == {Role.STALE}


async def test_the_answer_takes_their_place_under_a_cursor_that_stays() -> None:
    service = FakeService()
    service.lists[LIST] = _cached()
    app = ScreenApp(MarketsScreen(service.surface()))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _table(app).rows, "the rows")
        await pilot.press("down", "down")
        fresh = tuple(
            replace(row, event=replace(row.event, volume_24h=Micros(5_000_000)))
            for row in reversed(service.lists[LIST].rows)
        )
        service.stream(*(event.markets[0] for event in EVENTS))
        service.lists[LIST] = MarketListView(fresh, Load.READY, False, NOW)
        service.announce(LIST)
        await until(pilot, lambda: "updated now" in text_of(app, "#list-panel"), "the answer")
        assert _table(app).cursor_key == EVENTS[2].event_id

        def roles() -> set[Role]:
            return {cell.role for row in _table(app).rows for cell in row.cells if cell.text}

        await until(pilot, lambda: Role.STALE not in roles(), "live rows")


async def test_a_failure_stands_beside_the_age() -> None:
    service = FakeService()
    service.lists[LIST] = _cached(load=Load.FAILED, problem="no route")
    app = ScreenApp(MarketsScreen(service.surface()))
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: _table(app).rows, "the rows")
        assert "cached 3m ago, failed: no route" in text_of(app, "#list-panel")
