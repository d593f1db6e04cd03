"""What the reply to a cancel proves about each order, and only about that order."""

from collections.abc import Callable
from dataclasses import dataclass

from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.orders.order import CancelResult, Order

NO_ANSWER = "no answer"
LEFT_OUT = "left out of the answer"
_SAYS_GONE = ("not found", "be found", "already")
"""Parts of the venue's refusals of orders that are not on its book: `already canceled or matched`."""


@dataclass(frozen=True, slots=True)
class CancelScope:
    """A cancel by scope instead of by ids. Without a market and a token it covers every order."""

    condition_id: ConditionId | None = None
    token_id: TokenId | None = None

    def covers(self, order: Order) -> bool:
        """Whether the scope includes an order."""
        return self.condition_id in (None, order.condition_id) and self.token_id in (
            None,
            order.token_id,
        )


ALL_ORDERS = CancelScope()


@dataclass(frozen=True, slots=True)
class CancelEnds:
    """How each order ended according to one reply."""

    gone: tuple[OrderId, ...]
    """Cancelled; for a scope, this includes orders that were not among the targets."""
    refused: tuple[tuple[OrderId, str], ...]
    """Targets that the venue refused to cancel, each with its reason."""
    unanswered: tuple[tuple[OrderId, str], ...]
    """Targets about which the reply proves nothing, each with the reason."""
    unseen: int
    """How many of the cancelled orders this program has never seen."""
    unexpected: int
    """How many orders in the reply cannot have been covered by the cancel."""


def says_gone(refusal: str) -> bool:
    """Whether a refused cancel says that the order is not there, so that it has ended unseen."""
    return any(part in refusal.lower() for part in _SAYS_GONE)


def sort_cancel_answer(
    targets: tuple[OrderId, ...],
    answer: CancelResult,
    scope: CancelScope | None,
    *,
    known: Callable[[OrderId], Order | None],
) -> CancelEnds:
    """Sort the orders of a reply by how they ended.

    A target that is missing from the reply, or appears with two different results, is unanswered. A
    cancel by scope also reaches orders that are unknown here, or became known after it was sent.

    Args:
        targets: the orders to be cancelled, as far as they were known.
        answer: its ids may differ from the targets in letter case.
        scope: of the cancel; None for one by ids.
        known: looks up an order that this program knows.
    """
    asked = {order_id.lower(): order_id for order_id in targets}
    named: dict[OrderId, None] = {}
    unseen = unexpected = 0
    for order_id in answer.canceled:
        own_id = asked.get(order_id.lower(), order_id)
        order = known(own_id)
        if own_id in named:
            continue
        if order_id.lower() in asked or (scope is not None and order and scope.covers(order)):
            named[own_id] = None
        elif scope is not None and order is None:
            named[own_id] = None
            unseen += 1
        else:
            unexpected += 1
    reasons = {order_id.lower(): reason for order_id, reason in answer.not_canceled}
    lost = {order_id.lower() for order_id in answer.unanswered}
    refused: list[tuple[OrderId, str]] = []
    unanswered: list[tuple[OrderId, str]] = []
    for order_id in targets:
        reason = reasons.get(order_id.lower())
        if order_id in named and reason is None:
            continue
        if order_id in named or reason is None or order_id.lower() in lost:
            is_lost = order_id.lower() in lost
            unanswered.append((order_id, NO_ANSWER if is_lost else LEFT_OUT))
        else:
            refused.append((order_id, reason))
    without_end = dict(unanswered)
    gone = tuple(order_id for order_id in named if order_id not in without_end)
    return CancelEnds(gone, tuple(refused), tuple(unanswered), unseen, unexpected)
