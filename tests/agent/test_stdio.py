import json
import random
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest

from pmtui.agent.stdio import (
    FAILED,
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    UNKNOWN_METHOD,
    LineSplitter,
    read_request,
    serve_lines,
)
from pmtui.agent.tools import LONGEST_REQUEST, Toolbox
from tests.agent.ports import TOKEN, FakePort

BOOK = {"name": "service.orderbook_book", "arguments": {"token_id": TOKEN}}


def request(method: object, params: object = None, **more: object) -> dict[str, object]:
    whole: dict[str, object] = {"jsonrpc": "2.0", "id": 1, "method": method, **more}
    return whole if params is None else {**whole, "params": params}


async def exchange(lines: Iterable[bytes], port: FakePort | None = None) -> list[dict[str, Any]]:
    async def chunks() -> AsyncIterator[bytes]:
        for line in lines:
            yield line + b"\n"

    said: list[bytes] = []
    toolbox = Toolbox(port or FakePort(), version="0")
    await serve_lines(toolbox, chunks(), said.append, version="0")
    assert all(b"\n" not in line for line in said)
    return [json.loads(line) for line in said]


async def ask(*messages: object, port: FakePort | None = None) -> list[dict[str, Any]]:
    return await exchange([json.dumps(message).encode() for message in messages], port)


async def test_a_bare_line_lists_the_tools() -> None:
    (answer,) = await ask(request("tools/list"))
    assert len(answer["result"]["tools"]) == 5


async def test_a_bare_call_answers_in_text_that_is_json() -> None:
    (answer,) = await ask(request("tools/call", BOOK))
    told = json.loads(answer["result"]["content"][0]["text"])
    assert told["item"]["token_id"] == TOKEN


async def test_an_id_comes_back_as_it_was_and_a_notification_gets_no_answer() -> None:
    answers = await ask(
        request("ping", id="a"),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "tools/call", "params": BOOK},
        request("ping", id=None),
    )
    assert [answer["id"] for answer in answers] == ["a", None]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ([], INVALID_REQUEST),
        ([request("ping")], INVALID_REQUEST),
        ({"id": 1, "method": "ping"}, INVALID_REQUEST),
        (request(7), INVALID_REQUEST),
        (request("ping", id={}), INVALID_REQUEST),
        (request("tools/list", []), INVALID_PARAMS),
        (request("orders/place", {}), UNKNOWN_METHOD),
        (request("tools/call", {}), INVALID_PARAMS),
        (request("tools/call", {"name": "service.order"}), FAILED),
        (request("tools/call", {"name": "service.place_order"}), INVALID_PARAMS),
        (request("tools/call", {**BOOK, "arguments": []}), INVALID_PARAMS),
        (request("tools/call", {**BOOK, "arguments": {}}), INVALID_PARAMS),
        (request("tools/call", {"name": "service.fills"}), FAILED),
    ],
)
async def test_each_fault_has_its_code(message: object, code: int) -> None:
    (answer,) = await ask(message)
    assert answer["error"]["code"] == code


async def test_lines_are_cut_anywhere_and_long_ones_given_up() -> None:
    whole = json.dumps(request("ping")).encode() + b"\n"
    splitter = LineSplitter()
    lines = [line for byte in whole for line in splitter.feed(bytes([byte]))]
    assert lines == [whole.strip()]
    long = b"x" * LONGEST_REQUEST
    assert splitter.feed(long + b"y") == [None]
    assert splitter.feed(long + b"\n") == []
    assert splitter.feed(whole) == [whole.strip()]
    assert splitter.feed(b"last") == []
    assert splitter.finish() == [b"last"]
    first, second = await exchange([b"x" * (LONGEST_REQUEST + 1), whole.strip()])
    assert (first["error"]["code"], second["result"]) == (INVALID_REQUEST, {})


def malformed(rng: random.Random) -> bytes:
    """Return a line that is no good request; a third of them nearly are."""
    good = request("tools/call", BOOK)
    odd: list[object] = [None, True, -1, 1.5, "", "\ud800", [], {}, [[]] * 3, "x" * 300, 10**400]
    match rng.randrange(6):
        case 0:
            line = json.dumps(good)
            return line[: rng.randrange(1, len(line))].encode()
        case 1:
            return bytes(rng.randrange(1, 256) for _ in range(rng.randrange(1, 60))).replace(
                b"\n", b" "
            )
        case 2:
            return json.dumps({**good, rng.choice(["jsonrpc", "method"]): rng.choice(odd)}).encode()
        case 3:
            params = {**BOOK, rng.choice(["name", "arguments"]): rng.choice(odd)}
            return json.dumps({**good, "params": params}).encode()
        case 4:
            arguments = {rng.choice(["token_id", "order", "__proto__"]): rng.choice(odd)}
            return json.dumps({**good, "params": {**BOOK, "arguments": arguments}}).encode()
        case _:
            depth = rng.randrange(1, 40_000)
            return b"[" * depth if rng.random() < 0.5 else b'{"a":' * depth


async def test_a_thousand_malformed_requests_end_in_errors_and_reach_nobody() -> None:
    rng = random.Random(17)
    lines = [line for _ in range(1_200) if (line := malformed(rng)).strip()][:1_000]
    port = FakePort()
    answers = await exchange(lines, port)
    assert len(answers) == len(lines) == 1_000
    assert all("error" in answer for answer in answers)
    assert port.asked == []


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_an_id_that_json_cannot_write_is_no_request(number: str) -> None:
    line = f'{{"jsonrpc": "2.0", "id": {number}, "method": "ping"}}'.encode()
    answer = read_request(line)
    assert isinstance(answer, bytes)
    told = json.loads(answer)
    assert told["id"] is None
    assert told["error"]["code"] in (PARSE_ERROR, INVALID_REQUEST)
