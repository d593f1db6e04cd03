"""The transport against real sockets that misbehave in every way we know of."""

import asyncio
import gzip
import socket
from dataclasses import dataclass, field

import httpx
import pytest

from pmtui.clients.http.client import HttpHost, Pace, RequestReport, ShownRequest
from pmtui.config.endpoints import is_loopback
from pmtui.domain.answers import Failure, FailureKind
from tests.clients.raw_server import (
    Call,
    Handler,
    RawServer,
    answering,
    resetting,
    sending,
    serving,
    silent,
)

FAST = httpx.Timeout(0.3, connect=0.3)


@dataclass
class Waits:
    """Stands in for the clock: notes how long the transport would have waited."""

    waited: list[float] = field(default_factory=list)

    @property
    def pace(self) -> Pace:
        return Pace(sleep=self.sleep, jitter=lambda: 0.5)

    async def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)


async def ask(*handlers: Handler, max_body: int = 1_000_000) -> tuple[bytes | Failure, list[str]]:
    """One read of `/thing`, with the request lines the host saw."""
    async with serving(*handlers) as server:
        host = HttpHost(server.url, pace=Waits().pace, timeouts=FAST, max_body=max_body)
        answer = await host.read("/thing", query=[("a", "b c"), ("a", "d")])
        await host.aclose()
        return answer, server.lines


def failure(answer: bytes | Failure) -> Failure:
    assert isinstance(answer, Failure)
    return answer


async def test_a_good_answer_is_its_bytes() -> None:
    answer, lines = await ask(answering(b'{"a":1}'))
    assert answer == b'{"a":1}'
    assert lines == ["GET /thing?a=b+c&a=d HTTP/1.1"]


async def test_a_compressed_answer_is_its_bytes() -> None:
    packed = gzip.compress(b'{"a":1}')
    answer, _ = await ask(answering(packed, headers="Content-Encoding: gzip\r\n"))
    assert answer == b'{"a":1}'


async def test_garbled_compression_is_a_failure_of_the_server() -> None:
    answer, _ = await ask(answering(b"\x1f\x8bnonsense", headers="Content-Encoding: gzip\r\n"))
    assert failure(answer).kind is FailureKind.SERVER


async def test_a_refused_connection_means_the_request_did_not_leave() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    waits = Waits()
    found = failure(await HttpHost(url, pace=waits.pace, timeouts=FAST).read("/x"))
    assert found.kind is FailureKind.UNREACHABLE
    assert not found.may_have_happened
    assert "refused" in found.text.lower()
    assert len(waits.waited) == 2


async def test_a_reset_before_the_answer_is_lost() -> None:
    answer, lines = await ask(resetting)
    assert failure(answer).kind is FailureKind.LOST
    assert len(lines) == 3


async def test_a_silent_host_is_lost() -> None:
    answer, _ = await ask(silent)
    assert failure(answer).kind is FailureKind.LOST
    assert failure(answer).may_have_happened


async def test_a_host_that_drips_meets_the_total_limit() -> None:
    async def drip(call: Call) -> None:
        await call.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while True:
            await call.send(b" ")
            await asyncio.sleep(0.02)

    async with serving(drip) as server:
        host = HttpHost(server.url, timeouts=FAST, total_s=0.2)
        found = failure(await host.send("GET", "/drip"))
        await host.aclose()
    assert found.kind is FailureKind.LOST
    assert found.status == 200


async def test_a_body_that_breaks_off_is_a_failure_of_the_server() -> None:
    cut = b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"a":'
    answer, _ = await ask(sending(cut))
    assert failure(answer).kind is FailureKind.SERVER
    assert failure(answer).status == 200
    assert failure(answer).may_have_happened


async def test_an_empty_answer_is_a_failure_unless_it_may_be_empty() -> None:
    async with serving(answering(b"")) as server:
        host = HttpHost(server.url, timeouts=FAST)
        found = failure(await host.send("GET", "/x"))
        allowed = await host.send("GET", "/x", may_be_empty=True)
        await host.aclose()
    assert found.kind is FailureKind.SERVER
    assert allowed == b""


async def test_a_page_of_the_edge_is_no_answer() -> None:
    page = b"<!DOCTYPE html>\n<html>blocked</html>"
    answer, lines = await ask(answering(page, status="403 Forbidden", kind="text/html"))
    found = failure(answer)
    assert (found.kind, found.status, found.text) == (
        FailureKind.SERVER,
        403,
        "blocked by the edge",
    )
    assert len(lines) == 1
    assert not found.may_have_happened, "the region is checked before anything else"
    answer, _ = await ask(answering(page))
    assert failure(answer).text == "a web page instead of data"


