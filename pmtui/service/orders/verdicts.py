"""Judges the answer to a posted order: accepted, rejected, or unknown.

A refusal is read by its words: what it proves, and which field of the ticket it is about. `Verdicts` keeps how
the newest commands ended.
"""

import asyncio
from datetime import datetime
from typing import Generic, TypeVar

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import CommandId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ZERO, Micros, format_micros, notional_ceil, notional_floor
from pmtui.domain.orders.order import (
    Accepted,
    OrderStatus,
    PostResult,
    PostStatus,
    Rejected,
    Unknown,
    Verdict,
)
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
    """Return the field that a refusal is shown beside; None if it is about no particular one."""
    lowered = text.lower()
    return next((field for words, field in _FIELDS if words in lowered), None)


_CLOSED = ("trading is currently disabled", "trading is currently cancel-only", "post-only mode:")


_UNSETTLED = ("could not insert order", "order timed out", "order match delayed")


def is_inconclusive_refusal(text: str) -> bool:
    """Whether the venue says that it does not know, or that the order may match later.

    It answers 400 where its own work was given up half-way, with the words "context canceled".
    """
    lowered = text.lower()
    return lowered.startswith(_UNSETTLED) or "context canceled" in lowered


def is_duplicate_refusal(text: str) -> bool:
    """Whether the venue refuses an order as a duplicate."""
    return "is invalid. duplicated" in text.lower()


def is_refusal_of_a_closed_venue(text: str) -> bool:
    """Whether a 503 is the venue's statement that it accepts no such orders now, so that none was accepted."""
    return text.lower().startswith(_CLOSED)


CENT = Micros(10_000)
LEAST_PRICE = Micros(100)
"""The smallest tick there is: nothing trades below it (docs/wire.md#amounts, October 2026)."""


def judge_answer(order: PreparedOrder, answer: PostResult | Failure, *, now: datetime) -> Verdict:
    """Judge the one answer to the one request that carried an order.

    Rejected is only what was surely not taken: a 4xx in the venue's own words, but for those by
    which it does not know itself; a 503 by which it says that it takes none; and what is answered
    before a request is looked at, whoever does that (`domain/answers.py`). All else is looked for.
    """
    text = answer.text if isinstance(answer, Failure) else answer.error
    if is_duplicate_refusal(text):
        # Sent once by us: whoever doubled it on the way, the venue has met this order before.
        return Unknown(order.unsigned.order_id, f"already at the venue: {text}", since=now)
    if is_inconclusive_refusal(text):
        return Unknown(order.unsigned.order_id, text, since=now)
    if isinstance(answer, PostResult):
        return _judge_result(order, answer, now=now)
    is_closed = answer.kind is FailureKind.SERVER and is_refusal_of_a_closed_venue(text)
    if answer.may_have_happened and not is_closed:
        return Unknown(order.unsigned.order_id, str(answer), since=now)
    return Rejected(text or str(answer), field_of_refusal(text))


def format_failure(failure: Failure) -> str:
    """Write a failure for the journal."""
    return f"{failure.kind.value}: {failure}"


def format_answer(answer: PostResult | Failure) -> str:
    """Write an answer for the journal, as it came."""
    if isinstance(answer, Failure):
        return format_failure(answer)
    if not answer.is_accepted or answer.status is None:
        named = f" of {answer.order_id}" if answer.order_id else ""
        return f"refused: {answer.error}{named}" if answer.error else f"says nothing{named}"
    gave, got = (format_micros(a or ZERO) for a in (answer.making_amount, answer.taking_amount))
    trades = f", trades {' '.join(answer.trade_ids)}" if answer.trade_ids else ""
    return f"{answer.status.value}: gave {gave}, got {got}{trades}"


def format_verdict(verdict: Verdict) -> str:
    """Write a verdict for the journal."""
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
        return Unknown(order.unsigned.order_id, doubt, since=now)
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
    return Accepted(
        order_id=order.unsigned.order_id,
        status=status,
        filled_size=filled,
        text=text or status.words,
        filled_cash=cash,
    )


def _why_doubted(order: PreparedOrder, answer: PostResult) -> str:
    """Return why an answer proves nothing of its order; empty when it does."""
    if answer.order_id is None:
        return "the answer names no order"
    if not answer.names(order.unsigned.order_id):
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
    """Whether an order can have exchanged two amounts: not more than it offers, within its price.

    Whether a fee is part of them nobody says, so the most that it can be is left out of the
    comparison, and a cent for rounding.
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
    """Whether a purchase spent all its dollars, however many shares that bought."""
    is_buy = order.intent.side is Side.BUY
    return is_buy and (answer.making_amount or 0) >= order.unsigned.draft.maker_amount


R = TypeVar("R")
MOST_VERDICTS = 500


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

    async def of(self, command_id: CommandId) -> tuple[R, ...]:
        """Wait for the first verdict on every order of a command.

        Raises:
            KeyError: there was no such command, or it ended long ago.
        """
        return tuple([await asyncio.shield(future) for future in self._futures[command_id]])
