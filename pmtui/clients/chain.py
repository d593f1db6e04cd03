"""The chain's node (JSON-RPC): reads that show the actual state of a wallet.

Nothing here signs or sends a transaction.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from pmtui.clients.http.client import HttpHost
from pmtui.clients.http.failures import unreadable
from pmtui.domain.account.wallet_transactions import (
    CallReverted,
    ChainTransaction,
    ContractCall,
    Receipt,
)
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import Address
from pmtui.wire.bounds import WireError
from pmtui.wire.relayer import (
    RpcAnswer,
    decode_rpc,
    decode_rpc_batch,
    read_revert,
    rpc_code,
    rpc_number,
    rpc_receipt,
    rpc_simulated,
    rpc_text,
    rpc_transaction,
)

T = TypeVar("T", Receipt, ChainTransaction)

_LONGEST_TEXT = 120
_CALL = "eth_call"
_SIMULATE = "eth_simulateV1"
_CHAIN_ID = "eth_chainId"


class ChainClient:
    """Reads of the chain."""

    def __init__(self, host: HttpHost, *, only_chain: int | None = None) -> None:
        """Use a host whose address is the full URL of the node.

        Args:
            host: the node.
            only_chain: the chain that the node must be on: a node on another chain is not queried
                further. None accepts any.
        """
        self._host = host
        self._only_chain = only_chain
        self._is_right_chain = only_chain is None

    async def has_code(self, address: Address) -> bool | Failure:
        """Return whether there is contract code at an address, as of the newest block."""
        method = "eth_getCode"
        answer = await self._ask(method, address, "latest")
        if isinstance(answer, Failure):
            return answer
        try:
            return rpc_code(answer)
        except WireError as error:
            return unreadable(f"POST {method}", error)

    async def chain_id(self) -> int | Failure:
        """Return which chain the node is on."""
        return await self._number(_CHAIN_ID)

    async def block_number(self) -> int | Failure:
        """Return the number of the newest block."""
        return await self._number("eth_blockNumber")

    async def call(
        self, call: ContractCall, *, sender: Address | None = None
    ) -> bytes | CallReverted | Failure:
        """Simulate a call without any effect, as of the newest block.

        Args:
            call: the call.
            sender: the calling address; None for no particular one.
        """
        answer = await self._send(_CALL, *_parameters(call, sender))
        return answer if isinstance(answer, Failure) else _outcome(answer)

    async def calls(
        self, calls: Sequence[ContractCall], *, sender: Address | None = None
    ) -> tuple[bytes | CallReverted | Failure, ...] | Failure:
        """Simulate several independent calls in one request; replies come in their order.

        Nodes may reply in any order and leave some out: each reply contains its request id.
        """
        asked = [
            {"jsonrpc": "2.0", "id": number, "method": _CALL, "params": _parameters(call, sender)}
            for number, call in enumerate(calls)
        ]
        if not asked:
            return ()
        if problem := await self._why_wrong_chain():
            return problem
        body = msgspec.json.encode(asked)
        answer = await self._host.read("", route=_CALL, method="POST", body=body)
        if isinstance(answer, Failure):
            return answer
        try:
            answers = decode_rpc_batch(answer)
        except WireError as error:
            return unreadable(f"POST {_CALL}", error)
        silent = Failure(FailureKind.SERVER, f"POST {_CALL}", "no answer to this call")
        return tuple(
            _outcome(answers[number]) if number in answers else silent
            for number in range(len(asked))
        )

    async def simulate(
        self, calls: Sequence[ContractCall], *, sender: Address
    ) -> tuple[CallReverted | None, ...] | Failure:
        """Simulate calls one after the other, each on the state left by those before it.

        Returns the result of each, None if it succeeds; a failure if the node lacks the method
        (`eth_simulateV1`), as many do.
        """
        asked = [_transaction(call, sender) for call in calls]
        options = {"blockStateCalls": [{"calls": asked}], "validation": False}
        answer = await self._ask(_SIMULATE, options, "latest")
        if isinstance(answer, Failure):
            return answer
        try:
            simulated = rpc_simulated(answer)
        except WireError as error:
            return unreadable(f"POST {_SIMULATE}", error)
        if len(simulated) != len(asked):
            return unreadable(f"POST {_SIMULATE}", WireError("calls", "not those that were asked"))
        return simulated

    async def receipt(self, transaction_hash: str) -> Receipt | Failure | None:
        """Return the receipt of a transaction; None while it is in no block."""
        return await self._about("eth_getTransactionReceipt", transaction_hash, rpc_receipt)

    async def transaction(self, transaction_hash: str) -> ChainTransaction | Failure | None:
        """Return a transaction with its input; None if the node knows none with this hash."""
        return await self._about("eth_getTransactionByHash", transaction_hash, rpc_transaction)

    async def _about(
        self, method: str, transaction_hash: str, decode: Callable[[RpcAnswer], T | None]
    ) -> T | Failure | None:
        answer = await self._ask(method, transaction_hash, is_optional=True)
        if isinstance(answer, Failure):
            return answer
        try:
            found = decode(answer)
        except WireError as error:
            return unreadable(f"POST {method}", error)
        if found is not None and found.hash.lower() != transaction_hash.lower():
            return unreadable(f"POST {method}", WireError("hash", "of another transaction"))
        return found

    async def _number(self, method: str) -> int | Failure:
        answer = await self._ask(method)
        if isinstance(answer, Failure):
            return answer
        try:
            return rpc_number(answer, method)
        except WireError as error:
            return unreadable(f"POST {method}", error)

    async def _ask(
        self, method: str, *parameters: object, is_optional: bool = False
    ) -> RpcAnswer | Failure:
        answer = await self._send(method, *parameters)
        if isinstance(answer, Failure) or (answer.error is None and is_optional):
            return answer
        if answer.error is not None or bytes(answer.result) == b"null":
            return _refused(method, answer)
        return answer

    async def _why_wrong_chain(self) -> Failure | None:
        """Return why the node must not be used: on another chain, addresses mean something else."""
        if self._is_right_chain:
            return None
        chain_id = await self._number(_CHAIN_ID)
        if isinstance(chain_id, Failure):
            return chain_id
        if chain_id != self._only_chain:
            text = f"the node is on chain {chain_id}, not {self._only_chain}: see rpc_url"
            return Failure(FailureKind.REFUSED, f"POST {_CHAIN_ID}", text)
        self._is_right_chain = True
        return None

    async def _send(self, method: str, *parameters: object) -> RpcAnswer | Failure:
        if method != _CHAIN_ID and (problem := await self._why_wrong_chain()):
            return problem
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        body = msgspec.json.encode(asked)
        answer = await self._host.read("", route=method, method="POST", body=body)
        if isinstance(answer, Failure):
            return answer
        try:
            return decode_rpc(answer)
        except WireError as error:
            return unreadable(f"POST {method}", error)


def _parameters(call: ContractCall, sender: Address | None) -> tuple[object, object]:
    return _transaction(call, sender), "latest"


def _transaction(call: ContractCall, sender: Address | None) -> dict[str, str]:
    parameters: dict[str, str] = {"to": call.target, "data": "0x" + call.data.hex()}
    if sender is not None:
        parameters["from"] = sender
    return parameters


def _outcome(answer: RpcAnswer) -> bytes | CallReverted | Failure:
    if answer.error is not None:
        return read_revert(answer.error) or _refused(_CALL, answer)
    try:
        return bytes.fromhex(rpc_text(answer, "result").removeprefix("0x"))
    except WireError as error:
        return unreadable(f"POST {_CALL}", error)
    except ValueError:
        return unreadable(f"POST {_CALL}", WireError("result", "not hexadecimal"))


def _refused(method: str, answer: RpcAnswer) -> Failure:
    reason = answer.error.message if answer.error is not None else "no result"
    return Failure(FailureKind.REFUSED, f"POST {method}", reason[:_LONGEST_TEXT])
