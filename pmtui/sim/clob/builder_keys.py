"""Further keys of an owner besides API keys, and the trades made through a builder.

A builder key is a triple like any other; a read-only key is one text. The 32 bytes in the `builder`
field of orders are, on this venue, the hash of such a key (`builder_code`): neither source says how
the public venue generates them. Only accepted orders are attributed.
"""

import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from hashlib import sha256
from hmac import compare_digest
from uuid import uuid4

import msgspec
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from typing_extensions import override

from pmtui.domain.ids import Address, ApiKey, OrderId
from pmtui.domain.money import ZERO, format_micros
from pmtui.signing.auth import ApiCredentials, RequestSigner
from pmtui.signing.secret import Secret
from pmtui.sim.accounts import Credentials
from pmtui.sim.auth import WINDOW_S, credentials_of, is_recent, signed, signed_path, unauthorized
from pmtui.sim.clob.account import bounds_of, outcome_of, trade_hash, trade_status
from pmtui.sim.engine.events import MakerFill, Trade
from pmtui.sim.engine.refusals import INVALID_PAYLOAD
from pmtui.sim.http_json import JsonResponse, failure, paged, refused
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE

KEY_NOTES = "side key"


class KeyKind(Enum):
    """The purpose of a key."""

    BUILDER = "builder"
    READ_ONLY = "read only"


@dataclass(slots=True)
class SideKey:
    """One key and its owner."""

    key: str
    kind: KeyKind
    eoa: Address
    created_ms: int
    secret: str = field(default="", repr=False)
    passphrase: str = field(default="", repr=False)
    revoked_ms: int | None = None

    @property
    def builder_code(self) -> str:
        """The bytes32 that attribute orders to this key's owner."""
        return f"0x{sha256(self.key.encode()).hexdigest()}"

    @property
    def signer(self) -> RequestSigner:
        """Signs requests with the key, as its owner does."""
        return RequestSigner(
            ApiCredentials(
                ApiKey(self.key), Secret.from_text(self.secret), Secret.from_text(self.passphrase)
            )
        )

    @override
    def __repr__(self) -> str:
        """Show the key, never the secret or passphrase."""
        return f"SideKey({self.kind.value}, {self.eoa})"


_decode = msgspec.json.Decoder(SideKey).decode


class SideKeys:
    """All such keys, including revoked ones: a builder's trades outlive the key."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        kept = sorted(
            (_decode(row) for _, row in venue.notes(KEY_NOTES)), key=lambda k: k.created_ms
        )
        self._keys = {key.key: key for key in kept}
        self._codes = {key.builder_code: key for key in kept if key.kind is KeyKind.BUILDER}

    def mint(self, eoa: Address, kind: KeyKind) -> SideKey:
        """Create a key."""
        key = SideKey(str(uuid4()), kind, eoa, self._venue.clock.now_ms())
        if kind is KeyKind.BUILDER:
            key.secret = urlsafe_b64encode(secrets.token_bytes(32)).decode()
            key.passphrase = secrets.token_hex(32)
            self._codes[key.builder_code] = key
        self._keep(key)
        return key

    def of(self, eoa: Address, kind: KeyKind) -> list[SideKey]:
        """Return an owner's keys, oldest first."""
        return [key for key in self._keys.values() if key.eoa == eoa and key.kind is kind]

    def find(self, key: str, kind: KeyKind) -> SideKey | None:
        """Return a valid key."""
        found = self._keys.get(key)
        return found if found and found.kind is kind and found.revoked_ms is None else None

    def by_code(self, builder_code: str) -> SideKey | None:
        """Return the builder key of a builder code, valid or revoked."""
        return self._codes.get(builder_code.lower())

    def verify(
        self, key: SideKey, headers: Mapping[str, str], *, method: str, path: str, body: bytes
    ) -> bool:
        """Return whether a request to the relayer is signed with a builder key."""
        timestamp = headers.get("POLY_BUILDER_TIMESTAMP", "")
        if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
            return False
        if abs(int(timestamp) * 1_000 - self._venue.clock.now_ms()) > WINDOW_S * 1_000:
            return False
        expected = key.signer.builder_headers(
            timestamp_s=int(timestamp), method=method, path=path, body=body
        )
        return all(
            compare_digest(headers.get(name, "").encode(), value.encode())
            for name, value in expected.items()
        )

    def revoke(self, key: SideKey) -> None:
        """Revoke a key permanently."""
        key.revoked_ms = self._venue.clock.now_ms()
        self._keep(key)

    def _keep(self, key: SideKey) -> None:
        self._venue.write_notes(KEY_NOTES, {key.key: msgspec.json.encode(key)})
        self._keys[key.key] = key


