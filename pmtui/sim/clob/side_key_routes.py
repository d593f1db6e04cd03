"""Minting, listing and revoking builder keys and read-only keys, in both dialects."""

import re
from datetime import UTC, datetime
from hmac import compare_digest

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import ApiKey
from pmtui.signing.l2_auth import ApiCredentials, RequestSigner
from pmtui.signing.secret import Secret
from pmtui.sim.accounts.auth import credentials_of, is_recent, signed_path, unauthorized
from pmtui.sim.clob.side_keys import KeyKind, SideKey, SideKeys
from pmtui.sim.engine.refusals import INVALID_PAYLOAD
from pmtui.sim.http_json import JsonResponse, failure, refused
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE

NO_SUCH_KEY = "api key not found"
BUILDER_CODE = re.compile(r"0x[0-9a-f]{64}", re.ASCII | re.IGNORECASE)


class _NamedKey(msgspec.Struct):
    key: str


_decode_named = msgspec.json.Decoder(_NamedKey).decode


class SideKeyRoutes:
    """The routes of `/auth` for keys that cannot trade, and what a builder charges."""

    def __init__(self, venue: Venue, keys: SideKeys) -> None:
        self._venue = venue
        self._keys = keys

    def routes(self) -> list[Route]:
        """Return the routes; the plural and the key in the path are the older dialect's."""
        return [
            Route("/auth/builder-api-key", self.mint_builder, methods=["POST"]),
            Route("/auth/builder-api-key", self.list_builder),
            Route("/auth/builder-api-key", self.revoke_builder, methods=["DELETE"]),
            Route("/auth/builder-api-keys", self.list_builder),
            Route("/auth/builder-api-key/{key}", self.revoke_named, methods=["DELETE"]),
            Route("/auth/readonly-api-key", self.mint_readonly, methods=["POST"]),
            Route("/auth/readonly-api-key", self.delete_readonly, methods=["DELETE"]),
            Route("/auth/readonly-api-keys", self.list_readonly),
            Route("/fees/builder-fees/{code}", self.builder_fees),
        ]

    async def mint_builder(self, request: Request) -> Response:
        """Make a builder key; its code is what orders name as their builder."""
        caller = await credentials_of(self._venue, request)
        if caller is None:
            return unauthorized()
        key = self._keys.mint(caller.eoa, KeyKind.BUILDER)
        return JsonResponse(
            {
                "key": key.key,
                "secret": key.secret,
                "passphrase": key.passphrase,
                "builderCode": key.builder_code,
            }
        )

    async def list_builder(self, request: Request) -> Response:
        """List the caller's builder keys, revoked ones with the time of that."""
        caller = await credentials_of(self._venue, request)
        if caller is None:
            return unauthorized()
        keys = self._keys.of(caller.eoa, KeyKind.BUILDER)
        return JsonResponse([_listed(key) for key in keys])

    async def revoke_builder(self, request: Request) -> Response:
        """Revoke the builder key that signs, or the newest of whoever signs with an API key."""
        if "POLY_BUILDER_API_KEY" in request.headers:
            key = await self._builder(request)
            return unauthorized() if key is None else self._revoked(key)
        caller = await credentials_of(self._venue, request)
        if caller is None:
            return unauthorized()
        good = [k for k in self._keys.of(caller.eoa, KeyKind.BUILDER) if k.revoked_ms is None]
        return self._revoked(good[-1] if good else None)

    async def revoke_named(self, request: Request) -> Response:
        """Revoke a named builder key of the caller's."""
        caller = await credentials_of(self._venue, request)
        if caller is None:
            return unauthorized()
        key = self._keys.find(request.path_params["key"], KeyKind.BUILDER)
        return self._revoked(key if key is not None and key.eoa == caller.eoa else None)

    def _revoked(self, key: SideKey | None) -> Response:
        if key is None:
            return failure(404, NO_SUCH_KEY)
        self._keys.revoke(key)
        return JsonResponse("OK")

    async def _builder(self, request: Request) -> SideKey | None:
        headers = request.headers
        key = self._keys.find(headers["POLY_BUILDER_API_KEY"], KeyKind.BUILDER)
        timestamp = headers.get("POLY_BUILDER_TIMESTAMP", "")
        if key is None or not is_recent(self._venue, timestamp):
            return None
        signer = RequestSigner(
            ApiCredentials(
                ApiKey(key.key), Secret.from_text(key.secret), Secret.from_text(key.passphrase)
            )
        )
        expected = signer.signature(
            timestamp, request.method, signed_path(request), await request.body()
        )
        is_right = compare_digest(
            headers.get("POLY_BUILDER_SIGNATURE", "").encode(), expected.encode()
        ) & compare_digest(
            headers.get("POLY_BUILDER_PASSPHRASE", "").encode(), key.passphrase.encode()
        )
        return key if is_right else None

    async def mint_readonly(self, request: Request) -> Response:
        """Make a key that may only read."""
        caller = await credentials_of(self._venue, request)
        if caller is None:
            return unauthorized()
        return JsonResponse({"apiKey": self._keys.mint(caller.eoa, KeyKind.READ_ONLY).key})

    async def list_readonly(self, request: Request) -> Response:
        """List the caller's read-only keys."""
        caller = await credentials_of(self._venue, request)
        if caller is None:
            return unauthorized()
        keys = self._keys.of(caller.eoa, KeyKind.READ_ONLY)
        return JsonResponse({"readonlyApiKeys": [k.key for k in keys if k.revoked_ms is None]})

    async def delete_readonly(self, request: Request) -> Response:
        """Delete a read-only key of the caller's, and say whether there was one."""
        caller = await credentials_of(self._venue, request)
        if caller is None:
            return unauthorized()
        try:
            asked = _decode_named(await request.body())
        except UNREADABLE:
            return refused(INVALID_PAYLOAD)
        key = self._keys.find(asked.key, KeyKind.READ_ONLY)
        if key is None or key.eoa != caller.eoa:
            return JsonResponse(content=False)
        self._keys.revoke(key)
        return JsonResponse(content=True)

    async def builder_fees(self, request: Request) -> Response:
        """Tell a builder's own fees: nothing, for this venue charges none."""
        code = request.path_params["code"]
        if BUILDER_CODE.fullmatch(code) is None or self._keys.by_code(code) is None:
            return failure(404, "builder not found")
        return JsonResponse({"builder_maker_fee_rate_bps": 0, "builder_taker_fee_rate_bps": 0})


def _listed(key: SideKey) -> dict[str, object]:
    return {
        "key": key.key,
        "createdAt": _moment(key.created_ms),
        "revokedAt": None if key.revoked_ms is None else _moment(key.revoked_ms),
        "builderCode": key.builder_code,
    }


def _moment(at_ms: int) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1_000, UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
