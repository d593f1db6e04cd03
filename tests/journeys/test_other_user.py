"""Another user of the machine is refused, and told whose the service is."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pmtui.service.safety.kill_lock import KILLED
from tests.journeys import trader
from tests.journeys.conftest import Start
from tests.journeys.processes import end_processes_of, service_pid
from tests.journeys.test_service import standing
from tests.journeys.venue import PaperVenue

pytestmark = [
    pytest.mark.journey,
    pytest.mark.no_cover,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can run a command as another user"),
]

NOBODY = 65_534
# All is imported first: the other user may not be able to read the interpreter's own directory.
_AS_NOBODY = f"""
import concurrent.futures.thread, os, sys
import pmtui.cli.service.kill, pmtui.cli.service.status
from pmtui.cli.main import main
os.setgroups([])
os.setgid({NOBODY})
os.setuid({NOBODY})
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """A home in a directory that everybody may enter."""
    folder = Path(tempfile.mkdtemp(prefix="pmtui-"))
    folder.chmod(0o755)
    path = folder / "home"
    path.mkdir(mode=0o755)
    path.chmod(0o755)
    yield path
    end_processes_of(path)
    shutil.rmtree(folder)


def as_nobody(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _AS_NOBODY, *arguments],
        env={**os.environ, "PMTUI_HOME": str(home), "HOME": "/nonexistent"},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("is_open", [False, True], ids=["closed directory", "opened by mistake"])
def test_another_user_is_told_whose_the_service_is(
    start: Start, home: Path, *, is_open: bool
) -> None:
    terminal = start("attach")
    trader.wait_for_markets(terminal)
    trader.find_market(terminal, PaperVenue(home).busy_markets()[0])
    trader.rest_an_order(terminal)
    pid = service_pid(home)
    if is_open:
        (home / "run").chmod(0o755)
        (home / "run" / "paper.sock").chmod(0o777)
    asked = as_nobody(home, "status", "--json")
    assert asked.returncode == 1
    assert json.loads(asked.stdout)["running"] is True
    assert "user root" in asked.stderr
    for command in ("stop", "kill"):
        refused = as_nobody(home, command)
        assert refused.returncode == 1, refused
        assert "Traceback" not in refused.stderr
    found = standing(home)
    assert found is not None
    assert (found.pid, found.terminals, found.open_orders) == (pid, 1, 1)
    assert not (home / "state" / "paper" / KILLED).exists()
