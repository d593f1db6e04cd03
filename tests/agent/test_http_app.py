"""The HTTP service over real sockets, with answers that are given."""

import asyncio
import json
import random
import socket
from dataclasses import asdict

import httpx
import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from openapi_spec_validator import validate as validate_document
from typing_extensions import override

from pmtui.agent.http_app import MOST_AT_ONCE
from pmtui.agent.port import Answered, Refusal, Refused
from pmtui.cli.agent.http_server import bind
from pmtui.reads.read import Read, Values
from tests import loopback_http
from tests.agent.ports import TOKEN, FakePort
from tests.agent.serving import DIAGNOSIS, SIX, VALUES, served


class SlowPort(FakePort):
    """Answers when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = 0
        self.is_full, self.go_on = asyncio.Event(), asyncio.Event()

    @override
    async def ask(self, read: Read, values: Values, *, limit: int | None) -> Answered | Refused:
        self.waiting += 1
        if self.waiting == MOST_AT_ONCE:
            self.is_full.set()
        await self.go_on.wait()
        return await super().ask(read, values, limit=limit)


async def test_the_document_is_valid_and_has_exactly_the_six_paths() -> None:
    async with served() as client:
        document = (await client.get("/openapi.json")).json()
    validate_document(document, cls=OpenAPIV31SpecValidator)
    assert sorted(document["paths"]) == sorted(SIX)
    assert {method for path in document["paths"].values() for method in path} == {"get"}
    assert "security" not in document


async def test_a_client_made_from_the_document_reads_all_six_paths() -> None:
    async with served() as client:
        document = (await client.get("/openapi.json")).json()
        for template, path in document["paths"].items():
            operation, target, query = path["get"], template, {}
            for parameter in operation.get("parameters", ()):
                value = VALUES[parameter["name"]]
                if parameter["in"] == "path":
                    target = target.replace(f"{{{parameter['name']}}}", value)
                else:
                    query[parameter["name"]] = value
            response = await client.get(target, params=query)
            assert response.status_code == 200, response.text
            assert response.headers["content-type"] == "application/json"
            content = operation["responses"]["200"]["content"]["application/json"]
            schema = {**content["schema"], "components": document["components"]}
            Draft202012Validator(schema).validate(response.json())


async def test_diag_tells_how_the_server_is_set_up_and_nothing_else() -> None:
    async with served() as client:
        told = (await client.get("/diag")).json()
    assert told == json.loads(json.dumps(asdict(DIAGNOSIS)))


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/orderbook/0x7", 400),
        ("/marketdata/snapshot", 400),
        ("/marketdata/snapshot?token_id=7&token_id=8", 400),
        ("/marketdata/snapshot?token_id=7&side=BUY", 400),
        ("/discover/search?q=", 400),
        ("/data/positions?user=me", 400),
        ("/health?verbose=1", 400),
        ("/diag?x=1", 400),
        ("/openapi.json?x=1", 400),
        ("/orders", 404),
        ("/orderbook/7/8", 404),
        ("/", 404),
    ],
)
async def test_errors_are_problem_details(target: str, status: int) -> None:
    async with served() as client:
        response = await client.get(target)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    told = response.json()
    assert told["status"] == status
    assert set(told) == {"type", "title", "status", "detail"}


async def test_a_wrong_parameter_is_named_as_it_was_given() -> None:
    async with served() as client:
        told = (await client.get("/discover/search")).json()
    assert told["detail"].startswith("q ")


@pytest.mark.parametrize(
    ("reason", "status"),
    [(Refusal.UNKNOWN, 404), (Refusal.UNCONFIGURED, 503), (Refusal.UNAVAILABLE, 502)],
)
async def test_each_reason_has_its_status(reason: Refusal, status: int) -> None:
    async with served(FakePort({"book": Refused(reason, "why")})) as client:
        response = await client.get(f"/orderbook/{TOKEN}")
    assert (response.status_code, response.json()["detail"]) == (status, "why")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
async def test_nothing_but_reading_is_answered(method: str) -> None:
    async with served() as client:
        for target in ("/health", "/orderbook/7", "/openapi.json"):
            response = await client.request(method, target)
            assert response.status_code == 405
            assert "GET" in response.headers["allow"]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:8765"])
async def test_this_machine_is_served_by_any_of_its_names_and_through_a_forwarded_port(
    host: str,
) -> None:
    async with served() as client:
        response = await client.get("/health", headers={"Host": host})
    assert response.status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "localhost.evil:80", "", "localhost:", "localhost:80x", "localhost@evil",
        "127.0.0.1.evil", "localhost:123456", "evil:localhost", "::1",
    ],
)  # fmt: skip
async def test_another_host_is_refused(host: str) -> None:
    async with served() as client:
        response = await client.get("/health", headers={"Host": host})
    # An empty Host is refused by the server itself.
    assert response.status_code in (400, 403)


async def test_a_page_of_another_origin_is_refused_and_none_is_invited() -> None:
    async with served() as client:
        port = client.base_url.port
        for origin in ("http://evil.example", "null", f"https://127.0.0.1:{port}"):
            response = await client.get("/health", headers={"Origin": origin})
            assert response.status_code == 403
            assert not [name for name in response.headers if name.startswith("access-control")]
        own = await client.get("/health", headers={"Origin": f"http://localhost:{port}"})
        assert own.status_code == 200
        assert not [name for name in own.headers if name.startswith("access-control")]
        by_name = await client.get("/health", headers={"Host": f"localhost:{port}"})
        assert by_name.status_code == 200


async def test_with_a_token_nothing_is_told_without_it() -> None:
    async with served(accepts_token=lambda token: token == "right") as client:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "right"}):
            for target in ("/health", "/openapi.json", "/nothing"):
                response = await client.get(target, headers=headers)
                assert response.status_code == 401
                assert response.headers["www-authenticate"].startswith("Bearer")
        right = {"Authorization": "Bearer right"}
        assert (await client.get("/health", headers=right)).status_code == 200
        document = (await client.get("/openapi.json", headers=right)).json()
    validate_document(document, cls=OpenAPIV31SpecValidator)
    assert document["security"] == [{"token": []}]


async def test_a_thousand_malformed_requests_end_in_errors_and_reach_nobody() -> None:
    rng, port = random.Random(17), FakePort({})
    odd = [
        "%00",
        "%ff",
        "..%2f",
        "\u00e9",
        "7" * 500,
        "%0d%0aX:1",
        "[",
        "0x7",
        "-1",
        "1.5",
        " ",
        "'",
    ]
    keys = ["q", "user", "token_id", "limit", "order", ""]
    async with served(port) as client:
        for _ in range(1_000):
            template = rng.choice([path for path in SIX if path not in ("/health", "/diag")])
            target = template.replace("{token_id}", rng.choice(odd).replace(" ", "%20"))
            query = "&".join(f"{rng.choice(keys)}={rng.choice(odd)}" for _ in range(2))
            request = client.build_request("GET", f"{target}?zz=1&{query}")
            response = await client.send(request)
            assert 400 <= response.status_code < 500, (target, query)
        assert (await client.get("/diag")).status_code == 200
    assert port.asked == []


BROKEN = (
    b"\x00\xff\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET /health HTTP/1.1\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: localhost\r\nbad header: 1\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100_000,
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
)


async def test_a_broken_request_does_not_end_the_server() -> None:
    async with served() as client:
        for raw in BROKEN:
            reader, writer = await asyncio.open_connection("127.0.0.1", client.base_url.port)
            writer.write(raw)
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 400 ")
            assert b"application/problem+json" in head
            assert set(json.loads(body)) == {"type", "title", "status", "detail"}
            writer.close()
        assert (await client.get("/health")).status_code == 200


async def test_a_body_that_breaks_off_into_nonsense_ends_the_connection_and_nothing_else() -> None:
    async with served() as client:
        port = client.base_url.port
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = (
            f"POST /health HTTP/1.1\r\nHost: localhost:{port}\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        writer.write(head.encode())
        first = await reader.readuntil(b"\r\n")
        writer.write(b"nonsense\r\n")
        rest = await reader.read()
        writer.close()
        assert first.startswith(b"HTTP/1.1 405 ")
        assert b"HTTP/1.1" not in rest
        assert (await client.get("/health")).status_code == 200


def test_answers_do_not_wait_for_the_clients_acknowledgement() -> None:
    # asyncio turns Nagle's algorithm off for sockets that say they are TCP, and for no others.
    with bind(0) as listening:
        assert listening.proto == socket.IPPROTO_TCP


async def test_too_many_requests_at_once_are_refused_by_problem_details() -> None:
    port = SlowPort()
    async with served(port) as client:
        limits = httpx.Limits(max_connections=MOST_AT_ONCE + 1)
        url = str(client.base_url)
        async with loopback_http.async_client(base_url=url, limits=limits) as crowd:
            waiting = [
                asyncio.create_task(crowd.get(f"/orderbook/{TOKEN}")) for _ in range(MOST_AT_ONCE)
            ]
            await port.is_full.wait()
            refused = await crowd.get("/diag")
            assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
            assert refused.json()["status"] == 503
            port.go_on.set()
            assert {answer.status_code for answer in await asyncio.gather(*waiting)} == {200}
        assert (await client.get("/diag")).status_code == 200
