from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.position import Stake, break_even
from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.books.ladder import (
    WINDOW_MS,
    Axis,
    Flow,
    Ghost,
    LadderMarks,
    StopMark,
    Zone,
    bounded,
    build_ladder,
    centred,
    follow,
    groupings,
    level_changes,
    mirrored_orders,
    orders_at,
    reveal,
    stops_at,
)
from pmtui.domain.conditionals.conditional import ConditionalId, Trigger
from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.markets.market import FeeSchedule, RewardTerms, Side
from pmtui.domain.money import ONE, Micros, complement
from pmtui.domain.orders.amounts import TICK_RULES, is_on_tick
from pmtui.domain.orders.order import Order, OrderStatus
from tests.ui import believable
from tests.ui.fake_surface import NOW

TOKEN = TokenId("1")
CENT = Micros(10_000)

ticks = st.sampled_from(sorted(TICK_RULES))


@st.composite
def axes(draw: st.DrawFn) -> Axis:
    tick = draw(ticks)
    return Axis(tick, draw(st.sampled_from(groupings(tick))))


@st.composite
def books(draw: st.DrawFn, tick: Micros, *, is_on_grid: bool = True) -> BookView:
    count = ONE // tick - 1
    step = tick if is_on_grid else 100
    count = ONE // step - 1
    prices = draw(st.lists(st.integers(1, count), unique=True, max_size=40))
    cut = draw(st.integers(0, count))
    sizes = st.integers(1, 10**13)
    levels = [Level(Micros(p * step), Micros(draw(sizes))) for p in sorted(prices)]
    bids = tuple(x for x in reversed(levels) if x.price <= cut * step)
    asks = tuple(x for x in levels if x.price > cut * step)
    last = draw(st.none() | st.integers(1, count).map(lambda n: Micros(n * step)))
    return BookView(TOKEN, BookState.LIVE, bids, asks, tick, last)


def order(price: int, side: Side, size: int = 5_000_000) -> Order:
    base = believable.order(price, side=side)
    return Order(
        order_id=base.order_id, condition_id=base.condition_id, token_id=TOKEN, outcome="Yes",
        side=side, price=Micros(price), original_size=Micros(size), matched_size=Micros(0),
        status=OrderStatus.LIVE, time_in_force=base.time_in_force, created_at=NOW,
    )  # fmt: skip


@given(axes())
def test_every_row_is_a_price_an_order_may_carry_and_rows_rise(axis: Axis) -> None:
    prices = [axis.price_at(index) for index in range(axis.first, axis.last + 1)]
    assert all(is_on_tick(price, axis.tick) for price in prices)
    assert prices == sorted(set(prices))
    assert (prices[0], prices[-1]) == (axis.tick, ONE - axis.tick)


@given(ticks)
def test_groupings_start_with_the_tick_and_divide_a_dollar(tick: Micros) -> None:
    choices = groupings(tick)
    assert choices[0] == tick
    assert list(choices) == sorted(set(choices))
    assert all(ONE % group == 0 and group % tick == 0 for group in choices)
    assert all(Axis(tick, group).last - Axis(tick, group).first >= 8 for group in choices)


@given(st.data())
def test_rows_sum_exactly_to_the_book_whatever_the_grouping(data: st.DataObject) -> None:
    axis = data.draw(axes())
    book = data.draw(books(axis.tick, is_on_grid=data.draw(st.booleans())))
    ladder = build_ladder(book, axis)
    rungs = [ladder.rung(index) for index in range(axis.first, axis.last + 1)]
    assert sum(rung.bid_size for rung in rungs) == sum(level.size for level in book.bids)
    assert sum(rung.ask_size for rung in rungs) == sum(level.size for level in book.asks)
    assert max((r.depth for r in rungs), default=0) <= sum(
        level.size for level in (*book.bids, *book.asks)
    )


