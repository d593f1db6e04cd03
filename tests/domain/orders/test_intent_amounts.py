from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, parse_micros
from pmtui.domain.orders.amounts import AmountError, OrderAmounts, order_amounts
from pmtui.domain.orders.order import LimitIntent, MarketBuyIntent, TimeInForce

m = parse_micros
CENT = m("0.01")
LIMIT = LimitIntent(
    condition_id=ConditionId("0xaa"), token_id=TokenId("1"), side=Side.BUY, price=m("0.53"),
    size=m("33"),
)  # fmt: skip
MARKET = MarketBuyIntent(
    condition_id=LIMIT.condition_id, token_id=LIMIT.token_id, amount=m("25"), worst_price=m("0.56")
)


def test_what_rests_signs_price_times_shares() -> None:
    assert order_amounts(LIMIT, CENT) == OrderAmounts(m("17.49"), m("33"))
    selling = replace(LIMIT, side=Side.SELL, time_in_force=TimeInForce.GTD)
    assert order_amounts(selling, CENT) == OrderAmounts(m("33"), m("17.49"))


def test_what_does_not_rest_is_a_market_order_to_the_venue() -> None:
    price = replace(LIMIT, price=m("0.537"), time_in_force=TimeInForce.FAK)
    assert order_amounts(price, m("0.001")) == OrderAmounts(m("17.72"), m("32.99813"))
    selling = replace(price, side=Side.SELL)
    assert order_amounts(selling, m("0.001")) == OrderAmounts(m("33"), m("17.721"))


def test_a_market_purchase_states_its_dollars() -> None:
    assert order_amounts(MARKET, CENT) == OrderAmounts(m("25"), m("44.6428"))


def test_an_unknown_tick_is_refused() -> None:
    for intent in (LIMIT, MARKET):
        with pytest.raises(AmountError):
            order_amounts(intent, m("0.03"))


@given(
    st.integers(1, 99), st.integers(1, 10**7), st.sampled_from(Side),
    st.sampled_from([TimeInForce.FOK, TimeInForce.FAK]),
)  # fmt: skip
def test_no_killed_order_gives_more_than_was_meant_or_takes_a_worse_price(
    cents: int, hundredths: int, side: Side, time_in_force: TimeInForce
) -> None:
    intent = replace(
        LIMIT, side=side, price=Micros(cents * CENT), size=Micros(hundredths * CENT),
        time_in_force=time_in_force,
    )  # fmt: skip
    amounts = order_amounts(intent, CENT)
    two_decimals, four_decimals = 10**4, 10**2
    assert amounts.maker % two_decimals == 0
    assert amounts.taker % four_decimals == 0
    if side is Side.BUY:
        assert amounts.maker * 1_000_000 <= intent.price * intent.size
        assert amounts.taker * intent.price <= amounts.maker * 1_000_000
    else:
        assert amounts.maker == intent.size
        assert amounts.taker * 1_000_000 == intent.price * intent.size
