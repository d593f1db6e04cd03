"""Turns events of the exchange into frames of the market channel, once for all subscribers.

The hash in a change is that of the book right after it, but the engine's book is already in its final
state when events arrive. So each watched market has its own ladder: a book as text, kept current level
by level, so that a hash costs little more than SHA-1.

Sources: docs/wire.md#market-stream; order of keys and of neighbouring frames as in recordings of 2026.

A market without watchers costs a look-up. A watched one has its own ladder to hash every change. The
last frame of a batch is sometimes held for a few milliseconds: the public venue's frames, too,
sometimes have the hash of a book after later changes.
"""

import asyncio
import hashlib
import random
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Protocol

import msgspec

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, ZERO, Micros, complement, format_micros
from pmtui.sim.catalogue.model import CatalogueEvent, CatalogueMarket
from pmtui.sim.clob.books import last_price_text
from pmtui.sim.clob.markets import iso_time
from pmtui.sim.engine.events import (
    Cause,
    Event,
    LevelChanged,
    MarketAdded,
    MarketRemoved,
    MarketResolved,
    TickSizeChanged,
    Trade,
    TradeMatched,
)
from pmtui.sim.engine.terms import BookView, MarketView
from pmtui.sim.venue import Venue

price_text = lru_cache(maxsize=4_096)(format_micros)
"""Prices are on a grid, so there are few of them."""
HOLD_S = 0.004
"""Swapped frames in recordings are mostly up to 6 ms apart."""


class HalfBook:
    """One side of the first token's book, which is the other side of the second token's.

    Levels are kept with the best last, which is the order of the wire for both tokens.
    """

    __slots__ = ("_joined", "_keys", "_rows", "_sign")

    def __init__(self, *, is_bid: bool) -> None:
        self._sign = 1 if is_bid else -1
        self._keys: list[int] = []
        self._rows: tuple[list[str], list[str]] = ([], [])
        self._joined: list[str | None] = [None, None]

    def put(self, price: Micros, size: Micros) -> None:
        """Set the size of a level in the first token's book; 0 removes it."""
        key = price * self._sign
        index = bisect_left(self._keys, key)
        is_there = index < len(self._keys) and self._keys[index] == key
        self._joined = [None, None]
        if not size:
            if is_there:
                del self._keys[index], self._rows[0][index], self._rows[1][index]
            return
        text = format_micros(size)
        mine = f'{{"price":"{price_text(price)}","size":"{text}"}}'
        other = f'{{"price":"{price_text(complement(price))}","size":"{text}"}}'
        if is_there:
            self._rows[0][index], self._rows[1][index] = mine, other
        else:
            self._keys.insert(index, key)
            self._rows[0].insert(index, mine)
            self._rows[1].insert(index, other)

    def text(self, token_index: int) -> str:
        """Return the levels in prices of one token, as the contents of a JSON array."""
        joined = self._joined[token_index]
        if joined is None:
            joined = self._joined[token_index] = ",".join(self._rows[token_index])
        return joined


