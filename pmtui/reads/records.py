"""Answers as records (stable names, exact decimals, times in UTC), with their columns and JSON schemas.

A record follows the annotations of a domain type, so that an amount is never mistaken for a count.
Amounts are decimal texts without exponents: no program that reads them rounds by accident.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from enum import Enum
from functools import lru_cache
from types import MappingProxyType, NoneType, UnionType
from typing import NewType, TypeAlias, Union, get_args, get_origin, get_type_hints

from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, format_micros
from pmtui.reads.answers import Book

Cell: TypeAlias = str | int | bool | None
Json: TypeAlias = Cell | list["Json"] | dict[str, "Json"]
Record: TypeAlias = dict[str, Json]

_LARGEST_INTEGER = 2**53
"""Larger integers would lose digits in readers that only have floats, so they become texts."""
_TYPES = 1_000
_SMALL = 6
"""The most fields of a nested record that is still written out in a cell."""

UNITS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(
            (
                "price", "average_price", "current_price", "last_trade_price", "best_bid", "best_ask",
                "spread", "midpoint", "tick_size", "final_price", "proposed_price", "day_change", "max_spread",
            ),
            "dollars a share",
        ),
        **dict.fromkeys(
            (
                "size", "min_order_size", "original_size", "matched_size", "remaining_size", "min_size",
                "total_bought", "shares", "best_bid_size", "best_ask_size",
            ),
            "shares",
        ),
        **dict.fromkeys(
            (
                "cash", "value", "volume", "volume_24h", "liquidity", "open_interest", "fee",
                "realized", "odd_cents", "profit", "biggest_win", "current_value", "daily_rate",
                "sponsored_rate", "amount", "balance", "earnings",
            ),
            "dollars",
        ),
        **dict.fromkeys(("fee_bps", "maker_bps", "taker_bps"), "hundredths of a percent"),
        **dict.fromkeys(("percent", "earning_percent"), "percent"),
        **dict.fromkeys(("rate_per_day", "total", "remaining"), "units of the asset"),
        "rate": "share of the formula shares × rate × (price × (1 − price)) ^ exponent",
        "asset_rate": "dollars a unit of the asset",
        "competitiveness": "the venue's own measure",
        "seconds_delay": "seconds",
        **dict.fromkeys(("age_s", "book_age_s"), "seconds"),
    }
)  # fmt: skip
"""Units by field name. `amount` of a holder is in shares, see `OTHER_UNITS`."""
OTHER_UNITS: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("Holder", "amount"): "shares",
        ("Allowance", "amount"): "dollars, or shares of the token; or unlimited",
        ("Approval", "amount"): "base units",
        ("Balance", "balance"): "dollars, or shares of the token",
        ("AssetEarnings", "earnings"): "units of the asset",
        ("Standing", "volume"): "dollars in the seed dialect, shares in the live one",
    }
)
DECIMAL = "^-?[0-9]+(\\.[0-9]+)?$"
REFERENCE = "#/components/schemas/"
_SUMMARIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Book": ("side", "price", "size"),
        "Market": (
            "question", "outcomes", "best_bid", "best_ask", "volume_24h", "end_at", "closed",
            "condition_id",
        ),
        "Event": ("title", "markets", "volume_24h", "liquidity", "end_at", "closed", "slug", "event_id"),
        "ListedMarket": ("question", "outcome_labels", "tick_size", "neg_risk", "closed", "condition_id"),
        "RewardedMarket": (
            "question", "terms.min_size", "terms.max_spread", "daily_rate", "competitiveness",
            "condition_id",
        ),
        "SearchHit": ("kind", "title", "best_bid", "best_ask", "volume_24h", "closed", "identifier"),
        "Position": (
            "title", "outcome", "size", "average_price", "current_price", "realized", "token_id",
        ),
        "ClosedPosition": ("closed_at", "title", "outcome", "total_bought", "average_price", "realized"),
        "Activity": ("at", "kind", "title", "outcome", "side", "price", "size", "cash"),
        "PublicTrade": ("at", "title", "outcome", "side", "price", "size", "name", "wallet"),
        "Order": (
            "created_at", "outcome", "side", "price", "original_size", "matched_size", "status",
            "order_id",
        ),
        "Fill": ("matched_at", "outcome", "side", "price", "size", "fee", "liquidity", "status"),
        "Comment": ("created_at", "author", "body"),
        "TokenReference": ("title", "outcome", "closed", "resolved", "final_price", "token_id"),
        "Resolution": ("status", "price", "was_disputed", "resolved_at", "condition_id"),
        "Notice": ("at", "kind", "question", "order.side", "order.price"),
        "RelayerTransaction": ("created_at", "kind", "state_text", "hash", "transaction_id"),
    }
)  # fmt: skip
_RANKS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Book": ("price", "size", "side", "token_id"),
        "Market": ("question", "best_bid", "best_ask", "volume_24h", "end_at", "closed"),
        "Event": ("title", "event_id", "volume_24h", "end_at", "closed", "markets", "liquidity"),
        "RewardedMarket": ("question", "daily_rate", "terms.min_size", "terms.max_spread"),
        "SearchHit": ("title", "kind", "identifier", "best_bid", "best_ask"),
        "Position": ("title", "outcome", "size", "current_price", "average_price"),
        "ClosedPosition": ("title", "outcome", "realized", "total_bought", "average_price"),
        "Activity": ("title", "at", "side", "price", "size", "outcome", "kind"),
        "PublicTrade": ("at", "price", "size", "side", "outcome", "title"),
        "Order": (
            "side", "price", "original_size", "matched_size", "outcome", "order_id", "created_at",
        ),
        "Fill": ("side", "price", "size", "outcome", "matched_at", "fee"),
        "Comment": ("body", "author"),
    }
)  # fmt: skip
"""The most important columns first, where that differs from left to right."""
_OF_SEVERAL: Mapping[str, tuple[str, ...]] = MappingProxyType({"Book": ("token_id",)})
"""Columns that distinguish rows of a list; a single row does not need them."""


def to_record(value: object) -> Record:
    """Return a dataclass as a record."""
    kind: type = type(value)
    return {name: write(getattr(value, name)) for name, write in _writers(kind).items()}


def fields_of(kind: object) -> Mapping[str, object]:
    """Return the annotations of an answer type, by field name."""
    return _hints(_plain(kind))


def columns_of(kind: object) -> tuple[str, ...]:
    """Return the columns of an answer type; those of a nested record are prefixed with its name and a dot."""
    return tuple(_columns(_plain(kind), ""))


def units_of(kind: object) -> dict[str, str]:
    """Return the units of an answer type's columns that have one."""
    return dict(_units(_plain(kind), ""))


