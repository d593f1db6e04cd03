"""Plays recorded market-channel messages through the real decoder, book and check."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pmtui.domain.books.book import OrderBook, read_price, read_size
from pmtui.domain.books.market_events import (
    BookSnapshot,
    LevelChange,
    LevelText,
    MarketEvent,
    PriceChanges,
    TickSizeChanged,
    TradePrinted,
)
from pmtui.domain.books.verification import Agreement, BookCheck
from pmtui.domain.money import MoneyError
from pmtui.recording.reader import Recorded
from pmtui.wire.bounds import WireError
from pmtui.wire.stream import BadMessage, UnknownMessage, decode_market_frame
from tests.check.tally import HashCount, Tally
from tests.check.tops import NOT_SENT, Tops, agrees, tops_of


@dataclass
class Report:
    """What a recording showed."""

    frames: int = 0
    repeated: int = 0
    events: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    books: HashCount = field(default_factory=HashCount)
    changes: HashCount = field(default_factory=HashCount)
    without_book: int = 0
    tops_agreed: int = 0
    tops_disagreed: int = 0
    gaps: list[str] = field(default_factory=list)


@dataclass
class _Played:
    """One token's book, and what has been found out about it."""

    book: OrderBook
    tally: Tally
    check: BookCheck = field(default_factory=BookCheck)
    is_lost: bool = False


class Replay:
    """One recording, from its first message on."""

    def __init__(self) -> None:
        self.report = Report()
        self._played: dict[str, _Played] = {}
        self._doubtful: dict[str, None] = {}
        self._now_ms = 0
        self._is_repeated = False
        """Whether the frame says what the one before said: sizes are absolute, nothing is new."""

    def run(self, recording: Iterable[Recorded]) -> Report:
        report = self.report
        last = b""
        for recorded in recording:
            report.frames += 1
            self._is_repeated = recorded.frame == last
            report.repeated += self._is_repeated
            last = recorded.frame
            self._frame(recorded)
        self._finish()
        return report

    def _frame(self, recorded: Recorded) -> None:
        report = self.report
        try:
            messages = decode_market_frame(recorded.frame)
        except WireError as error:
            report.failures.append(f"frame {report.frames}: {error}")
            return
        tops = tops_of(recorded.frame)
        for index, message in enumerate(messages):
            if isinstance(message, BadMessage):
                self._fail(f"{message.kind}: {message.reason}")
            elif isinstance(message, UnknownMessage):
                report.unknown[message.kind] += 1
            else:
                kind = PriceChanges if isinstance(message, PriceChanges) else type(message)
                report.events[kind.__name__] += 1
                told = tops[index] if index < len(tops) else []
                try:
                    self._apply(message, recorded.arrival_ms, told)
                except MoneyError as error:
                    self._fail(f"{kind.__name__}: {error}")

    def _fail(self, reason: str) -> None:
        self.report.failures.append(f"frame {self.report.frames}: {reason}")

    def _apply(self, event: MarketEvent, arrival_ms: int | None, tops: Sequence[Tops]) -> None:
        # A recorder's clock may be anything; how far apart messages were made is in the messages.
        self._pass_time(max(self._now_ms, _time_of(event) or arrival_ms or 0))
        if isinstance(event, BookSnapshot):
            self._snapshot(event)
        elif isinstance(event, PriceChanges):
            for index, change in enumerate(event.changes):
                told = tops[index] if index < len(tops) else NOT_SENT
                self._change(change, event.timestamp, told)
        elif isinstance(event, TradePrinted):
            self._trade(event)
        elif isinstance(event, TickSizeChanged) and event.token_id in self._played:
            self._played[event.token_id].book.apply_tick_size(event.new_tick_size)

    def _pass_time(self, now_ms: int) -> None:
        """Judge what was in doubt by what is there: nothing more has come until now."""
        if now_ms > self._now_ms:
            self._now_ms = now_ms
            for token in tuple(self._doubtful):
                self._judge(token, self._played[token])

    def _snapshot(self, event: BookSnapshot) -> None:
        token = event.token_id
        played = self._played.get(token)
        if played is None:
            book = OrderBook(token)
            played = self._played[token] = _Played(book, Tally(book))
        played.book.apply_snapshot(event)
        played.check.reset()
        played.is_lost = False
        if event.hash and played.book.terms is not None:
            played.tally.expect(event.timestamp, event.hash, self.report.books)
        self._judge(token, played)

    def _change(self, change: LevelChange, timestamp: str, tops: Tops) -> None:
        read_price(change.price)
        read_size(change.size)
        played = self._played.get(change.asset_id)
        if played is None or not played.book.has_levels:
            self.report.without_book += 1
            return
        if self._is_repeated:
            # What was announced twice is no further message that a doubt must outlast.
            again = LevelText(change.asset_id, change.side, change.price, change.size)
            played.book.apply_change(again, timestamp)
        else:
            played.book.apply_change(change, timestamp)
        is_agreed = agrees(played.book, tops)
        self.report.tops_agreed += is_agreed
        self.report.tops_disagreed += not is_agreed
        if change.hash and played.book.terms is not None:
            played.tally.expect(
                timestamp, change.hash, self.report.changes, is_further=not self._is_repeated
            )
        self._judge(change.asset_id, played)

    def _trade(self, event: TradePrinted) -> None:
        for token, played in self._played.items():
            if played.book.condition_id == event.condition_id:
                played.book.apply_trade_price(event.price, of=event.token_id)
                # Hashes already use the price of a trade that is told after them.
                played.tally.try_again()
                if played.check.is_doubtful:
                    self._judge(token, played)

    def _judge(self, token: str, played: _Played) -> None:
        if played.is_lost:
            return
        if played.check.check(played.book, now_ms=self._now_ms) is Agreement.LOSS:
            played.is_lost = True
            self.report.gaps.append(f"token {token[:12]} at {self._now_ms}")
        if played.check.is_doubtful and not played.is_lost:
            self._doubtful[token] = None
        else:
            self._doubtful.pop(token, None)

    def _finish(self) -> None:
        # What is in doubt at the end has had all the time there is.
        self._pass_time(self._now_ms + 3_600_000)
        for played in self._played.values():
            played.tally.finish()


def _time_of(event: MarketEvent) -> int:
    stamp = getattr(event, "timestamp", "")
    is_time = isinstance(stamp, str) and stamp.isascii() and stamp.isdecimal() and len(stamp) < 19
    return int(stamp) if is_time else 0
