"""Requests to the trading host by its route table: without a key, or signed as one account.

A row of the table defines a request; the caller decodes the reply. Nothing here falls back to another
row when the first one fails. Reads may be retried; everything else is sent once and never retried
automatically, whatever the result. Requests are signed over the bytes that are sent, with the host's
own time: after a refusal that may be due to the clock, the host is asked for its time, so that the
next request is right.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar, final

from typing_extensions import override

from pmtui.clients.http.client import HttpHost, LastCheck, Query
from pmtui.clients.http.failures import unreadable
from pmtui.clients.http.paging import FetchedPage, walk
from pmtui.domain.account.keys import SignatureType
from pmtui.domain.answers import MAX_PAGES, Failure, FailureKind, Page
from pmtui.domain.ids import Address
from pmtui.reads.trading_routes import Auth, ClobRoute, ClobRoutes, RouteName
from pmtui.signing.auth import ApiCredentials, RequestSigner
from pmtui.signing.secret import Secret
from pmtui.wire.bounds import WireError
from pmtui.wire.clob_account import SentCredentials

T = TypeVar("T")
_ANSWER_STEP = timedelta(seconds=1)
"""The host's time has whole seconds, so its reply is up to one second old."""
_CLOCK_WORDS = ("timestamp", "signature")


class ClobRequests(ABC):
    """Reads by the route table, and lists read page by page."""

    routes: ClobRoutes

    @abstractmethod
    async def fetch(
        self, route: ClobRoute, path: str, query: Query, body: bytes | None
    ) -> bytes | Failure:
        """Request a path of a route, in the way this host requires."""

    async def read(
        self,
        call: RouteName,
        decode: Callable[[bytes], T],
        *,
        query: Query = (),
        body: bytes | None = None,
        identifier: str = "",
    ) -> T | Failure:
        """Read and decode something.

        Args:
            call: the row of the table.
            decode: decodes the reply; raises `WireError` if it cannot.
            query: in the order in which it is sent; never signed.
            body: for reads by POST.
            identifier: replaces `{id}` in the path.
        """
        route = self.routes.route(call)
        path, naming = route.with_id(identifier)
        answer = await self.fetch(route, path, (*naming, *query), body)
        return decode_answer(answer, decode, route)

    def walk(
        self,
        call: RouteName,
        decode: Callable[[bytes], Page[T]],
        *,
        query: Query = (),
        identifier: str = "",
        max_pages: int = MAX_PAGES,
    ) -> AsyncIterator[FetchedPage[T] | Failure]:
        """Yield a list page by page; a failure is the last thing yielded."""

        async def read_page(cursor: str | None) -> Page[T] | Failure:
            place = () if cursor is None else ((self.routes.cursor_name, cursor),)
            return await self.read(call, decode, query=(*query, *place), identifier=identifier)

        return walk(read_page, self.routes.route(call), max_pages=max_pages)


def decode_answer(
    answer: bytes | Failure, decode: Callable[[bytes], T], route: ClobRoute
) -> T | Failure:
    """Return the decoded reply; one that cannot be decoded is a failure too."""
    if isinstance(answer, Failure):
        return answer
    try:
        return decode(answer)
    except WireError as error:
        return unreadable(route.label, error)


def to_query(**fields: str | None) -> Query:
    """Return the given fields as a query; those that are None are left out."""
    return tuple((name, value) for name, value in fields.items() if value)


@final
class PublicRequests(ClobRequests):
    """Requests that need no key."""

    def __init__(self, host: HttpHost, routes: ClobRoutes) -> None:
        """Use a host and the routes of its dialect."""
        self._host = host
        self.routes = routes

    @override
    async def fetch(
        self, route: ClobRoute, path: str, query: Query, body: bytes | None
    ) -> bytes | Failure:
        return await self._host.read(
            path, query=query, route=route.path, method=route.method, body=body
        )


@final
class ServerClock:
    """Our clock plus the host's offset; zero until measured."""

    def __init__(
        self,
        now: Callable[[], datetime],
        read_server_time: Callable[[], Awaitable[datetime | Failure]],
    ) -> None:
        """Measure the host's time against our clock."""
        self._now = now
        self._read = read_server_time
        self._offset = timedelta(0)

    @property
    def offset_s(self) -> float:
        """Seconds that the host's clock is ahead of ours."""
        return self._offset.total_seconds()

    def timestamp_s(self) -> int:
        """Return the host's time in whole seconds."""
        return int((self._now() + self._offset).timestamp())

    def timestamp_ms(self) -> int:
        """Return the host's time in milliseconds."""
        return int((self._now() + self._offset).timestamp() * 1000)

    async def measure(self) -> Failure | None:
        """Ask for the host's time; the offset is zero if both agree within the measuring error."""
        before = self._now()
        server_time = await self._read()
        if isinstance(server_time, Failure):
            return server_time
        after = self._now()
        earliest, latest = server_time - after, server_time + _ANSWER_STEP - before
        middle = (earliest + latest) / 2
        is_same = earliest <= timedelta(0) <= latest
        self._offset = timedelta(0) if is_same else middle
        return None


