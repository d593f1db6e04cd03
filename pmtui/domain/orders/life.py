"""The lifecycle of an order and its trades: valid transitions, and how two reports are merged.

Replies, stream events and pages report an order late, twice and out of order. A report therefore never
overwrites: it adds to what is known, and the most advanced state counts. Reports that cannot all be true
are contradictions, which are shown; they never stop anything.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill, Order, OrderStatus, TradeStatus

DUST = Micros(10_000)
"""Matches are truncated to hundredths of a share: a smaller rest never fills (docs/wire.md#matching)."""

_RESTED = frozenset({OrderStatus.FILLED, OrderStatus.CANCELLED, OrderStatus.EXPIRED})
_WORKED = _RESTED | {OrderStatus.PARTIALLY_FILLED}
_TAKEN = _WORKED | {OrderStatus.LIVE}
_ANSWERED = _TAKEN | {OrderStatus.REJECTED, OrderStatus.DELAYED}
LIFE: dict[OrderStatus, frozenset[OrderStatus]] = {
    OrderStatus.PENDING: frozenset({OrderStatus.SENT, OrderStatus.REJECTED}),
    OrderStatus.SENT: (_ANSWERED | {OrderStatus.UNKNOWN}) - {OrderStatus.EXPIRED},
    OrderStatus.UNKNOWN: _ANSWERED,
    OrderStatus.DELAYED: _TAKEN,
    OrderStatus.LIVE: _WORKED,
    OrderStatus.PARTIALLY_FILLED: _RESTED,
    # A trade that the venue matched before the end may be reported after it.
    OrderStatus.CANCELLED: frozenset({OrderStatus.FILLED}),
    OrderStatus.EXPIRED: frozenset({OrderStatus.FILLED, OrderStatus.CANCELLED}),
    OrderStatus.FILLED: frozenset(),
    # A killed order is rejected in the reply and cancelled in the stream.
    OrderStatus.REJECTED: frozenset({OrderStatus.CANCELLED}),
}
"""Which status may follow, if reports arrive in order."""

_STAGES = (
    OrderStatus.PENDING,
    OrderStatus.SENT,
    OrderStatus.UNKNOWN,
    # Before all states that only the venue can report: an identical order sent again is refused as
    # a duplicate while the first one rests, and an order that was ruled out may still turn up.
    OrderStatus.REJECTED,
    OrderStatus.DELAYED,
    OrderStatus.LIVE,
    OrderStatus.PARTIALLY_FILLED,
    OrderStatus.EXPIRED,
    OrderStatus.CANCELLED,
    OrderStatus.FILLED,
)
STAGE = {status: stage for stage, status in enumerate(_STAGES)}
"""How advanced a state is; of two reports, the more advanced one counts."""
IN_DOUBT = frozenset({OrderStatus.PENDING, OrderStatus.SENT, OrderStatus.UNKNOWN})
"""States in which it is unknown whether the venue has the order."""
_AT_THE_VENUE = (_TAKEN | {OrderStatus.DELAYED}) - {OrderStatus.CANCELLED}


class Flaw(StrEnum):
    """Why reports of one order or trade cannot all be true."""

    REFUSED_BUT_THERE = "refused or ruled out, yet at the venue"
    OTHER_TERMS = "reported with another token or side"
    SETTLED_AND_FAILED = "reported both as confirmed and as failed"
    OTHER_SIZE = "reported with another size or price"


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An order with reports that cannot all be true."""

    order_id: OrderId
    flaw: Flaw


Claim = tuple[str, str | TokenId | Side]
"""A statement of a report that another report may contradict; claims only accumulate."""

_REFUSED: Claim = ("refused", "")
_THERE: Claim = ("there", "")


def claims_of_order(fact: Order) -> frozenset[Claim]:
    """Return the claims of a report about an order."""
    claims: set[Claim] = set()
    if fact.token_id:
        # For an order whose record is lost, nothing but the id is known.
        claims |= {("token", fact.token_id), ("side", fact.side)}
    if fact.status is OrderStatus.REJECTED:
        claims.add(_REFUSED)
    if fact.status in _AT_THE_VENUE or fact.matched_size > 0:
        claims.add(_THERE)
    return frozenset(claims)


def claims_of_match(token_id: TokenId, side: Side) -> frozenset[Claim]:
    """Return the claims of a trade about an order that took part in it."""
    return frozenset({("token", token_id), ("side", side), _THERE})


def flaws_among(claims: Iterable[Claim]) -> frozenset[Flaw]:
    """Return why claims about one order cannot all be true, independent of their order of arrival."""
    known = frozenset(claims)
    flaws = set()
    if {_REFUSED, _THERE} <= known:
        flaws.add(Flaw.REFUSED_BUT_THERE)
    if any(sum(kind == name for kind, _ in known) > 1 for name in ("token", "side")):
        flaws.add(Flaw.OTHER_TERMS)
    return frozenset(flaws)


def is_legal_step(before: OrderStatus, after: OrderStatus) -> bool:
    """Whether an order may go from one state directly to another, or stay in it."""
    return before is after or after in LIFE[before]


def merge_order(known: Order | None, fact: Order) -> Order:
    """Merge what is known of an order with another fact about it.

    The result does not depend on which of the two came first, except for texts that affect no
    decision.
    """
    fact = fit_status(fact)
    if known is None:
        return fact
    known = fit_status(known)
    ahead = known if STAGE[known.status] >= STAGE[fact.status] else fact
    return fit_status(
        replace(
            ahead,
            matched_size=max(known.matched_size, fact.matched_size),
            original_size=max(known.original_size, fact.original_size),
            created_at=min(known.created_at, fact.created_at),
            expires_at=known.expires_at or fact.expires_at,
            outcome=known.outcome or fact.outcome,
            reason=ahead.reason or _reason(known, ahead.status) or _reason(fact, ahead.status),
            is_post_only=known.is_post_only or fact.is_post_only,
        )
    )


def _reason(order: Order, status: OrderStatus) -> str:
    """Return the reason that still applies in a state: a text about doubt ends with the doubt."""
    return "" if order.status in IN_DOUBT and status not in IN_DOUBT else order.reason


def fit_status(order: Order) -> Order:
    """Derive the status from the sizes if they determine it: a rest of dust never fills."""
    if order.original_size > 0 and order.remaining_size < (DUST if order.matched_size else 1):
        reason = _reason(order, OrderStatus.FILLED)
        return replace(order, status=OrderStatus.FILLED, reason=reason)
    if order.matched_size > 0 and STAGE[order.status] < STAGE[OrderStatus.PARTIALLY_FILLED]:
        # It did match, whatever was assumed; an order that does not rest keeps no remainder.
        rests = order.time_in_force.rests
        status = OrderStatus.PARTIALLY_FILLED if rests else OrderStatus.CANCELLED
        return replace(order, status=status, reason=_reason(order, status))
    return order


def is_end_reportable(before: Order | None, after: Order) -> bool:
    """Whether an order ended in a way that neither its fills nor the reply to it report.

    The stream may first report a killed order as cancelled, and the reply then as rejected: that is
    one end.
    """
    if before is None or not before.status.is_open or after.status.is_open:
        return False
    is_awaited = before.status in (OrderStatus.PENDING, OrderStatus.SENT)
    is_answer_enough = is_awaited and not before.time_in_force.rests
    return after.status is not OrderStatus.FILLED and not is_answer_enough


TRADE_STAGE = {
    TradeStatus.MATCHED: 0,
    TradeStatus.RETRYING: 1,
    TradeStatus.MINED: 2,
    TradeStatus.CONFIRMED: 3,
    # The highest: shares that may not have arrived do not count as held.
    TradeStatus.FAILED: 4,
}
"""How advanced a state is; of two reports, the more advanced one counts."""


def merge_fill(known: Fill | None, fact: Fill) -> Fill:
    """Merge two reports of the same fill: settlement only moves forward."""
    if known is None:
        return fact
    ahead = known if TRADE_STAGE[known.status] >= TRADE_STAGE[fact.status] else fact
    return replace(
        ahead,
        matched_at=min(known.matched_at, fact.matched_at),
        transaction_hash=ahead.transaction_hash or known.transaction_hash or fact.transaction_hash,
        fee=max((f for f in (known.fee, fact.fee) if f is not None), default=None),
        outcome=known.outcome or fact.outcome,
    )


def is_contradictory(seen: frozenset[TradeStatus]) -> bool:
    """Whether a trade was reported in both final states."""
    return {TradeStatus.CONFIRMED, TradeStatus.FAILED} <= seen
