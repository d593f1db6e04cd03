"""A market as the trading host's own lists show it; the metadata host knows far more."""

from dataclasses import dataclass

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import Micros


@dataclass(frozen=True, slots=True)
class ListedMarket:
    """A row of the trading host's lists. Facts that the short lists leave out are None."""

    condition_id: ConditionId | None
    """None on old rows that never went on chain."""
    token_ids: tuple[TokenId, ...]
    """Empty while the market has no tokens."""
    outcome_labels: tuple[str, ...]
    slug: str = ""
    question: str = ""
    tick_size: Micros | None = None
    min_order_size: Micros | None = None
    neg_risk: bool | None = None
    active: bool = True
    closed: bool = False
    accepting_orders: bool = True
