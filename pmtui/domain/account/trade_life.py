"""The life of a trade on the chain: matched, sent again, mined, confirmed or failed for good."""

from dataclasses import replace

from pmtui.domain.orders.order import Fill, TradeStatus

LIFE: dict[TradeStatus, frozenset[TradeStatus]] = {
    TradeStatus.MATCHED: frozenset(
        {TradeStatus.MINED, TradeStatus.RETRYING, TradeStatus.CONFIRMED, TradeStatus.FAILED}
    ),
    TradeStatus.RETRYING: frozenset({TradeStatus.MINED, TradeStatus.CONFIRMED, TradeStatus.FAILED}),
    TradeStatus.MINED: frozenset({TradeStatus.CONFIRMED, TradeStatus.RETRYING, TradeStatus.FAILED}),
    TradeStatus.CONFIRMED: frozenset(),
    TradeStatus.FAILED: frozenset(),
}
"""What may follow (WIRE_CLOB §8.3); a mined transaction may still be lost with its block."""

STAGE = {
    TradeStatus.MATCHED: 0,
    TradeStatus.RETRYING: 1,
    TradeStatus.MINED: 2,
    TradeStatus.CONFIRMED: 3,
    # Above all: shares that may not have come are not counted as held.
    TradeStatus.FAILED: 4,
}
"""How far along a state is; of two reports, the one further along counts."""


def is_legal_step(before: TradeStatus, after: TradeStatus) -> bool:
    """Whether a trade in one state may next be in another, or still be where it is."""
    return before is after or after in LIFE[before]


def merge_fill(known: Fill | None, fact: Fill) -> Fill:
    """Combine two reports of the same fill: settlement only moves forward."""
    if known is None:
        return fact
    ahead = known if STAGE[known.status] >= STAGE[fact.status] else fact
    return replace(
        ahead,
        matched_at=min(known.matched_at, fact.matched_at),
        transaction_hash=ahead.transaction_hash or known.transaction_hash or fact.transaction_hash,
        fee=max((f for f in (known.fee, fact.fee) if f is not None), default=None),
        outcome=known.outcome or fact.outcome,
    )


def is_torn(seen: frozenset[TradeStatus]) -> bool:
    """Whether a trade was reported in both of the states that nothing follows."""
    return {TradeStatus.CONFIRMED, TradeStatus.FAILED} <= seen
