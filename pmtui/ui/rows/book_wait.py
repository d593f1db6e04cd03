"""Hears of books and markets for as long as it takes to act on them from a list.

A list streams prices of the rows in view; what an order obeys, and a book that is proven, are asked for
when a key wants them.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from pmtui.domain.account.position import Position
from pmtui.domain.books.book_view import BookState
from pmtui.service.topics import AccountTopic, BookTopic, MarketTopic, Topic
from pmtui.ui.surface import Surface

LONGEST_WAIT_S = 4.0


class BookWait:
    """A subscription to the markets and books of some positions."""

    def __init__(self, surface: Surface, positions: Iterable[Position]) -> None:
        self._surface = surface
        self._positions = tuple(positions)
        self._changed = asyncio.Event()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Subscribe to them meanwhile."""
        topics: list[Topic] = [AccountTopic()]
        for position in self._positions:
            topics += [MarketTopic(position.condition_id), BookTopic(position.token_id)]
        subscription = self._surface.subscriptions.subscribe(topics, lambda _: self._changed.set())
        try:
            yield
        finally:
            subscription.close()

    async def until_ready(self) -> None:
        """Wait until every market has its terms and every book has come, or no longer."""
        await self._until(lambda: all(map(self._is_ready, self._positions)), LONGEST_WAIT_S)

    async def _until(self, is_ready: Callable[[], bool], longest_s: float) -> None:
        try:
            async with asyncio.timeout(longest_s):
                while not is_ready():
                    self._changed.clear()
                    _ = await self._changed.wait()
        except TimeoutError:
            return

    def _is_ready(self, position: Position) -> bool:
        queries = self._surface.queries
        has_terms = queries.market(position.condition_id).terms is not None
        return has_terms and queries.book(position.token_id).state is not BookState.LOADING
