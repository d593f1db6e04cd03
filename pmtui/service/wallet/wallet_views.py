"""What a front end sees of the wallet: cards before anything is signed, and how everything stands.

Everything is frozen and travels through `service/codec.py`. Texts of hosts are untrusted.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, NewType

from pmtui.domain.account.keys import NO_BUILDER, BuilderCode, BuilderKey
from pmtui.domain.account.onboarding import NO_ANSWER_YET, LastAnswer, WalletForm
from pmtui.domain.account.wallet_steps import Approval, ContractKind, Flow, Settlement, WalletStep
from pmtui.domain.account.wallet_transactions import (
    TransactionId,
    TransactionKey,
    TransactionStatus,
)
from pmtui.domain.answers import GeoAnswer
from pmtui.domain.ids import Address
from pmtui.domain.money import Micros
from pmtui.service.views import Load

PreparedId = NewType("PreparedId", str)
"""Names a prepared step: the digest that gets signed, or a number where nothing is."""


@dataclass(frozen=True, slots=True)
class CallView:
    """One call, read from the very bytes that are signed."""

    target: Address
    contract: str
    """The contract's name by our own table."""
    function: str
    arguments: tuple[tuple[str, str], ...]
    """Name and value of each, in full: numbers as they are signed."""
    words: str
    """The same in a sentence, amounts in dollars and shares."""


class Simulation(StrEnum):
    """What the chain said of a batch before it was signed."""

    NOT_ASKED = "not asked"
    """No chain is configured, or it did not answer."""
    PASSES = "passes"
    """All calls, one after the other, or the only one there is."""
    PASSES_APART = "each passes by itself"
    """The node tries calls only one by one; none of them needs what another does."""
    MAY_REVERT = "not tried as a whole"
    """The node tries calls only one by one; a later one fails, unless an earlier one makes way for it."""
    REVERTS = "reverts"


@dataclass(frozen=True, slots=True)
class WalletCard:
    """A step ready to be confirmed: what is on it gets signed, and nothing else."""

    prepared_id: PreparedId
    step: WalletStep
    title: str
    owner: Address
    """Who signs."""
    wallet: Address
    gas: str
    """Who pays for it."""
    prepared_at: datetime
    """It can be submitted for a minute."""
    calls: tuple[CallView, ...] = ()
    """In the order in which the wallet carries them out: all of them or none."""
    message: str = ""
    """The text that is signed, where a text is; empty for batches and where nothing is signed."""
    nonce: int | None = None
    """The wallet's counter; None where no batch is signed."""
    deadline: datetime | None = None
    """After it the wallet refuses the batch."""
    digest: str = ""
    """EIP-712 digest of the batch; empty where none is signed."""
    flows: tuple[Flow, ...] = ()
    """What leaves the wallet and what comes in, as far as it is known."""
    simulation: Simulation = Simulation.NOT_ASKED
    revert_reason: str = ""
    """The contract's words; untrusted."""
    warnings: tuple[str, ...] = ()


class StepKind(StrEnum):
    """The steps of the account screen, in their order."""

    PLACE = "place"
    CREDENTIALS = "credentials"
    RELAYER_KEY = "relayer key"
    DEPLOY = "deploy"
    APPROVE = "approvals"
    BALANCE = "balance"
    BUILDER = "builder code"


class StepState(StrEnum):
    """How it stands with a step."""

    DONE = "done"
    TO_DO = "to do"
    RUNNING = "running"
    FAILED = "failed"
    """Its last attempt failed; it can be tried again."""
    UNKNOWN = "unknown"
    """Nobody has answered, or a transaction's end is not known."""
    OPTIONAL = "optional"


@dataclass(frozen=True, slots=True)
class WalletStepView:
    """One step on the way to trading."""

    kind: StepKind
    state: StepState
    result: str = ""
    """What came of it, or why it is not known; may hold words of hosts."""
    as_of: datetime | None = None
    """When this was reported or done."""
    step: WalletStep | None = None
    """What to prepare; None where nothing is to be signed or sent."""
    blocked_by: str = ""
    """What has to be done before; empty where it can be taken now."""
    transaction: TransactionKey | None = None
    """What runs, or ran last."""


@dataclass(frozen=True, slots=True)
class WalletAddressView:
    """One of the two forms of an owner's deposit wallet."""

    form: WalletForm
    address: Address
    is_paying: bool
    """Whether orders are paid from it."""
    relayer: LastAnswer[bool] = NO_ANSWER_YET
    """Whether it is deployed, in the relayer's view."""
    chain: LastAnswer[bool] = NO_ANSWER_YET
    """Whether there is code at the address: goes before the relayer's view."""

    @property
    def is_deployed(self) -> bool | None:
        """Whether it is deployed; None while that is unknown."""
        return self.relayer.value if self.chain.value is None else self.chain.value


