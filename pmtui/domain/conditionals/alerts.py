"""Alerts: a sound and a notice when a price is reached, or when another condition is met.

`Above` watches the best bid: somebody pays that much, or more. `Below` watches the best ask: somebody
sells for that much, or less. So an alert means a price that was available, and a wide or empty book
triggers nothing. Other conditions are typed:

    move 3 10m          the price came 3¢ or more within ten minutes, either way
    spread >= 4         the spread is 4¢ or wider; `<=` for tighter
    size 39.7 >= 10000  so many shares or more rest at 39.7¢; `<=` for fewer
    volume 5000 5m      so many shares traded within five minutes
    left 10m            the market ends in ten minutes or less
    queue <= 500        so few shares are ahead of an order of ours

Each alert fires once, on the data of one moment, and only from a book that can be trusted. The service
alone monitors them, and only while it runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal, NewType

from pmtui.domain.books.book_view import BookView
from pmtui.domain.formats import (
    format_cents,
    format_shares,
    parse_cents,
    parse_size,
    with_cent_sign,
)
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import ONE, ZERO, Micros, format_micros
from pmtui.domain.orders.order import TradePrint
from pmtui.domain.ticket.draft import parse_life

Sign = Literal[">=", "<="]
_SIGNS: dict[str, Sign] = {">=": ">=", "<=": "<=", "≥": ">=", "≤": "<="}
_WORDS_OF = {">=": "≥", "<=": "≤"}
FORMS = "move 3 10m, spread >= 4, size 39.7 >= 10000, volume 5000 5m, left 10m, queue <= 500"


@dataclass(frozen=True, slots=True)
class Move:
    """The price moved by a distance within a time, in either direction."""

    distance: Micros
    within: timedelta


@dataclass(frozen=True, slots=True)
class Spread:
    """The spread reached a width."""

    sign: Sign
    width: Micros


@dataclass(frozen=True, slots=True)
class SizeAt:
    """The resting size at a price reached a size."""

    price: Micros
    sign: Sign
    size: Micros


@dataclass(frozen=True, slots=True)
class VolumeBurst:
    """A number of shares traded within a time."""

    size: Micros
    within: timedelta


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """The market ends within a time."""

    left: timedelta


@dataclass(frozen=True, slots=True)
class QueueAhead:
    """At most a number of shares is ahead of an own order."""

    size: Micros


Condition = Move | Spread | SizeAt | VolumeBurst | TimeLeft | QueueAhead


@dataclass(frozen=True, slots=True)
class AlertInputs:
    """The data about an outcome at one moment, for checking conditions."""

    book: BookView
    now: datetime
    prints: Sequence[TradePrint] = ()
    """Its known public trades, in any order."""
    ends_at: datetime | None = None
    queue_ahead: Micros | None = None
    """The fewest shares ahead of an own order in this outcome; None without one."""


def parse_condition(text: str) -> Condition | str:
    """Parse a condition, or return what is wrong with it."""
    words = text.casefold().replace(">=", " >= ").replace("<=", " <= ").split()
    found = _within_a_time(words) or _compared(words)
    return found or f"Not a condition; for example {FORMS}"


def _within_a_time(words: list[str]) -> Condition | None:
    life = parse_life(words[-1]) if words else None
    if life is None:
        return None
    match words[:-1]:
        case ["move", far]:
            distance = parse_cents(far)
            return Move(distance, life) if distance is not None and distance > 0 else None
        case ["volume", size]:
            shares = parse_size(size)
            return VolumeBurst(shares, life) if shares is not None and shares > 0 else None
        case ["left"]:
            return TimeLeft(life)
        case _:
            return None


def _compared(words: list[str]) -> Condition | None:
    match words:
        case ["spread", sign, width] if sign in _SIGNS:
            cents = parse_cents(width)
            return Spread(_SIGNS[sign], cents) if cents is not None and cents > 0 else None
        case ["size", at, sign, size] if sign in _SIGNS:
            price, shares = parse_cents(at), parse_size(size)
            if price is None or shares is None or price <= 0 or shares < 0:
                return None
            return SizeAt(price, _SIGNS[sign], shares)
        case ["queue", "<=" | "≤", size]:
            shares = parse_size(size)
            return QueueAhead(shares) if shares is not None and shares >= 0 else None
        case _:
            return None


def write_condition(condition: Condition) -> str:
    """Return a condition as it is typed: parsing it gives the same one."""
    match condition:
        case Move(distance, within):
            return f"move {format_cents(distance)} {_span(within)}"
        case Spread(sign, width):
            return f"spread {sign} {format_cents(width)}"
        case SizeAt(price, sign, size):
            return f"size {format_cents(price)} {sign} {format_micros(size)}"
        case VolumeBurst(size, within):
            return f"volume {format_micros(size)} {_span(within)}"
        case TimeLeft(left):
            return f"left {_span(left)}"
        case QueueAhead(size):
            return f"queue <= {format_micros(size)}"


def describe_condition(condition: Condition) -> str:
    """Describe a condition in a few words: `spread ≥ 4¢`."""
    match condition:
        case Move(distance, within):
            return f"move ≥ {with_cent_sign(distance)} in {_span(within)}"
        case Spread(sign, width):
            return f"spread {_WORDS_OF[sign]} {with_cent_sign(width)}"
        case SizeAt(price, sign, size):
            return f"size at {with_cent_sign(price)} {_WORDS_OF[sign]} {format_shares(size)}"
        case VolumeBurst(size, within):
            return f"volume ≥ {format_shares(size)} in {_span(within)}"
        case TimeLeft(left):
            return f"ends in ≤ {_span(left)}"
        case QueueAhead(size):
            return f"queue ≤ {format_shares(size)}"


def met(condition: Condition, sight: AlertInputs) -> str:
    """Return the values that meet a condition; empty while nothing does.

    A book that is not good meets no condition, except for the remaining time, which does not depend
    on it.
    """
    if isinstance(condition, TimeLeft):
        return _time_left(condition, sight)
    book = sight.book
    if not is_sound(book):
        return ""
    match condition:
        case Move():
            return _move(condition, sight)
        case Spread(sign, width):
            spread = book.spread
            is_met = spread is not None and _compare(spread, sign, width)
            return f"spread {with_cent_sign(spread)}" if is_met and spread is not None else ""
        case SizeAt(price, sign, limit):
            size = sum(each.size for each in (*book.bids, *book.asks) if each.price == price)
            what = f"{format_shares(Micros(size))} at {with_cent_sign(price)}"
            return what if _compare(size, sign, limit) else ""
        case VolumeBurst(limit, within):
            since = sight.now - within
            traded = Micros(sum(each.size for each in sight.prints if each.at >= since))
            return f"{format_shares(traded)} in {_span(within)}" if traded >= limit else ""
        case QueueAhead(limit):
            ahead = sight.queue_ahead
            is_near = ahead is not None and ahead <= limit
            return f"{format_shares(ahead)} ahead" if is_near and ahead is not None else ""


def _move(condition: Move, sight: AlertInputs) -> str:
    """Compare the midpoint with the trades in the time window: the one farthest from it counts."""
    middle = sight.book.midpoint
    since = sight.now - condition.within
    prices = [each.price for each in sight.prints if since <= each.at <= sight.now]
    if middle is None or not prices:
        return ""
    start = max(prices, key=lambda price: abs(price - middle))
    if abs(middle - start) < condition.distance:
        return ""
    return f"{with_cent_sign(start)} to {with_cent_sign(middle)} in {_span(condition.within)}"


def _time_left(condition: TimeLeft, sight: AlertInputs) -> str:
    if sight.ends_at is None:
        return ""
    left = sight.ends_at - sight.now
    is_near = timedelta(0) < left <= condition.left
    return f"ends in {_span(timedelta(seconds=left // timedelta(seconds=1)))}" if is_near else ""


def _compare(amount: int, sign: Sign, limit: int) -> bool:
    return amount >= limit if sign == ">=" else amount <= limit


def _span(span: timedelta) -> str:
    """Write a duration in the largest unit that gives a whole number: `90s`, `10m`, `2h`."""
    seconds = max(span // timedelta(seconds=1), 0)
    for unit, length in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds and seconds % length == 0:
            return f"{seconds // length}{unit}"
    return f"{seconds}s"


AlertId = NewType("AlertId", str)
"""Created by this program; the venue does not know it."""

MOST_BOOKS = 50
"""Outcomes that alerts may watch: each keeps a book streaming for as long as the program runs."""
MOST_ALERTS = 100


class AlertSide(StrEnum):
    """The direction in which the price must move."""

    ABOVE = "above"
    """The best bid is at the price or higher."""
    BELOW = "below"
    """The best ask is at the price or lower."""


class AlertState(StrEnum):
    """The lifecycle state of an alert."""

    WAITING = "waiting"
    RANG = "rang"
    OVER = "over"
    """Its market has ended: the price cannot be reached any more."""


@dataclass(frozen=True, slots=True)
class AlertPlan:
    """An alert that the trader requests."""

    condition_id: ConditionId
    token_id: TokenId
    side: AlertSide
    price: Micros
    condition: str = ""
    """The condition that replaces a price, as text from `write_condition`; empty for a price."""


@dataclass(frozen=True, slots=True)
class PriceAlert:
    """An alert in its current state."""

    alert_id: AlertId
    plan: AlertPlan
    outcome: str
    title: str
    """Title of its market. This and the outcome are the venue's text, untrusted."""
    created_at: datetime
    state: AlertState = AlertState.WAITING
    rang_at: datetime | None = None
    rang_price: Micros | None = None
    """The best price that it fired at."""
    seen: str = ""
    """The values that met its condition, in words, if it has one."""