class MarketLadder:
    """Both tokens' books of one market, as the public venue sends and hashes them."""

    def __init__(self, market: MarketView, book: BookView) -> None:
        """Start from the engine's book."""
        self.condition_id = market.spec.condition_id
        self.tokens = market.spec.tokens
        self.last_price = last_price_text(market.last_trade_price)
        self._min_size = format_micros(market.spec.min_size)
        self._neg_risk = "true" if market.spec.neg_risk else "false"
        self._bids, self._asks = HalfBook(is_bid=True), HalfBook(is_bid=False)
        for level in book.bids:
            self._bids.put(level.price, level.size)
        for level in book.asks:
            self._asks.put(level.price, level.size)
        self.changed_ms = book.changed_ms
        self._tail = ""
        self.tick_text = ""
        self.change_tick(market.tick_size)

    def apply(self, change: LevelChanged) -> None:
        """Apply a change of a level."""
        is_first = change.token_id == self.tokens[0]
        price = change.price if is_first else complement(change.price)
        is_bid = (change.side is Side.BUY) == is_first
        (self._bids if is_bid else self._asks).put(price, change.size)
        self.changed_ms = change.at_ms

    def trade_at(self, price: Micros) -> None:
        """Apply the price of a trade."""
        self.last_price = last_price_text(price)
        self._write_tail()

    def change_tick(self, tick_size: Micros) -> None:
        """Apply a new tick size."""
        self.tick_text = format_micros(tick_size)
        self._write_tail()

    def _write_tail(self) -> None:
        self._tail = (
            f'],"min_order_size":"{self._min_size}","tick_size":"{self.tick_text}",'
            f'"neg_risk":{self._neg_risk},"last_trade_price":"{self.last_price}"}}'
        )

    def _sides(self, token_index: int) -> tuple[str, str]:
        bids, asks = self._bids, self._asks
        own, other = (bids, asks) if token_index == 0 else (asks, bids)
        return own.text(token_index), other.text(token_index)

    def hash(self, token_index: int, timestamp_ms: int) -> str:
        """Return the hash of one token's book at a time (canonical form: `book_json`)."""
        bids, asks = self._sides(token_index)
        canonical = (
            f'{{"market":"{self.condition_id}","asset_id":"{self.tokens[token_index]}",'
            f'"timestamp":"{timestamp_ms}","hash":"","bids":[{bids}],"asks":[{asks}{self._tail}'
        )
        # The public venue's own choice of hash; it protects against loss, not against attackers.
        return hashlib.sha1(canonical.encode(), usedforsecurity=False).hexdigest()

    def hashes(self, timestamp_ms: int) -> tuple[str, str]:
        """Return the hashes of both tokens' books at a time."""
        return self.hash(0, timestamp_ms), self.hash(1, timestamp_ms)

    def book_frame(self, token_index: int, *, with_last_price: bool) -> str:
        """Return one token's `book` event, stamped with the time of the book's last change."""
        bids, asks = self._sides(token_index)
        last = f',"last_trade_price":"{self.last_price}"' if with_last_price else ""
        return (
            f'{{"market":"{self.condition_id}","asset_id":"{self.tokens[token_index]}",'
            f'"timestamp":"{self.changed_ms}","hash":"{self.hash(token_index, self.changed_ms)}",'
            f'"bids":[{bids}],"asks":[{asks}],"tick_size":"{self.tick_text}",'
            f'"event_type":"book"{last}}}'
        )

    def index_of(self, token_id: TokenId) -> int:
        """Return which of the two tokens this is."""
        return self.tokens.index(token_id)


SWAP_CHANCE = 0.05
"""Per pair of neighbouring frames of one market (recordings of 2026: 4 to 6 %)."""
REVERSAL_CHANCE = 0.01
REVERSAL_FRAMES = 8


@dataclass(frozen=True, slots=True)
class Frame:
    """One event, ready to send."""

    data: bytes
    token_id: TokenId | None = None
    """The token whose subscribers receive it; None for subscribers of either token."""
    is_custom: bool = False
    """Whether only connections with `custom_feature_enabled` receive it."""
    level: tuple[TokenId, Micros] | None = None
    """The level it sets, if it may be swapped with a neighbour; None if it may not."""
    heralds: tuple["Frame", ...] = field(default=())
    """Frames sent immediately before it."""
    at_ms: int = 0
    """Its time, if it sets a level."""
    hashes: tuple[str, str] = ("", "")
    """Hashes of the books of the market's tokens, in order, if it sets a level."""

    def hashed_as(self, hashes: tuple[str, str]) -> "Frame":
        """Return the frame with the hashes of a book after later changes."""
        data = self.data
        for mine, other in zip(self.hashes, hashes, strict=True):
            data = data.replace(f'"hash":"{mine}"'.encode(), f'"hash":"{other}"'.encode())
        return replace(self, data=data, hashes=hashes)


