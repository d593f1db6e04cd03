"""Hosts that lie about a market's tokens, between the real service and the local venue."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pmtui.clients.clob import ClobClient
from pmtui.clients.gamma import GammaClient
from pmtui.clients.http.client import HttpHost
from pmtui.config.endpoints import Dialect
from pmtui.domain.answers import Failure
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.identity import METADATA_HOST, TRADING_HOST, find_disagreement
from pmtui.domain.markets.market import Market, MarketSort, Side
from pmtui.domain.money import parse_micros
from pmtui.domain.orders.order import LimitIntent, Rejected
from pmtui.reads.trading_routes import ROUTES
from pmtui.service.data_service import DataService
from pmtui.service.journal.journal import Journal
from pmtui.service.profile import Profile
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import MarketTopic
from pmtui.service.views import Load, Mode
from pmtui.signing.contracts import token_ids
from pmtui.sim.run import VenueOptions, running_venue
from tests.cli.at_venue import TimeWithoutPolls, on_first_key, until, urls_of
from tests.clients.raw_server import Call, serving
from tests.sim.clock import ManualClock
from tests.sim.kit import (
    RAIN,
    RAIN_NO,
    RAIN_YES,
    SNOW_NO,
    SNOW_YES,
    START_MS,
    Person,
    http_client,
    small_venue,
)

HERE = ConditionId(RAIN)
Lie = Callable[[str], str]
"""Changes the text of an answer."""


def swap(text: str, first: str, second: str) -> str:
    return text.replace(first, "\0").replace(second, first).replace("\0", second)


def swapped_labels(text: str) -> str:
    return swap(text, '"o":"Yes"', '"o":"No"')


def swapped_tokens(text: str) -> str:
    return swap(text, RAIN_YES, RAIN_NO)


def others_tokens(text: str) -> str:
    return swap(swap(text, RAIN_YES, SNOW_YES), RAIN_NO, SNOW_NO)


def flipped_kind(text: str) -> str:
    answer = json.loads(text)
    if isinstance(answer, dict) and "mts" in answer:
        answer["nr"] = not answer.get("nr", False)
    return json.dumps(answer)


def honest(text: str) -> str:
    return text


@asynccontextmanager
async def lying(target: str, lie: Lie) -> AsyncIterator[str]:
    """Stands before a host and change what it says of markets; gives the address."""
    async with http_client() as http:

        async def pass_on(call: Call) -> None:
            method, path, _ = call.line.split(" ")
            headers = {
                k: v for k, v in call.headers.items() if k not in ("host", "accept-encoding")
            }
            answer = await http.request(method, target + path, headers=headers, content=call.body)
            is_market = any(part in path for part in ("/clob-markets", "/markets", "/events"))
            text = lie(answer.text) if is_market else answer.text
            await call.answer(text.encode(), status=f"{answer.status_code} Said")

        async with serving(pass_on) as server:
            yield server.url


@asynccontextmanager
async def trading_through(folder: Path, *, clob: Lie, gamma: Lie) -> AsyncIterator[DataService]:
    async with small_venue(folder) as running, http_client() as http:
        _ = await Person(running, http, key=0).arrive()
        urls, clock = urls_of(running), TimeWithoutPolls(running)
        async with lying(urls.clob, clob) as clob_url, lying(urls.gamma, gamma) as gamma_url:
            urls = replace(urls, clob=clob_url, gamma=gamma_url)
            service = DataService(
                profile=Profile("test", Mode.LIVE), connect=on_first_key(urls, clock, dialect=Dialect.LIVE),
                clock=clock, journal=Journal(folder / "journal.sqlite"), rng=random.Random(7),
            )  # fmt: skip
            async with service.running():
                service.hub.subscribe([MarketTopic(HERE)], lambda _: None)
                await until(service, lambda: service.queries.account().load is Load.READY)
                await until(service, lambda: service.queries.market(HERE).terms is not None)
                await until(service, lambda: service.queries.market(HERE).market is not None)
                yield service


async def prepared(service: DataService) -> AsyncIterator[PreparedOrder | Rejected]:
    """Try to buy each outcome that the trading host names."""
    terms = service.queries.market(HERE).terms
    assert terms is not None
    for token_id in terms.token_ids:
        yield await service.commands.prepare(
            LimitIntent(HERE, token_id, Side.BUY, parse_micros("0.3"), parse_micros("10"))
        )


async def test_between_honest_hosts_orders_are_prepared(tmp_path: Path) -> None:
    async with trading_through(tmp_path, clob=honest, gamma=honest) as service:
        orders = [order async for order in prepared(service)]
        for order, token_id in zip(orders, (RAIN_YES, RAIN_NO), strict=True):
            assert isinstance(order, PreparedOrder)
            assert order.unsigned.draft.token_id == token_id


@pytest.mark.parametrize(
    ("clob", "gamma"),
    [
        (others_tokens, honest),
        (swapped_labels, honest),
        (swapped_tokens, swapped_tokens),
        (others_tokens, others_tokens),
        (flipped_kind, honest),
        (honest, swapped_tokens),
    ],
)
async def test_nothing_is_prepared_for_a_market_that_a_host_lies_about(
    tmp_path: Path, clob: Lie, gamma: Lie
) -> None:
    async with trading_through(tmp_path, clob=clob, gamma=gamma) as service:
        async for order in prepared(service):
            assert isinstance(order, Rejected)
            assert TRADING_HOST in order.reason
            assert METADATA_HOST in order.reason


@pytest.mark.slow
async def test_every_market_of_the_local_venue_is_what_its_condition_id_says() -> None:
    options = VenueOptions(speed=0)
    async with running_venue(options, clock=ManualClock(START_MS)) as running:
        urls = urls_of(running)
        gamma_host, clob_host = HttpHost(urls.gamma), HttpHost(urls.clob)
        clob = ClobClient(clob_host, ROUTES[Dialect.LIVE])
        gamma = GammaClient(
            gamma_host, Dialect.LIVE, now=lambda: datetime.fromtimestamp(START_MS / 1000, tz=UTC)
        )
        markets = [m for m in await _listed(gamma) if m.is_tradable]
        assert len(markets) > 300
        for start in range(0, len(markets), 50):
            part = markets[start : start + 50]
            assert all(await asyncio.gather(*(_agrees(clob, market) for market in part)))
        await gamma_host.aclose()
        await clob_host.aclose()


async def _listed(gamma: GammaClient) -> list[Market]:
    markets: list[Market] = []
    cursor: str | None = None
    while True:
        page: Any = await gamma.list_events(
            sort=MarketSort.VOLUME, tag_slug="", include_closed=False, cursor=cursor
        )
        assert not isinstance(page, Failure)
        markets += [market for event in page.items for market in event.markets]
        cursor = page.next_cursor
        if cursor is None:
            return markets


async def _agrees(clob: ClobClient, market: Market) -> bool:
    assert market.condition_id is not None
    terms = await clob.market_terms(market.condition_id)
    assert not isinstance(terms, Failure)
    derived: tuple[TokenId, ...] = token_ids(market.condition_id, neg_risk=terms.neg_risk)
    return find_disagreement(market.condition_id, market, terms, derived=derived) is None
