"""Paints the portfolio's tabs and totals, and the reasons why a tab is empty."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from pmtui.domain.account.exposure import OwnEvent
from pmtui.domain.account.pnl import DayFigures
from pmtui.domain.account.position import Activity, ClosedPosition, Position, close_remnants
from pmtui.domain.formats import count
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill, TradeStatus
from pmtui.domain.orders.own_orders import reserved_cash
from pmtui.service.surface import Queries
from pmtui.service.views import (
    NOTHING_EARNED,
    AccountView,
    EarnedView,
    Load,
    Mode,
    OwnList,
    StatusView,
)
from pmtui.service.wallet.wallet_views import NO_WALLET, WalletView
from pmtui.ui.cells import Cell, Emphasis, Line, line_width
from pmtui.ui.facts import (
    ABSENT,
    NO_ROWS,
    LiveRows,
    describe_age,
    describe_prices_age,
    indent,
    join_facts,
    key_of,
    name_fact,
    paint_gain,
)
from pmtui.ui.format import (
    format_cost,
    format_money,
    format_money_compact,
    format_past_money,
    format_worth_change,
)
from pmtui.ui.keys.actions import Keymap
from pmtui.ui.plain import plain
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.protect import count_guards
from pmtui.ui.widgets.panel import fit_title

_NO_TRANSACTIONS = "No transactions yet: redeeming, approving and sending are listed here."
_SAME_MOMENT = timedelta(seconds=2)
"""The most by which two hosts' times of one trade differ."""


_USUAL_AGE = 11
"""The width of `updated now`: names that move with the age would jump."""
_TAB_PADDING = 17
"""Cells around the seven tabs and before the age."""


class Tab(StrEnum):
    """The parts of a portfolio; the values are their names on screen."""

    POSITIONS = "Positions"
    ORDERS = "Working"
    FILLS = "Fills"
    CLOSED = "Closed"
    ACTIVITY = "Activity"
    REWARDS = "Rewards"
    TRANSACTIONS = "Transactions"


_SHORT_TRANSACTIONS = "Txns"
"""Used when the tabs do not fit."""
_UNCUT = 40
"""Wide enough that amounts which add up are never shortened."""
_LISTS = {
    Tab.POSITIONS: OwnList.POSITIONS,
    Tab.ORDERS: OwnList.ORDERS,
    Tab.FILLS: OwnList.FILLS,
    Tab.CLOSED: OwnList.CLOSED,
    Tab.ACTIVITY: OwnList.ACTIVITY,
}


@dataclass(frozen=True, slots=True)
class Portfolio:
    """All the account's data, as shown in the tabs."""

    account: AccountView
    fills: tuple[Fill, ...] = ()
    closed: tuple[ClosedPosition, ...] = ()
    activity: tuple[Activity, ...] = ()
    earned: EarnedView = NOTHING_EARNED
    wallet: WalletView = NO_WALLET
    events: tuple[OwnEvent, ...] = ()

    @property
    def is_read(self) -> bool:
        """Whether the account has been read: unread figures are missing, not zero."""
        return self.account.as_of is not None


def portfolio_of(queries: Queries) -> Portfolio:
    """Return the account's data for the tabs."""
    past, account, fills = queries.activity(), queries.account(), queries.fills().fills
    closed = close_remnants(account.remnants, fills, past.closed)
    return Portfolio(
        account, fills, closed, past.activity, queries.earned(), queries.wallet(), past.events,
    )  # fmt: skip


