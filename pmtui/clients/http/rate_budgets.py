"""What is left of the limits on orders and cancellations: our own count, and the venue's word.

The venue counts per signer and states what is left with every answer to an order or a cancellation
(WIRE_CLOB §15, `Poly-RateLimit-*`); what it allows in all it does not state.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import final

from pmtui.clients.http.rate_gate import RateGate
from pmtui.clients.routes_clob import Call, ClobRoutes
from pmtui.domain.health import RateBudget, StatedBudget

ORDERS, CANCELS = "orders", "cancels"
_COUNTED = {
    Call.POST_ORDER: ORDERS,
    Call.POST_ORDERS: ORDERS,
    Call.CANCEL: CANCELS,
    Call.CANCEL_MANY: CANCELS,
    Call.CANCEL_ALL: CANCELS,
    Call.CANCEL_MARKET: CANCELS,
}
_LEAST_BURST = {ORDERS: 60, CANCELS: 120}
"""Of the standard tier; whoever has been told of more left is allowed more."""
_LONGEST_FILL = timedelta(minutes=1)
"""No bucket takes longer to fill: a stated time beyond that is the fault of a clock."""


@final
class RateBudgets:
    """The limits of one signer at the trading host."""

    def __init__(self, gate: RateGate, routes: ClobRoutes, now: Callable[[], datetime]) -> None:
        """Start with everything left.

        Args:
            gate: counts what we send.
            routes: how the trading host is spoken to.
            now: our own time.
        """
        self._gate = gate
        self._now = now
        self._names = {routes.route(call).label: name for call, name in _COUNTED.items()}
        self._stated: dict[str, StatedBudget] = {}
        self._most = dict(_LEAST_BURST)

    def note(self, route: str, headers: Mapping[str, str]) -> None:
        """Read what an answer states, if it states anything.

        Args:
            route: that was asked.
            headers: of the answer, by their names in lower case.
        """
        name = self._names.get(route)
        left = _number(headers.get("poly-ratelimit-remaining"))
        reset_s = _number(headers.get("poly-ratelimit-reset"))
        if name is None or left is None or reset_s is None:
            return
        now = self._now()
        self._most[name] = max(self._most[name], left)
        full_at = datetime.fromtimestamp(reset_s, tz=UTC)
        self._stated[name] = StatedBudget(
            name,
            left,
            self._most[name],
            now,
            min(max(full_at, now), now + _LONGEST_FILL),
            is_over=headers.get("poly-ratelimit-warning", "").lower() == "true",
        )

    def left(self) -> Iterable[RateBudget]:
        """Return what is left of every limit now."""
        now = self._now()
        yield from (stated.by(now) for stated in self._stated.values())
        for route, name in self._names.items():
            left, allowed = self._gate.room(route)
            if allowed:
                yield RateBudget(name, left, allowed)


def _number(text: str | None) -> int | None:
    is_number = text is not None and text.isascii() and text.isdigit() and len(text) <= 11
    return int(text or "0") if is_number else None
