"""Posting and cancelling on the trading host: level 2 on everything, refusals in its words."""

import re

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.orders.order import CancelResult
from pmtui.sim.accounts.accounts import Credentials
from pmtui.sim.admin.back_office import BackOffice
from pmtui.sim.clob.order_check import check_order, split_batch
from pmtui.sim.clob.order_gate import OrderGate
from pmtui.sim.clob.order_taking import OrderTaking
from pmtui.sim.clob.pending_orders import STILL_PENDING
from pmtui.sim.engine.refusals import INVALID_PAYLOAD
from pmtui.sim.engine.terms import Refusal
from pmtui.sim.http_json import JsonResponse, failure, refused
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE

MAX_BATCH = 15
ORDER_ID = re.compile(r"0x[0-9a-f]{64}", re.ASCII)


class _CancelOne(msgspec.Struct, rename={"order_id": "orderID"}):
    order_id: str


class _CancelMany(msgspec.Struct, rename={"order_ids": "orderIDs"}):
    order_ids: list[str]


class _CancelMarket(msgspec.Struct):
    market: str = ""
    asset_id: str = ""


_decode_one = msgspec.json.Decoder(_CancelOne).decode
_decode_many = msgspec.json.Decoder(list[str] | _CancelMany).decode
_decode_market = msgspec.json.Decoder(_CancelMarket).decode


class OrderRoutes:
    """The routes that change orders."""

    def __init__(self, venue: Venue, office: BackOffice) -> None:
        self._venue = venue
        self._office = office
        self._taking = OrderTaking(venue, office)

    def routes(self) -> list[Route]:
        """Return the routes, each behind the gate that charges for it."""
        gate = OrderGate(self._venue, self._office.restart)
        return [
            Route("/order", gate.posting(self.post_one, _one), methods=["POST"]),
            Route("/orders", gate.posting(self.post_many, _batch_size), methods=["POST"]),
            Route("/order", gate.cancelling(self.cancel_one, _one), methods=["DELETE"]),
            Route("/orders", gate.cancelling(self.cancel_many, _ids_named), methods=["DELETE"]),
            Route("/cancel-all", gate.cancelling(self.cancel_all, self._all), methods=["DELETE"]),
            Route(
                "/cancel-market-orders",
                gate.cancelling(self.cancel_market, self._chosen),
                methods=["DELETE"],
            ),
        ]

    def _all(self, body: bytes, caller: Credentials) -> int:
        del body
        return 1 + len(self._venue.exchange.reads.open_orders(caller.api_key))

    def _chosen(self, body: bytes, caller: Credentials) -> int:
        try:
            asked = _decode_market(body)
        except UNREADABLE:
            return 1
        orders = self._venue.exchange.reads.open_orders(caller.api_key)
        return 1 + sum(
            asked.market.lower() in ("", order.condition_id)
            and asked.asset_id in ("", order.token_id)
            for order in orders
        )

    async def post_one(self, request: Request, caller: Credentials) -> Response:
        """Take one order."""
        checked = check_order(self._venue, await request.body(), caller)
        result = (await self._taking.take([checked]))[0]
        if isinstance(result, Refusal):
            return refused(result)
        return JsonResponse(self._taking.answer(result, checked))

    async def post_many(self, request: Request, caller: Credentials) -> Response:
        """Take up to fifteen orders, each on its own merits, answered in the same order."""
        bodies = split_batch(await request.body())
        if isinstance(bodies, Refusal) or not bodies:
            return refused(INVALID_PAYLOAD)
        if len(bodies) > MAX_BATCH:
            text = f"Too many orders in payload: {len(bodies)}, max allowed: {MAX_BATCH}"
            return failure(400, text)
        checked = [check_order(self._venue, body, caller) for body in bodies]
        results = await self._taking.take(checked)
        down = [
            result for result in results if isinstance(result, Refusal) and result.status >= 500
        ]
        if len(down) == len(results):
            return refused(down[0])
        return JsonResponse(
            [self._taking.answer(r, order) for r, order in zip(results, checked, strict=True)]
        )

    async def cancel_one(self, request: Request, caller: Credentials) -> Response:
        """Cancel one order."""
        try:
            order_id = _decode_one(await request.body()).order_id
        except UNREADABLE:
            return refused(INVALID_PAYLOAD)
        return self._cancel([order_id], caller)

    async def cancel_many(self, request: Request, caller: Credentials) -> Response:
        """Cancel a list of orders, bare or wrapped."""
        try:
            asked = _decode_many(await request.body())
        except UNREADABLE:
            return refused(INVALID_PAYLOAD)
        is_bare = isinstance(asked, list)
        order_ids = asked if isinstance(asked, list) else asked.order_ids
        switches = self._venue.switches
        limit = switches.max_cancels if is_bare else switches.max_cancels_seed
        if len(order_ids) > limit:
            return failure(400, f"Too many orders in payload, max allowed: {limit}")
        return self._cancel(order_ids, caller)

    def _cancel(self, asked: list[str], caller: Credentials) -> Response:
        order_ids = [OrderId(order_id.lower()) for order_id in dict.fromkeys(asked)]
        if any(ORDER_ID.fullmatch(order_id) is None for order_id in order_ids):
            return failure(400, "Invalid orderID")
        result = self._venue.act(
            lambda exchange, now_ms: exchange.cancel(order_ids, caller.api_key, now_ms=now_ms)
        )
        return _cancelled(result if isinstance(result, Refusal) else self._told(result))

    def _told(self, result: CancelResult) -> CancelResult:
        # An order that is not in the book yet cannot be taken from it.
        pending = self._office.pending
        return CancelResult(
            result.canceled,
            tuple(
                (order_id, STILL_PENDING if pending.is_pending(order_id) else reason)
                for order_id, reason in result.not_canceled
            ),
        )

    async def cancel_all(self, request: Request, caller: Credentials) -> Response:
        """Cancel everything made with the caller's key."""
        del request
        return _cancelled(
            self._venue.act(
                lambda exchange, now_ms: exchange.cancel_all(caller.api_key, now_ms=now_ms)
            )
        )

    async def cancel_market(self, request: Request, caller: Credentials) -> Response:
        """Cancel by market, token or both; naming neither is refused rather than taken as all."""
        try:
            asked = _decode_market(await request.body())
        except UNREADABLE:
            return refused(INVALID_PAYLOAD)
        if not asked.market and not asked.asset_id:
            return refused(INVALID_PAYLOAD)
        return _cancelled(
            self._venue.act(
                lambda exchange, now_ms: exchange.cancel_all(
                    caller.api_key,
                    condition_id=ConditionId(asked.market.lower()) if asked.market else None,
                    token_id=TokenId(asked.asset_id) if asked.asset_id else None,
                    now_ms=now_ms,
                )
            )
        )


def _one(body: bytes, caller: Credentials) -> int:
    del body, caller
    return 1


def _batch_size(body: bytes, caller: Credentials) -> int:
    del caller
    bodies = split_batch(body)
    return 1 if isinstance(bodies, Refusal) else max(1, len(bodies))


def _ids_named(body: bytes, caller: Credentials) -> int:
    del caller
    try:
        asked = _decode_many(body)
    except UNREADABLE:
        return 1
    return max(1, len(asked if isinstance(asked, list) else asked.order_ids))


def _cancelled(result: CancelResult | Refusal) -> Response:
    if isinstance(result, Refusal):
        return refused(result)
    return JsonResponse(
        {"canceled": list(result.canceled), "not_canceled": dict(result.not_canceled)}
    )
