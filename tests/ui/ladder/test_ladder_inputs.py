from dataclasses import replace

from pmtui.domain.account.position import Stake
from pmtui.domain.books.ladder import mirrored_orders
from pmtui.domain.markets.market import NO_FEE, Side
from pmtui.domain.money import Micros, complement
from pmtui.service.views import Load
from pmtui.ui.ladder.ladder_inputs import ladder_inputs
from tests.ui import believable
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
    assert inputs.marks.stakes == (
        Stake(believable.micros(1_250.5), believable.micros(0.4813), fee=view.terms.fee),
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
    assert [stake.is_other for stake in inputs.marks.stakes] == [True]
    assert inputs.other_label == "Yes"


def test_before_terms_and_account_are_known_nothing_is_claimed() -> None:
    service = MovingMarket().service
    view = replace(service.markets[CONDITION], terms=None)
    account = replace(service.account_view, load=Load.LOADING)
    inputs = ladder_inputs(account, view, YES)
    assert inputs.marks.rewards is None
    assert inputs.marks.stakes[0].fee == NO_FEE
    assert not inputs.marks.is_account_known


def test_fees_of_own_purchases_count_as_cost() -> None:
    service = MovingMarket().service
    bought = replace(
        believable.fill(1, NUMBER), token_id=YES, side=Side.BUY, size=believable.micros(1_250.5),
        fee=Micros(5_000_000),
    )  # fmt: skip
    inputs = ladder_inputs(service.account_view, service.markets[CONDITION], YES, fills=(bought,))
    assert inputs.marks.stakes[0].entry_fees == 5_000_000
