"""Paints the status line: profile, money, orders, notices, and the health of every source."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import takewhile
from typing import NamedTuple

from pmtui.domain.formats import count, format_shares
from pmtui.domain.health import HealthState, Source, SourceHealth
from pmtui.domain.markets.venue_state import VenueFact, VenueState, describe_state
from pmtui.domain.money import Micros
from pmtui.domain.orders.heartbeat import BeatState, HeartbeatPolicy, HeartbeatView
from pmtui.service.views import AccountView, Level, LogView, Mode, ServiceLoss, StatusView
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.facts import FRESH_S, describe_age, key_of
from pmtui.ui.format import (
    format_age,
    format_money,
    format_price,
    format_worth_change,
    write_clock,
    zone_at,
)
from pmtui.ui.keys.actions import Keymap
from pmtui.ui.plain import plain
from pmtui.ui.theme.theme import Role

SKEW_WORTH_SAYING_MS = 2_000
"""The venue sends whole seconds, so a smaller skew may be none."""
SLOW_ROUND_TRIP_MS = 500
"""The top of an ordinary book changes about once a second (recordings of 2026): an order that
takes half of one may meet another book than it was priced from."""

_MODE_ROLES = {Mode.PAPER: Role.PAPER, Mode.LIVE: Role.LIVE, Mode.READ_ONLY: Role.READONLY}
_SHORT = {
    Source.METADATA: "lists",
    Source.TRADING: "trading",
    Source.ANALYTICS: "positions",
    Source.MARKET_STREAM: "stream",
    Source.USER_STREAM: "orders",
    Source.RELAYER: "relayer",
}
_WORST_FIRST = (
    Source.TRADING, Source.MARKET_STREAM, Source.USER_STREAM, Source.ANALYTICS, Source.METADATA,
    Source.RELAYER,
)  # fmt: skip
"""Ordered by what an outage costs a trader."""

_MILD_STATES = frozenset(
    {
        VenueState.POST_ONLY,
        VenueState.MARKET_NOT_READY,
        VenueState.BUDGET_LOW,
        VenueState.DELAYED,
    }
)
"""States in which the venue still takes some orders."""


class _Fact(NamedTuple):
    """A part of the line that is shown whole or not at all."""

    rank: int
    """The highest rank is left out first."""
    cells: Line


_LEAST_GAP = 2
"""Cells between the left and the right part."""
_KEPT, _OURS, _MEANWHILE, _MILD, _REASON, _ELSEWHERE, _TODAY, _TOTAL, _NEWS, _NOTICES = range(10)
"""Ranks. Own orders and cash are left out last; what the portfolio shows, too, before a reason; what
the log shows, too, before any of them."""


class News(NamedTuple):
    """Unread fills and stop events."""

    fills: int = 0
    stops: int = 0
    """Stops and targets that sold, or failed to."""


NO_NEWS = News()


def count_news(log: LogView) -> News:
    """Count the unread fills and stop events of the log."""
    fills = stops = 0
    for entry in takewhile(lambda e: e.sequence > log.read_up_to, reversed(log.entries)):
        if entry.kind != "order" or entry.level not in (Level.GOOD, Level.BAD):
            continue
        if entry.facts is None:
            stops += entry.order_id is None
        else:
            fills += entry.level is Level.GOOD
    return News(fills, stops)


def paint_status(
    view: StatusView,
    width: int,
    *,
    news: News = NO_NEWS,
    are_keys_locked: bool = False,
    paused_reason: str = "",
    armed_size: str = "",
) -> Line:
    """Paint the status in one line: the account on the left, the sources on the right.

    Nothing is cropped: what does not fit is left out, the least important first. The zone of all
    times stands at the end, whatever else has to go.

    Args:
        view: the status.
        width: the cells available.
        news: unread fills and stop events.
        are_keys_locked: whether an open ticket keeps single keys from trading, armed or not.
        armed_size: the size that single keys send; empty to leave it out.
        paused_reason: why a replay is paused; empty while it plays.
    """
    facts = _account_facts(view, news, are_keys_locked=are_keys_locked, armed_size=armed_size)
    troubles = _trouble_lines(view, paused_reason)
    zone = Cell(f" {zone_at(view.now)} ", Role.DIM)
    room = width - line_width((zone,))
    for left, right in _candidates(facts, _unwell_lines(view), troubles):
        gap = room - line_width(left) - line_width(right)
        if gap >= _LEAST_GAP:
            return (*left, Cell(" " * gap), *right, zone)
    left = _join(fact for fact in facts if fact.rank == _KEPT)
    return fit_line((*fit_line((*left, Cell(" "), *troubles[-1]), max(room, 0)), zone), width)


def _candidates(
    facts: Sequence[_Fact], unwell: Sequence[Line], troubles: Sequence[Line]
) -> Iterator[tuple[Line, Line]]:
    """Yield choices for the left and the right part, the longest first."""
    rights = (*unwell, *troubles)
    # The second half of the troubles has no reasons.
    with_reason = rights[: len(rights) - len(troubles) // 2]
    for dropped in range(_NOTICES + 1, _KEPT, -1):
        left = _join(fact for fact in facts if fact.rank < dropped)
        for right in rights if dropped <= _REASON + 1 else with_reason:
            yield left, right


def paint_loss(
    loss: ServiceLoss, account: AccountView, *, keymap: Keymap, width: int, is_typing: bool = False
) -> Line:
    """Paint that the service has ended, what remains without it, and the key that restarts it.

    What does not fit is left out, the keys last.

    Args:
        loss: since when, and whether it was ended on purpose.
        account: the last known orders and stops.
        keymap: the user's keys.
        width: of the line.
        is_typing: whether a text field has the focus.
    """
    began = write_clock(loss.at)
    refresh, leave = (key_of(keymap, f"global.{name}") for name in ("refresh", "quit"))
    head = f" SERVICE ENDED {began} " if loss.is_final else f" SERVICE GONE {began} "
    refresh = f"esc, then {refresh}" if is_typing else refresh
    next_step = f"{refresh} starts it again" if loss.is_final else "starting it again"
    next_step = loss.refusal or next_step
    parts = [next_step, f"{leave} quit"]
    left = _left_behind(account)
    texts = [" · ".join((*words, *parts)) for words in (left, left[:1], ())]
    text = next((text for text in texts if len(head) + len(text) + 1 <= width), texts[-1])
    emphasis = Emphasis.BOLD | Emphasis.REVERSE
    rest = Cell(f" {text}", Role.NOTICE_BAD, Emphasis.BOLD)
    return fit_line((Cell(head, Role.NOTICE_BAD, emphasis), rest), width)


def _left_behind(account: AccountView) -> tuple[str, ...]:
    """Return the orders that stay at the venue and the stops that are inactive, in words."""
    orders, said = account.open_orders, list[str]()
    if len(orders) == 1:
        (order,) = orders
        size, price = format_shares(order.remaining_size), format_price(order.price)
        said.append(f"your {size} @ {price} stays at the venue")
    elif orders:
        said.append(f"your {len(orders)} orders stay at the venue")
    if active := len(account.active):
        said.append(f"{active} {_stops(active)} inactive")
    return tuple(said)


def describe_health(health: SourceHealth, now: datetime) -> tuple[str, Role]:
    """Return a source's state in words: live, its age, or down with the reason."""
    if health.waiting:
        return f"waiting, {health.waiting - 1} ahead", Role.STALE
    match health.state:
        case HealthState.LIVE:
            age = (now - health.as_of).total_seconds() if health.as_of else 0
            if age <= FRESH_S:
                return "live", Role.VERIFIED
            return f"{format_age(age)} old", Role.STALE
        case HealthState.DOWN:
            return f"down: {plain(health.reason, 40)}", Role.NOTICE_BAD
        case HealthState.CONNECTING:
            return "connecting", Role.STALE
        case HealthState.IDLE:
            return "idle", Role.DIM


