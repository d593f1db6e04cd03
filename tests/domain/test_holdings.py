from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.holdings import LONGEST_LAG, Holdings, Labels, apply_fill_to_position
from pmtui.domain.ids import ConditionId, TokenId, TradeId
from pmtui.domain.market import Side
from pmtui.domain.money import Micros, parse_micros
from pmtui.domain.order import Fill, TradeStatus
from pmtui.domain.position import Position
from tests.domain.test_own_orders import FILL, START, TOKEN

m = parse_micros
HELD = Position(
    token_id=TOKEN, condition_id=ConditionId("0xaa"), title="Ferry", outcome="Yes",
    size=m("100"), average_price=m("0.4"), current_price=m("0.5"), realized=m("0"),
)  # fmt: skip
SALE = replace(FILL, trade_id=TradeId("t9"), side=Side.SELL, size=m("30"), fee=m("0.1"))
SOON = START + timedelta(seconds=1)


def _holdings(*positions: Position) -> Holdings:
    holdings = Holdings()
    holdings.apply_report(positions, START)
    return holdings


def _size(holdings: Holdings) -> Micros:
    return Micros(sum(p.size for p in holdings.positions()))


def test_a_purchase_can_be_sold_before_the_analytics_host_knows_of_it() -> None:
    holdings = Holdings()
    holdings.name(TOKEN, Labels(title="Ferry", outcome="Yes", outcome_index=1))
    holdings.apply_fill(FILL)
    (position,) = holdings.positions()
    assert (position.size, position.average_price, position.title) == (m("40"), m("0.53"), "Ferry")
    holdings.apply_report((), SOON)
    assert _size(holdings) == m("40")


def test_a_report_that_agrees_is_the_truth_again() -> None:
    holdings = _holdings(HELD)
    holdings.apply_fill(FILL)
    assert _size(holdings) == m("140")
    stale = replace(HELD, current_price=m("0.6"))
    holdings.apply_report((stale,), SOON)
    (position,) = holdings.positions()
    assert (position.size, position.current_price) == (m("140"), m("0.6"))
    reported = replace(HELD, size=m("140"), average_price=m("0.44"))
    holdings.apply_report((reported,), SOON)
    assert holdings.positions() == (reported,)


def test_settlement_told_after_the_report_is_not_counted_again() -> None:
    holdings = _holdings(HELD)
    holdings.apply_fill(FILL)
    holdings.apply_report((replace(HELD, size=m("140")),), SOON)
    for status in (TradeStatus.MINED, TradeStatus.CONFIRMED):
        holdings.apply_fill(replace(FILL, status=status))
    assert _size(holdings) == m("140")


def test_a_failed_fill_is_taken_back() -> None:
    holdings = _holdings(HELD)
    holdings.apply_fill(FILL)
    holdings.apply_fill(replace(FILL, status=TradeStatus.FAILED))
    assert holdings.positions() == (HELD,)
    holdings.apply_fill(replace(FILL, trade_id=TradeId("t5"), status=TradeStatus.FAILED))
    assert holdings.positions() == (HELD,)


def test_a_report_much_younger_than_the_fill_is_believed_whatever_it_says() -> None:
    holdings = _holdings(HELD)
    holdings.apply_fill(FILL)
    holdings.apply_report((HELD,), START + LONGEST_LAG)
    assert _size(holdings) == m("140")
    holdings.apply_report((HELD,), START + LONGEST_LAG + timedelta(seconds=1))
    assert _size(holdings) == m("100")


def test_a_position_that_is_gone_by_the_report_stays_while_fills_say_otherwise() -> None:
    holdings = _holdings(HELD)
    holdings.apply_fill(SALE)
    holdings.apply_report((), SOON)
    assert _size(holdings) == m("70")


def test_a_sale_of_everything_leaves_nothing_to_show_unless_it_can_be_redeemed() -> None:
    holdings = _holdings(HELD)
    holdings.apply_fill(replace(SALE, size=m("100")))
    assert holdings.positions() == ()
    redeemable = _holdings(replace(HELD, size=m("0"), is_redeemable=True))
    assert len(redeemable.positions()) == 1


def test_a_report_of_another_token_leaves_unreported_fills_alone() -> None:
    holdings = _holdings()
    holdings.apply_fill(FILL)
    other = replace(HELD, token_id=TokenId("2"))
    early = replace(HELD, size=m("10"))
    holdings.apply_report((other, early), SOON)
    sizes = {p.token_id: p.size for p in holdings.positions()}
    assert sizes == {TokenId("2"): m("100"), TOKEN: m("40")}


def test_purchases_move_the_average_and_sales_realise_against_it() -> None:
    bought = apply_fill_to_position(HELD, replace(FILL, size=m("100"), price=m("0.6")))
    assert (bought.size, bought.average_price) == (m("200"), m("0.5"))
    sold = apply_fill_to_position(bought, SALE)
    assert (sold.size, sold.average_price) == (m("170"), m("0.5"))
    assert sold.realized == m("0.9") - m("0.1")
    over = apply_fill_to_position(HELD, replace(SALE, size=m("500")))
    assert over.size == 0


fills = st.builds(
    replace, st.just(FILL), trade_id=st.integers(0, 5).map(lambda n: TradeId(str(n))),
    side=st.sampled_from(Side), size=st.integers(1, 10**9).map(Micros),
    price=st.integers(1, 999_999).map(Micros),
)  # fmt: skip


@given(st.lists(fills, max_size=6, unique_by=lambda f: f.trade_id))
def test_the_average_stays_between_the_prices_paid_and_no_size_is_negative(
    each: list[Fill],
) -> None:
    position = HELD
    for fill in each:
        position = apply_fill_to_position(position, fill)
        assert position.size >= 0
    prices = [HELD.average_price, *(f.price for f in each if f.side is Side.BUY)]
    assert min(prices) - 6 <= position.average_price <= max(prices) + 6


@given(st.permutations([FILL, SALE, replace(FILL, trade_id=TradeId("t2"), size=m("5"))]))
def test_fills_in_any_order_hold_the_same(each: list[Fill]) -> None:
    holdings = _holdings(HELD)
    for fill in [*each, *each]:
        holdings.apply_fill(fill)
    assert holdings.positions()[0].size == m("115")


OTHER = replace(HELD, token_id=TokenId("77"), size=m("7"))


def test_what_an_incomplete_report_does_not_tell_of_stays_as_it_was() -> None:
    holdings = _holdings(HELD, OTHER)
    holdings.apply_fill(SALE)
    late = SALE.matched_at + LONGEST_LAG + timedelta(seconds=1)
    holdings.apply_report((), late, is_complete=False)
    sizes = {p.token_id: p.size for p in holdings.positions()}
    assert sizes == {HELD.token_id: m("70"), OTHER.token_id: m("7")}
    holdings.apply_report((replace(OTHER, size=m("8")),), late, is_complete=False)
    sizes = {p.token_id: p.size for p in holdings.positions()}
    assert sizes == {HELD.token_id: m("70"), OTHER.token_id: m("8")}
    holdings.apply_report((), late)
    assert holdings.positions() == ()