@dataclass(frozen=True, slots=True)
class Account:
    """The account that makes the requests."""

    address: Address
    """Address of the key itself, even if another kind of wallet trades."""
    wallet: Address
    """The wallet that pays and receives."""
    signature_type: SignatureType
    credentials: ApiCredentials


@final
class SignedRequests(ClobRequests):
    """Sends every request of an account. Public routes are requested without credentials."""

    def __init__(
        self, host: HttpHost, routes: ClobRoutes, *, account: Account, clock: ServerClock
    ) -> None:
        """Prepare to sign.

        Raises:
            CredentialsError: the secret is not in the venue's format.
        """
        self._host = host
        self._clock = clock
        self._signer = RequestSigner(account.credentials)
        self.routes = routes
        self.account = account

    @property
    def signature_type(self) -> str:
        """The number of the account's signature type, as used in queries."""
        return str(self.account.signature_type.number)

    @override
    async def fetch(
        self, route: ClobRoute, path: str, query: Query, body: bytes | None
    ) -> bytes | Failure:
        """Send a signed request, and repeat it after a refusal that was due to the clock."""

        async def once() -> bytes | Failure:
            return await self._host.read(
                path,
                query=query,
                route=route.path,
                headers=self._signing(route, path, body),
                method=route.method,
                body=body,
            )

        before = self._clock.offset_s
        answer = await once()
        return await once() if await self._was_the_clock(answer, before) else answer

    async def send(
        self,
        call: RouteName,
        *,
        query: Query = (),
        body: bytes | None = None,
        identifier: str = "",
        may_be_empty: bool = False,
        readable: frozenset[int] = frozenset(),
        builder: RequestSigner | None = None,
        last_check: LastCheck | None = None,
    ) -> bytes | Failure:
        """Send exactly one request.

        Args:
            call: see `read`.
            query: see `read`.
            body: the exact bytes that are signed.
            identifier: see `read`.
            may_be_empty: whether the route may reply 200 without a body.
            readable: statuses other than 2xx whose body is the reply.
            builder: signs instead of the account.
            last_check: see `HttpHost.send`.
        """
        route = self.routes.route(call)
        path, naming = route.with_id(identifier)
        before = self._clock.offset_s
        answer = await self._host.send(
            route.method,
            path,
            query=(*naming, *query),
            route=route.path,
            headers=self._signing(route, path, body, builder),
            body=body,
            may_be_empty=may_be_empty,
            readable=readable,
            last_check=last_check,
        )
        await self._was_the_clock(answer, before)
        return answer

    async def request(
        self,
        call: RouteName,
        decode: Callable[[bytes], T],
        *,
        body: bytes | None = None,
        identifier: str = "",
        may_be_empty: bool = False,
        readable: frozenset[int] = frozenset(),
        last_check: LastCheck | None = None,
    ) -> T | Failure:
        """Send exactly one request and decode its reply; see `send`."""
        answer = await self.send(
            call,
            body=body,
            identifier=identifier,
            may_be_empty=may_be_empty,
            readable=readable,
            last_check=last_check,
        )
        return decode_answer(answer, decode, self.routes.route(call))

    async def submit(
        self,
        call: RouteName,
        *,
        query: Query = (),
        identifier: str = "",
        builder: RequestSigner | None = None,
    ) -> Failure | None:
        """Send exactly one request whose reply only confirms it; see `send`."""
        answer = await self.send(
            call, query=query, identifier=identifier, may_be_empty=True, builder=builder
        )
        return answer if isinstance(answer, Failure) else None

    def refused(self, call: RouteName, text: str) -> Failure:
        """Return the failure of a request that is not sent, and why."""
        return self.routes.route(call).withheld(text)

    def _signing(
        self, route: ClobRoute, path: str, body: bytes | None, builder: RequestSigner | None = None
    ) -> Callable[[], Mapping[str, str]] | None:
        if route.auth is Auth.PUBLIC:
            return None
        if builder is not None:
            return lambda: builder.builder_headers(
                timestamp_s=self._clock.timestamp_s(),
                method=route.method,
                path=path,
                body=body or b"",
            )
        # Created when the request is sent: it may have waited in the queue, and an earlier time
        # would be old.
        return lambda: self._signer.headers(
            self.account.address,
            timestamp_s=self._clock.timestamp_s(),
            method=route.method,
            path=path,
            body=body or b"",
        )

    async def _was_the_clock(self, answer: bytes | Failure, offset_s: float) -> bool:
        """Measure the clock after a refusal that may be due to it; return whether it was wrong."""
        if not isinstance(answer, Failure) or not _doubts_the_clock(answer):
            return False
        if self._clock.offset_s == offset_s and await self._clock.measure() is not None:
            return False
        return self._clock.offset_s != offset_s


def to_credentials(sent: SentCredentials) -> ApiCredentials:
    """Wrap received credentials as secrets."""
    return ApiCredentials(
        sent.api_key,
        secret=Secret.from_text(sent.secret),
        passphrase=Secret.from_text(sent.passphrase),
    )


def _doubts_the_clock(failure: Failure) -> bool:
    if failure.status == 401:
        # The host does not say whether the key or the time is wrong.
        return True
    text = failure.text.lower()
    return failure.kind is FailureKind.REFUSED and any(word in text for word in _CLOCK_WORDS)
