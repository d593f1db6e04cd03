"""`dataclass` as in the standard library, four times cheaper for the kind that this house is made of.

The standard one writes and compiles seven functions for each class that is frozen and has slots:
half a millisecond and twelve kilobytes, two hundred times over before and behind the first picture.
Here only `__init__` is compiled; the others are shared or come from `operator.attrgetter`. What they
do is the same, and `fields`, `replace` and pattern matching know no difference. Every other kind of
class, and every class with something special to it, goes the usual way.
"""

import dataclasses
from collections.abc import Callable, Mapping
from operator import attrgetter
from types import FunctionType
from typing import TYPE_CHECKING, Final, TypeVar

T = TypeVar("T")

_CHEAP: Final = ({"frozen", "slots"}, {"frozen", "slots", "kw_only"})
_MADE_HERE: Final = ("init", "eq", "hash", "repr", "setattr", "delattr", "getstate", "setstate")
_SPECIAL: Final = {f"__{name}__" for name in (*_MADE_HERE, "post_init", "slots")}


class _Factory:
    """Stands for a default that is made anew each time."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], object]) -> None:
        self.make = make


_GLOBALS: Final[Mapping[str, object]] = {"_put": object.__setattr__, "_Factory": _Factory}


def is_cheap(cls: type, options: Mapping[str, object]) -> bool:
    """Whether a class is of the kind that is made here, and has nothing special to it."""
    own = vars(cls)
    notes: Mapping[str, object] = own.get("__annotations__", {})
    fields = [value for value in own.values() if isinstance(value, dataclasses.Field)]
    return (
        set(options) in _CHEAP
        and all(options.values())
        and cls.__doc__ is not None
        and not _SPECIAL & own.keys()
        and not any(dataclasses.is_dataclass(base) for base in cls.__bases__)
        and not any("ClassVar" in str(note) or "InitVar" in str(note) for note in notes.values())
        and all(f.init and f.repr and f.compare and f.hash is None for f in fields)
    )


def make(cls: type[T], *, kw_only: bool = False) -> type[T]:
    """Return the class with slots, and with all that a frozen dataclass has."""
    made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(cls)
    equal, digest = _comparing(_names(made))
    for name, method in (("__init__", _init(made)), ("__eq__", equal), ("__hash__", digest)):
        method.__name__, method.__qualname__ = name, f"{made.__qualname__}.{name}"
        setattr(made, name, method)
    for shared in (_repr, _setattr, _delattr, _getstate, _setstate):
        setattr(made, f"_{shared.__name__}__", shared)
    return made


def _init(cls: type) -> FunctionType:
    head, keywords, lines = ["self"], ["*"], []
    defaults: dict[str, object] = {}
    for field in dataclasses.fields(cls):
        name, value = field.name, field.name
        if field.default_factory is not dataclasses.MISSING:
            defaults[name] = _Factory(field.default_factory)
            value = f"{name}.make() if {name}.__class__ is _Factory else {name}"
        elif field.default is not dataclasses.MISSING:
            defaults[name] = field.default
        elif defaults and not field.kw_only:
            raise TypeError(f"non-default argument {name!r} follows default argument")
        (keywords if field.kw_only else head).append(name)
        lines.append(f" _put(self, {name!r}, {value})")
    named = keywords[1:]
    text = f"def init({', '.join([*head, *(keywords if named else ())])}):\n"
    found: dict[str, FunctionType] = {}
    # The names are identifiers, or the class would not have come so far.
    exec(text + ("\n".join(lines) or " pass"), dict(_GLOBALS), found)  # noqa: S102
    init = found["init"]
    init.__defaults__ = tuple(value for name, value in defaults.items() if name not in named)
    init.__kwdefaults__ = {name: value for name, value in defaults.items() if name in named}
    init.__annotations__ = cls.__annotations__
    return init


def _comparing(names: tuple[str, ...]) -> tuple[FunctionType, FunctionType]:
    values = _values(names)

    def equal(self: object, other: object) -> object:
        if other.__class__ is self.__class__:
            return values(self) == values(other)
        return NotImplemented

    def digest(self: object) -> int:
        return hash(values(self))

    assert isinstance(equal, FunctionType)
    assert isinstance(digest, FunctionType)
    return equal, digest


def _values(names: tuple[str, ...]) -> Callable[[object], object]:
    if len(names) > 1:
        return attrgetter(*names)
    values = [attrgetter(name) for name in names]
    return lambda record: tuple(value(record) for value in values)


def _names(record: object) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(record))  # type: ignore[arg-type]


def _repr(self: object) -> str:
    parts = ", ".join(f"{name}={getattr(self, name)!r}" for name in _names(self))
    return f"{self.__class__.__qualname__}({parts})"


def _setattr(_self: object, name: str, _value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(_self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: object) -> list[object]:
    return [getattr(self, name) for name in _names(self)]


def _setstate(self: object, state: list[object]) -> None:
    for name, value in zip(_names(self), state, strict=True):
        object.__setattr__(self, name, value)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - what it is to a type checker
else:

    def dataclass(cls: type[T] | None = None, /, **options: object) -> object:
        """Do what `dataclasses.dataclass` does."""
        if cls is None:
            return lambda given: dataclass(given, **options)
        if not is_cheap(cls, options):
            return dataclasses.dataclass(cls, **options)
        return make(cls, kw_only="kw_only" in options)
