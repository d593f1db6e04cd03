"""The equity curve of a running service: sampled, told, and there again after a restart."""

from datetime import timedelta
from pathlib import Path

from pmtui.service.account.pnl import EQUITY_FILE, SAMPLE_PERIOD_S
from tests.service.fakes import running_world


async def test_equity_is_sampled_and_kept_for_the_next_session(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        await world.pass_time(4 * SAMPLE_PERIOD_S)
        equity = world.service.queries.status().portfolio_value
        points = world.service.queries.activity().equity
        assert points
        assert points[-1].value == equity
        assert [p.at for p in points] == sorted(p.at for p in points)
        first = points[0]
    assert (tmp_path / EQUITY_FILE).exists()
    async with running_world(tmp_path, start=first.at + timedelta(hours=1)) as world:
        await world.pass_time(2 * SAMPLE_PERIOD_S)
        again = world.service.queries.activity().equity
        assert again[0] == first


async def test_a_file_that_cannot_be_read_begins_a_new_curve(tmp_path: Path) -> None:
    _ = (tmp_path / EQUITY_FILE).write_text("{no curve}")
    async with running_world(tmp_path) as world:
        await world.pass_time(2 * SAMPLE_PERIOD_S)
        assert world.service.queries.activity().equity
