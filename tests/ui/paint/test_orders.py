from pmtui.domain.ids import OrderId
from pmtui.domain.order import OrderStatus
from pmtui.ui.cells import Line
from pmtui.ui.paint.orders import paint_resting_orders, paint_unknown_orders
from tests.service.fakes import resting

LIVE = resting(OrderId("0x01"))
UNKNOWN = resting(OrderId("0x02"), status=OrderStatus.UNKNOWN)
SENT = resting(OrderId("0x03"), status=OrderStatus.SENT)


def text(lines: tuple[Line, ...]) -> str:
    return "\n".join("".join(cell.text for cell in line) for line in lines)


def test_resting_orders_tell_what_they_tie_up_and_which_are_in_doubt() -> None:
    told = text(paint_resting_orders((LIVE, UNKNOWN)))
    assert told.startswith("2 orders, $8.00 of cash in purchases")
    assert told.count("unknown, checking") == 1


def test_only_the_first_few_are_named() -> None:
    assert text(paint_resting_orders((LIVE,) * 8)).endswith("and 2 more")


def test_orders_that_nobody_has_confirmed_are_counted_before_leaving() -> None:
    assert paint_unknown_orders((LIVE,)) == ()
    assert text(paint_unknown_orders((LIVE, UNKNOWN, SENT))).startswith("2 may or may not be")
