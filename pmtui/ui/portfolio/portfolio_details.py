"""The details of a portfolio row: everything its columns may not show."""

from pmtui.domain.account.position import CONVERSION, Activity, ClosedPosition, Dust, Position
from pmtui.domain.formats import count, format_shares
from pmtui.domain.markets.rewards import Earned
from pmtui.domain.money import write_fee
from pmtui.domain.orders.order import Fill, Order, OrderStatus
from pmtui.service.wallet.wallet_views import TransactionView
from pmtui.ui.cells import Cell, Line
from pmtui.ui.facts import indent, join_facts, name_fact, paint_gain
from pmtui.ui.format import (
    format_cost,
    format_money,
    format_past_money,
    format_price,
    read_paid,
    read_price,
    write_moment,
)
from pmtui.ui.plain import plain
from pmtui.ui.portfolio.paint_position import marked_by
from pmtui.ui.portfolio.portfolio_rows import (
    Item,
    OrderMarks,
    describe_remedy_of,
    describe_share,
    paint_side,
)
from pmtui.ui.theme.theme import Role
from pmtui.ui.wallet.transaction import describe_calls, paint_state

_STATUS_SENTENCES = {
    OrderStatus.PENDING: "being sent",
    OrderStatus.SENT: "sent, awaiting the venue's answer",
    OrderStatus.UNKNOWN: "unconfirmed, checking: counted as working until ruled out",
    OrderStatus.LIVE: "working",
    OrderStatus.DELAYED: "delayed by the venue, may still fill",
    OrderStatus.PARTIALLY_FILLED: "partially filled, the rest is working",
}


def describe_dust(dust: Dust) -> str:
    """Return the number and value of positions too small to sell: `3 positions …, $0.42 in all`."""
    held = count(len(dust.positions), "position")
    return f"{held} below the venue's minimum, {format_money(dust.value)} in all"


def paint_item_details(item: Item, title: str, marks: OrderMarks, width: int) -> tuple[Line, Line]:
    """Paint the details of an item; the title is sanitized already."""
    return indent((Cell(title, Role.HEADING),)), join_facts(_facts(item, marks), width)


def _facts(item: Item, marks: OrderMarks) -> list[Cell | Line]:
    match item:
        case Position():
            return _position_facts(item, marks)
        case Dust():
            return [Cell("dust, too small for an order; enter shows or hides them", Role.DIM)]
        case Order():
            return _order_facts(item, is_scoring=item.order_id in marks.scoring)
        case Fill():
            return _fill_facts(item)
        case ClosedPosition():
            return _closed_facts(item)
        case Activity():
            return _activity_facts(item)
        case Earned():
            return _earned_facts(item)
        case TransactionView():
            return _transaction_facts(item)


def _position_facts(position: Position, marks: OrderMarks) -> list[Cell | Line]:
    held = f"{format_shares(position.size)} {plain(position.outcome, 20)}"
    note = describe_remedy_of(position)
    return [
        Cell(held),
        name_fact("average", Cell(read_paid(position.average_price))),
        name_fact("cost", Cell(format_cost(position.cost))),
        name_fact("realised to date (gross)", paint_gain(position.realized)),
        (Cell("resolved: ", Role.DIM), Cell(marked_by((position,)))) if position.is_settled else (),
        Cell(note, Role.NOTICE_GOOD) if note and position.token_id not in marks.notes else (),
    ]


def _order_facts(order: Order, *, is_scoring: bool) -> list[Cell | Line]:
    left = f"{format_shares(order.remaining_size)} of {format_shares(order.original_size)}"
    return [
        paint_side(order.side),
        Cell(f"{left} {plain(order.outcome, 20)} at {format_price(order.price)}"),
        Cell(order.time_in_force.value, Role.DIM),
        Cell(_STATUS_SENTENCES.get(order.status, order.status.words), Role.DIM),
        Cell("earns rewards", Role.NOTICE_GOOD) if is_scoring else (),
        Cell(plain(order.reason, 60), Role.NOTICE_WARN) if order.reason else (),
    ]


def _fill_facts(fill: Fill) -> list[Cell | Line]:
    return [
        paint_side(fill.side),
        Cell(f"{format_shares(fill.size)} {plain(fill.outcome, 20)} at {read_price(fill.price)}"),
        name_fact("as", Cell(fill.liquidity.value.lower())),
        name_fact("fee", _fee(fill)),
        Cell(write_moment(fill.matched_at), Role.DIM),
    ]


def _fee(fill: Fill) -> Cell:
    if fill.fee is None:
        return Cell("not known yet", Role.STALE)
    return Cell(write_fee(fill.fee))


def _closed_facts(closed: ClosedPosition) -> list[Cell | Line]:
    at = write_moment(closed.closed_at) if closed.closed_at else "unknown time"
    return [
        Cell(f"{format_shares(closed.total_bought)} {plain(closed.outcome, 20)} bought"),
        name_fact("realised to date (gross)", paint_gain(closed.realized)),
        Cell(at, Role.DIM),
    ]


def _activity_facts(activity: Activity) -> list[Cell | Line]:
    return [
        Cell(write_moment(activity.at)),
        Cell(describe_conversion(activity)) if activity.kind == CONVERSION else (),
        Cell(plain(activity.transaction_hash, 66), Role.DIM),
    ]


def describe_conversion(activity: Activity) -> str:
    """Describe the shares that a conversion took and gave."""
    if activity.size is None:
        return ""
    size = format_shares(activity.size)
    cash = f", +{format_past_money(activity.cash)} cash" if activity.cash else ""
    return f"-{size} No of each, +{size} Yes of every other outcome{cash}"


def _transaction_facts(transaction: TransactionView) -> list[Cell | Line]:
    calls = describe_calls(transaction)
    return [
        paint_state(transaction),
        Cell(calls, Role.DIM) if calls else (),
        Cell(plain(transaction.hash, 66), Role.DIM) if transaction.hash else (),
    ]


def _earned_facts(earned: Earned) -> list[Cell | Line]:
    share = earned.percent
    now = f"{describe_share(share)} of what this market pays now" if share else ""
    return [
        Cell(f"{earned.day:%d %b %Y} (UTC)"),
        Cell(now, Role.DIM) if now else (),
        name_fact("for resting", Cell(format_past_money(earned.reward))),
        name_fact("from takers' fees", Cell(format_past_money(earned.rebate))),
    ]
