"""The analytics client and the geographic check against a real socket."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

import pytest

from pmtui.clients.analytics import AnalyticsClient, GeoblockClient
from pmtui.config.endpoints import Dialect
from pmtui.domain.answers import Failure, FailureKind, GeoAnswer, Value
from pmtui.domain.ids import Address, ConditionId
from pmtui.domain.markets.market import Side
from pmtui.service.ports import AnalyticsHost, GeoHost
from tests.clients.raw_server import Call, Handler, RawServer, answering, serving
from tests.wire.analytics_rows import ACTIVITY, HOLDERS, NEWER, POSITION
from tests.wire.payloads import CONDITION, TOKENS, Json, wire

if TYPE_CHECKING:
    _fits: type[AnalyticsHost] = AnalyticsClient
    _geo_fits: type[GeoHost] = GeoblockClient

USER = Address("0x" + "1" * 40)


def query_of(call: Call) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(call.line.split()[1]).query))


def rows_from(rows: list[Json]) -> Handler:
    """A host that pages over a list, as offset and limit ask."""

    async def handler(call: Call) -> None:
        query = query_of(call)
        start, limit = int(query.get("offset", "0")), int(query["limit"])
        await call.answer(wire(rows[start : start + limit]))

    return handler


def line(number: int) -> Json:
    return ACTIVITY | {"transactionHash": f"0x{number}"}


def analytics(server: RawServer, dialect: Dialect = Dialect.SEED) -> AnalyticsClient:
    return AnalyticsClient(server.host(), dialect)


async def test_offset_pages_are_read_to_the_end() -> None:
    async with serving(rows_from([line(n) for n in range(1_200)])) as server:
        found = await analytics(server).activity(USER)
        assert not isinstance(found, Failure)
        assert [a.transaction_hash for a in found.items] == [f"0x{n}" for n in range(1_200)]
        assert [query_of(c).get("offset") for c in server.calls] == [None, "499", "998"]


async def test_equal_rows_at_the_edge_of_a_page_stay_apart() -> None:
    rows = [line(n) for n in range(499)] + [line(7), line(7), line(7)]
    async with serving(rows_from(rows)) as server:
        found = await analytics(server).activity(USER)
    assert not isinstance(found, Failure)
    assert len(found.items) == 502


async def test_a_list_that_grows_between_pages_repeats_nothing() -> None:
    rows = [line(n) for n in range(700)]
    grown = [line(-1), line(-2), *rows]
    async with serving(rows_from(rows), rows_from(grown)) as server:
        found = await analytics(server).activity(USER)
    assert not isinstance(found, Failure)
    assert [a.transaction_hash for a in found.items] == [f"0x{n}" for n in range(700)]


async def test_reading_ends_at_the_bound() -> None:
    async with serving(rows_from([line(n) for n in range(9_000)])) as server:
        found = await analytics(server).activity(USER)
        assert not isinstance(found, Failure)
        assert len(found.items) == 2_000 - 3


async def test_who_reads_for_the_record_says_how_far_and_is_told_what_is_left_out() -> None:
    told: list[tuple[str, tuple[str, ...]]] = []
    async with serving(rows_from([line(n) for n in range(9_000)])) as server:
        host = AnalyticsClient(
            server.host(),
            Dialect.SEED,
            observe_skips=lambda route, reasons: told.append((route, reasons)),
            max_rows=600,
        )
        found = await host.activity(USER)
        assert not isinstance(found, Failure)
        assert len(found.items) == 1_000 - 1
        ((route, (reason,)),) = told
        assert route == "GET /activity"
        assert "first 999" in reason


async def test_small_holdings_are_asked_for_and_closed_ones_newest_first() -> None:
    async with serving(answering(wire([POSITION]))) as server:
        host = analytics(server)
        assert not isinstance(await host.positions(USER), Failure)
        assert not isinstance(await host.closed_positions(USER), Failure)
        assert query_of(server.calls[0]) == {"user": USER, "limit": "500", "sizeThreshold": "0"}
        assert query_of(server.calls[1])["sortBy"] == "TIMESTAMP"


async def test_cursor_pages_are_read_to_the_end() -> None:
    first = {"data": [NEWER], "pagination": {"has_more": True, "next_cursor": "abc"}}
    last = {"data": [NEWER], "pagination": {"has_more": False, "next_cursor": None}}
    async with serving(answering(wire(first)), answering(wire(last))) as server:
        found = await analytics(server, Dialect.LIVE).positions(USER)
        assert not isinstance(found, Failure)
        assert len(found.items) == 2
        assert query_of(server.calls[1])["cursor"] == "abc"
        assert urlsplit(server.lines[0].split()[1]).path == "/v2/positions"


async def test_a_cursor_that_repeats_ends_the_list() -> None:
    stuck = {"data": [NEWER], "pagination": {"has_more": True, "next_cursor": "abc"}}
    async with serving(answering(wire(stuck))) as server:
        found = await analytics(server, Dialect.LIVE).positions(USER)
        assert not isinstance(found, Failure)
        assert len(server.calls) == 2


async def test_a_page_that_fails_fails_the_list() -> None:
    refused = answering(b'{"error":"offset too large"}', status="400 Bad Request")
    async with serving(rows_from([line(n) for n in range(700)]), refused) as server:
        found = await analytics(server).activity(USER)
    assert isinstance(found, Failure)
    assert found.text == "offset too large"


async def test_value_and_holders_read_their_routes() -> None:
    value = answering(wire([{"user": USER, "value": 3}]))
    async with serving(value, answering(wire([HOLDERS]))) as server:
        host = analytics(server)
        worth = await host.value(USER)
        holders = await host.holders(ConditionId(CONDITION))
        assert isinstance(worth, Value)
        assert worth.amount == 3_000_000
        assert not isinstance(holders, Failure)
        assert holders[0].token_id == TOKENS[0]
        assert query_of(server.calls[1])["market"] == CONDITION


async def test_unreadable_answers_are_failures_of_the_server() -> None:
    async with serving(answering(b"{}")) as server:
        host = analytics(server)
        for answer in (await host.value(USER), await host.positions(USER)):
            assert isinstance(answer, Failure)
            assert answer.kind is FailureKind.SERVER
        geo = await GeoblockClient(server.host()).check()
        assert isinstance(geo, Failure)


async def test_failures_pass_through() -> None:
    async with serving(answering(b'{"error":"x"}', status="400 Bad Request")) as server:
        host = analytics(server)
        assert isinstance(await host.value(USER), Failure)
        assert isinstance(await GeoblockClient(server.host()).check(), Failure)


async def test_the_geographic_check_asks_its_very_address() -> None:
    async with serving(answering(b'{"blocked":true,"country":"US","region":"NY"}')) as server:
        answer = await GeoblockClient(server.host("/api/geoblock")).check()
        assert answer == GeoAnswer(is_blocked=True, country="US", region="NY")
        assert server.lines == ["GET /api/geoblock HTTP/1.1"]


@pytest.mark.parametrize(
    ("dialect", "route", "key"),
    [(Dialect.SEED, "/trades", "market"), (Dialect.LIVE, "/v2/trades", "condition_id")],
)
async def test_public_trades_are_one_page_of_the_newest(
    dialect: Dialect, route: str, key: str
) -> None:
    odd = ACTIVITY | {"side": "HOLD"}
    async with serving(answering(wire([ACTIVITY | {"side": "SELL"}, odd]))) as server:
        found = await analytics(server, dialect).trades(ConditionId(CONDITION))
        (call,) = server.calls
    assert not isinstance(found, Failure)
    assert [(trade.token_id, trade.side) for trade in found] == [(TOKENS[0], Side.SELL)]
    assert urlsplit(call.line.split()[1]).path == route
    assert query_of(call) == {key: CONDITION, "limit": "1000"}


@pytest.mark.parametrize(("count", "is_whole"), [(3, True), (1_200, True), (9_000, False)])
async def test_trades_since_a_moment_are_read_to_their_end_or_to_the_bound(
    count: int, is_whole: bool
) -> None:
    since = datetime(2026, 6, 1, tzinfo=UTC)
    async with serving(rows_from([line(n) for n in range(count)])) as server:
        found = await analytics(server).trades_since(ConditionId(CONDITION), since)
        first = query_of(server.calls[0])
    assert not isinstance(found, Failure)
    assert first == {"market": CONDITION, "start": "1780272000", "limit": "500"}
    assert (found.is_whole, found.is_readable) == (is_whole, True)
    assert len(found.prints) == (count if is_whole else 2_000 - 3)


async def test_a_missed_trade_that_cannot_be_read_is_told() -> None:
    odd = ACTIVITY | {"side": "HOLD"}
    page = {"data": [ACTIVITY, odd], "pagination": {"has_more": False, "next_cursor": None}}
    since = datetime(2026, 6, 1, tzinfo=UTC)
    async with serving(answering(wire(page))) as server:
        found = await analytics(server, Dialect.LIVE).trades_since(ConditionId(CONDITION), since)
        assert query_of(server.calls[0])["start"] == "1780272000"
    assert not isinstance(found, Failure)
    assert (len(found.prints), found.is_whole, found.is_readable) == (1, True, False)


async def test_rows_that_cannot_be_read_make_a_list_incomplete() -> None:
    broken = {**POSITION, "size": "much"}
    async with serving(answering(wire([POSITION, broken]))) as server:
        found = await analytics(server).positions(USER)
        assert not isinstance(found, Failure)
        assert (len(found.items), found.skipped, found.is_complete) == (1, 1, False)