def paint_tabs(
    view: Portfolio,
    active: Tab,
    now: datetime,
    *,
    keymap: Keymap,
    width: int,
    rows: LiveRows = NO_ROWS,
) -> Line:
    """Paint the tabs with their counts, and the age of the data.

    Args:
        view: the account's data.
        active: the active tab.
        now: for ages.
        keymap: the user's keys.
        width: of the line.
        rows: how many positions are live, if they are active.
    """
    sizes: dict[Tab, int | None] = {
        Tab.POSITIONS: sum(not position.is_dust for position in view.account.positions),
        Tab.ORDERS: len(view.account.open_orders),
        Tab.FILLS: len(view.fills),
        Tab.CLOSED: len(view.closed),
        Tab.ACTIVITY: len(view.activity),
        # They load with their tab: a count that comes later would shift the tabs.
        Tab.REWARDS: None,
        Tab.TRANSACTIONS: len(view.wallet.transactions),
    }
    if not view.is_read:
        sizes = dict.fromkeys(Tab)
    freshness = _freshness(view, active, now, rows, keymap)
    if active is Tab.ACTIVITY and lags_behind_fills(view) and not view.account.problem:
        freshness = (Cell("lags", Role.STALE),)
    names = _tab_names(sizes, width - max(line_width(freshness), _USUAL_AGE))
    tabs = [
        Cell(
            f" {name} ",
            Role.HEADING if tab is active else Role.DIM,
            Emphasis.REVERSE | Emphasis.BOLD if tab is active else Emphasis.NONE,
        )
        for tab, name in names.items()
    ]
    return (*join_facts(tabs, width, separator=""), Cell("  "), *freshness)


def tab_at(line: Line, x: int) -> Tab | None:
    """Return the tab at a cell of the line of tabs."""
    start = 0
    for cell in line:
        start += line_width((cell,))
        if x < start:
            name = cell.text.split()[:1]
            named = {tab.value: tab for tab in Tab} | {_SHORT_TRANSACTIONS: Tab.TRANSACTIONS}
            return named.get(name[0]) if name else None
    return None


def _tab_names(sizes: Mapping[Tab, int | None], width: int) -> Mapping[Tab, str]:
    """Return the tabs' names with their counts; if not all of these fit, short names alone."""
    sized = {tab: tab.value if n is None else f"{tab.value} {n}" for tab, n in sizes.items()}
    if _TAB_PADDING + sum(map(len, sized.values())) <= width:
        return sized
    return {tab: tab.value for tab in sizes} | {Tab.TRANSACTIONS: _SHORT_TRANSACTIONS}


def paint_rows_title(view: Portfolio, active: Tab, room: int) -> tuple[Line, Line]:
    """Paint the totals of a tab; incomplete totals are marked first.

    Args:
        view: the account's data.
        active: the active tab.
        room: the cells available.
    """
    name = (Cell(active.value.upper(), Role.HEADING),)
    if not view.is_read:
        is_awaited = view.account.load is Load.LOADING
        return name, (Cell("loading…", Role.STALE),) if is_awaited else ()
    totals = _tab_totals(view, active)
    if active is Tab.POSITIONS:
        totals.append(name_fact("unrealised", paint_gain(unrealized_in(view))))
    lack = view.account.missing_in(_LISTS[active]) if active in _LISTS else ""
    if lack:
        totals[:0] = [(Cell("incomplete", Role.STALE),), (Cell(lack, Role.STALE),)]
    return fit_title((name,), totals, room)


def paint_totals(view: Portfolio, status: StatusView, width: int) -> Line:
    """Paint the day's result and what orders reserve, above every tab; or why there are none.

    The status line has the cash.

    Args:
        view: the account's data.
        status: for the day's result.
        width: of the line.
    """
    if view.account.load is Load.EMPTY and status.mode is Mode.READ_ONLY:
        reason = f": {plain(status.mode_reason, 60)}" if status.mode_reason else ""
        return indent((Cell(f"Read-only{reason}", Role.READONLY),))
    if view.account.balance is None:
        return ()
    day: list[Line] = []
    if status.day_result is not None:
        today, figures = name_fact("today", paint_day(status.day_result)), status.day_figures
        whole = (*today, *paint_day_parts(figures))
        day = [whole if line_width(whole) < width else today]
    return join_facts([*day, *([_reserved_fact(view)] if view.account.reserved else [])], width)


