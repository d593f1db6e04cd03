"""Paints the portfolio's rows: positions, orders, fills, closed positions, activity and rewards."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from pmtui.domain.account.position import Activity, ClosedPosition, Dust, Position, split_dust
from pmtui.domain.conditionals.conditional import Trigger
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.markets.rewards import Earned
from pmtui.domain.money import Micros, notional_floor, ratio_floor
from pmtui.domain.orders.order import Fill, Order, OrderStatus, TradeStatus
from pmtui.service.wallet.wallet_views import TransactionView
from pmtui.ui.cells import Cell, Column, Emphasis, Row
from pmtui.ui.explore.paint_markets import NO_DAY, SPARK_WIDTH
from pmtui.ui.facts import ABSENT, PRICE_WIDTH, paint_gain, paint_price, unique_keys
from pmtui.ui.format import (
    TENTH_OF_CENT,
    format_age,
    format_money_change,
    format_money_compact,
    format_percent,
    format_price,
    format_size_compact,
    read_paid,
    read_price,
    shown_time,
    write_clock,
)
from pmtui.ui.plain import Align, plain
from pmtui.ui.portfolio.paint_portfolio import (
    Portfolio,
    Tab,
    paint_cash,
    paint_past_cash,
)
from pmtui.ui.theme.theme import Role, sign_role
from pmtui.ui.ticket.protect import paint_guard_price
from pmtui.ui.wallet.transaction import TRANSACTION_COLUMNS, paint_transaction_row

DUST_KEY = "dust"
Item: TypeAlias = (
    Position | Dust | Order | Fill | ClosedPosition | Activity | Earned | TransactionView
)


class OrderMarks(NamedTuple):
    """Further data of rows: pending cancellations, stale prices, queue positions, and so on."""

    marked: frozenset[OrderId] = frozenset()
    ending: frozenset[OrderId] = frozenset()
    """Orders with a cancellation that has not been answered."""
    scoring: frozenset[OrderId] = frozenset()
    aged: frozenset[TokenId] = frozenset()
    """Positions with a stale price, because their book is not good."""
    redeeming: frozenset[ConditionId] = frozenset()
    """Markets marked to be redeemed together."""
    away: Mapping[OrderId, int] = MappingProxyType({})
    """Ticks of working orders from the touch, where their book is good."""
    queue: Mapping[OrderId, Micros] = MappingProxyType({})
    """Estimated shares ahead of working orders."""
    selling: frozenset[TokenId] = frozenset()
    """Positions marked to be sold together."""
    days: Mapping[TokenId, Cell] = MappingProxyType({})
    """Sparklines of the positions' day, if they fit."""
    exits: Mapping[TokenId, Micros] = MappingProxyType({})
    """What closing net positions brings now, net of fees."""
    stops: Mapping[TokenId, Micros] = MappingProxyType({})
    """The highest active stop of positions."""
    notes: Mapping[TokenId, Cell] = MappingProxyType({})
    """The standing of held outcomes, where the wallet knows it."""


