from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.markets.market import FeeSchedule, Side
from pmtui.domain.money import parse_micros
from pmtui.domain.orders.order import LimitIntent, MarketBuyIntent, TimeInForce
from pmtui.domain.ticket.draft import TicketDraft
from pmtui.domain.ticket.estimate import TicketNumbers, estimate
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import Mode
from pmtui.ui.cells import line_width
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.paint_confirm import Occasion, paint_confirm
from pmtui.ui.ticket.paint_ticket import paint_figures
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.ticket_stage import CONDITION, HOSTILE, YES

m = parse_micros
BUY = LimitIntent(
    condition_id=CONDITION, token_id=YES, side=Side.BUY, price=m("0.51"), size=m("100")
)


def _prepared(**changes: Any) -> PreparedOrder:
    prepared = FakeService().prepare_now(replace(BUY, **changes))
    assert isinstance(prepared, PreparedOrder)
    return prepared


def _words(order: PreparedOrder, **options: Any) -> str:
    options = {"mode": Mode.PAPER, **options}
    lines = paint_confirm(order, 42, **options)
    assert all(line_width(line) <= 42 for line in lines)
    return " ".join("".join(cell.text for cell in line) for line in lines)


def _fold(text: str) -> str:
    return " ".join(text.split())


def test_the_card_says_everything_that_is_signed() -> None:
    words = _fold(_words(_prepared()))
    for fact in (
        "PAPER", "BUY 100 Yes @ 51¢ or better", "Cost max $51.00",
        "Size 100 shares", "Payout max $100.00", "Fee none", "TIF GTC",
        "Maker 0x5a5a5a…5a5a5a", "Exchange regular 0xe1e1e1…e1e1e1",
        "Order id 0x000000…",
    ):  # fmt: skip
        assert fact in words, fact


def test_the_amounts_are_those_of_the_signed_fields_and_no_others() -> None:
    order = _prepared()
    draft = replace(order.unsigned.draft, maker_amount=50_985_001, taker_amount=99_990_000)
    words = _fold(_words(replace(order, unsigned=replace(order.unsigned, draft=draft))))
    assert "BUY 99.99 Yes" in words
    assert "Cost max $50.99" in words
    assert "$51.00" not in words


def test_a_sale_gives_shares_and_gets_dollars() -> None:
    words = _fold(_words(_prepared(side=Side.SELL, time_in_force=TimeInForce.FAK)))
    assert "SELL 100 Yes @ 51¢ or better" in words
    assert "Size max 100 shares" in words
    assert "Proceeds min 51¢ a share" in words
    assert "TIF FAK" in words
    assert "Payout" not in words


def test_a_timed_order_says_when_it_is_gone_and_not_what_is_stated_to_the_venue() -> None:
    order = _prepared(time_in_force=TimeInForce.GTD, expires_at=NOW + timedelta(hours=2))
    assert "Until 2026-06-15 14:00:00 UTC" in _fold(_words(order))


def test_the_fee_is_stated_exactly_or_said_not_to_be() -> None:
    fee = _fold(_words(replace(_prepared(), worst_fee=m("0.99956"))))
    assert "Fee max $1.00; none on what rests" in fee
    assert "Total max $52.00" in fee
    only_rests = replace(_prepared(is_post_only=True), worst_fee=m("0.99956"))
    words = _fold(_words(only_rests))
    assert "none (maker)" in words
    assert "TIF GTC, post-only" in words


def test_negative_risk_and_real_money_are_named() -> None:
    order = _prepared()
    draft = replace(order.unsigned.draft, neg_risk=True, time_in_force="LATER")
    lines = paint_confirm(
        replace(order, unsigned=replace(order.unsigned, draft=draft)), 42, mode=Mode.LIVE
    )
    assert lines[0][0].text == " LIVE "
    assert lines[0][0].role is Role.LIVE
    text = _fold(" ".join(cell.text for line in lines for cell in line))
    assert "neg-risk" in text
    assert "TIF LATER" in text


def test_a_token_that_two_hosts_agree_on_and_no_more_is_said_to_be_that() -> None:
    assert "Token" not in _words(_prepared())
    words = _fold(_words(replace(_prepared(), is_derived=False)))
    assert "Token not derivable from the condition id; all hosts agree on it" in words


def test_doubt_follows_the_order_in_full() -> None:
    lines = paint_confirm(_prepared(), 42, mode=Mode.PAPER, doubt="word " * 20)
    told = [line for line in lines if line and line[0].role is Role.NOTICE_BAD]
    assert lines[3 : 3 + len(told)] == tuple(told)
    assert lines[2][0].text == "A market"
    assert "".join(line[0].text + " " for line in told).split() == ["word"] * 20


def test_a_market_purchase_shows_its_least_shares() -> None:
    intent = MarketBuyIntent(
        condition_id=CONDITION, token_id=YES, amount=m("25"), worst_price=m("0.54")
    )
    prepared = FakeService().prepare_now(intent)
    assert isinstance(prepared, PreparedOrder)
    words = _fold(_words(prepared))
    assert "Cost max $25.00" in words
    assert "TIF FOK" in words
    assert "Payout min $46.29" in words
    assert "BUY Yes: spend $25.00, min 46.29 shares, max 54¢ a share" in words
    fee = _fold(_words(replace(prepared, worst_fee=m("0.5"))))
    assert "Fee about $0.50" in fee
    assert "Total about $25.50" in fee


def test_the_dust_of_rounding_is_no_part_of_the_price() -> None:
    words = _fold(_words(replace(_prepared(), price=m("0.035001"))))
    assert "@ 3.5¢ or better" in words


