"""Lists, search, history, health and the log through the running service."""

import random
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pmtui.domain.account.position import Position
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.health import HealthState, LinkState, Source
from pmtui.domain.ids import ConditionId, EventId, MarketId, OrderId
from pmtui.domain.markets.history import Interval, PricePoint
from pmtui.domain.markets.market import Event
from pmtui.domain.money import Micros
from pmtui.service.data_service import DataService
from pmtui.service.health import Health
from pmtui.service.journal.journal import Journal
from pmtui.service.markets import metadata
from pmtui.service.markets.market_store import MOST_IDLE
from pmtui.service.markets.metadata import LIST_PERIOD_S, MOST_LISTS
from pmtui.service.ports import Hosts
from pmtui.service.profile import Profile
from pmtui.service.topics import (
    VIEW_TYPES,
    AccountTopic,
    EventTopic,
    HistoryTopic,
    LogTopic,
    MarketListTopic,
    MarketTopic,
    SearchTopic,
    StatusTopic,
    TagsTopic,
    Topic,
)
from pmtui.service.views import Level, Load, Mode
from tests.manual_clock import ManualClock, settle
from tests.service.every_topic import topics
from tests.service.fakes import (
    CONDITION,
    MARKET,
    NO,
    YES,
    World,
    lost,
    resting,
    running_world,
)
from tests.service.market_kit import many_events

LIST = MarketListTopic()


def listed(world: World) -> list[str]:
    return [row.event.event_id for row in world.service.queries.view(LIST).rows]


async def test_every_topic_has_a_view_of_its_own_type(world: World) -> None:
    for topic in topics():
        assert type(world.service.queries.view(topic)) is VIEW_TYPES[type(topic)]


async def test_a_list_grows_page_by_page_and_lists_no_event_twice(world: World) -> None:
    world.metadata.events = many_events(120)
    await world.watch(LIST)
    assert len(listed(world)) == 50
    assert world.service.queries.view(LIST).has_more
    # The list shifts while we read: a new event pushes the others down by one.
    world.metadata.events.insert(0, many_events(200)[199])
    world.service.commands.load_more(LIST)
    world.service.commands.load_more(LIST)
    await settle()
    assert len(listed(world)) == len(set(listed(world))) == 99
    world.service.commands.load_more(LIST)
    await settle()
    assert not world.service.queries.view(LIST).has_more


async def test_a_list_that_comes_into_sight_again_is_fetched_at_once_if_it_is_old(
    world: World,
) -> None:
    watching = world.service.hub.subscribe([LIST], lambda _: None)
    await settle()
    watching.close()
    await world.pass_time(LIST_PERIOD_S - 10)
    world.metadata.events = many_events(3)
    watching = world.service.hub.subscribe([LIST], lambda _: None)
    await settle()
    assert len(listed(world)) != 3
    watching.close()
    await world.pass_time(45)
    await world.watch(LIST)
    assert world.service.queries.view(LIST).as_of == world.clock.now()
    assert listed(world)[:3] == ["0", "1", "2"]


async def test_a_failed_list_says_why_and_a_refresh_mends_it(world: World) -> None:
    problem = Failure(FailureKind.UNREACHABLE, "GET /events", "connection refused")
    world.metadata.failure = problem
    await world.watch(LIST)
    view = world.service.queries.view(LIST)
    assert view.load is Load.FAILED
    assert "connection refused" in view.problem
    health = {h.source: h for h in world.service.queries.status().health}
    assert health[Source.METADATA].state is HealthState.DOWN
    world.metadata.failure = None
    world.service.commands.refresh(LIST)
    await settle()
    assert world.service.queries.view(LIST).load is Load.READY


async def test_a_refresh_keeps_what_was_loaded_further_down(world: World) -> None:
    world.metadata.events = many_events(120)
    await world.watch(LIST)
    world.service.commands.load_more(LIST)
    await settle()
    await world.pass_time(31)
    assert len(listed(world)) == 100
    world.service.commands.load_more(LIST)
    await settle()
    assert len(listed(world)) == 120


