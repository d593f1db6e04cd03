"""How many of the held shares conditional orders cover, and how many none does."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pmtui.domain.conditionals.conditional import (
    ConditionalId,
    ConditionalOrder,
    ConditionalState,
)
from pmtui.domain.money import ZERO, Micros
from pmtui.domain.orders.amounts import pairs_of, size_floor


def allot(
    conditionals: Iterable[ConditionalOrder], held: Micros, *, of_other: Micros = ZERO
) -> dict[ConditionalId, Micros]:
    """Return how many of the held shares each active order covers; never more than all together.

    Orders with a stated size come first, oldest first; one for the whole position gets the rest of the
    shares that are not paired.

    Args:
        conditionals: those of one token.
        held: shares of the token.
        of_other: shares of the market's other outcome.
    """
    left, pairs = max(held, 0), pairs_of(held, of_other)
    shares: dict[ConditionalId, Micros] = {}
    active = (each for each in conditionals if each.state.is_active)
    for each in sorted(active, key=lambda each: (each.is_all, each.created_at)):
        size = max(left - pairs, 0) if each.is_all else min(each.size, left)
        shares[each.conditional_id] = Micros(size)
        left -= size
    return shares


def covered_by(
    conditional: ConditionalOrder, others: Iterable[ConditionalOrder], held: Micros,
    *, of_other: Micros = ZERO,
) -> Micros:  # fmt: skip
    """Return how many of the held shares an order covers; a paused one, how many once it is resumed.

    Args:
        conditional: it may be among the others.
        others: those of its token.
        held: shares of the token.
        of_other: shares of the market's other outcome.
    """
    this = conditional.conditional_id
    active = replace(conditional, state=ConditionalState.WATCHING)
    beside = (each for each in others if each.conditional_id != this)
    return allot((*beside, active), held, of_other=of_other)[this]


def unprotected(
    conditionals: Sequence[ConditionalOrder], held: Micros, *, of_other: Micros = ZERO
) -> Micros | None:
    """Return how many unpaired shares no active stop covers; None if there is no stop at all."""
    stops = {each.conditional_id for each in conditionals if each.has_stop}
    if not stops:
        return None
    allotted = allot(conditionals, held, of_other=of_other)
    covered = sum(size for key, size in allotted.items() if key in stops)
    return Micros(max(max(held, 0) - of_other - covered, 0))


def covering(others: Sequence[ConditionalOrder], held: Micros) -> ConditionalOrder | None:
    """Return one that leaves no shares for another: for the whole position, or the last of those that take all.

    Args:
        others: active ones of one token.
        held: shares of the token.
    """
    taken = sum(each.size for each in others if not each.is_all)
    is_full = size_floor(Micros(max(held - taken, 0))) <= 0
    return next((e for e in others if e.is_all), others[-1] if others and is_full else None)
