"""A long history of own trades: the last days at once, the rest behind, and what is not read is said."""

from datetime import datetime
from pathlib import Path

import pytest

from pmtui.cli.export import read_all_fills
from pmtui.domain.answers import Failure
from pmtui.domain.orders.order import Fill
from pmtui.service.account import fills as fill_history
from pmtui.service.account.fills import AFTER_FAILURE_S
from tests.service.fakes import FakeAccountHost, World, lost, running_world
from tests.service.order_kit import START, history, said, until


def known(world: World) -> int:
    return len(world.service.queries.fills().fills)


def reading(fills: tuple[Fill, ...]) -> FakeAccountHost:
    return FakeAccountHost(own_fills=fills, fills_a_page=1)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fill_history, "MOST_FILLS", 300)


async def test_a_short_history_is_read_at_once(tmp_path: Path) -> None:
    async with running_world(tmp_path, account=reading(history(5, a_day=3))) as world:
        assert known(world) == 15
        assert world.account.asked_fills == [(None, None)]


async def test_a_long_history_begins_with_its_last_days_and_comes_behind(tmp_path: Path) -> None:
    fills = history(60, a_day=2)
    async with running_world(tmp_path, account=reading(fills)) as world:
        assert 4 <= known(world) <= 6
        await until(world, lambda: known(world) == len(fills), "all of it")
        assert not said(world, "are not read")


async def test_a_stretch_that_fails_is_asked_for_again(tmp_path: Path) -> None:
    fills = history(60, a_day=2)
    async with running_world(tmp_path, account=reading(fills)) as world:
        world.account.read_failure = lost("GET /data/trades")
        await world.pass_time(10)
        assert known(world) < len(fills)
        world.account.read_failure = None
        await world.pass_time(AFTER_FAILURE_S)
        await until(world, lambda: known(world) == len(fills), "all of it")


@pytest.mark.usefixtures("small")
async def test_where_reading_ends_is_said(tmp_path: Path) -> None:
    fills = history(400, a_day=2)
    async with running_world(tmp_path, account=reading(fills)) as world:
        await until(world, lambda: said(world, "are not read"), "the end")
        assert 300 <= known(world) < len(fills)
        entry = next(e for e in world.service.queries.log().entries if "are not read" in e.text)
        oldest = min(fill.matched_at for fill in world.service.queries.fills().fills)
        assert "Trades before 2026-" in entry.text or "Trades before 2025-" in entry.text
        assert abs((moment_in(entry.text) - oldest).total_seconds()) < 86_400


def moment_in(text: str) -> datetime:
    day, minute = text.removeprefix("Trades before ").split(" ")[:2]
    return datetime.fromisoformat(f"{day}T{minute}+00:00")


async def test_an_export_of_a_long_history_is_whole_and_names_each_trade_once() -> None:
    fills = history(60, a_day=20)
    found = await read_all_fills(reading(fills), START)
    assert not isinstance(found, Failure)
    assert (found.items, found.is_complete) == (fills, True)
