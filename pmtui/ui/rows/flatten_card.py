"""The card before several positions are sold: every leg with its worst price, and what is left out."""

from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import override

from pmtui.domain.account.position import Position
from pmtui.domain.money import Micros
from pmtui.domain.orders.flattening import FlattenPlan
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import Mode
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.facts import count
from pmtui.ui.format import format_average, format_past_money, format_price, format_size
from pmtui.ui.keys.action_doubts import describe_doubts
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.confirm import CardScreen
from pmtui.ui.ticket.paint_confirm import limit_price, paint_fact, paint_question, signed_amounts
from pmtui.ui.ticket.paint_ticket import wrap_text

_LEAST_TITLE = 28
"""Cells in which a market is still told from its siblings."""


@dataclass(frozen=True, slots=True)
class Sale:
    """A position with the sale of it, as prepared."""

    position: Position
    plan: FlattenPlan
    order: PreparedOrder


@dataclass(frozen=True, slots=True)
class Left:
    """A position that stays, and why, in a sentence."""

    position: Position
    reason: str


class FlattenManyCard(CardScreen):
    """Shows what selling several positions signs, leg by leg."""

    AGREE = "Sell"

    def __init__(self, sales: Sequence[Sale], left: Sequence[Left], *, surface: Surface) -> None:
        """Ask whether to send these sales; `left` is what stays."""
        super().__init__(surface=surface)
        self._sales = tuple(sales)
        self._left = tuple(left)
        doubts = (
            describe_doubts(surface, [sale.order], cancelled=sale.plan.in_the_way) for sale in sales
        )
        self._doubt = " ".join(dict.fromkeys(doubt for doubt in doubts if doubt))

    @override
    def card_lines(self, width: int) -> tuple[Line, ...]:
        mode = self._surface.queries.status().mode
        return paint_flatten_many(self._sales, self._left, width, mode=mode, doubt=self._doubt)


def paint_flatten_many(
    sales: Sequence[Sale], left: Sequence[Left], width: int, *, mode: Mode, doubt: str = ""
) -> tuple[Line, ...]:
    """Show every sale from the fields that are hashed, what it would bring, and what stays."""
    lines: list[Line] = [paint_question(mode, f"Sell {count(len(sales), 'whole position')}?")]
    for sale in sales:
        lines += _leg(sale, width)
    brought = Micros(sum(sale.plan.numbers.fills_now_cash for sale in sales))
    lines += paint_fact("Fills now for", format_past_money(brought), width)
    cancelled = sum(len(sale.plan.in_the_way) for sale in sales)
    if cancelled:
        lines += paint_fact("Cancels first", count(cancelled, "working order"), width)
    for each in left:
        text = f"Stays: {plain(each.position.title, 32)}: {each.reason}"
        lines += [(Cell(part, Role.NOTICE_WARN),) for part in wrap_text(text, width)]
    warnings = dict.fromkeys(text for sale in sales for text in sale.plan.warnings)
    for text in (*(f"{each}." for each in warnings), *((plain(doubt),) if doubt else ())):
        lines += [(Cell(part, Role.NOTICE_BAD),) for part in wrap_text(text, width)]
    return tuple(lines)


def _leg(sale: Sale, width: int) -> list[Line]:
    _, shares = signed_amounts(sale.order)
    numbers = sale.plan.numbers
    what = f"SELL {format_size(shares)} {plain(sale.order.outcome, 10)} ≥ {format_price(limit_price(sale.order))}"
    average = numbers.fills_now_average
    now = "no bids here" if average is None else f"~{format_average(average)}"
    if sale.plan.stays:
        now += f", {format_size(sale.plan.stays)} unsold"
    room = width - len(what) - len(now) - 4
    head = (Cell(what, Role.ASK, Emphasis.BOLD),)
    if room >= _LEAST_TITLE:
        title = plain(sale.order.market_title, room)
        return [(*head, Cell(f"  {title:<{room}}  ", Role.DIM), Cell(now))]
    # The name decides which market it is: on a narrow card it has a line of its own.
    gap = " " * max(width - len(what) - len(now), 1)
    name = plain(sale.order.market_title, width)
    return [(*head, Cell(f"{gap}{now}")), (Cell(name, Role.DIM),)]
