"""Each host of a profile: the way to it, what it answers, how fast, in which dialect, within which limits.

The trading host also tells its time, from which our clock's error follows, and the geographic check
says whether orders are taken from here.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

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
from pmtui.clients.probe import Reached, ThroughProxy, Unreached, probe
from pmtui.clients.relayer import RelayerClient
from pmtui.clients.routes import ROUTES
from pmtui.config.endpoints import Dialect, Endpoints
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import Address
from pmtui.service.clock import Clock
from pmtui.service.markets.venue_clock import estimate_skew
from pmtui.signing.contracts import POLYGON_CHAIN_ID

SLOW_MS = 1_000
"""A round trip beyond it costs the trader a second of every order."""
CERTIFICATE_DAYS = 7
SKEW_NOTED_MS = 2_000
"""As in the status line: the venue tells whole seconds, and less than this changes no order."""
SKEW_FATAL_MS = 30_000
"""Half of the minute that the venue keeps before an order's expiry."""
NOBODY = Address("0x0000000000000000000000000000000000000000")

Question = Callable[[HttpHost], Awaitable[Failure | None]]


@dataclass(frozen=True, slots=True)
class HostQuestion:
    """One host, and what is asked of it to see that it is the right one."""

    name: str
    url: str
    ask: Question | None
    """None for addresses that speak no HTTP."""
    limits: HostLimits | None = None


def host_questions(
    endpoints: Endpoints, dialect: Dialect, clock: Clock
) -> tuple[HostQuestion, ...]:
    """Return what is asked of each host of a profile."""
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
        HostQuestion("trading", endpoints.clob, trading, clob_limits(routes)),
        HostQuestion("market lists", endpoints.gamma, metadata, METADATA_LIMITS),
        HostQuestion("positions", endpoints.data, analytics, analytics_limits(dialect)),
        HostQuestion("relayer", endpoints.relayer, relayer, RELAYER_LIMITS),
        HostQuestion("chain", endpoints.rpc, chain),
        HostQuestion("market stream", endpoints.ws_market, None),
        HostQuestion("order stream", endpoints.ws_user, None),
    )


def _failure(answer: object) -> Failure | None:
    return answer if isinstance(answer, Failure) else None


async def check_host(
    question: HostQuestion, dialect: Dialect, now: datetime
) -> tuple[Finding, ...]:
    """Go the whole way to a host, and say how far it went."""
    way = await probe(question.url)
    if isinstance(way, Unreached):
        return (_unreached(question, way),)
    figures, words = _way(way)
    ending = _certificate_problem(question.name, way, now)
    if question.ask is None:
        text = ", ".join(words)
        return ending or (Finding(Subject.HOSTS, question.name, State.OK, text, "", figures),)
    reports: list[RequestReport] = []
    host = HttpHost(question.url, observe=reports.append)
    try:
        # Twice: the first answer pays for the connection, too.
        failure = await question.ask(host) or await question.ask(host)
        other = await _other_dialect(question, host, dialect, failure)
    finally:
        await host.aclose()
    if failure is not None:
        return (_refused(question, failure, other),)
    elapsed_ms = min(report.elapsed_ms for report in reports)
    words.append(f"answers in {elapsed_ms} ms")
    figures["round_trip_ms"] = elapsed_ms
    if question.name == "trading":
        words.append(f"dialect {dialect}")
        figures["dialect"] = dialect.value
    if budget := _budget(question.limits):
        words.append(budget)
    found = Finding(Subject.HOSTS, question.name, State.OK, ", ".join(words), "", figures)
    if elapsed_ms > SLOW_MS:
        remedy = "run pmtui on a machine near the venue and reach it over SSH"
        found = replace(found, state=State.WARNING, remedy=remedy)
    return (*ending, found) if ending else (found,)


def _way(way: Reached | ThroughProxy) -> tuple[dict[str, Figure], list[str]]:
    if isinstance(way, ThroughProxy):
        return {"proxy": way.proxy}, [f"through the proxy {way.proxy}"]
    figures: dict[str, Figure] = {
        "address": way.address,
        "resolve_ms": way.resolve_ms,
        "connect_ms": way.connect_ms,
        "tls": way.tls,
    }
    words = [way.address, f"connects in {way.connect_ms} ms"]
    if way.resolve_ms is not None:
        words.insert(1, f"DNS {way.resolve_ms} ms")
    words.append(f"{way.tls} in {way.tls_ms} ms" if way.tls else "not encrypted")
    return figures, words


def _certificate_problem(
    name: str, way: Reached | ThroughProxy, now: datetime
) -> tuple[Finding, ...]:
    ends = way.certificate_ends if isinstance(way, Reached) else None
    if ends is None or ends - now > timedelta(days=CERTIFICATE_DAYS):
        return ()
    text = f"its certificate ends on {ends:%Y-%m-%d}"
    remedy = "nothing to do here but to expect an outage, unless the date of this machine is wrong"
    return (Finding(Subject.HOSTS, name, State.WARNING, text, remedy),)


def _unreached(question: HostQuestion, way: Unreached) -> Finding:
    remedies = {
        "DNS": "check the name in the settings, and the resolver: the name has no address here",
        "connection": "check the network, a firewall, and the port in the settings",
        "TLS": "check this machine's date and its certificate authorities; somebody may intercept",
    }
    text = f"{way.step}: {way.reason}"
    figures: dict[str, Figure] = {"failed_at": way.step}
    return Finding(Subject.HOSTS, question.name, State.PROBLEM, text, remedies[way.step], figures)


def _refused(question: HostQuestion, failure: Failure, other: Dialect | None) -> Finding:
    figures: dict[str, Figure] = {"failed_at": failure.route, "status": failure.status}
    remedy = "see whether the venue reports an outage; other hosts go on without this one"
    if other is not None:
        remedy = f'it speaks the other dialect: set dialect = "{other}" in [profiles.NAME]'
    elif failure.kind is FailureKind.BUSY:
        remedy = "too many requests from this address: end other programs, or wait a minute"
    elif failure.status == 403:
        remedy = "the venue's edge refuses this address; no setting here changes that"
    elif question.name == "chain":
        remedy = "give another node: PMTUI_RPC_URL"
    return Finding(Subject.HOSTS, question.name, State.PROBLEM, str(failure), remedy, figures)


async def _other_dialect(
    question: HostQuestion, host: HttpHost, dialect: Dialect, failure: Failure | None
) -> Dialect | None:
    """Return the other dialect where the trading host does not know ours and answers to that."""
    if question.name != "trading" or failure is None:
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
        # The connection stands after the first answer, which says nothing about the time.
        _ = await trading.server_time()
        before = clock.now()
        told = await trading.server_time()
        after = clock.now()
    finally:
        await host.aclose()
    if isinstance(told, Failure):
        text = "the trading host did not tell its time"
        return (Finding(Subject.HOSTS, "clock", State.SKIPPED, text),)
    skew = estimate_skew(told, before, after, None)
    return (clock_finding(round(skew / timedelta(milliseconds=1))),)


def clock_finding(skew_ms: int) -> Finding:
    """Say what the venue's clock minus ours means."""
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
    """Ask where the venue thinks we are."""
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