NO_SUCH_KEY = "api key not found"
BUILDER_CODE = re.compile(r"0x[0-9a-f]{64}", re.ASCII | re.IGNORECASE)


class _NamedKey(msgspec.Struct):
    key: str


_decode_named = msgspec.json.Decoder(_NamedKey).decode


class SideKeyRoutes:
    """The routes of `/auth` for keys that cannot trade, and a builder's fees."""

    def __init__(self, venue: Venue, keys: SideKeys) -> None:
        self._venue = venue
        self._keys = keys

    def routes(self) -> list[Route]:
        """Return the routes; the plural forms and the key in the path belong to the older dialect."""
        return [
            Route(
                "/auth/builder-api-key", signed(self._venue, self.mint_builder), methods=["POST"]
            ),
            Route("/auth/builder-api-key", signed(self._venue, self.list_builder)),
            Route("/auth/builder-api-key", self.revoke_builder, methods=["DELETE"]),
            Route("/auth/builder-api-keys", signed(self._venue, self.list_builder)),
            Route(
                "/auth/builder-api-key/{key}",
                signed(self._venue, self.revoke_named),
                methods=["DELETE"],
            ),
            Route(
                "/auth/readonly-api-key", signed(self._venue, self.mint_readonly), methods=["POST"]
            ),
            Route(
                "/auth/readonly-api-key",
                signed(self._venue, self.delete_readonly),
                methods=["DELETE"],
            ),
            Route("/auth/readonly-api-keys", signed(self._venue, self.list_readonly)),
            Route("/fees/builder-fees/{code}", self.builder_fees),
        ]

    async def mint_builder(self, _request: Request, caller: Credentials) -> Response:
        """Create a builder key; its code is what orders contain as their builder."""
        key = self._keys.mint(caller.eoa, KeyKind.BUILDER)
        return JsonResponse(
            {
                "key": key.key,
                "secret": key.secret,
                "passphrase": key.passphrase,
                "builderCode": key.builder_code,
            }
        )

    async def list_builder(self, _request: Request, caller: Credentials) -> Response:
        """List the caller's builder keys, revoked ones with the time of revocation."""
        keys = self._keys.of(caller.eoa, KeyKind.BUILDER)
        return JsonResponse([_listed(key) for key in keys])

    async def revoke_builder(self, request: Request) -> Response:
        """Revoke the builder key that signs the request, or the newest one if an API key signs it."""
        if "POLY_BUILDER_API_KEY" in request.headers:
            key = await self._builder(request)
            return unauthorized() if key is None else self._revoked(key)
        caller = await credentials_of(self._venue, request)
        if caller is None:
            return unauthorized()
        good = [k for k in self._keys.of(caller.eoa, KeyKind.BUILDER) if k.revoked_ms is None]
        return self._revoked(good[-1] if good else None)

    async def revoke_named(self, request: Request, caller: Credentials) -> Response:
        """Revoke a named builder key of the caller's."""
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
        expected = key.signer.signature(
            timestamp, request.method, signed_path(request), await request.body()
        )
        is_right = compare_digest(
            headers.get("POLY_BUILDER_SIGNATURE", "").encode(), expected.encode()
        ) & compare_digest(
            headers.get("POLY_BUILDER_PASSPHRASE", "").encode(), key.passphrase.encode()
        )
        return key if is_right else None

    async def mint_readonly(self, _request: Request, caller: Credentials) -> Response:
        """Create a read-only key."""
        return JsonResponse({"apiKey": self._keys.mint(caller.eoa, KeyKind.READ_ONLY).key})

    async def list_readonly(self, _request: Request, caller: Credentials) -> Response:
        """List the caller's read-only keys."""
        keys = self._keys.of(caller.eoa, KeyKind.READ_ONLY)
        return JsonResponse({"readonlyApiKeys": [k.key for k in keys if k.revoked_ms is None]})

    async def delete_readonly(self, request: Request, caller: Credentials) -> Response:
        """Delete a read-only key of the caller's, and return whether there was one."""
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
        """Return a builder's own fees: zero, because this venue charges none."""
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


