from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookState, Level
from pmtui.domain.markets.market import RewardTerms
from pmtui.domain.money import Micros, parse_micros
from pmtui.domain.orders.order import Accepted, OrderStatus, Rejected, TimeInForce, Unknown
from pmtui.domain.ticket.draft import OrderKind, Problem, SizeUnit, TicketDraft, TicketField
from pmtui.domain.ticket.ticket import RewardsOutlook, TicketAfter, check_ticket
from pmtui.service.surface import PreparedOrder
from pmtui.ui.cells import Cell, Line, line_width
from pmtui.ui.plain import cell_width
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.paint_ticket import (
    describe_fix,
    paint_figures,
    paint_outcome,
    paint_problem,
    paint_touch,
    paint_verdict,
    wrap_line,
    wrap_text,
)
from tests.domain.ticket.test_ticket import BUY, MARKET, SELL, WORLD
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.ticket.test_paint_confirm import BUY as BUY_INTENT
from tests.ui.ticket_stage import HOSTILE, book_view

m = parse_micros


def _text(line: Line) -> str:
    return "".join(cell.text for cell in line)


def _figures(draft: TicketDraft, *, width: int, height: int, **world: Any) -> list[str]:
    numbers = check_ticket(draft, replace(WORLD, **world)).numbers
    lines = paint_figures(draft, numbers, width=width, height=height)
    assert len(lines) <= height
    assert all(line_width(line) <= width for line in lines)
    return [_text(line) for line in lines]


def test_on_a_small_region_figures_share_lines_and_on_a_large_one_each_has_its_own() -> None:
    draft = replace(BUY, price_text="53")
    small = _figures(draft, width=38, height=4)
    assert small[0] == " cost $53.00  fee $0.40"
    assert small[1] == " payout $100.00  now 40 at 53.0¢"
    assert small[2].startswith(" rests 60 at 53¢  cash after")
    large = _figures(draft, width=38, height=8)
    assert [line.split("  ")[0].strip() for line in large] == [
        "Cost", "Fee", "Payout", "Fills now", "Rests", "Cash after", "Takes",
    ]  # fmt: skip
    # Values end in one column, near enough to their labels to be read across.
    assert {cell_width(line) for line in large} == {28}


def test_break_even_and_rewards_take_the_lines_that_are_left() -> None:
    draft = replace(BUY, price_text="51")
    numbers = check_ticket(draft, WORLD).numbers
    rewards = RewardTerms(m("200"), m("0.035"))
    after = TicketAfter(m("0.52"), RewardsOutlook.TOO_SMALL, rewards)

    def shown(height: int, width: int = 38) -> list[str]:
        lines = paint_figures(draft, numbers, width=width, height=height, after=after)
        assert all(line_width(line) <= width for line in lines)
        return [" ".join(_text(line).split()) for line in lines]

    usual = [" ".join(text.split()) for text in _figures(draft, width=38, height=6)]
    assert shown(7)[:6] == usual
    assert shown(8)[6:] == ["Break-even 52¢", "Rewards from 200"]
    assert shown(7)[6:] == ["Break-even 52¢"]
    assert shown(1, 160)[0].endswith("b/e 52¢ rewards from 200")


@pytest.mark.parametrize("outlook", RewardsOutlook)
def test_values_end_in_one_column_whatever_is_said_of_rewards(outlook: RewardsOutlook) -> None:
    draft = replace(BUY, price_text="51")
    numbers = check_ticket(draft, WORLD).numbers
    after = TicketAfter(m("0.52"), outlook, RewardTerms(m("200"), m("0.035")))
    lines = paint_figures(draft, numbers, width=38, height=8, after=after)
    assert _text(lines[-1]).strip().startswith("Rewards")
    assert len({line_width(line) for line in lines}) == 1


def test_on_one_line_what_rests_comes_before_what_it_would_win() -> None:
    draft = replace(BUY, price_text="53")
    (line,) = _figures(draft, width=60, height=1)
    assert line == " cost $53.00  fee $0.40  now 40 at 53.0¢  rests 60 at 53¢"
    (line,) = _figures(draft, width=79, height=1)
    assert line.endswith("rests 60 at 53¢  payout $100.00")


