"""The application: which screen is in front, themes, keys, and what a crash shows."""

from collections.abc import Sequence
from typing import Any, ClassVar

from textual import on
from textual.binding import BindingType
from textual.screen import Screen
from textual.theme import Theme
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.orders.exit_policy import ExitPolicy
from pmtui.ui.command_line.command_key import CommandKey
from pmtui.ui.explore.markets import MarketsScreen
from pmtui.ui.facts import key_of
from pmtui.ui.frame import (
    DeskChosen,
    EventChosen,
    FrameScreen,
    MarketChosen,
    StopChosen,
    TransactionsChosen,
    refresh_topics,
    show_answer,
)
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import STOPPING, bindings_for
from pmtui.ui.keys.global_keys import (
    UnlockPrompt,
    ask_cancel_all,
    ask_kill,
    copy_item,
    switch_star,
    switch_unit,
    use_kept_units,
)
from pmtui.ui.keys.help import HelpScreen
from pmtui.ui.keys.palette import ActionProvider, Palette
from pmtui.ui.keys.quit_key import QuitKey
from pmtui.ui.keys.tour import TourGuide
from pmtui.ui.navigation import SINGLE_SCREENS, Destination, Navigation
from pmtui.ui.outside_notices import OutsideNotices
from pmtui.ui.question import QuestionScreen
from pmtui.ui.replay_line import ReplayLine
from pmtui.ui.surface import Surface
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.theme.theme import DEFAULT_THEME, role_variables
from pmtui.ui.theme.theme_picker import ThemePicker


