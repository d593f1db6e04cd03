"""A terminal looks for the service of its profile."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from typing_extensions import override

from pmtui.cli.service.starting import STANDALONE, ServiceStarter
from pmtui.cli.session_process import session_lock
from pmtui.config.paths import Paths, locate
from pmtui.config.toml_file import ConfigError
from tests.manual_clock import ManualClock


class SteppingClock(ManualClock):
    """A clock on which a pause takes no time, and during which something happens."""

    def __init__(self, during: Callable[[], None]) -> None:
        super().__init__()
        self._during = during

    @override
    async def sleep(self, seconds: float) -> None:
        self._during()
        self.skip(seconds)


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return locate({"PMTUI_HOME": str(tmp_path)})


@pytest.fixture
def profile_lock(paths: Paths) -> Iterator[ExitStack]:
    with ExitStack() as held:
        held.enter_context(session_lock(paths.state / "paper"))
        yield held


def test_one_that_is_just_ending_is_waited_for(paths: Paths, profile_lock: ExitStack) -> None:
    clock = SteppingClock(profile_lock.close)
    assert ServiceStarter(paths, "paper", stated=None, clock=clock).find() is None
    assert clock.monotonic() > 0


def test_a_profile_that_stays_in_use_is_refused(paths: Paths, profile_lock: ExitStack) -> None:
    starter = ServiceStarter(paths, "paper", stated=None, clock=SteppingClock(lambda: None))
    with pytest.raises(ConfigError) as refused:
        starter.find_or_start()
    assert refused.value.problem == STANDALONE
    profile_lock.close()


def test_where_nothing_runs_nothing_is_waited_for(paths: Paths) -> None:
    clock = SteppingClock(lambda: None)
    assert ServiceStarter(paths, "paper", stated=None, clock=clock).find() is None
    assert clock.monotonic() == 0