MONEY_WIDTH = 10
FEE_WIDTH = 7
FLOW_WIDTH = 12
"""The width of cash with its sign."""
_R = Align.RIGHT
POSITION_COLUMNS = (
    Column("title", "Market", 17, grow=1, ease=32, is_essential=True, is_name=True),
    Column("outcome", "Outcome", 7, is_essential=True),
    Column("size", "Size", 8, align=_R, is_essential=True),
    Column("average", "Average", 7, priority=1, align=_R),
    Column("price", "Price", PRICE_WIDTH, align=_R),
    Column("day", "Day", SPARK_WIDTH, priority=4),
    Column("value", "Value", MONEY_WIDTH, align=_R),
    Column("unrealized", "Unrealised", MONEY_WIDTH, align=_R),
    # The name tells positions apart: it comes before a return on them.
    Column("percent", "%", 7, priority=3, align=_R, about="Return %"),
    Column("exit", "Exit", MONEY_WIDTH, priority=2, align=_R, about="P&L of closing now, net"),
    Column("stop", "Stop", PRICE_WIDTH, priority=2, align=_R),
    Column("realized", "Realised", MONEY_WIDTH, priority=5, align=_R),
    Column("note", "", 10, is_essential=True, silent=("",)),
)
ORDER_COLUMNS = (
    Column("mark", "", 1, is_essential=True),
    Column("side", "Side", 4, is_essential=True),
    Column("size", "Open", 12, align=_R, is_essential=True),
    Column("price", "Price", PRICE_WIDTH, align=_R, is_essential=True),
    Column("away", "Away", 5, align=_R),
    Column("queue", "Queue", 7, priority=1, align=_R),
    Column("tif", "TIF", 8),
    Column("age", "Age", 4, align=_R),
    Column("outcome", "Outcome", 7, is_essential=True),
    Column("title", "Market", 12, grow=1, is_essential=True, is_name=True),
    Column("status", "Status", 9, is_essential=True, silent=(OrderStatus.LIVE.words,)),
)
FILL_COLUMNS = (
    Column("time", "Time", 8),
    Column("side", "Side", 4, is_essential=True),
    Column("size", "Size", 8, align=_R, is_essential=True),
    Column("price", "Price", PRICE_WIDTH, align=_R, is_essential=True),
    Column("outcome", "Outcome", 7, is_essential=True),
    # Room for the outcome and the event, beside a state on small screens; the details have the fee, too.
    Column("title", "Market", 17, grow=1, is_essential=True, is_name=True),
    Column("cash", "Cash", MONEY_WIDTH, align=_R),
    Column("fee", "Fee", FEE_WIDTH, priority=2, align=_R),
    Column("liquidity", "Liq", 5, priority=1),
    Column("status", "Settled", 9, silent=("confirmed",)),
)
CLOSED_COLUMNS = (
    Column("age", "Age", 4, align=_R, silent=(ABSENT,)),
    Column("title", "Market", 20, grow=1, is_essential=True, is_name=True),
    Column("outcome", "Outcome", 8, is_essential=True),
    Column("average", "Average", 7, align=_R),
    Column("bought", "Bought", 9, align=_R),
    Column("realized", "Gross P&L", MONEY_WIDTH, align=_R, about="Realised, before fees"),
)
ACTIVITY_COLUMNS = (
    Column("age", "Age", 4, align=_R, silent=(ABSENT,)),
    Column("kind", "What", 13, is_essential=True),
    Column("side", "Side", 4, is_essential=True),
    Column("size", "Size", 9, align=_R),
    Column("price", "Price", PRICE_WIDTH, align=_R),
    Column("outcome", "Outcome", 7),
    Column("title", "Market", 14, grow=1, is_essential=True, is_name=True),
    Column("cash", "Cash", FLOW_WIDTH, align=_R),
)
REWARD_COLUMNS = (
    Column("day", "Day (UTC)", 9),
    Column("title", "Market", 20, grow=1, is_essential=True, is_name=True),
    Column("reward", "Reward", MONEY_WIDTH, align=_R),
    Column("rebate", "Rebate", MONEY_WIDTH, align=_R),
    Column("total", "Total", MONEY_WIDTH, align=_R),
    Column("share", "Share now", 9, align=_R),
)

TAB_COLUMNS = {
    Tab.POSITIONS: POSITION_COLUMNS,
    Tab.ORDERS: ORDER_COLUMNS,
    Tab.FILLS: FILL_COLUMNS,
    Tab.CLOSED: CLOSED_COLUMNS,
    Tab.ACTIVITY: ACTIVITY_COLUMNS,
    Tab.REWARDS: REWARD_COLUMNS,
    Tab.TRANSACTIONS: TRANSACTION_COLUMNS,
}

_LEAST_SHARE = 100_000
"""A tenth of a percent, in millionths of a percent."""
_STATUS_WORDS = {
    OrderStatus.PENDING: ("sending", Role.STALE),
    OrderStatus.SENT: ("sending", Role.STALE),
    OrderStatus.UNKNOWN: ("unknown", Role.NOTICE_WARN),
    OrderStatus.LIVE: (OrderStatus.LIVE.words, Role.DIM),
    OrderStatus.DELAYED: ("delayed", Role.STALE),
    OrderStatus.PARTIALLY_FILLED: ("partial", Role.VERIFIED),
}
_SETTLED_WORDS = {
    TradeStatus.MATCHED: ("matched", Role.STALE),
    TradeStatus.MINED: ("mined", Role.STALE),
    TradeStatus.CONFIRMED: ("confirmed", Role.DIM),
    TradeStatus.RETRYING: ("retrying", Role.NOTICE_WARN),
    TradeStatus.FAILED: ("FAILED", Role.NOTICE_BAD),
}


