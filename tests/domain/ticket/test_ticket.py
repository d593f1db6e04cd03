from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.position import Stake
from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.formats import format_cents, format_dollars_up
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import FeeSchedule, MarketTerms, RewardTerms, Side
from pmtui.domain.money import ONE, SCALE, Micros, parse_micros
from pmtui.domain.orders.amounts import TICK_RULES, is_on_tick, order_amounts
from pmtui.domain.orders.order import LimitIntent, MarketBuyIntent, TimeInForce
from pmtui.domain.ticket.draft import (
    OrderKind,
    SizeUnit,
    TicketContext,
    TicketDraft,
    TicketField,
    TicketRules,
)
from pmtui.domain.ticket.short_sales import is_short_sale
from pmtui.domain.ticket.ticket import (
    RewardsOutlook,
    TicketAfter,
    TicketCheck,
    check_ticket,
    estimate_after,
)

NOW = datetime(2026, 6, 15, 12, 0, tzinfo=UTC)
YES, NO = TokenId("1"), TokenId("2")
m = parse_micros

TERMS = MarketTerms(
    condition_id=ConditionId("0xaa"), token_ids=(YES, NO), outcome_labels=("Yes", "No"),
    tick_size=m("0.01"), min_order_size=m("5"), neg_risk=False, fee=FeeSchedule(m("0.04")),
)  # fmt: skip
BOOK = BookView(
    YES, BookState.LIVE,
    bids=(Level(m("0.51"), m("120")), Level(m("0.50"), m("400"))),
    asks=(Level(m("0.53"), m("40")), Level(m("0.54"), m("300"))),
)  # fmt: skip
WORLD = TicketContext(
    terms=TERMS, book=BOOK, now=NOW, available_cash=m("1000"), available_shares=m("250")
)
BUY = TicketDraft(Side.BUY, 0, price_text="51", size_text="100")
SELL = TicketDraft(Side.SELL, 0, price_text="53", size_text="100")
MARKET = TicketDraft(
    Side.BUY, 0, kind=OrderKind.MARKET, time_in_force=TimeInForce.FOK, size_text="25",
    size_unit=SizeUnit.DOLLARS,
)  # fmt: skip


def _texts(check: TicketCheck, field: TicketField) -> list[str]:
    return [p.text for p in check.of(field)]


def _fixed(draft: TicketDraft, world: TicketContext = WORLD) -> TicketDraft:
    """Follow the first fix of a draft."""
    (first, *_) = (p for p in check_ticket(draft, world).problems if p.fix is not None)
    assert first.fix is not None
    return first.fix


def test_a_plain_limit_order_has_no_problems_and_says_what_it_costs() -> None:
    check = check_ticket(BUY, WORLD)
    assert check.problems == ()
    assert check.intent == LimitIntent(
        condition_id=TERMS.condition_id, token_id=YES, side=Side.BUY, price=m("0.51"),
        size=m("100"),
    )  # fmt: skip
    assert check.numbers is not None
    assert (check.numbers.cash, check.numbers.payout) == (m("51"), m("100"))
    assert (check.numbers.fills_now, check.numbers.rests) == (0, m("100"))
    assert check.numbers.cash_after == m("949")


def test_the_second_outcome_means_the_second_token() -> None:
    check = check_ticket(replace(BUY, outcome_index=1), WORLD)
    assert check.intent is not None
    assert check.intent.token_id == NO


@pytest.mark.parametrize(
    ("text", "tick", "nearest"),
    [
        ("51.4", "0.01", "51"), ("51.5", "0.01", "51"), ("0", "0.01", "1"), ("100", "0.01", "99"),
        ("51.45", "0.001", "51.4"), ("0.5", "0.005", "0.5"), ("51.3", "0.0025", "51.25"),
        ("51.333333333", "0.01", "51"), ("-3", "0.1", "10"), ("999999", "0.0001", "99.99"),
    ],
)  # fmt: skip
def test_a_price_off_the_grid_is_answered_with_the_nearest_one(
    text: str, tick: str, nearest: str
) -> None:
    world = replace(WORLD, terms=replace(TERMS, tick_size=m(tick)))
    draft = replace(BUY, price_text=text)
    if text == nearest:
        assert not check_ticket(draft, world).of(TicketField.PRICE)
        return
    assert _fixed(draft, world).price_text == nearest
    assert check_ticket(draft, world).intent is None


