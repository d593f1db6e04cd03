"""Checks each host of a profile: the connection, its answers, their speed, its dialect and its limits.

The trading host also states its time, which gives our clock's error, and the geographic check shows
whether the venue accepts orders from here.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from pmtui.cli.doctor.findings import Figure, Finding, State, Subject
from pmtui.clients.analytics import GeoblockClient
from pmtui.clients.chain import ChainClient
from pmtui.clients.clob import ClobClient, HostCheck
from pmtui.clients.gamma import GammaClient
from pmtui.clients.http.client import HttpHost, RequestReport
from pmtui.clients.http.rate_limits import (
    METADATA_LIMITS,
    RELAYER_LIMITS,
    HostLimits,
    analytics_limits,
    clob_limits,
)
from pmtui.clients.probe import ProbeStep, Reached, ThroughProxy, Unreached, probe
from pmtui.clients.relayer import RelayerClient
from pmtui.config.endpoints import Dialect, Endpoints
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import Address
from pmtui.reads.trading_routes import ROUTES
from pmtui.service.clock import Clock
from pmtui.service.markets.venue_clock import estimate_skew
from pmtui.signing.contracts import POLYGON_CHAIN_ID

SLOW_MS = 1_000
"""Longer round trips cost the trader a second for every order."""
CERTIFICATE_DAYS = 7
SKEW_NOTED_MS = 2_000
"""As on the status line: the venue's time has whole seconds, and a smaller error affects no order."""
SKEW_FATAL_MS = 30_000
"""Half of the minute by which the venue removes an order before its expiration."""
NOBODY = Address("0x0000000000000000000000000000000000000000")

Question = Callable[[HttpHost], Awaitable[Failure | None]]


class HostKind(StrEnum):
    """A host of the profile, under the name that the report prints."""

    TRADING = "trading"
    METADATA = "market lists"
    ANALYTICS = "positions"
    RELAYER = "relayer"
    CHAIN = "chain"
    MARKET_STREAM = "market stream"
    ORDER_STREAM = "order stream"


@dataclass(frozen=True, slots=True)
class HostQuestion:
    """One host, and the request that shows whether it is the right one."""

    kind: HostKind
    url: str
    ask: Question | None
    """None for streams, which do not answer HTTP requests."""
    limits: HostLimits | None = None


def host_questions(
    endpoints: Endpoints, dialect: Dialect, clock: Clock
) -> tuple[HostQuestion, ...]:
    """Return the question for each host of a profile."""
    routes = ROUTES[dialect]

    async def trading(host: HttpHost) -> Failure | None:
        return await HostCheck(host, routes).reach()

    async def metadata(host: HttpHost) -> Failure | None:
        return _failure(await GammaClient(host, dialect, now=clock.now).tags())

    async def analytics(host: HttpHost) -> Failure | None:
        return _failure(await host.read("/"))

    async def relayer(host: HttpHost) -> Failure | None:
        return _failure(await RelayerClient(host).is_deployed(NOBODY))

    async def chain(host: HttpHost) -> Failure | None:
        found = await ChainClient(host).chain_id()
        if isinstance(found, Failure) or found == POLYGON_CHAIN_ID:
            return _failure(found)
        text = f"it is a node of chain {found}, not of {POLYGON_CHAIN_ID}"
        return Failure(FailureKind.REFUSED, "eth_chainId", text)

    return (
        HostQuestion(HostKind.TRADING, endpoints.clob, trading, clob_limits(routes)),
        HostQuestion(HostKind.METADATA, endpoints.gamma, metadata, METADATA_LIMITS),
        HostQuestion(HostKind.ANALYTICS, endpoints.data, analytics, analytics_limits(dialect)),
        HostQuestion(HostKind.RELAYER, endpoints.relayer, relayer, RELAYER_LIMITS),
        HostQuestion(HostKind.CHAIN, endpoints.rpc, chain),
        HostQuestion(HostKind.MARKET_STREAM, endpoints.ws_market, None),
        HostQuestion(HostKind.ORDER_STREAM, endpoints.ws_user, None),
    )