def price_change_frame(change: LevelChanged, ladder: MarketLadder) -> Frame:
    """Return the frame of a changed level for both tokens; `ladder` has the book after it.

    A change of the top of book is preceded by its pair of best_bid_ask events.
    """
    mine = ladder.index_of(change.token_id)
    at_ms = change.at_ms
    bid, ask = _shown(change.best_bid, ZERO), _shown(change.best_ask, ONE)
    size, side = format_micros(change.size), change.side
    hashes = ladder.hashes(at_ms)
    first = (
        f'{{"asset_id":"{change.token_id}","price":"{price_text(change.price)}","size":"{size}",'
        f'"side":"{side.value}","hash":"{hashes[mine]}",'
        f'"best_bid":"{price_text(bid)}","best_ask":"{price_text(ask)}"}}'
    )
    second = (
        f'{{"asset_id":"{change.other_token_id}","price":"{price_text(complement(change.price))}",'
        f'"size":"{size}","side":"{side.opposite.value}","hash":"{hashes[1 - mine]}",'
        f'"best_bid":"{price_text(complement(ask))}","best_ask":"{price_text(complement(bid))}"}}'
    )
    text = (
        f'{{"market":"{change.condition_id}","price_changes":[{first},{second}],'
        f'"timestamp":"{at_ms}","event_type":"price_change"}}'
    )
    if change.is_top_moved:
        return Frame(text.encode(), heralds=_best_frames(change, bid, ask))
    first_price = change.price if mine == 0 else complement(change.price)
    level = (ladder.tokens[0], first_price)
    return Frame(text.encode(), level=level, at_ms=at_ms, hashes=hashes)


def _shown(best: Micros | None, empty: Micros) -> Micros:
    return empty if best is None else best


def _best_frames(change: LevelChanged, bid: Micros, ask: Micros) -> tuple[Frame, Frame]:
    def best(token_id: TokenId, bid: Micros, ask: Micros) -> Frame:
        text = (
            f'{{"market":"{change.condition_id}","asset_id":"{token_id}",'
            f'"best_bid":"{price_text(bid)}","best_ask":"{price_text(ask)}",'
            f'"spread":"{price_text(Micros(ask - bid))}","timestamp":"{change.at_ms}",'
            f'"event_type":"best_bid_ask"}}'
        )
        return Frame(text.encode(), token_id=token_id, is_custom=True)

    return (
        best(change.token_id, bid, ask),
        best(change.other_token_id, complement(ask), complement(bid)),
    )


def trade_frame(trade: Trade) -> Frame:
    """Return the frame of a public trade, from the taker's side."""
    text = (
        f'{{"market":"{trade.condition_id}","asset_id":"{trade.token_id}",'
        f'"price":"{price_text(trade.price)}","size":"{format_micros(trade.size)}",'
        f'"fee_rate_bps":"0","side":"{trade.side.value}","timestamp":"{trade.matched_ms}",'
        f'"event_type":"last_trade_price","transaction_hash":"{trade.transaction_hash}"}}'
    )
    # Both tokens share the price, and hash it: subscribers of either need it.
    return Frame(text.encode())


def book_frames(ladder: MarketLadder) -> list[Frame]:
    """Return both tokens' books as they are sent again in mid-stream: without last trade price."""
    return [
        Frame(ladder.book_frame(index, with_last_price=False).encode(), token_id=token_id)
        for index, token_id in enumerate(ladder.tokens)
    ]


def tick_frames(event: TickSizeChanged, ladder: MarketLadder) -> list[Frame]:
    """Return the frames of a new tick size for both tokens."""
    return [
        _json_frame(
            {
                "event_type": "tick_size_change",
                "asset_id": token_id,
                "market": event.condition_id,
                "old_tick_size": format_micros(event.old),
                "new_tick_size": format_micros(event.new),
                "timestamp": str(event.at_ms),
            },
            token_id=token_id,
        )
        for token_id in ladder.tokens
    ]


