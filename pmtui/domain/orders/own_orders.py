"""Our own orders and fills: their known state, and the rules that decide when an order has ended.

Replies, stream events and REST pages report the same facts at different times and more than once.
Facts only ever add knowledge: matched sizes grow, a final state stays final, a trade's settlement
moves forward. So any interleaving of the same facts ends in the same state. A conclusion from missing
reports yields to any fact.

The venue answers reads from replicas. A reply shows the state at some moment between `lag_s` before
the request and the reply, and two replies need not be in order. So:

- An order that was at the venue counts as missing only if the request was sent `lag_s` after we knew
  of it. It has ended after several such checks (list, the order itself, own trades), and once the
  trades were requested `lag_s` after the first of them: by then they contain all of its fills.
- An order without a reply may still be on its way. It is ruled out by several checks, all of them
  requested `ruled_out_after_s` after it was sent.
- No ending is permanent. A conclusion yields to any fact that is not older than itself. An end that
  was a fact is reversed once several reports, all requested `lag_s` after it, show the order open.

All times are seconds of one monotonic clock; the venue's clock is not used.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum

from pmtui.domain.books.book_view import BookView
from pmtui.domain.ids import OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, notional_ceil
from pmtui.domain.orders.life import (
    IN_DOUBT,
    Claim,
    Contradiction,
    Flaw,
    claims_of_match,
    claims_of_order,
    fit_status,
    flaws_among,
    is_contradictory,
    merge_fill,
    merge_order,
)
from pmtui.domain.orders.order import Fill, Order, OrderStatus, TradeStatus

UNDONE = "a trade FAILED on chain"


class OwnOrders:
    """All known orders and fills of ours."""

    def __init__(self) -> None:
        self._facts: dict[OrderId, Order] = {}
        """Facts about each order itself; fills are added on top, and may be reversed."""
        self._conclusions: dict[OrderId, Order] = {}
        """Conclusions from missing reports, on top of the facts."""
        self._records: dict[OrderId, Order] = {}
        """The venue's own reports of an order when or after it ended."""
        self._orders: dict[OrderId, Order] = {}
        self._fills: dict[OrderId, dict[TradeId, Fill]] = {}
        self._newest_first: tuple[Fill, ...] | None = ()
        """Cache of all fills, newest first; None after a change."""
        self._open: tuple[Order, ...] | None = ()
        """Cache of open orders in the same way: screens read it several times per frame."""
        self.version = 0
        """Incremented by every change of an order."""
        self._claims: dict[OrderId, frozenset[Claim]] = {}
        self._settlements: dict[tuple[OrderId, TradeId], frozenset[TradeStatus]] = {}
        self._flaws: dict[Contradiction, None] = {}
        self._unannounced: list[Contradiction] = []

    def apply_order(
        self, fact: Order, *, is_record: bool = False, keeps_conclusion: bool = False
    ) -> Order | None:
        """Apply a fact; return the order if it changed.

        Args:
            fact: the reported state.
            is_record: whether the venue reported the complete order, including its matched size.
            keeps_conclusion: whether the fact is too old to contradict a conclusion about the order;
                it then only adds to the matched size. Otherwise a fact replaces any conclusion.
        """
        order_id = fact.order_id
        if not keeps_conclusion:
            _ = self._conclusions.pop(order_id, None)
        self._claim(order_id, claims_of_order(fact))
        self._facts[order_id] = merge_order(self._facts.get(order_id), fact)
        if is_record and not fact.status.is_open:
            self._records[order_id] = merge_order(self._records.get(order_id), fact)
        return self._combine(order_id)

    def apply_conclusion(self, conclusion: Order) -> Order | None:
        """Apply a conclusion from missing reports; it holds until the next fact about the order."""
        self._claim(conclusion.order_id, claims_of_order(conclusion))
        self._conclusions[conclusion.order_id] = conclusion
        return self._combine(conclusion.order_id)

    def reopen(self, fact: Order) -> Order | None:
        """Reopen an order that the venue still lists; fills are added on top."""
        order_id = fact.order_id
        _ = self._records.pop(order_id, None)
        self._facts[order_id] = replace(
            self._facts[order_id],
            status=fact.status,
            matched_size=fact.matched_size,
            reason=fact.reason,
        )
        return self.apply_order(fact)

    def is_concluded(self, order_id: OrderId) -> bool:
        """Whether the state of an order is a conclusion from missing reports, and not a fact."""
        return order_id in self._conclusions

    def final_record(self, order_id: OrderId) -> Order | None:
        """Return the venue's own report of an order that ended; None before it ended."""
        return self._records.get(order_id)

    def apply_fill(self, fact: Fill) -> Fill | None:
        """Apply a fill to its order; return the order if it changed."""
        self._claim(fact.order_id, claims_of_match(fact.token_id, fact.side))
        fills = self._fills.setdefault(fact.order_id, {})
        known = fills.get(fact.trade_id)
        self._check_fill(known, fact)
        merged = merge_fill(known, fact)
        if merged == known:
            return None
        fills[fact.trade_id] = merged
        self._newest_first = None
        if fact.order_id in self._orders:
            self._combine(fact.order_id)
        return merged

    def take_contradictions(self) -> tuple[Contradiction, ...]:
        """Return each contradiction that was not reported yet, once."""
        unannounced, self._unannounced = tuple(self._unannounced), []
        return unannounced

    def order(self, order_id: OrderId) -> Order | None:
        """Return the known state of one order."""
        return self._orders.get(order_id)

    def open_orders(self) -> tuple[Order, ...]:
        """Return orders that may still fill, newest first."""
        if self._open is None:
            self._open = tuple(
                sorted(
                    (o for o in self._orders.values() if o.status.is_open),
                    key=lambda o: (o.created_at, o.order_id),
                    reverse=True,
                )
            )
        return self._open

    def fill(self, order_id: OrderId, trade_id: TradeId) -> Fill | None:
        """Return the known state of an order's part in one trade."""
        return self._fills.get(order_id, {}).get(trade_id)

    def booked_size(self, order_id: OrderId) -> Micros:
        """Return the size of an order that was reported as fills that did not fail."""
        return self._size_of(order_id, is_failed=False)

    def failed_size(self, order_id: OrderId) -> Micros:
        """Return the size of an order that was matched by trades that failed on chain."""
        return self._size_of(order_id, is_failed=True)

    def matched_size(self, order_id: OrderId) -> Micros:
        """Return the known matched size of an order, from any source."""
        known = self._orders.get(order_id)
        booked = self.booked_size(order_id)
        return booked if known is None else max(known.matched_size, booked)

    def fills(self) -> tuple[Fill, ...]:
        """Return fills, newest first."""
        if self._newest_first is None:
            self._newest_first = tuple(
                sorted(
                    (f for fills in self._fills.values() for f in fills.values()),
                    key=lambda f: (f.matched_at, f.trade_id, f.order_id),
                    reverse=True,
                )
            )
        return self._newest_first

    def reserved_cash(self) -> Micros:
        """Return the cash reserved by open purchases; makers pay no fee."""
        return reserved_cash(self.open_orders())

    def reserved_shares(self, token_id: TokenId) -> Micros:
        """Return the shares of a token reserved by open sales."""
        return reserved_shares(self.open_orders(), token_id)

    def _combine(self, order_id: OrderId) -> Order | None:
        """Merge an order's reports and fills; return the order if it changed."""
        conclusion, fact = self._conclusions.get(order_id), self._facts.get(order_id)
        known = merge_order(fact, conclusion) if conclusion is not None else self._facts[order_id]
        failed = self.failed_size(order_id)
        filled = self.booked_size(order_id)
        # A reported match may be of a trade that has failed since.
        matched = Micros(max(known.matched_size - failed, filled))
        order = replace(known, matched_size=matched)
        if known.status is OrderStatus.FILLED and matched < known.original_size and failed:
            # It no longer rests, and it is not filled either.
            order = replace(order, status=OrderStatus.CANCELLED, reason=known.reason or UNDONE)
        order = fit_status(order)
        if order == self._orders.get(order_id):
            return None
        self._orders[order_id] = order
        self._open = None
        self.version += 1
        return order

    def _size_of(self, order_id: OrderId, *, is_failed: bool) -> Micros:
        fills = self._fills.get(order_id, {}).values()
        return Micros(sum(f.size for f in fills if (f.status is TradeStatus.FAILED) is is_failed))

    def _check_fill(self, known: Fill | None, fact: Fill) -> None:
        key = (fact.order_id, fact.trade_id)
        seen = self._settlements.get(key, frozenset()) | {fact.status}
        self._settlements[key] = seen
        if is_contradictory(seen):
            self._contradict(Contradiction(fact.order_id, Flaw.SETTLED_AND_FAILED))
        if known is not None and (known.size, known.price) != (fact.size, fact.price):
            self._contradict(Contradiction(fact.order_id, Flaw.OTHER_SIZE))

    def _claim(self, order_id: OrderId, claims: frozenset[Claim]) -> None:
        known = self._claims.get(order_id, frozenset())
        if claims <= known:
            return
        self._claims[order_id] = known | claims
        for flaw in flaws_among(self._claims[order_id]):
            self._contradict(Contradiction(order_id, flaw))

    def _contradict(self, contradiction: Contradiction) -> None:
        if contradiction not in self._flaws:
            self._flaws[contradiction] = None
            self._unannounced.append(contradiction)


