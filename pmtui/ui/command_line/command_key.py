"""The key that opens the command line, and the dispatch of commands."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from textual.app import App

from pmtui.domain.markets.market import Market
from pmtui.domain.ticket.command_line import (
    CancelOrders,
    CancelTarget,
    ChooseTheme,
    Command,
    FindMarkets,
    GoToScreen,
    Screen,
    SetAlert,
)
from pmtui.ui.command_line.command_screen import CommandHistory, CommandScreen, refuse_nothing
from pmtui.ui.desk.desk import DeskScreen
from pmtui.ui.explore.alert_form import AlertForm
from pmtui.ui.explore.markets import MarketsScreen
from pmtui.ui.frame import FrameScreen, show_answer
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.surface import Surface

_ACTIONS: Mapping[Screen, str] = {
    Screen.MARKETS: "app.markets",
    Screen.PORTFOLIO: "app.bring_forward('portfolio')",
    Screen.WATCHLIST: "app.bring_forward('watchlist')",
    Screen.LOG: "app.bring_forward('log')",
    Screen.ACCOUNT: "app.bring_forward('account')",
    Screen.STOPS: "app.bring_forward('conditionals')",
}


class CommandKey:
    """Runs commands on any screen; trading commands go to the trading screen in front."""

    def __init__(
        self, app: App[Any], surface: Surface, themes: Callable[[], Sequence[str]]
    ) -> None:
        """Read commands for an application."""
        self._app = app
        self._themes = themes
        self._surface = surface
        self._history = CommandHistory()

    def press(self, text: str = "") -> None:
        """Open the command line, with a text if given."""
        front = self._app.screen
        commands = front.controls.commands if isinstance(front, MarketScreen | DeskScreen) else None
        row = front.cursor_item().traded if isinstance(front, FrameScreen) else None
        outcomes: tuple[str, ...] = ()
        if commands is not None:
            outcomes = commands.outcomes
        elif row is not None:
            outcomes = tuple(outcome.label for outcome in row[0].outcomes)
        screen = CommandScreen(
            self._surface.options, self._history, outcomes=outcomes,
            outcome_index=commands.outcome_index if commands is not None else row[1] if row else 0,
            tick=commands.tick if commands is not None else None, text=text,
            refusal=commands.refusal if commands is not None else refuse_nothing,
        )  # fmt: skip
        _ = self._app.push_screen(screen, partial(self._obey, row[0] if row else None))

    async def _obey(self, market: Market | None, command: Command | None) -> None:
        """Run a command.

        Args:
            market: the market of the selected row; None on a screen without rows.
            command: the parsed command; None for none.
        """
        match command:
            case None:
                return
            case CancelOrders(CancelTarget.EVERYWHERE):
                await self._app.run_action("app.cancel_every_order")
            case FindMarkets(text):
                await self._app.run_action("app.search")
                front = self._app.screen
                if isinstance(front, MarketsScreen):
                    front.search.value = text
            case GoToScreen(screen):
                await self._app.run_action(_ACTIONS[screen])
            case ChooseTheme(name):
                await self._choose_theme(name)
            case SetAlert():
                await self._set_alert(command)
            case _:
                await self._trade(market, command)

    async def _trade(self, market: Market | None, command: Command) -> None:
        """Run a trading command in the market shown, or in that of the selected row."""
        front = self._app.screen
        if isinstance(front, MarketScreen | DeskScreen):
            await front.controls.commands.obey(command)
        elif market is not None and market.condition_id is not None:
            screen = MarketScreen(self._surface, market.condition_id)
            _ = self._app.push_screen(screen)
            screen.controls.commands.want(command)
        else:
            show_answer(self._app, "Open a market first.", is_refusal=True)

    async def _choose_theme(self, name: str) -> None:
        if not name:
            await self._app.run_action("app.change_theme")
        elif name in self._themes():
            self._app.theme = name
            self._surface.memory.keep_theme(name)
        else:
            show_answer(self._app, f"No theme {name}: {', '.join(self._themes())}")

    async def _set_alert(self, command: SetAlert) -> None:
        front = self._app.screen
        if isinstance(front, FrameScreen) and "set_alert" in front.actions:
            await front.action_perform("set_alert")
            form = self._app.screen
            if isinstance(form, AlertForm):
                form.call_next(form.begin_with, command.price, command.condition)
        else:
            show_answer(self._app, "Open a market first.", is_refusal=True)
