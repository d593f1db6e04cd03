from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import NO_FEE, MarketTerms, Side
from pmtui.domain.money import ONE, SCALE, Micros, parse_micros
from pmtui.domain.orders.amounts import SIZE_STEP, TICK_RULES, is_on_tick, size_floor
from pmtui.domain.ticket.scaled import (
    MOST_LEGS,
    ScaledDraft,
    ScaledField,
    ScaledPlan,
    ScaledProblem,
    ScaledSpec,
    SizeShape,
    TotalUnit,
    _best_subset,
    entry_of,
    legs_that_cross,
    next_shape,
    next_unit,
    plan_scaled,
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
SPEC = ScaledSpec(Side.BUY, m("0.40"), m("0.44"), 5, m("100"))


def planned(spec: ScaledSpec, terms: MarketTerms = TERMS) -> ScaledPlan:
    plan = plan_scaled(spec, terms)
    assert isinstance(plan, ScaledPlan)
    return plan


def refused(spec: ScaledSpec) -> ScaledProblem:
    problem = plan_scaled(spec, TERMS)
    assert isinstance(problem, ScaledProblem)
    return problem


def sizes(plan: ScaledPlan) -> list[Micros]:
    return [leg.size for leg in plan.legs]


@st.composite
def specs(draw: st.DrawFn) -> tuple[ScaledSpec, MarketTerms]:
    tick = draw(st.sampled_from(sorted(TICK_RULES)))
    prices = st.integers(1, ONE // tick - 1).map(lambda steps: Micros(steps * tick))
    spec = ScaledSpec(
        side=draw(st.sampled_from(Side)),
        first_price=draw(prices),
        last_price=draw(prices),
        count=draw(st.integers(2, MOST_LEGS)),
        total=Micros(draw(st.integers(1, 20_000 * SCALE))),
        unit=draw(st.sampled_from(TotalUnit)),
        shape=draw(st.sampled_from(SizeShape)),
    )
    return spec, replace(TERMS, tick_size=tick)


@given(specs())
def test_every_leg_is_an_order_the_venue_takes(case: tuple[ScaledSpec, MarketTerms]) -> None:
    spec, terms = case
    plan = plan_scaled(spec, terms)
    if isinstance(plan, ScaledProblem):
        assert plan.text
        return
    assert len(plan.legs) == spec.count
    prices = [leg.price for leg in plan.legs]
    assert all(is_on_tick(price, terms.tick_size) for price in prices)
    assert len(set(prices)) == spec.count
    assert prices == sorted(prices, reverse=spec.first_price > spec.last_price)
    assert (prices[0], prices[-1]) == (spec.first_price, spec.last_price)
    assert all(leg.size % SIZE_STEP == 0 for leg in plan.legs)
    assert all(leg.size >= terms.min_order_size for leg in plan.legs)


@given(specs())
def test_prices_lie_evenly_to_the_tick(case: tuple[ScaledSpec, MarketTerms]) -> None:
    spec, terms = case
    plan = plan_scaled(spec, terms)
    if isinstance(plan, ScaledProblem):
        return
    gaps = spec.count - 1
    for number, leg in enumerate(plan.legs):
        ideal = spec.first_price * gaps + number * (spec.last_price - spec.first_price)
        assert abs(leg.price * gaps - ideal) * 2 <= terms.tick_size * gaps


@given(specs())
def test_shares_add_up_to_the_total_on_the_size_grid(
    case: tuple[ScaledSpec, MarketTerms],
) -> None:
    spec, terms = case
    plan = plan_scaled(replace(spec, unit=TotalUnit.SHARES), terms)
    if isinstance(plan, ScaledPlan):
        assert plan.shares == size_floor(spec.total)


@given(specs())
def test_dollars_never_exceed_the_total_and_leave_less_than_the_cheapest_step(
    case: tuple[ScaledSpec, MarketTerms],
) -> None:
    spec, terms = case
    plan = plan_scaled(replace(spec, unit=TotalUnit.DOLLARS), terms)
    if isinstance(plan, ScaledPlan):
        assert plan.cash == sum(leg.price * leg.size for leg in plan.legs) // SCALE
        assert plan.left_over >= 0
        # Not one more hundredth of a share at the cheapest price would fit where all legs have
        # room for another; never more than one such step of every leg is left.
        assert plan.left_over < sum(leg.price for leg in plan.legs) // 100


@given(specs())
def test_sizes_keep_their_shape_to_a_step_of_the_grid(
    case: tuple[ScaledSpec, MarketTerms],
) -> None:
    spec, terms = case
    plan = plan_scaled(spec, terms)
    if isinstance(plan, ScaledProblem):
        return
    given_sizes = sizes(plan)
    if spec.shape is SizeShape.EQUAL:
        assert max(given_sizes) - min(given_sizes) <= SIZE_STEP
        return
    if spec.shape is SizeShape.FALLING:
        given_sizes.reverse()
    for number, size in enumerate(given_sizes, start=1):
        # Parts of one, two, three …: every one is as many times the first as its number says.
        assert abs(size - number * given_sizes[0]) <= (number + 1) * SIZE_STEP


def test_dollars_are_spent_exactly_where_the_grid_permits() -> None:
    plan = planned(replace(SPEC, total=m("84"), unit=TotalUnit.DOLLARS))
    assert plan.left_over == 0
    assert plan.cash == m("84")


@given(st.lists(st.integers(1, 12), min_size=2, max_size=5), st.integers(0, 40))
def test_no_other_choice_of_steps_spends_more(costs: list[int], extra: int) -> None:
    chosen = _best_subset(costs, extra)
    spent = sum(costs[index] for index in chosen)
    assert len(set(chosen)) == len(chosen)
    choices = product((0, 1), repeat=len(costs))
    sums = (sum(c * x for c, x in zip(choice, costs, strict=True)) for choice in choices)
    assert spent == max(total for total in sums if total <= extra)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (SizeShape.EQUAL, ["30", "30", "30"]),
        (SizeShape.RISING, ["15", "30", "45"]),
        (SizeShape.FALLING, ["45", "30", "15"]),
    ],
)
def test_shapes(shape: SizeShape, expected: list[str]) -> None:
    plan = planned(replace(SPEC, count=3, total=m("90"), shape=shape))
    assert sizes(plan) == [m(text) for text in expected]
    assert [leg.price for leg in plan.legs] == [m("0.40"), m("0.42"), m("0.44")]