def _open_orders(view: StatusView) -> str:
    if view.are_orders_known:
        return str(view.open_orders)
    # Never `0` while an order may be open.
    return f"{view.open_orders}+" if view.open_orders else "–"


def _account_age(view: StatusView) -> Line:
    """Paint how old cash, equity and positions are; nothing while they are read regularly."""
    age = describe_age(view.account_as_of, view.now)
    return () if view.account_as_of is None or age.role is Role.VERIFIED else (Cell(" "), age)


def _account_facts(
    view: StatusView, news: News, *, are_keys_locked: bool, armed_size: str
) -> list[_Fact]:
    mode = Cell(f" {view.mode.value} ", _MODE_ROLES[view.mode], Emphasis.BOLD)
    facts = [
        _Fact(_KEPT, (mode,)),
        _Fact(_KEPT, _entry_cells(view, are_keys_locked=are_keys_locked, armed_size=armed_size)),
        _Fact(_KEPT, paint_venue(view.venue, view.now)),
    ]
    is_ours = view.mode is not Mode.READ_ONLY
    if not is_ours:
        facts.append(_Fact(_OURS, (Cell(plain(view.mode_reason, 40), Role.DIM),)))
    elif view.profile.upper() != view.mode.value:
        facts.append(_Fact(_ELSEWHERE, (Cell(plain(view.profile, 12), Role.DIM),)))
    if view.cash is not None:
        cash = (Cell("cash ", Role.DIM), Cell(format_money(view.cash)), *_account_age(view))
        facts.append(_Fact(_OURS, cash))
    if view.portfolio_value is not None:
        total = Cell(format_money(view.portfolio_value))
        facts.append(_Fact(_TOTAL, (Cell("equity ", Role.DIM), total)))
    if view.day_result:
        facts.append(_Fact(_TODAY, (Cell("today ", Role.DIM), _gain(view.day_result))))
    if is_ours:
        role = Role.OWN_ORDER if view.open_orders else Role.DIM
        facts.append(_Fact(_OURS, (Cell(f"{_open_orders(view)} working", role),)))
        if watching := view.watching - view.blind:
            cells = (Cell(f"{watching} {_stops(watching)}", Role.OWN_ORDER),)
            facts.append(_Fact(_MEANWHILE, cells))
        is_well = view.heartbeat.state not in (BeatState.LATE, BeatState.LOST)
        beat = paint_heartbeat(view.heartbeat, view.now)
        facts.append(_Fact(_MILD if is_well else _KEPT, beat))
    for rank, number, words in (
        (_KEPT, view.blind, f"{_stops(view.blind)} blind"),
        (_KEPT, view.paused, f"{_stops(view.paused)} paused"),
        (_KEPT, view.unknown_orders, "unconfirmed"),
    ):  # fmt: skip
        if number:
            facts.append(_Fact(rank, (Cell(f"{number} {words}", Role.NOTICE_WARN),)))
    return [*facts, *_news_facts(view, news), *_line_facts(view)]


