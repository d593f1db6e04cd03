"""No order is lost and none is doubled, whatever the line does and whenever the program dies."""

from pathlib import Path

import pytest

from tests.faults.bad_line import Fault
from tests.faults.bad_stream import StreamFault
from tests.faults.run import Plan, run_faults

pytestmark = pytest.mark.no_cover


@pytest.mark.slow
async def test_journal_and_venue_agree_after_faults_and_kills(tmp_path: Path) -> None:
    outcome = await run_faults(tmp_path, Plan(orders=60, kills=5, seed=7, long_suspensions=0))
    assert outcome.problems == []
    assert outcome.orders >= 60
    assert outcome.kills >= 5
    assert outcome.at_venue > 0
    assert outcome.moves > 0
    assert sum(outcome.faults.values()) > outcome.faults[Fault.NONE] > 0
    assert sum(outcome.stream_faults.values()) > outcome.stream_faults[StreamFault.NONE]


@pytest.mark.slow
async def test_they_agree_where_the_terminal_is_cut_off_from_its_service(tmp_path: Path) -> None:
    plan = Plan(orders=30, kills=2, seed=11, long_suspensions=0, is_attached=True)
    outcome = await run_faults(tmp_path, plan)
    assert outcome.problems == []
    assert outcome.orders >= 30
    assert outcome.kills >= 2
    assert outcome.at_venue > 0