def new_market_frame(market: CatalogueMarket, event: CatalogueEvent, *, at_ms: int) -> Frame:
    """Return the announcement of a market, for connections that requested such events."""
    raw = market.raw
    return _json_frame(
        {
            "id": market.market_id,
            "question": market.question,
            "market": market.condition_id,
            "slug": market.slug,
            "description": raw.get("description", ""),
            "assets_ids": market.token_ids,
            "outcomes": market.outcomes,
            "event_message": _event_message(event),
            "timestamp": str(at_ms),
            "event_type": "new_market",
            "tags": _labels(event),
            "condition_id": market.condition_id,
            "active": True,
            "clob_token_ids": market.token_ids,
            "sports_market_type": raw.get("sportsMarketType", ""),
            "line": str(raw.get("line", "")),
            "game_start_time": iso_time(raw, "gameStartTime") or "",
            "order_price_min_tick_size": format_micros(market.tick_size),
            "group_item_title": raw.get("groupItemTitle", ""),
            "taker_base_fee": str(raw.get("takerBaseFee", 0)),
            "fees_enabled": market.fee.rate > 0,
            "fee_schedule": {
                "exponent": str(market.fee.exponent),
                "rate": format_micros(market.fee.rate),
                "taker_only": market.fee.taker_only,
                "rebate_rate": format_micros(market.fee.rebate_rate),
            },
        },
        is_custom=True,
    )


def resolved_frame(
    resolved: MarketResolved, market: CatalogueMarket, event: CatalogueEvent
) -> Frame:
    """Return the announcement of a market's resolution."""
    winner = resolved.winning_token_id
    labels = dict(zip(market.token_ids, market.outcomes, strict=False))
    return _json_frame(
        {
            "id": market.market_id,
            "market": resolved.condition_id,
            "assets_ids": market.token_ids,
            "winning_asset_id": winner or "",
            "winning_outcome": labels.get(winner, "") if winner else "",
            "event_message": _event_message(event),
            "timestamp": str(resolved.at_ms),
            "event_type": "market_resolved",
            "tags": _labels(event),
        },
        is_custom=True,
    )


def _event_message(event: CatalogueEvent) -> dict[str, object]:
    return {
        "id": event.event_id,
        "ticker": event.raw.get("ticker", event.slug),
        "slug": event.slug,
        "title": event.title,
        "description": event.raw.get("description", ""),
    }


def _labels(event: CatalogueEvent) -> list[object]:
    tags = event.raw.get("tags")
    rows = tags if isinstance(tags, Sequence) else ()
    return [tag.get("label", "") for tag in rows if isinstance(tag, Mapping)]


def _json_frame(
    body: Mapping[str, object], *, token_id: TokenId | None = None, is_custom: bool = False
) -> Frame:
    return Frame(msgspec.json.encode(body), token_id=token_id, is_custom=is_custom)


def in_arrival_order(frames: Sequence[Frame], rng: random.Random) -> list[Frame]:
    """Return the frames of one market in a client's order of arrival: some are swapped.

    Only changes of different levels away from the top, within one millisecond, are swapped, as in
    every recording: neither the resulting ladder nor the top announced by a frame is ever wrong
    because of it. All swapped frames have the hash of the book after the last of them: the public
    venue hashes its engine's state by then.
    """
    result = list(frames)
    index = 0
    while index + 1 < len(result):
        run = _free_run(result, index)
        draw = rng.random()
        if run >= 3 and draw < REVERSAL_CHANCE:
            _reverse(result, index, run)
            index += run
        elif run >= 2 and draw < SWAP_CHANCE:
            _reverse(result, index, 2)
            index += 2
        else:
            index += 1
    return result


def _reverse(frames: list[Frame], start: int, count: int) -> None:
    run = frames[start : start + count]
    frames[start : start + count] = [frame.hashed_as(run[-1].hashes) for frame in reversed(run)]


