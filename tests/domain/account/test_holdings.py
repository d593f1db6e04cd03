from dataclasses import replace
from datetime import datetime, timedelta
from math import inf

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.holdings import (
    LAG,
    MOST_REPORTS,
    UNKNOWN_CLOCK,
    Holdings,
    ReportTime,
    apply_fill_to_position,
)
from pmtui.domain.account.position import Position
from pmtui.domain.ids import ConditionId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, parse_micros
from pmtui.domain.orders.order import Fill, TradeStatus
from tests.domain.orders.order_kit import FILL, START, TOKEN

m = parse_micros
S = timedelta(seconds=1)
HELD = Position(
    token_id=TOKEN, condition_id=ConditionId("0xaa"), title="Ferry", outcome="Yes",
    size=m("100"), average_price=m("0.4"), current_price=m("0.5"), realized=m("0"),
)  # fmt: skip
OTHER = replace(HELD, token_id=TokenId("77"), size=m("7"))
BEFORE = START - LAG - 10 * S
"""A report of then cannot contain what is matched at START."""
SALE = replace(FILL, trade_id=TradeId("t9"), side=Side.SELL, size=m("30"), fee=m("0.1"))
FAILED = replace(FILL, status=TradeStatus.FAILED)


def at(asked: datetime, *, took: timedelta = S, error: timedelta = S) -> ReportTime:
    return ReportTime(asked, asked + took, error)


def holding(*positions: Position) -> Holdings:
    holdings = Holdings()
    holdings.apply_positions(positions, at(BEFORE))
    return holdings


def told(holdings: Holdings, *fills: Fill) -> Holdings:
    for fill in fills:
        holdings.apply_fill(fill, heard=fill.matched_at + S)
    return holdings


def size(holdings: Holdings) -> Micros | None:
    return holdings.size(TOKEN)


def test_nothing_is_said_before_the_venue_has_been_asked() -> None:
    holdings = told(Holdings(), FILL)
    assert size(holdings) is None
    assert (holdings.sizes(), holdings.positions()) == ((), ())
    assert size(Holdings()) is None
    assert size(holding()) == 0


def test_what_was_bought_a_moment_ago_is_held_while_the_reports_lag() -> None:
    holdings = told(holding(), FILL)
    (position,) = holdings.positions()
    assert (position.size, position.average_price, position.outcome) == (m("40"), m("0.53"), "Yes")
    holdings.apply_positions((), at(START + S))
    holdings.apply_balance(TOKEN, m("0"), at(START + 2 * S))
    assert size(holdings) == m("40")
    holdings.apply_balance(TOKEN, m("40"), at(START + 3 * S))
    told(holdings, replace(FILL, status=TradeStatus.MINED))
    assert holdings.sizes() == ((TOKEN, m("40")),)


def test_a_fill_that_two_reports_contain_before_it_is_told_of_counts_once() -> None:
    holdings = holding()
    holdings.apply_balance(TOKEN, m("40"), at(START))
    holdings.apply_positions((replace(HELD, size=m("40")),), at(START + S))
    assert holdings.doubtful() == {TOKEN}
    assert size(holdings) == m("40")
    told(holdings, FILL)
    assert size(holdings) == m("40")
    assert holdings.doubtful() == frozenset()


def test_a_sale_that_a_report_contains_before_it_is_told_of_leaves_the_rest() -> None:
    holdings = holding(HELD)
    holdings.apply_balance(TOKEN, m("70"), at(START))
    assert size(holdings) == m("70")
    told(holdings, SALE)
    assert size(holdings) == m("70")


def test_a_report_contains_nothing_of_an_order_that_was_sent_later() -> None:
    sale = replace(SALE, size=FILL.size)
    for sent_s, held in ((2.0, m("0")), (-inf, m("40"))):
        holdings = Holdings()
        holdings.apply_balance(TOKEN, m("0"), replace(at(START - S), answered_s=0.5))
        holdings.apply_fill(FILL, heard=START + S, sent_s=1.0)
        holdings.apply_balance(TOKEN, m("40"), replace(at(START), answered_s=1.5))
        # Of the same second: by its time alone it may as well come before the purchase.
        holdings.apply_fill(sale, heard=START + S, sent_s=sent_s)
        assert size(holdings) == held


