"""The pane beside wide tables: positions, stops, orders and fills in the selected market."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from typing_extensions import override

from pmtui.domain.account.position import Position, Stake, break_even, entry_fees
from pmtui.domain.books.book_view import BookView
from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import Market
from pmtui.domain.money import ZERO, Micros
from pmtui.domain.orders.order import Fill, Order
from pmtui.domain.orders.own_orders import ticks_away
from pmtui.service.surface import Queries
from pmtui.service.views import AccountView
from pmtui.ui.cells import Cell, Emphasis, Line, choose_form, fit_line
from pmtui.ui.facts import ABSENT, paint_gain, paint_time_left
from pmtui.ui.format import (
    format_cost,
    format_money,
    format_money_change,
    format_price,
    format_size_compact,
    read_average,
    write_clock,
)
from pmtui.ui.market.market_model import tick_size_of, title_of
from pmtui.ui.plain import fit, plain
from pmtui.ui.portfolio.paint_working import WorkingOrder, by_ladder, paint_own_orders
from pmtui.ui.rows.row_verbs import RowTarget
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.paint_ticket import paint_text
from pmtui.ui.ticket.protect import paint_unprotected, protection_forms
from pmtui.ui.widgets.line_pane import LinePane

_TITLE_LINES = 2
_LABEL = 12
_MOST_ORDERS = 8
_LEAST_FILLS = 2
_OUTCOME = 8


@dataclass(frozen=True, slots=True)
class Holding:
    """Everything the account has in one market."""

    title: str
    market: Market | None
    positions: tuple[tuple[Position, BookView], ...]
    """Positions in either outcome, each with its book."""
    stakes: tuple[Stake, ...]
    """The positions' stakes, with the fees paid."""
    tick: Micros | None
    stops: tuple[tuple[Line, ...], ...]
    """Stops on the positions, each in its forms from the longest to the shortest."""
    orders: tuple[WorkingOrder, ...]
    fills: tuple[Fill, ...]
    """Newest first."""
    second: datetime
    """The time, truncated to seconds."""


def holding_of(queries: Queries, target: RowTarget | None) -> Holding | None:
    """Return what the account has in a row's market; None for a row without one."""
    if target is None:
        return None
    condition_id, account = target.condition_id, queries.account()
    view, now = queries.market(condition_id), queries.now()
    market, fills = view.market or target.market, queries.fills().fills
    positions = tuple(p for p in account.positions if p.condition_id == condition_id and p.size)
    own = sorted(fills, key=lambda fill: fill.matched_at, reverse=True)
    return Holding(
        title=positions[0].title
        if market is None and positions
        else title_of(queries, condition_id),
        market=market,
        positions=tuple((p, queries.book(p.token_id)) for p in positions),
        stakes=tuple(_stake(position, market, fills) for position in positions),
        tick=tick_size_of(view),
        stops=_stops(account, condition_id),
        orders=tuple(
            _working(order, queries, tick_size_of(view), now)
            for order in account.open_orders
            if order.condition_id == condition_id
        ),
        fills=tuple(fill for fill in own if fill.condition_id == condition_id),
        second=now.replace(microsecond=0),
    )


def _stake(position: Position, market: Market | None, fills: Iterable[Fill]) -> Stake:
    stake = Stake(position.size, position.average_price)
    if market is None or market.fee is None:
        return stake
    fees = entry_fees(fills, position.token_id, position.size, market.fee)
    return replace(stake, entry_fees=fees, fee=market.fee)


def _stops(account: AccountView, condition_id: ConditionId) -> tuple[tuple[Line, ...], ...]:
    here = [each for each in account.conditionals if each.condition_id == condition_id]
    lines = [protection_forms(each, account) for each in here]
    held = (p for p in account.positions if p.condition_id == condition_id)
    bare = (paint_unprotected(account, p.token_id) for p in held if not p.is_redeemable)
    return (*lines, *((line,) for line in bare if line))


def _working(order: Order, queries: Queries, tick: Micros | None, now: datetime) -> WorkingOrder:
    ahead = dict(queries.account().queue_ahead).get(order.order_id)
    away = ticks_away(order, queries.book(order.token_id), tick)
    age_s = int((now - order.created_at).total_seconds())
    return WorkingOrder(order, order, away, ahead, age_s, outcome=order.outcome, tick=tick)


