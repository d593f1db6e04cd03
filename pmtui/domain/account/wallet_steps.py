"""The operations of a wallet, from its deployment to sending cash, and what each of them moves.

Some steps sign a batch of calls that the relayer executes (docs/wire.md#deposit-wallet), some sign in to a
host, some only send a request. Amounts of cash and of shares are in millionths.

Positions can be redeemed, merged, split or converted without a trade. A share of a resolved market pays a
fraction of a dollar; both outcomes of an open one are worth a dollar together; No shares of several
outcomes of a negative-risk event equal Yes shares of all the others, plus a dollar for each of them but one
(docs/wire.md#contract-calls).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pmtui.domain.account.wallet_transactions import MAX_UINT256
from pmtui.domain.ids import Address, ApiKey, ConditionId, TokenId
from pmtui.domain.money import ONE, SCALE, ZERO, Micros

UNLIMITED_APPROVAL: Final = MAX_UINT256
"""The amount of an unlimited approval, and the only one that the relayer allows for an exchange."""


class ContractKind(StrEnum):
    """The purpose of one of the venue's contracts."""

    CURRENCY = "token"
    """Holds cash or shares."""
    EXCHANGE = "exchange"
    """Settles trades."""
    ADAPTER = "adapter"
    """Splits, merges, redeems and converts."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class NamedContract:
    """A contract that this program knows by itself, never from a host."""

    address: Address
    name: str
    kind: ContractKind
    purpose: str
    """What it can be used for, in a sentence without its full stop."""


class ApprovalKind(StrEnum):
    """What a contract may move."""

    CASH = "cash"
    """pUSD, up to an amount."""
    SHARES = "shares"
    """Outcome tokens, without limit."""


@dataclass(frozen=True, slots=True)
class Approval:
    """A contract's right to move tokens of a wallet."""

    contract: Address
    kind: ApprovalKind


@dataclass(frozen=True, slots=True)
class CreateCredentials:
    """Create the trading host's API key, or fetch the existing one."""


@dataclass(frozen=True, slots=True)
class MintRelayerKey:
    """Sign in with the owner's key and have the relayer create a key."""


@dataclass(frozen=True, slots=True)
class Deploy:
    """Deploy the deposit wallet."""


@dataclass(frozen=True, slots=True)
class Approve:
    """Approve contracts to move the wallet's tokens."""

    approvals: tuple[Approval, ...]
    amount: int = UNLIMITED_APPROVAL
    """Amount of cash; shares have no amount."""


@dataclass(frozen=True, slots=True)
class Revoke:
    """Revoke the contracts' permission to move tokens."""

    approvals: tuple[Approval, ...]


@dataclass(frozen=True, slots=True)
class Redeem:
    """Exchange shares of resolved markets for their payout."""

    conditions: tuple[ConditionId, ...] = ()
    """The markets to redeem; empty for every redeemable market that is held."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Exchange both outcomes of a market for cash."""

    condition_id: ConditionId
    amount: Micros


@dataclass(frozen=True, slots=True)
class Split:
    """Exchange cash for both outcomes of a market."""

    condition_id: ConditionId
    amount: Micros


@dataclass(frozen=True, slots=True)
class Convert:
    """Exchange No shares of some markets of a negative-risk event for Yes shares of the others, and cash."""

    conditions: tuple[ConditionId, ...]
    """The markets whose No shares are given up."""
    amount: Micros
    """Shares of each market."""


@dataclass(frozen=True, slots=True)
class Send:
    """Send cash to an address."""

    recipient: str
    """As typed."""
    amount: Micros


@dataclass(frozen=True, slots=True)
class MintBuilderKey:
    """Create a builder's key."""


@dataclass(frozen=True, slots=True)
class RevokeBuilderKey:
    """Revoke a builder's key."""

    key: ApiKey


BatchStep = Approve | Revoke | Redeem | Merge | Split | Convert | Send
"""Steps that the wallet executes."""
KeyStep = CreateCredentials | MintRelayerKey | MintBuilderKey | RevokeBuilderKey
"""Steps that only involve hosts."""
WalletStep = (
    CreateCredentials
    | MintRelayerKey
    | Deploy
    | Approve
    | Revoke
    | Redeem
    | Merge
    | Split
    | Convert
    | Send
    | MintBuilderKey
    | RevokeBuilderKey
)


