"""The venue's live numbers, laid over the catalogue's rows."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from typing_extensions import override

from pmtui.domain.ids import MarketId
from pmtui.domain.money import ONE, ZERO, Micros
from pmtui.sim.catalogue.load import load_packaged
from pmtui.sim.catalogue.model import Catalogue, CatalogueMarket
from pmtui.sim.gamma.rows import LiveMarket, LiveNumbers
from tests.sim.metadata_client import MetadataClient

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
_LIVE = LiveMarket(
    best_bid=Micros(410_000),
    best_ask=Micros(430_000),
    last_trade=Micros(420_000),
    volume=Micros(9_000_000_500_000),
    volume_24h=Micros(12_345_678_000),
    liquidity=Micros(2_000 * ONE),
    tick_size=Micros(10_000),
    is_closed=False,
)


class _Numbers(LiveNumbers):
    def __init__(self) -> None:
        self.live: dict[MarketId, LiveMarket] = {}

    @override
    def now(self) -> datetime:
        return NOW

    @override
    def market(self, market: CatalogueMarket) -> LiveMarket | None:
        return self.live.get(market.market_id)


@pytest.fixture
def numbers() -> _Numbers:
    return _Numbers()


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_packaged(NOW)


@pytest.fixture
def host(catalogue: Catalogue, numbers: _Numbers) -> MetadataClient:
    return MetadataClient(catalogue, numbers)


@pytest.fixture(scope="module")
def market(catalogue: Catalogue) -> CatalogueMarket:
    events = catalogue.events
    return next(
        event.markets[0]
        for event in events
        if len(event.markets) == 3 and all(one.is_tradable for one in event.markets)
    )


def test_live_numbers_replace_those_of_the_catalogue(
    host: MetadataClient, numbers: _Numbers, market: CatalogueMarket
) -> None:
    numbers.live[market.market_id] = _LIVE
    row = host.get(f"/markets/{market.market_id}").json()
    assert (row["bestBid"], row["bestAsk"], row["spread"]) == (0.41, 0.43, 0.02)
    assert row["lastTradePrice"] == 0.42
    assert json.loads(row["outcomePrices"]) == ["0.42", "0.58"]
    assert (row["volume"], row["volumeNum"]) == ("9000000.5", 9000000.5)
    assert row["liquidityNum"] == 2000
    assert row["question"] == market.question
    assert not row["closed"]


def test_empty_sides_stand_as_zero_and_one(
    host: MetadataClient, numbers: _Numbers, market: CatalogueMarket
) -> None:
    numbers.live[market.market_id] = replace(_LIVE, best_bid=None)
    row = host.get(f"/markets/{market.market_id}").json()
    assert (row["bestBid"], row["bestAsk"]) == (0, 0.43)
    numbers.live[market.market_id] = replace(_LIVE, best_bid=None, best_ask=None, last_trade=None)
    row = host.get(f"/markets/{market.market_id}").json()
    assert (row["bestBid"], row["bestAsk"], row["spread"]) == (0, 1, 1)
    assert row["outcomePrices"] == market.raw["outcomePrices"]


def test_a_resolved_market_moves_to_the_closed_lists(
    host: MetadataClient, numbers: _Numbers, market: CatalogueMarket
) -> None:
    numbers.live[market.market_id] = replace(
        _LIVE, is_closed=True, payouts=(ONE, ZERO), closed_at=NOW
    )
    found = {"clob_token_ids": market.token_ids[0]}
    assert host.get("/markets", params=found).json() == []
    [row] = host.get("/markets", params={**found, "closed": "true"}).json()
    assert json.loads(row["outcomePrices"]) == ["1", "0"]
    assert row["umaResolutionStatus"] == "resolved"
    assert row["closedTime"] == "2026-11-21 09:30:00+00"
    assert row["acceptingOrders"] is False


def test_an_event_closes_with_its_last_market_and_adds_up_volumes(
    host: MetadataClient, numbers: _Numbers, catalogue: Catalogue, market: CatalogueMarket
) -> None:
    event = catalogue.event_of(market)
    path = f"/events/{event.event_id}"
    before = host.get(path).json()
    numbers.live[market.market_id] = replace(_LIVE, is_closed=True)
    after = host.get(path).json()
    was = market.raw.get("volumeNum", 0)
    assert isinstance(was, int | float)
    assert after["volume"] - before.get("volume", 0) == pytest.approx(9_000_000.5 - was)
    assert not after["closed"]
    for one in event.markets:
        numbers.live[one.market_id] = replace(_LIVE, is_closed=True)
    assert host.get(path).json()["closed"]
    listed = host.get("/events", params={"id": event.event_id, "closed": "false"}).json()
    assert listed == []


def test_filters_and_orders_use_live_numbers(
    host: MetadataClient, numbers: _Numbers, market: CatalogueMarket
) -> None:
    numbers.live[market.market_id] = replace(_LIVE, volume=Micros(10**9 * ONE))
    first = host.get("/markets?order=volumeNum&ascending=false&limit=1").json()
    assert [row["id"] for row in first] == [market.market_id]
    rich = host.get("/markets?volume_num_min=900000000").json()
    assert [row["id"] for row in rich] == [market.market_id]
    events = host.get("/events?volume_min=900000000").json()
    assert [row["id"] for row in events] == [market.event_id]
    top = host.get("/events?order=volume&ascending=false&limit=1").json()
    assert [row["id"] for row in top] == [market.event_id]


def test_an_order_by_a_seldom_changing_field_uses_it_where_it_changed(
    host: MetadataClient, numbers: _Numbers, market: CatalogueMarket
) -> None:
    numbers.live[market.market_id] = replace(_LIVE, last_trade=Micros(999_900))
    top = host.get("/markets?order=lastTradePrice&ascending=false&limit=1").json()
    assert [row["id"] for row in top] == [market.market_id]
    numbers.live[market.market_id] = replace(_LIVE, last_trade=None)
    rows = host.get("/markets?order=lastTradePrice&ascending=false&limit=500").json()
    prices = [row["lastTradePrice"] for row in rows if "lastTradePrice" in row]
    assert prices == sorted(prices, reverse=True)


def test_numbers_are_asked_for_again_with_every_request(
    host: MetadataClient, numbers: _Numbers, market: CatalogueMarket
) -> None:
    path = f"/markets/{market.market_id}"
    numbers.live[market.market_id] = _LIVE
    assert host.get(path).json()["bestBid"] == 0.41
    numbers.live[market.market_id] = replace(_LIVE, best_bid=Micros(400_000))
    assert host.get(path).json()["bestBid"] == 0.4


def test_what_never_traded_has_no_volume(
    host: MetadataClient, numbers: _Numbers, catalogue: Catalogue
) -> None:
    fresh = next(m for e in catalogue.events for m in e.markets if "volume" not in m.raw)
    quiet = replace(_LIVE, volume=ZERO, volume_24h=ZERO, last_trade=None, best_bid=None)
    numbers.live[fresh.market_id] = quiet
    row = host.get(f"/markets/{fresh.market_id}").json()
    assert not [key for key in row if key.startswith("volume")]
    assert "lastTradePrice" not in row
    assert ("bestBid" in row) == ("bestBid" in fresh.raw)
    numbers.live[fresh.market_id] = _LIVE
    assert host.get(f"/markets/{fresh.market_id}").json()["volumeNum"] == 9_000_000.5


def test_a_market_without_a_book_bids_nothing(
    host: MetadataClient, numbers: _Numbers, market: CatalogueMarket
) -> None:
    numbers.live[market.market_id] = replace(_LIVE, best_bid=None, best_ask=None)
    row = host.get(f"/markets/{market.market_id}").json()
    assert (row["bestBid"], row["bestAsk"], row["spread"]) == (0, 1, 1)
