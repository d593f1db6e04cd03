"""The local search index: recently seen markets, searched by text within one frame.

The titles are in one lower-cased string, ordered by volume. `str.find` searches tens of thousands of
titles in a few milliseconds; a tree of words would not be fast enough to be worth it.

A market object has thirty values, each an object of its own. A market that is not stored elsewhere
is stored here as bytes, without its long texts, and becomes an object again for display.
"""

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from itertools import accumulate, islice
from typing import NamedTuple, get_type_hints

import msgspec

from pmtui.domain.ids import ConditionId, EventId, MarketId
from pmtui.domain.markets.listing import rolling_series
from pmtui.domain.markets.market import Event, Market


class EventName(NamedTuple):
    """The fields that a packed market leaves to its event, and shares with its siblings."""

    event_id: EventId
    title: str
    slug: str
    window: Event | None = None
    """The event without markets and texts if it is a window of a rolling series."""


_LEFT_OUT = frozenset(("description", "resolution_source", "event_id", "event_title", "event_slug"))
_TYPES = get_type_hints(Market)
_NAMES = tuple(f.name for f in fields(Market) if f.name not in _LEFT_OUT)
# Made from the fields, so that none can be forgotten; in their order, without their names.
_Short = msgspec.defstruct(
    "_Short", [(name, _TYPES[name]) for name in _NAMES], array_like=True, gc=False
)
_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(_Short)


def pack(market: Market) -> bytes:
    """Return a market as bytes."""
    return _ENCODER.encode([getattr(market, name) for name in _NAMES])


def unpack(packed: bytes, event: EventName) -> Market:
    """Return a packed market, without its long texts and with its event's names."""
    short = _DECODER.decode(packed)
    return Market(
        **{name: getattr(short, name) for name in _NAMES},
        event_id=event.event_id,
        event_title=event.title,
        event_slug=event.slug,
    )


MOST_HITS = 100
MOST_KEPT = 20_000
"""Markets, some twenty megabytes; beyond that, the least recently seen ones are dropped."""
MOST_APART = 1_000
"""Markets seen since the string was built, which are searched one by one: a list in view is fetched
again and again, and building the string takes longer than a frame."""
MOST_SHOWN = 400
"""Markets kept as unpacked: a search on the screen is read again and again."""
_BEHIND = 1 << 80
"""Closed markets are sorted after all others."""
_FOLD = str.maketrans({"\n": " ", "’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-"})
_APART = ",'\u00a0\u2009\u202f"
_GROUPED = re.compile(rf"(?<![\d.,])[$€£]?\d{{1,3}}(?:[{_APART}]\d{{3}})+(?![\d,])")
"""A number with thousands separators."""
_NAME = re.compile(r"[^\W\d_a-z]\w+(?: (?:of )?[^\W\d_a-z]\w+)+")
"""Consecutive capitalised words: `European Central Bank`, `Bank of Japan`."""
_NUMBER = re.compile(r"\d+")
_NEVER = datetime.max.replace(tzinfo=UTC)
_SHORTEST = 3
"""Letters of an abbreviation: two would match everywhere."""
_JOINED = str.maketrans(dict.fromkeys(_APART, ""))


def join_thousands(text: str) -> str:
    """Remove thousands separators from numbers: `4000` for `4,000`."""
    return _GROUPED.sub(lambda found: found.group().translate(_JOINED), text)