def _failure(answer: object) -> Failure | None:
    return answer if isinstance(answer, Failure) else None


async def check_host(
    question: HostQuestion, dialect: Dialect, now: datetime
) -> tuple[Finding, ...]:
    """Connect, query twice, and report the first step that fails."""
    path = await probe(question.url)
    if isinstance(path, Unreached):
        return (_unreached(question, path),)
    figures, words = _connection_figures(path)
    ending = _certificate_problem(question.kind, path, now)
    if question.ask is None:
        text = ", ".join(words)
        return ending or (Finding(Subject.HOSTS, question.kind, State.OK, text, "", figures),)
    reports: list[RequestReport] = []
    host = HttpHost(question.url, observe=reports.append)
    try:
        # The first reply includes the time to connect; the second is the round trip.
        failure = await question.ask(host) or await question.ask(host)
        other = await _other_dialect(question, host, dialect, failure)
    finally:
        await host.aclose()
    if failure is not None:
        return (_refused(question, failure, other),)
    elapsed_ms = min(report.elapsed_ms for report in reports)
    words.append(f"answers in {elapsed_ms} ms")
    figures["round_trip_ms"] = elapsed_ms
    if question.kind is HostKind.TRADING:
        words.append(f"dialect {dialect}")
        figures["dialect"] = dialect.value
    if budget := _budget(question.limits):
        words.append(budget)
    found = Finding(Subject.HOSTS, question.kind, State.OK, ", ".join(words), "", figures)
    if elapsed_ms > SLOW_MS:
        remedy = "run pmtui on a machine near the venue and reach it over SSH"
        found = replace(found, state=State.WARNING, remedy=remedy)
    return (*ending, found) if ending else (found,)


def _connection_figures(path: Reached | ThroughProxy) -> tuple[dict[str, Figure], list[str]]:
    if isinstance(path, ThroughProxy):
        return {"proxy": path.proxy}, [f"through the proxy {path.proxy}"]
    figures: dict[str, Figure] = {
        "address": path.address,
        "resolve_ms": path.resolve_ms,
        "connect_ms": path.connect_ms,
        "tls": path.tls,
    }
    words = [path.address, f"connects in {path.connect_ms} ms"]
    if path.resolve_ms is not None:
        words.insert(1, f"DNS {path.resolve_ms} ms")
    words.append(f"{path.tls} in {path.tls_ms} ms" if path.tls else "not encrypted")
    return figures, words


def _certificate_problem(
    name: str, path: Reached | ThroughProxy, now: datetime
) -> tuple[Finding, ...]:
    ends = path.certificate_ends if isinstance(path, Reached) else None
    if ends is None or ends - now > timedelta(days=CERTIFICATE_DAYS):
        return ()
    text = f"its certificate ends on {ends:%Y-%m-%d}"
    remedy = "nothing to do here but to expect an outage, unless the date of this machine is wrong"
    return (Finding(Subject.HOSTS, name, State.WARNING, text, remedy),)


def _unreached(question: HostQuestion, failed: Unreached) -> Finding:
    remedies = {
        ProbeStep.PROXY: "set that variable to http://HOST:PORT, or unset it, then `pmtui stop` and `pmtui`",
        ProbeStep.DNS: "check the name in the settings, and the resolver: the name has no address here",
        ProbeStep.CONNECTION: "check the network, a firewall, and the port in the settings",
        ProbeStep.TLS: "check this machine's date and its certificate authorities; somebody may intercept",
    }
    text = f"{failed.step}: {failed.reason}"
    figures: dict[str, Figure] = {"failed_at": failed.step}
    return Finding(
        Subject.HOSTS, question.kind, State.PROBLEM, text, remedies[failed.step], figures
    )


