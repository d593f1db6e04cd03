"""What a terminal shows before its service has answered."""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.pnl import DayFigures
from pmtui.domain.account.position import Position
from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.history import Interval
from pmtui.domain.money import ZERO, Micros, cents_down, cents_near, notional_ceil, parse_micros
from pmtui.link.messages import Peek, ToService, View
from pmtui.link.mirror import MOST_HISTORIES_KEPT, Mirror, MirrorQueries, narrow
from pmtui.service.clock import SystemClock
from pmtui.service.codec import encode
from pmtui.service.topics import (
    VIEW_TYPES,
    AccountTopic,
    AlertTopic,
    AnyTopic,
    BookTopic,
    HistoryTopic,
    RowQuotesTopic,
    SearchTopic,
)
from pmtui.service.views import (
    AccountView,
    AlertsView,
    HistoryView,
    Load,
    MarketRow,
    Mode,
    RowBooksView,
    SearchView,
)
from tests.link.kit import NOTHING_YET
from tests.service.every_topic import topics
from tests.service.fakes import MARKET, NO, YES

FOUND = SearchView("river", (MarketRow(MARKET, None, "River levels"),), Load.READY, indexed=9)
HISTORY = HistoryView((), Interval.DAY, Load.READY, None)


def test_results_of_a_shorter_text_stay_as_far_as_they_fit_the_longer_one() -> None:
    assert narrow(FOUND, "river four METRES levels").rows == FOUND.rows
    assert narrow(FOUND, "river four").load is Load.LOADING
    assert narrow(FOUND, "river five").rows == ()
    assert narrow(FOUND, " ").rows == ()


def test_alerts_that_fired_before_the_terminal_came_ring_no_bell() -> None:
    mirror = Mirror(NOTHING_YET)
    queries = MirrorQueries(mirror, SystemClock())
    assert queries.alerts().fired == 0
    for version, (fired, rung) in enumerate(((3, 0), (4, 1), (0, 0), (1, 1))):
        mirror.apply(View(encode(AlertTopic()), version, encode(AlertsView(fired))))
        assert queries.alerts().fired == rung


@pytest.mark.parametrize("topic", topics(), ids=lambda topic: type(topic).__name__)
def test_every_topic_has_a_view_before_the_first_answer(topic: AnyTopic) -> None:
    queries = MirrorQueries(Mirror(NOTHING_YET), SystemClock())
    assert type(queries.view(topic)) is VIEW_TYPES[type(topic)]


def test_before_the_first_answer_nothing_is_found() -> None:
    queries = MirrorQueries(Mirror(NOTHING_YET), SystemClock())
    assert queries.view(SearchTopic("river")).rows == ()
    assert queries.status() == NOTHING_YET
    assert queries.account().load is Load.LOADING


UP, DOWN = TokenId("1"), TokenId("2")


def book_of(token_id: TokenId, bid: str, ask: str) -> BookView:
    size = parse_micros("500")
    return BookView(
        token_id, BookState.LIVE,
        bids=(Level(parse_micros(bid), size),), asks=(Level(parse_micros(ask), size),),
    )  # fmt: skip


def holding(size: str, price: str) -> AccountView:
    """Return an account with $1,000 and the shares, bought at 50 cents today, before a fee of $1.76."""
    m, market = parse_micros, ConditionId("0xaa")
    held = Position(
        token_id=UP, condition_id=market, title="", outcome="Up", size=m(size),
        average_price=m("0.5"), current_price=m(price), realized=ZERO, opposite_token_id=DOWN,
    )  # fmt: skip
    account = AccountView(
        load=Load.READY, balance=m("1000"), reserved=ZERO, positions=(held,), open_orders=(),
        as_of=NOTHING_YET.now,
    )  # fmt: skip
    assert account.equity is not None
    began = cents_near(m("1001.76") + notional_ceil(m("0.5"), m(size)))
    return account.with_day(
        DayFigures(Micros(cents_down(account.equity) - began), realized=ZERO, fees=m("1.76"))
    )


