"""What an owner can ask of a wallet, from its deployment to its cash: steps, contracts and approvals.

Some steps sign a batch of calls that the relayer carries out (docs/wire.md#deposit-wallet), some sign in
somewhere, some only ask. Amounts of cash and of shares are millionths.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pmtui.domain.account.wallet_call import MAX_UINT256
from pmtui.domain.ids import Address, ApiKey, ConditionId
from pmtui.domain.money import Micros

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
    """Let contracts move what the wallet holds."""

    approvals: tuple[Approval, ...]
    amount: int = UNLIMITED_APPROVAL
    """Of cash; shares have no amount."""


@dataclass(frozen=True, slots=True)
class Revoke:
    """Let contracts move nothing any more."""

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