@pytest.mark.parametrize(
    ("status", "words"),
    [("429 Too Many", "too many requests"), ("425 Early", "the matching engine restarts")],
)
async def test_a_page_that_asks_for_patience_says_that_nothing_was_done(
    status: str, words: str
) -> None:
    page = answering(
        b"<html>slow down</html>", status=status, kind="text/html", headers="Retry-After: 60\r\n"
    )
    answer, _ = await ask(page)
    found = failure(answer)
    assert (found.kind, found.text, found.retry_after_s) == (FailureKind.BUSY, words, 60.0)
    assert not found.may_have_happened


@pytest.mark.parametrize(
    "status", ["500 No", "502 No", "503 No", "504 No", "520 No", "400 No", "408 No"]
)
async def test_any_other_page_leaves_open_what_was_done(status: str) -> None:
    page = answering(b"<html>sorry</html>", status=status, kind="text/html")
    async with serving(page) as server:
        host = HttpHost(server.url)
        found = failure(await host.send("POST", "/order", body=b"{}"))
        await host.aclose()
    assert found.may_have_happened


async def test_a_status_counts_though_its_body_breaks_off() -> None:
    cut = b"HTTP/1.1 429 Too Many\r\nContent-Length: 100\r\n\r\n{"
    async with serving(sending(cut)) as server:
        host = HttpHost(server.url)
        found = failure(await host.send("POST", "/order", body=b"{}"))
        await host.aclose()
    assert (found.status, found.may_have_happened) == (429, False)


async def test_a_redirect_is_not_followed() -> None:
    moved = answering(b"", status="302 Found", headers="Location: http://127.0.0.1:1/a?key=k\r\n")
    answer, lines = await ask(moved)
    assert failure(answer).text == "redirected to 127.0.0.1, not followed"
    assert len(lines) == 1


@pytest.mark.parametrize("location", ["http://[x/", "//[", "", "\xff\xfe"])
async def test_a_redirect_to_nowhere_is_a_failure_like_any_other(location: str) -> None:
    moved = answering(b"", status="308 Moved", headers=f"Location: {location}\r\n")
    answer, _ = await ask(moved)
    assert failure(answer).text == "redirected to elsewhere, not followed"


async def test_an_endless_answer_is_cut_off() -> None:
    answer, _ = await ask(answering(b"1" * 50_000), max_body=10_000)
    assert failure(answer).kind is FailureKind.SERVER
    assert "more than 10000 bytes" in failure(answer).text


async def test_a_small_answer_that_unpacks_to_a_huge_one_is_cut_off() -> None:
    bomb = gzip.compress(b" " * 5_000_000)
    answer, _ = await ask(answering(bomb, headers="Content-Encoding: gzip\r\n"), max_body=100_000)
    assert "more than 100000 bytes" in failure(answer).text


@pytest.mark.parametrize("encoding", ["gzip, gzip", "deflate", "br"])
@pytest.mark.parametrize("status", ["200 OK", "429 Too Many"])
async def test_only_one_coding_is_expanded(encoding: str, status: str) -> None:
    layered = gzip.compress(gzip.compress(b" " * 5_000_000))
    headers = f"Content-Encoding: {encoding}\r\n"
    handler = answering(layered, headers=headers, status=status)
    async with serving(handler) as server:
        host = HttpHost(server.url, timeouts=FAST)
        found = failure(await host.send("GET", "/x"))
        await host.aclose()
        assert server.calls[0].headers["accept-encoding"] == "gzip"
    assert found.text == "answer in an encoding that was not asked for"
    assert found.status == int(status[:3])


async def test_codings_in_several_headers_are_layered_too() -> None:
    headers = "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n"
    answer, _ = await ask(answering(gzip.compress(b"{}"), headers=headers))
    assert failure(answer).kind is FailureKind.SERVER


async def test_a_compressed_answer_that_breaks_off_is_a_failure() -> None:
    cut = gzip.compress(b'{"a":1}' * 100)[:-9]
    answer, _ = await ask(answering(cut, headers="Content-Encoding: gzip\r\n"))
    assert failure(answer).text == "answer cannot be decompressed"


