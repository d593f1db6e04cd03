"""The last check before a request's bytes leave: after the wait for a place and the connection."""

import asyncio
from dataclasses import dataclass, field

from pmtui.clients.http.client import HttpHost, RequestReport
from pmtui.clients.http.rate_limits import RateGate
from pmtui.domain.answers import Failure, FailureKind
from tests.clients.http.gate_kit import Hands, gate_on, settle
from tests.clients.raw_server import Call, answering, serving

BODY = b'{"order":{}}'


@dataclass
class Check:
    """Answers what a test sets, and counts how often it was asked."""

    reason: str = ""
    asked: list[str] = field(default_factory=list)

    def __call__(self) -> str:
        self.asked.append(self.reason)
        return self.reason


async def test_a_body_that_is_checked_travels_byte_for_byte() -> None:
    check = Check()
    async with serving(answering(b"{}")) as server:
        answer = await server.host().send("POST", "/order", body=BODY, last_check=check)
    (call,) = server.calls
    assert (answer, call.body) == (b"{}", BODY)
    assert call.headers["content-length"] == str(len(BODY))
    assert call.headers["content-type"] == "application/json"
    assert "transfer-encoding" not in call.headers
    assert check.asked == [""]


async def test_a_reason_withholds_the_request_and_says_nothing_of_the_host() -> None:
    reports = list[RequestReport]()
    async with serving(answering(b"{}")) as server:
        host = HttpHost(server.url, observe=reports.append)
        server.hosts.append(host)
        answer = await host.send("POST", "/order", body=BODY, last_check=Check("too late"))
        assert answer == Failure(FailureKind.CANCELLED, "POST /order", "too late")
        assert reports == []
        # The connection with half a request is not used again, the next request is whole.
        assert await host.send("POST", "/order", body=BODY, last_check=Check()) == b"{}"
        assert [call.body for call in server.calls] == [BODY]


async def test_the_check_comes_after_the_wait_for_a_place() -> None:
    hands, check = Hands(), Check()
    gate = gate_on(hands)
    gate.note("POST /order", Failure(FailureKind.BUSY, "POST /order", "slow", 429, 4.0))
    async with serving(answering(b"{}")) as server, asyncio.timeout(60):
        host = HttpHost(server.url, gate=gate)
        server.hosts.append(host)
        posting = asyncio.ensure_future(host.send("POST", "/order", body=BODY, last_check=check))
        await settle()
        check.reason = "cancelled meanwhile"
        assert check.asked == []
        await hands.move(4)
        answer = await posting
        assert isinstance(answer, Failure)
        assert (answer.kind, server.calls) == (FailureKind.CANCELLED, [])


async def test_the_check_comes_after_the_connection_was_made() -> None:
    connected = asyncio.Event()
    check = Check()

    async def on_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # The head is there, so the connection is; the body has been asked for or will be.
        await reader.readuntil(b"\r\n\r\n")
        connected.set()
        assert await reader.read() == b""
        writer.close()

    server = await asyncio.start_server(on_connection, "127.0.0.1", 0)
    host = HttpHost(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")

    def refuse_once_connected() -> str:
        check.asked.append("asked")
        return "no"

    async with server, asyncio.timeout(60):
        answer = await host.send("POST", "/order", body=BODY, last_check=refuse_once_connected)
        await connected.wait()
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.CANCELLED
    assert check.asked == ["asked"]
    await host.aclose()


async def test_a_withheld_request_leaves_the_pauses_of_its_route_alone() -> None:
    hands = Hands()
    gate: RateGate = gate_on(hands)
    busy = Failure(FailureKind.BUSY, "POST /order", "slow", 429)

    async def answer(call: Call) -> None:
        await call.answer(b"{}")

    async with serving(answer) as server, asyncio.timeout(60):
        host = HttpHost(server.url, gate=gate)
        server.hosts.append(host)
        gate.note("POST /order", busy)
        await hands.move(1)
        await host.send("POST", "/order", body=BODY, last_check=Check("no"))
        gate.note("POST /order", busy)
        # The second pause is twice the first, as if nothing had been asked between them.
        await hands.move(1)
        posting = asyncio.ensure_future(host.send("POST", "/order", body=BODY, last_check=Check()))
        await settle()
        assert not posting.done()
        assert server.calls == []
        await hands.move(1)
        assert await posting == b"{}"
