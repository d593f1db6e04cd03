from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import NO_FEE, MarketTerms, Side
from pmtui.domain.money import Micros, parse_micros
from pmtui.domain.ticket.scaled import (
    MOST_LEGS,
    ScaledDraft,
    ScaledField,
    ScaledPlan,
    ScaledProblem,
    SizeShape,
    TotalUnit,
    entry_of,
    legs_that_cross,
    next_shape,
    next_unit,
    read_scaled,
    step_entry,
    warnings_of,
    with_entry,
)

m = parse_micros
TERMS = MarketTerms(
    condition_id=ConditionId("0xaa"), token_ids=(TokenId("1"), TokenId("2")),
    outcome_labels=("Yes", "No"), tick_size=m("0.01"), min_order_size=m("5"), neg_risk=False,
    fee=NO_FEE,
)  # fmt: skip
BOOK = BookView(
    TokenId("1"), BookState.LIVE, bids=(Level(m("0.42"), m("40")),),
    asks=(Level(m("0.44"), m("40")),),
)  # fmt: skip
DRAFT = ScaledDraft(first_text="40", last_text="44", count_text="5", total_text="100")


def planned(draft: ScaledDraft) -> ScaledPlan:
    plan = read_scaled(draft, TERMS)
    assert isinstance(plan, ScaledPlan)
    return plan


def problem(draft: ScaledDraft) -> ScaledField:
    found = read_scaled(draft, TERMS)
    assert isinstance(found, ScaledProblem)
    return found.field


def warned(draft: ScaledDraft, cash: str = "1000", shares: str = "1000") -> tuple[str, ...]:
    return warnings_of(
        planned(draft), book=BOOK, available_cash=m(cash), available_shares=m(shares)
    )


def test_entries_are_read_into_a_ladder() -> None:
    plan = planned(replace(DRAFT, total_text="1,000", shape=SizeShape.RISING, is_post_only=True))
    assert (plan.spec.first_price, plan.spec.last_price) == (m("0.40"), m("0.44"))
    assert (plan.spec.count, plan.shares, plan.spec.is_post_only) == (5, m("1000"), True)


def test_a_dollar_sign_outweighs_the_unit() -> None:
    plan = planned(replace(DRAFT, total_text="$84"))
    assert plan.spec.unit is TotalUnit.DOLLARS
    assert plan.cash == m("84")


@pytest.mark.parametrize(
    ("draft", "field"),
    [
        (replace(DRAFT, first_text=""), ScaledField.FIRST_PRICE),
        (replace(DRAFT, first_text="."), ScaledField.FIRST_PRICE),
        (replace(DRAFT, last_text=" "), ScaledField.LAST_PRICE),
        (replace(DRAFT, last_text="44.5"), ScaledField.LAST_PRICE),
        (replace(DRAFT, count_text=""), ScaledField.COUNT),
        (replace(DRAFT, count_text="9" * 30), ScaledField.COUNT),
        (replace(DRAFT, count_text="٣"), ScaledField.COUNT),
        (replace(DRAFT, total_text=""), ScaledField.TOTAL),
        (replace(DRAFT, total_text="."), ScaledField.TOTAL),
        (replace(DRAFT, total_text="3"), ScaledField.TOTAL),
    ],
)
def test_the_first_entry_that_will_not_do_is_named(draft: ScaledDraft, field: ScaledField) -> None:
    assert problem(draft) is field


@given(st.sampled_from(ScaledField), st.text(max_size=8))
def test_whatever_is_typed_is_a_ladder_or_a_problem(field: ScaledField, text: str) -> None:
    draft = with_entry(DRAFT, field, text)
    assert entry_of(draft, field) == text
    assert isinstance(read_scaled(draft, TERMS), ScaledPlan | ScaledProblem)
    for step in (1, -1):
        stepped = step_entry(draft, field, step, TERMS)
        assert isinstance(read_scaled(stepped, TERMS), ScaledPlan | ScaledProblem)


@pytest.mark.parametrize(
    ("field", "text", "up", "down"),
    [
        (ScaledField.FIRST_PRICE, "40", "41", "39"),
        (ScaledField.FIRST_PRICE, "40.5", "41", "40"),
        (ScaledField.LAST_PRICE, "99", "99", "98"),
        (ScaledField.LAST_PRICE, "1", "2", "1"),
        (ScaledField.LAST_PRICE, "", "", ""),
        (ScaledField.COUNT, "5", "6", "4"),
        (ScaledField.COUNT, str(MOST_LEGS), str(MOST_LEGS), str(MOST_LEGS - 1)),
        (ScaledField.COUNT, "", "3", "2"),
        (ScaledField.TOTAL, "", "10", ""),
        (ScaledField.TOTAL, "12.5", "22.5", "2.5"),
    ],
)
def test_arrows_step_an_entry(field: ScaledField, text: str, up: str, down: str) -> None:
    draft = with_entry(DRAFT, field, text)
    assert entry_of(step_entry(draft, field, 1, TERMS), field) == up
    assert entry_of(step_entry(draft, field, -1, TERMS), field) == down


def test_choices_go_round() -> None:
    shapes = [next_shape(DRAFT).shape, next_shape(DRAFT, -1).shape]
    assert shapes == [SizeShape.RISING, SizeShape.FALLING]
    assert next_unit(DRAFT).unit is TotalUnit.DOLLARS
    assert next_unit(next_unit(DRAFT)) == DRAFT


def test_what_the_account_cannot_carry_is_warned_of() -> None:
    resting = replace(DRAFT, first_text="30", last_text="34")
    assert warned(resting) == ()
    assert warned(resting, cash="31") == ("Costs more than the $31.00 available",)
    sale = replace(DRAFT, side=Side.SELL, first_text="50", last_text="54")
    assert warned(sale, shares="99.5") == ("Only 99.5 shares are free to sell",)
    assert warned(sale) == ()


def test_legs_that_meet_the_book_are_counted() -> None:
    crossing = replace(DRAFT, last_text="46", count_text="4")
    assert [leg.price for leg in legs_that_cross(planned(crossing), BOOK)] == [
        m("0.44"), m("0.46"),
    ]  # fmt: skip
    assert warned(crossing) == ("2 of 4 would cross",)
    (refused,) = warned(replace(crossing, is_post_only=True))
    assert "be rejected" in refused
    sale = replace(DRAFT, side=Side.SELL)
    assert [leg.price for leg in legs_that_cross(planned(sale), BOOK)] == [
        m("0.40"), m("0.41"), m("0.42"),
    ]  # fmt: skip


def test_a_purchase_that_fills_at_once_must_be_worth_a_dollar() -> None:
    small = ScaledDraft(first_text="1", last_text="2", count_text="2", total_text="10")
    book = replace(BOOK, asks=(Level(Micros(10_000), m("40")),))
    warnings = warnings_of(planned(small), book=book, available_cash=None, available_shares=m("0"))
    assert warnings[-1] == "A purchase that fills at once needs $1 at least"


def test_without_a_book_nothing_is_said_to_meet_it() -> None:
    assert legs_that_cross(planned(DRAFT), None) == ()
    empty = replace(BOOK, asks=(), bids=())
    assert legs_that_cross(planned(DRAFT), empty) == ()
    assert legs_that_cross(planned(replace(DRAFT, side=Side.SELL)), empty) == ()
