"""Transactions of a deposit wallet: its calls on chain, and the relayer that executes them.

A wallet executes a batch of calls atomically (docs/wire.md#deposit-wallet and #relayer, September 2026). The
relayer reports the state of a transaction, or why it refuses one.

Proof from the chain takes precedence. A hash alone proves nothing: the relayer may report that of another
transaction. A batch cannot be executed without its owner's signature, so the input of the transaction that
executed it contains those bytes, and nobody can produce them for another batch. Whether it was executed, and
not merely included as data, follows from the contract that was called, or from a log that names the wallet.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, NewType

from pmtui.domain.ids import Address

TransactionId = NewType("TransactionId", str)
"""The relayer's id of a transaction."""

MAX_UINT256: Final = 2**256 - 1
"""The amount of an unlimited approval."""

Argument = str | int | bool | tuple[str, ...] | tuple[int, ...]
"""Addresses and hashes are 0x-prefixed text, numbers are integers."""


@dataclass(frozen=True, slots=True)
class ContractCall:
    """One call of a batch, in the form that is signed."""

    target: Address
    data: bytes
    value: int = 0
    """Amount of the chain's native coin, in its smallest unit; zero in everything that the venue
    needs."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The signed contents of a batch."""

    wallet: Address
    nonce: int
    """The wallet's nonce: each executed batch increments it."""
    deadline_s: int
    """Unix seconds after which the wallet refuses it."""
    calls: tuple[ContractCall, ...]


@dataclass(frozen=True, slots=True)
class SignedSubmission:
    """A signed batch and the request that submits it."""

    digest: str
    """The signed digest: 0x and 64 hexadecimal digits."""
    signature: str
    body: bytes


@dataclass(frozen=True, slots=True)
class DecodedCall:
    """The decoded meaning of a call's bytes."""

    target: Address
    function: str
    """Its Solidity name, for example `approve`."""
    arguments: tuple[tuple[str, Argument], ...]
    """Each with its name in the contract's source."""

    def argument(self, name: str) -> Argument:
        """Return one argument.

        Raises:
            KeyError: the function has no argument of this name.
        """
        return dict(self.arguments)[name]


class RelayerState(StrEnum):
    """The state of a transaction at the relayer (docs/wire.md#relayer)."""

    NEW = "STATE_NEW"
    EXECUTED = "STATE_EXECUTED"
    """Broadcast; its hash is known."""
    MINED = "STATE_MINED"
    """In a block, which the relayer's own database may not show for some seconds."""
    CONFIRMED = "STATE_CONFIRMED"
    FAILED = "STATE_FAILED"
    """Reverted or given up."""
    INVALID = "STATE_INVALID"
    """Refused after it was accepted."""

    @property
    def is_terminal(self) -> bool:
        """Whether it is final."""
        return self in _TERMINAL


_STATE_WORDS = {
    RelayerState.NEW: "accepted, not broadcast yet",
    RelayerState.EXECUTED: "broadcast, not in a block yet",
    RelayerState.MINED: "in a block, not final yet",
    RelayerState.CONFIRMED: "confirmed",
    RelayerState.FAILED: "failed",
    RelayerState.INVALID: "refused after it was accepted",
}


def describe_state(text: str) -> str:
    """Describe a relayer state in words; undocumented states are returned as received, untrusted."""
    words = {state.value: said for state, said in _STATE_WORDS.items()}.get(text)
    return text if words is None else f"{words} ({text})"


_TERMINAL = frozenset({RelayerState.CONFIRMED, RelayerState.FAILED, RelayerState.INVALID})


@dataclass(frozen=True, slots=True)
class RelayerTransaction:
    """A transaction as the relayer reports it. All texts are untrusted."""

    transaction_id: TransactionId
    state_text: str
    """As received; undocumented states are kept and shown."""
    hash: str = ""
    """Hash on chain; empty until it is broadcast, and different after a replacement."""
    kind: str = ""
    """`WALLET-CREATE`, `WALLET`, or one of the older kinds."""
    owner: str = ""
    wallet: str = ""
    nonce: str = ""
    signature: str = ""
    data: str = ""
    metadata: str = ""
    error: str = ""
    created_at: datetime | None = None
    updated_at: datetime | None = None

    @property
    def state(self) -> RelayerState | None:
        """The state, or None if it is undocumented: that is treated as not final."""
        try:
            return RelayerState(self.state_text)
        except ValueError:
            return None


