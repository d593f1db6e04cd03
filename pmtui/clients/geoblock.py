"""The geographic check: asked, shown, and never argued with or worked around."""

from pmtui.clients.http.client import HttpHost
from pmtui.clients.http.failures import unreadable
from pmtui.domain.answers import GeoAnswer
from pmtui.domain.failure import Failure
from pmtui.wire.errors import WireError
from pmtui.wire.geoblock import decode_geo_answer

ROUTE = "geographic check"


class GeoblockClient:
    """Answers as our geographic port wants it."""

    def __init__(self, host: HttpHost) -> None:
        """Take a host whose address is the whole address of the check."""
        self._host = host

    async def check(self) -> GeoAnswer | Failure:
        """Ask where the venue thinks we are."""
        body = await self._host.read("", route=ROUTE)
        if isinstance(body, Failure):
            return body
        try:
            return decode_geo_answer(body)
        except WireError as error:
            return unreadable(f"GET {ROUTE}", error)
