"""Posting and cancelling on the trading host: level 2 on everything, refusals in its words."""

import re
from collections.abc import Awaitable, Callable

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.money import format_micros
from pmtui.domain.order import CancelResult
from pmtui.sim.accounts import Credentials
from pmtui.sim.auth import credentials_of, unauthorized
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.terms import NewOrder, Placed, Refusal
from pmtui.sim.http_json import JsonResponse, failure, refused
from pmtui.sim.order_check import INVALID_PAYLOAD, CheckedOrder, check_order, split_batch
from pmtui.sim.venue import Venue

MAX_BATCH = 15
MAX_CANCELS = 1_000
"""Of the bare array, since 2026-06-15."""
MAX_CANCELS_SEED = 3_000
"""Of the older `{"orderIDs": […]}`."""
RESTRICTED = (
    "Trading restricted in your region, please refer to available regions - "
    "https://docs.polymarket.com/developers/CLOB/geoblock"
)

_ORDER_ID = re.compile(r"0x[0-9a-f]{64}", re.ASCII)


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

Handler = Callable[[Request, Credentials], Awaitable[Response]]


class OrderRoutes:
    """The routes that change orders."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue

    def routes(self) -> list[Route]:
        """Return the routes, each behind level 2."""
        return [
            Route("/order", self._behind_region(self.post_one), methods=["POST"]),
            Route("/orders", self._behind_region(self.post_many), methods=["POST"]),
            Route("/order", self._behind_key(self.cancel_one), methods=["DELETE"]),
            Route("/orders", self._behind_key(self.cancel_many), methods=["DELETE"]),
            Route("/cancel-all", self._behind_key(self.cancel_all), methods=["DELETE"]),
            Route(
                "/cancel-market-orders", self._behind_key(self.cancel_market), methods=["DELETE"]
            ),
        ]

    def _behind_key(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        async def checked(request: Request) -> Response:
            caller = await credentials_of(self._venue, request)
            return unauthorized() if caller is None else await handler(request, caller)

        return checked

    def _behind_region(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        inner = self._behind_key(handler)

        async def checked(request: Request) -> Response:
            # The service looks at the region before it looks at who asks.
            if self._venue.switches.geo.blocked:
                return failure(403, RESTRICTED)
            return await inner(request)

        return checked

    async def post_one(self, request: Request, caller: Credentials) -> Response:
        """Take one order."""
        checked = check_order(self._venue, await request.body(), caller)
        result = self._place([checked])[0]
        return (
            refused(result)
            if isinstance(result, Refusal)
            else JsonResponse(_taken(result, checked))
        )

    async def post_many(self, request: Request, caller: Credentials) -> Response:
        """Take up to fifteen orders, each on its own merits, answered in the same order."""
        bodies = split_batch(await request.body())
        if isinstance(bodies, Refusal) or not bodies:
            return refused(INVALID_PAYLOAD)
        if len(bodies) > MAX_BATCH:
            text = f"Too many orders in payload: {len(bodies)}, max allowed: {MAX_BATCH}"
            return failure(400, text)
        checked = [check_order(self._venue, body, caller) for body in bodies]
        results = self._place(checked)
        down = [
            result for result in results if isinstance(result, Refusal) and result.status >= 500
        ]
        if len(down) == len(results):
            return refused(down[0])
        return JsonResponse(
            [_leg(result, order) for result, order in zip(results, checked, strict=True)]
        )

    def _place(self, checked: list[CheckedOrder | Refusal]) -> list[Placed | Refusal]:
        # One command for the whole batch, so that it is written down with one flush.
        for order in checked:
            if isinstance(order, CheckedOrder):
                self._venue.open_user(order.maker)

        def place(exchange: Exchange, now_ms: int) -> list[Placed | Refusal]:
            return [
                order if isinstance(order, Refusal) else exchange.place(order.order, now_ms=now_ms)
                for order in checked
            ]

        return self._venue.act(place)

    async def cancel_one(self, request: Request, caller: Credentials) -> Response:
        """Cancel one order."""
        try:
            order_id = _decode_one(await request.body()).order_id
        except msgspec.MsgspecError:
            return refused(INVALID_PAYLOAD)
        return self._cancel([order_id], caller)

    async def cancel_many(self, request: Request, caller: Credentials) -> Response:
        """Cancel a list of orders, bare or wrapped."""
        try:
            asked = _decode_many(await request.body())
        except msgspec.MsgspecError:
            return refused(INVALID_PAYLOAD)
        is_bare = isinstance(asked, list)
        order_ids = asked if isinstance(asked, list) else asked.order_ids
        limit = MAX_CANCELS if is_bare else MAX_CANCELS_SEED
        if len(order_ids) > limit:
            return failure(400, f"Too many orders in payload, max allowed: {limit}")
        return self._cancel(order_ids, caller)

    def _cancel(self, asked: list[str], caller: Credentials) -> Response:
        order_ids = [OrderId(order_id.lower()) for order_id in dict.fromkeys(asked)]
        if any(_ORDER_ID.fullmatch(order_id) is None for order_id in order_ids):
            return failure(400, "Invalid orderID")
        return _cancelled(
            self._venue.act(
                lambda exchange, now_ms: exchange.cancel(order_ids, caller.api_key, now_ms=now_ms)
            )
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
        except msgspec.MsgspecError:
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


def _taken(placed: Placed, checked: CheckedOrder | Refusal) -> dict[str, object]:
    answer: dict[str, object] = {
        "errorMsg": "",
        "orderID": placed.order_id,
        "takingAmount": format_micros(placed.taking) if placed.is_matched else "",
        "makingAmount": format_micros(placed.making) if placed.is_matched else "",
        "status": "matched" if placed.is_matched else "live",
        "success": True,
    }
    if placed.is_matched:
        answer["tradeIDs"] = list(placed.trade_ids)
        # Since 2026-07-24 the service leaves the hashes out for orders that never rest.
        if isinstance(checked, CheckedOrder) and _rests(checked.order):
            answer["transactionsHashes"] = list(placed.transaction_hashes)
    return answer


def _rests(order: NewOrder) -> bool:
    return order.time_in_force.rests


def _leg(result: Placed | Refusal, checked: CheckedOrder | Refusal) -> dict[str, object]:
    if isinstance(result, Placed):
        return _taken(result, checked)
    return {
        "errorMsg": result.text,
        "orderID": "",
        "takingAmount": "",
        "makingAmount": "",
        "status": "",
        "success": False,
    }


def _cancelled(result: CancelResult | Refusal) -> Response:
    if isinstance(result, Refusal):
        return refused(result)
    return JsonResponse(
        {"canceled": list(result.canceled), "not_canceled": dict(result.not_canceled)}
    )