@pytest.mark.parametrize("text", ["", "  ", "half", "1,5", "5 1", "1e1", "..", "51%", "٥١"])
def test_what_is_no_price_is_a_problem_without_a_fix(text: str) -> None:
    check = check_ticket(replace(BUY, price_text=text), WORLD)
    assert check.intent is None
    (problem,) = check.of(TicketField.PRICE)
    assert problem.fix is None


@pytest.mark.parametrize("text", ["", "1,5", "ten", "0", "-5", "0.001", "5%$", "1e3", "12,34"])
def test_what_is_no_size_is_a_problem(text: str) -> None:
    check = check_ticket(replace(BUY, size_text=text), WORLD)
    assert check.intent is None
    assert check.of(TicketField.SIZE)


@pytest.mark.parametrize(
    ("text", "unit", "size"),
    [
        ("100", SizeUnit.SHARES, "100"), ("1,000", SizeUnit.SHARES, "1000"),
        ("51", SizeUnit.DOLLARS, "100"), ("$51", SizeUnit.SHARES, "100"),
        ("$5.10", SizeUnit.PERCENT, "10"), ("10%", SizeUnit.SHARES, "196.07"),
        ("10", SizeUnit.PERCENT, "196.07"), ("12.345", SizeUnit.SHARES, "12.34"),
    ],
)  # fmt: skip
def test_a_size_counts_shares_dollars_or_percent(text: str, unit: SizeUnit, size: str) -> None:
    check = check_ticket(replace(BUY, size_text=text, size_unit=unit), WORLD)
    assert isinstance(check.intent, LimitIntent)
    assert check.intent.size == m(size)


def test_percent_of_a_sale_is_of_the_shares_that_are_free() -> None:
    check = check_ticket(replace(SELL, size_text="50%"), WORLD)
    assert isinstance(check.intent, LimitIntent)
    assert check.intent.size == m("125")


def test_percent_of_an_unknown_balance_is_a_problem() -> None:
    world = replace(WORLD, available_cash=None)
    check = check_ticket(replace(BUY, size_text="50%"), world)
    assert _texts(check, TicketField.SIZE) == ["The balance is loading"]
    assert check_ticket(BUY, world).intent is not None


@pytest.mark.parametrize("is_post_only", [False, True])
@pytest.mark.parametrize("price", ["1", "51", "54", "99"])
def test_all_of_the_cash_is_a_size_one_can_pay_with_the_fee(
    price: str, *, is_post_only: bool
) -> None:
    draft = replace(BUY, price_text=price, size_text="100%", is_post_only=is_post_only)
    check = check_ticket(draft, WORLD)
    assert ("kept back for the fee" in str(check.of(TicketField.SIZE))) is not is_post_only
    assert check.numbers is not None
    assert m("940") < check.numbers.cash <= m("1000") - check.numbers.worst_fee


def test_a_market_order_to_sell_is_refused_with_the_limit_that_does_the_same() -> None:
    draft = replace(SELL, kind=OrderKind.MARKET, time_in_force=TimeInForce.FOK)
    check = check_ticket(draft, WORLD)
    assert check.intent is None
    fix = _fixed(draft)
    assert (fix.kind, fix.time_in_force, fix.price_text) == (
        OrderKind.LIMIT, TimeInForce.FAK, "51",
    )  # fmt: skip
    assert check_ticket(fix, WORLD).intent is not None
    stale = replace(WORLD, book=replace(BOOK, state=BookState.STALE))
    assert _fixed(draft, stale).price_text == ""


