"""`pmtui agent http` as it is started, on a small venue."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from pmtui.cli.agent.http_server import bind
from pmtui.cli.main import main
from tests.cli.secret_lines import lines_on_fd
from tests.sim.kit import RAIN, RAIN_YES, Person

TOKEN = "a token of some length"


@asynccontextmanager
async def running(
    *arguments: str, fd: int | None = None
) -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    """Start the service and give its address, which is its first line."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pmtui", "agent", "http", "--profile", "live", *arguments),
        stdout=asyncio.subprocess.PIPE,
        pass_fds=() if fd is None else (fd,),
    )
    assert process.stdout is not None
    try:
        yield json.loads(await process.stdout.readline())["url"], process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_the_paths_answer_from_the_hosts_of_the_profile(bob: Person) -> None:
    async with running() as (url, process):
        assert url.startswith("http://127.0.0.1:")
        book = (await bob.http.get(f"{url}/orderbook/{RAIN_YES}")).json()
        assert book["item"]["asks"] == [{"price": "0.4", "size": "4"}]
        found = (await bob.http.get(f"{url}/discover/search", params={"q": "rain"})).json()
        assert [hit["kind"] for hit in found["items"]] == ["event", "market"]
        held = await bob.http.get(f"{url}/data/positions", params={"user": bob.wallet})
        assert held.json()["items"][0]["condition_id"] == RAIN
        told = (await bob.http.get(f"{url}/diag")).json()
        assert (told["profile"], told["is_configured"], told["has_account"]) == (
            "live",
            True,
            False,
        )
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0


async def test_a_token_is_read_from_a_descriptor(bob: Person) -> None:
    with lines_on_fd(TOKEN) as fd:
        async with running("--token-fd", str(fd), fd=fd) as (url, _):
            assert (await bob.http.get(f"{url}/diag")).status_code == 401
            headers = {"Authorization": f"Bearer {TOKEN}"}
            assert (await bob.http.get(f"{url}/diag", headers=headers)).status_code == 200


def test_a_port_that_is_taken_is_exit_code_69(capsys: pytest.CaptureFixture[str]) -> None:
    with bind(0) as taken:
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main(["agent", "http", "--profile", "live", "--port", port]) == 69
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [["http", "--port", "70000"], ["stdio", "--port", "1"], ["stdio", "--token-fd", "0"]],
)
def test_wrong_usage_is_refused_in_one_line(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["agent", *arguments])
    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


async def test_a_short_token_is_refused(bob: Person) -> None:
    with lines_on_fd("short") as fd, pytest.raises(SystemExit) as ended:
        await asyncio.to_thread(main, ["agent", "http", "--token-fd", str(fd)])
    assert ended.value.code == 2
