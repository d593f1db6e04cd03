from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.fees import taker_fee
from pmtui.domain.markets.market import NO_FEE, FeeSchedule, Side
from pmtui.domain.money import SCALE, Micros, parse_micros
from pmtui.domain.orders.amounts import order_amounts
from pmtui.domain.orders.order import LimitIntent, MarketBuyIntent, OrderIntent, TimeInForce
from pmtui.domain.ticket.estimate import TicketNumbers, estimate

m = parse_micros
TOKEN = TokenId("1")
CENT = m("0.01")
FEE = FeeSchedule(m("0.04"))
BOOK = BookView(
    TOKEN, BookState.LIVE,
    bids=(Level(m("0.51"), m("120")), Level(m("0.50"), m("400"))),
    asks=(Level(m("0.53"), m("40")), Level(m("0.54"), m("300"))),
)  # fmt: skip
BUY = LimitIntent(
    condition_id=ConditionId("0xaa"), token_id=TOKEN, side=Side.BUY, price=m("0.53"),
    size=m("100"),
)  # fmt: skip


def _numbers(intent: OrderIntent, *, book: BookView = BOOK, cash: str = "1000") -> TicketNumbers:
    amounts = order_amounts(intent, CENT)
    is_buy = intent.side is Side.BUY
    given, taken = (amounts.maker, amounts.taker) if is_buy else (amounts.taker, amounts.maker)
    return estimate(intent, cash=given, shares=taken, book=book, fee=FEE, available_cash=m(cash))


def test_a_purchase_that_crosses_fills_in_part_and_rests_in_part() -> None:
    numbers = _numbers(BUY)
    fee = taker_fee(m("40"), m("0.53"), FEE)
    assert (numbers.fills_now, numbers.rests) == (m("40"), m("60"))
    assert (numbers.fills_now_average, numbers.fills_now_cash) == (m("0.53"), m("21.2"))
    assert numbers.fee == fee
    assert numbers.depth_share == 40 * SCALE // 340
    assert numbers.cash_after == m("1000") - m("53") - fee
    assert numbers.is_short_of_depth


def test_fills_go_through_the_levels_at_their_own_prices() -> None:
    numbers = _numbers(replace(BUY, price=m("0.54"), time_in_force=TimeInForce.GTC))
    assert numbers.fills_now == m("100")
    assert numbers.fills_now_cash == m("53.6")
    assert numbers.fills_now_average == m("0.536")
    assert numbers.rests == 0
    assert numbers.payout == m("100")


def test_a_sale_brings_cash_less_its_fee() -> None:
    intent = replace(BUY, side=Side.SELL, price=m("0.51"), size=m("50"))
    numbers = _numbers(intent)
    assert numbers.cash == m("25.5")
    assert numbers.cash_after == m("1000") + m("25.5") - taker_fee(m("50"), m("0.51"), FEE)


def test_dollars_that_do_not_rest_are_spent_however_many_shares_they_bring() -> None:
    intent = MarketBuyIntent(
        condition_id=BUY.condition_id, token_id=TOKEN, amount=m("25"), worst_price=m("0.54")
    )
    numbers = _numbers(intent)
    assert numbers.fills_now_cash == m("25")
    assert numbers.shares < numbers.fills_now == numbers.payout
    assert numbers.rests == 0


def test_fill_or_kill_beyond_the_book_fills_nothing() -> None:
    numbers = _numbers(replace(BUY, time_in_force=TimeInForce.FOK))
    assert numbers.is_short_of_depth
    assert (numbers.fills_now, numbers.fee, numbers.depth_share) == (0, 0, 0)
    assert numbers.cash_after == m("1000")
    assert numbers.displayed_at_limit == m("40")


def test_what_only_rests_owes_no_fee() -> None:
    numbers = _numbers(replace(BUY, price=m("0.50"), is_post_only=True))
    assert (numbers.fee, numbers.worst_fee) == (0, 0)


def test_an_empty_book_and_an_unknown_balance_leave_figures_out() -> None:
    amounts = order_amounts(BUY, CENT)
    numbers = estimate(
        BUY, cash=amounts.maker, shares=amounts.taker, book=BookView(TOKEN, BookState.LIVE),
        fee=FEE, available_cash=None,
    )  # fmt: skip
    assert (numbers.depth_share, numbers.cash_after, numbers.fills_now_average) == (
        None, None, None,
    )  # fmt: skip


