"""The tool server as programs start it, on a small venue."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from pmtui.cli.main import main
from tests.cli.public_venue import PASSPHRASE
from tests.cli.secret_lines import lines_on_fd
from tests.sim.kit import RAIN, RAIN_YES, Person

CLIENT = {"name": "test", "version": "0"}
CONTRACT = {
    "service.health": {},
    "service.discover_search": {"query": "rain"},
    "service.data_positions": {"user": ""},
    "service.orderbook_book": {"token_id": RAIN_YES},
    "service.marketdata_snapshot": {"token_id": RAIN_YES},
}


def server(*arguments: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "pmtui", "agent", "stdio", "--profile", "live", *arguments],
        env=dict(os.environ),
    )


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_official_client_lists_and_calls_the_five_tools(mode: Any, bob: Person) -> None:
    async with Client(server(), mode=mode) as client:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == list(CONTRACT)
        assert all(t.annotations is not None and t.annotations.read_only_hint for t in listed.tools)
        told: dict[str, Any] = {}
        for name, arguments in CONTRACT.items():
            given = {"user": bob.wallet} if "user" in arguments else arguments
            result = await client.call_tool(name, given)
            assert not result.is_error, result
            assert result.structured_content is not None
            told[name] = result.structured_content
        refused = await client.call_tool("service.fills", {})
        assert refused.is_error
    assert told["service.health"]["is_healthy"] is True
    assert {hit["kind"] for hit in told["service.discover_search"]["items"]} == {"event", "market"}
    assert told["service.data_positions"]["items"][0]["condition_id"] == RAIN
    assert told["service.orderbook_book"]["item"]["worth"] == "verified"
    assert told["service.marketdata_snapshot"]["item"]["best_ask"] == "0.4"


@asynccontextmanager
async def running(
    *arguments: str, fd: int | None = None
) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pmtui", "agent", "stdio", "--profile", "live", *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        pass_fds=() if fd is None else (fd,),
        limit=10_000_000,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def exchange(
    process: asyncio.subprocess.Process, *messages: dict[str, object]
) -> list[dict[str, Any]]:
    """Send bare lines and return the answers; the server ends with its input."""
    lines = [json.dumps({"jsonrpc": "2.0", "id": n, **m}) for n, m in enumerate(messages)]
    out, _ = await process.communicate("".join(f"{line}\n" for line in lines).encode())
    assert process.returncode == 0
    return [json.loads(line) for line in out.splitlines()]


async def test_bare_lines_need_no_handshake_and_the_server_ends_with_its_input(
    bob: Person,
) -> None:
    async with running() as process:
        listed, called = await exchange(
            process,
            {"method": "tools/list"},
            {
                "method": "tools/call",
                "params": {
                    "name": "service.orderbook_book",
                    "arguments": {"token_id": RAIN_YES},
                },
            },
        )
    assert [tool["name"] for tool in listed["result"]["tools"]] == list(CONTRACT)
    assert json.loads(called["result"]["content"][0]["text"])["item"]["asks"] == [
        {"price": "0.4", "size": "4"}
    ]


async def test_own_figures_are_told_only_with_the_account_and_by_name(
    bob: Person, keystore: Path
) -> None:
    call: dict[str, object] = {"method": "tools/call", "params": {"name": "service.fills"}}
    with lines_on_fd(PASSPHRASE) as fd:
        options = ("--account", "--tools", "fills", "--passphrase-fd", str(fd))
        async with running(*options, fd=fd) as process:
            (answer,) = await exchange(process, call)
    (fill,) = json.loads(answer["result"]["content"][0]["text"])["items"]
    assert (fill["price"], fill["size"]) == ("0.4", "6")
    async with running("--tools", "leaderboard") as process:
        (refused,) = await exchange(process, call)
    assert refused["error"]["code"] == -32000


async def test_tools_are_listed_where_no_host_answers_and_their_execution_refused(
    bob: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMTUI_CLOB_URL", "http://127.0.0.1:1")
    book: dict[str, object] = {
        "method": "tools/call",
        "params": {"name": "service.orderbook_book", "arguments": {"token_id": RAIN_YES}},
    }
    async with running() as process:
        listed, refused = await exchange(process, {"method": "tools/list"}, book)
    assert len(listed["result"]["tools"]) == 5
    assert refused["error"]["code"] == -32000


@pytest.mark.parametrize(
    "arguments",
    [["stdio", "--tools", "no-such-read"], ["stdio", "--tools", "fills"], ["telepathy"], []],
)
def test_wrong_usage_is_refused_in_one_line(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["agent", *arguments])
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)


@pytest.mark.parametrize("first", ["tools/list", "initialize"])
async def test_a_client_that_no_longer_reads_ends_nothing_in_a_crash(
    first: str, bob: Person
) -> None:
    reading, writing = os.pipe()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pmtui", "agent", "stdio", "--profile", "live"),
        stdin=asyncio.subprocess.PIPE,
        stdout=writing,
        stderr=asyncio.subprocess.PIPE,
    )
    os.close(writing)
    os.close(reading)
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": first, "params": client})
    _, problems = await process.communicate(f"{line}\n{line}\n".encode())
    assert (process.returncode, problems) == (0, b"")


@pytest.mark.parametrize("closed", ["</dev/null", "<&-"])
async def test_without_any_input_it_ends_at_once(closed: str, bob: Person) -> None:
    command = f"exec {sys.executable} -m pmtui agent stdio --profile live {closed}"
    process = await asyncio.create_subprocess_exec(
        "sh", "-c", command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert await process.communicate() == (b"", b"")
    assert process.returncode == 0


async def test_an_output_that_takes_nothing_is_said_in_a_line(bob: Person) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pmtui", "agent", "stdio", "--profile", "live"),
        stdin=asyncio.subprocess.PIPE,
        stdout=full,
        stderr=asyncio.subprocess.PIPE,
    )
    os.close(full)
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    _, problems = await process.communicate(f"{line}\n".encode())
    assert (process.returncode, problems.count(b"\n")) == (69, 1)