def _free_run(frames: Sequence[Frame], start: int) -> int:
    # The length of the run of frames from here on that set different levels at the same time.
    seen: set[tuple[TokenId, Micros]] = set()
    for frame in frames[start : start + REVERSAL_FRAMES]:
        if frame.level is None or frame.level in seen or frame.at_ms != frames[start].at_ms:
            break
        seen.add(frame.level)
    return len(seen)


class Watcher(Protocol):
    """A connection that subscribes to events of some markets."""

    def receive_frames(self, frames: Sequence[Frame]) -> None:
        """Send the relevant ones of these frames; must not block."""
        ...


class MarketBooks(Protocol):
    """Both books of one market, for a connection that starts to watch them."""

    def index_of(self, token_id: TokenId) -> int:
        """Return which of the two tokens this is."""
        ...

    def book_frame(self, token_index: int, *, with_last_price: bool) -> str | None:
        """Return one token's `book` event; None if there is no book yet."""
        ...


class MarketFeed(Protocol):
    """The source of the market channel's events."""

    def watch(self, condition_id: ConditionId, watcher: Watcher) -> MarketBooks | None:
        """Send a market's events to a watcher from now on; return None if there is no such market."""
        ...

    def unwatch(self, condition_id: ConditionId, watcher: Watcher) -> None:
        """Stop sending a subscriber events of a market."""
        ...

    def watch_listings(self, watcher: Watcher) -> None:
        """Announce new markets to a subscriber."""
        ...

    def leave(self, watcher: Watcher) -> None:
        """Remove a watcher."""
        ...


@dataclass(slots=True)
class _WatchedMarket:
    ladder: MarketLadder
    watchers: dict[Watcher, None] = field(default_factory=dict)
    held: Frame | None = None
    pending: list[Frame] = field(default_factory=list)
    last_trade: TradeMatched | None = None


