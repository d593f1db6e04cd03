"""The key that opens the command line, and what becomes of a command."""

from typing import Any

from textual.app import App

from pmtui.domain.ticket.command_line import (
    CancelOrders,
    CancelScope,
    Command,
    FindMarkets,
)
from pmtui.ui.command_line.command_screen import CommandScreen
from pmtui.ui.command_line.history import CommandHistory
from pmtui.ui.desk.desk import DeskScreen
from pmtui.ui.explore.markets import MarketsScreen
from pmtui.ui.frame import show_answer
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.surface import Surface


class CommandKey:
    """Reads a command anywhere; what trades goes through the trading screen in front."""

    def __init__(self, app: App[Any], surface: Surface) -> None:
        self._app = app
        self._surface = surface
        self._history = CommandHistory()

    def press(self, text: str = "") -> None:
        """Open the line, with what is typed already."""
        front = self._app.screen
        commands = front.controls.commands if isinstance(front, MarketScreen | DeskScreen) else None
        screen = CommandScreen(
            self._surface.options, self._history,
            outcomes=commands.outcomes if commands is not None else (),
            outcome_index=commands.outcome_index if commands is not None else 0,
            tick=commands.tick if commands is not None else None, text=text,
        )  # fmt: skip
        _ = self._app.push_screen(screen, self._obey)

    async def _obey(self, command: Command | None) -> None:
        match command:
            case None:
                return
            case CancelOrders(CancelScope.EVERYWHERE):
                await self._app.run_action("app.cancel_every_order")
            case FindMarkets(text):
                await self._app.run_action("app.search")
                front = self._app.screen
                if isinstance(front, MarketsScreen):
                    front.search.value = text
            case _:
                front = self._app.screen
                if isinstance(front, MarketScreen | DeskScreen):
                    await front.controls.commands.obey(command)
                else:
                    show_answer(self._app, "Open a market first.", is_refusal=True)
