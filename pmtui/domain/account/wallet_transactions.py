"""Transactions of a deposit wallet: the calls that it makes on chain, and the relayer that carries them.

A wallet executes a batch of calls as a whole or not at all (docs/wire.md#deposit-wallet and #relayer,
September 2026). The relayer tells how far a transaction is, or why it refuses one.

What the chain proves counts for more. A hash is only a name: the relayer may tell one of somebody else. A batch
cannot be carried out without its owner's signature, so the input of the transaction that did it holds those
bytes, and nobody can make them for another batch. Whether it was carried out, and not only written along, follows
from the contract that was called, or from a log that names the wallet.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, NewType

from pmtui.domain.ids import Address

TransactionId = NewType("TransactionId", str)
"""The relayer's own id of a transaction."""

MAX_UINT256: Final = 2**256 - 1
"""What an unlimited approval names as its amount."""

Argument = str | int | bool | tuple[str, ...] | tuple[int, ...]
"""Addresses and hashes are text with 0x, numbers are integers."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a batch, as it is signed."""

    target: Address
    data: bytes
    value: int = 0
    """Of the chain's own coin, in its smallest unit; zero in everything that the venue needs."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Everything of a batch that is signed."""

    wallet: Address
    nonce: int
    """The wallet's own counter: each executed batch adds one."""
    deadline_s: int
    """Unix seconds after which the wallet refuses it."""
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class SignedSubmission:
    """A signed batch and the request that submits it."""

    digest: str
    """0x and 64 hexadecimal digits: what was signed."""
    signature: str
    body: bytes


@dataclass(frozen=True, slots=True)
class DecodedCall:
    """What the bytes of a call mean."""

    target: Address
    function: str
    """Its Solidity name, for example `approve`."""
    arguments: tuple[tuple[str, Argument], ...]
    """Each with the name that the contract's source gives it."""

    def argument(self, name: str) -> Argument:
        """Return one argument.

        Raises:
            KeyError: the function has none of this name.
        """
        return dict(self.arguments)[name]


class RelayerState(StrEnum):
    """Where a transaction of the relayer is (docs/wire.md#relayer)."""

    NEW = "STATE_NEW"
    EXECUTED = "STATE_EXECUTED"
    """Broadcast; its hash is known."""
    MINED = "STATE_MINED"
    """In a block, which the relayer's own register may not know for some seconds."""
    CONFIRMED = "STATE_CONFIRMED"
    FAILED = "STATE_FAILED"
    """Reverted or given up."""
    INVALID = "STATE_INVALID"
    """Refused after it was accepted."""

    @property
    def is_terminal(self) -> bool:
        """Whether it will not change any more."""
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
    """Say a state of the relayer in words; one that nobody documented stays as it came, untrusted."""
    words = {state.value: said for state, said in _STATE_WORDS.items()}.get(text)
    return text if words is None else f"{words} ({text})"


_TERMINAL = frozenset({RelayerState.CONFIRMED, RelayerState.FAILED, RelayerState.INVALID})


@dataclass(frozen=True, slots=True)
class RelayerTransaction:
    """A transaction as the relayer tells of it. All texts are untrusted."""

    transaction_id: TransactionId
    state_text: str
    """As told; states that nobody documented are kept and shown."""
    hash: str = ""
    """On chain; empty until it is broadcast, and another one after a replacement."""
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
        """The state, None for one that nobody documented: it is taken as not terminal."""
        try:
            return RelayerState(self.state_text)
        except ValueError:
            return None


TransactionKey = NewType("TransactionKey", str)
"""Our own name of a transaction, known before it leaves: the digest of a batch, or a deployment's."""


class TransactionStatus(StrEnum):
    """What is known of a transaction of ours."""

    SENDING = "sending"
    """Journaled; no answer yet."""
    UNKNOWN = "unknown"
    """The relayer may or may not have it: it is looked for, and never submitted again."""
    PENDING = "pending"
    """The relayer has it, and has not said how it ended."""
    CONFIRMED = "confirmed"
    FAILED = "failed"
    """It changed nothing on chain, and cannot any more."""

    @property
    def is_over(self) -> bool:
        """Whether nothing can come of it any more."""
        return self in (TransactionStatus.CONFIRMED, TransactionStatus.FAILED)


@dataclass(frozen=True, slots=True)
class WalletTransaction:
    """A deployment or a batch of ours, from before it leaves to its end."""

    key: TransactionKey
    title: str
    """What it is for, in our words."""
    owner: Address
    wallet: Address
    created_at: datetime
    nonce: int | None = None
    """None for a deployment, as the next three."""
    deadline_s: int | None = None
    calls: tuple[Call, ...] = ()
    signature: str = ""
    status: TransactionStatus = TransactionStatus.SENDING
    transaction_id: TransactionId | None = None
    """None until the relayer has answered."""
    relayer_state: str = ""
    """As told last."""
    hash: str = ""
    reason: str = ""
    """Why it failed, or is not known."""
    changed_at: datetime | None = None
    """When its status was learned; None while it is what it began with."""
    chain_view: str = ""
    """What the chain says where that is not what the relayer says; empty where they agree."""
    relayer_view: str = ""
    """What the relayer tells of it that is not what was submitted; empty where it is."""

    @property
    def is_deployment(self) -> bool:
        """Whether it makes the wallet."""
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
    """A call that the chain would not carry out, and why."""

    reason: str
    """In the contract's words; untrusted, empty where it gave none."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a transaction on chain."""

    hash: str
    is_success: bool
    block_number: int
    named: frozenset[str] = frozenset()
    """Addresses in its logs, in small letters: who wrote them, and about whom."""


def follow(known: WalletTransaction, row: RelayerTransaction) -> WalletTransaction:
    """Return a transaction after the relayer told of it. An end is final, a state is not taken back."""
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
    """Say what a row tells of a transaction that was not submitted so; empty where nothing.

    What the row leaves out contradicts nothing. The texts of the row are untrusted.
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
    """What a refused submission allows: whether it may be tried again, and with which nonce."""

    is_retryable: bool
    on_chain_nonce: int | None = None
    """The wallet's counter, where the refusal names it: sign again with this one."""


_NONCE = re.compile(
    r"batch nonce (?:0x)?\w{1,80} does not match on-chain nonce (\d{1,78})",
    re.ASCII | re.IGNORECASE,
)
_BUSY = ("wallet busy", "in-flight action", "active action")


def read_submit_refusal(status: int, text: str) -> SubmitRefusal:
    """Return what may be done after the relayer refused a submission (docs/wire.md#relayer)."""
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
    """Return a refusal in words, the relayer's own behind them; its text alone where it is not known.

    Args:
        text: what the relayer said; untrusted.
        name_of: names a contract by our own table; returns the address where it has no name.
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
"""Bytes of a signature that every spelling of it has: r and s. The last one is written in several ways."""


@dataclass(frozen=True, slots=True)
class ChainTransaction:
    """A transaction as a node returns it."""

    hash: str
    target: str
    """The contract that is called; empty for a transaction that makes one. Untrusted spelling."""
    data: bytes
    """Its whole input."""


def is_of_batch(
    known: WalletTransaction, found: ChainTransaction, receipt: Receipt, *, factory: Address
) -> bool:
    """Whether a transaction of the chain carried out a batch that was signed here.

    Args:
        known: the batch; a deployment has no signature, so nothing is asked of its transaction: the code
            at the wallet's address proves it.
        found: the transaction of the hash that the relayer named.
        receipt: of the same hash.
        factory: the contract through which the relayer reaches deposit wallets.
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
