"""Keys that work on every screen: copy, star, units, cancel all, kill switch, unlock."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from textual.app import App

from pmtui.domain.formats import count, shorten_id
from pmtui.domain.ids import CommandId
from pmtui.domain.markets.watchlist import StarKind
from pmtui.service.views import Mode, StatusView
from pmtui.ui.cells import Cell, Line
from pmtui.ui.facts import key_of
from pmtui.ui.format import PRICE_NAMES, TIME_NAMES, UNITS, member_of, next_of
from pmtui.ui.frame import FrameScreen, show_answer
from pmtui.ui.market.market_model import title_of, why_nothing_of_ours
from pmtui.ui.plain import plain
from pmtui.ui.portfolio.paint_orders import describe_cancelled, paint_resting_orders
from pmtui.ui.question import QuestionScreen
from pmtui.ui.surface import Surface
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_pane import LinePane

_LONGEST_SHOWN = 40
"""Longer texts are shown by their two ends: a token id has 77 digits."""


class CopyKey:
    """Copies to the clipboard of the trader's own machine, and shows what was copied."""

    def __init__(self, app: TerminalApp, surface: Surface) -> None:
        self._app = app
        self._surface = surface

    def press(self) -> None:
        """Copy the item under the cursor."""
        screen = self._app.screen
        what, text = screen.cursor_item().copied if isinstance(screen, FrameScreen) else ("", "")
        if text:
            self._app.copy_to_clipboard(text)
        show_answer(self._app, self.words_for(what, text) if text else "Nothing to copy here.")

    def words_for(self, what: str, text: str) -> str:
        """Return the answer to a copy, or the text itself if there is no clipboard."""
        if not self._app.clipboard_writer.is_there:
            # Whole if it fits, because it can only be selected on the screen.
            ways = f"No clipboard here. The {what}: {text}", f"{what}: {text}"
            return next((said for said in ways if len(said) < self._app.size.width - 1), text)
        shown = text if len(text) <= _LONGEST_SHOWN else shorten_id(text)
        return f"Copied the {what}: {shown}"


_LONGEST_TITLE = 28


class WatchKeys:
    """Stars the item under the cursor."""

    def __init__(self, app: App[Any], surface: Surface) -> None:
        self._app = app
        self._surface = surface

    async def press_star(self) -> None:
        """Star the item under the cursor, or remove its star."""
        screen = self._app.screen
        found = screen.cursor_item().starred if isinstance(screen, FrameScreen) else None
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
        if problem := await commands.unstar(key):
            show_answer(self._app, f"Not unstarred: {plain(problem)}.")
            return
        waits = any(row.key == key and row.alerts for row in watchlist.rows)
        left = " Its alerts stay." if waits and key.kind is StarKind.MARKET else ""
        show_answer(self._app, f"Unstarred {name}.{left}")


class UnitKeys:
    """Applies the remembered units, else those of the settings, and switches them."""

    def __init__(self, app: App[None], surface: Surface) -> None:
        self._app = app
        self._memory = surface.memory
        kept, options = surface.memory.now, surface.options
        UNITS.prices = member_of(options.prices, kept.prices)
        UNITS.times = member_of(options.times, kept.times)

    def switch(self, unit: str) -> None:
        """Switch `prices` to the next format, or `times` to the other zone."""
        if unit == "prices":
            UNITS.prices = next_of(UNITS.prices)
            self._memory.keep_prices(UNITS.prices.value)
            self._show(PRICE_NAMES[UNITS.prices])
        else:
            UNITS.times = next_of(UNITS.times)
            self._memory.keep_times(UNITS.times.value)
            self._show(TIME_NAMES[UNITS.times])

    def _show(self, words: str) -> None:
        for screen in self._app.screen_stack:
            if isinstance(screen, FrameScreen):
                # Renewing announces every topic again; panes without new data repaint themselves.
                screen.feed.renew()
                for pane in screen.query(LinePane):
                    pane.repaint()
        show_answer(self._app, words)


class CancelAllKey:
    """Cancels all working orders."""

    def __init__(self, app: App[Any], surface: Surface) -> None:
        self._app = app
        self._surface = surface

    def press(self) -> None:
        """Ask for confirmation, or show why there is nothing to cancel."""
        queries = self._surface.queries
        orders = queries.account().open_orders
        reason = why_nothing_of_ours(queries.status())
        if reason or not orders:
            show_answer(self._app, reason or "No working orders.", is_refusal=True)
            return

        def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
            if is_agreed:
                command_id = self._surface.commands.cancel_all()
                show_answer(self._app, f"Cancelling {count(len(orders), 'order')} everywhere.")
                _ = self._app.run_worker(self._report(command_id))

        lines = paint_resting_orders(orders, partial(title_of, queries))
        question = QuestionScreen(
            "Cancel all working orders?", lines, agree="Cancel them", options=self._surface.options
        )
        _ = self._app.push_screen(question, decide)

    async def _report(self, command_id: CommandId) -> None:
        verdict = await self._surface.commands.cancel_verdict(command_id)
        show_answer(self._app, describe_cancelled(verdict, "everywhere"))