def test_a_market_purchase_takes_its_worst_price_where_the_book_completes_it() -> None:
    check = check_ticket(MARKET, WORLD)
    assert check.intent == MarketBuyIntent(
        condition_id=TERMS.condition_id, token_id=YES, amount=m("25"), worst_price=m("0.54"),
    )  # fmt: skip
    small = check_ticket(replace(MARKET, size_text="20"), WORLD)
    assert isinstance(small.intent, MarketBuyIntent)
    assert small.intent.worst_price == m("0.53")
    typed = check_ticket(replace(MARKET, price_text="60"), WORLD)
    assert isinstance(typed.intent, MarketBuyIntent)
    assert typed.intent.worst_price == m("0.60")


def test_a_market_purchase_beyond_the_book_offers_to_take_what_there_is() -> None:
    draft = replace(MARKET, size_text="500")
    assert check_ticket(draft, WORLD).intent is None
    fix = _fixed(draft)
    assert fix.time_in_force is TimeInForce.FAK
    check = check_ticket(fix, WORLD)
    assert isinstance(check.intent, MarketBuyIntent)
    assert check.intent.worst_price == m("0.54")


def test_a_market_purchase_is_not_priced_from_nothing_or_from_a_bad_book() -> None:
    empty = replace(WORLD, book=replace(BOOK, asks=()))
    assert _texts(check_ticket(MARKET, empty), TicketField.PRICE) == ["No asks now"]
    stale = replace(WORLD, book=replace(BOOK, state=BookState.STALE))
    assert check_ticket(MARKET, stale).intent is None
    assert check_ticket(replace(MARKET, price_text="60"), stale).intent is not None


def test_a_market_purchase_is_given_in_dollars() -> None:
    draft = replace(MARKET, size_unit=SizeUnit.SHARES)
    assert check_ticket(draft, WORLD).intent is None
    assert _fixed(draft).size_unit is SizeUnit.DOLLARS
    resting = replace(MARKET, time_in_force=TimeInForce.GTC)
    assert _fixed(resting).time_in_force is TimeInForce.FOK


def test_post_only_goes_with_orders_that_rest_and_do_not_cross() -> None:
    killed = replace(BUY, time_in_force=TimeInForce.FAK, is_post_only=True, price_text="53")
    assert not _fixed(killed).is_post_only
    crossing = replace(BUY, price_text="54", is_post_only=True)
    assert check_ticket(crossing, WORLD).intent is None
    assert _fixed(crossing).price_text == "52"
    assert check_ticket(_fixed(crossing), WORLD).problems == ()
    selling = replace(SELL, price_text="50", is_post_only=True)
    assert _fixed(selling).price_text == "52"
    at_the_edge = replace(WORLD, book=replace(BOOK, bids=(), asks=(Level(m("0.01"), m("9")),)))
    check = check_ticket(replace(BUY, price_text="1", is_post_only=True), at_the_edge)
    (problem,) = check.of(TicketField.POST_ONLY)
    assert problem.fix is None
    stale = replace(WORLD, book=replace(BOOK, state=BookState.STALE))
    assert check_ticket(crossing, stale).intent is not None


def test_minimums_are_named_with_the_least_size_that_passes() -> None:
    small = replace(BUY, size_text="4")
    assert _texts(check_ticket(small, WORLD), TicketField.SIZE) == ["Minimum 5 shares"]
    assert _fixed(small).size_text == "5"
    cheap = replace(BUY, price_text="54", size_text="1.5", time_in_force=TimeInForce.FAK)
    assert check_ticket(cheap, WORLD).intent is None
    assert check_ticket(_fixed(cheap), WORLD).intent is not None
    penny = replace(MARKET, size_text="0.50")
    assert _fixed(penny).size_text == "1"
    assert check_ticket(_fixed(penny), WORLD).intent is not None


def test_a_purchase_to_the_cent_says_how_many_shares_that_is() -> None:
    draft = replace(BUY, price_text="53", size_text="33.33", time_in_force=TimeInForce.FAK)
    check = check_ticket(draft, WORLD)
    (problem,) = check.of(TicketField.SIZE)
    assert problem.is_warning
    assert check.intent is not None


