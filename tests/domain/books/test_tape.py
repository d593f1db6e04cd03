"""The tape: what a filter lets through, and which prints were ours."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.tape import (
    SAME_MOMENT,
    PastTrades,
    TapeFilter,
    TapeGap,
    TapeRow,
    aggressor,
    fills_in,
    has_caught_up,
    match_fills,
    merge_prints,
    missing_prints,
    remaining_gap,
    tape_rows,
    to_tape_of,
)
from pmtui.domain.ids import ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import SCALE, Micros, parse_micros
from pmtui.domain.orders.order import Fill, Liquidity, TradePrint, TradeStatus

m = parse_micros
AT = datetime(2026, 6, 1, 12, tzinfo=UTC)
PRINT = TradePrint(TokenId("1"), Side.BUY, m("0.46"), m("500"), AT)
FILL = Fill(
    trade_id=TradeId("t"), order_id=OrderId("0x1"), condition_id=ConditionId("0xa"),
    token_id=TokenId("1"), outcome="Yes", side=Side.SELL, price=m("0.46"), size=m("20"),
    fee=Micros(0), liquidity=Liquidity.MAKER, status=TradeStatus.MATCHED, matched_at=AT,
)  # fmt: skip


def parts_of(prints: Sequence[TradePrint], fills: Sequence[Fill]) -> dict[int, Micros]:
    return {place: row.own for place, row in match_fills(prints, fills).parts.items()}


def test_of_a_print_as_much_is_ours_as_we_traded() -> None:
    assert parts_of((PRINT,), (FILL,)) == {0: FILL.size}
    assert parts_of((PRINT,), (replace(FILL, matched_at=AT + SAME_MOMENT),)) == {0: FILL.size}
    again = replace(FILL, trade_id=TradeId("u"))
    assert parts_of((PRINT,), (FILL, again)) == {0: 2 * FILL.size}


def test_a_strangers_larger_print_is_not_ours_beside_one_of_our_size() -> None:
    ours = replace(PRINT, size=FILL.size, at=AT - timedelta(seconds=2))
    assert parts_of((PRINT, ours), (FILL,)) == {1: FILL.size}


def test_of_two_that_could_be_the_nearer_in_time_is_and_only_it() -> None:
    later = replace(PRINT, at=AT + timedelta(seconds=1))
    assert parts_of((later, PRINT), (FILL,)) == {1: FILL.size}


def test_a_print_of_the_same_transaction_is_ours_however_late_it_is_dated() -> None:
    settled = replace(PRINT, at=AT + timedelta(seconds=40), transaction_hash="0xff")
    fill = replace(FILL, transaction_hash="0xff")
    assert parts_of((settled, PRINT), (fill,)) == {0: FILL.size}
    other = replace(PRINT, transaction_hash="0xee", size=FILL.size)
    unnamed = replace(PRINT, at=AT + timedelta(seconds=1))
    assert parts_of((other, unnamed), (fill,)) == {1: FILL.size}


def test_a_fill_that_the_public_tape_reports_in_pieces_is_not_doubled() -> None:
    taken = replace(FILL, side=Side.BUY, liquidity=Liquidity.TAKER, size=m("100"))
    first, second = replace(PRINT, size=m("60")), replace(PRINT, size=m("40"))
    rows = tape_rows((second, first), (taken,), TapeFilter.OWN, 9)
    assert [(row.trade.size, row.own) for row in rows] == [(m("40"), m("40")), (m("60"), m("60"))]
    # One piece has not come yet: the rest of the fill stands for it.
    rows = tape_rows((first,), (taken,), TapeFilter.ALL, 9)
    assert sum(row.own for row in rows) == m("100") == sum(row.trade.size for row in rows)


def test_a_print_of_the_other_aggressor_is_not_ours() -> None:
    assert parts_of((replace(PRINT, side=Side.SELL),), (FILL,)) == {}


sides = st.sampled_from(Side)
liquidity = st.sampled_from(Liquidity)


@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(0, 6), sides), max_size=12),
    st.lists(st.tuples(st.integers(1, 30), st.integers(0, 6), sides, liquidity), max_size=8),
    st.sampled_from(TapeFilter),
)
def test_every_share_of_ours_is_on_the_tape_exactly_once(
    traded: list[tuple[int, int, Side]],
    filled: list[tuple[int, int, Side, Liquidity]],
    wanted: TapeFilter,
) -> None:
    prints = [
        replace(PRINT, size=Micros(size * SCALE), at=AT + timedelta(seconds=s), side=side)
        for size, s, side in sorted(traded, key=lambda each: each[1], reverse=True)
    ]
    fills = [
        replace(
            FILL, size=Micros(size * SCALE), matched_at=AT + timedelta(seconds=s), side=side,
            liquidity=role,
        )
        for size, s, side, role in filled
    ]  # fmt: skip
    own = match_fills(prints, fills)
    assert all(0 < row.own <= prints[place].size for place, row in own.parts.items())
    assert all(row.trade == prints[place] for place, row in own.parts.items())
    rows = tape_rows(prints, fills, TapeFilter.OWN, 99)
    assert sum(row.own for row in rows) == sum(fill.size for fill in fills)
    assert {row.trade.side for row in rows} <= {aggressor(fill) for fill in fills}
    shown = tape_rows(prints, fills, wanted, 99)
    assert [row.trade.at for row in shown] == sorted((r.trade.at for r in shown), reverse=True)
    if fills:
        assert any(row.own for row in rows)


def test_own_fills_older_than_the_public_tape_pass_every_filter() -> None:
    old = replace(FILL, matched_at=AT - timedelta(hours=1))
    assert [row.own for row in tape_rows((PRINT,), (old,), TapeFilter.ALL, 9)] == [0]
    assert [row.own for row in tape_rows((PRINT,), (old,), TapeFilter.OWN, 9)] == [old.size]
    for wanted in (TapeFilter.HUNDRED, TapeFilter.THOUSAND, TapeFilter.TEN_THOUSAND):
        assert old.size in {row.own for row in tape_rows((PRINT,), (old,), wanted, 9)}


def test_a_fill_whose_trade_failed_is_no_row_of_its_own() -> None:
    failed = replace(FILL, status=TradeStatus.FAILED)
    assert tape_rows((), (failed,), TapeFilter.OWN, 9) == ()
    assert parts_of((PRINT,), (failed,)) == {0: FILL.size}


@pytest.mark.parametrize(
    "other",
    [
        replace(FILL, price=m("0.45")),
        replace(FILL, token_id=TokenId("2")),
        replace(FILL, matched_at=AT + SAME_MOMENT + timedelta(seconds=1)),
    ],
)
def test_another_price_token_or_moment_is_not(other: Fill) -> None:
    assert parts_of((PRINT,), (other,)) == {}


@given(
    st.lists(st.integers(1, 50_000).map(lambda shares: Micros(shares * SCALE)), max_size=40),
    st.sampled_from([f for f in TapeFilter if f is not TapeFilter.OWN]),
    st.integers(0, 50),
)
def test_a_filter_keeps_the_order_and_every_print_that_is_large_enough(
    sizes: list[Micros], wanted: TapeFilter, most: int
) -> None:
    prints = tuple(replace(PRINT, size=size) for size in sizes)
    shown = [row.trade for row in tape_rows(prints, (), wanted, most)]
    assert shown == [p for p in prints if p.size >= wanted.value * SCALE][:most]


@pytest.mark.parametrize("wanted", list(TapeFilter))
def test_own_fills_pass_every_filter_however_small(wanted: TapeFilter) -> None:
    small, large = replace(PRINT, size=FILL.size), replace(PRINT, price=m("0.5"), size=m("50000"))
    shown = [row.trade for row in tape_rows((small, large), (FILL,), wanted, 5)]
    assert shown == ([small] if wanted is TapeFilter.OWN else [small, large])


def test_own_only_shows_own_only() -> None:
    other = replace(PRINT, price=m("0.5"))
    (row,) = tape_rows((other, PRINT), (FILL,), TapeFilter.OWN, 5)
    assert row == TapeRow(PRINT, FILL.size, FILL.side)


def test_the_filters_go_round_and_say_what_they_are() -> None:
    seen = [TapeFilter.ALL]
    while (following := seen[-1].next) not in seen:
        seen.append(following)
    assert set(seen) == set(TapeFilter)
    assert [f.words for f in seen] == [
        "", "100+ and mine", "1,000+ and mine", "10,000+ and mine", "mine only",
    ]  # fmt: skip


def test_a_fill_of_the_other_outcome_is_ours_on_the_mirrored_tape_too() -> None:
    mirrored = replace(PRINT, token_id=TokenId("2"), side=Side.SELL, price=m("0.54"))
    fills = fills_in((FILL,), FILL.condition_id, mirrored.token_id)
    assert parts_of((mirrored,), fills) == {0: FILL.size}
    assert fills[0].side is FILL.side.opposite
    assert fills_in((FILL,), FILL.condition_id, FILL.token_id) == (FILL,)
    assert fills_in((FILL,), ConditionId("0xb"), mirrored.token_id) == ()


def test_what_we_did_in_a_print_is_what_our_fills_say() -> None:
    (row,) = tape_rows((PRINT,), (FILL,), TapeFilter.ALL, 5)
    assert row.own_side is FILL.side is not row.trade.side
    both = replace(FILL, side=Side.BUY, liquidity=Liquidity.TAKER)
    (row,) = tape_rows((PRINT,), (FILL, both), TapeFilter.ALL, 5)
    assert row.own_side is None


YES, NO = TokenId("1"), TokenId("2")
TICK = Micros(10_000)

trades = st.builds(
    TradePrint,
    st.just(YES),
    st.sampled_from(Side),
    st.sampled_from([Micros(460_000), Micros(470_000)]),
    st.sampled_from([Micros(5_000_000), Micros(7_000_000)]),
    st.integers(0, 30_000).map(lambda ms: AT + timedelta(milliseconds=ms)),
)
tapes = st.lists(trades, max_size=25)


def in_seconds(trade: TradePrint) -> TradePrint:
    return replace(trade, at=trade.at.replace(microsecond=0))


@given(tapes, st.randoms())
def test_a_history_of_what_was_heard_adds_nothing(heard: list[TradePrint], rng: object) -> None:
    told = [in_seconds(trade) for trade in heard]
    rng.shuffle(told)  # type: ignore[attr-defined]  # hypothesis types it as an object
    assert missing_prints(heard, told) == ()


@given(tapes, tapes)
def test_what_is_woven_in_is_not_missing_again(
    heard: list[TradePrint], told: list[TradePrint]
) -> None:
    woven = merge_prints(heard, missing_prints(heard, told))
    assert missing_prints(woven, told) == ()


@given(tapes, tapes)
def test_nothing_is_lost_and_the_newest_is_first(
    heard: list[TradePrint], told: list[TradePrint]
) -> None:
    missing = missing_prints(heard, told)
    woven = merge_prints(heard, missing)
    assert not Counter(heard) - Counter(woven)
    assert not Counter(missing) - Counter(told)
    assert len(woven) >= max(len(heard), len(told))
    assert list(woven) == sorted(woven, key=lambda trade: trade.at, reverse=True)


def test_two_equal_trades_stay_two() -> None:
    trade = TradePrint(YES, Side.BUY, Micros(460_000), Micros(5_000_000), AT)
    assert missing_prints([trade], [trade, trade]) == (trade,)


def test_an_equal_trade_of_another_moment_is_another() -> None:
    trade = TradePrint(YES, Side.BUY, Micros(460_000), Micros(5_000_000), AT)
    older = replace(trade, at=AT - SAME_MOMENT - timedelta(seconds=1))
    assert missing_prints([trade], [older]) == (older,)


@given(trades)
def test_the_other_outcome_shows_the_opposite_and_back(trade: TradePrint) -> None:
    other = to_tape_of(NO, trade)
    assert (other.side, other.price) == (trade.side.opposite, 1_000_000 - trade.price)
    assert to_tape_of(YES, other) == trade


def test_what_was_paid_is_put_on_the_grid() -> None:
    trade = TradePrint(YES, Side.BUY, parse_micros("0.459998"), Micros(5_000_000), AT)
    assert to_tape_of(YES, trade, tick=TICK).price == 460_000
    assert to_tape_of(NO, trade, tick=TICK).price == 540_000


GAP = TapeGap(AT, AT + timedelta(minutes=5))


def trade(seconds: int) -> TradePrint:
    at = AT + timedelta(seconds=seconds)
    return TradePrint(TokenId("1"), Side.BUY, Micros(500_000), Micros(5_000_000), at)


def test_a_history_that_reaches_the_beginning_closes_the_hole() -> None:
    assert remaining_gap(GAP, PastTrades((), is_whole=True)) is None
    assert remaining_gap(GAP, PastTrades((trade(-5),), is_whole=False)) is None


def test_one_that_ends_in_between_leaves_the_older_part_for_good() -> None:
    left = remaining_gap(GAP, PastTrades((trade(90), trade(60)), is_whole=False))
    assert left == TapeGap(AT, AT + timedelta(seconds=60), is_final=True)


def test_one_that_cannot_be_read_leaves_all_of_it() -> None:
    for past in (PastTrades((), is_whole=True, is_readable=False), PastTrades((), is_whole=False)):
        assert remaining_gap(GAP, past) == TapeGap(GAP.after, GAP.before, is_final=True)


def test_a_late_history_has_caught_up_once_it_tells_of_what_came_after() -> None:
    assert has_caught_up(GAP, PastTrades((trade(301),), is_whole=True))
    assert not has_caught_up(GAP, PastTrades((trade(300),), is_whole=True))
    assert not has_caught_up(TapeGap(AT), PastTrades((trade(301),), is_whole=True))