ATTRIBUTION_NOTES = "builder of order"
NO_BUILDER = "0x" + "0" * 64


@dataclass(frozen=True, slots=True)
class AttributedTrade:
    """A trade with an order that names a builder; `maker` is that order's part if it rested."""

    trade: Trade
    builder: str
    maker: MakerFill | None


class Attribution:
    """The builders of all attributed orders."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._builders = {
            OrderId(name): row.decode() for name, row in venue.notes(ATTRIBUTION_NOTES)
        }

    def note(self, order_id: OrderId, builder: str) -> None:
        """Record the builder of an accepted order."""
        code = builder.lower()
        if code != NO_BUILDER and order_id not in self._builders:
            self._venue.write_notes(ATTRIBUTION_NOTES, {order_id: code.encode()})
            self._builders[order_id] = code

    def trades(self, builder: str) -> list[AttributedTrade]:
        """Return a builder's trades, newest first, one row for each order in them."""
        records = self._venue.records
        trades = {t.trade_id: t for user in records.users() for t in records.trades_of(user)}
        rows = [row for trade in trades.values() for row in self._rows(trade, builder.lower())]
        return sorted(rows, key=lambda row: row.trade.matched_ms, reverse=True)

    def _rows(self, trade: Trade, builder: str) -> Iterator[AttributedTrade]:
        if self._builders.get(trade.taker_order_id) == builder:
            yield AttributedTrade(trade, builder, None)
        for fill in trade.makers:
            if self._builders.get(fill.order_id) == builder:
                yield AttributedTrade(trade, builder, fill)


PAGE = 300


class AttributionRoutes:
    """The route for a builder's trades."""

    def __init__(self, venue: Venue, attribution: Attribution) -> None:
        self._venue = venue
        self._attribution = attribution

    def routes(self) -> list[Route]:
        """Return the route."""
        return [Route("/builder/trades", self.trades)]

    async def trades(self, request: Request) -> Response:
        """List a builder's trades, newest first; `before` and `after` are inclusive seconds."""
        query = request.query_params
        code = query.get("builder_code", "")
        if BUILDER_CODE.fullmatch(code) is None or code == NO_BUILDER:
            return failure(400, "Invalid builder_code")
        bounds = bounds_of(query)
        if bounds is None:
            return failure(400, "Invalid date")
        found = [
            one
            for one in self._attribution.trades(code)
            if _is_asked(query, one) and one.trade.matched_ms // 1_000 in bounds
        ]
        return paged(request, found, limit=PAGE, to_row=self._row)

    def _row(self, one: AttributedTrade) -> dict[str, object]:
        trade, maker = one.trade, one.maker
        part = trade if maker is None else maker
        cash, fee = part.cash, trade.fee if maker is None else ZERO
        market = self._venue.market(trade.condition_id)
        tokens = () if market is None else market.token_ids
        return {
            "id": trade.trade_id,
            "tradeType": "TAKER" if maker is None else "MAKER",
            "takerOrderHash": trade.taker_order_id,
            "builder": one.builder,
            "market": trade.condition_id,
            "assetId": part.token_id,
            "side": part.side.value,
            "size": format_micros(part.size),
            "sizeUsdc": format_micros(cash),
            "price": format_micros(part.price),
            "status": trade_status(self._venue, trade),
            "outcome": outcome_of(self._venue, part.token_id),
            "outcomeIndex": tokens.index(part.token_id) if part.token_id in tokens else 0,
            "owner": trade.taker_owner if maker is None else maker.owner,
            "maker": trade.taker_account if maker is None else maker.account,
            "transactionHash": trade_hash(self._venue, trade),
            "matchTime": str(trade.matched_ms // 1_000),
            "bucketIndex": trade.bucket_index,
            "fee": format_micros(fee),
            "feeUsdc": format_micros(fee),
            "err_msg": None,
            "createdAt": _moment(trade.matched_ms),
            "updatedAt": _moment(trade.updated_ms),
        }


def _is_asked(query: QueryParams, one: AttributedTrade) -> bool:
    trade, maker = one.trade, one.maker
    part = trade if maker is None else maker
    account = trade.taker_account if maker is None else maker.account
    return (
        query.get("id") in (None, "", trade.trade_id)
        and query.get("market", "").lower() in ("", trade.condition_id)
        and query.get("asset_id") in (None, "", part.token_id)
        and query.get("maker_address", "").lower() in ("", account.lower())
    )