def test_less_than_a_cents_worth_is_nothing() -> None:
    draft = replace(BUY, price_text="1", size_text="0.5", time_in_force=TimeInForce.FAK)
    check = check_ticket(draft, WORLD)
    assert _texts(check, TicketField.SIZE) == ["Nothing left after rounding"]
    assert check.intent is None


def test_what_is_not_there_cannot_be_spent_or_sold() -> None:
    dear = replace(BUY, size_text="5000")
    assert check_ticket(dear, WORLD).intent is None
    assert check_ticket(_fixed(dear), WORLD).intent is not None
    spending = replace(MARKET, size_text="2000", price_text="99", time_in_force=TimeInForce.FAK)
    assert check_ticket(_fixed(spending), WORLD).intent is not None
    oversold = replace(SELL, size_text="251")
    assert _fixed(oversold).size_text == "250"
    nothing = replace(WORLD, available_shares=m("0"), available_cash=m("0"))
    for draft in (oversold, dear):
        (problem,) = check_ticket(draft, nothing).of(TicketField.SIZE)
        assert problem.fix is None


def test_what_would_be_killed_is_warned_about_and_never_blocked() -> None:
    away = check_ticket(replace(BUY, time_in_force=TimeInForce.FAK), WORLD)
    assert "killed" in _texts(away, TicketField.PRICE)[0]
    assert away.intent is not None
    thin = replace(BUY, price_text="53", time_in_force=TimeInForce.FOK)
    check = check_ticket(thin, WORLD)
    assert "Not enough liquidity" in _texts(check, TicketField.SIZE)[0]
    assert check.intent is not None
    assert check.numbers is not None
    assert check.numbers.fills_now == 0
    assert _fixed(thin).time_in_force is TimeInForce.FAK
    whole = replace(thin, size_text="40")
    assert check_ticket(whole, WORLD).problems == ()


@pytest.mark.parametrize(
    ("text", "life"),
    [("3", 180), ("150s", 150), ("30m", 1800), ("2h", 7200), ("1D", 86400), (" 5 ", 300)],
)
def test_a_timed_order_states_when_it_is_to_be_gone(text: str, life: int) -> None:
    draft = replace(BUY, time_in_force=TimeInForce.GTD, expiry_text=text)
    check = check_ticket(draft, WORLD)
    assert isinstance(check.intent, LimitIntent)
    assert check.intent.expires_at == NOW + timedelta(seconds=life + 2)


def test_an_order_until_the_close_ends_with_the_market() -> None:
    draft = replace(BUY, time_in_force=TimeInForce.GTD, expiry_text="Close")
    for left_s, is_possible in ((None, False), (149, False), (150, True), (400 * 86_400, False)):
        closes_at = None if left_s is None else NOW + timedelta(seconds=left_s)
        check = check_ticket(draft, replace(WORLD, closes_at=closes_at))
        assert bool(check.of(TicketField.EXPIRY)) is not is_possible
        assert (check.intent is not None) is is_possible
        if isinstance(check.intent, LimitIntent):
            assert check.intent.expires_at == closes_at


@pytest.mark.parametrize("text", ["", "soon", "0", "-5m", "m", "400d", "9999999999", "1.5h", "٥m"])
def test_what_is_no_time_is_a_problem(text: str) -> None:
    draft = replace(BUY, time_in_force=TimeInForce.GTD, expiry_text=text)
    check = check_ticket(draft, WORLD)
    assert check.intent is None
    assert check.of(TicketField.EXPIRY)


def test_a_life_too_short_is_answered_with_the_shortest() -> None:
    for text in ("119s", "2m", "149s"):
        # Of two minutes nothing would be left for the card: the venue counts from the arrival.
        draft = replace(BUY, time_in_force=TimeInForce.GTD, expiry_text=text)
        (problem,) = check_ticket(draft, WORLD).of(TicketField.EXPIRY)
        assert problem.text == "Minimum 150s: two minutes must be left when it is sent"
        assert _fixed(draft).expiry_text == "150s"
        assert check_ticket(_fixed(draft), WORLD).problems == ()


