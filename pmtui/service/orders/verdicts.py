"""Judges the reply to a posted order: accepted, rejected, or unknown.

The text of a refusal determines what it proves, and which field of the ticket it is about. `Verdicts` keeps
the results of the newest commands.
"""

import asyncio
from dataclasses import replace
from datetime import datetime
from typing import Generic, TypeVar

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import CommandId
from pmtui.domain.markets.fees import taker_fee
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ZERO, Micros, format_micros, notional_ceil, notional_floor
from pmtui.domain.orders.life import IN_DOUBT
from pmtui.domain.orders.order import (
    Accepted,
    Order,
    OrderStatus,
    PostResult,
    PostStatus,
    Rejected,
    Unknown,
    Verdict,
)
from pmtui.service.journal.journal_rows import JournaledOrder
from pmtui.service.surface import PreparedOrder
from pmtui.service.words import format_shares

_FIELDS = (
    ("minimum tick size", "price"),
    ("invalid price", "price"),
    ("lower than the minimum", "size"),
    ("min size: $", "size"),
    ("invalid amounts", "size"),
    ("not enough balance", "size"),
    ("post-only", "post_only"),
    ("expiration", "expiry"),
    ("fok orders", "time_in_force"),
    ("fak order", "time_in_force"),
)


def field_of_refusal(text: str) -> str | None:
    """Return the field that a refusal is shown beside; None if it concerns no particular one."""
    lowered = text.lower()
    return next((field for words, field in _FIELDS if words in lowered), None)


_CLOSED = ("trading is currently disabled", "trading is currently cancel-only", "post-only mode:")


_UNSETTLED = ("could not insert order", "order timed out", "order match delayed")


def is_inconclusive_refusal(text: str) -> bool:
    """Whether the venue says that the result is unknown, or that the order may match later.

    It replies 400 with the text "context canceled" if its own work was abandoned half-way.
    """
    lowered = text.lower()
    return lowered.startswith(_UNSETTLED) or "context canceled" in lowered


def is_duplicate_refusal(text: str) -> bool:
    """Whether the venue refuses an order as a duplicate."""
    return "is invalid. duplicated" in text.lower()


def is_refusal_of_a_closed_venue(text: str) -> bool:
    """Whether a 503 states that the venue accepts no such orders now, so that none was accepted."""
    return text.lower().startswith(_CLOSED)


CENT = Micros(10_000)
LEAST_PRICE = Micros(100)
"""The smallest tick: nothing trades below it (docs/wire.md#amounts, October 2026)."""


def judge_answer(order: PreparedOrder, answer: PostResult | Failure, *, now: datetime) -> Verdict:
    """Judge the single reply to the single request that contained an order.

    Only orders that were certainly not accepted are rejected: a 4xx with the venue's own text,
    unless that is inconclusive; a 503 in which it says that it accepts none; and statuses sent
    before a request is processed, whoever sends them (`domain/answers.py`). Every other order is
    searched for.
    """
    text = answer.text if isinstance(answer, Failure) else answer.error
    if is_duplicate_refusal(text):
        # We sent it once: wherever it was duplicated, the venue already has this order.
        return Unknown(order.order_id, f"already at the venue: {text}", since=now)
    if is_inconclusive_refusal(text):
        return Unknown(order.order_id, text, since=now)
    if isinstance(answer, PostResult):
        return _judge_result(order, answer, now=now)
    is_closed = answer.kind is FailureKind.SERVER and is_refusal_of_a_closed_venue(text)
    if answer.may_have_happened and not is_closed:
        return Unknown(order.order_id, str(answer), since=now)
    return Rejected(text or str(answer), field_of_refusal(text))


def format_failure(failure: Failure) -> str:
    """Format a failure for the journal."""
    return f"{failure.kind.value}: {failure}"


def format_answer(answer: PostResult | Failure) -> str:
    """Format a reply for the journal, as received."""
    if isinstance(answer, Failure):
        return format_failure(answer)
    if not answer.is_accepted or answer.status is None:
        named = f" of {answer.order_id}" if answer.order_id else ""
        return f"refused: {answer.error}{named}" if answer.error else f"says nothing{named}"
    gave, got = (format_micros(a or ZERO) for a in (answer.making_amount, answer.taking_amount))
    trades = f", trades {' '.join(answer.trade_ids)}" if answer.trade_ids else ""
    return f"{answer.status.value}: gave {gave}, got {got}{trades}"


def format_verdict(verdict: Verdict) -> str:
    """Format a verdict for the journal."""
    match verdict:
        case Accepted():
            return f"accepted: {verdict.text}"
        case Rejected():
            return f"rejected: {verdict.reason}"
        case Unknown():
            return f"unknown: {verdict.reason}"


