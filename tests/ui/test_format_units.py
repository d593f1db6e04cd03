"""Prices and times are written one way on every screen, and a key chooses another one."""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pmtui.config.terminal_settings import Times
from pmtui.config.workplace import Memory
from pmtui.domain.formats import PriceFormat
from pmtui.domain.money import Micros
from pmtui.service.views import Level, LogEntry, LogView
from pmtui.ui.app import PmtuiApp
from pmtui.ui.charts.time_ticks import time_ticks
from pmtui.ui.facts import paint_change, paint_mid, paint_price, paint_spread
from pmtui.ui.format import (
    UNITS,
    read_average,
    read_change,
    read_distance,
    read_paid,
    read_price,
    write_moment,
)
from pmtui.ui.surface import Options
from pmtui.ui.theme.theme import Role
from pmtui.ui.theme.theme_files import load_themes
from tests.ui.demo import believable_service
from tests.ui.fake_surface import FakeService
from tests.ui.look import screen_lines, shows
from tests.ui.wait import until

NOON = datetime(2026, 1, 5, 12, 3, 20, tzinfo=UTC)
FORTY, TENTH = Micros(397_000), Micros(1_000)


@pytest.fixture(autouse=True)
def _usual_units() -> Iterator[None]:
    yield
    UNITS.prices, UNITS.times = PriceFormat.CENTS, Times.LOCAL


@pytest.fixture
def in_india(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "IST-5:30")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def opened(memory: Memory | None = None, **options: object) -> PmtuiApp:
    surface = replace(
        believable_service().surface(), options=Options(**options), memory=memory or Memory()  # type: ignore[arg-type]
    )  # fmt: skip
    return PmtuiApp(surface, themes=load_themes()[0])


@pytest.mark.parametrize(
    ("prices", "written"),
    [
        (PriceFormat.CENTS, ("39.7¢", "39.7¢", "+2.0¢", "1¢", "~20.0¢", "+<0.1¢")),
        (PriceFormat.PERCENT, ("39.7%", "39.7%", "+2.0%", "1%", "~20.0%", "+<0.1%")),
        (PriceFormat.DECIMAL, ("2.52", "2.52", "+2.0¢", "1¢", "~5.00", "+<0.1¢")),
        (PriceFormat.AMERICAN, ("+152", "+152", "+2.0¢", "1¢", "~+400", "+<0.1¢")),
    ],
)
def test_each_way_of_writing_prices(prices: PriceFormat, written: tuple[str, ...]) -> None:
    UNITS.prices = prices
    assert (
        read_price(FORTY),
        read_average(FORTY),
        read_change(Micros(20_000)),
        read_distance(Micros(10_000)),
        paint_mid(None, Micros(400_000), Role.TEXT).text,
        paint_change(Micros(40)).text,
    ) == written
    assert paint_spread(Micros(10_000)).text == written[3].replace("1", "1.0")
    assert read_paid(FORTY) == written[1]


@pytest.mark.parametrize("prices", list(PriceFormat))
@pytest.mark.parametrize(
    "price", [0, 100, 1_000, 5_500, 499_950, 500_000, 999_000, 999_900, 1_000_000]
)
def test_a_price_fits_its_column(prices: PriceFormat, price: int) -> None:
    UNITS.prices = prices
    assert len(paint_price(Micros(price)).text) <= 6
    assert len(read_price(Micros(price), width=7)) == 7
    assert "#" not in read_price(Micros(price), width=7)


@pytest.mark.usefixtures("in_india")
def test_times_are_written_by_the_chosen_clock() -> None:
    assert write_moment(NOON) == "05 Jan 2026 17:33:20 IST"
    UNITS.times = Times.UTC
    assert write_moment(NOON) == "05 Jan 2026 12:03:20 UTC"


@pytest.mark.usefixtures("in_india")
def test_round_hours_are_those_of_the_chosen_clock() -> None:
    last = NOON.replace(hour=18)
    assert {tick.label for tick in time_ticks(NOON, last, 3)} == {"18:00", "20:00", "22:00"}
    UNITS.times = Times.UTC
    assert [tick.label for tick in time_ticks(NOON, last, 3)] == ["14:00", "16:00", "18:00"]


async def test_a_key_writes_prices_another_way_on_the_screen_in_front_and_is_kept() -> None:
    memory = Memory()
    app = opened(memory)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, "28.5¢") or shows(app, "¢"), "cents")
        before = "\n".join(screen_lines(app)).count("¢")
        app.action_switch_unit("prices")
        app.action_switch_unit("prices")
        await until(pilot, lambda: "\n".join(screen_lines(app)).count("¢") < before, "odds")
        assert memory.now.prices == PriceFormat.DECIMAL.value
    assert UNITS.prices is PriceFormat.DECIMAL
    app = opened(memory)
    assert UNITS.prices is PriceFormat.DECIMAL


@pytest.mark.usefixtures("in_india")
async def test_a_key_changes_the_clock_and_the_zone_is_named() -> None:
    memory, service = Memory(), FakeService()
    entry = LogEntry(1, NOON, Level.INFO, "notice", "Something happened")
    service.log_view = LogView((entry,), 0, 0)
    app = PmtuiApp(replace(service.surface(), memory=memory), themes=load_themes()[0])
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("l")
        await until(pilot, lambda: shows(app, "times in IST"), "local times")
        app.action_switch_unit("times")
        await until(pilot, lambda: shows(app, "times in UTC"), "UTC")
        assert memory.now.times == Times.UTC.value


def test_settings_hold_until_a_key_chose() -> None:
    _ = opened(prices=PriceFormat.AMERICAN, times=Times.UTC)
    assert (UNITS.prices, UNITS.times) == (PriceFormat.AMERICAN, Times.UTC)
    _ = PmtuiApp(FakeService().surface(), themes=load_themes()[0])
    assert (UNITS.prices, UNITS.times) == (PriceFormat.CENTS, Times.LOCAL)
