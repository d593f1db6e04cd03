"""Trades of before and trades that were heard: nothing lost, nothing twice."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.tape import SAME_MOMENT, merge_prints, missing_prints, to_tape_of
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, parse_micros
from pmtui.domain.orders.order import TradePrint

AT = datetime(2026, 6, 1, 12, tzinfo=UTC)
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
