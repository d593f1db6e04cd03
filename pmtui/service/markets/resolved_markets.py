"""Decides that a market is resolved, for those who wait for its prices.

A market that accepts no orders may accept them again, and one reply proves nothing. So two of its witnesses must
agree (the market stream, the metadata host and the positions), or one of them in two replies.
"""

from datetime import datetime, timedelta
from enum import Enum

from pmtui.domain.ids import ConditionId
from pmtui.service.account.account import AccountFeed
from pmtui.service.kernel import Kernel
from pmtui.service.markets.metadata import MetadataFeed
from pmtui.service.topics import MarketTopic

AGAIN_S = 5.0
"""Seconds between two replies of one host that both count, and between two requests."""


class _Witness(Enum):
    STREAM = "stream"
    METADATA = "metadata"
    POSITIONS = "positions"


class ResolvedMarkets:
    """What the venue's hosts say about the end of markets."""

    def __init__(self, kernel: Kernel, metadata: MetadataFeed, feed: AccountFeed) -> None:
        self._kernel = kernel
        self._metadata = metadata
        self._feed = feed
        self._first: dict[ConditionId, dict[_Witness, datetime]] = {}
        """The first reply of each witness that says so, and still does."""
        self._asked_s: dict[ConditionId, float] = {}

    def on_resolved(self, condition_id: ConditionId) -> None:
        """Note that the market stream has reported a resolution."""
        self._first.setdefault(condition_id, {})[_Witness.STREAM] = self._kernel.clock.now()

    def is_resolved(self, condition_id: ConditionId) -> bool:
        """Whether a market is known to be resolved; asks again while only one reply says so."""
        replies = self._replies(condition_id)
        first = self._first.get(condition_id, {})
        stream = {key: at for key, at in first.items() if key is _Witness.STREAM}
        first = stream | {key: first.get(key, at) for key, at in replies.items()}
        if not first:
            _ = self._first.pop(condition_id, None)
            return False
        self._first[condition_id] = first
        apart = timedelta(seconds=AGAIN_S)
        if len(first) > 1 or any(at - first[key] >= apart for key, at in replies.items()):
            return True
        self._ask_again(condition_id)
        return False

    def _replies(self, condition_id: ConditionId) -> dict[_Witness, datetime]:
        """Return when each host last replied, of those that say that a market is resolved."""
        found: dict[_Witness, datetime] = {}
        state = self._metadata.store.markets.get(condition_id)
        market, as_of = (state.market, state.as_of) if state is not None else (None, None)
        if market is not None and as_of is not None:
            tokens = market.token_ids
            if tokens and all(market.settled_price(token) is not None for token in tokens):
                found[_Witness.METADATA] = as_of
        held = (p for p in self._feed.holdings.positions() if p.condition_id == condition_id)
        as_of = self._feed.state.as_of
        if as_of is not None and any(position.is_redeemable for position in held):
            found[_Witness.POSITIONS] = as_of
        return found

    def _ask_again(self, condition_id: ConditionId) -> None:
        now_s = self._kernel.clock.monotonic()
        if now_s - self._asked_s.get(condition_id, -AGAIN_S) >= AGAIN_S:
            self._asked_s[condition_id] = now_s
            self._metadata.refresh(MarketTopic(condition_id))
