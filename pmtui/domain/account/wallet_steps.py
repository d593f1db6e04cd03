"""What an owner can ask of a wallet, from its deployment to its cash, and what each step moves.

Some steps sign a batch of calls that the relayer carries out (docs/wire.md#deposit-wallet), some sign in
somewhere, some only ask. Amounts of cash and of shares are millionths.

Positions can be redeemed, merged, split or converted without a trade. A share of a resolved market pays a
fraction of a dollar; both outcomes of an open one are a dollar together; No shares of several outcomes of a
negative-risk event are Yes shares of all the others, and a dollar for each of them but one
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
"""The amount of an approval without a limit, and the only one that the relayer lets an exchange have."""


class ContractKind(StrEnum):
    """What a contract of the venue is there for."""

    CURRENCY = "token"
    """Cash or shares themselves."""
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
    """What may be done through it, in a sentence without its full stop."""


class ApprovalKind(StrEnum):
    """What a contract is let move."""

    CASH = "cash"
    """pUSD, up to an amount."""
    SHARES = "shares"
    """Outcome tokens, all of them."""


@dataclass(frozen=True, slots=True)
class Approval:
    """A right of a contract over a wallet."""

    contract: Address
    kind: ApprovalKind


@dataclass(frozen=True, slots=True)
class CreateCredentials:
    """Make the trading host's API key, or fetch the one that there is."""


@dataclass(frozen=True, slots=True)
class MintRelayerKey:
    """Sign in with the owner's key and let the relayer make a key."""


@dataclass(frozen=True, slots=True)
class Deploy:
    """Make the deposit wallet."""


@dataclass(frozen=True, slots=True)
class Approve:
    """Permit contracts to move the wallet's tokens."""

    approvals: tuple[Approval, ...]
    amount: int = UNLIMITED_APPROVAL
    """Of cash; shares have no amount."""


@dataclass(frozen=True, slots=True)
class Revoke:
    """Revoke the contracts' permission to move tokens."""

    approvals: tuple[Approval, ...]


@dataclass(frozen=True, slots=True)
class Redeem:
    """Turn shares of resolved markets into what they pay."""

    conditions: tuple[ConditionId, ...] = ()
    """Every redeemable market that is held where there are none."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Turn both outcomes of a market into cash."""

    condition_id: ConditionId
    amount: Micros


@dataclass(frozen=True, slots=True)
class Split:
    """Turn cash into both outcomes of a market."""

    condition_id: ConditionId
    amount: Micros


@dataclass(frozen=True, slots=True)
class Convert:
    """Turn No shares of some markets of a negative-risk event into Yes of the others, and cash."""

    conditions: tuple[ConditionId, ...]
    """Whose No shares are given."""
    amount: Micros
    """Of shares of each."""


@dataclass(frozen=True, slots=True)
class Send:
    """Send cash to an address."""

    recipient: str
    """As it was typed."""
    amount: Micros


@dataclass(frozen=True, slots=True)
class MintBuilderKey:
    """Make a builder's key."""


@dataclass(frozen=True, slots=True)
class RevokeBuilderKey:
    """Revoke a builder's key."""

    key: ApiKey


BatchStep = Approve | Revoke | Redeem | Merge | Split | Convert | Send
"""Steps that the wallet carries out."""
KeyStep = CreateCredentials | MintRelayerKey | MintBuilderKey | RevokeBuilderKey
"""Steps that only hosts hear of."""
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


class Standing(StrEnum):
    """How the question of a held market stands."""

    OPEN = "open"
    WON = "won"
    LOST = "lost"
    SHARED = "shared"
    """It pays less than a dollar and more than nothing."""


@dataclass(frozen=True, slots=True)
class HeldOutcome:
    """Shares of one outcome."""

    token_id: TokenId
    label: str
    size: Micros
    payout: Micros | None = None
    """What a share pays; None while there is no answer."""

    @property
    def standing(self) -> Standing:
        """Whether this outcome won; open while nothing is known."""
        if self.payout is None:
            return Standing.OPEN
        if self.payout in (ZERO, ONE):
            return Standing.WON if self.payout else Standing.LOST
        return Standing.SHARED


@dataclass(frozen=True, slots=True)
class Settlement:
    """A market in which shares are held, and what can be made of them."""

    condition_id: ConditionId
    title: str
    """Untrusted."""
    outcomes: tuple[HeldOutcome, ...]
    """Both where both are known, the first outcome first."""
    neg_risk: bool = False
    event_id: str = ""
    is_disputed: bool = False
    can_convert: bool = False
    """Whether the No shares can be converted, by the ids alone."""

    @property
    def is_resolved(self) -> bool:
        """Whether it is known what every held share pays."""
        held = [each for each in self.outcomes if each.size]
        return bool(held) and all(each.payout is not None for each in held)

    @property
    def redeems(self) -> Micros:
        """Cash that redeeming brings; zero before there is an answer."""
        if not self.is_resolved:
            return ZERO
        return Micros(sum(each.size * (each.payout or 0) // SCALE for each in self.outcomes))

    @property
    def mergeable(self) -> Micros:
        """Shares of each outcome that can be merged, and so cash; zero once there is an answer."""
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
    """What moves."""

    CASH = "cash"
    SHARES = "shares"


@dataclass(frozen=True, slots=True)
class Flow:
    """What a step takes out of a wallet, or brings into it."""

    kind: FlowKind
    amount: Micros
    """Negative where it leaves the wallet."""
    label: str = ""
    """Which shares; untrusted."""
    token_id: TokenId | None = None


def cash(amount: int) -> Flow:
    """Return a movement of cash."""
    return Flow(FlowKind.CASH, Micros(amount))


def shares(outcome: HeldOutcome, amount: int, title: str = "") -> Flow:
    """Return a movement of shares."""
    label = f"{outcome.label} · {title}" if title else outcome.label
    return Flow(FlowKind.SHARES, Micros(amount), label, outcome.token_id)


def redeem_flows(settlement: Settlement) -> tuple[Flow, ...]:
    """Return what redeeming a market moves: all shares of it go."""
    gone = (shares(each, -each.size, settlement.title) for each in settlement.outcomes if each.size)
    return (*gone, cash(settlement.redeems))


def merge_flows(settlement: Settlement, amount: Micros) -> tuple[Flow, ...]:
    """Return what merging moves."""
    gone = (shares(each, -amount, settlement.title) for each in settlement.outcomes)
    return (*gone, cash(amount))


def split_flows(
    outcomes: Sequence[HeldOutcome], amount: Micros, title: str = ""
) -> tuple[Flow, ...]:
    """Return what splitting moves."""
    return (cash(-amount), *(shares(each, amount, title) for each in outcomes))


def convert_flows(
    given: Sequence[Settlement], received: Sequence[Settlement], amount: Micros
) -> tuple[Flow, ...]:
    """Return what converting moves, the venue's fee aside.

    Args:
        given: the markets whose No shares go.
        received: every other market of the event, whose Yes shares come.
        amount: shares of each.
    """
    gone = (shares(each.outcomes[1], -amount, each.title) for each in given)
    come = (shares(each.outcomes[0], amount, each.title) for each in received)
    surplus = amount * (len(given) - 1)
    return (*gone, *come, *((cash(surplus),) if surplus else ()))
