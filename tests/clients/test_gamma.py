"""The metadata client against a real socket."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from pmtui.clients.gamma import GammaClient
from pmtui.config.endpoints import Dialect
from pmtui.domain.answers import Failure, FailureKind, Page
from pmtui.domain.ids import ConditionId, EventId
from pmtui.domain.markets.market import Event, MarketSort
from pmtui.service.ports import MetadataHost
from tests.clients.raw_server import Handler, RawServer, answering, serving
from tests.wire.payloads import CONDITION, event, market, wire

if TYPE_CHECKING:
    _fits: type[MetadataHost] = GammaClient

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)


def client(server: RawServer, dialect: Dialect = Dialect.SEED) -> GammaClient:
    return GammaClient(server.host(), dialect, now=lambda: NOW)


def asked(server: RawServer, index: int = -1) -> tuple[str, dict[str, str]]:
    parts = urlsplit(server.lines[index].split()[1])
    return parts.path, dict(parse_qsl(parts.query))


async def first_page(
    server: RawServer,
    dialect: Dialect,
    *,
    sort: MarketSort = MarketSort.VOLUME_24H,
    tag_slug: str = "",
    include_closed: bool = False,
    cursor: str | None = None,
) -> Page[Event]:
    page = await client(server, dialect).list_events(
        sort=sort, tag_slug=tag_slug, include_closed=include_closed, cursor=cursor
    )
    assert isinstance(page, Page)
    return page


async def test_offset_pages_go_on_while_they_are_full() -> None:
    full = answering(wire([event(id=str(n)) for n in range(50)]))
    async with serving(full, answering(wire([event()]))) as server:
        page = await first_page(server, Dialect.SEED, tag_slug="weather")
        assert len(page.items) == 50
        assert page.next_cursor == "50"
        last = await first_page(server, Dialect.SEED, cursor=page.next_cursor)
        assert last.next_cursor is None
        assert asked(server, 0) == (
            "/events",
            {
                "limit": "50",
                "order": "volume24hr",
                "ascending": "false",
                "closed": "false",
                "tag_slug": "weather",
            },
        )
        assert asked(server, 1)[1]["offset"] == "50"


async def test_unreadable_rows_count_for_the_offset() -> None:
    async with serving(answering(wire([event()] * 48 + [1, 2]))) as server:
        page = await first_page(server, Dialect.SEED)
    assert (len(page.items), page.skipped, page.next_cursor) == (48, 2, "50")


async def test_keyset_pages_go_on_while_there_is_a_new_cursor() -> None:
    body = answering(wire({"events": [event()], "next_cursor": "abc"}))
    async with serving(body) as server:
        page = await first_page(server, Dialect.LIVE, include_closed=True)
        assert page.next_cursor == "abc"
        stuck = await first_page(server, Dialect.LIVE, cursor="abc")
        assert stuck.next_cursor is None
        path, query = asked(server, 0)
        assert path == "/events/keyset"
        assert "closed" not in query
        assert asked(server, 1)[1]["after_cursor"] == "abc"


async def test_ending_soon_leaves_out_what_has_ended_on_every_page() -> None:
    body = answering(wire({"events": [event()], "next_cursor": "abc"}))
    async with serving(body) as server:
        page = await first_page(server, Dialect.LIVE, sort=MarketSort.ENDING_SOON)
        await first_page(server, Dialect.LIVE, sort=MarketSort.ENDING_SOON, cursor=page.next_cursor)
        first, second = asked(server, 0)[1], asked(server, 1)[1]
    assert first["end_date_min"] == second["end_date_min"] == "2026-11-21T09:00:00Z"
    assert (first["order"], first["ascending"]) == ("endDate", "true")
    assert "after_cursor" not in first
    assert second["after_cursor"] == "abc"


async def test_an_event_is_read_by_its_id() -> None:
    async with serving(answering(wire(event()))) as server:
        found = await client(server).event(EventId("7/7"))
        assert isinstance(found, Event)
        assert asked(server)[0] == "/events/7%2F7"


async def test_a_closed_market_is_found_on_the_second_question() -> None:
    closed = market(closed=True)
    async with serving(answering(b"[]"), answering(wire([closed]))) as server:
        found = await client(server).market(ConditionId(CONDITION))
        assert not isinstance(found, Failure)
        assert found.closed
        assert [asked(server, n)[1]["closed"] for n in (0, 1)] == ["false", "true"]
        assert asked(server, 0)[1]["condition_ids"] == CONDITION


async def test_a_market_nobody_knows_is_not_found() -> None:
    async with serving(answering(wire([market(conditionId="0x" + "b" * 64)]))) as server:
        found = await client(server).market(ConditionId(CONDITION))
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.NOT_FOUND


async def test_search_tags_and_comments_read_their_routes() -> None:
    search: Handler = answering(wire({"events": [event()], "pagination": {"hasMore": False}}))
    tags: Handler = answering(wire([{"id": "1", "label": "A", "slug": "a"}]))
    comments: Handler = answering(wire([{"id": "1", "body": "b"}]))
    async with serving(search, tags, comments) as server:
        gamma = client(server)
        pages = [
            await gamma.search("fed & rates"),
            await gamma.tags(),
            await gamma.comments(EventId("77")),
        ]
        assert all(isinstance(page, Page) and len(page.items) == 1 for page in pages)
        assert [asked(server, n)[0] for n in range(3)] == ["/public-search", "/tags", "/comments"]
        assert asked(server, 0)[1]["q"] == "fed & rates"
        assert asked(server, 2)[1]["parent_entity_id"] == "77"


async def test_unreadable_answers_are_failures_of_the_server() -> None:
    async with serving(answering(b'{"cut":')) as server:
        gamma = client(server)
        answers = [
            await gamma.event(EventId("7")),
            await gamma.tags(),
            await gamma.search("x"),
            await gamma.market(ConditionId(CONDITION)),
        ]
    for answer in answers:
        assert isinstance(answer, Failure)
        assert answer.kind is FailureKind.SERVER
        assert answer.text.startswith("unreadable answer")


async def test_failures_pass_through() -> None:
    down = answering(b'{"error":"no such event"}', status="404 Not Found")
    async with serving(down) as server:
        gamma = client(server)
        found = await gamma.event(EventId("7"))
        listed = await gamma.list_events(
            sort=MarketSort.NEWEST, tag_slug="", include_closed=False, cursor=None
        )
    assert isinstance(found, Failure)
    assert isinstance(listed, Failure)
    assert found.route == "GET /events/{id}"