def test_a_late_fill_of_an_order_sent_after_the_reports_changes_no_base() -> None:
    holdings = Holdings()
    for second in (0, 1):
        time = replace(at(BEFORE + second * S), answered_s=1.0)
        holdings.apply_balance(TOKEN, m("100"), time)
    holdings.apply_complete_trades(START + S)
    early = replace(SALE, matched_at=BEFORE)
    holdings.apply_fill(early, heard=START, sent_s=2.0)
    assert (size(holdings), holdings.least(TOKEN)) == (m("70"), m("70"))


def test_a_sum_of_fills_that_fits_a_wrong_base_by_chance_is_not_believed() -> None:
    holdings = Holdings()
    sizes = ((5, "12"), (5, "-7"), (6, "16"), (8, "13"), (12, "21"))
    for number, (second, amount) in enumerate(sizes):
        fill = replace(
            FILL,
            trade_id=TradeId(f"t{number}"),
            side=Side.SELL if amount.startswith("-") else Side.BUY,
            size=m(amount.removeprefix("-")),
            matched_at=START + second * S,
        )
        told(holdings, fill)
    for second in (18, 19):
        holdings.apply_balance(TOKEN, m("55"), at(START + second * S))
    # Eleven more were bought that nobody has told of; 16 + 13 + 21 of a base of 16 is 66 as well.
    holdings.apply_positions((replace(HELD, size=m("66")),), at(START + 20 * S))
    assert size(holdings) == m("66")
    told(holdings, replace(FILL, trade_id=TradeId("t9"), size=m("11"), matched_at=START + 18 * S))
    assert size(holdings) == m("66")


def test_a_report_that_agrees_is_shown_as_it_is() -> None:
    holdings = told(holding(HELD), FILL)
    assert size(holdings) == m("140")
    stale = replace(HELD, current_price=m("0.6"))
    holdings.apply_positions((stale,), at(START + S))
    (position,) = holdings.positions()
    assert (position.size, position.current_price) == (m("140"), m("0.6"))
    reported = replace(HELD, size=m("140"), average_price=m("0.44"))
    holdings.apply_positions((reported,), at(START + 2 * S))
    assert holdings.positions() == (reported,)
    assert holdings.positions() is holdings.positions()
    assert holdings.sizes() is holdings.sizes()


def test_a_failed_trade_is_taken_back_before_and_after_a_report_contains_it() -> None:
    holdings = told(holding(HELD), FILL, FAILED, FAILED)
    assert holdings.positions() == (HELD,)
    holdings = told(holding(HELD), FILL)
    holdings.apply_balance(TOKEN, m("140"), at(START + S))
    assert size(told(holdings, FAILED)) == m("100")
    holdings.apply_balance(TOKEN, m("100"), at(START + 4 * S))
    assert size(holdings) == m("100")


def test_a_trade_that_fails_long_after_it_became_part_of_what_is_held() -> None:
    holdings = told(holding(HELD), FILL)
    late = START + 10 * LAG
    grown = replace(HELD, size=m("140"))
    for n in range(3):
        holdings.apply_positions((grown,), at(late + n * 2 * LAG))
        holdings.apply_complete_trades(late + n * 2 * LAG)
    told(holdings, replace(FILL, status=TradeStatus.CONFIRMED))
    assert size(holdings) == m("140")
    failed_at = late + 5 * LAG
    for _ in range(2):
        holdings.apply_fill(FAILED, heard=failed_at)
        assert size(holdings) == m("100")
    for n in range(3):
        asked = failed_at + (n + 1) * 2 * LAG
        holdings.apply_positions((HELD,), at(asked))
        holdings.apply_complete_trades(asked)
        holdings.apply_fill(FAILED, heard=asked)
        assert size(holdings) == m("100")
    assert holdings.doubtful() == frozenset()


def test_a_trade_that_failed_long_ago_never_counted() -> None:
    holdings = told(holding(HELD), replace(FAILED, matched_at=START - timedelta(days=3)))
    assert holdings.positions() == (HELD,)


