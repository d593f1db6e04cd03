from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.exposure import exposure_of, profit_by_event
from pmtui.domain.account.position import ClosedPosition, Position
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import ONE, Micros


def held(
    number: int, size: int, *, index: int = 0, neg_risk: bool = False, price: int | None = 500_000
) -> Position:
    return Position(
        token_id=TokenId(f"{number}{index}"), condition_id=ConditionId(f"0x{number}"),
        title=f"Market {number}", outcome="Yes", size=Micros(size), average_price=Micros(400_000),
        current_price=None if price is None else Micros(price), realized=Micros(0),
        outcome_index=index, neg_risk=neg_risk,
    )  # fmt: skip


positions = st.lists(
    st.builds(
        held, st.integers(1, 4), st.integers(0, 10**9), index=st.integers(0, 1),
        neg_risk=st.booleans(), price=st.none() | st.integers(0, ONE),
    ),
    max_size=8,
    unique_by=lambda p: p.token_id,
)  # fmt: skip


def one_event(_: ConditionId) -> str:
    return "Event"


def own_event(condition_id: ConditionId) -> str:
    return str(condition_id)


@given(positions)
def test_the_worst_case_pays_no_more_than_the_best_and_nothing_pays_more_than_all(
    found: list[Position],
) -> None:
    exposure = exposure_of(found, one_event)
    assert 0 <= exposure.worst <= exposure.best <= sum(p.size for p in found)
    assert exposure.value == sum(p.value or 0 for p in found)
    assert exposure.if_best - exposure.if_worst == exposure.best - exposure.worst


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=6))
def test_of_a_race_one_yes_pays_and_of_independent_markets_each_may(sizes: list[int]) -> None:
    race = [held(n, size, neg_risk=True) for n, size in enumerate(sizes)]
    apart = [held(n, size) for n, size in enumerate(sizes)]
    assert exposure_of(race, one_event).best == max(sizes)
    assert exposure_of(race, one_event).worst == 0
    assert exposure_of(apart, one_event).best == sum(sizes)
    # Races in different events exclude each other no more.
    assert exposure_of(race, own_event).best == sum(sizes)


def test_yes_and_no_of_a_market_pay_a_dollar_whatever_happens() -> None:
    both = [held(1, 100), held(1, 60, index=1)]
    exposure = exposure_of(both, one_event)
    assert (exposure.worst, exposure.best) == (60, 100)


def test_every_no_of_a_race_but_the_winners_pays() -> None:
    race = [held(n, 100, index=1, neg_risk=True) for n in range(3)]
    exposure = exposure_of(race, one_event)
    assert (exposure.worst, exposure.best) == (200, 300)


def test_the_event_with_most_in_it_is_named() -> None:
    found = [held(1, 10 * ONE), held(2, 30 * ONE)]
    assert exposure_of(found, own_event).largest == ("0x2", 15 * ONE)
    assert exposure_of([], own_event).largest is None


@given(positions)
def test_the_profits_of_events_add_up_to_everything(found: list[Position]) -> None:
    found = [replace(p, realized=Micros(n * 1_000)) for n, p in enumerate(found)]
    closed = [
        ClosedPosition(
            TokenId("9"), ConditionId("0x9"), "Gone", "Yes", Micros(1), Micros(1), Micros(-7), None
        )
    ]
    profits = profit_by_event(found, closed, own_event)
    assert sum(p.realized for p in profits) == sum(p.realized for p in found) - 7
    assert sum(p.unrealized for p in profits) == sum(p.unrealized or 0 for p in found)
    sizes = [abs(profit.total) for profit in profits]
    assert sizes == sorted(sizes, reverse=True)
    assert len({profit.name for profit in profits}) == len(profits)
