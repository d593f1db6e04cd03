"""Decodes replies of the relayer and of a chain node.

A transaction (`GET /transaction?id=`, an array with one row; the seed allows an object too):

    [{"transactionID": "0197…", "transactionHash": "0x…", "state": "STATE_MINED", "type": "WALLET",
      "from": "0xOwner", "to": "0xFactory", "proxyAddress": "0xWallet", "nonce": "4", "data": "0x…",
      "owner": "0xOwner", "metadata": "", "createdAt": "2026-11-20T10:00:00.000000Z", …}]

Source: docs/wire.md#relayer, September 2026.
"""

from datetime import datetime
from typing import Final, TypeVar

import msgspec
from typing_extensions import override

from pmtui.domain.account.wallet_transactions import (
    CallReverted,
    ChainTransaction,
    Receipt,
    RelayerTransaction,
    TransactionId,
)
from pmtui.wire.bounds import UNREADABLE, WireError, decode_json

T = TypeVar("T")

MOST_ROWS: Final = 1_000
LONGEST_ID: Final = 100
LONGEST_TEXT: Final = 500
LONGEST_DATA: Final = 200_000
MOST_TOPICS: Final = 4
"""Topics of a log."""
_ADDRESS_WORD: Final = "0x" + "0" * 24
_ERROR_SELECTOR = "0x08c379a0"
"""Selector of `Error(string)`: how a contract states the reason of a revert."""


_NOTHING: Final = msgspec.Raw(b"null")


class _Row(msgspec.Struct, rename="camel"):
    transaction_id: str | None = msgspec.field(name="transactionID", default=None)
    transaction_hash: str | None = None
    state: str = ""
    type: str | None = None
    from_: str | None = msgspec.field(name="from", default=None)
    owner: str | None = None
    proxy_address: str | None = None
    nonce: str | int | None = None
    signature: str | None = None
    data: str | None = None
    metadata: str | None = None
    error_msg: str | None = None
    created_at: str | None = None
    updated_at: str | None = None


class _Nonce(msgspec.Struct):
    nonce: str | int


class RelayerKey(msgspec.Struct, rename="camel"):
    """A key of the relayer, as listed; the key itself is a secret."""

    api_key: str
    address: str
    created_at: str = ""

    @override
    def __repr__(self) -> str:
        """Show the owner, never the key."""
        return f"RelayerKey({self.address[:LONGEST_ID]})"


class _RpcError(msgspec.Struct):
    code: int = 0
    message: str = ""
    data: msgspec.Raw = _NOTHING


class RpcAnswer(msgspec.Struct):
    """A node's reply to one call."""

    id: int | str | None = None
    """Id of the request."""

    result: msgspec.Raw = _NOTHING
    error: _RpcError | None = None


class _Simulated(msgspec.Struct):
    status: str = ""
    error: _RpcError | None = None


class _SimulatedBlock(msgspec.Struct):
    calls: list[_Simulated]


class _Log(msgspec.Struct):
    address: str = ""
    topics: list[str] = []


class _Receipt(msgspec.Struct, rename="camel"):
    transaction_hash: str
    status: str
    block_number: str
    logs: list[_Log] = []


class _ChainTransaction(msgspec.Struct):
    hash: str
    input: str
    to: str | None = None


def decode_submitted(body: bytes) -> RelayerTransaction:
    """Decode the reply to a submission.

    Raises:
        WireError: it contains no transaction.
    """
    return _transaction(_decode(body, _Row))


def decode_transactions(body: bytes) -> tuple[RelayerTransaction, ...]:
    """Decode transactions; a single one may come without an array.

    Raises:
        WireError: it is not an object or an array of them, or one lacks id or state.
    """
    if body.lstrip().startswith(b"{"):
        return (_transaction(_decode(body, _Row)),)
    rows = _decode(body, list[_Row])
    if len(rows) > MOST_ROWS:
        raise WireError("", f"more than {MOST_ROWS} transactions")
    return tuple(_transaction(row) for row in rows)