def paint_position(key: str, position: Position, title: str, marks: OrderMarks) -> Row:
    """Paint a position and its value, dimmed without a live price."""
    is_aged = position.token_id in marks.aged
    worth = (
        paint_price(position.current_price),
        marks.days.get(position.token_id, NO_DAY),
        paint_cash(position.value, MONEY_WIDTH),
        paint_gain(position.unrealized, MONEY_WIDTH),
    )
    leaving = marks.exits.get(position.token_id)
    is_marked = position.condition_id in marks.redeeming or position.token_id in marks.selling
    note = marks.notes.get(position.token_id)
    cells = (
        Cell(f"● {title}", Role.KEY) if is_marked else Cell(title),
        Cell(plain(position.outcome), emphasis=Emphasis.BOLD),
        Cell(_size(position.size, 8)),
        Cell(read_paid(position.average_price)),
        *(cell._replace(role=Role.STALE) if is_aged else cell for cell in worth),
        _return(position),
        paint_gain(leaving, MONEY_WIDTH),
        paint_guard_price(Trigger.STOP, marks.stops.get(position.token_id)),
        paint_gain(position.realized, MONEY_WIDTH),
        note or Cell(describe_remedy_of(position), Role.NOTICE_GOOD),
    )
    if is_lost(position) and not is_marked:
        cells = tuple(cell._replace(role=Role.DIM) for cell in cells)
    return Row(key, cells, Role.SPREAD_ROW if is_marked else None)


def is_lost(position: Position) -> bool:
    """Return whether a position's market resolved to pay it nothing."""
    return position.is_redeemable and position.current_price == 0


def paint_dust(key: str, dust: Dust) -> Row:
    """Paint the positions that are too small to sell, in one row."""
    gains = [position.unrealized or 0 for position in dust.positions]
    nothing = Cell("")
    cells = (
        Cell(f"{len(dust.positions)} below the minimum", Role.DIM),
        *[nothing] * 5,
        paint_cash(dust.value, MONEY_WIDTH)._replace(role=Role.DIM),
        paint_gain(Micros(sum(gains)), MONEY_WIDTH),
        *[nothing] * 5,
    )
    return Row(key, cells)


def _return(position: Position) -> Cell:
    """Paint the return on the cost, in per cent; of dust there is none."""
    if position.value is None or not position.cost or position.is_dust:
        return Cell(ABSENT, Role.DIM)
    # Of whole cents a small position would have lost more than it cost.
    gain = Micros(position.value - position.cost)
    role = sign_role(gain)
    sign = "+" if gain > 0 else ""
    return Cell(f"{sign}{format_percent(ratio_floor(gain, position.cost))}", role)


def describe_remedy_of(position: Position) -> str:
    """Return what can be done with a position at the venue, in a word."""
    if position.is_redeemable:
        return "redeemable"
    return "mergeable" if position.is_mergeable else ""


def paint_order_row(key: str, order: Order, title: str, now: datetime, marks: OrderMarks) -> Row:
    """Paint an open order and its remaining size."""
    is_marked = order.order_id in marks.marked
    words, role = _STATUS_WORDS.get(order.status, (order.status.words, Role.TEXT))
    if order.order_id in marks.ending:
        words, role = "ending…", Role.STALE
    elif order.order_id in marks.scoring:
        words += " $"
    sizes = _size(order.remaining_size, 6)
    if order.matched_size:
        sizes = f"{sizes}/{_size(order.original_size, 6)}"
    cells = (
        Cell("●" if is_marked else "", Role.KEY),
        paint_side(order.side),
        Cell(sizes),
        Cell(format_price(order.price, tick=TENTH_OF_CENT)),
        _away(marks.away.get(order.order_id)),
        _queue(marks.queue.get(order.order_id)),
        Cell(_life(order, now), Role.DIM),
        _age(order.created_at, now),
        Cell(plain(order.outcome)),
        Cell(title),
        Cell(words, role),
    )
    return Row(key, cells, Role.SPREAD_ROW if is_marked else None)


