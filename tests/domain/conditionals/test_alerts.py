"""Price alerts fire once, from prices one could have had, and never from a book in doubt."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.conditionals.alerts import (
    MOST_ALERTS,
    MOST_BOOKS,
    AlertId,
    AlertInputs,
    AlertPlan,
    AlertSide,
    AlertState,
    Condition,
    Move,
    PriceAlert,
    QueueAhead,
    SizeAt,
    Spread,
    TimeLeft,
    VolumeBurst,
    condition_of,
    describe_condition,
    describe_plan,
    describe_ring,
    end,
    is_sound,
    met,
    parse_condition,
    plan_of,
    plan_problem,
    reached,
    read_plans,
    ring,
    ring_at,
    write_condition,
)
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, SCALE, Micros, parse_micros
from pmtui.domain.orders.order import TradePrint

NOW = datetime(2026, 6, 14, 12, tzinfo=UTC)
CENT = 10_000

cents = st.integers(1, 9_900).map(lambda hundredth: Micros(hundredth * 100))
shares = st.integers(1, 10**9).map(lambda hundredth: Micros(hundredth * SCALE // 100))
spans = st.integers(1, 300_000).map(lambda seconds: timedelta(seconds=seconds))
signs = st.sampled_from([">=", "<="])
conditions = st.one_of(
    st.builds(Move, cents, spans),
    st.builds(Spread, signs, cents),
    st.builds(SizeAt, cents, signs, shares),
    st.builds(VolumeBurst, shares, spans),
    st.builds(TimeLeft, spans),
    st.builds(QueueAhead, shares),
)


@given(conditions)
def test_what_is_written_is_read_as_the_same_condition(condition: Condition) -> None:
    assert parse_condition(write_condition(condition)) == condition
    assert describe_condition(condition)


@given(st.text(max_size=60) | st.text("movespreadsizequeue0123456789 .<>=m", max_size=40))
def test_any_text_is_a_condition_or_says_what_one_is(text: str) -> None:
    found = parse_condition(text)
    assert isinstance(found, str) == (not isinstance(found, Condition))
    if isinstance(found, str):
        assert "move 3 10m" in found


def quoted(*, bid: int = 40, ask: int = 42, state: BookState = BookState.LIVE) -> BookView:
    def level(price: int, size: int) -> Level:
        return Level(Micros(price * CENT), Micros(size * SCALE))

    return BookView(
        TokenId("1"), state, (level(bid, 100), level(bid - 1, 900)), (level(ask, 50),)
    )  # fmt: skip


def trade(price: int, size: int, minutes_ago: int) -> TradePrint:
    return TradePrint(
        TokenId("1"), Side.BUY, Micros(price * CENT), Micros(size * SCALE),
        NOW - timedelta(minutes=minutes_ago),
    )  # fmt: skip


PRINTS = (trade(45, 300, 3), trade(37, 500, 8), trade(20, 9_000, 30))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("move 4 5m", "45¢ to 41¢ in 5m"), ("move 5 5m", ""), ("move 4 10m", "45¢ to 41¢ in 10m"),
        ("move 20 1h", "20¢ to 41¢ in 1h"), ("spread >= 2", "spread 2¢"), ("spread >= 3", ""),
        ("spread ≤ 2", "spread 2¢"), ("spread<=1", ""), ("size 39 >= 900", "900 at 39¢"),
        ("size 39 >= 901", ""), ("size 41 <= 0", "0 at 41¢"), ("volume 800 10m", "800 in 10m"),
        ("volume 801 10m", ""), ("left 10m", "ends in 8m"), ("left 5m", ""),
        ("queue <= 60", "60 ahead"), ("queue <= 59.99", ""),
    ],
)  # fmt: skip
def test_what_is_seen_meets_a_condition_or_does_not(text: str, seen: str) -> None:
    condition = parse_condition(text)
    assert not isinstance(condition, str)
    sight = AlertInputs(quoted(), NOW, PRINTS, NOW + timedelta(minutes=8), Micros(60 * SCALE))
    assert met(condition, sight) == seen


@given(conditions)
def test_nothing_but_the_time_is_met_by_a_book_that_cannot_be_trusted(condition: Condition) -> None:
    for bad in (quoted(state=BookState.STALE), quoted(bid=42, ask=42)):
        sight = AlertInputs(bad, NOW, PRINTS, NOW + timedelta(seconds=1), Micros(0))
        assert not met(condition, sight) or isinstance(condition, TimeLeft)


@given(conditions)
def test_nothing_is_met_by_nothing(condition: Condition) -> None:
    empty = BookView(TokenId("1"), BookState.LIVE, (), ())
    said = met(condition, AlertInputs(empty, NOW))
    assert not said or (isinstance(condition, SizeAt) and condition.sign == "<=")


def test_a_market_that_has_ended_ends_in_no_time() -> None:
    sight = AlertInputs(quoted(), NOW, ends_at=NOW - timedelta(minutes=1))
    assert not met(TimeLeft(timedelta(hours=1)), sight)


TOKEN, OTHER = TokenId("1"), TokenId("2")
CONDITION = ConditionId("0x01")
AT = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
m = parse_micros

ticks = st.integers(1, 99).map(lambda cents: Micros(cents * 10_000))
sides = st.sampled_from(AlertSide)
states = st.sampled_from(BookState)
maybe = st.none() | ticks


def book(bid: Micros | None, ask: Micros | None, state: BookState = BookState.VERIFIED) -> BookView:
    def levels(price: Micros | None) -> tuple[Level, ...]:
        return () if price is None else (Level(price, m("10")),)

    return BookView(TOKEN, state, levels(bid), levels(ask))


def plan(side: AlertSide, price: Micros, token_id: TokenId = TOKEN) -> AlertPlan:
    return AlertPlan(CONDITION, token_id, side, price)


def alert(side: AlertSide, price: Micros, state: AlertState = AlertState.WAITING) -> PriceAlert:
    return PriceAlert(AlertId("a"), plan(side, price), "Yes", "Will it?", AT, state)


@given(side=sides, price=ticks, bid=maybe, ask=maybe, state=states)
def test_nothing_fires_from_a_book_in_doubt(
    side: AlertSide, price: Micros, bid: Micros | None, ask: Micros | None, state: BookState
) -> None:
    view = book(bid, ask, state)
    is_crossed = bid is not None and ask is not None and bid >= ask
    if state not in (BookState.LIVE, BookState.VERIFIED) or is_crossed:
        assert not is_sound(view)
        assert reached(plan(side, price), view) is None
        before = alert(side, price)
        assert ring(before, view, AT) is before


@given(side=sides, price=ticks, bid=maybe, ask=maybe)
def test_it_fires_exactly_when_its_own_best_price_is_there_or_beyond(
    side: AlertSide, price: Micros, bid: Micros | None, ask: Micros | None
) -> None:
    view = book(bid, ask)
    if not is_sound(view):
        return
    if side is AlertSide.ABOVE:
        best, is_there = bid, bid is not None and bid >= price
    else:
        best, is_there = ask, ask is not None and ask <= price
    assert reached(plan(side, price), view) == (best if is_there else None)


@given(price=ticks, bid=ticks, ask=ticks)
def test_above_and_below_one_price_never_fire_together(
    price: Micros, bid: Micros, ask: Micros
) -> None:
    view = book(bid, ask)
    fired = [side for side in AlertSide if reached(plan(side, price), view) is not None]
    assert len(fired) <= 1


@given(side=sides, price=ticks, looks=st.lists(st.tuples(maybe, maybe, states), max_size=12))
def test_it_fires_once_and_stays_as_it_rang(
    side: AlertSide, price: Micros, looks: list[tuple[Micros | None, Micros | None, BookState]]
) -> None:
    now, rung = alert(side, price), 0
    for number, (bid, ask, state) in enumerate(looks):
        after = ring(now, book(bid, ask, state), AT + timedelta(seconds=number))
        if after is not now:
            rung += 1
            assert after.state is AlertState.RANG
            assert after.rang_at == AT + timedelta(seconds=number)
            assert after.rang_price == (bid if side is AlertSide.ABOVE else ask)
        now = after
    assert rung <= 1
    assert (now.state is AlertState.RANG) == bool(rung)


@given(side=sides, price=ticks, bid=maybe, ask=maybe)
def test_what_is_accepted_does_not_fire_on_the_same_book(
    side: AlertSide, price: Micros, bid: Micros | None, ask: Micros | None
) -> None:
    view, wanted = book(bid, ask), plan(side, price)
    assert (plan_problem(wanted, view, ()) == "") == (reached(wanted, view) is None)


def test_another_tokens_book_reaches_nothing() -> None:
    assert reached(plan(AlertSide.ABOVE, m("0.1"), OTHER), book(m("0.5"), m("0.6"))) is None


@pytest.mark.parametrize("state", [AlertState.RANG, AlertState.OVER])
def test_what_has_rung_or_is_over_never_rings(state: AlertState) -> None:
    before = alert(AlertSide.ABOVE, m("0.4"), state=state)
    assert ring(before, book(m("0.5"), m("0.6")), AT) is before
    assert end(before) is before


def test_a_market_that_ended_ends_what_waits() -> None:
    assert end(alert(AlertSide.ABOVE, m("0.4"))).state is AlertState.OVER


@pytest.mark.parametrize("price", [Micros(0), Micros(-1), ONE, Micros(ONE + 1)])
def test_a_price_lies_between_nothing_and_a_dollar(price: Micros) -> None:
    problem = plan_problem(plan(AlertSide.ABOVE, price), book(None, None), ())
    assert problem == "A price is between 0 and 100¢"


def test_a_price_that_is_there_already_is_said() -> None:
    view = book(m("0.46"), m("0.48"))
    said = plan_problem(plan(AlertSide.ABOVE, m("0.45")), view, ())
    assert said == "The best bid is 46¢ already"
    said = plan_problem(plan(AlertSide.BELOW, m("0.5")), view, ())
    assert said == "The best ask is 48¢ already"
    stale = book(m("0.46"), m("0.48"), BookState.STALE)
    assert plan_problem(plan(AlertSide.ABOVE, m("0.45")), stale, ()) == ""


def test_the_same_alert_is_not_set_twice() -> None:
    wanted = plan(AlertSide.ABOVE, m("0.45"))
    empty = book(None, None)
    assert plan_problem(wanted, empty, (wanted,)) == "Already set: bid ≥ 45¢"
    assert plan_problem(plan(AlertSide.BELOW, m("0.45")), empty, (wanted,)) == ""


def test_outcomes_and_alerts_are_bounded() -> None:
    empty = book(None, None)
    others = tuple(
        plan(AlertSide.ABOVE, m("0.5"), TokenId(str(number + 10))) for number in range(MOST_BOOKS)
    )
    assert "remove one first" in plan_problem(plan(AlertSide.ABOVE, m("0.4")), empty, others)
    assert plan_problem(plan(AlertSide.ABOVE, m("0.4")), empty, others[1:]) == ""
    same = tuple(plan(AlertSide.ABOVE, Micros(1_000 + n)) for n in range(MOST_ALERTS))
    assert "remove one first" in plan_problem(plan(AlertSide.ABOVE, m("0.4")), empty, same)


def test_entries_are_read_as_cents_and_an_empty_one_is_none() -> None:
    def read(above: str, below: str) -> tuple[AlertPlan, ...] | str:
        return read_plans(above, below, condition_id=CONDITION, token_id=TOKEN)

    assert read("45.5", "30¢") == (
        plan(AlertSide.ABOVE, m("0.455")), plan(AlertSide.BELOW, m("0.30")),
    )  # fmt: skip
    assert read(" ", "30") == (plan(AlertSide.BELOW, m("0.30")),)
    assert read("4,5", "") == "The price above: enter cents"
    assert read("", "x") == "The price below: enter cents"
    assert read("", " ") == "Enter a price above, below, or a condition"


def test_it_says_which_price_is_meant() -> None:
    assert describe_plan(plan(AlertSide.BELOW, m("0.305"))) == "ask ≤ 30.5¢"
    rang = ring(alert(AlertSide.ABOVE, m("0.45")), book(m("0.46"), None), AT)
    assert describe_ring(rang) == "bid 46¢, bid ≥ 45¢"
    assert describe_ring(alert(AlertSide.BELOW, m("0.3"))) == "ask 30¢, ask ≤ 30¢"


WIDE = Spread(">=", m("0.04"))


def conditional_alert(token_id: TokenId = TOKEN) -> PriceAlert:
    waits_for = plan_of(WIDE, condition_id=CONDITION, token_id=token_id)
    return PriceAlert(AlertId("a"), waits_for, "Yes", "Will it?", AT)


def test_a_condition_rings_once_and_says_what_it_saw() -> None:
    waiting, later = conditional_alert(), AT + timedelta(minutes=1)
    assert condition_of(waiting.plan) == WIDE
    assert ring_at(waiting, AlertInputs(book(m("0.40"), m("0.42")), later)) is waiting
    rang = ring_at(waiting, AlertInputs(book(m("0.40"), m("0.45")), later))
    assert (rang.state, rang.rang_at) == (AlertState.RANG, later)
    assert "5" in rang.seen
    assert rang.seen in describe_ring(rang)
    assert ring_at(rang, AlertInputs(book(m("0.40"), m("0.50")), later)) is rang


def test_a_condition_does_not_ring_by_another_outcomes_book() -> None:
    other = conditional_alert(OTHER)
    assert ring_at(other, AlertInputs(book(m("0.10"), m("0.90")), AT)) is other


def test_an_alert_without_a_condition_rings_by_its_price_alone() -> None:
    waiting = alert(AlertSide.ABOVE, m("0.40"))
    rang = ring_at(waiting, AlertInputs(book(m("0.41"), None), AT))
    assert (rang.state, rang.rang_price) == (AlertState.RANG, m("0.41"))


def test_a_condition_is_accepted_once_and_only_if_it_can_be_read() -> None:
    asked, now = conditional_alert().plan, book(m("0.40"), m("0.50"))
    assert plan_problem(asked, now, ()) == ""
    assert plan_problem(asked, now, (asked,)) != ""
    unreadable = AlertPlan(CONDITION, TOKEN, AlertSide.ABOVE, m("0"), condition="wider than 4")
    assert plan_problem(unreadable, now, ()) != ""


def test_an_entry_may_be_a_condition() -> None:
    def read(when: str) -> tuple[AlertPlan, ...] | str:
        return read_plans("45", "", when, condition_id=CONDITION, token_id=TOKEN)

    assert read(" spread >= 4 ") == (
        plan(AlertSide.ABOVE, m("0.45")),
        plan_of(WIDE, condition_id=CONDITION, token_id=TOKEN),
    )
    assert isinstance(read("soon"), str)
