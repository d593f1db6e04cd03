from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.position import Stake
from pmtui.domain.books.book_view import BookState
from pmtui.domain.markets.market import RewardTerms, Side
from pmtui.domain.money import SCALE, Micros
from pmtui.domain.orders.order import TimeInForce
from pmtui.domain.ticket.draft import TicketContext, TicketDraft
from pmtui.domain.ticket.ticket import RewardsOutlook, TicketAfter, check_ticket, estimate_after
from tests.domain.ticket.test_ticket import BUY, SELL, WORLD, m

REWARDED = replace(
    WORLD, terms=replace(WORLD.terms, rewards=RewardTerms(min_size=m("50"), max_spread=m("0.02")))
)


def after(draft: TicketDraft, world: TicketContext = REWARDED) -> TicketAfter:
    found = estimate_after(draft.side, check_ticket(draft, world), world)
    assert found is not None
    return found


def test_a_purchase_that_rests_breaks_even_where_a_sale_pays_its_own_fee() -> None:
    # 51 cents without a fee; sold at 52 the taker's fee takes just under a cent.
    assert after(BUY).even == m("0.52")
    assert after(replace(BUY, price_text="53", size_text="40")).even == m("0.55")
    assert after(SELL).even is None


@given(price=st.integers(1, 99), size=st.integers(5, 700), tick=st.sampled_from(["0.01", "0.001"]))
def test_below_the_break_even_price_closing_loses_and_at_it_it_does_not(
    price: int, size: int, tick: str
) -> None:
    world = replace(WORLD, terms=replace(WORLD.terms, tick_size=m(tick)))
    draft = replace(BUY, price_text=str(price), size_text=str(size))
    numbers = check_ticket(draft, world).numbers
    assert numbers is not None
    even = after(draft, world).even
    bought = Micros(numbers.fills_now + numbers.rests)
    average = Micros(-(-numbers.expected_cash * SCALE // bought))
    stake = Stake(bought, average, entry_fees=numbers.fee, fee=world.terms.fee)
    if even is None:
        assert stake.profit_at(Micros(SCALE - m(tick))) < 0
        return
    assert stake.profit_at(even) >= -stake.rounding
    assert even == m(tick) or stake.profit_at(Micros(even - m(tick))) < 0


@pytest.mark.parametrize(
    ("changes", "outlook"),
    [
        ({}, RewardsOutlook.EARNS),
        ({"size_text": "49"}, RewardsOutlook.TOO_SMALL),
        ({"price_text": "50"}, RewardsOutlook.TOO_FAR),
        ({"price_text": "50", "size_text": "49"}, RewardsOutlook.TOO_FAR),
        ({"price_text": "53", "size_text": "40"}, None),
        ({"price_text": "53", "size_text": "89"}, RewardsOutlook.TOO_SMALL),
        ({"price_text": "53", "time_in_force": TimeInForce.FAK}, None),
    ],
)
def test_only_what_rests_near_enough_and_large_enough_earns(
    changes: dict[str, object], outlook: RewardsOutlook | None
) -> None:
    assert after(replace(BUY, **changes)).outlook is outlook  # type: ignore[arg-type]


def test_there_is_nothing_beyond_a_ticket_that_is_no_order_yet() -> None:
    assert estimate_after(Side.BUY, None, None) is None
    assert estimate_after(Side.BUY, check_ticket(replace(BUY, size_text=""), WORLD), WORLD) is None


def test_nothing_is_said_of_rewards_that_are_not_paid_or_from_a_book_that_may_be_wrong() -> None:
    assert after(BUY, WORLD).outlook is None
    doubtful = replace(REWARDED, book=replace(WORLD.book, state=BookState.STALE))
    assert after(BUY, doubtful).outlook is None
    one_sided = replace(REWARDED, book=replace(WORLD.book, asks=()))
    assert after(BUY, one_sided).outlook is None
