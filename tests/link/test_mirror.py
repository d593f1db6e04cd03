"""What a terminal shows before its service has answered."""

import pytest

from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import Interval
from pmtui.link.messages import View
from pmtui.link.mirror import MOST_HISTORIES_KEPT, Mirror, MirrorQueries, narrow
from pmtui.service.clock import SystemClock
from pmtui.service.codec import encode
from pmtui.service.topics import VIEW_TYPES, AlertTopic, AnyTopic, HistoryTopic, SearchTopic
from pmtui.service.views import AlertsView, HistoryView, Load, MarketRow, SearchView
from tests.link.kit import NOTHING_YET
from tests.service.every_topic import topics
from tests.service.fakes import MARKET

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
        mirror.apply(View(encode(topic), version, encode(HISTORY)))
    last, before = charts[-MOST_HISTORIES_KEPT:], charts[-MOST_HISTORIES_KEPT - 1]
    assert all(mirror.read(topic) is not None for topic in last)
    assert mirror.read(before) is None
