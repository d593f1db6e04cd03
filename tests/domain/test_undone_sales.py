"""Shares that a failed sale brought back: protected once more, and never counted twice."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.conditional import (
    Conditional,
    ConditionalId,
    ConditionalState,
    CountedSale,
)
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.money import Micros
from pmtui.domain.undone_sales import Undone, came_back, undo_failed

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
SALE = CountedSale(OrderId("0x1"), Micros(60), Micros(0), AT)
DONE = Conditional(
    ConditionalId("c"), ConditionId("0xab"), TokenId("7"), "Yes", "Will it?", Micros(0),
    stop=Micros(400_000), take_profit=None, give_way=Micros(50_000), created_at=AT,
    state=ConditionalState.DONE, counted=(SALE,),
)  # fmt: skip
sizes = st.integers(0, 100).map(Micros)


def undo(conditional: Conditional, failed: int) -> Undone | None:
    numbers = count()
    return undo_failed(
        conditional, lambda _: Micros(failed), new_id=lambda: ConditionalId(f"new{next(numbers)}")
    )


def test_nothing_comes_back_of_a_sale_that_stands() -> None:
    assert undo(DONE, 0) is None


def test_what_had_failed_before_it_was_counted_was_never_counted() -> None:
    assert undo(replace(DONE, counted=(replace(SALE, failed=Micros(40)),)), 40) is None


@pytest.mark.parametrize(("state", "size"), [("DONE", 25), ("RESTING", 35)])
def test_one_that_is_over_or_rests_is_at_rest_for_what_came_back(state: str, size: int) -> None:
    before = replace(DONE, state=ConditionalState[state], size=Micros(10))
    undone = undo(before, 25)
    assert undone is not None
    assert undone.keeper is undone.seller
    assert (undone.seller.state, undone.seller.size) == (ConditionalState.RESTING, size)
    assert undo(undone.seller, 25) is None, "the same failure counts once"


@pytest.mark.parametrize("state", [ConditionalState.WATCHING, ConditionalState.SELLING])
def test_one_that_goes_on_does_so_and_another_is_at_rest(state: ConditionalState) -> None:
    before = replace(DONE, state=state, size=Micros(10), sale=OrderId("0x2"))
    undone = undo(before, 25)
    assert undone is not None
    assert undone.keeper is not None
    assert (undone.seller.state, undone.seller.size) == (state, 10)
    assert undone.seller.sale == OrderId("0x2")
    assert (undone.keeper.state, undone.keeper.size) == (ConditionalState.RESTING, 25)
    assert (undone.keeper.sale, undone.keeper.counted) == (None, ())
    assert undone.keeper.conditional_id != before.conditional_id
    assert undo(undone.seller, 25) is None


def test_one_that_the_trader_ended_stays_ended_and_it_is_said() -> None:
    undone = undo(replace(DONE, state=ConditionalState.CANCELLED), 25)
    assert undone is not None
    assert undone.keeper is None
    assert "protects nothing" in undone.text


@given(sizes, sizes, st.lists(sizes, max_size=5))
def test_never_more_comes_back_than_was_counted_however_it_is_told(
    size: Micros, before: Micros, told: list[Micros]
) -> None:
    sale = replace(SALE, size=size, failed=before)
    conditional, back = replace(DONE, counted=(sale,)), 0
    # What is known to have failed only grows.
    for failed in sorted(told):
        undone = undo(conditional, failed)
        if undone is not None:
            back += undone.size
            conditional = undone.seller
    most = max(told, default=Micros(0))
    assert back == came_back(sale, most) <= size
