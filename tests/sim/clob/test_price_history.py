"""What lists say of a price's change, and the chart of the same market, tell one story."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import EventId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, Micros
from pmtui.sim.catalogue.gamma import decimal_number, read_event, read_market
from pmtui.sim.catalogue.model import Activity, Catalogue
from pmtui.sim.clob.price_history import PastPrices
from pmtui.sim.gamma.rows import MetadataRows, VenueNumbers
from pmtui.sim.run import VenueOptions, running_venue
from pmtui.sim.storage.persistence import Store
from pmtui.sim.venue import Venue
from tests.sim.clock import ManualClock
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, Person, http_client, write_catalogue
from tests.sim.traders.floor import Eyes, Floor

START_MS = 1_790_001_000_000
"""A moment at which charts of an hour, a day and a week have a point."""
DAY_S = 86_400
CHARTS = {"oneHourPriceChange": ("1h", 1), "oneDayPriceChange": ("1d", 5)}
CHARTS["oneWeekPriceChange"] = ("1w", 30)


def _catalogue(folder: Path, **fields: object) -> Path:
    path = write_catalogue(folder)
    events = json.loads(path.read_text())
    events[0]["markets"][0].update(fields)
    path.write_text(json.dumps(events))
    return path


async def _row(person: Person, slug: str) -> dict[str, Any]:
    response = await person.http.get(f"{person.running.urls['gamma']}/markets/slug/{slug}")
    assert response.status_code == 200, response.text
    return dict(response.json())


async def _way(person: Person, token: str, interval: str, fidelity: int) -> float:
    # The older dialect names no key for the token.
    query = {"token_id": token, "interval": interval, "fidelity": str(fidelity)}
    url = person.running.urls["clob"] + "/prices-history"
    points = (await person.http.get(url, params=query)).json()["history"]
    return round(float(points[-1]["p"] - points[0]["p"]), 6)


async def test_changes_are_what_the_chart_shows_from_the_start_and_as_it_trades(
    tmp_path: Path,
) -> None:
    stated = {
        "oneHourPriceChange": -0.02,
        "oneDayPriceChange": 0.06,
        "oneWeekPriceChange": -0.11,
    }
    options = VenueOptions(speed=0, catalogue=(_catalogue(tmp_path, **stated),))
    async with (
        running_venue(options, clock=ManualClock(START_MS)) as running,
        http_client() as http,
    ):
        ann = await Person(running, http, key=0).arrive()
        bob = await Person(running, http, key=1).arrive()
        row = await _row(ann, "will-it-rain")
        assert {field: row[field] for field in CHARTS} == stated
        for hours in (0, 1, 7, 15, 60):
            running.venue.clock.step(hours * 3_600_000)
            if hours in (7, 60):
                await ann.rest(Side.BUY, "0.40" if hours == 7 else "0.55", "10")
                await bob.place(Side.BUY, "0.60", "10", token=RAIN_NO)
            row = await _row(ann, "will-it-rain")
            for field, chart in CHARTS.items():
                assert row[field] == await _way(ann, RAIN_YES, *chart), (hours, field)
                assert row[field] == -await _way(ann, RAIN_NO, *chart), (hours, field)


async def test_a_silent_row_has_not_moved_and_speaks_once_it_has(tmp_path: Path) -> None:
    options = VenueOptions(speed=0, catalogue=(_catalogue(tmp_path),))
    async with (
        running_venue(options, clock=ManualClock(START_MS)) as running,
        http_client() as http,
    ):
        ann = await Person(running, http, key=0).arrive()
        bob = await Person(running, http, key=1).arrive()
        assert "oneDayPriceChange" not in await _row(ann, "will-it-rain")
        assert await _way(ann, RAIN_YES, "1d", 5) == 0
        await ann.rest(Side.BUY, "0.40", "10")
        await bob.place(Side.BUY, "0.60", "10", token=RAIN_NO)
        row = await _row(ann, "will-it-rain")
        assert row["oneDayPriceChange"] == await _way(ann, RAIN_YES, "1d", 5) == -0.1
        assert "oneDayPriceChange" not in await _row(ann, "will-it-snow")


@given(st.integers(1, 99), st.integers(-99, 99), st.integers(-99, 99), st.integers(0, 40))
def test_every_past_is_of_prices_and_meets_what_the_catalogue_says(
    cents: int, day: int, week: int, hours: int
) -> None:
    row = {
        "id": "11",
        "slug": "will-it-rain",
        "question": "Will it rain",
        "conditionId": RAIN,
        "clobTokenIds": json.dumps((RAIN_YES, RAIN_NO)),
        "outcomes": '["Yes", "No"]',
        "outcomePrices": json.dumps((str(cents / 100), str((100 - cents) / 100))),
        "active": True,
        "enableOrderBook": True,
        "orderPriceMinTickSize": 0.01,
        "startDate": "2026-01-01T00:00:00Z",
        "oneDayPriceChange": day / 100,
        "oneWeekPriceChange": week / 100,
    }
    market = read_market(row, EventId("1"))
    event = read_event({"id": "1", "slug": "rain", "title": "Rain"}, [market])
    clock = ManualClock(START_MS)
    venue = Venue(Catalogue([event]), clock=clock, store=Store())
    prices = PastPrices(venue)
    began_s = START_MS // 1_000
    found = dict(prices.points(market, began_s - 40 * DAY_S, began_s, 3_600))
    assert all(0 < price < ONE and price % 10_000 == 0 for price in found.values())
    for change, days in ((day, 1), (week, 7)):
        least = min(max(cents - change, 1), 99)
        at_s = -(-(began_s - days * DAY_S) // 300) * 300
        assert dict(prices.points(market, at_s, at_s, 300))[at_s] == least * 10_000
    clock.step(hours * 3_600_000)
    after = PastPrices(venue)
    assert prices.change(market, "oneDayPriceChange") == after.change(market, "oneDayPriceChange")
    venue.close()


@pytest.mark.no_cover
@pytest.mark.slow
def test_the_packaged_markets_agree_with_their_charts_while_they_trade() -> None:
    floor = Floor(speed=4, is_whole=True)
    prices = PastPrices(floor.venue)
    rows = MetadataRows(floor.venue.catalogue, VenueNumbers(floor.venue, prices))
    floor.publisher.watch(floor.find(Activity.FAST).condition_id, Eyes())
    for _ in range(3):
        floor.pass_seconds(3)
        floor.clock.step(900_000)
        rows.begin()
        now_s = floor.clock.now_ms() // 1_000
        markets = [m for m in floor.venue.catalogue.markets if "oneDayPriceChange" in m.raw]
        assert len(markets) > 200
        for market in markets:
            points = [price for _, price in prices.points(market, now_s - DAY_S, now_s, 300)]
            ((_, newest),) = prices.points(market, now_s, now_s, 1)
            said = rows.market(market)["oneDayPriceChange"]
            assert said == decimal_number(Micros(newest - points[0])), market.slug
    floor.venue.close()
