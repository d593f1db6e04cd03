"""The trading host's account routes: credentials, balance, orders, cancels, own trades.

Every request is signed over the bytes that are sent, with the host's own time. Orders and cancels
are sent once and never again by themselves; what a failure allows one to conclude is its kind.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar, final

import msgspec

from pmtui.clients.http import HttpHost, Query
from pmtui.clients.http_failures import unreadable
from pmtui.clients.routes_clob import Call, ClobRoutes, Route
from pmtui.clients.server_clock import ServerClock
from pmtui.domain.answers import Page
from pmtui.domain.failure import Failure, FailureKind
from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId
from pmtui.domain.order import (
    BalanceAllowance,
    CancelResult,
    Fill,
    Order,
    PostResult,
    SignatureType,
)
from pmtui.signing.clob_auth import auth_headers
from pmtui.signing.l2_auth import ApiCredentials, RequestSigner
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.wire import clob_account as wire
from pmtui.wire.errors import WireError
from pmtui.wire.orders import Owner

T = TypeVar("T")

_MAX_PAGES = 500
"""Of 100 rows; a host that names ever new cursors must not keep us for ever."""


async def create_or_derive(
    host: HttpHost,
    routes: ClobRoutes,
    *,
    signer: Signer,
    clock: ServerClock,
    chain_id: int,
    nonce: int = 0,
) -> ApiCredentials | Failure:
    """Make API credentials for the owner of a key, or fetch those it has.

    Creating is refused where they exist already. When creating fails in any other way after it may
    have left, fetching tells as well; only a host out of reach is not asked twice.
    """
    failure: Failure | None = None
    for call in (Call.CREATE_KEY, Call.DERIVE_KEY):
        route = routes.route(call)
        headers = auth_headers(
            signer, timestamp_s=clock.timestamp_s(), nonce=nonce, chain_id=chain_id
        )
        answer = await host.send(route.method, route.path, headers=headers)
        if isinstance(answer, Failure):
            failure = answer
        else:
            try:
                sent = wire.decode_credentials(answer)
            except WireError as error:
                failure = unreadable(f"{route.method} {route.path}", error)
            else:
                return ApiCredentials(
                    sent.api_key,
                    secret=Secret.from_text(sent.secret),
                    passphrase=Secret.from_text(sent.passphrase),
                )
        if failure.kind is FailureKind.UNREACHABLE:
            break
    assert failure is not None
    return failure


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
class AccountClient:
    """The account of one key."""

    def __init__(
        self, host: HttpHost, routes: ClobRoutes, *, account: Account, clock: ServerClock
    ) -> None:
        """Prepare to sign.

        Raises:
            CredentialsError: the secret is not what the service hands out.
        """
        self._host = host
        self._routes = routes
        self._account = account
        self._clock = clock
        self._signer = RequestSigner(account.credentials)
        self.owner = Owner(account.credentials.key, frozenset({account.address, account.wallet}))
        self.skipped_rows = 0
        """Rows of answers that could not be read, ever."""

    async def balance(self, token_id: TokenId | None = None) -> BalanceAllowance | Failure:
        """Return the collateral balance, or that of a token."""
        return await self._read(Call.BALANCE, wire.decode_balance, query=self._asset(token_id))

    async def refresh_balance(self, token_id: TokenId | None = None) -> Failure | None:
        """Make the host read the chain again; its answer says nothing."""
        answer = await self._send(Call.REFRESH_BALANCE, query=self._asset(token_id))
        return answer if isinstance(answer, Failure) else None

    async def post_order(self, body: bytes) -> PostResult | Failure:
        """Send one signed order, once."""
        return _decoded(
            await self._send(Call.POST_ORDER, body=body),
            wire.decode_post_result,
            self._routes.route(Call.POST_ORDER),
        )

    async def post_orders(self, bodies: Sequence[bytes]) -> tuple[PostResult, ...] | Failure:
        """Send several signed orders in one request, once; answers come in their order."""
        limit = self._routes.max_batch_orders
        if not 1 <= len(bodies) <= limit:
            return self._refused(Call.POST_ORDERS, f"a batch takes 1 to {limit} orders")
        return _decoded(
            await self._send(Call.POST_ORDERS, body=b"[" + b",".join(bodies) + b"]"),
            wire.decode_post_results,
            self._routes.route(Call.POST_ORDERS),
        )

    async def cancel(self, order_ids: tuple[OrderId, ...]) -> CancelResult | Failure:
        """Cancel the named orders, in as many requests as the limit asks for.

        Where a later request fails, its orders are among those not cancelled, with the failure as
        their reason.
        """
        wanted = tuple(dict.fromkeys(order_ids))
        canceled: list[OrderId] = []
        refused: list[tuple[OrderId, str]] = []
        step = self._routes.max_cancel_ids
        for start in range(0, len(wanted), step):
            part = wanted[start : start + step]
            result = await self._cancel_part(part)
            if isinstance(result, Failure):
                if start == 0:
                    return result
                refused.extend((order_id, str(result)) for order_id in part)
            else:
                canceled.extend(result.canceled)
                refused.extend(result.not_canceled)
        return CancelResult(tuple(canceled), tuple(refused))

    async def cancel_market(
        self, *, condition_id: ConditionId | None, token_id: TokenId | None
    ) -> CancelResult | Failure:
        """Cancel by market or token; one of the two must be given."""
        if not condition_id and not token_id:
            return self._refused(
                Call.CANCEL_MARKET,
                "name a market or a token; cancelling every order is cancel-all",
            )
        fields = {"market": condition_id, "asset_id": token_id}
        body = msgspec.json.encode({name: value for name, value in fields.items() if value})
        return await self._cancel(Call.CANCEL_MARKET, body)

    async def cancel_all(self) -> CancelResult | Failure:
        """Cancel every open order of this key."""
        return await self._cancel(Call.CANCEL_ALL, None)

    async def open_orders(self) -> tuple[Order, ...] | Failure:
        """Return every open order, all pages."""
        return await self._pages(Call.OPEN_ORDERS, wire.decode_order_page)

    async def order(self, order_id: OrderId) -> Order | Failure | None:
        """Return one order; None where the host does not know it, as it forgets filled ones."""
        answer = await self._send(Call.ORDER, identifier=order_id)
        if isinstance(answer, Failure):
            return None if answer.kind is FailureKind.NOT_FOUND else answer
        return _decoded(answer, wire.decode_one_order, self._routes.route(Call.ORDER))

    async def fills(self, *, after: datetime | None = None) -> tuple[Fill, ...] | Failure:
        """Return own fills, newest first, each with own side, token and price."""
        query = () if after is None else (("after", str(int(after.timestamp()))),)
        fills = await self._pages(
            Call.TRADES, lambda body: wire.decode_fill_page(body, self.owner), query=query
        )
        if isinstance(fills, Failure):
            return fills
        return tuple(sorted(fills, key=lambda fill: fill.matched_at, reverse=True))

    async def api_keys(self) -> tuple[ApiKey, ...] | Failure:
        """Return the keys of this owner."""
        return await self._read(Call.API_KEYS, wire.decode_api_keys)

    async def delete_api_key(self) -> Failure | None:
        """Revoke the key in use."""
        answer = await self._send(Call.DELETE_KEY)
        return answer if isinstance(answer, Failure) else None

    async def is_closed_only(self) -> bool | Failure:
        """Return whether the account may only close positions; no record means it is free."""
        answer = await self._read(Call.CLOSED_ONLY, wire.decode_closed_only)
        if isinstance(answer, Failure) and answer.kind is FailureKind.NOT_FOUND:
            return False
        return answer

    async def _cancel_part(self, order_ids: tuple[OrderId, ...]) -> CancelResult | Failure:
        if len(order_ids) == 1:
            return await self._cancel(Call.CANCEL, msgspec.json.encode({"orderID": order_ids[0]}))
        body: object = {"orderIDs": order_ids} if self._routes.wraps_cancel_ids else order_ids
        return await self._cancel(Call.CANCEL_MANY, msgspec.json.encode(body))

    async def _cancel(self, call: Call, body: bytes | None) -> CancelResult | Failure:
        answer = await self._send(call, body=body)
        return _decoded(answer, wire.decode_cancel_result, self._routes.route(call))

    def _asset(self, token_id: TokenId | None) -> Query:
        kind = ("signature_type", str(self._account.signature_type.number))
        if token_id is None:
            return (("asset_type", self._routes.collateral), kind)
        return (("asset_type", self._routes.conditional), ("token_id", token_id), kind)

    async def _pages(
        self, call: Call, decode: Callable[[bytes], Page[T]], *, query: Query = ()
    ) -> tuple[T, ...] | Failure:
        found: list[T] = []
        cursor: str | None = None
        for _ in range(_MAX_PAGES):
            here = () if cursor is None else ((self._routes.cursor_name, cursor),)
            page = await self._read(call, decode, query=(*query, *here))
            if isinstance(page, Failure):
                return page
            found.extend(page.items)
            self.skipped_rows += page.skipped
            if page.next_cursor is None or page.next_cursor == cursor:
                return tuple(found)
            cursor = page.next_cursor
        return self._refused(call, f"more than {_MAX_PAGES} pages")

    async def _read(
        self, call: Call, decode: Callable[[bytes], T], *, query: Query = ()
    ) -> T | Failure:
        route = self._routes.route(call)
        answer = await self._host.read(
            route.path, query=query, headers=self._headers(route, route.path)
        )
        if isinstance(answer, Failure) and answer.status == 401:
            # A clock gone wrong looks like a bad key; a read can find out.
            before = self._clock.offset_s
            if await self._clock.measure() is None and self._clock.offset_s != before:
                answer = await self._host.read(
                    route.path, query=query, headers=self._headers(route, route.path)
                )
        return _decoded(answer, decode, route)

    async def _send(
        self, call: Call, *, body: bytes | None = None, query: Query = (), identifier: str = ""
    ) -> bytes | Failure:
        route = self._routes.route(call)
        path = route.path.format(id=identifier)
        return await self._host.send(
            route.method,
            path,
            query=query,
            route=route.path,
            headers=self._headers(route, path, body),
            body=body,
            may_be_empty=call in (Call.REFRESH_BALANCE, Call.ORDER),
        )

    def _headers(self, route: Route, path: str, body: bytes | None = None) -> Mapping[str, str]:
        return self._signer.headers(
            self._account.address,
            timestamp_s=self._clock.timestamp_s(),
            method=route.method,
            path=path,
            body=body or b"",
        )

    def _refused(self, call: Call, text: str) -> Failure:
        route = self._routes.route(call)
        return Failure(FailureKind.CANCELLED, f"{route.method} {route.path}", text)


def _decoded(answer: bytes | Failure, decode: Callable[[bytes], T], route: Route) -> T | Failure:
    if isinstance(answer, Failure):
        return answer
    try:
        return decode(answer)
    except WireError as error:
        return unreadable(f"{route.method} {route.path}", error)
