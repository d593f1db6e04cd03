"""Batches as a session prepares them, with every kind of call that the venue's contracts take."""

from pmtui.domain.account.wallet_call import MAX_UINT256, Batch, Call, DecodedCall
from pmtui.domain.ids import Address, ConditionId
from pmtui.signing.calldata import (
    approve,
    convert,
    decode_call,
    merge,
    redeem,
    set_operator,
    split,
    transfer,
)
from pmtui.signing.contracts import POLYGON
from pmtui.ui.wallet.call_words import CallNames
from tests.ui.fake_surface import NOW
from tests.ui.onboarded import NEWER

STRANGER = Address("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")
CONDITION = ConditionId("0x" + "ab" * 32)
EVENT = "0x" + "cd" * 31 + "00"
DIGEST = "0x" + "5e" * 32
CONTRACTS = {
    POLYGON.collateral: "pUSD",
    POLYGON.conditional_tokens: "Conditional Tokens",
    POLYGON.exchange: "exchange",
    POLYGON.neg_risk_exchange: "neg-risk exchange",
    POLYGON.collateral_adapter: "adapter",
    POLYGON.neg_risk_collateral_adapter: "neg-risk adapter",
}
NAMES = CallNames(
    lambda address: CONTRACTS.get(address, ""),
    lambda condition: "Will it rain in Bergen?" if condition == CONDITION else "",
    lambda event: "Who wins the regatta?" if event == EVENT else "",
)
APPROVALS = (
    approve(POLYGON.collateral, POLYGON.exchange, MAX_UINT256),
    set_operator(POLYGON.conditional_tokens, POLYGON.exchange, is_approved=True),
)
CASH = 1_250_000_001
SEND = transfer(POLYGON.collateral, STRANGER, CASH)
SPLIT = split(CONDITION, CASH, neg_risk=False)
MERGE = merge(CONDITION, CASH, neg_risk=True)
REDEEM = redeem(CONDITION, neg_risk=False)
CONVERT = convert(EVENT, 0b101, CASH)


def meaning(*calls: Call) -> tuple[DecodedCall, ...]:
    """Return what calls mean, read from their bytes."""
    decoded = tuple(decode_call(call) for call in calls)
    assert None not in decoded
    return tuple(each for each in decoded if each is not None)


def batch_of(*calls: Call, left_s: int = 600) -> Batch:
    """Return a batch of the wallet with so many seconds left."""
    return Batch(NEWER.address, 4, int(NOW.timestamp()) + left_s, calls)
