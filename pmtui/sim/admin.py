"""The admin host, for the venue's operator: money, time, resolutions, switches and faults. Loopback only.

All bodies and answers are JSON; amounts are decimals as text. Every request needs the operator's token as
`Authorization: Bearer TOKEN`; without it the reply is 401. Requests that a browser page could have sent (any
with an `Origin`) are refused (see `pmtui.sim.server`). Modes, standings, controls, faults and clock steps end
with the process; money, tick sizes and resolutions are stored with the rest of the state. Bodies of switches
may omit fields, which then get their default.

| route | body | does |
|---|---|---|
| `GET /` | | says OK |
| `POST /fund` | `address`, `amount`, `is_deployed` (true) | deposits collateral; the first deposit deploys the wallet with all approvals, unless it is only to be paid in |
| `GET /ledger/{address}` | | balances, reservations, fees, orders, every line, and whether it adds up |
| `GET /audit` | | recomputes every sum of the exchange and names what does not agree |
| `GET /clock` | | venue time and speed |
| `POST /clock/step` | `seconds` | moves the venue's time forward |
| `POST /resolve` | `condition_id`, `winner` (0, 1, or null for half each) | ends a market |
| `POST /tick` | `condition_id`, `tick_size` | changes a price grid |
| `POST /standing` | `address`, `standing` (good, closed only, banned, no allowance) | limits an account |
| `GET`, `POST /geoblock` | `blocked`, `country`, `region` | the geographic answer; orders get 403 |
| `GET /switches` | | shows every switch below |
| `POST /mode` | `mode` (normal, post only, cancel only, disabled), `retry_after_s` | limits trading |
| `POST /restart` | `seconds`, `post_only_s` (120) | 425 for some seconds, then post-only orders only |
| `POST /wallets` | `deposit_only` | refuses signature types 0 to 2 |
| `POST /delays` | `condition_id`, `seconds`, `hold_ms` | delays (`delayed`) or holds (itode, 250) takers |
| `DELETE /delays` | | back to the delays of the catalogue |
| `POST /statuses` | `has_prefixes` | writes `ORDER_STATUS_…` and `TRADE_STATUS_…` |
| `POST /streams` | `silence` (none, events, all), `framing` (recorded, objects, arrays), `has_lower_case_sides`, `refuses_users` | how streams speak, and whether the user stream closes at once |
| `POST /tricks` | `trick` (drop, duplicate, swap, garble, close), `channel` (market, user), `remaining` | what happens to the next events |
| `DELETE /tricks` | | delivers every event again |
| `POST /settlement` | `course` (normal, retrying, failed), `count` | what becomes of the next trades |
| `POST /relayer` | `course` (normal, failed, invalid, stalled, replaced), `count`, `is_limited` | what becomes of the next transactions, and whether 25 submissions a minute is the most |
| `POST /trades/{id}` | `status` | takes one trade to RETRYING, MINED, CONFIRMED or FAILED |
| `POST /hashes` | `seconds` | trades show no transaction hash for so long |
| `POST /balances` | `stale_seconds` | shares are seen late after a fill, until the cache is updated |
| `POST /heartbeats` | `is_swept` | whether missed heartbeats (10 s, looked at every 5 s) cancel orders |
| `POST /cancels` | `max_ids` (1000), `max_ids_seed` (3000) | ids per cancel, as bare array or `orderIDs` |
| `POST /limits` | `is_enforced`, `tier`, `orders_per_s`, `orders_burst`, `cancels_per_s`, `cancels_burst` | 429 with `Retry-After` instead of a warning header |
| `POST /analytics-limits` | `is_enforced` (true), `scale` (1) | how often the analytics host may be asked in 10 s |
| `POST /faults` | `host`, `prefix`, `method`, `delay_ms`, `status`, `body`, `headers`, `remaining`, `is_answer_lost` | misbehaves: late, wrong, or carried out without an answer |
| `DELETE /faults` | | behaves again |
"""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping, MutableSequence
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import Address, ApiKey, ConditionId, TradeId
from pmtui.domain.money import ZERO, Micros, MoneyError, format_micros, parse_micros
from pmtui.domain.orders.order import TradeStatus
from pmtui.signing.eip712 import AddressError, address_bytes, checksum_address
from pmtui.sim.clob.account import order_row
from pmtui.sim.controls import (
    MAX_CANCELS,
    MAX_CANCELS_SEED,
    Fault,
    GeoAnswer,
    HostLimits,
    RateLimits,
    RelayCourse,
    SettlementCourse,
    StreamManner,
    StreamTrick,
    TakerDelay,
)
from pmtui.sim.engine.events import BalanceChanged, Cause
from pmtui.sim.engine.terms import Payout, Permission, Refusal, TradingMode
from pmtui.sim.http_json import JsonResponse, alive, failure, refused
from pmtui.sim.subsystems import POST_ONLY_S, Subsystems
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE


