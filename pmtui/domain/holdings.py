"""What we hold, with our own fills ahead of the analytics host that will report them later.

The analytics host lags a fill by seconds. Between the fill and its report a position is the last
report plus our own fills since; once a report agrees, it is the truth again.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from pmtui.domain.ids import OrderId, TokenId, TradeId
from pmtui.domain.market import Side
from pmtui.domain.money import SCALE, Micros
from pmtui.domain.order import Fill, TradeStatus
from pmtui.domain.position import Position
from pmtui.records import dataclass

LONGEST_LAG = timedelta(seconds=60)
"""A report this much younger than a fill is believed whatever it says."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Texts for a position that only our own fill knows of yet."""

    title: str = ""
    outcome: str = ""
    opposite_token_id: TokenId | None = None
    outcome_index: int = 0
    neg_risk: bool = False


class Holdings:
    """Positions by token."""

    def __init__(self) -> None:
        self._reported: dict[TokenId, Position] = {}
        self._pending: dict[TokenId, dict[tuple[TradeId, OrderId], Fill]] = {}
        self._absorbed: set[tuple[TradeId, OrderId]] = set()
        """Fills that a report has taken over; their settlement is told of later, and again."""
        self._labels: dict[TokenId, Labels] = {}
        self._known: tuple[Position, ...] | None = ()
        """What is held; None after a change, until somebody asks."""

    def name(self, token_id: TokenId, labels: Labels) -> None:
        """Remember what a token is called."""
        self._labels[token_id] = labels
        self._known = None

    def apply_report(
        self, positions: tuple[Position, ...], at: datetime, *, is_complete: bool = True
    ) -> None:
        """Take in the analytics host's answer to a request made at `at`.

        Args:
            positions: what it told of.
            at: when it was asked.
            is_complete: whether what is not among them is not held; else the last word stands.
        """
        reported = {p.token_id: p for p in positions}
        missed: set[TokenId] = set()
        if not is_complete:
            missed = (self._reported.keys() | self._pending.keys()) - reported.keys()
            reported |= {t: self._reported[t] for t in missed if t in self._reported}
        for token_id, fills in list(self._pending.items()):
            if token_id in missed:
                continue
            expected = self._with_fills(token_id).size
            new = reported.get(token_id)
            newest = max(f.matched_at for f in fills.values())
            if (new.size if new else 0) == expected or at - newest > LONGEST_LAG:
                self._absorbed.update(self._pending.pop(token_id))
            else:
                old = self._reported.get(token_id)
                if old is not None:
                    reported[token_id] = replace(
                        old, current_price=new.current_price if new else old.current_price
                    )
                else:
                    reported.pop(token_id, None)
        self._reported = reported
        self._known = None

    def apply_fill(self, fill: Fill) -> None:
        """Take in a fill of ours; a failed one is taken back."""
        key = (fill.trade_id, fill.order_id)
        if key in self._absorbed:
            return
        pending = self._pending.setdefault(fill.token_id, {})
        if fill.status is TradeStatus.FAILED:
            pending.pop(key, None)
        else:
            pending[key] = fill
        if not pending:
            del self._pending[fill.token_id]
        self._known = None

    def positions(self) -> tuple[Position, ...]:
        """Return what is held now, the analytics host's order first."""
        if self._known is None:
            tokens = list(self._reported) + [t for t in self._pending if t not in self._reported]
            positions = (self._with_fills(t) for t in tokens)
            self._known = tuple(p for p in positions if p.size > 0 or p.is_redeemable)
        return self._known

    def _with_fills(self, token_id: TokenId) -> Position:
        fills = self._pending.get(token_id, {})
        position = self._reported.get(token_id) or self._unreported(token_id)
        for fill in sorted(fills.values(), key=lambda f: (f.matched_at, f.trade_id)):
            position = apply_fill_to_position(position, fill)
        return position

    def _unreported(self, token_id: TokenId) -> Position:
        labels = self._labels.get(token_id, Labels())
        first = next(iter(self._pending[token_id].values()))
        return Position(
            token_id=token_id,
            condition_id=first.condition_id,
            title=labels.title,
            outcome=labels.outcome or first.outcome,
            size=Micros(0),
            average_price=Micros(0),
            current_price=first.price,
            realized=Micros(0),
            outcome_index=labels.outcome_index,
            opposite_token_id=labels.opposite_token_id,
            neg_risk=labels.neg_risk,
        )


def apply_fill_to_position(position: Position, fill: Fill) -> Position:
    """Return the position after one fill: purchases move the average, sales realise against it."""
    if fill.side is Side.BUY:
        size = Micros(position.size + fill.size)
        cost = position.size * position.average_price + fill.size * fill.price
        return replace(position, size=size, average_price=Micros((cost + size // 2) // size))
    sold = min(fill.size, position.size)
    gain = sold * (fill.price - position.average_price) // SCALE
    return replace(
        position,
        size=Micros(position.size - sold),
        realized=Micros(position.realized + gain - (fill.fee or 0)),
    )
