"""What a history leaves of a hole in the tape."""

from datetime import UTC, datetime, timedelta

from pmtui.domain.books.tape import PastTrades, TapeGap, has_caught_up, remaining_gap
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TradePrint

AT = datetime(2026, 6, 1, 12, tzinfo=UTC)
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