@given(st.data())
def test_a_grouped_row_never_looks_better_than_its_orders(data: st.DataObject) -> None:
    axis = data.draw(axes())
    price = Micros(data.draw(st.integers(1, ONE // axis.tick - 1)) * axis.tick)
    assert axis.price_at(axis.index_below(price)) <= price
    assert axis.price_at(axis.index_above(price)) >= price


@given(st.data())
def test_ungrouped_rows_hold_exactly_their_own_level(data: st.DataObject) -> None:
    tick = data.draw(ticks)
    book = data.draw(books(tick))
    ladder = build_ladder(book, Axis(tick, tick))
    for level in book.bids:
        assert ladder.rung(level.price // tick).bid_size == level.size
    for level in book.asks:
        assert ladder.rung(level.price // tick).ask_size == level.size


@given(st.data())
def test_zones_go_from_bids_over_the_spread_to_asks(data: st.DataObject) -> None:
    axis = data.draw(axes())
    book = data.draw(books(axis.tick))
    ladder = build_ladder(book, axis)
    zones = [rung.zone for rung in ladder.rungs(range(axis.first, axis.last + 1))]
    rank = {Zone.BID: 0, Zone.SPREAD: 1, Zone.NONE: 1, Zone.ASK: 2}
    if book.bids and book.asks:
        assert [rank[z] for z in zones] == sorted(rank[z] for z in zones)
        assert Zone.NONE not in zones
    else:
        assert Zone.SPREAD not in zones
    assert axis.first <= ladder.middle <= axis.last


@given(st.data())
def test_steps_go_from_row_to_row_and_stop_at_the_ends(data: st.DataObject) -> None:
    axis = data.draw(axes())
    price = Micros(data.draw(st.integers(axis.tick, ONE - axis.tick)))
    for steps in (1, -1, 7, -7, 100_000, -100_000):
        new = axis.stepped(price, steps)
        assert is_on_tick(new, axis.tick)
        assert new > price if steps > 0 and price < ONE - axis.tick else True
        assert new < price if steps < 0 and price > axis.tick else True


@given(axes(), st.integers(-50, 20_000), st.integers(1, 60), st.integers(0, 9_999))
def test_the_view_never_leaves_the_axis_and_shows_what_it_must(
    axis: Axis, top: int, height: int, offset: int
) -> None:
    rows = axis.last - axis.first + 1
    index = axis.first + offset % rows
    shown = bounded(axis, reveal(top, index, height), height)
    assert shown - height < index <= shown <= axis.last
    if rows >= height:
        assert shown - height + 1 >= axis.first
    followed = follow(top, index, height)
    assert followed - height < index <= followed
    assert follow(followed, index, height) == followed


def test_following_has_slack_so_that_small_moves_move_nothing() -> None:
    top = centred(50, 20)
    assert all(follow(top, middle, 20) == top for middle in range(46, 55))
    assert follow(top, 60, 20) == centred(60, 20)


def test_depth_adds_up_from_the_touch() -> None:
    bids = (Level(Micros(500_000), Micros(3)), Level(Micros(480_000), Micros(4)))
    asks = (Level(Micros(520_000), Micros(5)), Level(Micros(530_000), Micros(6)))
    ladder = build_ladder(BookView(TOKEN, BookState.LIVE, bids, asks, CENT), Axis(CENT, CENT))
    assert [ladder.rung(i).depth for i in (48, 49, 50, 51, 52, 53)] == [7, 0, 3, 0, 5, 11]
    assert ladder.rung(51).zone is Zone.SPREAD


def test_own_orders_and_trades_stand_at_their_prices() -> None:
    own = (order(480_000, Side.BUY), order(480_000, Side.BUY), order(530_000, Side.SELL))
    volume = ((Micros(520_000), Micros(7)), (Micros(522_000), Micros(2)))
    book = BookView(TOKEN, BookState.LIVE, (), (), CENT, Micros(520_000))
    ladder = build_ladder(book, Axis(CENT, CENT), orders=own, volume=volume)
    assert ladder.rung(48).own_bid == 10_000_000
    assert ladder.rung(53).own_ask == 5_000_000
    assert ladder.rung(52).traded == 9
    assert ladder.rung(52).is_last_trade
    assert orders_at(ladder, Micros(480_000), own) == own[:2]
    assert orders_at(ladder, Micros(490_000), own) == ()


def test_orders_of_unknown_fate_are_marked() -> None:
    doubtful = believable.order(1, price=0.44, status=OrderStatus.UNKNOWN)
    book = BookView(TOKEN, BookState.LIVE, (), (), CENT)
    ladder = build_ladder(book, Axis(CENT, CENT), orders=(doubtful,))
    assert ladder.rung(44).has_unknown


@pytest.mark.parametrize(
    ("price", "side"),
    [
        (50, Side.SELL), (40, Side.SELL), (53, Side.BUY), (60, Side.BUY),
        (49, Side.BUY), (45, Side.BUY), (10, Side.BUY), (51, Side.BUY), (52, Side.BUY),
        (54, Side.SELL), (99, Side.SELL),
    ],
)  # fmt: skip
def test_a_row_takes_what_rests_there_and_an_empty_one_joins(price: int, side: Side) -> None:
    book = BookView(
        TOKEN, BookState.LIVE,
        (Level(Micros(500_000), Micros(1)), Level(Micros(400_000), Micros(1))),
        (Level(Micros(530_000), Micros(1)), Level(Micros(600_000), Micros(1))), CENT,
    )  # fmt: skip
    ladder = build_ladder(book, Axis(CENT, CENT))
    assert ladder.side_at(Micros(price * 10_000)) is side


@pytest.mark.parametrize(
    ("size", "bought", "sold"),
    [(5_000_000, Side.BUY, Side.SELL), (9_000_000, Side.SELL, Side.BUY)],
    ids=["ours alone", "others too"],
)
def test_own_orders_are_joined_and_only_those_of_others_taken(
    size: int, bought: Side, sold: Side
) -> None:
    book = BookView(
        TOKEN, BookState.LIVE, (Level(Micros(500_000), Micros(size)),),
        (Level(Micros(530_000), Micros(size)),), CENT,
    )  # fmt: skip
    own = order(500_000, Side.BUY), order(530_000, Side.SELL)
    ladder = build_ladder(book, Axis(CENT, CENT), orders=own)
    assert ladder.side_at(Micros(500_000)) is bought
    assert ladder.side_at(Micros(530_000)) is sold


def test_a_price_between_wide_rows_never_sells_above_the_best_bid() -> None:
    book = BookView(
        TOKEN, BookState.LIVE, (Level(Micros(500_000), Micros(1)),),
        (Level(Micros(530_000), Micros(1)),), CENT,
    )  # fmt: skip
    for group in groupings(CENT):
        ladder = build_ladder(book, Axis(CENT, group))
        assert ladder.side_at(Micros(500_000)) is Side.SELL
        assert ladder.side_at(Micros(510_000)) is Side.BUY
        assert ladder.side_at(Micros(530_000)) is Side.BUY


def test_an_empty_side_leaves_the_rest_usable() -> None:
    axis = Axis(CENT, CENT)
    bid = Level(Micros(990_000), Micros(1))
    only_bids = build_ladder(BookView(TOKEN, BookState.LIVE, (bid,), (), CENT), axis)
    assert (only_bids.middle, only_bids.rung(99).zone) == (99, Zone.BID)
    only_asks = build_ladder(
        BookView(TOKEN, BookState.LIVE, (), (Level(Micros(10_000), Micros(1)),), CENT), axis
    )
    assert (only_asks.middle, only_asks.rung(1).zone) == (1, Zone.ASK)
    empty = build_ladder(BookView(TOKEN, BookState.LIVE, (), (), CENT), axis)
    assert (empty.middle, empty.rung(50).zone) == (50, Zone.NONE)
    assert empty.side_at(Micros(500_000)) is Side.BUY


def test_a_crossed_book_shows_both_sizes_on_one_row() -> None:
    level = (Level(Micros(500_000), Micros(3)),)
    book = BookView(TOKEN, BookState.CROSSED, level, level, CENT)
    rung = build_ladder(book, Axis(CENT, CENT)).rung(50)
    assert (rung.bid_size, rung.ask_size) == (3, 3)


def test_the_last_trade_stands_where_this_outcome_has_it() -> None:
    # The venue tells one price for both outcomes: 48c for the other one is 52c here.
    book = BookView(
        TOKEN, BookState.LIVE, (Level(Micros(510_000), Micros(1)),),
        (Level(Micros(530_000), Micros(1)),), CENT, Micros(480_000),
    )  # fmt: skip
    ladder = build_ladder(book, Axis(CENT, CENT))
    assert [i for i in range(1, 100) if ladder.rung(i).is_last_trade] == [52]


def test_own_size_is_never_ahead_of_itself_before_the_estimate_follows_the_book() -> None:
    first, last = (
        order(480_000, Side.BUY),
        replace(order(480_000, Side.BUY), order_id=OrderId("0xlast")),
    )
    ahead = ((first.order_id, Micros(7_000_000)), (last.order_id, Micros(12_000_000)))
    marks = LadderMarks(ahead=ahead, displayed=frozenset({first.order_id, last.order_id}))
    alone = BookView(TOKEN, BookState.LIVE, (Level(Micros(480_000), Micros(10_000_000)),), (), CENT)
    rung = build_ladder(alone, Axis(CENT, CENT), orders=(first, last), marks=marks).rung(48)
    assert (rung.ahead, rung.ahead_of_last) == (0, 5_000_000)
    # An order that the book may not show yet has all that is displayed ahead.
    marks = LadderMarks(ahead=ahead[:1])
    rung = build_ladder(alone, Axis(CENT, CENT), orders=(first,), marks=marks).rung(48)
    assert rung.ahead == 7_000_000


@given(st.data())
def test_the_estimate_of_a_row_is_never_more_than_the_row_displays(data: st.DataObject) -> None:
    axis = data.draw(axes())
    book = data.draw(books(axis.tick))
    prices = st.integers(1, ONE // axis.tick - 1)
    own = tuple(
        Order(
            order_id=believable.order(n).order_id, condition_id=believable.order(n).condition_id,
            token_id=TOKEN, outcome="Yes", side=data.draw(st.sampled_from(Side)),
            price=Micros(data.draw(prices) * axis.tick), original_size=Micros(5),
            matched_size=Micros(0), status=OrderStatus.LIVE,
            time_in_force=believable.order(n).time_in_force, created_at=NOW,
        )
        for n in range(data.draw(st.integers(0, 4)))
    )  # fmt: skip
    ahead = tuple((o.order_id, Micros(data.draw(st.integers(0, 10**14)))) for o in own)
    ladder = build_ladder(book, axis, orders=own, marks=LadderMarks(ahead=ahead))
    for each in own:
        rung = ladder.rung(axis.index_below(each.price) if each.side is Side.BUY
                           else axis.index_above(each.price))  # fmt: skip
        assert rung.ahead is not None
        assert 0 <= rung.ahead <= max(rung.bid_size, rung.ask_size)
        last = rung.ahead if rung.ahead_of_last is None else rung.ahead_of_last
        shown = rung.bid_size if each.side is Side.BUY else rung.ask_size
        assert rung.ahead <= last <= max(rung.bid_size, rung.ask_size)
        # No order of the row stands farther back than the row says.
        assert min(dict(ahead)[each.order_id], shown) <= last


@given(st.data())
@pytest.mark.no_cover
def test_the_reward_band_is_what_lies_within_the_spread_of_the_books_own_middle(
    data: st.DataObject,
) -> None:
    axis = data.draw(axes())
    book = data.draw(books(axis.tick))
    spread = Micros(data.draw(st.integers(1, 100_000)))
    ladder = build_ladder(book, axis, marks=LadderMarks(rewards=RewardTerms(Micros(1), spread)))
    for index in range(axis.first, axis.last + 1):
        rung, mid = ladder.rung(index), book.midpoint
        assert rung.is_in_band == (mid is not None and abs(rung.price - mid) < spread)


@given(st.data())
def test_profit_is_there_on_every_row_and_turns_at_the_break_even_row(data: st.DataObject) -> None:
    axis = data.draw(axes())
    stake = Stake(
        Micros(data.draw(st.integers(1_000_000, 10**12))),
        Micros(data.draw(st.integers(1, ONE - 1))), fee=FeeSchedule(Micros(50_000)),
        is_other=data.draw(st.booleans()),
    )  # fmt: skip
    ladder = build_ladder(
        BookView(TOKEN, BookState.LIVE, (), (), axis.tick), axis, marks=LadderMarks(net=stake)
    )
    rungs = [ladder.rung(index) for index in range(axis.first, axis.last + 1)]
    profits = [rung.profit for rung in rungs]
    assert all(p is not None for p in profits)
    assert sum(rung.is_entry for rung in rungs) == 1
    even = break_even(stake, axis.tick)
    marked = [rung for rung in rungs if rung.is_break_even]
    assert len(marked) == (even is not None)
    # A grouped row stands for the better end: closing there loses nothing but what is rounded.
    assert all(rung.profit is not None and rung.profit >= -stake.rounding for rung in marked)


def test_an_own_order_closes_its_own_size_without_a_taker_fee() -> None:
    stake = Stake(Micros(100 * ONE), Micros(400_000), fee=FeeSchedule(Micros(50_000)))
    ask = order(600_000, Side.SELL)
    book = BookView(TOKEN, BookState.LIVE, (), (), CENT)

    def gain(net: Stake, *orders: Order) -> Micros | None:
        return build_ladder(
            book, Axis(CENT, CENT), orders=orders, marks=LadderMarks(net=net)
        ).rung(60).resting_profit  # fmt: skip

    assert gain(stake, ask) == ask.remaining_size * 20 // 100
    assert gain(stake) is None
    # A bid buys more, and closes nothing.
    assert gain(stake, replace(ask, side=Side.BUY)) is None
    short = replace(stake, is_other=True, average_price=Micros(300_000))
    assert gain(short, replace(ask, side=Side.BUY)) == ask.remaining_size * 10 // 100
    assert gain(replace(stake, size=ONE), ask) == Micros(200_000)


def test_orders_of_the_other_outcome_stand_at_the_complement_on_the_other_side() -> None:
    bid_for_no = order(400_000, Side.BUY)
    (seen,) = mirrored_orders((bid_for_no,))
    assert (seen.price, seen.side, seen.order_id) == (
        complement(bid_for_no.price), Side.SELL, bid_for_no.order_id,
    )  # fmt: skip
    ladder = build_ladder(
        BookView(TOKEN, BookState.LIVE, (), (), CENT), Axis(CENT, CENT), orders=(seen,)
    )
    assert ladder.rung(60).own_ask == bid_for_no.remaining_size


@given(books(CENT), st.sampled_from([10_000, 20_000, 50_000, 100_000]), st.integers(1, 99))
def test_a_price_means_the_same_however_rows_are_grouped(
    book: BookView, group: int, price: int
) -> None:
    at = Micros(price * 10_000)
    plain = build_ladder(book, Axis(CENT, CENT))
    wide = build_ladder(book, Axis(CENT, Micros(group)))
    assert wide.rung_at(at).price == at
    rests = plain.rung_at(at)
    if rests.bid_size or rests.ask_size:
        assert wide.side_at(at) is plain.side_at(at)
        assert wide.rung_at(at).bid_size >= rests.bid_size
        assert wide.rung_at(at).ask_size >= rests.ask_size


@given(st.integers(1, 60), st.integers(1, 40), st.integers(-100, 100), st.integers(0, 60))
def test_best_bid_and_ask_are_both_followed_where_there_is_room(
    height: int, half: int, top: int, bid: int
) -> None:
    touch = (bid, bid + 2 * half)
    found = follow(top, bid + half, height, touch)
    if touch[1] - touch[0] < height:
        assert found - height < touch[0]
        assert touch[1] <= found
    # And once it is found, it stays.
    assert follow(found, bid + half, height, touch) == found


@given(st.data())
def test_stops_and_targets_stand_on_the_row_of_their_price(data: st.DataObject) -> None:
    axis = data.draw(axes())
    price = Micros(data.draw(st.integers(1, ONE // axis.tick - 1)) * axis.tick)
    is_other = data.draw(st.booleans())
    mark = StopMark(
        ConditionalId("c1"), Trigger.STOP, price, Micros(1_000_000), is_active=True,
        is_other=is_other,
    )  # fmt: skip
    book = BookView(TOKEN, BookState.LIVE, (), (), axis.tick)
    ladder = build_ladder(book, axis, marks=LadderMarks(stops=(mark,)))
    rows = range(axis.first, axis.last + 1)
    (row,) = (index for index in rows if ladder.rung(index).stops)
    assert ladder.rung(row).stops == (mark,)
    assert stops_at(ladder, ladder.rung(row).price) == (mark,)
    # A sale of the other outcome buys this one.
    assert ladder.rung(row).price <= price if is_other else ladder.rung(row).price >= price


@given(st.data())
def test_what_is_being_typed_stands_on_the_row_of_its_price_and_is_nothing_of_ours(
    data: st.DataObject,
) -> None:
    axis = data.draw(axes())
    price = Micros(data.draw(st.integers(1, ONE // axis.tick - 1)) * axis.tick)
    ghost = Ghost(price, data.draw(st.sampled_from(Side)), Micros(1_000_000))
    book = BookView(TOKEN, BookState.LIVE, (), (), axis.tick)
    ladder = build_ladder(book, axis, marks=LadderMarks(ghosts=(ghost,)))
    rows = range(axis.first, axis.last + 1)
    (row,) = (index for index in rows if ladder.rung(index).ghosts)
    rung = ladder.rung(row)
    assert rung.ghosts == (ghost,)
    assert rung.price <= price if ghost.side is Side.BUY else rung.price >= price
    assert (rung.own_bid, rung.own_ask, rung.stops) == (0, 0, ())


sizes = st.dictionaries(st.integers(1, 20), st.integers(1, 50), max_size=8)


def book(bids: Mapping[int, int], asks: Mapping[int, int]) -> BookView:
    def levels(found: Mapping[int, int]) -> tuple[Level, ...]:
        return tuple(Level(Micros(p), Micros(s)) for p, s in sorted(found.items()))

    return BookView(TokenId("1"), BookState.LIVE, levels(bids), levels(asks))


def sizes_of(view: BookView) -> dict[tuple[Side, Micros], int]:
    found: dict[tuple[Side, Micros], int] = {
        (Side.BUY, level.price): level.size for level in view.bids
    }
    return found | {(Side.SELL, level.price): level.size for level in view.asks}


@given(sizes, sizes, sizes, sizes)
def test_changes_lead_from_one_book_to_the_next(
    bids: dict[int, int], asks: dict[int, int], new_bids: dict[int, int], new_asks: dict[int, int]
) -> None:
    before, after = book(bids, asks), book(new_bids, new_asks)
    changes = level_changes(before, after)
    assert all(changes.values())
    was, now = sizes_of(before), sizes_of(after)
    for place in was.keys() | now.keys():
        assert was.get(place, 0) + changes.get(place, 0) == now.get(place, 0)
    assert level_changes(before, before) == {}


@given(st.lists(st.tuples(st.integers(0, 3_000), sizes, sizes), min_size=1, max_size=12))
def test_net_is_the_difference_to_the_book_at_the_beginning_of_the_window(
    steps: list[tuple[int, dict[int, int], dict[int, int]]],
) -> None:
    flow, now_ms, shown = Flow(), 0, book({}, {})
    history = [(-WINDOW_MS * 2, shown)]
    for wait_ms, bids, asks in steps:
        now_ms += wait_ms
        new = book(bids, asks)
        flow.note(level_changes(shown, new), now_ms)
        shown = new
        history.append((now_ms, shown))
    then = next(view for at_ms, view in reversed(history) if at_ms <= now_ms - WINDOW_MS)
    assert dict(flow.net) == dict(level_changes(then, shown))
    flow.expire(now_ms + WINDOW_MS)
    assert dict(flow.net) == {}


def test_a_flow_that_is_forgotten_is_empty() -> None:
    flow = Flow()
    flow.note({(Side.BUY, Micros(1)): Micros(5)}, 1)
    flow.forget()
    assert dict(flow.net) == {}


@given(st.data(), axes(), st.integers(1, 300_000))
def test_the_rows_of_the_reward_band_are_those_whose_price_it_holds(
    data: st.DataObject, axis: Axis, spread: int
) -> None:
    book = data.draw(books(axis.tick))
    marks = LadderMarks(rewards=RewardTerms(Micros(1), Micros(spread)))
    ladder = build_ladder(book, axis, marks=marks)
    band = ladder.placed.band
    for index in range(axis.first, axis.last + 1):
        rung = ladder.rung(index)
        assert rung.is_in_band is (band is not None and band.holds(rung.price))
        beside = (index + 1, index - 1)
        above, below = (
            band is not None and axis.first <= each <= axis.last and band.holds(axis.price_at(each))
            for each in beside
        )
        assert rung.is_band_top is (rung.is_in_band and not above)
        assert rung.is_band_bottom is (rung.is_in_band and not below)


def test_sizes_near_the_spread_are_those_within_so_many_rows_of_the_best_price() -> None:
    bids = tuple(Level(Micros(p * 10_000), Micros(p)) for p in (40, 38, 10))
    asks = tuple(Level(Micros(p * 10_000), Micros(p)) for p in (60, 65, 90))
    book = BookView(TOKEN, BookState.LIVE, bids, asks, CENT)
    ladder = build_ladder(book, Axis(CENT, CENT))
    assert sorted(ladder.sizes_near(0)) == [40, 60]
    assert sorted(ladder.sizes_near(5)) == [38, 40, 60, 65]
    assert len(ladder.sizes_near(30)) == 6
    empty = build_ladder(BookView(TOKEN, BookState.LIVE, (), asks, CENT), Axis(CENT, CENT))
    assert sorted(empty.sizes_near(5)) == [60, 65]
