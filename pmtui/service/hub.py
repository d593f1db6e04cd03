"""Subscriptions and the frame pump: changes are applied at once, told at most once a frame.

Only notifications collapse. A topic that changed a thousand times within a frame is announced once,
and whoever is notified reads the newest value. A topic without watchers costs nothing, and its
feed is told that it may stop.

A topic's view is built once a frame, however many screens and panes ask for it. A mark of the topic
ends it, so that a question right after a command is answered with the truth. What has no mark of its
own, such as the price of a position while its book moves, is as old as the frame at most.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar, cast

from pmtui.service.clock import Clock
from pmtui.service.topics import Topic

Notify = Callable[[Topic], None]
V = TypeVar("V")

DEFAULT_FRAMES_PER_SECOND = 10


class HubSubscription:
    """One subscriber's interest in some topics."""

    def __init__(
        self, hub: "Hub", topics: frozenset[Topic], notify: Notify, *, is_in_sight: bool
    ) -> None:
        self.topics = topics
        self.notify = notify
        self.is_in_sight = is_in_sight
        self._hub = hub
        self._is_open = True

    def close(self) -> None:
        """Unsubscribe; closing twice is harmless."""
        if self._is_open:
            self._is_open = False
            self._hub.drop(self)


class FollowedTopics:
    """Topics that a part of the service follows; they change during the session."""

    def __init__(self, hub: "Hub", notify: Notify, *, is_in_sight: bool = True) -> None:
        self._hub = hub
        self._notify = notify
        self._is_in_sight = is_in_sight
        self._topics: frozenset[Topic] = frozenset()
        self._subscription: HubSubscription | None = None

    def follow(self, topics: Iterable[Topic]) -> None:
        """Follow these topics from now on, and no others."""
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
    """Who watches which topics, and which topics have changed since the last notification."""

    def __init__(self, clock: Clock, *, frames_per_second: int = DEFAULT_FRAMES_PER_SECOND) -> None:
        self._clock = clock
        self._frame_s = 1 / frames_per_second
        self._subscribers: dict[Topic, list[HubSubscription]] = {}
        self._watchers: Counter[Topic] = Counter()
        self._dirty: dict[Topic, None] = {}
        self._on_demand: list[Callable[[Topic], None]] = []
        self._on_release: list[Callable[[Topic], None]] = []
        self._changed = asyncio.Event()
        self._views: dict[Topic, object] = {}
        """What was built since the frame began."""
        self._views_since = float("-inf")
        self.frame = 0
        """Number of the frame that is being marked: marking a topic twice in it changes nothing."""

    def on_demand(self, listener: Callable[[Topic], None]) -> None:
        """Call `listener` when a topic gets its first watcher."""
        self._on_demand.append(listener)

    def on_release(self, listener: Callable[[Topic], None]) -> None:
        """Call `listener` when a topic has lost its last watcher."""
        self._on_release.append(listener)

    def subscribe(
        self, topics: Iterable[Topic], notify: Notify, *, is_in_sight: bool = True
    ) -> HubSubscription:
        """Add a subscriber and announce the present state of each of its topics.

        Args:
            topics: what it hears of.
            notify: is told which of them changed.
            is_in_sight: whether somebody may trade by what it shows; an alert only compares prices.
        """
        subscription = HubSubscription(self, frozenset(topics), notify, is_in_sight=is_in_sight)
        for topic in subscription.topics:
            self._subscribers.setdefault(topic, []).append(subscription)
            self._watchers[topic] += 1
            if self._watchers[topic] == 1:
                for listener in self._on_demand:
                    listener(topic)
            self.mark(topic)
        return subscription

    def drop(self, subscription: HubSubscription) -> None:
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

    def view(self, topic: Topic, build: Callable[[], V]) -> V:
        """Return a topic's view, built unless that was done in this frame."""
        now = self._clock.monotonic()
        if now - self._views_since >= self._frame_s:
            # Where nothing is marked no frame ends: time ends it.
            self._views.clear()
            self._views_since = now
        found = self._views.get(topic)
        if found is None:
            found = self._views[topic] = build()
        return cast("V", found)

    def mark(self, topic: Topic) -> None:
        """Mark a topic as changed. Cheap enough for every message of a stream."""
        self._views.pop(topic, None)
        if topic in self._watchers and topic not in self._dirty:
            self._dirty[topic] = None
            self._changed.set()

    def flush(self) -> None:
        """Notify every subscriber of what changed."""
        # Swapped before calling: a subscriber may change what it is being told about, and that
        # change belongs to the next frame.
        dirty, self._dirty = self._dirty, {}
        self.frame += 1
        self._views.clear()
        self._views_since = self._clock.monotonic()
        for topic in dirty:
            for subscription in tuple(self._subscribers.get(topic, ())):
                subscription.notify(topic)

    async def pump(self) -> None:
        """Flush as changes come: at once after a pause, else at the end of the running frame."""
        last_frame = float("-inf")
        while True:
            await self._changed.wait()
            pause = last_frame + self._frame_s - self._clock.monotonic()
            if pause > 0:
                await self._clock.sleep(pause)
            self._changed.clear()
            last_frame = self._clock.monotonic()
            self.flush()