def paint_day_parts(figures: DayFigures | None) -> Line:
    """Paint the parts of a day's result, which add up to it to the cent."""
    if figures is None:
        return ()
    return (
        Cell(" = realised ", Role.DIM),
        paint_gain(figures.realized, width=_UNCUT),
        Cell(" + unrealised ", Role.DIM),
        paint_gain(figures.unrealized, width=_UNCUT),
        Cell(" - fees ", Role.DIM),
        Cell(format_past_money(figures.fees)),
    )


def lags_behind_fills(view: Portfolio) -> bool:
    """Return whether the activity, from a slower host, lacks the latest own fill."""
    fills = [fill.matched_at for fill in view.fills if fill.status is not TradeStatus.FAILED]
    if not fills:
        return False
    told = max((activity.at for activity in view.activity), default=None)
    return told is None or max(fills) - told > _SAME_MOMENT


def explain_nothing_here(view: Portfolio, active: Tab, status: StatusView, keymap: Keymap) -> str:
    """Return why a tab is empty, and what would fill it."""
    if view.account.load is Load.EMPTY and status.mode is Mode.READ_ONLY:
        how = key_of(keymap, "global.account")
        return f" No key in this session, so no account to show. {how} says how to get one."
    if view.account.load is Load.FAILED:
        again = key_of(keymap, "global.refresh")
        return f" Could not load: {plain(view.account.problem)}. {again} to retry."
    if view.account.load is Load.EMPTY:
        how = key_of(keymap, "global.account")
        return f" The account has not been read yet. {how} says what it takes."
    if view.account.load is not Load.READY:
        return " Loading your account…"
    if active is Tab.REWARDS:
        return _explain_nothing_earned(view.earned, keymap)
    find, stops = (key_of(keymap, key) for key in ("global.search", "global.conditionals"))
    guards = count_guards(view.account.active)
    return {
        Tab.POSITIONS: f" No positions. {find} to find a market.",
        Tab.ORDERS: " No working orders. "
        + (f"{guards}: {stops} lists them." if guards else f"{find} to find a market."),
        Tab.FILLS: " No fills yet.",
        Tab.CLOSED: " No closed positions yet.",
        Tab.TRANSACTIONS: f" {plain(view.wallet.reason) or _NO_TRANSACTIONS}",
        Tab.ACTIVITY: (
            " Your latest fills are not listed here yet."
            if lags_behind_fills(view)
            else " No activity yet."
        ),
    }[active]


def _explain_nothing_earned(earned: EarnedView, keymap: Keymap) -> str:
    if earned.load is Load.FAILED:
        again = key_of(keymap, "global.refresh")
        return f" Could not load: {plain(earned.problem)}. {again} to retry."
    if earned.load is not Load.READY:
        return " Loading rewards…"
    return " No rewards or rebates in the last 7 days."


def paint_day(result: Micros) -> Cell:
    """Paint the day's result so that the total less it is the total at the day's start."""
    return paint_gain(result)._replace(text=format_worth_change(result))


def paint_past_cash(amount: Micros | None, width: int, role: Role = Role.TEXT) -> Cell:
    """Paint cash that changed hands: our figure may differ from the venue's by a millionth."""
    if amount is None:
        return Cell(ABSENT, Role.DIM)
    text = format_past_money(amount)
    return Cell(text, role) if len(text) <= width else paint_cash(amount, width, role)


def paint_cash(amount: Micros | None, width: int, role: Role = Role.TEXT) -> Cell:
    """Paint cash to the cent if it fits, else shortened, never cropped."""
    if amount is None:
        return Cell(ABSENT, Role.DIM)
    text = format_money(amount)
    short = format_money_compact(amount, width=width).strip()
    return Cell(text if len(text) <= width else short, role)


