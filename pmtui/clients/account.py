"""The trading host's account routes: credentials, orders, cancels, trades, heartbeats, notices, keys.

Every request is signed over the bytes that are sent, with the host's own time. Orders and cancels are sent
once and never retried automatically; the kind of a failure states what may be concluded. Orders, cancels and
reads have separate connections: none waits behind another that stalls. Each heartbeat contains the id that
the host returned with the last one; the caller keeps the interval.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar, final

import msgspec

from pmtui.clients.clob_requests import (
    Account,
    ServerClock,
    SignedRequests,
    decode_answer,
    to_credentials,
    to_query,
)
from pmtui.clients.http.client import HttpHost, LastCheck, Query
from pmtui.clients.http.paging import FetchedPage, collect_listing
from pmtui.domain.account.keys import BuilderCode, BuilderFees, BuilderKey
from pmtui.domain.answers import MAX_PAGES, Failure, FailureKind, Listing, Page
from pmtui.domain.ids import ApiKey, ConditionId, OrderId, TokenId
from pmtui.domain.orders.heartbeat import FIRST_HEARTBEAT, HeartbeatAnswer, HeartbeatId
from pmtui.domain.orders.order import (
    BalanceAllowance,
    CancelResult,
    Fill,
    Notice,
    NoticeId,
    Order,
    PostResult,
)
from pmtui.reads.trading_routes import ClobRoutes, RouteName
from pmtui.signing.auth import ApiCredentials, RequestSigner, auth_headers
from pmtui.signing.orders import encode_batch
from pmtui.signing.signer import Signer
from pmtui.wire import clob_account as wire
from pmtui.wire.clob_account import (
    decode_api_keys,
    decode_credentials,
    decode_heartbeat,
    decode_notices,
)
from pmtui.wire.orders import Owner

T = TypeVar("T")
_WRONG_ID = frozenset({400})


async def create_or_derive(
    host: HttpHost,
    routes: ClobRoutes,
    *,
    signer: Signer,
    clock: ServerClock,
    may_create: bool = True,
) -> ApiCredentials | Failure:
    """Create API credentials for the owner of a key if allowed, or fetch existing ones.

    Creating is refused if they already exist. If creating fails in any other way after the request
    may have been sent, fetching shows the result; only an unreachable host is not asked twice.
    """
    failure: Failure | None = None
    for call in (
        (RouteName.CREATE_KEY, RouteName.DERIVE_KEY) if may_create else (RouteName.DERIVE_KEY,)
    ):
        route = routes.route(call)
        headers = auth_headers(signer, timestamp_s=clock.timestamp_s())
        answer = await host.send(route.method, route.path, headers=headers)
        sent = decode_answer(answer, wire.decode_credentials, route)
        if not isinstance(sent, Failure):
            return to_credentials(sent)
        failure = sent
        if failure.kind is FailureKind.UNREACHABLE:
            break
        if failure.status == 401:
            # The host does not say whether the signature or its time is wrong.
            await clock.measure()
    assert failure is not None
    return failure


@dataclass(frozen=True, slots=True)
class Lanes:
    """Connections to one host, by purpose."""

    reads: HttpHost
    orders: HttpHost
    cancels: HttpHost


@final
class AccountClient:
    """The account of one key."""

    def __init__(
        self, host: HttpHost | Lanes, routes: ClobRoutes, *, account: Account, clock: ServerClock
    ) -> None:
        """Prepare to sign.

        Args:
            host: the trading host, or its lanes; without lanes everything shares connections.
            routes: the routes of its dialect.
            account: the account that makes the requests.
            clock: the host's time.

        Raises:
            CredentialsError: the secret is not in the venue's format.
        """
        lanes = host if isinstance(host, Lanes) else Lanes(host, host, host)
        self._lanes = lanes
        self.requests = SignedRequests(lanes.reads, routes, account=account, clock=clock)
        """The requests, shared with the other clients of this account."""
        self._orders = SignedRequests(lanes.orders, routes, account=account, clock=clock)
        self._cancels = SignedRequests(lanes.cancels, routes, account=account, clock=clock)
        self.owner = Owner(account.credentials.key, frozenset({account.address, account.wallet}))

    async def balance(self, token_id: TokenId | None = None) -> BalanceAllowance | Failure:
        """Return the collateral balance, or that of a token."""
        return await self.requests.read(
            RouteName.BALANCE, wire.decode_balance, query=self._asset(token_id)
        )

    async def refresh_balance(self, token_id: TokenId | None = None) -> Failure | None:
        """Make the host read the chain again; its reply contains nothing."""
        return await self.requests.submit(RouteName.REFRESH_BALANCE, query=self._asset(token_id))

    async def keep_warm(self) -> None:
        """Send a minimal request on the connections for orders and cancels, so that they stay open."""
        route = self.requests.routes.route(RouteName.TIME)
        _ = await asyncio.gather(
            *(
                lane.send(route.method, route.path)
                for lane in {self._lanes.orders, self._lanes.cancels}
            )
        )

    async def post_order(
        self, body: bytes, last_check: LastCheck | None = None
    ) -> PostResult | Failure:
        """Send one signed order, once, unless the last check withholds it."""
        return await self._orders.request(
            RouteName.POST_ORDER, wire.decode_post_result, body=body, last_check=last_check
        )

    async def post_orders(
        self, bodies: Sequence[bytes], last_check: LastCheck | None = None
    ) -> tuple[PostResult, ...] | Failure:
        """Send several signed orders in one request, once; replies come in their order."""
        limit = self.requests.routes.max_batch_orders
        if not 1 <= len(bodies) <= limit:
            return self.requests.refused(
                RouteName.POST_ORDERS, f"a batch takes 1 to {limit} orders"
            )
        return await self._orders.request(
            RouteName.POST_ORDERS,
            wire.decode_post_results,
            body=encode_batch(bodies),
            last_check=last_check,
        )

    async def cancel(self, order_ids: tuple[OrderId, ...]) -> CancelResult | Failure:
        """Cancel the named orders, in as many requests as the limit requires.

        If a later request fails, its orders are reported as not cancelled, with the failure as
        their reason, or as unanswered if it may have been carried out.
        """
        wanted = tuple(dict.fromkeys(order_ids))
        canceled: list[OrderId] = []
        refused: list[tuple[OrderId, str]] = []
        unanswered: list[OrderId] = []
        step = self.requests.routes.max_cancel_ids
        for start in range(0, len(wanted), step):
            part = wanted[start : start + step]
            result = await self._cancel_part(part)
            if isinstance(result, Failure):
                if start == 0:
                    return result
                if result.may_have_happened:
                    unanswered.extend(part)
                else:
                    refused.extend((order_id, str(result)) for order_id in part)
            else:
                canceled.extend(result.canceled)
                refused.extend(result.not_canceled)
        return CancelResult(tuple(canceled), tuple(refused), tuple(unanswered))

    async def cancel_market(
        self, *, condition_id: ConditionId | None, token_id: TokenId | None
    ) -> CancelResult | Failure:
        """Cancel by market or token; one of the two must be given."""
        if not condition_id and not token_id:
            return self.requests.refused(
                RouteName.CANCEL_MARKET,
                "name a market or a token; cancelling every order is cancel-all",
            )
        fields = {"market": condition_id, "asset_id": token_id}
        body = msgspec.json.encode({name: value for name, value in fields.items() if value})
        return await self._cancel(RouteName.CANCEL_MARKET, body)

    async def cancel_all(self) -> CancelResult | Failure:
        """Cancel every open order of this key."""
        return await self._cancel(RouteName.CANCEL_ALL, None)

    async def open_orders(self) -> Listing[Order] | Failure:
        """Return every open order, all pages."""
        return await collect_listing(self.walk_open_orders())

    def walk_open_orders(
        self, *, condition_id: ConditionId | None = None, token_id: TokenId | None = None
    ) -> AsyncIterator[FetchedPage[Order] | Failure]:
        """Yield the open orders page by page; a failure is the last thing yielded."""
        query = to_query(market=condition_id, asset_id=token_id)
        return self.requests.walk(RouteName.OPEN_ORDERS, wire.decode_order_page, query=query)

    async def order(self, order_id: OrderId) -> Order | Failure | None:
        """Return one order; None if the host does not know it, as it forgets filled ones."""
        answer = await self.requests.request(
            RouteName.ORDER, wire.decode_one_order, identifier=order_id, may_be_empty=True
        )
        if isinstance(answer, Failure) and answer.kind is FailureKind.NOT_FOUND:
            return None
        return answer

    async def fills(
        self,
        *,
        after: datetime | None = None,
        before: datetime | None = None,
        max_pages: int = MAX_PAGES,
    ) -> Listing[Fill] | Failure:
        """Return own fills, newest first, each with own side, token and price.

        Args:
            after: the earliest time to request; whether it is included depends on the host.
            before: the latest time.
            max_pages: where reading stops; which part of a longer list is returned then is
                undefined.
        """
        walk = self.walk_fills(after=after, before=before, max_pages=max_pages)
        fills = await collect_listing(walk)
        if isinstance(fills, Failure):
            return fills
        ordered = sorted(fills.items, key=lambda fill: fill.matched_at, reverse=True)
        return replace(fills, items=tuple(ordered))

    def walk_fills(
        self,
        *,
        after: datetime | None = None,
        before: datetime | None = None,
        condition_id: ConditionId | None = None,
        token_id: TokenId | None = None,
        max_pages: int = MAX_PAGES,
    ) -> AsyncIterator[FetchedPage[Fill] | Failure]:
        """Yield own fills page by page, in the host's order; a failure is the last item."""
        query = to_query(
            market=condition_id,
            asset_id=token_id,
            before=_seconds(before),
            after=_seconds(after),
        )
        return self.requests.walk(
            RouteName.TRADES,
            lambda body: wire.decode_fill_page(body, self.owner),
            query=query,
            max_pages=max_pages,
        )

    async def api_keys(self) -> tuple[ApiKey, ...] | Failure:
        """Return the keys of this owner."""
        return await self.requests.read(RouteName.API_KEYS, wire.decode_api_keys)

    async def is_closed_only(self) -> bool | Failure:
        """Return whether the account may only close positions; a missing record means it is not restricted."""
        answer = await self.requests.read(RouteName.CLOSED_ONLY, wire.decode_closed_only)
        if isinstance(answer, Failure) and answer.kind is FailureKind.NOT_FOUND:
            return False
        return answer

    async def _cancel_part(self, order_ids: tuple[OrderId, ...]) -> CancelResult | Failure:
        if len(order_ids) == 1:
            return await self._cancel(
                RouteName.CANCEL, msgspec.json.encode({"orderID": order_ids[0]})
            )
        is_wrapped = self.requests.routes.wraps_cancel_ids
        body: object = {"orderIDs": order_ids} if is_wrapped else order_ids
        return await self._cancel(RouteName.CANCEL_MANY, msgspec.json.encode(body))

    async def _cancel(self, call: RouteName, body: bytes | None) -> CancelResult | Failure:
        return await self._cancels.request(call, wire.decode_cancel_result, body=body)

    def _asset(self, token_id: TokenId | None) -> Query:
        routes = self.requests.routes
        return to_query(
            asset_type=routes.collateral if token_id is None else routes.conditional,
            token_id=token_id,
            signature_type=self.requests.signature_type,
        )


