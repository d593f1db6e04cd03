"""When an order has ended: what answers that may be out of date prove, and what they do not.

The venue answers reads from replicas. An answer shows the state at some moment between `lag_s`
before the question and the answer, and two answers need not be in order. So:

- An order that was at the venue is missing only where the question came `lag_s` after we knew of it.
  It has ended after several such looks (list, the order itself, own trades), and once the trades
  were asked `lag_s` after the first of them: by then they hold all of its fills.
- An order without an answer may still be on its way. It is ruled out by several looks, all of them
  asked `ruled_out_after_s` after it was sent.
- No ending is for ever. A conclusion gives way to any fact that is not older than itself. An end
  that was a fact is taken back once several reports, all asked `lag_s` after it, show the order open.

All times are seconds of one monotonic clock; no clock of the venue takes part.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from pmtui.domain.ids import OrderId
from pmtui.domain.money import Micros
from pmtui.domain.orders.life import IN_DOUBT
from pmtui.domain.orders.order import Fill, Order, OrderStatus
from pmtui.domain.orders.own_orders import OwnOrders

DUST = Micros(10_000)
"""Matches are cut to hundredths of a share: what is left below that never fills (docs/wire.md#matching)."""

LAG_S = 15
"""How far behind an answer may be. Several polls of 0.5 s are documented (docs/wire.md#reading-orders-and-trades);
replicas that were 12 s behind have been reported (November 2026)."""
RULED_OUT_AFTER_S = 30


@dataclass(frozen=True, slots=True)
class EndingPolicy:
    """How much proof an ending needs."""

    lag_s: float = LAG_S
    ruled_out_after_s: float = RULED_OUT_AFTER_S
    """How long after it was sent an order may be missing: on its way, and then `lag_s`."""
    held_back_s: float = 30
    """How long the venue may hold back a delayed order, and not show it meanwhile."""
    looks: int = 3
    """Complete ones, without the order."""
    spacing_s: float = 2
    """Between two looks, or two reports, that both count."""
    sightings: int = 2
    """Reports that show an order open before an end that was a fact is taken back."""


class _Phase(Enum):
    DOUBT = "doubt"
    DELAYED = "delayed"
    OPEN = "open"
    ENDED = "ended"


@dataclass(slots=True)
class _Series:
    """Reports of one kind, spaced, without one that says otherwise between them."""

    count: int = 0
    first_answered_s: float = 0
    last_asked_s: float = 0

    def add(self, asked_s: float, at_s: float, spacing_s: float) -> bool:
        """Count a report unless it came too soon after the one before."""
        if self.count and asked_s < self.last_asked_s + spacing_s:
            return False
        if not self.count:
            self.first_answered_s = at_s
        self.count += 1
        self.last_asked_s = asked_s
        return True

    def clear(self) -> None:
        self.count = 0


@dataclass(slots=True)
class _Evidence:
    """What is known about the life of one order, beside what was told of it."""

    phase: _Phase
    since_s: float
    """When it was known to be in this phase."""
    shown_from_s: float
    """A question that is asked later must find it, if it is there."""
    was_at_venue: bool = False
    missing: _Series = field(default_factory=_Series)
    sightings: _Series = field(default_factory=_Series)


class OrderEndings:
    """Takes in every report of our orders and decides which of them end, and which reopen."""

    def __init__(self, own: OwnOrders, policy: EndingPolicy | None = None) -> None:
        self.policy = policy or EndingPolicy()
        self._own = own
        self._evidence: dict[OrderId, _Evidence] = {}

    def apply(self, fact: Order, at_s: float, *, is_record: bool = False) -> Order | None:
        """Take in a fact: an answer to an order or a cancel, or an event of the user stream.

        Args:
            fact: what was told.
            at_s: when it was heard.
            is_record: whether the venue reported the order itself.
        """
        changed = self._own.apply_order(fact, is_record=is_record)
        self._follow(fact.order_id, at_s)
        return changed

    def apply_report(self, fact: Order, *, asked_s: float, at_s: float) -> Order | None:
        """Take in what a list or the order's own route showed; it may be out of date.

        Args:
            fact: what was shown.
            asked_s: when the question left.
            at_s: when the answer was there.
        """
        known, evidence = self._own.order(fact.order_id), self._evidence.get(fact.order_id)
        if not fact.status.is_open or known is None or evidence is None:
            return self.apply(fact, at_s, is_record=True)
        evidence.missing.clear()
        if known.status.is_open or known.status is OrderStatus.REJECTED:
            return self.apply(fact, at_s)
        if self._own.is_believed(fact.order_id):
            if asked_s >= evidence.since_s:
                return self.apply(fact, at_s)
            return self._own.apply_order(fact, keeps_belief=True)
        if asked_s >= evidence.since_s + self.policy.lag_s:
            _ = evidence.sightings.add(asked_s, at_s, self.policy.spacing_s)
        if evidence.sightings.count < self.policy.sightings:
            return self._own.apply_order(fact)
        evidence.sightings.clear()
        changed = self._own.reopen(fact)
        self._follow(fact.order_id, at_s)
        return changed

    def apply_fill(self, fact: Fill, at_s: float) -> Fill | None:
        """Take in a fill, whatever state its order is in."""
        changed = self._own.apply_fill(fact)
        self._follow(fact.order_id, at_s)
        return changed

    def believe(self, belief: Order, at_s: float) -> Order | None:
        """Take in what is concluded of an order."""
        changed = self._own.guess(belief)
        self._follow(belief.order_id, at_s)
        return changed

    def doubt(self, order_id: OrderId, since_s: float, *, was_at_venue: bool = False) -> None:
        """Begin to look for an order that nobody has answered for.

        Args:
            order_id: of the order.
            since_s: when it was sent, at the latest.
            was_at_venue: whether the venue has spoken of it in an earlier session.
        """
        known = self._own.order(order_id)
        if known is not None and known.status not in IN_DOUBT:
            return
        shown_from_s = since_s + self.policy.ruled_out_after_s
        self._evidence[order_id] = _Evidence(_Phase.DOUBT, since_s, shown_from_s, was_at_venue)

    def apply_absence(
        self, order_id: OrderId, *, asked_s: float, at_s: float
    ) -> OrderStatus | None:
        """Take in a complete look that did not find an order; return how it ended, once proved.

        Args:
            order_id: neither in the list, nor known by itself; its trades are all taken in.
            asked_s: when the first of these questions left.
            at_s: when the last answer was there.
        """
        known, evidence = self._own.order(order_id), self._evidence.get(order_id)
        if known is None or evidence is None or not known.status.is_open:
            return None
        policy, missing = self.policy, evidence.missing
        if asked_s < evidence.shown_from_s or not missing.add(asked_s, at_s, policy.spacing_s):
            return None
        if missing.count < policy.looks:
            return None
        if not evidence.was_at_venue:
            return OrderStatus.REJECTED
        if asked_s < missing.first_answered_s + policy.lag_s:
            return None
        is_full = known.remaining_size < DUST
        return OrderStatus.FILLED if is_full else OrderStatus.CANCELLED

    def note_listing(self, listed: Iterable[OrderId]) -> None:
        """Take in a complete list: what it lacks is not shown open any more."""
        there = frozenset(listed)
        for order_id, evidence in self._evidence.items():
            if order_id not in there:
                evidence.sightings.clear()

    def find_missing(self, listed: Iterable[OrderId], *, asked_s: float) -> tuple[OrderId, ...]:
        """Return the orders known to be open when a list was asked for that does not show them."""
        there = frozenset(listed)
        return tuple(
            order.order_id
            for order in self._own.open_orders()
            if order.order_id not in there
            and (evidence := self._evidence.get(order.order_id)) is not None
            and evidence.phase in (_Phase.OPEN, _Phase.DELAYED)
            and asked_s > evidence.since_s
        )

    def is_due(self, order_id: OrderId, now_s: float) -> bool:
        """Whether a look that does not find an order would count now."""
        evidence = self._evidence.get(order_id)
        return evidence is not None and now_s >= evidence.shown_from_s

    def _follow(self, order_id: OrderId, at_s: float) -> None:
        """Note when an order came into the phase in which it is."""
        known = self._own.order(order_id)
        if known is None:
            return
        phase, before = _phase_of(known), self._evidence.get(order_id)
        if before is not None and before.phase is phase:
            return
        shown_from_s = at_s + self.policy.lag_s
        if phase is _Phase.DELAYED:
            shown_from_s += self.policy.held_back_s
        elif phase is _Phase.DOUBT:
            shown_from_s = at_s + self.policy.ruled_out_after_s
        was_at_venue = phase is not _Phase.DOUBT or (before is not None and before.was_at_venue)
        self._evidence[order_id] = _Evidence(phase, at_s, shown_from_s, was_at_venue)


def _phase_of(order: Order) -> _Phase:
    if order.status in IN_DOUBT:
        return _Phase.DOUBT
    if order.status is OrderStatus.DELAYED:
        return _Phase.DELAYED
    return _Phase.OPEN if order.status.is_open else _Phase.ENDED
