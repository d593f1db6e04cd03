from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import TradeId
from pmtui.domain.market import Side
from pmtui.domain.order import Fill, TradeStatus
from pmtui.domain.token_balances import TokenBalances
from tests.domain.test_own_orders import FILL, START, TOKEN, m

SOON = START + timedelta(seconds=2)
LATE = START + timedelta(seconds=90)
SALE = replace(FILL, trade_id=TradeId("t2"), side=Side.SELL, size=m("15"))
FAILED = replace(FILL, status=TradeStatus.FAILED)


def test_nothing_is_said_before_the_venue_has_been_asked() -> None:
    balances = TokenBalances()
    balances.apply_fill(FILL)
    assert balances.size(TOKEN) is None
    assert balances.sizes() == ()


def test_what_was_bought_a_moment_ago_can_be_sold_while_the_venue_lags() -> None:
    balances = TokenBalances()
    balances.apply_report(TOKEN, m("0"), START)
    balances.apply_fill(FILL)
    assert balances.size(TOKEN) == m("40")
    balances.apply_report(TOKEN, m("0"), SOON)
    assert balances.size(TOKEN) == m("40")
    balances.apply_report(TOKEN, m("40"), SOON)
    balances.apply_fill(replace(FILL, status=TradeStatus.MINED))
    assert balances.size(TOKEN) == m("40")
    balances.apply_fill(SALE)
    assert balances.sizes() == ((TOKEN, m("25")),)


def test_a_first_answer_after_a_purchase_holds_it_or_does_not() -> None:
    for said in ("0", "40"):
        balances = TokenBalances()
        balances.apply_fill(FILL)
        balances.apply_report(TOKEN, m(said), SOON)
        assert balances.size(TOKEN) == m("40")


def test_an_answer_long_after_the_last_fill_is_believed() -> None:
    balances = TokenBalances()
    balances.apply_report(TOKEN, m("10"), START)
    balances.apply_fill(FILL)
    balances.apply_report(TOKEN, m("12"), LATE)
    assert balances.size(TOKEN) == m("12")


def test_a_failed_trade_is_taken_back_before_and_after_an_answer_holds_it() -> None:
    balances = TokenBalances()
    balances.apply_report(TOKEN, m("0"), START)
    balances.apply_fill(FAILED)
    assert balances.size(TOKEN) == 0
    balances.apply_fill(FILL)
    balances.apply_fill(FAILED)
    assert balances.size(TOKEN) == 0
    balances.apply_fill(FILL)
    balances.apply_report(TOKEN, m("40"), SOON)
    balances.apply_fill(FAILED)
    balances.apply_fill(FAILED)
    assert balances.size(TOKEN) == 0


@given(st.lists(st.tuples(st.sampled_from(Side), st.integers(1, 9)), min_size=1, max_size=6))
def test_a_venue_that_catches_up_ends_in_the_same_place(trades: list[tuple[Side, int]]) -> None:
    balances = TokenBalances()
    balances.apply_report(TOKEN, m("100"), START)
    held = 100
    fills: list[Fill] = []
    for number, (side, size) in enumerate(trades):
        fills.append(replace(FILL, trade_id=TradeId(str(number)), side=side, size=m(str(size))))
        held += size if side is Side.BUY else -size
        balances.apply_fill(fills[-1])
        assert balances.size(TOKEN) == m(str(held))
    balances.apply_report(TOKEN, m(str(held)), SOON)
    for fill in fills:
        balances.apply_fill(replace(fill, status=TradeStatus.CONFIRMED))
    assert balances.size(TOKEN) == m(str(held))
