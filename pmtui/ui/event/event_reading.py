"""What there is to read of an event, and starring it whole."""

from collections.abc import Callable
from typing import Any

from textual.screen import Screen

from pmtui.domain.ids import EventId
from pmtui.domain.markets.market import Market
from pmtui.domain.markets.watchlist import key_of_event
from pmtui.ui.explore.reading import CommentsScreen, HoldersScreen, RulesScreen
from pmtui.ui.message_line import MessageLine
from pmtui.ui.surface import Surface


class EventReading:
    """Opens rules, comments and holders over the event's screen."""

    def __init__(
        self, page: Screen[Any], surface: Surface, line: MessageLine, event_id: EventId, *,
        market: Callable[[], Market | None],
    ) -> None:  # fmt: skip
        """Read about one event.

        Args:
            page: over which it opens.
            surface: the service and the user's choices.
            line: says why something does not open.
            event_id: of the event.
            market: returns the market at the cursor.
        """
        self._page = page
        self._surface = surface
        self._line = line
        self._event_id = event_id
        self._market = market

    def show_rules(self) -> None:
        """Show the rules of the market at the cursor, and of the event."""
        market = self._market()
        condition_id = market.condition_id if market else None
        screen = RulesScreen(self._surface, self._event_id, condition_id)
        _ = self._page.app.push_screen(screen)

    def show_comments(self) -> None:
        """Show what people say."""
        _ = self._page.app.push_screen(CommentsScreen(self._surface, self._event_id))

    def show_holders(self) -> None:
        """Show who holds most of the market at the cursor."""
        market = self._market()
        if market is None or market.condition_id is None:
            self._line.show("No condition id yet, so no holders.")
            return
        _ = self._page.app.push_screen(HoldersScreen(self._surface, market.condition_id))

    async def star_event(self) -> None:
        """Star the event as a whole, or star it no more."""
        queries, commands = self._surface.queries, self._surface.commands
        event = queries.event(self._event_id).event
        if event is None:
            self._line.show("The event is not loaded yet.")
            return
        key = key_of_event(event)
        if queries.watchlist().is_starred(key):
            commands.unstar(key)
            self._line.show("Event unstarred.")
        else:
            problem = await commands.star(key, event.title)
            self._line.show(problem or "Event starred.")