def _seconds(at: datetime | None) -> str | None:
    return None if at is None else str(int(at.timestamp()))


@final
class HeartbeatClient:
    """The heartbeats of one key. The first accepted one arms the switch; nothing disarms it."""

    def __init__(self, requests: SignedRequests) -> None:
        """Send the account's requests."""
        self._requests = requests
        self._next_id = FIRST_HEARTBEAT
        self._turn = asyncio.Lock()

    async def beat(self) -> HeartbeatId | Failure:
        """Send one heartbeat and return the id for the next.

        If the host names another id than ours, as after a lost reply, the heartbeat is sent again
        with that one: until it is accepted, the deadline keeps running.
        """
        async with self._turn:
            answer = await self._beat()
            if isinstance(answer, HeartbeatAnswer) and not answer.is_accepted and answer.next_id:
                answer = await self._beat()
        if isinstance(answer, Failure):
            return answer
        if answer.next_id is None or not answer.is_accepted:
            label = self._requests.routes.route(RouteName.HEARTBEAT).label
            return Failure(FailureKind.REFUSED, label, answer.refusal, 400)
        return answer.next_id

    async def _beat(self) -> HeartbeatAnswer | Failure:
        answer = await self._requests.request(
            RouteName.HEARTBEAT,
            decode_heartbeat,
            body=msgspec.json.encode({"heartbeat_id": self._next_id}),
            readable=_WRONG_ID,
        )
        if isinstance(answer, HeartbeatAnswer) and answer.next_id is not None:
            self._next_id = answer.next_id
        return answer


