"""The list of the last session, from its file to what a screen asks for."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import EventId
from pmtui.service.markets.event_list_cache import (
    FILE,
    FIRST_WRITE_S,
    WRITE_PERIOD_S,
    EventListFile,
)
from pmtui.service.topics import MarketListTopic, SearchTopic
from pmtui.service.views import Load, MarketListView
from tests.manual_clock import settle
from tests.service.fakes import EVENT_WITH_MARKET, World, running_world

LIST = MarketListTopic()
START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
GONE = replace(EVENT_WITH_MARKET, event_id=EventId("gone"), title="Of yesterday")


def view(world: World) -> MarketListView:
    return world.service.queries.market_list(LIST)


def events_of(world: World) -> list[str]:
    return [row.event.event_id for row in view(world).rows]


def log_of(world: World) -> list[str]:
    return [entry.text for entry in world.service.queries.log().entries]


def kept(state: Path, now: datetime) -> list[str]:
    seen = EventListFile(state).read(now)
    return [] if seen is None else [event.event_id for event in seen.events]


async def test_the_last_list_is_there_before_the_service_answers(tmp_path: Path) -> None:
    EventListFile(tmp_path).write([GONE, EVENT_WITH_MARKET], START - timedelta(minutes=3))
    async with running_world(tmp_path) as world:
        assert events_of(world) == ["gone", EVENT_WITH_MARKET.event_id]
        assert view(world).is_cached
        assert view(world).as_of == START - timedelta(minutes=3)
        # For looking at only: nothing of it is found.
        assert world.service.queries.search(SearchTopic("yesterday")).rows == ()


async def test_the_answer_replaces_all_of_it(tmp_path: Path) -> None:
    EventListFile(tmp_path).write([GONE, EVENT_WITH_MARKET], START - timedelta(minutes=3))
    async with running_world(tmp_path) as world:
        world.service.hub.subscribe([LIST], lambda _: None)
        await settle()
        assert events_of(world) == [EVENT_WITH_MARKET.event_id]
        assert (view(world).is_cached, view(world).load) == (False, Load.READY)


async def test_a_failure_leaves_it_and_says_so(tmp_path: Path) -> None:
    EventListFile(tmp_path).write([GONE], START - timedelta(minutes=3))
    async with running_world(tmp_path) as world:
        world.metadata.failure = Failure(FailureKind.UNREACHABLE, "GET /events", "no answer")
        world.service.hub.subscribe([LIST], lambda _: None)
        await settle()
        assert events_of(world) == ["gone"]
        assert (view(world).is_cached, view(world).load) == (True, Load.FAILED)
        assert "no answer" in view(world).problem


async def test_a_file_of_no_use_is_a_line_in_the_log(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"{")
    async with running_world(tmp_path) as world:
        assert events_of(world) == []
        assert [text for text in log_of(world) if "left out" in text]


async def test_the_list_is_kept_within_a_minute_and_at_the_end(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        world.service.hub.subscribe([LIST], lambda _: None)
        await settle()
        await world.clock.advance(FIRST_WRITE_S)
        await settle()
    assert kept(tmp_path, START + timedelta(minutes=1)) == [EVENT_WITH_MARKET.event_id]


async def test_what_was_only_remembered_is_not_written_as_new(tmp_path: Path) -> None:
    EventListFile(tmp_path).write([GONE], START - timedelta(minutes=3))
    async with running_world(tmp_path) as world:
        world.metadata.failure = Failure(FailureKind.UNREACHABLE, "GET /events", "no answer")
        world.service.hub.subscribe([LIST], lambda _: None)
        await settle()
        await world.clock.advance(FIRST_WRITE_S + WRITE_PERIOD_S)
    seen = EventListFile(tmp_path).read(START)
    assert seen is not None
    assert seen.seen_at == START - timedelta(minutes=3)


async def test_a_disk_that_refuses_is_said_once_and_nothing_else_happens(tmp_path: Path) -> None:
    # A directory in the way of the file: renaming over it fails, whoever runs the test.
    (tmp_path / FILE).mkdir()
    async with running_world(tmp_path) as world:
        world.service.hub.subscribe([LIST], lambda _: None)
        await settle()
        for _ in range(3):
            await world.clock.advance(FIRST_WRITE_S + WRITE_PERIOD_S)
            await settle()
        assert view(world).load is Load.READY
        said = [text for text in log_of(world) if "cannot be kept" in text]
        assert len(said) == 1
