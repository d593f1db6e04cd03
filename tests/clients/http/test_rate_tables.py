"""The limits as data: what the documents say, on the routes that are really used."""

import pytest

from pmtui.clients.http.rate_budgets import (
    METADATA_LIMITS,
    RELAYER_LIMITS,
    analytics_limits,
    clob_limits,
)
from pmtui.clients.http.rate_gate import HostLimits
from pmtui.clients.routes import ANALYTICS_ROUTES, METADATA_ROUTES, ROUTES, Call
from pmtui.config.endpoints import Dialect


def figures(limits: HostLimits, route: str) -> set[tuple[int, int]]:
    return {(limit.requests, limit.period_s) for limit in limits.of_route(route)}


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (Call.BOOK, {(3000, 10), (1500, 10)}),
        (Call.BOOKS, {(3000, 10), (500, 10)}),
        (Call.TICK_SIZE, {(3000, 10), (200, 10)}),
        (Call.REFRESH_BALANCE, {(3000, 10), (50, 10)}),
        (Call.OPEN_ORDERS, {(3000, 10), (900, 10), (500, 10)}),
        (Call.NOTICES, {(3000, 10), (900, 10), (125, 10)}),
        (Call.REVOKE_BUILDER_KEY, {(3000, 10), (100, 10)}),
        (Call.POST_ORDER, {(3000, 10), (5000, 10), (120_000, 600)}),
        (Call.CANCEL_ALL, {(3000, 10), (250, 10), (6000, 600)}),
        (Call.NEG_RISK, {(3000, 10)}),
    ],
)
def test_the_trading_hosts_routes_have_their_limits(
    dialect: Dialect, call: Call, expected: set[tuple[int, int]]
) -> None:
    routes = ROUTES[dialect]
    assert figures(clob_limits(routes), routes.route(call).label) == expected


@pytest.mark.parametrize("dialect", Dialect)
def test_orders_cancels_and_the_rest_keep_to_the_hosts_limit_together(dialect: Dialect) -> None:
    routes = ROUTES[dialect]
    limits = clob_limits(routes)
    shares = {limits.of_route(route.label)[0] for route in routes.rows.values()}
    assert sum(share.requests for share in shares) <= 9000
    assert all(share.period_s == 10 for share in shares)


@pytest.mark.parametrize(("dialect", "positions"), [(Dialect.SEED, 200), (Dialect.LIVE, 150)])
def test_the_analytics_hosts_limits_differ_by_dialect(dialect: Dialect, positions: int) -> None:
    limits, routes = analytics_limits(dialect), ANALYTICS_ROUTES[dialect]
    for path in (routes.positions.path, routes.closed_positions.path):
        assert figures(limits, f"GET {path}") == {(1000, 10), (positions, 10)}
    assert figures(limits, "GET /trades") == {(1000, 10), (200, 10)}
    assert figures(limits, "GET /") == {(1000, 10), (100, 10)}
    assert figures(limits, "GET /holders") == {(1000, 10)}


@pytest.mark.parametrize("dialect", Dialect)
def test_the_metadata_hosts_lists_are_limited(dialect: Dialect) -> None:
    routes = METADATA_ROUTES[dialect]
    assert (500, 10) in figures(METADATA_LIMITS, f"GET {routes.events.path}")
    assert (900, 10) in figures(METADATA_LIMITS, f"GET {routes.event}")
    assert figures(METADATA_LIMITS, f"GET {routes.search}") == {(4000, 10), (350, 10)}


def test_the_relayer_takes_a_submission_every_few_seconds() -> None:
    assert figures(RELAYER_LIMITS, "POST /submit") == {(25, 60)}
    assert figures(RELAYER_LIMITS, "GET /deployed") == set()