def _refused(question: HostQuestion, failure: Failure, other: Dialect | None) -> Finding:
    figures: dict[str, Figure] = {"failed_at": failure.route, "status": failure.status}
    remedy = "see whether the venue reports an outage; other hosts go on without this one"
    if other is not None:
        remedy = f'it speaks the other dialect: set dialect = "{other}" in [profiles.NAME]'
    elif failure.kind is FailureKind.BUSY:
        remedy = "too many requests from this address: end other programs, or wait a minute"
    elif failure.status == 403:
        remedy = "the venue's edge refuses this address; no setting here changes that"
    elif question.kind is HostKind.CHAIN:
        remedy = "give another node: PMTUI_RPC_URL"
    return Finding(Subject.HOSTS, question.kind, State.PROBLEM, str(failure), remedy, figures)


async def _other_dialect(
    question: HostQuestion, host: HttpHost, dialect: Dialect, failure: Failure | None
) -> Dialect | None:
    """Return the other dialect if the trading host refuses ours and answers that one."""
    if question.kind is not HostKind.TRADING or failure is None:
        return None
    if failure.kind is not FailureKind.NOT_FOUND:
        return None
    other = next(each for each in Dialect if each is not dialect)
    return other if await HostCheck(host, ROUTES[other]).reach() is None else None


def _budget(limits: HostLimits | None) -> str:
    if limits is None:
        return ""
    whole = next((limit for limit in limits.limits if not limit.routes), limits.limits[0])
    what = "requests" if not whole.routes else "submissions"
    return f"allows {whole.requests:,} {what} in {whole.period_s} s"


async def check_clock(url: str, dialect: Dialect, clock: Clock) -> tuple[Finding, ...]:
    """Compare our clock with the venue's."""
    host = HttpHost(url)
    trading = ClobClient(host, ROUTES[dialect])
    try:
        # The first reply includes the time to connect, so it cannot give the time.
        _ = await trading.server_time()
        before = clock.now()
        answer = await trading.server_time()
        after = clock.now()
    finally:
        await host.aclose()
    if isinstance(answer, Failure):
        text = "the trading host did not tell its time"
        return (Finding(Subject.HOSTS, "clock", State.SKIPPED, text),)
    skew = estimate_skew(answer, before, after, None)
    return (clock_finding(round(skew / timedelta(milliseconds=1))),)


def clock_finding(skew_ms: int) -> Finding:
    """Return the finding for a difference of clocks, the venue's minus ours."""
    figures: dict[str, Figure] = {"skew_ms": skew_ms}
    if abs(skew_ms) <= SKEW_NOTED_MS:
        text = "agrees with the venue's, which tells whole seconds"
        return Finding(Subject.HOSTS, "clock", State.OK, text, "", figures)
    word = "behind" if skew_ms > 0 else "ahead of"
    text = f"this machine is {abs(skew_ms) / 1_000:.1f} s {word} the venue"
    state = State.PROBLEM if abs(skew_ms) > SKEW_FATAL_MS else State.WARNING
    remedy = "set the clock by NTP (systemd-timesyncd, chrony); requests are signed by the venue's"
    return Finding(Subject.HOSTS, "clock", state, text, remedy, figures)


async def check_place(url: str) -> tuple[Finding, ...]:
    """Check the location that the venue sees, and whether it accepts orders from there."""
    host = HttpHost(url)
    try:
        answer = await GeoblockClient(host).check()
    finally:
        await host.aclose()
    if isinstance(answer, Failure):
        text = f"no answer: {answer.text}"
        remedy = "the venue asks again when an order is sent; its answer counts"
        return (Finding(Subject.HOSTS, "place", State.WARNING, text, remedy),)
    where = "/".join(part for part in (answer.country, answer.region) if part) or "not told"
    figures: dict[str, Figure] = {"blocked": answer.is_blocked, "country": answer.country}
    if answer.is_blocked:
        text = f"{where}: the venue takes no orders from here"
        remedy = "nothing: the venue decides, and pmtui does not work around it"
        return (Finding(Subject.HOSTS, "place", State.PROBLEM, text, remedy, figures),)
    text = f"{where}: the venue takes orders from here"
    return (Finding(Subject.HOSTS, "place", State.OK, text, "", figures),)
