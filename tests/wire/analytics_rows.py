"""Rows of the analytics host."""

from tests.wire.payloads import CONDITION, TOKENS, Json

POSITION: dict[str, Json] = {
    "asset": TOKENS[0],
    "conditionId": CONDITION,
    "size": 13.771329999999999,
    "avgPrice": 0.4,
    "curPrice": 0.5,
    "realizedPnl": -1.5,
    "title": "T",
    "outcome": "Yes",
    "outcomeIndex": 0,
    "oppositeAsset": TOKENS[1],
    "redeemable": True,
    "mergeable": False,
    "negativeRisk": True,
    "endDate": "2027-01-01",
    "eventSlug": "e",
}
NEWER: dict[str, Json] = {
    "token_id": TOKENS[0],
    "condition_id": CONDITION,
    "current_size": 13.77133,
    "avg_price": 0.4,
    "current_price": 0.5,
    "realized_pnl": -1.5,
    "title": "T",
    "outcome": "Yes",
    "outcome_index": 0,
    "opposite_token_id": TOKENS[1],
    "redeemable": True,
    "mergeable": False,
    "negative_risk": True,
    "end_date": "2027-01-01",
    "event_slug": "e",
}
ACTIVITY: dict[str, Json] = {
    "type": "TRADE",
    "side": "BUY",
    "asset": TOKENS[0],
    "conditionId": CONDITION,
    "size": 10,
    "usdcSize": 1.2000001318105698,
    "price": 0.12000001318105698,
    "timestamp": 1773718931,
    "title": "T",
    "outcome": "Yes",
    "transactionHash": "0xabc",
}
HOLDERS: dict[str, Json] = {
    "token": TOKENS[0],
    "holders": [{"proxyWallet": "0x1", "pseudonym": "P", "amount": 5.5, "outcomeIndex": 1}, {}],
}