@pytest.mark.parametrize(
    ("status", "body", "kind", "text"),
    [
        ("400 Bad Request", b'{"error":"no good"}', FailureKind.REFUSED, "no good"),
        ("422 Nope", b'{"type":"validation error","error":"bad"}', FailureKind.REFUSED, "bad"),
        ("400 Bad Request", b"plain words\n", FailureKind.REFUSED, "plain words"),
        ("400 Bad Request", b'"quoted words"', FailureKind.REFUSED, "quoted words"),
        ("400 Bad Request", b"", FailureKind.REFUSED, "refused without a reason"),
        ("400 Bad Request", b'{"error_msg":"late"}', FailureKind.REFUSED, "late"),
        ("404 Not Found", b"404 page not found\n", FailureKind.NOT_FOUND, "404 page not found"),
        (
            "404 Not Found",
            b'{"error":"market not found"}',
            FailureKind.NOT_FOUND,
            "market not found",
        ),
        ("401 Unauthorized", b'{"error":"Unauthorized"}', FailureKind.REFUSED, "Unauthorized"),
        # Of whoever stands in between, who may have passed the request on.
        ("408 Request Timeout", b"{}", FailureKind.LOST, "given up on the way"),
        ("499 Closed", b'{"error":"late"}', FailureKind.LOST, "late"),
        ("500 Oops", b'{"error":"broken"}', FailureKind.SERVER, "broken"),
        ("503 Later", b"[1]", FailureKind.SERVER, "[1]"),
    ],
)
async def test_refusals_keep_the_hosts_words(
    status: str, body: bytes, kind: FailureKind, text: str
) -> None:
    async with serving(answering(body, status=status)) as server:
        host = HttpHost(server.url, timeouts=FAST)
        found = failure(await host.send("POST", "/order", body=b"{}"))
        await host.aclose()
        assert len(server.calls) == 1
    assert (found.kind, found.text, found.route) == (kind, text, "POST /order")
    assert found.status == int(status[:3])


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ("Retry-After: 3\r\n", b"{}", 3.0),
        ("Retry-After: -3\r\n", b"{}", 0.0),
        ("Retry-After: soon\r\n", b"{}", None),
        ("Retry-After: nan\r\n", b"{}", None),
        (
            "Retry-After: Sat, 21 Nov 2026 09:00:30 GMT\r\nDate: Sat, 21 Nov 2026 09:00:00 GMT\r\n",
            b"{}",
            30.0,
        ),
        ("Retry-After: Sat, 21 Nov 2026 09:00:30 GMT\r\n", b"{}", None),
        ("", b'{"error":"slow down","retry_after_seconds":7}', 7.0),
        ("", b'{"error":"slow down"}', None),
    ],
)
async def test_a_busy_host_says_when_to_come_back(
    headers: str, body: bytes, seconds: float | None
) -> None:
    for status in ("429 Too Many", "425 Too Early"):
        async with serving(answering(body, status=status, headers=headers)) as server:
            host = HttpHost(server.url, timeouts=FAST)
            found = failure(await host.send("GET", "/x"))
            await host.aclose()
        assert found.kind is FailureKind.BUSY
        assert found.retry_after_s == seconds


async def test_reads_are_tried_again_and_waits_spread() -> None:
    waits = Waits()
    broken = answering(b'{"error":"x"}', status="502 Bad Gateway")
    async with serving(broken, resetting, answering(b"[]")) as server:
        host = HttpHost(server.url, pace=waits.pace, timeouts=FAST)
        assert await host.read("/x") == b"[]"
        await host.aclose()
        assert len(server.calls) == 3
    assert waits.waited == [pytest.approx(0.225), pytest.approx(0.45)]


async def test_a_short_wait_is_kept_and_a_long_one_is_reported() -> None:
    waits = Waits()
    soon = answering(b"{}", status="429 Too Many", headers="Retry-After: 2\r\n")
    late = answering(b"{}", status="429 Too Many", headers="Retry-After: 60\r\n")
    async with serving(soon, late) as server:
        host = HttpHost(server.url, pace=waits.pace, timeouts=FAST)
        found = failure(await host.read("/x"))
        await host.aclose()
    assert waits.waited == [2.0]
    assert found.retry_after_s == 60.0


async def test_refusals_are_not_asked_again() -> None:
    answer, lines = await ask(answering(b'{"error":"no"}', status="400 Bad Request"))
    assert failure(answer).kind is FailureKind.REFUSED
    assert len(lines) == 1


