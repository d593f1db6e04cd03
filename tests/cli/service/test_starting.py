"""A terminal looks for the service of its profile."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from typing_extensions import override

from pmtui.cli.service.starting import STANDALONE, ServiceStarter, service_command
from pmtui.cli.session_process import session_lock
from pmtui.cli.venue.paper import venue_command
from pmtui.config.paths import Paths, locate
from pmtui.config.toml_file import ConfigError
from pmtui.link.local_socket import socket_path_of, why_no_socket
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


@pytest.mark.parametrize(
    "command", [service_command(["--help"]), [*venue_command(Path()), "--help"]]
)
def test_modules_of_the_current_directory_are_not_imported(
    tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "msgspec.py").write_text("raise SystemExit('imported')\n")
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_directory_in_the_place_of_the_socket_is_named(paths: Paths) -> None:
    path = socket_path_of(paths.runtime, "paper")
    path.mkdir(parents=True)
    paths.runtime.chmod(0o700)
    assert "is a directory" in why_no_socket(path)
