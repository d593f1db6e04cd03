"""The tape: what a filter lets through, and which prints were ours."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.market import Side
from pmtui.domain.money import SCALE, Micros, parse_micros
from pmtui.domain.order import Fill, Liquidity, TradePrint, TradeStatus
from pmtui.domain.tape import SAME_MOMENT, TapeFilter, fills_in, filter_prints, own_parts, own_side

m = parse_micros
AT = datetime(2026, 6, 1, 12, tzinfo=UTC)
PRINT = TradePrint(TokenId("1"), Side.BUY, m("0.46"), m("500"), AT)
FILL = Fill(
    trade_id=TradeId("t"), order_id=OrderId("0x1"), condition_id=ConditionId("0xa"),
    token_id=TokenId("1"), outcome="Yes", side=Side.SELL, price=m("0.46"), size=m("20"),
    fee=Micros(0), liquidity=Liquidity.MAKER, status=TradeStatus.MATCHED, matched_at=AT,
)  # fmt: skip


def test_of_a_print_as_much_is_ours_as_we_traded() -> None:
    assert own_parts((PRINT,), (FILL,)) == {0: FILL.size}
    assert own_parts((PRINT,), (replace(FILL, matched_at=AT + SAME_MOMENT),)) == {0: FILL.size}
    again = replace(FILL, trade_id=TradeId("u"))
    assert own_parts((PRINT,), (FILL, again)) == {0: 2 * FILL.size}


def test_a_strangers_larger_print_is_not_ours_beside_one_of_our_size() -> None:
    ours = replace(PRINT, size=FILL.size, at=AT - timedelta(seconds=2))
    assert own_parts((PRINT, ours), (FILL,)) == {1: FILL.size}


def test_of_two_that_could_be_the_nearer_in_time_is_and_only_it() -> None:
    later = replace(PRINT, at=AT + timedelta(seconds=1))
    assert own_parts((later, PRINT), (FILL,)) == {1: FILL.size}


@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(0, 6)), max_size=12),
    st.lists(st.tuples(st.integers(1, 30), st.integers(0, 6)), max_size=8),
)
def test_never_more_is_called_ours_than_was_traded_by_us_or_in_the_print(
    traded: list[tuple[int, int]], filled: list[tuple[int, int]]
) -> None:
    prints = [
        replace(PRINT, size=Micros(size * SCALE), at=AT + timedelta(seconds=s))
        for size, s in traded
    ]
    fills = [
        replace(FILL, size=Micros(size * SCALE), matched_at=AT + timedelta(seconds=s))
        for size, s in filled
    ]
    parts = own_parts(prints, fills)
    assert sum(parts.values()) <= sum(fill.size for fill in fills)
    assert all(0 < part <= prints[place].size for place, part in parts.items())


@pytest.mark.parametrize(
    "other",
    [
        replace(FILL, price=m("0.45")),
        replace(FILL, size=m("501")),
        replace(FILL, token_id=TokenId("2")),
        replace(FILL, matched_at=AT + SAME_MOMENT + timedelta(seconds=1)),
    ],
)
def test_another_price_size_token_or_moment_is_not(other: Fill) -> None:
    assert own_parts((PRINT,), (other,)) == {}


@given(
    st.lists(st.integers(1, 50_000).map(lambda shares: Micros(shares * SCALE)), max_size=40),
    st.sampled_from([f for f in TapeFilter if f is not TapeFilter.OWN]),
    st.integers(0, 50),
)
def test_a_filter_keeps_the_order_and_every_print_that_is_large_enough(
    sizes: list[Micros], wanted: TapeFilter, most: int
) -> None:
    prints = tuple(replace(PRINT, size=size) for size in sizes)
    shown = [trade for trade, _ in filter_prints(prints, (), wanted, most)]
    assert shown == [p for p in prints if p.size >= wanted.value * SCALE][:most]


@pytest.mark.parametrize("wanted", list(TapeFilter))
def test_own_fills_pass_every_filter_however_small(wanted: TapeFilter) -> None:
    small, large = replace(PRINT, size=FILL.size), replace(PRINT, price=m("0.5"), size=m("50000"))
    shown = [trade for trade, _ in filter_prints((small, large), (FILL,), wanted, 5)]
    assert shown == ([small] if wanted is TapeFilter.OWN else [small, large])


def test_own_only_shows_own_only() -> None:
    other = replace(PRINT, price=m("0.5"))
    assert filter_prints((other, PRINT), (FILL,), TapeFilter.OWN, 5) == ((PRINT, FILL.size),)


def test_the_filters_go_round_and_say_what_they_are() -> None:
    seen = [TapeFilter.ALL]
    while (following := seen[-1].next) not in seen:
        seen.append(following)
    assert set(seen) == set(TapeFilter)
    assert [f.words for f in seen] == [
        "", "from 100 + own", "from 1,000 + own", "from 10,000 + own", "own only",
    ]  # fmt: skip


def test_a_fill_of_the_other_outcome_is_ours_on_the_mirrored_tape_too() -> None:
    mirrored = replace(PRINT, token_id=TokenId("2"), side=Side.SELL, price=m("0.54"))
    fills = fills_in((FILL,), FILL.condition_id, mirrored.token_id)
    assert own_parts((mirrored,), fills) == {0: FILL.size}
    assert fills[0].side is FILL.side.opposite
    assert fills_in((FILL,), FILL.condition_id, FILL.token_id) == (FILL,)
    assert fills_in((FILL,), ConditionId("0xb"), mirrored.token_id) == ()


def test_what_we_did_in_a_print_is_what_our_fills_say() -> None:
    assert own_side(PRINT, (FILL,)) is FILL.side is not PRINT.side
    assert own_side(PRINT, (replace(FILL, matched_at=AT + 2 * SAME_MOMENT),)) is None
    assert own_side(PRINT, (FILL, replace(FILL, side=Side.BUY))) is None
