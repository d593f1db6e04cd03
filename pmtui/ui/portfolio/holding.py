"""The pane beside wide tables: positions, stops, orders and fills in the selected market."""

from dataclasses import dataclass
from datetime import datetime

from typing_extensions import override

from pmtui.domain.account.position import Position, Stake, break_even
from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import Market
from pmtui.domain.money import ZERO, Micros
from pmtui.domain.orders.flattening import Closing
from pmtui.domain.orders.order import Fill, Order
from pmtui.domain.orders.own_orders import ticks_away
from pmtui.domain.ticket.draft import DEFAULT_GIVE_WAY
from pmtui.service.surface import Queries
from pmtui.service.views import AccountView
from pmtui.ui.cells import Cell, Emphasis, Line, choose_form, fit_line
from pmtui.ui.facts import (
    ABSENT,
    mark_of,
    paint_apart,
    paint_average,
    paint_gain,
    paint_time_left,
)
from pmtui.ui.format import (
    TENTH_OF_CENT,
    format_cost,
    format_money,
    format_money_change,
    format_price,
    format_size_compact,
    read_paid,
    write_clock,
)
from pmtui.ui.market.market_model import exit_of, net_in, tick_size_of, title_of
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
    positions: tuple[tuple[Position, Stake | None, Closing | None], ...]
    """Positions in either outcome, each with what is held beyond pairs and what closing that brings now."""
    tick: Micros | None
    stops: tuple[tuple[Line, ...], ...]
    """Stops on the positions, each in its forms from the longest to the shortest."""
    orders: tuple[WorkingOrder, ...]
    fills: tuple[Fill, ...]
    """Newest first."""
    second: datetime
    """The time, truncated to seconds."""


def holding_of(
    queries: Queries, target: RowTarget | None, *, give_way_percent: int = DEFAULT_GIVE_WAY
) -> Holding | None:
    """Return what the account has in a row's market; None for a row without one."""
    if target is None:
        return None
    condition_id, account = target.condition_id, queries.account()
    view, now = queries.market(condition_id), queries.now()
    market, fills = view.market or target.market, queries.fills().fills
    positions = tuple(p for p in account.positions if p.condition_id == condition_id and p.size)
    here = [fill for fill in fills if fill.condition_id == condition_id]
    nets = [net_in(queries, position, here) for position in positions]
    own = sorted(here, key=lambda fill: fill.matched_at, reverse=True)
    return Holding(
        title=positions[0].title
        if market is None and positions
        else title_of(queries, condition_id),
        market=market,
        positions=tuple(
            (position, net, exit_of(queries, position, net, give_way_percent=give_way_percent))
            for position, net in zip(positions, nets, strict=True)
        ),
        tick=tick_size_of(view),
        stops=_stops(account, condition_id, tick_size_of(view)),
        orders=tuple(
            _working(order, queries, tick_size_of(view), now)
            for order in account.open_orders
            if order.condition_id == condition_id
        ),
        fills=tuple(own),
        second=now.replace(microsecond=0),
    )


def _stops(
    account: AccountView, condition_id: ConditionId, tick: Micros | None
) -> tuple[tuple[Line, ...], ...]:
    here = [each for each in account.conditionals if each.condition_id == condition_id]
    lines = [protection_forms(each, account, tick=tick or TENTH_OF_CENT) for each in here]
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
        gains = [p.unrealized for p, _, _ in held if p.unrealized is not None]
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
    for position, net, closing in holding.positions:
        lines += [(), *_position_lines(position, net, closing, holding.tick)]
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
    return (Cell(name, Role.DIM),)


def _position_lines(
    position: Position, net: Stake | None, closing: Closing | None, tick: Micros | None
) -> list[Line]:
    """Return lines for the position; for what is beyond pairs the result of closing now and at resolution."""
    size = format_size_compact(position.size).strip()
    lines: list[Line] = [
        (
            Cell(f"{plain(position.outcome, _OUTCOME)} ", Role.HEADING, Emphasis.BOLD),
            Cell(size, Role.OWN_ORDER),
            Cell(" at ", Role.DIM),
            Cell(read_paid(position.average_price)),
            Cell(f"  cost {format_cost(position.cost)}", Role.DIM),
        )
    ]
    if position.is_settled or position.is_redeemable:
        paid = position.value or ZERO
        return [
            *lines,
            _fact(
                "pays",
                Cell(format_money(paid)),
                f"{format_money_change(Micros(paid - position.cost))} gross",
            ),
        ]
    lines += _outlook(net, closing, tick) if net is not None else [(Cell("in pairs", Role.DIM),)]
    if position.realized:
        lines.append(_fact("realised", paint_gain(position.realized), "so far, gross"))
    return lines


def _outlook(net: Stake, closing: Closing | None, tick: Micros | None) -> list[Line]:
    """Return lines for the result of closing now, and after either resolution, net of all fees."""
    lines: list[Line] = []
    mark, apart = mark_of(net), paint_apart(net)
    if net.pairs or apart:
        size = format_size_compact(net.size).strip()
        average = "" if net.entry is None else f"at {paint_average(net).text}, "
        lines.append(_fact("net", Cell(size, Role.OWN_ORDER), f"{average}beyond pairs"))
    if apart:
        lines.append(_fact(apart[0].text.strip(), apart[1], "beside it, net"))
    even = None if tick is None else break_even(net, tick)
    if even is not None:
        lines.append(_fact("break-even", Cell(mark + format_price(even)), "fees included"))
    if closing is not None:
        fills, size = (format_size_compact(each).strip() for each in (closing.fills, closing.size))
        note = f"for {fills} of {size}, net" if closing.is_partial else "at the bids, net"
        gain = paint_gain(closing.profit)
        lines.append(_fact("exit", gain._replace(text=mark + gain.text), note))
    pays = f"pays {format_money(Micros(net.size + net.pairs))}"
    lines.append(_fact("if it wins", paint_gain(Micros(net.size - net.cost + net.apart)), pays))
    lines.append(_fact("if it loses", paint_gain(Micros(net.apart - net.cost))))
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