async def test_local_results_come_at_once_and_the_services_own_are_added_below(
    world: World,
) -> None:
    elsewhere = Event(
        EventId("77"),
        "other",
        "River far away",
        (replace(MARKET, market_id=MarketId("far"), question="Far?"),),
    )
    world.metadata.found = (elsewhere,)
    await world.watch(LIST)
    topic = SearchTopic("river")
    world.service.hub.subscribe([topic], lambda _: None)
    view = world.service.queries.view(topic)
    assert [r.market.question for r in view.rows] == [MARKET.question]
    assert view.load is Load.LOADING
    await world.pass_time(1)
    view = world.service.queries.view(topic)
    assert view.load is Load.READY
    assert {r.market.question for r in view.rows} == {MARKET.question, "Far?"}


async def test_more_markets_are_fetched_to_search_in_once_the_field_is_open(world: World) -> None:
    world.metadata.events = many_events(120)
    queries, listed = world.service.queries, world.metadata.listed
    await world.pass_time(1)
    assert listed == []
    field = world.service.hub.subscribe([SearchTopic("")], lambda _: None)
    await settle()
    assert listed == [None, "50", "100"]
    assert queries.view(SearchTopic("")).indexed == 120
    found = queries.view(SearchTopic("question 107")).rows
    assert [row.market.question for row in found] == ["Question 107?"]
    # Opened before it is fetched, it shows what was found.
    first = found[0].market
    assert first.condition_id is not None
    world.metadata.item_failure = lost("GET /markets")
    world.service.hub.subscribe([MarketTopic(first.condition_id)], lambda _: None)
    assert queries.market(first.condition_id).market == first
    field.close()
    await world.watch(SearchTopic("question"))
    assert listed == [None, "50", "100"]


async def test_markets_to_search_in_are_learnt_before_anybody_searches(world: World) -> None:
    queries = world.service.queries
    world.metadata.failure = lost("GET /events")
    world.service.fill_search()
    await world.pass_time(1.0)
    assert queries.view(SearchTopic("")).indexed == 0
    world.metadata.failure = None
    for _ in range(2):
        world.service.fill_search()
        await world.pass_time(1.0)
    assert queries.view(SearchTopic("")).indexed == 1
    # What failed is asked for once more, what is here is not.
    assert len(world.metadata.listed) == 2


async def test_what_the_store_has_let_go_of_opens_from_the_list_at_once(world: World) -> None:
    events = many_events(2)
    crowd = tuple(
        replace(MARKET, market_id=MarketId(f"c{n}"), condition_id=ConditionId(f"0x{n:064x}"))
        for n in range(MOST_IDLE + 1)
    )
    world.metadata.events = [events[0], replace(events[1], markets=crowd)]
    await world.watch(LIST)
    event_id = events[0].event_id
    assert world.service.queries.event(event_id).event is None
    world.metadata.item_failure = lost("GET /events")
    world.service.hub.subscribe([EventTopic(event_id)], lambda _: None)
    view = world.service.queries.event(event_id)
    assert view.event is not None
    assert view.event.title == events[0].title
    assert view.as_of == world.service.queries.view(LIST).as_of


async def test_lists_that_were_left_long_ago_are_forgotten(world: World) -> None:
    topics = [MarketListTopic(tag_slug=str(n)) for n in range(MOST_LISTS + 3)]
    for topic in (LIST, *topics):
        seen = world.service.hub.subscribe([topic], lambda _: None)
        await settle()
        seen.close()
    shown = [bool(world.service.queries.view(topic).rows) for topic in topics]
    assert shown == [False] * 2 + [True] * (MOST_LISTS + 1)
    # What the next session begins with.
    assert world.service.queries.view(LIST).rows


async def test_long_lists_that_were_left_are_forgotten_sooner(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata, "MOST_LEFT", 2)
    topics = [MarketListTopic(tag_slug=str(n)) for n in range(4)]
    for topic in topics:
        seen = world.service.hub.subscribe([topic], lambda _: None)
        await settle()
        seen.close()
    # One event in each: the last one is still being looked at when the others are counted.
    shown = [bool(world.service.queries.view(topic).rows) for topic in topics]
    assert shown == [False, True, True, True]


async def test_what_was_typed_before_does_not_overwrite_what_is_typed_now(world: World) -> None:
    first = world.service.hub.subscribe([SearchTopic("riv")], lambda _: None)
    world.service.hub.subscribe([SearchTopic("river")], lambda _: None)
    first.close()
    await world.pass_time(1)
    assert world.service.queries.view(SearchTopic("riv")).load is Load.EMPTY
    assert world.service.queries.view(SearchTopic("river")).load is Load.READY


