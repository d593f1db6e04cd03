"""Asks for the passphrase when the service was started anew and is READ-ONLY for want of it."""

from collections.abc import Awaitable, Callable
from functools import partial

from pmtui.ui.cells import Cell
from pmtui.ui.frame import show_answer
from pmtui.ui.plain import plain
from pmtui.ui.question import QuestionScreen
from pmtui.ui.surface import Surface
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.theme.theme import Role

TITLE = "Unlock the keystore?"
LONGEST = 120
DECLINED = "READ-ONLY. Leave and start pmtui again to enter the passphrase."

Unlock = Callable[[bytes], Awaitable[str]]
"""Hands a passphrase to the service; returns why the keystore stays locked."""


class UnlockPrompt:
    """The question, and the prompt outside the screen."""

    def __init__(self, app: TerminalApp, surface: Surface) -> None:
        self._app = app
        self._surface = surface
        self._question: QuestionScreen | None = None

    def open(self, owner: str, unlock: Unlock) -> None:
        """Say that the passphrase is needed, and ask for it.

        Args:
            owner: whose keystore it is.
            unlock: hands the passphrase over.
        """
        if self._question is not None:
            return
        lines = (
            (Cell("The service was started again without its passphrase: it is READ-ONLY.",
                  Role.NOTICE_WARN),),
            (Cell(plain(f"Account {owner}", LONGEST)),),
        )  # fmt: skip
        question = self._question = QuestionScreen(
            TITLE, lines, agree="Enter passphrase", options=self._surface.options
        )
        _ = self._app.push_screen(question, partial(self._decide, owner, unlock))

    def withdraw(self) -> None:
        """Ask no more: another terminal has unlocked it, or the service is gone."""
        question, self._question = self._question, None
        if question is not None and question.is_current:
            _ = question.dismiss(result=None)

    def _decide(self, owner: str, unlock: Unlock, is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
        self._question = None
        if is_agreed:
            # The application's own worker: no screen that goes may leave the terminal half given back.
            _ = self._app.run_worker(self._ask(owner, unlock), exit_on_error=True)
        elif is_agreed is False:
            show_answer(self._app, DECLINED, is_refusal=True)

    async def _ask(self, owner: str, unlock: Unlock) -> None:
        shown = plain(owner, LONGEST)
        given = await self._app.hidden_prompt.ask(f"\nAccount {shown}\nPassphrase: ")
        if not given:
            show_answer(self._app, DECLINED, is_refusal=True)
            return
        problem = await unlock(given.encode(errors="surrogateescape"))
        if problem:
            show_answer(self._app, f"Still locked: {plain(problem, LONGEST)}", is_refusal=True)
            self.open(owner, unlock)
        else:
            show_answer(self._app, "Unlocked.")
