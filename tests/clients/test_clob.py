import json

import pytest

from pmtui.clients.clob import ClobClient
from pmtui.config.endpoints import Dialect
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.history import Interval
from pmtui.domain.markets.market import Side
from pmtui.reads.trading_routes import LIVE_ROUTES, ROUTES, SEED_ROUTES, Auth, RouteName
from tests.clients.raw_server import answering, serving

TOKEN = TokenId("71")
BOOK = b'{"market":"0xa","asset_id":"71","timestamp":"1","bids":[],"asks":[]}'
PAGE = b'{"data":[{"condition_id":"0xa"}],"next_cursor":"MTAw"}'
LAST = b'{"data":[{"condition_id":"0xb"},{"tokens":3}],"next_cursor":"LTE="}'


async def test_every_public_read_asks_its_one_route() -> None:
    handlers = [
        answering(body)
        for body in (
            b"1790000000",
            BOOK,
            b"[" + BOOK + b"]",
            b'{"c":"0xa","mts":0.01}',
            b'{"condition_id":"0xa","primary_token_id":"1","secondary_token_id":"2"}',
            b'{"history":[]}',
            b'{"price":"0.4"}',
            b'{"71":{"BUY":"0.4"}}',
            b'{"mid":"0.4"}',
            b'{"71":"0.4"}',
            b'{"spread":"0.4"}',
            b'{"71":"0.4"}',
            b'{"price":"0.4","side":"BUY"}',
            b"[]",
            b'{"minimum_tick_size":0.01}',
            b'{"neg_risk":true}',
            b'{"base_fee":0}',
        )
    ]
    async with serving(*handlers) as server:
        client = ClobClient(server.host(), LIVE_ROUTES)
        answers = [
            await client.server_time(),
            await client.book(TOKEN),
            await client.books((TOKEN,)),
            await client.market_terms(ConditionId("0xa")),
            await client.market_of_token(TOKEN),
            await client.prices_history(TOKEN, Interval.DAY),
            await client.price(TOKEN, Side.SELL),
            await client.prices([(TOKEN, Side.BUY)]),
            await client.midpoint(TOKEN),
            await client.midpoints([TOKEN]),
            await client.spread(TOKEN),
            await client.spreads([TOKEN]),
            await client.last_trade(TOKEN),
            await client.last_trades([TOKEN]),
            await client.tick_size(TOKEN),
            await client.neg_risk(TOKEN),
            await client.fee_rate(TOKEN),
        ]
        assert not [answer for answer in answers if isinstance(answer, Failure)]
        assert [line.removesuffix(" HTTP/1.1") for line in server.lines] == [
            "GET /time",
            "GET /book?token_id=71",
            "POST /books",
            "GET /clob-markets/0xa",
            "GET /markets-by-token/71",
            "GET /prices-history?market=71&interval=1d&fidelity=5",
            "GET /price?token_id=71&side=SELL",
            "POST /prices",
            "GET /midpoint?token_id=71",
            "POST /midpoints",
            "GET /spread?token_id=71",
            "POST /spreads",
            "GET /last-trade-price?token_id=71",
            "POST /last-trades-prices",
            "GET /tick-size?token_id=71",
            "GET /neg-risk?token_id=71",
            "GET /fee-rate?token_id=71",
        ]
        assert json.loads(server.calls[2].body) == [{"token_id": "71"}]
        assert json.loads(server.calls[7].body) == [{"token_id": "71", "side": "BUY"}]


@pytest.mark.parametrize(
    ("dialect", "name"), [(Dialect.SEED, "cursor"), (Dialect.LIVE, "next_cursor")]
)
async def test_market_lists_are_walked_by_the_dialects_cursor(dialect: Dialect, name: str) -> None:
    async with serving(answering(PAGE), answering(LAST)) as server:
        client = ClobClient(server.host(), ROUTES[dialect])
        pages = [page async for page in client.all_listed_markets(RouteName.SAMPLING_MARKETS)]
        assert server.lines == [
            "GET /sampling-markets HTTP/1.1",
            f"GET /sampling-markets?{name}=MTAw HTTP/1.1",
        ]
    assert [0 if isinstance(page, Failure) else page.skipped for page in pages] == [0, 1]


async def test_more_books_than_a_request_may_name_take_two() -> None:
    tokens = [TokenId(str(index)) for index in range(501)]
    async with serving(answering(b"[]")) as server:
        assert await ClobClient(server.host(), LIVE_ROUTES).books(tokens) == ()
        assert [len(json.loads(call.body)) for call in server.calls] == [500, 1]


async def test_the_sides_of_a_token_may_come_in_two_answers() -> None:
    wanted = [(TokenId(str(index)), Side.BUY) for index in range(500)] + [(TokenId("7"), Side.SELL)]
    async with serving(
        answering(b'{"7":{"BUY":"0.4"}}'), answering(b'{"7":{"SELL":0.42}}')
    ) as server:
        prices = await ClobClient(server.host(), LIVE_ROUTES).prices(wanted)
    assert prices == {"7": {Side.BUY: 400_000, Side.SELL: 420_000}}


@pytest.mark.parametrize("answer", [b"{", b"<html>"])
async def test_a_part_that_fails_fails_the_whole(answer: bytes) -> None:
    tokens = [TokenId(str(index)) for index in range(501)]
    async with serving(answering(b"{}"), answering(answer)) as server:
        client = ClobClient(server.host(), LIVE_ROUTES)
        assert isinstance(await client.midpoints(tokens), Failure)
        assert isinstance(await client.prices([(t, Side.BUY) for t in tokens]), Failure)
        assert isinstance(await client.books(tokens), Failure)


async def test_only_lists_of_markets_are_listed() -> None:
    async with serving(answering(PAGE)) as server:
        with pytest.raises(ValueError, match="no list"):
            await ClobClient(server.host(), LIVE_ROUTES).listed_markets(RouteName.BOOK)


async def test_a_walk_ends_with_the_failure_it_met() -> None:
    async with serving(answering(PAGE), answering(b"nonsense")) as server:
        client = ClobClient(server.host(), LIVE_ROUTES)
        pages = [page async for page in client.all_listed_markets()]
    assert isinstance(pages[-1], Failure)
    assert len(pages) == 2


async def test_an_answer_that_cannot_be_read_and_a_missing_book_are_failures() -> None:
    missing = answering(b'{"error":"No orderbook exists"}', status="404 Not Found")
    async with serving(answering(b'{"asset_id":3}'), missing) as server:
        client = ClobClient(server.host(), LIVE_ROUTES)
        unreadable, unknown = await client.book(TOKEN), await client.book(TOKEN)
    assert isinstance(unreadable, Failure)
    assert (unreadable.kind, unreadable.route) == (FailureKind.SERVER, "GET /book")
    assert isinstance(unknown, Failure)
    assert unknown.kind is FailureKind.NOT_FOUND


def test_both_dialects_say_everything() -> None:
    assert set(SEED_ROUTES.rows) == set(LIVE_ROUTES.rows) == set(RouteName)
    assert {route.auth for route in LIVE_ROUTES.rows.values()} == set(Auth)
