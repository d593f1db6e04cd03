"""Ids of conditions and outcome tokens, as the conditional-token contract computes them.

Checked on real markets of September 2026. The collection id is a point of the curve alt_bn128,
so finding one takes a few modular square roots.
"""

from functools import lru_cache

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.signing.addresses import address_bytes, bytes32
from pmtui.signing.contracts import POLYGON, Contracts
from pmtui.signing.keccak import keccak256
from pmtui.signing.typed_data import uint_word

_FIELD = 21888242871839275222246405745257275088696311157297823662689037894645226208583
_PARITY_FLAG = 1 << 254


def condition_id(oracle: str, question_id: str, outcome_slot_count: int = 2) -> ConditionId:
    """Return the id of a condition.

    Args:
        oracle: address that may resolve it.
        question_id: 0x and 64 hexadecimal digits.
        outcome_slot_count: two on every market of the service.

    Raises:
        AddressError: no address.
        HexError: no question id.
    """
    packed = address_bytes(oracle) + bytes32(question_id) + uint_word(outcome_slot_count)
    return ConditionId("0x" + keccak256(packed).hex())


def collection_id(condition: ConditionId, index_set: int) -> bytes:
    """Return the id of a set of outcomes: 1 is the first outcome alone, 2 the second.

    Raises:
        HexError: no condition id.
    """
    start = int.from_bytes(keccak256(bytes32(condition) + uint_word(index_set)), "big")
    is_odd = bool(start >> 255)
    x = start
    while True:
        x = (x + 1) % _FIELD
        square = (x * x * x + 3) % _FIELD
        y = pow(square, (_FIELD + 1) // 4, _FIELD)
        if y * y % _FIELD == square:
            break
    if bool(y % 2) != is_odd:
        y = _FIELD - y
    return uint_word(x ^ _PARITY_FLAG if y % 2 else x)


def token_id(collateral: str, collection: bytes) -> TokenId:
    """Return the id of the token that a collateral and a set of outcomes define.

    Raises:
        AddressError: no address.
    """
    packed = keccak256(address_bytes(collateral) + collection)
    return TokenId(str(int.from_bytes(packed, "big")))


@lru_cache(maxsize=4096)
def token_ids(
    condition: ConditionId, *, neg_risk: bool, contracts: Contracts = POLYGON
) -> tuple[TokenId, TokenId]:
    """Return the tokens of the first and the second outcome of a market; computed once.

    Raises:
        HexError: no condition id.
    """
    collateral = contracts.wrapped_collateral if neg_risk else contracts.legacy_collateral
    return (
        token_id(collateral, collection_id(condition, 1)),
        token_id(collateral, collection_id(condition, 2)),
    )
