"""The key that stars what is under the cursor, on every screen."""

from typing import Any

from textual.app import App

from pmtui.domain.markets.watchlist import StarKind
from pmtui.ui.facts import key_of
from pmtui.ui.frame import FrameScreen, show_answer
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface

_LONGEST_TITLE = 28


class WatchKeys:
    """Stars what is under the cursor."""

    def __init__(self, app: App[Any], surface: Surface) -> None:
        self._app = app
        self._surface = surface

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
