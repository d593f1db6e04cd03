"""One HTTP connection pool per host; every failure is returned as a value.

It refuses to follow redirects, to read more than its limit, and to repeat anything that is not an
idempotent read. It does not interpret the bodies.

A body is decompressed in steps, so that a small reply cannot become a huge one. One gzip coding is
accepted, the only one that is requested. Layered and other codings are refused before a byte of the body is
read, because the limits would apply to the outer layer only.
"""

import asyncio
import functools
import random
import socket
import ssl
import struct
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.cookiejar import CookieJar, CookiePolicy, DefaultCookiePolicy
from typing import Protocol, final
from urllib.parse import urlsplit

import httpcore
import httpx

from pmtui import __version__
from pmtui.clients.http.failures import (
    failure_of_answer,
    failure_of_error,
    is_html_page,
    without_secrets,
)
from pmtui.clients.http.proxies import UnusableProxyError, find_proxy
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.backoff import Backoff

ACCEPTED = "gzip"
"""Value of Accept-Encoding; an unencoded reply is always accepted."""
STEP = 256 * 1024
"""Bytes that one step may decompress to: about a millisecond of work."""
MAX_MEMBERS = 64
"""Gzip members in one body. One is usual; each costs a new decompressor, whatever its size."""

_GZIP = 16 + zlib.MAX_WBITS
_CODINGS = {"": False, "identity": False, "gzip": True, "x-gzip": True}
MAX_BODY = 32 * 1024 * 1024
"""Bytes, both compressed and decompressed. The largest recorded reply has 2 MB."""
TIMEOUTS = httpx.Timeout(10.0, connect=5.0)
"""Seconds, as in the venue's own client (SDK 0.14.0, October 2026)."""
TOTAL_S = 30.0
"""Limits a reply that drips one byte at a time below every other timeout."""
MAX_RETRIES = 2
FIRST_RETRY_S = 0.3
"""The longest pause before the first retry, if the host states none; it doubles."""
LONGEST_WAIT_S = 5.0
"""If a host requests a longer wait than this, that is reported instead of waiting."""
_RATE_PREFIX = "poly-ratelimit-"


class BodyError(ValueError):
    """A body that must not be read further; the text says why, without quoting the host."""


@final
class BodyReader:
    """Collects one body. The limit applies to the compressed and to the decompressed bytes."""

    def __init__(self, content_encoding: str, *, max_body: int) -> None:
        """Prepare for a body.

        Args:
            content_encoding: the header's value; empty without one.
            max_body: longest body in bytes.

        Raises:
            BodyError: the coding was not requested, or there are several.
        """
        is_packed = _CODINGS.get(content_encoding.strip().lower())
        if is_packed is None:
            raise BodyError("answer in an encoding that was not asked for")
        self._max_body = max_body
        self._inflater = zlib.decompressobj(_GZIP) if is_packed else None
        self._parts: list[bytes] = []
        self._travelled = 0
        self._size = 0
        self._members = 1

    def feed(self, chunk: bytes) -> Iterator[None]:
        """Add a compressed piece of the body; each yield lets other work run.

        Raises:
            BodyError: the body is too long, or not gzip.
        """
        self._travelled += len(chunk)
        if self._travelled > self._max_body:
            raise self._too_long()
        if self._inflater is None:
            self._keep(chunk)
            return
        is_drained = False
        while chunk or not is_drained:
            if self._inflater.eof and chunk:
                self._count_member()
                self._inflater = zlib.decompressobj(_GZIP)
            try:
                part = self._inflater.decompress(chunk, STEP)
            except zlib.error:
                raise _garbled() from None
            self._keep(part)
            chunk = self._inflater.unconsumed_tail or self._inflater.unused_data
            is_drained = len(part) < STEP
            yield

    def finish(self) -> bytes:
        """Return the whole body.

        Raises:
            BodyError: the body is incomplete.
        """
        if self._inflater is not None and self._travelled and not self._inflater.eof:
            raise _garbled()
        return b"".join(self._parts)

    def _count_member(self) -> None:
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise _garbled()

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._max_body:
            raise self._too_long()
        if part:
            self._parts.append(part)

    def _too_long(self) -> BodyError:
        return BodyError(f"answer of more than {self._max_body} bytes")


def _garbled() -> BodyError:
    return BodyError("answer cannot be decompressed")


