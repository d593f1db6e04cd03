from dataclasses import replace

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import ONE, Micros
from pmtui.domain.orders.basket import BasketLeg, BasketPlan, BasketSide
from pmtui.domain.orders.order import (
    Accepted,
    MarketBuyIntent,
    OrderStatus,
    Rejected,
    Unknown,
    Verdict,
)
from pmtui.ui.basket.paint_basket import (
    is_bought,
    paint_basket_sent,
    paint_basket_totals,
    paint_end,
    paint_legs,
)
from pmtui.ui.cells import Line, line_width
from tests.ui import believable
from tests.ui.fake_surface import NOW


def text(line: Line) -> str:
    return "".join(cell.text for cell in line)


def leg(number: int, problem: str = "") -> BasketLeg:
    intent = MarketBuyIntent(
        ConditionId(f"0x{number}"), TokenId(f"{number}"), Micros(4_000_000), Micros(40_000)
    )
    cost = Micros(0 if problem else 4_000_000)
    average = None if problem else Micros(40_000)
    return BasketLeg(
        f"Outcome {number}", None if problem else intent, problem, cost, Micros(0), average
    )


def plan(*problems: str) -> BasketPlan:
    return BasketPlan(
        BasketSide.YES, Micros(100 * ONE), tuple(leg(n, p) for n, p in enumerate(problems))
    )


FILLED: Verdict = Accepted(believable.order(1).order_id, OrderStatus.FILLED, Micros(100 * ONE), "")


def test_what_is_in_the_way_of_a_whole_basket_is_never_left_out() -> None:
    lines = paint_legs(plan(*[""] * 20, "Paused", *[""] * 6), 76, most=6)
    assert len(lines) == 6
    assert "Outcome 20" in text(lines[0])
    assert "Paused" in text(lines[0])
    assert text(lines[-1]).strip() == "and 22 more legs"
    assert all(line_width(line) <= 76 for line in lines)
    assert len(paint_legs(plan("", ""), 76, most=6)) == 2


def test_totals_promise_nothing_without_a_whole_set() -> None:
    whole = [text(line) for line in paint_basket_totals(plan(*[""] * 24), Micros(50 * ONE))]
    assert whole[0].startswith("24 legs for $96.00")
    assert "+$4.00 after fees" in whole[1]
    assert "Cash free: $50.00 only" in whole[2]
    broken = [text(line) for line in paint_basket_totals(plan("", "Paused"), None)]
    assert broken[1] == "No whole set: Outcome 1: Paused"
    rest = [text(line) for line in paint_basket_totals(replace(plan(""), is_rest=True), None)]
    assert "complete the basket" in rest[1]


def test_legs_are_counted_by_what_the_venue_says_of_each() -> None:
    verdicts = (
        FILLED,
        Rejected("no match"),
        Unknown(believable.order(2).order_id, "no answer", NOW),
    )
    assert [is_bought(verdict) for verdict in verdicts] == [True, False, False]
    assert "1 of 3 legs bought, 1 unconfirmed" in text(paint_basket_sent(verdicts, 3))
    assert "sending" in text(paint_basket_sent(verdicts[:2], 3))
    assert [paint_end(verdict).text for verdict in verdicts] == [
        "bought 100", "refused: no match", "unconfirmed"
    ]  # fmt: skip
