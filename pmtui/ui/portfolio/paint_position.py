"""Paints the account in one market: a line for each position, and one for each open order."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from pmtui.domain.account.position import Position
from pmtui.domain.formats import format_shares
from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Order, OrderStatus
from pmtui.service.views import AccountView, Load
from pmtui.ui.cells import Cell, Line, fit_line, line_width
from pmtui.ui.format import (
    format_age,
    format_money,
    format_money_change,
    format_price,
    format_size_ceil,
    format_size_compact,
    read_average,
)
from pmtui.ui.plain import fit, plain
from pmtui.ui.theme.theme import Role

_LABEL = 8
_MINUTE_S = 60
_SHORTEST_LABEL = 3
_STATUS_WORDS = {OrderStatus.LIVE: "", OrderStatus.PARTIALLY_FILLED: "partial"}


def paint_positions(
    positions: Sequence[Position],
    labels: Sequence[str],
    width: int,
    *,
    are_known: bool = True,
    is_gain_told: bool = False,
) -> tuple[Line, ...]:
    """Paint the positions in both outcomes, valued as in the portfolio and the status line.

    Args:
        positions: those of one market.
        labels: the outcomes' labels, untrusted.
        width: the cells available.
        are_known: whether the positions are complete.
        is_gain_told: whether the gain is shown above already.
    """
    lines: list[Line] = []
    for index, label in enumerate(labels):
        held = next((p for p in positions if p.outcome_index == index and p.size), None)
        name = Cell(fit(label, _LABEL) + " ", Role.HEADING)
        if held is None:
            none = Cell("none", Role.DIM) if are_known else Cell("none known", Role.STALE)
            lines.append(fit_line((name, none), width))
            continue
        lines.append(_position(name, held, width, is_gain_told=is_gain_told))
    return tuple(lines)


def by_ladder(orders: Iterable[Order], token_id: TokenId | None) -> tuple[Order, ...]:
    """Sort orders as on a ladder: sells above buys, each from the highest price down.

    Those of the outcome shown come first; at one price the oldest does, and no event in an order's
    life moves it.
    """

    def place(order: Order) -> tuple[bool, bool, int, datetime, str]:
        is_other, is_buy = order.token_id != token_id, order.side is Side.BUY
        return is_other, is_buy, -order.price, order.created_at, order.order_id

    return tuple(sorted(orders, key=place))


class OrderPlace(NamedTuple):
    """The place of an open order on the ladder shown."""

    away: int | None = None
    """Ticks from the best price of its side; None without a good book."""
    ahead: Micros | None = None
    """Estimated shares ahead of it."""
    age_s: float = 0.0
    is_other: bool = False
    """Whether it is of the outcome that is not shown."""


_NO_PLACES: Mapping[OrderId, OrderPlace] = MappingProxyType({})


def paint_own_orders(
    orders: Sequence[Order], width: int, height: int, *,
    places: Mapping[OrderId, OrderPlace] = _NO_PLACES,
) -> tuple[Line, ...]:  # fmt: skip
    """Paint open orders in the order given, and the number of those that do not fit.

    Args:
        orders: in the order of the lines.
        width: the cells available.
        height: the lines available.
        places: the place of each; an order without one shows its outcome.
    """
    if not orders:
        return (fit_line((Cell("No working orders.", Role.DIM),), width),)
    shown = orders if len(orders) <= height else orders[: max(0, height - 1)]
    lines = [_order(order, width, places.get(order.order_id)) for order in shown]
    if len(shown) < len(orders):
        more = Cell(f"and {len(orders) - len(shown)} more", Role.DIM)
        lines.append(fit_line((more,), width))
    return tuple(lines)


def account_words(account: AccountView, *, is_starting: bool = False) -> str:
    """Return why the account cannot be shown; empty when it can.

    Args:
        account: the account.
        is_starting: whether no host has answered yet, so that a missing key is not known either.
    """
    match account.load:
        case Load.EMPTY if not is_starting:
            return "No key: no account."
        case Load.EMPTY | Load.LOADING:
            return "Loading the account…"
        case Load.FAILED:
            return f"Account not loaded: {plain(account.problem) or 'no answer'}."
        case Load.READY:
            return ""


def marked_by(positions: Iterable[Position]) -> str:
    """Return by which prices positions are valued: `at mid`, or the payout of a resolved market."""
    prices = {each.current_price if each.is_settled else None for each in positions}
    if None in prices:
        return "at mid"
    (price, *others) = prices
    return "resolved" if others or price is None else f"pays {format_price(price)}"


def _position(name: Cell, held: Position, width: int, *, is_gain_told: bool) -> Line:
    size = format_shares(held.size)
    average = read_average(held.average_price)
    pieces: list[Line] = [(Cell(size, Role.OWN_ORDER), Cell(" at ", Role.DIM), Cell(average))]
    value, gain = held.value, held.unrealized
    if value is not None and gain is not None:
        role = Role.UP if gain > 0 else Role.DOWN if gain < 0 else Role.DIM
        # A narrow line keeps the gain and drops the value.
        worth = (Cell(" | ", Role.DIM), Cell(format_money(value)))
        change = (Cell("  "), Cell(format_money_change(gain), role))
        # Selling at the bid brings less, and fees are shown elsewhere, so the gain states its
        # basis.
        named = (*change, Cell(f" {marked_by((held,))}", Role.DIM))
        choices: tuple[tuple[Line, ...], ...] = (
            (worth, named), (worth, change), (named,), (change,),
        )  # fmt: skip
        for rest in ((worth,),) if is_gain_told else choices:
            if line_width((name, *pieces[0], *(cell for piece in rest for cell in piece))) <= width:
                pieces += rest
                break
    line = (name, *(cell for piece in pieces for cell in piece))
    if line_width(line) > width:
        line = (name, Cell(format_size_compact(held.size, width=max(1, width - _LABEL - 1))))
    return fit_line(line, width)


def _order(order: Order, width: int, place: OrderPlace | None) -> Line:
    role = Role.BID if order.side is Side.BUY else Role.ASK
    size = format_size_compact(order.remaining_size, width=6 if place else 8)
    price = format_price(order.price, width=7)
    side = order.side.value[0] if place else f"{order.side.value:<4} "
    cells = [
        Cell(side, role),
        Cell(f"{size}", Role.OWN_ORDER),
        Cell(f"{price}"),
    ]
    word = _STATUS_WORDS.get(order.status, order.status.words)
    # The order's state matters more than the outcome's name.
    room = width - line_width(tuple(cells)) - 1 - (len(word) + 1 if word else 0)
    if place is not None and not place.is_other:
        cells += _place_cells(order, place, room + 1)
    elif room >= _SHORTEST_LABEL:
        label = fit(order.outcome, min(_LABEL, room))
        cells.append(Cell(f" {label}", Role.DIM))
    if word:
        role = Role.NOTICE_WARN if order.status is OrderStatus.UNKNOWN else Role.DIM
        cells.append(Cell(f" {word}", role))
    return fit_line(tuple(cells), width)


def _place_cells(order: Order, place: OrderPlace, room: int) -> list[Cell]:
    """Return an order's distance from the touch, its queue, its time in force and its age."""
    age = "<1m" if place.age_s < _MINUTE_S else format_age(place.age_s)
    away = "" if place.away is None else f"{place.away}t"
    ahead = ""
    if place.ahead is not None:
        ahead = f"~{format_size_ceil(place.ahead, width=5)}" if place.ahead else "1st"
    facts = ((away, 4), (ahead, 6), (order.time_in_force.value, 4), (age, 4))
    cells: list[Cell] = []
    for text, least in facts:
        size = max(least, len(text) + 1)
        if size > room:
            break
        cells.append(Cell(text.rjust(size), Role.DIM))
        room -= size
    return cells
