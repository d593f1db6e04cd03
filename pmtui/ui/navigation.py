"""Navigation: one screen of each kind at most, over the market list; and the last one restored."""

from typing import Any, TypeAlias

from textual.app import App
from textual.screen import Screen

from pmtui.domain.ids import ConditionId, EventId
from pmtui.service.surface import Subscription
from pmtui.service.topics import EventTopic, MarketTopic, Topic
from pmtui.service.views import Load
from pmtui.ui.account.account import AccountScreen
from pmtui.ui.desk.desk import DeskScreen
from pmtui.ui.event.event import EventScreen
from pmtui.ui.explore.markets import MarketsScreen
from pmtui.ui.explore.watchlist import WatchlistScreen
from pmtui.ui.frame import (
    DeskChosen,
    EventChosen,
    FrameScreen,
    MarketChosen,
    StopChosen,
    TransactionsChosen,
)
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.plain import plain
from pmtui.ui.portfolio.conditionals import ConditionalsScreen
from pmtui.ui.portfolio.log import LogScreen
from pmtui.ui.portfolio.paint_portfolio import Tab
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.surface import Surface

Destination: TypeAlias = DeskChosen | EventChosen | MarketChosen | StopChosen | TransactionsChosen


_LONGEST_NAME = 60
SINGLE_SCREENS: dict[str, type[FrameScreen]] = {
    kind.PLACE: kind
    for kind in (PortfolioScreen, WatchlistScreen, AccountScreen, LogScreen, ConditionalsScreen)
}
"""Screens that exist once at most."""


class Navigation:
    """Opens and closes screens, and restores that of the last session."""

    def __init__(self, app: App[Any], surface: Surface) -> None:
        self._app = app
        self._surface = surface
        # Read now, because the first screen of this session is remembered, too.
        self._place = surface.memory.place
        self._restored: Screen[Any] | None = None
        self._subscription: Subscription | None = None

    def go(self, destination: Destination) -> None:
        """Open the screen that a message asks for."""
        match destination:
            case EventChosen(event_id):
                _ = self._app.push_screen(EventScreen(self._surface, event_id))
            case MarketChosen():
                self._disarm()
                _ = self._app.push_screen(
                    MarketScreen(
                        self._surface, destination.condition_id,
                        outcome_index=destination.outcome_index, ticket=destination.side,
                        aim=destination.aim,
                    )
                )  # fmt: skip
            case DeskChosen(event_id, first):
                _ = self._app.push_screen(DeskScreen(self._surface, event_id, first))
            case StopChosen(conditional_id):
                self.bring_forward(ConditionalsScreen)
                if isinstance(self._app.screen, ConditionalsScreen):
                    self._app.screen.explain(conditional_id)
            case TransactionsChosen():
                self.bring_forward(PortfolioScreen)
                if isinstance(self._app.screen, PortfolioScreen):
                    self._app.screen.show_first(Tab.TRANSACTIONS)

    def _disarm(self) -> None:
        """Disarm single keys because the market changes."""
        until, now = self._surface.queries.status().armed_until, self._surface.queries.now()
        if until is not None and until > now:
            self._surface.commands.disarm("another market was opened")

    def return_to_markets(self) -> MarketsScreen:
        """Close everything over the market list, and return that."""
        app = self._app
        while len(app.screen_stack) > 1:
            _ = app.pop_screen()
        screen = app.screen_stack[0]
        if not isinstance(screen, MarketsScreen):
            raise TypeError("the first screen is the list of markets")
        return screen

    def bring_forward(self, kind: type[FrameScreen]) -> None:
        """Bring the screen of a kind to the front, closing those above it."""
        app = self._app
        if isinstance(app.screen, kind):
            return
        if any(isinstance(screen, kind) for screen in app.screen_stack):
            while not isinstance(app.screen, kind):
                _ = app.pop_screen()
        else:
            _ = app.push_screen(kind(self._surface))

    def restore(self) -> None:
        """Open the screen of the last session; a market that is gone leads to the list.

        Whether a market still trades is known only once it has loaded.
        """
        place = self._place
        match place.screen:
            case MarketScreen.PLACE if place.item:
                chosen = MarketChosen(ConditionId(place.item), max(0, min(place.outcome, 1)))
                self.go(chosen)
                self._watch(MarketTopic(chosen.condition_id))
            case EventScreen.PLACE if place.item:
                self.go(EventChosen(EventId(place.item)))
                self._watch(EventTopic(EventId(place.item)))
            case name if name in SINGLE_SCREENS:
                self.bring_forward(SINGLE_SCREENS[name])
                tab = next((each for each in Tab if each.value == place.tab), None)
                if tab is not None and isinstance(self._app.screen, PortfolioScreen):
                    self._app.screen.show_first(tab)
            case _:
                pass

    def _watch(self, topic: Topic) -> None:
        self._restored = self._app.screen
        self._subscription = self._surface.subscriptions.subscribe([topic], self._on_change)

    def _on_change(self, topic: Topic) -> None:
        self._app.call_next(self._check, topic)

    def _check(self, topic: Topic) -> None:
        # While the terminal closes there is no screen any more.
        if self._subscription is None or not self._app.screen_stack:
            return
        is_in_front = self._app.screen is self._restored
        why = self._why_gone(topic)
        if why is None and is_in_front:
            return
        self._subscription.close()
        self._subscription = None
        # A trader who has moved on, or started to type, stays there.
        if why and is_in_front:
            self.return_to_markets().message_line.show(why)

    def _why_gone(self, topic: Topic) -> str | None:
        """Return why the restored screen must close; empty if it can stay, None while unknown."""
        queries, name, load, is_closed = self._surface.queries, "", Load.LOADING, False
        if isinstance(topic, MarketTopic):
            view = queries.market(topic.condition_id)
            load = view.load
            if view.market is not None:
                name, is_closed = view.market.distinct_name, view.market.closed
        elif isinstance(topic, EventTopic):
            found = queries.event(topic.event_id)
            load = found.load
            if found.event is not None:
                name, is_closed = found.event.title, found.event.closed
        if is_closed:
            return f"Closed since you left: {plain(name, _LONGEST_NAME)}"
        if name:
            return ""
        return "What you had open before could not be loaded." if load is Load.FAILED else None
