from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.markets.venue_state import Evidence, VenueFact, VenueState
from pmtui.domain.orders.order import TimeInForce
from pmtui.domain.ticket.draft import TicketDraft, TicketField
from pmtui.domain.ticket.ticket import check_ticket
from tests.domain.ticket.test_ticket import BUY, MARKET, NOW, SELL, TERMS, WORLD

AT_ONCE = replace(BUY, price_text="53", time_in_force=TimeInForce.FAK)


def _fact(state: VenueState, *, text: str = "", seconds: int | None = None) -> VenueFact:
    until = None if seconds is None else NOW + timedelta(seconds=seconds)
    return VenueFact(state, Evidence.ANSWER, NOW, text=text, until=until)


@given(
    draft=st.sampled_from([BUY, SELL, MARKET, AT_ONCE, replace(BUY, is_post_only=True)]),
    states=st.sets(st.sampled_from(VenueState)),
)
def test_no_state_of_the_venue_ever_holds_an_order_back(
    draft: TicketDraft, states: set[VenueState]
) -> None:
    plain = check_ticket(draft, WORLD)
    told = check_ticket(draft, replace(WORLD, venue=tuple(map(_fact, states))))
    assert told.intent == plain.intent
    assert told.blocking == plain.blocking
    assert told.numbers == plain.numbers


@pytest.mark.parametrize(
    ("state", "draft", "field"),
    [
        (VenueState.BANNED, BUY, TicketField.OUTCOME),
        (VenueState.REGION_REFUSED, SELL, TicketField.OUTCOME),
        (VenueState.DISABLED, BUY, TicketField.OUTCOME),
        (VenueState.RESTARTING, BUY, TicketField.OUTCOME),
        (VenueState.CANCEL_ONLY, SELL, TicketField.OUTCOME),
        (VenueState.CLOSE_ONLY, BUY, TicketField.SIDE),
        (VenueState.POST_ONLY, BUY, TicketField.POST_ONLY),
        (VenueState.MARKET_NOT_READY, BUY, TicketField.OUTCOME),
        (VenueState.BUDGET_LOW, BUY, TicketField.OUTCOME),
        (VenueState.DELAYED, AT_ONCE, TicketField.TIME_IN_FORCE),
    ],
)
def test_every_state_is_warned_of_beside_its_field(
    state: VenueState, draft: TicketDraft, field: TicketField
) -> None:
    check = check_ticket(draft, replace(WORLD, venue=(_fact(state, text="3 s"),)))
    (problem,) = check.of(field)
    assert problem.is_warning
    assert problem.text in check.warnings


@pytest.mark.parametrize(
    ("state", "draft"),
    [
        (VenueState.CLOSE_ONLY, SELL),
        (VenueState.POST_ONLY, replace(BUY, is_post_only=True)),
        (VenueState.DELAYED, BUY),
        (VenueState.DELAYED, replace(BUY, is_post_only=True)),
    ],
)
def test_who_does_what_the_venue_takes_is_not_warned(state: VenueState, draft: TicketDraft) -> None:
    assert check_ticket(draft, replace(WORLD, venue=(_fact(state),))).problems == ()


def test_a_post_only_venue_offers_post_only_and_says_for_how_long() -> None:
    world = replace(WORLD, venue=(_fact(VenueState.POST_ONLY, seconds=79),))
    (problem,) = check_ticket(AT_ONCE, world).of(TicketField.POST_ONLY)
    assert "79 s" in problem.text
    assert problem.fix is not None
    assert (problem.fix.is_post_only, problem.fix.time_in_force) == (True, TimeInForce.GTC)
    # A market purchase cannot be post-only: nothing is offered instead.
    (alone,) = check_ticket(MARKET, world).of(TicketField.POST_ONLY)
    assert alone.fix is None


def test_a_market_that_makes_takers_wait_says_so_before_it_does() -> None:
    world = replace(
        WORLD,
        terms=replace(TERMS, seconds_delay=3),
        venue=(_fact(VenueState.DELAYED, text="3 s"),),
    )
    (problem,) = check_ticket(AT_ONCE, world).of(TicketField.TIME_IN_FORCE)
    assert "wait 3 s here" in problem.text
    assert "cannot be cancelled" in problem.text


def test_the_states_are_said_while_nothing_is_typed_yet() -> None:
    world = replace(WORLD, venue=(_fact(VenueState.RESTARTING),))
    empty = replace(BUY, price_text="", size_text="")
    assert "is restarting" in check_ticket(empty, world).of(TicketField.OUTCOME)[0].text
