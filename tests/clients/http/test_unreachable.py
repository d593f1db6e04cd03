"""Every way in which TLS fails, against hosts of our own."""

import asyncio
import ssl
import warnings
from pathlib import Path
from random import Random

import httpx
import pytest

from pmtui.clients.http.client import HttpHost, Pace
from pmtui.clients.http.failures import why_unreachable
from pmtui.clients.streams.channels import MarketChannel
from pmtui.clients.streams.connection import Times
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.health import Link
from pmtui.domain.ids import TokenId
from tests.clients.tls_server import make_certificate, needs_openssl, serving_tls

pytestmark = needs_openssl


async def _no_wait(_seconds: float) -> None:
    return


async def ask(port: int) -> Failure:
    host = HttpHost(
        f"https://127.0.0.1:{port}", pace=Pace(sleep=_no_wait), timeouts=httpx.Timeout(10.0)
    )
    answer = await host.send("GET", "/x")
    await host.aclose()
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.UNREACHABLE
    return answer


async def why(port: int, context: ssl.SSLContext, *, name: str = "venue.test") -> str:
    with pytest.raises(OSError) as caught:  # noqa: PT011 - what it is called is the test
        await asyncio.open_connection("127.0.0.1", port, ssl=context, server_hostname=name)
    return why_unreachable(caught.value)


def trusting(certificate: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(certificate))


async def test_a_self_signed_certificate_is_named(tmp_path: Path) -> None:
    async with serving_tls(make_certificate(tmp_path, "127.0.0.1")) as port:
        found = await ask(port)
    assert "self-signed" in found.text
    assert "intercepted" in found.text


async def test_a_stream_names_it_too(tmp_path: Path) -> None:
    links: list[Link] = []
    told = asyncio.Event()

    def on_link(link: Link) -> None:
        links.append(link)
        if link.reason:
            told.set()

    async with serving_tls(make_certificate(tmp_path, "127.0.0.1")) as port:
        channel = MarketChannel(
            f"wss://127.0.0.1:{port}/ws/market", random=Random(1), times=Times()
        )
        channel.watch(frozenset({TokenId("1")}))
        task = asyncio.create_task(channel.run(on_event=lambda _: None, on_link=on_link))
        await told.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert "self-signed" in links[-1].reason


async def test_a_certificate_for_another_name_is_named(tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path, "somebody.test")
    async with serving_tls(certificate) as port:
        assert "another host name" in await why(port, trusting(certificate))
        assert "another address" in await why(port, trusting(certificate), name="127.0.0.1")


async def test_an_expired_certificate_is_named(tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path, "venue.test", until="20210101000000Z")
    async with serving_tls(certificate) as port:
        assert "expired" in await why(port, trusting(certificate))


async def test_an_old_version_is_named(tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path, "127.0.0.1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        version = ssl.TLSVersion.TLSv1_1
        async with serving_tls(certificate, version=version) as port:
            found = await ask(port)
    assert "version" in found.text


async def test_a_host_without_tls_is_named() -> None:
    async def speak(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(speak, "127.0.0.1", 0) as server:
        found = await ask(server.sockets[0].getsockname()[1])
    assert found.text == "TLS: the host does not speak TLS on this port"


def test_only_errors_of_the_system_are_quoted() -> None:
    assert not why_unreachable(RuntimeError("secret"))
    assert why_unreachable(OSError(111, "x")) == "Connection refused"