class _Fund(msgspec.Struct):
    address: str
    amount: str
    is_deployed: bool = True


class _Step(msgspec.Struct):
    seconds: float


class _Resolve(msgspec.Struct):
    condition_id: str
    winner: int | None


class _Tick(msgspec.Struct):
    condition_id: str
    tick_size: str


class _Standing(msgspec.Struct):
    address: str
    standing: Permission


T = TypeVar("T")
Handler = Callable[[Request], Awaitable[Response]]
_PAYOUTS = {0: Payout.FIRST, 1: Payout.SECOND, None: Payout.HALF}


class AdminRoutes:
    """Requests from an operator, a test or the terminal's paper profile."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/", guarded(alive)),
            Route("/fund", guarded(self.fund), methods=["POST"]),
            Route("/ledger/{address}", guarded(self.ledger)),
            Route("/audit", guarded(self.audit)),
            Route("/clock", guarded(self.clock)),
            Route("/clock/step", guarded(self.step), methods=["POST"]),
            Route("/resolve", guarded(self.resolve), methods=["POST"]),
            Route("/tick", guarded(self.tick), methods=["POST"]),
            Route("/standing", guarded(self.standing), methods=["POST"]),
            Route("/geoblock", guarded(self.geoblock), methods=["GET", "POST"]),
        ]

    async def fund(self, request: Request) -> Response:
        """Deposit paper money."""
        asked = await read_body(request, _Fund)
        address = address_in(asked.address)
        result = self._venue.fund(
            address, parse_micros(asked.amount), is_deployed=asked.is_deployed
        )
        if isinstance(result, Refusal):
            return refused(result)
        held = self._venue.exchange.reads.account(address)
        return JsonResponse(
            {"address": address, "balance": _text(ZERO if held is None else held.collateral)}
        )

    async def ledger(self, request: Request) -> Response:
        """Show all details of an account."""
        address = address_in(request.path_params["address"])
        held = self._venue.exchange.reads.account(address)
        if held is None:
            return failure(404, "account not found")
        lines = self._venue.records.ledger_of(address)
        owner = self._venue.accounts.owner_of(address)
        keys = [] if owner is None else self._venue.accounts.keys_of(owner)
        changed = sum(line.change for line in lines if line.token_id is None)
        return JsonResponse(
            {
                "address": address,
                "owner": owner,
                "collateral": _text(held.collateral),
                "reserved": _text(held.reserved),
                "shares": {token: _text(size) for token, size in held.shares.items()},
                "reserved_shares": {t: _text(size) for t, size in held.reserved_shares.items()},
                "deposited": _text(_sum(lines, Cause.DEPOSIT)),
                "withdrawn": _text(_sum(lines, Cause.WITHDRAWAL)),
                "fees_paid": _text(Micros(-_sum(lines, Cause.FEE))),
                "open_orders": self._orders(address, keys),
                "lines": [_line(line) for line in lines],
                "is_whole": changed == held.collateral and self._shares_add_up(address),
            }
        )

    def _orders(self, address: Address, keys: list[ApiKey]) -> list[dict[str, object]]:
        return [
            order_row(self._venue, order)
            for key in keys
            for order in self._venue.exchange.reads.open_orders(key)
            if order.account == address
        ]

    def _shares_add_up(self, address: Address) -> bool:
        held = self._venue.exchange.reads.account(address)
        sums: dict[str, int] = {}
        for line in self._venue.records.ledger_of(address):
            if line.token_id is not None:
                sums[line.token_id] = sums.get(line.token_id, 0) + line.change
        return held is not None and held.shares == {t: size for t, size in sums.items() if size}

    async def audit(self, request: Request) -> Response:
        """Check the whole exchange."""
        del request
        problems = self._venue.exchange.reads.audit()
        return JsonResponse({"is_whole": not problems, "problems": problems})

    async def clock(self, request: Request) -> Response:
        """Show the venue's time."""
        del request
        return JsonResponse({"now_ms": self._venue.clock.now_ms(), "speed": self._venue.speed})

    async def step(self, request: Request) -> Response:
        """Move time forward; it never goes back, because past events have happened."""
        asked = await read_body(request, _Step)
        if asked.seconds < 0:
            return failure(400, "time goes forward only")
        self._venue.clock.step(round(asked.seconds * 1_000))
        return JsonResponse({"now_ms": self._venue.clock.now_ms()})

    async def resolve(self, request: Request) -> Response:
        """End a market."""
        asked = await read_body(request, _Resolve)
        condition_id = ConditionId(asked.condition_id.lower())
        payout = _PAYOUTS.get(asked.winner)
        if payout is None or self._venue.trading(condition_id) is None:
            return failure(404, "market not found")
        self._venue.act(
            lambda exchange, now_ms: exchange.resolve(condition_id, payout, now_ms=now_ms)
        )
        return JsonResponse({"condition_id": condition_id})

    async def tick(self, request: Request) -> Response:
        """Change a price grid."""
        asked = await read_body(request, _Tick)
        condition_id, tick = ConditionId(asked.condition_id.lower()), parse_micros(asked.tick_size)
        if self._venue.trading(condition_id) is None:
            return failure(404, "market not found")
        self._venue.act(
            lambda exchange, now_ms: exchange.change_tick_size(condition_id, tick, now_ms=now_ms)
        )
        return JsonResponse({"condition_id": condition_id, "tick_size": _text(tick)})

    async def standing(self, request: Request) -> Response:
        """Restrict what an account may do."""
        asked = await read_body(request, _Standing)
        address = address_in(asked.address)
        self._venue.open_user(address)
        self._venue.exchange.set_standing(address, asked.standing)
        owner = self._venue.accounts.owner_of(address)
        if owner is not None:
            is_closed = asked.standing is Permission.CLOSED_ONLY
            closed = self._venue.controls.closed_only
            closed.add(owner) if is_closed else closed.discard(owner)
        return JsonResponse({"address": address, "standing": asked.standing})

    async def geoblock(self, request: Request) -> Response:
        """Show or set the geographic answer."""
        if request.method == "POST":
            self._venue.controls.geo = await read_body(request, GeoAnswer)
        return JsonResponse(self._venue.controls.geo)