def decode_nonce(body: bytes) -> int:
    """Decode a wallet's nonce.

    Raises:
        WireError: it is not a decimal number of at most 256 bits.
    """
    return _number(str(_decode(body, _Nonce).nonce), "nonce")


def decode_relayer_key(body: bytes) -> RelayerKey:
    """Decode a newly created key.

    Raises:
        WireError: it is not a key.
    """
    return _decode(body, RelayerKey)


def decode_relayer_keys(body: bytes) -> tuple[RelayerKey, ...]:
    """Decode a list of keys.

    Raises:
        WireError: it is not a list of keys.
    """
    return tuple(_decode(body, list[RelayerKey])[:MOST_ROWS])


def decode_rpc(body: bytes) -> RpcAnswer:
    """Decode a node's reply.

    Raises:
        WireError: it is not a JSON-RPC reply.
    """
    return _decode(body, RpcAnswer)


def decode_rpc_batch(body: bytes) -> dict[int, RpcAnswer]:
    """Decode a node's replies to several calls, by request id.

    Raises:
        WireError: it is not a list of replies.
    """
    answers = _decode(body, list[RpcAnswer])
    if len(answers) > MOST_ROWS:
        raise WireError("", f"more than {MOST_ROWS} answers")
    return {answer.id: answer for answer in answers if isinstance(answer.id, int)}


def rpc_text(answer: RpcAnswer, field: str) -> str:
    """Return a text result.

    Raises:
        WireError: it is not text, or too long.
    """
    text = _decode(bytes(answer.result), str)
    if len(text) > LONGEST_DATA:
        raise WireError(field, "too long")
    return text


def rpc_number(answer: RpcAnswer, field: str) -> int:
    """Return a hexadecimal number result.

    Raises:
        WireError: it is not a number, or has more than 256 bits.
    """
    return hex_number(rpc_text(answer, field), field)


def hex_number(text: str, field: str) -> int:
    """Parse a number in a node's notation.

    Raises:
        WireError: it is not 0x and 1 to 64 hexadecimal digits.
    """
    digits = text[2:]
    if not (text.startswith("0x") and 0 < len(digits) <= 64 and _is_hex(digits)):
        raise WireError(field, "not a number in hexadecimal")
    return int(digits, 16)


def rpc_receipt(answer: RpcAnswer) -> Receipt | None:
    """Return a receipt; None if the transaction is not in a block.

    Raises:
        WireError: it cannot be decoded.
    """
    if bytes(answer.result) == b"null":
        return None
    row = _decode(bytes(answer.result), _Receipt)
    status = hex_number(row.status, "status")
    block = hex_number(row.block_number, "blockNumber")
    named = {log.address.lower() for log in row.logs[:MOST_ROWS]}
    for log in row.logs[:MOST_ROWS]:
        # The first topic is the event's type; an address fills the last 20 bytes of a word.
        words = (topic.lower() for topic in log.topics[1:MOST_TOPICS])
        named |= {"0x" + word[-40:] for word in words if word.startswith(_ADDRESS_WORD)}
    return Receipt(row.transaction_hash[:LONGEST_ID], status == 1, block, frozenset(named))


def rpc_transaction(answer: RpcAnswer) -> ChainTransaction | None:
    """Return a transaction; None if the node knows none with this hash.

    Raises:
        WireError: it cannot be decoded.
    """
    if bytes(answer.result) == b"null":
        return None
    row = _decode(bytes(answer.result), _ChainTransaction)
    if len(row.input) > LONGEST_DATA or not row.input.startswith("0x"):
        raise WireError("input", "not hexadecimal, or too long")
    try:
        data = bytes.fromhex(row.input[2:])
    except ValueError as error:
        raise WireError("input", "not hexadecimal") from error
    return ChainTransaction(row.hash[:LONGEST_ID], (row.to or "")[:LONGEST_ID], data)


