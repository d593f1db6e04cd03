"""The front end's views of the wallet: cards before anything is signed, and the current state.

Everything is frozen and can be encoded by `service/codec.py`. Texts from hosts are untrusted.
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
from pmtui.domain.ids import Address
from pmtui.domain.money import Micros
from pmtui.service.views import Load

PreparedId = NewType("PreparedId", str)
"""Id of a prepared step: the digest to sign, or a number if nothing is signed."""


@dataclass(frozen=True, slots=True)
class CallView:
    """One call, decoded from the exact bytes that are signed."""

    target: Address
    contract: str
    """The contract's name in our own table."""
    function: str
    arguments: tuple[tuple[str, str], ...]
    """Name and full value of each: numbers as they are signed."""
    words: str
    """The call in a sentence, with amounts in dollars and shares."""


class Simulation(StrEnum):
    """The result of simulating a batch on the chain before it is signed."""

    NOT_ASKED = "not asked"
    """No chain is configured, or it did not reply."""
    PASSES = "passes"
    """All calls pass, one after the other, or the only one does."""
    PASSES_APART = "each passes by itself"
    """The node simulates calls only one by one; none of them depends on another."""
    MAY_REVERT = "not tried as a whole"
    """The node simulates calls only one by one; a later one fails, unless it depends on an earlier
    one."""
    REVERTS = "reverts"


@dataclass(frozen=True, slots=True)
class WalletCard:
    """A step ready to be confirmed: exactly what is on it is signed."""

    prepared_id: PreparedId
    step: WalletStep
    title: str
    owner: Address
    """The signer."""
    wallet: Address
    gas: str
    """Who pays for gas."""
    """It can be submitted within a minute of this."""
    calls: tuple[CallView, ...] = ()
    """In the order of execution by the wallet: all of them or none."""
    message: str = ""
    """The text that is signed; empty for batches and if nothing is signed."""
    nonce: int | None = None
    """The wallet's nonce; None if no batch is signed."""
    deadline: datetime | None = None
    """The wallet refuses the batch after this time."""
    digest: str = ""
    """EIP-712 digest of the batch; empty if none is signed."""
    flows: tuple[Flow, ...] = ()
    """The known flows out of and into the wallet."""
    simulation: Simulation = Simulation.NOT_ASKED
    revert_reason: str = ""
    """The contract's message; untrusted."""
    warnings: tuple[str, ...] = ()


class StepKind(StrEnum):
    """The steps of the account screen, in order."""

    PLACE = "place"
    CREDENTIALS = "credentials"
    RELAYER_KEY = "relayer key"
    DEPLOY = "deploy"
    APPROVE = "approvals"
    BALANCE = "balance"
    BUILDER = "builder code"


class StepState(StrEnum):
    """The state of a step."""

    DONE = "done"
    TO_DO = "to do"
    RUNNING = "running"
    FAILED = "failed"
    """Its last attempt failed; it can be tried again."""
    UNKNOWN = "unknown"
    """No reply yet, or a transaction's result is unknown."""
    OPTIONAL = "optional"


@dataclass(frozen=True, slots=True)
class WalletStepView:
    """One step towards trading."""

    kind: StepKind
    state: StepState
    result: str = ""
    """The result, or why it is unknown; may contain text from hosts."""
    as_of: datetime | None = None
    """When this was reported or done."""
    step: WalletStep | None = None
    """The step to prepare; None if nothing is to be signed or sent."""
    blocked_by: str = ""
    """What has to be done first; empty if the step is possible now."""
    transaction: TransactionKey | None = None
    """The running or last transaction."""


@dataclass(frozen=True, slots=True)
class WalletAddressView:
    """One of the two forms of an owner's deposit wallet."""

    form: WalletForm
    address: Address
    is_paying: bool
    """Whether it pays for orders."""
    relayer: LastAnswer[bool] = NO_ANSWER_YET
    """Whether it is deployed, according to the relayer."""
    chain: LastAnswer[bool] = NO_ANSWER_YET
    """Whether there is code at the address: takes precedence over the relayer's report."""

    @property
    def is_deployed(self) -> bool | None:
        """Whether it is deployed; None while that is unknown."""
        return self.relayer.value if self.chain.value is None else self.chain.value


@dataclass(frozen=True, slots=True)
class ApprovalView:
    """The amount that a contract may move, and the purpose of that."""

    approval: Approval
    name: str
    kind: ContractKind
    purpose: str
    is_needed: bool
    """Whether orders or redeeming need it; the others are optional."""
    allowed: LastAnswer[int] = NO_ANSWER_YET
    """Cash in millionths; for shares, 1 or 0."""
    is_exact_refused: bool = False
    """Whether the relayer accepts only an unlimited approval."""

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
    """When its status was last learned."""
    calls: tuple[CallView, ...] = ()
    """Empty for deployments, and for transactions of other programs."""
    transaction_id: TransactionId | None = None
    relayer_state: str = ""
    """The relayer's last report; untrusted."""
    hash: str = ""
    nonce: int | None = None
    deadline: datetime | None = None
    reason: str = ""
    """Why it failed or is unknown; untrusted."""
    is_followed: bool = True
    """Whether it is still queried; False after the trader stopped it."""
    is_ours: bool = True
    """Whether this program sent it."""
    chain_view: str = ""
    """What the chain shows if it differs from the relayer's report; empty if they agree."""
    relayer_view: str = ""
    """How the relayer's report differs from what was submitted; untrusted, empty if it does not."""


@dataclass(frozen=True, slots=True)
class ViewsDiffer:
    """A contradiction between hosts about the wallet."""

    subject: str
    views: tuple[tuple[str, str], ...]
    """What each source says."""
    believed: str
    """The source that this program follows."""


@dataclass(frozen=True, slots=True)
class WalletView:
    """Everything about the wallet. Without a key it is empty and `load` is EMPTY."""

    load: Load = Load.EMPTY
    reason: str = ""
    """Why the wallet cannot be used here; empty if it can."""
    as_of: datetime | None = None
    owner: Address | None = None
    wallet: Address | None = None
    """The address for deposits; None until the owner's form is known."""
    wallets: tuple[WalletAddressView, ...] = ()
    """The older form, then the newer."""
    cash: Micros | None = None
    steps: tuple[WalletStepView, ...] = ()
    approvals: tuple[ApprovalView, ...] = ()
    transactions: tuple[TransactionView, ...] = ()
    """Newest first."""
    settlements: tuple[Settlement, ...] = ()
    """Held markets with their possible operations."""
    builder_code: BuilderCode = NO_BUILDER
    """The code that orders contain."""
    builder_keys: tuple[BuilderKey, ...] = ()
    relayer_key: str = ""
    """Its first digits; empty if there is none."""
    disagreements: tuple[ViewsDiffer, ...] = ()
    sent_to: tuple[Address, ...] = ()
    """Addresses that received cash before, according to the journal."""

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
        """Return the state of one step."""
        return next((each for each in self.steps if each.kind is kind), None)


NO_WALLET: Final = WalletView()


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The step was carried out."""

    text: str
    key: TransactionKey | None = None
    """None if no transaction was needed."""
    hash: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """The step was tried and changed nothing."""

    reason: str
    key: TransactionKey | None = None


@dataclass(frozen=True, slots=True)
class NotKnown:
    """The step may still happen: it is searched for, and never sent a second time."""

    reason: str
    key: TransactionKey | None = None
