"""Plays recorded market-channel messages through the real decoder, book and check."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from pmtui.domain.book import OrderBook
from pmtui.domain.book_check import TOLERATED_FRAMES, Agreement, BookCheck
from pmtui.domain.market_events import (
    BookSnapshot,
    LevelChange,
    MarketEvent,
    PriceChanges,
    TickSizeChanged,
    TradePrinted,
)
from pmtui.wire.errors import WireError
from pmtui.wire.stream import BadMessage, UnknownMessage, decode_market_frame
from tests.check.frames import Recorded
from tests.check.tops import Tops, agrees, tops_of


@dataclass
class Report:
    """What a recording showed."""

    frames: int = 0
    events: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    books_matched: int = 0
    books_unmatched: int = 0
    without_book: int = 0
    in_order: int = 0
    after_later: int = 0
    never: int = 0
    tops_agreed: int = 0
    tops_disagreed: int = 0
    gaps: list[str] = field(default_factory=list)


class Tally:
    """Counts one token's changes by when their hash becomes that of the book.

    A change may come before others that the venue has hashed with it; once they are in, it fits.
    """

    def __init__(self, book: OrderBook, report: Report) -> None:
        self._book = book
        self._report = report
        self._waiting: list[tuple[str, str]] = []
        self._tries: list[int] = []

    def take(self, change: LevelChange, timestamp: str) -> None:
        """Count a change that the book has just taken."""
        self._retry()
        if self._book.matches([(timestamp, change.hash)]):
            self._report.in_order += 1
        else:
            self._waiting.append((timestamp, change.hash))
            self._tries.append(0)

    def finish(self) -> None:
        """Give up what still waits: a new book comes, or the recording ends."""
        self._report.never += len(self._waiting)
        self._waiting.clear()
        self._tries.clear()

    def _retry(self) -> None:
        for index in reversed(range(len(self._waiting))):
            self._tries[index] += 1
            if self._book.matches([self._waiting[index]]):
                self._report.after_later += 1
            elif self._tries[index] > TOLERATED_FRAMES:
                self._report.never += 1
            else:
                continue
            del self._waiting[index], self._tries[index]


class Replay:
    """One recording, from its first message on."""

    def __init__(self) -> None:
        self.report = Report()
        self._books: dict[str, OrderBook] = {}
        self._checks: dict[str, BookCheck] = {}
        self._tallies: dict[str, Tally] = {}
        self._lost: set[str] = set()
        self._now_ms = 0

    def run(self, recording: Iterable[Recorded]) -> Report:
        report = self.report
        for recorded in recording:
            report.frames += 1
            try:
                messages = decode_market_frame(recorded.frame)
            except WireError as error:
                report.failures.append(str(error))
                continue
            for message, tops in zip(messages, tops_of(recorded.frame), strict=True):
                if isinstance(message, BadMessage):
                    report.failures.append(f"{message.kind}: {message.reason}")
                elif isinstance(message, UnknownMessage):
                    report.unknown[message.kind] += 1
                else:
                    kind = PriceChanges if isinstance(message, PriceChanges) else type(message)
                    report.events[kind.__name__] += 1
                    self._apply(message, recorded.arrival_ms, tops)
        self._finish()
        return report

    def _apply(self, event: MarketEvent, arrival_ms: int | None, tops: list[Tops]) -> None:
        self._now_ms = max(self._now_ms, arrival_ms or _time_of(event))
        if isinstance(event, BookSnapshot):
            self._snapshot(event)
        elif isinstance(event, PriceChanges):
            for change, told in zip(event.changes, tops, strict=True):
                self._change(change, event.timestamp, told)
        elif isinstance(event, TradePrinted):
            for book in self._books.values():
                if book.condition_id == event.condition_id:
                    book.apply_trade_price(event.price)
        elif isinstance(event, TickSizeChanged) and event.token_id in self._books:
            self._books[event.token_id].apply_tick_size(event.new_tick_size)

    def _snapshot(self, event: BookSnapshot) -> None:
        token = event.token_id
        book = self._books.setdefault(token, OrderBook(token))
        tally = self._tallies.setdefault(token, Tally(book, self.report))
        check = self._checks.setdefault(token, BookCheck())
        tally.finish()
        book.apply_snapshot(event)
        check.reset()
        self._lost.discard(token)
        self._judge(token)
        if check.is_doubtful:
            self.report.books_unmatched += 1
        elif event.hash:
            self.report.books_matched += 1

    def _change(self, change: LevelChange, timestamp: str, tops: Tops) -> None:
        token = change.asset_id
        book = self._books.get(token)
        if book is None or not book.has_levels:
            self.report.without_book += 1
            return
        book.apply_change(change, timestamp)
        is_agreed = agrees(book, tops)
        self.report.tops_agreed += is_agreed
        self.report.tops_disagreed += not is_agreed
        if change.hash and book.terms is not None:
            self._tallies[token].take(change, timestamp)
        self._judge(token)

    def _judge(self, token: str) -> None:
        if token in self._lost:
            return
        agreement = self._checks[token].check(self._books[token], now_ms=self._now_ms)
        if agreement is Agreement.LOSS:
            self._lost.add(token)
            self.report.gaps.append(f"token {token[:12]} at {self._now_ms}")

    def _finish(self) -> None:
        # What is in doubt at the end has had all the time there is.
        self._now_ms += 3_600_000
        for token, check in self._checks.items():
            if check.is_doubtful:
                self._judge(token)
        for tally in self._tallies.values():
            tally.finish()


def _time_of(event: MarketEvent) -> int:
    stamp = getattr(event, "timestamp", "")
    return int(stamp) if isinstance(stamp, str) and stamp.isdecimal() else 0
