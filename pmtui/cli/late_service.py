"""Stands in for the service until it is loaded, so that the first picture need not wait for it.

Nothing is known yet, and the picture says so. Keys and clicks wait in the application, so nothing
is asked here but what that picture shows. Whoever subscribes meanwhile is subscribed for real as
soon as there is a service, and hears the present state of everything then.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, cast

from pmtui.service.profile import Profile
from pmtui.service.surface import Commands, Queries, Subscription
from pmtui.service.topics import MarketListTopic, Topic
from pmtui.service.views import Load, LogView, MarketListView, StatusView

if TYPE_CHECKING:
    from datetime import datetime

    from pmtui.service.data_service import DataService
    from pmtui.service.ports import Clock

Notify = Callable[[Topic], None]


class LateService:
    """The three narrow things of a service that comes later."""

    def __init__(self, profile: Profile, clock: "Clock") -> None:
        """Know what is known without it."""
        self._queries = _Switch(_NothingYet(profile, clock))
        self._commands = _Switch(None)
        self.subscriptions = LateSubscriptions()
        self.service: DataService | None = None

    @property
    def queries(self) -> Queries:
        """What a screen asks."""
        return cast("Queries", self._queries)

    @property
    def commands(self) -> Commands:
        """What a screen orders; there is nothing to order before there is a service."""
        return cast("Commands", self._commands)

    def begin(self, service: "DataService") -> None:
        """Be this service from now on."""
        self.service = service
        self._queries.target = service.queries
        self._commands.target = service.commands
        self.subscriptions.begin(service.hub.subscribe)


class LateSubscriptions:
    """Keeps who wants to hear of what until there is something to hear."""

    def __init__(self) -> None:
        self._subscribe: Callable[[Iterable[Topic], Notify], Subscription] | None = None
        self._waiting: list[_LateSubscription] = []

    def subscribe(self, topics: Iterable[Topic], notify: Notify) -> Subscription:
        """Hear of changes, from the service's start on."""
        if self._subscribe is not None:
            return self._subscribe(topics, notify)
        waiting = _LateSubscription(tuple(topics), notify)
        self._waiting.append(waiting)
        return waiting

    def begin(self, subscribe: Callable[[Iterable[Topic], Notify], Subscription]) -> None:
        """Subscribe everybody who still waits."""
        self._subscribe = subscribe
        for waiting in self._waiting:
            if not waiting.is_closed:
                waiting.real = subscribe(waiting.topics, waiting.notify)
        self._waiting.clear()


class _LateSubscription:
    def __init__(self, topics: tuple[Topic, ...], notify: Notify) -> None:
        self.topics = topics
        self.notify = notify
        self.is_closed = False
        self.real: Subscription | None = None

    def close(self) -> None:
        self.is_closed = True
        if self.real is not None:
            self.real.close()


class _Switch:
    """Passes everything on to what it stands for now."""

    def __init__(self, target: object) -> None:
        self.target = target

    def __getattr__(self, name: str) -> object:
        return getattr(self.target, name)


class _NothingYet:
    """What the first picture asks."""

    def __init__(self, profile: Profile, clock: "Clock") -> None:
        self._profile = profile
        self._clock = clock

    def now(self) -> "datetime":
        return self._clock.now()

    def status(self) -> StatusView:
        return StatusView(
            profile=self._profile.name,
            mode=self._profile.mode,
            mode_reason=self._profile.reason,
            cash=None,
            portfolio_value=None,
            open_orders=0,
            unknown_orders=0,
            unread_notices=0,
            health=(),
            clock_skew_ms=None,
            now=self._clock.now(),
            are_orders_known=False,
        )

    def market_list(self, _topic: MarketListTopic) -> MarketListView:
        return MarketListView((), Load.LOADING, has_more=False, as_of=None)

    def log(self) -> LogView:
        return LogView(entries=(), dropped=0, read_up_to=0)
