"""The switches of the operator's address: every way the service is known to be difficult.

The table of routes is with the other half of that address, in `pmtui.sim.admin.admin`.
"""

from collections.abc import MutableMapping, MutableSequence
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import ConditionId, TradeId
from pmtui.domain.orders.order import TradeStatus
from pmtui.sim.admin.admin import Handler, guarded, read_body
from pmtui.sim.admin.back_office import BackOffice
from pmtui.sim.controls import (
    MAX_CANCELS,
    MAX_CANCELS_SEED,
    Fault,
    HostLimits,
    RateLimits,
    RelayCourse,
    SettlementCourse,
    StreamManner,
    StreamTrick,
    TakerDelay,
)
from pmtui.sim.engine.terms import Refusal, TradingMode
from pmtui.sim.http_json import JsonResponse, failure, refused
from pmtui.sim.storage.engine_restart import POST_ONLY_S
from pmtui.sim.venue import Venue


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


class _Step(msgspec.Struct):
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


class AdminSwitches:
    """Routes that change how the venue behaves, never what it holds."""

    def __init__(self, venue: Venue, office: BackOffice) -> None:
        self._venue = venue
        self._office = office

    def routes(self) -> list[Route]:
        """Return the routes."""
        posts = {
            "/mode": self.mode,
            "/restart": self.restart,
            "/wallets": self.wallets,
            "/delays": self.delay,
            "/statuses": self.statuses,
            "/streams": self.streams,
            "/tricks": self.trick,
            "/settlement": self.settlement,
            "/relayer": self.relayer,
            "/trades/{trade_id}": self.advance,
            "/hashes": self.hashes,
            "/balances": self.balances,
            "/heartbeats": self.heartbeats,
            "/cancels": self.cancels,
            "/limits": self.limits,
            "/analytics-limits": self.analytics_limits,
            "/faults": self.add_fault,
        }
        return [
            Route("/switches", guarded(self.shown)),
            *(Route(path, guarded(handler), methods=["POST"]) for path, handler in posts.items()),
            *(
                Route(path, guarded(_clearing(switched)), methods=["DELETE"])
                for path, switched in (
                    ("/delays", self._venue.switches.delays),
                    ("/tricks", self._venue.switches.tricks),
                    ("/faults", self._venue.switches.faults),
                )
            ),
        ]

    async def shown(self, request: Request) -> Response:
        """Show every switch."""
        del request
        return JsonResponse(self._venue.switches)

    async def mode(self, request: Request) -> Response:
        """Limit what the exchange takes; a restart that was under way is over with that."""
        asked = await read_body(request, _Mode)
        self._office.restart.forget()
        self._venue.exchange.mode = asked.mode
        self._venue.exchange.retry_after_s = asked.retry_after_s
        return JsonResponse({"mode": asked.mode})

    async def restart(self, request: Request) -> Response:
        """Restart the matching engine, as its clients see it."""
        asked = await read_body(request, _Restart)
        if asked.seconds < 0 or asked.post_only_s < 0:
            return failure(400, "time goes forward only")
        self._office.restart.begin(seconds=asked.seconds, post_only_s=asked.post_only_s)
        return JsonResponse(asked)

    async def wallets(self, request: Request) -> Response:
        """Choose which wallets may trade."""
        asked = await read_body(request, _Wallets)
        self._venue.switches.deposit_wallets_only = asked.deposit_only
        return JsonResponse(asked)

    async def delay(self, request: Request) -> Response:
        """Delay or hold orders that would take in one market; neither ends what its row says."""
        asked = await read_body(request, _Delay)
        condition_id = ConditionId(asked.condition_id.lower())
        if self._venue.trading(condition_id) is None:
            return failure(404, "market not found")
        delay = TakerDelay(max(asked.seconds, 0), max(asked.hold_ms, 0))
        self._venue.switches.delays[condition_id] = delay
        return JsonResponse(asked)

    async def statuses(self, request: Request) -> Response:
        """Choose the longer or the shorter names of statuses."""
        asked = await read_body(request, _Statuses)
        self._venue.switches.has_status_prefixes = asked.has_prefixes
        return JsonResponse(asked)

    async def streams(self, request: Request) -> Response:
        """Choose how streams speak; connections that are open change at once."""
        asked = await read_body(request, StreamManner)
        self._venue.switches.streams = asked
        return JsonResponse(asked)

    async def trick(self, request: Request) -> Response:
        """Play a trick on the next events of the streams."""
        self._venue.switches.tricks.append(await read_body(request, StreamTrick))
        return JsonResponse(self._venue.switches.tricks)

    async def settlement(self, request: Request) -> Response:
        """Choose what becomes of the next trades of users; normal forgets what was chosen."""
        asked = await read_body(request, _Settlement)
        courses = self._venue.switches.courses
        courses.clear()
        if asked.course is not SettlementCourse.NORMAL:
            courses.extend([asked.course] * min(max(asked.count, 0), 10_000))
        return JsonResponse(asked)

    async def relayer(self, request: Request) -> Response:
        """Choose what becomes of the next transactions; those that stall go on with normal."""
        asked = await read_body(request, _Relayer)
        switches = self._venue.switches
        switches.is_submit_limited = asked.is_limited
        switches.relay_courses.clear()
        if asked.course is RelayCourse.NORMAL:
            self._office.relay.release()
        else:
            switches.relay_courses.extend([asked.course] * min(max(asked.count, 0), 10_000))
        return JsonResponse(asked)

    async def advance(self, request: Request) -> Response:
        """Take one trade a step further, now."""
        asked = await read_body(request, _Step)
        trade_id = TradeId(request.path_params["trade_id"])
        result = self._venue.act(
            lambda exchange, now_ms: exchange.advance_trade(trade_id, asked.status, now_ms=now_ms)
        )
        if isinstance(result, Refusal):
            return refused(result)
        return JsonResponse({"id": result.trade_id, "status": result.status})

    async def hashes(self, request: Request) -> Response:
        """Hold back transaction hashes."""
        asked = await read_body(request, _Hashes)
        self._venue.switches.hash_delay_ms = round(max(asked.seconds, 0) * 1_000)
        return JsonResponse(asked)

    async def balances(self, request: Request) -> Response:
        """Let the venue's view of shares lag behind fills."""
        asked = await read_body(request, _Balances)
        self._venue.switches.stale_balance_ms = round(max(asked.stale_seconds, 0) * 1_000)
        return JsonResponse(asked)

    async def heartbeats(self, request: Request) -> Response:
        """Choose whether missed heartbeats have consequences."""
        asked = await read_body(request, _Heartbeats)
        self._venue.switches.are_heartbeats_swept = asked.is_swept
        return JsonResponse(asked)

    async def cancels(self, request: Request) -> Response:
        """Choose how many orders one request may cancel."""
        asked = await read_body(request, _Cancels)
        self._venue.switches.max_cancels = max(asked.max_ids, 0)
        self._venue.switches.max_cancels_seed = max(asked.max_ids_seed, 0)
        return JsonResponse(asked)

    async def limits(self, request: Request) -> Response:
        """Choose the rates of a signer, and whether they are enforced."""
        asked = await read_body(request, RateLimits)
        rates = (asked.orders_per_s, asked.orders_burst, asked.cancels_per_s, asked.cancels_burst)
        if min(rates) < 1:
            return failure(400, "rates and bursts begin at 1")
        self._venue.switches.limits = asked
        return JsonResponse(asked)

    async def analytics_limits(self, request: Request) -> Response:
        """Choose how often the analytics host may be asked."""
        asked = await read_body(request, HostLimits)
        if asked.scale <= 0:
            return failure(400, "a scale is more than 0")
        self._venue.switches.analytics_limits = asked
        return JsonResponse(asked)

    async def add_fault(self, request: Request) -> Response:
        """Misbehave from now on, as often as asked."""
        self._venue.switches.faults.append(await read_body(request, Fault))
        return JsonResponse(self._venue.switches.faults)


def _clearing(switched: MutableMapping[ConditionId, TakerDelay] | MutableSequence[Any]) -> Handler:
    """Return what takes back everything that was switched, and shows that nothing is."""

    async def clear(request: Request) -> Response:
        del request
        switched.clear()
        return JsonResponse(switched)

    return clear
