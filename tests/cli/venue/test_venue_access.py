"""Commands of the paper profile share one venue, whoever started it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pmtui.cli.session_process import session_lock
from pmtui.cli.venue.venue_access import (
    HELD,
    Unreachable,
    has_lasting_hosts,
    profile_endpoints,
)
from pmtui.config.endpoints import Endpoints
from pmtui.config.settings import Settings, load_settings


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    return load_settings({"profile": "paper"})


@asynccontextmanager
async def endpoints(settings: Settings, state: Path) -> AsyncIterator[Endpoints]:
    async with profile_endpoints(settings, state) as found:
        assert isinstance(found, Endpoints), found
        yield found


async def test_commands_at_the_same_time_use_one_venue(settings: Settings, tmp_path: Path) -> None:
    asked, go_on = list[str](), asyncio.Event()

    async def ask() -> None:
        async with endpoints(settings, tmp_path) as found:
            asked.append(found.clob)
            if len(asked) == 3:
                go_on.set()
            await go_on.wait()

    await asyncio.gather(*(ask() for _ in range(3)))
    assert len(set(asked)) == 1
    assert not (tmp_path / "paper" / "venue.json").exists()


async def test_a_venue_of_the_moment_is_there_for_others_until_it_ends(
    settings: Settings, tmp_path: Path
) -> None:
    async with endpoints(settings, tmp_path):
        assert await has_lasting_hosts(settings, tmp_path)
    assert not await has_lasting_hosts(settings, tmp_path)


async def test_a_profile_whose_venue_does_not_answer_is_waited_for_and_then_told(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pmtui.cli.venue.venue_access.HELD_S", 0.3)
    with session_lock(tmp_path / "paper"):
        async with profile_endpoints(settings, tmp_path) as found:
            assert found == Unreachable(HELD)


async def test_a_failure_within_the_block_stays_what_it_is(
    settings: Settings, tmp_path: Path
) -> None:
    with pytest.raises(RuntimeError, match="of the caller"):
        async with endpoints(settings, tmp_path):
            raise RuntimeError("of the caller")
