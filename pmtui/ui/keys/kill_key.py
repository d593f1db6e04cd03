"""The key of the kill switch: throws it after a question, and releases it after another one."""

from collections.abc import Awaitable, Callable
from typing import Any

from textual.app import App

from pmtui.service.views import Mode, StatusView
from pmtui.ui.cells import Cell, Line
from pmtui.ui.plain import plain
from pmtui.ui.question import QuestionScreen
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role


class KillKey:
    """Stops all trading, and lets it go on."""

    def __init__(self, app: App[Any], surface: Surface) -> None:
        self._app = app
        self._surface = surface

    def press(self) -> None:
        """Ask, then stop everything; where all is stopped, ask, then let orders be entered."""
        status = self._surface.queries.status()
        if status.entry_lock:
            self._ask_before("Unlock trading?", paint_release(status), "Unlock", self._unlock)
        else:
            self._ask_before("Kill switch?", paint_kill(status), "Kill", self._kill)

    async def _kill(self) -> None:
        # It may have been used from another shell meanwhile.
        if not self._surface.queries.status().entry_lock:
            self._surface.commands.kill()

    async def _unlock(self) -> None:
        # A failure is shown as a notice.
        _ = await self._surface.commands.unlock_entry()

    def _ask_before(
        self, title: str, lines: tuple[Line, ...], agree: str, do: Callable[[], Awaitable[None]]
    ) -> None:
        async def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
            if is_agreed:
                await do()

        question = QuestionScreen(title, lines, agree=agree, options=self._surface.options)
        _ = self._app.push_screen(question, decide)


def paint_kill(status: StatusView) -> tuple[Line, ...]:
    """Say everything that the kill switch does."""
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
    """Say since when and by whom it is locked, and what changes."""
    return (
        (Cell(f"{plain(status.entry_lock, 120)}.", Role.NOTICE_WARN),),
        (Cell("Orders can be entered again; nothing is sent or armed for you."),),
    )