def test_fills_of_earlier_sessions_are_part_of_what_is_reported() -> None:
    past = replace(FILL, matched_at=BEFORE - timedelta(days=1))
    for fills in ((past,), ()):
        holdings = told(Holdings(), *fills)
        holdings.apply_positions((HELD,), at(BEFORE))
        told(holdings, past)
        assert holdings.positions() == (HELD,)
        holdings.apply_positions((HELD,), at(START + 5 * LAG))
        assert holdings.positions() == (HELD,)


def test_an_old_fill_that_is_told_of_after_the_reports_of_then_are_gone() -> None:
    holdings = holding(HELD)
    later = BEFORE + 5 * LAG
    holdings.apply_positions((HELD,), at(later))
    holdings.apply_complete_trades(later)
    old = replace(FILL, matched_at=BEFORE - 5 * LAG)
    assert size(told(holdings, old)) == m("100")
    around = replace(FILL, trade_id=TradeId("t2"), matched_at=BEFORE - 5 * S)
    assert size(told(holdings, around)) == m("100")
    holdings.apply_positions((HELD,), at(later + 5 * LAG))
    assert size(holdings) == m("100")
    assert holdings.doubtful() == frozenset()


def test_a_restart_right_after_a_fill_shows_what_the_venue_says() -> None:
    for fill, reported in ((FILL, "140"), (FILL, "100"), (SALE, "70"), (SALE, "100")):
        holdings = told(Holdings(), fill)
        holdings.apply_positions((replace(HELD, size=m(reported)),), at(START + 2 * S))
        assert size(holdings) == m(reported)


def test_what_may_have_been_sold_already_is_not_held_at_least() -> None:
    # Whether the first report contains the purchase nobody knows, and so of the sale.
    holdings = Holdings()
    holdings.apply_positions([HELD], at(START + S))
    told(holdings, FILL, replace(SALE, matched_at=START + S))
    assert holdings.least(TOKEN) == m("70")
    assert holdings.least(TokenId("78")) == 0
    holdings.apply_balance(TOKEN, m("70"), at(START + 5 * S))
    assert (holdings.least(TOKEN), size(holdings)) == (m("70"), m("70"))


def test_a_lag_seen_after_a_restart_is_known_from_then_on() -> None:
    holdings = told(Holdings(), FILL)
    holdings.apply_balance(TOKEN, m("100"), at(START + 2 * S))
    holdings.apply_balance(TOKEN, m("140"), at(START + 4 * S))
    holdings.apply_balance(TOKEN, m("100"), at(START + 6 * S))
    assert size(holdings) == m("140")


def test_a_deposit_is_shown_at_once_and_believed_after_the_trades_were_read() -> None:
    holdings = holding(HELD)
    sent = replace(HELD, size=m("150"))
    holdings.apply_positions((sent,), at(START))
    holdings.apply_balance(TOKEN, m("150"), at(START + 5 * S))
    assert size(holdings) == m("150")
    holdings.apply_complete_trades(START + LAG)
    assert holdings.doubtful() == {TOKEN}
    later = START + 2 * LAG
    holdings.apply_complete_trades(later)
    assert holdings.doubtful() == frozenset()
    assert size(holdings) == m("150")
    assert size(told(holdings, replace(SALE, matched_at=later))) == m("120")


def test_a_report_that_nothing_repeats_changes_nothing_for_good() -> None:
    holdings = holding(HELD)
    holdings.apply_balance(TOKEN, m("150"), at(START))
    later = START + 2 * LAG
    holdings.apply_complete_trades(later)
    assert holdings.doubtful() == {TOKEN}
    holdings.apply_balance(TOKEN, m("100"), at(later))
    holdings.apply_complete_trades(later)
    assert (size(holdings), holdings.doubtful()) == (m("100"), frozenset())


def test_positions_that_the_trading_host_keeps_denying_are_not_believed() -> None:
    holdings = holding()
    for n in range(4):
        holdings.apply_balance(TOKEN, m("50"), at(START + n * 10 * S))
        holdings.apply_balance(TOKEN, m("50"), at(START + n * 10 * S + 2 * S))
        holdings.apply_positions((), at(START + n * 10 * S + 4 * S))
    assert size(holdings) == m("50")
    assert holdings.doubtful() == {TOKEN}
    # Once the list says anything else, it is heard again.
    holdings.apply_positions((replace(HELD, size=m("50")),), at(START + 60 * S))
    holdings.apply_positions((), at(START + 70 * S))
    assert size(holdings) == 0


