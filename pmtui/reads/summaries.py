"""Which columns a table shows, and which of them matter most, where an answer has more than fit a line.

Other formats have them all.
"""

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

_RANKS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Book": ("price", "size", "side", "token_id"),
        "Market": ("question", "best_bid", "best_ask", "volume_24h", "end_at", "closed"),
        "Event": ("title", "event_id", "volume_24h", "end_at", "closed", "markets", "liquidity"),
        "RewardedMarket": ("question", "daily_rate", "terms.min_size", "terms.max_spread"),
        "SearchHit": ("title", "kind", "identifier", "best_bid", "best_ask"),
        "Position": ("title", "outcome", "size", "current_price", "average_price"),
        "ClosedPosition": ("title", "outcome", "realized", "total_bought", "average_price"),
        "Activity": ("title", "at", "side", "price", "size", "outcome", "kind"),
        "PublicTrade": ("at", "price", "size", "side", "outcome", "title"),
        "Order": (
            "side", "price", "original_size", "matched_size", "outcome", "order_id", "created_at",
        ),
        "Fill": ("side", "price", "size", "outcome", "matched_at", "fee"),
        "Comment": ("body", "author"),
    }
)  # fmt: skip
"""What matters most, first, where that is not the order from left to right."""
_OF_SEVERAL: Mapping[str, tuple[str, ...]] = MappingProxyType({"Book": ("token_id",)})
"""Columns that tell one of several from the next, where one alone needs none."""


def summary(kind: object, *, is_list: bool = False) -> tuple[str, ...]:
    """Return the columns of a type of answer that a table shows."""
    name = getattr(kind, "__name__", "")
    columns = _SUMMARIES.get(name, row_columns(kind))
    return (*columns, *_OF_SEVERAL.get(name, ())) if is_list else columns


def ranked(kind: object, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return columns of a type of answer with the most important first."""
    first = [name for name in _RANKS.get(getattr(kind, "__name__", ""), ()) if name in columns]
    return (*first, *(name for name in columns if name not in first))
