"""The tapes of all tokens that are heard: trades as they come, and the holes that a break leaves."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime

from pmtui.domain.books.market_events import TradePrinted
from pmtui.domain.books.tape import PastTrades, TapeGap, to_tape_of
from pmtui.domain.ids import TokenId
from pmtui.domain.orders.order import TradePrint
from pmtui.service.books.tracked_books import Tracked
from pmtui.service.kernel import Kernel
from pmtui.service.topics import BookTopic, TapeTopic
from pmtui.service.views import TapeView


class Tapes:
    """Public trades by token."""

    def __init__(self, kernel: Kernel, tracked: Mapping[TokenId, Tracked]) -> None:
        """Keep the tapes of what is tracked, whatever that comes to be."""
        self._kernel = kernel
        self._tracked = tracked
        self._listeners: list[Callable[[], None]] = []
        self.last_trade_at: datetime | None = None
        """Of the newest public trade that was heard, by the venue's clock."""

    def on_gap(self, listener: Callable[[], None]) -> None:
        """Tell this listener when there is a hole that the history may fill."""
        self._listeners.append(listener)

    def view(self, token_id: TokenId) -> TapeView:
        """Return a token's public trades, newest first."""
        tracked = self._tracked.get(token_id)
        return TapeView((), 0) if tracked is None else tracked.tape.view()

    def apply(self, event: TradePrinted, token_ids: Iterable[TokenId]) -> tuple[TokenId, ...]:
        """Put a trade on the tapes of a market's tokens; return those that are heard."""
        at = _moment(event.timestamp) or self._kernel.clock.now()
        trade = TradePrint(
            event.token_id, event.side, event.price, event.size, at, event.transaction_hash
        )
        self.last_trade_at = max(at, self.last_trade_at or at)
        heard = []
        for token_id in token_ids:
            tracked = self._tracked.get(token_id)
            if tracked is not None:
                tracked.tape.add(to_tape_of(token_id, trade))
                self._kernel.mark(TapeTopic(token_id))
                heard.append(token_id)
        return tuple(heard)

    def want_past(self, token_ids: Iterable[TokenId]) -> tuple[TokenId, ...]:
        """Return those of some tokens whose tapes have no past yet; from now on it is coming."""
        kept = ((token_id, self._tracked.get(token_id)) for token_id in token_ids)
        return tuple(token_id for token_id, tracked in kept if tracked and tracked.want_past())

    def add_past(self, trades: tuple[TradePrint, ...], token_ids: Iterable[TokenId]) -> None:
        """Put a market's trades of before on the tapes of its tokens."""
        for token_id in token_ids:
            tracked = self._tracked.get(token_id)
            if tracked is not None:
                tracked.add_past(trades)
                self._tell_last(tracked)
                self._mark(token_id)

    def lose(self, token_ids: Iterable[TokenId]) -> None:
        """Hear no trades of some tokens from now on."""
        now = self._kernel.clock.now()
        for token_id in token_ids:
            tracked = self._tracked.get(token_id)
            if tracked is not None and tracked.heard_at is not None:
                tracked.tape.lose(now)
                self._kernel.mark(TapeTopic(token_id))

    def doubt(self, token_id: TokenId) -> None:
        """Take it that trades were missed although the stream goes on: its book lost a message."""
        tracked = self._tracked.get(token_id)
        if tracked is not None:
            tracked.tape.doubt(self._kernel.clock.now())
            self._tell_gap(token_id)

    def hear_again(self, token_id: TokenId) -> None:
        """Hear trades of a token from now on."""
        tracked = self._tracked.get(token_id)
        gap = tracked.tape.gap if tracked is not None else None
        if tracked is not None and gap is not None and gap.before is None:
            tracked.tape.hear_again(self._kernel.clock.now())
            self._tell_gap(token_id)

    def gaps(self, token_ids: Iterable[TokenId]) -> dict[TokenId, TapeGap]:
        """Return the holes of some tokens that can be filled now."""
        found = {}
        for token_id in token_ids:
            tracked = self._tracked.get(token_id)
            gap = tracked.tape.gap if tracked is not None else None
            if gap is not None and gap.before is not None:
                found[token_id] = gap
        return found

    def fill(self, past: PastTrades, token_ids: Iterable[TokenId]) -> None:
        """Weave a market's history into the tapes of its tokens where they have holes."""
        for token_id in token_ids:
            tracked = self._tracked.get(token_id)
            if tracked is not None:
                tick = tracked.book.tick_size
                tracked.tape.fill(to_tape_of(token_id, each, tick=tick) for each in past.prints)
                self._tell_last(tracked)
                self._mark(token_id)

    def settle(self, past: PastTrades, token_ids: Iterable[TokenId]) -> tuple[TapeGap, ...]:
        """Look no further for what holes lack; return those that remain."""
        left = []
        for token_id in token_ids:
            tracked = self._tracked.get(token_id)
            if tracked is not None:
                left.append(tracked.tape.settle(past))
                self._kernel.mark(TapeTopic(token_id))
        return tuple(gap for gap in left if gap is not None)

    def _tell_last(self, tracked: Tracked) -> None:
        prints = tracked.tape.view().prints
        if prints:
            tracked.book.apply_own_last_price(prints[0].price)

    def _mark(self, token_id: TokenId) -> None:
        # The ladder shows what traded at its prices.
        self._kernel.mark(TapeTopic(token_id))
        self._kernel.mark(BookTopic(token_id))

    def _tell_gap(self, token_id: TokenId) -> None:
        self._kernel.mark(TapeTopic(token_id))
        for listener in self._listeners:
            listener()


def _moment(milliseconds: str) -> datetime | None:
    if not (milliseconds.isascii() and milliseconds.isdigit() and len(milliseconds) <= 14):
        return None
    return datetime.fromtimestamp(int(milliseconds) / 1000, tz=UTC)
