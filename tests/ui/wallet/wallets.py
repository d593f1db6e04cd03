"""Wallets at various points of their way, and cards as the service prepares them."""

from dataclasses import replace
from datetime import timedelta

from pmtui.domain.account.onboarding import LastAnswer, WalletForm
from pmtui.domain.account.wallet_steps import (
    UNLIMITED_APPROVAL,
    Approval,
    ApprovalKind,
    Approve,
    ContractKind,
    CreateCredentials,
    Deploy,
    HeldOutcome,
    Merge,
    MintRelayerKey,
    Redeem,
    Send,
    Settlement,
    WalletStep,
    cash,
    merge_flows,
    redeem_flows,
)
from pmtui.domain.account.wallet_transactions import (
    TransactionId,
    TransactionKey,
    TransactionStatus,
)
from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.domain.money import ONE, ZERO, parse_micros
from pmtui.service.views import Load
from pmtui.service.wallet.wallet_views import (
    ApprovalView,
    CallView,
    PreparedId,
    Simulation,
    StepKind,
    StepState,
    TransactionView,
    WalletAddressView,
    WalletCard,
    WalletStepView,
    WalletView,
)
from tests.ui.fake_surface import NOW
from tests.ui.onboarded import EXCHANGE, NEG_RISK, NEWER, OLDER, OWNER

m = parse_micros
PUSD = Address("0xC011a7E12a19f7B1f670d46F03B03f3342E82DFB")
ADAPTER = Address("0xAdA100Db00Ca00073811820692005400218FcE1f")
STRANGER = Address("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")
DIGEST = "0x" + "5e" * 32
HASH = "0x" + "7a" * 32
CASH = m("1250.000001")

WON = Settlement(
    ConditionId("0x" + "a1" * 32), "Did the May index rise?",
    (HeldOutcome(TokenId("11"), "Yes", m("2000"), ONE), HeldOutcome(TokenId("12"), "No", ZERO, ZERO)),
)  # fmt: skip
LOST = Settlement(
    ConditionId("0x" + "a2" * 32), "Will the strike end?",
    (HeldOutcome(TokenId("21"), "Yes", m("40"), ZERO), HeldOutcome(TokenId("22"), "No", ZERO, ONE)),
)  # fmt: skip
DISPUTED = Settlement(
    ConditionId("0x" + "a3" * 32), "Who signed first?",
    (HeldOutcome(TokenId("31"), "Yes", m("5")), HeldOutcome(TokenId("32"), "No", ZERO)),
    is_disputed=True,
)  # fmt: skip
BOTH = Settlement(
    ConditionId("0x" + "a4" * 32), "Will it rain in Bergen?",
    (HeldOutcome(TokenId("41"), "Yes", m("30")), HeldOutcome(TokenId("42"), "No", m("12.5"))),
)  # fmt: skip
RACE = tuple(
    Settlement(
        ConditionId("0x" + f"b{n}" * 32), f"Will boat {n} win?",
        (HeldOutcome(TokenId(f"5{n}1"), "Yes", ZERO), HeldOutcome(TokenId(f"5{n}2"), "No", m("8"))),
        neg_risk=True, event_id="77", can_convert=True,
    )
    for n in (1, 2, 3)
)  # fmt: skip


def call_view(words: str = "Let the exchange spend unlimited cash") -> CallView:
    return CallView(
        PUSD, "pUSD", "approve",
        (("spender", EXCHANGE.address), ("amount", str(UNLIMITED_APPROVAL))), words,
    )  # fmt: skip


def approval(
    address: Address, name: str, *, allowed: int | None, is_needed: bool = True
) -> ApprovalView:
    return ApprovalView(
        Approval(address, ApprovalKind.CASH), name, ContractKind.EXCHANGE,
        "settles trades in ordinary markets", is_needed, LastAnswer(allowed, NOW),
    )  # fmt: skip


def card_for(step: WalletStep, title: str = "Approve trading", *, calls: int = 1) -> WalletCard:
    """Return the card of a step that signs a batch."""
    return WalletCard(
        PreparedId(DIGEST), step, title, OWNER, NEWER.address, "the relayer",
        tuple(call_view() for _ in range(calls)), nonce=4, deadline=NOW + timedelta(minutes=10),
        digest=DIGEST, simulation=Simulation.PASSES,
    )  # fmt: skip


