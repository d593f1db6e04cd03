"""What takes the place of own orders, and the sale of a net position: prepared, judged, and asked about where it must be.

Where no ladder is on the screen a form asks for the price and the size.
"""

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.books.book_view import BookView
from pmtui.domain.formats import format_cents, format_shares, parse_cents, parse_size
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import MarketTerms, Side
from pmtui.domain.money import ONE, SCALE, Micros, complement, format_micros, notional_ceil
from pmtui.domain.orders.amounts import SIZE_STEP
from pmtui.domain.orders.flattening import (
    FlattenPlan,
    FlattenProblem,
    net_of_market,
    plan_flatten_net,
)
from pmtui.domain.orders.moving import MoveProblem, plan_move
from pmtui.domain.orders.order import MoveVerdict, Order, Rejected
from pmtui.domain.ticket.draft import step_cents
from pmtui.domain.ticket.short_sales import context_of_other
from pmtui.domain.ticket.ticket import check_price, needs_card
from pmtui.service.surface import PreparedOrder
from pmtui.ui.account.action_cards import Move, MoveCard, describe_resting
from pmtui.ui.cells import Cell, Emphasis
from pmtui.ui.facts import key_of
from pmtui.ui.frame import if_agreed
from pmtui.ui.keys.actions import Keymap
from pmtui.ui.market.market_model import MarketModel
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.fields import EntryLabel, NumberField, TextBlock
from pmtui.ui.ticket.order_form import OrderForm
from pmtui.ui.ticket.ticket_state import describe_doubts, ticket_context
from pmtui.ui.widgets.text_line import TextLine

LOADING = "The market is loading."
LEFT_OUT = "The old order is cancelled. This places what was left of it."


async def prepare_moves(
    surface: Surface,
    orders: tuple[Order, ...],
    price: Micros,
    *,
    terms: MarketTerms,
    available: Micros | None,
    size: Micros | None = None,
    shown: TokenId | None = None,
) -> tuple[Move, ...] | str:
    """Prepare replacements for orders at a price, or return why they cannot be moved.

    Args:
        surface: the service.
        orders: the orders to move.
        price: the new price.
        terms: the terms of their market.
        available: free cash; None where it is not known.
        size: the new size of a single order in shares; None for the remaining size of each.
        shown: the outcome in whose terms the price is; None for that of each order.
    """
    moves: list[Move] = []
    for old in orders:
        intent = plan_move(
            old, price if shown in (None, old.token_id) else complement(price), terms=terms, now=surface.queries.now(), available_cash=available, size=size,
            available_shares=surface.queries.account().sellable(old.token_id),
        )  # fmt: skip
        if isinstance(intent, MoveProblem):
            return intent.text
        order = await surface.commands.prepare(intent, replacing=old.order_id)
        if isinstance(order, Rejected):
            return order.reason
        moves.append((old, order))
        if available is not None and old.side is Side.BUY:
            freed = notional_ceil(old.price, old.remaining_size)
            available = Micros(available + freed - order.cash)
    return tuple(moves) or "the order has ended"


def object_to_moves(
    surface: Surface, model: MarketModel, moves: tuple[Move, ...], *, doubt: str
) -> str:
    """Return why moves do not go out without a question, armed or not; empty if they may.

    Args:
        surface: the service and the user's choices.
        model: the market shown.
        moves: the prepared moves.
        doubt: why they may be a mistake, for instance because they would cross; empty for none.
    """
    book, terms = model.book, model.terms
    if doubt or model.status.kill_lock or book is None or terms is None:
        return doubt or plain(model.status.kill_lock, 100) or LOADING
    context = ticket_context(
        surface, terms=terms, market=model.market, account=model.account, book=book,
        outcome_index=model.outcome_index,
    )  # fmt: skip
    other = context_of_other(context) if len(terms.token_ids) == 2 else context
    for _, order in moves:
        is_shown = order.intent.token_id == book.token_id
        for problem in check_price(context if is_shown else other, order.intent):
            return problem.text
    return "" if book.state.is_good else f"the book is {book.state.words}"


def needs_move_card(surface: Surface, model: MarketModel, moves: tuple[Move, ...]) -> bool:
    """Return whether moves without an objection need a card: neither while armed, nor for small orders."""
    if model.is_armed:
        return False
    orders = [order for _, order in moves]
    worth = Micros(sum(order.cash + order.worst_fee for order in orders))
    is_doubtful = bool(describe_doubts(surface, orders))
    return needs_card(surface.options.ticket, worth, is_doubtful=is_doubtful)


async def prepare_net_sale(
    surface: Surface, terms: MarketTerms | None, book: BookView, *, leg: TokenId | None = None
) -> tuple[PreparedOrder, FlattenPlan] | str:
    """Prepare the sale that flattens the net position of a book's market, or say why there is none.

    Args:
        surface: the service and the user's choices.
        terms: of the market; None while they load.
        book: of either outcome.
        leg: the one outcome that may be sold; None for either.
    """
    merging = describe_merging(surface.options.keymap)
    plan = plan_net_sale(surface, terms, book, leg=leg, merging=merging)
    if isinstance(plan, str):
        return plan
    order = await surface.commands.prepare(plan.intent)
    if isinstance(order, Rejected):
        return f"Not sold: {plain(order.reason, 80)}."
    return order, plan