def reserved_cash(orders: Iterable[Order]) -> Micros:
    """Return the cash reserved by the purchases among open orders."""
    buys = (o for o in orders if o.side is Side.BUY)
    return Micros(sum(notional_ceil(o.price, o.remaining_size) for o in buys))


def reserved_shares(orders: Iterable[Order], token_id: TokenId) -> Micros:
    """Return the shares of a token reserved by the open sales among some orders."""
    return Micros(
        sum(
            o.remaining_size
            for o in orders
            if o.status.is_open and o.side is Side.SELL and o.token_id == token_id
        )
    )


class OwnChange(StrEnum):
    """What happened to an order; of several at one price, the one listed later here is shown."""

    PLACED = "placed"
    CANCELLED = "cancelled"
    FILLED = "filled"


Place = tuple[Micros, Side]
"""A side and price where own orders rest."""


def own_changes(
    before: Iterable[Order], after: Iterable[Order], fills: Iterable[Fill]
) -> dict[Place, OwnChange]:
    """Compare the open orders at two moments; fills show how an order that is gone ended."""
    old = {order.order_id: order for order in before}
    new = {order.order_id: order for order in after}
    found: dict[Place, OwnChange] = {}

    def note(order: Order, change: OwnChange) -> None:
        place = (order.price, order.side)
        ranks = list(OwnChange)
        found[place] = max(found.get(place, change), change, key=ranks.index)

    for order_id, order in new.items():
        known = old.get(order_id)
        if known is None:
            note(order, OwnChange.PLACED)
        elif order.matched_size > known.matched_size:
            note(order, OwnChange.FILLED)
    gone = {order_id for order_id in old if order_id not in new}
    filled = _filled(fills, gone) if gone else {}
    for order_id in gone:
        known = old[order_id]
        is_filled = filled.get(order_id, 0) > known.matched_size
        note(known, OwnChange.FILLED if is_filled else OwnChange.CANCELLED)
    return found


