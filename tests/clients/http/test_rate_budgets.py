from datetime import UTC, datetime, timedelta

import pytest

from pmtui.clients.http.rate_budgets import RateBudgets
from pmtui.clients.http.rate_gate import HostLimits, Limit, RateGate
from pmtui.clients.routes import ROUTES
from pmtui.config.endpoints import Dialect
from pmtui.domain.health import RateBudget

START = datetime(2026, 6, 15, 12, 0, tzinfo=UTC)
ROUTE, OTHER = "POST /order", "DELETE /order"


class _Times:
    def __init__(self) -> None:
        self.at = START

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return (self.at - START).total_seconds()


def _budgets(times: _Times, *limits: Limit) -> tuple[RateBudgets, RateGate]:
    gate = RateGate(HostLimits(limits), now=times.monotonic)
    return RateBudgets(gate, ROUTES[Dialect.LIVE], times.now), gate


def _said(remaining: int, reset: datetime, *, is_over: bool = False) -> dict[str, str]:
    headers = {
        "poly-ratelimit-remaining": str(remaining),
        "poly-ratelimit-reset": str(int(reset.timestamp())),
    }
    return headers | ({"poly-ratelimit-warning": "true"} if is_over else {})


def test_what_the_venue_states_is_believed_until_its_bucket_is_full_again() -> None:
    times = _Times()
    budgets, _ = _budgets(times)
    budgets.note(ROUTE, _said(4, START + timedelta(seconds=2)))
    assert list(budgets.left()) == [RateBudget("orders", 4, 60)]
    times.at += timedelta(seconds=1)
    assert list(budgets.left()) == [RateBudget("orders", 32, 60)]
    times.at += timedelta(seconds=1)
    assert list(budgets.left()) == [RateBudget("orders", 60, 60)]


def test_a_higher_tier_is_told_by_what_was_left_before() -> None:
    budgets, _ = _budgets(_Times())
    budgets.note(ROUTE, _said(890, START))
    budgets.note(ROUTE, _said(100, START + timedelta(seconds=5)))
    (left,) = budgets.left()
    assert left == RateBudget("orders", 100, 890)
    assert left.is_nearly_spent


def test_too_much_is_told_and_cancels_are_counted_apart() -> None:
    budgets, _ = _budgets(_Times())
    budgets.note(OTHER, _said(0, START + timedelta(seconds=3), is_over=True))
    assert list(budgets.left()) == [RateBudget("cancels", 0, 120, is_over=True)]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"poly-ratelimit-remaining": "3"},
        {"poly-ratelimit-remaining": "-3", "poly-ratelimit-reset": "1"},
        {"poly-ratelimit-remaining": "many", "poly-ratelimit-reset": "1"},
        {"poly-ratelimit-remaining": "1" * 40, "poly-ratelimit-reset": "1"},
    ],
)
def test_headers_that_say_nothing_readable_are_not_believed(headers: dict[str, str]) -> None:
    budgets, _ = _budgets(_Times())
    budgets.note(ROUTE, headers)
    budgets.note("GET /book", _said(0, START + timedelta(seconds=9)))
    assert list(budgets.left()) == []


def test_a_clock_far_ahead_does_not_make_a_budget_low_for_ever() -> None:
    times = _Times()
    budgets, _ = _budgets(times)
    budgets.note(ROUTE, _said(0, START + timedelta(days=300)))
    times.at += timedelta(minutes=1)
    assert list(budgets.left()) == [RateBudget("orders", 60, 60)]


async def test_our_own_count_is_told_at_its_tightest_and_frees_itself() -> None:
    times = _Times()
    budgets, gate = _budgets(
        times,
        Limit(5, 10, frozenset({ROUTE})),
        Limit(100, 600, frozenset({ROUTE})),
    )
    for _ in range(4):
        assert await gate.enter(ROUTE) is None
    orders = [b for b in budgets.left() if b.name == "orders"]
    assert orders == [RateBudget("orders", 1, 5)]
    times.at += timedelta(seconds=10)
    assert next(iter(budgets.left())) == RateBudget("orders", 96, 100)
