"""The trader's own command gets notices as arguments, and nothing else of ours."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pmtui.domain.notices import MOST
from pmtui.service.profile import Tuning
from pmtui.service.views import Level, LogEntry
from pmtui.service.watch.notice_command import is_worth_leaving, run_command
from tests.service.fakes import running_world
from tests.service.order_kit import until

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)

WRITE = "import os, sys; open(sys.argv[1], 'a').write(sys.argv[2] + os.environ.get('PMTUI_X', '') + '\\n')"


async def test_a_program_gets_the_text_whole_and_none_of_our_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMTUI_X", "secret")
    told = tmp_path / "told"
    text = "Bought 5 $(touch x) `id` Yes"
    assert not await run_command((sys.executable, "-c", WRITE, str(told), text))
    assert told.read_text() == text + "\n"


async def test_what_goes_wrong_is_said() -> None:
    assert "No such file" in await run_command(("/nonexistent/program", "x"))
    assert await run_command((sys.executable, "-c", "raise SystemExit(3)")) == (
        f"{sys.executable} ended with 3"
    )
    endless = (sys.executable, "-c", "import time; time.sleep(60)")
    assert "took more than" in await run_command(endless, timeout_s=0.2)


@pytest.mark.parametrize(
    ("level", "kind", "leaves"),
    [
        (Level.GOOD, "order", True), (Level.WARNING, "notice", True), (Level.BAD, "notice", True),
        (Level.INFO, "notice", False), (Level.BAD, "request", False), (Level.GOOD, "stream", False),
    ],
)  # fmt: skip
def test_only_what_a_trader_wants_to_know_leaves(level: Level, kind: str, leaves: bool) -> None:
    assert is_worth_leaving(LogEntry(1, NOW, level, kind, "x")) == leaves


async def test_a_burst_of_notices_is_cut_to_what_may_leave_in_a_minute(tmp_path: Path) -> None:
    told = tmp_path / "told"
    tuning = Tuning(notice_command=(sys.executable, "-c", WRITE, str(told)))
    async with running_world(tmp_path, tuning=tuning) as world:
        for number in range(MOST + 5):
            world.service.log.notice(Level.WARNING, f"Notice {number}")

        def lines() -> list[str]:
            return told.read_text().splitlines() if told.exists() else []

        await until(world, lambda: len(lines()) == MOST, "what may leave")
        assert lines() == [f"Notice {number}" for number in range(MOST)]
        await world.pass_time(61)
        world.service.log.notice(Level.WARNING, "Later")
        await until(world, lambda: lines()[-1] == "Later", "the next minute's")


async def test_a_command_that_fails_is_told_of_once_and_not_by_itself(tmp_path: Path) -> None:
    tuning = Tuning(notice_command=("/nonexistent/program",))
    async with running_world(tmp_path, tuning=tuning) as world:
        for number in range(3):
            world.service.log.notice(Level.WARNING, f"Notice {number}")

        def failures() -> int:
            entries = world.service.queries.log().entries
            return sum("notice command failed" in entry.text for entry in entries)

        await until(world, failures, "why it fails")
        await world.pass_time(30)
        assert failures() == 1
