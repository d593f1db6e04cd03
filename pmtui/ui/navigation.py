"""Which screen is in front: one of each kind at most, over the list of markets."""

from typing import Any, TypeAlias

from textual.app import App

from pmtui.domain.ids import ConditionId, EventId
from pmtui.ui.desk.desk import DeskScreen
from pmtui.ui.event.event import EventScreen
from pmtui.ui.explore.markets import MarketsScreen
from pmtui.ui.frame import DeskChosen, EventChosen, FrameScreen, MarketChosen, TransactionsChosen
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.portfolio.paint_portfolio import Tab
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.surface import Surface

Destination: TypeAlias = DeskChosen | EventChosen | MarketChosen | TransactionsChosen


class Navigation:
    """Puts screens in front of an application."""

    def __init__(self, app: App[Any], surface: Surface) -> None:
        self._app = app
        self._surface = surface

    def go(self, destination: Destination) -> None:
        """Go where a screen wants to."""
        match destination:
            case EventChosen(event_id):
                self.open_event(event_id)
            case MarketChosen():
                self._disarm()
                _ = self._app.push_screen(
                    MarketScreen(
                        self._surface, destination.condition_id,
                        outcome_index=destination.outcome_index, ticket=destination.side,
                    )
                )  # fmt: skip
            case DeskChosen(event_id, first):
                _ = self._app.push_screen(DeskScreen(self._surface, event_id, first))
            case TransactionsChosen():
                self.bring_forward(PortfolioScreen)
                if isinstance(self._app.screen, PortfolioScreen):
                    self._app.screen.show_first(Tab.TRANSACTIONS)

    def open_event(self, event_id: EventId) -> None:
        """Put an event in front."""
        _ = self._app.push_screen(EventScreen(self._surface, event_id))

    def open_market(self, condition_id: ConditionId) -> None:
        """Put a market in front."""
        self._disarm()
        _ = self._app.push_screen(MarketScreen(self._surface, condition_id))

    def _disarm(self) -> None:
        """Let single keys trade in no market that they were not armed for."""
        until, now = self._surface.queries.status().armed_until, self._surface.queries.now()
        if until is not None and until > now:
            self._surface.commands.disarm("another market was opened")

    def return_to_markets(self) -> MarketsScreen:
        """Close everything over the list of markets, and return that."""
        app = self._app
        while len(app.screen_stack) > 1:
            _ = app.pop_screen()
        screen = app.screen_stack[0]
        if not isinstance(screen, MarketsScreen):
            raise TypeError("the first screen is the list of markets")
        return screen

    def bring_forward(self, kind: type[FrameScreen]) -> None:
        """Put the screen of a kind in front, and close what was over it."""
        app = self._app
        if isinstance(app.screen, kind):
            return
        if any(isinstance(screen, kind) for screen in app.screen_stack):
            while not isinstance(app.screen, kind):
                _ = app.pop_screen()
        else:
            _ = app.push_screen(kind(self._surface))
