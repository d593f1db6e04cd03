"""The keys of the watchlist that work everywhere, and the bell that rings for price alerts."""

from typing import Any

from textual.app import App

from pmtui.domain.markets.watchlist import StarKind
from pmtui.service.surface import Subscription
from pmtui.service.topics import AlertTopic, Topic
from pmtui.ui.facts import key_of
from pmtui.ui.frame import FrameScreen
from pmtui.ui.keys.answers import show_answer
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface

_LONGEST_TITLE = 28


class WatchKeys:
    """Stars what is under the cursor, and rings when an alert fires."""

    def __init__(self, app: App[Any], surface: Surface) -> None:
        self._app = app
        self._surface = surface
        self._rung = 0
        self._alerts: Subscription | None = None

    def listen_for_alerts(self) -> None:
        """Ring from now on for every price alert that fires, whatever is on the screen."""
        if self._alerts is None:
            subscribe = self._surface.subscriptions.subscribe
            self._alerts = subscribe((AlertTopic(),), self._on_alert)

    async def press_star(self) -> None:
        """Star what is under the cursor, or star it no more."""
        screen = self._app.screen
        found = screen.to_star() if isinstance(screen, FrameScreen) else None
        if found is None:
            show_answer(self._app, "Nothing to star here.")
            return
        key, title = found
        queries, commands = self._surface.queries, self._surface.commands
        name = plain(title, _LONGEST_TITLE)
        watchlist = queries.watchlist()
        if not watchlist.is_starred(key):
            problem = await commands.star(key, title)
            to_list = key_of(self._surface.options.keymap, "global.watchlist")
            show_answer(self._app, problem or f"Starred {name}; {to_list} lists it.")
            return
        commands.unstar(key)
        waits = any(row.key == key and row.alerts for row in watchlist.rows)
        left = " Its alerts stay." if waits and key.kind is StarKind.MARKET else ""
        show_answer(self._app, f"Unstarred {name}.{left}")

    def _on_alert(self, _: Topic) -> None:
        self._app.call_next(self._ring)

    def _ring(self) -> None:
        rung = self._surface.queries.alerts().fired
        if rung > self._rung:
            self._app.bell()
        self._rung = rung