def test_what_has_no_room_is_left_out_whole() -> None:
    draft = replace(BUY, price_text="53", size_text="100000000")
    rich = {"available_cash": Micros(10**17)}
    lines = _figures(draft, width=24, height=2, **rich)
    assert lines == [" cost $53,000,000.00", " fee $0.40"]
    assert _figures(draft, width=38, height=0, **rich) == []
    assert paint_figures(draft, None, width=38, height=4) == ()


def test_what_is_expected_is_told_apart_from_what_is_signed() -> None:
    text = " ".join(_figures(replace(BUY, price_text="60", size_text="20"), width=60, height=4))
    assert "cost $10.60  cost max $12.00" in text
    assert "now 20 at 53.0¢" in text
    sale = replace(SELL, price_text="47", size_text="25")
    text = " ".join(_figures(sale, width=60, height=4))
    assert "proceeds $12.75  proceeds min $11.75" in text


def test_an_order_that_would_be_refused_or_killed_fills_nothing_and_costs_nothing() -> None:
    for changes in ({"is_post_only": True}, {"time_in_force": TimeInForce.FOK}):
        draft = replace(BUY, price_text="53", **changes)
        text = " ".join(_figures(draft, width=60, height=3))
        assert "now nothing" in text
        assert "cost max $53.00" in text
        assert " cost $" not in text
        assert "rests" not in text


def test_a_fee_that_is_kept_though_nothing_fills_now_is_not_shown_as_none() -> None:
    fee = "fee max $0.98"
    resting = replace(BUY, price_text="43", size_text="100")
    assert fee in " ".join(_figures(resting, width=60, height=3))
    assert fee not in " ".join(_figures(replace(resting, is_post_only=True), width=60, height=3))
    killed = replace(resting, time_in_force=TimeInForce.FOK)
    assert fee in " ".join(_figures(killed, width=60, height=3))
    large = _figures(resting, width=38, height=8)
    assert next(line for line in large if "Fee" in line).split() == ["Fee", "max", "$0.98"]


def test_a_market_order_shows_its_worst_price_and_least_shares() -> None:
    text = " ".join(_figures(MARKET, width=40, height=12))
    assert "Limit price" in text
    assert "54¢" in text
    assert "min 46.29" in text


def test_a_short_sale_is_told_in_the_prices_of_the_ladder() -> None:
    draft = replace(BUY, price_text="53")
    numbers = check_ticket(draft, WORLD).numbers
    after = TicketAfter(m("0.54"), None, None)
    lines = paint_figures(draft, numbers, width=60, height=9, after=after, is_mirrored=True)
    text = " ".join(" ".join(_text(line).split()) for line in lines)
    assert "Fills now 40 at 47.0¢" in text
    assert "Rests 60 at 47¢" in text
    assert "of bids" in text
    assert "Break-even 46¢" in text
    # What it costs stays what it costs.
    assert "Cost $53.00" in text


def test_a_small_part_of_the_depth_is_not_shown_as_none() -> None:
    deep = replace(WORLD.book, asks=(Level(m("0.53"), m("10000000")),))
    lines = _figures(replace(BUY, price_text="53"), width=60, height=4, book=deep)
    assert "takes <0.1% of asks" in " ".join(lines)


def test_a_sale_names_what_it_brings_and_nothing_it_would_win() -> None:
    text = " ".join(_figures(SELL, width=60, height=3))
    assert "proceeds $53.00" in text
    assert "payout" not in text
    assert "now nothing" in text


def test_a_size_in_dollars_is_told_in_shares_too() -> None:
    assert _figures(MARKET, width=60, height=3)[0].startswith(" shares min 46.29")


@given(st.integers(10, 90), st.integers(1, 9), st.integers(5, 10**9))
def test_figures_are_never_cut(width: int, height: int, size: int) -> None:
    draft = replace(BUY, price_text="53", size_text=str(size))
    for line in _figures(draft, width=width, height=height, available_cash=Micros(10**18)):
        assert "…" not in line


def test_the_touch_is_shown_with_doubt_in_a_word() -> None:
    assert _text(paint_touch(None, None)) == "¢ "
    assert _text(paint_touch(book_view(), m("0.01"))) == "¢  51 / 53"
    fine = replace(
        book_view(), bids=(Level(m("0.5635"), m("9")),), asks=(Level(m("0.5736"), m("9")),)
    )
    texts = [_text(paint_touch(fine, m("0.0001"), width=width)) for width in (24, 18, 14, 6)]
    assert texts == ["¢  56.35 / 57.36", "¢  56.35 / 57.36", "¢ 56.35/57.36", "¢ "]
    stale = paint_touch(book_view(state=BookState.STALE), m("0.01"))
    assert _text(stale) == "¢  51 / 53 stale"
    bare = replace(book_view(), bids=())
    assert "- / 53" in _text(paint_touch(bare, m("0.01")))


