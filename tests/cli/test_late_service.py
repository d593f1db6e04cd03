"""What stands in for the service while it is loaded."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime

import pytest

from pmtui.cli.late_service import LateService, LateSubscriptions
from pmtui.service.profile import Profile
from pmtui.service.topics import LogTopic, MarketListTopic, StatusTopic, Topic
from pmtui.service.views import Load, Mode
from pmtui.ui.app import PmtuiApp
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme_files import load_themes
from tests.manual_clock import ManualClock
from tests.ui.wait import until

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


class Heard:
    """A hub that only remembers."""

    def __init__(self) -> None:
        self.topics: list[tuple[Topic, ...]] = []
        self.closed = 0

    def subscribe(self, topics: Iterable[Topic], notify: Callable[[Topic], None]) -> "Heard":
        wanted = tuple(topics)
        self.topics.append(wanted)
        for topic in wanted:
            notify(topic)
        return self

    def close(self) -> None:
        self.closed += 1


def test_the_first_picture_knows_the_profile_and_nothing_else() -> None:
    late = LateService(Profile("mine", Mode.READ_ONLY, "no key"), ManualClock(NOW))
    status = late.queries.status()
    assert (status.profile, status.mode, status.mode_reason) == ("mine", Mode.READ_ONLY, "no key")
    assert status.cash is None
    assert not status.are_orders_known
    assert late.queries.now() == NOW
    view = late.queries.market_list(MarketListTopic())
    assert (view.rows, view.load) == ((), Load.LOADING)
    assert late.queries.log().entries == ()


async def test_the_first_screen_needs_nothing_that_comes_later() -> None:
    late = LateService(Profile("paper", Mode.PAPER), ManualClock(NOW))
    painted: list[bool] = []
    app = PmtuiApp(
        Surface(late.queries, late.commands, late.subscriptions),
        themes=load_themes()[0],
        on_first_paint=lambda: painted.append(True),
    )
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: painted, "the first picture")
    assert app.crash is None


def test_nothing_can_be_ordered_before_there_is_a_service() -> None:
    late = LateService(Profile("paper", Mode.PAPER), ManualClock(NOW))
    with pytest.raises(AttributeError):
        late.commands.cancel_all()


def test_whoever_subscribed_early_hears_everything_from_the_start_on() -> None:
    late, hub = LateSubscriptions(), Heard()
    told: list[Topic] = []
    kept = late.subscribe([StatusTopic(), LogTopic()], told.append)
    gone = late.subscribe([MarketListTopic()], told.append)
    gone.close()
    assert told == []
    late.begin(hub.subscribe)
    assert hub.topics == [(StatusTopic(), LogTopic())]
    assert told == [StatusTopic(), LogTopic()]
    kept.close()
    assert hub.closed == 1


def test_later_subscriptions_go_straight_through() -> None:
    late, hub = LateSubscriptions(), Heard()
    late.begin(hub.subscribe)
    assert late.subscribe([StatusTopic()], lambda _: None) is hub
