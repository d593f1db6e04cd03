import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import NO_FEE, MarketTerms, Side
from pmtui.domain.money import Micros, parse_micros
from pmtui.domain.orders.order import Accepted, Order, OrderStatus, Rejected, Unknown, Verdict
from pmtui.domain.ticket.scaled import ScaledPlan, ScaledSpec, TotalUnit, plan_scaled
from pmtui.ui.cells import Line, line_width
from pmtui.ui.ticket.scaled import LegEnd, paint_leg_end, paint_plan, paint_sent
from tests.ui import believable
from tests.ui.fake_surface import NOW

m = parse_micros
TERMS = MarketTerms(
    condition_id=ConditionId("0xaa"), token_ids=(TokenId("1"), TokenId("2")),
    outcome_labels=("Yes", "No"), tick_size=m("0.01"), min_order_size=m("5"), neg_risk=False,
    fee=NO_FEE,
)  # fmt: skip
ACCEPTED = Accepted(OrderId("0x1"), OrderStatus.LIVE, m("0"), "live")
REJECTED = Rejected("not enough balance / allowance\x1b[2J")
UNKNOWN = Unknown(OrderId("0x2"), "no answer", since=NOW)


def text(line: Line) -> str:
    return "".join(cell.text for cell in line)


def plan_of(count: int, total: str = "300", unit: TotalUnit = TotalUnit.SHARES) -> ScaledPlan:
    spec = ScaledSpec(Side.BUY, m("0.20"), m("0.40"), count, m(total), unit=unit)
    plan = plan_scaled(spec, TERMS)
    assert isinstance(plan, ScaledPlan)
    return plan


def test_a_few_legs_stand_below_each_other_with_what_they_cost() -> None:
    plan = plan_of(3)
    lines = [text(line) for line in paint_plan(plan, plan.legs[2:], ())]
    assert lines[0].split() == ["20¢", "100", "$20.00"]
    assert "would cross" in lines[2]
    assert lines[3].split() == ["total", "300", "$90.00"]


@pytest.mark.parametrize(
    ("side", "first", "second", "total", "said"),
    [
        (Side.BUY, "$14.79", "$14.62", "$29.40", "rows round up"),
        (Side.SELL, "$14.78", "$14.61", "$29.40", "rows round down"),
    ],
)
def test_each_row_is_rounded_by_itself_and_a_sum_that_is_off_says_why(
    side: Side, first: str, second: str, total: str, said: str
) -> None:
    spec = ScaledSpec(side, m("0.88"), m("0.87"), 2, m("33.6"))
    plan = plan_scaled(spec, TERMS)
    assert isinstance(plan, ScaledPlan)
    rows = [text(line) for line in paint_plan(plan, (), ())]
    assert rows[0].split() == ["88¢", "16.8", first]
    assert rows[1].split() == ["87¢", "16.8", second]
    assert rows[2].split()[:3] == ["total", "33.6", total]
    assert rows[2].endswith(said)


@given(
    cents=st.lists(st.integers(1, 99), min_size=2, max_size=2, unique=True),
    hundredths=st.integers(1_000, 1_000_000),
    side=st.sampled_from(Side),
    unit=st.sampled_from(TotalUnit),
)
def test_the_column_comes_to_its_sum_or_says_that_it_does_not(
    cents: list[int], hundredths: int, side: Side, unit: TotalUnit
) -> None:
    first, last = (Micros(cent * 10_000) for cent in cents)
    spec = ScaledSpec(side, first, last, 2, Micros(hundredths * 10_000), unit=unit)
    plan = plan_scaled(spec, TERMS)
    if not isinstance(plan, ScaledPlan):
        return
    *legs, total = (text(line) for line in paint_plan(plan, (), ()))
    paid = [word for line in (*legs, total) for word in line.split() if word.startswith("$")]
    each = [int(word.replace("$", "").replace(",", "").replace(".", "")) for word in paid[:3]]
    assert (each[0] + each[1] == each[2]) is ("rows round" not in total)
    assert line_width(paint_plan(plan, (), ())[-1]) <= 64


def test_fifteen_legs_fit_a_small_terminal_whatever_became_of_them() -> None:
    plan = plan_of(15)
    ends = [paint_leg_end(REJECTED, None)] * 15
    shown = ""
    for painted in (paint_plan(plan, (), ()), paint_plan(plan, (), ends)):
        assert len(painted) == 9
        assert all(line_width(line) <= 64 for line in painted)
        shown = " ".join(text(line) for line in painted)
        prices = [word for word in shown.split() if word.endswith("¢")]
        assert len(prices) == 15
    assert shown.count("refused") == 15


def test_what_has_no_room_is_said() -> None:
    plan = plan_of(3, "90.001", TotalUnit.DOLLARS)
    assert "$0.001 left over" in text(paint_plan(plan, (), ())[-1])


def test_a_leg_ends_as_the_account_or_its_verdict_says() -> None:
    assert paint_leg_end(None, None).text == "sending"
    assert paint_leg_end(ACCEPTED, None).text == "live"
    refused = paint_leg_end(REJECTED, None).text
    assert refused.startswith("refused: not enough balance")
    assert "\x1b" not in refused
    assert paint_leg_end(UNKNOWN, None).text == "unconfirmed"
    found = believable.order(2)
    assert paint_leg_end(UNKNOWN, found).text == "working"
    lost = believable.order(2, status=OrderStatus.UNKNOWN)
    assert paint_leg_end(UNKNOWN, lost).text == "unconfirmed"


def test_the_sum_of_the_verdicts_is_said() -> None:
    def said(*ends: tuple[Verdict | None, Order | None]) -> str:
        return text(paint_sent([LegEnd(*end) for end in ends])).partition(". ")[0]

    assert said((ACCEPTED, None), (None, None)) == "sending"
    three = (UNKNOWN, None), (ACCEPTED, None), (REJECTED, None)
    assert said(*three) == "1 working, 1 unconfirmed, 1 refused"
    assert said((ACCEPTED, None)) == "1 working"
    filled, part, gone = (
        believable.order(2, status=status)
        for status in (OrderStatus.FILLED, OrderStatus.PARTIALLY_FILLED, OrderStatus.CANCELLED)
    )
    ends = [(ACCEPTED, order) for order in (filled, part, part, gone)]
    assert said(*ends) == "2 working, 1 filled, 1 cancelled"