def test_what_was_asked_before_the_clock_was_known_gives_way() -> None:
    holdings = Holdings()
    holdings.apply_positions((HELD,), at(START - 2 * S, error=UNKNOWN_CLOCK))
    assert size(told(holdings, FILL)) == m("100")
    holdings.apply_positions((replace(HELD, size=m("140")),), at(START + 9 * S))
    later = replace(SALE, matched_at=START + 20 * S)
    assert size(told(holdings, later)) == m("110")
    assert Holdings().positions() == ()


def test_an_answer_that_was_asked_for_long_ago_is_dropped() -> None:
    holdings = Holdings()
    holdings.apply_balance(TOKEN, m("100"), at(BEFORE))
    told(holdings, FILL)
    for n in (5, 10):
        holdings.apply_balance(TOKEN, m("140"), at(START + n * LAG))
        holdings.apply_complete_trades(START + n * LAG)
    holdings.apply_balance(TOKEN, m("100"), at(START - S))
    assert (size(holdings), holdings.doubtful()) == (m("140"), frozenset())


def test_more_reports_than_are_kept_and_more_fills_than_can_be_told_apart() -> None:
    holdings, held = holding(HELD), m("100")
    for n in range(2 * MOST_REPORTS):
        fill = replace(
            FILL, trade_id=TradeId(f"n{n}"), size=Micros(m("1") + 2**n), matched_at=START + n * S
        )
        held = Micros(held + fill.size)
        told(holdings, fill)
        assert size(holdings) == held
        holdings.apply_balance(TOKEN, held, at(START + n * S))
        assert size(holdings) == held
        holdings.apply_balance(OTHER.token_id, held, at(START + n * S, error=UNKNOWN_CLOCK))
        assert holdings.size(OTHER.token_id) == held
    last = START + 2 * MOST_REPORTS * S
    holdings.apply_balance(TOKEN, Micros(held - m("1") - 2**20), at(last))
    assert (size(holdings), TOKEN in holdings.doubtful()) == (held, False)
    holdings.apply_balance(TOKEN, m("1"), at(last + S))
    assert (size(holdings), TOKEN in holdings.doubtful()) == (m("1"), True)
    # With nothing known of before, what is reported is shown.
    fresh = Holdings()
    for n in range(20):
        told(fresh, replace(FILL, trade_id=TradeId(f"n{n}"), size=Micros(2**n)))
    fresh.apply_balance(TOKEN, m("5"), at(START + S))
    assert size(fresh) == m("5")


def test_a_list_answered_after_a_younger_one_does_not_take_its_place() -> None:
    holdings = holding(HELD)
    holdings.apply_positions((HELD,), at(START + 5 * S))
    older = replace(HELD, current_price=m("0.1"))
    holdings.apply_positions((older,), at(START))
    assert holdings.positions() == (HELD,)


def test_a_position_that_is_gone_by_the_report_stays_while_fills_say_otherwise() -> None:
    holdings = told(holding(HELD), SALE)
    (position,) = holdings.positions()
    assert (position.size, position.realized) == (m("70"), m("3.9"))
    holdings.apply_positions((), at(START + S))
    assert size(holdings) == 0
    assert holdings.positions() == ()


def test_a_sale_of_everything_leaves_nothing_to_show_unless_it_can_be_redeemed() -> None:
    assert told(holding(HELD), replace(SALE, size=m("100"))).positions() == ()
    assert len(holding(replace(HELD, size=m("0"), is_redeemable=True)).positions()) == 1


def test_what_was_sold_whole_is_known_until_the_list_of_the_host_says_so() -> None:
    holdings = told(holding(HELD), replace(SALE, size=m("100")))
    (sold,) = holdings.sold_out()
    assert (sold.size, sold.realized) == (0, m("13"))
    assert holdings.listed() == {TOKEN}
    holdings.apply_positions((), at(START + S))
    assert (holdings.sold_out(), holdings.listed()) == ((), frozenset())