async def test_an_event_that_is_not_there_says_so(world: World) -> None:
    missing = EventId("404")
    await world.watch(EventTopic(missing), TagsTopic())
    assert world.service.queries.event(missing).load is Load.FAILED
    assert world.service.queries.tags().load is Load.READY


async def test_a_chart_is_fetched_while_watched_and_only_then(world: World) -> None:
    point = PricePoint(world.clock.now(), Micros(420_000))
    world.trading.points = (point,)
    topic = HistoryTopic(YES, Interval.DAY)
    subscription = world.service.hub.subscribe([topic], lambda _: None)
    await settle()
    view = world.service.queries.history(YES, Interval.DAY)
    assert view.points == (point,)
    later = PricePoint(world.clock.now() + timedelta(minutes=1), Micros(430_000))
    world.trading.points = (point, later)
    await world.pass_time(31)
    assert world.service.queries.history(YES, Interval.DAY).version == view.version + 1
    subscription.close()
    world.trading.points = ()
    await world.pass_time(120)
    assert len(world.service.queries.history(YES, Interval.DAY).points) == 2


async def test_an_idle_topic_is_silent(world: World) -> None:
    heard: list[Topic] = []
    world.service.hub.subscribe([LogTopic(), AccountTopic()], heard.append)
    await world.pass_time(1)
    heard.clear()
    await world.pass_time(5)
    assert LogTopic() not in heard


async def test_a_session_without_a_key_has_no_money_and_says_it_is_read_only(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path, with_key=False) as world:
        await world.pass_time(1)
        status = world.service.queries.status()
        assert status.mode is Mode.READ_ONLY
        assert status.cash is None
        assert world.service.queries.account().load is Load.EMPTY


async def test_cash_is_what_is_free_and_value_counts_positions(world: World) -> None:
    world.account.open = {OrderId("0x01"): resting(OrderId("0x01"))}
    world.analytics.held = (
        Position(
            token_id=NO,
            condition_id=CONDITION,
            title="",
            outcome="No",
            size=Micros(10_000_000),
            average_price=Micros(500_000),
            current_price=Micros(580_000),
            realized=Micros(0),
        ),
    )
    await world.pass_time(11)
    status = world.service.queries.status()
    assert status.cash == 96_000_000
    assert status.portfolio_value == 105_800_000
    assert status.open_orders == 1


async def test_notices_are_unread_until_somebody_looks(world: World) -> None:
    world.stream.change_link(LinkState.DOWN, "reset")
    heard: list[Topic] = []
    world.service.hub.subscribe([StatusTopic()], heard.append)
    log = world.service.queries.log()
    assert log.entries[-1].level is Level.WARNING
    assert world.service.queries.status().unread_notices > 0
    world.service.commands.mark_log_read(log.entries[-1].sequence)
    assert world.service.queries.status().unread_notices == 0


async def test_the_venues_clock_is_measured_to_half_a_second(world: World) -> None:
    world.trading.time = world.clock.now() + timedelta(seconds=90)
    await world.pass_time(61)
    skew = world.service.queries.status().clock_skew_ms
    assert skew is not None
    assert 28_000 <= skew <= 91_000


async def test_stream_messages_nobody_understood_are_told_but_not_over_and_over(
    world: World,
) -> None:
    def told(world: World) -> list[str]:
        return [e.text for e in world.service.queries.log().entries if "novelty" in e.text]

    world.stream.counts = {"unknown message 'novelty'": 1}
    await world.pass_time(6)
    assert len(told(world)) == 1
    world.stream.counts = {"unknown message 'novelty'": 9}
    await world.pass_time(30)
    assert len(told(world)) == 1
    world.stream.counts = {"unknown message 'novelty'": 10}
    await world.pass_time(6)
    assert "10 so far" in told(world)[-1]


async def test_a_connection_that_cannot_be_made_is_said_where_one_looks(tmp_path: Path) -> None:
    async def connect(health: Health) -> Hosts | str:
        return "the local venue did not start: the directory is in use"

    clock = ManualClock()
    service = DataService(
        profile=Profile("paper", Mode.PAPER),
        connect=connect,
        clock=clock,
        journal=Journal(tmp_path / "journal.sqlite"),
        rng=random.Random(1),
    )
    async with service.running():
        service.hub.subscribe([LIST], lambda _: None)
        await settle()
        view = service.queries.view(LIST)
        assert view.load is Load.FAILED
        assert "in use" in view.problem
