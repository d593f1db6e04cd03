"""A shell talks to a running service."""

import asyncio
import json
import os
import socket
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from pmtui.cli.service.kill import run_release
from pmtui.cli.service.shell_client import NoAnswer, request_status, talk
from pmtui.cli.service.status import run_status, run_stop
from pmtui.config.paths import locate, private_dir
from pmtui.domain.answers import Failure, FailureKind
from pmtui.link.local_socket import is_somebody_there, socket_path_of
from pmtui.link.messages import Ask, Done, Kill, Release, ServiceStatus, Stop, Unlock
from pmtui.link.server import IN_USE
from tests.link.kit import house_around, running_house
from tests.service.fakes import running_world
from tests.service.order_kit import until


async def test_every_question_is_answered(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat():
        standing, unlocked = await talk(house.path, (Ask(), Unlock(b"words")))
        assert isinstance(standing, ServiceStatus)
        assert standing.terminals == 1
        assert unlocked == Done("")
        assert house.passphrases == [b"words"]


async def test_a_service_is_asked_to_end(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house:
        (answer,) = await talk(house.path, (Stop("leave"),))
        assert answer == Done("")
        assert house.stopped == ["leave"]


async def test_the_kill_switch_is_thrown_and_released(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house:
        status = house.world.service.queries.status
        assert await talk(house.path, (Kill("a shell"),)) == [Done("")]
        assert status().kill_lock.endswith("by a shell")
        assert await talk(house.path, (Release("a shell"),)) == [Done("")]
        assert status().kill_lock == ""


async def test_a_lock_that_could_not_be_written_is_shown_and_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    path = socket_path_of(private_dir(locate().runtime), "paper")
    # The service of a test keeps the lock in memory only, as where the disk is full.
    async with running_world(tmp_path) as world, house_around(world, path):
        assert await talk(path, (Kill("a shell"),)) == [Done("")]
        (standing,) = await talk(path, (Ask(),))
        assert isinstance(standing, ServiceStatus)
        assert standing.kill_lock == world.service.queries.status().kill_lock != ""
        assert await asyncio.to_thread(run_release, ["--yes"]) == 0
        assert world.service.queries.status().kill_lock == ""


async def test_a_service_in_use_is_not_ended_for_others_to_have_its_profile(
    tmp_path: Path,
) -> None:
    async with running_house(tmp_path) as house:
        (answer,) = await talk(house.path, (Stop("", is_only_if_idle=True),))
        assert answer == Done(IN_USE)
        assert house.stopped == []


async def test_nobody_answers_where_no_service_runs(tmp_path: Path) -> None:
    assert await talk(tmp_path / "s", (Ask(),)) == []


def test_the_shell_is_told_that_none_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    assert run_status(["--json"]) == 1
    assert run_stop([]) == 1


def test_a_service_that_hangs_with_many_waiting_is_still_there(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with ExitStack() as stack:
        listening = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        listening.bind(str(path))
        listening.listen(0)
        for _ in range(2):
            waiting = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            waiting.setblocking(False)
            with suppress(BlockingIOError):
                waiting.connect(str(path))
        assert is_somebody_there(path)
        assert request_status(path, within_s=0.05) == NoAnswer(0)


def test_a_service_that_does_not_answer_is_named_by_its_process(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(path))
        listening.listen()
        assert request_status(path, within_s=0.05) == NoAnswer(os.getpid())
    assert request_status(path, within_s=0.05) is None


@pytest.mark.parametrize("is_left", [False, True])
async def test_a_stop_that_left_orders_which_were_to_be_cancelled_is_no_success(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    *,
    is_left: bool,
) -> None:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    path = socket_path_of(private_dir(locate().runtime), "paper")
    async with running_world(tmp_path) as world, house_around(world, path) as house:
        stopping = asyncio.create_task(asyncio.to_thread(run_stop, ["--orders", "cancel"]))
        await until(world, lambda: house.stopped, "it is told to stop")
        await house.server.close("pmtui: what became of them", are_orders_left=is_left)
        assert await stopping == int(is_left)
    assert capsys.readouterr().out == "pmtui: what became of them\n"


async def test_a_service_without_its_journal_counts_no_orders(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    path = socket_path_of(private_dir(locate().runtime), "paper")
    (tmp_path / "journal.sqlite").write_bytes(b"not a database" * 1_000)
    async with running_world(tmp_path) as world, house_around(world, path):
        assert await asyncio.to_thread(run_status, []) == 1
        said = capsys.readouterr().out
        assert "0 terminals, open orders unknown, active stops unknown, 0 waiting alerts" in said
        assert "No orders can be sent: the journal cannot be used (" in said
        assert await asyncio.to_thread(run_status, ["--json"]) == 1
        found = json.loads(capsys.readouterr().out)
        assert found["open_orders"] is found["conditional_orders"] is None
        assert "journal" in found["journal_problem"]


async def test_orders_that_are_still_loading_are_not_counted_as_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    path = socket_path_of(private_dir(locate().runtime), "paper")

    async def opening() -> Failure:
        return Failure(FailureKind.UNREACHABLE, "GET /auth/api-keys", "no route")

    async with (
        running_world(tmp_path, opening=opening) as world, house_around(world, path),
    ):  # fmt: skip
        assert await asyncio.to_thread(run_status, []) == 0
        assert "open orders unknown, 0 active stops" in capsys.readouterr().out
    async with running_world(tmp_path) as world, house_around(world, path):
        assert await asyncio.to_thread(run_status, []) == 0
        assert "0 open orders, 0 active stops" in capsys.readouterr().out
