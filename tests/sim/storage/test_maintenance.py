"""The venue's timers, driven by a clock that moves only when told."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pmtui.domain.ids import Address
from pmtui.domain.money import ONE, Micros
from pmtui.sim.catalogue.load import load_packaged
from pmtui.sim.catalogue.model import Activity
from pmtui.sim.engine.events import Event, MarketAdded, MarketResolved
from pmtui.sim.storage.maintenance import PERIOD_MS, Maintenance, PublicTape
from pmtui.sim.storage.persistence import TAPE_LENGTH, Store
from pmtui.sim.venue import Venue
from tests.sim.clock import ManualClock
from tests.sim.traders.floor import Eyes, Floor

NOON = datetime(2026, 11, 21, 12, 0, 30, tzinfo=UTC)
SLOT_MS = 300_000


class _Listener:
    def __init__(self, venue: Venue) -> None:
        self.events: list[Event] = []
        self.end = venue.subscribe(self.events.extend)

    def added(self) -> set[str]:
        return {str(e.spec.condition_id) for e in self.events if isinstance(e, MarketAdded)}

    def resolved(self) -> list[MarketResolved]:
        return [e for e in self.events if isinstance(e, MarketResolved)]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(int(NOON.timestamp() * 1_000))


@pytest.fixture
def venue(clock: ManualClock) -> Iterator[Venue]:
    with closing(Venue(load_packaged(clock.now()), clock=clock, store=Store())) as opened:
        yield opened


def _open_windows(venue: Venue) -> list[str]:
    found = []
    for market in venue.catalogue.markets:
        view = venue.trading(market.condition_id)
        if market.is_window and view is not None and view.payout is None:
            found.append(str(market.condition_id))
    return found


def test_windows_are_resolved_as_they_end_and_new_ones_are_listed(
    venue: Venue, clock: ManualClock
) -> None:
    maintenance = Maintenance(venue)
    maintenance.tick()
    heard = _Listener(venue)
    count = len(_open_windows(venue))
    for _ in range(4):
        clock.step(SLOT_MS)
        maintenance.tick()
    assert heard.resolved()
    assert len(heard.added()) == len(heard.resolved())
    assert len(_open_windows(venue)) == count
    for event in heard.resolved():
        market = venue.market(event.condition_id)
        assert market is not None
        assert market.ends_at is not None
        assert market.ends_at <= clock.now()
        assert event.payout.pays(0) in (0, ONE)


def test_after_a_long_sleep_only_the_present_windows_are_listed(
    venue: Venue, clock: ManualClock
) -> None:
    maintenance = Maintenance(venue)
    maintenance.tick()
    before = set(_open_windows(venue))
    heard = _Listener(venue)
    clock.step(24 * 12 * SLOT_MS)
    maintenance.tick()
    maintenance.tick()
    assert before <= {str(event.condition_id) for event in heard.resolved()}
    present = _open_windows(venue)
    assert present
    for condition_id in present:
        market = venue.market(condition_id)
        assert market is not None
        assert market.starts_at is not None
        assert market.starts_at >= clock.now() - timedelta(minutes=10)


def test_the_same_seed_ends_the_same_windows_the_same_way(clock: ManualClock) -> None:
    def outcomes(seed: int) -> list[tuple[str, int]]:
        mine = ManualClock(clock.now_ms())
        venue = Venue(load_packaged(mine.now()), clock=mine, store=Store(), seed=seed)
        maintenance = Maintenance(venue)
        heard = _Listener(venue)
        mine.step(6 * SLOT_MS)
        maintenance.tick()
        venue.close()
        return [(str(e.condition_id), int(e.payout.pays(0))) for e in heard.resolved()]

    assert outcomes(1) == outcomes(1)
    assert outcomes(1) != outcomes(2)


def test_a_listener_may_act_and_everybody_still_hears_in_order(venue: Venue) -> None:
    first, second = Address("0x" + "01" * 20), Address("0x" + "02" * 20)
    heard: list[str] = []

    def reacting(events: tuple[Event, ...]) -> None:
        if any(getattr(event, "account", None) == first for event in events):
            venue.fund(second, Micros(5))

    venue.subscribe(reacting)
    end = venue.subscribe(
        lambda events: heard.extend(str(getattr(e, "account", "")) for e in events)
    )
    venue.fund(first, Micros(7))
    assert heard == [first, second]
    end()
    venue.fund(first, Micros(1))
    assert heard == [first, second]


@pytest.mark.no_cover
def test_the_tape_and_the_last_price_come_back(tmp_path: Path) -> None:
    floor = Floor(state=tmp_path)
    tape = PublicTape(floor.venue)
    floor.publisher.watch(floor.find(Activity.FAST).condition_id, Eyes())
    while len(floor.venue.records.all_recent()) < 20:
        floor.pass_seconds(1)
    tape.write()
    names = {trade.trade_id for trade in floor.venue.records.all_recent()}
    market = floor.venue.records.all_recent()[-1].condition_id
    before = floor.venue.trading(market)
    assert before is not None
    floor.venue.close()
    volume = floor.venue.records.volume_since(market, 0)
    assert volume > 0
    again = Floor(state=tmp_path).venue
    assert {trade.trade_id for trade in again.records.all_recent()} == names
    # Or the head of a market would tell of less than its own tape shows.
    assert again.records.volume_since(market, 0) == volume == again.records.volume(market)
    after = again.trading(market)
    assert after is not None
    assert after.last_trade_price == before.last_trade_price
    again.close()


@pytest.mark.no_cover
def test_it_is_written_once_in_a_while_and_only_the_newest_are_kept(tmp_path: Path) -> None:
    floor = Floor(state=tmp_path)
    tape = PublicTape(floor.venue)
    floor.publisher.watch(floor.find(Activity.FAST).condition_id, Eyes())
    while len(floor.venue.records.all_recent()) < 5:
        floor.pass_seconds(1)
    trade = floor.venue.records.all_recent()[-1]
    floor.clock.step(PERIOD_MS)
    tape.tick()
    floor.venue.write_tape([trade] * (TAPE_LENGTH + 7))
    floor.venue.close()
    again = Floor(state=tmp_path).venue
    names = [kept.trade_id for kept in again.records.all_recent()]
    assert names.count(trade.trade_id) == 1
    store = again._store
    kept = [t for t in store.load().tape if t.condition_id == trade.condition_id]
    assert len(kept) == TAPE_LENGTH
    again.close()
