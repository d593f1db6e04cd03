"""What the venue keeps in memory stays bounded, however long it runs and whatever it is asked."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest

from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, ZERO, Micros
from pmtui.domain.orders.order import TradeStatus
from pmtui.sim.catalogue.load import load_packaged
from pmtui.sim.catalogue.model import Catalogue
from pmtui.sim.clob import price_history
from pmtui.sim.clob.price_history import PastPrices
from pmtui.sim.engine.events import Trade, TradeMatched
from pmtui.sim.storage.maintenance import WINDOW_KEPT, Maintenance
from pmtui.sim.storage.persistence import TAPE_LENGTH, Store
from pmtui.sim.storage.records import (
    POINTS_PER_MARKET,
    RECENT_IN_ALL,
    RECENT_OF_MARKETS,
    RECENT_PER_MARKET,
    VOLUME_SPAN_MS,
    PriceSeries,
    Records,
)
from pmtui.sim.traders import Traders
from pmtui.sim.venue import Venue
from tests.sim.clock import ManualClock
from tests.sim.traders.floor import START

SLOT = timedelta(minutes=5)
ANN = Address("0x" + "a1" * 20)
TRADE = Trade(
    trade_id=TradeId("0"),
    transaction_hash="0x",
    bucket_index=0,
    condition_id=ConditionId("0xa"),
    taker_order_id=OrderId("0x1"),
    taker_account=ANN,
    taker_owner=ApiKey(""),
    token_id=TokenId("1"),
    side=Side.BUY,
    price=Micros(ONE // 2),
    size=ONE,
    cash=Micros(ONE // 2),
    fee=ZERO,
    makers=(),
    matched_ms=0,
    updated_ms=0,
    status=TradeStatus.MATCHED,
)


def _trade(number: int, market: str) -> Trade:
    name = ConditionId(market)
    return replace(TRADE, trade_id=TradeId(str(number)), condition_id=name, matched_ms=number)


def test_prices_become_fewer_the_older_they_are_and_the_first_stays() -> None:
    series = PriceSeries()
    for number in range(20 * POINTS_PER_MARKET):
        series.note(10 * number, Micros(number))
        assert len(series) <= POINTS_PER_MARKET
    assert series.at(-1) is None
    assert series.at(0) == 0
    assert series.last == 20 * POINTS_PER_MARKET - 1
    newest = series.moments[-POINTS_PER_MARKET // 2 :]
    assert newest[-1] - newest[0] == 10 * (len(newest) - 1)


def test_tapes_are_bounded_by_market_and_in_all_and_the_store_knows_the_rest() -> None:
    written: dict[str, list[Trade]] = {}
    records = Records(lambda name: written.get(name, []))
    markets = [f"0x{number}" for number in range(40)]
    for number in range(len(markets) * RECENT_PER_MARKET):
        market = markets[number // RECENT_PER_MARKET]
        trade = _trade(number, market)
        records.apply((TradeMatched(trade),))
        written.setdefault(market, []).append(trade)
    assert len(records.all_recent()) == RECENT_IN_ALL
    first, last = written[markets[0]], written[markets[-1]]
    assert list(records.all_recent([markets[0]])) == first
    written.clear()
    kept = [len(records.all_recent([market])) for market in markets]
    assert sum(kept) == RECENT_OF_MARKETS
    assert kept[0] == 0
    assert list(records.all_recent([markets[-1]])) == last
    # Who trades again has its written trades before the new one, none of them twice.
    written[markets[0]] = first
    newest = _trade(10**6, markets[0])
    records.apply((TradeMatched(newest),))
    assert list(records.all_recent([markets[0]])) == [*first[1:], newest]


def test_a_tape_that_came_back_is_bounded_as_well() -> None:
    records = Records()
    markets = RECENT_OF_MARKETS // TAPE_LENGTH + 3
    trades = [
        _trade(number, f"0x{number // TAPE_LENGTH}") for number in range(markets * TAPE_LENGTH)
    ]
    records.restore_tape(trades)
    assert len(records.all_recent()) == RECENT_IN_ALL
    kept = [len(records.all_recent([f"0x{number}"])) for number in range(markets)]
    assert kept == [0] * 3 + [TAPE_LENGTH] * (markets - 3)


def test_volumes_are_known_for_a_day_and_in_all() -> None:
    records = Records()
    for hour in range(100):
        trade = replace(TRADE, matched_ms=hour * 3_600_000)
        records.apply((TradeMatched(trade),))
    half = ONE // 2
    assert records.volume(TRADE.condition_id) == 100 * half
    now_ms = 99 * 3_600_000
    assert records.volume_since(TRADE.condition_id, now_ms - VOLUME_SPAN_MS) == 25 * half
    assert records.volume_since(TRADE.condition_id, now_ms - 3_600_000) == 2 * half
    assert records.volume_since(TRADE.condition_id, 0) <= 26 * half


def _windows(catalogue: Catalogue) -> Catalogue:
    events = [event for event in catalogue.events if event.markets[0].is_window]
    return Catalogue([*events, catalogue.events[-1]], extras=catalogue.extras)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(int(START.timestamp() * 1_000))


@pytest.fixture
def venue(clock: ManualClock) -> Iterator[Venue]:
    catalogue = _windows(load_packaged(clock.now()))
    with closing(Venue(catalogue, clock=clock, store=Store())) as opened:
        yield opened


@pytest.mark.slow
def test_a_day_of_five_minute_windows_leaves_no_more_than_two_hours_of_them(
    venue: Venue, clock: ManualClock
) -> None:
    maintenance = Maintenance(venue)
    traders = Traders(venue, seed=1, speed=1)
    traders.fill_books()
    prices = PastPrices(venue)
    bought = next(m for m in venue.catalogue.markets if m.is_window and m.is_tradable)
    venue.fund(ANN, Micros(100 * ONE))
    venue.act(lambda x, now_ms: x.split(ANN, bought.condition_id, ONE, now_ms=now_ms))
    counts: list[tuple[int, int, int]] = []
    for _ in range(24 * 12):
        clock.step(int(SLOT.total_seconds()) * 1_000)
        maintenance.tick()
        for market in venue.catalogue.markets:
            prices.change(market, "oneDayPriceChange")
        counts.append(
            (
                len(venue.catalogue.events),
                len(venue.exchange.reads.markets()),
                len(venue.exchange.reads.resting(bought.condition_id)),
            )
        )
    settled = 12 * (WINDOW_KEPT // timedelta(hours=1)) + 2
    assert len(set(counts[settled:])) == 1
    assert len(prices._opened) <= 2 * len(venue.catalogue.markets) + 1
    # What somebody holds is known for good, and can be redeemed.
    assert venue.market(bought.condition_id) is bought
    assert venue.trading(bought.condition_id) is not None
    assert venue.exchange.reads.audit() == []


def test_a_window_that_is_gone_leaves_nothing_behind(venue: Venue, clock: ManualClock) -> None:
    maintenance = Maintenance(venue)
    window = next(m for m in venue.catalogue.markets if m.is_window and m.is_tradable)
    event = venue.catalogue.event_of(window)
    trade = replace(TRADE, condition_id=window.condition_id, token_id=window.token_ids[0])
    venue.records.apply((TradeMatched(trade),))
    venue.write_tape([trade])
    assert not venue.remove_event(event)
    clock.step(int((WINDOW_KEPT + timedelta(hours=1)).total_seconds()) * 1_000)
    maintenance.tick()
    maintenance.tick()
    clock.step(int(SLOT.total_seconds()) * 1_000)
    maintenance.tick()
    assert venue.market(window.condition_id) is None
    assert venue.trading(window.condition_id) is None
    assert venue.catalogue.market_by_slug(window.slug) is None
    assert venue.market_of_token(window.token_ids[1]) is None
    assert venue.catalogue.event(event.event_id) is None
    assert not venue.records.all_recent()
    assert not venue.records.all_recent([window.condition_id])
    assert venue.records.volume(window.condition_id) == 0
    assert venue.exchange.reads.audit() == []


def test_few_waves_of_past_prices_are_kept() -> None:
    assert price_history._node.cache_info().maxsize == price_history.NODES <= 5_000