TransactionKey = NewType("TransactionKey", str)
"""Our own key of a transaction, known before it is sent: the digest of a batch, or a deployment's."""


class TransactionStatus(StrEnum):
    """The known status of a transaction of ours."""

    SENDING = "sending"
    """Journaled; no answer yet."""
    UNKNOWN = "unknown"
    """The relayer may or may not have it: it is searched for, and never submitted again."""
    PENDING = "pending"
    """The relayer has it, and has not reported its result."""
    CONFIRMED = "confirmed"
    FAILED = "failed"
    """It changed nothing on chain, and no longer can."""

    @property
    def is_over(self) -> bool:
        """Whether the status is final."""
        return self in (TransactionStatus.CONFIRMED, TransactionStatus.FAILED)


@dataclass(frozen=True, slots=True)
class WalletTransaction:
    """A deployment or a batch of ours, from before it is sent to its end."""

    key: TransactionKey
    title: str
    """Its purpose, in our words."""
    owner: Address
    wallet: Address
    created_at: datetime
    nonce: int | None = None
    """None for a deployment, as are the next three."""
    deadline_s: int | None = None
    calls: tuple[ContractCall, ...] = ()
    signature: str = ""
    status: TransactionStatus = TransactionStatus.SENDING
    transaction_id: TransactionId | None = None
    """None until the relayer has replied."""
    relayer_state: str = ""
    """The last state reported."""
    hash: str = ""
    reason: str = ""
    """Why it failed, or why its result is unknown."""
    changed_at: datetime | None = None
    """When its status was last learned; None until it changes for the first time."""
    chain_view: str = ""
    """What the chain shows if it differs from the relayer's report; empty if they agree."""
    relayer_view: str = ""
    """How the relayer's report differs from what was submitted; empty if it does not."""

    @property
    def is_deployment(self) -> bool:
        """Whether it deploys the wallet."""
        return self.nonce is None

    def is_reported_by(self, row: RelayerTransaction) -> bool:
        """Whether a row of the relayer's list is about this transaction."""
        if self.transaction_id is not None:
            return row.transaction_id == self.transaction_id
        if self.is_deployment:
            is_later = row.created_at is None or row.created_at >= self.created_at
            is_own = row.owner.lower() == self.owner.lower()
            return row.kind == "WALLET-CREATE" and is_own and is_later
        return bool(self.signature) and row.signature.lower() == self.signature.lower()


@dataclass(frozen=True, slots=True)
class CallReverted:
    """A call that the chain reverted, and why."""

    reason: str
    """The contract's message; untrusted, empty if it gave none."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of a transaction on chain."""

    hash: str
    is_success: bool
    block_number: int
    named: frozenset[str] = frozenset()
    """Lower-case addresses in its logs: emitting contracts, and addresses in their topics."""


def follow(known: WalletTransaction, row: RelayerTransaction) -> WalletTransaction:
    """Return a transaction updated with the relayer's report. Final states never change."""
    if known.status.is_over:
        return known
    match row.state:
        case RelayerState.CONFIRMED:
            status = TransactionStatus.CONFIRMED
        case RelayerState.FAILED | RelayerState.INVALID:
            status = TransactionStatus.FAILED
        case _:
            status = TransactionStatus.PENDING
    return replace(
        known,
        status=status,
        transaction_id=row.transaction_id,
        relayer_state=row.state_text,
        hash=row.hash or known.hash,
        reason=row.error if status is TransactionStatus.FAILED else "",
        relayer_view=find_contradiction(known, row) or known.relayer_view,
    )


def find_contradiction(known: WalletTransaction, row: RelayerTransaction) -> str:
    """Return how a row of the relayer contradicts a submitted transaction, or "" if it does not.

    Missing fields do not count as contradictions. The texts of the row are untrusted.
    """
    wallet, nonce, signature = row.wallet.lower(), row.nonce, row.signature.lower()
    if wallet and wallet not in (known.wallet.lower(), known.owner.lower()):
        return f"it is of wallet {row.wallet}"
    if nonce.isdecimal() and known.nonce is not None and nonce != str(known.nonce):
        return f"it has counter {nonce}"
    if signature and known.signature and signature != known.signature.lower():
        return "it has another signature"
    return ""


@dataclass(frozen=True, slots=True)
class SubmitRefusal:
    """The consequence of a refused submission: whether to try again, and with which nonce."""

    is_retryable: bool
    on_chain_nonce: int | None = None
    """The wallet's nonce, if the refusal states it: sign again with this one."""


