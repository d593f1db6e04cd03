"""After a restart on the same state simulated traders go on; they do not trade the same again."""

from pathlib import Path

import pytest

from pmtui.domain.money import Micros
from pmtui.sim.catalogue.model import Activity
from pmtui.sim.engine.events import TradeMatched
from tests.sim.traders.test_traders import Eyes, Floor


def _prints(state: Path, *, count: int = 4) -> list[tuple[Micros, Micros]]:
    floor = Floor(state=state, speed=4)
    market = floor.find(Activity.FAST)
    floor.publisher.watch(market.condition_id, Eyes())
    trades: list[tuple[Micros, Micros]] = []
    while len(trades) < count:
        floor.pass_seconds(1)
        found = [event.trade for event in floor.events if isinstance(event, TradeMatched)]
        trades = [(t.price, t.size) for t in found if t.condition_id == market.condition_id]
    floor.venue.close()
    return trades[:count]


@pytest.mark.no_cover
def test_every_run_on_one_state_prints_other_trades_as_every_state_of_a_seed(
    tmp_path: Path,
) -> None:
    first = [_prints(tmp_path / "one") for _ in range(3)]
    sizes = [tuple(size for _, size in run) for run in first]
    assert len(set(sizes)) == 3
    assert [_prints(tmp_path / "two") for _ in range(2)] == first[:2]
