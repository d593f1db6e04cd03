"""Encoding of views, topics, commands and verdicts to bytes, for use between processes.

A value is encoded as msgpack. Every object is an array of its type name followed by its fields in
order, so that members of a union can be distinguished. msgspec could decode our dataclasses by
itself, but a union of them only if each were a tagged struct, and the domain, which defines most of
these types, imports no library. So their annotations are read once. A value that does not fit its
annotation is refused with `CodecError`.

Numbers beyond 64 bits, which msgpack lacks, are encoded as text.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from inspect import getmembers, isfunction, signature
from types import MappingProxyType, NoneType, UnionType
from typing import NewType, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from pmtui.service.surface import Commands

COMMANDS = frozenset(name for name, _ in getmembers(Commands, isfunction) if name[0] != "_")
"""Names of all commands that a terminal may send."""
Load: TypeAlias = Callable[[object], object]
_LARGEST = 2**63
_TRAVEL_AS_THEY_ARE = frozenset({NoneType, bool, float, str, bytes, datetime})
_PLAIN = (bool, int, float, str, bytes, datetime, date)
_LISTS: Mapping[object, Callable[[Iterable[object]], object]] = {
    tuple: tuple, frozenset: frozenset, Iterable: tuple,
}  # fmt: skip


class CodecError(ValueError):
    """The data does not have the expected type."""


def encode(value: object) -> bytes:
    """Encode a value as bytes."""
    return msgspec.msgpack.encode(_dump(value))


def decode(data: bytes, kind: object) -> object:
    """Return the value that was encoded.

    Args:
        data: the bytes.
        kind: its annotation: a type, a union, or a tuple of these.

    Raises:
        CodecError: the data is not of that kind.
    """
    try:
        raw: object = msgspec.msgpack.decode(data)
        return _loader(kind)(raw)
    except (msgspec.DecodeError, RecursionError, TypeError, ValueError) as error:
        raise CodecError(str(error)) from None


def encode_call(command: str, arguments: Mapping[str, object]) -> bytes:
    """Encode a call of one of the `Commands`."""
    return encode((command, *arguments.items()))


def decode_call(data: bytes) -> tuple[str, Mapping[str, object]]:
    """Decode a call to the name of a command and its arguments.

    Raises:
        CodecError: there is no such command, or it does not take these arguments.
    """
    try:
        raw: object = msgspec.msgpack.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise CodecError(str(error)) from None
    match raw:
        case [str(command), *pairs] if command in COMMANDS:
            kinds = kinds_of_arguments(command)
            try:
                arguments = {name: _loader(kinds[name])(value) for name, value in map(_pair, pairs)}
                signature(getattr(Commands, command)).bind(None, **arguments)
            except (KeyError, TypeError, ValueError) as error:
                raise CodecError(f"{command}: {error!r}") from None
            return command, arguments
        case _:
            raise CodecError("no such command")


def kinds_of_arguments(command: str) -> dict[str, object]:
    """Return the annotation of every argument of a command."""
    hints = get_type_hints(getattr(Commands, command))
    return {name: kind for name, kind in hints.items() if name != "return"}


def _pair(raw: object) -> tuple[str, object]:
    match raw:
        case [str(name), value]:
            return name, value
        case _:
            raise ValueError("not an argument")


def _dump(value: object) -> object:
    cls = type(value)
    if cls in _TRAVEL_AS_THEY_ARE:
        return value
    if (names := _names_of_fields(cls)) is not None:
        return [cls.__name__, *[_dump(getattr(value, name)) for name in names]]
    match value:
        case Enum():
            return value.value
        case int():
            return value if -_LARGEST <= value < _LARGEST else str(value)
        case date():
            return value.isoformat()
        case tuple() | list() | frozenset():
            return list(map(_dump, value))
        case Mapping():
            return [[_dump(key), _dump(each)] for key, each in value.items()]
        case _:
            raise TypeError(f"{cls.__name__} does not travel")


_known_names: dict[type, tuple[str, ...] | None] = {}


def _names_of_fields(cls: type) -> tuple[str, ...] | None:
    """Return the field names of a dataclass, or None for any other type; cached per type."""
    if cls not in _known_names:
        is_ours = is_dataclass(cls)
        _known_names[cls] = tuple(field.name for field in fields(cls)) if is_ours else None
    return _known_names[cls]


_loaders: dict[object, Load] = {}


def _loader(kind: object) -> Load:
    """Return the function that converts plain values to an annotated type; cached per annotation."""
    known = _loaders.get(kind)
    if known is None:
        known = _loaders[kind] = _new_loader(kind)
    return known


def _new_loader(kind: object) -> Load:  # noqa: PLR0911 - one for each sort of annotation
    if isinstance(kind, NewType):
        return _loader(kind.__supertype__)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _union_loader(inner)
    if origin is tuple and inner[-1] is not Ellipsis:
        return _row_loader(inner)
    if origin in _LISTS:
        return _list_loader(_LISTS[origin], inner[0])
    if origin is Mapping:
        return _mapping_loader(*inner)
    cls = origin if origin is not None else kind
    if not isinstance(cls, type):
        raise TypeError(f"{kind} does not travel")
    if cls is NoneType:
        return _load_nothing
    if issubclass(cls, Enum):
        return cls
    if cls in _PLAIN:
        return _plain_loader(cls)
    return _object_loader(cls, dict(zip(getattr(cls, "__parameters__", ()), inner, strict=True)))


def _load_nothing(raw: object) -> object:
    if raw is not None:
        raise ValueError("there is something")
    return None


def _plain_loader(cls: type) -> Load:
    convert = _CONVERSIONS.get(cls)

    def load(raw: object) -> object:
        if type(raw) is cls:
            return raw
        if convert is not None and (value := convert(raw)) is not None:
            return value
        raise ValueError(f"{type(raw).__name__} where {cls.__name__} was to be")

    return load


_CONVERSIONS: Mapping[type, Load] = {
    int: lambda raw: int(raw) if isinstance(raw, str) else None,
    float: lambda raw: float(raw) if type(raw) is int else None,
    date: lambda raw: date.fromisoformat(raw) if isinstance(raw, str) else None,
}
"""Converters for types that are encoded as another type."""


def _items(raw: object) -> list[object]:
    if not isinstance(raw, list):
        raise ValueError(f"{type(raw).__name__} where a list was to be")
    return raw


def _list_loader(make: Callable[[Iterable[object]], object], kind: object) -> Load:
    load = _loader(kind)
    return lambda raw: make(map(load, _items(raw)))


def _row_loader(kinds: tuple[object, ...]) -> Load:
    loads = [_loader(kind) for kind in kinds]
    return lambda raw: tuple(load(item) for load, item in zip(loads, _items(raw), strict=True))


def _mapping_loader(key: object, value: object) -> Load:
    load_key, load_value = _loader(key), _loader(value)
    return lambda raw: MappingProxyType(
        {load_key(k): load_value(v) for k, v in map(_items, _items(raw))}
    )


def _union_loader(kinds: tuple[object, ...]) -> Load:
    types = ((get_origin(kind) or kind, kind) for kind in kinds)
    objects = {
        cls.__name__: kind for cls, kind in types if isinstance(cls, type) and is_dataclass(cls)
    }
    others = [k for k in kinds if k is not NoneType and k not in objects.values()]
    if len(others) > 1:
        raise TypeError(f"{kinds} cannot be told apart")
    is_optional = NoneType in kinds
    if not objects:
        load_other = _loader(others[0])
        return lambda raw: None if raw is None and is_optional else load_other(raw)

    def load(raw: object) -> object:
        if raw is None and is_optional:
            return None
        match raw:
            case [str(name), *_] if name in objects:
                return _loader(objects[name])(raw)
            case _ if others:
                return _loader(others[0])(raw)
            case _:
                raise ValueError(f"none of {', '.join(objects)}")

    return load


def _object_loader(cls: type, known: Mapping[object, object]) -> Load:
    hints, names = get_type_hints(cls), _names_of_fields(cls)
    if names is None:
        raise TypeError(f"{cls.__name__} does not travel")
    loads: list[Load] = []

    def load(raw: object) -> object:
        # Created at the first object, as a type may contain others of its own kind.
        if not loads:
            loads.extend(_loader(specialise(hints[name], known)) for name in names)
        head, *parts = _items(raw)
        if head != cls.__name__:
            raise ValueError(f"{head!r} where {cls.__name__} was to be")
        return cls(*[load(part) for load, part in zip(loads, parts, strict=True)])

    return load


def specialise(kind: object, known: Mapping[object, object]) -> object:
    """Return an annotation with the parameters of a generic type filled in."""
    if isinstance(kind, TypeVar):
        return known.get(kind, kind)
    inner = get_args(kind)
    if not inner or not any(isinstance(each, TypeVar) for each in inner):
        return kind
    filled = tuple(specialise(each, known) for each in inner)
    if get_origin(kind) in (Union, UnionType):
        return Union[filled]  # noqa: UP007 - its members are known only now
    origin = get_origin(kind)
    return origin[filled] if origin is not None else kind
