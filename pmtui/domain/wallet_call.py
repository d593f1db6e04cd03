"""Calls that a deposit wallet makes on chain, and the relayer's transactions that carry them.

A wallet executes a batch of calls as a whole or not at all (WIRE_METADATA §6.3, September 2026).
"""

import re
from dataclasses import dataclass
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
    """Of the chain's own coin, in its smallest unit; zero in everything that the service needs."""


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
    """Where a transaction of the relayer is (WIRE_METADATA §5.5)."""

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
    """Return what may be done after the relayer refused a submission (WIRE_METADATA §5.6).

    Args:
        status: of the answer.
        text: its error text; untrusted.
    """
    if found := _NONCE.search(text):
        return SubmitRefusal(is_retryable=True, on_chain_nonce=int(found[1]))
    is_busy = status == 429 or any(words in text.lower() for words in _BUSY)
    return SubmitRefusal(is_retryable=is_busy)
