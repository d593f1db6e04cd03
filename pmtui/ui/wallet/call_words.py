"""What a decoded call means, in words: the card of a batch and the list of transactions say the same.

Everything is read from the bytes that are signed. A contract that nobody named is shown by its address,
and a function without words of its own by its arguments.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pmtui.domain.account.onboarding import is_unlimited
from pmtui.domain.account.wallet_call import Argument, DecodedCall
from pmtui.domain.formats import exact_shares
from pmtui.domain.ids import Address, ConditionId
from pmtui.domain.money import Micros, group_micros
from pmtui.ui.plain import plain

UNLIMITED = "unlimited"
_HEAD, _TAIL = 10, 8
_HASH = 66
"""Letters of 32 bytes in hexadecimal."""
_ADDRESS = 42


@dataclass(frozen=True, slots=True)
class CallNames:
    """How what a call names by number is called."""

    contract: Callable[[Address], str]
    """The name of a contract of the venue, empty for any other address."""
    market: Callable[[ConditionId], str]
    """The title of a market, empty where it is not known; untrusted."""
    event: Callable[[str], str] = lambda _: ""
    """The title of a negative-risk event, by its id on chain; untrusted."""


@dataclass(frozen=True, slots=True)
class CallWords:
    """A call in words."""

    does: str
    """One sentence without its full stop."""
    market: str
    """The market or event that it is about; empty where it is about none."""
    target: str
    """The contract that is called, by its name and its whole address."""
    function: str
    """`approve(spender, amount)`."""
    arguments: tuple[tuple[str, str], ...]
    """Each with its name in the contract's source; addresses are whole."""
    is_risky: bool = False
    """Whether it hands something out of the wallet, or lets somebody do so without limit."""


def describe_call(call: DecodedCall, names: CallNames) -> CallWords:
    """Say what a call does."""
    does, is_risky = _does(call, names)
    return CallWords(
        does=does,
        market=plain(_market(call, names)),
        target=name_address(call.target, names),
        function=f"{call.function}({', '.join(name for name, _ in call.arguments)})",
        arguments=tuple((name, _write(name, value, names)) for name, value in call.arguments),
        is_risky=is_risky,
    )


def name_address(address: str, names: CallNames) -> str:
    """Write an address whole, after the name it has."""
    named = plain(names.contract(Address(address)))
    return f"{named} {address}".lstrip()


def exact_dollars(amount: int) -> str:
    """Write an amount of collateral exactly: `$1,250`, `$0.000001`."""
    return f"${group_micros(Micros(amount))}"


def shorten_hash(text: str) -> str:
    """Return the two ends of a hash or an id, by which one tells it from others."""
    return f"{text[:_HEAD]}…{text[-_TAIL:]}" if len(text) > _HEAD + _TAIL + 1 else text


def _does(call: DecodedCall, names: CallNames) -> tuple[str, bool]:
    match call.function:
        case "approve":
            return _approve(call, names)
        case "setApprovalForAll":
            return _set_operator(call, names)
        case "transfer":
            dollars = exact_dollars(_number(call, "amount"))
            return f"Send {dollars} to {call.argument('to')}", True
        case "splitPosition":
            dollars, size = _dollars_and_shares(call)
            return f"Split {dollars} into {size} of each outcome", False
        case "mergePositions":
            dollars, size = _dollars_and_shares(call)
            return f"Merge {size} of each outcome into {dollars}", False
        case "redeemPositions":
            return "Redeem every share held of both outcomes", False
        case "convertPositions":
            return _convert(call), False
        case other:
            return f"Call {other}", True


def _set_operator(call: DecodedCall, names: CallNames) -> tuple[str, bool]:
    operator = _name_or_address(call, "operator", names)
    if call.argument("approved"):
        return f"Allow the {operator} to move every outcome share of the wallet", True
    return f"Withdraw the permission of the {operator} to move outcome shares", False


def _approve(call: DecodedCall, names: CallNames) -> tuple[str, bool]:
    amount = _number(call, "amount")
    spender = _name_or_address(call, "spender", names)
    if not amount:
        return f"Withdraw the permission of the {spender} to spend dollars", False
    if is_unlimited(amount):
        return f"Allow the {spender} to spend {UNLIMITED} dollars of the wallet", True
    return f"Allow the {spender} to spend up to {exact_dollars(amount)} of the wallet", False


def _convert(call: DecodedCall) -> str:
    size = group_micros(Micros(_number(call, "amount")))
    questions = [f"{number}" for number in set_bits(_number(call, "indexSet"))]
    which = "outcome" if len(questions) == 1 else "each of the outcomes"
    return (
        f"Convert {size} No shares of {which} {', '.join(questions)} into Yes shares of the others "
        "and cash"
    )


def _dollars_and_shares(call: DecodedCall) -> tuple[str, str]:
    amount = _number(call, "amount")
    return exact_dollars(amount), exact_shares(Micros(amount))


def set_bits(mask: int) -> tuple[int, ...]:
    """Return the places of the set bits, the lowest being 1."""
    return tuple(place + 1 for place in range(mask.bit_length()) if mask >> place & 1)


def _market(call: DecodedCall, names: CallNames) -> str:
    found = dict(call.arguments)
    if condition := found.get("conditionId"):
        return names.market(ConditionId(str(condition)))
    if event := found.get("negRiskMarketId"):
        return names.event(str(event))
    return ""


def _name_or_address(call: DecodedCall, argument: str, names: CallNames) -> str:
    address = Address(str(call.argument(argument)))
    return plain(names.contract(address)) or f"UNKNOWN contract {address}"


def _write(name: str, value: Argument, names: CallNames) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case int() if name == "amount":
            return f"{UNLIMITED} (2^256-1)" if is_unlimited(value) else _amount(value)
        case int():
            return f"{value}"
        case tuple():
            return ", ".join(f"{each}" for each in value)
        case _:
            return name_address(value, names) if len(value) == _ADDRESS else plain(value, _HASH)


def _amount(value: int) -> str:
    return f"{group_micros(Micros(value))} ({value:,} units)"


def _number(call: DecodedCall, name: str) -> int:
    value = call.argument(name)
    assert isinstance(value, int)
    return value