class QuestionState(StrEnum):
    """The state of a held market's question."""

    OPEN = "open"
    WON = "won"
    LOST = "lost"
    SHARED = "shared"
    """It pays less than a dollar and more than zero."""


@dataclass(frozen=True, slots=True)
class HeldOutcome:
    """Shares of one outcome."""

    token_id: TokenId
    label: str
    size: Micros
    payout: Micros | None = None
    """The payout of a share; None while unresolved."""

    @property
    def standing(self) -> QuestionState:
        """Whether this outcome won; open while unresolved."""
        if self.payout is None:
            return QuestionState.OPEN
        if self.payout in (ZERO, ONE):
            return QuestionState.WON if self.payout else QuestionState.LOST
        return QuestionState.SHARED


@dataclass(frozen=True, slots=True)
class Settlement:
    """A market in which shares are held, and what can be done with them."""

    condition_id: ConditionId
    title: str
    """Untrusted."""
    outcomes: tuple[HeldOutcome, ...]
    """Both outcomes if both are known, the first outcome first."""
    neg_risk: bool = False
    event_id: str = ""
    is_disputed: bool = False
    can_convert: bool = False
    """Whether the No shares can be converted, judging by the ids alone."""

    @property
    def is_resolved(self) -> bool:
        """Whether the payout of every held share is known."""
        held = [each for each in self.outcomes if each.size]
        return bool(held) and all(each.payout is not None for each in held)

    @property
    def redeems(self) -> Micros:
        """Cash from redeeming; zero before the market is resolved."""
        if not self.is_resolved:
            return ZERO
        return Micros(sum(each.size * (each.payout or 0) // SCALE for each in self.outcomes))

    @property
    def mergeable(self) -> Micros:
        """Shares of each outcome that can be merged, equal to the cash received; zero once resolved."""
        if self.is_resolved or len(self.outcomes) != 2:
            return ZERO
        return Micros(min(each.size for each in self.outcomes))

    @property
    def convertible(self) -> Micros:
        """No shares that can be converted."""
        if not self.can_convert or self.is_resolved or len(self.outcomes) != 2:
            return ZERO
        return self.outcomes[1].size


class FlowKind(StrEnum):
    """What a flow consists of."""

    CASH = "cash"
    SHARES = "shares"


@dataclass(frozen=True, slots=True)
class Flow:
    """An amount that a step takes out of a wallet or brings into it."""

    kind: FlowKind
    amount: Micros
    """Negative if it leaves the wallet."""
    label: str = ""
    """Name of the shares; untrusted."""
    token_id: TokenId | None = None


def cash(amount: int) -> Flow:
    """Return a flow of cash."""
    return Flow(FlowKind.CASH, Micros(amount))


def shares(outcome: HeldOutcome, amount: int, title: str = "") -> Flow:
    """Return a flow of shares."""
    label = f"{outcome.label} · {title}" if title else outcome.label
    return Flow(FlowKind.SHARES, Micros(amount), label, outcome.token_id)


def redeem_flows(settlement: Settlement) -> tuple[Flow, ...]:
    """Return the flows of redeeming a market: all of its shares leave the wallet."""
    gone = (shares(each, -each.size, settlement.title) for each in settlement.outcomes if each.size)
    return (*gone, cash(settlement.redeems))


def merge_flows(settlement: Settlement, amount: Micros) -> tuple[Flow, ...]:
    """Return the flows of merging."""
    gone = (shares(each, -amount, settlement.title) for each in settlement.outcomes)
    return (*gone, cash(amount))


def split_flows(
    outcomes: Sequence[HeldOutcome], amount: Micros, title: str = ""
) -> tuple[Flow, ...]:
    """Return the flows of splitting."""
    return (cash(-amount), *(shares(each, amount, title) for each in outcomes))


def convert_flows(
    given: Sequence[Settlement], received: Sequence[Settlement], amount: Micros
) -> tuple[Flow, ...]:
    """Return the flows of converting, without the venue's fee.

    Args:
        given: the markets whose No shares leave the wallet.
        received: every other market of the event, whose Yes shares are received.
        amount: shares of each.
    """
    gone = (shares(each.outcomes[1], -amount, each.title) for each in given)
    come = (shares(each.outcomes[0], amount, each.title) for each in received)
    surplus = amount * (len(given) - 1)
    return (*gone, *come, *((cash(surplus),) if surplus else ()))
