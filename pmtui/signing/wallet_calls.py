"""Calls of the venue's contracts: encoded from a fixed table of functions, and decoded for the card.

The table contains the functions of the venue's contracts that pmtui calls or reads
(docs/wire.md#contract-calls, September 2026). Decoding accepts only bytes that encode back to themselves, so a
card shows everything that was signed.

Targets come only from the pinned table in `contracts`; contract data from hosts is not used. Names and purposes
are ours, based on the venue's list of contracts (docs/wire.md#contract-calls, October 2026).
"""

from dataclasses import dataclass
from functools import cached_property

from pmtui.domain.account.wallet_steps import Approval, ApprovalKind, ContractKind, NamedContract
from pmtui.domain.account.wallet_transactions import Argument, ContractCall, DecodedCall
from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.signing.contracts import POLYGON, POLYGON_CHAIN_ID, Contracts, condition_id, token_ids
from pmtui.signing.eip712 import (
    AddressError,
    HexError,
    address_bytes,
    bytes32,
    checksum_address,
    keccak256,
    parse_address,
)

_SELECTOR = 4
_NO_PARENT = "0x" + "00" * 32
_BOTH_OUTCOMES = (1, 2)
"""The two index sets of every market of the venue."""
AUTO_REDEEMER = Address("0xa1200000d0002264C9a1698e001292D00E1b00af")
"""Redeems for wallets that allow it (polymarket-client 0.14.0, October 2026)."""
MOST_QUESTIONS = 256
"""Questions in a negative-risk event: the last byte of a question's id is its number."""


class CalldataError(ValueError):
    """Arguments that do not fit a function."""


@dataclass(frozen=True)
class Function:
    """One function of a contract."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    """ABI type and name of each."""

    @property
    def types(self) -> tuple[str, ...]:
        """The ABI types of its parameters."""
        return tuple(kind for kind, _ in self.parameters)

    @cached_property
    def selector(self) -> bytes:
        """The four bytes that identify it in a call."""
        return keccak256(f"{self.name}({','.join(self.types)})".encode())[:_SELECTOR]


_POSITIONS = (
    ("address", "collateralToken"),
    ("bytes32", "parentCollectionId"),
    ("bytes32", "conditionId"),
    ("uint256[]", "partition"),
    ("uint256", "amount"),
)
_RAMP = (("address", "asset"), ("address", "to"), ("uint256", "amount"))
_SPEND = (("address", "spender"), ("uint256", "amount"))

APPROVE = Function("approve", _SPEND)
SET_APPROVAL_FOR_ALL = Function(
    "setApprovalForAll", (("address", "operator"), ("bool", "approved"))
)
TRANSFER = Function("transfer", (("address", "to"), ("uint256", "amount")))
SPLIT = Function("splitPosition", _POSITIONS)
MERGE = Function("mergePositions", _POSITIONS)
REDEEM = Function(
    "redeemPositions",
    (
        ("address", "collateralToken"),
        ("bytes32", "parentCollectionId"),
        ("bytes32", "conditionId"),
        ("uint256[]", "indexSets"),
    ),
)
CONVERT = Function(
    "convertPositions",
    (("bytes32", "negRiskMarketId"), ("uint256", "indexSet"), ("uint256", "amount")),
)
WRAP = Function("wrap", _RAMP)
UNWRAP = Function("unwrap", _RAMP)
ROUTER_SPLIT = Function("split", (("bytes31", "conditionId"), ("uint256", "amount")))
ROUTER_MERGE = Function("merge", (("bytes31", "conditionId"), ("uint256", "amount")))
ROUTER_REDEEM = Function(
    "redeem", (("bytes31", "conditionId"), ("uint256", "outcomeIndex"), ("uint256", "amount"))
)

ALLOWANCE = Function("allowance", (("address", "owner"), ("address", "spender")))
IS_APPROVED_FOR_ALL = Function("isApprovedForAll", (("address", "owner"), ("address", "operator")))
BALANCE_OF = Function("balanceOf", (("address", "owner"),))
BALANCE_OF_TOKEN = Function("balanceOf", (("address", "owner"), ("uint256", "id")))
BALANCE_OF_BATCH = Function("balanceOfBatch", (("address[]", "owners"), ("uint256[]", "ids")))
PAYOUT_DENOMINATOR = Function("payoutDenominator", (("bytes32", "conditionId"),))
PAYOUT_NUMERATORS = Function("payoutNumerators", (("bytes32", "conditionId"), ("uint256", "index")))
BEACON = Function("BEACON", ())

WRITES = (
    APPROVE, SET_APPROVAL_FOR_ALL, TRANSFER, SPLIT, MERGE, REDEEM, CONVERT, WRAP, UNWRAP,
    ROUTER_SPLIT, ROUTER_MERGE, ROUTER_REDEEM,
)  # fmt: skip
READS = (
    ALLOWANCE, IS_APPROVED_FOR_ALL, BALANCE_OF, BALANCE_OF_TOKEN, BALANCE_OF_BATCH, BEACON,
    PAYOUT_DENOMINATOR, PAYOUT_NUMERATORS,
)  # fmt: skip
_BY_SELECTOR = {function.selector: function for function in (*WRITES, *READS)}


def encode_call(function: Function, *arguments: Argument) -> bytes:
    """Return the data of a call.

    Raises:
        CalldataError: an argument does not fit its type.
    """
    # Importing it takes a quarter of a second, and only wallet calls need it.
    from eth_abi import abi, exceptions  # noqa: PLC0415

    try:
        values = [
            _to_abi(kind, argument)
            for (kind, _), argument in zip(function.parameters, arguments, strict=True)
        ]
        return function.selector + abi.encode(function.types, values)
    except (exceptions.EncodingError, ValueError, TypeError, OverflowError) as error:
        raise CalldataError(f"{function.name}: {error}") from error


def decode_call(call: ContractCall) -> DecodedCall | None:
    """Return the meaning of a call; None if it is not completely known.

    Unknown are functions outside the table, bytes that belong to no argument, and calls that send
    the chain's native coin.
    """
    from eth_abi import abi, exceptions  # noqa: PLC0415  as above

    function = _BY_SELECTOR.get(call.data[:_SELECTOR])
    if function is None or call.value:
        return None
    body = call.data[_SELECTOR:]
    try:
        values = abi.decode(function.types, body)
    except (exceptions.DecodingError, OverflowError, ValueError):
        return None
    if abi.encode(function.types, values) != body:
        return None
    arguments = tuple(
        (name, _from_abi(kind, value))
        for (kind, name), value in zip(function.parameters, values, strict=True)
    )
    return DecodedCall(call.target, function.name, arguments)


def approve(token: Address, spender: Address, amount: int) -> ContractCall:
    """Approve a contract to move the wallet's tokens, up to an amount."""
    return ContractCall(token, encode_call(APPROVE, spender, amount))


