"""Reading the trading host by its table of routes, without credentials.

A row of the table says how a thing is asked for; the caller says what it means. Nothing here
chooses another row when the first one fails.
"""

from collections.abc import Callable
from typing import TypeVar, final

from typing_extensions import override

from pmtui.clients.http import HttpHost, Query
from pmtui.clients.http_failures import unreadable
from pmtui.clients.page_reading import PageReading
from pmtui.clients.routes_clob import Call, ClobRoutes, Route
from pmtui.domain.failure import Failure
from pmtui.wire.errors import WireError

T = TypeVar("T")


@final
class PublicRequests(PageReading):
    """Requests that need no key."""

    def __init__(self, host: HttpHost, routes: ClobRoutes) -> None:
        """Take the host and the dialect it speaks."""
        self._host = host
        self.routes = routes

    @override
    async def read(
        self,
        call: Call,
        decode: Callable[[bytes], T],
        *,
        query: Query = (),
        body: bytes | None = None,
        identifier: str = "",
    ) -> T | Failure:
        route = self.routes.route(call)
        path, naming = route.with_id(identifier)
        answer = await self._host.read(
            path,
            query=(*naming, *query),
            route=route.path,
            method=route.method,
            body=body,
        )
        return decoded(answer, decode, route)


def decoded(answer: bytes | Failure, decode: Callable[[bytes], T], route: Route) -> T | Failure:
    """Return what an answer means; one that cannot be read is a failure too."""
    if isinstance(answer, Failure):
        return answer
    try:
        return decode(answer)
    except WireError as error:
        return unreadable(route.label, error)


def named(**fields: str | None) -> Query:
    """Return the fields that are given, as a query; the others are not sent at all."""
    return tuple((name, value) for name, value in fields.items() if value)