Query = Sequence[tuple[str, str]]
Headers = Mapping[str, str] | Callable[[], Mapping[str, str]]
"""Headers, or a function that makes them when the request is sent, for headers with the time."""


LastCheck = Callable[[], str]
"""Called just before the body is written: returns why it must not be sent, or "" if it may."""


class _WithheldError(Exception):
    """The last check refused; raised inside the body, so that none of it is written."""


class Gate(Protocol):
    """Keeps requests within a host's limits, by route (method and path template)."""

    async def enter(self, route: str) -> Failure | None:
        """Wait for a turn; return a failure if the host has closed the route for long."""
        ...

    def note(self, route: str, failure: Failure | None) -> None:
        """Record how a request ended."""
        ...


@dataclass(frozen=True, slots=True)
class RequestReport:
    """A request for the log and for a source's health; without queries and secrets."""

    route: str
    status: int | None
    elapsed_ms: int
    failure: Failure | None
    rates: Mapping[str, str] = field(default_factory=dict)
    """The rate limit headers of the reply, by lower-case name."""


@dataclass(frozen=True, slots=True)
class ShownRequest:
    """A request that is displayed instead of sent: the parts that may be seen."""

    method: str
    url: str
    headers: tuple[str, ...]
    """Names of the headers that would contain credentials; never their values."""
    body: bytes | None


@dataclass(frozen=True, slots=True)
class Pace:
    """The wait between retries, injected so that tests do not wait."""

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.Random().random  # noqa: S311 - spreads load, keeps no secret


def _ignore(_report: RequestReport) -> None:
    return


