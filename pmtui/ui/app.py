"""The terminal's application: which screen is in front, themes, keys, and what a crash shows."""

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual.app import App
from textual.binding import BindingType
from textual.driver import Driver
from textual.screen import Screen
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.theme import Theme
from textual.worker import WorkerFailed
from typing_extensions import override

from pmtui.domain.ids import ConditionId, EventId
from pmtui.domain.orders.heartbeat import ExitPolicy
from pmtui.ui.account.account import AccountScreen
from pmtui.ui.cells import Line
from pmtui.ui.explore.event import EventScreen
from pmtui.ui.explore.markets import MarketsScreen
from pmtui.ui.explore.watchlist import WatchlistScreen
from pmtui.ui.frame import FrameScreen
from pmtui.ui.keys.action import Context
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.keys.help import HelpScreen
from pmtui.ui.keys.kill_key import KillKey
from pmtui.ui.keys.palette import ActionProvider, StarProvider, ThemeProvider
from pmtui.ui.keys.tour_guide import TourGuide
from pmtui.ui.keys.watch_keys import WatchKeys
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.market.market_facts import title_of, why_nothing_of_ours
from pmtui.ui.messages import EventChosen, MarketChosen
from pmtui.ui.paint.exit_policy import label_leaving, paint_ending, paint_leaving, title_leaving
from pmtui.ui.paint.facts import key_of
from pmtui.ui.portfolio.conditionals import ConditionalsScreen
from pmtui.ui.portfolio.log import LogScreen
from pmtui.ui.portfolio.paint_orders import paint_resting_orders, paint_unknown_orders
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.question import QuestionScreen
from pmtui.ui.surface import Surface
from pmtui.ui.terminal.copying import Copying
from pmtui.ui.terminal.dedupe_toasts import CalmToasts
from pmtui.ui.terminal.deferred_updates import LateTelling
from pmtui.ui.terminal.driver import driver_class
from pmtui.ui.terminal.immediate_repaint import PaintNow
from pmtui.ui.terminal.key_dispatch import StraightKeys
from pmtui.ui.terminal.key_queue import KeysInOrder
from pmtui.ui.theme.theme import DEFAULT_THEME, role_variables
from pmtui.ui.theme.theme_picker import ThemePicker

_logger = logging.getLogger(__name__)


