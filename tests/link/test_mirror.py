"""What a terminal shows before its service has answered."""

import pytest

from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import Interval
from pmtui.link.messages import Peek, ToService, View
from pmtui.link.mirror import MOST_HISTORIES_KEPT, Mirror, MirrorQueries, narrow
from pmtui.service.clock import SystemClock
from pmtui.service.codec import encode
from pmtui.service.topics import (
    VIEW_TYPES,
    AlertTopic,
    AnyTopic,
    BookTopic,
    HistoryTopic,
    RowQuotesTopic,
    SearchTopic,
)
from pmtui.service.views import AlertsView, HistoryView, Load, MarketRow, RowBooksView, SearchView
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