def texts_of(kind: object) -> tuple[str, ...]:
    """Return the columns with untrusted text: every text that is not an id or a known word."""
    return tuple(_texts(_plain(kind), ""))


def row_columns(kind: object) -> tuple[str, ...]:
    """Return the columns of the rows that `to_rows` makes."""
    columns = columns_of(kind)
    if kind is not Book:
        return columns
    return (*(name for name in columns if name not in ("bids", "asks")), "side", "price", "size")


def to_rows(
    value: object, columns: tuple[str, ...], *, has_ids: bool = True
) -> list[dict[str, Cell]]:
    """Return an answer as rows of cells: one per level for a book, else one.

    A list becomes one text, or its length if its parts are large.

    Args:
        value: the answer.
        columns: those to include, out of `row_columns`.
        has_ids: whether the parts of a list are shown with their ids.
    """
    record = to_record(value)
    if not isinstance(value, Book):
        return [{column: _cell(_at(record, column), has_ids) for column in columns}]
    levels = [(Side.SELL, level) for level in reversed(value.asks)]
    levels += [(Side.BUY, level) for level in value.bids]
    rows: list[dict[str, Cell]] = []
    for side, level in levels:
        whole = {**record, **to_record(level), "side": side.value}
        rows.append({column: _cell(_at(whole, column), has_ids) for column in columns})
    return rows


def _at(record: Record, column: str) -> Json:
    value: Json = record
    for name in column.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _cell(value: Json, has_ids: bool) -> Cell:  # noqa: FBT001 - passed on as it came
    match value:
        case dict():
            parts = (part for name, part in value.items() if has_ids or not name.endswith("_id"))
            cells = (_cell(part, has_ids) for part in parts)
            return " ".join(str(cell) for cell in cells if cell is not None)
        case list() if any(isinstance(part, dict) and len(part) > _SMALL for part in value):
            return len(value)
        case list():
            separator = ", " if any(isinstance(part, dict) for part in value) else " "
            return separator.join(str(_cell(part, has_ids)) for part in value)
        case _:
            return value


@lru_cache(maxsize=_TYPES)
def _writers(kind: type) -> Mapping[str, Callable[[object], Json]]:
    if not is_dataclass(kind):
        raise TypeError(f"no record: {kind.__name__}")
    return MappingProxyType({name: _writer(hint) for name, hint in _hints(kind).items()})


@lru_cache(maxsize=_TYPES)
def _hints(kind: type) -> Mapping[str, object]:
    hints = get_type_hints(kind)
    return MappingProxyType({field.name: hints[field.name] for field in fields(kind)})