def _filled(fills: Iterable[Fill], wanted: set[OrderId]) -> dict[OrderId, int]:
    sums: dict[OrderId, int] = {}
    for fill in fills:
        if fill.order_id in wanted and fill.status is not TradeStatus.FAILED:
            sums[fill.order_id] = sums.get(fill.order_id, 0) + fill.size
    return sums


def ticks_away(order: Order, book: BookView, tick: Micros | None) -> int | None:
    """Return how many ticks an order is behind the best price of its own side.

    Args:
        order: a working order.
        book: of its token.
        tick: of its market; None while unknown.

    Returns:
        0 at the touch or better; None if the book does not show it.
    """
    best = book.best_bid if order.side is Side.BUY else book.best_ask
    if best is None or not tick or not book.state.is_good:
        return None
    behind = best - order.price if order.side is Side.BUY else order.price - best
    return max(-(-behind // tick), 0)


LAG_S = 15
"""How far behind a reply may be. Several polls of 0.5 s are documented
(docs/wire.md#reading-orders-and-trades); replicas that were 12 s behind have been reported (November 2026)."""
RULED_OUT_AFTER_S = 30


@dataclass(frozen=True, slots=True)
class EndingPolicy:
    """The proof that is needed for an ending."""

    lag_s: float = LAG_S
    ruled_out_after_s: float = RULED_OUT_AFTER_S
    """Seconds after sending until a missing order counts: the time on its way, plus `lag_s`."""
    held_back_s: float = 30
    """How long the venue may hold back a delayed order without showing it."""
    looks: int = 3
    """Number of complete checks that do not find the order."""
    spacing_s: float = 2
    """Seconds between two checks, or two reports, that both count."""
    sightings: int = 2
    """Number of reports showing an order open before an end that was a fact is reversed."""


class _Phase(Enum):
    DOUBT = "doubt"
    DELAYED = "delayed"
    OPEN = "open"
    ENDED = "ended"


@dataclass(slots=True)
class _Series:
    """Spaced reports of one kind, without a contradicting one between them."""

    count: int = 0
    first_answered_s: float = 0
    last_asked_s: float = 0

    def add(self, asked_s: float, at_s: float, spacing_s: float) -> bool:
        """Count a report unless it came too soon after the previous one."""
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
    """Evidence about one order's state, besides the reports themselves."""

    phase: _Phase
    since_s: float
    """When it was first known to be in this phase."""
    shown_from_s: float
    """A request sent after this must find the order, if it exists."""
    was_at_venue: bool = False
    suspected_until_s: float | None = None
    """The latest time at which an open order may have ended unseen; None if it is as reported."""
    missing: _Series = field(default_factory=_Series)
    sightings: _Series = field(default_factory=_Series)


class OrderEndings:
    """Receives every report of our orders and decides which of them end, and which reopen."""

    def __init__(self, own: OwnOrders, policy: EndingPolicy | None = None) -> None:
        self.policy = policy or EndingPolicy()
        self._own = own
        self._evidence: dict[OrderId, _Evidence] = {}

    def suspect(self, order_ids: Iterable[OrderId], *, until_s: float) -> None:
        """Doubt that open orders are still open, until a report requested `lag_s` later shows them.

        Args:
            order_ids: the orders that the venue may have ended.
            until_s: the latest time at which it may have done so.
        """
        for order_id in order_ids:
            if (evidence := self._evidence.get(order_id)) is not None:
                evidence.suspected_until_s = until_s

    def is_suspected(self, order_id: OrderId) -> bool:
        """Whether an open order may have ended unseen."""
        evidence = self._evidence.get(order_id)
        return evidence is not None and evidence.suspected_until_s is not None

    def apply(self, fact: Order, at_s: float, *, is_record: bool = False) -> Order | None:
        """Apply a fact: a reply to an order or a cancel, or an event of the user stream.

        Args:
            fact: the reported state.
            at_s: when it was received.
            is_record: whether the venue reported the order itself.
        """
        changed = self._own.apply_order(fact, is_record=is_record)
        self._follow(fact.order_id, at_s)
        return changed

    def apply_report(self, fact: Order, *, asked_s: float, at_s: float) -> Order | None:
        """Apply the state from a list or the order's own route; it may be out of date.

        Args:
            fact: the state shown.
            asked_s: when the request was sent.
            at_s: when the reply arrived.
        """
        known, evidence = self._own.order(fact.order_id), self._evidence.get(fact.order_id)
        if not fact.status.is_open or known is None or evidence is None:
            return self.apply(fact, at_s, is_record=True)
        evidence.missing.clear()
        until_s = evidence.suspected_until_s
        if until_s is not None and asked_s >= until_s + self.policy.lag_s:
            evidence.suspected_until_s = None
        if known.status.is_open or known.status is OrderStatus.REJECTED:
            return self.apply(fact, at_s)
        if self._own.is_concluded(fact.order_id):
            if asked_s >= evidence.since_s:
                return self.apply(fact, at_s)
            return self._own.apply_order(fact, keeps_conclusion=True)
        if asked_s >= evidence.since_s + self.policy.lag_s:
            _ = evidence.sightings.add(asked_s, at_s, self.policy.spacing_s)
        if evidence.sightings.count < self.policy.sightings:
            return self._own.apply_order(fact)
        evidence.sightings.clear()
        changed = self._own.reopen(fact)
        self._follow(fact.order_id, at_s)
        return changed

    def apply_fill(self, fact: Fill, at_s: float) -> Fill | None:
        """Apply a fill, whatever the state of the order."""
        changed = self._own.apply_fill(fact)
        self._follow(fact.order_id, at_s)
        return changed

    def apply_conclusion(self, conclusion: Order, at_s: float) -> Order | None:
        """Apply a conclusion about an order."""
        changed = self._own.apply_conclusion(conclusion)
        self._follow(conclusion.order_id, at_s)
        return changed

    def start_search(
        self, order_id: OrderId, since_s: float, *, was_at_venue: bool = False
    ) -> None:
        """Start the search for an order without a reply.

        Args:
            order_id: of the order.
            since_s: the latest time at which it was sent.
            was_at_venue: whether the venue reported it in an earlier session.
        """
        known = self._own.order(order_id)
        if known is not None and known.status not in IN_DOUBT:
            return
        shown_from_s = since_s + self.policy.ruled_out_after_s
        self._evidence[order_id] = _Evidence(_Phase.DOUBT, since_s, shown_from_s, was_at_venue)

    def apply_absence(
        self, order_id: OrderId, *, asked_s: float, at_s: float
    ) -> OrderStatus | None:
        """Apply a complete search that did not find an order; return its final status once proved.

        Args:
            order_id: neither listed nor found by its id; all its trades have been applied.
            asked_s: when the first of these requests was sent.
            at_s: when the last reply arrived.
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
        return OrderStatus.CANCELLED

    def note_listing(self, listed: Iterable[OrderId]) -> None:
        """Apply a complete list: orders missing from it are no longer shown as open."""
        there = frozenset(listed)
        for order_id, evidence in self._evidence.items():
            if order_id not in there:
                evidence.sightings.clear()

    def find_missing(self, listed: Iterable[OrderId], *, asked_s: float) -> tuple[OrderId, ...]:
        """Return the orders that were open when a list was requested and that it does not show."""
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
        """Whether a check that does not find an order would count now."""
        evidence = self._evidence.get(order_id)
        return evidence is not None and now_s >= evidence.shown_from_s

    def _follow(self, order_id: OrderId, at_s: float) -> None:
        """Record when an order entered its current phase."""
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
