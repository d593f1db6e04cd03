"""Payloads of our own making in the service's shapes, and a source of hostile JSON."""

import json
from typing import Any

from hypothesis import strategies as st

CONDITION = "0x" + "6a" * 32
TOKENS = ("1" * 77, "2" * 77)

Json = Any
"""Whatever can be written as JSON; tests bend it at will."""


def market(**changes: Json) -> dict[str, Json]:
    row: dict[str, Json] = {
        "id": "910001",
        "question": "Will the river rise above four metres in May?",
        "conditionId": CONDITION,
        "slug": "river-above-four-metres-may",
        "outcomes": '["Yes", "No"]',
        "outcomePrices": '["0.405", "0.595"]',
        "clobTokenIds": json.dumps(list(TOKENS)),
        "volume": "15321.5",
        "volumeNum": 15321.5,
        "volume24hr": 12,
        "liquidity": "820.25",
        "active": True,
        "closed": False,
        "archived": False,
        "enableOrderBook": True,
        "acceptingOrders": True,
        "negRisk": False,
        "orderPriceMinTickSize": 0.01,
        "orderMinSize": 5,
        "bestBid": 0.4,
        "bestAsk": 0.41,
        "lastTradePrice": 0.4,
        "oneDayPriceChange": -0.015,
        "endDate": "2027-05-31T00:00:00Z",
        "closedTime": "2027-05-30 22:01:12+00",
        "gameStartTime": "2027-05-30 19:37:33+00",
        "feesEnabled": True,
        "feeSchedule": {"exponent": 1, "rate": 0.05, "takerOnly": True, "rebateRate": 0.2},
        "rewardsMinSize": 50,
        "rewardsMaxSpread": 3.5,
        "unheardOf": {"deep": [1, 2]},
    }
    return row | changes


def event(**changes: Json) -> dict[str, Json]:
    row: dict[str, Json] = {
        "id": "77",
        "slug": "river-in-may",
        "title": "How high will the river rise?",
        "markets": [market(), market(id="910002")],
        "tags": [{"id": "5", "label": "Weather", "slug": "weather"}],
        "series": [{"id": 9, "slug": "rivers", "title": "Rivers", "recurrence": "monthly"}],
        "enableNegRisk": True,
        "volume": 99.5,
        "volume24hr": 0,
        "liquidity": 10,
        "openInterest": 5,
        "commentCount": 3,
        "createdAt": "2026-11-01T08:00:00.123456Z",
    }
    return row | changes


def wire(value: Json) -> bytes:
    return json.dumps(value).encode()


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def bent(row: dict[str, Json]) -> st.SearchStrategy[dict[str, Json]]:
    """A row of which some fields hold anything at all."""
    fields = st.dictionaries(st.sampled_from(sorted(row)), json_values, max_size=4)
    return fields.map(lambda changes: row | changes)
