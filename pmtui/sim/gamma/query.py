"""Reads the query of a metadata request, orders rows and cuts them into pages.

Values that cannot be read are refused in the host's words. A keyset cursor names the sort values and
the id of the last row sent, so rows that come or go elsewhere neither hide nor repeat others. It
belongs to the filters it was made for.
"""

import base64
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Generic, TypeVar

import msgspec
from starlette.requests import Request
from typing_extensions import override

from pmtui.domain.money import Micros, MoneyError, round_micros
from pmtui.wire.bounds import UNREADABLE

_MOST_VALUES = 100
_BOOLEANS = {"true": True, "false": False, "1": True, "0": False}


class QueryRefused(Exception):  # noqa: N818  it is the host's answer, not a fault of ours
    """A query the host answers with an error body."""

    def __init__(self, text: str, *, status: int = 400, kind: str = "validation error") -> None:
        super().__init__(text)
        self.text = text
        self.status = status
        self.kind = kind

    @override
    def __str__(self) -> str:
        return f"{self.status} {self.text}"


def not_found(what: str) -> QueryRefused:
    """Return the refusal for something that does not exist."""
    return QueryRefused(f"{what} not found", status=404, kind="not found error")


def not_allowed(text: str) -> QueryRefused:
    """Return the refusal for a query that is well formed and still not allowed."""
    return QueryRefused(text, status=422)


class Query:
    """Typed access to query parameters; absent and empty are the same."""

    def __init__(self, request: Request) -> None:
        self._params = request.query_params

    def text(self, name: str) -> str | None:
        """Return a text."""
        return self._params.get(name) or None

    def texts(self, name: str) -> list[str]:
        """Return every value of a repeated key."""
        values = [value for value in self._params.getlist(name) if value]
        if len(values) > _MOST_VALUES:
            raise not_allowed(f"{name}: at most {_MOST_VALUES} values are allowed")
        return values

    def numerals(self, name: str) -> list[str]:
        """Return every value of a repeated key that must be a whole number, as it stands in ids."""
        values = self.texts(name)
        for value in values:
            if not value.isascii() or not value.isdigit():
                raise QueryRefused(f"invalid {name}")
        return values

    def flag(self, name: str) -> bool | None:
        """Return a boolean."""
        value = self.text(name)
        if value is None:
            return None
        if value.lower() not in _BOOLEANS:
            raise QueryRefused(f"invalid {name}")
        return _BOOLEANS[value.lower()]

    def whole(self, name: str, default: int) -> int:
        """Return a whole number that is not negative."""
        value = self.text(name)
        if value is None:
            return default
        if not value.isascii() or not value.isdigit() or len(value) > 12:
            raise QueryRefused(f"invalid {name}")
        return int(value)

    def limit(self, *, default: int = 20, highest: int, is_strict: bool = False) -> int:
        """Return how many rows are asked for.

        Offset lists answer with fewer than asked for where that is too many; keyset lists refuse.
        """
        count = self.whole("limit", default)
        if is_strict and not 1 <= count <= highest:
            raise not_allowed(f"limit must be between 1 and {highest}")
        return min(count, highest)

    def amount(self, name: str) -> Micros | None:
        """Return an amount."""
        value = self.text(name)
        if value is None:
            return None
        try:
            return round_micros(value)
        except MoneyError as error:
            raise QueryRefused(f"invalid {name}") from error

    def moment(self, name: str) -> datetime | None:
        """Return a point in time; a plain date is its midnight in UTC."""
        value = self.text(name)
        if value is None:
            return None
        try:
            # A plus sign that was not escaped arrives as a blank.
            moment = datetime.fromisoformat(value.replace(" ", "+") if "T" in value else value)
        except ValueError as error:
            raise QueryRefused(f"invalid {name}") from error
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment

    def fingerprint(self) -> str:
        """Return the filters and the direction, which a cursor belongs to."""
        positions = {"after_cursor", "keyset_id", "limit", "offset"}
        pairs = sorted(pair for pair in self._params.multi_items() if pair[0] not in positions)
        return "&".join(f"{key}={value}" for key, value in pairs)


Item = TypeVar("Item")
SortValue = tuple[bool, int, float, "_Text"]
SortKey = tuple[SortValue | int, ...]
FieldReader = Callable[[Item, str], object]
_SNAKE = re.compile(r"_([a-z0-9])")


