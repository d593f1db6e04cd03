"""One terminal, as the service sees it: what it watches, and what has still to be sent to it.

A terminal that does not read costs a bounded amount of memory and slows no other. It is sent only the newest
view of each topic, only the books of a list that it does not have, and the log as far as it is kept. Once too
many answers wait for it, its commands stay unread.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable

from pmtui.link.calls import LONGEST_ID, Calls
from pmtui.link.messages import (
    Answer,
    Call,
    Ended,
    Events,
    Hello,
    LinkError,
    Peek,
    ToService,
    ToTerminal,
    Unwatch,
    View,
    Watch,
    pack,
    read_to_service,
)
from pmtui.service.codec import CodecError, decode, encode
from pmtui.service.data_service import DataService, Terminal
from pmtui.service.hub import TopicSubscription
from pmtui.service.topics import (
    AccountTopic,
    AlertTopic,
    EventTopic,
    LogTopic,
    MarketTopic,
    StatusTopic,
    Topic,
    WatchlistTopic,
)
from pmtui.service.views import RowBooksView

_logger = logging.getLogger(__name__)

MOST_WATCHED = 512
"""Topics of one terminal; the widest screen watches fewer than a hundred."""
MOST_ANSWERS = 256
"""Messages other than views that may wait for a terminal before its commands have to wait."""
_CHANGED_BY_COMMANDS = (
    StatusTopic, AccountTopic, WatchlistTopic, AlertTopic, MarketTopic, EventTopic, LogTopic,
)  # fmt: skip
"""Topics that a command may change at once: their views are sent before its answer."""
_LOG = LogTopic()


class Session:
    """An accepted terminal, until it disconnects."""

    def __init__(
        self,
        service: DataService,
        calls: Calls,
        hello: Hello,
        *,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        other: Callable[["Session", ToService], None],
    ) -> None:
        """Accept a terminal.

        Args:
            service: provides the views, and carries out the commands.
            calls: the commands of all terminals.
            hello: the terminal's first message.
            reader: where its messages come from.
            writer: where messages to it go.
            other: handles messages that are neither about topics nor commands.
        """
        self._service = service
        self._calls = calls
        self.may_trade = hello.may_trade
        """Whether it may send commands; otherwise it only watches."""
        self.is_trader = hello.may_trade and not hello.is_passing
        """Whether it is a trader's terminal, which is shown what happened while none was attached."""
        self._reader, self._writer = reader, writer
        self._other = other
        self._terminal: Terminal = service.open_terminal()
        self._watched: dict[Topic, TopicSubscription] = {}
        self._peeked: dict[Topic, None] = {}
        self._sent: dict[Topic, object] = {}
        """The views that the terminal has."""
        self._version = 0
        self._log_sent = hello.seen
        self._queue: deque[bytes | Topic] = deque()
        self._dirty: dict[Topic, None] = {}
        self._asked: set[str] = set()
        """Commands without an answer yet."""
        self._is_ending = False
        self._wake = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()

    async def run(self) -> None:
        """Serve the terminal until it disconnects."""
        sending = asyncio.get_running_loop().create_task(self._send(), name="link sender")
        receiving = asyncio.get_running_loop().create_task(self._receive(), name="link receiver")
        try:
            await asyncio.wait({sending, receiving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, receiving):
                task.cancel()
            for ended in await asyncio.gather(sending, receiving, return_exceptions=True):
                if isinstance(ended, Exception):
                    # The terminal reconnects, and would fail in the same way without a trace.
                    _logger.error("link: a terminal's connection failed", exc_info=ended)
            self._close()

    def send(self, message: ToTerminal) -> None:
        """Send a message ahead of any waiting view."""
        self._queue.append(pack(message))
        self._make_room()
        self._wake.set()

    def end(self, message: ToTerminal) -> None:
        """Send a last message, then close the connection."""
        # The views sent now are what the terminal keeps showing.
        self._send_changes()
        self.send(message)
        self._is_ending = True

    def _make_room(self) -> None:
        if len(self._queue) + len(self._asked) < MOST_ANSWERS:
            self._has_room.set()
        else:
            self._has_room.clear()

    def _close(self) -> None:
        self._calls.forget(self._send_end)
        for subscription in self._watched.values():
            subscription.close()
        self._watched.clear()
        self._terminal.close()

    async def _receive(self) -> None:
        while True:
            await self._has_room.wait()
            try:
                message = await read_to_service(self._reader)
                if message is None:
                    return
                self._take(message)
            except (LinkError, CodecError):
                # Stop on data that is not the protocol; no reply is sent.
                return

    def _take(self, message: ToService) -> None:
        match message:
            case Watch(topic):
                self._watch(_topic(topic))
            case Unwatch(topic):
                self._unwatch(_topic(topic))
            case Peek(topic):
                self._peek(_topic(topic))
            case Call(call_id, call, given):
                if len(call_id) > LONGEST_ID:
                    raise LinkError("no command has such an id")
                commands = self._terminal.commands_given(given) if self.may_trade else None
                self._asked.add(call_id)
                self._calls.carry_out(call_id, call, commands=commands, listener=self._send_end)
                self._make_room()
            case _:
                self._other(self, message)

    def _send_end(self, ending: Answer | Ended) -> None:
        """Send the verdict of a command, after the views that it may have changed."""
        if isinstance(ending, Answer):
            self._asked.discard(ending.call_id)
        self._send_changes()
        self.send(ending)

    def _send_changes(self) -> None:
        for topic in (*self._watched, *self._peeked):
            if isinstance(topic, _CHANGED_BY_COMMANDS):
                self._queue.append(topic)

    def _watch(self, topic: Topic) -> None:
        # A view that was requested a moment ago is there, or on its way.
        has_view = topic in self._peeked and topic not in self._watched
        if topic not in self._watched:
            if len(self._watched) >= MOST_WATCHED:
                raise LinkError(f"more than {MOST_WATCHED} topics")
            self._peeked.pop(topic, None)
            self._watched[topic] = self._service.hub.subscribe((topic,), self._note)
        if not has_view:
            self._sent.pop(topic, None)
        # At once, not with the next frame: the user has just opened it.
        self._note(topic)

    def _unwatch(self, topic: Topic) -> None:
        subscription = self._watched.pop(topic, None)
        if subscription is not None:
            subscription.close()
        self._peeked.pop(topic, None)
        self._dirty.pop(topic, None)
        self._sent.pop(topic, None)

    def _peek(self, topic: Topic) -> None:
        if topic in self._watched:
            return
        self._peeked.pop(topic, None)
        self._peeked[topic] = None
        if len(self._peeked) > MOST_WATCHED:
            oldest = next(iter(self._peeked))
            del self._peeked[oldest]
            self._sent.pop(oldest, None)
        self._note(topic)

    def _note(self, topic: Topic) -> None:
        self._dirty[topic] = None
        if topic == StatusTopic():
            # Unwatched topics mark nothing as changed, nor do the prices of positions: they are checked
            # about once a second.
            self._dirty.update(self._peeked)
            self._dirty.update(dict.fromkeys(self._watched.keys() & {AccountTopic()}))
        self._wake.set()

    async def _send(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._queue or self._dirty:
                for message in self._next():
                    self._writer.write(message)
                try:
                    await self._writer.drain()
                except OSError:
                    return
                if self._is_ending and not self._queue:
                    return

    def _next(self) -> tuple[bytes, ...]:
        if not self._queue:
            topic = next(iter(self._dirty))
            return self._newest(topic)
        first = self._queue.popleft()
        self._make_room()
        return (first,) if isinstance(first, bytes) else self._newest(first)

    def _newest(self, topic: Topic) -> tuple[bytes, ...]:
        """Return a topic's current view, or nothing if the terminal has it."""
        self._dirty.pop(topic, None)
        if topic == _LOG:
            return self._new_entries()
        if topic not in self._watched and topic not in self._peeked:
            return ()
        view, before = self._terminal.queries.view(topic), self._sent.get(topic)
        if view is before or view == before:
            return ()
        self._sent[topic] = view
        self._version += 1
        if topic in self._watched and isinstance(view, RowBooksView):
            view = changed_books(view, before)
        return (pack(View(encode(topic), self._version, encode(view))),)

    def _new_entries(self) -> tuple[bytes, ...]:
        log = self._terminal.queries.log()
        new = tuple(entry for entry in log.entries if entry.sequence > self._log_sent)
        if not new:
            return ()
        self._log_sent = new[-1].sequence
        return (pack(Events(encode(new), log.dropped)),)


def changed_books(view: RowBooksView, before: object) -> RowBooksView:
    """Return the books that changed since the view the terminal has."""
    if not isinstance(before, RowBooksView):
        return view
    pairs = zip(view.books, before.books, strict=True)
    return RowBooksView(tuple(book for book, old in pairs if book is not old and book != old))


def _topic(data: bytes) -> Topic:
    topic = decode(data, Topic)
    if not isinstance(topic, Topic):
        raise LinkError("no topic")
    return topic