def test_a_total_off_the_size_grid_says_what_it_leaves() -> None:
    assert planned(replace(SPEC, total=m("100.005"))).left_over == m("0.005")


def test_a_price_off_the_grid_names_the_nearest() -> None:
    problem = refused(replace(SPEC, first_price=m("0.404")))
    assert problem == ScaledProblem(ScaledField.FIRST_PRICE, "Off tick; nearest price 40¢")
    assert refused(replace(SPEC, last_price=m("1"))).field is ScaledField.LAST_PRICE


def test_a_range_with_too_few_prices_says_how_many_there_are() -> None:
    problem = refused(replace(SPEC, count=6))
    assert problem == ScaledProblem(ScaledField.COUNT, "The range has only 5 prices")


@pytest.mark.parametrize("count", [0, 1, MOST_LEGS + 1])
def test_a_ladder_has_two_to_fifteen_orders(count: int) -> None:
    assert refused(replace(SPEC, count=count)).field is ScaledField.COUNT


def test_no_total_is_no_ladder() -> None:
    assert refused(replace(SPEC, total=Micros(0))).field is ScaledField.TOTAL


@given(specs())
def test_a_total_that_is_too_small_names_one_that_does(
    case: tuple[ScaledSpec, MarketTerms],
) -> None:
    spec, terms = case
    problem = plan_scaled(replace(spec, total=Micros(100)), terms)
    assert isinstance(problem, ScaledProblem)
    if problem.field is not ScaledField.TOTAL:
        return
    number = problem.text.removesuffix(" in all").rpartition(" ")[2].lstrip("$")
    assert isinstance(plan_scaled(replace(spec, total=m(number)), terms), ScaledPlan)


def test_a_plan_gives_the_orders_it_is() -> None:
    plan = planned(replace(SPEC, side=Side.SELL, is_post_only=True))
    first, *_ = plan.intents(TERMS, 1)
    assert (first.token_id, first.side, first.price, first.size) == (
        TokenId("2"), Side.SELL, m("0.40"), m("20"),
    )  # fmt: skip
    assert first.is_post_only


BOOK = BookView(
    TokenId("1"), BookState.LIVE, bids=(Level(m("0.42"), m("40")),),
    asks=(Level(m("0.44"), m("40")),),
)  # fmt: skip
DRAFT = ScaledDraft(first_text="40", last_text="44", count_text="5", total_text="100")