def guarded(handler: Handler) -> Handler:
    """Reply to an unreadable request with the reason."""

    async def checked(request: Request) -> Response:
        try:
            return await handler(request)
        except (*UNREADABLE, MoneyError, AddressError) as error:
            return failure(400, str(error))

    return checked


async def read_body(request: Request, kind: type[T]) -> T:
    """Decode a body; an invalid one is answered by `guarded`."""
    return msgspec.json.decode(await request.body(), type=kind)


def address_in(text: str) -> Address:
    """Parse an address in any letter case; an invalid one is answered by `guarded`."""
    return checksum_address(address_bytes(text))


def _text(amount: Micros) -> str:
    return format_micros(amount)


def _sum(lines: Iterable[BalanceChanged], cause: Cause) -> Micros:
    return Micros(sum(line.change for line in lines if line.cause is cause and not line.token_id))


def _line(line: BalanceChanged) -> dict[str, object]:
    return {
        "token_id": line.token_id,
        "change": _text(line.change),
        "balance": _text(line.balance),
        "cause": line.cause.value,
        "reference": line.reference,
        "at_ms": line.at_ms,
    }


class _Mode(msgspec.Struct):
    mode: TradingMode
    retry_after_s: int = 0


class _Restart(msgspec.Struct):
    seconds: int
    post_only_s: int = POST_ONLY_S


