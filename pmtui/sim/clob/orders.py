"""Orders on the trading host: decoding, posting and cancelling, with a rate limit.

Decoding is strict: amounts are decimal strings, salt and signature type are numbers. The struct
hash, the order id and the signature are recomputed for the exchange of the order's market; a
signature for another exchange, order or owner is refused as on the public venue.

A checked order is answered at once, after a short hold, or as delayed. Refusals have the venue's
text.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, format_micros
from pmtui.domain.orders.order import CancelResult, TimeInForce
from pmtui.signing.contracts import POLYGON, ExchangeDomain, exchange_for
from pmtui.signing.eip712 import AddressError, address_bytes, checksum_address
from pmtui.signing.orders import (
    ZERO_BYTES32,
    OrderFields,
    OrderFieldsError,
    SignatureFlaw,
    order_id,
    verify_order,
)
from pmtui.signing.wallet import derive_wallets
from pmtui.sim.accounts import Credentials
from pmtui.sim.auth import Handler, credentials_of, unauthorized
from pmtui.sim.clob.account import HASH_ID
from pmtui.sim.clob.markets import delay_of
from pmtui.sim.clob.pending_orders import STILL_PENDING, Delayed
from pmtui.sim.controls import RateLimits, TakerDelay
from pmtui.sim.engine import refusals
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.refusals import INVALID_PAYLOAD, INVALID_TOKEN
from pmtui.sim.engine.terms import NewOrder, Placed, Refusal
from pmtui.sim.http_json import JsonResponse, failure, refused
from pmtui.sim.subsystems import RESTARTING, EngineRestart, Subsystems
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE

VERSION_MISMATCH = Refusal(400, "order_version_mismatch")
WRONG_OWNER = Refusal(400, "the order owner has to be the owner of the API KEY")
WRONG_SIGNER = Refusal(400, "the order signer address has to be the address of the API KEY")
INVALID_SIGNATURE = Refusal(400, "invalid signature")
DEPOSIT_WALLETS_ONLY = Refusal(400, "maker address not allowed, please use the deposit wallet flow")
TOO_MANY = "Too Many Requests"
_SCALE = 1_000
"""Tokens are counted in thousandths, so that each millisecond adds a whole number of them."""


class _TypeNumber(IntEnum):
    EOA = 0
    PROXY = 1
    SAFE = 2
    DEPOSIT_WALLET = 3


class PostedFields(msgspec.Struct, rename="camel"):
    """The signed part of a post, in the wire format."""

    salt: int
    maker: str
    signer: str
    token_id: str
    maker_amount: str
    taker_amount: str
    side: Side
    signature_type: _TypeNumber
    timestamp: str
    signature: str
    expiration: str = "0"
    metadata: str = ZERO_BYTES32
    builder: str = ZERO_BYTES32


class PostedOrder(msgspec.Struct, rename="camel"):
    """The body of `POST /order`."""

    order: PostedFields
    owner: str
    order_type: TimeInForce = TimeInForce.GTC
    defer_exec: bool = False
    post_only: bool = False


class _VersionFields(msgspec.Struct, rename="camel"):
    timestamp: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    nonce: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    fee_rate_bps: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class _VersionProbe(msgspec.Struct):
    order: _VersionFields


@dataclass(frozen=True, slots=True)
class CheckedOrder:
    """An order that is consistent and signed by an authorised key."""

    order: NewOrder
    builder: str
    """The builder that the order is attributed to: 32 bytes, zero for none."""


_decode_order = msgspec.json.Decoder(PostedOrder).decode
_decode_probe = msgspec.json.Decoder(_VersionProbe).decode
_decode_batch = msgspec.json.Decoder(list[msgspec.Raw]).decode


def split_batch(body: bytes) -> list[bytes] | Refusal:
    """Return the single orders of a batch, undecoded."""
    try:
        return [bytes(raw) for raw in _decode_batch(body)]
    except UNREADABLE:
        return INVALID_PAYLOAD


def check_order(venue: Venue, body: bytes, caller: Credentials) -> CheckedOrder | Refusal:
    """Decode one posted order and verify it."""
    posted = _decode(body)
    if isinstance(posted, Refusal):
        return posted
    if posted.owner != caller.api_key:
        return WRONG_OWNER
    fields = _fields_of(posted.order)
    if isinstance(fields, Refusal):
        return fields
    market = venue.trading_of_token(fields.token_id)
    if market is None:
        return INVALID_TOKEN
    domain = exchange_for(fields.token_id, neg_risk=market.spec.neg_risk)
    refusal = _check_binding(venue, fields, caller.eoa)
    if refusal is None:
        refusal = _check_signature(fields, posted.order.signature, domain, caller.eoa)
    if refusal is not None:
        return refusal
    return _checked(posted, fields, domain)


def _decode(body: bytes) -> PostedOrder | Refusal:
    try:
        return _decode_order(body)
    except UNREADABLE:
        return VERSION_MISMATCH if _is_old_version(body) else INVALID_PAYLOAD


def _is_old_version(body: bytes) -> bool:
    # Version 1 orders had a nonce and a fee, and no time.
    try:
        order = _decode_probe(body).order
    except UNREADABLE:
        return False
    has_old = order.nonce is not msgspec.UNSET or order.fee_rate_bps is not msgspec.UNSET
    return has_old and order.timestamp is msgspec.UNSET


def _fields_of(posted: PostedFields) -> OrderFields | Refusal:
    numbers = [
        _number(text)
        for text in (posted.maker_amount, posted.taker_amount, posted.timestamp, posted.expiration)
    ]
    if any(number is None for number in numbers) or _number(posted.token_id) is None:
        return INVALID_PAYLOAD
    maker_amount, taker_amount, timestamp_ms, expiration_s = (number or 0 for number in numbers)
    try:
        maker = checksum_address(address_bytes(posted.maker))
        signer = checksum_address(address_bytes(posted.signer))
    except AddressError:
        return INVALID_PAYLOAD
    return OrderFields(
        salt=posted.salt,
        maker=maker,
        signer=signer,
        token_id=TokenId(posted.token_id),
        maker_amount=Micros(maker_amount),
        taker_amount=Micros(taker_amount),
        side=posted.side,
        signature_type=SignatureType[posted.signature_type.name],
        timestamp_ms=timestamp_ms,
        expiration_s=expiration_s,
        metadata=posted.metadata,
        builder=posted.builder,
    )


def _number(text: str) -> int | None:
    # A uint256 has at most 78 digits.
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 78 else None


def _check_binding(venue: Venue, fields: OrderFields, eoa: Address) -> Refusal | None:
    if fields.signature_type is SignatureType.DEPOSIT_WALLET:
        wallets = derive_wallets(eoa, POLYGON.wallets)
        is_theirs = fields.signer in (wallets.deposit_uups, wallets.deposit_beacon)
        # The public venue uses the same text for an undeployed wallet.
        if not is_theirs or not venue.accounts.is_deployed(fields.signer):
            return WRONG_SIGNER
        return None
    if fields.signer != eoa:
        return WRONG_SIGNER
    return DEPOSIT_WALLETS_ONLY if venue.controls.deposit_wallets_only else None


def _check_signature(
    fields: OrderFields, signature: str, domain: ExchangeDomain, eoa: Address
) -> Refusal | None:
    match verify_order(fields, signature, domain, owner=eoa):
        case None:
            return None
        case SignatureFlaw.FIELDS:
            return INVALID_PAYLOAD
        case SignatureFlaw.MAKER:
            return WRONG_SIGNER
        case _:
            return INVALID_SIGNATURE


def _checked(
    posted: PostedOrder, fields: OrderFields, domain: ExchangeDomain
) -> CheckedOrder | Refusal:
    try:
        identity = order_id(fields, domain)
    except OrderFieldsError:
        return INVALID_PAYLOAD
    order = NewOrder(
        order_id=identity,
        account=fields.maker,
        owner=ApiKey(posted.owner),
        token_id=fields.token_id,
        side=fields.side,
        maker_amount=fields.maker_amount,
        taker_amount=fields.taker_amount,
        time_in_force=posted.order_type,
        expiration_s=fields.expiration_s,
        post_only=posted.post_only,
    )
    return CheckedOrder(order, fields.builder)


class Bucket(Enum):
    """The budget that a request is charged to."""

    ORDERS = "orders"
    CANCELS = "cancels"


@dataclass(slots=True)
class _Level:
    tokens: int
    """In thousandths."""
    at_ms: int


@dataclass(frozen=True, slots=True)
class Spent:
    """The budget left after a request, or the time until it would have been admitted."""

    remaining: int
    reset_s: int
    """Unix second at which the bucket is full again."""
    tier: str
    is_over: bool = False
    is_refused: bool = False
    retry_after_s: int = 0

    def mark(self, response: Response) -> Response:
        """Add the rate limit headers to a reply."""
        response.headers["Poly-RateLimit-Remaining"] = str(self.remaining)
        response.headers["Poly-RateLimit-Reset"] = str(self.reset_s)
        response.headers["Poly-RateLimit-Tier"] = self.tier
        if self.is_over:
            response.headers["Poly-RateLimit-Warning"] = "true"
        if self.is_refused:
            response.headers["Retry-After"] = str(self.retry_after_s)
        return response

    def refusal(self) -> Response:
        """Refuse a request that is over the limit."""
        return self.mark(JsonResponse({"error": TOO_MANY}, status_code=429))


class OrderLimits:
    """The token buckets of every signer."""

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

Cost = Callable[[bytes, Credentials], int]


class OrderGate:
    """Wraps handlers; like the public venue, it checks the region before the credentials."""

    def __init__(self, venue: Venue, restart: EngineRestart) -> None:
        self._venue = venue
        self._restart = restart
        self._limits = OrderLimits(venue)

    def posting(self, handler: Handler, cost: Cost) -> Callable[[Request], Awaitable[Response]]:
        """Wrap a handler that places orders.

        Args:
            handler: handles the request.
            cost: the number of tokens for its body.
        """
        inner = self._checked(handler, Bucket.ORDERS, cost)

        async def checked(request: Request) -> Response:
            if self._venue.controls.geo.blocked:
                return failure(403, RESTRICTED)
            return await inner(request)

        return checked

    def cancelling(self, handler: Handler, cost: Cost) -> Callable[[Request], Awaitable[Response]]:
        """Wrap a handler that cancels orders, from any region."""
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


class OrderIntake:
    """Places orders and formats the replies."""

    def __init__(self, venue: Venue, subsystems: Subsystems) -> None:
        self._venue = venue
        self._subsystems = subsystems

    async def take(self, checked: Sequence[CheckedOrder | Refusal]) -> list[Result]:
        """Place, hold or delay orders, each independently.

        A hold makes the whole batch wait. All orders of a batch are one command, so that it is
        stored with one flush.
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
            # Other errors are reported first.
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
        """Format the result of one order: the whole reply, or one entry of a batch."""
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
            # Since 2026-07-24 the public venue omits the hashes for orders that never rest.
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
    """The routes that place and cancel orders."""

    def __init__(self, venue: Venue, subsystems: Subsystems) -> None:
        self._venue = venue
        self._subsystems = subsystems
        self._taking = OrderIntake(venue, subsystems)

    def routes(self) -> list[Route]:
        """Return the routes, each wrapped in the gate that charges for it."""
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
        """Accept one order."""
        checked = check_order(self._venue, await request.body(), caller)
        result = (await self._taking.take([checked]))[0]
        if isinstance(result, Refusal):
            return refused(result)
        return JsonResponse(self._taking.answer(result, checked))

    async def post_many(self, request: Request, caller: Credentials) -> Response:
        """Accept up to fifteen orders, each checked independently, answered in the same order."""
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
        # An order that is not in the book yet cannot be removed from it.
        pending = self._subsystems.pending
        return CancelResult(
            result.canceled,
            tuple(
                (order_id, STILL_PENDING if pending.is_pending(order_id) else reason)
                for order_id, reason in result.not_canceled
            ),
        )

    async def cancel_all(self, request: Request, caller: Credentials) -> Response:
        """Cancel all orders made with the caller's key."""
        del request
        return _cancelled(
            self._venue.act(
                lambda exchange, now_ms: exchange.cancel_all(caller.api_key, now_ms=now_ms)
            )
        )

    async def cancel_market(self, request: Request, caller: Credentials) -> Response:
        """Cancel by market, token or both; naming neither is refused instead of meaning all."""
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
