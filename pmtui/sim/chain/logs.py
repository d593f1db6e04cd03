"""The chain's event logs: what transactions write, and the filters of queries.

Entries are approvals, transfers, splits, merges, redemptions and conversions, as a node returns them. They are
written when a batch is executed, and kept with its transaction. The real adapters move shares and cash through
themselves; here each movement is one entry.
"""

from collections.abc import Iterable, Sequence

import msgspec

from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.signing.contracts import POLYGON
from pmtui.signing.eip712 import address_word, bytes32, keccak256, uint_word
from pmtui.sim.chain.contracts import (
    Approved,
    Converted,
    Effect,
    Merged,
    OperatorSet,
    Redeemed,
    Sent,
    Split,
    World,
)

MOST_BLOCKS = 10_000
"""Blocks in one query, as on public nodes."""


def _topic(event: str) -> str:
    return "0x" + keccak256(event.encode()).hex()


_POSITIONS = "(address,address,bytes32,bytes32,uint256[],uint256)"
APPROVAL = _topic("Approval(address,address,uint256)")
APPROVAL_FOR_ALL = _topic("ApprovalForAll(address,address,bool)")
TRANSFER = _topic("Transfer(address,address,uint256)")
TRANSFER_BATCH = _topic("TransferBatch(address,address,address,uint256[],uint256[])")
SPLIT = _topic(f"PositionSplit{_POSITIONS}")
MERGE = _topic(f"PositionsMerge{_POSITIONS}")
REDEMPTION = _topic("PayoutRedemption(address,address,bytes32,bytes32,uint256[],uint256)")
CONVERTED = _topic("PositionsConverted(address,bytes32,uint256,uint256)")
_NOBODY = Address("0x" + "00" * 20)
_NO_PARENT = "0x" + "00" * 32
_BOTH = (1, 2)
"""The index sets of both outcomes."""

Log = dict[str, object]


class LogEntry(msgspec.Struct):
    """One entry, as stored with its transaction."""

    address: str
    """The contract that wrote it, in lower case."""
    topics: list[str]
    data: str


class LogFilter(msgspec.Struct, rename="camel"):
    """The argument of `eth_getLogs`."""

    from_block: str = "latest"
    to_block: str = "latest"
    address: str | list[str] | None = None
    topics: list[str | list[str] | None] = []

    def takes(self, log: Log) -> bool:
        """Whether an entry matches: its address and topics must be among the given ones."""
        address = str(log["address"]).lower()
        if self.address is not None and address not in _lowered(self.address):
            return False
        topics = log["topics"]
        if not isinstance(topics, list) or len(self.topics) > len(topics):
            return False
        pairs = zip(self.topics, topics, strict=False)
        return all(wanted is None or topic in _lowered(wanted) for wanted, topic in pairs)


def block_hash(number: int) -> str:
    """Return the hash of a block."""
    return "0x" + keccak256(b"block %d" % number).hex()


def place_entries(entries: Iterable[LogEntry], *, block: int, transaction_hash: str) -> list[Log]:
    """Return the entries of a transaction in a node's form, with their positions."""
    return [
        {
            "address": entry.address,
            "topics": entry.topics,
            "data": entry.data,
            "blockNumber": hex(block),
            "blockHash": block_hash(block),
            "transactionHash": transaction_hash,
            "transactionIndex": "0x0",
            "logIndex": hex(index),
            "removed": False,
        }
        for index, entry in enumerate(entries)
    ]


def write_entries(wallet: Address, effects: Iterable[Effect], world: World) -> list[LogEntry]:
    """Return the entries of a batch, in the order of its calls."""
    return [entry for effect in effects for entry in _entries(wallet, effect, world)]


def _entries(wallet: Address, effect: Effect, world: World) -> list[LogEntry]:
    match effect:
        case Approved():
            topics = _addresses(APPROVAL, wallet, effect.spender)
            return [_entry(POLYGON.collateral, topics, _words(effect.amount))]
        case OperatorSet():
            topics = _addresses(APPROVAL_FOR_ALL, wallet, effect.operator)
            return [_entry(effect.contract, topics, _words(effect.is_approved))]
        case Sent():
            return [_cash(wallet, effect.recipient, effect.amount)]
        case Split() | Merged():
            return _pair(wallet, effect, world)
        case Redeemed():
            return _redeemed(wallet, effect, world)
        case Converted():
            return _converted(wallet, effect, world)


