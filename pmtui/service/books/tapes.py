"""The tapes of all subscribed tokens: live trades, and missed ones from the public history.

Trades from before the subscription, and from interruptions of the stream, are backfilled. A backfill
is best effort: if it fails, the tape shows what it has and where trades may be missing, and a log
entry says why. The history lags by some seconds, so a gap is requested more than once.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime

from pmtui.domain.answers import Failure
from pmtui.domain.books.market_events import TradePrinted
from pmtui.domain.books.tape import MARGIN, PastTrades, TapeGap, has_caught_up, to_tape_of
from pmtui.domain.health import Source
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.history import Interval
from pmtui.domain.markets.price_path import PricePath
from pmtui.domain.orders.order import TradePrint
from pmtui.service.books.tracked_books import Tracked
from pmtui.service.kernel import Kernel
from pmtui.service.topics import BookTopic, HistoryTopic, TapeTopic, Topic
from pmtui.service.views import Level, TapeView


class Tapes:
    """Public trades by token."""

    def __init__(self, kernel: Kernel, tracked: Mapping[TokenId, Tracked]) -> None:
        """Use the tapes of the tracked books, which change over time."""
        self._kernel = kernel
        self._tracked = tracked
        self._listeners: list[Callable[[], None]] = []
        self.last_trade_at: datetime | None = None
        """Time of the newest public trade received, by the venue's clock."""

    def on_gap(self, listener: Callable[[], None]) -> None:
        """Call `listener` when there is a gap that the history may fill."""
        self._listeners.append(listener)

    def view(self, token_id: TokenId) -> TapeView:
        """Return a token's public trades, newest first."""
        tracked = self._tracked.get(token_id)
        return TapeView((), 0) if tracked is None else tracked.tape.view()

    def path(self, token_id: TokenId) -> PricePath:
        """Return the prices of a token's trades; empty if it is not followed."""
        tracked = self._tracked.get(token_id)
        return PricePath() if tracked is None else tracked.tape.path

    def apply(self, event: TradePrinted, token_ids: Iterable[TokenId]) -> tuple[TokenId, ...]:
        """Add a trade to the tapes of a market's tokens; return the subscribed ones."""
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
                if tracked.tape.is_half_new:
                    # Charts continue their history by the tape, which soon drops these trades.
                    self._mark_charts(token_id)
                heard.append(token_id)
        return tuple(heard)

    def forget_after(self, at: datetime) -> None:
        """Forget the trades after a moment, because a replay was moved back to it."""
        newest = self.last_trade_at
        self.last_trade_at = at if newest is not None and newest > at else newest
        for token_id, tracked in self._tracked.items():
            tracked.tape.forget_after(at)
            self._mark(token_id)

    def claim_past(self, token_ids: Iterable[TokenId]) -> tuple[TokenId, ...]:
        """Return the tokens whose earlier trades were not requested yet, and mark them as requested."""
        kept = ((token_id, self._tracked.get(token_id)) for token_id in token_ids)
        return tuple(token_id for token_id, tracked in kept if tracked and tracked.claim_past())

    def add_past(self, trades: tuple[TradePrint, ...], token_ids: Iterable[TokenId]) -> None:
        """Add a market's earlier trades to the tapes of its tokens."""
        for token_id in token_ids:
            tracked = self._tracked.get(token_id)
            if tracked is not None:
                tracked.add_past(trades)
                self._apply_last(tracked)
                self._mark(token_id)

    def start_gaps(self, token_ids: Iterable[TokenId]) -> None:
        """Begin a gap: no trades of some tokens are received from now on."""
        now = self._kernel.clock.now()
        for token_id in token_ids:
            tracked = self._tracked.get(token_id)
            if tracked is not None and tracked.changed_at is not None:
                tracked.tape.start_gap(now)
                self._kernel.mark(TapeTopic(token_id))

    def doubt(self, token_id: TokenId) -> None:
        """Assume missed trades although the stream continues: the token's book lost a message."""
        tracked = self._tracked.get(token_id)
        if tracked is not None:
            tracked.tape.doubt(self._kernel.clock.now())
            self._report_gap(token_id)

    def resume(self, token_id: TokenId) -> None:
        """End a token's gap: its trades are received from now on."""
        tracked = self._tracked.get(token_id)
        gap = tracked.tape.gap if tracked is not None else None
        if tracked is not None and gap is not None and gap.before is None:
            tracked.tape.resume(self._kernel.clock.now())
            self._report_gap(token_id)

    def gaps(self, token_ids: Iterable[TokenId]) -> dict[TokenId, TapeGap]:
        """Return the gaps of some tokens that can be filled now."""
        found = {}
        for token_id in token_ids:
            tracked = self._tracked.get(token_id)
            gap = tracked.tape.gap if tracked is not None else None
            if gap is not None and gap.before is not None:
                found[token_id] = gap
        return found

    def fill(self, past: PastTrades, token_ids: Iterable[TokenId]) -> None:
        """Merge a market's history into the gaps of its tokens' tapes."""
        for token_id in token_ids:
            tracked = self._tracked.get(token_id)
            if tracked is not None:
                tick = tracked.book.tick_size
                tracked.tape.fill(to_tape_of(token_id, each, tick=tick) for each in past.prints)
                self._apply_last(tracked)
                self._mark(token_id)

    def close_gaps(self, past: PastTrades, token_ids: Iterable[TokenId]) -> tuple[TapeGap, ...]:
        """Stop filling gaps; return those that remain."""
        left = []
        for token_id in token_ids:
            tracked = self._tracked.get(token_id)
            if tracked is not None:
                left.append(tracked.tape.close_gap(past))
                self._kernel.mark(TapeTopic(token_id))
        return tuple(gap for gap in left if gap is not None)

    def _apply_last(self, tracked: Tracked) -> None:
        prints = tracked.tape.view().prints
        if prints:
            tracked.book.apply_own_last_price(prints[0].price)

    def _mark(self, token_id: TokenId) -> None:
        # The ladder shows the volume traded at its prices.
        self._kernel.mark(TapeTopic(token_id))
        self._kernel.mark(BookTopic(token_id))
        self._mark_charts(token_id)

    def _mark_charts(self, token_id: TokenId) -> None:
        for interval in Interval:
            self._kernel.mark(HistoryTopic(token_id, interval))

    def _report_gap(self, token_id: TokenId) -> None:
        self._kernel.mark(TapeTopic(token_id))
        for listener in self._listeners:
            listener()