def set_operator(token: Address, operator: Address, *, is_approved: bool) -> ContractCall:
    """Approve a contract to move every outcome token of the wallet, or revoke that."""
    return ContractCall(token, encode_call(SET_APPROVAL_FOR_ALL, operator, is_approved))


def transfer(token: Address, recipient: Address, amount: int) -> ContractCall:
    """Send tokens to an address."""
    return ContractCall(token, encode_call(TRANSFER, recipient, amount))


def split(
    condition: ConditionId, amount: int, *, neg_risk: bool, contracts: Contracts = POLYGON
) -> ContractCall:
    """Exchange collateral for both outcomes of a market."""
    return _position_call(SPLIT, condition, amount, neg_risk=neg_risk, contracts=contracts)


def merge(
    condition: ConditionId, amount: int, *, neg_risk: bool, contracts: Contracts = POLYGON
) -> ContractCall:
    """Exchange both outcomes of a market for collateral."""
    return _position_call(MERGE, condition, amount, neg_risk=neg_risk, contracts=contracts)


def redeem(
    condition: ConditionId, *, neg_risk: bool, contracts: Contracts = POLYGON
) -> ContractCall:
    """Redeem the whole balance of both outcomes of a resolved market."""
    arguments = (contracts.collateral, _NO_PARENT, condition, _BOTH_OUTCOMES)
    return ContractCall(adapter_of(contracts, neg_risk=neg_risk), encode_call(REDEEM, *arguments))


def convert(
    neg_risk_market_id: str, questions: int, amount: int, contracts: Contracts = POLYGON
) -> ContractCall:
    """Exchange No shares of some questions for Yes shares of the others, and collateral.

    Args:
        neg_risk_market_id: of the event, 0x and 64 hexadecimal digits.
        questions: a bit for each question whose No shares are given.
        amount: shares of each question.
        contracts: of the chain.
    """
    data = encode_call(CONVERT, neg_risk_market_id, questions, amount)
    return ContractCall(contracts.neg_risk_collateral_adapter, data)


