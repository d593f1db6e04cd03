"""Sums of a portfolio: past money to the nearest cent, the day's result down like the total."""

from dataclasses import replace

import pytest

from pmtui.domain.account.pnl import DayFigures
from pmtui.domain.conditionals.conditional import ConditionalId, ConditionalOrder
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, parse_micros
from pmtui.service.views import Load, OwnList
from pmtui.ui.cells import Emphasis, Line
from pmtui.ui.facts import ABSENT
from pmtui.ui.keys.actions import DEFAULT_KEYMAP
from pmtui.ui.paint_status import paint_status
from pmtui.ui.portfolio.paint_portfolio import (
    Portfolio,
    Tab,
    explain_nothing_here,
    paint_rows_title,
    paint_tabs,
    paint_totals,
    unrealized_in,
)
from pmtui.ui.portfolio.portfolio_details import paint_item_details
from pmtui.ui.portfolio.portfolio_rows import (
    ACTIVITY_COLUMNS,
    FILL_COLUMNS,
    OrderMarks,
    describe_share,
    in_ladder_order,
    paint_activity,
    paint_fill,
    paint_order_row,
    paint_position,
)
from pmtui.ui.theme.theme import Role
from tests.ui import believable
from tests.ui.fake_surface import EMPTY_ACCOUNT, NOW, PAPER_STATUS

m = parse_micros
FILLS = tuple(
    replace(believable.fill(number), fee=m(fee))
    for number, fee in enumerate(("0.01302", "2.60521", "4.47377"), 1)
)


def words(line: Line) -> str:
    return "".join(cell.text for cell in line)


def test_fees_that_were_charged_add_up_as_they_are_shown() -> None:
    rows = [words(paint_fill("key", fill, "A market", NOW).cells) for fill in FILLS]
    for row, fee in zip(rows, ("$0.01", "$2.61", "$4.47"), strict=True):
        assert fee in row
    view = Portfolio(EMPTY_ACCOUNT, fills=FILLS)
    assert "fees paid $7.09" in sums(view, Tab.FILLS, 100)
    assert "fee $0.01" in words(paint_item_details(FILLS[0], "A market", OrderMarks(), 120)[1])


def sums(view: Portfolio, tab: Tab, room: int) -> str:
    """Return what stands at the right of the title over a tab's rows."""
    return words(paint_rows_title(view, tab, room)[1])


def test_a_fee_that_is_not_known_is_not_shown_as_nothing() -> None:
    unknown = replace(FILLS[0], fee=None)
    row = words(paint_fill("key", unknown, "A market", NOW).cells)
    assert ABSENT in row
    assert "$0.0" not in row
    view = Portfolio(EMPTY_ACCOUNT, fills=(unknown, FILLS[1]))
    totals = sums(view, Tab.FILLS, 100)
    assert "fees paid $2.61" in totals
    assert "1 more unknown" in totals
    details = paint_item_details(unknown, "A market", OrderMarks(), 120)
    assert "fee not known yet" in words(details[1])


def test_the_days_result_is_rounded_like_the_total() -> None:
    status = replace(PAPER_STATUS, portfolio_value=m("10029.34676"), day_result=m("29.34676"))
    line = words(paint_status(status, 160))
    assert "equity $10,029.34" in line
    assert "today +$29.34" in line
    view = Portfolio(EMPTY_ACCOUNT)
    assert "today +$29.34" in words(paint_totals(view, status, 120))


def test_the_parts_of_the_day_that_are_shown_add_up_as_they_are_shown() -> None:
    figures = DayFigures(total=m("29.34"), realized=m("-8.29"), fees=m("1.71"))
    status = replace(PAPER_STATUS, day_result=m("29.34676"), day_figures=figures)
    view = Portfolio(EMPTY_ACCOUNT)
    line = words(paint_totals(view, status, 120))
    assert "today +$29.34 = realised -$8.29 + unrealised +$39.34 - fees $1.71" in line
    assert words(paint_totals(view, status, 60)).split() == ["today", "+$29.34"]


def test_what_adds_up_to_too_little_says_so_first_and_why() -> None:
    lack = "1 row in the venue's list of positions cannot be read"
    view = Portfolio(
        replace(EMPTY_ACCOUNT, load=Load.READY, incomplete_lists=((OwnList.POSITIONS, lack),))
    )
    assert sums(view, Tab.POSITIONS, 120).startswith(f"incomplete  {lack}  value")
    assert sums(view, Tab.POSITIONS, 50).startswith("incomplete  value $0.00")
    assert "incomplete" not in sums(view, Tab.ORDERS, 160)


def test_a_small_share_is_not_told_as_none() -> None:
    assert [describe_share(Micros(n)) for n in (0, 1, 99_999, 100_000, 20_500_000)] == [
        "0.0%", "<0.1%", "<0.1%", "0.1%", "20.5%"
    ]  # fmt: skip


def test_an_outcome_has_no_hue_of_a_side() -> None:
    for number in (0, 1):
        held = replace(believable.position(1, "Rates"), outcome="Yes", outcome_index=number)
        (cell,) = (c for c in paint_position("k", held, "A", OrderMarks()).cells if c.text == "Yes")
        assert (cell.role, cell.emphasis) == (Role.TEXT, Emphasis.BOLD)


