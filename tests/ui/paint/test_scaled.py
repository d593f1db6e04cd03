from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.market import NO_FEE, MarketTerms, Side
from pmtui.domain.money import parse_micros
from pmtui.domain.order import OrderStatus
from pmtui.domain.scaled import ScaledPlan, ScaledSpec, TotalUnit, plan_scaled
from pmtui.domain.verdict import Accepted, Rejected, Unknown
from pmtui.ui.cells import Line, line_width
from pmtui.ui.paint.scaled import paint_leg_end, paint_plan, paint_sent
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
    assert "meets the book" in lines[2]
    assert lines[3].split() == ["in", "all", "300", "$90.00"]


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
    assert "$0.001 has no room" in text(paint_plan(plan, (), ())[-1])


def test_a_leg_ends_as_the_account_or_its_verdict_says() -> None:
    assert paint_leg_end(None, None).text == "sending"
    assert paint_leg_end(ACCEPTED, None).text == "live"
    refused = paint_leg_end(REJECTED, None).text
    assert refused.startswith("refused: not enough balance")
    assert "\x1b" not in refused
    assert paint_leg_end(UNKNOWN, None).text == "unknown, checking"
    found = believable.order(2)
    assert paint_leg_end(UNKNOWN, found).text == "live"
    lost = believable.order(2, status=OrderStatus.UNKNOWN)
    assert paint_leg_end(UNKNOWN, lost).text == "unknown, checking"


def test_the_sum_of_the_verdicts_is_said() -> None:
    assert text(paint_sent((), 3)) == "sending"
    assert text(paint_sent((ACCEPTED, REJECTED, UNKNOWN), 3)).startswith(
        "1 of 3 accepted, 1 unknown"
    )
    assert text(paint_sent((ACCEPTED,), 1)).startswith("1 of 1 accepted;")
