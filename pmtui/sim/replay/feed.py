"""Sends recorded messages to subscribers at their times, and whole books after a jump."""

import asyncio
import contextlib
from collections.abc import Callable

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.recording.reader import Message, Recording
from pmtui.recording.timeline import Timeline
from pmtui.sim.replay.books import RecordedBooks, RecordedMarket
from pmtui.sim.replay.practice import PracticeBooks
from pmtui.sim.streams.publisher import Frame, Watcher

_TURN = 200
"""Messages after which other tasks get a turn."""
_EVERYWHERE = frozenset({"new_market"})
_CUSTOM = frozenset({"best_bid_ask", "new_market", "market_resolved"})


class ReplayFeed:
    """The market channel of a replay, and its one task."""

    def __init__(
        self,
        recording: Recording,
        timeline: Timeline,
        books: RecordedBooks,
        practice: PracticeBooks,
    ) -> None:
        self._messages = recording.messages
        self._timeline = timeline
        self._books = books
        self._practice = practice
        self._watchers: dict[str, dict[Watcher, None]] = {}
        self._everywhere: dict[Watcher, None] = {}
        self._next = 0
        self._moves = timeline.moves
        self._changed = asyncio.Event()
        self._listeners: list[Callable[[], None]] = []
        timeline.on_change(self._changed.set)

    @property
    def is_current(self) -> bool:
        """Whether everything up to the position has been sent."""
        is_moved = self._moves == self._timeline.moves
        return is_moved and (
            self._next == len(self._messages)
            or self._messages[self._next].at_us > self._timeline.position_us
        )

    @property
    def next_at_us(self) -> int | None:
        """When the next message is due; None at the end."""
        return self._messages[self._next].at_us if self._next < len(self._messages) else None

    def watch(self, condition_id: ConditionId, watcher: Watcher) -> RecordedMarket | None:
        """Send a market's messages to a watcher from now on."""
        market = self._books.market(condition_id)
        if market is not None:
            self._watchers.setdefault(str(market.condition_id), {})[watcher] = None
        return market

    def unwatch(self, condition_id: ConditionId, watcher: Watcher) -> None:
        """Stop sending a subscriber messages of a market."""
        _ = self._watchers.get(condition_id.lower(), {}).pop(watcher, None)

    def watch_listings(self, watcher: Watcher) -> None:
        """Announce new markets to a subscriber."""
        self._everywhere[watcher] = None

    def leave(self, watcher: Watcher) -> None:
        """Remove a watcher."""
        self._everywhere.pop(watcher, None)
        for watchers in self._watchers.values():
            watchers.pop(watcher, None)

    async def run(self) -> None:
        """Publish every message when it is due, until cancelled."""
        while True:
            self._changed.clear()
            if self._moves != self._timeline.moves:
                await self._move()
                continue
            await self._publish_due()
            at_us = self.next_at_us
            wait_s = None if at_us is None else self._timeline.wait_s(at_us)
            # A step makes a message due while time stands still.
            if at_us is not None and at_us <= self._timeline.position_us:
                continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._changed.wait()

    async def _publish_due(self) -> None:
        published = 0
        while (
            self._next < len(self._messages)
            and self._messages[self._next].at_us <= self._timeline.position_us
            and self._moves == self._timeline.moves
        ):
            message = self._messages[self._next]
            self._next += 1
            events = self._books.apply(message)
            self._practice.note(message.condition_id, events)
            self._send(message)
            published += 1
            if not published % _TURN:
                await asyncio.sleep(0)

    async def _move(self) -> None:
        """Rebuild every book at the new position, then send it to its watchers."""
        self._moves = self._timeline.moves
        target_us = self._timeline.position_us
        if self._next and self._messages[self._next - 1].at_us > target_us:
            self._books.reset()
            self._next = 0
        while self._next < len(self._messages) and self._messages[self._next].at_us <= target_us:
            _ = self._books.apply(self._messages[self._next])
            self._next += 1
            if not self._next % _TURN:
                await asyncio.sleep(0)
            if self._moves != self._timeline.moves:
                return
        self._practice.restart()
        for condition_id, watchers in self._watchers.items():
            market = self._books.markets[condition_id]
            frames = [
                Frame(text.encode(), token_id=token_id)
                for index, token_id in enumerate(market.token_ids)
                if (text := market.book_frame(index, with_last_price=True)) is not None
            ]
            for watcher in tuple(watchers):
                watcher.receive_frames(frames)

    def _send(self, message: Message) -> None:
        watchers = self._watchers.get(message.condition_id.lower(), {})
        if message.kind in _EVERYWHERE:
            watchers = self._everywhere
        if watchers:
            token_id = TokenId(message.token_id) if message.token_id else None
            frame = Frame(message.data, token_id=token_id, is_custom=message.kind in _CUSTOM)
            for watcher in tuple(watchers):
                watcher.receive_frames((frame,))
