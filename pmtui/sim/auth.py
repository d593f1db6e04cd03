"""Request authentication: level-1 signatures, level-2 HMACs, and the routes for API keys.

The accepted clock skew is not published; this venue accepts timestamps within `WINDOW_S` of its own
time. Level 2 covers the raw bytes of the body and the path as received, without the query.
"""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import Address
from pmtui.signing.auth import verify_auth
from pmtui.sim.accounts import Credentials
from pmtui.sim.http_json import UNAUTHORIZED, JsonResponse, failure
from pmtui.sim.venue import Venue

WINDOW_S = 60
"""Seconds by which a timestamp may differ from the venue's time."""

Handler = Callable[[Request, Credentials], Awaitable[Response]]
"""Answers a request of proven credentials."""

BAD_L1 = "Invalid L1 Request headers"


def unauthorized() -> Response:
    """Return the public venue's reply to invalid level-2 headers."""
    return failure(401, UNAUTHORIZED)


def owner_by_signature(venue: Venue, request: Request) -> Address | None:
    """Return the owner proved by a level-1 request, or None."""
    if not is_recent(venue, request.headers.get("POLY_TIMESTAMP", "")):
        return None
    return verify_auth(request.headers)


async def credentials_of(venue: Venue, request: Request) -> Credentials | None:
    """Return the credentials proved by a level-2 request, or None."""
    headers = request.headers
    credentials = venue.accounts.by_key(headers.get("POLY_API_KEY", ""))
    if credentials is None or not is_recent(venue, headers.get("POLY_TIMESTAMP", "")):
        return None
    is_right = venue.accounts.signer(credentials).verify(
        headers, method=request.method, path=signed_path(request), body=await request.body()
    )
    is_theirs = headers.get("POLY_ADDRESS", "").lower() == credentials.eoa.lower()
    return credentials if is_right and is_theirs else None


def signed(venue: Venue, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """Wrap a handler that answers level-2 requests only."""

    async def checked(request: Request) -> Response:
        caller = await credentials_of(venue, request)
        return unauthorized() if caller is None else await handler(request, caller)

    return checked


def signed_path(request: Request) -> str:
    """Return the path as the client signed it: as received, without the query."""
    raw: bytes = request.scope.get("raw_path") or request.url.path.encode()
    return raw.partition(b"?")[0].decode("latin-1")


def is_recent(venue: Venue, timestamp: str) -> bool:
    """Return whether a timestamp in seconds is close enough to the venue's time."""
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        return False
    return abs(int(timestamp) * 1_000 - venue.clock.now_ms()) <= WINDOW_S * 1_000


class KeyRoutes:
    """Creating, deriving, listing and deleting API keys."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue

    def routes(self) -> list[Route]:
        """Return the routes below `/auth`."""
        return [
            Route("/auth/api-key", self.create, methods=["POST"]),
            Route("/auth/api-key", signed(self._venue, self.delete), methods=["DELETE"]),
            Route("/auth/derive-api-key", self.derive),
            Route("/auth/api-keys", signed(self._venue, self.list_keys)),
            Route("/auth/ban-status/closed-only", signed(self._venue, self.closed_only)),
        ]

    async def create(self, request: Request) -> Response:
        """Create the key of an owner and nonce; a second time is refused."""
        eoa = owner_by_signature(self._venue, request)
        if eoa is None:
            return failure(401, BAD_L1)
        credentials = self._venue.accounts.create(
            eoa, _nonce(request), now_ms=self._venue.clock.now_ms()
        )
        if credentials is None:
            return failure(400, "Could not create api key")
        self._venue.register(credentials)
        return _shown(credentials)

    async def derive(self, request: Request) -> Response:
        """Return an existing key."""
        eoa = owner_by_signature(self._venue, request)
        if eoa is None:
            return failure(401, BAD_L1)
        credentials = self._venue.accounts.derive(eoa, _nonce(request))
        return (
            failure(400, "Could not derive api key!")
            if credentials is None
            else _shown(credentials)
        )

    async def list_keys(self, _request: Request, caller: Credentials) -> Response:
        """List the keys of the caller's owner."""
        return JsonResponse({"apiKeys": self._venue.accounts.keys_of(caller.eoa)})

    async def delete(self, _request: Request, caller: Credentials) -> Response:
        """Delete the key that signs the request; its orders stay."""
        self._venue.revoke(caller)
        return JsonResponse("OK")

    async def closed_only(self, _request: Request, caller: Credentials) -> Response:
        """Return whether the caller may only reduce positions."""
        return JsonResponse({"closed_only": caller.eoa in self._venue.controls.closed_only})


def _nonce(request: Request) -> int:
    # The signature was verified over this very number.
    return int(request.headers.get("POLY_NONCE", "0"))


def _shown(credentials: Credentials) -> Response:
    return JsonResponse(
        {
            "apiKey": credentials.api_key,
            "secret": credentials.secret,
            "passphrase": credentials.passphrase,
        }
    )
