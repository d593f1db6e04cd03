"""Requests of one account, signed over the bytes that are sent, with the host's own time.

Reads may be tried again; everything else is sent once and never again by itself, whatever comes
back. A refusal that may be the clock's fault makes us ask the host for its time, so that the next
request is right.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar, final

from typing_extensions import override

from pmtui.clients.http.client import HttpHost, LastCheck, Query
from pmtui.clients.http.page_reading import PageReading, decoded
from pmtui.clients.http.server_clock import ServerClock
from pmtui.clients.routes_clob import Auth, Call, ClobRoutes, Route
from pmtui.domain.account.signature_type import SignatureType
from pmtui.domain.failure import Failure, FailureKind
from pmtui.domain.ids import Address
from pmtui.signing.l2_auth import ApiCredentials, RequestSigner
from pmtui.signing.secret import Secret
from pmtui.wire.clob_account import SentCredentials

T = TypeVar("T")

_CLOCK_WORDS = ("timestamp", "signature")


@dataclass(frozen=True, slots=True)
class Account:
    """Whose requests these are."""

    address: Address
    """Of the key itself, also where a wallet of another form trades."""
    wallet: Address
    """Who pays and receives."""
    signature_type: SignatureType
    credentials: ApiCredentials


@final
class SignedRequests(PageReading):
    """The one way to ask as an account. Rows that are public are asked without credentials."""

    def __init__(
        self, host: HttpHost, routes: ClobRoutes, *, account: Account, clock: ServerClock
    ) -> None:
        """Prepare to sign.

        Raises:
            CredentialsError: the secret is not what the venue hands out.
        """
        self._host = host
        self._clock = clock
        self._signer = RequestSigner(account.credentials)
        self.routes = routes
        self.account = account

    @property
    def signature_type(self) -> str:
        """The number of the account's signature type, as queries name it."""
        return str(self.account.signature_type.number)

    @override
    async def fetch(
        self, route: Route, path: str, query: Query, body: bytes | None
    ) -> bytes | Failure:
        """Ask signed, again after a refusal that turned out to be the clock's fault."""

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
        call: Call,
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
            body: the very bytes that are signed.
            identifier: see `read`.
            may_be_empty: for routes that answer 200 without a body.
            readable: statuses beside 2xx whose body is the answer.
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

    async def ask(
        self,
        call: Call,
        decode: Callable[[bytes], T],
        *,
        query: Query = (),
        body: bytes | None = None,
        identifier: str = "",
        may_be_empty: bool = False,
        readable: frozenset[int] = frozenset(),
        last_check: LastCheck | None = None,
    ) -> T | Failure:
        """Send exactly one request and read its answer; see `send`."""
        answer = await self.send(
            call,
            query=query,
            body=body,
            identifier=identifier,
            may_be_empty=may_be_empty,
            readable=readable,
            last_check=last_check,
        )
        return decoded(answer, decode, self.routes.route(call))

    async def tell(
        self,
        call: Call,
        *,
        query: Query = (),
        identifier: str = "",
        builder: RequestSigner | None = None,
    ) -> Failure | None:
        """Send exactly one request whose answer says no more than that it was done; see `send`."""
        answer = await self.send(
            call, query=query, identifier=identifier, may_be_empty=True, builder=builder
        )
        return answer if isinstance(answer, Failure) else None

    def refused(self, call: Call, text: str) -> Failure:
        """Return the failure of a request that we do not send, and why."""
        return self.routes.route(call).withheld(text)

    def _signing(
        self, route: Route, path: str, body: bytes | None, builder: RequestSigner | None = None
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
        # Made when the request leaves: it may have waited for its turn, and a time of then is old.
        return lambda: self._signer.headers(
            self.account.address,
            timestamp_s=self._clock.timestamp_s(),
            method=route.method,
            path=path,
            body=body or b"",
        )

    async def _was_the_clock(self, answer: bytes | Failure, offset_s: float) -> bool:
        """Measure the clock after a refusal that may be its fault; whether it was wrong."""
        if not isinstance(answer, Failure) or not _doubts_the_clock(answer):
            return False
        if self._clock.offset_s == offset_s and await self._clock.measure() is not None:
            return False
        return self._clock.offset_s != offset_s


def to_credentials(sent: SentCredentials) -> ApiCredentials:
    """Hide credentials that have just arrived."""
    return ApiCredentials(
        sent.api_key,
        secret=Secret.from_text(sent.secret),
        passphrase=Secret.from_text(sent.passphrase),
    )


def _doubts_the_clock(failure: Failure) -> bool:
    if failure.status == 401:
        # The host does not say whether a key is wrong or a time.
        return True
    text = failure.text.lower()
    return failure.kind is FailureKind.REFUSED and any(word in text for word in _CLOCK_WORDS)
