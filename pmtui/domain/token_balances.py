"""How many shares of a token can be sold: what the venue last said, and our own fills since.

The venue caches what a wallet holds and may lag a fill by seconds. Until its answer agrees with
what our fills lead one to expect, or the fills are old, the earlier answer plus the fills counts.
"""

from datetime import datetime

from pmtui.domain.holdings import LONGEST_LAG
from pmtui.domain.ids import OrderId, TokenId, TradeId
from pmtui.domain.market import Side
from pmtui.domain.money import ZERO, Micros
from pmtui.domain.order import Fill, TradeStatus

Key = tuple[TradeId, OrderId]


class TokenBalances:
    """Shares by token, for the tokens that the venue has been asked about."""

    def __init__(self) -> None:
        self._reported: dict[TokenId, Micros] = {}
        self._pending: dict[TokenId, dict[Key, Fill]] = {}
        self._absorbed: set[Key] = set()
        """Fills that an answer has taken over; their settlement is told of later, and again."""

    def apply_report(self, token_id: TokenId, size: Micros, at: datetime) -> None:
        """Take in the venue's answer to a question asked at `at`."""
        pending = self._pending.get(token_id, {})
        if not pending or self._agrees(token_id, size, at):
            self._absorbed.update(self._pending.pop(token_id, {}))
            self._reported[token_id] = size
        elif token_id not in self._reported:
            self._reported[token_id] = size

    def apply_fill(self, fill: Fill) -> None:
        """Take in a fill of ours; a failed one is taken back."""
        key = (fill.trade_id, fill.order_id)
        if fill.status is TradeStatus.FAILED:
            self._take_back(key, fill)
        elif key not in self._absorbed:
            self._pending.setdefault(fill.token_id, {})[key] = fill

    def size(self, token_id: TokenId) -> Micros | None:
        """Return what there is to sell, orders aside; None while the venue has said nothing."""
        reported = self._reported.get(token_id)
        if reported is None:
            return None
        return Micros(max(reported + self._net(token_id), 0))

    def sizes(self) -> tuple[tuple[TokenId, Micros], ...]:
        """Return every token that the venue has been asked about."""
        return tuple((token_id, self.size(token_id) or ZERO) for token_id in self._reported)

    def _agrees(self, token_id: TokenId, size: Micros, at: datetime) -> bool:
        fills = self._pending[token_id].values()
        if at - max(fill.matched_at for fill in fills) > LONGEST_LAG:
            return True
        net = self._net(token_id)
        before = self._reported.get(token_id)
        # Without an earlier answer, one that covers the purchases is taken to hold them: at worst
        # that is too little for some seconds, never too much.
        return size >= net > 0 if before is None else size == before + net

    def _take_back(self, key: Key, fill: Fill) -> None:
        pending = self._pending.get(fill.token_id, {})
        if pending.pop(key, None) is not None:
            if not pending:
                del self._pending[fill.token_id]
        elif key in self._absorbed:
            self._absorbed.discard(key)
            known = self._reported.get(fill.token_id, ZERO)
            self._reported[fill.token_id] = Micros(max(known - _signed(fill), 0))

    def _net(self, token_id: TokenId) -> int:
        return sum(_signed(fill) for fill in self._pending.get(token_id, {}).values())


def _signed(fill: Fill) -> int:
    return fill.size if fill.side is Side.BUY else -fill.size
