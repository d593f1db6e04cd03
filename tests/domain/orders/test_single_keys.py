from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.ids import OrderId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, ZERO, Micros, complement
from pmtui.domain.orders.amounts import TICK_RULES, is_on_tick
from pmtui.domain.orders.order import Order, OrderStatus, TimeInForce
from pmtui.domain.orders.single_keys import (
    SingleKey,
    SingleKeyPlan,
    SingleKeyProblem,
    describe_override,
    key_price,
    plan_single_key,
    why_locked,
)
from pmtui.domain.ticket.draft import TicketContext, TicketRules
from tests.domain.ticket.test_ticket import BOOK, NO, NOW, TERMS, WORLD, YES, m

SIZE = m("10")
RICH = replace(WORLD, available_cash=m("1000000"), available_shares=m("1000000"))
UNPROVEN = [state for state in BookState if not state.is_good]


def plan(
    key: SingleKey,
    *,
    cursor: str | None = None,
    size: Micros = SIZE,
    world: TicketContext = WORLD,
    own: tuple[Order, ...] = (),
    is_overridden: bool = False,
) -> SingleKeyPlan | SingleKeyProblem:
    return plan_single_key(
        key, cursor=None if cursor is None else m(cursor), size=size, outcome_index=0,
        context=world, own=own, is_overridden=is_overridden,
    )  # fmt: skip


def sent(*args: SingleKey, **kwargs: object) -> SingleKeyPlan:
    found = plan(*args, **kwargs)  # type: ignore[arg-type]
    assert isinstance(found, SingleKeyPlan), found
    return found


def refused(*args: SingleKey, **kwargs: object) -> str:
    found = plan(*args, **kwargs)  # type: ignore[arg-type]
    assert isinstance(found, SingleKeyProblem), found
    return found.text


def own_order(price: str, size: str, *, side: Side = Side.BUY) -> Order:
    return Order(
        order_id=OrderId("0x1"), condition_id=TERMS.condition_id, token_id=YES, outcome="Yes",
        side=side, price=m(price), original_size=m(size), matched_size=Micros(0),
        status=OrderStatus.LIVE, time_in_force=TimeInForce.GTC,
        created_at=NOW - timedelta(seconds=4),
    )  # fmt: skip


@st.composite
def worlds(draw: st.DrawFn) -> TicketContext:
    """A book that is not crossed, on any of the service's grids, either side possibly empty."""
    tick = draw(st.sampled_from(sorted(TICK_RULES)))
    top = ONE // tick - 1
    bid = draw(st.integers(0, top))
    ask = draw(st.integers(bid + 1, top + 1))
    sizes = st.integers(1, 10**9)
    bids = tuple(
        Level(Micros(i * tick), Micros(draw(sizes))) for i in range(bid, max(bid - 3, 0), -1)
    )
    asks = tuple(
        Level(Micros(i * tick), Micros(draw(sizes))) for i in range(ask, min(ask + 3, top + 1))
    )
    rules = TicketRules(worst_price_percent=draw(st.sampled_from((0, 1, 10, 50))))
    book = BookView(YES, draw(st.sampled_from(BookState)), bids, asks, tick)
    return replace(RICH, terms=replace(TERMS, tick_size=tick), book=book, rules=rules)


