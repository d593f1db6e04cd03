"""Paints an order's card from the very fields that are hashed: payment, proceeds, and fills now."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from pmtui.domain.formats import count_shares, format_shares, shorten_id
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, cents_down, cents_near, cents_up, write_fee
from pmtui.domain.orders.amounts import size_ceil, to_finest_tick
from pmtui.domain.orders.order import TimeInForce
from pmtui.domain.ticket.estimate import TicketNumbers
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import Mode
from pmtui.ui.cells import Cell, Emphasis, Line, line_width
from pmtui.ui.format import (
    format_cost,
    format_money,
    format_past_money,
    format_price,
    shown_time,
)
from pmtui.ui.plain import cell_width, plain
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.paint_ticket import paint_text, side_role, wrap_text

Facts = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Sum:
    """The signed amounts of one order, or of several that differ only in price and size."""

    head: PreparedOrder
    cash: Micros
    shares: Micros
    worst_fee: Micros


def signed_amounts(order: PreparedOrder) -> tuple[Micros, Micros]:
    """Return dollars and shares as hashed."""
    draft = order.unsigned.draft
    given, taken = Micros(draft.maker_amount), Micros(draft.taker_amount)
    return (given, taken) if draft.is_buy else (taken, given)


def limit_price(order: PreparedOrder) -> Micros:
    """Return the worst price at which the order can fill.

    Rounding puts the price of the amounts slightly off the grid; no book has a level between it and
    the nearest multiple of the finest tick.
    """
    return to_finest_tick(order.price)


def spends(order: PreparedOrder) -> bool:
    """Return whether dollars limit the order: a purchase that does not rest."""
    draft = order.unsigned.draft
    return draft.is_buy and not order.intent.time_in_force.rests


def may_fill_in_part(order: PreparedOrder) -> bool:
    """Return whether unfilled shares are dropped, so that the full amounts are not certain."""
    return order.intent.time_in_force is TimeInForce.FAK


def describe_money(order: PreparedOrder, numbers: TicketNumbers | None) -> Facts:
    """Return what is paid and received, the fee, and the total.

    Args:
        order: the prepared order.
        numbers: its estimate by the current book, if known.
    """
    return _describe_sum(_sum_of((order,)), numbers)


def describe_money_of_all(orders: Sequence[PreparedOrder]) -> Facts:
    """Return the same for several resting orders sent together, added up.

    What fills now is left out: they would match the same book, one after the other.
    """
    return _describe_sum(_sum_of(orders), None)


def _sum_of(orders: Sequence[PreparedOrder]) -> _Sum:
    amounts = [signed_amounts(order) for order in orders]
    return _Sum(
        head=orders[0],
        cash=Micros(sum(cash for cash, _ in amounts)),
        shares=Micros(sum(shares for _, shares in amounts)),
        worst_fee=Micros(sum(order.worst_fee for order in orders)),
    )


def _describe_sum(whole: _Sum, numbers: TicketNumbers | None) -> Facts:
    """Return the rows of money in the one order of all cards: what the total adds up stands above it."""
    return [
        *_exchanged(whole, numbers),
        ("Fee", _describe_fee(whole, numbers)),
        *_total(whole, numbers),
        *_payout(whole, numbers),
    ]


def _exchanged(whole: _Sum, numbers: TicketNumbers | None) -> Facts:
    order, cash, shares = whole.head, whole.cash, whole.shares
    size = count_shares(shares)
    price = format_price(limit_price(order))
    is_partial = may_fill_in_part(order)
    if not order.unsigned.draft.is_buy:
        if is_partial:
            return [("Size", f"max {size}"), ("Proceeds", f"min {price} a share")]
        return [("Size", size), ("Proceeds", f"min {format_money(cash)}")]
    cost = ("Cost", f"max {format_cost(cash)}")
    if is_partial:
        most = f"max {_most(numbers)} " if numbers is not None and numbers.fills_now else ""
        return [("Size", f"{most}shares at {price} or less"), cost]
    got = f"min {size}" if spends(order) else size
    if spends(order) and numbers is not None and numbers.most_shares > shares:
        # A better price than that of the book brings more still.
        got = f"min {format_shares(shares)}, now {_most(numbers)} shares"
    return [("Size", got), cost]


def _payout(whole: _Sum, numbers: TicketNumbers | None) -> Facts:
    """Return what a purchase pays if it wins."""
    if not whole.head.unsigned.draft.is_buy:
        return []
    pays = f"{'min' if spends(whole.head) else 'max'} {format_money(whole.shares)}"
    if may_fill_in_part(whole.head):
        pays = "$1.00 a share"
        if numbers is not None and numbers.fills_now:
            pays = f"{format_money(numbers.fills_now)} for what fills now"
    return [("Payout", pays)]


def _most(numbers: TicketNumbers) -> str:
    """Write the most shares by the current book, rounded up to hundredths."""
    return format_shares(size_ceil(numbers.most_shares))


def _describe_fee(whole: _Sum, numbers: TicketNumbers | None) -> str:
    order = whole.head
    if order.unsigned.draft.is_post_only:
        return "none (maker)"
    if not whole.worst_fee:
        return "none"
    most = write_fee(_most_fee(whole, numbers))
    none = "; none on what rests" if order.intent.time_in_force.rests else ""
    if numbers is None:
        # Dollars that fill below the limit buy more shares, with a larger fee.
        return f"about {most}" if spends(order) else f"max {most}{none}"
    if not numbers.fills_now:
        return f"none now, max {most} if it fills" + (" at once" if none else "")
    now = write_fee(numbers.fee)
    return f"{now}{'' if now == most else f', max {most}'}{none if numbers.rests else ''}"


def _most_fee(whole: _Sum, numbers: TicketNumbers | None) -> Micros:
    return whole.worst_fee if numbers is None else numbers.most_fee


def _total(whole: _Sum, numbers: TicketNumbers | None) -> Facts:
    """Return the total with the fee, if there is one.

    Computed from the cents shown, so that the lines of the card add up.
    """
    order, cash = whole.head, whole.cash
    if not whole.worst_fee or order.unsigned.draft.is_post_only:
        return []
    is_buy = order.unsigned.draft.is_buy
    most = cents_near(_most_fee(whole, numbers))
    if may_fill_in_part(order) and numbers is not None:
        if not numbers.fills_now:
            return []
        paid, fee = cents_near(numbers.fills_now_cash), cents_near(numbers.fee)
        total = Micros(paid + fee if is_buy else paid - fee)
        return [("Total", f"about {format_past_money(total)}")]
    if not is_buy:
        if may_fill_in_part(order):
            return []
        rest = Micros(cents_down(cash) - most)
        return [("Total", f"min {format_money(rest)}")]
    bound = "about" if spends(order) and numbers is None else "max"
    total = Micros(cents_up(cash) + most)
    return [("Total", f"{bound} {format_cost(total)}")]


VENUE_EXPIRY_LEAD = timedelta(seconds=60)
"""The venue removes a GTD order this long before the time it states (docs/wire.md#orders)."""
_MODE_ROLES = {Mode.PAPER: Role.PAPER, Mode.LIVE: Role.LIVE, Mode.READ_ONLY: Role.READONLY}
_LABEL = 10
_GAP = 2


@dataclass(frozen=True, slots=True)
class Occasion:
    """The context in which an order is sent."""

    question: str = "Send this order?"
    first: Sequence[str] = ()
    """What happens before it is sent, a sentence each."""
    estimates: Sequence[tuple[str, str]] = ()
    """Names and values of estimates by the current book, which are not signed."""
    warnings: Sequence[str] = ()
    """Reasons against it, a sentence each."""
    numbers: TicketNumbers | None = None
    """The estimate by the current book; None if unknown."""
    details_key: str = ""
    """The key that shows addresses and id; if empty, they are on the card."""


def paint_confirm(
    order: PreparedOrder,
    width: int,
    *,
    mode: Mode,
    doubt: str = "",
    height: int = 0,
    occasion: Occasion | None = None,
) -> tuple[Line, ...]:
    """Paint everything that is about to be signed.

    Args:
        order: prepared by the service; amounts, side, times and addresses come from `unsigned`.
        width: the cells available.
        mode: whether this is real money.
        doubt: why sending it may be a mistake; empty for none.
        height: the lines visible at once; 0 for any number. With fewer than it takes, facts share
            lines.
        occasion: the context, if it is more than a plain order.
    """
    paint = partial(_card, order, width, mode=mode, doubt=doubt, occasion=occasion or Occasion())
    lines = paint()
    return paint(is_dense=True) if height and len(lines) > height else lines


def _card(
    order: PreparedOrder,
    width: int,
    *,
    mode: Mode,
    doubt: str,
    occasion: Occasion,
    is_dense: bool = False,
) -> tuple[Line, ...]:
    """Paint the whole card; if dense, facts share lines and a long title is cropped."""
    lines: list[Line] = [paint_question(mode, occasion.question)]
    for sentence in occasion.first:
        lines += paint_text(plain(sentence), width, Role.NOTICE_WARN)
    price = format_price(limit_price(order))
    lines += _headline(order, price, width)
    longest = width if is_dense else 2 * width
    lines += paint_text(plain(order.market_title, longest), width, Role.DIM)
    # Before the facts: what speaks against the order is read first, and never below the fold.
    lines += _against(doubt, occasion.warnings, width)
    facts = [
        *((name, plain(value)) for name, value in occasion.estimates),
        *describe_money(order, occasion.numbers),
        *_terms(order),
    ]
    # A token that is not derived needs attention: it is never hidden behind a key.
    is_short = bool(occasion.details_key) and order.is_derived
    if not is_short:
        facts += describe_identity(order)
    lines += _pair_facts(facts, width) if is_dense else _list_facts(facts, width)
    if is_short:
        lines.append(paint_details_hint(occasion.details_key))
    return tuple(lines)


def paint_details_hint(key: str, what: str = "addresses and id") -> Line:
    """Paint the key that shows the other signed fields."""
    return (Cell(key, Role.KEY, Emphasis.BOLD), Cell(f" {what}", Role.DIM))


def _list_facts(facts: Sequence[tuple[str, str]], width: int) -> list[Line]:
    return [line for name, value in facts for line in paint_fact(name, value, width)]


def _pair_facts(facts: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """Paint facts in two columns, in their order; one too long for its half has its own line."""
    half = (width - _GAP) // 2
    lines: list[Line] = []
    is_open = False
    for name, value in facts:
        is_short = cell_width(value) <= half - _LABEL - 1
        (fact, *more) = paint_fact(name, value, half if is_short else width)
        if is_open and is_short:
            lines[-1] = (*lines[-1], Cell(" " * (half + _GAP - line_width(lines[-1]))), *fact)
        else:
            lines += [fact, *more]
        is_open = is_short and not is_open
    return lines


def _against(doubt: str, warnings: Sequence[str], width: int) -> list[Line]:
    lines: list[Line] = []
    if doubt:
        lines += paint_text(plain(doubt), width, Role.NOTICE_BAD, Emphasis.BOLD)
    for warning in warnings:
        words = wrap_text(plain(warning), max(width - 2, 8))
        lines += [
            (Cell("! " if n == 0 else "  ", Role.NOTICE_WARN), Cell(part, Role.NOTICE_WARN))
            for n, part in enumerate(words)
        ]
    return lines


def paint_question(mode: Mode, question: str) -> Line:
    """Paint the question, and whether it is about real money."""
    return (Cell(f" {mode.value} ", _MODE_ROLES[mode]), Cell(f" {question}", Role.HEADING))


def _headline(order: PreparedOrder, price: str, width: int) -> tuple[Line, ...]:
    side = Side.BUY if order.unsigned.draft.is_buy else Side.SELL
    cash, shares = signed_amounts(order)
    outcome = plain(order.outcome, 20)
    text = f"{side.value} {format_shares(shares)} {outcome} @ {price} or better"
    if cell_width(text) > width:
        # A limit implies "or better": dropping the words saves a second line.
        text = text.removesuffix(" or better")
    if spends(order) and may_fill_in_part(order):
        text = f"{side.value} {outcome}: spend max {format_cost(cash)}, max {price} a share"
    elif spends(order):
        text = (
            f"{side.value} {outcome}: spend {format_cost(cash)}, min {format_shares(shares)} "
            f"shares, max {price} a share"
        )
    return paint_text(text, width, side_role(side), Emphasis.BOLD)


def _terms(order: PreparedOrder) -> list[tuple[str, str]]:
    draft = order.unsigned.draft
    terms = [("TIF", f"{draft.time_in_force}{', post-only' if draft.is_post_only else ''}")]
    if draft.expiration_s:
        stated = datetime.fromtimestamp(draft.expiration_s, tz=UTC)
        gone = shown_time(stated - VENUE_EXPIRY_LEAD)
        terms.append(("Until", f"{gone:%Y-%m-%d %H:%M:%S %Z}"))
    return terms


def describe_identity(order: PreparedOrder) -> list[tuple[str, str]]:
    """Return the maker, the exchange and the order id."""
    unsigned = order.unsigned
    kind = "neg-risk" if unsigned.draft.neg_risk else "regular"
    doubt = "not derivable from the condition id; all hosts agree on it"
    return [
        *([] if order.is_derived else [("Token", doubt)]),
        ("Maker", plain(shorten_id(unsigned.maker))),
        ("Exchange", f"{kind} {plain(shorten_id(unsigned.exchange))}"),
        ("Order id", plain(shorten_id(unsigned.order_id))),
    ]


def paint_fact(name: str, value: str, width: int) -> list[Line]:
    """Paint a fact; a long one is wrapped, because none may be cropped."""
    room = max(8, width - _LABEL - 1)
    parts = wrap_text(value, room)
    return [
        (Cell(f"{name if n == 0 else '':<{_LABEL}} ", Role.DIM), Cell(part))
        for n, part in enumerate(parts)
    ]
