"""Whether orders earn rewards at this moment: behind level 2, and openly as the older dialect asks."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import OrderId
from pmtui.sim.accounts.auth import credentials_of, unauthorized
from pmtui.sim.clob.clob_orders import ORDER_ID
from pmtui.sim.http_json import JsonResponse, failure
from pmtui.sim.rewards.rewards import Rewards
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE


class _Wrapped(msgspec.Struct, rename={"order_ids": "orderIds"}):
    order_ids: list[str]


_decode_ids = msgspec.json.Decoder(list[str] | _Wrapped).decode


class ScoringRoutes:
    """One order by query, many by a posted list."""

    def __init__(self, venue: Venue, rewards: Rewards) -> None:
        self._venue = venue
        self._rewards = rewards

    def routes(self) -> list[Route]:
        """Return the routes; those with `/orders/` are the older dialect's and open to everybody."""
        return [
            Route("/order-scoring", self.own_one),
            Route("/orders-scoring", self.own_many, methods=["POST"]),
            Route("/orders/scoring", self.one),
            Route("/orders/scoring", self.many, methods=["POST"]),
        ]

    async def own_one(self, request: Request) -> Response:
        """Answer for one order of the caller's."""
        caller = await credentials_of(self._venue, request)
        return unauthorized() if caller is None else await self.one(request)

    async def own_many(self, request: Request) -> Response:
        """Answer for many orders of the caller's."""
        caller = await credentials_of(self._venue, request)
        return unauthorized() if caller is None else await self.many(request)

    async def one(self, request: Request) -> Response:
        """Answer for one order; one that does not rest scores nothing."""
        order_id = request.query_params.get("order_id", "").lower()
        if ORDER_ID.fullmatch(order_id) is None:
            return failure(400, "Invalid order_id")
        return JsonResponse({"scoring": self._rewards.is_scoring(OrderId(order_id))})

    async def many(self, request: Request) -> Response:
        """Answer for many orders, under the ids as they were asked."""
        try:
            asked = _decode_ids(await request.body())
        except UNREADABLE:
            return failure(400, "Invalid payload")
        order_ids = asked if isinstance(asked, list) else asked.order_ids
        if any(ORDER_ID.fullmatch(order_id.lower()) is None for order_id in order_ids):
            return failure(400, "Invalid order_id")
        return JsonResponse(
            {text: self._rewards.is_scoring(OrderId(text.lower())) for text in order_ids}
        )
