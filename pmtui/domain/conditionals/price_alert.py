"""Price alerts: a sound and a notice when an outcome's best price reaches what the trader named.

`Above` waits for the best bid: somebody pays so much, or more. `Below` waits for the best ask:
somebody sells for so little, or less. So an alert means a price that one could have had, and a
wide or empty book reaches nothing. Each fires once, and only from a book that can be trusted. They
are watched over by the service alone and only while it runs.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import NewType

from pmtui.domain.books.book_view import BookView
from pmtui.domain.conditionals.alert_conditions import (
    Condition,
    Sight,
    describe_condition,
    met,
    parse_condition,
    write_condition,
)
from pmtui.domain.formats import parse_cents, with_cent_sign
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import ONE, ZERO, Micros

AlertId = NewType("AlertId", str)
"""Made by this program; the venue does not know it."""

MOST_BOOKS = 20
"""Outcomes that alerts may wait for: each keeps a book streaming as long as the program runs."""
MOST_ALERTS = 100


class AlertSide(StrEnum):
    """Which way the price must have gone."""

    ABOVE = "above"
    """The best bid is there or higher."""
    BELOW = "below"
    """The best ask is there or lower."""


class AlertState(StrEnum):
    """Where an alert is in its life."""

    WAITING = "waiting"
    RANG = "rang"
    OVER = "over"
    """Its market has ended: the price will not come any more."""


@dataclass(frozen=True, slots=True)
class AlertPlan:
    """What the trader asks for."""

    condition_id: ConditionId
    token_id: TokenId
    side: AlertSide
    price: Micros
    condition: str = ""
    """What is waited for in the place of a price, as `alert_conditions` writes it; empty for a price."""


@dataclass(frozen=True, slots=True)
class PriceAlert:
    """One of them, as it stands."""

    alert_id: AlertId
    plan: AlertPlan
    outcome: str
    title: str
    """Of its market. Both are the venue's words, untrusted."""
    created_at: datetime
    state: AlertState = AlertState.WAITING
    rang_at: datetime | None = None
    rang_price: Micros | None = None
    """The best price that it fired at."""
    seen: str = ""
    """What met its condition, in words, where it waited for one."""


def is_sound(book: BookView) -> bool:
    """Whether a book's best prices may be believed.

    Its state is asked first; a best bid that is not below the best ask is never believed.
    """
    bid, ask = book.best_bid, book.best_ask
    return book.state.is_good and (bid is None or ask is None or bid < ask)


def reached(plan: AlertPlan, book: BookView) -> Micros | None:
    """Return the best price that has come as far as the plan says; None where none has."""
    if book.token_id != plan.token_id or not is_sound(book):
        return None
    if plan.side is AlertSide.ABOVE:
        bid = book.best_bid
        return bid if bid is not None and bid >= plan.price else None
    ask = book.best_ask
    return ask if ask is not None and ask <= plan.price else None


def plan_of(condition: Condition, *, condition_id: ConditionId, token_id: TokenId) -> AlertPlan:
    """Return the plan that waits for a condition."""
    words = write_condition(condition)
    return AlertPlan(condition_id, token_id, AlertSide.ABOVE, ZERO, condition=words)


def condition_of(plan: AlertPlan) -> Condition | None:
    """Return what a plan waits for besides a price; None where it waits for a price."""
    found = parse_condition(plan.condition) if plan.condition else ""
    return None if isinstance(found, str) else found


def ring_at(alert: PriceAlert, sight: Sight) -> PriceAlert:
    """Return the alert after a look at all that can be seen; the same one unless it fires now."""
    condition = condition_of(alert.plan)
    if condition is None or alert.plan.token_id != sight.book.token_id:
        return ring(alert, sight.book, sight.now)
    seen = met(condition, sight) if alert.state is AlertState.WAITING else ""
    return replace(alert, state=AlertState.RANG, rang_at=sight.now, seen=seen) if seen else alert


def ring(alert: PriceAlert, book: BookView, at: datetime) -> PriceAlert:
    """Return the alert after a look at its book; the same one unless it fires now."""
    if alert.state is not AlertState.WAITING or alert.plan.condition:
        return alert
    price = reached(alert.plan, book)
    if price is None:
        return alert
    return replace(alert, state=AlertState.RANG, rang_at=at, rang_price=price)


def end(alert: PriceAlert) -> PriceAlert:
    """Return the alert after its market has ended; one that rang stays so."""
    if alert.state is not AlertState.WAITING:
        return alert
    return replace(alert, state=AlertState.OVER)


def plan_problem(plan: AlertPlan, book: BookView, waiting: tuple[AlertPlan, ...]) -> str:
    """Return why a plan cannot be waited for, in words; empty when it can.

    Args:
        plan: what was asked for.
        book: of its token, as it is now.
        waiting: the plans that wait already.
    """
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
    """Return what two entries in cents and a condition ask for, or what is wrong with them.

    An empty entry asks for nothing.
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
    """Say in a few words what is waited for: `bid ≥ 45¢`."""
    condition = condition_of(plan)
    if condition is not None:
        return describe_condition(condition)
    sign = "≥" if plan.side is AlertSide.ABOVE else "≤"
    return f"{_short(plan.side)} {sign} {with_cent_sign(plan.price)}"


def describe_ring(alert: PriceAlert) -> str:
    """Say what an alert that fired has seen: `bid 46¢, bid ≥ 45¢`."""
    if alert.seen:
        return f"{alert.seen}, {describe_plan(alert.plan)}"
    side = alert.plan.side
    seen = with_cent_sign(alert.rang_price if alert.rang_price is not None else alert.plan.price)
    return f"{_short(side)} {seen}, {describe_plan(alert.plan)}"


def _short(side: AlertSide) -> str:
    return "bid" if side is AlertSide.ABOVE else "ask"


def _best(side: AlertSide) -> str:
    return f"best {_short(side)}"
