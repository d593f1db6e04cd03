"""An answer to a cancel ends the orders that it names once, and no others."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.orders.cancelling import (
    ALL_ORDERS,
    LEFT_OUT,
    NO_ANSWER,
    CancelScope,
    says_gone,
    sort_cancel_answer,
)
from pmtui.domain.orders.order import CancelResult, Order
from tests.ui import believable

FIRST, SECOND, OTHER = OrderId("0xaA"), OrderId("0xbB"), OrderId("0xcC")
ORDER = replace(believable.order(1), order_id=OTHER)
IDS = st.sampled_from([FIRST, SECOND, OTHER, OrderId("0xAA"), OrderId("0xdd")])


def nothing_known(_: OrderId) -> Order | None:
    return None


def other_known(order_id: OrderId) -> Order | None:
    return ORDER if order_id == OTHER else None


def test_ids_are_compared_without_their_case() -> None:
    answer = CancelResult((OrderId("0xAA"),), ((OrderId("0xBB"), "matched"),))
    ends = sort_cancel_answer((FIRST, SECOND), answer, None, known=nothing_known)
    assert (ends.gone, ends.refused, ends.unanswered) == ((FIRST,), ((SECOND, "matched"),), ())


def test_what_is_left_out_lost_or_named_twice_is_unanswered() -> None:
    left_out = sort_cancel_answer((FIRST,), CancelResult(()), None, known=nothing_known)
    assert left_out.unanswered == ((FIRST, LEFT_OUT),)
    lost = CancelResult((), ((SECOND, "matched"),), (FIRST, SECOND))
    ends = sort_cancel_answer((FIRST, SECOND), lost, None, known=nothing_known)
    assert ends.unanswered == ((FIRST, NO_ANSWER), (SECOND, NO_ANSWER))
    both = CancelResult((FIRST,), ((FIRST, "matched"),))
    ends = sort_cancel_answer((FIRST,), both, None, known=nothing_known)
    assert (ends.gone, ends.refused, ends.unanswered) == ((), (), ((FIRST, LEFT_OUT),))


def test_only_a_scope_reaches_orders_that_were_not_named() -> None:
    answer = CancelResult((OTHER,))
    by_id = sort_cancel_answer((), answer, None, known=nothing_known)
    assert (by_id.gone, by_id.unseen, by_id.unexpected) == ((), 0, 1)
    unseen = sort_cancel_answer((), answer, ALL_ORDERS, known=nothing_known)
    assert (unseen.gone, unseen.unseen, unseen.unexpected) == ((OTHER,), 1, 0)
    late = sort_cancel_answer((), answer, ALL_ORDERS, known=other_known)
    assert (late.gone, late.unseen, late.unexpected) == ((OTHER,), 0, 0)
    elsewhere = sort_cancel_answer(
        (), answer, CancelScope(ConditionId("0xelse")), known=other_known
    )
    assert (elsewhere.gone, elsewhere.unseen, elsewhere.unexpected) == ((), 0, 1)


def test_a_scope_covers_a_market_or_one_token_of_it() -> None:
    assert ALL_ORDERS.covers(ORDER)
    assert CancelScope(ORDER.condition_id).covers(ORDER)
    assert CancelScope(ORDER.condition_id, ORDER.token_id).covers(ORDER)
    assert not CancelScope(ORDER.condition_id, TokenId("1")).covers(ORDER)


@given(
    canceled=st.lists(IDS).map(tuple),
    refused=st.lists(IDS).map(lambda ids: tuple((each, "matched") for each in ids)),
    lost=st.lists(IDS).map(tuple),
    scope=st.sampled_from([None, ALL_ORDERS, CancelScope(ConditionId("0xelse"))]),
)
def test_every_target_ends_once(
    canceled: tuple[OrderId, ...],
    refused: tuple[tuple[OrderId, str], ...],
    lost: tuple[OrderId, ...],
    scope: CancelScope | None,
) -> None:
    answer = CancelResult(canceled, refused, lost)
    ends = sort_cancel_answer((FIRST, SECOND), answer, scope, known=other_known)
    ended = [*ends.gone, *dict(ends.refused), *dict(ends.unanswered)]
    assert len(ended) == len(set(ended))
    assert {FIRST, SECOND} <= set(ended)
    assert scope is not None or set(ended) == {FIRST, SECOND}


@pytest.mark.parametrize(
    ("refusal", "is_gone"),
    [
        ("already canceled or matched", True), ("Order not found or already canceled", True),
        ("order can't be found - already canceled or matched", True),
        ("the market is halted", False),
    ],
)  # fmt: skip
def test_some_refusals_say_that_the_order_has_ended(refusal: str, *, is_gone: bool) -> None:
    assert says_gone(refusal) is is_gone
