"""What every way of asking the trading host shares: a row of its table, what it answers, its pages.

A row of the table says how a thing is asked for; the caller says what it means. Nothing here
chooses another row when the first one fails.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from pmtui.clients.http.client import Query
from pmtui.clients.http.failures import unreadable
from pmtui.clients.http.paging import Step, walk
from pmtui.clients.routes_clob import Call, ClobRoutes, Route
from pmtui.domain.answers import MAX_PAGES, Failure, Page
from pmtui.wire.bounds import WireError

T = TypeVar("T")


class PageReading(ABC):
    """Reads by the table, and walks what it can read."""

    routes: ClobRoutes

    @abstractmethod
    async def fetch(
        self, route: Route, path: str, query: Query, body: bytes | None
    ) -> bytes | Failure:
        """Ask for a path of a route, in whatever way this host wants to be asked."""

    async def read(
        self,
        call: Call,
        decode: Callable[[bytes], T],
        *,
        query: Query = (),
        body: bytes | None = None,
        identifier: str = "",
    ) -> T | Failure:
        """Read something.

        Args:
            call: the row of the table.
            decode: what the answer means; raises `WireError` for what it cannot read.
            query: in the order it is to be sent; never signed.
            body: where the host reads by POST.
            identifier: what stands for `{id}` in the path.
        """
        route = self.routes.route(call)
        path, naming = route.with_id(identifier)
        answer = await self.fetch(route, path, (*naming, *query), body)
        return decoded(answer, decode, route)

    def walk(
        self,
        call: Call,
        decode: Callable[[bytes], Page[T]],
        *,
        query: Query = (),
        identifier: str = "",
        max_pages: int = MAX_PAGES,
    ) -> AsyncIterator[Step[T] | Failure]:
        """Yield a list page by page; a failure is the last thing yielded."""

        async def read_page(cursor: str | None) -> Page[T] | Failure:
            place = () if cursor is None else ((self.routes.cursor_name, cursor),)
            return await self.read(call, decode, query=(*query, *place), identifier=identifier)

        return walk(read_page, self.routes.route(call), max_pages=max_pages)


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
