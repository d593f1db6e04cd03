"""The status line: profile, money, orders, notices, and the health of every source."""

from dataclasses import replace
from datetime import datetime

from pmtui.domain.health import HealthState, Source, SourceHealth
from pmtui.domain.money import Micros
from pmtui.service.views import Mode, StatusView
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.format import format_age, format_money, format_money_change
from pmtui.ui.paint.heartbeat import paint_heartbeat
from pmtui.ui.paint.venue import paint_venue
from pmtui.ui.plain import plain
from pmtui.ui.theme import Role

FRESH_S = 35
"""An answer no older than this is `live`: the slowest watched poll comes twice a minute."""
SKEW_WORTH_SAYING_MS = 2_000

_MODE_ROLES = {Mode.PAPER: Role.PAPER, Mode.LIVE: Role.LIVE, Mode.READ_ONLY: Role.READONLY}
_SHORT = {
    Source.METADATA: "meta",
    Source.TRADING: "trading",
    Source.ANALYTICS: "data",
    Source.MARKET_STREAM: "stream",
    Source.USER_STREAM: "user",
    Source.RELAYER: "relayer",
}


def paint_status(
    view: StatusView, width: int, *, do_keys_rest: bool = False, ascii_only: bool = False
) -> Line:
    """Lay the status out in one line: what is ours on the left, the sources on the right.

    Args:
        view: the status.
        width: cells there are.
        do_keys_rest: single keys trade nothing right now, armed or not.
        ascii_only: the terminal shows plain ASCII only.
    """

    def account(view: StatusView) -> Line:
        return _account_cells(view, do_keys_rest=do_keys_rest)

    left = account(view)
    if view.day_result and line_width(left) + line_width(_trouble_cells(view)) >= width:
        # The portfolio shows it as well.
        view = replace(view, day_result=None)
        left = account(view)
    if view.venue and line_width(left) + line_width(_trouble_cells(view)) >= width:
        # The venue's state matters more than a sum that can be read elsewhere.
        left = account(replace(view, portfolio_value=None))
    room = width - line_width(left)
    for is_short in (False, True):
        right = _health_cells(view, is_short=is_short)
        if line_width(right) + 1 <= room:
            break
    else:
        right = _trouble_cells(view)
    gap = max(1, width - line_width(left) - line_width(right))
    return fit_line((*left, Cell(" " * gap), *right), width, ascii_only=ascii_only)


def say_health(health: SourceHealth, now: datetime) -> tuple[str, Role]:
    """Say a source's state in words: live, how old, or down and why."""
    if health.waiting:
        return f"waiting, {health.waiting - 1} ahead", Role.STALE
    match health.state:
        case HealthState.LIVE:
            age = (now - health.as_of).total_seconds() if health.as_of else 0
            if age <= FRESH_S:
                return "live", Role.VERIFIED
            return f"{format_age(age)} old", Role.STALE
        case HealthState.DOWN:
            return f"down: {plain(health.reason, 24)}", Role.NOTICE_BAD
        case HealthState.CONNECTING:
            return "connecting", Role.STALE
        case HealthState.IDLE:
            return "idle", Role.DIM


def _account_cells(view: StatusView, *, do_keys_rest: bool) -> Line:
    cells = [
        Cell(f" {view.mode.value} ", _MODE_ROLES[view.mode], Emphasis.BOLD),
        Cell(" "),
        *_entry_cells(view, do_keys_rest=do_keys_rest),
        *paint_venue(view.venue, view.now),
    ]
    if view.mode is Mode.READ_ONLY:
        cells.append(Cell(plain(view.mode_reason, 40), Role.DIM))
        cells.append(Cell("  "))
    elif view.profile.upper() != view.mode.value:
        cells.append(Cell(f"{plain(view.profile, 12)}  ", Role.DIM))
    if view.cash is not None:
        cells += [Cell("cash ", Role.DIM), Cell(format_money(view.cash)), Cell("  ")]
    if view.portfolio_value is not None:
        cells += [Cell("total ", Role.DIM), Cell(format_money(view.portfolio_value)), Cell("  ")]
    if view.day_result:
        cells += [Cell("today ", Role.DIM), _gain(view.day_result), Cell("  ")]
    if view.mode is not Mode.READ_ONLY:
        role = Role.OWN_ORDER if view.open_orders else Role.DIM
        cells.append(Cell(f"{view.open_orders} open", role))
        if view.watching:
            cells.append(Cell(f"  {view.watching} watching", Role.OWN_ORDER))
        cells += paint_heartbeat(view.heartbeat, view.now)
    if view.unknown_orders:
        cells.append(Cell(f"  {view.unknown_orders} unknown, checking", Role.NOTICE_WARN))
    if view.unread_notices:
        cells.append(Cell(f"  {view.unread_notices} new", Role.NOTICE_WARN))
    if view.clock_skew_ms is not None and abs(view.clock_skew_ms) > SKEW_WORTH_SAYING_MS:
        cells.append(Cell(f"  clock off by {abs(view.clock_skew_ms) // 1000}s", Role.NOTICE_WARN))
    return tuple(cells)


def _gain(amount: Micros) -> Cell:
    return Cell(format_money_change(amount), Role.UP if amount > 0 else Role.DOWN)


def _entry_cells(view: StatusView, *, do_keys_rest: bool) -> Line:
    """Whether orders may be entered, and by single keys: said first of all where it matters."""
    if view.entry_lock:
        return (Cell(" LOCKED ", Role.NOTICE_BAD, Emphasis.BOLD | Emphasis.REVERSE), Cell(" "))
    if view.armed_until is not None and view.armed_until > view.now:
        if do_keys_rest:
            return (Cell(" ARMED, ticket open ", Role.DIM), Cell(" "))
        return (Cell(" ARMED ", Role.ARMED, Emphasis.BOLD), Cell(" "))
    return ()


def _health_cells(view: StatusView, *, is_short: bool) -> Line:
    cells: list[Cell] = []
    for health in view.health:
        if health.state is HealthState.IDLE:
            continue
        words, role = say_health(health, view.now)
        name = _SHORT[health.source] if is_short else health.source.value
        if cells:
            cells.append(Cell("  "))
        cells += [Cell(f"{name} ", Role.DIM), Cell(words, role)]
    return (*cells, Cell(" "))


def _trouble_cells(view: StatusView) -> Line:
    """Where not every source has room: the worst in words, and how many are well."""
    said = [(h, *say_health(h, view.now)) for h in view.health if h.state is not HealthState.IDLE]
    bad = [(h, words, role) for h, words, role in said if words != "live"]
    if not bad:
        return (Cell("all live " if said else "starting ", Role.VERIFIED if said else Role.DIM),)
    worst, words, role = max(bad, key=lambda row: row[0].state is HealthState.DOWN)
    more = f" +{len(bad) - 1}" if len(bad) > 1 else ""
    return (Cell(f"{_SHORT[worst.source]} ", Role.DIM), Cell(f"{words}{more} ", role))