def rpc_simulated(answer: RpcAnswer) -> tuple[CallReverted | None, ...]:
    """Return the result of each call of a simulation, in order; None for a successful one.

    A failed call is one that reverts, whatever its error code: nodes differ there.

    Raises:
        WireError: it is not one block of calls with a status.
    """
    blocks = _decode(bytes(answer.result), list[_SimulatedBlock])
    if len(blocks) != 1 or len(blocks[0].calls) > MOST_ROWS:
        raise WireError("calls", "not those that were asked")
    outcomes: list[CallReverted | None] = []
    for call in blocks[0].calls:
        is_good = hex_number(call.status, "status") == 1 and call.error is None
        error = call.error or _RpcError()
        reason = read_revert(error) or CallReverted(error.message[:LONGEST_TEXT])
        outcomes.append(None if is_good else reason)
    return tuple(outcomes)


def rpc_code(answer: RpcAnswer) -> bool:
    """Return whether a reply contains code.

    Raises:
        WireError: it is not a text of hexadecimal digits.
    """
    text = rpc_text(answer, "code")
    digits = text[2:]
    if not text.startswith("0x") or not _is_hex(digits):
        raise WireError("code", "not hexadecimal")
    # Nodes return `0x` for no code, and some `0x0` (docs/wire.md#deposit-wallet).
    return bool(digits.strip("0"))


def read_revert(error: _RpcError) -> CallReverted | None:
    """Return why a call reverts; None for any other error.

    Nodes return code 3 and the ABI encoding of `Error(string)`, or only a text.
    """
    try:
        data = _decode(bytes(error.data), str)
    except WireError:
        data = ""
    if data.startswith(_ERROR_SELECTOR) and (reason := _reason(data)) is not None:
        return CallReverted(reason)
    if error.code == 3 or "revert" in error.message.lower():
        return CallReverted(error.message[:LONGEST_TEXT].removeprefix("execution reverted: "))
    return None


def _reason(data: str) -> str | None:
    try:
        raw = bytes.fromhex(data[len(_ERROR_SELECTOR) :][: 2 * LONGEST_TEXT + 256])
    except ValueError:
        return None
    length = int.from_bytes(raw[32:64], "big")
    return raw[64 : 64 + min(length, LONGEST_TEXT)].decode(errors="replace")


def _transaction(row: _Row) -> RelayerTransaction:
    if not row.transaction_id or len(row.transaction_id) > LONGEST_ID:
        raise WireError("transactionID", "missing or too long")
    if not row.state or len(row.state) > LONGEST_ID:
        raise WireError("state", "missing or too long")
    return RelayerTransaction(
        transaction_id=TransactionId(row.transaction_id),
        state_text=row.state,
        hash=_short(row.transaction_hash),
        kind=_short(row.type),
        owner=_short(row.owner or row.from_),
        wallet=_short(row.proxy_address),
        nonce=_short(None if row.nonce is None else str(row.nonce)),
        signature=(row.signature or "")[: 2 * LONGEST_TEXT],
        data=(row.data or "")[:LONGEST_DATA],
        metadata=(row.metadata or "")[:LONGEST_TEXT],
        error=(row.error_msg or "")[:LONGEST_TEXT],
        created_at=_time(row.created_at),
        updated_at=_time(row.updated_at),
    )


def _short(text: str | None) -> str:
    return (text or "")[:LONGEST_ID]


def _time(text: str | None) -> datetime | None:
    try:
        at = datetime.fromisoformat((text or "")[:40])
    except ValueError:
        return None
    return at if at.tzinfo is not None else None


def _number(text: str, field: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 78):
        raise WireError(field, "not a decimal number")
    return int(text)


def _is_hex(digits: str) -> bool:
    return all(digit in "0123456789abcdefABCDEF" for digit in digits)


def _decode(body: bytes, kind: type[T]) -> T:
    try:
        return decode_json(msgspec.json.Decoder(kind), body)
    except UNREADABLE as error:
        raise WireError.of(error) from error
