"""Posting and cancelling on the trading host: level 2 and a rate limit on everything.

A checked order is answered at once, after a short hold, or with a promise to try it later. Refusals
are in the service's words.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import Address, ConditionId, OrderId, TokenId
from pmtui.domain.money import format_micros
from pmtui.domain.orders.order import CancelResult
from pmtui.sim.accounts import Credentials
from pmtui.sim.auth import credentials_of, unauthorized
from pmtui.sim.clob.account import HASH_ID
from pmtui.sim.clob.markets import delay_of
from pmtui.sim.clob.order_check import CheckedOrder, check_order, split_batch
from pmtui.sim.clob.pending_orders import STILL_PENDING, Delayed
from pmtui.sim.controls import RateLimits, TakerDelay
from pmtui.sim.engine import refusals
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.refusals import INVALID_PAYLOAD
from pmtui.sim.engine.terms import NewOrder, Placed, Refusal
from pmtui.sim.http_json import JsonResponse, failure, refused
from pmtui.sim.subsystems import RESTARTING, EngineRestart, Subsystems
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE

TOO_MANY = "Too Many Requests"
_SCALE = 1_000
"""Tokens are counted in thousandths, so that a millisecond adds whole numbers of them."""


class Bucket(Enum):
    """What a request is charged to."""

    ORDERS = "orders"
    CANCELS = "cancels"


@dataclass(slots=True)
class _Level:
    tokens: int
    """In thousandths."""
    at_ms: int


@dataclass(frozen=True, slots=True)
class Spent:
    """What is left after a request, or how long until it would have been let through."""

    remaining: int
    reset_s: int
    """Unix second at which the bucket is full again."""
    tier: str
    is_over: bool = False
    is_refused: bool = False
    retry_after_s: int = 0

    def mark(self, response: Response) -> Response:
        """Add the headers of a covered answer."""
        response.headers["Poly-RateLimit-Remaining"] = str(self.remaining)
        response.headers["Poly-RateLimit-Reset"] = str(self.reset_s)
        response.headers["Poly-RateLimit-Tier"] = self.tier
        if self.is_over:
            response.headers["Poly-RateLimit-Warning"] = "true"
        if self.is_refused:
            response.headers["Retry-After"] = str(self.retry_after_s)
        return response

    def refusal(self) -> Response:
        """Answer a request that is over the limit."""
        return self.mark(JsonResponse({"error": TOO_MANY}, status_code=429))


class OrderLimits:
    """The buckets of every signer."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._levels: dict[tuple[Address, Bucket], _Level] = {}

    def spend(self, signer: Address, bucket: Bucket, cost: int) -> Spent:
        """Charge a request; one that costs too much is not charged at all."""
        limits = self._venue.controls.limits
        rate, burst = _terms(limits, bucket)
        now_ms = self._venue.clock.now_ms()
        full = burst * _SCALE
        level = self._levels.setdefault((signer, bucket), _Level(full, now_ms))
        level.tokens = min(full, level.tokens + (now_ms - level.at_ms) * rate)
        level.at_ms = now_ms
        is_over = cost * _SCALE > level.tokens
        lacking = min(cost * _SCALE, full) - level.tokens
        if not is_over:
            level.tokens -= cost * _SCALE
        full_ms = now_ms + -(-(full - level.tokens) // rate)
        return Spent(
            remaining=level.tokens // _SCALE,
            reset_s=-(-full_ms // 1_000),
            tier=limits.tier,
            is_over=is_over,
            is_refused=is_over and limits.is_enforced,
            retry_after_s=max(1, -(-lacking // (rate * 1_000))),
        )


def _terms(limits: RateLimits, bucket: Bucket) -> tuple[int, int]:
    match bucket:
        case Bucket.ORDERS:
            return limits.orders_per_s, limits.orders_burst
        case Bucket.CANCELS:
            return limits.cancels_per_s, limits.cancels_burst


RESTRICTED = (
    "Trading restricted in your region, please refer to available regions - "
    "https://docs.polymarket.com/developers/CLOB/geoblock"
)

Handler = Callable[[Request, Credentials], Awaitable[Response]]
Cost = Callable[[bytes, Credentials], int]


class OrderGate:
    """Wraps handlers; the service looks at the region before it looks at who asks."""

    def __init__(self, venue: Venue, restart: EngineRestart) -> None:
        self._venue = venue
        self._restart = restart
        self._limits = OrderLimits(venue)

    def posting(self, handler: Handler, cost: Cost) -> Callable[[Request], Awaitable[Response]]:
        """Let a request place orders.

        Args:
            handler: what answers it.
            cost: how many tokens its body costs.
        """
        inner = self._checked(handler, Bucket.ORDERS, cost)

        async def checked(request: Request) -> Response:
            if self._venue.controls.geo.blocked:
                return failure(403, RESTRICTED)
            return await inner(request)

        return checked

    def cancelling(self, handler: Handler, cost: Cost) -> Callable[[Request], Awaitable[Response]]:
        """Let a request cancel orders, from any region."""
        return self._checked(handler, Bucket.CANCELS, cost)

    def _checked(
        self, handler: Handler, bucket: Bucket, cost: Cost
    ) -> Callable[[Request], Awaitable[Response]]:
        async def checked(request: Request) -> Response:
            caller = await credentials_of(self._venue, request)
            if caller is None:
                return unauthorized()
            self._restart.follow_clock()
            if self._restart.is_down:
                return failure(425, RESTARTING)
            spent = self._limits.spend(caller.eoa, bucket, cost(await request.body(), caller))
            if spent.is_refused:
                return spent.refusal()
            return spent.mark(await handler(request, caller))

        return checked


Result = Placed | Delayed | Refusal


class OrderTaking:
    """Takes orders in and words the answers."""

    def __init__(self, venue: Venue, subsystems: Subsystems) -> None:
        self._venue = venue
        self._subsystems = subsystems

    async def take(self, checked: Sequence[CheckedOrder | Refusal]) -> list[Result]:
        """Place, hold or delay orders, each on its own merits.

        A hold makes the whole batch wait. All orders of a batch are one command, so that it is
        written down with one flush.
        """
        orders = [order.order for order in checked if isinstance(order, CheckedOrder)]
        for order in orders:
            self._venue.open_user(order.account)
        again = {order.order_id for order in orders if self._is_pending(order)}
        held = {
            order.order_id: hold_ms
            for order in orders
            if order.order_id not in again and (hold_ms := self._delay(order).hold_ms)
        }
        if held:
            with self._subsystems.pending.holding(held):
                await asyncio.sleep(max(held.values()) / 1_000)

        def place(exchange: Exchange, now_ms: int) -> list[Result]:
            return [
                order
                if isinstance(order, Refusal)
                else refusals.duplicated(order.order.order_id)
                if order.order.order_id in again
                else self._place(exchange, order, now_ms)
                for order in checked
            ]

        return self._venue.act(place)

    def _is_pending(self, order: NewOrder) -> bool:
        return self._subsystems.pending.is_pending(order.order_id)

    def _delay(self, order: NewOrder) -> TakerDelay:
        reads = self._venue.exchange.reads
        condition_id = reads.market_of(order.token_id)
        if condition_id is None or order.post_only or not reads.would_take(order):
            return TakerDelay()
        return delay_of(self._venue, condition_id)

    def _place(self, exchange: Exchange, checked: CheckedOrder, now_ms: int) -> Result:
        order = checked.order
        if not self._subsystems.chain.may_trade(order.account, order.token_id, order.side):
            # Whatever else is wrong with it is said first.
            found = exchange.reads.check(order, now_ms=now_ms)
            return found if isinstance(found, Refusal) else refusals.NO_ALLOWANCE
        result: Result | None = self._subsystems.balances.refusal(order)
        if result is None:
            seconds = self._delay(order).seconds
            result = (
                self._subsystems.pending.delay(order, seconds=seconds)
                if seconds
                else exchange.place(order, now_ms=now_ms)
            )
        if not isinstance(result, Refusal):
            self._subsystems.attribution.note(order.order_id, checked.builder)
        return result

    def answer(self, result: Result, checked: CheckedOrder | Refusal) -> dict[str, object]:
        """Word the result of one order: the whole answer, or the leg of a batch."""
        match result:
            case Placed():
                return self._placed(result, checked)
            case Delayed(order_id=order_id):
                return _answer(order_id=order_id, status="delayed", is_success=True)
            case Refusal(text=text):
                return _answer(text)

    def _placed(self, placed: Placed, checked: CheckedOrder | Refusal) -> dict[str, object]:
        status = "matched" if placed.is_matched else "live"
        answer = _answer(order_id=placed.order_id, status=status, is_success=True)
        if placed.is_matched:
            answer["takingAmount"] = format_micros(placed.taking)
            answer["makingAmount"] = format_micros(placed.making)
            answer["tradeIDs"] = list(placed.trade_ids)
            # Since 2026-07-24 the service leaves the hashes out for orders that never rest.
            rests = isinstance(checked, CheckedOrder) and checked.order.time_in_force.rests
            if rests and not self._venue.controls.hash_delay_ms:
                answer["transactionsHashes"] = list(placed.transaction_hashes)
        return answer


def _answer(
    error: str = "", *, order_id: str = "", status: str = "", is_success: bool = False
) -> dict[str, object]:
    return {
        "errorMsg": error,
        "orderID": order_id,
        "takingAmount": "",
        "makingAmount": "",
        "status": status,
        "success": is_success,
    }


MAX_BATCH = 15


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

    def __init__(self, venue: Venue, subsystems: Subsystems) -> None:
        self._venue = venue
        self._subsystems = subsystems
        self._taking = OrderTaking(venue, subsystems)

    def routes(self) -> list[Route]:
        """Return the routes, each behind the gate that charges for it."""
        gate = OrderGate(self._venue, self._subsystems.restart)
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
        controls = self._venue.controls
        limit = controls.max_cancels if is_bare else controls.max_cancels_seed
        if len(order_ids) > limit:
            return failure(400, f"Too many orders in payload, max allowed: {limit}")
        return self._cancel(order_ids, caller)

    def _cancel(self, asked: list[str], caller: Credentials) -> Response:
        order_ids = [OrderId(order_id.lower()) for order_id in dict.fromkeys(asked)]
        if any(HASH_ID.fullmatch(order_id) is None for order_id in order_ids):
            return failure(400, "Invalid orderID")
        result = self._venue.act(
            lambda exchange, now_ms: exchange.cancel(order_ids, caller.api_key, now_ms=now_ms)
        )
        return _cancelled(result if isinstance(result, Refusal) else self._to_result(result))

    def _to_result(self, result: CancelResult) -> CancelResult:
        # An order that is not in the book yet cannot be taken from it.
        pending = self._subsystems.pending
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