def _writer(hint: object) -> Callable[[object], Json]:
    if hint is Micros:
        return _write_micros
    if isinstance(hint, NewType):
        return _writer(hint.__supertype__)
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        known = [part for part in parts if part is not NoneType]
        # Unions of several types only occur between plain values, which need no conversion.
        inner = _writer(known[0]) if len(known) == 1 else _write_plain
        return lambda value: None if value is None else inner(value)
    if origin is tuple:
        return _tuple_writer(parts)
    return _write_plain


def _tuple_writer(parts: tuple[object, ...]) -> Callable[[object], Json]:
    if len(parts) == 2 and parts[1] is Ellipsis:
        each = _writer(parts[0])
        return lambda value: [each(item) for item in _items(value)]
    writers = [_writer(part) for part in parts]
    return lambda value: [w(item) for w, item in zip(writers, _items(value), strict=True)]


def _items(value: object) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else ()


def _write_micros(value: object) -> str:
    if not isinstance(value, int):
        raise TypeError("no amount")
    return format_micros(Micros(value))


def _write_plain(value: object) -> Json:
    match value:
        case Enum():
            return value.value if isinstance(value.value, str) else value.name.lower()
        case bool() | str() | None:
            return value
        case int():
            return value if abs(value) < _LARGEST_INTEGER else str(value)
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case date():
            return value.isoformat()
        case _:
            return dict(to_record(value))


def _plain(kind: object) -> type:
    if not isinstance(kind, type):
        raise TypeError(f"no type of an answer: {kind}")
    return kind


def _part_of(hint: object) -> type | None:
    """Return the dataclass that a field holds or may hold."""
    if get_origin(hint) in (Union, UnionType):
        known = [part for part in get_args(hint) if part is not NoneType]
        return _part_of(known[0]) if len(known) == 1 else None
    return hint if isinstance(hint, type) and is_dataclass(hint) else None


def _is_enum(hint: object) -> bool:
    """Whether a field is an enum, such as the liquidity of a fill, and so has no unit."""
    return isinstance(hint, type) and issubclass(hint, Enum)


def _item_of(hint: object) -> type | None:
    """Return the dataclass of the items of a list field."""
    parts = get_args(hint)
    return _part_of(parts[0]) if get_origin(hint) is tuple and parts else None


def _columns(kind: type, prefix: str) -> Iterator[str]:
    for name, hint in _hints(kind).items():
        part = _part_of(hint)
        if part is None:
            yield prefix + name
        else:
            yield from _columns(part, f"{prefix}{name}.")


def _units(kind: type, prefix: str) -> Iterator[tuple[str, str]]:
    for name, hint in _hints(kind).items():
        part, item = _part_of(hint), _item_of(hint)
        unit = OTHER_UNITS.get((kind.__name__, name), UNITS.get(name, ""))
        if part is not None:
            yield from _units(part, f"{prefix}{name}.")
        elif item is not None:
            yield from _units(item, f"{prefix}{name}.")
        elif unit and not _is_enum(hint):
            yield prefix + name, unit


def _texts(kind: type, prefix: str) -> Iterator[str]:
    for name, hint in _hints(kind).items():
        part = _part_of(hint) or _item_of(hint)
        if part is not None:
            yield from _texts(part, f"{prefix}{name}.")
        elif hint is str or hint == (str | None) or hint == tuple[str, ...]:
            yield prefix + name


Schema: TypeAlias = dict[str, object]


def schemas_of(kind: type) -> dict[str, Schema]:
    """Return the schemas of an answer type and all its nested records, by name."""
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
    return _plain_schema(hint, found)


def _array(parts: tuple[object, ...], found: dict[str, Schema]) -> Schema:
    if len(parts) == 2 and parts[1] is Ellipsis:
        return {"type": "array", "items": _schema(parts[0], found)}
    return {"type": "array", "prefixItems": [_schema(part, found) for part in parts]}


def _plain_schema(hint: object, found: dict[str, Schema]) -> Schema:
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


def summary(kind: object, *, is_list: bool = False) -> tuple[str, ...]:
    """Return the columns of an answer type that a table shows."""
    name = getattr(kind, "__name__", "")
    columns = _SUMMARIES.get(name, row_columns(kind))
    return (*columns, *_OF_SEVERAL.get(name, ())) if is_list else columns


def ranked(kind: object, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return columns of an answer type with the most important first."""
    first = [name for name in _RANKS.get(getattr(kind, "__name__", ""), ()) if name in columns]
    return (*first, *(name for name in columns if name not in first))
