import asyncio
from collections.abc import AsyncIterator

import pytest

from pmtui.domain.ids import TokenId
from pmtui.service.hub import FollowedTopics, Hub
from pmtui.service.topics import BookTopic, StatusTopic, Topic
from tests.manual_clock import ManualClock, settle

BOOK = BookTopic(TokenId("1"))


@pytest.fixture
async def pumped() -> AsyncIterator[tuple[Hub, ManualClock]]:
    clock = ManualClock()
    hub = Hub(clock, frames_per_second=10)
    task = asyncio.create_task(hub.pump())
    yield hub, clock
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_subscriber_is_told_the_present_state_at_once(
    pumped: tuple[Hub, ManualClock],
) -> None:
    hub, _ = pumped
    heard: list[Topic] = []
    hub.subscribe([BOOK, StatusTopic()], heard.append)
    await settle()
    assert set(heard) == {BOOK, StatusTopic()}


async def test_many_changes_within_a_frame_are_told_once(pumped: tuple[Hub, ManualClock]) -> None:
    hub, clock = pumped
    heard: list[Topic] = []
    hub.subscribe([BOOK], heard.append)
    await settle()
    heard.clear()
    for _ in range(1_000):
        hub.mark(BOOK)
    await settle()
    assert heard == []
    await clock.advance(0.1)
    assert heard == [BOOK]


async def test_the_first_change_after_a_pause_is_told_without_waiting(
    pumped: tuple[Hub, ManualClock],
) -> None:
    hub, clock = pumped
    heard: list[Topic] = []
    hub.subscribe([BOOK], heard.append)
    await clock.advance(5)
    heard.clear()
    hub.mark(BOOK)
    await settle()
    assert heard == [BOOK]


async def test_a_mark_made_while_telling_belongs_to_the_next_frame(
    pumped: tuple[Hub, ManualClock],
) -> None:
    hub, clock = pumped
    heard: list[Topic] = []

    def hear(topic: Topic) -> None:
        heard.append(topic)
        if len(heard) == 1:
            hub.mark(topic)

    hub.subscribe([BOOK], hear)
    await settle()
    assert len(heard) == 1
    await clock.advance(0.1)
    assert len(heard) == 2


def test_demand_is_told_for_the_first_and_the_last_watcher_only() -> None:
    hub = Hub(ManualClock())
    wanted: list[Topic] = []
    released: list[Topic] = []
    hub.on_demand(wanted.append)
    hub.on_release(released.append)
    first = hub.subscribe([BOOK], lambda _: None)
    second = hub.subscribe([BOOK], lambda _: None)
    assert wanted == [BOOK]
    first.close()
    first.close()
    assert hub.is_watched(BOOK)
    assert released == []
    second.close()
    assert released == [BOOK]
    assert not hub.watched()


def test_a_topic_without_watchers_is_not_kept_dirty() -> None:
    hub = Hub(ManualClock())
    heard: list[Topic] = []
    hub.mark(BOOK)
    subscription = hub.subscribe([BOOK], heard.append)
    subscription.close()
    hub.flush()
    assert heard == []


def test_a_frame_has_ended_before_its_subscribers_are_told() -> None:
    hub = Hub(ManualClock())
    frames: list[int] = []
    hub.subscribe([BOOK], lambda _: frames.append(hub.frame))
    hub.flush()
    hub.mark(BOOK)
    hub.flush()
    assert frames == [1, 2]


async def test_a_view_is_built_once_a_frame_and_anew_after_a_mark(
    pumped: tuple[Hub, ManualClock],
) -> None:
    hub, clock = pumped
    built = iter(range(9))

    def ask() -> int:
        return hub.view(BOOK, lambda: next(built))

    assert [ask(), ask()] == [0, 0]
    hub.mark(BOOK)
    assert [ask(), ask()] == [1, 1]
    hub.mark(StatusTopic())
    assert ask() == 1
    await clock.advance(0.1)
    assert [ask(), ask()] == [2, 2]


def test_a_view_does_not_outlive_the_frame_in_which_anything_was_told() -> None:
    hub = Hub(ManualClock())
    assert hub.view(BOOK, lambda: "before") == "before"
    hub.flush()
    assert hub.view(BOOK, lambda: "after") == "after"


async def test_what_is_only_followed_is_in_nobodys_sight(
    pumped: tuple[Hub, ManualClock],
) -> None:
    hub, _ = pumped
    followed = FollowedTopics(hub, lambda _: None, is_in_sight=False)
    followed.follow([BOOK])
    assert hub.is_watched(BOOK)
    assert hub.in_sight() == ()
    seen = hub.subscribe([BOOK], lambda _: None)
    assert hub.in_sight() == (BOOK,)
    seen.close()
    assert hub.in_sight() == ()