def _pair(wallet: Address, effect: Split | Merged, world: World) -> list[LogEntry]:
    adapter, collateral, tokens = _market(effect.condition_id, world)
    is_split = isinstance(effect, Split)
    topics = [
        *_addresses(SPLIT if is_split else MERGE, adapter), _NO_PARENT, effect.condition_id
    ]  # fmt: skip
    # The collateral, the offset of the list of index sets, the amount, and the list.
    data = address_word(collateral) + uint_word(96) + uint_word(effect.amount) + _array(_BOTH)
    changed = _entry(POLYGON.conditional_tokens, topics, data)
    sizes = [effect.amount] * len(tokens)
    if is_split:
        paid = _cash(wallet, adapter, effect.amount)
        return [paid, changed, _shares(adapter, _NOBODY, wallet, tokens=tokens, sizes=sizes)]
    gone = _shares(adapter, wallet, _NOBODY, tokens=tokens, sizes=sizes)
    return [gone, changed, _cash(adapter, wallet, effect.amount)]


def _redeemed(wallet: Address, effect: Redeemed, world: World) -> list[LogEntry]:
    adapter, collateral, tokens = _market(effect.condition_id, world)
    topics = [*_addresses(REDEMPTION, adapter, collateral), _NO_PARENT]
    head = bytes32(effect.condition_id) + uint_word(96) + uint_word(effect.paid)
    gone = _shares(adapter, wallet, _NOBODY, tokens=tokens, sizes=effect.burned)
    changed = _entry(POLYGON.conditional_tokens, topics, head + _array(_BOTH))
    paid = [_cash(adapter, wallet, effect.paid)] if effect.paid else []
    return [gone, changed, *paid]


def _converted(wallet: Address, effect: Converted, world: World) -> list[LogEntry]:
    adapter = POLYGON.neg_risk_collateral_adapter
    given = [_market(each, world)[2][1] for each in effect.given]
    received = [_market(each, world)[2][0] for each in effect.received]
    chosen = "0x" + uint_word(effect.index_set).hex()
    topics = [*_addresses(CONVERTED, adapter), effect.event, chosen]
    entries = [
        _shares(adapter, wallet, _NOBODY, tokens=given, sizes=[effect.amount] * len(given)),
        _entry(POLYGON.neg_risk_adapter, topics, _words(effect.amount)),
    ]
    if received:
        sizes = [effect.amount] * len(received)
        entries.append(_shares(adapter, _NOBODY, wallet, tokens=received, sizes=sizes))
    cash = effect.amount * (len(given) - 1)
    return [*entries, _cash(adapter, wallet, cash)] if cash else entries


def _market(condition_id: ConditionId, world: World) -> tuple[Address, Address, Sequence[TokenId]]:
    """Return the adapter, the collateral and the tokens of a market."""
    found = world.condition(condition_id)
    is_neg_risk = found is not None and found.is_neg_risk
    tokens = found.tokens if found is not None else ()
    if is_neg_risk:
        return POLYGON.neg_risk_collateral_adapter, POLYGON.wrapped_collateral, tokens
    return POLYGON.collateral_adapter, POLYGON.legacy_collateral, tokens


def _cash(giver: Address, taker: Address, amount: int) -> LogEntry:
    return _entry(POLYGON.collateral, _addresses(TRANSFER, giver, taker), _words(amount))


def _shares(
    operator: Address, giver: Address, taker: Address, *, tokens: Sequence[TokenId],
    sizes: Sequence[int],
) -> LogEntry:  # fmt: skip
    ids = _array([int(token) for token in tokens])
    data = uint_word(64) + uint_word(64 + len(ids)) + ids + _array(sizes)
    topics = _addresses(TRANSFER_BATCH, operator, giver, taker)
    return _entry(POLYGON.conditional_tokens, topics, data)


def _entry(contract: Address, topics: list[str], data: bytes) -> LogEntry:
    return LogEntry(contract.lower(), topics, "0x" + data.hex())


def _array(numbers: Sequence[int]) -> bytes:
    return uint_word(len(numbers)) + _words(*numbers)


def _words(*numbers: int) -> bytes:
    return b"".join(map(uint_word, numbers))


def _addresses(event: str, *addresses: str) -> list[str]:
    return [event, *("0x" + address_word(each).hex() for each in addresses)]


def _lowered(texts: str | Iterable[str]) -> set[str]:
    return {texts.lower()} if isinstance(texts, str) else {text.lower() for text in texts}
