"""Trades between simulated traders are on the public tape after a restart, a bounded number."""

from pathlib import Path

import pytest

from pmtui.sim.catalogue.model import Activity
from pmtui.sim.storage.maintenance import PERIOD_MS, PublicTape
from pmtui.sim.storage.persistence import TAPE_LENGTH
from tests.sim.traders.test_traders import Eyes, Floor


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