def _news_facts(view: StatusView, news: News) -> Iterator[_Fact]:
    """Yield the numbers of unread own fills and stop events, then of other notices."""
    own = " · ".join(
        count(number, name)
        for number, name in ((news.fills, "fill"), (news.stops, "stop event"))
        if number
    )
    if own:
        yield _Fact(_NEWS, (Cell(own, Role.NOTICE_GOOD),))
    if (others := view.unread_notices - news.fills - news.stops) > 0:
        yield _Fact(_NOTICES, (Cell(count(others, "notice"), Role.NOTICE_WARN),))


def _line_facts(view: StatusView) -> Iterator[_Fact]:
    """Yield a clock error or a slow round trip that matters to an order."""
    if view.clock_skew_ms is not None and abs(view.clock_skew_ms) > SKEW_WORTH_SAYING_MS:
        words = f"clock off by {abs(view.clock_skew_ms) // 1000}s"
        yield _Fact(_MEANWHILE, (Cell(words, Role.NOTICE_WARN),))
    trading = next((h for h in view.health if h.source is Source.TRADING), None)
    slow_ms = trading.round_trip_ms if trading is not None else None
    if slow_ms is not None and slow_ms > SLOW_ROUND_TRIP_MS:
        words = f"round trip {slow_ms / 1_000:.1f}s"
        yield _Fact(_NEWS, (Cell(words, Role.NOTICE_WARN),))


def _stops(number: int) -> str:
    return "stop" if number == 1 else "stops"


def _join(facts: Iterable[_Fact]) -> Line:
    """Join facts two cells apart; a coloured fact has its own cell at the end."""
    line: list[Cell] = []
    for fact in facts:
        if fact.cells and line:
            line.append(Cell(" " if line[-1].text.endswith(" ") else "  "))
        line += fact.cells
    return tuple(line)


def _gain(amount: Micros) -> Cell:
    return Cell(format_worth_change(amount), Role.UP if amount > 0 else Role.DOWN)


