"""Conditional orders: when they fire, at what price, and that they never sell more than is held."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.position import Stake
from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.conditionals.conditional import (
    GONE,
    UNFILLED,
    Attachment,
    ConditionalDraft,
    ConditionalId,
    ConditionalOrder,
    ConditionalPlan,
    ConditionalState,
    CountedFills,
    PlanField,
    PlanProblem,
    Recount,
    Trigger,
    after_sale,
    check_attachment,
    check_plan,
    describe_attachment,
    describe_conditional,
    describe_plan,
    ends_of,
    follow_purchases,
    mirror_draft,
    moved_to,
    paused,
    raise_trailing_stop,
    reached_trigger,
    read_attachment,
    read_conditional,
    recount,
    sale_of,
    shares_short,
    without,
    worst_price,
)
from pmtui.domain.conditionals.coverage import allot, covered_by, covering, unprotected
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import FeeSchedule, Side
from pmtui.domain.money import ONE, ZERO, Micros, parse_micros
from pmtui.domain.orders.amounts import TICK_RULES, is_on_tick, pairs_of
from pmtui.domain.orders.order import Order, OrderStatus, TimeInForce
from pmtui.domain.orders.self_trade import best_bid_of_others

m = parse_micros
PAIR = ConditionalOrder(
    conditional_id=ConditionalId("c1"), condition_id=ConditionId("0xaa"), token_id=TokenId("1"),
    outcome="Yes", title="Will it rain?", size=m("100"), stop=m("0.40"), take_profit=m("0.80"),
    give_way=m("0.05"), created_at=datetime(2026, 6, 1, tzinfo=UTC),
)  # fmt: skip
AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
PLAN = ConditionalPlan(ConditionId("0xaa"), TokenId("1"), m("100"), m("0.40"), m("0.80"))
CENT = m("0.01")
prices = st.integers(1, 99).map(lambda cents: Micros(cents * 10_000))


@pytest.mark.parametrize(
    ("bid", "trigger"),
    [("0.60", None), ("0.41", None), ("0.40", Trigger.STOP), ("0.05", Trigger.STOP),
     ("0.79", None), ("0.80", Trigger.TAKE_PROFIT), ("0.99", Trigger.TAKE_PROFIT)],
)  # fmt: skip
def test_a_pair_fires_at_either_price(bid: str, trigger: Trigger | None) -> None:
    assert reached_trigger(PAIR, m(bid)) is trigger


def test_nobody_bidding_fires_nothing() -> None:
    assert reached_trigger(PAIR, None) is None


@pytest.mark.parametrize("state", [s for s in ConditionalState if s != "watching"])
def test_only_a_watching_one_fires(state: ConditionalState) -> None:
    assert reached_trigger(replace(PAIR, state=state), m("0.01")) is None


@given(prices, prices, prices)
def test_never_both_and_only_past_its_own_price(bid: Micros, stop: Micros, gap: Micros) -> None:
    profit = Micros(min(stop + gap, ONE - CENT))
    pair = replace(PAIR, stop=stop, take_profit=profit)
    match reached_trigger(pair, bid):
        case Trigger.STOP:
            assert bid <= stop
        case Trigger.TAKE_PROFIT:
            assert bid >= profit
        case _:
            assert stop < bid < profit


@given(
    tick=st.sampled_from(sorted(TICK_RULES)),
    stop=st.integers(1, 999_999).map(Micros),
    give_way=st.integers(0, 1_000_000).map(Micros),
)
def test_a_stop_sells_on_the_grid_and_not_above_its_price_by_a_tick(
    tick: Micros, stop: Micros, give_way: Micros
) -> None:
    price = worst_price(replace(PAIR, stop=stop, give_way=give_way), Trigger.STOP, tick)
    assert is_on_tick(price, tick)
    assert price < max(stop - give_way, tick) + tick


def test_a_take_profit_never_sells_below_its_price() -> None:
    assert worst_price(PAIR, Trigger.TAKE_PROFIT, CENT) == m("0.80")


@given(size=st.integers(0, 10**10).map(Micros), held=st.integers(0, 10**10).map(Micros))
def test_a_sale_is_never_of_more_than_is_held_or_was_meant(size: Micros, held: Micros) -> None:
    intent = sale_of(replace(PAIR, size=size), Trigger.STOP, held=held, tick=CENT)
    if intent is None:
        assert min(size, held) < 10_000
    else:
        assert 0 < intent.size <= min(size, held)
        assert intent.side is Side.SELL
        assert intent.time_in_force is TimeInForce.FAK


def test_what_is_left_of_a_sale_watches_on() -> None:
    selling = replace(PAIR, state=ConditionalState.SELLING, tries=3)
    left = after_sale(selling, m("60"))
    assert (left.state, left.size, left.tries) == (ConditionalState.WATCHING, m("40"), 0)
    assert after_sale(left, m("40")).state is ConditionalState.DONE


def test_however_often_a_sale_fails_it_stays_active() -> None:
    it = PAIR
    for number in range(1, 100):
        it = after_sale(it, Micros(0), problem="the venue is restarting")
        assert (it.state, it.tries) == (ConditionalState.WATCHING, number)


def test_what_an_older_journal_called_at_rest_is_read_as_paused() -> None:
    assert ConditionalState("at rest") is ConditionalState.PAUSED
    with pytest.raises(ValueError, match="asleep"):
        ConditionalState("asleep")


@pytest.mark.parametrize("state", [ConditionalState.DONE, ConditionalState.CANCELLED])
def test_what_is_over_stays_over(state: ConditionalState) -> None:
    over = replace(PAIR, state=state)
    assert paused(over, "a restart") == over


@pytest.mark.parametrize(
    ("change", "field", "says"),
    [
        ({"stop": None, "take_profit": None}, PlanField.STOP, "Enter a stop"),
        ({"stop": m("0.405")}, PlanField.STOP, "41¢ is the nearest"),
        ({"stop": m("0.85")}, PlanField.STOP, "stop must be below"),
        ({"stop": m("0.60")}, PlanField.STOP, "Bid 60¢: it would trigger now"),
        ({"take_profit": m("0.60")}, PlanField.TAKE_PROFIT, "trigger"),
        ({"size": m("0.001")}, PlanField.SIZE, "Enter a size"),
        ({"size": m("100.01")}, PlanField.SIZE, "Position: 100"),
        ({"give_way": Micros(-1)}, PlanField.GIVE_WAY, "cannot be negative"),
        ({"give_way": m("0.40")}, PlanField.GIVE_WAY, "At most 39: no price is below 1¢"),
        ({"give_way": m("0.55")}, PlanField.GIVE_WAY, "At most 39: no price is below 1¢"),
    ],
)
def test_a_plan_that_cannot_be_watched_over_says_why_and_where(
    change: dict[str, Micros | None], field: PlanField, says: str
) -> None:
    plan = replace(PLAN, **change)  # type: ignore[arg-type]  # each by its own field
    problems = check_plan(plan, held=m("100"), bid=m("0.60"), tick=CENT)
    assert any(says in problem.text for problem in problems if problem.field is field), problems
    assert field.value in problems[0].sentence


def test_a_good_plan_has_no_problem() -> None:
    assert check_plan(PLAN, held=m("100"), bid=m("0.60"), tick=CENT) == ()
    assert check_plan(PLAN, held=m("100"), bid=None, tick=CENT) == ()


@given(tick=st.sampled_from(sorted(TICK_RULES)), steps=st.integers(1, 9_999), data=st.data())
def test_no_plan_sells_below_the_lowest_price_and_the_most_it_names_will_do(
    tick: Micros, steps: int, data: st.DataObject
) -> None:
    stop = Micros(min(steps, ONE // tick - 1) * tick)
    plan = replace(PLAN, stop=stop, take_profit=None)
    plan = replace(plan, give_way=Micros(data.draw(st.integers(0, ONE))))
    problems = check_plan(plan, held=m("100"), bid=None, tick=tick)
    assert bool(problems) == (stop - plan.give_way < tick)
    nearest = replace(plan, give_way=Micros(stop - tick))
    assert check_plan(nearest, held=m("100"), bid=None, tick=tick) == ()


whole = st.integers(0, 10**9).map(Micros)
protections = st.lists(
    st.tuples(whole, st.booleans(), st.booleans(), st.sampled_from(ConditionalState)), max_size=5
)


def orders_of(rows: list[tuple[Micros, bool, bool, ConditionalState]]) -> list[ConditionalOrder]:
    return [
        replace(
            PAIR, conditional_id=ConditionalId(str(number)), size=size, is_all=is_all,
            stop=m("0.40") if has_stop else None, state=state,
        )
        for number, (size, is_all, has_stop, state) in enumerate(rows)
    ]  # fmt: skip


@given(rows=protections, held=whole)
def test_together_they_never_speak_for_more_than_is_held(
    rows: list[tuple[Micros, bool, bool, ConditionalState]], held: Micros
) -> None:
    them = orders_of(rows)
    shares = allot(them, held)
    assert sum(shares.values()) <= held
    for each in them:
        share = shares.get(each.conditional_id, 0)
        assert share <= held
        assert each.is_all or share <= each.size
        assert each.state.is_active or not share
    bare = unprotected(them, held)
    if bare is None:
        assert not any(each.stop for each in them)
    else:
        assert 0 <= bare <= held
    if any(each.is_all and each.state.is_active for each in them):
        assert sum(shares.values()) == held


@given(rows=protections, held=whole, of_other=whole)
def test_all_never_sells_a_share_of_a_pair_and_no_pair_is_unprotected(
    rows: list[tuple[Micros, bool, bool, ConditionalState]], held: Micros, of_other: Micros
) -> None:
    them = orders_of(rows)
    shares = allot(them, held, of_other=of_other)
    position = held - pairs_of(held, of_other)
    fixed = sum(shares.get(each.conditional_id, 0) for each in them if not each.is_all)
    by_all = sum(shares.get(each.conditional_id, 0) for each in them if each.is_all)
    assert sum(shares.values()) <= held
    assert by_all <= max(position - fixed, 0)
    # A stated size is what was typed, with pairs or without.
    alone = allot([each for each in them if not each.is_all], held)
    assert all(shares[key] == size for key, size in alone.items())
    bare = unprotected(them, held, of_other=of_other)
    assert bare is None or 0 <= bare <= position
    if any(each.is_all and each.state.is_active for each in them):
        assert by_all + fixed >= position


def test_a_position_is_covered_by_one_for_all_of_it_or_by_those_that_take_all() -> None:
    first, second = (
        replace(PAIR, conditional_id=ConditionalId(name), size=m("40"), is_all=False)
        for name in ("1", "2")
    )
    assert covering((first, second), m("80")) == second
    assert covering((first, second), m("81")) is None
    assert covering((replace(first, is_all=True), second), m("81")) == replace(first, is_all=True)
    assert covering((), m("81")) is None


@given(size=whole, taken=whole, held=whole, of_other=whole)
def test_a_stated_size_leaves_one_short_by_what_the_form_warns_of(
    size: Micros, taken: Micros, held: Micros, of_other: Micros
) -> None:
    plan, others = replace(PLAN, size=size), [replace(PAIR, size=taken)]
    short = shares_short(plan, held=held, of_other=of_other, others=others)
    assert shares_short(replace(plan, is_all=True), held=held, of_other=of_other) == 0
    assert 0 <= short <= min(size, of_other)
    if of_other <= held and size + taken <= held:
        after = max(of_other - (held - taken - size), 0)
        before = max(of_other - (held - taken), 0)
        assert short == after - before


@given(rows=protections, held=whole, of_other=whole)
def test_a_paused_one_covers_what_it_will_cover_once_it_is_resumed(
    rows: list[tuple[Micros, bool, bool, ConditionalState]], held: Micros, of_other: Micros
) -> None:
    them = orders_of(rows)
    for each in them:
        resumed = replace(each, state=ConditionalState.WATCHING)
        then = [resumed if other is each else other for other in them]
        covered = covered_by(each, them, held, of_other=of_other)
        # Those of one moment have no order of age: the paused one comes last among them.
        beside = [other for other in then if other is not resumed]
        assert covered == allot([*beside, resumed], held, of_other=of_other)[each.conditional_id]
        assert 0 <= covered <= held


@given(size=whole, sold=whole, is_all=st.booleans())
def test_a_pause_changes_no_size(size: Micros, sold: Micros, *, is_all: bool) -> None:
    left = Micros(max(size - sold, 0))
    active = replace(PAIR, size=size, is_all=is_all)
    before = allot([active], left)[active.conditional_id]
    stopped = replace(active, state=ConditionalState.PAUSED)
    assert covered_by(stopped, [stopped], left) == before == left


def test_all_is_everything_where_only_dust_of_the_other_outcome_is_held() -> None:
    everything = replace(PAIR, is_all=True)
    shares = allot([everything], m("100"), of_other=m("0.0037"))
    assert shares == {everything.conditional_id: m("100")}


def test_all_of_pairs_alone_is_no_position_to_protect() -> None:
    def texts(of_other: str, *, is_all: bool) -> list[str]:
        plan = replace(PLAN, size=m("20"), is_all=is_all)
        found = check_plan(plan, held=m("50"), bid=m("0.60"), tick=CENT, of_other=m(of_other))
        return [problem.text for problem in found]

    assert texts("50", is_all=True) == ["All 50 are in pairs"]
    assert texts("30", is_all=True) == texts("50", is_all=False) == []
    assert "20 of" not in describe_plan(PLAN, "Yes")


own_bids = st.lists(st.tuples(prices, st.integers(1, 50)), max_size=4)


@given(
    others=st.lists(st.tuples(prices, st.integers(1, 50)), max_size=4),
    mine=own_bids, stop=prices, profit=prices,
)  # fmt: skip
def test_it_fires_by_the_bids_of_others_alone(
    others: list[tuple[Micros, int]], mine: list[tuple[Micros, int]], stop: Micros, profit: Micros
) -> None:
    sizes_at: dict[Micros, int] = {}
    for price, size in (*others, *mine):
        sizes_at[price] = sizes_at.get(price, 0) + size * 1_000_000
    levels = tuple(Level(p, Micros(s)) for p, s in sorted(sizes_at.items(), reverse=True))
    book = BookView(PAIR.token_id, BookState.LIVE, bids=levels)
    own = [
        Order(
            OrderId(str(number)), PAIR.condition_id, PAIR.token_id, "Yes", Side.BUY, price,
            Micros(size * 1_000_000), Micros(0), OrderStatus.LIVE, TimeInForce.GTC, AT,
        )
        for number, (price, size) in enumerate(mine)
    ]  # fmt: skip
    bid = best_bid_of_others(book, PAIR.condition_id, own)
    assert bid == max((price for price, _ in others), default=None)
    pair = replace(PAIR, stop=stop, take_profit=max(profit, Micros(stop + 1)))
    assert (reached_trigger(pair, bid) is Trigger.STOP) is (bid is not None and bid <= stop)


trails = st.integers(1, 50).map(lambda cents: Micros(cents * 10_000))


@given(st.lists(st.none() | prices, max_size=30), trails, st.none() | prices)
def test_a_trailing_stop_never_falls_and_stays_its_way_below_the_highest_bid(
    bids: list[Micros | None], trail: Micros, first: Micros | None
) -> None:
    it = replace(PAIR, stop=first, take_profit=None, trail=trail)
    highest = Micros(0)
    for bid in bids:
        before = it.stop
        it = raise_trailing_stop(it, bid) or it
        highest = max(highest, bid or Micros(0))
        assert before is None or (it.stop is not None and it.stop >= before)
        follows = Micros(highest - trail)
        wanted = max(follows, first or Micros(0))
        assert it.stop == (wanted if wanted > 0 else None)
        assert bid is None or reached_trigger(it, bid) is not Trigger.STOP or bid <= highest


def test_a_trailing_stop_follows_only_while_it_is_active_and_one_that_stays_put_never() -> None:
    trailing = replace(PAIR, trail=m("0.03"))
    assert raise_trailing_stop(PAIR, m("0.99")) is None
    for state in ConditionalState:
        is_watching = state is ConditionalState.WATCHING
        assert (
            raise_trailing_stop(replace(trailing, state=state), m("0.50")) is not None
        ) is is_watching


def test_a_trailing_stop_that_is_moved_follows_at_its_new_distance() -> None:
    trailing = raise_trailing_stop(replace(PAIR, trail=m("0.03"), take_profit=None), m("0.50"))
    assert trailing is not None
    moved = moved_to(trailing, Trigger.STOP, m("0.45"), tick=CENT)
    assert (moved.stop, moved.trail) == (m("0.45"), m("0.05"))
    assert raise_trailing_stop(moved, m("0.50")) is None


def test_one_that_protects_by_trailing_alone_counts_as_a_stop() -> None:
    only_trail = replace(PAIR, stop=None, take_profit=None, trail=m("0.03"))
    assert unprotected([only_trail], m("120")) == m("20")
    assert "trail 3¢" in describe_conditional(only_trail)


@pytest.mark.parametrize(
    ("trail", "says"), [("0", "at least one"), ("0.015", "In steps of 1¢"), ("0.60", "less than")]
)
def test_a_trail_is_so_many_ticks_and_less_than_the_bid(trail: str, says: str) -> None:
    plan = replace(PLAN, stop=None, take_profit=None, trail=m(trail))
    (problem,) = check_plan(plan, held=m("100"), bid=m("0.60"), tick=CENT)
    assert (problem.field, says in problem.text) == (PlanField.TRAIL, True)


def test_it_says_what_its_prices_would_bring() -> None:
    fee = FeeSchedule(rate=m("0.04"))
    stake = Stake(size=m("200"), average_price=m("0.42"), entry_fees=m("2"), fee=fee)
    stop, worst, profit = ends_of(PLAN, stake=stake, fee=fee)
    assert [end.price for end in (stop, worst, profit)] == [m("0.40"), m("0.35"), m("0.80")]
    # 100 shares at 40 cents, less 4% of 0.4 x 0.6 a share; half of what was paid, fees too.
    assert stop.cash == m("39.04")
    assert stop.profit == m("39.04") - m("42") - m("1")
    assert worst.cash < stop.cash < profit.cash
    (only,) = ends_of(replace(PLAN, give_way=Micros(0), take_profit=None), stake=None, fee=fee)
    assert (only.price, only.profit) == (m("0.40"), None)


def test_a_draft_in_prices_of_the_other_outcome_keeps_what_is_no_price() -> None:
    draft = ConditionalDraft(stop_text="51", take_profit_text="x", give_way_text="3")
    assert mirror_draft(draft) == replace(draft, stop_text="49")
    assert mirror_draft(replace(draft, stop_text="")).stop_text == ""


def test_it_says_what_it_does_in_a_line() -> None:
    text = "SELL 100 Yes, stop 40¢ (limit 35¢), target 80¢ (OCO)"
    assert describe_conditional(PAIR) == text


SALE = CountedFills(OrderId("0x1"), Micros(60), Micros(0), AT)
SOLD = replace(PAIR, size=Micros(0), state=ConditionalState.DONE, counted=(SALE,))
sizes = st.integers(0, 100).map(Micros)


def counted_anew(it: ConditionalOrder, *, matched: int, failed: int) -> Recount | None:
    return recount(it, matched=lambda _: Micros(matched), failed=lambda _: Micros(failed))


def test_nothing_comes_back_of_a_sale_that_stands() -> None:
    assert counted_anew(SOLD, matched=60, failed=0) is None
    # A session that has not read its trades yet knows of nothing: that proves nothing.
    assert counted_anew(SOLD, matched=0, failed=0) is None


def test_what_had_failed_before_it_was_counted_was_never_counted() -> None:
    before = replace(SOLD, counted=(replace(SALE, failed=Micros(40)),))
    assert counted_anew(before, matched=60, failed=40) is None


@pytest.mark.parametrize(
    ("state", "reason", "after"),
    [
        (ConditionalState.DONE, "sold", ConditionalState.WATCHING),
        (ConditionalState.PAUSED, GONE, ConditionalState.WATCHING),
        (ConditionalState.PAUSED, "by you", ConditionalState.PAUSED),
        (ConditionalState.WATCHING, "", ConditionalState.WATCHING),
        (ConditionalState.SELLING, "", ConditionalState.SELLING),
        (ConditionalState.CHECKING, "", ConditionalState.CHECKING),
    ],
)
def test_what_comes_back_is_protected_at_once(
    state: ConditionalState, reason: str, after: ConditionalState
) -> None:
    size = 0 if state is ConditionalState.DONE else 100_000
    found = counted_anew(
        replace(SOLD, state=state, reason=reason, size=Micros(size)), matched=35, failed=25
    )
    assert found is not None
    assert (found.back, found.conditional.size) == (25, size + 25)
    assert found.conditional.state is after
    assert counted_anew(found.conditional, matched=35, failed=25) is None, "counted once"


def test_what_the_trader_cancelled_stays_cancelled() -> None:
    found = counted_anew(replace(SOLD, state=ConditionalState.CANCELLED), matched=35, failed=25)
    assert found is not None
    assert (found.back, found.conditional.state) == (25, ConditionalState.CANCELLED)


def test_a_fill_told_of_after_its_sale_was_ruled_out_is_not_sold_again() -> None:
    ruled_out = replace(SALE, size=Micros(0))
    it = replace(PAIR, size=m("50"), counted=(ruled_out,))
    found = counted_anew(it, matched=m("50"), failed=0)
    assert found is not None
    assert (found.late, found.conditional.state) == (m("50"), ConditionalState.DONE)


@given(sizes, sizes, st.lists(st.tuples(sizes, sizes), max_size=6))
def test_however_trades_and_failures_are_told_every_share_counts_once(
    size: Micros, before: Micros, told: list[tuple[Micros, Micros]]
) -> None:
    it = replace(SOLD, state=ConditionalState.WATCHING, size=Micros(10_000_000))
    it = replace(it, counted=(replace(SALE, size=size, failed=before),))
    matched, failed, back, late = int(size), int(before), 0, 0
    for fails, fills in told:
        # Trades fail out of what was matched; others are heard of for the first time.
        fails_now = min(fails, matched)
        matched, failed = matched - fails_now + fills, failed + fails_now
        found = counted_anew(it, matched=matched, failed=failed)
        if found is not None:
            back, late, it = back + found.back, late + found.late, found.conditional
    assert it.counted[0].size == matched
    assert it.size == 10_000_000 + back - late
    assert size - back + late == matched


ATTACHED = replace(PAIR, size=Micros(0), sources=(replace(SALE, size=Micros(0)),))
purchases = st.lists(st.tuples(sizes, sizes), max_size=6)


def followed(
    it: ConditionalOrder, *, matched: int, failed: int = 0, is_open: bool
) -> ConditionalOrder | None:
    return follow_purchases(
        it, matched=lambda _: Micros(matched), failed=lambda _: Micros(failed),
        is_open=lambda _: is_open,
    )  # fmt: skip


@given(told=purchases, is_open=st.booleans())
def test_what_comes_with_an_order_is_for_exactly_the_shares_it_brought(
    told: list[tuple[Micros, Micros]], *, is_open: bool
) -> None:
    it, matched, failed = ATTACHED, 0, 0
    for fails, fills in told:
        fails_now = min(fails, matched)
        matched, failed = matched - fails_now + fills, failed + fails_now
        it = followed(it, matched=matched, failed=failed, is_open=is_open) or it
        assert it.size == matched
        again = followed(it, matched=matched, failed=failed, is_open=is_open)
        assert again is None, "told again, it counts once"


def test_it_waits_for_fills_ends_with_an_order_without_any_and_is_back_with_a_late_one() -> None:
    assert ATTACHED.is_waiting
    assert reached_trigger(ATTACHED, m("0.10")) is None
    assert followed(ATTACHED, matched=0, is_open=True) is None
    over = followed(ATTACHED, matched=0, is_open=False)
    assert over is not None
    assert (over.state, over.reason) == (ConditionalState.DONE, UNFILLED)
    back = followed(over, matched=30_000_000, is_open=False)
    assert back is not None
    assert (back.state, back.size) == (ConditionalState.WATCHING, m("30"))
    assert reached_trigger(back, m("0.10")) is Trigger.STOP
    # A session that has not read its trades yet knows of nothing: that proves nothing.
    assert followed(back, matched=0, is_open=True) is None


@pytest.mark.parametrize(
    ("change", "price", "field", "says"),
    [
        ({}, "0.50", None, ""),
        ({"stop": m("0.50")}, "0.50", PlanField.STOP, "below 50¢"),
        ({"stop": m("0.50")}, "0.70", PlanField.STOP, ""),
        ({"stop": m("0.60")}, "0.70", PlanField.STOP, "below 60¢"),
        ({"take_profit": m("0.70")}, "0.70", PlanField.TAKE_PROFIT, "above 70¢"),
        ({"take_profit": m("0.60")}, "0.50", PlanField.TAKE_PROFIT, ""),
        ({"take_profit": m("0.50")}, "0.50", PlanField.TAKE_PROFIT, "above 50¢"),
        ({"stop": m("0.405")}, "0.50", PlanField.STOP, "nearest price"),
    ],
)
def test_what_comes_with_an_order_must_not_sell_at_once(
    change: dict[str, Micros], price: str, field: PlanField | None, says: str
) -> None:
    attachment = replace(Attachment(m("0.40"), m("0.80")), **change)
    problems = check_attachment(attachment, price=m(price), bid=m("0.60"), tick=CENT)
    assert [p.field for p in problems] == ([field] if says else [])
    assert not says or says in problems[0].text


def test_a_bracket_far_below_the_market_is_taken() -> None:
    dip = Attachment(m("0.20"), m("0.35"))
    assert check_attachment(dip, price=m("0.30"), bid=m("0.47"), tick=CENT) == ()
    # Who bids above others is left with their bid after the fill.
    problems = check_attachment(dip, price=m("0.30"), bid=m("0.20"), tick=CENT)
    assert [problem.field for problem in problems] == [PlanField.STOP]


def test_what_waits_for_the_fills_of_a_purchase_has_no_size_yet() -> None:
    waiting = replace(
        PAIR, size=ZERO, sources=(CountedFills(OrderId("0x1"), ZERO, ZERO, PAIR.created_at),)
    )
    assert describe_conditional(waiting).startswith("SELL Yes, stop")
    assert describe_conditional(replace(waiting, size=PAIR.size)).startswith("SELL 100 Yes, stop")


@pytest.mark.parametrize("state", [each for each in ConditionalState if each.is_over])
def test_what_is_over_is_not_revived_by_a_late_sale_or_a_pause(state: ConditionalState) -> None:
    over = replace(PAIR, state=state)
    assert after_sale(over, m("10")).state is state
    assert after_sale(over, m("10")).size == over.size
    assert paused(over, "by hand") is over


def test_one_paused_while_selling_stays_paused_with_what_is_left() -> None:
    left = after_sale(paused(PAIR, "by hand"), m("40"))
    assert (left.state, left.size, left.reason) == (ConditionalState.PAUSED, m("60"), "by hand")


CONDITION, TOKEN = ConditionId("0xaa"), TokenId("1")
TYPED = ConditionalPlan(CONDITION, TOKEN, m("100"), m("0.40"), m("0.80"))
BOTH = ConditionalOrder(
    conditional_id=ConditionalId("c1"), condition_id=CONDITION, token_id=TOKEN, outcome="Yes",
    title="Will it rain?", size=m("40"), stop=m("0.40"), take_profit=m("0.80"),
    give_way=m("0.05"), created_at=datetime(2026, 6, 1, tzinfo=UTC),
)  # fmt: skip


def read(draft: ConditionalDraft) -> ConditionalPlan | tuple[PlanProblem, ...]:
    return read_conditional(
        draft, condition_id=CONDITION, token_id=TOKEN, unpaired=m("50"), tick=m("0.01")
    )


def test_entries_become_a_plan() -> None:
    plan = read(ConditionalDraft("40", "80", "5", "3", "12.5"))
    assert plan == replace(TYPED, size=m("12.5"), give_way=m("0.05"), is_all=False, trail=m("0.03"))
    whole = read(ConditionalDraft("40"))
    assert isinstance(whole, ConditionalPlan)
    assert (whole.size, whole.is_all, whole.take_profit) == (m("50"), True, None)
    low = read(ConditionalDraft("4"))
    assert isinstance(low, ConditionalPlan)
    # The usual slippage is no more than there is room for; a typed one is judged.
    assert low.give_way == m("0.03")
    assert read(ConditionalDraft("4", give_way_text="6")) == replace(low, give_way=m("0.06"))
    empty = read(ConditionalDraft("40", give_way_text="", size_text=""))
    assert isinstance(empty, ConditionalPlan)
    assert (empty.size, empty.give_way) == (ZERO, ZERO)


@pytest.mark.parametrize(
    ("draft", "field"),
    [
        (ConditionalDraft("x"), PlanField.STOP), (ConditionalDraft("4", "x"), PlanField.TAKE_PROFIT),
        (ConditionalDraft(give_way_text="x"), PlanField.GIVE_WAY),
        (ConditionalDraft(trail_text="x"), PlanField.TRAIL),
        (ConditionalDraft(size_text="x"), PlanField.SIZE),
    ],
)  # fmt: skip
def test_an_entry_that_cannot_be_read_is_named(draft: ConditionalDraft, field: PlanField) -> None:
    problems = read(draft)
    assert isinstance(problems, tuple)
    assert [problem.field for problem in problems] == [field]


def test_all_entries_that_cannot_be_read_are_named_together() -> None:
    problems = read(ConditionalDraft("x", "x", "x", "x", "x"))
    assert isinstance(problems, tuple)
    assert {problem.field for problem in problems} == set(PlanField)


def test_a_stop_and_a_target_can_come_with_a_purchase() -> None:
    assert read_attachment("", " ", tick=CENT) is None
    assert read_attachment("40", "", tick=CENT) == Attachment(m("0.40"), None, m("0.05"))
    assert read_attachment("", "60", tick=CENT) == Attachment(None, m("0.60"), m("0.05"))
    assert read_attachment("3", "", tick=CENT) == Attachment(m("0.03"), None, m("0.02"))
    problem = read_attachment("40", "x", tick=CENT)
    assert isinstance(problem, PlanProblem)
    assert problem.field is PlanField.TAKE_PROFIT


def test_what_comes_with_a_purchase_lies_on_its_sides_of_price_and_bid() -> None:
    def fields(attachment: Attachment, *others: ConditionalOrder) -> list[PlanField]:
        found = check_attachment(
            attachment, price=m("0.50"), bid=m("0.52"), tick=CENT, others=others
        )
        return [problem.field for problem in found]

    assert fields(Attachment(m("0.40"), m("0.60"))) == []
    assert fields(Attachment(m("0.51"), m("0.60"))) == [PlanField.STOP]
    assert fields(Attachment(m("0.40"), m("0.51"))) == []
    assert fields(Attachment(m("0.40"), m("0.50"))) == [PlanField.TAKE_PROFIT]
    assert fields(Attachment(m("0.40"), None), replace(BOTH, is_all=True)) == [PlanField.STOP]


def test_two_plans_never_speak_for_the_same_shares() -> None:
    def fields(plan: ConditionalPlan, *others: ConditionalOrder) -> list[PlanField]:
        found = check_plan(plan, held=m("100"), bid=None, tick=CENT, others=others)
        return [problem.field for problem in found]

    assert fields(replace(TYPED, size=m("60")), BOTH) == []
    assert fields(replace(TYPED, size=m("61")), BOTH) == [PlanField.SIZE]
    assert fields(TYPED, replace(BOTH, is_all=True)) == [PlanField.SIZE]
    assert fields(replace(TYPED, is_all=True), BOTH) == [PlanField.SIZE]
    assert fields(replace(TYPED, is_all=True), replace(BOTH, size=ZERO)) == [PlanField.SIZE]
    assert fields(replace(TYPED, size=ZERO), replace(BOTH, size=m("100"))) == [PlanField.SIZE]


def test_a_pair_can_lose_or_move_one_of_its_prices() -> None:
    assert without(BOTH, Trigger.STOP) == replace(BOTH, stop=None)
    assert without(BOTH, Trigger.TAKE_PROFIT) == replace(BOTH, take_profit=None)
    assert without(replace(BOTH, stop=None), Trigger.TAKE_PROFIT) is None
    assert moved_to(BOTH, Trigger.TAKE_PROFIT, m("0.9"), tick=CENT).take_profit == m("0.9")
    near = moved_to(BOTH, Trigger.STOP, m("0.03"), tick=CENT)
    assert (near.stop, near.give_way) == (m("0.03"), m("0.02"))


def test_plans_are_described_with_their_sizes_and_prices() -> None:
    assert " all 100 Yes" in describe_plan(replace(TYPED, is_all=True), "Yes")
    assert "100 Yes" in describe_plan(TYPED, "Yes")
    both = describe_attachment(Attachment(m("0.38"), m("0.42")))
    assert all(price in both for price in ("38¢", "33¢", "42¢"))
    assert describe_attachment(Attachment(None, None)) == ""


def test_one_without_purchases_follows_none() -> None:
    def none(_: object) -> Micros:
        return ZERO

    assert follow_purchases(BOTH, matched=none, failed=none, is_open=bool) is None
