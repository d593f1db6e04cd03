"""What wallet calls say: encoding by a fixed table of functions, and decoding for the card.

The table holds the functions that the venue's contracts offer and that pmtui calls or reads
(docs/wire.md#contract-calls, September 2026). Decoding accepts only bytes that encode to themselves, so
what a card shows is all that was signed.
"""

from dataclasses import dataclass
from functools import cached_property

from pmtui.domain.account.wallet_transactions import Argument, Call, DecodedCall
from pmtui.domain.ids import Address, ConditionId
from pmtui.signing.contracts import POLYGON, Contracts
from pmtui.signing.eip712 import address_bytes, bytes32, checksum_address, keccak256

_SELECTOR = 4
_NO_PARENT = "0x" + "00" * 32
_BOTH_OUTCOMES = (1, 2)
"""The two index sets of every market of the venue."""


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
        """The four bytes that name it in a call."""
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
    # It takes a quarter of a second to import, and only wallet calls need it.
    from eth_abi.abi import encode  # noqa: PLC0415
    from eth_abi.exceptions import EncodingError  # noqa: PLC0415

    try:
        values = [
            _to_abi(kind, argument)
            for (kind, _), argument in zip(function.parameters, arguments, strict=True)
        ]
        return function.selector + encode(function.types, values)
    except (EncodingError, ValueError, TypeError, OverflowError) as error:
        raise CalldataError(f"{function.name}: {error}") from error


def decode_call(call: Call) -> DecodedCall | None:
    """Return what a call means; None where that is not wholly known.

    Not known are functions outside the table, bytes that no argument accounts for, and calls that
    send the chain's own coin.
    """
    from eth_abi.abi import decode, encode  # noqa: PLC0415  as above
    from eth_abi.exceptions import DecodingError  # noqa: PLC0415

    function = _BY_SELECTOR.get(call.data[:_SELECTOR])
    if function is None or call.value:
        return None
    body = call.data[_SELECTOR:]
    try:
        values = decode(function.types, body)
    except (DecodingError, OverflowError, ValueError):
        return None
    if encode(function.types, values) != body:
        return None
    arguments = tuple(
        (name, _from_abi(kind, value))
        for (kind, name), value in zip(function.parameters, values, strict=True)
    )
    return DecodedCall(call.target, function.name, arguments)


def approve(token: Address, spender: Address, amount: int) -> Call:
    """Let a contract move tokens of the wallet, up to an amount."""
    return Call(token, encode_call(APPROVE, spender, amount))


def set_operator(token: Address, operator: Address, *, is_approved: bool) -> Call:
    """Let a contract move every outcome token of the wallet, or no longer."""
    return Call(token, encode_call(SET_APPROVAL_FOR_ALL, operator, is_approved))


def transfer(token: Address, recipient: Address, amount: int) -> Call:
    """Send tokens to somebody."""
    return Call(token, encode_call(TRANSFER, recipient, amount))


def split(
    condition: ConditionId, amount: int, *, neg_risk: bool, contracts: Contracts = POLYGON
) -> Call:
    """Turn collateral into both outcomes of a market."""
    return _position_call(SPLIT, condition, amount, neg_risk=neg_risk, contracts=contracts)


def merge(
    condition: ConditionId, amount: int, *, neg_risk: bool, contracts: Contracts = POLYGON
) -> Call:
    """Turn both outcomes of a market into collateral."""
    return _position_call(MERGE, condition, amount, neg_risk=neg_risk, contracts=contracts)


def redeem(condition: ConditionId, *, neg_risk: bool, contracts: Contracts = POLYGON) -> Call:
    """Cash in the whole balance of both outcomes of a resolved market."""
    arguments = (contracts.collateral, _NO_PARENT, condition, _BOTH_OUTCOMES)
    return Call(adapter(contracts, neg_risk=neg_risk), encode_call(REDEEM, *arguments))


def convert(
    neg_risk_market_id: str, questions: int, amount: int, contracts: Contracts = POLYGON
) -> Call:
    """Turn No shares of some questions into Yes shares of the others, and collateral.

    Args:
        neg_risk_market_id: of the event, 0x and 64 hexadecimal digits.
        questions: a bit for each question whose No shares are given.
        amount: of shares of each.
        contracts: of the chain.
    """
    data = encode_call(CONVERT, neg_risk_market_id, questions, amount)
    return Call(contracts.neg_risk_collateral_adapter, data)


def adapter(contracts: Contracts, *, neg_risk: bool) -> Address:
    """Return the contract that splits, merges and redeems a kind of market."""
    return contracts.neg_risk_collateral_adapter if neg_risk else contracts.collateral_adapter


def _position_call(
    function: Function, condition: ConditionId, amount: int, *, neg_risk: bool,
    contracts: Contracts,
) -> Call:  # fmt: skip
    arguments = (contracts.collateral, _NO_PARENT, condition, _BOTH_OUTCOMES, amount)
    return Call(adapter(contracts, neg_risk=neg_risk), encode_call(function, *arguments))


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
