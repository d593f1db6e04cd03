"""The watchlist: kept over a restart, live while one looks, and there when nobody answers."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.health import LinkState
from pmtui.domain.ids import ConditionId, EventId, MarketId, TokenId
from pmtui.domain.markets.market import Event, Market, Outcome
from pmtui.domain.markets.watchlist import (
    MOST_STARS,
    MOST_WATCHED,
    Star,
    StarKey,
    StarKind,
    key_of_event,
    key_of_market,
)
from pmtui.service.topics import EventTopic, MarketListTopic, SearchTopic, Topic, WatchlistTopic
from pmtui.service.views import Level, Load, WatchRow
from pmtui.service.watch.watchlist import FILE, PERIOD_S, WatchStore
from tests.manual_clock import settle
from tests.service.fakes import CONDITION, EVENT, MARKET, NO, YES, World, running_world
from tests.service.watch_kit import KEY, START, book, know, look, m, starred, view

UNREACHABLE = Failure(FailureKind.UNREACHABLE, "GET /markets", "no answer")
SECOND = replace(
    MARKET, market_id=MarketId("902"), condition_id=ConditionId("0x" + "cd" * 32),
    question="Will it fall under two?",
    outcomes=(Outcome("Yes", TokenId("11"), m("0.7")), Outcome("No", TokenId("12"), m("0.3"))),
)  # fmt: skip
PAIR = Event(EVENT, "river", "River levels", (MARKET, SECOND))


def only(world: World) -> WatchRow:
    (row,) = view(world).rows
    return row


async def test_a_star_is_there_after_a_restart_and_goes_when_it_is_taken_away(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path) as world:
        await starred(world)
        assert only(world).title == MARKET.question
        assert await world.service.commands.star(KEY, "twice") == ""
        assert len(view(world).rows) == 1
    async with running_world(tmp_path) as world:
        assert (only(world).key, only(world).is_starred) == (KEY, True)
        assert view(world).is_starred(KEY)
        _ = await world.service.commands.unstar(KEY)
        _ = await world.service.commands.unstar(KEY)
        assert view(world).rows == ()
    async with running_world(tmp_path) as world:
        assert view(world).rows == ()


async def test_profiles_have_watchlists_of_their_own(tmp_path: Path) -> None:
    async with running_world(tmp_path / "paper") as world:
        await starred(world)
    async with running_world(tmp_path / "live", with_key=False) as world:
        assert view(world).rows == ()


async def test_its_book_is_heard_only_while_one_looks(world: World) -> None:
    await starred(world)
    assert not world.stream.watched
    told: list[Topic] = []
    watching = world.service.hub.subscribe([WatchlistTopic()], told.append)
    await settle()
    assert world.stream.watched == {YES, NO}
    world.stream.send(book())
    await world.pass_time(1)
    quote = only(world).quote
    assert quote is not None
    assert (quote.is_live, quote.best_bid, quote.best_ask) == (True, m("0.60"), m("0.62"))
    count = len(told)
    world.stream.send(book("0.61"))
    await world.pass_time(1)
    assert len(told) > count
    watching.close()
    await world.pass_time(60)
    assert not world.stream.watched
    asked = len(world.metadata.asked)
    await world.pass_time(5 * PERIOD_S)
    assert len(world.metadata.asked) == asked


async def test_a_star_set_while_one_looks_is_heard_at_once(world: World) -> None:
    await know(world)
    await world.watch(WatchlistTopic())
    await world.service.commands.star(KEY, "as listed")
    assert YES in world.stream.watched


async def test_a_book_in_doubt_gives_no_live_quote(world: World) -> None:
    await starred(world)
    await world.watch(WatchlistTopic())
    world.stream.send(book())
    await world.pass_time(1)
    world.stream.change_link(LinkState.DOWN, "gone")
    await world.pass_time(1)
    quote = only(world).quote
    assert quote is not None
    assert not quote.is_live


async def test_what_was_seen_last_is_there_when_nobody_answers(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        await starred(world)
        await world.watch(WatchlistTopic())
        world.stream.send(book())
        await world.pass_time(2)
    later = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
    async with running_world(
        tmp_path, with_key=False, start=later, unreachable="no venue at all"
    ) as world:
        await world.watch(WatchlistTopic())
        row = only(world)
        assert (view(world).load, view(world).problem) == (Load.FAILED, "no venue at all")
        assert row.title == MARKET.question
        assert row.quote is not None
        assert row.seen is not None
        assert (row.quote.best_bid, row.quote.best_ask) == (m("0.60"), m("0.62"))
        assert not row.quote.is_live
        assert row.seen.as_of < later
    # Nothing of it was overwritten by knowing less.
    async with running_world(tmp_path, with_key=False, unreachable="still none") as world:
        quote = only(world).quote
        assert quote is not None
        assert quote.best_bid == m("0.60")


async def test_a_failure_is_said_until_the_venue_answers_again(world: World) -> None:
    await starred(world)
    world.metadata.item_failure = UNREACHABLE
    await world.watch(WatchlistTopic())
    assert view(world).load is Load.FAILED
    assert "no answer" in view(world).problem
    world.metadata.item_failure = None
    await world.pass_time(PERIOD_S)
    assert (view(world).load, view(world).problem) == (Load.READY, "")


async def test_whoever_does_not_answer_once_is_not_asked_for_every_star(world: World) -> None:
    await know(world, PAIR)
    world.metadata.item_failure = UNREACHABLE
    for market in PAIR.markets:
        assert market.condition_id is not None
        await world.service.commands.star(key_of_market(market.condition_id), "")
    await world.watch(WatchlistTopic())
    assert len(world.metadata.asked) == 1


async def test_what_the_venue_does_not_know_any_more_stays_listed(world: World) -> None:
    await starred(world)
    world.metadata.events = []
    await world.watch(WatchlistTopic())
    assert (only(world).title, view(world).load) == (MARKET.question, Load.READY)


async def test_an_event_is_shown_by_the_market_that_leads_it(world: World) -> None:
    await know(world, PAIR)
    await world.service.commands.star(key_of_event(PAIR), PAIR.title)
    await world.watch(WatchlistTopic())
    row = only(world)
    assert row.seen is not None
    assert (row.title, row.seen.open_markets) == ("River levels", 2)
    assert row.seen.market is not None
    assert row.seen.market.question == SECOND.question
    assert TokenId("11") in world.stream.watched
    assert YES not in world.stream.watched


async def test_lists_show_what_is_starred(world: World) -> None:
    await know(world, PAIR)
    queries, commands = world.service.queries, world.service.commands
    told: list[Topic] = []
    world.service.hub.subscribe([EventTopic(EVENT), SearchTopic("river")], told.append)
    await world.pass_time(1)
    told.clear()
    await commands.star(KEY, "")
    await world.pass_time(0.2)
    assert set(told) == {EventTopic(EVENT), SearchTopic("river")}
    found = {r.market.condition_id: r.is_starred for r in queries.view(SearchTopic("river")).rows}
    assert found[CONDITION]
    assert not found[SECOND.condition_id]
    (listed,) = queries.view(MarketListTopic()).rows
    assert not listed.is_starred
    assert (queries.event(EVENT).starred, queries.event(EVENT).is_starred) == (
        frozenset({MARKET.market_id}), False,
    )  # fmt: skip
    assert queries.market(CONDITION).is_starred
    await commands.star(key_of_event(PAIR), "")
    (listed,) = queries.view(MarketListTopic()).rows
    assert listed.is_starred
    assert queries.event(EVENT).is_starred


async def test_an_event_of_one_market_shows_that_markets_star(world: World) -> None:
    await starred(world)
    (listed,) = world.service.queries.view(MarketListTopic()).rows
    assert listed.is_starred


async def test_a_closed_market_is_listed_and_not_heard(world: World) -> None:
    await starred(world)
    closed = replace(MARKET, closed=True)
    world.metadata.events = [replace(PAIR, markets=(closed,))]
    await world.watch(WatchlistTopic())
    seen = only(world).seen
    assert seen is not None
    assert seen.is_closed
    await world.pass_time(60)
    assert not world.stream.watched


def many(count: int) -> list[Event]:
    return [
        Event(EventId(str(n)), f"e{n}", f"Event {n}", (_market(n),)) for n in range(1000, 1000 + count)
    ]  # fmt: skip


def _market(number: int) -> Market:
    return replace(
        MARKET, market_id=MarketId(str(number)), condition_id=ConditionId(f"0x{number:064x}"),
        outcomes=(
            Outcome("Yes", TokenId(f"{number}1"), m("0.5")),
            Outcome("No", TokenId(f"{number}2"), m("0.5")),
        ),
    )  # fmt: skip


async def test_only_so_many_books_are_heard_and_the_others_are_counted(world: World) -> None:
    world.metadata.page_size = 100
    await know(world, *many(MOST_WATCHED + 3))
    for event in world.metadata.events:
        await world.service.commands.star(key_of_event(event), event.title)
    look(world)
    await world.pass_time(1)
    assert len(world.stream.watched) == 2 * MOST_WATCHED
    assert view(world).unstreamed == 3
    _ = await world.service.commands.unstar(key_of_event(world.metadata.events[0]))
    assert view(world).unstreamed == 2


async def test_there_is_a_bound_on_stars_and_it_is_said(world: World) -> None:
    for number in range(MOST_STARS):
        assert await world.service.commands.star(StarKey(StarKind.EVENT, str(number)), "t") == ""
    refused = await world.service.commands.star(StarKey(StarKind.EVENT, "more"), "t")
    assert "remove one first" in refused


async def test_a_file_that_cannot_be_read_is_said_and_kept(tmp_path: Path) -> None:
    damaged = b"somebody's stars " * 100
    (tmp_path / FILE).write_bytes(damaged)
    async with running_world(tmp_path) as world:
        assert "cannot be read" in view(world).kept_problem
        notices = [e for e in world.service.queries.log().entries if e.level is Level.WARNING]
        assert any("cannot be read" in entry.text for entry in notices)
        await starred(world)
    assert (tmp_path / f"{FILE}.unreadable-1").read_bytes() == damaged
    assert [star.key for star in WatchStore(tmp_path).read().stars] == [KEY]


async def test_rows_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    WatchStore(tmp_path).write((Star(KEY, "kept", START),))
    with closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
        connection.execute("INSERT INTO stars VALUES ('profile', '0xabc', 't', 'never', NULL)")
    async with running_world(tmp_path) as world:
        assert only(world).is_starred
        assert "1 of the watchlist cannot be read" in view(world).kept_problem


async def test_what_cannot_be_written_is_said_once_and_tried_again(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        (tmp_path / FILE).mkdir()
        await starred(world)
        await world.catch_up()
        while not view(world).kept_problem:
            await world.catch_up()
        assert "cannot be kept" in view(world).kept_problem
        (tmp_path / FILE).rmdir()
        await world.service.commands.star(StarKey(StarKind.EVENT, "7"), "another")
    assert [star.title for star in WatchStore(tmp_path).read().stars] == [
        MARKET.question,
        "another",
    ]


async def test_refreshing_asks_again_at_once(world: World) -> None:
    await starred(world)
    await world.watch(WatchlistTopic())
    asked = len(world.metadata.asked)
    world.service.commands.refresh(WatchlistTopic())
    await settle()
    assert len(world.metadata.asked) == asked + 1
