"""`dataclass`, as the standard library's, for classes that share what it writes anew for each one.

The library compiles six methods from text for every frozen class with slots, and two of them keep
the class as it was before it got slots: 13 kB each, and the terminal has several hundred. Here the
constructor is the library's; what compares, shows and refuses is one function for all of them. That
is the greater part of the memory and half of the time at start. A type checker sees the library's
own.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from types import MappingProxyType
from typing import TYPE_CHECKING, Never, Protocol

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass

    from _typeshed import DataclassInstance
else:

    def dataclass(cls=None, /, *, repr=True, eq=True, frozen=False, **options):  # noqa: A002
        """Make the class a dataclass; of what the library offers, `order` is not taken."""

        def make(plain):
            made = dataclasses.dataclass(plain, repr=False, eq=False, frozen=frozen, **options)
            shared = _shared(made, vars(plain), shown=repr, compared=eq, frozen=frozen)
            for name, value in shared.items():
                setattr(made, name, value)
            return made

        return make if cls is None else make(cls)


class _Compared(Protocol):
    _compared: Callable[[object], object]
    """Its values that count, in the order of the fields."""


def _shared(
    made: type, own: MappingProxyType[str, object], *, shown: bool, compared: bool, frozen: bool
) -> dict[str, object]:
    """Return what the class takes from here, where it does not say it itself."""
    taken: dict[str, object] = {}
    if frozen:
        taken |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
    if shown and "__repr__" not in own:
        taken["__repr__"] = _show
    if compared:
        names = [field.name for field in dataclasses.fields(made) if field.compare]
        taken["_compared"] = attrgetter(*(names or ["__class__"]))
        if "__eq__" not in own:
            taken["__eq__"] = _equal
        # Python itself says None for a class that compares in its own way.
        if own.get("__hash__") is None:
            taken["__hash__"] = _hash if frozen else None
    return taken


def _refuse_to_set(_self: object, name: str, _value: object) -> Never:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_self: object, name: str) -> Never:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


@recursive_repr()
def _show(self: "DataclassInstance") -> str:
    fields = dataclasses.fields(self)
    values = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields if f.repr)
    return f"{type(self).__qualname__}({values})"


def _equal(self: _Compared, other: _Compared) -> object:
    if other.__class__ is not self.__class__:
        return NotImplemented
    values = self._compared
    return values(self) == values(other)


def _hash(self: _Compared) -> int:
    return hash(self._compared(self))