@given(
    world=worlds(), key=st.sampled_from(SingleKey), cursor=st.none() | st.integers(0, ONE),
    size=st.integers(0, 2 * 10**9), is_overridden=st.booleans(),
)  # fmt: skip
def test_what_a_key_sends_is_an_order_the_venue_takes_at_a_price_that_was_meant(
    world: TicketContext, key: SingleKey, cursor: int | None, size: int, *, is_overridden: bool
) -> None:
    pointed = None if cursor is None else Micros(cursor)
    found = plan_single_key(
        key, cursor=pointed, size=Micros(size), outcome_index=0, context=world,
        is_overridden=is_overridden,
    )  # fmt: skip
    book = world.book
    price = key_price(key, book=book, tick=world.terms.tick_size, cursor=pointed)
    if isinstance(price, SingleKeyProblem):
        # What is shown beside a key is what it sends.
        assert isinstance(found, SingleKeyProblem)
    elif not isinstance(found, SingleKeyProblem):
        assert found.intent.price == found.price == price
    if isinstance(found, SingleKeyProblem):
        assert found.text
        return
    intent, tick = found.intent, world.terms.tick_size
    assert book.state.is_good or is_overridden
    assert (intent.side, intent.token_id) == (key.side, book.token_id)
    assert is_on_tick(intent.price, tick)
    assert intent.size == size // 10_000 * 10_000
    assert intent.time_in_force is (TimeInForce.FAK if key.crosses else TimeInForce.GTC)
    if intent.time_in_force.rests:
        assert intent.size >= world.terms.min_order_size
    is_buy = key.side is Side.BUY
    near, far = (book.best_bid, book.best_ask) if is_buy else (book.best_ask, book.best_bid)
    meets = far is not None and (intent.price >= far if is_buy else intent.price <= far)
    if key in (SingleKey.BUY_HERE, SingleKey.SELL_HERE):
        assert intent.price == pointed
        assert found.takes is meets
    elif key.crosses:
        assert intent.price == far
        assert found.takes
    else:
        assert near is not None
        better = intent.price - near if is_buy else near - intent.price
        assert better == (0 if key in (SingleKey.JOIN_BID, SingleKey.JOIN_ASK) else tick)
    if key.is_maker:
        assert intent.is_post_only
        assert not found.takes
        assert not meets
    mid, percent = book.midpoint, world.rules.worst_price_percent
    if mid is not None and percent and book.state.is_good:
        worse = intent.price - mid if is_buy else mid - intent.price
        assert worse * 100 <= mid * percent or worse <= 2 * tick


MIRRORS = {
    SingleKey.BUY_HERE: SingleKey.SELL_HERE, SingleKey.JOIN_BID: SingleKey.JOIN_ASK,
    SingleKey.IMPROVE_BID: SingleKey.IMPROVE_ASK, SingleKey.TAKE_ASK: SingleKey.HIT_BID,
}  # fmt: skip