def read(draft: ScaledDraft) -> ScaledPlan:
    plan = read_scaled(draft, TERMS)
    assert isinstance(plan, ScaledPlan)
    return plan


def problem(draft: ScaledDraft) -> ScaledField:
    return problems(draft)[0]


def problems(draft: ScaledDraft) -> tuple[ScaledField, ...]:
    found = read_scaled(draft, TERMS)
    assert isinstance(found, tuple)
    return tuple(each.field for each in found)


def warned(draft: ScaledDraft, cash: str = "1000", shares: str = "1000") -> tuple[str, ...]:
    return warnings_of(read(draft), book=BOOK, available_cash=m(cash), available_shares=m(shares))


def test_entries_are_read_into_a_ladder() -> None:
    plan = read(replace(DRAFT, total_text="1,000", shape=SizeShape.RISING, is_post_only=True))
    assert (plan.spec.first_price, plan.spec.last_price) == (m("0.40"), m("0.44"))
    assert (plan.spec.count, plan.shares, plan.spec.is_post_only) == (5, m("1000"), True)


def test_a_dollar_sign_outweighs_the_unit() -> None:
    plan = read(replace(DRAFT, total_text="$84"))
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


def test_an_empty_total_hides_no_other_problem() -> None:
    empty = replace(DRAFT, total_text="")
    first, last, number, total = ScaledField
    assert problems(empty) == (total,)
    assert problems(replace(empty, last_text="44.7")) == (last, total)
    assert problems(replace(empty, first_text="", last_text="x")) == (first, last, total)
    assert problems(replace(empty, count_text="6")) == (number, total)
    assert problems(replace(DRAFT, last_text="44.7", count_text="1")) == (last, number)


@given(st.sampled_from(ScaledField), st.text(max_size=8))
def test_whatever_is_typed_is_a_ladder_or_a_problem(field: ScaledField, text: str) -> None:
    draft = with_entry(DRAFT, field, text)
    assert entry_of(draft, field) == text
    assert isinstance(read_scaled(draft, TERMS), ScaledPlan) or problems(draft)
    for step in (1, -1):
        stepped = step_entry(draft, field, step, TERMS)
        assert isinstance(read_scaled(stepped, TERMS), ScaledPlan) or problems(stepped)


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
    assert next_unit(next_unit(DRAFT)) == replace(DRAFT, total_text="")


def test_what_the_account_cannot_carry_is_warned_of() -> None:
    resting = replace(DRAFT, first_text="30", last_text="34")
    assert warned(resting) == ()
    assert warned(resting, cash="31") == ("Costs more than the $31.00 available",)
    sale = replace(DRAFT, side=Side.SELL, first_text="50", last_text="54")
    assert warned(sale, shares="99.5") == ("Only 99.5 shares are free to sell",)
    assert warned(sale) == ()


def test_legs_that_meet_the_book_are_counted() -> None:
    crossing = replace(DRAFT, last_text="46", count_text="4")
    assert [leg.price for leg in legs_that_cross(read(crossing), BOOK)] == [
        m("0.44"), m("0.46"),
    ]  # fmt: skip
    assert warned(crossing) == ("2 of 4 would cross",)
    (refused,) = warned(replace(crossing, is_post_only=True))
    assert "be rejected" in refused
    sale = replace(DRAFT, side=Side.SELL)
    assert [leg.price for leg in legs_that_cross(read(sale), BOOK)] == [
        m("0.40"), m("0.41"), m("0.42"),
    ]  # fmt: skip


def test_a_purchase_that_fills_at_once_must_be_worth_a_dollar() -> None:
    small = ScaledDraft(first_text="1", last_text="2", count_text="2", total_text="10")
    book = replace(BOOK, asks=(Level(Micros(10_000), m("40")),))
    warnings = warnings_of(read(small), book=book, available_cash=None, available_shares=m("0"))
    assert warnings[-1] == "Marketable buys need at least $1"


def test_without_a_book_nothing_is_said_to_meet_it() -> None:
    assert legs_that_cross(read(DRAFT), None) == ()
    empty = replace(BOOK, asks=(), bids=())
    assert legs_that_cross(read(DRAFT), empty) == ()
    assert legs_that_cross(read(replace(DRAFT, side=Side.SELL)), empty) == ()
