"""Recording the local venue: what its stream says and its hosts answer is in the file."""

import asyncio
import json
import resource
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from pmtui.cli.main import main
from pmtui.cli.record import Progress, Recorder
from pmtui.config.endpoints import Endpoints
from pmtui.config.settings import load_settings
from pmtui.domain.answers import Failure
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Side
from pmtui.recording.reader import Recording, read_recording
from pmtui.service.clock import SystemClock
from pmtui.sim.run import RunningVenue
from tests.cli.at_venue import urls_of
from tests.clients.streams.servers import until
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, Person, http_client, small_venue


@pytest.fixture
async def venue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RunningVenue]:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path / "home"))
    async with small_venue(tmp_path) as running:
        yield running


def recorder(running: RunningVenue, reports: list[Progress] | None = None) -> Recorder:
    def note(progress: Progress) -> None:
        if reports is not None:
            reports.append(progress)

    return Recorder(urls_of(running), load_settings(), clock=SystemClock(), on_progress=note)


def has_heard(recording: Recorder, messages: int) -> bool:
    return recording.progress.messages >= messages


def has_answer(recorded: Path, path: str) -> bool:
    found = read_recording(recorded)
    return isinstance(found, Recording) and any(row.path == path for row in found.answers)


async def test_stream_and_answers_are_kept_from_the_first_question_on(
    venue: RunningVenue, tmp_path: Path
) -> None:
    path, stop = tmp_path / "rain.pmtui", asyncio.Event()
    recording = recorder(venue)
    assert await recording.find([TokenId(RAIN_YES), TokenId(RAIN_NO)]) is None
    async with http_client() as http:
        ann = await Person(venue, http).arrive()
        task = asyncio.create_task(recording.record(path, stop))
        await until(lambda: recording.progress.messages > 0, "the first books")
        for price in ("0.4", "0.41", "0.42"):
            told = recording.progress.messages + 1
            await ann.rest(Side.BUY, price, "10")
            await until(partial(has_heard, recording, told), "a change")
        await until(partial(has_answer, path, "/book"), "books on the disk")
        stop.set()
        await task
        answer = await http.get(f"{venue.urls['clob']}/book", params={"token_id": RAIN_YES})
    await recording.close()
    found = read_recording(path)
    assert isinstance(found, Recording)
    assert (found.is_torn, found.skipped) == (False, 0)
    assert found.header.token_ids == (RAIN_YES, RAIN_NO)
    assert {message.condition_id for message in found.messages} == {RAIN}
    last = json.loads([m for m in found.messages if m.kind == "price_change"][-1].data)
    assert answer.json()["hash"] in [change["hash"] for change in last["price_changes"]]
    paths = {(row.host, row.path) for row in found.answers}
    assert {("gamma", "/markets"), ("gamma", "/events/1"), ("clob", "/book")} <= paths


async def test_a_stream_that_is_lost_is_told_and_what_came_before_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path / "home"))
    path, stop = tmp_path / "rain.pmtui", asyncio.Event()
    async with small_venue(tmp_path) as running:
        recording = recorder(running)
        assert await recording.find([TokenId(RAIN_YES)]) is None
        task = asyncio.create_task(recording.record(path, stop))
        await until(lambda: recording.progress.messages > 0, "the first books")
        assert not recording.progress.is_down
    await until(lambda: recording.progress.is_down, "the stream is lost")
    stop.set()
    await task
    await recording.close()
    assert isinstance(read_recording(path), Recording)


async def test_an_unknown_token_is_told_and_no_file_is_made(
    venue: RunningVenue, tmp_path: Path
) -> None:
    recording = recorder(venue)
    problem = await recording.find([TokenId("77")])
    await recording.close()
    assert isinstance(problem, Failure)


@asynccontextmanager
async def program(
    running: RunningVenue, home: Path, *words: str, file_limit: int | None = None
) -> AsyncIterator[Process]:
    """Run the command as a process of its own, on the small venue in the place of the public one."""

    def limit() -> None:
        if file_limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

    environ = {"PMTUI_HOME": str(home), "PATH": ""}
    environ |= {
        f"PMTUI_{name.upper()}_URL": running.urls[name] for name in Endpoints.__dataclass_fields__
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pmtui", "record", "--profile", "live", *words,
        env=environ, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE, preexec_fn=limit,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def has_messages(path: Path) -> bool:
    return isinstance(read_recording(path), Recording)


@pytest.mark.parametrize(
    ("sign", "code", "is_torn"),
    [(signal.SIGTERM, 0, False), (signal.SIGINT, 0, False), (signal.SIGKILL, -9, True)],
)
async def test_it_ends_whole_when_told_and_readable_when_killed(
    venue: RunningVenue, tmp_path: Path, sign: signal.Signals, code: int, is_torn: bool
) -> None:
    path = tmp_path / "rain.pmtui"
    words = (str(path), "--token-id", RAIN_YES)
    async with program(venue, tmp_path / "home", *words) as process:
        await until(lambda: has_messages(path), "messages on the disk")
        process.send_signal(sign)
        assert await process.wait() == code
    found = read_recording(path)
    assert isinstance(found, Recording)
    assert (found.is_torn, found.skipped) == (is_torn, 0)


async def test_a_token_without_a_market_ends_with_1(venue: RunningVenue, tmp_path: Path) -> None:
    words = (str(tmp_path / "a"), "--token-id", "77")
    async with program(venue, tmp_path / "home", *words) as process:
        _, said = await process.communicate()
        assert (process.returncode, said.count(b"\n")) == (1, 1)
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("words", [["--token-id", "x"], ["--token-id", "1", "--seconds", "0"], []])
def test_wrong_usage_makes_no_file(tmp_path: Path, words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["record", str(tmp_path / "a"), *words])
    assert ended.value.code == 2
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("name", ["none/a", ""])
def test_a_file_that_cannot_be_made_is_refused_before_anything_is_asked(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["record", f"{tmp_path}/{name}", "--token-id", "1"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


async def test_a_disk_that_becomes_full_ends_with_69_and_keeps_what_was_written(
    venue: RunningVenue, tmp_path: Path
) -> None:
    path = tmp_path / "rain.pmtui"
    words = (str(path), "--token-id", RAIN_YES)
    async with program(venue, tmp_path / "home", *words, file_limit=2_000) as process:
        _, said = await process.communicate()
        assert process.returncode == 69
    assert said.splitlines()[-1].startswith(b"pmtui record: ")
    assert path.stat().st_size <= 2_000


def test_a_file_that_exists_is_refused_before_anything_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a"
    path.write_text("mine")
    assert main(["record", str(path), "--token-id", "1"]) == 2
    assert path.read_text() == "mine"
    assert capsys.readouterr().err.count("\n") == 1


def test_a_dash_is_no_name_of_a_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["record", "-", "--token-id", "7"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "-").exists()
