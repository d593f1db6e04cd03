"""Which zone a time on the screen is in is never a guess."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from pmtui.domain.books.tape import TapeRow
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import PricePoint
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TradePrint
from pmtui.service.views import Level, LogEntry, LogView
from pmtui.ui.app import PmtuiApp
from pmtui.ui.charts.plot import axes_over, time_line
from pmtui.ui.format import write_clock, write_moment, zone_at
from pmtui.ui.market.tape import paint_row, times_end
from pmtui.ui.theme.theme_files import load_themes
from tests.ui.fake_surface import FakeService
from tests.ui.look import screen_lines
from tests.ui.market.market_kit import on_market
from tests.ui.stage import head_of, shown_text
from tests.ui.wait import until

SUMMER, WINTER = (datetime(2026, month, 5, 12, 3, 20, tzinfo=UTC) for month in (7, 1))


@pytest.fixture
def in_zone(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


BERLIN, INDIA, BRAZIL = (
    pytest.param(zone, id=zone[:3]) for zone in ("CET-1CEST,M3.5.0,M10.5.0/3", "IST-5:30", "<-03>3")
)


@pytest.mark.parametrize("in_zone", [BERLIN], indirect=True)
@pytest.mark.usefixtures("in_zone")
def test_a_moment_is_written_with_the_zone_it_had_then() -> None:
    assert write_moment(SUMMER) == "05 Jul 2026 14:03:20 CEST"
    assert write_moment(WINTER) == "05 Jan 2026 13:03:20 CET"
    assert (write_clock(WINTER), zone_at(WINTER)) == ("13:03:20", "CET")


@pytest.mark.parametrize("in_zone", [BRAZIL], indirect=True)
@pytest.mark.usefixtures("in_zone")
def test_a_zone_without_a_name_is_called_by_its_distance() -> None:
    assert write_moment(WINTER) == "05 Jan 2026 09:03:20 UTC-03"


@pytest.mark.parametrize("in_zone", [INDIA], indirect=True)
@pytest.mark.parametrize(("width", "hours"), [(60, 6), (24, 6), (60, 90), (18, 1)])
@pytest.mark.usefixtures("in_zone")
def test_the_times_below_a_chart_name_their_zone(width: int, hours: int) -> None:
    prices = (500_000, 520_000, 510_000)
    points = [
        PricePoint(WINTER + timedelta(hours=hours * n), Micros(price))
        for n, price in enumerate(prices)
    ]
    times = time_line(axes_over(points, width - 6, 6), 6)
    assert "IST" in times
    assert len(times) == width


def test_the_zone_of_a_tape_ends_where_its_times_end() -> None:
    trade = TradePrint(TokenId("1"), Side.BUY, Micros(510_000), Micros(10**6), SUMMER)
    for width in range(60):
        line = "".join(cell.text for cell in paint_row(TapeRow(trade), width))
        assert times_end(width) == (len(line.rstrip()) if ":" in line else 0)


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
@pytest.mark.parametrize("in_zone", [INDIA], indirect=True)
@pytest.mark.usefixtures("in_zone")
async def test_the_trading_screen_names_the_zone_of_its_trades(size: tuple[int, int]) -> None:
    async with on_market(size) as (_, _, screen):
        assert shown_text(screen.tape)[0].rstrip().endswith(":33:02")
        assert head_of(screen.tape).rstrip("─╮ ").endswith(" IST")


@pytest.mark.parametrize("in_zone", [BRAZIL], indirect=True)
@pytest.mark.usefixtures("in_zone")
async def test_the_log_names_the_zone_of_its_times() -> None:
    service = FakeService()
    entry = LogEntry(1, WINTER, Level.WARNING, "notice", "Something happened")
    service.log_view = LogView((entry,), 0, 0)
    app = PmtuiApp(service.surface(), themes=load_themes()[0])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("l")
        await until(pilot, lambda: "09:03:20" in "\n".join(screen_lines(app)), "the entry")
        assert "times in UTC-03" in screen_lines(app)[1]