class _Wallets(msgspec.Struct):
    deposit_only: bool


class _Delay(msgspec.Struct):
    condition_id: str
    seconds: int = 0
    hold_ms: int = 0


class _Statuses(msgspec.Struct):
    has_prefixes: bool


class _Settlement(msgspec.Struct):
    course: SettlementCourse
    count: int = 1


class _Relayer(msgspec.Struct):
    course: RelayCourse = RelayCourse.NORMAL
    count: int = 1
    is_limited: bool = False


class _TradeStep(msgspec.Struct):
    status: TradeStatus


class _Hashes(msgspec.Struct):
    seconds: float


class _Balances(msgspec.Struct):
    stale_seconds: float


class _Heartbeats(msgspec.Struct):
    is_swept: bool


class _Cancels(msgspec.Struct):
    max_ids: int = MAX_CANCELS
    max_ids_seed: int = MAX_CANCELS_SEED


class ControlRoutes:
    """Routes that change the venue's behaviour, never its contents."""

    def __init__(self, venue: Venue, subsystems: Subsystems) -> None:
        self._venue = venue
        self._subsystems = subsystems

    def routes(self) -> list[Route]:
        """Return the routes."""
        posts = {
            "/mode": self.mode,
            "/restart": _taking(_Restart, self.restart),
            "/wallets": _taking(_Wallets, self.wallets),
            "/delays": _taking(_Delay, self.delay),
            "/statuses": _taking(_Statuses, self.statuses),
            "/streams": _taking(StreamManner, self.streams),
            "/tricks": self.trick,
            "/settlement": _taking(_Settlement, self.settlement),
            "/relayer": _taking(_Relayer, self.relayer),
            "/trades/{trade_id}": self.advance,
            "/hashes": _taking(_Hashes, self.hashes),
            "/balances": _taking(_Balances, self.balances),
            "/heartbeats": _taking(_Heartbeats, self.heartbeats),
            "/cancels": _taking(_Cancels, self.cancels),
            "/limits": _taking(RateLimits, self.limits),
            "/analytics-limits": _taking(HostLimits, self.analytics_limits),
            "/faults": self.add_fault,
        }
        return [
            Route("/switches", guarded(self.shown)),
            *(Route(path, guarded(handler), methods=["POST"]) for path, handler in posts.items()),
            *(
                Route(path, guarded(_clearing(switched)), methods=["DELETE"])
                for path, switched in (
                    ("/delays", self._venue.controls.delays),
                    ("/tricks", self._venue.controls.tricks),
                    ("/faults", self._venue.controls.faults),
                )
            ),
        ]

    async def shown(self, request: Request) -> Response:
        """Show every switch."""
        del request
        return JsonResponse(self._venue.controls)

    async def mode(self, request: Request) -> Response:
        """Restrict what the exchange accepts; this ends a restart in progress."""
        asked = await read_body(request, _Mode)
        self._subsystems.restart.forget()
        self._venue.exchange.mode = asked.mode
        self._venue.exchange.retry_after_s = asked.retry_after_s
        return JsonResponse({"mode": asked.mode})

    def restart(self, asked: _Restart) -> Response | None:
        """Restart the matching engine, as its clients would see it."""
        if asked.seconds < 0 or asked.post_only_s < 0:
            return failure(400, "time goes forward only")
        self._subsystems.restart.begin(seconds=asked.seconds, post_only_s=asked.post_only_s)
        return None

    def wallets(self, asked: _Wallets) -> None:
        """Choose which wallets may trade."""
        self._venue.controls.deposit_wallets_only = asked.deposit_only

    def delay(self, asked: _Delay) -> Response | None:
        """Delay or hold taking orders in one market; neither overrides its catalogue row."""
        condition_id = ConditionId(asked.condition_id.lower())
        if self._venue.trading(condition_id) is None:
            return failure(404, "market not found")
        delay = TakerDelay(max(asked.seconds, 0), max(asked.hold_ms, 0))
        self._venue.controls.delays[condition_id] = delay
        return None

    def statuses(self, asked: _Statuses) -> None:
        """Choose the longer or shorter names of statuses."""
        self._venue.controls.has_status_prefixes = asked.has_prefixes

    def streams(self, asked: StreamManner) -> None:
        """Choose how streams behave; open connections change at once."""
        self._venue.controls.streams = asked

    async def trick(self, request: Request) -> Response:
        """Apply a trick to the next events of the streams."""
        self._venue.controls.tricks.append(await read_body(request, StreamTrick))
        return JsonResponse(self._venue.controls.tricks)

    def settlement(self, asked: _Settlement) -> None:
        """Choose what happens to the next trades of users; normal clears earlier choices."""
        courses = self._venue.controls.courses
        courses.clear()
        if asked.course is not SettlementCourse.NORMAL:
            courses.extend([asked.course] * min(max(asked.count, 0), 10_000))

    def relayer(self, asked: _Relayer) -> None:
        """Choose what happens to the next transactions; with normal, stalled ones continue."""
        controls = self._venue.controls
        controls.is_submit_limited = asked.is_limited
        controls.relay_courses.clear()
        if asked.course is RelayCourse.NORMAL:
            self._subsystems.relay.release()
        else:
            controls.relay_courses.extend([asked.course] * min(max(asked.count, 0), 10_000))

    async def advance(self, request: Request) -> Response:
        """Advance one trade by one step immediately."""
        asked = await read_body(request, _TradeStep)
        trade_id = TradeId(request.path_params["trade_id"])
        result = self._venue.act(
            lambda exchange, now_ms: exchange.advance_trade(trade_id, asked.status, now_ms=now_ms)
        )
        if isinstance(result, Refusal):
            return refused(result)
        return JsonResponse({"id": result.trade_id, "status": result.status})

    def hashes(self, asked: _Hashes) -> None:
        """Hold back transaction hashes."""
        self._venue.controls.hash_delay_ms = round(max(asked.seconds, 0) * 1_000)

    def balances(self, asked: _Balances) -> None:
        """Delay the venue's view of share balances after fills."""
        self._venue.controls.stale_balance_ms = round(max(asked.stale_seconds, 0) * 1_000)

    def heartbeats(self, asked: _Heartbeats) -> None:
        """Choose whether missed heartbeats cancel orders."""
        self._venue.controls.are_heartbeats_swept = asked.is_swept

    def cancels(self, asked: _Cancels) -> None:
        """Choose how many orders one request may cancel."""
        self._venue.controls.max_cancels = max(asked.max_ids, 0)
        self._venue.controls.max_cancels_seed = max(asked.max_ids_seed, 0)

    def limits(self, asked: RateLimits) -> Response | None:
        """Choose the rate limits of a signer, and whether they are enforced."""
        rates = (asked.orders_per_s, asked.orders_burst, asked.cancels_per_s, asked.cancels_burst)
        if min(rates) < 1:
            return failure(400, "rates and bursts begin at 1")
        self._venue.controls.limits = asked
        return None

    def analytics_limits(self, asked: HostLimits) -> Response | None:
        """Choose how often the analytics host may be queried."""
        if asked.scale <= 0:
            return failure(400, "a scale is more than 0")
        self._venue.controls.analytics_limits = asked
        return None

    async def add_fault(self, request: Request) -> Response:
        """Misbehave from now on, for the requested number of times."""
        self._venue.controls.faults.append(await read_body(request, Fault))
        return JsonResponse(self._venue.controls.faults)


def _taking(kind: type[T], change: Callable[[T], Response | None]) -> Handler:
    """Return a handler that applies a decoded body, and echoes it unless it was refused."""

    async def take(request: Request) -> Response:
        asked = await read_body(request, kind)
        return change(asked) or JsonResponse(asked)

    return take


def _clearing(switched: MutableMapping[ConditionId, TakerDelay] | MutableSequence[Any]) -> Handler:
    """Return a handler that resets a switch and shows its state."""

    async def clear(request: Request) -> Response:
        del request
        switched.clear()
        return JsonResponse(switched)

    return clear
