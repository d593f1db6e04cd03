"""One HTTP connection pool per host; every way to fail comes back as a value.

It refuses to follow redirects, to read more than it was told to, and to repeat anything that is
not an idempotent read. It knows nothing of what the bodies mean.

A body is expanded in steps, so that a small answer cannot become a huge one. One gzip coding is accepted,
which is the only one that is asked for. Layered codings and others are refused before a byte of the body is
read, because their bounds would hold for the outer layer only.
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
"""Value of Accept-Encoding; an answer that is not encoded is always accepted."""
STEP = 256 * 1024
"""Bytes that one step may expand to: about a millisecond of work."""
MAX_MEMBERS = 64
"""Gzip members in one body. One is usual; each costs a new decompressor, whatever its size."""

_GZIP = 16 + zlib.MAX_WBITS
_CODINGS = {"": False, "identity": False, "gzip": True, "x-gzip": True}
MAX_BODY = 32 * 1024 * 1024
"""Bytes, as they travel and after decompression. The largest recorded answer has 2 MB."""
TIMEOUTS = httpx.Timeout(10.0, connect=5.0)
"""Seconds; what the venue's own client uses (SDK 0.14.0, October 2026)."""
TOTAL_S = 30.0
"""Bounds an answer that drips one byte at a time below every other time limit."""
MAX_RETRIES = 2
FIRST_RETRY_S = 0.3
"""The longest pause before the first retry, where the host names none; it doubles."""
LONGEST_WAIT_S = 5.0
"""A host that asks for more patience than this is reported, not waited for."""
_RATE_PREFIX = "poly-ratelimit-"


class BodyError(ValueError):
    """A body that must not be read on; its text says why, without quoting the host."""


@final
class BodyReader:
    """Collects one body. The limit holds for the bytes that travel and for the expanded ones."""

    def __init__(self, content_encoding: str, *, max_body: int) -> None:
        """Prepare for a body.

        Args:
            content_encoding: the header's value; empty without one.
            max_body: longest body in bytes.

        Raises:
            BodyError: a coding that was not asked for, or several.
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
        """Add a compressed piece of the body; each yield is a chance to do other work.

        Raises:
            BodyError: it is too long, or not gzip.
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
            BodyError: it broke off.
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
"""Headers, or how to make them when the request leaves: those that hold the time are."""


LastCheck = Callable[[], str]
"""Asked when nothing but the body is left to write: why it must not leave, "" if it may."""


class _WithheldError(Exception):
    """The last check refused; raised within the body, so that none of it is written."""


class Gate(Protocol):
    """Keeps requests within what a host allows, by their routes (method and path template)."""

    async def enter(self, route: str) -> Failure | None:
        """Wait for a place; a failure where the host has closed the route for long."""
        ...

    def note(self, route: str, failure: Failure | None) -> None:
        """Learn how a request ended."""
        ...


@dataclass(frozen=True, slots=True)
class RequestReport:
    """One request as the log and the health of a source see it; free of queries and secrets."""

    route: str
    status: int | None
    elapsed_ms: int
    failure: Failure | None
    rates: Mapping[str, str] = field(default_factory=dict)
    """What the answer's headers say of limits, by their names in lower case."""


@dataclass(frozen=True, slots=True)
class ShownRequest:
    """A request that is shown and not sent: what of it may be seen."""

    method: str
    url: str
    headers: tuple[str, ...]
    """Names of the headers that would carry credentials; never their values."""
    body: bytes | None


@dataclass(frozen=True, slots=True)
class Pace:
    """Waiting between tries, injected so that tests do not wait."""

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
        """Prepare to talk to a host.

        Args:
            base_url: scheme, name and port; a path is kept in front of all others.
            observe: told of every request.
            pace: how to wait between tries.
            gate: keeps to the host's limits.
            timeouts: of the parts of a request.
            total_s: bounds a whole request.
            max_body: longest answer in bytes.
            takes_back: whether what has not left the machine when a request is given up, or when
                the program dies, shall never leave it.
            keeps_cookies: whether the host's cookies are sent back to it. Nothing but a sign-in needs that,
                and a host that sets others with every answer would make every request longer.
            show: gets every request in place of the host, and none is sent.
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
        """Read something; tried again up to twice where that can help and can do no harm.

        Args:
            path: from the root, already quoted; its template too when `route` is empty.
            query: in the order it is to be sent; a key may repeat.
            route: the path template for logs, for example `/events/{id}`.
            headers: for reads that need credentials.
            method: POST where the host reads by POST (`/books`).
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
        """Make exactly one request. A body travels byte for byte, as JSON.

        The last check comes after the wait for a place and for a connection, as the body's own first
        step: the head of the request is written by then, and means nothing to a host alone.

        Args:
            method: upper case.
            path: see `read`.
            query: see `read`.
            route: see `read`.
            headers: added to the usual ones; their values never reach a log or a failure.
            body: the very bytes that were signed.
            may_be_empty: for routes that answer 200 without a body.
            readable: statuses beside 2xx whose body is handed out like an answer.
            last_check: may still withhold a request with a body, which is then CANCELLED.
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
        """Return the same host over connections of its own, so that neither waits for the other.

        Args:
            total_s: bounds every request of the lane; as here when it is None.
            takes_back: as for a host.
            keeps_cookies: as for a host.
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
        """Return what the host has set over these connections, for a session that moves on."""
        jar = () if self._client is None else self._client.cookies.jar
        # Of a name that stands for several paths, the last one.
        return {cookie.name: cookie.value or "" for cookie in jar}

    async def aclose(self) -> None:
        """Close the pool; a later request would open a new one."""
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
        # Expanded here and not by the library, which expands a whole piece before anybody can count.
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
                # The environment is read by `find_proxy`, for requests and streams alike.
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
    """Yield a body, if there is no reason against it at the moment when it is wanted."""
    if reason := last_check():
        raise _WithheldError(reason)
    yield body


async def _forget_on_close(event: str, info: Mapping[str, object]) -> None:
    """Make a new connection drop what it has not sent when it is closed.

    Without this the machine goes on sending for minutes after the close, once a broken line is
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
    """Return what every encrypted connection is checked with: the authorities of this machine."""
    # Loading the authorities takes tens of milliseconds: once for all hosts, and only if needed.
    return _without_old_versions(httpx.create_ssl_context())


@functools.cache
def _bare_context() -> ssl.SSLContext:
    # Trusts nobody; for hosts that are spoken to in the clear, where none is ever used.
    return _without_old_versions(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))


def _without_old_versions(context: ssl.SSLContext) -> ssl.SSLContext:
    # Python as Debian builds it leaves the lowest version to the system, which may allow TLS 1.0.
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _is_worth_a_try(failure: Failure) -> bool:
    match failure.kind:
        case FailureKind.UNREACHABLE | FailureKind.LOST:
            return True
        case FailureKind.SERVER:
            # A page of the edge with a 4xx is a verdict, not an accident.
            is_accident = failure.status is None or failure.status in (200, 500, 502, 503, 504)
            return is_accident and (failure.retry_after_s or 0.0) <= LONGEST_WAIT_S
        case FailureKind.BUSY:
            return (failure.retry_after_s or 0.0) <= LONGEST_WAIT_S
        case _:
            return False


def _rates(response: httpx.Response) -> Mapping[str, str]:
    names = (name for name in response.headers if name.startswith(_RATE_PREFIX))
    return {name: response.headers[name] for name in names}