def test_a_sale_with_a_fee_says_what_is_left() -> None:
    order = replace(_prepared(side=Side.SELL), worst_fee=m("0.99956"))
    words = _fold(_words(order))
    assert "Total min $50.00" in words
    # To the cent, and so that the three lines add up.
    draft = replace(order.unsigned.draft, taker_amount=51_304_500)
    odd = replace(order, unsigned=replace(order.unsigned, draft=draft), worst_fee=m("1.9751"))
    words = _fold(_words(odd))
    assert "Proceeds min $51.30" in words
    assert "Fee max $1.98" in words
    assert "Total min $49.32" in words


def _numbers(order: PreparedOrder, *asks: tuple[str, str]) -> TicketNumbers:
    levels = tuple(Level(m(price), m(size)) for price, size in asks)
    book = BookView(YES, BookState.LIVE, asks=levels)
    fee = FeeSchedule(m("0.04"))
    return estimate(
        order.intent, cash=order.cash, shares=order.size, book=book, fee=fee, available_cash=None
    )


def test_an_order_that_nothing_meets_says_that_it_costs_no_fee_now() -> None:
    order = replace(_prepared(time_in_force=TimeInForce.FOK), worst_fee=m("0.99956"))
    numbers = _numbers(order, ("0.51", "20"))
    words = _fold(_words(order, occasion=Occasion(numbers=numbers)))
    assert "Fee none now, max $1.00 if it fills" in words
    met = _numbers(order, ("0.51", "200"))
    words = _fold(_words(order, occasion=Occasion(numbers=met)))
    assert "Fee $1.00 Total" in words
    assert "Total max $52.00" in words


def test_the_card_and_the_ticket_beside_it_tell_one_fee() -> None:
    order = replace(_prepared(time_in_force=TimeInForce.FOK), worst_fee=m("0.06248"))
    numbers = replace(_numbers(order, ("0.51", "200")), fee=m("0.06199"), most_fee=m("0.06248"))
    words = _fold(_words(order, occasion=Occasion(numbers=numbers)))
    assert "Fee $0.06 Total" in words
    figures = paint_figures(TicketDraft(Side.BUY, 0), numbers, width=38, height=9)
    assert "Fee $0.06" in _fold("".join(cell.text for line in figures for cell in line))


def test_a_purchase_of_what_is_there_promises_no_number_of_shares() -> None:
    order = replace(_prepared(time_in_force=TimeInForce.FAK), worst_fee=m("0.99956"))
    numbers = _numbers(order, ("0.50", "20"))
    words = _fold(_words(order, occasion=Occasion(numbers=numbers)))
    assert "BUY Yes: spend max $51.00, max 51¢ a share" in words
    assert "Size max 102 shares at 51¢ or less" in words
    assert "Payout $20.00 for what fills now" in words
    assert "Total about $10.20" in words
    assert "min" not in words


def test_a_long_title_wraps_instead_of_being_cut() -> None:
    title = "Will the night ferry to Brack run on every day of July?"
    assert title in _fold(_words(replace(_prepared(), market_title=title)))


def test_hostile_names_are_made_harmless_and_large_numbers_stay_whole() -> None:
    order = replace(
        _prepared(size=m("123456789.12")), outcome=HOSTILE, market_title="\x1b]0;owned\x07" * 9
    )
    words = _words(order)
    assert "\x1b" not in words
    assert "\u202e" not in words
    assert "123,456,789.12 shares" in _fold(words)


WARNINGS = (
    "The venue is restarting; it refuses orders for a while",
    "90¢ is 69% above the midpoint",
)


def test_every_warning_is_there_in_full_before_the_facts() -> None:
    words = _fold(_words(_prepared(), occasion=Occasion(warnings=WARNINGS)))
    for warning in WARNINGS:
        assert warning in words
    assert words.index("@ 51¢") < words.index(WARNINGS[0])
    assert words.index(WARNINGS[1]) < words.index("Cost")


@pytest.mark.parametrize("height", [14, 15, 18])
def test_on_a_small_screen_facts_share_lines_and_none_is_left_out(height: int) -> None:
    order = _prepared(is_post_only=True)
    lines = paint_confirm(
        order, 38, mode=Mode.PAPER, height=height, occasion=Occasion(warnings=WARNINGS)
    )
    longer = paint_confirm(order, 38, mode=Mode.PAPER, occasion=Occasion(warnings=WARNINGS))
    assert len(lines) < len(longer) or len(longer) <= height
    words = _fold(" ".join("".join(cell.text for cell in line) for line in lines))
    for fact in ("BUY 100 Yes", "Cost max $51.00", "post-only", "Maker", "Order id"):
        assert fact.lower() in words.lower()
    assert WARNINGS[1] in words


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("time_in_force", TimeInForce)
@pytest.mark.parametrize("height", [0, 8])
def test_rows_of_all_orders_have_one_order_at_all_heights(
    side: Side, time_in_force: TimeInForce, height: int
) -> None:
    expires_at = NOW + timedelta(hours=2) if time_in_force is TimeInForce.GTD else None
    order = _prepared(side=side, time_in_force=time_in_force, expires_at=expires_at)
    order = replace(order, worst_fee=m("0.99956"))
    numbers = replace(_numbers(order, ("0.51", "200")), fills_now=m("100"))
    words = _fold(_words(order, height=height, occasion=Occasion(numbers=numbers)))
    money = ("Cost",) if side is Side.BUY else ("Proceeds",)
    names = ("Size", *money, "Fee", "Total", *["Payout"][: side is Side.BUY], "TIF")
    at = [words.index(f"{name} ") for name in names]
    assert at == sorted(at), words
    assert "Post-only" not in words