class HoldingPane(LinePane):
    """Shows everything the account has in one market."""

    _holding: Holding | None = None

    def show(self, holding: Holding | None) -> None:
        """Show this market; does nothing when it is unchanged."""
        if holding != self._holding:
            self._holding = holding
            self.repaint()

    @override
    def title(self) -> Line:
        return (Cell("THIS MARKET", Role.HEADING),)

    @override
    def value(self) -> Line:
        """Return the unrealised gain of all positions shown."""
        held = () if self._holding is None else self._holding.positions
        gains = [p.unrealized for p, _ in held if p.unrealized is not None]
        return (paint_gain(Micros(sum(gains))),) if gains else ()

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        if self._holding is None:
            return ((Cell("No market on this row.", Role.DIM),),)
        return paint_holding(self._holding, width, height)


def paint_holding(holding: Holding, width: int, height: int) -> tuple[Line, ...]:
    """Paint a market in at most `height` lines: positions with their outlook, orders, fills."""
    lines = list(paint_text(plain(holding.title), width, Role.HEADING)[:_TITLE_LINES])
    if holding.market is not None and not holding.market.closed:
        left = paint_time_left(holding.market.end_at, holding.second)
        lines.append((Cell("ends in ", Role.DIM), left._replace(text=left.text.strip())))
    for (position, book), stake in zip(holding.positions, holding.stakes, strict=True):
        lines += [(), *_position_lines(position, book, stake, holding.tick)]
    if not holding.positions:
        lines += [(), (Cell("No position.", Role.DIM),)]
    if holding.stops:
        stops = (choose_form(forms, width) for forms in holding.stops)
        lines += [(), _head("STOPS"), *stops]
    if holding.orders:
        lines += [(), _head("WORKING")]
        most = max(min(_MOST_ORDERS, height - len(lines)), 1)
        lines += paint_own_orders(by_ladder(holding.orders), width, most)
    room = height - len(lines) - 2
    if holding.fills and room >= min(len(holding.fills), _LEAST_FILLS):
        lines += [(), _head("FILLS"), *_fill_lines(holding.fills, room)]
    return tuple(fit_line(line, width) for line in lines[:height])


def _head(name: str) -> Line:
    return (Cell(name, Role.HEADING, Emphasis.DIM),)


def _position_lines(
    position: Position, book: BookView, stake: Stake, tick: Micros | None
) -> list[Line]:
    """Return lines for the position, the result of selling now, and the result at resolution."""
    size = format_size_compact(position.size).strip()
    lines: list[Line] = [
        (
            Cell(f"{plain(position.outcome, _OUTCOME)} ", Role.HEADING, Emphasis.BOLD),
            Cell(size, Role.OWN_ORDER),
            Cell(" at ", Role.DIM),
            Cell(read_average(position.average_price)),
            Cell(f"  cost {format_cost(position.cost)}", Role.DIM),
        )
    ]
    if position.is_settled or position.is_redeemable:
        paid = position.value or ZERO
        return [
            *lines,
            _fact(
                "pays", Cell(format_money(paid)), format_money_change(Micros(paid - position.cost))
            ),
        ]
    even = None if tick is None else break_even(stake, tick)
    if even is not None:
        lines.append(_fact("break-even", Cell(format_price(even)), "fees included"))
    if book.state.is_good and book.best_bid is not None:
        exit_now = stake.profit_at(book.best_bid)
        at = f"at the bid, {format_price(book.best_bid)}, net"
        lines.append(_fact("exit now", paint_gain(exit_now), at))
    cost = Micros(position.cost + stake.entry_fees)
    lines.append(
        _fact(
            "if it wins",
            paint_gain(Micros(position.size - cost)),
            f"pays {format_money(position.size)}",
        )
    )
    lines.append(_fact("if it loses", paint_gain(Micros(-cost))))
    if position.realized:
        lines.append(_fact("realised", paint_gain(position.realized), "so far, gross"))
    return lines


def _fact(name: str, value: Cell, note: str = "") -> Line:
    text = f"{value.text:>10}"
    return (
        Cell(f"{name:<{_LABEL}}", Role.DIM),
        value._replace(text=text),
        Cell(f"  {note}", Role.DIM),
    )


def _fill_lines(fills: tuple[Fill, ...], room: int) -> list[Line]:
    shown = fills if len(fills) <= room else fills[: max(room - 1, 0)]
    lines: list[Line] = [
        (
            Cell(f"{write_clock(fill.matched_at)} ", Role.DIM),
            Cell(f"{fill.side.value:<4} ", Role.BID if fill.side.value == "BUY" else Role.ASK),
            Cell(f"{format_size_compact(fill.size, width=7)} "),
            Cell(f"{fit(plain(fill.outcome), 5)} "),
            Cell(f"{format_price(fill.price):>6}  "),
            Cell(ABSENT if fill.fee is None else fill.liquidity.value.lower(), Role.DIM),
        )
        for fill in shown
    ]
    if len(shown) < len(fills):
        lines.append((Cell(f"and {len(fills) - len(shown)} more", Role.DIM),))
    return lines
