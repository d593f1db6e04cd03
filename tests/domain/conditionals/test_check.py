"""What is typed to protect a position: read into a plan, or a problem beside its entry."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pmtui.domain.conditionals.check import (
    ConditionalDraft,
    PlanField,
    PlanProblem,
    check_attachment,
    check_plan,
    read_attachment,
    read_conditional,
)
from pmtui.domain.conditionals.conditional import (
    Attachment,
    Conditional,
    ConditionalId,
    ConditionalPlan,
    Trigger,
    describe_attachment,
    describe_plan,
    follow_purchases,
    moved_to,
    without,
)
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import ZERO, Micros, parse_micros

m = parse_micros
CENT = m("0.01")
CONDITION, TOKEN = ConditionId("0xaa"), TokenId("1")
PLAN = ConditionalPlan(CONDITION, TOKEN, m("100"), m("0.40"), m("0.80"))
PAIR = Conditional(
    conditional_id=ConditionalId("c1"), condition_id=CONDITION, token_id=TOKEN, outcome="Yes",
    title="Will it rain?", size=m("40"), stop=m("0.40"), take_profit=m("0.80"),
    give_way=m("0.05"), created_at=datetime(2026, 6, 1, tzinfo=UTC),
)  # fmt: skip


def read(draft: ConditionalDraft) -> ConditionalPlan | PlanProblem:
    return read_conditional(draft, condition_id=CONDITION, token_id=TOKEN, held=m("50"))


def test_entries_become_a_plan() -> None:
    plan = read(ConditionalDraft("40", "80", "5", "3", "12.5"))
    assert plan == replace(PLAN, size=m("12.5"), give_way=m("0.05"), is_all=False, trail=m("0.03"))
    whole = read(ConditionalDraft("40"))
    assert isinstance(whole, ConditionalPlan)
    assert (whole.size, whole.is_all, whole.take_profit) == (m("50"), True, None)
    empty = read(ConditionalDraft("40", give_way_text="", size_text=""))
    assert isinstance(empty, ConditionalPlan)
    assert (empty.size, empty.give_way) == (ZERO, ZERO)


@pytest.mark.parametrize(
    ("draft", "field"),
    [
        (ConditionalDraft("x"), PlanField.STOP), (ConditionalDraft("4", "x"), PlanField.TAKE_PROFIT),
        (ConditionalDraft(give_way_text="x"), PlanField.GIVE_WAY),
        (ConditionalDraft(trail_text="x"), PlanField.TRAIL),
        (ConditionalDraft(size_text="x"), PlanField.SIZE),
    ],
)  # fmt: skip
def test_an_entry_that_cannot_be_read_is_named(draft: ConditionalDraft, field: PlanField) -> None:
    problem = read(draft)
    assert isinstance(problem, PlanProblem)
    assert problem.field is field


def test_a_stop_and_a_target_can_come_with_a_purchase() -> None:
    assert read_attachment("", " ", tick=CENT) is None
    assert read_attachment("40", "", tick=CENT) == Attachment(m("0.40"), None, m("0.05"))
    assert read_attachment("", "60", tick=CENT) == Attachment(None, m("0.60"), m("0.05"))
    assert read_attachment("3", "", tick=CENT) == Attachment(m("0.03"), None, m("0.02"))
    problem = read_attachment("40", "x", tick=CENT)
    assert isinstance(problem, PlanProblem)
    assert problem.field is PlanField.TAKE_PROFIT


def test_what_comes_with_a_purchase_lies_on_its_sides_of_price_and_bid() -> None:
    def fields(attachment: Attachment, *others: Conditional) -> list[PlanField]:
        found = check_attachment(
            attachment, price=m("0.50"), bid=m("0.52"), tick=CENT, others=others
        )
        return [problem.field for problem in found]

    assert fields(Attachment(m("0.40"), m("0.60"))) == []
    assert fields(Attachment(m("0.51"), m("0.60"))) == [PlanField.STOP]
    assert fields(Attachment(m("0.40"), m("0.52"))) == [PlanField.TAKE_PROFIT]
    assert fields(Attachment(m("0.40"), None), replace(PAIR, is_all=True)) == [PlanField.STOP]


def test_two_plans_never_speak_for_the_same_shares() -> None:
    def fields(plan: ConditionalPlan, *others: Conditional) -> list[PlanField]:
        found = check_plan(plan, held=m("100"), bid=None, tick=CENT, others=others)
        return [problem.field for problem in found]

    assert fields(replace(PLAN, size=m("60")), PAIR) == []
    assert fields(replace(PLAN, size=m("61")), PAIR) == [PlanField.SIZE]
    assert fields(PLAN, replace(PAIR, is_all=True)) == [PlanField.SIZE]
    assert fields(replace(PLAN, is_all=True), PAIR) == [PlanField.SIZE]
    assert fields(replace(PLAN, is_all=True), replace(PAIR, size=ZERO)) == [PlanField.SIZE]


def test_a_pair_can_lose_or_move_one_of_its_prices() -> None:
    assert without(PAIR, Trigger.STOP) == replace(PAIR, stop=None)
    assert without(PAIR, Trigger.TAKE_PROFIT) == replace(PAIR, take_profit=None)
    assert without(replace(PAIR, stop=None), Trigger.TAKE_PROFIT) is None
    assert moved_to(PAIR, Trigger.TAKE_PROFIT, m("0.9"), tick=CENT).take_profit == m("0.9")
    near = moved_to(PAIR, Trigger.STOP, m("0.03"), tick=CENT)
    assert (near.stop, near.give_way) == (m("0.03"), m("0.02"))


def test_plans_are_described_with_their_sizes_and_prices() -> None:
    assert " all Yes" in describe_plan(replace(PLAN, is_all=True), "Yes")
    assert "100 Yes" in describe_plan(PLAN, "Yes")
    both = describe_attachment(Attachment(m("0.38"), m("0.42")))
    assert all(price in both for price in ("38¢", "33¢", "42¢"))
    assert describe_attachment(Attachment(None, None)) == ""


def test_one_without_purchases_follows_none() -> None:
    def none(_: object) -> Micros:
        return ZERO

    assert follow_purchases(PAIR, matched=none, failed=none, is_open=bool) is None
