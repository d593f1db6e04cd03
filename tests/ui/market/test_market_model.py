"""The picture of a market that is shown and traded from."""

from dataclasses import replace
from datetime import timedelta

from pmtui.domain.books.book_view import BookState
from tests.ui.market.controls.desk import Desk, cents
from tests.ui.moving_market import CONDITION, NO, YES


def test_a_picture_stays_what_it_was() -> None:
    desk = Desk()
    before = desk.reader.read()
    desk.set_orders()
    desk.set_state(BookState.STALE)
    assert before.own_orders
    assert before.quote == cents(53)
    now = desk.reader.read()
    assert not now.own_orders
    assert now.quote is None


def test_the_token_is_that_of_the_outcome_on_show() -> None:
    desk = Desk()
    assert desk.reader.read().token_id == YES
    desk.reader.outcome_index = 1
    model = desk.reader.read()
    assert model.token_id == NO
    assert model.book is not None
    assert model.book.token_id == NO


def test_a_market_is_over_when_it_is_closed() -> None:
    desk = Desk()
    view = desk.service.markets[CONDITION]
    assert view.market is not None
    assert not desk.reader.read().is_over
    desk.service.markets[CONDITION] = replace(view, market=replace(view.market, closed=True))
    model = desk.reader.read()
    assert model.is_over
    assert model.why_not_tradable.startswith("Closed")


def test_arming_ends_by_the_services_clock() -> None:
    desk = Desk()
    desk.arm()
    assert desk.reader.read().is_armed
    status = desk.service.status_view
    later = replace(status, now=status.now + timedelta(minutes=6))
    desk.service.status_view = later
    assert not desk.reader.read().is_armed


def test_no_form_opens_before_the_terms_are_known() -> None:
    desk = Desk()
    view = desk.service.markets[CONDITION]
    desk.service.markets[CONDITION] = replace(view, terms=None)
    model = desk.reader.read()
    assert not model.why_not_tradable
    assert model.why_no_form == "The trading terms are loading."


def test_both_outcomes_share_one_ladder_when_they_are_shown_together() -> None:
    desk = Desk()
    alone = desk.reader.read().ladder_orders
    desk.reader.is_mirrored = True
    model = desk.reader.read()
    assert model.ladder is not None
    assert model.ladder.other_label == "No"
    assert model.ladder_orders == alone