class HttpHost:
    """A host of the venue. Opens no socket before the first request."""

    def __init__(  # noqa: PLR0913 - all that hosts can differ in
        self,
        base_url: str,
        *,
        observe: Callable[[RequestReport], None] = _ignore,
        pace: Pace | None = None,
        gate: Gate | None = None,
        timeouts: httpx.Timeout = TIMEOUTS,
        total_s: float = TOTAL_S,
        max_body: int = MAX_BODY,
        takes_back: bool = False,
        keeps_cookies: bool = False,
        show: Callable[[ShownRequest], None] | None = None,
    ) -> None:
        """Prepare connections to a host.

        Args:
            base_url: scheme, name and port; a path is prefixed to all others.
            observe: called for every request.
            pace: waits between retries.
            gate: enforces the host's rate limits.
            timeouts: for the parts of a request.
            total_s: timeout for a whole request.
            max_body: longest reply in bytes.
            takes_back: whether unsent data must be discarded when a request is given up, or when the
                program dies.
            keeps_cookies: whether the host's cookies are sent back to it. Only a sign-in needs that, and a
                host that sets new ones with every reply would make every request longer.
            show: receives every request instead of the host, and none is sent.
        """
        self._takes_back = takes_back
        self._keeps_cookies = keeps_cookies
        self._show = show
        self.base_url = base_url.rstrip("/")
        self._observe = observe
        self._pace = pace or Pace()
        self._gate = gate
        self._timeouts = timeouts
        self._total_s = total_s
        self._max_body = max_body
        self._client: httpx.AsyncClient | None = None

    async def read(
        self,
        path: str,
        *,
        query: Query = (),
        route: str = "",
        headers: Headers | None = None,
        method: str = "GET",
        body: bytes | None = None,
    ) -> bytes | Failure:
        """Read something; retry up to twice if that may help and is harmless.

        Args:
            path: starting with the slash, already quoted; also the template if `route` is empty.
            query: in the order in which it is sent; a key may repeat.
            route: the path template for logs, for example `/events/{id}`.
            headers: for reads that need credentials.
            method: POST if the host reads by POST (`/books`).
            body: sent as it is.
        """
        backoff = Backoff(first_s=FIRST_RETRY_S, longest_s=LONGEST_WAIT_S, jitter=self._pace.jitter)
        for attempt in range(MAX_RETRIES + 1):
            answer = await self.send(
                method, path, query=query, route=route, headers=headers, body=body
            )
            if isinstance(answer, bytes) or attempt == MAX_RETRIES or not _is_worth_a_try(answer):
                return answer
            pause_s = backoff.next_s()
            await self._pace.sleep(
                pause_s if answer.retry_after_s is None else answer.retry_after_s
            )
        raise AssertionError("the last try returns")

    async def send(  # noqa: PLR0913 - all that a request can differ in
        self,
        method: str,
        path: str,
        *,
        query: Query = (),
        route: str = "",
        headers: Headers | None = None,
        body: bytes | None = None,
        may_be_empty: bool = False,
        readable: frozenset[int] = frozenset(),
        last_check: LastCheck | None = None,
    ) -> bytes | Failure:
        """Send exactly one request. The body is sent byte for byte, as JSON.

        The last check runs after the wait for a turn and for a connection, as the first step of the
        body: the head of the request is already written then, but has no effect by itself.

        Args:
            method: upper case.
            path: see `read`.
            query: see `read`.
            route: see `read`.
            headers: added to the usual ones; their values never appear in a log or a failure.
            body: the exact bytes that were signed.
            may_be_empty: whether the route may reply 200 without a body.
            readable: statuses other than 2xx whose body is returned like a reply.
            last_check: may still withhold a request with a body, which then fails as CANCELLED.
        """
        label = f"{method} {route or path}"
        if self._gate is not None and (closed := await self._gate.enter(label)) is not None:
            return closed
        headers, started = headers() if callable(headers) else headers, time.monotonic()
        make = functools.partial(
            self._request, method, path, query=query, headers=headers, body=body,
            last_check=last_check,
        )  # fmt: skip
        status, answer, rates = await self._once(make, label, readable)
        if isinstance(answer, Failure) and answer.kind is FailureKind.CANCELLED:
            return answer
        if answer == b"" and not may_be_empty:
            answer = Failure(FailureKind.SERVER, label, "empty answer", status)
        if isinstance(answer, Failure) and headers:
            answer = without_secrets(answer, headers)
        failure = answer if isinstance(answer, Failure) else None
        if self._gate is not None:
            self._gate.note(label, failure)
        elapsed_ms = round((time.monotonic() - started) * 1000)
        self._observe(RequestReport(label, status, elapsed_ms, failure, rates))
        return answer

    def lane(
        self,
        *,
        total_s: float | None = None,
        takes_back: bool = False,
        keeps_cookies: bool = False,
    ) -> "HttpHost":
        """Return the same host with connections of its own, so that neither waits for the other.

        Args:
            total_s: timeout for every request of the lane; None to keep this host's.
            takes_back: see `HttpHost`.
            keeps_cookies: see `HttpHost`.
        """
        return HttpHost(
            self.base_url,
            observe=self._observe,
            pace=self._pace,
            gate=self._gate,
            timeouts=self._timeouts
            if total_s is None
            else httpx.Timeout(total_s, connect=min(total_s, self._timeouts.connect or total_s)),
            total_s=self._total_s if total_s is None else total_s,
            max_body=self._max_body,
            takes_back=takes_back,
            keeps_cookies=keeps_cookies,
        )

    def cookies(self) -> Mapping[str, str]:
        """Return the cookies set by the host on these connections, for a session that continues elsewhere."""
        jar = () if self._client is None else self._client.cookies.jar
        # If several paths have a cookie of one name, the last one.
        return {cookie.name: cookie.value or "" for cookie in jar}

    async def aclose(self) -> None:
        """Close the pool; a later request opens a new one."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _request(
        self,
        method: str,
        path: str,
        *,
        query: Query,
        headers: Mapping[str, str] | None,
        body: bytes | None,
        last_check: LastCheck | None,
    ) -> httpx.Request:
        extra = {"Content-Type": "application/json"} if body is not None else {}
        content: bytes | AsyncIterator[bytes] | None = body
        if body is not None and last_check is not None:
            extra["Content-Length"] = str(len(body))
            content = _checked(body, last_check)
        return self._pool().build_request(
            method,
            self.base_url + path,
            params=list(query) or None,
            headers={**extra, **(headers or {})},
            content=content,
            extensions={"trace": _forget_on_close} if self._takes_back else None,
        )

    async def _once(
        self, make: Callable[[], httpx.Request], label: str, readable: frozenset[int]
    ) -> tuple[int | None, bytes | Failure, Mapping[str, str]]:
        status: int | None = None
        rates: Mapping[str, str] = {}
        try:
            request = make()
        except UnusableProxyError as problem:
            return None, Failure(FailureKind.UNREACHABLE, label, str(problem)), rates
        if self._show is not None:
            self._show(_shown(request))
            return None, Failure(FailureKind.CANCELLED, label, "shown, not sent"), rates
        try:
            async with asyncio.timeout(self._total_s):
                response = await self._pool().send(request, stream=True)
                status = response.status_code
                rates = _rates(response)
                try:
                    body = await self._body(response)
                finally:
                    await response.aclose()
        except _WithheldError as withheld:
            return None, Failure(FailureKind.CANCELLED, label, str(withheld)), rates
        except (httpx.TransportError, TimeoutError) as error:
            return status, failure_of_error(error, label, status=status), rates
        except BodyError as error:
            return status, Failure(FailureKind.SERVER, label, str(error), status), rates
        if not response.is_success and status not in readable:
            return status, failure_of_answer(response, body, label), rates
        if is_html_page(response.headers.get("content-type", ""), body):
            text = "a web page instead of data"
            return status, Failure(FailureKind.SERVER, label, text, status), rates
        return status, body, rates

    async def _body(self, response: httpx.Response) -> bytes:
        # Decompressed here, because the library decompresses a whole piece before it can be
        # counted.
        encoding = response.headers.get("content-encoding", "")
        reader = BodyReader(encoding, max_body=self._max_body)
        async for chunk in response.aiter_raw():
            for _ in reader.feed(chunk):
                await asyncio.sleep(0)
        return reader.finish()

    def _pool(self) -> httpx.AsyncClient:
        if self._client is None:
            is_encrypted = urlsplit(self.base_url).scheme == "https"
            self._client = httpx.AsyncClient(
                verify=trusted_context() if is_encrypted else _bare_context(),
                # `find_proxy` reads the environment, for requests and streams alike.
                trust_env=False,
                proxy=find_proxy(self.base_url),
                follow_redirects=False,
                timeout=self._timeouts,
                cookies=CookieJar(None if self._keeps_cookies else _no_cookies()),
                limits=httpx.Limits(max_keepalive_connections=8, keepalive_expiry=90.0),
                headers={
                    "User-Agent": f"pmtui/{__version__}",
                    "Accept": "application/json",
                    "Accept-Encoding": ACCEPTED,
                },
            )
        return self._client


_CREDENTIALS = ("poly_", "relayer_", "authorization", "cookie")


def _shown(request: httpx.Request) -> ShownRequest:
    names = (raw.decode("latin-1") for raw, _ in request.headers.raw)
    secret = tuple(name for name in names if name.lower().startswith(_CREDENTIALS))
    return ShownRequest(request.method, str(request.url), secret, request.content or None)


async def _checked(body: bytes, last_check: LastCheck) -> AsyncIterator[bytes]:
    """Yield a body, unless the last check objects at the moment it is requested."""
    if reason := last_check():
        raise _WithheldError(reason)
    yield body


async def _forget_on_close(event: str, info: Mapping[str, object]) -> None:
    """Make a new connection discard its unsent data when it is closed.

    Without this the system keeps sending for minutes after the close once a broken connection is
    back: an order given up long ago would reach the venue.
    """
    if event == "connection.connect_tcp.complete":
        stream = info["return_value"]
        if isinstance(stream, httpcore.AsyncNetworkStream):
            connection = stream.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _no_cookies() -> CookiePolicy:
    return DefaultCookiePolicy(allowed_domains=())


@functools.cache
def trusted_context() -> ssl.SSLContext:
    """Return the TLS context of every encrypted connection: the certificate authorities of this machine."""
    # Loading the authorities takes tens of milliseconds: once for all hosts, and only if needed.
    return _without_old_versions(httpx.create_ssl_context())


@functools.cache
def _bare_context() -> ssl.SSLContext:
    # Trusts nobody; for cleartext hosts, where it is never used.
    return _without_old_versions(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))


def _without_old_versions(context: ssl.SSLContext) -> ssl.SSLContext:
    # Debian's Python leaves the minimum version to the system, which may allow TLS 1.0.
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _is_worth_a_try(failure: Failure) -> bool:
    match failure.kind:
        case FailureKind.UNREACHABLE | FailureKind.LOST:
            return True
        case FailureKind.SERVER:
            # An edge page with a 4xx is a refusal, not a transient failure.
            is_accident = failure.status is None or failure.status in (200, 500, 502, 503, 504)
            return is_accident and (failure.retry_after_s or 0.0) <= LONGEST_WAIT_S
        case FailureKind.BUSY:
            return (failure.retry_after_s or 0.0) <= LONGEST_WAIT_S
        case _:
            return False


def _rates(response: httpx.Response) -> Mapping[str, str]:
    names = (name for name in response.headers if name.startswith(_RATE_PREFIX))
    return {name: response.headers[name] for name in names}