def test_lists_of_trades_have_their_columns_in_one_order() -> None:
    asked = ("side", "size", "price", "outcome", "title", "cash")
    for columns in (FILL_COLUMNS, ACTIVITY_COLUMNS):
        assert tuple(c.key for c in columns if c.key in asked) == asked
    cells = paint_activity("k", believable.activity(1, "TRADE", "A market"), "A market", NOW).cells
    assert cells[[c.key for c in ACTIVITY_COLUMNS].index("title")].text == "A market"


@pytest.mark.parametrize(
    ("kind", "side", "cash"),
    [
        ("TRADE", "BUY", "-$55.22"), ("TRADE", "SELL", "+$55.22"), ("SPLIT", "", "-$55.22"),
        ("MERGE", "", "+$55.22"), ("REDEEM", "", "+$55.22"), ("CONVERSION", "", "+$55.22"),
        ("DEPOSIT", "", "+$55.22"), ("WITHDRAWAL", "", "-$55.22"), ("SOMETHING_NEW", "", "$55.22"),
    ],
)  # fmt: skip
def test_cash_in_the_history_says_which_way_it_went(kind: str, side: str, cash: str) -> None:
    line = replace(believable.activity(1, kind, "A market"), side=side)
    assert paint_activity("k", line, "A market", NOW).cells[-1].text.strip() == cash


def test_an_account_that_nothing_reads_is_not_said_to_be_loading() -> None:
    unread = Portfolio(replace(EMPTY_ACCOUNT, load=Load.EMPTY))
    asked = Portfolio(replace(EMPTY_ACCOUNT, load=Load.LOADING))
    said = [
        explain_nothing_here(each, Tab.POSITIONS, PAPER_STATUS, DEFAULT_KEYMAP)
        for each in (unread, asked)
    ]
    assert "a says what it takes" in said[0]
    assert "Loading" in said[1]


def test_without_working_orders_the_tab_names_the_stops_that_the_status_line_counts() -> None:
    both = ConditionalOrder(
        conditional_id=ConditionalId("c1"), condition_id=ConditionId("0x1"), token_id=TokenId("1"),
        outcome="Yes", title="A market", size=Micros(100_000_000), stop=Micros(400_000),
        take_profit=Micros(600_000), give_way=Micros(50_000), created_at=NOW,
    )  # fmt: skip
    guarded = Portfolio(replace(EMPTY_ACCOUNT, load=Load.READY, conditionals=(both,)))
    said = explain_nothing_here(guarded, Tab.ORDERS, PAPER_STATUS, DEFAULT_KEYMAP)
    assert said == " No working orders. 1 stop, 1 target: C lists them."


def test_what_has_not_been_read_is_not_said_to_be_nothing() -> None:
    unread = Portfolio(replace(EMPTY_ACCOUNT, load=Load.LOADING, as_of=None))
    assert sums(unread, Tab.POSITIONS, 100) == "loading…"
    tabs = words(paint_tabs(unread, Tab.POSITIONS, NOW, keymap=DEFAULT_KEYMAP, width=120))
    assert "Positions  " in tabs
    assert "0" not in tabs
    read = words(
        paint_tabs(Portfolio(EMPTY_ACCOUNT), Tab.POSITIONS, NOW, keymap=DEFAULT_KEYMAP, width=120)
    )
    assert "Positions 0" in read


@pytest.mark.parametrize("width", range(70, 130))
def test_tabs_have_all_their_counts_or_none(width: int) -> None:
    view = Portfolio(EMPTY_ACCOUNT)
    tabs = words(paint_tabs(view, Tab.ACTIVITY, NOW, keymap=DEFAULT_KEYMAP, width=width))
    # Rewards are counted once their tab is open.
    assert tabs.count(" 0") in (0, 6)
    assert ("Txns" in tabs) is (" 0" not in tabs)


def test_the_sum_of_the_rows_is_the_sum_of_what_they_show() -> None:
    position = believable.position(1, "A market", size=1, average=0.5, current=0.504)
    assert position.unrealized == 0
    view = Portfolio(replace(EMPTY_ACCOUNT, positions=(position,) * 3))
    # Three rows of $0.00 are not a cent.
    assert unrealized_in(view) == 0
    assert "unrealised $0.00" in sums(view, Tab.POSITIONS, 100)


def test_working_orders_stand_as_on_a_ladder_and_line_up_on_the_point() -> None:
    made = [
        replace(
            believable.order(n), token_id=TokenId(token), side=side, price=Micros(price),
            condition_id=ConditionId(token),
        )
        for n, (token, side, price) in enumerate([
            ("1", Side.BUY, 430_000), ("2", Side.BUY, 100_000), ("1", Side.SELL, 460_000),
            ("1", Side.BUY, 437_000), ("1", Side.SELL, 455_000),
        ])
    ]  # fmt: skip
    ordered = in_ladder_order(made)
    assert [order.price for order in ordered] == [460_000, 455_000, 437_000, 430_000, 100_000]
    rows = [paint_order_row(o.order_id, o, "", NOW, OrderMarks()) for o in ordered]
    assert [row.cells[3].text for row in rows] == ["46.0¢", "45.5¢", "43.7¢", "43.0¢", "10.0¢"]
