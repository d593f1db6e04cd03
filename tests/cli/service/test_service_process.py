"""The service's own process: how it ends, how it is unlocked, and when nobody needs it any more.

Its hosts are ports where nobody listens, so it is READ-ONLY or has nothing to do.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pmtui.cli.keys.unlocking import find_session_key
from pmtui.cli.service import service_process as serving_module
from pmtui.cli.service.service_process import ProfileService
from pmtui.cli.service.shell_client import talk
from pmtui.config.paths import KEYSTORE_FILE, locate, private_dir
from pmtui.config.settings import load_settings
from pmtui.link.connection import ServiceConnection
from pmtui.link.local_socket import is_somebody_there, socket_path_of
from pmtui.link.messages import Ask, Done, Goodbye, ServiceStatus, Stop, ToService, Unlock, Welcome
from pmtui.link.mirror import Mirror
from pmtui.service.clock import SystemClock
from pmtui.signing.keystore import encrypt_keystore
from pmtui.signing.secret import Secret
from tests.link.kit import NOTHING_YET

PASSPHRASE = b"correct horse battery"
KEY = "5d" * 32
NOWHERE = "http://127.0.0.1:9"
DEADLINE_S = 20
LOOKS_OFTEN_S = 0.02


class Process:
    """A service as `pmtui serve` runs it, in this process."""

    def __init__(self, *, is_detached: bool) -> None:
        settings, paths = load_settings({"profile": "live"}), locate()
        self.socket_path = socket_path_of(paths.runtime, "live")
        private_dir(self.socket_path.parent)
        private_dir(paths.state / "live")
        key = find_session_key(settings, paths.state, passphrase_fd=None, may_ask=False)
        self.serving = ProfileService(
            settings, paths, key, self.socket_path, is_detached=is_detached
        )
        self.task = asyncio.create_task(self.serving.run())

    async def ask(self, *questions: ToService) -> list[object]:
        """Ask as a shell does, once it listens."""
        async with asyncio.timeout(DEADLINE_S):
            while not (answers := await talk(self.socket_path, questions)):
                await SystemClock().sleep(LOOKS_OFTEN_S)
        return list(answers)

    async def standing(self) -> ServiceStatus:
        (answer,) = await self.ask(Ask())
        assert isinstance(answer, ServiceStatus)
        return answer

    async def end(self) -> int:
        async with asyncio.timeout(DEADLINE_S):
            return await self.task


@asynccontextmanager
async def serving(*, is_detached: bool = False) -> AsyncIterator[Process]:
    process = Process(is_detached=is_detached)
    try:
        yield process
    finally:
        if not process.task.done():
            _ = await process.ask(Stop("leave"))
        _ = await process.end()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    for name in ("GAMMA", "CLOB", "DATA"):
        monkeypatch.setenv(f"PMTUI_{name}_URL", NOWHERE)
    monkeypatch.setattr(serving_module, "CHECK_PERIOD_S", LOOKS_OFTEN_S)
    return tmp_path


def with_keystore(home: Path) -> None:
    path = private_dir(home / "state" / "live") / KEYSTORE_FILE
    path.write_text(encrypt_keystore(Secret.from_hex(KEY), Secret(PASSPHRASE), work_factor=2))


async def test_it_ends_when_it_is_told_to_and_leaves_no_socket() -> None:
    async with serving() as process:
        assert (await process.standing()).mode == "READ-ONLY"
        assert await process.ask(Stop("never heard of")) == [
            Done("never heard of: leave, cancel or switch")
        ]
        assert await process.ask(Stop("switch")) == [
            Done('switch needs heartbeat = "on" or "armed"')
        ]
        done, *_ = await process.ask(Stop("leave"))
        assert done == Done()
        assert await process.end() == 0
    assert not is_somebody_there(process.socket_path)
    assert not process.socket_path.exists()


async def test_a_wrong_passphrase_unlocks_nothing_and_the_right_one_does(home: Path) -> None:
    with_keystore(home)
    async with serving() as process:
        before = await process.standing()
        assert before.locked
        (wrong,) = await process.ask(Unlock(b"hunter2"))
        assert isinstance(wrong, Done)
        assert "passphrase is wrong" in wrong.problem
        assert (await process.standing()).locked
        assert (await process.ask(Unlock(PASSPHRASE)))[0] == Done()
        after = await process.standing()
        assert (after.mode, after.locked, after.pid) == ("LIVE", "", before.pid)
        assert await process.ask(Unlock(PASSPHRASE)) == [Done("nothing is locked")]


async def test_a_key_is_taken_where_there_is_none() -> None:
    async with serving() as process:
        assert (await process.ask(Unlock(b"no key at all", is_key=True)))[0] != Done()
        assert (await process.ask(Unlock(KEY.encode(), is_key=True)))[0] == Done()
        assert (await process.standing()).mode == "LIVE"


@asynccontextmanager
async def attached(process: Process) -> AsyncIterator[ServiceConnection]:
    _ = await process.standing()
    line = ServiceConnection(process.socket_path, Mirror(NOTHING_YET), SystemClock())
    assert isinstance(await line.connect(), Welcome)
    listening = asyncio.create_task(line.run())
    try:
        yield line
    finally:
        await line.close()
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


async def test_one_that_a_terminal_started_ends_when_nobody_needs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PMTUI_SERVICE__IDLE_EXIT_S", "1")
    async with serving(is_detached=True) as process:
        async with attached(process):
            assert not process.task.done()
        assert await process.end() == 0


async def test_one_that_was_started_by_hand_waits_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PMTUI_SERVICE__IDLE_EXIT_S", "1")
    async with serving() as process:
        async with attached(process):
            pass
        assert await process.ask(Stop("", is_only_if_idle=True)) == [Done("the service is in use")]
        assert not process.task.done()


async def test_it_stops_with_its_last_terminal_where_that_was_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PMTUI_ON_DETACH", "stop")
    monkeypatch.setattr(serving_module, "DETACHED_AFTER_S", 3 * LOOKS_OFTEN_S)
    async with serving() as process:
        async with attached(process):
            assert not process.task.done()
        assert await process.end() == 0


async def test_a_terminal_hears_that_it_ended() -> None:
    async with serving() as process, attached(process) as line:
        assert await line.stop_service("leave") == ""
        assert await process.end() == 0
        assert isinstance(line.goodbye, Goodbye)


async def test_one_whose_runtime_directory_is_gone_listens_again() -> None:
    async with serving() as process, attached(process) as line:
        shutil.rmtree(process.socket_path.parent)
        found = await process.standing()
        assert found.terminals == 1
        assert line.is_attached


async def test_one_that_nobody_can_find_or_needs_ends() -> None:
    process = Process(is_detached=True)
    _ = await process.standing()
    folder = process.socket_path.parent
    shutil.rmtree(folder)
    folder.write_text("a file stands in the way")
    assert await process.end() == 0
