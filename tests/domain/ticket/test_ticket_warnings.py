"""Orders that do not come from a ticket are warned of by the ticket's rules."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.formats import format_cents
from pmtui.domain.ids import OrderId
from pmtui.domain.markets.market import Side
from pmtui.domain.markets.venue_state import Evidence, VenueFact, VenueState
from pmtui.domain.money import Micros, notional_ceil
from pmtui.domain.orders.order import LimitIntent, Order, OrderIntent, OrderStatus, TimeInForce
from pmtui.domain.ticket.draft import TicketContext, TicketDraft, TicketField, TicketRules
from pmtui.domain.ticket.ticket import (
    PlannedOrder,
    Review,
    TicketCheck,
    action_warnings,
    check_ticket,
    needs_card,
    review_intent,
)
from tests.domain.ticket.test_ticket import BOOK, BUY, MARKET, NO, NOW, SELL, TERMS, WORLD, YES, m


def _warned(check: TicketCheck, words: str) -> bool:
    return any(words in text for text in check.warnings)


def _order(**changes: object) -> Order:
    order = Order(
        order_id=OrderId("0x1"), condition_id=TERMS.condition_id, token_id=YES, outcome="Yes",
        side=Side.BUY, price=m("0.51"), original_size=m("100"), matched_size=m("0"),
        status=OrderStatus.LIVE, time_in_force=TimeInForce.GTC,
        created_at=NOW - timedelta(seconds=4),
    )  # fmt: skip
    return replace(order, **changes)  # type: ignore[arg-type]


def _after(*orders: Order, world: TicketContext = WORLD) -> TicketContext:
    return replace(world, recent=orders)


@given(cents=st.integers(1, 99), percent=st.integers(0, 100), is_buy=st.booleans())
def test_a_price_is_far_only_when_worse_than_the_midpoint_by_more_than_asked(
    cents: int, percent: int, *, is_buy: bool
) -> None:
    world = replace(WORLD, rules=TicketRules(worst_price_percent=percent))
    draft = replace(
        BUY if is_buy else SELL, price_text=str(cents), size_text="100",
        time_in_force=TimeInForce.GTC,
    )  # fmt: skip
    world = replace(world, available_cash=m("100000"))
    price, mid = Micros(cents * 10_000), BOOK.midpoint
    assert mid is not None
    worse = price - mid if is_buy else mid - price
    is_far = percent > 0 and worse * 100 > mid * percent and worse > 2 * TERMS.tick_size
    check = check_ticket(draft, world)
    assert _warned(check, "the midpoint") is is_far
    # It is the trader's to decide.
    assert check.intent is not None


@pytest.mark.parametrize("state", [s for s in BookState if not s.is_good])
def test_a_book_that_may_be_wrong_is_no_measure_of_a_price(state: BookState) -> None:
    world = replace(WORLD, book=replace(BOOK, state=state))
    assert not _warned(check_ticket(replace(BUY, price_text="90"), world), "the midpoint")


def test_without_a_midpoint_no_price_is_far() -> None:
    world = replace(WORLD, book=BookView(YES, BookState.LIVE, asks=BOOK.asks))
    assert not _warned(check_ticket(replace(BUY, price_text="90"), world), "the midpoint")


def test_a_market_purchase_is_measured_by_its_worst_price() -> None:
    check = check_ticket(replace(MARKET, price_text="80"), WORLD)
    assert _warned(check, f"{format_cents(m('0.80'))}¢ is 53% above the midpoint 52¢")


@given(dollars=st.integers(1, 900), bound=st.integers(0, 1_000))
def test_an_order_is_large_from_the_stated_sum_on(dollars: int, bound: int) -> None:
    world = replace(WORLD, rules=TicketRules(notional_warning=Micros(bound * 1_000_000)))
    draft = replace(BUY, price_text="50", size_text=str(2 * dollars))
    check = check_ticket(draft, world)
    if check.intent is None:
        assert 2 * dollars < 5
        return
    assert _warned(check, "in one order") is (0 < bound <= dollars)


@given(
    age=st.integers(0, 30),
    window=st.integers(0, 20),
    status=st.sampled_from(OrderStatus),
)
def test_the_same_order_again_is_a_second_one_for_a_while(
    age: int, window: int, status: OrderStatus
) -> None:
    rules = TicketRules(duplicate_window=timedelta(seconds=window))
    sent = _order(created_at=NOW - timedelta(seconds=age), status=status)
    world = _after(sent, world=replace(WORLD, rules=rules))
    check = check_ticket(BUY, world)
    is_second = window > 0 and age <= window and status is not OrderStatus.REJECTED
    assert _warned(check, "would be a second one") is is_second
    assert check.intent is not None


@pytest.mark.parametrize(
    "changes",
    [{"token_id": NO}, {"side": Side.SELL}, {"price": m("0.50")}, {"original_size": m("99")}],
)
def test_another_order_is_not_the_same(changes: dict[str, object]) -> None:
    check = check_ticket(BUY, _after(_order(**changes)))
    assert not _warned(check, "a second one")


def test_the_youngest_of_several_is_told() -> None:
    older = _order(order_id=OrderId("0x2"), created_at=NOW - timedelta(seconds=9))
    assert _warned(check_ticket(BUY, _after(older, _order())), "4 s ago")


def test_a_market_purchase_is_the_same_by_its_dollars_though_the_book_moved() -> None:
    # $25 at most 53¢ a share and $25 at most 54¢.
    sent = _order(
        price=m("0.53"), original_size=m("47.1698"), time_in_force=TimeInForce.FOK,
        status=OrderStatus.FILLED,
    )  # fmt: skip
    moved = replace(WORLD, book=replace(BOOK, asks=BOOK.asks[1:]))
    assert _warned(check_ticket(MARKET, _after(sent, world=moved)), "a second one")
    assert not _warned(check_ticket(MARKET, _after(_order(price=m("0.25")))), "a second one")


def test_what_is_blocked_is_not_warned_of_as_well() -> None:
    dear: TicketDraft = replace(BUY, size_text="5000")
    check = check_ticket(dear, WORLD)
    assert [p.is_warning for p in check.of(TicketField.SIZE)] == [False]


@given(skew=st.integers(-60_000, 60_000))
def test_a_timed_order_states_what_the_venue_asks_by_the_venues_clock(skew: int) -> None:
    ahead = timedelta(milliseconds=skew)
    draft = replace(BUY, time_in_force=TimeInForce.GTD, expiry_text="150s")
    intent = check_ticket(draft, replace(WORLD, clock_skew=ahead)).intent
    assert isinstance(intent, LimitIntent)
    assert intent.expires_at is not None
    # A minute is added when it is signed; the venue wants three, by its own clock.
    stated = intent.expires_at + timedelta(seconds=60)
    # Half a minute of it is for the card.
    assert stated - (NOW + ahead) >= timedelta(seconds=180 + 30)


def test_cash_that_open_orders_keep_is_named() -> None:
    world = replace(WORLD, reserved_cash=m("300"))
    (problem,) = check_ticket(replace(BUY, size_text="5000"), world).of(TicketField.SIZE)
    assert "$300.00 reserved for working orders" in problem.text


@given(bound=st.integers(0, 10**12), worth=st.integers(0, 10**12))
def test_only_an_order_worth_no_more_than_the_trader_said_needs_no_card(
    bound: int, worth: int
) -> None:
    rules = TicketRules(confirm_above=Micros(bound))
    assert needs_card(rules, Micros(worth), is_doubtful=False) == (worth > bound)
    # Whatever it is worth, a reason against it is read first.
    assert needs_card(rules, Micros(worth), is_doubtful=True)


def test_at_first_every_order_needs_a_card() -> None:
    assert needs_card(TicketRules(), Micros(1), is_doubtful=False)


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


def planned(
    price: str,
    size: str = "100",
    *,
    side: Side = Side.BUY,
    time_in_force: TimeInForce = TimeInForce.GTC,
) -> PlannedOrder:
    intent = LimitIntent(
        TERMS.condition_id, YES, side=side, price=m(price), size=m(size),
        time_in_force=time_in_force,
    )  # fmt: skip
    return PlannedOrder(intent, notional_ceil(intent.price, intent.size))


def warned(words: str, *orders: PlannedOrder, world: TicketContext = WORLD) -> int:
    return sum(words in text for text in action_warnings(orders, world))


def test_an_ordinary_order_is_not_warned_of() -> None:
    assert action_warnings([planned("0.51")], WORLD) == ()


@given(st.lists(st.sampled_from(["0.30", "0.51", "0.90"]), min_size=1, max_size=4))
def test_of_several_prices_the_worst_is_named_once(prices: list[str]) -> None:
    orders = [planned(price) for price in prices]
    assert warned("above the midpoint", *orders) == ("0.90" in prices)
    sales = [planned(price, side=Side.SELL) for price in prices]
    assert warned("below the midpoint", *sales) == ("0.30" in prices)


def test_a_limit_that_nobody_typed_is_judged_by_the_price_at_which_it_fills() -> None:
    sale = planned("0.30", side=Side.SELL)
    assert action_warnings([sale], WORLD, expected=m("0.50")) == ()
    (warning,) = action_warnings([sale], WORLD, expected=m("0.3155"))
    assert "31.55¢ is" in warning
    assert "below the midpoint" in warning


@given(st.integers(1, 6), st.integers(1, 400))
def test_the_sum_of_all_orders_of_a_card_is_large_or_not(count: int, dollars: int) -> None:
    world = replace(WORLD, rules=TicketRules(notional_warning=Micros(dollars * 1_000_000)))
    total = count * 51
    assert warned("your warning", *[planned("0.51")] * count, world=world) == (total >= dollars)


def test_the_same_order_a_moment_ago_is_told() -> None:
    world = _after(_order())
    assert warned("would be a second one", planned("0.50"), planned("0.51"), world=world) == 1
    assert warned("would be a second one", planned("0.50"), world=world) == 0


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (VenueState.CANCEL_ONLY, "cancel-only"),
        (VenueState.POST_ONLY, "post-only orders only"),
        (VenueState.DELAYED, "Taker orders wait"),
    ],
)
def test_what_the_venue_is_up_to_is_told_once(state: VenueState, words: str) -> None:
    world = replace(WORLD, venue=(VenueFact(state, Evidence.ANSWER, NOW),))
    sale = planned("0.40", side=Side.SELL, time_in_force=TimeInForce.FAK)
    assert warned(words, sale, sale, world=world) == 1


def _prepared(draft: TicketDraft, world: TicketContext = WORLD) -> OrderIntent:
    intent = check_ticket(draft, world).intent
    assert intent is not None
    return intent


TIMED = replace(BUY, time_in_force=TimeInForce.GTD, expiry_text="5m")


@pytest.mark.parametrize("draft", [BUY, SELL, MARKET, AT_ONCE, TIMED])
def test_a_prepared_order_is_reviewed_by_the_rules_of_its_ticket(draft: TicketDraft) -> None:
    assert review_intent(_prepared(draft), WORLD) == Review()
    stale = replace(WORLD, book=replace(BOOK, state=BookState.STALE))
    worded = replace(draft, price_text=draft.price_text or "53")
    assert review_intent(_prepared(worded, stale), stale).warnings == (
        check_ticket(worded, stale).warnings
    )


def test_what_changed_since_an_order_was_prepared_is_found() -> None:
    own = _order(side=Side.SELL, price=m("0.51"), outcome="Yes")
    intent = _prepared(BUY)
    assert any(
        "Self-trade" in w for w in review_intent(intent, replace(WORLD, own=(own,))).warnings
    )
    poor = replace(WORLD, available_cash=m("10"))
    assert review_intent(intent, poor).refusal.startswith("Costs more than")
    finer = replace(WORLD, terms=replace(TERMS, tick_size=m("0.1")))
    assert review_intent(intent, finer).refusal.startswith("Tick 10¢")
    post_only = _prepared(replace(BUY, is_post_only=True))
    crossed = replace(WORLD, book=replace(BOOK, asks=(Level(m("0.51"), m("9")), *BOOK.asks)))
    assert "post-only" in review_intent(post_only, crossed).refusal
    sold = replace(WORLD, available_shares=m("0"))
    assert review_intent(_prepared(SELL), sold).refusal


def test_a_timed_order_that_waits_on_its_card_is_told_of_its_time() -> None:
    intent = _prepared(TIMED)
    late = replace(WORLD, now=NOW + timedelta(seconds=190))
    assert review_intent(intent, late).refusal == "it expires in 112 s, under two minutes"
    closes = replace(WORLD, closes_at=NOW + timedelta(seconds=200))
    said = "The market closes in 3 min, before this expires"
    assert review_intent(intent, closes).warnings == (said,)