def adapter_of(contracts: Contracts, *, neg_risk: bool) -> Address:
    """Return the contract that splits, merges and redeems a kind of market."""
    return contracts.neg_risk_collateral_adapter if neg_risk else contracts.collateral_adapter


def _position_call(
    function: Function, condition: ConditionId, amount: int, *, neg_risk: bool,
    contracts: Contracts,
) -> ContractCall:  # fmt: skip
    arguments = (contracts.collateral, _NO_PARENT, condition, _BOTH_OUTCOMES, amount)
    return ContractCall(adapter_of(contracts, neg_risk=neg_risk), encode_call(function, *arguments))


def _to_abi(kind: str, argument: Argument) -> object:
    if isinstance(argument, tuple):
        inner = kind.removesuffix("[]")
        return [_to_abi(inner, each) for each in argument]
    if kind == "address":
        return address_bytes(str(argument))
    if kind == "bytes32":
        return bytes32(str(argument))
    if kind.startswith("bytes"):
        return bytes.fromhex(str(argument).removeprefix("0x"))
    return argument


def _from_abi(kind: str, value: object) -> Argument:
    if isinstance(value, tuple):
        inner = [_from_abi(kind.removesuffix("[]"), each) for each in value]
        if kind.startswith("uint"):
            return tuple(each for each in inner if isinstance(each, int))
        return tuple(str(each) for each in inner)
    if kind == "address":
        return checksum_address(address_bytes(str(value)))
    if isinstance(value, bytes):
        return "0x" + value.hex()
    if isinstance(value, int):
        return value
    raise CalldataError(f"a value of type {kind}")


class WalletCalls:
    """Builds and decodes calls on one chain."""

    def __init__(self, contracts: Contracts = POLYGON) -> None:
        self._contracts = contracts
        self.contracts = _named(contracts)

    @property
    def approvals(self) -> tuple[tuple[Approval, bool], ...]:
        """All approvals. Trading, splitting, merging and redeeming need the first; the last is optional."""
        table = self._contracts
        exchanges = (table.exchange, table.neg_risk_exchange)
        adapters = (table.collateral_adapter, table.neg_risk_collateral_adapter)
        needed = [
            Approval(contract, kind)
            for kind in (ApprovalKind.CASH, ApprovalKind.SHARES)
            for contract in (*exchanges, *adapters)
        ]
        spare = Approval(AUTO_REDEEMER, ApprovalKind.SHARES)
        return (*((each, True) for each in needed), (spare, False))

    @property
    def factory(self) -> Address:
        """The contract through which the relayer calls deposit wallets."""
        return self._contracts.wallets.deposit_factory

    def to_address(self, text: str) -> Address | None:
        """Return an address in its checksummed form; None if the text is not an address."""
        try:
            return parse_address(text.strip())
        except AddressError:
            return None

    def allow(self, approval: Approval, amount: int) -> ContractCall:
        """Approve a contract to move cash up to an amount, or shares if the amount is not zero."""
        if approval.kind is ApprovalKind.CASH:
            return approve(self._contracts.collateral, approval.contract, amount)
        return set_operator(
            self._contracts.conditional_tokens, approval.contract, is_approved=amount > 0
        )

    def send(self, recipient: Address, amount: int) -> ContractCall:
        """Send cash."""
        return transfer(self._contracts.collateral, recipient, amount)

    def split(self, condition: ConditionId, amount: int, *, neg_risk: bool) -> ContractCall:
        """Exchange cash for both outcomes."""
        return split(condition, amount, neg_risk=neg_risk, contracts=self._contracts)

    def merge(self, condition: ConditionId, amount: int, *, neg_risk: bool) -> ContractCall:
        """Exchange both outcomes for cash."""
        return merge(condition, amount, neg_risk=neg_risk, contracts=self._contracts)

    def redeem(self, condition: ConditionId, *, neg_risk: bool) -> ContractCall:
        """Redeem all shares of a resolved market."""
        return redeem(condition, neg_risk=neg_risk, contracts=self._contracts)

    def convert(self, neg_risk_id: str, questions: int, amount: int) -> ContractCall:
        """Exchange No of some questions, one bit each, for Yes of the others and cash."""
        return convert(neg_risk_id, questions, amount, self._contracts)

    def decode(self, call: ContractCall) -> DecodedCall | None:
        """Return the meaning of a call's bytes; None if it is not completely known."""
        return decode_call(call)

    def tokens_of(self, condition: ConditionId, *, neg_risk: bool) -> tuple[TokenId, ...] | None:
        """Return the tokens of a condition; empty for an invalid condition id, None on the test chain."""
        if self._contracts.chain_id != POLYGON_CHAIN_ID:
            return None
        try:
            return token_ids(condition, neg_risk=neg_risk)
        except HexError:
            return ()

    def question_index(self, neg_risk_id: str, condition: ConditionId) -> int | None:
        """Return the index of a condition's question in a negative-risk event; None if there is none.

        A question's id is that of the event with its number as the last byte, and the condition id
        is derived from it: no host's data is needed.
        """
        for index in range(MOST_QUESTIONS):
            found = self.condition_of(neg_risk_id, index)
            if found is None or found == condition.lower():
                return index if found is not None else None
        return None

    def condition_of(self, neg_risk_id: str, index: int) -> ConditionId | None:
        """Return the condition of a question in a negative-risk event; None if there is none."""
        if not 0 <= index < MOST_QUESTIONS:
            return None
        try:
            event = bytes32(neg_risk_id).hex()[:-2]
        except HexError:
            return None
        return condition_id(self._contracts.neg_risk_adapter, f"0x{event}{index:02x}")

    def adapter(self, *, neg_risk: bool) -> Address:
        """Return the contract that redeems a kind of market."""
        return adapter_of(self._contracts, neg_risk=neg_risk)

    def read_allowed(self, wallet: Address, approval: Approval) -> ContractCall:
        """Return the call that reads an approval; its reply is a number."""
        table, spender = self._contracts, approval.contract
        if approval.kind is ApprovalKind.CASH:
            data = encode_call(ALLOWANCE, wallet, spender)
            return ContractCall(table.collateral, data)
        data = encode_call(IS_APPROVED_FOR_ALL, wallet, spender)
        return ContractCall(table.conditional_tokens, data)

    def read_payouts(
        self, condition: ConditionId
    ) -> tuple[ContractCall, ContractCall, ContractCall]:
        """Return the calls that read a market's payout: its denominator, then both numerators."""
        target = self._contracts.conditional_tokens
        first, second = (
            ContractCall(target, encode_call(PAYOUT_NUMERATORS, condition, index))
            for index in (0, 1)
        )
        below = encode_call(PAYOUT_DENOMINATOR, condition)
        return ContractCall(target, below), first, second


