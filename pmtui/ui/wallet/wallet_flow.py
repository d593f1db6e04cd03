"""One wallet step from a key to its end: prepared by the service, confirmed on a card, submitted.

The service owns what runs: leaving the screen ends nothing, and the log shows the result.
"""

from functools import partial
from typing import Protocol

from textual.screen import Screen

from pmtui.domain.account.wallet_steps import Deploy, WalletStep
from pmtui.domain.orders.order import Rejected
from pmtui.service.surface import WalletVerdict
from pmtui.service.views import Mode
from pmtui.service.wallet.wallet_views import Confirmed, Failed, NotKnown, WalletCard
from pmtui.ui.cells import Line
from pmtui.ui.frame import is_live
from pmtui.ui.message_line import MessageLine
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.wallet.paint_card import funds_of, paint_card
from pmtui.ui.wallet.signing_card import SigningCard
from pmtui.ui.wallet.wallet_form import PREPARING, WalletStepForm

_LONGEST = 140
BUSY = "One step at a time: the last one is still being prepared."


class WalletSteps(Protocol):
    """Runs wallet steps for a screen."""

    def ask(self, form: WalletStepForm) -> None:
        """Open a form, which stays until its step is prepared; then show the card."""
        ...

    def take(self, step: WalletStep) -> None:
        """Prepare a step and show its card."""
        ...


class WalletFlow:
    """Runs wallet steps for a screen, one at a time until its card is answered."""

    def __init__(self, screen: Screen[None], surface: Surface, line: MessageLine) -> None:
        """Build for one screen.

        Args:
            screen: the screen below forms and cards.
            surface: the service and the user's choices.
            line: the screen's message line.
        """
        self._screen = screen
        self._surface = surface
        self._line = line
        self._is_preparing = False

    def ask(self, form: WalletStepForm) -> None:
        """Open a form, which stays until its step is prepared; then show the card."""
        prepared: list[WalletCard] = []

        async def prepare(step: WalletStep) -> str:
            card = await self._surface.commands.prepare_wallet(step)
            if isinstance(card, Rejected):
                return f"Not prepared: {plain(card.reason, _LONGEST)}"
            prepared.append(card)
            return ""

        def answered(step: WalletStep | None) -> None:
            if step is not None:
                self._show(prepared[-1])

        form.prepare_with(prepare)
        _ = self._screen.app.push_screen(form, answered)

    def take(self, step: WalletStep) -> None:
        """Prepare a step and show its card; nothing is signed before the card is confirmed."""
        if self._is_preparing:
            self._line.show(BUSY)
            return
        self._is_preparing = True
        self._line.show(PREPARING)
        _ = self._screen.run_worker(self._prepare(step), exit_on_error=True)

    async def _prepare(self, step: WalletStep) -> None:
        try:
            card = await self._surface.commands.prepare_wallet(step)
        finally:
            self._is_preparing = False
        if not is_live(self._screen):
            return
        if isinstance(card, Rejected):
            self._line.show(f"Not prepared: {plain(card.reason, _LONGEST)}")
            return
        self._line.take_back(PREPARING)
        self._show(card)

    def _show(self, card: WalletCard) -> None:
        screen = SigningCard(
            partial(self._paint, card), surface=self._surface, agree=agree_to(card)
        )
        _ = self._screen.app.push_screen(screen, partial(self._answered, card))

    def _paint(self, card: WalletCard, width: int) -> tuple[Line, ...]:
        queries = self._surface.queries
        return paint_card(
            card,
            width,
            mode=queries.status().mode,
            held=funds_of(queries.wallet(), queries.address_book(), queries.account().available),
            now=queries.now(),
        )

    def _answered(self, card: WalletCard, is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
        if not is_agreed:
            self._line.show(
                "Nothing was signed." if card.digest or card.message else "Nothing was sent."
            )
            return
        self._line.show(f"Submitted: {plain(card.title, _LONGEST)}")
        _ = self._screen.run_worker(self._submit(card), exit_on_error=True)

    # A closed screen loses only the message.
    async def _submit(self, card: WalletCard) -> None:
        verdict = await self._surface.commands.submit_wallet(card.prepared_id)
        if is_live(self._screen):
            self._line.show(describe_verdict(verdict))


def agree_to(card: WalletCard) -> str:
    """Return the label for agreeing to a card, in a word or two."""
    if card.digest:
        return "Sign and submit"
    if card.message:
        return "Sign"
    return "Deploy" if isinstance(card.step, Deploy) else "Go on"


def describe_verdict(verdict: WalletVerdict) -> str:
    """Return how a step ended."""
    match verdict:
        case Confirmed(text, key):
            told = plain(text, _LONGEST)
            return f"Confirmed: {told}" if key is not None else told
        case Failed(reason):
            return f"Failed: {plain(reason, _LONGEST)}"
        case NotKnown(reason):
            return f"Not known yet: {plain(reason, _LONGEST)}"
        case Rejected(reason=reason):
            return f"Not sent: {plain(reason, _LONGEST)}"


def why_no_wallet(surface: Surface) -> str:
    """Return why no wallet can be used here; empty when one can."""
    status, view = surface.queries.status(), surface.queries.wallet()
    if status.mode is Mode.READ_ONLY:
        return f"Read-only: {plain(status.mode_reason, 80) or 'no key'}"
    return plain(view.reason, _LONGEST)