@final
class NotificationsClient:
    """Notices for one account."""

    def __init__(self, requests: SignedRequests) -> None:
        """Send the account's requests."""
        self._requests = requests

    async def notices(self) -> Page[Notice] | Failure:
        """Return the stored notices, and how many could not be decoded."""
        query = (("signature_type", self._requests.signature_type),)
        return await self._requests.read(RouteName.NOTICES, decode_notices, query=query)

    async def drop(self, notice_ids: Sequence[NoticeId]) -> Failure | None:
        """Drop notices; an empty list is refused, because the host might drop all."""
        if not notice_ids:
            return self._requests.refused(RouteName.DROP_NOTICES, "name the notices to drop")
        query = (("ids", ",".join(notice_ids)),)
        return await self._requests.submit(RouteName.DROP_NOTICES, query=query)


@dataclass(frozen=True, slots=True)
class MadeBuilderKey:
    """A newly created builder's key."""

    key: BuilderKey
    """The key, with the code that orders use, if the host returns it."""
    credentials: ApiCredentials


@final
class KeysClient:
    """Additional keys of one account."""

    def __init__(self, requests: SignedRequests) -> None:
        """Send the account's requests."""
        self._requests = requests

    async def readonly_keys(self) -> tuple[ApiKey, ...] | Failure:
        """Return the read-only keys."""
        return await self._requests.read(RouteName.READONLY_KEYS, decode_api_keys)

    async def create_builder_key(self) -> MadeBuilderKey | Failure:
        """Create a builder's key. Its secret is returned only this once."""
        return await self._requests.request(RouteName.CREATE_BUILDER_KEY, _decode_made)

    async def builder_keys(self) -> tuple[BuilderKey, ...] | Failure:
        """Return the builder's keys, including revoked ones if the host lists them."""
        return await self._requests.read(RouteName.BUILDER_KEYS, wire.decode_builder_keys)

    async def revoke_builder_key(
        self, key: ApiKey, *, credentials: ApiCredentials | None = None
    ) -> Failure | None:
        """Revoke one of the builder's keys.

        If the route does not take the key's name, the key's own credentials identify it; without
        them a key can be revoked only if it is the only one.

        Raises:
            ValueError: the credentials belong to another key.
            CredentialsError: the credentials are not in the venue's format.
        """
        if credentials is not None and credentials.key != key:
            raise ValueError("credentials of another key")
        if "{id}" in self._requests.routes.route(RouteName.REVOKE_BUILDER_KEY).path:
            return await self._requests.submit(RouteName.REVOKE_BUILDER_KEY, identifier=key)
        if credentials is not None:
            return await self._requests.submit(
                RouteName.REVOKE_BUILDER_KEY, builder=RequestSigner(credentials)
            )
        listed = await self.builder_keys()
        if isinstance(listed, Failure):
            return listed
        if [known.key for known in listed if not known.is_revoked] != [key]:
            return self._requests.refused(
                RouteName.REVOKE_BUILDER_KEY, "not the only key: its own credentials are needed"
            )
        return await self._requests.submit(RouteName.REVOKE_BUILDER_KEY)

    async def builder_fees(self, code: BuilderCode) -> BuilderFees | Failure:
        """Return the fees of the builder with a code; a not-found failure if there is none."""
        return await self._requests.read(
            RouteName.BUILDER_FEES, wire.decode_builder_fees, identifier=code
        )


def _decode_made(body: bytes) -> MadeBuilderKey:
    credentials = to_credentials(decode_credentials(body))
    return MadeBuilderKey(wire.decode_made_builder_key(body), credentials)