_NONCE = re.compile(
    r"batch nonce (?:0x)?\w{1,80} does not match on-chain nonce (\d{1,78})",
    re.ASCII | re.IGNORECASE,
)
_BUSY = ("wallet busy", "in-flight action", "active action")


def read_submit_refusal(status: int, text: str) -> SubmitRefusal:
    """Return what can be done after the relayer refused a submission (docs/wire.md#relayer)."""
    if found := _NONCE.search(text):
        return SubmitRefusal(is_retryable=True, on_chain_nonce=int(found[1]))
    is_busy = status == 429 or any(words in text.lower() for words in _BUSY)
    return SubmitRefusal(is_retryable=is_busy)


_ADDRESS = r"(0x[0-9a-fA-F]{40})"
_NOT_PERMITTED = re.compile(rf"calls to {_ADDRESS} are not permitted", re.IGNORECASE)
_NOT_AN_OPERATOR = re.compile(
    rf"operator {_ADDRESS} is not in the allowed list", re.IGNORECASE | re.ASCII
)
_BOUNDED = re.compile(rf"approve to exchange {_ADDRESS} must be MaxUint256", re.IGNORECASE)
COMPARE: Final = "compare it with the venue's current contract registry before you try again"

_PLAIN: Final = (
    ("is not registered", "The relayer does not know the wallet yet: wait some seconds, then try again"),
    ("deadline too soon", "The relayer wants a later deadline: prepare it again"),
    ("does not match auth", "The relayer key belongs to another owner: make one for this key"),
    ("must be deposit wallet factory", "The relayer expects another factory contract: this is a bug"),
    ("does not match on-chain nonce", "The wallet's counter went on meanwhile: prepare it again"),
    ("self-call", "A wallet cannot call itself"),
    ("quota exceeded", "Too many submissions: the relayer takes 25 a minute"),
    ("invalid authorization", "The relayer does not accept the key: make or enter another one"),
    ("invalid signature", "The relayer does not accept the signature: this is a bug"),
    ("wallet busy", "The wallet still carries something else out"),
    ("in-flight action", "The wallet still carries something else out"),
    ("already deployed", "The wallet is deployed already"),
    ("no relayer key", "There is no relayer key: make one first"),
)  # fmt: skip


def explain_refusal(text: str, name_of: Callable[[Address], str]) -> str:
    """Return a refusal in words followed by the relayer's own text; that text alone if it is not known.

    Args:
        text: the relayer's message; untrusted.
        name_of: looks up a contract's name in our own table; returns the address if it has none.
    """
    if found := _NOT_PERMITTED.search(text):
        return f"The relayer does not permit calls to {_named(found[1], name_of)}: {COMPARE}"
    if found := _NOT_AN_OPERATOR.search(text):
        return f"The relayer does not permit {_named(found[1], name_of)} as an operator: {COMPARE}"
    if found := _BOUNDED.search(text):
        return f"The relayer takes only an unlimited approval for {_named(found[1], name_of)}"
    lowered = text.lower()
    means = next((meaning for words, meaning in _PLAIN if words in lowered), "")
    return f"{means} ({text})" if means else text


def _named(address: str, name_of: Callable[[Address], str]) -> str:
    name = name_of(Address(address))
    return address if name == address else f"the {name}, {address}"


_PROOF = 64
"""Bytes of r and s, which every encoding of a signature shares. The last byte is encoded in several
ways."""


@dataclass(frozen=True, slots=True)
class ChainTransaction:
    """A transaction as returned by a node."""

    hash: str
    target: str
    """The called contract; empty for a contract creation. Untrusted spelling."""
    data: bytes
    """Its complete input."""


def is_of_batch(
    known: WalletTransaction, found: ChainTransaction, receipt: Receipt, *, factory: Address
) -> bool:
    """Return whether a transaction on chain executed a batch that was signed here.

    Args:
        known: the batch; a deployment has no signature, so its transaction is not checked: the code at
            the wallet's address proves it.
        found: the transaction with the hash that the relayer named.
        receipt: of the same hash.
        factory: the contract through which the relayer calls deposit wallets.
    """
    if not known.signature:
        return True
    try:
        proof = bytes.fromhex(known.signature.removeprefix("0x"))[:_PROOF]
    except ValueError:
        return False
    if len(proof) < _PROOF or proof not in found.data:
        return False
    reaches_wallet = found.target.lower() == factory.lower()
    return reaches_wallet or known.wallet.lower() in receipt.named