@pytest.mark.parametrize(
    ("left_s", "said", "fix"),
    [
        (200, "The market closes in 3 min, before this expires", "close"),
        (59, "The market closes in 59 s, before this expires", None),
        (300, "The market closes in 5 min, before this expires", "close"),
        (302, "", None), (None, "", None), (-5, "", None),
    ],
)  # fmt: skip
def test_an_order_that_outlives_its_market_is_warned_of(
    left_s: int | None, said: str, fix: str | None
) -> None:
    closes_at = None if left_s is None else NOW + timedelta(seconds=left_s)
    draft = replace(BUY, time_in_force=TimeInForce.GTD, expiry_text="5m")
    check = check_ticket(draft, replace(WORLD, closes_at=closes_at))
    assert check.intent is not None
    assert list(check.warnings) == ([said] if said else [])
    fixes = [p.fix.expiry_text for p in check.of(TicketField.EXPIRY) if p.fix is not None]
    assert fixes == ([fix] if fix else [])


@pytest.mark.parametrize("state", [s for s in BookState if not s.is_good])
def test_a_doubtful_book_is_named_and_does_not_stop_a_priced_order(state: BookState) -> None:
    check = check_ticket(BUY, replace(WORLD, book=BookView(YES, state)))
    assert [p.is_warning for p in check.problems] == [True]
    assert check.intent is not None


def test_a_market_that_takes_no_orders_blocks() -> None:
    world = replace(WORLD, terms=replace(TERMS, accepting_orders=False))
    check = check_ticket(BUY, world)
    assert [p.field for p in check.blocking] == [TicketField.OUTCOME]
    assert check.intent is None


def test_a_tick_nobody_knows_is_a_problem_and_no_crash() -> None:
    world = replace(WORLD, terms=replace(TERMS, tick_size=m("0.03")))
    check = check_ticket(replace(BUY, price_text="51"), world)
    assert check.intent is None
    assert check.of(TicketField.PRICE)


texts = st.one_of(
    st.text("0123456789.,$%¢c-", max_size=9),
    st.integers(0, 2_000).map(str),
    st.decimals(0, 120, places=2).map(str),
)
drafts = st.builds(
    TicketDraft, st.sampled_from(Side), st.integers(0, 1), kind=st.sampled_from(OrderKind),
    time_in_force=st.sampled_from(TimeInForce), price_text=texts, size_text=texts,
    size_unit=st.sampled_from(SizeUnit), is_post_only=st.booleans(),
    expiry_text=st.sampled_from(["", "1m", "30m", "2h"]),
)  # fmt: skip


@st.composite
def books(draw: st.DrawFn) -> BookView:
    prices = draw(st.lists(st.integers(1, 99), unique=True, max_size=8).map(sorted))
    split = draw(st.integers(0, len(prices)))
    sizes = st.integers(1, 900_000_000).map(Micros)
    levels = [Level(Micros(p * 10_000), draw(sizes)) for p in prices]
    state = draw(st.sampled_from(BookState))
    return BookView(YES, state, bids=tuple(levels[:split][::-1]), asks=tuple(levels[split:]))


worlds = st.builds(
    TicketContext,
    terms=st.sampled_from(sorted(TICK_RULES)).map(lambda t: replace(TERMS, tick_size=t)),
    book=books(),
    now=st.just(NOW),
    available_cash=st.one_of(st.none(), st.integers(0, 10**10).map(Micros)),
    available_shares=st.integers(0, 10**10).map(Micros),
)


