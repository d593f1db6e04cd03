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
from pmtui.ui.frame import FrameScreen, if_agreed, show_answer
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


def copy_item(app: TerminalApp) -> None:
    """Copy the item under the cursor to the trader's own machine, and show what was copied."""
    screen = app.screen
    what, text = screen.cursor_item().copied if isinstance(screen, FrameScreen) else ("", "")
    if text:
        app.copy_to_clipboard(text)
    show_answer(app, describe_copy(app, what, text) if text else "Nothing to copy here.")


def describe_copy(app: TerminalApp, what: str, text: str) -> str:
    """Return the answer to a copy, or the text itself if there is no clipboard."""
    if not app.clipboard_writer.is_there:
        # Whole if it fits, because it can only be selected on the screen.
        ways = f"No clipboard here. The {what}: {text}", f"{what}: {text}"
        return next((said for said in ways if len(said) < app.size.width - 1), text)
    shown = text if len(text) <= _LONGEST_SHOWN else shorten_id(text)
    return f"Copied the {what}: {shown}"


_LONGEST_TITLE = 28


async def switch_star(app: App[Any], surface: Surface) -> None:
    """Star the item under the cursor, or remove its star."""
    screen = app.screen
    found = screen.cursor_item().starred if isinstance(screen, FrameScreen) else None
    if found is None:
        show_answer(app, "Nothing to star here.")
        return
    key, title = found
    name, watchlist = plain(title, _LONGEST_TITLE), surface.queries.watchlist()
    if not watchlist.is_starred(key):
        problem = await surface.commands.star(key, title)
        to_list = key_of(surface.options.keymap, "global.watchlist")
        show_answer(app, problem or f"Starred {name}; {to_list} lists it.")
        return
    if problem := await surface.commands.unstar(key):
        show_answer(app, f"Not unstarred: {plain(problem)}.")
        return
    waits = any(row.key == key and row.alerts for row in watchlist.rows)
    left = " Its alerts stay." if waits and key.kind is StarKind.MARKET else ""
    show_answer(app, f"Unstarred {name}.{left}")


def use_kept_units(surface: Surface) -> None:
    """Apply the remembered units, else those of the settings."""
    kept, options = surface.memory.now, surface.options
    UNITS.prices = member_of(options.prices, kept.prices)
    UNITS.times = member_of(options.times, kept.times)


def switch_unit(app: App[Any], surface: Surface, unit: str) -> None:
    """Switch `prices` to the next format, or `times` to the other zone."""
    if unit == "prices":
        UNITS.prices = next_of(UNITS.prices)
        surface.memory.keep_prices(UNITS.prices.value)
    else:
        UNITS.times = next_of(UNITS.times)
        surface.memory.keep_times(UNITS.times.value)
    for screen in app.screen_stack:
        if isinstance(screen, FrameScreen):
            # Renewing announces every topic again; panes without new data repaint themselves.
            screen.feed.renew()
            for pane in screen.query(LinePane):
                pane.repaint()
    show_answer(app, PRICE_NAMES[UNITS.prices] if unit == "prices" else TIME_NAMES[UNITS.times])


def ask_cancel_all(app: App[Any], surface: Surface) -> None:
    """Ask whether to cancel all working orders, or show why there is nothing to cancel."""
    queries, commands = surface.queries, surface.commands
    orders = queries.account().open_orders
    reason = why_nothing_of_ours(queries.status())
    if reason or not orders:
        show_answer(app, reason or "No working orders.", is_refusal=True)
        return

    async def report(command_id: CommandId) -> None:
        show_answer(
            app, describe_cancelled(await commands.cancel_verdict(command_id), "everywhere")
        )

    def cancel() -> None:
        command_id = commands.cancel_all()
        show_answer(app, f"Cancelling {count(len(orders), 'order')} everywhere.")
        _ = app.run_worker(report(command_id))

    lines = paint_resting_orders(orders, partial(title_of, queries))
    question = QuestionScreen(
        "Cancel all working orders?", lines, agree="Cancel them", surface=surface
    )
    _ask_once(app, question, cancel)


def ask_kill(app: App[Any], surface: Surface) -> None:
    """Ask, then stop all trading; or, if it is stopped, ask, then allow orders again."""
    status = surface.queries.status()
    key = key_of(surface.options.keymap, "global.conditionals")

    async def kill() -> None:
        # Another shell may have used it since.
        if not surface.queries.status().kill_lock and (problem := await surface.commands.kill()):
            show_answer(app, problem)

    if status.kill_lock:
        lines = paint_release(status, key)
        question = QuestionScreen("Unlock trading?", lines, agree="Unlock", surface=surface)
        # A failure is shown as a notice.
        _ask_once(app, question, surface.commands.unlock_entry)
    else:
        question = QuestionScreen(
            "Kill switch?", paint_kill(status, key), agree="Kill", surface=surface, is_danger=True
        )
        _ask_once(app, question, kill)


def _ask_once(app: App[Any], question: QuestionScreen, do: Callable[[], Any]) -> None:
    """Ask over whatever is in front, even a card or a form, unless that is this very question."""
    front = app.screen
    if isinstance(front, QuestionScreen) and front.about == question.about:
        front.want_answer()
    else:
        _ = app.push_screen(question, if_agreed(do))


def paint_kill(status: StatusView, key: str) -> tuple[Line, ...]:
    """Paint the effects of the kill switch; `key` lists the stops."""
    cancels: Line = (
        Cell("Cancels all working orders until none is left: "),
        Cell(f"{status.open_orders} now.", Role.NOTICE_BAD),
    )
    if status.mode is Mode.READ_ONLY:
        text = "No key here: this session cancels nothing; a terminal with the key would."
        cancels = (Cell(text, Role.NOTICE_BAD),)
    return (
        cancels,
        *_paint_stops(status.watching, f"Pauses {count(status.watching, 'stop')}", key),
        (Cell("Disarms single keys. Positions stay as they are."),),
        (
            Cell(
                "Locks trading, also after a restart, until you unlock it with this key "
                "or with `pmtui release` in a shell."
            ),
        ),
    )


def paint_release(status: StatusView, key: str) -> tuple[Line, ...]:
    """Paint since when and by whom trading is locked, and what unlocking changes; `key` as above."""
    paused = status.paused
    stay = f"{count(paused, 'stop')} {'stays' if paused == 1 else 'stay'} paused"
    return (
        (Cell(f"{plain(status.kill_lock, 120)}.", Role.NOTICE_WARN),),
        (Cell("Orders can be entered again; nothing is sent or armed for you."),),
        *_paint_stops(paused, stay, key),
    )


def _paint_stops(number: int, sentence: str, key: str) -> tuple[Line, ...]:
    """Paint what becomes of the stops, and the key that resumes them; empty without any."""
    if not number:
        return ()
    text = f"{sentence}; resume {'it' if number == 1 else 'them'} under {key}."
    return ((Cell(text, Role.NOTICE_WARN),),)


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
            TITLE, lines, agree="Enter passphrase", surface=self._surface
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
