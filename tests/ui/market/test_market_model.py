from dataclasses import replace
from datetime import timedelta

import pytest

from pmtui.domain.account.position import Stake
from pmtui.domain.books.book_view import BookState
from pmtui.domain.books.ladder import mirrored_orders
from pmtui.domain.markets.market import NO_FEE, Side
from pmtui.domain.money import Micros, complement
from pmtui.service.views import Load
from pmtui.ui.market.market_model import ladder_inputs
from tests.ui import believable
from tests.ui.market.controls.desk import Desk, cents
from tests.ui.moving_market import CONDITION, NO, NUMBER, YES, MovingMarket


def test_one_outcome_gets_its_own_orders_cost_queue_and_rewards() -> None:
    service = MovingMarket().service
    account, view = service.account_view, service.markets[CONDITION]
    inputs = ladder_inputs(account, view, YES)
    assert view.terms is not None
    assert inputs.orders == account.orders_at(YES)
    assert inputs.marks.ahead == account.queue_ahead
    assert inputs.marks.scoring == account.scoring
    assert inputs.marks.rewards == view.terms.rewards
    assert inputs.marks.net == Stake(
        believable.micros(1_250.5), believable.micros(0.4813), fee=view.terms.fee
    )
    assert not inputs.other_label
    # The other outcome's stand where the venue matches them, with no column of their own.
    other = ladder_inputs(account, view, NO)
    assert other.orders == mirrored_orders(account.orders_at(YES))
    assert not other.other_label


def test_both_outcomes_share_the_rows_of_the_one_on_show() -> None:
    service = MovingMarket().service
    account, view = service.account_view, service.markets[CONDITION]
    inputs = ladder_inputs(account, view, NO, is_mirrored=True)
    real = account.orders_at(YES)
    assert [o.order_id for o in inputs.orders] == [o.order_id for o in real]
    assert [o.price for o in inputs.orders] == [complement(o.price) for o in real]
    assert [o.side for o in inputs.orders] == [o.side.opposite for o in real]
    assert inputs.marks.ahead == account.queue_ahead
    assert inputs.marks.net is not None
    assert inputs.marks.net.is_other
    assert inputs.other_label == "Yes"


@pytest.mark.parametrize("is_mirrored", [True, False])
def test_only_the_net_position_is_marked_on_a_ladder(*, is_mirrored: bool) -> None:
    desk = Desk()
    desk.hold(yes=50, no=45)
    view = desk.service.markets[CONDITION]

    def net() -> Stake | None:
        account = desk.service.account_view
        return ladder_inputs(account, view, YES, is_mirrored=is_mirrored).marks.net

    found = net()
    assert found is not None
    assert (found.size, found.is_other) == (believable.micros(5), False)
    for yes in (50, 50.001):
        desk.hold(yes=yes, no=50)
        assert net() is None


def test_before_terms_and_account_are_known_nothing_is_claimed() -> None:
    service = MovingMarket().service
    view = replace(service.markets[CONDITION], terms=None)
    account = replace(service.account_view, load=Load.LOADING)
    inputs = ladder_inputs(account, view, YES)
    assert inputs.marks.rewards is None
    assert inputs.marks.net is not None
    assert inputs.marks.net.fee == NO_FEE
    assert not inputs.marks.is_account_known


def test_fees_of_own_purchases_count_as_cost() -> None:
    service = MovingMarket().service
    bought = replace(
        believable.fill(1, NUMBER), token_id=YES, side=Side.BUY, size=believable.micros(1_250.5),
        fee=Micros(5_000_000),
    )  # fmt: skip
    inputs = ladder_inputs(service.account_view, service.markets[CONDITION], YES, fills=(bought,))
    assert inputs.marks.net is not None
    assert inputs.marks.net.entry_fees == 5_000_000


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
