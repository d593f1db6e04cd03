"""Each host on the local venue, and hosts that are gone, wrong, of another dialect or closed to us."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pmtui.cli.doctor.findings import Finding, State
from pmtui.cli.doctor.host_checks import (
    HostQuestion,
    check_clock,
    check_host,
    check_place,
    clock_finding,
    host_questions,
)
from pmtui.cli.doctor.stream_checks import check_book
from pmtui.clients.probe import ProbeStep, Reached, Unreached, probe
from pmtui.config.endpoints import LIVE, Dialect
from pmtui.domain.markets.market import Side
from pmtui.service.clock import SystemClock
from tests.cli.at_venue import VenueTime, urls_of
from tests.clients.raw_server import Call, RawServer, serving
from tests.clients.streams.servers import Script, ScriptedServer, scripted
from tests.clients.tls_server import make_certificate, needs_openssl, serving_tls
from tests.sim.kit import Person, http_client, small_venue

NOW = datetime(2026, 9, 1, tzinfo=UTC)
GONE = "http://127.0.0.1:9"
"""The discard port, where nobody listens."""


def question(name: str, url: str, dialect: Dialect = Dialect.SEED) -> HostQuestion:
    endpoints_of = {
        "trading": "clob", "market lists": "gamma", "positions": "data", "relayer": "relayer",
        "chain": "rpc", "market stream": "ws_market",
    }  # fmt: skip
    asked = host_questions(replace(LIVE, **{endpoints_of[name]: url}), dialect, SystemClock())
    return next(each for each in asked if each.kind == name)


async def one(name: str, url: str, dialect: Dialect = Dialect.SEED) -> Finding:
    *_, found = await check_host(question(name, url, dialect), dialect, NOW)
    return found


@pytest.mark.parametrize("dialect", Dialect)
async def test_every_host_of_the_local_venue_is_well(tmp_path: Path, dialect: Dialect) -> None:
    async with small_venue(tmp_path) as running:
        asked = host_questions(urls_of(running), dialect, VenueTime(running))
        found = [await check_host(each, dialect, NOW) for each in asked]
    assert [f.state for group in found for f in group] == [State.OK] * 7
    assert found[0][0].figures["dialect"] == dialect.value


@pytest.mark.parametrize("name", ["trading", "chain", "market stream"])
async def test_a_host_that_is_gone_is_a_problem_of_the_connection(name: str) -> None:
    found = await one(name, GONE)
    assert (found.state, found.figures["failed_at"]) == (State.PROBLEM, "connection")


async def test_a_host_of_the_other_dialect_is_recognised() -> None:
    async def live_only(call: Call) -> None:
        if call.line.startswith("GET /ok"):
            await call.answer(b'"OK"')
        else:
            await call.answer(b'{"error":"not found"}', status="404 Not Found")

    async with serving(live_only) as server:
        found = await one("trading", server.url)
    assert found.state is State.PROBLEM
    assert 'dialect = "live"' in found.remedy


async def test_a_node_of_another_chain_is_a_problem() -> None:
    async def ethereum(call: Call) -> None:
        await call.answer(b'{"jsonrpc":"2.0","id":1,"result":"0x1"}')

    async with serving(ethereum) as server:
        found = await one("chain", server.url)
    assert found.state is State.PROBLEM
    assert "chain 1," in found.text


async def test_a_host_that_wants_less_says_so() -> None:
    async def busy(call: Call) -> None:
        await call.answer(b"{}", status="429 Too Many Requests", headers="Retry-After: 60\r\n")

    server: RawServer
    async with serving(busy) as server:
        found = await one("market lists", server.url)
    assert (found.state, found.figures["status"]) == (State.PROBLEM, 429)
    assert len(server.calls) == 1


@needs_openssl
async def test_a_certificate_that_nobody_vouches_for_is_a_problem_of_tls(tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path, "127.0.0.1")
    async with serving_tls(certificate) as port:
        way = await probe(f"https://127.0.0.1:{port}")
    assert isinstance(way, Unreached)
    assert way.step is ProbeStep.TLS


async def test_a_name_is_resolved_and_an_address_is_not() -> None:
    async with serving(lambda call: call.answer(b"{}")) as server:
        named = await probe(server.url.replace("127.0.0.1", "localhost"))
        bare = await probe(server.url)
    assert isinstance(named, Reached)
    assert isinstance(bare, Reached)
    assert named.resolve_ms is not None
    assert (bare.address, bare.resolve_ms, bare.tls) == ("127.0.0.1", None, "")


async def test_a_proxy_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://ann:hunter2@proxy.example:3128")
    way = await probe("https://venue.example")
    assert "proxy.example:3128" in repr(way)
    assert "hunter2" not in repr(way)


@pytest.mark.parametrize(
    ("skew_ms", "state"),
    [
        (0, State.OK), (2_000, State.OK), (-2_001, State.WARNING), (30_000, State.WARNING),
        (-30_001, State.PROBLEM),
    ],
)  # fmt: skip
def test_a_clock_is_judged_by_what_it_does_to_orders(skew_ms: int, state: State) -> None:
    found = clock_finding(skew_ms)
    assert (found.state, found.figures["skew_ms"]) == (state, skew_ms)


async def test_a_clock_that_is_off_is_measured(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running:
        running.venue.clock.step(600)
        (right,) = await check_clock(running.urls["clob"], Dialect.SEED, VenueTime(running))
    (unknown,) = await check_clock(GONE, Dialect.SEED, SystemClock())
    assert (right.state, unknown.state) == (State.OK, State.SKIPPED)


async def test_the_venue_says_from_where_it_takes_orders(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        (allowed,) = await check_place(running.urls["geoblock"])
        person = Person(running, http)
        await person.admin("POST", "/geoblock", {"blocked": True, "country": "US", "region": "NY"})
        (refused,) = await check_place(running.urls["geoblock"])
    (unknown,) = await check_place(GONE)
    assert allowed.state is State.OK
    assert (refused.state, refused.figures["country"]) == (State.PROBLEM, "US")
    assert unknown.state is State.WARNING


async def test_a_live_book_is_verified_by_its_hash(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http).arrive()
        await ann.rest(Side.BUY, "0.4", "10")
        (found,) = await check_book(urls_of(running), Dialect.SEED, SystemClock())
    assert found.state is State.OK
    assert isinstance(found.figures["verified_ms"], int)


async def test_a_stream_without_a_book_is_a_problem(tmp_path: Path) -> None:
    def mute(server: ScriptedServer) -> Script:
        return server.listen

    async with small_venue(tmp_path) as running, scripted(mute) as server:
        endpoints = replace(urls_of(running), ws_market=server.url)
        (found,) = await check_book(endpoints, Dialect.SEED, SystemClock(), deadline_s=0.5)
    assert (found.state, found.figures["book_ms"]) == (State.PROBLEM, None)
    assert found.figures["opened_ms"] is not None


async def test_without_lists_there_is_no_book_to_try(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running:
        endpoints = replace(urls_of(running), gamma=GONE)
        (found,) = await check_book(endpoints, Dialect.SEED, SystemClock())
    assert found.state is State.SKIPPED
