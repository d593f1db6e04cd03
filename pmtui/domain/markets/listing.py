"""How lists of markets are ordered, and how many of their rows are streamed."""

from enum import StrEnum

MOST_STREAMED_ROWS = 60
"""Of a list: more than a tall terminal shows at once. Rows out of view show the age of their price."""


class MarketSort(StrEnum):
    """How a list of markets is ordered."""

    VOLUME_24H = "volume 24h"
    VOLUME = "volume"
    LIQUIDITY = "liquidity"
    NEWEST = "newest"
    ENDING_SOON = "ending soon"
