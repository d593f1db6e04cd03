"""The cards for moving, flattening and scaled orders: painted from the fields that are hashed."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import ClassVar

from textual.binding import BindingType
from typing_extensions import override

from pmtui.domain.books.book_view import BookState, BookView, mirrored_view
from pmtui.domain.formats import count, format_shares
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.flattening import FlattenPlan, reprice
from pmtui.domain.orders.order import LimitIntent, Order
from pmtui.domain.ticket.estimate import TicketNumbers
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import Mode
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.format import (
    format_average,
    format_past_money,
    format_price,
)
from pmtui.ui.keys.actions import bindings_of
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.confirm import CardScreen
from pmtui.ui.ticket.paint_confirm import (
    Occasion,
    describe_identity,
    describe_money_of_all,
    limit_price,
    paint_confirm,
    paint_details_hint,
    paint_fact,
    paint_question,
    signed_amounts,
)
from pmtui.ui.ticket.paint_ticket import paint_text, side_role
from pmtui.ui.ticket.ticket_state import book_of, describe_doubts, numbers_of

Move = tuple[Order, PreparedOrder]
"""An order and its replacement."""
_LEGS_IN_A_COLUMN = 8
_LEG_WIDTH = 22


def paint_move_card(
    moves: Sequence[Move],
    width: int,
    *,
    mode: Mode,
    doubt: str = "",
    numbers: TicketNumbers | None = None,
    details_key: str = "",
    height: int = 0,
) -> tuple[Line, ...]:
    """Paint the replaced orders and what is signed instead; all details if no key shows them."""
    if len(moves) == 1:
        old, order = moves[0]
        first: tuple[str, ...] = (f"Replaces {describe_resting(old)} (queue place lost)",)
        _, shares = signed_amounts(order)
        if shares != old.remaining_size:
            change = f"{format_shares(old.remaining_size)} → {format_shares(shares)}"
            first = (*first, f"Size {change}")
        return paint_confirm(
            order, width, mode=mode, doubt=doubt, height=height,
            occasion=Occasion(
                "Move this order?", first, numbers=numbers, details_key=details_key
            ),
        )  # fmt: skip
    lines: list[Line] = [paint_question(mode, f"Move {count(len(moves), 'order')}?")]
    for old, order in moves:
        _, shares = signed_amounts(order)
        side = Side.BUY if order.unsigned.draft.is_buy else Side.SELL
        away = format_price(old.price)
        to = format_price(limit_price(order))
        what = f"{side.value} {format_shares(shares)} {plain(order.outcome, 12)}"
        lines.append((Cell(what, side_role(side), Emphasis.BOLD), Cell(f" @ {away} to {to}")))
    note = (
        "Each is cancelled, then what is left is placed again: never both. Queue places are lost."
    )
    lines += paint_text(note, width, Role.DIM)
    lines += _common([order for _, order in moves], width, details_key)
    if doubt:
        lines += paint_text(plain(doubt), width, Role.NOTICE_BAD)
    return tuple(lines)


def paint_flatten_card(
    order: PreparedOrder,
    plan: FlattenPlan,
    width: int,
    *,
    mode: Mode,
    doubt: str = "",
    details_key: str = "",
    merging: str = "",
    height: int = 0,
) -> tuple[Line, ...]:
    """Paint the sale with its worst price, and the orders that it cancels first.

    Args:
        order: the sale, as prepared.
        plan: what it would do now.
        width: cells there are.
        mode: whether this is real money.
        doubt: why it may be a mistake; empty for no reason.
        details_key: shows the rest of what is signed; with none all of it is shown.
        merging: says which keys merge the pairs that stay; empty where nothing is said of it.
        height: the lines visible at once; 0 for any number.
    """
    numbers = plan.numbers
    first = [f"Cancels first: {describe_resting(each)}" for each in plan.in_the_way[:2]]
    if more := len(plan.in_the_way[2:]):
        first.append(
            f"and {count(more, 'more working order' if plan.bids else 'more working sale')}"
        )
    estimates = _describe_sale(plan, merging=merging)
    own = " ".join(f"{warning}." for warning in plan.warnings)
    return paint_confirm(
        order, width, mode=mode, doubt=f"{own} {doubt}".strip(), height=height,
        occasion=Occasion(
            f"Sell the {plan.what}?", first, estimates,
            numbers=numbers, details_key=details_key,
        ),
    )  # fmt: skip


def _describe_sale(plan: FlattenPlan, *, merging: str) -> list[tuple[str, str]]:
    """Return what a sale brings by the book as it is, and what stays."""
    numbers = plan.numbers
    average = numbers.fills_now_average
    fills = "nothing, no bids here"
    if average is not None:
        at = format_average(average)
        cash = format_past_money(numbers.fills_now_cash)
        fills = f"{format_shares(numbers.fills_now)} at {at} for {cash}"
    bid = "none" if plan.best_bid is None else format_price(plan.best_bid)
    estimates = [("Fills now", fills), ("Best bid", bid)]
    if plan.stays:
        estimates.append(("Unsold", f"{format_shares(plan.stays)} without a bid"))
    if plan.pairs:
        kept = f"{format_shares(plan.pairs)} stay"
        estimates.append(("Pairs", f"{kept}: {merging}" if merging else kept))
    if plan.others:
        stay = count(len(plan.others), "order")
        estimates.append(("Working", f"{stay} here {'stays' if len(plan.others) == 1 else 'stay'}"))
    return estimates


def paint_scaled_card(
    orders: Sequence[PreparedOrder],
    width: int,
    *,
    mode: Mode,
    doubt: str = "",
    details_key: str = "",
) -> tuple[Line, ...]:
    """Paint every leg of a scaled order and the totals."""
    head = orders[0]
    side = Side.BUY if head.unsigned.draft.is_buy else Side.SELL
    lines: list[Line] = [paint_question(mode, f"Send {count(len(orders), 'order')}?")]
    outcome = plain(head.outcome, 20)
    shares = Micros(sum(signed_amounts(order)[1] for order in orders))
    prices = sorted({limit_price(order) for order in orders})
    ends = [format_price(price) for price in prices]
    span = ends[0] if len(ends) == 1 else f"{ends[0]} to {ends[-1]}"
    text = f"{side.value} {format_shares(shares)} {outcome} @ {span} or better"
    lines += paint_text(text, width, side_role(side))
    lines += paint_text(plain(head.market_title, width), width, Role.DIM)
    lines += _legs(orders, width)
    for name, value in describe_money_of_all(orders):
        lines += paint_fact(name, value, width)
    lines += _common(orders, width, details_key)
    if doubt:
        lines += paint_text(plain(doubt), width, Role.NOTICE_BAD)
    return tuple(lines)


def describe_resting(order: Order) -> str:
    """Return a resting order in words, with its remaining size."""
    price = format_price(order.price)
    size = format_shares(order.remaining_size)
    return f"{order.side.value} {size} {plain(order.outcome, 14)} @ {price}"


def _legs(orders: Sequence[PreparedOrder], width: int) -> list[Line]:
    """Paint the legs in one column, or in several when there are many."""
    texts = []
    for order in orders:
        _, shares = signed_amounts(order)
        price = format_price(limit_price(order))
        texts.append(f"{format_shares(shares):>8} at {price}")
    columns = 1 if len(texts) <= _LEGS_IN_A_COLUMN else max(width // _LEG_WIDTH, 2)
    rows, part = -(-len(texts) // columns), width // columns
    return [(Cell("".join(f"{text:<{part}}" for text in texts[row::rows])),) for row in range(rows)]


def _common(orders: Sequence[PreparedOrder], width: int, details_key: str) -> list[Line]:
    """Paint what all orders of a card share; their addresses too when no key shows them."""
    draft = orders[0].unsigned.draft
    terms = draft.time_in_force + (", post-only" if draft.is_post_only else "")
    lines = list(paint_fact("TIF", terms, width))
    # A token that is not derived needs attention: it is never hidden behind a key.
    if details_key and all(order.is_derived for order in orders):
        lines.append(paint_details_hint(details_key, "addresses"))
        return lines
    for name, value in describe_identity(orders[0])[:2]:
        lines += paint_fact(name, value, width)
    return lines


def describe_crossing(moves: Sequence[Move], book: BookView | None) -> str:
    """Return what the moved orders would match at once; empty if they would only rest."""
    if book is None or not moves:
        return ""
    order: PreparedOrder = moves[0][1]
    if order.intent.token_id != book.token_id:
        book = mirrored_view(book, order.intent.token_id)
    touch = book.best_ask if order.intent.side is Side.BUY else book.best_bid
    if touch is None or not isinstance(order.intent, LimitIntent):
        return ""
    is_buy = order.intent.side is Side.BUY
    crosses = order.intent.price >= touch if is_buy else order.intent.price <= touch
    if not crosses:
        return ""
    if order.intent.is_post_only:
        return "It would cross: post-only is then rejected, and the old order is gone."
    return "It crosses: it fills at once as far as the book goes."


def describe_ended(moves: Sequence[Move], open_orders: Collection[Order]) -> str:
    """Return which orders to move are not working any more; empty while all are."""
    working = {order.order_id for order in open_orders}
    ended = [old for old, _ in moves if old.order_id not in working]
    if not ended:
        return ""
    if len(moves) == 1:
        return f"{describe_resting(ended[0])} has ended: nothing to move."
    return f"{len(ended)} of {count(len(moves), 'order')} ended: go back and move the rest."


class MoveCard(CardScreen):
    """Asks for confirmation of orders' replacements."""

    AGREE = "Move"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of(
        "confirm.details", "market.nudge_up", "market.nudge_down"
    )

    def __init__(
        self, moves: Sequence[Move], *, surface: Surface, doubt: str = "",
        nudge: Callable[[int], None] | None = None,
    ) -> None:  # fmt: skip
        """Ask for confirmation.

        Args:
            moves: orders and their prepared replacements.
            surface: the service and the user's choices.
            doubt: why they may be a mistake, besides what the book shows; empty for none.
            nudge: moves on by so many ticks and asks again; None unless a key nudged.
        """
        orders = [order for _, order in moves]

        def doubt_now() -> str:
            if ended := describe_ended(moves, surface.queries.account().open_orders):
                return ended
            book = surface.queries.book(orders[0].intent.token_id)
            crossing = describe_crossing(moves, book)
            return describe_doubts(surface, orders, f"{doubt} {crossing}".strip())

        super().__init__(surface=surface, orders=orders, doubt=doubt_now)
        self._nudge = nudge
        self._moves = tuple(moves)

    @property
    @override
    def agree(self) -> str:
        return "Close" if self._has_ended else super().agree

    @property
    def _has_ended(self) -> bool:
        return bool(describe_ended(self._moves, self._surface.queries.account().open_orders))

    @override
    def action_accept(self) -> None:
        # Something else was agreed to than what would be left of it.
        if self._has_ended:
            self.action_decline()
        else:
            super().action_accept()

    @override
    def card_lines(self, width: int) -> tuple[Line, ...]:
        return paint_move_card(
            self._moves, width, mode=self._surface.queries.status().mode, doubt=self._doubt,
            numbers=numbers_of(self._surface, self._orders[0]), details_key=self.details_key,
            height=self.room,
        )  # fmt: skip

    def action_perform(self, name: str) -> None:
        """Nudge again: the card is shown again for the new price."""
        if self._nudge is not None:
            _ = self.dismiss(result=False)
            self._nudge(1 if name == "nudge_up" else -1)


