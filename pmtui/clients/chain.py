"""The chain's own host (JSON-RPC), for one question: is there a contract at an address.

Nothing is signed or sent to the chain from here.
"""

import msgspec

from pmtui.clients.http import HttpHost
from pmtui.clients.http_failures import unreadable
from pmtui.domain.failure import Failure, FailureKind
from pmtui.domain.ids import Address
from pmtui.wire.errors import UNREADABLE, WireError

ROUTE = "eth_getCode"
_LONGEST_TEXT = 120


class _Refusal(msgspec.Struct):
    message: str = ""


class _Answer(msgspec.Struct):
    result: str | None = None
    error: _Refusal | None = None


class ChainClient:
    """Reads of the chain."""

    def __init__(self, host: HttpHost) -> None:
        """Take a host whose address is the whole address of the node."""
        self._host = host

    async def has_code(self, address: Address) -> bool | Failure:
        """Return whether there is contract code at an address, by the newest block."""
        body = msgspec.json.encode(
            {"jsonrpc": "2.0", "id": 1, "method": ROUTE, "params": [address, "latest"]}
        )
        answer = await self._host.read("", route=ROUTE, method="POST", body=body)
        if isinstance(answer, Failure):
            return answer
        label = f"POST {ROUTE}"
        try:
            read = msgspec.json.decode(answer, type=_Answer)
        except UNREADABLE as error:
            return unreadable(label, WireError("code", str(error)))
        if read.result is None:
            said = read.error.message if read.error is not None else "no result"
            return Failure(FailureKind.REFUSED, label, said[:_LONGEST_TEXT])
        # Nodes write no code as `0x`, and some as `0x0` (WIRE_METADATA §6.2).
        return bool(read.result.removeprefix("0x").strip("0"))
