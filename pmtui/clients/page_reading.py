"""What every way of asking the trading host shares: walking a list by its table's cursor."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from pmtui.clients.http import Query
from pmtui.clients.paging import Step, walk
from pmtui.clients.routes_clob import Call, ClobRoutes
from pmtui.domain.answers import MAX_PAGES, Page
from pmtui.domain.failure import Failure

T = TypeVar("T")


class PageReading(ABC):
    """Walks what it can read."""

    routes: ClobRoutes

    @abstractmethod
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