def reprice_sale(surface: Surface, plan: FlattenPlan) -> FlattenPlan:
    """Return the plan of a sale with what it would bring now."""
    intent, queries = plan.intent, surface.queries
    terms = queries.market(intent.condition_id).terms
    book = None if terms is None else book_of(surface, terms, intent.token_id)
    if terms is None or book is None or book.state is BookState.LOADING:
        return plan
    return reprice(plan, book, queries.account().open_orders, terms)


class FlattenCard(CardScreen):
    """Shows what selling a position signs, and what it would do now."""

    AGREE = "Sell"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("confirm.details")

    def __init__(
        self, order: PreparedOrder, plan: FlattenPlan, *, surface: Surface, merging: str
    ) -> None:
        """Ask whether to send the prepared sale of this plan; `merging` says which keys merge pairs."""
        doubts = partial(
            describe_doubts, surface, [order], cancelled=plan.in_the_way, expected=plan.expected
        )
        super().__init__(surface=surface, orders=(order,), doubt=doubts)
        self._plan = plan
        self._merging = merging

    @override
    def judge_again(self) -> bool:
        self._plan = reprice_sale(self._surface, self._plan)
        return super().judge_again()

    @override
    def card_lines(self, width: int) -> tuple[Line, ...]:
        return paint_flatten_card(
            self._orders[0], self._plan, width, mode=self._surface.queries.status().mode,
            doubt=self._doubt, details_key=self.details_key, merging=self._merging,
            height=self.room,
        )  # fmt: skip


class ScaledCard(CardScreen):
    """Asks for confirmation of every leg of a scaled order."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("confirm.details")

    def __init__(
        self, orders: Sequence[PreparedOrder], *, surface: Surface, doubt: str = ""
    ) -> None:
        """Ask whether to send these legs; `doubt` says why it may be a mistake."""
        doubts = partial(describe_doubts, surface, orders, doubt)
        super().__init__(surface=surface, orders=orders, doubt=doubts)

    @override
    def card_lines(self, width: int) -> tuple[Line, ...]:
        return paint_scaled_card(
            self._orders, width, mode=self._surface.queries.status().mode, doubt=self._doubt,
            details_key=self.details_key,
        )  # fmt: skip
