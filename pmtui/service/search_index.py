"""The local index: every market seen, searched by text within one frame.

One lower-cased string of all titles in order of volume, searched with `str.find`, answers tens of
thousands of titles in a few milliseconds, which no tree of words beats by enough to be worth it.
"""

import re
import unicodedata
from bisect import bisect_right

from pmtui.domain.ids import MarketId
from pmtui.domain.market import Event, Market

MOST_HITS = 100
_FOLD = str.maketrans({"\n": " ", "’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-"})
_APART = ",'\u00a0\u2009\u202f"
_GROUPED = re.compile(rf"(?<![\d.,])[$€£]?\d{{1,3}}(?:[{_APART}]\d{{3}})+(?![\d,])")
"""A number with its thousands apart."""
_JOINED = str.maketrans(dict.fromkeys(_APART, ""))


def join_thousands(text: str) -> str:
    """Write numbers without what separates their thousands: `4000` for `4,000`."""
    return _GROUPED.sub(lambda found: found.group().translate(_JOINED), text)


def fold_text(text: str) -> str:
    """Lower the case and drop accents, so that `sao` finds `São`."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_FOLD))
    return "".join(c for c in decomposed if not unicodedata.combining(c)).lower()


def _plain_numbers(text: str) -> str:
    """Return the numbers whose thousands are apart, once more without: both are typed."""
    return "".join(f" {number.translate(_JOINED)}" for number in _GROUPED.findall(text))


class SearchIndex:
    """Markets by text. Adding is cheap; the string is rebuilt at the next search after it."""

    def __init__(self) -> None:
        self._markets: dict[MarketId, tuple[Market, Event]] = {}
        self._texts: dict[MarketId, str] = {}
        self._blob = ""
        self._starts: list[int] = []
        self._order: list[MarketId] = []
        self._is_stale = False

    def __len__(self) -> int:
        return len(self._markets)

    def add(self, event: Event) -> None:
        """Take in every market of an event, or replace what was known of them."""
        event_text = fold_text(event.title)
        for market in event.markets:
            self._markets[market.market_id] = (market, event)
            told = f"{event.title} {market.question} {market.group_title}"
            text = fold_text(f"{market.question} {market.group_title}")
            self._texts[market.market_id] = f"{event_text} {text}{_plain_numbers(told)}"
        self._is_stale = True

    def find(self, text: str) -> tuple[tuple[Market, Event], ...]:
        """Return markets whose title or event holds every word, biggest 24-hour volume first."""
        words = sorted(fold_text(join_thousands(text)).split(), key=len, reverse=True)
        if not words:
            return ()
        self._rebuild()
        hits: list[tuple[Market, Event]] = []
        position = self._blob.find(words[0])
        while position >= 0 and len(hits) < MOST_HITS:
            index = bisect_right(self._starts, position) - 1
            market_id = self._order[index]
            line = self._texts[market_id]
            if all(word in line for word in words[1:]):
                hits.append(self._markets[market_id])
            next_start = self._starts[index + 1] if index + 1 < len(self._starts) else -1
            position = self._blob.find(words[0], next_start) if next_start >= 0 else -1
        return tuple(hits)

    def _rebuild(self) -> None:
        if not self._is_stale:
            return
        self._order = sorted(self._markets, key=self._weight, reverse=True)
        lines = [self._texts[m] for m in self._order]
        self._blob = "\n".join(lines)
        start = 0
        self._starts = []
        for line in lines:
            self._starts.append(start)
            start += len(line) + 1
        self._is_stale = False

    def _weight(self, market_id: MarketId) -> tuple[bool, int]:
        market, _ = self._markets[market_id]
        return (not market.closed, market.volume_24h or market.volume or 0)