def test_what_was_bought_and_sold_between_two_lists_is_known_too() -> None:
    rest = replace(SALE, trade_id=TradeId("t10"), size=m("10"))
    holdings = told(holding(OTHER), FILL, SALE)
    assert holdings.sold_out() == ()
    (sold,) = told(holdings, rest).sold_out()
    assert (sold.token_id, sold.size, sold.realized) == (TOKEN, 0, m("0"))
    unknown = told(holding(), SALE, rest)
    assert unknown.sold_out() == ()


def test_what_an_incomplete_list_does_not_name_stays_as_it_was() -> None:
    holdings = told(holding(HELD, OTHER), SALE)
    late = SALE.matched_at + 2 * LAG
    holdings.apply_positions((), at(late), is_complete=False)
    sizes = {p.token_id: p.size for p in holdings.positions()}
    assert sizes == {HELD.token_id: m("70"), OTHER.token_id: m("7")}
    holdings.apply_positions((replace(OTHER, size=m("8")),), at(late + S), is_complete=False)
    sizes = {p.token_id: p.size for p in holdings.positions()}
    assert sizes == {HELD.token_id: m("70"), OTHER.token_id: m("8")}
    holdings.apply_positions((), at(late + 2 * S))
    assert holdings.positions() == ()


def test_a_token_without_a_list_of_positions_has_what_was_paid_for_it() -> None:
    holdings = Holdings()
    holdings.apply_balance(TOKEN, m("0"), at(BEFORE))
    (position,) = told(holdings, FILL).positions()
    assert (position.size, position.average_price) == (m("40"), m("0.53"))
    unpriced = Holdings()
    unpriced.apply_balance(TOKEN, m("50"), at(BEFORE))
    assert unpriced.positions() == ()


def test_shares_that_no_fill_explains_keep_the_average() -> None:
    holdings = told(holding(HELD), replace(FILL, matched_at=START + 3 * S))
    for reported in ("155", "55"):
        holdings.apply_balance(TOKEN, m(reported), at(START + 20 * S))
        (position,) = holdings.positions()
        assert (position.size, position.average_price) == (m(reported), m("0.4"))
    bought = told(holding(), FILL)
    bought.apply_balance(TOKEN, m("45"), at(START + S))
    (position,) = bought.positions()
    assert (position.size, position.average_price) == (m("45"), m("0.53"))


def test_purchases_move_the_average_and_sales_realise_against_it() -> None:
    bought = apply_fill_to_position(HELD, replace(FILL, size=m("100"), price=m("0.6")))
    assert (bought.size, bought.average_price) == (m("200"), m("0.5"))
    sold = apply_fill_to_position(bought, SALE)
    assert (sold.size, sold.average_price) == (m("170"), m("0.5"))
    assert sold.realized == m("0.9")
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
    holdings = told(holding(HELD), *each, *each)
    assert holdings.positions()[0].size == m("115")


def test_tokens_that_were_only_looked_at_are_dropped_and_nothing_else_is() -> None:
    holdings = told(holding(HELD), replace(FILL, token_id=TokenId("55")))
    for number in range(9):
        holdings.apply_balance(TokenId(f"9{number}"), m("0"), at(START))
    holdings.drop_blank({TokenId("90")}, most=2)
    left = [token_id for token_id, _ in holdings.sizes()]
    assert left == [TOKEN, "55", "90", "97", "98"]
    assert holdings.size(TokenId("91")) == 0


def test_a_restart_among_many_fills_never_shows_more_than_was_held() -> None:
    holdings = Holdings()
    bought = ((0, "11 13 23 9 12 5"), (7, "19"), (21, "10"), (24, "13 14"), (46, "17"), (53, "5 7"))
    number = 0
    for second, amounts in bought:
        for amount in amounts.split():
            number += 1
            trade = TradeId(f"t{number}")
            moment = START + second * S
            told(holdings, replace(FILL, trade_id=trade, size=m(amount), matched_at=moment))
    # One answer is a little older than the other; of the 22 between them 10 are not told of yet.
    asked = START + 53 * S
    holdings.apply_balance(TOKEN, m("968"), at(asked))
    holdings.apply_balance(TOKEN, m("946"), at(asked + S / 10))
    assert size(holdings) == m("968")
    late = replace(FILL, trade_id=TradeId("late"), size=m("10"), matched_at=asked)
    told(holdings, late)
    assert size(holdings) == m("968")