def fold_text(text: str) -> str:
    """Lower the case and remove accents, so that `sao` finds `São`."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_FOLD))
    return "".join(c for c in decomposed if not unicodedata.combining(c)).lower()


def _plain_numbers(text: str) -> str:
    """Return the numbers with thousands separators without them: users type both forms."""
    return "".join(f" {number.translate(_JOINED)}" for number in _GROUPED.findall(text))


def initials(text: str) -> str:
    """Return abbreviations of long names, each after a blank: ` ECB BoJ`."""
    found = (found.group().split() for found in _NAME.finditer(text))
    short = ("".join(word[0] for word in words) for words in found)
    return "".join(f" {each}" for each in dict.fromkeys(short) if len(each) >= _SHORTEST)


def rank_hits(found: Iterable[Market], now: datetime) -> tuple[Market, ...]:
    """Sort closed markets last, and the windows of a series by their end.

    Names of a series' windows differ only in numbers; together they keep their places.
    """
    places: dict[str, list[int]] = {}
    ordered = sorted(found, key=lambda market: _is_over(market, now))
    for place, market in enumerate(ordered):
        if market.end_at is not None and not _is_over(market, now):
            places.setdefault(_NUMBER.sub("0", market.question), []).append(place)
    for series in places.values():
        ends = sorted((ordered[place] for place in series), key=_end_of)
        for place, market in zip(series, ends, strict=True):
            ordered[place] = market
    return tuple(ordered)


def _is_over(market: Market, now: datetime) -> bool:
    """Return whether trading has ended: the clock shows it before the metadata host does."""
    return market.closed or (market.end_at is not None and market.end_at <= now)


def _end_of(market: Market) -> datetime:
    return market.end_at or _NEVER


class _Entry(NamedTuple):
    """One market."""

    market: Market | bytes
    """Packed, unless it is stored elsewhere anyway."""
    event: EventName
    seen_at: datetime
    weight: int
    """Sort weight among the results: larger ones come first."""


class Found(NamedTuple):
    """A market and the time it was last seen."""

    market: Market
    seen_at: datetime


class SearchIndex:
    """Markets by text. Adding is cheap; the string is rebuilt once it lacks many markets."""

    def __init__(self, *, most: int = MOST_KEPT) -> None:
        self._most = most
        self._entries: dict[MarketId, _Entry] = {}
        self._fresh: dict[MarketId, str | None] = {}
        """Texts that are not in the string as they are now; None if the text is built on demand."""
        self._blob = ""
        self._starts = array("L")
        """Where each line begins, and where the next one would."""
        self._order: list[MarketId] = []
        self._shown: dict[MarketId, Market] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, event: Event, seen_at: datetime) -> None:
        """Add or replace every market of an event."""
        name = EventName(event.event_id, event.title, event.slug, _window(event))
        for market in event.markets:
            # Removed first, so that the most recent one is last, and dropped last.
            self._entries.pop(market.market_id, None)
            self._shown.pop(market.market_id, None)
            self._entries[market.market_id] = _Entry(market, name, seen_at, _weight(market))
            self._fresh[market.market_id] = None
        excess = len(self._entries) - self._most
        for market_id in list(islice(self._entries, max(excess, 0))):
            del self._entries[market_id]
            self._fresh.pop(market_id, None)
            self._shown.pop(market_id, None)

    def shorten(self, markets: Iterable[Market]) -> None:
        """Pack some markets that are no longer stored elsewhere."""
        for market in markets:
            entry = self._entries.get(market.market_id)
            if entry is not None and isinstance(entry.market, Market):
                if self._fresh.get(market.market_id, "") is None:
                    self._fresh[market.market_id] = _text(entry.market, entry.event)
                self._entries[market.market_id] = entry._replace(market=pack(entry.market))

    def find(self, text: str) -> tuple[Market, ...]:
        """Return markets whose title or event contains every word, largest 24-hour volume first."""
        words = sorted(fold_text(join_thousands(text)).split(), key=len, reverse=True)
        if not words:
            return ()
        if len(self._fresh) > MOST_APART or not self._order:
            self._rebuild()
        hits: list[MarketId] = []
        position = self._blob.find(words[0])
        while position >= 0 and len(hits) < MOST_HITS:
            index = bisect_right(self._starts, position) - 1
            start, end = self._starts[index], self._starts[index + 1]
            market_id = self._order[index]
            is_current = market_id in self._entries and market_id not in self._fresh
            if is_current and all(self._blob.find(word, start, end - 1) >= 0 for word in words[1:]):
                hits.append(market_id)
            position = self._blob.find(words[0], end)
        hits += self._find_fresh(words)
        hits.sort(key=lambda market_id: self._entries[market_id].weight, reverse=True)
        return self.markets(hits[:MOST_HITS])

    def _find_fresh(self, words: Sequence[str]) -> list[MarketId]:
        """Return the markets with every word among those that the string lacks."""
        for market_id, text in self._fresh.items():
            if text is None:
                self._fresh[market_id] = self._write(market_id)
        return [
            market_id
            for market_id, text in self._fresh.items()
            if text is not None and all(word in text for word in words)
        ]

    def markets(self, market_ids: Iterable[MarketId]) -> tuple[Market, ...]:
        """Return markets as last seen, without long texts; unknown ones are left out."""
        found: list[Market] = []
        for market_id in market_ids:
            entry = self._entries.get(market_id)
            if entry is None:
                continue
            market = entry.market
            if not isinstance(market, Market):
                short = self._shown.get(market_id)
                market = short or unpack(market, entry.event)
                self._shown[market_id] = market
            found.append(market)
        for market_id in list(islice(self._shown, max(len(self._shown) - MOST_SHOWN, 0))):
            del self._shown[market_id]
        return tuple(found)

    def seen_at(self, market_id: MarketId) -> datetime | None:
        """Return when a market was last fetched; None if it is unknown."""
        entry = self._entries.get(market_id)
        return None if entry is None else entry.seen_at

    def window(self, market_id: MarketId) -> Event | None:
        """Return a market's event, without markets and texts, if it is a window of a rolling series."""
        entry = self._entries.get(market_id)
        return None if entry is None else entry.event.window

    def shown(self, condition_id: ConditionId) -> Found | None:
        """Return a recently found market, for opening it before it is fetched."""
        for market_id, market in self._shown.items():
            if market.condition_id == condition_id and market_id in self._entries:
                return Found(market, self._entries[market_id].seen_at)
        return None

    def _rebuild(self) -> None:
        if not self._fresh:
            return
        lines = dict(zip(self._order, self._blob.split("\n"), strict=False))
        for market_id, text in self._fresh.items():
            lines[market_id] = text if text is not None else self._write(market_id)
        self._fresh = {}
        entries = self._entries
        self._order = sorted(entries, key=lambda m: entries[m].weight, reverse=True)
        ordered = [lines[market_id] for market_id in self._order]
        self._blob = "\n".join(ordered)
        self._starts = array("L", accumulate((len(line) + 1 for line in ordered), initial=0))

    def _write(self, market_id: MarketId) -> str:
        (market,) = self.markets((market_id,))
        return _text(market, self._entries[market_id].event)


def _text(market: Market, event: EventName) -> str:
    """Return the searchable text of a market."""
    whole = f"{event.title} {market.question} {market.group_title}"
    return f"{fold_text(whole)}{_plain_numbers(whole)}{fold_text(initials(whole))}"


def _window(event: Event) -> Event | None:
    if rolling_series(event) is None:
        return None
    return replace(event, markets=(), description="", resolution_source="")


def _weight(market: Market) -> int:
    return (market.volume_24h or market.volume or 0) - _BEHIND * market.closed