@given(world=worlds(), key=st.sampled_from(list(MIRRORS)))
def test_what_buying_does_on_a_book_selling_does_on_its_mirror(
    world: TicketContext, key: SingleKey
) -> None:
    world = replace(world, rules=TicketRules(worst_price_percent=0))
    book = world.book
    turned = replace(
        book,
        bids=tuple(Level(Micros(ONE - x.price), x.size) for x in book.asks),
        asks=tuple(Level(Micros(ONE - x.price), x.size) for x in book.bids),
    )
    # A purchase that takes must be worth a dollar; so large a size always is.
    one, other = (
        plan_single_key(
            pressed, cursor=Micros(ONE // 2), size=m("100000"), outcome_index=0, context=context
        )
        for pressed, context in ((key, world), (MIRRORS[key], replace(world, book=turned)))
    )
    if isinstance(one, SingleKeyProblem) or isinstance(other, SingleKeyProblem):
        assert isinstance(one, SingleKeyProblem) is isinstance(other, SingleKeyProblem)
    else:
        assert one.intent.price + other.intent.price == ONE
        assert one.takes is other.takes


@pytest.mark.parametrize(
    ("key", "price", "is_post_only"),
    [
        (SingleKey.JOIN_BID, "0.51", True), (SingleKey.JOIN_ASK, "0.53", True),
        (SingleKey.IMPROVE_BID, "0.52", True), (SingleKey.IMPROVE_ASK, "0.52", True),
        (SingleKey.TAKE_ASK, "0.53", False), (SingleKey.HIT_BID, "0.51", False),
    ],
)  # fmt: skip
def test_each_key_has_its_price(key: SingleKey, price: str, *, is_post_only: bool) -> None:
    intent = sent(key).intent
    assert (intent.price, intent.size) == (m(price), SIZE)
    assert intent.is_post_only is is_post_only


def test_an_order_at_the_cursor_may_take_and_says_so() -> None:
    assert not sent(SingleKey.BUY_HERE, cursor="0.52").takes
    assert sent(SingleKey.BUY_HERE, cursor="0.53").takes
    assert not sent(SingleKey.SELL_HERE, cursor="0.52").takes
    assert sent(SingleKey.SELL_HERE, cursor="0.51").takes


def test_a_price_far_on_the_wrong_side_of_the_midpoint_is_for_the_ticket() -> None:
    text = refused(SingleKey.BUY_HERE, cursor="0.6")
    assert text == "60¢ is 15% above the midpoint 52¢: too far for a single key"
    far = plan(SingleKey.BUY_HERE, cursor="0.6")
    assert isinstance(far, SingleKeyProblem)
    assert far.brief == "far"
    assert "below the midpoint" in refused(SingleKey.SELL_HERE, cursor="0.45")
    anywhere = replace(WORLD, rules=TicketRules(worst_price_percent=0))
    assert sent(SingleKey.BUY_HERE, cursor="0.6", world=anywhere).takes
    # On the right side no price is too far.
    assert not sent(SingleKey.BUY_HERE, cursor="0.01", size=m("50")).takes
    assert not sent(SingleKey.SELL_HERE, cursor="0.99").takes


def test_a_tick_is_not_improved_into_the_other_side() -> None:
    tight = replace(BOOK, asks=(Level(m("0.52"), m("40")),))
    world = replace(WORLD, book=tight)
    assert "No room" in refused(SingleKey.IMPROVE_BID, world=world)
    assert "No room" in refused(SingleKey.IMPROVE_ASK, world=world)


def test_nobody_improves_on_himself() -> None:
    assert refused(SingleKey.IMPROVE_BID, own=(own_order("0.51", "120"),)) == (
        "The best bid is yours already"
    )
    assert sent(SingleKey.IMPROVE_BID, own=(own_order("0.51", "119"),)).intent.price == m("0.52")
    assert sent(SingleKey.IMPROVE_ASK, own=(own_order("0.53", "40"),)).intent.price == m("0.52")
    mine = own_order("0.53", "40", side=Side.SELL)
    assert "yours already" in refused(SingleKey.IMPROVE_ASK, own=(mine,))


def test_a_side_without_orders_has_no_price() -> None:
    world = replace(WORLD, book=BookView(YES, BookState.LIVE))
    for key in SingleKey:
        if key not in (SingleKey.BUY_HERE, SingleKey.SELL_HERE):
            assert refused(key, world=world).startswith("No ")
    assert refused(SingleKey.BUY_HERE) == "Put the cursor on a price first"


def test_the_tickets_rules_hold() -> None:
    assert "Minimum 5 shares" in refused(SingleKey.JOIN_BID, size=m("4"))
    assert "Costs more than" in refused(SingleKey.JOIN_BID, size=m("5000"))
    assert "Tick 1¢" in refused(SingleKey.BUY_HERE, cursor="0.515")
    assert "at least $1" in refused(
        SingleKey.TAKE_ASK, size=m("1.5"), world=replace(WORLD, rules=TicketRules())
    )
    closed = replace(WORLD, terms=replace(TERMS, accepting_orders=False))
    assert "no orders now" in refused(SingleKey.JOIN_BID, world=closed)


@pytest.mark.parametrize("state", UNPROVEN)
@pytest.mark.parametrize("key", SingleKey)
def test_an_unproven_book_locks_every_key_until_it_is_overridden(
    key: SingleKey, state: BookState
) -> None:
    world = replace(WORLD, book=replace(BOOK, state=state, as_of=NOW))
    text = refused(key, cursor="0.52", world=world)
    assert text == why_locked(world.book) == f"The book is {state.words}: single keys are locked"
    permitted = sent(key, cursor="0.52", world=world, is_overridden=True)
    said = describe_override(permitted, world.book)
    assert said.endswith(
        f"from a book that is {state.words}, of 2026-06-15 12:00:00 UTC: bid 51¢, ask 53¢"
    )
    assert said.startswith(f"{key.side.value} 10 at ")


def test_the_override_of_a_book_never_heard_of_says_so() -> None:
    world = replace(WORLD, book=BookView(YES, BookState.LOADING))
    permitted = sent(SingleKey.BUY_HERE, cursor="0.5", world=world, is_overridden=True)
    assert describe_override(permitted, world.book) == (
        "BUY 10 at 50¢ from a book that is loading, never received: bid none, ask none"
    )


def test_a_large_sum_and_the_same_order_again_are_said_and_stop_nothing() -> None:
    rules = TicketRules(notional_warning=m("5"), duplicate_window=timedelta(seconds=10))
    world = replace(RICH, rules=rules)
    first = sent(SingleKey.BUY_HERE, cursor="0.5", world=world)
    assert first.warnings == ("large: $5.00",)
    before = own_order("0.5", "10")
    before = replace(before, created_at=NOW - timedelta(seconds=2))
    again = sent(SingleKey.BUY_HERE, cursor="0.5", world=replace(world, recent=(before,)))
    assert again.warnings == ("large: $5.00", "the same as 2 s ago")
    assert again.intent == first.intent
    quiet = replace(RICH, rules=replace(rules, notional_warning=m("0")), recent=())
    assert sent(SingleKey.BUY_HERE, cursor="0.5", world=quiet).warnings == ()


@pytest.mark.parametrize("key", [SingleKey.HIT_BID, SingleKey.SELL_HERE, SingleKey.JOIN_ASK])
def test_a_sale_of_almost_all_that_is_free_sells_just_that(key: SingleKey) -> None:
    least = TERMS.min_order_size
    for missing, said in (("0.01", 1), ("0.018", 1), ("0", 0)):
        free = Micros(m("100") - m(missing))
        world = replace(RICH, available_shares=free)
        found = sent(key, cursor="0.60", size=m("100"), world=world)
        assert found.intent.size == free - free % m("0.01")
        assert len(found.warnings) == said
    assert least > m("0.018")


@pytest.mark.parametrize("key", [SingleKey.HIT_BID, SingleKey.SELL_HERE, SingleKey.JOIN_ASK])
def test_a_sale_of_more_than_is_free_sells_all_that_is_free(key: SingleKey) -> None:
    world = replace(RICH, available_shares=m("28.886"))
    found = sent(key, cursor="0.60", size=m("500"), world=world)
    assert (found.intent.token_id, found.intent.size) == (YES, m("28.88"))
    assert found.warnings[0] == "all that was free to sell"
    # Flat, with all of it paired, it goes short as before.
    paired = replace(world, other_shares=m("28.886"), available_cash=m("1000"))
    found = sent(key, cursor="0.60", size=m("500"), world=paired)
    assert (found.intent.token_id, found.intent.size) == (NO, m("500"))
    # A larger purchase goes on to a position of the other side, as one order can.
    back = replace(RICH, available_shares=ZERO, other_shares=m("28.886"))
    assert sent(SingleKey.TAKE_ASK, size=m("500"), world=back).intent.size == m("500")


def test_what_is_free_is_sold_alone_only_where_it_is_an_order() -> None:
    least = TERMS.min_order_size
    few = replace(RICH, available_shares=Micros(least - m("1")))
    assert "free to sell" in refused(SingleKey.JOIN_ASK, size=least, world=few)
    assert sent(SingleKey.HIT_BID, size=least, world=few).intent.size == few.available_shares
    assert sent(SingleKey.TAKE_ASK, size=least, world=few).intent.size == least


SHORT = replace(WORLD, available_shares=ZERO, other_shares=m("100"))


@pytest.mark.parametrize(
    ("key", "price"),
    [(SingleKey.TAKE_ASK, "0.53"), (SingleKey.JOIN_BID, "0.51"), (SingleKey.BUY_HERE, "0.40")],
)
def test_a_purchase_that_fits_into_a_short_sells_the_other_outcome(
    key: SingleKey, price: str
) -> None:
    # Not even the cash for it is needed.
    world = replace(SHORT, available_cash=ZERO)
    found = sent(key, cursor="0.40", size=m("100"), world=world)
    intent, meant = found.intent, sent(key, cursor="0.40", size=m("100"), world=RICH).intent
    assert (intent.token_id, intent.side, intent.size) == (NO, Side.SELL, m("100"))
    assert intent.price == complement(meant.price) == complement(m(price))
    assert found.price == m(price)
    assert (intent.is_post_only, intent.time_in_force) == (meant.is_post_only, meant.time_in_force)


def test_a_short_with_a_fraction_missing_is_closed_whole() -> None:
    world = replace(SHORT, other_shares=m("99.996"))
    found = sent(SingleKey.TAKE_ASK, size=m("100"), world=world)
    assert (found.intent.side, found.intent.size) == (Side.SELL, m("99.99"))


@pytest.mark.parametrize(
    "world",
    [
        replace(SHORT, other_shares=m("40")),
        replace(SHORT, available_shares=m("60")),
        replace(SHORT, resting_shares=m("60")),
        replace(SHORT, rules=TicketRules(sells_short=False)),
    ],
)
def test_what_does_not_fit_into_a_short_buys(world: TicketContext) -> None:
    intent = sent(SingleKey.TAKE_ASK, size=m("50"), world=world).intent
    assert (intent.token_id, intent.side, intent.size) == (YES, Side.BUY, m("50"))


def test_closing_a_short_obeys_the_rules_of_a_sale() -> None:
    resting = own_order("0.53", "10", side=Side.SELL)
    world = replace(SHORT, own=(resting,))
    assert "Self-trade" in refused(SingleKey.TAKE_ASK, size=m("100"), world=world)
