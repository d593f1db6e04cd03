"""The card before the wallet signs anything."""

from typing import ClassVar

from typing_extensions import override

from pmtui.service.topics import WalletTopic
from pmtui.ui.cells import Line
from pmtui.ui.surface import Surface
from pmtui.ui.ticket.confirm import CardScreen, PaintLines


class SigningCard(CardScreen):
    """Shows what is about to be signed or submitted; enter does it once the card has been read."""

    AGREE = "Sign and submit"
    WIDTH: ClassVar[int] = 74
    """Fits a hash and its name on one line."""

    def __init__(self, paint_lines: PaintLines, *, surface: Surface, agree: str = "") -> None:
        """Ask for confirmation."""
        super().__init__(surface=surface, agree=agree)
        self._paint_lines_of = paint_lines

    @override
    def card_lines(self, width: int) -> tuple[Line, ...]:
        return self._paint_lines_of(width)

    @override
    def on_mount(self) -> None:
        # The screen behind may not watch the wallet, and the card shows what is left after the step.
        self.follow([WalletTopic()])
