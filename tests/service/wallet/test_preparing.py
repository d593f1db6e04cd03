"""Calls are put in words with their amounts, and every argument stands there in full."""

import pytest

from pmtui.domain.account.wallet_steps import Approval, ApprovalKind
from pmtui.domain.account.wallet_transactions import MAX_UINT256, ContractCall
from pmtui.domain.ids import Address, ConditionId
from pmtui.service.wallet.preparing import CallWords, MarketNames
from pmtui.service.wallet.wallet_views import CallView
from pmtui.signing.contracts import POLYGON
from pmtui.signing.wallet_calls import WalletCalls

TABLE = WalletCalls()
RAIN = ConditionId("0x" + "a1" * 32)
OTHER = Address("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")
CASH = Approval(POLYGON.exchange, ApprovalKind.CASH)
SHARES = Approval(POLYGON.exchange, ApprovalKind.SHARES)
EVENT = "0x" + "e7" * 32
BOATS = {TABLE.condition_of(EVENT, index): f"Boat {index}" for index in range(5)}
WORDS = CallWords(
    TABLE.contracts,
    MarketNames(
        title_of=lambda c: "Will it rain?" if c == RAIN else "",
        outcome_of=lambda c: BOATS.get(c, ""),
        event_of=lambda c: "Who wins the regatta?" if c in BOATS else "",
        condition_of=TABLE.condition_of,
    ),
)


def view(call: ContractCall) -> CallView:
    decoded = TABLE.decode(call)
    assert decoded is not None
    return WORDS.view(decoded)


@pytest.mark.parametrize(
    ("call", "parts"),
    [
        (TABLE.allow(CASH, MAX_UINT256), ("Exchange", "without a limit")),
        (TABLE.allow(CASH, 7_500_000), ("Exchange", "$7.50")),
        (TABLE.allow(CASH, 0), ("Exchange", "no cash")),
        (TABLE.allow(SHARES, 1), ("Exchange", "all of your shares")),
        (TABLE.allow(SHARES, 0), ("Exchange", "no shares")),
        (TABLE.send(OTHER, 1_000_000), ("$1.00", OTHER)),
        (TABLE.redeem(RAIN, neg_risk=False), ("Will it rain?",)),
        (TABLE.merge(RAIN, 2_000_000, neg_risk=False), ("2 shares", "Will it rain?")),
        (TABLE.split(RAIN, 2_000_000, neg_risk=True), ("$2.00", "Will it rain?")),
        (TABLE.convert("0x" + "e8" * 32, 0b101, 3_000_000), ("3 No shares", "questions 1, 3")),
        (TABLE.convert(EVENT, 0b100001, 3_000_000), ("questions 1, 6",)),
        (TABLE.convert(EVENT, 0b100, 1_000_000), ("No shares of Boat 2 in Who wins the regatta?",)),
        (TABLE.convert(EVENT, 0b101, 3_000_000), ("3 No shares", "Boat 0 and Boat 2")),
        (TABLE.convert(EVENT, 0b1111, 3_000_000), ("Boat 0, Boat 1 and 2 more",)),
    ],
)
def test_a_call_says_what_it_does(call: ContractCall, parts: tuple[str, ...]) -> None:
    words = view(call).words
    assert all(part in words for part in parts), words


def test_every_argument_stands_there_in_full() -> None:
    shown = view(TABLE.split(RAIN, 2_000_000, neg_risk=False))
    assert shown.contract == "Collateral adapter"
    assert shown.target == POLYGON.collateral_adapter
    assert dict(shown.arguments) == {
        "collateralToken": POLYGON.collateral,
        "parentCollectionId": "0x" + "00" * 32,
        "conditionId": RAIN,
        "partition": "1, 2",
        "amount": "2000000",
    }


def test_a_market_without_a_name_is_called_by_its_id() -> None:
    unnamed = ConditionId("0x" + "b2" * 32)
    assert unnamed in view(TABLE.redeem(unnamed, neg_risk=False)).words


def test_a_read_has_no_words_but_its_function() -> None:
    shown = view(TABLE.read_payouts(RAIN)[0])
    assert "payoutDenominator" in shown.words
