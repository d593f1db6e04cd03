"""Whether the trading host is there, and which generation of orders it takes."""

from typing import final

from pmtui.clients.clob_requests import PublicRequests
from pmtui.clients.http.client import HttpHost
from pmtui.clients.routes_clob import Call, ClobRoutes
from pmtui.domain.answers import Failure
from pmtui.wire.clob import decode_version


@final
class HostCheck:
    """Asks the trading host about itself."""

    def __init__(self, host: HttpHost, routes: ClobRoutes) -> None:
        """Take the host and the dialect it speaks."""
        self._requests = PublicRequests(host, routes)

    async def reach(self) -> Failure | None:
        """Return why the host cannot be reached; whatever it answers with is fine."""
        answer = await self._requests.read(Call.CHECK, len)
        return answer if isinstance(answer, Failure) else None

    async def order_version(self) -> int | Failure:
        """Return the generation of orders the host takes; ours is the second."""
        return await self._requests.read(Call.VERSION, decode_version)
