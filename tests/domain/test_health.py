from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.health import RateBudget, RequestQueue, StatedBudget, scarcest

NOW = datetime(2026, 6, 15, 12, 0, tzinfo=UTC)


@given(
    left=st.integers(0, 60),
    allowed=st.integers(60, 1_800),
    span=st.integers(0, 30),
    passed=st.integers(-5, 60),
    is_over=st.booleans(),
)
def test_a_stated_budget_fills_up_and_is_full_when_the_venue_said(
    left: int, allowed: int, span: int, passed: int, *, is_over: bool
) -> None:
    stated = StatedBudget(
        "orders", left, allowed, NOW, NOW + timedelta(seconds=span), is_over=is_over
    )
    now = stated.by(NOW + timedelta(seconds=passed))
    assert left <= now.left <= allowed
    if passed >= span:
        assert now == RateBudget("orders", allowed, allowed)
    later = stated.by(NOW + timedelta(seconds=passed + 1))
    assert later.left >= now.left


def test_nearly_none_is_less_than_a_fifth_or_what_the_venue_calls_too_much() -> None:
    assert not RateBudget("orders", 12, 60).is_nearly_spent
    assert RateBudget("orders", 11, 60).is_nearly_spent
    assert RateBudget("orders", 60, 60, is_over=True).is_nearly_spent


def test_the_one_that_runs_out_first_is_told() -> None:
    ample, low, lower = (RateBudget("orders", n, 60) for n in (60, 10, 3))
    over = RateBudget("cancels", 119, 120, is_over=True)
    assert scarcest(()) is None
    assert scarcest((ample,)) is None
    assert scarcest((low, ample, lower)) is lower
    assert scarcest((lower, over)) is over


def test_the_last_in_line_has_the_others_ahead() -> None:
    assert str(RequestQueue("GET /book", 13)) == "GET /book: waiting, 12 ahead"
    assert RequestQueue("GET /book", 1).ahead == 0


def test_an_empty_line_is_free() -> None:
    assert str(RequestQueue("GET /book", 0)) == "GET /book: free"
