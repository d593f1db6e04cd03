"""What a terminal shows before its service has answered."""

from pmtui.link.mirror import Mirror
from pmtui.link.mirror_queries import MirrorQueries, narrow
from pmtui.service.clock import SystemClock
from pmtui.service.topics import SearchTopic
from pmtui.service.views import Load, MarketRow, SearchView
from tests.link.kit import NOTHING_YET
from tests.service.fakes import MARKET

FOUND = SearchView("river", (MarketRow(MARKET, None, "River levels"),), Load.READY, indexed=9)


def test_results_of_a_shorter_text_stay_as_far_as_they_fit_the_longer_one() -> None:
    assert narrow(FOUND, "river four METRES levels").rows == FOUND.rows
    assert narrow(FOUND, "river four").load is Load.LOADING
    assert narrow(FOUND, "river five").rows == ()
    assert narrow(FOUND, " ").rows == ()


def test_before_the_first_answer_nothing_is_found() -> None:
    queries = MirrorQueries(Mirror(NOTHING_YET), SystemClock())
    assert queries.search(SearchTopic("river")).rows == ()
    assert queries.status() == NOTHING_YET
    assert queries.account().load is Load.LOADING