def _judge_result(order: PreparedOrder, answer: PostResult, *, now: datetime) -> Verdict:
    if answer.error and answer.order_id is None:
        return Rejected(answer.error, field_of_refusal(answer.error))
    if doubt := _why_doubted(order, answer):
        return Unknown(order.order_id, doubt, since=now)
    gave, got = answer.making_amount or ZERO, answer.taking_amount or ZERO
    filled, cash = (got, gave) if order.intent.side is Side.BUY else (gave, got)
    text = ""
    if answer.status is PostStatus.DELAYED:
        status = OrderStatus.DELAYED
    elif filled >= order.size or _is_spent(order, answer):
        status = OrderStatus.FILLED
    elif not order.intent.time_in_force.rests:
        status = OrderStatus.CANCELLED
        text = f"filled {format_shares(filled, order.outcome)}, the rest cancelled"
    else:
        status = OrderStatus.PARTIALLY_FILLED if filled else OrderStatus.LIVE
    accepted = Accepted(
        order_id=order.order_id,
        status=status,
        filled_size=filled,
        text=text or status.words,
        filled_cash=cash,
    )
    average = accepted.average
    fee = ZERO if average is None else taker_fee(filled, average, order.fee)
    return replace(accepted, filled_fee=fee)


def _why_doubted(order: PreparedOrder, answer: PostResult) -> str:
    """Return why a reply proves nothing about its order; empty if it does."""
    if answer.order_id is None:
        return "the answer names no order"
    if not answer.names(order.order_id):
        return "the answer names another order"
    if answer.error:
        return f"the answer both names the order and refuses it: {answer.error}"
    if answer.status is None:
        return "the answer neither accepts nor rejects the order"
    gave, got = answer.making_amount or ZERO, answer.taking_amount or ZERO
    if answer.status is PostStatus.MATCHED and not (gave and got):
        return "the answer reports a match without an amount"
    if not are_possible(order, gave=gave, got=got):
        return "the answer reports amounts that the order cannot have"
    return ""


def are_possible(order: PreparedOrder, *, gave: Micros, got: Micros) -> bool:
    """Whether an order can have exchanged two amounts: no more than it offers, within its price.

    It is undocumented whether they include a fee, so the comparison allows for the largest possible
    fee, and a cent for rounding.
    """
    if gave < 0 or got < 0 or bool(gave) is not bool(got):
        return False
    slack = order.worst_fee + CENT
    if order.intent.side is Side.BUY:
        is_offered = gave <= order.unsigned.draft.maker_amount + slack
        return (
            is_offered
            and gave <= notional_ceil(order.price, got) + slack
            and (notional_floor(LEAST_PRICE, got) <= gave)
        )
    is_offered = gave <= order.unsigned.draft.maker_amount
    return is_offered and notional_floor(order.price, gave) - slack <= got <= gave


def _is_spent(order: PreparedOrder, answer: PostResult) -> bool:
    """Whether a purchase spent all its dollars, however many shares it brought."""
    is_buy = order.intent.side is Side.BUY
    return is_buy and (answer.making_amount or 0) >= order.unsigned.draft.maker_amount


R = TypeVar("R")
MOST_VERDICTS = 500


def to_verdict(order: Order, now: datetime) -> Verdict:
    """Return what the state of an order means for whoever waits for its verdict."""
    if order.status in IN_DOUBT:
        return Unknown(order.order_id, order.reason or "it is looked for", now)
    if order.status is OrderStatus.REJECTED:
        return Rejected(order.reason or "refused by the venue")
    return Accepted(order.order_id, order.status, order.matched_size, order.reason)


def order_of_journal(journaled: JournaledOrder) -> Order:
    """Return an order as far as the journal knows it."""
    order = journaled.order
    status = OrderStatus(journaled.state or OrderStatus.UNKNOWN)
    is_filled = status is OrderStatus.FILLED
    matched = order.original_size if is_filled else order.matched_size
    return replace(order, status=status, matched_size=matched)


class Verdicts(Generic[R]):
    """The verdicts of the newest commands; a pending one is never dropped."""

    def __init__(self) -> None:
        self._futures: dict[CommandId, tuple[asyncio.Future[R], ...]] = {}

    def expect(self, command_id: CommandId, *futures: asyncio.Future[R]) -> None:
        """Register the futures of a command's verdicts."""
        self._futures[command_id] = futures
        excess = len(self._futures) - MOST_VERDICTS
        ended = (each for each, futures in self._futures.items() if all(f.done() for f in futures))
        for old in [each for each, _ in zip(ended, range(excess), strict=False)]:
            del self._futures[old]

    def has(self, command_id: CommandId) -> bool:
        """Whether the verdicts of a command are known, or expected."""
        return command_id in self._futures

    async def of(self, command_id: CommandId) -> tuple[R, ...]:
        """Wait for the first verdict on every order of a command.

        Raises:
            KeyError: there was no such command, or it ended long ago.
        """
        return tuple([await asyncio.shield(future) for future in self._futures[command_id]])
