"""The chain host: JSON-RPC for a trader's reads from the chain (docs/wire.md#contract-calls)."""

from collections.abc import Callable, Sequence

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.account.wallet_transactions import Batch, ContractCall, DecodedCall, RelayerState
from pmtui.domain.ids import Address, TokenId
from pmtui.domain.money import SCALE
from pmtui.signing.contracts import POLYGON
from pmtui.signing.eip712 import (
    AddressError,
    address_bytes,
    address_word,
    checksum_address,
    keccak256,
    uint_word,
)
from pmtui.signing.wallet import derive_deposit
from pmtui.signing.wallet_batch import encode_creation, encode_execution
from pmtui.signing.wallet_calls import decode_call
from pmtui.sim.chain.contracts import Chain, Reverted, execute, try_each
from pmtui.sim.chain.logs import MOST_BLOCKS, Log, LogFilter, block_hash, place_entries
from pmtui.sim.chain.relayer import Relay, Transaction
from pmtui.sim.http_json import JsonResponse, alive
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE

NO_CODE = "0x"
OTHER_CODE = "0x363d3d373d3d3d363d73"
"""The beginning of a minimal proxy's code."""
CONTRACT_CODE = "0x60806040"
"""The beginning of most contracts' code; only its existence is ever queried."""
MOST_IN_BATCH = 100
OPERATOR = checksum_address(keccak256(b"relayer operator")[12:])
"""The sender of every transaction to the chain, who pays for it."""
_CONTRACTS = frozenset(
    {
        POLYGON.collateral,
        POLYGON.conditional_tokens,
        POLYGON.exchange,
        POLYGON.neg_risk_exchange,
        POLYGON.collateral_adapter,
        POLYGON.neg_risk_collateral_adapter,
        POLYGON.neg_risk_adapter,
        POLYGON.position_manager,
        POLYGON.wallets.deposit_factory,
        POLYGON.wallets.deposit_beacon,
    }
)

Json = object


class _Asked(msgspec.Struct):
    method: str = ""
    params: list[msgspec.Raw] = []
    id: int | str | None = None


class _CallParameters(msgspec.Struct):
    to: str
    data: str = ""
    input: str = ""
    from_: str = msgspec.field(name="from", default="")


class _SimulatedBlock(msgspec.Struct):
    calls: list[_CallParameters]


class _Simulation(msgspec.Struct, rename="camel"):
    block_state_calls: list[_SimulatedBlock]


