"""One row of a vectors file, and the strict reading of what rows are made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Json = Any
"""Whatever json.loads returns; rows come from outside and are read member by member."""


@dataclass(frozen=True)
class Row:
    """What a file states, and how to compute it; `compute` is None for a kind we do not have."""

    path: str
    kind: str
    expected: Json
    compute: Callable[[], Json] | None
    name: str = ""
    required: tuple[str, ...] = ()


def text(row: Mapping[str, Json], key: str) -> str:
    value = row[key]
    if not isinstance(value, str):
        raise TypeError(f"{key} is no text")
    return value


def integer(row: Mapping[str, Json], key: str) -> int:
    value = row[key]
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{key} is no integer")
    return value


def boolean(row: Mapping[str, Json], key: str) -> bool:
    value = row[key]
    if not isinstance(value, bool):
        raise TypeError(f"{key} is no boolean")
    return value


def same_number(stated: Json, computed: str) -> str:
    """Return a computed decimal in the spelling of the stated one where both mean the same."""
    if isinstance(stated, str) and Fraction(stated) == Fraction(computed):
        return stated
    return computed


def hexed(data: bytes) -> str:
    return "0x" + data.hex()
