"""Every topic, once."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from enum import Enum
from itertools import chain, islice
from types import NoneType, UnionType
from typing import NewType, Union, get_args, get_origin, get_type_hints

from pmtui.service.codec import (
    specialise,
)
from pmtui.service.topics import Topic

PLAIN: dict[object, tuple[object, ...]] = {
    str: ("öre", ""),
    int: (7, -3, 2**255),
    bool: (True, False),
    bytes: (b"\x00\xff",),
    float: (0.5, 3.0),
    datetime: (datetime(2026, 11, 20, 12, 0, 0, 250_001, tzinfo=UTC),),
    date: (date(2026, 11, 20),),
    NoneType: (None,),
}


def examples(kind: object) -> Iterator[object]:
    """Yield filled values of an annotation: every member of a union or an enum, every field set."""
    if isinstance(kind, NewType):
        yield from examples(kind.__supertype__)
        return
    origin, inner = get_origin(kind), get_args(kind)
    cls = origin if origin is not None else kind
    if origin in (Union, UnionType):
        yield from chain.from_iterable(examples(each) for each in reversed(inner))
    elif origin is tuple and inner[-1] is not Ellipsis:
        yield from rows(inner, lambda parts: parts)
    elif origin in (tuple, Iterable):
        yield tuple(islice(examples(inner[0]), 2))
        yield ()
    elif origin is frozenset:
        yield frozenset(islice(examples(inner[0]), 2))
    elif origin is Mapping:
        keys, values = (tuple(islice(examples(each), 2)) for each in inner)
        yield dict(zip(keys, values, strict=False))
    elif kind in PLAIN:
        yield from PLAIN[kind]
    elif isinstance(cls, type) and issubclass(cls, Enum):
        yield from cls
    elif isinstance(cls, type):
        hints = get_type_hints(cls)
        known = dict(zip(getattr(cls, "__parameters__", ()), inner, strict=True))
        names = [f.name for f in fields(cls)] if is_dataclass(cls) else list(hints)
        yield from rows(
            [specialise(hints[name], known) for name in names], lambda parts: cls(*parts)
        )
    else:
        raise AssertionError(kind)


def rows(kinds: Iterable[object], make: Callable[[tuple[object, ...]], object]) -> Iterator[object]:
    """Yield objects of so many parts, each example of every part in one of them at least."""
    parts = [tuple(islice(examples(kind), 30)) for kind in kinds]
    for n in range(max(map(len, parts), default=1)):
        yield make(tuple(each[n % len(each)] for each in parts))


def topics() -> list[Topic]:
    """Return a topic of every kind."""
    firsts = (next(examples(kind)) for kind in get_args(Topic))
    return [topic for topic in firsts if isinstance(topic, Topic)]
