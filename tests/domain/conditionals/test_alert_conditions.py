from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.conditionals.alert_conditions import (
    Condition,
    Move,
    QueueAhead,
    Sight,
    SizeAt,
    Spread,
    TimeLeft,
    VolumeBurst,
    describe_condition,
    met,
    parse_condition,
    write_condition,
)
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import SCALE, Micros
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


def book(*, bid: int = 40, ask: int = 42, state: BookState = BookState.LIVE) -> BookView:
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
    sight = Sight(book(), NOW, PRINTS, NOW + timedelta(minutes=8), Micros(60 * SCALE))
    assert met(condition, sight) == seen


@given(conditions)
def test_nothing_but_the_time_is_met_by_a_book_that_cannot_be_trusted(condition: Condition) -> None:
    for bad in (book(state=BookState.STALE), book(bid=42, ask=42)):
        sight = Sight(bad, NOW, PRINTS, NOW + timedelta(seconds=1), Micros(0))
        assert not met(condition, sight) or isinstance(condition, TimeLeft)


@given(conditions)
def test_nothing_is_met_by_nothing(condition: Condition) -> None:
    empty = BookView(TokenId("1"), BookState.LIVE, (), ())
    said = met(condition, Sight(empty, NOW))
    assert not said or (isinstance(condition, SizeAt) and condition.sign == "<=")


def test_a_market_that_has_ended_ends_in_no_time() -> None:
    sight = Sight(book(), NOW, ends_at=NOW - timedelta(minutes=1))
    assert not met(TimeLeft(timedelta(hours=1)), sight)
