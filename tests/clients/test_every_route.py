"""Every row of the route table, asked by its client method in both dialects."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import product
from typing import TypeVar

import pytest

from pmtui.clients.account import (
    AccountClient,
    HeartbeatClient,
    KeysClient,
    NotificationsClient,
    create_or_derive,
)
from pmtui.clients.clob import ClobClient, HistoryClient, HostCheck
from pmtui.clients.clob_requests import ServerClock
from pmtui.clients.http.client import HttpHost
from pmtui.clients.http.paging import FetchedPage, collect
from pmtui.clients.rewards import EarningsClient, RewardsClient
from pmtui.config.endpoints import Dialect
from pmtui.domain.account.keys import NO_BUILDER
from pmtui.domain.answers import Failure
from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId
from pmtui.domain.markets.history import Interval
from pmtui.domain.markets.market import Side
from pmtui.domain.orders.order import NoticeId
from pmtui.reads.trading_routes import ROUTES, Auth, ClobRoutes, RouteName
from tests.clients.account_kit import NOW, SIGNER, account_client, is_signed
from tests.clients.raw_server import Call as Request
from tests.clients.raw_server import answering, serving

T = TypeVar("T")

TOKEN, CONDITION, ORDER_ID = TokenId("71"), ConditionId("0xcc"), OrderId("0xaa")
DAY = date(2026, 11, 20)
WALLET = SIGNER.address
BOOK = b'{"market":"0xa","asset_id":"71","timestamp":"1","bids":[],"asks":[]}'
NO_ROWS = b'{"limit":100,"count":0,"next_cursor":"LTE=","data":[]}'
TRIPLE = b'{"apiKey":"k","secret":"c2hhcmVk","passphrase":"p"}'
CANCELLED = b'{"canceled":[],"not_canceled":{}}'
POSTED = b'{"success":true,"errorMsg":"","orderID":"0xa","status":"live"}'


@dataclass(frozen=True)
class Kit:
    """The clients of one host."""

    host: HttpHost
    routes: ClobRoutes

    @property
    def clob(self) -> ClobClient:
        return ClobClient(self.host, self.routes)

    @property
    def account(self) -> AccountClient:
        return account_client(self.host, self.routes)

    @property
    def earnings(self) -> EarningsClient:
        return EarningsClient(self.account.requests)

    @property
    def keys(self) -> KeysClient:
        return KeysClient(self.account.requests)

    @property
    def rewards(self) -> RewardsClient:
        return RewardsClient(self.host, self.routes)

    async def key(self) -> object:
        async def no_time() -> datetime | Failure:
            return NOW

        clock = ServerClock(lambda: NOW, no_time)
        return await create_or_derive(self.host, self.routes, signer=SIGNER, clock=clock)


@dataclass(frozen=True)
class Example:
    """One way to ask, what the host answers, and the target of the request in each dialect."""

    ask: Callable[[Kit], Awaitable[object]]
    answer: bytes
    seed: str
    live: str = ""
    body: object = None


def listed(call: RouteName) -> Callable[[Kit], Awaitable[object]]:
    return lambda kit: kit.clob.listed_markets(call)


def every(
    walk: Callable[[Kit], AsyncIterator[FetchedPage[T] | Failure]],
) -> Callable[[Kit], Awaitable[object]]:
    return lambda kit: collect(walk(kit))


WHO = f"signature_type=3&maker_address={WALLET}"
SIG = "signature_type=3"
TOKEN_ROWS = [{"token_id": "71"}]

EXAMPLES: dict[RouteName, Example] = {
    RouteName.CHECK: Example(lambda k: HostCheck(k.host, k.routes).reach(), b'"OK"', "/", "/ok"),
    RouteName.TIME: Example(lambda k: k.clob.server_time(), b"1790000000", "/time"),
    RouteName.VERSION: Example(
        lambda k: HostCheck(k.host, k.routes).order_version(), b'{"version":2}', "/version"
    ),
    RouteName.MARKETS: Example(listed(RouteName.MARKETS), NO_ROWS, "/markets"),
    RouteName.SIMPLIFIED_MARKETS: Example(
        listed(RouteName.SIMPLIFIED_MARKETS), NO_ROWS, "/simplified-markets"
    ),
    RouteName.SAMPLING_MARKETS: Example(
        listed(RouteName.SAMPLING_MARKETS), NO_ROWS, "/sampling-markets"
    ),
    RouteName.SAMPLING_SIMPLIFIED_MARKETS: Example(
        listed(RouteName.SAMPLING_SIMPLIFIED_MARKETS), NO_ROWS, "/sampling-simplified-markets"
    ),
    RouteName.MARKET: Example(
        lambda k: k.clob.listed_market(CONDITION), b'{"condition_id":"0xcc"}', "/markets/0xcc"
    ),
    RouteName.MARKET_TERMS: Example(
        lambda k: k.clob.market_terms(CONDITION), b'{"c":"0xcc","mts":0.01}', "/clob-markets/0xcc"
    ),
    RouteName.BOOK: Example(lambda k: k.clob.book(TOKEN), BOOK, "/book?token_id=71"),
    RouteName.BOOKS: Example(
        lambda k: k.clob.books([TOKEN]), b"[" + BOOK + b"]", "/books", body=TOKEN_ROWS
    ),
    RouteName.MARKET_OF_TOKEN: Example(
        lambda k: k.clob.market_of_token(TOKEN),
        b'{"condition_id":"0xa","primary_token_id":"1","secondary_token_id":"2"}',
        "/markets-by-token/71",
    ),
    RouteName.PRICE: Example(
        lambda k: k.clob.price(TOKEN, Side.BUY), b'{"price":0.4}', "/price?token_id=71&side=BUY"
    ),
    RouteName.PRICES: Example(
        lambda k: k.clob.prices([(TOKEN, Side.BUY)]),
        b'{"71":{"BUY":"0.4"}}',
        "/prices",
        body=[{"token_id": "71", "side": "BUY"}],
    ),
    RouteName.MIDPOINT: Example(
        lambda k: k.clob.midpoint(TOKEN), b'{"mid":"0.4"}', "/midpoint?token_id=71"
    ),
    RouteName.MIDPOINTS: Example(
        lambda k: k.clob.midpoints([TOKEN]), b'{"71":"0.4"}', "/midpoints", body=TOKEN_ROWS
    ),
    RouteName.SPREAD: Example(
        lambda k: k.clob.spread(TOKEN), b'{"spread":"0.4"}', "/spread?token_id=71"
    ),
    RouteName.SPREADS: Example(
        lambda k: k.clob.spreads([TOKEN]), b'{"71":"0.4"}', "/spreads", body=TOKEN_ROWS
    ),
    RouteName.TICK_SIZE: Example(
        lambda k: k.clob.tick_size(TOKEN),
        b'{"minimum_tick_size":0.01}',
        "/tick-size?token_id=71",
    ),
    RouteName.NEG_RISK: Example(
        lambda k: k.clob.neg_risk(TOKEN), b'{"neg_risk":true}', "/neg-risk?token_id=71"
    ),
    RouteName.FEE_RATE: Example(
        lambda k: k.clob.fee_rate(TOKEN), b'{"fee_rate_bps":"0"}', "/fee-rate?token_id=71"
    ),
    RouteName.LAST_TRADE: Example(
        lambda k: k.clob.last_trade(TOKEN),
        b'{"price":"0.4","side":"BUY"}',
        "/last-trade-price?token_id=71",
    ),
    RouteName.LAST_TRADES: Example(
        lambda k: k.clob.last_trades([TOKEN]), b"[]", "/last-trades-prices", body=TOKEN_ROWS
    ),
    RouteName.PRICES_HISTORY: Example(
        lambda k: HistoryClient(k.host, k.routes).between(
            TOKEN, datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 3, tzinfo=UTC)
        ),
        b'{"history":[]}',
        "/prices-history?market=71&startTs=1767225600&endTs=1767398400&fidelity=5",
    ),
    RouteName.PRICES_HISTORIES: Example(
        lambda k: HistoryClient(k.host, k.routes).histories(
            [TOKEN], Interval.DAY, fidelity_minutes=5
        ),
        b'{"history":{"71":[{"t":1,"p":0.5}]}}',
        "/batch-prices-history",
        body={"markets": ["71"], "interval": "1d", "fidelity": 5},
    ),
    RouteName.CREATE_KEY: Example(lambda k: k.key(), TRIPLE, "/auth/api-key"),
    RouteName.API_KEYS: Example(
        lambda k: k.account.api_keys(), b'{"apiKeys":["k"]}', "/auth/api-keys"
    ),
    RouteName.CLOSED_ONLY: Example(
        lambda k: k.account.is_closed_only(),
        b'{"closed_only":false}',
        "/auth/ban-status/closed-only",
    ),
    RouteName.READONLY_KEYS: Example(
        lambda k: k.keys.readonly_keys(), b'{"readonlyApiKeys":["k"]}', "/auth/readonly-api-keys"
    ),
    RouteName.CREATE_BUILDER_KEY: Example(
        lambda k: k.keys.create_builder_key(), TRIPLE, "/auth/builder-api-key"
    ),
    RouteName.BUILDER_KEYS: Example(
        lambda k: k.keys.builder_keys(),
        b'["k"]',
        "/auth/builder-api-keys",
        "/auth/builder-api-key",
    ),
    RouteName.REVOKE_BUILDER_KEY: Example(
        lambda k: k.keys.revoke_builder_key(ApiKey("a/b")),
        b'["a/b"]',
        "/auth/builder-api-key/a%2Fb",
        "/auth/builder-api-key",
    ),
    RouteName.BUILDER_FEES: Example(
        lambda k: k.keys.builder_fees(NO_BUILDER),
        b'{"builder_maker_fee_rate_bps":0,"builder_taker_fee_rate_bps":100}',
        f"/fees/builder-fees/{NO_BUILDER}",
    ),
    RouteName.BALANCE: Example(
        lambda k: k.account.balance(),
        b'{"balance":"7","allowances":{}}',
        f"/balance-allowance?asset_type=collateral&{SIG}",
        f"/balance-allowance?asset_type=COLLATERAL&{SIG}",
    ),
    RouteName.REFRESH_BALANCE: Example(
        lambda k: k.account.refresh_balance(TOKEN),
        b"",
        f"/balance-allowance/update?asset_type=conditional&token_id=71&{SIG}",
        f"/balance-allowance/update?asset_type=CONDITIONAL&token_id=71&{SIG}",
    ),
    RouteName.POST_ORDER: Example(lambda k: k.account.post_order(b"{}"), POSTED, "/order", body={}),
    RouteName.POST_ORDERS: Example(
        lambda k: k.account.post_orders([b"{}"]), b"[" + POSTED + b"]", "/orders", body=[{}]
    ),
    RouteName.CANCEL: Example(
        lambda k: k.account.cancel((ORDER_ID,)), CANCELLED, "/order", body={"orderID": "0xaa"}
    ),
    RouteName.CANCEL_MANY: Example(
        lambda k: k.account.cancel((ORDER_ID, OrderId("0xab"))), CANCELLED, "/orders"
    ),
    RouteName.CANCEL_MARKET: Example(
        lambda k: k.account.cancel_market(condition_id=CONDITION, token_id=None),
        CANCELLED,
        "/cancel-market-orders",
        body={"market": "0xcc"},
    ),
    RouteName.CANCEL_ALL: Example(lambda k: k.account.cancel_all(), CANCELLED, "/cancel-all"),
    RouteName.ORDER: Example(
        lambda k: k.account.order(ORDER_ID), b"null", "/order/0xaa", "/data/order/0xaa"
    ),
    RouteName.OPEN_ORDERS: Example(
        every(lambda k: k.account.walk_open_orders(condition_id=CONDITION)),
        NO_ROWS,
        "/data/orders?market=0xcc",
    ),
    RouteName.TRADES: Example(
        every(lambda k: k.account.walk_fills(after=NOW, before=NOW, token_id=TOKEN)),
        NO_ROWS,
        "/data/trades?asset_id=71&before=1790000100&after=1790000100",
    ),
    RouteName.HEARTBEAT: Example(
        lambda k: HeartbeatClient(k.account.requests).beat(),
        b'{"heartbeat_id":"h1"}',
        "/v1/heartbeats",
        body={"heartbeat_id": ""},
    ),
    RouteName.NOTICES: Example(
        lambda k: NotificationsClient(k.account.requests).notices(),
        b"[]",
        f"/notifications?{SIG}",
    ),
    RouteName.DROP_NOTICES: Example(
        lambda k: NotificationsClient(k.account.requests).drop([NoticeId("1"), NoticeId("2")]),
        b'"OK"',
        "/notifications?ids=1%2C2",
    ),
    RouteName.SCORING: Example(
        lambda k: k.earnings.is_scoring(ORDER_ID),
        b'{"scoring":true}',
        "/orders/scoring?order_id=0xaa",
        "/order-scoring?order_id=0xaa",
    ),
    RouteName.SCORINGS: Example(
        lambda k: k.earnings.are_scoring([ORDER_ID]),
        b'{"0xaa":true}',
        "/orders/scoring",
        "/orders-scoring",
        body=["0xaa"],
    ),
    RouteName.REWARDS: Example(
        every(lambda k: k.rewards.walk_rewards()),
        NO_ROWS,
        "/rewards/config",
        "/rewards/markets/current",
    ),
    RouteName.MARKET_REWARDS: Example(
        lambda k: k.rewards.of_market(CONDITION),
        NO_ROWS,
        "/rewards/raw?market=0xcc",
        "/rewards/markets/0xcc",
    ),
    RouteName.REWARD_SEARCH: Example(
        every(lambda k: k.rewards.search()), NO_ROWS, "/rewards/markets/multi?page_size=500"
    ),
    RouteName.EARNINGS: Example(
        lambda k: k.earnings.earnings(DAY),
        NO_ROWS,
        f"/rewards/earnings?date=2026-11-20&{WHO}",
        f"/rewards/user?date=2026-11-20&{SIG}",
    ),
    RouteName.TOTAL_EARNINGS: Example(
        lambda k: k.earnings.total_earnings(DAY),
        b"[]",
        f"/rewards/total-earnings?date=2026-11-20&{WHO}",
        f"/rewards/user/total?date=2026-11-20&{SIG}",
    ),
    RouteName.REWARD_PERCENTAGES: Example(
        lambda k: k.earnings.percentages(),
        b'{"0xcc":20.5}',
        f"/rewards/percentages?{WHO}",
        f"/rewards/user/percentages?{SIG}",
    ),
    RouteName.MARKET_EARNINGS: Example(
        every(lambda k: k.earnings.walk_markets(DAY)),
        NO_ROWS,
        f"/rewards/markets?date=2026-11-20&{WHO}",
        f"/rewards/user/markets?date=2026-11-20&{SIG}",
    ),
    RouteName.REBATES: Example(
        lambda k: k.rewards.rebates(DAY, Address("0xW")),
        b"[]",
        "/rebates?date=2026-11-20&maker_address=0xW",
        "/rebates/current?date=2026-11-20&maker_address=0xW",
    ),
}
DERIVED = Example(lambda k: k.key(), TRIPLE, "/auth/derive-api-key")


def test_there_is_an_example_of_every_row() -> None:
    assert EXAMPLES.keys() | {RouteName.DERIVE_KEY} == set(RouteName)


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("call", EXAMPLES, ids=lambda call: call.value)
async def test_a_method_asks_its_row_and_reads_the_answer(
    call: RouteName, dialect: Dialect
) -> None:
    example, routes = EXAMPLES[call], ROUTES[dialect]
    async with serving(answering(example.answer)) as server:
        answer = await example.ask(Kit(server.host(), routes))
        assert not isinstance(answer, Failure)
        request = server.calls[-1]
    target = example.seed if dialect is Dialect.SEED else example.live or example.seed
    assert request.line == f"{routes.route(call).method} {target} HTTP/1.1"
    assert credentials_of(request) is routes.route(call).auth
    if example.body is not None:
        assert json.loads(request.body) == example.body


async def test_credentials_are_derived_where_creating_is_refused() -> None:
    refused = answering(b'{"error":"Could not create api key"}', status="400 Bad Request")
    async with serving(refused, answering(DERIVED.answer)) as server:
        assert not isinstance(await DERIVED.ask(Kit(server.host(), ROUTES[Dialect.SEED])), Failure)
        assert server.lines[-1] == f"GET {DERIVED.seed} HTTP/1.1"
        assert credentials_of(server.calls[-1]) is Auth.OWNER


def credentials_of(request: Request) -> Auth:
    if "poly_api_key" in request.headers:
        assert is_signed(request)
        return Auth.KEY
    return Auth.OWNER if "poly_nonce" in request.headers else Auth.PUBLIC


FAULTS = (
    (b"<html>", "200 OK"),
    (b"{", "200 OK"),
    (b'{"error":"Internal server error"}', "500 Internal Server Error"),
    (b'{"error":"Invalid payload"}', "400 Bad Request"),
)
MUTE = (RouteName.CHECK, RouteName.REFRESH_BALANCE, RouteName.DROP_NOTICES)
"""Where only the status counts, what the body holds does not."""


@pytest.mark.parametrize("call", EXAMPLES, ids=lambda call: call.value)
async def test_whatever_goes_wrong_is_a_failure(call: RouteName) -> None:
    for dialect, (body, status) in product(Dialect, FAULTS):
        async with serving(answering(body, status=status)) as server:
            answer = await EXAMPLES[call].ask(Kit(server.host(), ROUTES[dialect]))
        is_cut_off = status == "200 OK" and body == b"{"
        revokes_by_name = call is RouteName.REVOKE_BUILDER_KEY and dialect is Dialect.SEED
        if not (is_cut_off and (call in MUTE or revokes_by_name)):
            assert isinstance(answer, Failure), (dialect, body, answer)
