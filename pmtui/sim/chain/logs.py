"""What transactions wrote to the chain's log, and which of it somebody asks for.

Entries are those of the tokens themselves: approvals and transfers, as a node returns them. They follow from
the calls of a transaction that succeeded, so nothing is stored.
"""

from collections.abc import Iterable

import msgspec

from pmtui.domain.account.wallet_call import Call, DecodedCall, RelayerState
from pmtui.domain.ids import Address
from pmtui.signing.calldata import decode_call
from pmtui.signing.eip712 import address_word, keccak256, uint_word
from pmtui.sim.chain.relay import Transaction

MOST_BLOCKS = 10_000
"""That one question may be about, as public nodes have it."""

APPROVAL = "0x" + keccak256(b"Approval(address,address,uint256)").hex()
APPROVAL_FOR_ALL = "0x" + keccak256(b"ApprovalForAll(address,address,bool)").hex()
TRANSFER = "0x" + keccak256(b"Transfer(address,address,uint256)").hex()

Log = dict[str, object]


class LogFilter(msgspec.Struct, rename="camel"):
    """The argument of `eth_getLogs`."""

    from_block: str = "latest"
    to_block: str = "latest"
    address: str | list[str] | None = None
    topics: list[str | list[str] | None] = []

    def takes(self, log: Log) -> bool:
        """Whether an entry is asked for: every place that names something names this."""
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


def logs_of(transaction: Transaction, block: int) -> list[Log]:
    """Return the entries of a transaction in their order; none of one that did nothing."""
    if transaction.state not in (RelayerState.MINED, RelayerState.CONFIRMED):
        return []
    found: list[Log] = []
    for target, data in transaction.calls:
        decoded = decode_call(Call(target, bytes.fromhex(data.removeprefix("0x"))))
        entry = None if decoded is None else _entry(transaction.wallet, decoded)
        if entry is not None:
            topics, value = entry
            found.append(
                {
                    "address": target.lower(),
                    "topics": topics,
                    "data": value,
                    "blockNumber": hex(block),
                    "blockHash": block_hash(block),
                    "transactionHash": transaction.hash,
                    "transactionIndex": "0x0",
                    "logIndex": hex(len(found)),
                    "removed": False,
                }
            )
    return found


def _entry(wallet: Address, call: DecodedCall) -> tuple[list[str], str] | None:
    arguments = dict(call.arguments)
    match call.function:
        case "approve":
            topics = _topics(APPROVAL, wallet, str(arguments["spender"]))
            return topics, _word(arguments["amount"])
        case "setApprovalForAll":
            topics = _topics(APPROVAL_FOR_ALL, wallet, str(arguments["operator"]))
            return topics, _word(arguments["approved"])
        case "transfer":
            return _topics(TRANSFER, wallet, str(arguments["to"])), _word(arguments["amount"])
        case _:
            return None


def _topics(event: str, *addresses: str) -> list[str]:
    return [event, *("0x" + address_word(each).hex() for each in addresses)]


def _word(value: object) -> str:
    return "0x" + uint_word(value if isinstance(value, int) else 0).hex()


def _lowered(texts: str | Iterable[str]) -> set[str]:
    return {texts.lower()} if isinstance(texts, str) else {text.lower() for text in texts}