def _entry_cells(view: StatusView, *, are_keys_locked: bool, armed_size: str) -> Line:
    """Paint that order entry is locked, or that single keys are armed."""
    if view.kill_lock:
        words = " LOCKED, not cancelled yet " if view.is_kill_waiting else " LOCKED "
        return (Cell(words, Role.NOTICE_BAD, Emphasis.BOLD | Emphasis.REVERSE),)
    if view.armed_until is not None and view.armed_until > view.now:
        if are_keys_locked:
            return (Cell(" ARMED, ticket open ", Role.DIM),)
        minutes, seconds = divmod(int((view.armed_until - view.now).total_seconds()), 60)
        size = f"{armed_size} · " if armed_size else ""
        return (Cell(f" ARMED {size}{minutes}:{seconds:02} ", Role.ARMED, Emphasis.BOLD),)
    return ()


def _unwell_lines(view: StatusView) -> tuple[Line, ...]:
    """Return the sources that are not live with their states, in long and in short names."""
    bad = [
        (health, words, role)
        for health in view.health
        if health.state is not HealthState.IDLE
        for words, role in (describe_health(health, view.now),)
        if words != "live"
    ]
    if not bad:
        return ()
    lines: list[Line] = []
    for is_short in (False, True):
        cells = [Cell("● ", bad[0][2])]
        for number, (health, words, role) in enumerate(bad):
            name = _SHORT[health.source] if is_short else health.source.value
            cells += [Cell(f"{'  ' if number else ''}{name} ", Role.DIM), Cell(words, role)]
        lines.append((*cells, Cell(" ")))
    return tuple(lines)


def is_starting(view: StatusView) -> bool:
    """Return whether no host has answered yet."""
    return all(health.state is HealthState.IDLE for health in view.health)


def _trouble_lines(view: StatusView, paused_reason: str) -> tuple[Line, ...]:
    """Return the worst source's state and the number of others, ever shorter.

    Used when not every source fits. The second half has no reasons.
    """
    said = [
        (h, *describe_health(h, view.now)) for h in view.health if h.state is not HealthState.IDLE
    ]
    bad = [row for row in said if row[1] != "live"]
    if not bad:
        if said and paused_reason:
            return ((Cell(f"○ {paused_reason} ", Role.STALE),),)
        # One sign while all is well: names are for problems.
        text, role = ("● all live ", Role.VERIFIED) if said else ("○ starting ", Role.DIM)
        return ((Cell(text, role),),)
    worst, words, role = min(
        bad,
        key=lambda row: (row[0].state is not HealthState.DOWN, _WORST_FIRST.index(row[0].source)),
    )
    full, short, bare = worst.source.value, _SHORT[worst.source], words.partition(":")[0]
    others = len(bad) - 1
    more, plus = (f" and {others} more", f" +{others}") if others else ("", "")
    return tuple(
        (Cell(f"{name} ", Role.DIM), Cell(f"{text}{rest} ", role))
        for name, text, rest in (
            (full, words, more), (full, words, plus), (full, bare, plus), (short, bare, plus),
        )
    )  # fmt: skip


def paint_venue(facts: tuple[VenueFact, ...], now: datetime) -> Line:
    """Paint the venue's state; empty while it trades as usual."""
    if not facts:
        return ()
    worst = facts[0]
    more = f" +{len(facts) - 1}" if len(facts) > 1 else ""
    role = Role.NOTICE_WARN if worst.state in _MILD_STATES else Role.NOTICE_BAD
    return (Cell(f"{describe_state(worst, now)}{more}", role, Emphasis.BOLD),)


def paint_heartbeat(view: HeartbeatView, now: datetime) -> Line:
    """Paint the state of the heartbeats; empty when they are turned off."""
    if view.policy is HeartbeatPolicy.OFF:
        return ()
    age = format_age((now - view.accepted_at).total_seconds()) if view.accepted_at else ""
    match view.state:
        case BeatState.OFF:
            return (Cell("beat off", Role.DIM),)
        case BeatState.STARTING:
            return (Cell("beat ", Role.DIM), Cell("starting", Role.STALE))
        case BeatState.BEATING:
            return (Cell("beat ", Role.DIM), Cell(age, Role.VERIFIED))
        case BeatState.LATE:
            return (Cell(f"beat late {age}", Role.NOTICE_WARN),)
        case BeatState.LOST:
            return (Cell(f"beat LOST {age}", Role.NOTICE_BAD, Emphasis.BOLD),)
