"""What every request that changes orders must pass: region, key, a running engine, the rate."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from pmtui.sim.accounts.accounts import Credentials
from pmtui.sim.accounts.auth import credentials_of, unauthorized
from pmtui.sim.clob.order_limits import Bucket, OrderLimits
from pmtui.sim.http_json import failure
from pmtui.sim.storage.engine_restart import RESTARTING, EngineRestart
from pmtui.sim.venue import Venue

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
            if self._venue.switches.geo.blocked:
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