def is_sound(book: BookView) -> bool:
    """Whether a book's best prices may be trusted.

    Its state is checked first; a best bid that is not below the best ask is never trusted.
    """
    bid, ask = book.best_bid, book.best_ask
    return book.state.is_good and (bid is None or ask is None or bid < ask)


def reached(plan: AlertPlan, book: BookView) -> Micros | None:
    """Return the best price that has reached the plan's price; None if none has."""
    if book.token_id != plan.token_id or not is_sound(book):
        return None
    if plan.side is AlertSide.ABOVE:
        bid = book.best_bid
        return bid if bid is not None and bid >= plan.price else None
    ask = book.best_ask
    return ask if ask is not None and ask <= plan.price else None


def plan_of(condition: Condition, *, condition_id: ConditionId, token_id: TokenId) -> AlertPlan:
    """Return an alert plan for a condition."""
    words = write_condition(condition)
    return AlertPlan(condition_id, token_id, AlertSide.ABOVE, ZERO, condition=words)


def condition_of(plan: AlertPlan) -> Condition | None:
    """Return the condition of a plan; None if it waits for a price."""
    found = parse_condition(plan.condition) if plan.condition else ""
    return None if isinstance(found, str) else found


def ring_at(alert: PriceAlert, sight: AlertInputs) -> PriceAlert:
    """Return the alert after checking all data; the same object unless it fires now."""
    condition = condition_of(alert.plan)
    if condition is None or alert.plan.token_id != sight.book.token_id:
        return ring(alert, sight.book, sight.now)
    seen = met(condition, sight) if alert.state is AlertState.WAITING else ""
    return replace(alert, state=AlertState.RANG, rang_at=sight.now, seen=seen) if seen else alert


