"""The venue as a child: it starts, says where it is, and always ends."""

import asyncio
import json
import os
import socket
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import fields
from pathlib import Path

import pytest

from pmtui.cli.keys.unlocking import PAPER_KEY_FILE
from pmtui.cli.session_process import session_lock
from pmtui.cli.venue.paper import (
    VENUE_SILENT,
    Unreachable,
    VenueProblem,
    VenueUrls,
    has_lasting_hosts,
    load_paper_key,
    profile_endpoints,
    running_venue,
)
from pmtui.config.endpoints import Endpoints
from pmtui.config.settings import Settings, load_settings
from pmtui.signing.signer import Signer

URLS = {name: f"http://127.0.0.1/{name}" for name in VenueUrls.__dataclass_fields__}
WAIT_FOR_STDIN = "import sys; sys.stdin.read()"


def child(program: str) -> list[str]:
    return [sys.executable, "-c", program]


async def test_one_that_cannot_be_started_is_a_problem(tmp_path: Path) -> None:
    async with running_venue([str(tmp_path / "nothing")], tmp_path / "log") as answer:
        assert isinstance(answer, VenueProblem)
    (tmp_path / "file").touch()
    async with running_venue(child(WAIT_FOR_STDIN), tmp_path / "file" / "log") as answer:
        assert isinstance(answer, VenueProblem)


async def test_the_first_line_says_where_the_venue_is(tmp_path: Path) -> None:
    program = f"import json; print(json.dumps({URLS!r}), flush=True); {WAIT_FOR_STDIN}"
    async with running_venue(child(program), tmp_path / "logs" / "venue.log") as urls:
        assert isinstance(urls, VenueUrls)
        assert urls.clob == "http://127.0.0.1/clob"


async def test_the_child_ends_with_the_block(tmp_path: Path) -> None:
    mark = tmp_path / "ended"
    program = (
        f"import json; print(json.dumps({URLS!r}), flush=True); {WAIT_FOR_STDIN};"
        f"open({str(mark)!r}, 'w').close()"
    )
    async with running_venue(child(program), tmp_path / "venue.log"):
        assert not mark.exists()
    assert mark.exists()


async def test_a_venue_that_ends_by_itself_is_told_and_one_that_is_ended_is_not(
    tmp_path: Path,
) -> None:
    ended = asyncio.Event()
    said = f"import json; print(json.dumps({URLS!r}), flush=True)"
    async with running_venue(child(said), tmp_path / "venue.log", on_end=ended.set):
        async with asyncio.timeout(60):
            await ended.wait()
    ended.clear()
    stays = child(f"{said}; {WAIT_FOR_STDIN}")
    async with running_venue(stays, tmp_path / "venue.log", on_end=ended.set):
        pass
    assert not ended.is_set()


@pytest.mark.parametrize("program", ["raise SystemExit(2)", "print('hello')", "print('{}')"])
async def test_a_venue_that_does_not_start_is_a_problem(tmp_path: Path, program: str) -> None:
    async with running_venue(child(program), tmp_path / "venue.log") as answer:
        assert isinstance(answer, VenueProblem)


async def test_a_venue_that_refuses_to_start_is_quoted(tmp_path: Path) -> None:
    program = "import sys; sys.exit('pmtui sim: the state directory is in use')"
    async with running_venue(child(program), tmp_path / "venue.log") as answer:
        assert isinstance(answer, VenueProblem)
        assert "in use" in answer.text


async def test_the_child_never_sees_a_private_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", "not-for-others")
    monkeypatch.setenv("PMTUI_SEEN", "yes")
    seen = tmp_path / "seen"
    program = (
        f"import os, json; open({str(seen)!r}, 'w').write(' '.join(os.environ));"
        f"print(json.dumps({URLS!r}), flush=True)"
    )
    async with running_venue(child(program), tmp_path / "venue.log"):
        pass
    assert "PMTUI_SEEN" in seen.read_text()
    assert "PMTUI_PRIVATE_KEY" not in seen.read_text()


def test_the_paper_key_is_drawn_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    first = load_paper_key(tmp_path / "paper")
    path = tmp_path / "paper" / PAPER_KEY_FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Signer(load_paper_key(tmp_path / "paper")).address == Signer(first).address
    assert os.listdir(tmp_path / "paper") == [PAPER_KEY_FILE]  # noqa: PTH208 - names, not paths


def test_a_damaged_paper_key_is_refused_without_being_shown(tmp_path: Path) -> None:
    (tmp_path / PAPER_KEY_FILE).write_text("zz-not-hex")
    with pytest.raises(ValueError, match="hexadecimal") as caught:
        load_paper_key(tmp_path)
    assert "zz" not in str(caught.value)


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
    monkeypatch.setattr("pmtui.cli.venue.paper.VENUE_WAIT_S", 0.3)
    with session_lock(tmp_path / "paper"):
        async with profile_endpoints(settings, tmp_path) as found:
            assert found == Unreachable(VENUE_SILENT)


async def test_a_venue_that_is_stopped_is_given_up(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pmtui.cli.venue.paper.ANSWER_WITHIN_S", 0.1)
    monkeypatch.setattr("pmtui.cli.venue.paper.VENUE_WAIT_S", 0.3)
    # The system takes its connections; nothing is ever said on them.
    with socket.create_server(("127.0.0.1", 0)) as silent, session_lock(tmp_path / "paper"):
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        urls = {each.name: url for each in fields(VenueUrls)}
        (tmp_path / "paper" / "venue.json").write_bytes(json.dumps(urls).encode())
        async with profile_endpoints(settings, tmp_path) as found:
            assert found == Unreachable(VENUE_SILENT)


async def test_a_failure_within_the_block_stays_what_it_is(
    settings: Settings, tmp_path: Path
) -> None:
    with pytest.raises(RuntimeError, match="of the caller"):
        async with endpoints(settings, tmp_path):
            raise RuntimeError("of the caller")
