import json
from datetime import date

from pmtui.clients.account import NotificationsClient
from pmtui.clients.clob import HistoryClient
from pmtui.clients.http.paging import FetchedPage, collect
from pmtui.clients.rewards import EarningsClient, RewardsClient, RewardSearch
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import Interval
from pmtui.reads.trading_routes import LIVE_ROUTES, SEED_ROUTES
from tests.clients.account_kit import account_client, is_signed
from tests.clients.raw_server import answering, serving

ROW = {"condition_id": "0xcc", "rewards_config": []}


def page(cursor: str, **more: int) -> bytes:
    return json.dumps({"data": [ROW], "next_cursor": cursor} | more).encode()


async def test_rewards_are_walked_with_the_dialects_cursor() -> None:
    async with serving(answering(page("NTAw")), answering(page("LTE="))) as server:
        markets = await collect(RewardsClient(server.host(), SEED_ROUTES).walk_rewards())
        assert isinstance(markets, tuple)
        assert len(markets) == 2
        assert server.lines[1] == "GET /rewards/config?cursor=NTAw HTTP/1.1"


async def test_a_walk_tells_how_far_it_is_of_how_much() -> None:
    async with serving(answering(page("NQ==", total_count=2)), answering(page("LTE="))) as server:
        client = EarningsClient(account_client(server.host()).requests)
        steps = [step async for step in client.walk_markets(date(2026, 11, 20))]
        assert all(isinstance(step, FetchedPage) for step in steps)
        assert [(s.seen, s.total) for s in steps if isinstance(s, FetchedPage)] == [
            (1, 2),
            (2, None),
        ]
        assert server.lines[1].endswith("signature_type=3&next_cursor=NQ%3D%3D HTTP/1.1")
        assert all(is_signed(call) for call in server.calls)


async def test_a_search_says_only_what_narrows_it() -> None:
    wanted = RewardSearch(text="rain", order_by="volume_24hr", is_descending=False)
    async with serving(answering(page("LTE="))) as server:
        steps = [s async for s in RewardsClient(server.host(), LIVE_ROUTES).search(wanted)]
        assert len(steps) == 1
        target = "/rewards/markets/multi?q=rain&order_by=volume_24hr&position=ASC&page_size=500"
        assert server.lines == [f"GET {target} HTTP/1.1"]


async def test_dropping_no_notices_is_refused_before_the_wire() -> None:
    async with serving(answering(b'"OK"')) as server:
        told = await NotificationsClient(account_client(server.host()).requests).drop([])
        assert isinstance(told, Failure)
        assert told.kind is FailureKind.CANCELLED
        assert server.calls == []


async def test_more_histories_than_a_request_may_name_take_two() -> None:
    tokens = [TokenId(str(index)) for index in range(21)]
    async with serving(
        answering(b'{"history":{"1":[{"t":2,"p":0.5},{"t":1,"p":0.4}]}}'),
        answering(b'{"history":{"20":[]}}'),
    ) as server:
        client = HistoryClient(server.host(), LIVE_ROUTES)
        found = await client.histories(tokens, Interval.DAY, fidelity_minutes=5)
        assert isinstance(found, dict)
        assert [point.price for point in found[TokenId("1")]] == [400_000, 500_000]
        assert found[TokenId("20")] == ()
        assert [len(json.loads(call.body)["markets"]) for call in server.calls] == [20, 1]
