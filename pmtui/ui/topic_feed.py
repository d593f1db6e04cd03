"""What a screen is told of the service, while it is in front and as far as the line has room."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from textual.screen import Screen

from pmtui.service.surface import Subscription, Subscriptions
from pmtui.service.topics import BookTopic, EventQuotesTopic, RowQuotesTopic, TapeTopic, Topic
from pmtui.ui.terminal.terminal_app import TerminalApp

_ONLY_SHOWN = (BookTopic, EventQuotesTopic, RowQuotesTopic, TapeTopic)
"""What may wait for a slow line: many changes, and nothing follows from them but a picture."""


class TopicFeed:
    """Subscribes to the topics of one screen and shows what changed, one topic after another."""

    def __init__(
        self,
        screen: Screen[Any],
        subscriptions: Subscriptions,
        *,
        topics: Callable[[], Iterable[Topic]],
        show: Callable[[Topic], None],
    ) -> None:
        """Begin closed.

        Args:
            screen: on whose task `show` is called.
            subscriptions: of the service.
            topics: what the screen watches now.
            show: shows what changed.
        """
        self._screen = screen
        self._subscriptions = subscriptions
        self._topics = topics
        self._show = show
        self._subscription: Subscription | None = None
        self._late: dict[Topic, None] = {}

    @property
    def is_open(self) -> bool:
        """Whether the screen is told anything."""
        return self._subscription is not None

    def open(self) -> None:
        """Watch the topics of now, and no others any more."""
        previous = self._subscription
        self._subscription = self._subscriptions.subscribe(list(self._topics()), self._on_change)
        # Only now: a topic that stays must not lose its last watcher in between.
        if previous is not None:
            previous.close()

    def close(self) -> None:
        """Watch nothing: what nobody sees costs nothing."""
        if self._subscription is not None:
            self._subscription.close()
            self._subscription = None

    def catch_up(self) -> None:
        """Show what changed while the line had no room for a picture of it."""
        late, self._late = self._late, {}
        for topic in late:
            self._show(topic)

    def _on_change(self, topic: Topic) -> None:
        app = self._screen.app
        is_behind = isinstance(app, TerminalApp) and app.terminal.is_behind
        if is_behind and isinstance(topic, _ONLY_SHOWN):
            self._late[topic] = None
        else:
            self._screen.call_next(self._show_and_yield, topic)

    # Between two topics a key gets its turn: all that is told of a frame takes some milliseconds.
    async def _show_and_yield(self, topic: Topic) -> None:
        self._show(topic)
        await asyncio.sleep(0)
