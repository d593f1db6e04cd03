from pmtui.domain.ids import OrderId
from pmtui.domain.orders.order import CancelResult, CancelVerdict, OrderStatus
from pmtui.ui.cells import Line, line_width
from pmtui.ui.portfolio.paint_orders import (
    LINE_WIDTH,
    describe_cancelled,
    paint_resting_orders,
    paint_unknown_orders,
)
from tests.service.fakes import resting

LIVE = resting(OrderId("0x01"))
UNKNOWN = resting(OrderId("0x02"), status=OrderStatus.UNKNOWN)
SENT = resting(OrderId("0x03"), status=OrderStatus.SENT)


def text(lines: tuple[Line, ...]) -> str:
    return "\n".join("".join(cell.text for cell in line) for line in lines)


def test_resting_orders_tell_what_they_tie_up_and_which_are_in_doubt() -> None:
    told = text(paint_resting_orders((LIVE, UNKNOWN)))
    assert told.startswith("2 orders, $8.00 reserved")
    assert told.count("unconfirmed") == 1


def test_only_the_first_few_are_named() -> None:
    assert text(paint_resting_orders((LIVE,) * 8)).endswith("and 2 more")


def test_orders_that_nobody_has_confirmed_are_counted_before_leaving() -> None:
    assert paint_unknown_orders((LIVE,)) == ()
    assert text(paint_unknown_orders((LIVE, UNKNOWN, SENT))).startswith("2 unconfirmed: may be")


def test_each_order_names_its_market_on_the_same_line() -> None:
    title = "Will the very long and winding road of this question ever end?"
    lines = paint_resting_orders((LIVE, UNKNOWN), lambda _: title)
    for line in lines[1:]:
        assert "Will the very" in text((line,))
        assert line_width(line) <= LINE_WIDTH


def test_a_cancellation_is_said_with_its_result() -> None:
    done = CancelVerdict(CancelResult((LIVE.order_id,)))
    assert describe_cancelled(done, "at 49¢") == "Cancelled 1 order at 49¢."
    refused = CancelVerdict(CancelResult((), ((LIVE.order_id, "matched"),)))
    assert describe_cancelled(refused, "at 49¢") == "Not cancelled: matched"
    lost = CancelVerdict(CancelResult(()), "no answer")
    assert describe_cancelled(lost, "at 49¢") == "Not cancelled: no answer"
    some = CancelVerdict(CancelResult((LIVE.order_id,), ((OrderId("0x2"), "matched"),)))
    assert describe_cancelled(some, "here") == "Cancelled 1 of 2 here; not: matched"
    again = CancelVerdict(CancelResult((), (), (LIVE.order_id,)), "asked again")
    assert describe_cancelled(again, "here") == "Cancel unconfirmed: asked again"