def ring(alert: PriceAlert, book: BookView, at: datetime) -> PriceAlert:
    """Return the alert after checking its book; the same object unless it fires now."""
    if alert.state is not AlertState.WAITING or alert.plan.condition:
        return alert
    price = reached(alert.plan, book)
    if price is None:
        return alert
    return replace(alert, state=AlertState.RANG, rang_at=at, rang_price=price)


def end(alert: PriceAlert) -> PriceAlert:
    """Return the alert after its market has ended; one that fired is unchanged."""
    if alert.state is not AlertState.WAITING:
        return alert
    return replace(alert, state=AlertState.OVER)


def plan_problem(plan: AlertPlan, book: BookView, waiting: tuple[AlertPlan, ...]) -> str:
    """Return why an alert is not possible, in words; empty if it is."""
    if plan.condition and condition_of(plan) is None:
        return str(parse_condition(plan.condition))
    if not plan.condition and not ZERO < plan.price < ONE:
        return "A price is between 0 and 100¢"
    if plan in waiting:
        return f"Already set: {describe_plan(plan)}"
    now = None if plan.condition else reached(plan, book)
    if now is not None:
        return f"The {_best(plan.side)} is {with_cent_sign(now)} already"
    tokens = {each.token_id for each in waiting} | {plan.token_id}
    if len(tokens) > MOST_BOOKS:
        return f"Alerts on {MOST_BOOKS} outcomes, the most there can be: remove one first"
    if len(waiting) >= MOST_ALERTS:
        return f"{MOST_ALERTS} alerts set, the most there can be: remove one first"
    return ""


def read_plans(
    above: str, below: str, when: str = "", *, condition_id: ConditionId, token_id: TokenId
) -> tuple[AlertPlan, ...] | str:
    """Return the alerts for two prices in cents and a condition, or what is wrong with them.

    An empty text requests no alert.
    """
    plans = []
    for side, text in ((AlertSide.ABOVE, above), (AlertSide.BELOW, below)):
        if not text.strip():
            continue
        price = parse_cents(text)
        if price is None:
            return f"The price {side.value}: enter cents"
        plans.append(AlertPlan(condition_id, token_id, side, price))
    if when.strip():
        condition = parse_condition(when)
        if isinstance(condition, str):
            return condition
        plans.append(plan_of(condition, condition_id=condition_id, token_id=token_id))
    return tuple(plans) if plans else "Enter a price above, below, or a condition"


def describe_plan(plan: AlertPlan) -> str:
    """Describe an alert's condition in a few words: `bid ≥ 45¢`."""
    condition = condition_of(plan)
    if condition is not None:
        return describe_condition(condition)
    sign = "≥" if plan.side is AlertSide.ABOVE else "≤"
    return f"{_short(plan.side)} {sign} {with_cent_sign(plan.price)}"


def describe_ring(alert: PriceAlert) -> str:
    """Describe why an alert fired: `bid 46¢, bid ≥ 45¢`."""
    if alert.seen:
        return f"{alert.seen}, {describe_plan(alert.plan)}"
    side = alert.plan.side
    seen = with_cent_sign(alert.rang_price if alert.rang_price is not None else alert.plan.price)
    return f"{_short(side)} {seen}, {describe_plan(alert.plan)}"


def _short(side: AlertSide) -> str:
    return "bid" if side is AlertSide.ABOVE else "ask"


def _best(side: AlertSide) -> str:
    return f"best {_short(side)}"