class _RpcError(Exception):
    def __init__(self, code: int, message: str, data: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


_decode_batch = msgspec.json.Decoder(list[_Asked]).decode
_decode_one = msgspec.json.Decoder(_Asked).decode


class RpcRoutes:
    """Routes of the chain host."""

    def __init__(self, venue: Venue, chain: Chain, relay: Relay) -> None:
        self._venue = venue
        self._chain = chain
        self._relay = relay
        self._methods: dict[str, Callable[[Sequence[msgspec.Raw]], Json]] = {
            "eth_chainId": lambda _: hex(POLYGON.chain_id),
            "eth_blockNumber": lambda _: hex(chain.block_number),
            "eth_getCode": self._code,
            "eth_call": self._call,
            "eth_simulateV1": self._simulate,
            "eth_getTransactionByHash": self._transaction,
            "eth_getTransactionReceipt": self._receipt,
            "eth_getLogs": self._logs,
            "eth_getBlockByNumber": self._block,
        }

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [Route("/", alive), Route("/", self.answer, methods=["POST"])]

    async def answer(self, request: Request) -> Response:
        """Reply to one call, or to several in an array."""
        body = await request.body()
        try:
            if body.lstrip().startswith(b"["):
                asked = _decode_batch(body)
                if not 0 < len(asked) <= MOST_IN_BATCH:
                    return JsonResponse(_refused(None, -32600, "invalid batch"))
                return JsonResponse([self._answer(each) for each in asked])
            return JsonResponse(self._answer(_decode_one(body)))
        except UNREADABLE:
            return JsonResponse(_refused(None, -32700, "parse error"))

    def _answer(self, asked: _Asked) -> dict[str, Json]:
        method = self._methods.get(asked.method)
        if method is None:
            return _refused(asked.id, -32601, "the method does not exist")
        try:
            return {"jsonrpc": "2.0", "id": asked.id, "result": method(asked.params)}
        except _RpcError as error:
            return _refused(asked.id, error.code, str(error), error.data)

    def _code(self, parameters: Sequence[msgspec.Raw]) -> Json:
        address = _to_address(_text(parameters, 0))
        if address in _CONTRACTS:
            return CONTRACT_CODE
        owner = self._venue.accounts.owner_of(address)
        if owner is None or address == owner or not self._venue.accounts.is_deployed(address):
            return NO_CODE
        derived = derive_deposit(owner)
        codes = {
            derived.uups: derived.uups_runtime_code,
            derived.beacon: derived.beacon_runtime_code,
        }
        # Wallets of other forms have code as well; nothing here depends on which.
        return f"0x{codes[address].hex()}" if address in codes else OTHER_CODE

    def _call(self, parameters: Sequence[msgspec.Raw]) -> Json:
        try:
            asked = msgspec.json.decode(parameters[0], type=_CallParameters)
            data = bytes.fromhex((asked.data or asked.input).removeprefix("0x"))
        except (*UNREADABLE, IndexError, ValueError) as error:
            raise _RpcError(-32602, "invalid argument 0") from error
        call = ContractCall(_to_address(asked.to), data)
        decoded = decode_call(call)
        if decoded is None:
            raise _RpcError(3, "execution reverted")
        if (answer := self._read(decoded)) is not None:
            return "0x" + answer.hex()
        # A call that changes state is simulated as the calling wallet, without effect.
        outcome = execute(_to_address(asked.from_), (call,), self._chain)
        if isinstance(outcome, Reverted):
            raise _RpcError(3, f"execution reverted: {outcome.reason}", _error_data(outcome.reason))
        return "0x"

    def _simulate(self, parameters: Sequence[msgspec.Raw]) -> Json:
        """Simulate the calls of one sender in one block, one after the other."""
        try:
            asked = msgspec.json.decode(parameters[0], type=_Simulation)
            (block,) = asked.block_state_calls
            calls = tuple(
                ContractCall(
                    _to_address(each.to),
                    bytes.fromhex((each.data or each.input).removeprefix("0x")),
                )
                for each in block.calls
            )
            (sender,) = {_to_address(each.from_) for each in block.calls}
        except (*UNREADABLE, IndexError, ValueError) as error:
            raise _RpcError(-32602, "invalid argument 0") from error
        outcomes = try_each(sender, calls, self._chain)
        return [
            {"number": hex(self._chain.block_number + 1), "calls": [*map(_simulated, outcomes)]}
        ]

    def _read(self, call: DecodedCall) -> bytes | None:
        arguments = dict(call.arguments)
        owner = Address(str(arguments.get("owner", "")))
        match call.target, call.function:
            case (POLYGON.wallets.deposit_factory, "BEACON"):
                return address_word(POLYGON.wallets.deposit_beacon)
            case (POLYGON.collateral, "allowance"):
                spender = Address(str(arguments["spender"]))
                return uint_word(self._chain.allowance(owner, spender))
            case (POLYGON.collateral, "balanceOf"):
                return uint_word(self._chain.collateral(owner))
            case (POLYGON.conditional_tokens | POLYGON.position_manager, "isApprovedForAll"):
                operator = Address(str(arguments["operator"]))
                return uint_word(self._chain.is_operator(owner, operator))
            # The old neg-risk adapter forwards such reads, and the official library queries it.
            case (POLYGON.conditional_tokens | POLYGON.neg_risk_adapter, "balanceOf"):
                return uint_word(self._chain.shares(owner, TokenId(str(arguments["id"]))))
            case (POLYGON.conditional_tokens, "payoutDenominator" | "payoutNumerators"):
                return uint_word(self._payout(call))
            case (POLYGON.conditional_tokens | POLYGON.neg_risk_adapter, "balanceOfBatch"):
                return self._balances(arguments["owners"], arguments["ids"])
            case _:
                return None

    def _payout(self, call: DecodedCall) -> int:
        condition = self._chain.condition(str(call.argument("conditionId")))
        if condition is None or condition.payouts is None:
            return 0
        if call.function == "payoutDenominator":
            return SCALE
        index = call.argument("index")
        if not isinstance(index, int) or index >= len(condition.payouts):
            raise _RpcError(3, "execution reverted")
        return condition.payouts[index]

    def _balances(self, owners: object, ids: object) -> bytes:
        if not (isinstance(owners, tuple) and isinstance(ids, tuple)) or len(owners) != len(ids):
            raise _RpcError(3, "execution reverted: ERC1155: accounts and ids length mismatch")
        pairs = zip(owners, ids, strict=True)
        sizes = [self._chain.shares(Address(o), TokenId(str(i))) for o, i in pairs]
        return uint_word(32) + uint_word(len(sizes)) + b"".join(map(uint_word, sizes))

    def _transaction(self, parameters: Sequence[msgspec.Raw]) -> Json:
        found = self._relay.by_hash(_text(parameters, 0))
        if found is None:
            return None
        number = None if found.mined_ms is None else self._chain.block_at(found.mined_ms)
        return {
            "hash": found.hash,
            "blockNumber": None if number is None else hex(number),
            "blockHash": None if number is None else block_hash(number),
            "transactionIndex": None if number is None else "0x0",
            "from": OPERATOR,
            "to": POLYGON.wallets.deposit_factory,
            "value": "0x0",
            "input": "0x" + _input_of(found).hex(),
        }

    def _receipt(self, parameters: Sequence[msgspec.Raw]) -> Json:
        found = self._relay.by_hash(_text(parameters, 0))
        if found is None or found.mined_ms is None:
            return None
        return self._receipt_of(found, found.mined_ms)

    def _receipt_of(self, transaction: Transaction, mined_ms: int) -> dict[str, Json]:
        is_good = transaction.state in (RelayerState.MINED, RelayerState.CONFIRMED)
        return {
            "transactionHash": transaction.hash,
            "status": hex(is_good),
            "blockNumber": hex(self._chain.block_at(mined_ms)),
            "blockHash": block_hash(self._chain.block_at(mined_ms)),
            "from": OPERATOR,
            "to": POLYGON.wallets.deposit_factory,
            "logs": _logs_of(transaction, self._chain.block_at(mined_ms)),
        }

    def _logs(self, parameters: Sequence[msgspec.Raw]) -> Json:
        try:
            wanted = msgspec.json.decode(parameters[0], type=LogFilter)
            first, last = self._range(wanted)
        except (*UNREADABLE, IndexError, ValueError) as error:
            raise _RpcError(-32602, "invalid argument 0") from error
        if last - first >= MOST_BLOCKS:
            raise _RpcError(-32005, f"block range is too wide: {MOST_BLOCKS} at most")
        found: list[Json] = []
        for transaction in self._relay.mined():
            number = self._chain.block_at(transaction.mined_ms or 0)
            if first <= number <= last:
                found += [log for log in _logs_of(transaction, number) if wanted.takes(log)]
        return found

    def _range(self, wanted: LogFilter) -> tuple[int, int]:
        return self._number(wanted.from_block), self._number(wanted.to_block)

    def _number(self, text: str) -> int:
        if text in ("latest", "pending", "safe", "finalized"):
            return self._chain.block_number
        return 0 if text == "earliest" else int(text, 16)

    def _block(self, parameters: Sequence[msgspec.Raw]) -> Json:
        try:
            number = self._number(_text(parameters, 0))
        except ValueError as error:
            raise _RpcError(-32602, "invalid argument 0") from error
        if number > self._chain.block_number:
            return None
        return {
            "number": hex(number),
            "hash": block_hash(number),
            "parentHash": block_hash(number - 1),
            "timestamp": hex(self._chain.time_of(number) // 1_000),
            "transactions": [
                each.hash
                for each in self._relay.mined()
                if self._chain.block_at(each.mined_ms or 0) == number
            ],
        }


def _logs_of(transaction: Transaction, block: int) -> list[Log]:
    return place_entries(transaction.logs, block=block, transaction_hash=transaction.hash)


def _input_of(transaction: Transaction) -> bytes:
    if transaction.kind == "WALLET-CREATE":
        return encode_creation(transaction.owner)
    calls = tuple(
        ContractCall(target, bytes.fromhex(data.removeprefix("0x")))
        for target, data in transaction.calls
    )
    batch = Batch(transaction.wallet, int(transaction.nonce), int(transaction.deadline), calls)
    return encode_execution(batch, bytes.fromhex(transaction.signature.removeprefix("0x")))


def _simulated(reason: str | None) -> dict[str, Json]:
    """Return one call of a simulation in the form of nodes (go-ethereum, 2026)."""
    told: dict[str, Json] = {"returnData": "0x", "logs": [], "gasUsed": "0x5208", "status": "0x1"}
    if reason is None:
        return told
    error = {"code": 3, "message": f"execution reverted: {reason}", "data": _error_data(reason)}
    return {**told, "status": "0x0", "error": error}


def _refused(
    number: int | str | None, code: int, message: str, data: str | None = None
) -> dict[str, Json]:
    error: dict[str, Json] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": number, "error": error}


def _error_data(reason: str) -> str:
    """Return the ABI encoding of `Error(string)`, which nodes add to the message."""
    raw = reason.encode()
    padded = raw + bytes(-len(raw) % 32)
    return "0x08c379a0" + (uint_word(32) + uint_word(len(raw)) + padded).hex()


def _text(parameters: Sequence[msgspec.Raw], index: int) -> str:
    try:
        return msgspec.json.decode(parameters[index], type=str)
    except (*UNREADABLE, IndexError) as error:
        raise _RpcError(-32602, f"invalid argument {index}") from error


def _to_address(text: str) -> Address:
    try:
        return checksum_address(address_bytes(text))
    except AddressError as error:
        raise _RpcError(-32602, "invalid argument 0") from error