async def test_an_order_is_sent_once_however_it_ends() -> None:
    for handler in (resetting, answering(b"{}", status="500 Oops")):
        async with serving(handler) as server:
            host = HttpHost(server.url, timeouts=FAST)
            found = failure(await host.send("POST", "/order", body=b'{"b": 1}'))
            await host.aclose()
            assert len(server.calls) == 1
            assert server.calls[0].body == b'{"b": 1}'
            assert server.calls[0].headers["content-type"] == "application/json"
        assert found.may_have_happened


async def test_credentials_never_reach_a_failure() -> None:
    async def quoting(call: Call) -> None:
        told = call.headers["poly_api_key"]
        await call.answer(f'{{"error":"bad key {told}"}}'.encode(), status="401 Unauthorized")

    async with serving(quoting) as server:
        host = HttpHost(server.url, timeouts=FAST)
        headers = {"POLY_API_KEY": "11111111-2222", "POLY_ADDRESS": "0xabc"}
        found = failure(await host.send("GET", "/x", headers=headers))
        await host.aclose()
    assert found.text == "bad key …"


async def test_a_header_that_cannot_be_written_is_not_quoted() -> None:
    async with serving(answering(b"[]")) as server:
        host = HttpHost(server.url, timeouts=FAST)
        found = failure(await host.send("GET", "/x", headers={"POLY_PASSPHRASE": "se\ncret"}))
        await host.aclose()
    assert found.kind is FailureKind.UNREACHABLE
    assert "cret" not in str(found)


async def test_every_try_is_observed_without_its_query() -> None:
    seen: list[RequestReport] = []
    async with serving(answering(b"{}", status="500 Oops"), answering(b"[]")) as server:
        host = HttpHost(server.url, observe=seen.append, pace=Waits().pace, timeouts=FAST)
        await host.read("/events/12?secret=1", route="/events/{id}", query=[("user", "0x1")])
        await host.aclose()
    assert [(r.route, r.status, r.failure is None) for r in seen] == [
        ("GET /events/{id}", 500, False),
        ("GET /events/{id}", 200, True),
    ]
    assert all(r.elapsed_ms >= 0 for r in seen)


async def test_one_connection_serves_many_reads() -> None:
    async with serving(answering(b"[]")) as server:
        host = HttpHost(server.url, timeouts=FAST)
        for _ in range(3):
            assert await host.read("/x") == b"[]"
        await host.aclose()
        assert len({id(call.writer) for call in server.calls}) == 1


async def test_closing_twice_and_before_use_is_harmless() -> None:
    host = HttpHost("http://127.0.0.1:1")
    await host.aclose()
    await host.aclose()


async def test_a_secure_address_trusts_the_usual_authorities() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"https://127.0.0.1:{free.getsockname()[1]}"
    host = HttpHost(url, pace=Waits().pace, timeouts=FAST)
    assert failure(await host.read("/x")).kind is FailureKind.UNREACHABLE
    await host.aclose()


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("example.org", False), ("", False)],
)
def test_loopback_is_recognised(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


async def test_a_request_can_be_shown_in_place_of_being_sent() -> None:
    shown: list[ShownRequest] = []
    # A port that nobody listens on: whatever is sent there would be another failure.
    host = HttpHost("http://127.0.0.1:1", show=shown.append)
    answer = await host.read(
        "/book", query=[("token_id", "7 8")], headers=lambda: {"POLY_SIGNATURE": "secret"}
    )
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.CANCELLED
    (request,) = shown
    assert request == ShownRequest(
        "GET", "http://127.0.0.1:1/book?token_id=7+8", ("POLY_SIGNATURE",), None
    )


async def test_cookies_are_kept_for_a_sign_in_only() -> None:
    async def setting(call: Call) -> None:
        both = "Set-Cookie: a=1; Path=/\r\nSet-Cookie: a=2; Path=/x\r\nSet-Cookie: b=3\r\n"
        await call.answer(b"{}", headers=both)

    server: RawServer
    async with serving(setting) as server:
        host = server.host()
        for _ in range(2):
            assert await host.read("/x") == b"{}"
        assert host.cookies() == {}
        lane = host.lane(keeps_cookies=True)
        for _ in range(2):
            assert await lane.read("/x") == b"{}"
        assert lane.cookies().keys() == {"a", "b"}
        await lane.aclose()
    assert ["cookie" in call.headers for call in server.calls] == [False, False, False, True]
