"""Settings, folder, journal and session of a profile, sound and broken."""

import os
import socket
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pmtui.cli.doctor.findings import State
from pmtui.cli.doctor.profile_checks import (
    check_folder,
    check_journal,
    check_session,
    check_settings,
    check_variables,
)
from pmtui.config.paths import locate
from pmtui.config.settings import load_settings
from pmtui.domain.health import RateBudget
from pmtui.domain.ids import OrderId
from pmtui.service.journal.journal import Journal, OutgoingOrder
from pmtui.service.safety.kill_lock import new_kill, write_killed
from tests.link.kit import running_house
from tests.service.fakes import resting


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All files below a folder of the test's own."""
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    return tmp_path


def test_defaults_are_fine() -> None:
    (found,) = check_settings(load_settings(), locate())
    assert (found.state, found.figures["dialect"]) == (State.OK, "seed")


def test_a_key_that_clashes_is_a_problem_with_its_line(home: Path) -> None:
    path = home / "config" / "config.toml"
    path.parent.mkdir()
    path.write_text('[keys]\n"market.nowhere" = "o"\n')
    (found,) = check_settings(load_settings(), locate())
    assert found.state is State.PROBLEM
    assert "config.toml:2" in found.text


def test_a_theme_that_cannot_be_read_is_a_warning(home: Path) -> None:
    path = home / "config" / "themes" / "mine.toml"
    path.parent.mkdir(parents=True)
    path.write_text("this is no theme")
    (found,) = check_settings(load_settings(), locate())
    assert found.state is State.WARNING


def test_a_theme_that_is_not_there_is_a_problem(home: Path) -> None:
    paths = locate()
    paths.config.mkdir(parents=True, exist_ok=True)
    paths.config_file.write_text('theme = "nope"\n')
    (found,) = check_settings(load_settings({}), paths)
    assert (found.state, "nope" in found.text) == (State.PROBLEM, True)


def test_a_mistyped_variable_is_named_with_the_one_that_is_meant() -> None:
    right = {"PMTUI_HOME": "", "PMTUI_PRIVATE_KEY": "", "PMTUI_LIMITS__ORDER_USD": "5", "PATH": ""}
    assert check_variables(right) == ()
    (found,) = check_variables({**right, "PMTUI_CLOB_ULR": "http://127.0.0.1:1"})
    assert (found.state, "PMTUI_CLOB_URL" in found.remedy) == (State.WARNING, True)


def test_a_folder_that_is_not_there_yet_is_judged_by_the_disk_above(home: Path) -> None:
    (found,) = check_folder(home / "state" / "paper")
    assert isinstance(found.figures["free_bytes"], int)


def test_a_folder_that_others_can_write_to_is_a_problem(home: Path) -> None:
    folder = home / "state" / "paper"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    (found,) = check_folder(folder)
    assert found.state is State.PROBLEM


def test_a_folder_that_others_can_write_to_is_mended_by_the_remedy(home: Path) -> None:
    folder = home / "state" / "paper"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    (found,) = check_folder(folder)
    assert found.remedy == f"chmod go-w {folder}"


def test_no_journal_is_fine(home: Path) -> None:
    (found,) = check_journal(home / "journal.sqlite")
    assert found.state is State.OK


async def test_a_sound_journal_tells_what_it_waits_for(home: Path) -> None:
    journal = Journal(home / "journal.sqlite")
    assert await journal.begin([OutgoingOrder(resting(OrderId("0xaa")), "", b"{}")]) is None
    await journal.close()
    (found,) = check_journal(home / "journal.sqlite")
    assert (found.state, found.figures["orders"], found.figures["open_orders"]) == (
        State.OK, 1, 1,
    )  # fmt: skip


def test_a_file_that_is_no_journal_is_a_problem(home: Path) -> None:
    path = home / "journal.sqlite"
    path.write_bytes(b"not a database" * 100)
    (found,) = check_journal(path)
    assert found.state is State.PROBLEM
    assert str(path) in found.remedy


async def test_a_journal_with_a_torn_page_is_a_problem(home: Path) -> None:
    path = home / "journal.sqlite"
    journal = Journal(path)
    for number in range(60):
        order = resting(OrderId(f"0x{number:064x}"))
        assert await journal.begin([OutgoingOrder(order, "t" * 300, b"{}", "x" * 300)]) is None
    await journal.close()
    body = bytearray(path.read_bytes())
    body[8_192:12_288] = b"\xff" * 4_096
    path.write_bytes(body)
    (found,) = check_journal(path)
    assert found.state is State.PROBLEM


@pytest.mark.parametrize("is_locked", [False, True])
async def test_a_standalone_terminal_is_told(home: Path, is_locked: bool) -> None:
    (found,) = await check_session(home, home / "no.socket", is_locked=is_locked)
    assert (found.state, found.figures["running"]) == (State.OK, is_locked)


async def test_a_service_that_hangs_is_a_problem_with_its_process_and_a_remedy(home: Path) -> None:
    path = home / "s"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(path))
        listening.listen()
        (found,) = await check_session(home, path, is_locked=True, within_s=0.05)
    assert (found.state, found.figures["pid"]) == (State.PROBLEM, os.getpid())
    assert f"kill -CONT {os.getpid()}" in found.remedy


@pytest.mark.parametrize(("left", "state"), [(60, State.OK), (2, State.WARNING)])
async def test_what_the_service_has_left_of_its_limits_is_told(
    tmp_path: Path, left: int, state: State
) -> None:
    async with running_house(tmp_path) as house:
        house.world.budgets[:] = [RateBudget("orders", left, 60), RateBudget("orders", 60, 60)]
        service, found = await check_session(tmp_path, house.path, is_locked=True)
    assert (service.figures["running"], found.figures["orders_left"]) == (True, left)
    assert (found.state, bool(found.remedy)) == (state, state is State.WARNING)


async def test_a_locked_account_is_a_warning_that_says_how_to_unlock(home: Path) -> None:
    folder = home / "state" / "paper"
    folder.mkdir(parents=True)
    write_killed(folder, new_kill("a test", datetime(2026, 9, 1, tzinfo=UTC)))
    _, found = await check_session(folder, home / "no.socket", is_locked=False)
    assert found.state is State.WARNING
    assert "pmtui release" in found.remedy
