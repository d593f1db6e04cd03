"""`--watch`: a book or the trades of tokens as the market stream tells of them, until interrupted.

A book is written when it has changed, ten times a second at most; trades are written one by one. A link
that is lost says so on standard error, and what comes after it is another whole book.
"""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pmtui.cli.output import warn
from pmtui.clients.reads.book_reads import tell_book
from pmtui.clients.streams.channels import MarketChannel
from pmtui.domain.account.standings import PublicTrade
from pmtui.domain.books.book import OrderBook
from pmtui.domain.books.book_view import BookState
from pmtui.domain.books.market_events import (
    BookSnapshot,
    MarketEvent,
    PriceChanges,
    TickSizeChanged,
    TradePrinted,
)
from pmtui.domain.health import Link, LinkState
from pmtui.domain.ids import TokenId
from pmtui.domain.money import MoneyError
from pmtui.wire import fields

PERIOD_S = 0.1
"""Between two writings of a book that changes all the time."""


@dataclass
class _Followed:
    """A book of the stream and what was last told of it."""

    book: OrderBook
    timestamp: str = ""
    digest: str = ""
    neg_risk: bool | None = None
    is_changed: bool = False


class Watcher:
    """Follows tokens and writes what changes."""

    def __init__(
        self,
        url: str,
        tokens: Sequence[TokenId],
        *,
        is_of_trades: bool,
        write: Callable[[Sequence[object]], None],
        limit: int | None,
    ) -> None:
        """Prepare to follow.

        Args:
            url: of the market stream.
            tokens: which ones.
            is_of_trades: whether trades are wanted, and not books.
            write: takes each answer.
            limit: answers after which it ends; None for never.
        """
        self._channel = MarketChannel(
            url,
            random=random.Random(),  # noqa: S311 - spreads reconnects, keeps no secret
        )
        self._is_of_trades = is_of_trades
        self._write = write
        self._left = limit
        self._books = {token: _Followed(OrderBook(token)) for token in tokens}
        self._changed = asyncio.Event()
        self._is_done = asyncio.Event()
        self._lost = False

    async def run(self) -> None:
        """Follow until enough was written, or until cancelled."""
        self._channel.watch(frozenset(self._books), together=[tuple(self._books)])
        tasks = [
            asyncio.create_task(
                self._channel.run(on_event=self._take_event, on_link=self._take_link)
            ),
            asyncio.create_task(self._write_books()),
            asyncio.create_task(self._is_done.wait()),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                # Raises what ended it, such as a reader that has gone.
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _take_link(self, link: Link) -> None:
        if link.state is LinkState.DOWN and not self._lost:
            warn(f"pmtui get: the stream is down: {link.reason}")
        self._lost = link.state is LinkState.DOWN

    def _take_event(self, event: MarketEvent) -> None:
        match event:
            case TradePrinted() if self._is_of_trades:
                self._tell(_trade(event))
            case BookSnapshot(token_id=token) if token in self._books:
                self._take_snapshot(self._books[token], event)
            case TickSizeChanged(token_id=token) if token in self._books:
                followed = self._books[token]
                followed.book.apply_tick_size(event.new_tick_size)
                self._note(followed, event.timestamp)
            case PriceChanges():
                self._take_changes(event)
            case _:
                return

    def _take_snapshot(self, followed: _Followed, snapshot: BookSnapshot) -> None:
        try:
            followed.book.apply_snapshot(snapshot)
        except MoneyError as error:
            warn(f"pmtui get: a book that cannot be read: {error}")
            return
        followed.digest = snapshot.hash
        followed.neg_risk = snapshot.neg_risk
        self._note(followed, snapshot.timestamp)

    def _take_changes(self, event: PriceChanges) -> None:
        for change in event.changes:
            followed = self._books.get(TokenId(change.asset_id))
            if followed is None or not followed.book.has_levels:
                continue
            try:
                followed.book.apply_change(change, event.timestamp)
            except MoneyError as error:
                warn(f"pmtui get: a change that cannot be read: {error}")
                continue
            followed.digest = change.hash
            self._note(followed, event.timestamp)

    def _note(self, followed: _Followed, timestamp: str) -> None:
        followed.timestamp = timestamp
        followed.is_changed = True
        self._changed.set()

    async def _write_books(self) -> None:
        while not self._is_done.is_set():
            await self._changed.wait()
            self._changed.clear()
            for followed in self._books.values():
                if followed.is_changed and followed.book.has_levels and not self._is_of_trades:
                    followed.is_changed = False
                    self._tell(_book(followed))
            await asyncio.sleep(PERIOD_S)

    def _tell(self, answer: object) -> None:
        if self._left == 0:
            return
        self._write((answer,))
        if self._left is not None:
            self._left -= 1
            if self._left == 0:
                self._is_done.set()


def _book(followed: _Followed) -> object:
    book = followed.book
    is_verified = book.matches(((followed.timestamp, followed.digest),))
    book.trust(BookState.VERIFIED if is_verified else BookState.LIVE)
    return tell_book(
        book,
        timestamp=followed.timestamp,
        digest=followed.digest,
        neg_risk=followed.neg_risk,
        min_order_size=None,
    )


def _trade(event: TradePrinted) -> PublicTrade:
    return PublicTrade(
        at=fields.to_moment(event.timestamp, "timestamp"),
        condition_id=event.condition_id,
        token_id=event.token_id,
        side=event.side.value,
        price=event.price,
        size=event.size,
        transaction_hash=event.transaction_hash,
    )