def _moment(milliseconds: str) -> datetime | None:
    if not (milliseconds.isascii() and milliseconds.isdigit() and len(milliseconds) <= 14):
        return None
    return datetime.fromtimestamp(int(milliseconds) / 1000, tz=UTC)


PAUSES_S = (1.0, 4.0, 15.0, 40.0)
"""Before each request for missing trades; the public history lags by up to a minute."""
_NOTHING = PastTrades((), is_whole=False)


class TapeBackfill:
    """Fetches the missing trades of every market whose tape is watched."""

    def __init__(
        self,
        kernel: Kernel,
        tapes: Tapes,
        *,
        market_of: Callable[[TokenId], ConditionId | None],
        pair_of: Callable[[TokenId], tuple[TokenId, ...]],
    ) -> None:
        """Start without markets."""
        self._kernel = kernel
        self._tapes = tapes
        self._market_of = market_of
        self._pair_of = pair_of
        tapes.on_gap(self.request_missing)

    def on_demand(self, topic: Topic) -> None:
        """Follow the watched topics."""
        if isinstance(topic, TapeTopic):
            self.request_missing()

    def request_missing(self) -> None:
        """Request the history of watched tapes that was not requested yet."""
        for topic in self._kernel.hub.watched():
            if isinstance(topic, TapeTopic):
                self._ask(topic.token_id)

    def _ask(self, token_id: TokenId) -> None:
        condition_id = self._market_of(token_id)
        if condition_id is None:
            return
        pair = self._pair_of(token_id)
        wanted = self._tapes.claim_past(pair)
        if wanted:
            self._kernel.start("past trades", lambda: self._fetch(condition_id, wanted))
        if self._tapes.gaps(pair):
            self._kernel.start_unless_running(
                ("tape gap", condition_id), "missed trades", lambda: self._mend(condition_id, pair)
            )

    async def _fetch(self, condition_id: ConditionId, wanted: tuple[TokenId, ...]) -> None:
        hosts = await self._kernel.hosts()
        answer = self._kernel.check(Source.ANALYTICS, await hosts.analytics.trades(condition_id))
        if isinstance(answer, Failure):
            text = f"older trades not loaded: {answer}"
            self._kernel.log.add(Level.INFO, "analytics", text)
            return
        self._tapes.add_past(answer, wanted)

    async def _mend(self, condition_id: ConditionId, pair: tuple[TokenId, ...]) -> None:
        """Fetch until a market's gaps are filled, or the history has certainly caught up."""
        hosts = await self._kernel.hosts()
        tries = 0
        known = self._tapes.gaps(pair)
        while known:
            await self._kernel.clock.sleep(PAUSES_S[tries])
            before, known = known, self._tapes.gaps(pair)
            if known != before:
                # Interrupted again meanwhile, or the other outcome is received again too.
                tries = min(tries, 1)
                continue
            since = min(gap.after for gap in known.values()) - MARGIN
            answer = self._kernel.check(
                Source.ANALYTICS, await hosts.analytics.trades_since(condition_id, since)
            )
            tries += 1
            if self._tapes.gaps(pair) != known:
                tries = 1
                continue
            past = _NOTHING if isinstance(answer, Failure) else answer
            self._tapes.fill(past, known)
            is_complete = all(has_caught_up(gap, past) for gap in known.values())
            if is_complete or tries == len(PAUSES_S):
                why = str(answer) if isinstance(answer, Failure) else ""
                self._close_gaps(past, tuple(known), why)
                return

    def _close_gaps(self, past: PastTrades, token_ids: tuple[TokenId, ...], why: str) -> None:
        left = self._tapes.close_gaps(past, token_ids)
        if left:
            why = why or "the public history does not reach back to them"
            text = f"trades that the stream missed are not shown: {why}"
            self._kernel.log.add(Level.WARNING, "analytics", text)
