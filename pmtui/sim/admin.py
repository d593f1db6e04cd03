"""The operator's address: money, time, resolutions, switches and faults. Loopback only.

All bodies and answers are JSON; amounts are decimals as text. Requests that a browser page could
have sent (any with an `Origin`) are refused: a web page must not be able to move paper money.
Modes, standings, switches, faults and steps of the clock end with the process; money, grids and
resolutions are kept with the rest of the state.

| route | body | does |
|---|---|---|
| `GET /` | | says OK |
| `POST /fund` | `address`, `amount` | deposits collateral; the first deposit deploys the wallet |
| `GET /ledger/{address}` | | balances, reservations, fees, orders, every line, and whether it adds up |
| `GET /audit` | | recomputes every sum of the exchange and names what does not agree |
| `GET /clock` | | venue time and speed |
| `POST /clock/step` | `seconds` | moves the venue's time forward |
| `POST /resolve` | `condition_id`, `winner` (0, 1, or null for half each) | ends a market |
| `POST /tick` | `condition_id`, `tick_size` | changes a price grid |
| `POST /mode` | `mode` (normal, post only, cancel only, disabled), `retry_after_s` | limits trading |
| `POST /standing` | `address`, `standing` (good, closed only, banned, no allowance) | limits an account |
| `GET`, `POST /geoblock` | `blocked`, `country`, `region` | the geographic answer |
| `POST /wallets` | `deposit_only` | refuses signature types 0 to 2 |
| `POST /faults` | `host`, `prefix`, `delay_ms`, `status`, `body`, `remaining`, `is_answer_lost` | misbehaves |
| `DELETE /faults` | | behaves again |
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import Address, ApiKey, ConditionId
from pmtui.domain.money import ZERO, Micros, MoneyError, format_micros, parse_micros
from pmtui.signing.addresses import AddressError, address_bytes, checksum_address
from pmtui.sim.account_rows import order_row
from pmtui.sim.engine.events import BalanceChanged, Cause
from pmtui.sim.engine.terms import Payout, Refusal, Standing, TradingMode
from pmtui.sim.http_json import JsonResponse, failure, refused
from pmtui.sim.switches import Fault, GeoAnswer
from pmtui.sim.venue import Venue


class _Fund(msgspec.Struct):
    address: str
    amount: str


class _Step(msgspec.Struct):
    seconds: float


class _Resolve(msgspec.Struct):
    condition_id: str
    winner: int | None


class _Tick(msgspec.Struct):
    condition_id: str
    tick_size: str


class _Mode(msgspec.Struct):
    mode: TradingMode
    retry_after_s: int = 0


class _Standing(msgspec.Struct):
    address: str
    standing: Standing


class _Wallets(msgspec.Struct):
    deposit_only: bool


T = TypeVar("T")
Handler = Callable[[Request], Awaitable[Response]]
_PAYOUTS = {0: Payout.FIRST, 1: Payout.SECOND, None: Payout.HALF}


class AdminRoutes:
    """Everything an operator, a test or the terminal's paper profile asks of its venue."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/", _guarded(self.alive)),
            Route("/fund", _guarded(self.fund), methods=["POST"]),
            Route("/ledger/{address}", _guarded(self.ledger)),
            Route("/audit", _guarded(self.audit)),
            Route("/clock", _guarded(self.clock)),
            Route("/clock/step", _guarded(self.step), methods=["POST"]),
            Route("/resolve", _guarded(self.resolve), methods=["POST"]),
            Route("/tick", _guarded(self.tick), methods=["POST"]),
            Route("/mode", _guarded(self.mode), methods=["POST"]),
            Route("/standing", _guarded(self.standing), methods=["POST"]),
            Route("/geoblock", _guarded(self.geoblock), methods=["GET", "POST"]),
            Route("/wallets", _guarded(self.wallets), methods=["POST"]),
            Route("/faults", _guarded(self.add_fault), methods=["POST"]),
            Route("/faults", _guarded(self.clear_faults), methods=["DELETE"]),
        ]

    async def alive(self, request: Request) -> Response:
        """Say that somebody is there."""
        del request
        return JsonResponse("OK")

    async def fund(self, request: Request) -> Response:
        """Deposit paper money."""
        asked = await _read(request, _Fund)
        address = _address(asked.address)
        result = self._venue.fund(address, parse_micros(asked.amount))
        if isinstance(result, Refusal):
            return refused(result)
        held = self._venue.exchange.reads.account(address)
        return JsonResponse(
            {"address": address, "balance": _text(ZERO if held is None else held.collateral)}
        )

    async def ledger(self, request: Request) -> Response:
        """Show an account to the last unit."""
        address = _address(request.path_params["address"])
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
        """Move time forward; it never goes back, because what happened has."""
        asked = await _read(request, _Step)
        if asked.seconds < 0:
            return failure(400, "time goes forward only")
        self._venue.clock.step(round(asked.seconds * 1_000))
        return JsonResponse({"now_ms": self._venue.clock.now_ms()})

    async def resolve(self, request: Request) -> Response:
        """End a market."""
        asked = await _read(request, _Resolve)
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
        asked = await _read(request, _Tick)
        condition_id, tick = ConditionId(asked.condition_id.lower()), parse_micros(asked.tick_size)
        if self._venue.trading(condition_id) is None:
            return failure(404, "market not found")
        self._venue.act(
            lambda exchange, now_ms: exchange.change_tick(condition_id, tick, now_ms=now_ms)
        )
        return JsonResponse({"condition_id": condition_id, "tick_size": _text(tick)})

    async def mode(self, request: Request) -> Response:
        """Limit what the exchange takes."""
        asked = await _read(request, _Mode)
        self._venue.exchange.mode = asked.mode
        self._venue.exchange.retry_after_s = asked.retry_after_s
        return JsonResponse({"mode": asked.mode})

    async def standing(self, request: Request) -> Response:
        """Limit what an account may do."""
        asked = await _read(request, _Standing)
        address = _address(asked.address)
        self._venue.open_user(address)
        self._venue.exchange.set_standing(address, asked.standing)
        owner = self._venue.accounts.owner_of(address)
        if owner is not None:
            is_closed = asked.standing is Standing.CLOSED_ONLY
            closed = self._venue.switches.closed_only
            closed.add(owner) if is_closed else closed.discard(owner)
        return JsonResponse({"address": address, "standing": asked.standing})

    async def geoblock(self, request: Request) -> Response:
        """Show or set the geographic answer."""
        if request.method == "POST":
            self._venue.switches.geo = await _read(request, GeoAnswer)
        return JsonResponse(self._venue.switches.geo)

    async def wallets(self, request: Request) -> Response:
        """Choose which wallets may trade."""
        asked = await _read(request, _Wallets)
        self._venue.switches.deposit_wallets_only = asked.deposit_only
        return JsonResponse(asked)

    async def add_fault(self, request: Request) -> Response:
        """Misbehave from now on, as often as asked."""
        self._venue.switches.faults.append(await _read(request, Fault))
        return JsonResponse(self._venue.switches.faults)

    async def clear_faults(self, request: Request) -> Response:
        """Behave again."""
        del request
        self._venue.switches.faults.clear()
        return JsonResponse([])


def _guarded(handler: Handler) -> Handler:
    async def checked(request: Request) -> Response:
        if "origin" in request.headers:
            return failure(403, "not for web pages")
        try:
            return await handler(request)
        except (msgspec.MsgspecError, MoneyError, AddressError) as error:
            return failure(400, str(error))

    return checked


async def _read(request: Request, kind: type[T]) -> T:
    return msgspec.json.decode(await request.body(), type=kind)


def _address(text: str) -> Address:
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
