"""The cards before orders are moved, a position is sold whole, or a scaled ladder is sent."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import BindingType
from typing_extensions import override

from pmtui.domain.orders.flattening import FlattenPlan
from pmtui.service.surface import PreparedOrder
from pmtui.ui.account.paint_action_cards import (
    Move,
    paint_flatten_card,
    paint_move_card,
    paint_scaled_card,
)
from pmtui.ui.cells import Line
from pmtui.ui.facts import key_of
from pmtui.ui.keys.action_doubts import describe_doubts
from pmtui.ui.keys.actions import bindings_of
from pmtui.ui.surface import Surface
from pmtui.ui.ticket.confirm import CardScreen
from pmtui.ui.ticket.ticket_state import numbers_of


class MoveCard(CardScreen):
    """Shows which orders are cancelled and what takes their place."""

    AGREE = "Move"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of(
        "confirm.details", "market.nudge_up", "market.nudge_down"
    )

    def __init__(
        self, moves: Sequence[Move], *, surface: Surface, doubt: str = "",
        nudge: Callable[[int], None] | None = None,
    ) -> None:  # fmt: skip
        """Ask.

        Args:
            moves: orders and what is to take their places, as prepared.
            surface: the service and the user's choices.
            doubt: why it may be a mistake; empty for no reason.
            nudge: goes on by so many ticks, and asks anew; None where no key has done so.
        """
        super().__init__(surface=surface)
        self._nudge = nudge
        self._has_details = False
        self._moves = tuple(moves)
        self._doubt = describe_doubts(surface, [order for _, order in moves], doubt)
        self._numbers = numbers_of(surface, moves[0][1])

    @override
    def card_lines(self, width: int) -> tuple[Line, ...]:
        return paint_move_card(
            self._moves, width, mode=self._surface.queries.status().mode, doubt=self._doubt,
            numbers=self._numbers, details_key=self._details_key,
        )  # fmt: skip

    async def action_details(self) -> None:
        """Show the addresses and the id as well."""
        self._has_details = True
        await self.recompose()

    def action_perform(self, name: str) -> None:
        """Go on nudging: the card comes back for the new price."""
        if self._nudge is not None:
            _ = self.dismiss(result=False)
            self._nudge(1 if name == "nudge_up" else -1)

    @property
    def _details_key(self) -> str:
        keymap = self._surface.options.keymap
        return "" if self._has_details else key_of(keymap, "confirm.details")


class FlattenCard(CardScreen):
    """Shows what selling the whole position signs, and what it would do now."""

    AGREE = "Sell"

    def __init__(self, order: PreparedOrder, plan: FlattenPlan, *, surface: Surface) -> None:
        """Ask whether to send the prepared sale of this plan."""
        super().__init__(surface=surface)
        self._order = order
        self._plan = plan
        self._doubt = describe_doubts(surface, [order], cancelled=plan.in_the_way)

    @override
    def card_lines(self, width: int) -> tuple[Line, ...]:
        return paint_flatten_card(
            self._order, self._plan, width, mode=self._surface.queries.status().mode,
            doubt=self._doubt,
        )  # fmt: skip


class ScaledCard(CardScreen):
    """Shows every leg of a scaled ladder."""

    def __init__(
        self, orders: Sequence[PreparedOrder], *, surface: Surface, doubt: str = ""
    ) -> None:
        """Ask whether to send these legs; `doubt` says why it may be a mistake."""
        super().__init__(surface=surface)
        self._orders = tuple(orders)
        self._doubt = describe_doubts(surface, orders, doubt)

    @override
    def card_lines(self, width: int) -> tuple[Line, ...]:
        return paint_scaled_card(
            self._orders, width, mode=self._surface.queries.status().mode, doubt=self._doubt,
        )  # fmt: skip