def in_ladder_order(orders: Sequence[Order]) -> tuple[Order, ...]:
    """Return the orders token by token, those of each as on a ladder: sells, then buys."""
    tokens = {token: n for n, token in enumerate(dict.fromkeys(o.token_id for o in orders))}

    def place(order: Order) -> tuple[int, bool, int, datetime, OrderId]:
        is_buy = order.side is Side.BUY
        return tokens[order.token_id], is_buy, -order.price, order.created_at, order.order_id

    return tuple(sorted(orders, key=place))


def _away(ticks: int | None) -> Cell:
    """Paint an order's distance from the touch, in ticks."""
    if ticks is None:
        return Cell(ABSENT, Role.DIM)
    return Cell(f"{ticks}t", Role.DIM if ticks else Role.VERIFIED)


def _queue(ahead: Micros | None) -> Cell:
    """Paint the shares ahead of an order."""
    if ahead is None:
        return Cell(ABSENT, Role.DIM)
    return Cell("1st", Role.VERIFIED) if ahead <= 0 else Cell(f"~{_size(ahead, 6)}", Role.DIM)


def paint_fill(key: str, fill: Fill, title: str, now: datetime) -> Row:
    """Paint an own fill."""
    words, role = _SETTLED_WORDS[fill.status]
    cells = (
        Cell(_time(fill.matched_at, now), Role.DIM),
        paint_side(fill.side),
        Cell(_size(fill.size, 8)),
        Cell(read_price(fill.price, tick=TENTH_OF_CENT)),
        Cell(plain(fill.outcome)),
        Cell(title),
        _paint_flow(
            notional_floor(fill.price, fill.size), is_out=fill.side is Side.BUY, width=MONEY_WIDTH
        ),
        paint_past_cash(fill.fee, FEE_WIDTH, Role.DIM),
        Cell(fill.liquidity.value.lower(), Role.DIM),
        Cell(words, role),
    )
    return Row(key, cells)


def _time(at: datetime, now: datetime) -> str:
    """Write a time: the clock if today, else the day."""
    is_today = shown_time(at).date() == shown_time(now).date()
    return write_clock(at) if is_today else f"{shown_time(at):%d %b}"


def paint_closed(key: str, closed: ClosedPosition, title: str, now: datetime) -> Row:
    """Paint a closed position and its result."""
    cells = (
        _age(closed.closed_at, now),
        Cell(title),
        Cell(plain(closed.outcome)),
        Cell(read_paid(closed.average_price)),
        Cell(_size(closed.total_bought, 9)),
        paint_gain(closed.realized, MONEY_WIDTH),
    )
    return Row(key, cells)


_CASH_GOES = frozenset({"SPLIT", "WITHDRAWAL"})
_CASH_COMES = frozenset({"MERGE", "REDEEM", "CONVERSION", "DEPOSIT", "REWARD"})
_KINDS = {"CONVERSION": "convert", "DEPOSIT": "received", "WITHDRAWAL": "sent"}


def paint_activity(key: str, activity: Activity, title: str, now: datetime) -> Row:
    """Paint an activity of the wallet; an unknown kind is shown as received."""
    side = activity.side.upper()
    role = Role.BID if side == "BUY" else Role.ASK if side == "SELL" else Role.DIM
    cells = (
        _age(activity.at, now),
        Cell(_KINDS.get(activity.kind) or plain(activity.kind).replace("_", " ").lower()),
        Cell(plain(side, 4), role),
        Cell(_size(activity.size, 9) if activity.size is not None else ABSENT),
        # Only trades have a price; for others the host sends zero.
        paint_price(activity.price or None),
        Cell(plain(activity.outcome)),
        Cell(title),
        _paint_moved(activity, side),
    )
    return Row(key, cells)


def _paint_moved(activity: Activity, side: str) -> Cell:
    """Paint cash with its direction; without a sign if the kind does not tell."""
    goes, comes = activity.kind in _CASH_GOES, activity.kind in _CASH_COMES
    if not activity.cash or not (goes or comes or side in ("BUY", "SELL")):
        return paint_past_cash(activity.cash, FLOW_WIDTH)
    is_out = goes or (not comes and side == "BUY")
    return _paint_flow(activity.cash, is_out=is_out, width=FLOW_WIDTH)


def _paint_flow(cash: Micros, *, is_out: bool, width: int) -> Cell:
    """Paint cash with its sign, to the cent if it fits, else shortened."""
    text = format_money_change(Micros(-cash if is_out else cash))
    if len(text) > width:
        text = f"{text[0]}{format_money_compact(cash).strip()}"
    return Cell(text, Role.DIM if is_out else Role.TEXT)


