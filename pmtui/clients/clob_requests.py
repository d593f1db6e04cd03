"""Reading the trading host by its table of routes, without credentials."""

from typing import final

from typing_extensions import override

from pmtui.clients.http.client import HttpHost, Query
from pmtui.clients.http.page_reading import PageReading
from pmtui.clients.routes_clob import ClobRoutes, Route
from pmtui.domain.answers import Failure


@final
class PublicRequests(PageReading):
    """Requests that need no key."""

    def __init__(self, host: HttpHost, routes: ClobRoutes) -> None:
        """Take the host and the dialect it speaks."""
        self._host = host
        self.routes = routes

    @override
    async def fetch(
        self, route: Route, path: str, query: Query, body: bytes | None
    ) -> bytes | Failure:
        return await self._host.read(
            path, query=query, route=route.path, method=route.method, body=body
        )
