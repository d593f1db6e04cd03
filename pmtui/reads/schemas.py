"""JSON schemas of records, from the same annotations that write them."""

from datetime import date, datetime
from enum import Enum
from types import NoneType, UnionType
from typing import NewType, TypeAlias, Union, get_args, get_origin

from pmtui.domain.money import Micros
from pmtui.reads.records import fields_of, units_of

Schema: TypeAlias = dict[str, object]

DECIMAL = "^-?[0-9]+(\\.[0-9]+)?$"
REFERENCE = "#/components/schemas/"


def schemas_of(kind: type) -> dict[str, Schema]:
    """Return the schema of a type of answer and of every part of it, by their names."""
    found: dict[str, Schema] = {}
    _collect(kind, found)
    return found


def _collect(kind: type, found: dict[str, Schema]) -> None:
    if kind.__name__ in found:
        return
    properties: dict[str, object] = {}
    found[kind.__name__] = {
        "type": "object",
        "properties": properties,
        "required": list(fields_of(kind)),
        "additionalProperties": False,
    }
    units = units_of(kind)
    for name, hint in fields_of(kind).items():
        schema = _schema(hint, found)
        unit = units.get(name)
        properties[name] = {**schema, "description": unit} if unit else schema


def _schema(hint: object, found: dict[str, Schema]) -> Schema:
    if hint is Micros:
        return {"type": "string", "pattern": DECIMAL}
    if isinstance(hint, NewType):
        return _schema(hint.__supertype__, found)
    if get_origin(hint) in (Union, UnionType):
        return {"anyOf": [_schema(part, found) for part in get_args(hint)]}
    if get_origin(hint) is tuple:
        return _array(get_args(hint), found)
    return _plain(hint, found)


def _array(parts: tuple[object, ...], found: dict[str, Schema]) -> Schema:
    if len(parts) == 2 and parts[1] is Ellipsis:
        return {"type": "array", "items": _schema(parts[0], found)}
    return {"type": "array", "prefixItems": [_schema(part, found) for part in parts]}


def _plain(hint: object, found: dict[str, Schema]) -> Schema:
    simple: dict[object, Schema] = {
        NoneType: {"type": "null"},
        bool: {"type": "boolean"},
        int: {"type": "integer"},
        str: {"type": "string"},
        datetime: {"type": "string", "format": "date-time"},
        date: {"type": "string", "format": "date"},
    }
    if hint in simple:
        return simple[hint]
    if not isinstance(hint, type):
        raise TypeError(f"no schema for {hint}")
    if issubclass(hint, Enum):
        values = [e.value if isinstance(e.value, str) else e.name.lower() for e in hint]
        return {"type": "string", "enum": values}
    _collect(hint, found)
    return {"$ref": REFERENCE + hint.__name__}