class KillKey:
    """Stops all trading, and allows it again."""

    def __init__(self, app: App[Any], surface: Surface) -> None:
        self._app = app
        self._surface = surface

    def press(self) -> None:
        """Ask, then stop all trading; or, if it is stopped, ask, then allow orders again."""
        status = self._surface.queries.status()
        if status.kill_lock:
            self._ask_before("Unlock trading?", paint_release(status), "Unlock", self._unlock)
        else:
            self._ask_before("Kill switch?", paint_kill(status), "Kill", self._kill, is_danger=True)

    async def _kill(self) -> None:
        # Another shell may have used it since.
        if not self._surface.queries.status().kill_lock:
            problem = await self._surface.commands.kill()
            if problem:
                show_answer(self._app, problem)

    async def _unlock(self) -> None:
        # A failure is shown as a notice.
        _ = await self._surface.commands.unlock_entry()

    def _ask_before(
        self, title: str, lines: tuple[Line, ...], agree: str, do: Callable[[], Awaitable[None]],
        *, is_danger: bool = False,
    ) -> None:  # fmt: skip
        async def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
            if is_agreed:
                await do()

        options = self._surface.options
        question = QuestionScreen(title, lines, agree=agree, options=options, is_danger=is_danger)
        _ = self._app.push_screen(question, decide)


def paint_kill(status: StatusView) -> tuple[Line, ...]:
    """Paint the effects of the kill switch."""
    cancels: Line = (
        Cell("Cancels all working orders until none is left: "),
        Cell(f"{status.open_orders} now.", Role.NOTICE_BAD),
    )
    if status.mode is Mode.READ_ONLY:
        text = "No key here: this session cancels nothing; a terminal with the key would."
        cancels = (Cell(text, Role.NOTICE_BAD),)
    return (
        cancels,
        (Cell("Disarms single keys. Positions stay as they are."),),
        (
            Cell(
                "Locks trading, also after a restart, until you unlock it with this key "
                "or with `pmtui release` in a shell."
            ),
        ),
    )


def paint_release(status: StatusView) -> tuple[Line, ...]:
    """Paint since when and by whom trading is locked, and what unlocking changes."""
    return (
        (Cell(f"{plain(status.kill_lock, 120)}.", Role.NOTICE_WARN),),
        (Cell("Orders can be entered again; nothing is sent or armed for you."),),
    )


TITLE = "Unlock the keystore?"
LONGEST = 120

Unlock = Callable[[bytes], Awaitable[str]]
"""Passes a passphrase to the service; returns why the keystore stays locked."""


class UnlockPrompt:
    """Asks whether to unlock the keystore, then prompts for the passphrase outside the screen."""

    def __init__(self, app: TerminalApp, surface: Surface) -> None:
        self._app = app
        self._surface = surface
        self._question: QuestionScreen | None = None
        self._unlock: Unlock | None = None

    def offer(self, owner: str, unlock: Unlock) -> None:
        """Remember how to unlock an account's keystore, for when a key asks for it."""
        self._unlock = unlock if owner else None

    def press(self) -> bool:
        """Ask for the passphrase if one is missing; return whether it is."""
        owner = self._surface.locked_account
        if self._unlock is None or not owner or self._surface.loss is not None:
            return False
        self.open(owner, self._unlock)
        return True

    def open(self, owner: str, unlock: Unlock) -> None:
        """Show that the passphrase is needed, and ask for it."""
        self._unlock = unlock
        if self._question is not None:
            return
        lines = (
            (Cell("The service runs without its passphrase: it is READ-ONLY.",
                  Role.NOTICE_WARN),),
            (Cell(plain(f"Account {owner}", LONGEST)),),
        )  # fmt: skip
        question = self._question = QuestionScreen(
            TITLE, lines, agree="Enter passphrase", options=self._surface.options
        )
        _ = self._app.push_screen(question, partial(self._decide, owner, unlock))

    def withdraw(self) -> None:
        """Close the question: another terminal unlocked the keystore, or the service is gone."""
        question, self._question, self._unlock = self._question, None, None
        if question is not None and question.is_current:
            _ = question.dismiss(result=None)

    def _decide(self, owner: str, unlock: Unlock, is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
        self._question = None
        if is_agreed:
            # Run by the app: a closing screen would cancel the prompt with the terminal half
            # restored.
            _ = self._app.run_worker(self._ask(owner, unlock), exit_on_error=True)
        elif is_agreed is False:
            show_answer(self._app, self._declined, is_refusal=True)

    @property
    def _declined(self) -> str:
        key = key_of(self._surface.options.keymap, "global.kill")
        return f"READ-ONLY: {key} asks for the passphrase again."

    async def _ask(self, owner: str, unlock: Unlock) -> None:
        shown = plain(owner, LONGEST)
        given = await self._app.hidden_prompt.ask(f"\nAccount {shown}\nPassphrase: ")
        if not given:
            show_answer(self._app, self._declined, is_refusal=True)
            return
        problem = await unlock(given.encode(errors="surrogateescape"))
        if problem:
            show_answer(self._app, f"Still locked: {plain(problem, LONGEST)}", is_refusal=True)
            self.open(owner, unlock)
        else:
            show_answer(self._app, "Unlocked.")