@given(
    st.sampled_from(Side), st.integers(1, 99), st.integers(1, 10**6),
    st.sampled_from(TimeInForce),
)  # fmt: skip
def test_nothing_is_filled_beyond_the_book_or_worse_than_the_limit(
    side: Side, cents: int, hundredths: int, time_in_force: TimeInForce
) -> None:
    intent = replace(
        BUY, side=side, price=Micros(cents * CENT), size=Micros(hundredths * CENT),
        time_in_force=time_in_force,
    )  # fmt: skip
    if order_amounts(intent, CENT).is_empty:
        return
    numbers = _numbers(intent, cash="1000000")
    assert 0 <= numbers.fills_now <= numbers.displayed_at_limit
    if numbers.fills_now_average is not None:
        best = m("0.53") if side is Side.BUY else m("0.51")
        low, high = sorted((intent.price, best))
        # The cost of each level is rounded up to the millionth.
        slack = 2 * SCALE // numbers.fills_now + 1
        assert low - slack <= numbers.fills_now_average <= high + slack
    if time_in_force.rests:
        assert numbers.fills_now + numbers.rests == numbers.shares
    else:
        assert numbers.rests == 0


def test_the_most_fee_lies_between_the_touch_and_the_limit() -> None:
    thin = replace(BOOK, bids=(Level(m("0.07"), m("40")),))
    sale = replace(BUY, side=Side.SELL, price=m("0.06"), size=m("40"))
    numbers = _numbers(sale, book=thin)
    assert numbers.fee == numbers.most_fee == taker_fee(m("40"), m("0.07"), FEE)
    assert numbers.most_fee < taker_fee(m("40"), m("0.5"), FEE)
    dear = replace(sale, price=m("0.49"))
    assert _numbers(dear, book=thin).most_fee == taker_fee(m("40"), m("0.49"), FEE)
    assert _numbers(dear).most_fee == taker_fee(m("40"), m("0.5"), FEE)


@given(price=st.integers(1, 99), size=st.integers(1, 500), is_buy=st.booleans())
def test_no_fill_costs_more_than_the_most_fee(price: int, size: int, *, is_buy: bool) -> None:
    intent = replace(
        BUY, side=Side.BUY if is_buy else Side.SELL, price=Micros(price * CENT),
        size=Micros(size * SCALE), time_in_force=TimeInForce.FAK,
    )  # fmt: skip
    numbers = _numbers(intent)
    # Each level rounds its fee by itself.
    assert numbers.fee <= numbers.most_fee + 20


@given(
    st.lists(
        st.tuples(st.integers(1, 99), st.integers(1, 300)),
        min_size=1,
        max_size=8,
        unique_by=lambda level: level[0],
    ),
    st.integers(1, 99),
    st.integers(1, 50_000),
    st.sampled_from(TimeInForce),
)
def test_no_more_shares_come_than_was_said(
    asks: list[tuple[int, int]], cents: int, hundredths: int, lives: TimeInForce
) -> None:
    levels = tuple(
        Level(Micros(price * 10_000), Micros(size * SCALE)) for price, size in sorted(asks)
    )
    book = BookView(TokenId("1"), BookState.VERIFIED, (), levels)
    intent = LimitIntent(
        condition_id=ConditionId("0xa"), token_id=TokenId("1"), side=Side.BUY,
        price=Micros(cents * 10_000), size=Micros(hundredths * 10_000), time_in_force=lives,
    )  # fmt: skip
    cash, shares = order_amounts(intent, Micros(10_000))
    numbers = estimate(intent, cash=cash, shares=shares, book=book, fee=NO_FEE, available_cash=None)
    assert shares <= numbers.most_shares
    assert numbers.fills_now <= numbers.most_shares
    if lives.rests:
        assert numbers.most_shares == shares == intent.size


def test_a_purchase_that_takes_below_its_limit_says_how_many_shares_it_may_bring() -> None:
    levels = (Level(m("0.6"), m("500")), Level(m("0.61"), m("500")))
    book = BookView(TokenId("1"), BookState.VERIFIED, (), levels)
    intent = LimitIntent(
        condition_id=ConditionId("0xa"), token_id=TokenId("1"), side=Side.BUY,
        price=m("0.61"), size=m("100"), time_in_force=TimeInForce.FAK,
    )  # fmt: skip
    numbers = estimate(
        intent, cash=m("61"), shares=m("100"), book=book, fee=NO_FEE, available_cash=None
    )
    assert m("101.66") < numbers.fills_now <= numbers.most_shares < m("101.67")
