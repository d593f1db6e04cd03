"""What the answer to a cancel proves of each order, and of no other order."""

from collections.abc import Callable
from dataclasses import dataclass

from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.orders.order import CancelResult, Order

NO_ANSWER = "no answer"
LEFT_OUT = "left out of the answer"


@dataclass(frozen=True, slots=True)
class CancelScope:
    """A cancel by scope instead of by ids. Without a market and a token it means every order."""

    condition_id: ConditionId | None = None
    token_id: TokenId | None = None

    def covers(self, order: Order) -> bool:
        """Whether the scope includes an order."""
        return self.condition_id in (None, order.condition_id) and self.token_id in (
            None,
            order.token_id,
        )


EVERYTHING = CancelScope()


@dataclass(frozen=True, slots=True)
class CancelEnds:
    """How each order ended by one answer."""

    gone: tuple[OrderId, ...]
    """Cancelled; with a scope also orders that were not among the targets."""
    refused: tuple[tuple[OrderId, str], ...]
    """Targets that the venue refused to cancel, and why."""
    unanswered: tuple[tuple[OrderId, str], ...]
    """Targets of which the answer proves nothing, and why."""
    unseen: int
    """How many of those gone this program has never seen."""
    unexpected: int
    """How many orders the answer names that the cancel cannot have reached."""


def sort_cancel_answer(
    targets: tuple[OrderId, ...],
    answer: CancelResult,
    scope: CancelScope | None,
    *,
    known: Callable[[OrderId], Order | None],
) -> CancelEnds:
    """Sort the orders of an answer by how they ended.

    A target that the answer leaves out, or names with two different ends, is unanswered. A cancel by
    scope also reaches the venue's orders that are unknown here, or became known after it was sent.

    Args:
        targets: the orders that were to be cancelled, as far as they were known.
        answer: ids in it may differ from the targets in letter case.
        scope: of the cancel; None for one by ids.
        known: returns an order that this program knows.
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