class _PlainBar(ScrollBarRender):
    """A scroll bar of whole cells, for terminals without block characters."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * len(ScrollBarRender.VERTICAL_BARS)
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "] * len(ScrollBarRender.HORIZONTAL_BARS)


class PmtuiApp(
    WatchKeys,
    KillKey,
    CalmToasts,
    Copying,
    KeysInOrder,
    LateTelling,
    PaintNow,
    StraightKeys,
    App[None],
):
    """Screens over one service."""

    TITLE = "pmtui"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.GLOBAL)
    COMMANDS: ClassVar[set[Any]] = {ActionProvider, StarProvider, ThemeProvider}
    # Textual's palette loses the reversal by which its cursor is seen where colours are few, and
    # begins with a picture that terminals draw in any width.
    CSS = """
    Screen { overflow: hidden; }
    SearchIcon { display: none; }
    CommandList:ansi > .option-list--option-highlighted,
    CommandList:nocolor > .option-list--option-highlighted { text-style: bold underline; }
    """
    after_drawing: Callable[[], object] | None = None
    """What tidies up behind a drawing, in its thread: one takes megabytes for some milliseconds."""

    def __init__(
        self,
        surface: Surface,
        *,
        themes: Sequence[Theme] = (),
        theme: str = DEFAULT_THEME,
        on_quit: ExitPolicy = ExitPolicy.LEAVE,
    ) -> None:
        """Build the application.

        Args:
            surface: the service and the user's choices.
            themes: those to choose from.
            theme: name of the one to start with.
            on_quit: what becomes of open orders when the trader quits.
        """
        super().__init__()
        self.surface = surface
        self.is_ascii_terminal = surface.options.ascii_only
        # Textual draws every scroll bar with one renderer.
        ScrollBar.renderer = _PlainBar if surface.options.ascii_only else ScrollBarRender
        self._on_quit = on_quit
        self.crash: BaseException | None = None
        self._tour_guide: TourGuide | None = None
        self._own_themes = tuple(themes)
        for each in themes:
            self.register_theme(each)
        self.theme = theme if theme in self.available_themes else DEFAULT_THEME
        self.set_keymap(surface.options.keymap.to_textual())

    @override
    def get_driver_class(self) -> type[Driver]:
        return driver_class() or super().get_driver_class()

    @override
    def get_default_screen(self) -> Screen[Any]:
        return MarketsScreen(self.surface)

    @override
    def get_theme_variable_defaults(self) -> dict[str, str]:
        return role_variables(self.current_theme)

    def on_ready(self) -> None:
        """Say where to begin, where nobody has been before."""
        _ = self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.listen_for_alerts()
        if self.surface.options.is_first_run:
            self._guide.greet()

    @property
    def _guide(self) -> TourGuide:
        if self._tour_guide is None:
            self._tour_guide = TourGuide(self, self.surface)
        return self._tour_guide

    def on_event_chosen(self, message: EventChosen) -> None:
        """Open an event."""
        self.open_event(message.event_id)

    def on_market_chosen(self, message: MarketChosen) -> None:
        """Open a market."""
        self.open_market(message.condition_id)

    def open_event(self, event_id: EventId) -> None:
        """Put an event in front."""
        _ = self.push_screen(EventScreen(self.surface, event_id))

    def open_market(self, condition_id: ConditionId) -> None:
        """Put a market in front."""
        _ = self.push_screen(MarketScreen(self.surface, condition_id))

    def action_search(self) -> None:
        """Search from anywhere."""
        self._return_to_markets().start_search()

    def action_markets(self) -> None:
        """Go to the list of markets, not to what was searched for."""
        self._return_to_markets().end_search()

    def action_portfolio(self) -> None:
        """Go to what is ours."""
        self._bring_forward(PortfolioScreen)

    def action_account(self) -> None:
        """Go to the account."""
        self._bring_forward(AccountScreen)

    @override
    def action_watchlist(self) -> None:
        """Go to what is starred."""
        self._bring_forward(WatchlistScreen)

    def action_log(self) -> None:
        """Go to the log."""
        self._bring_forward(LogScreen)

    def action_conditionals(self) -> None:
        """Go to the conditional orders."""
        self._bring_forward(ConditionalsScreen)

    def action_help(self) -> None:
        """Explain the keys of the screen in front."""
        screen = self.screen
        if isinstance(screen, HelpScreen) or not isinstance(screen, FrameScreen):
            return
        _ = self.push_screen(HelpScreen(self.surface, screen.CONTEXTS, screen.ABOUT))

    @override
    async def action_back(self) -> None:
        """Leave the screen in front, unless it is the last."""
        if len(self.screen_stack) > 1:
            await self.pop_screen()

    def action_refresh(self) -> None:
        """Fetch what is on the screen in front again."""
        if isinstance(self.screen, FrameScreen):
            self.screen.action_refresh()

    def action_redraw(self) -> None:
        """Paint the whole terminal again."""
        self.redraw_terminal()

    @property
    def offered_themes(self) -> tuple[str, ...]:
        """Names of ours and the user's: nobody made Textual's own readable on a ladder."""
        return tuple(theme.name for theme in self._own_themes)

    @override
    def action_change_theme(self) -> None:
        """Try themes on and choose one."""
        _ = self.push_screen(ThemePicker(self.surface.options, names=self.offered_themes))

    def action_tour(self) -> None:
        """Show the way round, or stop showing it."""
        if self._guide.is_on:
            self._guide.stop()
        else:
            self._guide.start()

    def action_cancel_every_order(self) -> None:
        """Cancel everything, after a question that names it."""
        orders = self.surface.queries.account().open_orders
        if not orders:
            reason = why_nothing_of_ours(self.surface.queries.status())
            self.say_briefly(reason or "No working orders.", is_refusal=True)
            return

        def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
            if is_agreed:
                # How it ended is logged by the service and shown on the notice line.
                self.surface.commands.cancel_all()

        lines = paint_resting_orders(orders, partial(title_of, self.surface.queries))
        self._ask("Cancel all working orders?", lines, "Cancel them", decide)

    @override
    async def action_quit(self) -> None:
        """Leave, after a question where orders rest or are watched over here only."""
        account = self.surface.queries.account()
        orders, awake = account.open_orders, account.awake
        if not orders and not awake:
            self.exit()
            return

        def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
            if is_agreed:
                self.exit()

        lines: tuple[Line, ...] = paint_ending(awake)
        if orders:
            lines = (
                *lines,
                *paint_resting_orders(orders, partial(title_of, self.surface.queries)),
                *paint_unknown_orders(orders),
                paint_leaving(self._on_quit, self.surface.queries.status()),
            )
        title = title_leaving(has_orders=bool(orders), has_awake=bool(awake))
        label = label_leaving(self._on_quit) if orders else "Quit"
        self._ask(title, lines, label, decide)

    @override
    def action_help_quit(self) -> None:
        """Answer the key that ends other programs."""
        self.say_briefly(f"{key_of(self.surface.options.keymap, 'global.quit')} leaves pmtui.")

    def say_briefly(self, text: str, *, is_refusal: bool = False) -> None:
        """Say why a key did nothing, or asked nothing, or what it did where nothing shows it."""
        line = self.screen.message_line if isinstance(self.screen, FrameScreen) else None
        if line is None:
            self.notify(text, markup=False, timeout=4)
        elif is_refusal:
            line.refuse_form(text)
        else:
            # A line of its own covers nothing.
            line.say(text)

    def _ask(
        self,
        title: str,
        lines: tuple[Line, ...],
        agree: str,
        decide: Callable[[bool | None], None],
    ) -> None:
        screen = QuestionScreen(title, lines, agree=agree, options=self.surface.options)
        _ = self.push_screen(screen, decide)

    def _return_to_markets(self) -> MarketsScreen:
        while len(self.screen_stack) > 1:
            _ = self.pop_screen()
        screen = self.screen_stack[0]
        if not isinstance(screen, MarketsScreen):
            raise TypeError("the first screen is the list of markets")
        return screen

    def _bring_forward(self, kind: type[FrameScreen]) -> None:
        if isinstance(self.screen, kind):
            return
        stack = self.screen_stack
        if any(isinstance(screen, kind) for screen in stack):
            while not isinstance(self.screen, kind):
                _ = self.pop_screen()
        else:
            _ = self.push_screen(kind(self.surface))

    @override
    def _fatal_error(self) -> None:
        # Textual would print every local variable on the way, and one of them may be a key.
        self._close_messages_no_wait()

    @override
    def _handle_exception(self, error: Exception) -> None:
        if self.crash is None:
            self.crash = error
            # A worker's failure is wrapped; what led to it is inside.
            cause = error.error if isinstance(error, WorkerFailed) else error
            _logger.error("the terminal stopped", exc_info=cause)
        super()._handle_exception(error)
