"""The keys of the watchlist that work everywhere, and the bell that rings for price alerts."""

from abc import abstractmethod

from textual.app import App

from pmtui.domain.markets.watchlist import StarKind
from pmtui.service.surface import Subscription
from pmtui.service.topics import AlertTopic, Topic
from pmtui.ui.frame import FrameScreen
from pmtui.ui.paint.facts import key_of
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface

_LONGEST_TITLE = 28


class WatchKeys(App[None]):
    """An application that stars what is under the cursor, and rings."""

    surface: Surface
    _rung = 0
    _alerts: Subscription | None = None

    def listen_for_alerts(self) -> None:
        """Ring from now on for every price alert that fires, whatever is on the screen."""
        if self._alerts is None:
            subscribe = self.surface.subscriptions.subscribe
            self._alerts = subscribe((AlertTopic(),), self._hear_alert)

    async def action_star(self) -> None:
        """Star what is under the cursor, or star it no more."""
        screen = self.screen
        found = screen.to_star() if isinstance(screen, FrameScreen) else None
        if found is None:
            self._tell("Nothing to star here.")
            return
        key, title = found
        queries, commands = self.surface.queries, self.surface.commands
        name = plain(title, _LONGEST_TITLE)
        watchlist = queries.watchlist()
        if not watchlist.is_starred(key):
            problem = await commands.star(key, title)
            to_list = key_of(self.surface.options.keymap, "global.watchlist")
            self._tell(problem or f"Starred {name}; {to_list} lists it.")
            return
        commands.unstar(key)
        waits = any(row.key == key and row.alerts for row in watchlist.rows)
        left = " Its alerts stay." if waits and key.kind is StarKind.MARKET else ""
        self._tell(f"Unstarred {name}.{left}")

    @abstractmethod
    def action_watchlist(self) -> None:
        """Go to what is starred."""

    def _tell(self, text: str) -> None:
        line = self.screen.message_line if isinstance(self.screen, FrameScreen) else None
        if line is not None:
            # A line of its own covers nothing.
            line.say(text)
        else:
            self.notify(text, markup=False, timeout=4)

    def _hear_alert(self, _: Topic) -> None:
        self.call_next(self._ring)

    def _ring(self) -> None:
        rung = self.surface.queries.alerts().fired
        if rung > self._rung:
            self.bell()
        self._rung = rung
