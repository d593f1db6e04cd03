"""What each host allows, as data, and what is left of the limits on orders and cancellations.

The tables stand in docs/wire.md#rate-limits. The public venue
mostly delays what is too much; we wait before sending instead, in order. Its limit of 15,000 requests in
10 s over all hosts holds by itself: the hosts' own limits add up to less. Limits by signer differ from
account to account: the venue counts them and states what is left with every answer to an order or a
cancellation (`Poly-RateLimit-*`); what it allows in all it does not state.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import final

from pmtui.clients.http.rate_gate import HostLimits, Limit, RateGate
from pmtui.clients.routes import Call, ClobRoutes
from pmtui.config.endpoints import Dialect
from pmtui.domain.health import RateBudget, StatedBudget

_ORDERS = (Call.POST_ORDER, Call.POST_ORDERS)
_CANCELS = (Call.CANCEL, Call.CANCEL_MANY, Call.CANCEL_MARKET, Call.CANCEL_ALL)
_KEYS = (
    Call.CREATE_KEY,
    Call.DERIVE_KEY,
    Call.API_KEYS,
    Call.DELETE_KEY,
    Call.CLOSED_ONLY,
    Call.CREATE_READONLY_KEY,
    Call.READONLY_KEYS,
    Call.DELETE_READONLY_KEY,
    Call.CREATE_BUILDER_KEY,
    Call.BUILDER_KEYS,
    Call.REVOKE_BUILDER_KEY,
)
_LEDGER = (Call.OPEN_ORDERS, Call.ORDER, Call.TRADES, Call.NOTICES, Call.DROP_NOTICES)
_SHARE = 3000
"""The trading host allows 9,000 in 10 s. Orders, cancels and all the rest get a third each: so a
cancel waits neither for reads nor for orders, and together they keep to what is allowed."""
_TEN_MINUTES = 600
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


def clob_limits(routes: ClobRoutes) -> HostLimits:
    """Return the limits of the trading host, by the labels of a dialect."""

    def limit(requests: int, calls: Iterable[Call], *, period_s: int = 10) -> Limit:
        return Limit(requests, period_s, frozenset(routes.route(call).label for call in calls))

    singles = {
        Call.CHECK: 100,
        Call.BOOK: 1500,
        Call.PRICE: 1500,
        Call.MIDPOINT: 1500,
        Call.BOOKS: 500,
        Call.PRICES: 500,
        Call.MIDPOINTS: 500,
        Call.PRICES_HISTORY: 1000,
        Call.TICK_SIZE: 200,
        Call.BALANCE: 200,
        Call.REFRESH_BALANCE: 50,
        Call.OPEN_ORDERS: 500,
        Call.TRADES: 500,
    }
    trading = {
        Call.POST_ORDER: (5000, 120_000),
        Call.CANCEL: (5000, 120_000),
        Call.POST_ORDERS: (2000, 21_000),
        Call.CANCEL_MANY: (2000, 15_000),
        Call.CANCEL_ALL: (250, 6_000),
        Call.CANCEL_MARKET: (1500, 21_000),
    }
    return HostLimits(
        (
            Limit(_SHARE, 10),
            limit(_SHARE, _ORDERS),
            limit(_SHARE, _CANCELS),
            limit(100, _KEYS),
            limit(900, _LEDGER),
            limit(125, (Call.NOTICES, Call.DROP_NOTICES)),
            *(limit(requests, (call,)) for call, requests in singles.items()),
            *(limit(burst, (call,)) for call, (burst, _) in trading.items()),
            *(
                limit(sustained, (call,), period_s=_TEN_MINUTES)
                for call, (_, sustained) in trading.items()
            ),
        ),
        apart=frozenset(routes.route(call).label for call in (*_ORDERS, *_CANCELS)),
    )


def _gets(requests: int, *paths: str) -> Limit:
    return Limit(requests, 10, frozenset(f"GET {path}" for path in paths))


_EVENTS = ("/events", "/events/*", "/events-keyset")
_MARKETS = ("/markets", "/markets/*", "/markets-keyset")

METADATA_LIMITS = HostLimits(
    (
        Limit(4000, 10),
        _gets(500, *_EVENTS),
        _gets(300, *_MARKETS),
        _gets(900, *_EVENTS, *_MARKETS),
        _gets(200, "/comments", "/comments/*"),
        _gets(200, "/tags", "/tags/*"),
        _gets(350, "/public-search"),
    )
)

_POSITIONS = {Dialect.SEED: 200, Dialect.LIVE: 150}
"""The seed dialect and the official page of June 2026 disagree (docs/wire.md#rate-limits)."""


def analytics_limits(dialect: Dialect) -> HostLimits:
    """Return the limits of the analytics host; both generations of its routes count alike."""
    positions = _POSITIONS[dialect]
    return HostLimits(
        (
            Limit(1000, 10),
            _gets(positions, "/positions", "/v2/positions"),
            _gets(positions, "/closed-positions"),
            _gets(200, "/trades", "/v2/trades"),
            _gets(100, "/", "/ok"),
        )
    )


RELAYER_LIMITS = HostLimits((Limit(25, 60, frozenset({"POST /submit"})),))


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