def plan_net_sale(
    surface: Surface,
    terms: MarketTerms | None,
    book: BookView,
    *,
    leg: TokenId | None,
    merging: str,
) -> FlattenPlan | str:
    """Plan the sale of what is held of one outcome beyond the other, or return why there is none.

    Args:
        surface: the service and the user's choices.
        terms: of the market; None while they load.
        book: of either outcome.
        leg: the one outcome that may be sold; None for either.
        merging: says which keys merge pairs.
    """
    if terms is None:
        return LOADING
    account = surface.queries.account()
    if leg is not None and not (net := net_of_market(account.held, leg, terms)).is_long:
        return _describe_leg(net.pairs, leg, terms, merging)
    plan = plan_flatten_net(
        held=account.held, orders=account.open_orders, book=book, terms=terms,
        give_way_percent=surface.options.flatten_percent,
    )  # fmt: skip
    if isinstance(plan, FlattenProblem):
        # What can be done comes first: the end of a long line may be cut.
        pairs = describe_pairs(plan.pairs, merging)
        return f"{pairs and f'{pairs}. '}Nothing to sell: {plan.text}."
    return plan


def _describe_leg(pairs: Micros, leg: TokenId, terms: MarketTerms, merging: str) -> str:
    """Return why an outcome has nothing to sell: no more of it is held than of the other."""
    names = zip(terms.token_ids, terms.outcome_labels, strict=True)
    own, other = (plain(label, 16) for _, label in sorted(names, key=lambda each: each[0] != leg))
    if pairs < SIZE_STEP:
        return f"Nothing to sell: no position in {own}."
    return f"All {format_shares(pairs)} {own} are paired with {other}: {merging}."


MERGE_PATH = ("global.portfolio", "portfolio.merge")
"""The keys that merge pairs, from any screen."""


def describe_move(verdict: MoveVerdict, again: str = "") -> str:
    """Describe how a move ended, with the key that offers the rest again; the line crops it."""
    text = plain(verdict.text, 200)
    if not again:
        return text
    # The key goes before the reason: the end of a long line may be cut.
    what = verdict.end.value.capitalize()
    return text.replace(what, f"{what} ({again} to retry)", 1)


def describe_merging(keymap: Keymap, path: Sequence[str] = MERGE_PATH) -> str:
    """Name the keys that turn pairs into dollars: `p M merges them`."""
    return f"{' '.join(key_of(keymap, each) for each in path)} merges them"


def describe_pairs(pairs: Micros, merging: str) -> str:
    """Describe the pairs of both outcomes that stay, and what merges them; empty for none."""
    if pairs < SIZE_STEP:
        return ""
    stay = "pair stays" if pairs == ONE else "pairs stay"
    return f"{format_shares(pairs)} {stay}: {merging}"


_SIZE_STEP = 10 * SCALE


class MovePrompt(OrderForm[tuple[Move, ...] | None]):
    """Takes a price and a size, shows the card, and returns the moves that were agreed to."""

    WIDTH = 56
    DEFAULT_CSS = """
    MovePrompt .label { width: 10; }
    MovePrompt NumberField { width: 10; }
    """

    price = query_one("#move-price", NumberField)
    amount = query_one("#move-size", NumberField)
    touch = query_one("#move-touch", TextLine)

    def __init__(self, surface: Surface, order: Order) -> None:
        """Ask for the new price of an open order."""
        super().__init__(surface, order.condition_id)
        self._order = order

    @override
    def compose(self) -> ComposeResult:
        what = describe_resting(self._order)
        title = self.market_title(self.WIDTH)
        with Vertical(classes="frame"):
            yield TextLine((Cell(f"Move {what}", Role.HEADING, Emphasis.BOLD),))
            yield TextLine((Cell(title, Role.DIM),))
            with Horizontal(classes="row"):
                yield EntryLabel("To ¢", "move-price")
                yield NumberField(id="move-price", characters="0-9.¢")
                yield TextLine(id="move-touch")
            with Horizontal(classes="row"):
                yield EntryLabel("Size", "move-size")
                yield NumberField(id="move-size", characters="0-9.,")
                yield TextLine((Cell(" shares", Role.DIM),))
            yield TextBlock(id="state")
            yield self.keys()

    def on_mount(self) -> None:
        """Start with its current price, and load the terms for a new one."""
        self.price.value = format_cents(self._order.price)
        self.amount.value = format_micros(self._order.remaining_size)
        _ = self.price.focus()
        self.watch_market(self._order.token_id)

    async def action_accept(self) -> None:
        """Show the card of the move, or why there is none."""
        price, terms = parse_cents(self.price.value), self.terms
        if price is None or terms is None:
            reason = "Enter a price in cents" if terms else "The trading terms are loading"
            self.show_reason(reason)
            _ = self.price.focus()
            return
        size = parse_size(self.amount.value)
        if size is None:
            self.show_reason("Enter a size in shares")
            _ = self.amount.focus()
            return
        account = self._surface.queries.account()
        known = tuple(o for o in account.open_orders if o.order_id == self._order.order_id)
        moves = await prepare_moves(
            self._surface, known, price, terms=terms, available=account.available,
            size=None if size == self._order.remaining_size else size,
        )  # fmt: skip
        if isinstance(moves, str):
            self.show_reason(moves)
            return

        def move() -> None:
            _ = self.dismiss(moves)

        _ = self.app.push_screen(MoveCard(moves, surface=self._surface), if_agreed(move))

    @override
    def show(self) -> None:
        self.show_touch(self.touch, self._order.token_id)

    @on(Input.Changed)
    def _on_typed(self) -> None:
        self.state.show(())

    @on(NumberField.Stepped)
    def _on_stepped(self, event: NumberField.Stepped) -> None:
        if self.terms is None:
            return
        if event.field is self.amount:
            least = self.terms.min_order_size
            size = (parse_size(self.amount.value) or least) + event.step * _SIZE_STEP
            event.field.write(format_micros(Micros(max(size, least))))
        else:
            event.field.write(step_cents(self.price.value, event.step, self.terms.tick_size))