class _Text(str):
    """A text that sorts the other way round when asked to."""

    __slots__ = ()


class _Backwards(_Text):
    __slots__ = ()

    @override
    def __lt__(self, other: str) -> bool:
        return str.__gt__(self, other)

    @override
    def __gt__(self, other: str) -> bool:
        return str.__lt__(self, other)


@dataclass(frozen=True, slots=True)
class Order(Generic[Item]):
    """By which fields rows are sorted, and which way."""

    fields: tuple[str, ...]
    is_ascending: bool
    read: FieldReader[Item]
    id_of: Callable[[Item], int]

    def key(self, item: Item) -> SortKey:
        """Return what a row sorts by; rows without a value come last either way."""
        sign = 1 if self.is_ascending else -1
        values = [self._value(self.read(item, field), sign) for field in self.fields]
        return (*values, sign * self.id_of(item))

    def _value(self, value: object, sign: int) -> SortValue:
        text_type = _Text if sign > 0 else _Backwards
        if isinstance(value, bool | int | float):
            return False, 0, sign * value, text_type("")
        if isinstance(value, str):
            return False, 1, 0, text_type(value)
        return True, 0, 0, text_type("")

    def sorted(self, items: Iterable[Item]) -> list[Item]:
        """Return the rows in order."""
        return sorted(items, key=self.key)


def order_of(
    query: Query, known: Collection[str], read: FieldReader[Item], id_of: Callable[[Item], int]
) -> Order[Item]:
    """Read `order` and `ascending`.

    Without an order rows come by id. Names may be written with underscores, as some of the
    host's own examples are.
    """
    names = tuple(
        _SNAKE.sub(lambda match: match[1].upper(), name.strip())
        for name in (query.text("order") or "").split(",")
        if name.strip()
    )
    if any(name not in known for name in names):
        raise not_allowed("order fields are not valid")
    is_ascending = query.flag("ascending") is not False
    return Order(tuple(name for name in names if name != "id"), is_ascending, read, id_of)


def offset_page(items: Sequence[Item], query: Query, *, highest: int) -> Sequence[Item]:
    """Return the rows that `offset` and `limit` ask for."""
    offset = query.whole("offset", 0)
    return items[offset : offset + query.limit(highest=highest)]


class _Cursor(msgspec.Struct, array_like=True):
    filters: str
    key: list[tuple[bool, int, float, str] | int]


def keyset_page(
    items: Iterable[Item], order: Order[Item], query: Query, *, highest: int
) -> tuple[list[Item], str | None]:
    """Return one page and the cursor of the next, None on the last.

    `keyset_id` is another spelling of `after_cursor`. A parameter called `cursor` is ignored, as
    the service does.
    """
    if query.text("offset") is not None:
        raise not_allowed("offset is not allowed on keyset endpoints")
    limit = query.limit(highest=highest, is_strict=True)
    rows = [(order.key(item), item) for item in items]
    rows.sort(key=lambda row: row[0])
    cursor = query.text("after_cursor") or query.text("keyset_id")
    if cursor is not None:
        after = _decoded(cursor, order, query)
        rows = [row for row in rows if row[0] > after]
    page = [item for _, item in rows[:limit]]
    if len(rows) <= limit:
        return page, None
    return page, _encoded(rows[limit - 1][0], query)


def _encoded(key: SortKey, query: Query) -> str:
    cursor = _Cursor(query.fingerprint(), [_plain(part) for part in key])
    return base64.urlsafe_b64encode(msgspec.json.encode(cursor)).decode().rstrip("=")


def _plain(part: SortValue | int) -> tuple[bool, int, float, str] | int:
    return part if isinstance(part, int) else (part[0], part[1], part[2], str(part[3]))


def _decoded(text: str, order: Order[Item], query: Query) -> SortKey:
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        cursor = msgspec.json.decode(raw, type=_Cursor)
    except (ValueError, *UNREADABLE) as error:
        raise QueryRefused("invalid cursor") from error
    if cursor.filters != query.fingerprint() or len(cursor.key) != len(order.fields) + 1:
        raise QueryRefused("cursor belongs to another query")
    text_type = _Text if order.is_ascending else _Backwards
    return tuple(
        part if isinstance(part, int) else (part[0], part[1], part[2], text_type(part[3]))
        for part in cursor.key
    )