def _named(contracts: Contracts) -> tuple[NamedContract, ...]:
    token, exchange, adapter = ContractKind.CURRENCY, ContractKind.EXCHANGE, ContractKind.ADAPTER
    other = ContractKind.OTHER
    return (
        NamedContract(contracts.collateral, "pUSD", token, "The cash that everything is paid in"),
        NamedContract(
            contracts.conditional_tokens,
            "Conditional Tokens",
            token,
            "Holds every outcome share",
        ),
        NamedContract(
            contracts.exchange, "Exchange", exchange, "Settles trades in regular markets"
        ),
        NamedContract(
            contracts.neg_risk_exchange,
            "Neg-risk exchange",
            exchange,
            "Settles trades in markets of negative-risk events",
        ),
        NamedContract(
            contracts.collateral_adapter,
            "Collateral adapter",
            adapter,
            "Splits, merges and redeems regular markets",
        ),
        NamedContract(
            contracts.neg_risk_collateral_adapter,
            "Neg-risk collateral adapter",
            adapter,
            "Splits, merges, redeems and converts markets of negative-risk events",
        ),
        NamedContract(
            AUTO_REDEEMER, "Auto-redeemer", other, "The venue redeems for you, when it likes"
        ),
        NamedContract(
            contracts.neg_risk_adapter, "Old neg-risk adapter", other, "Not called any more"
        ),
        NamedContract(
            contracts.wallets.deposit_factory, "Wallet factory", other, "Makes deposit wallets"
        ),
        NamedContract(contracts.collateral_onramp, "Onramp", other, "Turns USDC.e into pUSD"),
        NamedContract(contracts.collateral_offramp, "Offramp", other, "Turns pUSD into USDC.e"),
        NamedContract(contracts.combos_router, "Combos router", other, "Markets of the newer kind"),
    )