def paint_earned(key: str, earned: Earned, title: str, now: datetime) -> Row:
    """Paint the rewards of resting orders in a market on one day."""
    is_today = earned.day == now.astimezone(UTC).date()
    percent = earned.percent
    cells = (
        Cell("today" if is_today else f"{earned.day:%d %b}", Role.DIM),
        Cell(title),
        paint_past_cash(earned.reward, MONEY_WIDTH),
        paint_past_cash(earned.rebate, MONEY_WIDTH),
        paint_past_cash(earned.total, MONEY_WIDTH, Role.UP if earned.total else Role.DIM),
        Cell(describe_share(percent) if percent is not None else ABSENT, Role.DIM),
    )
    return Row(key, cells)


def describe_share(percent: Micros) -> str:
    """Write a share in per cent; a small one is never written as zero."""
    if 0 < percent < _LEAST_SHARE:
        return "<0.1%"
    return format_percent(Micros(percent // 100))


def tab_items(
    view: Portfolio,
    tab: Tab,
    minimum: Callable[[ConditionId], Micros | None],
    *,
    is_dust_shown: bool = False,
) -> dict[str, Item]:
    """Return the items of a tab by their row keys.

    Args:
        view: the account's data.
        tab: the tab.
        minimum: returns the smallest order of a market in shares, where known.
        is_dust_shown: whether to list the positions below the minimum after their total.
    """
    items = _items(view, tab)
    if tab is Tab.POSITIONS:
        kept, dust = split_dust(view.account.positions, minimum)
        # Lost positions come last until they are redeemed for nothing.
        items = (*sorted(kept, key=is_lost), *((dust,) if dust else ()))
        if dust and is_dust_shown:
            items += dust.positions
    return dict(zip(unique_keys([_name(item) for item in items]), items, strict=True))


def paint_item(key: str, item: Item, title: str, now: datetime, marks: OrderMarks) -> Row:
    """Paint an item of a tab; the title is sanitized already."""
    match item:
        case Position():
            return paint_position(key, item, title, marks)
        case Dust():
            return paint_dust(key, item)
        case Order():
            return paint_order_row(key, item, title, now, marks)
        case Fill():
            return paint_fill(key, item, title, now)
        case ClosedPosition():
            return paint_closed(key, item, title, now)
        case Activity():
            return paint_activity(key, item, title, now)
        case Earned():
            return paint_earned(key, item, title, now)
        case TransactionView():
            return paint_transaction_row(key, item, now)


def _items(view: Portfolio, tab: Tab) -> tuple[Item, ...]:
    match tab:
        case Tab.POSITIONS:
            return view.account.positions
        case Tab.ORDERS:
            return in_ladder_order(view.account.open_orders)
        case Tab.FILLS:
            return view.fills
        case Tab.CLOSED:
            return view.closed
        case Tab.ACTIVITY:
            return view.activity
        case Tab.REWARDS:
            return view.earned.rows
        case Tab.TRANSACTIONS:
            return view.wallet.transactions


def _name(item: Item) -> str:
    match item:
        case Dust():
            return DUST_KEY
        case Position() | ClosedPosition():
            return item.token_id
        case Order():
            return item.order_id
        case Fill():
            # One trade can fill several own orders.
            return f"{item.trade_id}:{item.order_id}"
        case Activity():
            return f"{item.at.timestamp()}:{item.kind}:{item.token_id}"
        case Earned():
            return f"{item.day}:{item.condition_id}"
        case TransactionView():
            return item.key


def paint_side(side: Side) -> Cell:
    """Paint a side by its word as well as by its colour."""
    return Cell(side.value, Role.BID if side is Side.BUY else Role.ASK)


def _size(size: Micros, width: int) -> str:
    return format_size_compact(size, width=width).strip()


def _age(at: datetime | None, now: datetime) -> Cell:
    if at is None:
        return Cell(ABSENT, Role.DIM)
    return Cell(format_age((now - at).total_seconds()), Role.DIM)


def _life(order: Order, now: datetime) -> str:
    """Return the time in force and, for an order with an end, the time left."""
    if order.expires_at is None:
        return order.time_in_force.value
    left_s = (order.expires_at - now).total_seconds()
    return "GTD past" if left_s < 1 else f"GTD {format_age(left_s)}"