@given(
    size=st.integers(10**5, 10**9),
    quotes=st.lists(st.tuples(st.integers(1, 98), st.booleans()), min_size=1, max_size=5),
)
def test_equity_positions_and_the_day_are_of_one_moment(
    size: int, quotes: list[tuple[int, bool]]
) -> None:
    mirror = Mirror(replace(NOTHING_YET, mode=Mode.PAPER))
    queries, sent = MirrorQueries(mirror, SystemClock()), holding(f"{size / 10**6:f}", "0.4")
    mirror.apply(View(encode(AccountTopic()), 0, encode(sent)))
    assert queries.account() == sent
    before = queries.status()
    for version, (cents, is_other) in enumerate(quotes):
        # The complement of a book of Down is one of Up.
        token, bid = (DOWN, 99 - cents) if is_other else (UP, cents)
        book = book_of(token, f"{bid / 100}", f"{(bid + 1) / 100}")
        mirror.apply(View(encode(BookTopic(token)), version, encode(book)))
        account, status = queries.account(), queries.status()
        (held,) = account.positions
        figures = status.day_figures
        assert figures is not None
        assert held.value is not None
        assert status.portfolio_value == parse_micros("1000") + held.value
        assert before.portfolio_value is not None
        assert before.day_result is not None
        assert status.day_result == figures.total
        moved = cents_down(status.portfolio_value) - cents_down(before.portfolio_value)
        assert figures.total == before.day_result + moved
        assert figures.unrealized == held.unrealized
        assert (figures.realized, figures.fees) == (ZERO, parse_micros("1.76"))
        assert queries.account() is account


def test_the_book_on_show_prices_a_position_until_it_is_left() -> None:
    async def run() -> None:
        mirror = Mirror(replace(NOTHING_YET, mode=Mode.PAPER))
        queries, sent = MirrorQueries(mirror, SystemClock()), holding("100", "0.4")
        mirror.apply(View(encode(AccountTopic()), 0, encode(sent)))
        shown = mirror.subscribe((BookTopic(UP),), lambda _: None)
        mirror.apply(View(encode(BookTopic(UP)), 0, encode(book_of(UP, "0.58", "0.59"))))
        assert queries.account().positions[0].current_price == parse_micros("0.585")
        assert queries.status().portfolio_value == parse_micros("1058.5")
        shown.close()
        assert queries.account() == sent
        mirror.show_silence("gone")
        assert queries.account() == sent

    asyncio.run(run())


def test_of_many_charts_that_were_left_only_the_last_are_kept() -> None:
    mirror = Mirror(NOTHING_YET)
    charts = [HistoryTopic(TokenId(str(number)), Interval.DAY) for number in range(40)]
    for version, topic in enumerate(charts):
        assert mirror.read(topic) is None
        mirror.apply(View(encode(topic), version, encode(HISTORY)))
    last, before = charts[-MOST_HISTORIES_KEPT:], charts[-MOST_HISTORIES_KEPT - 1]
    assert all(mirror.read(topic) is not None for topic in last)
    assert mirror.read(before) is None


async def test_what_comes_after_the_last_watcher_left_is_no_price() -> None:
    mirror, sent = Mirror(NOTHING_YET), list[ToService]()
    queries = MirrorQueries(mirror, SystemClock())
    mirror.attach(sent.append, read_up_to=0, is_same=False)
    rows = RowQuotesTopic((YES, NO))
    good = BookView(YES, BookState.LIVE), BookView(NO, BookState.LIVE)
    for topic, view in ((rows, RowBooksView(good)), (BookTopic(YES), good[0])):
        watching = mirror.subscribe([topic], lambda _: None)
        mirror.apply(View(encode(topic), 1, encode(view)))
        assert queries.book(YES).state is BookState.LIVE
        watching.close()
        # It was under way when the service heard that nobody watches it any more.
        mirror.apply(View(encode(topic), 2, encode(view)))
        sent.clear()
        assert queries.book(YES).state is BookState.LOADING
        assert sent == [Peek(encode(BookTopic(YES)))]


async def test_a_view_that_was_left_is_shown_at_once_and_requested_again() -> None:
    mirror, sent = Mirror(NOTHING_YET), list[ToService]()
    mirror.attach(sent.append, read_up_to=0, is_same=False)
    topic = HistoryTopic(YES, Interval.DAY)
    watching = mirror.subscribe([topic], lambda _: None)
    mirror.apply(View(encode(topic), 1, encode(HISTORY)))
    watching.close()
    sent.clear()
    assert [mirror.read(topic) for _ in range(3)] == [HISTORY] * 3
    assert sent == [Peek(encode(topic))]
    mirror.attach(sent.append, read_up_to=0, is_same=True)
    sent.clear()
    assert mirror.read(topic) == HISTORY
    assert sent == [Peek(encode(topic))]