def _tab_totals(view: Portfolio, active: Tab) -> list[Line]:
    match active:
        case Tab.POSITIONS:
            return _position_totals(view.account.positions)
        case Tab.ORDERS:
            return _order_totals(view)
        case Tab.FILLS:
            return _fill_totals(view)
        case Tab.CLOSED:
            realized = Micros(sum(closed.realized for closed in view.closed))
            return [name_fact("realised to date (gross)", paint_gain(realized))]
        case Tab.ACTIVITY:
            newest = (Cell("newest first", Role.DIM),)
            late = (Cell("latest fills not included yet", Role.STALE),)
            return [newest, late] if lags_behind_fills(view) else [newest]
        case Tab.REWARDS:
            return _earned_totals(view.earned)
        case Tab.TRANSACTIONS:
            return _transaction_totals(view.wallet)


def _transaction_totals(wallet: WalletView) -> list[Line]:
    waiting = sum(not each.status.is_over for each in wallet.transactions)
    newest = (Cell("newest first", Role.DIM),)
    return [(Cell(f"{waiting} under way", Role.STALE),), newest] if waiting else [newest]


def _position_totals(positions: Sequence[Position]) -> list[Line]:
    priced = [p for p in positions if p.value is not None]
    unpriced = len(positions) - len(priced)
    facts: list[Line] = [
        name_fact("value", Cell(format_money(Micros(sum(p.value or 0 for p in priced))))),
        name_fact("cost", Cell(format_cost(Micros(sum(p.cost for p in priced))))),
    ]
    if unpriced:
        facts.insert(1, (Cell(f"({unpriced} unpriced)", Role.STALE),))
    return facts


def unrealized_in(view: Portfolio) -> Micros:
    """Return the unrealised gain of all positions, as the sum of their rows."""
    gains = (position.unrealized for position in view.account.positions)
    return Micros(sum(gain for gain in gains if gain is not None))


def _fill_totals(view: Portfolio) -> list[Line]:
    known = [fill.fee for fill in view.fills if fill.fee is not None]
    facts: list[Line] = [name_fact("fees paid", Cell(format_past_money(Micros(sum(known)))))]
    if unknown := len(view.fills) - len(known):
        facts.append((Cell(f"({unknown} more unknown)", Role.STALE),))
    return facts


def _order_totals(view: Portfolio) -> list[Line]:
    buys = [o for o in view.account.open_orders if o.side is Side.BUY]
    sells = len(view.account.open_orders) - len(buys)
    return [
        name_fact("bids worth", Cell(format_cost(reserved_cash(buys)))),
        (Cell(f"{count(len(buys), 'bid')}, {count(sells, 'offer')}", Role.DIM),),
        _reserved_fact(view),
    ]


def _earned_totals(earned: EarnedView) -> list[Line]:
    if earned.as_of is None:
        return []
    rewards = Micros(sum(row.reward for row in earned.rows))
    rebates = Micros(sum(row.rebate for row in earned.rows))
    return [
        name_fact("rewards", Cell(format_past_money(rewards))),
        name_fact("rebates", Cell(format_past_money(rebates))),
        (Cell("last 7 days (UTC)", Role.DIM),),
    ]


def _reserved_fact(view: Portfolio) -> Line:
    return name_fact("reserved", Cell(format_cost(view.account.reserved), Role.DIM))


def _freshness(view: Portfolio, active: Tab, now: datetime, rows: LiveRows, keymap: Keymap) -> Line:
    if view.account.load is Load.EMPTY:
        return ()
    problem, as_of = view.account.problem, view.account.as_of
    if active is Tab.TRANSACTIONS:
        problem, as_of = "", view.wallet.as_of
    if active is Tab.REWARDS:
        problem, as_of = view.earned.problem, view.earned.as_of
        if view.earned.load is Load.LOADING:
            return ()
    if problem:
        again = key_of(keymap, "global.refresh")
        failed = Cell(f", failed: {plain(problem, 60)} ({again})", Role.NOTICE_WARN)
        return (describe_age(as_of, now), failed)
    return (describe_prices_age(as_of, now, rows),)
