"""What lists say of a market that ended while the venue ran, and of when games begin."""

import json
from pathlib import Path
from typing import Any

from pmtui.domain.ids import ConditionId
from pmtui.sim.engine.terms import Payout
from pmtui.sim.run import VenueOptions, running_venue
from tests.sim.clock import ManualClock
from tests.sim.hosts.conftest import ann, http, running
from tests.sim.kit import RAIN, START_MS, Person, http_client, small_venue, write_catalogue

__all__ = ["ann", "http", "running"]


async def _rain(person: Person) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the market and its event as the metadata host lists them."""
    url = person.running.urls["gamma"]
    (event,) = (await person.http.get(f"{url}/events", params={"id": "1"})).json()
    (market,) = event["markets"]
    return market, event


async def test_a_market_that_ended_says_when(ann: Person) -> None:
    market, event = await _rain(ann)
    assert "closedTime" not in market
    assert "closedTime" not in event
    ann.pass_time(90)
    await ann.admin("POST", "/resolve", {"condition_id": RAIN, "winner": 0})
    ann.pass_time(3_600)
    market, event = await _rain(ann)
    # 90 seconds after the clock began, in the two spellings of the service.
    assert (market["closed"], market["closedTime"]) == (True, "2026-09-21 14:14:50+00")
    assert market["umaEndDate"] == "2026-09-21T14:14:50Z"
    assert (event["closed"], event["closedTime"]) == (True, "2026-09-21T14:14:50Z")


async def test_when_a_market_ended_is_known_after_a_restart(tmp_path: Path) -> None:
    state = tmp_path / "state"
    async with small_venue(tmp_path, state=state) as running:
        running.venue.act(
            lambda x, now_ms: x.resolve(ConditionId(RAIN), Payout.FIRST, now_ms=now_ms)
        )
    options = VenueOptions(speed=0, catalogue=(write_catalogue(tmp_path),), state=state)
    later = ManualClock(START_MS + 3_600_000)
    async with running_venue(options, clock=later) as running, http_client() as http:
        market, _ = await _rain(Person(running, http))
        assert market["closedTime"] == "2026-09-21 14:13:20+00"


async def test_the_trading_host_writes_the_start_of_a_game_with_t_and_z(tmp_path: Path) -> None:
    path = write_catalogue(tmp_path)
    events = json.loads(path.read_text())
    events[0]["markets"][0]["gameStartTime"] = "2026-10-01 21:00:00+00"
    path.write_text(json.dumps(events))
    options = VenueOptions(speed=0, catalogue=(path,))
    async with (
        running_venue(options, clock=ManualClock(START_MS)) as running,
        http_client() as http,
    ):
        url = running.urls["clob"]
        full = (await http.get(f"{url}/markets/{RAIN}")).json()
        compact = (await http.get(f"{url}/clob-markets/{RAIN}")).json()
        assert full["game_start_time"] == compact["gst"] == "2026-10-01T21:00:00Z"
