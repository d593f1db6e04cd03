"""Single keys that trade, in words: whether they are armed, what was sent, and how that ended."""

from collections.abc import Sequence

from pmtui.domain.books.book_view import BookView
from pmtui.domain.formats import count
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.flattening import NOT_SOLD, FlattenPlan
from pmtui.domain.orders.order import Accepted, Order, OrderStatus, Rejected, Unknown, Verdict
from pmtui.domain.orders.single_keys import OneKey
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import AccountView
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.ellipsize import cut_words
from pmtui.ui.facts import key_of
from pmtui.ui.format import format_price, format_size
from pmtui.ui.keys.actions import Keymap
from pmtui.ui.plain import plain
from pmtui.ui.portfolio.fill_words import describe_traded
from pmtui.ui.theme.theme import Role

_LABEL = 14
_REASON = 80
_UNMATCHED = "no orders found to match"


def paint_arming(
    size: Micros,
    book: BookView,
    *,
    is_permitted: bool,
    is_resting: bool = False,
    is_over: bool = False,
) -> Line:
    """Say on the line above the ladder that single keys trade, with which size, or are locked.

    Args:
        size: the chosen preset.
        book: as it is on show.
        is_permitted: the next key may trade from it though it may be wrong.
        is_resting: a ticket has the keys, so none of them trades.
        is_over: nothing trades in this market any more.
    """
    if is_over:
        return (Cell(" KEYS OFF HERE ", Role.DIM, Emphasis.BOLD),)
    if is_resting:
        return (Cell(" KEYS IN TICKET ", Role.DIM, Emphasis.BOLD),)
    if book.state.is_good:
        # What takes spends dollars: better prices bring more shares.
        return (Cell(f" ARMED {format_size(size)}+ ", Role.ARMED, Emphasis.BOLD),)
    if is_permitted:
        return (Cell(f" OVERRIDE {format_size(size)}+ ", Role.NOTICE_BAD, Emphasis.BOLD),)
    return (Cell(" KEYS LOCKED ", Role.NOTICE_WARN, Emphasis.BOLD),)


def describe_sent(order: PreparedOrder, *, takes: bool, warnings: Sequence[str] = ()) -> str:
    """Say what a key sent, and what the trader wants to hear of it."""
    what = _describe_order(order)
    return _warned(f"Sent {what} (taker)." if takes else f"Sent {what}.", warnings)


def describe_end(
    verdict: Verdict, order: PreparedOrder, *, warnings: Sequence[str] = (),
    cleared: str = "", if_not_sold: str = "",
) -> str:  # fmt: skip
    """Say how an order of a key ended, naming it: several may be on their way.

    Args:
        verdict: how it ended, or that nobody knows yet.
        order: as it was prepared.
        warnings: what the trader wants to hear of it.
        cleared: what was cancelled to make way for it.
        if_not_sold: what to do where own orders that stayed kept a position from being sold.
    """
    if isinstance(verdict, Rejected):
        # Nothing went out: there is nothing to be warned of.
        warnings = ()
    if isinstance(verdict, Rejected) and verdict.reason.startswith(NOT_SOLD):
        said = f"{plain(verdict.reason, _REASON)}: {if_not_sold}."
    else:
        said = _describe_end(verdict, order)
    return _warned(f"{said.removesuffix('.')}; {cleared}." if cleared else said, warnings)


def _describe_end(verdict: Verdict, order: PreparedOrder) -> str:
    what = _describe_order(order)
    if isinstance(verdict, Accepted) and verdict.average is not None:
        return describe_traded(verdict, order)
    if isinstance(verdict, Rejected) and _UNMATCHED in verdict.reason.lower():
        # Quicker hands were there: no fault of the order, and the venue's words hide it.
        gone = "ask" if order.intent.side is Side.BUY else "bid"
        return f"{what}: no fill, the {gone} was gone."
    return _describe_verdict(verdict, what)


def _warned(said: str, warnings: Sequence[str]) -> str:
    return f"{said} ! {'; '.join(warnings)}" if warnings else said


def _describe_verdict(verdict: Verdict, what: str) -> str:
    match verdict:
        case Accepted():
            if verdict.status is OrderStatus.LIVE:
                return f"Working: {what}."
            return f"{what} {_describe_accepted(verdict)}"
        case Rejected():
            return f"{what} refused: {cut_words(verdict.reason, _REASON)}"
        case Unknown():
            return f"{what} unconfirmed, checking: {plain(verdict.reason, _REASON)}"


def _describe_accepted(verdict: Accepted) -> str:
    match verdict.status:
        case OrderStatus.FILLED:
            return "filled."
        case OrderStatus.PARTIALLY_FILLED:
            return f"filled {format_size(verdict.filled_size)}, the rest is working."
        case OrderStatus.DELAYED:
            return "accepted, delayed by the venue. Its fill shows here."
        case _:
            return f"{plain(verdict.text, _REASON)}."


def _describe_order(order: PreparedOrder) -> str:
    side = "BUY" if order.intent.side is Side.BUY else "SELL"
    price = format_price(order.price)
    return f"{side} {format_size(order.size)} {plain(order.outcome, _LABEL)} @ {price}"


def describe_what_clears(
    met: Order | None, key: OneKey, on_ladder: Sequence[Order], keymap: Keymap
) -> str:
    """Say after a refusal which key cancels the own order that is in the way.

    Args:
        met: the order; None where something else is the matter.
        key: what was pressed.
        on_ladder: own orders on show, in terms of the outcome on show.
        keymap: the user's.
    """
    if met is None:
        return ""
    if met.order_id not in {order.order_id for order in on_ladder}:
        # It rests in the book of the other outcome, which is not on show here.
        return f": {key_of(keymap, 'market.cancel_market')} cancels all"
    side = "asks" if key.side is Side.BUY else "bids"
    return f": {key_of(keymap, f'market.cancel_{side}')} pulls {side}"


def describe_what_sells(keymap: Keymap) -> str:
    """Say what to do where own orders that stayed kept a position from being sold."""
    again, ticket = (key_of(keymap, f"market.{name}") for name in ("flatten_now", "sell"))
    return f"{again} to retry, {ticket} to sell by ticket"


def describe_clearing(plan: FlattenPlan | None, said: str) -> str:
    """Say what a sale of all cancels first; what is said of any order where that is nothing."""
    if plan is None or not plan.in_the_way:
        return said
    what = _count_sides(len(plan.bids), len(plan.sales))
    return f"Cancelling {what}; then {said.removeprefix('Sent ')}"


def describe_cleared(plan: FlattenPlan | None, account: AccountView) -> str:
    """Say what a sale of all has cancelled, by what is known of each; empty for nothing."""
    if plan is None:
        return ""
    stayed = {order.order_id for order in account.open_orders}
    stayed |= {o.order_id for o in account.recent if o.status is OrderStatus.FILLED}
    bids, sales = (
        sum(order.order_id not in stayed for order in orders) for orders in (plan.bids, plan.sales)
    )
    return f"cancelled {_count_sides(bids, sales)}" if bids or sales else ""


def _count_sides(bids: int, asks: int) -> str:
    found = [(bids, "bid"), (asks, "ask")]
    return ", ".join(count(number, noun) for number, noun in found if number)
