"""Half a number is a wrong number: at no width that a pane can have does a painter cut one off."""

import re
from dataclasses import replace

from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Liquidity, OrderStatus, TradePrint
from pmtui.service.views import TapeView
from pmtui.ui.cells import Line
from pmtui.ui.market.market_head import find_terms, paint_quote, paint_terms
from pmtui.ui.market.tape import paint_tape
from pmtui.ui.portfolio.paint_position import paint_positions
from pmtui.ui.portfolio.paint_working import WorkingOrder, paint_own_orders
from tests.ui import believable
from tests.ui.fake_surface import NOW, PAPER_STATUS
from tests.ui.moving_market import CONDITION, YES, MovingMarket

CUT = re.compile(r"[0-9][0-9.,]*[…~](?![0-9])")
MARKET = MovingMarket()
VIEW, BOOK = MARKET.service.markets[CONDITION], MARKET.service.books[YES]
SIZES = (10_000_000, 147_250_000, 1_234_560_000, 98_765_432_100_000)
TAPE = TapeView(
    tuple(TradePrint(YES, Side.SELL, Micros(514_900), Micros(size), NOW) for size in SIZES), 4
)
OWN_FILL = replace(
    believable.fill(1, 2), token_id=YES, price=Micros(514_900), size=Micros(7_250_000),
    matched_at=NOW, liquidity=Liquidity.MAKER,
)  # fmt: skip
STATES = (OrderStatus.LIVE, OrderStatus.PARTIALLY_FILLED, OrderStatus.UNKNOWN)
ORDERS = tuple(
    WorkingOrder(order, order, 3, Micros(9_010_730_000), 70, outcome="Yes")
    for number, (size, status) in enumerate(zip(SIZES, STATES, strict=False))
    for order in [replace(believable.order(number), original_size=Micros(size), status=status)]
)
POSITIONS = tuple(
    replace(believable.position(1, "A market", size=size), outcome_index=index)
    for index, size in enumerate((147.25, 98_765_432))
)


def text_of(lines: tuple[Line, ...]) -> list[str]:
    return ["".join(cell.text for cell in line).rstrip() for line in lines]


def test_no_number_is_cut_at_any_width() -> None:
    for width in range(21, 130):
        lines = (
            *paint_tape(TAPE, width, 9, fills=(OWN_FILL,)),
            *paint_own_orders(ORDERS, width, 9),
            *paint_positions(POSITIONS, ("Yes", "No"), width),
            paint_quote(VIEW, BOOK, width),
            paint_terms(find_terms(VIEW, PAPER_STATUS, NOW), width),
        )
        assert [line for line in text_of(lines) if CUT.search(line)] == []


def test_a_tape_keeps_side_size_and_own_mark_before_the_time() -> None:
    for width in range(20, 60):
        lines = text_of(paint_tape(TAPE, width, 9, fills=(OWN_FILL,)))
        for line in lines:
            assert line.startswith("SELL ")
            assert any(size in line for size in ("10", "147", "1,234", "98.7M", "98M"))
            # Instead of its time, a trade that was ours in part shows which part.
            assert (":" in line) == (width >= 29) or "7.25" in line
        if width >= 29:
            assert any(re.search(r"\d ◂[BS] (\d\d:|you )", line) for line in lines)


def test_an_order_that_may_not_rest_says_so_before_it_names_its_outcome() -> None:
    assert text_of(paint_own_orders(ORDERS, 27, 9))[3].endswith(" unknown Yes")
    assert text_of(paint_own_orders(ORDERS, 24, 9))[3].endswith(" unknown")