@dataclass(frozen=True, slots=True)
class ApprovalView:
    """What a contract may move, and what it needs that for."""

    approval: Approval
    name: str
    kind: ContractKind
    purpose: str
    is_needed: bool
    """Whether orders or redeeming need it; the others are a convenience."""
    allowed: LastAnswer[int] = NO_ANSWER_YET
    """Cash in millionths, or 1 and 0 for shares."""
    is_exact_refused: bool = False
    """Whether the relayer takes nothing but an unlimited approval."""

    @property
    def is_allowed(self) -> bool | None:
        """Whether it may move anything; None while that is unknown."""
        return None if self.allowed.value is None else self.allowed.value > 0


@dataclass(frozen=True, slots=True)
class TransactionView:
    """A transaction of the wallet."""

    key: TransactionKey
    title: str
    status: TransactionStatus
    created_at: datetime
    changed_at: datetime | None = None
    """When its status was learned."""
    calls: tuple[CallView, ...] = ()
    """Empty for deployments, and for transactions of other programs."""
    transaction_id: TransactionId | None = None
    relayer_state: str = ""
    """The relayer's last report; untrusted."""
    hash: str = ""
    nonce: int | None = None
    deadline: datetime | None = None
    reason: str = ""
    """Why it failed or is not known; untrusted."""
    is_deployment: bool = False
    is_followed: bool = True
    """Whether it is still asked about; False after the trader stopped it."""
    is_ours: bool = True
    """Whether this program sent it."""
    chain_view: str = ""
    """What the chain says where that is not what the relayer says; empty where they agree."""
    relayer_view: str = ""
    """What the relayer reports otherwise than it was submitted; untrusted, empty if nothing."""


@dataclass(frozen=True, slots=True)
class ViewsDiffer:
    """Hosts that cannot all be right about the wallet."""

    subject: str
    views: tuple[tuple[str, str], ...]
    """Who says what."""
    believed: str
    """Whom this program goes by."""


@dataclass(frozen=True, slots=True)
class WalletView:
    """Everything about the wallet. Without a key it is empty and `load` says EMPTY."""

    load: Load = Load.EMPTY
    reason: str = ""
    """Why nothing can be done with a wallet here; empty where it can."""
    as_of: datetime | None = None
    owner: Address | None = None
    wallet: Address | None = None
    """Where to send cash to; None until it is known which form belongs to the owner."""
    wallets: tuple[WalletAddressView, ...] = ()
    """The older form, then the newer."""
    cash: Micros | None = None
    steps: tuple[WalletStepView, ...] = ()
    approvals: tuple[ApprovalView, ...] = ()
    transactions: tuple[TransactionView, ...] = ()
    """Newest first."""
    settlements: tuple[Settlement, ...] = ()
    """Held markets with what can be made of them."""
    place: LastAnswer[GeoAnswer] = NO_ANSWER_YET
    builder_code: BuilderCode = NO_BUILDER
    """What orders name."""
    builder_keys: tuple[BuilderKey, ...] = ()
    relayer_key: str = ""
    """Its first digits; empty where there is none."""
    disagreements: tuple[ViewsDiffer, ...] = ()
    sent_to: tuple[Address, ...] = ()
    """Addresses that cash was sent to before, as far as the journal knows."""

    @property
    def is_deployed(self) -> bool | None:
        """Whether the paying wallet is deployed; None while that is unknown."""
        paying = next((each for each in self.wallets if each.is_paying), None)
        return None if paying is None else paying.is_deployed

    @property
    def redeemable(self) -> tuple[Settlement, ...]:
        """Markets that can be redeemed."""
        return tuple(each for each in self.settlements if each.is_resolved)

    def missing_approvals(self) -> tuple[Approval, ...]:
        """Return the needed approvals that are known to be missing."""
        lacking = (each for each in self.approvals if each.is_needed and each.is_allowed is False)
        return tuple(each.approval for each in lacking)

    def step(self, kind: StepKind) -> WalletStepView | None:
        """Return how it stands with one step."""
        return next((each for each in self.steps if each.kind is kind), None)


NO_WALLET: Final = WalletView()


@dataclass(frozen=True, slots=True)
class Confirmed:
    """It was carried out."""

    text: str
    key: TransactionKey | None = None
    """None where no transaction was needed."""
    hash: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """It was tried and changed nothing."""

    reason: str
    key: TransactionKey | None = None


@dataclass(frozen=True, slots=True)
class NotKnown:
    """It may still happen: it is looked for, and never sent a second time."""

    reason: str
    key: TransactionKey | None = None
