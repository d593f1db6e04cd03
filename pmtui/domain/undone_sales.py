"""Sales of conditional orders that failed on chain after they were counted: the shares are back.

What came back is protected again at rest: only the trader lets it be sold anew, so that nothing is
ever sold twice, and what was still to be sold goes on as it was.
"""

from collections.abc import Callable
from dataclasses import replace

from pmtui.domain.conditional import (
    Conditional,
    ConditionalId,
    ConditionalState,
    CountedSale,
)
from pmtui.domain.ids import OrderId
from pmtui.domain.money import Micros, format_micros
from pmtui.records import dataclass

UNDONE = "a trade of its sale FAILED on chain: the shares came back"


@dataclass(frozen=True, slots=True)
class Undone:
    """What becomes of a conditional order of which a sale failed."""

    size: Micros
    """Shares that came back."""
    seller: Conditional
    """The one that had sold them, counted anew."""
    keeper: Conditional | None
    """The one that is at rest for them: the same, a new one beside one that goes on, or none."""

    @property
    def text(self) -> str:
        """Say it."""
        shares = f"{format_micros(self.size)} {self.seller.outcome}"
        end = "a conditional order is at rest for them: start it where still wanted"
        if self.keeper is None:
            end = "the conditional order was cancelled and protects nothing"
        return f"A sale FAILED on chain, {shares} came back unprotected; {end}"


def came_back(sale: CountedSale, failed: Micros) -> Micros:
    """Return how much of what a sale was counted with has failed on chain since.

    Args:
        sale: as it was counted.
        failed: what is known to have failed of its order, all in all.
    """
    return Micros(max(0, min(failed - sale.failed, sale.size)))


def undo_failed(
    conditional: Conditional,
    failed: Callable[[OrderId], Micros],
    *,
    new_id: Callable[[], ConditionalId],
) -> Undone | None:
    """Return what becomes of a conditional order whose sales failed since they were counted.

    Args:
        conditional: as it stands.
        failed: how much of an order was matched by trades that failed.
        new_id: names another one.
    """
    back = Micros(sum(came_back(sale, failed(sale.order_id)) for sale in conditional.counted))
    if back <= 0:
        return None
    # Counted anew, so that the same failure never counts twice.
    counted = tuple(
        replace(
            sale,
            size=Micros(sale.size - came_back(sale, failed(sale.order_id))),
            failed=max(sale.failed, failed(sale.order_id)),
        )
        for sale in conditional.counted
    )
    seller = replace(conditional, counted=counted)
    at_rest = replace(seller, state=ConditionalState.RESTING, reason=UNDONE, tries=0)
    match conditional.state:
        case ConditionalState.CANCELLED:
            return Undone(back, seller, None)
        case ConditionalState.DONE:
            keeper = replace(at_rest, size=back)
            return Undone(back, keeper, keeper)
        case ConditionalState.RESTING:
            keeper = replace(at_rest, size=Micros(conditional.size + back))
            return Undone(back, keeper, keeper)
        case _:
            keeper = replace(at_rest, conditional_id=new_id(), size=back, sale=None, counted=())
            return Undone(back, seller, keeper)