@given(drafts, worlds)
def test_an_intent_is_there_exactly_when_nothing_blocks_and_is_within_its_means(
    draft: TicketDraft, world: TicketContext
) -> None:
    check = check_ticket(draft, world)
    if check.intent is None:
        assert check.blocking
        return
    assert not check.blocking
    intent, numbers = check.intent, check.numbers
    assert numbers is not None
    amounts = order_amounts(intent, world.terms.tick_size)
    assert not amounts.is_empty
    price = intent.price if isinstance(intent, LimitIntent) else intent.worst_price
    if draft.price_text.strip():
        assert is_on_tick(price, world.terms.tick_size)
    assert 0 < price < ONE
    assert check.is_mirrored is is_short_sale(draft, world)
    if draft.side is Side.BUY or check.is_mirrored:
        assert (numbers.cash, numbers.shares) == (amounts.maker, amounts.taker)
        if world.available_cash is not None:
            assert numbers.cash + numbers.worst_fee <= world.available_cash
            assert numbers.cash_after is not None
            assert numbers.cash_after >= 0
    else:
        assert (numbers.shares, numbers.cash) == (amounts.maker, amounts.taker)
        assert numbers.shares <= world.available_shares


def test_a_purchase_by_dollars_needs_no_minimum_of_shares_whatever_is_typed_beside_it() -> None:
    draft = replace(MARKET, time_in_force=TimeInForce.GTC, size_text="0.5", price_text="60")
    check = check_ticket(draft, WORLD)
    assert not any("shares" in text for text in _texts(check, TicketField.SIZE))
    mended = check_ticket(_fixed(replace(draft, time_in_force=TimeInForce.FOK)), WORLD)
    assert not _texts(mended, TicketField.SIZE)


@given(drafts, worlds)
def test_a_fix_mends_the_problem_it_belongs_to(draft: TicketDraft, world: TicketContext) -> None:
    for problem in check_ticket(draft, world).problems:
        if problem.fix is not None:
            after = check_ticket(problem.fix, world)
            assert problem.text not in [p.text for p in after.problems]


@given(st.integers(1, 999_999).map(Micros))
def test_a_price_written_in_cents_reads_back(price: Micros) -> None:
    world = replace(WORLD, terms=replace(TERMS, tick_size=m("0.0001")))
    draft = replace(BUY, price_text=format_cents(price), size_text="10000%")
    on_grid = is_on_tick(price, m("0.0001"))
    assert bool(check_ticket(draft, world).of(TicketField.PRICE)) is not on_grid


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("0", "Nothing to sell"),
        ("1", "Only 1 share is free to sell"),
        ("99.5", "Only 99.5 shares are free to sell"),
    ],
)
def test_a_sale_of_what_is_not_there_is_told_no_outcome(held: str, said: str) -> None:
    world = replace(WORLD, available_shares=m(held), rules=TicketRules(sells_short=False))
    check = check_ticket(replace(SELL, price_text="50"), world)
    assert _texts(check, TicketField.SIZE) == [said]
    assert (check.intent, check.numbers) == (None, None)
    whole = check_ticket(replace(SELL, price_text="50"), replace(WORLD, available_shares=m("100")))
    assert whole.numbers is not None


@pytest.mark.parametrize("is_post_only", [False, True])
def test_a_size_there_is_no_cash_for_is_mended_with_the_fee_kept_and_told(
    *, is_post_only: bool
) -> None:
    draft = replace(BUY, price_text="7", size_text="500000", is_post_only=is_post_only)
    check = check_ticket(draft, WORLD)
    (problem,) = check.of(TicketField.SIZE)
    assert problem.fix is not None
    numbers = check_ticket(problem.fix, WORLD).numbers
    assert numbers is not None
    fee = f", up to {format_dollars_up(numbers.worst_fee)} of it for the fee"
    assert problem.text == f"Costs more than the $1,000.00 available{'' if is_post_only else fee}"


def test_a_stop_that_cannot_be_read_or_would_sell_at_once_blocks_its_field() -> None:
    unread = check_ticket(replace(BUY, stop_text="x"), WORLD)
    assert len(_texts(unread, TicketField.STOP)) == 1
    assert unread.attached is None
    assert unread.blocking == unread.of(TicketField.STOP)
    over = check_ticket(replace(BUY, stop_text="52"), WORLD)
    assert over.of(TicketField.STOP)
    fine = check_ticket(replace(BUY, stop_text="40", target_text="80"), WORLD)
    assert fine.attached is not None
    assert (fine.problems, fine.warnings) == ((), ())
    assert fine.numbers is not None
    assert not fine.numbers.does_nothing


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
