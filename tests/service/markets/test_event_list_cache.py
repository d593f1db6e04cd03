"""The list that the next session begins with: its file, and what a screen is shown of it."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import EventId
from pmtui.domain.markets.market import Event
from pmtui.service.markets.event_list_cache import (
    FILE,
    FIRST_WRITE_S,
    MOST_BYTES,
    MOST_EVENTS,
    OLDEST,
    WRITE_PERIOD_S,
    CacheProblem,
    EventListFile,
)
from pmtui.service.topics import MarketListTopic, SearchTopic
from pmtui.service.views import Load, MarketListView
from tests.manual_clock import settle
from tests.service.fakes import EVENT_WITH_MARKET, World, running_world

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def numbered(count: int, event: Event = EVENT_WITH_MARKET) -> list[Event]:
    return [replace(event, event_id=EventId(str(n))) for n in range(count)]


def test_what_was_written_is_read_without_its_prose(tmp_path: Path) -> None:
    talkative = replace(EVENT_WITH_MARKET, description="long", resolution_source="longer")
    EventListFile(tmp_path).write([talkative], NOW)
    seen = EventListFile(tmp_path).read(NOW + timedelta(minutes=3))
    assert seen is not None
    assert seen.seen_at == NOW
    (event,) = seen.events
    assert (event.description, event.resolution_source) == ("", "")
    bare = replace(event, markets=())
    assert bare == replace(talkative, description="", resolution_source="", markets=())
    before, after = talkative.markets[0], event.markets[0]
    assert after == replace(before, description="", resolution_source="")


def test_no_file_is_no_problem(tmp_path: Path) -> None:
    assert EventListFile(tmp_path / "new").read(NOW) is None


def test_the_file_is_for_its_owner_alone_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    state = tmp_path / "paper"
    EventListFile(state).write([EVENT_WITH_MARKET], NOW)
    EventListFile(state).write([EVENT_WITH_MARKET], NOW)
    assert [path.name for path in state.iterdir()] == [FILE]
    assert (state / FILE).stat().st_mode & 0o777 == 0o600


def test_profiles_do_not_see_one_another(tmp_path: Path) -> None:
    EventListFile(tmp_path / "paper").write([EVENT_WITH_MARKET], NOW)
    assert EventListFile(tmp_path / "live").read(NOW) is None


def test_no_more_is_kept_than_a_few_screens(tmp_path: Path) -> None:
    EventListFile(tmp_path).write(numbered(MOST_EVENTS + 5), NOW)
    seen = EventListFile(tmp_path).read(NOW)
    assert seen is not None
    assert [event.event_id for event in seen.events] == [str(n) for n in range(MOST_EVENTS)]
    large = replace(EVENT_WITH_MARKET, title="x" * (MOST_BYTES // 3))
    EventListFile(tmp_path).write(numbered(5, large), NOW)
    seen = EventListFile(tmp_path).read(NOW)
    assert seen is not None
    assert len(seen.events) == 2


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"format":1}',
        b'{"format":0,"seen_at":"2026-11-20T12:00:00Z","events":[]}',
        b'{"format":1,"seen_at":"2026-11-20T12:00:00","events":[]}',
        b'{"format":1,"seen_at":"2026-11-20T12:00:00Z","events":[{"event_id":7}]}',
        b"[" * 100_000,
        b" " * (2 * MOST_BYTES + 1),
    ],
    ids=[
        "empty", "cut", "list", "no-text", "no-list", "older", "no-zone", "other-fields", "deep",
        "large",
    ],
)  # fmt: skip
def test_a_file_of_no_use_is_a_problem_and_no_crash(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(CacheProblem):
        EventListFile(tmp_path).read(NOW)


def test_an_event_that_is_listed_twice_is_damage(tmp_path: Path) -> None:
    EventListFile(tmp_path).write([EVENT_WITH_MARKET], NOW)
    stored = json.loads((tmp_path / FILE).read_bytes())
    stored["events"] *= 2
    (tmp_path / FILE).write_text(json.dumps(stored))
    with pytest.raises(CacheProblem, match="damaged"):
        EventListFile(tmp_path).read(NOW)


@pytest.mark.parametrize(
    ("age", "words"),
    [(OLDEST + timedelta(seconds=1), "too old"), (-timedelta(hours=1), "future")],
    ids=["old", "future"],
)
def test_an_age_that_helps_nobody_is_told(tmp_path: Path, age: timedelta, words: str) -> None:
    EventListFile(tmp_path).write([EVENT_WITH_MARKET], NOW - age)
    with pytest.raises(CacheProblem, match=words):
        EventListFile(tmp_path).read(NOW)


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(CacheProblem, match="directory"):
        EventListFile(tmp_path).read(NOW)


def test_what_cannot_be_written_leaves_the_file_from_before(tmp_path: Path) -> None:
    cache = EventListFile(tmp_path)
    cache.write([EVENT_WITH_MARKET], NOW)
    blocked = EventListFile(tmp_path / FILE / "below")
    with pytest.raises(OSError, match=FILE):
        blocked.write([], NOW)
    assert cache.read(NOW) is not None


@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_or_a_problem(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    state = tmp_path_factory.mktemp("state")
    (state / FILE).write_bytes(content)
    with pytest.raises(CacheProblem):
        EventListFile(state).read(NOW)


LIST = MarketListTopic()
START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
GONE = replace(EVENT_WITH_MARKET, event_id=EventId("gone"), title="Of yesterday")


def view(world: World) -> MarketListView:
    return world.service.queries.view(LIST)


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
        assert world.service.queries.view(SearchTopic("yesterday")).rows == ()


async def test_the_answer_replaces_all_of_it(tmp_path: Path) -> None:
    EventListFile(tmp_path).write([GONE, EVENT_WITH_MARKET], START - timedelta(minutes=3))
    async with running_world(tmp_path) as world:
        await world.watch(LIST)
        assert events_of(world) == [EVENT_WITH_MARKET.event_id]
        assert (view(world).is_cached, view(world).load) == (False, Load.READY)


async def test_a_failure_leaves_it_and_says_so(tmp_path: Path) -> None:
    EventListFile(tmp_path).write([GONE], START - timedelta(minutes=3))
    async with running_world(tmp_path) as world:
        world.metadata.failure = Failure(FailureKind.UNREACHABLE, "GET /events", "no answer")
        await world.watch(LIST)
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
        await world.watch(LIST)
        await world.clock.advance(FIRST_WRITE_S)
        await settle()
    assert kept(tmp_path, START + timedelta(minutes=1)) == [EVENT_WITH_MARKET.event_id]


async def test_what_was_only_remembered_is_not_written_as_new(tmp_path: Path) -> None:
    EventListFile(tmp_path).write([GONE], START - timedelta(minutes=3))
    async with running_world(tmp_path) as world:
        world.metadata.failure = Failure(FailureKind.UNREACHABLE, "GET /events", "no answer")
        await world.watch(LIST)
        await world.clock.advance(FIRST_WRITE_S + WRITE_PERIOD_S)
    seen = EventListFile(tmp_path).read(START)
    assert seen is not None
    assert seen.seen_at == START - timedelta(minutes=3)


async def test_a_disk_that_refuses_is_said_once_and_nothing_else_happens(tmp_path: Path) -> None:
    # A directory in the way of the file: renaming over it fails, whoever runs the test.
    (tmp_path / FILE).mkdir()
    async with running_world(tmp_path) as world:
        await world.watch(LIST)
        for _ in range(3):
            await world.clock.advance(FIRST_WRITE_S + WRITE_PERIOD_S)
            await settle()
        assert view(world).load is Load.READY
        said = [text for text in log_of(world) if "cannot be kept" in text]
        assert len(said) == 1
