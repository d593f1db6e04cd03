"""How lists of markets are ordered."""

from enum import StrEnum


class MarketSort(StrEnum):
    """How a list of markets is ordered."""

    VOLUME_24H = "volume 24h"
    VOLUME = "volume"
    LIQUIDITY = "liquidity"
    NEWEST = "newest"
    ENDING_SOON = "ending soon"
