"""Sign-in with an owner's key, and the relayer keys that a session may create (docs/wire.md#signing-in).

A nonce is valid once and belongs to a cookie; a signed message opens a session; a session creates keys.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http.cookies import CookieError, SimpleCookie
from uuid import uuid4

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import Address
from pmtui.signing.auth import DOMAIN, SignIn, verify_sign_in
from pmtui.signing.contracts import POLYGON_CHAIN_ID
from pmtui.sim.http_json import JsonResponse, failure
from pmtui.sim.venue import Venue

KIND = "relayer key"
NONCE_COOKIE = "polymarketnonce"
SESSION_COOKIE = "polymarketsession"
MOST_KEYS = 100
MOST_NONCES = 1_000
"""Unused nonces that are kept; the oldest are dropped."""
_LONGEST_SESSION_MS = 7 * 86_400_000


@dataclass(frozen=True, slots=True)
class RelayerKey:
    """A key that may submit for one owner."""

    key: str
    owner: Address
    created_ms: int


_decode = msgspec.json.Decoder(RelayerKey).decode


class SignIns:
    """Nonces and sessions of this run, and permanent keys."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._nonces: dict[str, str] = {}
        """By the cookie sent with each."""
        self._sessions: dict[str, tuple[Address, int]] = {}
        self._profiles: set[Address] = set()
        kept = sorted((_decode(row) for _, row in venue.notes(KIND)), key=lambda k: k.created_ms)
        self._keys = {key.key: key for key in kept}

    def new_nonce(self) -> tuple[str, str]:
        """Return a nonce and its cookie."""
        if len(self._nonces) >= MOST_NONCES:
            del self._nonces[next(iter(self._nonces))]
        cookie, nonce = secrets.token_hex(16), secrets.token_hex(8)
        self._nonces[cookie] = nonce
        return nonce, cookie

    def open_session(self, authorization: str, nonce_cookie: str) -> str | None:
        """Return the cookie of a new session; None if no owner is proved."""
        fields = verify_sign_in(authorization)
        expected = self._nonces.pop(nonce_cookie, None)
        if fields is None or expected is None or not self._is_good(fields, expected):
            return None
        cookie = secrets.token_hex(32)
        until_ms = self._venue.clock.now_ms() + _LONGEST_SESSION_MS
        self._sessions[cookie] = fields.address, until_ms
        return cookie

    def owner_of_session(self, cookies: Mapping[str, str]) -> Address | None:
        """Return the owner of a session."""
        owner, until_ms = self._sessions.get(cookies.get(SESSION_COOKIE, ""), (None, 0))
        return owner if self._venue.clock.now_ms() < until_ms else None

    def add_profile(self, owner: Address) -> bool:
        """Create the profile of an owner; return whether it is new."""
        is_new = owner not in self._profiles
        self._profiles.add(owner)
        return is_new

    def mint(self, owner: Address) -> RelayerKey | None:
        """Create a relayer key; None if the owner has too many."""
        if len(self.keys_of(owner)) >= MOST_KEYS:
            return None
        key = RelayerKey(str(uuid4()), owner, self._venue.clock.now_ms())
        self._venue.write_notes(KIND, {key.key: msgspec.json.encode(key)})
        self._keys[key.key] = key
        return key

    def keys_of(self, owner: Address) -> list[RelayerKey]:
        """Return an owner's keys, oldest first."""
        return [key for key in self._keys.values() if key.owner == owner]

    def owner_of_key(self, key: str, address: str) -> Address | None:
        """Return the owner that a key may submit for, if the given address is the same."""
        known = self._keys.get(key)
        is_theirs = known is not None and known.owner.lower() == address.lower()
        return known.owner if known is not None and is_theirs else None

    def _is_good(self, fields: SignIn, nonce: str) -> bool:
        now = self._venue.clock.now()
        try:
            issued = datetime.fromisoformat(fields.issued_at)
            expires = datetime.fromisoformat(fields.expiration_time or fields.issued_at)
        except ValueError:
            return False
        if issued.tzinfo is None or expires.tzinfo is None:
            return False
        is_in_time = abs((now - issued).total_seconds()) <= 600
        is_over = fields.expiration_time is not None and expires <= now
        is_ours = (fields.domain, fields.chain_id) == (DOMAIN, POLYGON_CHAIN_ID)
        return fields.nonce == nonce and is_in_time and not is_over and is_ours


def key_row(key: RelayerKey) -> dict[str, object]:
    """Return a key in the form of the relayer's list."""
    at = datetime.fromtimestamp(key.created_ms / 1_000, UTC).isoformat(timespec="microseconds")
    stamp = at.replace("+00:00", "Z")
    return {"apiKey": key.key, "address": key.owner, "createdAt": stamp, "updatedAt": stamp}


def cookies_in(request: Request) -> dict[str, str]:
    """Return the cookies of a request; empty if they are malformed."""
    try:
        found = SimpleCookie(request.headers.get("cookie", ""))
    except CookieError:
        return {}
    return {name: morsel.value for name, morsel in found.items()}


def sign_in_routes(sign_ins: SignIns) -> list[Route]:
    """Return the metadata host's routes for signing in."""

    async def nonce(request: Request) -> Response:
        del request
        text, cookie = sign_ins.new_nonce()
        response = JsonResponse({"nonce": text})
        response.set_cookie(NONCE_COOKIE, cookie, httponly=True)
        return response

    async def login(request: Request) -> Response:
        cookies = cookies_in(request)
        authorization = request.headers.get("authorization", "")
        session = sign_ins.open_session(authorization, cookies.get(NONCE_COOKIE, ""))
        if session is None:
            return failure(401, "invalid authorization")
        response = JsonResponse({"success": True})
        response.set_cookie(SESSION_COOKIE, session, httponly=True)
        response.set_cookie("polymarketauthtype", "metamask")
        response.delete_cookie(NONCE_COOKIE)
        return response

    async def profile(request: Request) -> Response:
        owner = sign_ins.owner_of_session(cookies_in(request))
        if owner is None:
            return failure(401, "invalid authorization")
        if not sign_ins.add_profile(owner):
            return failure(409, "profile already exists")
        return JsonResponse({"name": owner}, status_code=201)

    return [
        Route("/nonce", nonce),
        Route("/login", login),
        Route("/profiles", profile, methods=["POST"]),
    ]
