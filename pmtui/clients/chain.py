"""The chain's own host (JSON-RPC): reads that tell what is true of a wallet.

Nothing is signed or sent to the chain from here.
"""

from collections.abc import Sequence

import msgspec

from pmtui.clients.http.client import HttpHost
from pmtui.clients.http.failures import unreadable
from pmtui.domain.account.wallet_call import Call, CallReverted, Receipt
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import Address
from pmtui.wire.bounds import WireError
from pmtui.wire.relayer import (
    RpcAnswer,
    decode_rpc,
    decode_rpc_batch,
    read_revert,
    rpc_number,
    rpc_receipt,
    rpc_text,
)

_LONGEST_TEXT = 120
_CALL = "eth_call"


class ChainClient:
    """Reads of the chain."""

    def __init__(self, host: HttpHost) -> None:
        """Take a host whose address is the whole address of the node."""
        self._host = host

    async def has_code(self, address: Address) -> bool | Failure:
        """Return whether there is contract code at an address, by the newest block."""
        method = "eth_getCode"
        answer = await self._ask(method, address, "latest")
        if isinstance(answer, Failure):
            return answer
        try:
            code = rpc_text(answer, "code")
        except WireError as error:
            return unreadable(f"POST {method}", error)
        # Nodes write no code as `0x`, and some as `0x0` (docs/wire.md#deposit-wallet).
        return bool(code.removeprefix("0x").strip("0"))

    async def chain_id(self) -> int | Failure:
        """Return which chain the node is on."""
        return await self._number("eth_chainId")

    async def block_number(self) -> int | Failure:
        """Return the newest block."""
        return await self._number("eth_blockNumber")

    async def call(
        self, call: Call, *, sender: Address | None = None
    ) -> bytes | CallReverted | Failure:
        """Try a call without any effect, by the newest block.

        Args:
            call: what is called.
            sender: as whom; nobody in particular where it is None.
        """
        answer = await self._send(_CALL, *_parameters(call, sender))
        return answer if isinstance(answer, Failure) else _outcome(answer)

    async def calls(
        self, calls: Sequence[Call], *, sender: Address | None = None
    ) -> tuple[bytes | CallReverted | Failure, ...] | Failure:
        """Try several calls in one request, each by itself; answers come in their order.

        Nodes may answer in any order and leave some out: each answer names its question.
        """
        asked = [
            {"jsonrpc": "2.0", "id": number, "method": _CALL, "params": _parameters(call, sender)}
            for number, call in enumerate(calls)
        ]
        if not asked:
            return ()
        body = msgspec.json.encode(asked)
        answer = await self._host.read("", route=_CALL, method="POST", body=body)
        if isinstance(answer, Failure):
            return answer
        try:
            told = decode_rpc_batch(answer)
        except WireError as error:
            return unreadable(f"POST {_CALL}", error)
        silent = Failure(FailureKind.SERVER, f"POST {_CALL}", "no answer to this call")
        return tuple(
            _outcome(told[number]) if number in told else silent for number in range(len(asked))
        )

    async def receipt(self, transaction_hash: str) -> Receipt | Failure | None:
        """Return what became of a transaction; None while it is in no block."""
        method = "eth_getTransactionReceipt"
        answer = await self._ask(method, transaction_hash, is_optional=True)
        if isinstance(answer, Failure):
            return answer
        try:
            return rpc_receipt(answer)
        except WireError as error:
            return unreadable(f"POST {method}", error)

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

    async def _send(self, method: str, *parameters: object) -> RpcAnswer | Failure:
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        body = msgspec.json.encode(asked)
        answer = await self._host.read("", route=method, method="POST", body=body)
        if isinstance(answer, Failure):
            return answer
        try:
            return decode_rpc(answer)
        except WireError as error:
            return unreadable(f"POST {method}", error)


def _parameters(call: Call, sender: Address | None) -> tuple[object, object]:
    parameters = {"to": call.target, "data": "0x" + call.data.hex()}
    if sender is not None:
        parameters["from"] = sender
    return parameters, "latest"


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
    said = answer.error.message if answer.error is not None else "no result"
    return Failure(FailureKind.REFUSED, f"POST {method}", said[:_LONGEST_TEXT])
