"""What is left of a hole in a tape once the history was read, and that a tape counts nothing twice."""

from collections import Counter
from datetime import UTC, datetime, timedelta

from hypothesis import example, given
from hypothesis import strategies as st

from pmtui.domain.books.tape import PastTrades, TapeGap, has_caught_up, remaining_gap
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TradePrint
from pmtui.service.books.tracked_books import MOST_KNOWN, MOST_PRICES, Tape

AT = datetime(2026, 6, 1, 12, tzinfo=UTC)
YES = TokenId("1")


def at(second: float) -> datetime:
    return AT + timedelta(seconds=second)


def trade(second: float, size: int = 5) -> TradePrint:
    return TradePrint(YES, Side.BUY, Micros(460_000), Micros(size * 1_000_000), at(second))


GAP = TapeGap(at(10), at(40))


def test_a_history_that_reaches_back_leaves_no_hole() -> None:
    assert remaining_gap(GAP, PastTrades((), is_whole=True)) is None
    assert remaining_gap(GAP, PastTrades((trade(30), trade(2)), is_whole=False)) is None


def test_a_history_that_ends_early_leaves_what_is_older() -> None:
    left = remaining_gap(GAP, PastTrades((trade(50), trade(30)), is_whole=False))
    assert left == TapeGap(at(10), at(30), is_final=True)


def test_a_row_that_cannot_be_read_may_be_any_of_them() -> None:
    past = PastTrades((trade(30),), is_whole=True, is_readable=False)
    assert remaining_gap(GAP, past) == TapeGap(at(10), at(40), is_final=True)


def test_a_history_has_caught_up_once_it_tells_of_what_came_after() -> None:
    assert not has_caught_up(GAP, PastTrades((trade(39),), is_whole=True))
    assert has_caught_up(GAP, PastTrades((trade(41), trade(39)), is_whole=True))


seconds = st.integers(0, 60_000).map(lambda ms: ms / 1_000)
sizes = st.sampled_from([5, 7])


@given(
    st.lists(st.tuples(seconds, sizes), max_size=40),
    st.integers(0, 60),
    st.integers(0, 20),
    st.integers(1, 3),
)
@example([(0.0, 5), (3.001, 5), (4.0, 5)], 4, 1, 1)
def test_a_tape_with_a_filled_hole_is_the_tape_without_one(
    all_of_them: list[tuple[float, int]], begin: int, length: int, looks: int
) -> None:
    told = sorted((trade(*each) for each in all_of_them), key=lambda each: each.at)
    heard_at_all_times, heard = Tape(), Tape()
    is_lost = is_back = False
    for each in told:
        heard_at_all_times.add(each)
        if each.at >= at(begin) and not is_lost:
            heard.start_gap(at(begin))
            is_lost = True
        if each.at >= at(begin + length) and is_lost and not is_back:
            heard.resume(at(begin + length))
            is_back = True
        if not is_lost or is_back:
            heard.add(each)
    history = [TradePrint(YES, t.side, t.price, t.size, t.at.replace(microsecond=0)) for t in told]
    for _ in range(looks):
        # The history knows whole seconds, and is asked more than once.
        heard.fill(history)
    expected, found = heard_at_all_times.view(), heard.view()
    assert dict(found.volume) == dict(expected.volume)
    assert Counter(t.size for t in found.prints) == Counter(t.size for t in expected.prints)
    assert list(found.prints) == sorted(found.prints, key=lambda t: t.at, reverse=True)


def test_a_hole_that_stays_is_told_until_it_is_off_the_tape() -> None:
    tape = Tape()
    tape.add(trade(1))
    tape.start_gap(at(3))
    assert tape.view().gaps == (TapeGap(at(1)),)
    tape.resume(at(9))
    assert tape.view().gaps == (TapeGap(at(1), at(9)),)
    tape.close_gap(PastTrades((), is_whole=False))
    assert tape.view().gaps == (TapeGap(at(1), at(9), is_final=True),)
    for second in range(200):
        tape.add(trade(10 + second))
    assert tape.view().gaps == ()


def test_a_line_that_breaks_again_widens_the_hole() -> None:
    tape = Tape()
    tape.add(trade(1))
    tape.start_gap(at(3))
    tape.resume(at(9))
    tape.add(trade(10))
    tape.start_gap(at(12))
    assert tape.gap == TapeGap(at(1))
    tape.resume(at(20))
    tape.fill([trade(5), trade(10), trade(15)])
    assert [each.at for each in tape.view().prints] == [at(15), at(10), at(5), at(1)]


def test_doubt_goes_back_to_where_the_book_was_last_proven() -> None:
    tape = Tape()
    tape.add(trade(1))
    tape.mark_complete()
    tape.add(trade(4))
    tape.doubt(at(6))
    assert tape.gap == TapeGap(at(1), at(6))


def test_a_gap_that_nobody_fills_is_given_up_before_it_keeps_a_whole_day() -> None:
    tape = Tape()
    tape.add(trade(1))
    tape.start_gap(at(2))
    tape.resume(at(3))
    for second in range(4, MOST_KNOWN + 2):
        tape.add(trade(second))
    assert tape.gap is not None
    tape.add(trade(MOST_KNOWN + 2))
    tape.add(trade(MOST_KNOWN + 3))
    assert tape.gap is None
    # What comes late is not woven in: it could not be told from what is known.
    tape.fill([trade(2.5)])
    assert tape.view().sequence == MOST_KNOWN + 1


def test_a_host_that_invents_prices_fills_no_memory() -> None:
    tape = Tape()
    for price in (*range(1, MOST_PRICES + 3), 1):
        tape.add(TradePrint(YES, Side.BUY, Micros(price), Micros(1_000_000), at(price)))
    volume = dict(tape.view().volume)
    assert len(volume) == MOST_PRICES
    assert volume[Micros(1)] == 2_000_000