def test_a_problem_names_its_fix_on_the_same_line_where_it_fits() -> None:
    fix = replace(BUY, price_text="52")
    problem = Problem(TicketField.PRICE, "Off the grid", fix=fix)
    (line,) = paint_problem(problem, BUY, 38, key="ctrl+n")
    assert _text(line) == "x Off the grid  ctrl+n at 52¢"
    assert len(paint_problem(problem, BUY, 20, key="ctrl+n")) == 2
    (bare,) = paint_problem(problem, BUY, 38)
    assert _text(bare) == "x Off the grid"
    (quiet,) = paint_problem(problem, BUY, 38, is_quiet=True)
    assert {cell.role for cell in quiet} == {Role.DIM}
    warning = paint_problem(replace(problem, is_warning=True), BUY, 38)
    assert _text(warning[0]).startswith("! ")


def test_a_fix_says_all_that_it_changes() -> None:
    fix = replace(
        BUY, kind=OrderKind.MARKET, time_in_force=TimeInForce.FAK, is_post_only=True,
        price_text="60", size_text="25", size_unit=SizeUnit.DOLLARS, expiry_text="2m",
    )  # fmt: skip
    assert describe_fix(BUY, fix) == "market FAK post-only at 60¢ $25 for 2m"
    assert describe_fix(fix, replace(fix, is_post_only=False)) == "not post-only"
    assert describe_fix(BUY, replace(BUY, size_text="5%")) == "5%"
    assert describe_fix(BUY, replace(BUY, size_text="5")) == "5 shares"


@pytest.mark.parametrize(
    ("status", "filled", "words"),
    [
        (OrderStatus.LIVE, "0", "Working: BUY 100 Yes @ 51¢"),
        (OrderStatus.PARTIALLY_FILLED, "40", "Accepted: 40 Yes filled, 60 working"),
        (OrderStatus.FILLED, "100", "Accepted: 100 Yes filled"),
        (OrderStatus.CANCELLED, "40", "Accepted: 40 Yes filled, the rest cancelled"),
        (OrderStatus.DELAYED, "0", "Accepted: 100 Yes delayed by the venue"),
    ],
)
def test_an_accepted_order_says_what_filled_and_what_rests(
    status: OrderStatus, filled: str, words: str
) -> None:
    order = FakeService().prepare_now(BUY_INTENT)
    assert isinstance(order, PreparedOrder)
    verdict = Accepted(order.unsigned.order_id, status, m(filled), "")
    assert _text(paint_verdict(verdict, order)) == f"+ {words}"
    assert _text(paint_verdict(verdict, None)).startswith("+ Accepted: ")


def test_the_venues_words_are_made_harmless() -> None:
    assert "\x1b" not in _text(paint_verdict(Rejected(HOSTILE), None))
    order = FakeService().prepare_now(BUY_INTENT)
    assert isinstance(order, PreparedOrder)
    unknown = Unknown(order.unsigned.order_id, "timed\nout", since=NOW)
    assert _text(paint_verdict(unknown, order)).startswith(
        "! Unconfirmed, checking. It may be working."
    )
    assert "\n" not in _text(paint_verdict(unknown, order))
    assert "\x1b" not in _text(paint_outcome(HOSTILE, HOSTILE))


@given(st.text(max_size=80), st.integers(8, 40))
def test_wrapped_text_loses_nothing_and_fits(text: str, width: int) -> None:
    lines = wrap_text(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(cell_width(line) <= width for line in lines)


def test_a_line_of_cells_wraps_between_words_up_to_a_number_of_lines() -> None:
    line = (Cell("one two ", Role.KEY), Cell("three four five", Role.DIM))
    assert [_text(part).strip() for part in wrap_line(line, 9, most=5)] == [
        "one two", "three", "four five",
    ]  # fmt: skip
    assert len(wrap_line(line, 9, most=2)) == 2
    assert wrap_line((), 9, most=2) == ((),)


def test_sides_are_told_apart_by_their_word() -> None:
    for draft, word in ((BUY, "cost"), (SELL, "proceeds")):
        assert any(word in line for line in _figures(draft, width=40, height=3))
