"""Proxies that the environment names: the good ones are used, the others are said, and no password is."""

import asyncio
from random import Random

import pytest

from pmtui.clients.http.client import HttpHost, Pace
from pmtui.clients.http.proxies import UnusableProxyError, find_proxy, without_credentials
from pmtui.clients.probe import ProbeStep, Unreached, probe
from pmtui.clients.streams.channels import MarketChannel
from pmtui.clients.streams.connection import Times
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.health import Link
from pmtui.domain.ids import TokenId
from tests.clients.raw_server import Call, serving

PASSWORD = "hunter2"
UNUSABLE = (
    f"socks5://ann:{PASSWORD}@127.0.0.1:9",
    f"socks5h://ann:{PASSWORD}@127.0.0.1:9",
    f"htp://ann:{PASSWORD}@127.0.0.1:9",
    f"http://ann:{PASSWORD}@127.0.0.1:99999",
    f"http://ann:{PASSWORD}/x@127.0.0.1:9",
    f"http://ann:{PASSWORD}%ff@127.0.0.1:9",
    f"http://ann:{PASSWORD}@",
    f"http://ann:{PASSWORD}@b\u00fccher.test:9",
    "http://[::1",
)
NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


async def _no_wait(_seconds: float) -> None:
    return


async def _first_reason(url: str) -> str:
    """Return why a stream is not up."""
    told: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def on_link(link: Link) -> None:
        if link.reason and not told.done():
            told.set_result(link.reason)

    channel = MarketChannel(url, random=Random(1), times=Times())
    channel.watch(frozenset({TokenId("1")}))
    task = asyncio.create_task(channel.run(on_event=lambda _: None, on_link=on_link))
    try:
        async with asyncio.timeout(10):
            return await told
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize("stated", UNUSABLE)
async def test_one_that_cannot_be_used_is_said_without_its_password(
    stated: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", stated)
    host = HttpHost("https://venue.test", pace=Pace(sleep=_no_wait))
    answer = await host.read("/time")
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.UNREACHABLE
    reason = await _first_reason("wss://venue.test/ws/market")
    way = await probe("https://venue.test")
    assert isinstance(way, Unreached)
    assert way.step is ProbeStep.PROXY
    for text in (answer.text, reason, way.reason):
        assert "ALL_PROXY" in text
        assert PASSWORD not in text


async def test_requests_and_streams_use_the_same_one(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(call: Call) -> None:
        await call.answer(b"{}", status="407 Proxy Authentication Required")

    async with serving(refuse) as proxy:
        address = proxy.url.replace("http://", f"http://ann:{PASSWORD}@")
        monkeypatch.setenv("ALL_PROXY", address)
        host = HttpHost("https://venue.test", pace=Pace(sleep=_no_wait))
        answer = await host.send("GET", "/time")
        reason = await _first_reason("wss://venue.test/ws/market")
        await host.aclose()
    assert isinstance(answer, Failure)
    assert PASSWORD not in answer.text + reason
    assert proxy.lines[:2] == ["CONNECT venue.test:443 HTTP/1.1"] * 2
    assert all("proxy-authorization" in call.headers for call in proxy.calls[:2])


def test_loopback_and_excepted_hosts_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "venue.test")
    assert find_proxy("http://127.0.0.1:8080/x") is None
    assert find_proxy("wss://venue.test/ws") is None
    with pytest.raises(UnusableProxyError):
        _ = find_proxy("wss://other.test/ws")


def test_the_one_of_the_scheme_comes_before_the_one_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALL_PROXY", "all.test:1")
    monkeypatch.setenv("HTTPS_PROXY", "https://ann@secure.test")
    assert find_proxy("http://venue.test") == "http://all.test:1"
    assert find_proxy("ws://venue.test") == "http://all.test:1"
    assert find_proxy("wss://venue.test") == "https://ann:@secure.test:443"
    assert without_credentials("https://ann:@secure.test:443") == "secure.test:443"
