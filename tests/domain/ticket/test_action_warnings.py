"""Orders that do not come from a ticket are warned of by the ticket's rules."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.markets.market import Side
from pmtui.domain.markets.venue_state import Evidence, VenueFact, VenueState
from pmtui.domain.money import Micros, notional_ceil
from pmtui.domain.orders.order import LimitIntent, TimeInForce
from pmtui.domain.ticket.draft import TicketContext, TicketRules
from pmtui.domain.ticket.warnings import PlannedOrder, action_warnings
from tests.domain.ticket.test_ticket import NOW, TERMS, WORLD, YES, m
from tests.domain.ticket.test_warnings import _after, _order


def planned(
    price: str,
    size: str = "100",
    *,
    side: Side = Side.BUY,
    time_in_force: TimeInForce = TimeInForce.GTC,
) -> PlannedOrder:
    intent = LimitIntent(
        TERMS.condition_id, YES, side=side, price=m(price), size=m(size),
        time_in_force=time_in_force,
    )  # fmt: skip
    return PlannedOrder(intent, notional_ceil(intent.price, intent.size))


def warned(words: str, *orders: PlannedOrder, world: TicketContext = WORLD) -> int:
    return sum(words in text for text in action_warnings(orders, world))


def test_an_ordinary_order_is_not_warned_of() -> None:
    assert action_warnings([planned("0.51")], WORLD) == ()


@given(st.lists(st.sampled_from(["0.30", "0.51", "0.90"]), min_size=1, max_size=4))
def test_of_several_prices_the_worst_is_named_once(prices: list[str]) -> None:
    orders = [planned(price) for price in prices]
    assert warned("above the midpoint", *orders) == ("0.90" in prices)
    sales = [planned(price, side=Side.SELL) for price in prices]
    assert warned("below the midpoint", *sales) == ("0.30" in prices)


@given(st.integers(1, 6), st.integers(1, 400))
def test_the_sum_of_all_orders_of_a_card_is_large_or_not(count: int, dollars: int) -> None:
    world = replace(WORLD, rules=TicketRules(notional_warning=Micros(dollars * 1_000_000)))
    total = count * 51
    assert warned("your warning", *[planned("0.51")] * count, world=world) == (total >= dollars)


def test_the_same_order_a_moment_ago_is_told() -> None:
    world = _after(_order())
    assert warned("would be a second one", planned("0.50"), planned("0.51"), world=world) == 1
    assert warned("would be a second one", planned("0.50"), world=world) == 0


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (VenueState.CANCEL_ONLY, "cancel-only"),
        (VenueState.POST_ONLY, "post-only orders only"),
        (VenueState.DELAYED, "Taker orders wait"),
    ],
)
def test_what_the_venue_is_up_to_is_told_once(state: VenueState, words: str) -> None:
    world = replace(WORLD, venue=(VenueFact(state, Evidence.ANSWER, NOW),))
    sale = planned("0.40", side=Side.SELL, time_in_force=TimeInForce.FAK)
    assert warned(words, sale, sale, world=world) == 1
