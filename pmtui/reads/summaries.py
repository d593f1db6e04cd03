"""Which columns a table shows, where an answer has more than fit a line. Other formats have them all."""

from collections.abc import Mapping
from types import MappingProxyType

from pmtui.reads.records import row_columns

_SUMMARIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Book": ("side", "price", "size"),
        "Market": (
            "question", "outcomes", "best_bid", "best_ask", "volume_24h", "end_at", "closed",
            "condition_id",
        ),
        "Event": ("title", "markets", "volume_24h", "liquidity", "end_at", "closed", "slug", "event_id"),
        "ListedMarket": ("question", "outcome_labels", "tick_size", "neg_risk", "closed", "condition_id"),
        "RewardedMarket": (
            "question", "terms.min_size", "terms.max_spread", "daily_rate", "competitiveness",
            "condition_id",
        ),
        "SearchHit": ("kind", "title", "best_bid", "best_ask", "volume_24h", "closed", "identifier"),
        "Position": (
            "title", "outcome", "size", "average_price", "current_price", "realized", "token_id",
        ),
        "ClosedPosition": ("closed_at", "title", "outcome", "total_bought", "average_price", "realized"),
        "Activity": ("at", "kind", "title", "outcome", "side", "price", "size", "cash"),
        "PublicTrade": ("at", "title", "outcome", "side", "price", "size", "name", "wallet"),
        "Order": (
            "created_at", "outcome", "side", "price", "original_size", "matched_size", "status",
            "order_id",
        ),
        "Fill": ("matched_at", "outcome", "side", "price", "size", "fee", "liquidity", "status"),
        "Comment": ("created_at", "author", "body"),
        "TokenReference": ("title", "outcome", "closed", "resolved", "final_price", "token_id"),
        "Resolution": ("status", "price", "was_disputed", "resolved_at", "condition_id"),
        "Notice": ("at", "kind", "question", "order.side", "order.price"),
        "RelayerTransaction": ("created_at", "kind", "state_text", "hash", "transaction_id"),
    }
)  # fmt: skip


_OF_SEVERAL: Mapping[str, tuple[str, ...]] = MappingProxyType({"Book": ("token_id",)})
"""Columns that tell one of several from the next, where one alone needs none."""


def summary(kind: object, *, is_list: bool = False) -> tuple[str, ...]:
    """Return the columns of a type of answer that a table shows."""
    name = getattr(kind, "__name__", "")
    columns = _SUMMARIES.get(name, row_columns(kind))
    return (*columns, *_OF_SEVERAL.get(name, ())) if is_list else columns