APPROVE = Approve((Approval(EXCHANGE.address, ApprovalKind.CASH),))
APPROVE_CARD = card_for(APPROVE, calls=2)
SEND_CARD = replace(
    card_for(Send(STRANGER, CASH), "Send $1,250.000001"), flows=(cash(-CASH),),
    calls=(CallView(PUSD, "pUSD", "transfer", (("to", STRANGER), ("amount", f"{CASH}")),
                    f"Send $1,250.000001 to {STRANGER}"),),
)  # fmt: skip
REDEEM_CARD = replace(card_for(Redeem(), "Redeem 1 market"), flows=redeem_flows(WON))
MERGE_CARD = replace(
    card_for(Merge(BOTH.condition_id, m("12.5")), "Merge 12.5 shares"),
    flows=merge_flows(BOTH, m("12.5")),
)
DEPLOY_CARD = WalletCard(
    PreparedId("1"), Deploy(), "Deploy the deposit wallet", OWNER, NEWER.address,
    "the relayer", warnings=("Nothing is signed: the relayer makes it",),
)  # fmt: skip
SIGN_IN_CARD = WalletCard(
    PreparedId("2"), MintRelayerKey(), "Sign in for a relayer key", OWNER, NEWER.address, "",
    message="polymarket.com wants you to sign in\n\nNonce: 7f3a\nChain ID: 137",
)  # fmt: skip

SENT = TransactionView(
    TransactionKey(DIGEST), "Approve trading", TransactionStatus.PENDING,
    NOW - timedelta(seconds=90), NOW - timedelta(seconds=30), (call_view(), call_view("Second")),
    TransactionId("0197-id"), "STATE_EXECUTED", HASH, 4, NOW + timedelta(seconds=510),
)  # fmt: skip
MADE = TransactionView(
    TransactionKey("deploy"), "Deploy the deposit wallet", TransactionStatus.CONFIRMED,
    NOW - timedelta(minutes=5), transaction_id=TransactionId("0196-id"),
    relayer_state="STATE_CONFIRMED", hash=HASH,
)  # fmt: skip

READY_WALLET = WalletView(
    Load.READY, as_of=NOW, owner=OWNER, wallet=NEWER.address,
    wallets=(
        WalletAddressView(WalletForm.OLDER_DEPOSIT, OLDER.address, is_paying=False,
                          relayer=LastAnswer(False, NOW), chain=LastAnswer(False, NOW)),
        WalletAddressView(WalletForm.DEPOSIT, NEWER.address, is_paying=True,
                          relayer=LastAnswer(True, NOW), chain=LastAnswer(True, NOW)),
    ),
    cash=m("5000"),
    steps=(
        WalletStepView(StepKind.PLACE, StepState.DONE, "CH ZH: not blocked", NOW),
        WalletStepView(StepKind.CREDENTIALS, StepState.DONE, "id 6f1c2a34", NOW, CreateCredentials()),
        WalletStepView(StepKind.RELAYER_KEY, StepState.DONE, "id 81c2", NOW, MintRelayerKey()),
        WalletStepView(StepKind.DEPLOY, StepState.DONE, "deployed", NOW),
        WalletStepView(StepKind.APPROVE, StepState.DONE, "4 of 4", NOW),
        WalletStepView(StepKind.BALANCE, StepState.DONE, "$5,000.00", NOW),
        WalletStepView(StepKind.BUILDER, StepState.OPTIONAL, "none", NOW),
    ),
    approvals=(
        approval(EXCHANGE.address, "exchange", allowed=UNLIMITED_APPROVAL),
        approval(NEG_RISK.address, "neg-risk exchange", allowed=UNLIMITED_APPROVAL),
        approval(ADAPTER, "adapter", allowed=0, is_needed=False),
    ),
    transactions=(SENT, MADE),
    settlements=(WON, LOST, DISPUTED, BOTH, *RACE),
    relayer_key="81c2",
)  # fmt: skip
