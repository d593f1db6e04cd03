"""Times are written by the clock of this machine, or by UTC where the trader wants that."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from pmtui.cli.terminal_app import choose_clock
from pmtui.config.settings import Times
from pmtui.ui.format import write_moment

NOON = datetime(2026, 1, 5, 12, 3, 20, tzinfo=UTC)


@pytest.fixture
def in_india(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "IST-5:30")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("in_india")
@pytest.mark.parametrize(
    ("times", "written"),
    [(Times.LOCAL, "05 Jan 2026 17:33:20 IST"), (Times.UTC, "05 Jan 2026 12:03:20 UTC")],
)
def test_times_are_written_by_the_chosen_clock(times: Times, written: str) -> None:
    choose_clock(times)
    assert write_moment(NOON) == written