class PmtuiApp(TerminalApp):
    """Shows screens over one service, and handles the keys that work on all of them."""

    TITLE = "pmtui"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.GLOBAL)
    QUESTIONS: ClassVar[tuple[type[Screen[Any]], ...]] = (QuestionScreen,)
    COMMANDS: ClassVar[set[Any]] = {ActionProvider}
    # With few colours Textual's palette loses the reverse style of its cursor. Its search icon has
    # a width that terminals disagree on.
    CSS = """
    Screen { overflow: hidden; }
    SearchIcon { display: none; }
    CommandPalette > Vertical { width: 80; max-width: 100%; }
    CommandPalette #--input { background: $panel; border: heavy $primary; }
    CommandPalette #--input.--list-visible { border: heavy $primary; border-bottom: none; }
    CommandPalette CommandList {
        background: $panel; border: heavy $primary; border-top: none; scrollbar-size-vertical: 1;
    }
    CommandPalette CommandList > .option-list--option { padding: 0 1; text-style: none; }
    CommandList:ansi > .option-list--option-highlighted,
    CommandList:nocolor > .option-list--option-highlighted { text-style: bold underline; }
    """

    def __init__(
        self,
        surface: Surface,
        *,
        themes: Sequence[Theme] = (),
        theme: str = DEFAULT_THEME,
        on_quit: ExitPolicy = ExitPolicy.LEAVE,
    ) -> None:
        """Build the application."""
        super().__init__()
        self.surface = surface
        self.is_ascii = surface.options.ascii_only
        self.navigation = Navigation(self, surface)
        self._outside_notices = OutsideNotices(self, surface)
        self._command_key = CommandKey(self, surface, lambda: self._own_themes)
        self.quit_key = QuitKey(self, surface, on_quit)
        self._tour_guide = TourGuide(self, surface)
        self.unlock_prompt = UnlockPrompt(self, surface)
        """Asks for the passphrase when the service lacks it."""
        self._own_themes = tuple(each.name for each in themes)
        """The themes on offer: Textual's own are not made for a ladder to be readable."""
        for each in themes:
            self.register_theme(each)
        self.theme = theme if theme in self.available_themes else DEFAULT_THEME
        use_kept_units(surface)
        keymap = surface.options.keymap
        self.set_keymap(keymap.to_textual())
        self.key_queue.urgent |= {key for each in STOPPING for key in keymap.keys_of(each)}

    @override
    def get_default_screen(self) -> Screen[Any]:
        return MarketsScreen(self.surface)

    @override
    def get_theme_variable_defaults(self) -> dict[str, str]:
        return role_variables(self.current_theme)

    def on_mount(self) -> None:
        """Return to the last screen before the first paint."""
        self.navigation.restore()

    def on_ready(self) -> None:
        """Offer the tour to a first-time user."""
        _ = self.call_after_refresh(self._outside_notices.listen)
        if self.surface.options.is_first_run:
            _ = self.call_after_refresh(self._tour_guide.greet)

    @override
    def catch_up(self) -> None:
        if isinstance(self.screen, FrameScreen):
            self.screen.feed.catch_up()

    @override
    def note_key(self) -> None:
        # A user who types looks at the text, not at the notice.
        if isinstance(self.screen, FrameScreen) and not isinstance(self.focused, Input):
            self.screen.lines.note_key()

    @on(DeskChosen)
    @on(EventChosen)
    @on(MarketChosen)
    @on(StopChosen)
    @on(TransactionsChosen)
    def go(self, message: Destination) -> None:
        """Go to the destination that a screen asked for."""
        self.navigation.go(message)

    def action_search(self) -> None:
        """Search from anywhere."""
        self.navigation.return_to_markets().start_search()

    def action_markets(self) -> None:
        """Go to the list of markets and close a search."""
        self.navigation.return_to_markets().action_close()

    def action_bring_forward(self, place: str) -> None:
        """Go to a screen that exists once: portfolio, account, watchlist, log, stops."""
        self.navigation.bring_forward(SINGLE_SCREENS[place])

    @override
    def action_command_palette(self) -> None:
        if not isinstance(self.screen, Palette):
            _ = self.push_screen(Palette())

    def action_help(self) -> None:
        """Show the keys of the screen in front."""
        screen = self.screen
        if isinstance(screen, HelpScreen) or not isinstance(screen, FrameScreen):
            return
        _ = self.push_screen(HelpScreen(self.surface, screen.CONTEXTS, screen.ABOUT))

    @override
    async def action_back(self) -> None:
        """Close the screen in front unless it is the last."""
        if len(self.screen_stack) > 1:
            await self.pop_screen()

    def action_refresh(self) -> None:
        """Reload the data of the screen in front, or restart a service that has ended."""
        if self.surface.process is not None and self.surface.loss is not None:
            self.surface.process.start_again()
        elif isinstance(self.screen, FrameScreen):
            refresh_topics(self.screen)

    def action_redraw(self) -> None:
        """Repaint the whole terminal."""
        self.terminal.redraw()

    @override
    def action_change_theme(self) -> None:
        """Preview and choose a theme."""
        _ = self.push_screen(
            ThemePicker(self.surface.options, names=self._own_themes, memory=self.surface.memory)
        )

    def action_tour(self) -> None:
        """Start the tour, or stop it."""
        self._tour_guide.switch()

    def action_command(self, text: str = "") -> None:
        """Open the command line, with a text if given."""
        self._command_key.press(text)

    def action_switch_unit(self, unit: str) -> None:
        """Switch to the next of four price formats, or to the other time zone.

        Args:
            unit: `prices` or `times`.
        """
        switch_unit(self, self.surface, unit)

    def action_copy(self) -> None:
        """Copy the item under the cursor."""
        copy_item(self)

    async def action_star(self) -> None:
        """Star the item under the cursor, or remove its star."""
        await switch_star(self, self.surface)

    def action_kill(self) -> None:
        """Stop all trading, or allow it again, after a question."""
        if self.surface.queries.status().kill_lock or not self.unlock_prompt.press():
            ask_kill(self, self.surface)

    def action_cancel_every_order(self) -> None:
        """Cancel all orders, after a question that lists them."""
        ask_cancel_all(self, self.surface)

    @override
    async def action_quit(self) -> None:
        """Quit, after a question if orders rest or stops would no longer be watched."""
        self.quit_key.press()

    @override
    def action_help_quit(self) -> None:
        """Show which key quits; other programs use this one."""
        show_answer(self, f"{key_of(self.surface.options.keymap, 'global.quit')} leaves pmtui.")


class ReplayApp(PmtuiApp):
    """The terminal of a replay."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.REPLAY)

    def action_replay(self, deed: str) -> None:
        """Run an action of the replay.

        Args:
            deed: the name of the action and of its control.
        """
        controls = self.surface.replay
        if controls is None:
            return
        deeds = {
            "pause": controls.pause, "step": controls.step, "back": controls.back,
            "forward": controls.forward, "slower": controls.slower, "faster": controls.faster,
        }  # fmt: skip
        deeds[deed]()
        for line in self.screen.query(ReplayLine):
            line.follow()
