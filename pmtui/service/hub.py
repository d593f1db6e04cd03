"""Subscriptions and the frame pump: changes apply at once, notifications are sent once per frame.

Only notifications are coalesced. A topic that changed a thousand times within a frame is announced
once, and its subscribers read the newest value. A topic without watchers costs nothing, and its feed
is notified that it may stop.

A topic's view is built once per frame, however many screens and panes read it. Marking the topic
invalidates it, so that a query right after a command gets the current state. Values without a mark
of their own, such as the price of a position while its book moves, are at most as old as the frame.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar, cast

from pmtui.service.clock import Clock
from pmtui.service.topics import AnyTopic, Topic

Notify = Callable[[Topic], None]
V = TypeVar("V")

DEFAULT_FRAMES_PER_SECOND = 10


class TopicSubscription:
    """One subscriber's interest in some topics."""

    def __init__(
        self,
        topics: frozenset[Topic],
        notify: Notify,
        *,
        drop: "Callable[[TopicSubscription], None]",
        is_in_sight: bool = True,
    ) -> None:
        self.topics = topics
        self.notify = notify
        self.is_in_sight = is_in_sight
        self._drop = drop
        self.is_open = True

    def close(self) -> None:
        """Unsubscribe; closing twice is harmless."""
        if self.is_open:
            self.is_open = False
            self._drop(self)


class FollowedTopics:
    """Topics that a part of the service follows; they change during the session."""

    def __init__(self, hub: "Hub", notify: Notify, *, is_in_sight: bool = True) -> None:
        self._hub = hub
        self._notify = notify
        self._is_in_sight = is_in_sight
        self._topics: frozenset[Topic] = frozenset()
        self._subscription: TopicSubscription | None = None

    def follow(self, topics: Iterable[Topic]) -> None:
        """Follow exactly these topics from now on."""
        wanted = frozenset(topics)
        if wanted == self._topics:
            return
        self._topics, before = wanted, self._subscription
        self._subscription = None
        if wanted:
            self._subscription = self._hub.subscribe(
                wanted, self._notify, is_in_sight=self._is_in_sight
            )
        # Only now: a topic that stays must not lose its last watcher in between.
        if before is not None:
            before.close()


class Hub:
    """Watchers of each topic, and the topics changed since the last notification."""

    def __init__(self, clock: Clock, *, frames_per_second: int = DEFAULT_FRAMES_PER_SECOND) -> None:
        self._clock = clock
        self._frame_s = 1 / frames_per_second
        self._subscribers: dict[Topic, list[TopicSubscription]] = {}
        self._watchers: Counter[Topic] = Counter()
        self._dirty: dict[Topic, None] = {}
        self._on_demand: list[Callable[[Topic], None]] = []
        self._on_release: list[Callable[[Topic], None]] = []
        self._changed = asyncio.Event()
        self._views: dict[AnyTopic, object] = {}
        """Views built since the frame began."""
        self._views_since = float("-inf")
        self.frame = 0
        """Number of the current frame: marking a topic twice in it has no further effect."""

    def on_demand(self, listener: Callable[[Topic], None]) -> None:
        """Call `listener` when a topic gets its first watcher."""
        self._on_demand.append(listener)

    def on_release(self, listener: Callable[[Topic], None]) -> None:
        """Call `listener` when a topic loses its last watcher."""
        self._on_release.append(listener)

    def subscribe(
        self, topics: Iterable[Topic], notify: Notify, *, is_in_sight: bool = True
    ) -> TopicSubscription:
        """Add a subscriber and announce the current state of each of its topics.

        Args:
            topics: the topics to subscribe to.
            notify: called with the changed topics.
            is_in_sight: whether somebody may trade on what it shows; an alert only compares prices.
        """
        subscription = TopicSubscription(
            frozenset(topics), notify, drop=self.drop, is_in_sight=is_in_sight
        )
        for topic in subscription.topics:
            self._subscribers.setdefault(topic, []).append(subscription)
            self._watchers[topic] += 1
            if self._watchers[topic] == 1:
                for listener in self._on_demand:
                    listener(topic)
            self.mark(topic)
        return subscription

    def drop(self, subscription: TopicSubscription) -> None:
        """Forget a subscriber."""
        for topic in subscription.topics:
            remaining = [s for s in self._subscribers.get(topic, []) if s is not subscription]
            if remaining:
                self._subscribers[topic] = remaining
            else:
                self._subscribers.pop(topic, None)
            self._watchers[topic] -= 1
            if self._watchers[topic] <= 0:
                del self._watchers[topic]
                self._dirty.pop(topic, None)
                for listener in self._on_release:
                    listener(topic)

    def is_watched(self, topic: Topic) -> bool:
        """Whether a topic has a watcher."""
        return topic in self._watchers

    def watched(self) -> tuple[Topic, ...]:
        """Every topic with a watcher."""
        return tuple(self._watchers)

    def in_sight(self) -> tuple[Topic, ...]:
        """Every watched topic that a trade may depend on."""
        return tuple(
            topic
            for topic, subscriptions in self._subscribers.items()
            if any(each.is_in_sight for each in subscriptions)
        )

    def view(self, topic: AnyTopic, build: Callable[[], V]) -> V:
        """Return a topic's view, built at most once in this frame."""
        now = self._clock.monotonic()
        if now - self._views_since >= self._frame_s:
            # If nothing is marked, no frame ends: time ends it.
            self._views.clear()
            self._views_since = now
        found = self._views.get(topic)
        if found is None:
            found = self._views[topic] = build()
        return cast("V", found)

    def mark(self, topic: Topic) -> None:
        """Mark a topic as changed. Cheap enough for every stream message."""
        self._views.pop(topic, None)
        if topic in self._watchers and topic not in self._dirty:
            self._dirty[topic] = None
            self._changed.set()

    def flush(self) -> None:
        """Notify every subscriber of the changes."""
        # Swapped before the calls: a subscriber may change what it is being notified of, and that
        # change belongs to the next frame.
        dirty, self._dirty = self._dirty, {}
        self.frame += 1
        self._views.clear()
        self._views_since = self._clock.monotonic()
        for topic in dirty:
            for subscription in tuple(self._subscribers.get(topic, ())):
                subscription.notify(topic)

    async def pump(self) -> None:
        """Flush on changes: at once after a pause, else at the end of the current frame."""
        last_frame = float("-inf")
        while True:
            await self._changed.wait()
            pause = last_frame + self._frame_s - self._clock.monotonic()
            if pause > 0:
                await self._clock.sleep(pause)
            self._changed.clear()
            last_frame = self._clock.monotonic()
            self.flush()