class Publisher:
    """The market data of one venue."""

    def __init__(self, venue: Venue, *, is_disorderly: bool = True) -> None:
        """Subscribe to a venue.

        Args:
            venue: the venue.
            is_disorderly: whether some frames may overtake others, as on the public venue.
        """
        self._venue = venue
        self._random = random.Random(f"{venue.seed}/publisher")
        self._is_disorderly = is_disorderly
        self._markets: dict[ConditionId, _WatchedMarket] = {}
        self._everywhere: dict[Watcher, None] = {}
        self._before_watch: list[Callable[[ConditionId], None]] = []
        venue.subscribe(self._on_events)

    def is_watched(self, condition_id: ConditionId) -> bool:
        """Return whether a market has watchers."""
        return condition_id in self._markets

    @property
    def watched(self) -> Iterable[ConditionId]:
        """Return the markets with watchers."""
        return self._markets.keys()

    def before_watch(self, prepare: Callable[[ConditionId], None]) -> None:
        """Call `prepare` before a market gets its first watcher."""
        self._before_watch.append(prepare)

    def ladder(self, condition_id: ConditionId) -> MarketLadder | None:
        """Return the books of a watched market."""
        market = self._markets.get(condition_id)
        return None if market is None else market.ladder

    def watch(self, condition_id: ConditionId, watcher: Watcher) -> MarketLadder | None:
        """Send a market's events to a watcher from now on.

        Returns:
            The market's current books; None if there is no such market.
        """
        market = self._markets.get(condition_id)
        if market is None:
            for prepare in self._before_watch:
                prepare(condition_id)
            reads = self._venue.exchange.reads
            view = reads.market(condition_id)
            book = None if view is None else reads.book(view.spec.tokens[0])
            if view is None or book is None:
                return None
            market = self._markets[condition_id] = _WatchedMarket(MarketLadder(view, book))
        # A held frame is already in the ladder: a new watcher must not receive it after its book.
        self._release(market)
        market.watchers[watcher] = None
        return market.ladder

    def unwatch(self, condition_id: ConditionId, watcher: Watcher) -> None:
        """Stop sending a subscriber events of a market."""
        market = self._markets.get(condition_id)
        if market is not None:
            market.watchers.pop(watcher, None)
            if not market.watchers:
                del self._markets[condition_id]

    def watch_listings(self, watcher: Watcher) -> None:
        """Announce new markets to a subscriber."""
        self._everywhere[watcher] = None

    def leave(self, watcher: Watcher) -> None:
        """Remove a watcher."""
        self._everywhere.pop(watcher, None)
        for condition_id in [
            c for c, market in self._markets.items() if watcher in market.watchers
        ]:
            self.unwatch(condition_id, watcher)

    def _on_events(self, events: tuple[Event, ...]) -> None:
        touched: dict[ConditionId, _WatchedMarket] = {}
        for event in events:
            match event:
                case LevelChanged() | TickSizeChanged() | MarketResolved():
                    market = self._markets.get(event.condition_id)
                case TradeMatched(trade=trade):
                    market = self._markets.get(trade.condition_id)
                case MarketRemoved(spec=spec):
                    self._markets.pop(spec.condition_id, None)
                    continue
                case MarketAdded(spec=spec, at_ms=at_ms):
                    self._announce(spec.condition_id, at_ms)
                    continue
                case _:
                    continue
            if market is not None:
                touched[market.ladder.condition_id] = market
                self._follow(market, event)
        for market in touched.values():
            self._end_trade(market)
            self._send_pending(market)

    def _follow(self, market: _WatchedMarket, event: Event) -> None:
        ladder, pending = market.ladder, market.pending
        match event:
            case TradeMatched(trade=trade):
                self._end_trade(market)
                ladder.trade_at(trade.price)
                market.last_trade = event
            case LevelChanged(cause=cause):
                if cause is not Cause.TRADE:
                    self._end_trade(market)
                ladder.apply(event)
                pending.append(price_change_frame(event, ladder))
            case TickSizeChanged(new=new):
                self._end_trade(market)
                ladder.change_tick(new)
                pending += [*tick_frames(event, ladder), *book_frames(ladder)]
            case MarketResolved(condition_id=condition_id):
                self._end_trade(market)
                listed = self._venue.market(condition_id)
                if listed is not None:
                    title = self._venue.catalogue.event_of(listed)
                    pending.append(resolved_frame(event, listed, title))
            case _:
                pass

    def _end_trade(self, market: _WatchedMarket) -> None:
        # The books after a trade come before its print: the public venue's prints are late too.
        if market.last_trade is not None:
            market.pending += book_frames(market.ladder)
            market.pending.append(trade_frame(market.last_trade.trade))
            market.last_trade = None

    def _announce(self, condition_id: ConditionId, at_ms: int) -> None:
        listed = self._venue.market(condition_id)
        if self._everywhere and listed is not None:
            event = self._venue.catalogue.event_of(listed)
            frame = new_market_frame(listed, event, at_ms=at_ms)
            for watcher in tuple(self._everywhere):
                watcher.receive_frames((frame,))

    def _send_pending(self, market: _WatchedMarket) -> None:
        frames = market.pending
        market.pending = []
        if not frames:
            return
        if not self._is_disorderly:
            self._send(market, frames)
            return
        frames = in_arrival_order(frames, self._random)
        held, market.held = market.held, None
        if held is not None:
            if len(frames) == 1 and frames[0].level not in (None, held.level):
                # It was still unsent when the engine applied the next one: hashed together with it.
                held = held.hashed_as(market.ladder.hashes(held.at_ms))
            frames.insert(0, held)
        elif frames[-1].level is not None and self._random.random() < SWAP_CHANCE:
            market.held = frames.pop()
            asyncio.get_running_loop().call_later(HOLD_S, self._release, market)
        self._send(market, frames)

    def _release(self, market: _WatchedMarket) -> None:
        if market.held is not None:
            held, market.held = market.held, None
            self._send(market, [held])

    def _send(self, market: _WatchedMarket, frames: Sequence[Frame]) -> None:
        ordered = [item for frame in frames for item in (*frame.heralds, frame)]
        if ordered:
            for watcher in tuple(market.watchers):
                watcher.receive_frames(ordered)
