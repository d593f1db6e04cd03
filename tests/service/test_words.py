from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pmtui.domain.conditionals.conditional import ConditionalPlan, describe_plan
from pmtui.domain.formats import exact_shares
from pmtui.domain.ids import TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import parse_micros
from pmtui.domain.orders.order import Fill, Liquidity, OrderStatus, TradeStatus
from pmtui.service.words import (
    LONGEST_TITLE,
    describe_fill,
    describe_order_end,
    describe_price,
    format_shares,
    shorten,
)
from tests.service.fakes import CONDITION, YES
from tests.ui.believable import order


@pytest.mark.parametrize(
    ("price", "text"),
    [("0.51", "51¢"), ("0.510001", "51¢"), ("0.509999", "51¢"), ("0.0351", "3.51¢"),
     ("0.9999", "99.99¢"), ("0.000149", "0.01¢"), ("0.999999", "99.99¢"), ("0.000001", "0.01¢")],
)  # fmt: skip
def test_a_price_in_words_is_free_of_the_dust_of_its_amounts(price: str, text: str) -> None:
    assert describe_price(parse_micros(price)) == text


def test_an_order_that_filled_names_its_limit_as_one() -> None:
    resting = order(1, matched=0)
    filled = replace(resting, matched_size=resting.original_size, status=OrderStatus.FILLED)
    assert ", limit " in describe_order_end(filled, "")
    assert ", limit " not in describe_order_end(resting, "")


def test_of_an_order_that_filled_in_part_only_the_rest_is_cancelled() -> None:
    whole = replace(order(1, price=0.87, size=100), matched_size=parse_micros("77.13"))
    cut = replace(whole, status=OrderStatus.CANCELLED)
    assert describe_order_end(cut, "").startswith("Cancelled 22.87 of Buy 100 Yes, limit 87¢")
    assert describe_order_end(replace(cut, status=OrderStatus.EXPIRED), "").startswith(
        "Expired 22.87 of "
    )
    untouched = replace(cut, matched_size=parse_micros("0"))
    assert describe_order_end(untouched, "").startswith("Cancelled: Buy 100 Yes")


def test_each_of_several_fills_says_how_much_of_its_order_is_filled() -> None:
    whole = replace(order(1, price=0.45, size=100), matched_size=parse_micros("100"))
    part = Fill(
        trade_id=TradeId("t1"), order_id=whole.order_id, condition_id=CONDITION, token_id=YES,
        outcome="Yes", side=Side.SELL, price=parse_micros("0.45"), size=parse_micros("88.95"),
        fee=None, liquidity=Liquidity.TAKER, status=TradeStatus.MATCHED,
        matched_at=datetime(2026, 11, 28, tzinfo=UTC),
    )  # fmt: skip
    assert describe_fill(part, "", whole) == "Sold 88.95 Yes at 45¢, 100 of 100 filled"
    only = replace(whole, matched_size=part.size)
    assert describe_fill(part, "", only) == describe_fill(part, "") == "Sold 88.95 Yes at 45¢"
    failed = replace(part, status=TradeStatus.FAILED)
    assert "filled" not in describe_fill(failed, "", whole)


@pytest.mark.parametrize(
    ("size", "text"),
    [("5000", "5,000 Yes"), ("1810.46", "1,810.46 Yes"), ("0.004", "<0.01 Yes"), ("10", "10 Yes")],
)
def test_sizes_in_words_are_grouped_like_those_on_the_screens(size: str, text: str) -> None:
    assert format_shares(parse_micros(size), "Yes") == text


def test_a_conditional_order_is_named_by_a_grouped_size() -> None:
    size, stop = parse_micros("5000"), parse_micros("0.4")
    plan = ConditionalPlan(CONDITION, YES, size, stop=stop, take_profit=None)
    assert "5,000" in describe_plan(plan, "Yes")
    assert exact_shares(size) == "5,000 shares"


def test_a_title_that_a_wide_screen_has_room_for_is_not_cut() -> None:
    title = "No change: What will the Federal Reserve do to its target range in December 2026?"
    assert shorten(title) == title
    assert len(shorten(title * 3)) == LONGEST_TITLE
