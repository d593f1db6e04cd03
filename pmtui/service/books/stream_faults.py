"""Faults of the streams: a lost market stream, and messages that could not be understood.

With many subscribed tokens the market stream has several sockets, and its health is that of the
worst. A trading screen depends on the one socket of its own market.
"""

from collections import Counter
from collections.abc import Callable, Iterable

from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.formats import shorten_id
from pmtui.domain.health import HealthState, SourceHealth
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.service.hub import Hub
from pmtui.service.kernel import Kernel
from pmtui.service.log import Log
from pmtui.service.topics import BookTopic, MarketTopic
from pmtui.service.views import Level

_SILENT = frozenset({BookState.LOADING, BookState.STALE})
"""Book states in which the stream sends nothing: no data is lost with the stream."""
_LOST = frozenset({HealthState.DOWN, HealthState.CONNECTING})


class StreamLoss:
    """Checks the sockets of the books on trading screens."""

    def __init__(
        self,
        hub: Hub,
        *,
        disconnected: Callable[[], frozenset[TokenId]],
        book_of: Callable[[TokenId], BookView],
        market_of: Callable[[TokenId], ConditionId | None],
        has_ended: Callable[[ConditionId], bool],
    ) -> None:
        """Create the check.

        Args:
            hub: knows the watched topics.
            disconnected: returns the tokens whose sockets are not open.
            book_of: returns a book's state before its feed handles the sockets.
            market_of: returns the market of a token; None while unknown.
            has_ended: whether a market is closed: its socket may close, too.
        """
        self._hub = hub
        self._disconnected = disconnected
        self._book_of = book_of
        self._market_of = market_of
        self._has_ended = has_ended

    def is_lost(self, stream: SourceHealth) -> bool:
        """Whether the socket of a market on screen has just been lost.

        If no market is on screen, closing a socket loses nothing unless the socket fails.
        """
        if stream.state not in _LOST:
            return False
        if stream.state is HealthState.DOWN:
            return self.is_down(stream)
        disconnected = self._on_show() & self._disconnected()
        return any(self._book_of(token_id).state not in _SILENT for token_id in disconnected)

    def is_down(self, stream: SourceHealth) -> bool:
        """Whether the sockets of the markets on screen are down; without any, whether some socket fails."""
        on_show = self._on_show()
        return stream.state is HealthState.DOWN and (
            not on_show or bool(on_show & self._disconnected())
        )

    def _on_show(self) -> frozenset[TokenId]:
        """Return the tokens of open markets on trading screens, not those of lists and quotes."""
        watched = self._hub.watched()
        markets = {
            topic.condition_id
            for topic in watched
            if isinstance(topic, MarketTopic) and not self._has_ended(topic.condition_id)
        }
        return frozenset(
            topic.token_id
            for topic in watched
            if isinstance(topic, BookTopic) and self._market_of(topic.token_id) in markets
        )


CHECK_PERIOD_S = 5.0
_DECADES = frozenset({10, 100, 1_000, 10_000, 100_000})
MOST_KINDS_TOLD = 50
"""A host that invents kinds endlessly must not fill the log."""


class BookLosses:
    """Reports books that had to be fetched again, without a log entry for each time.

    On a slow connection or a busy machine that happens all day and resolves itself; the ladder shows
    the state of the book meanwhile.
    """

    def __init__(self, log: Log, title_of: Callable[[TokenId], str | None]) -> None:
        self._log = log
        self._title_of = title_of
        self._counts: Counter[TokenId] = Counter()

    def report(self, token_id: TokenId) -> None:
        """Count one more; report the first of a token, and every tenfold number."""
        self._counts[token_id] += 1
        count = self._counts[token_id]
        if count > 1 and count not in _DECADES:
            return
        name = self._title_of(token_id) or shorten_id(token_id)
        often = f" ({count} times so far)" if count > 1 else ""
        text = f"a message was missing, book fetched again{often}: {name}"
        self._log.add(Level.INFO if count == 1 else Level.WARNING, "stream", text)

    def forget(self, token_id: TokenId) -> None:
        """Restart the count in case a book is wanted again."""
        del self._counts[token_id]


class MalformedMessages:
    """Watches the counters of the streams."""

    def __init__(self, kernel: Kernel, counts: Callable[[], Iterable[dict[str, int]]]) -> None:
        self._kernel = kernel
        self._counts = counts
        self._reported: dict[str, int] = {}

    async def watch(self) -> None:
        """Report a kind when it first occurs, and at every tenfold count."""
        while True:
            await self._kernel.clock.sleep(CHECK_PERIOD_S)
            for counts in self._counts():
                for kind, count in counts.items():
                    self._report(kind, count)

    def _report(self, kind: str, count: int) -> None:
        reported = self._reported.get(kind, 0)
        is_new = not reported and len(self._reported) < MOST_KINDS_TOLD
        if is_new or (reported and count >= reported * 10):
            self._reported[kind] = count
            self._kernel.log.add(Level.INFO, "stream", f"{kind}: {count} so far, ignored")
