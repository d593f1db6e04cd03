"""Parses the query of a metadata request: filters, order and page.

Invalid values are refused with the host's text. A keyset cursor contains the sort values and the id
of the last row sent, so rows added or removed elsewhere neither hide nor repeat others. It is only
valid for the filters it was made for.
"""

import base64
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Generic, TypeVar

import msgspec
from starlette.requests import Request
from typing_extensions import override

from pmtui.domain.money import ZERO, Micros, MoneyError, round_micros
from pmtui.sim.catalogue.gamma import micros_of, moment_of, rows_of, text_of
from pmtui.sim.catalogue.model import Catalogue, CatalogueEvent, CatalogueMarket, Row
from pmtui.sim.gamma.rows import MetadataRows
from pmtui.wire.bounds import UNREADABLE

_MOST_VALUES = 100
_BOOLEANS = {"true": True, "false": False, "1": True, "0": False}
_RELATED_COUNT = 6


class QueryRefused(Exception):  # noqa: N818  it is the host's answer, not a fault of ours
    """A query that the host answers with an error body."""

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
    """Return the refusal for a query that is well formed but not allowed."""
    return QueryRefused(text, status=422)


class Query:
    """Typed access to query parameters; missing and empty are the same."""

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
        """Return every value of a repeated key that must be a whole number, spelled as in ids."""
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
        """Return a non-negative whole number."""
        value = self.text(name)
        if value is None:
            return default
        if not value.isascii() or not value.isdigit() or len(value) > 12:
            raise QueryRefused(f"invalid {name}")
        return int(value)

    def limit(self, *, highest: int, is_strict: bool = False) -> int:
        """Return the requested number of rows.

        If that is too many, offset lists return fewer; keyset lists refuse.
        """
        count = self.whole("limit", 20)
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
        """Return a time; a plain date is its midnight in UTC."""
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
        """Return the filters and the direction, for which a cursor is valid."""
        positions = {"after_cursor", "keyset_id", "limit", "offset"}
        pairs = sorted(pair for pair in self._params.multi_items() if pair[0] not in positions)
        return "&".join(f"{key}={value}" for key, value in pairs)


Item = TypeVar("Item")
SortValue = tuple[bool, int, float, "_Text"]
SortKey = tuple[SortValue | int, ...]
FieldReader = Callable[[Item, str], object]
_SNAKE = re.compile(r"_([a-z0-9])")


class _Text(str):
    """A text that can sort in reverse."""

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
    """The sort fields of rows, and the direction."""

    fields: tuple[str, ...]
    is_ascending: bool
    read: FieldReader[Item]
    id_of: Callable[[Item], int]

    def key(self, item: Item) -> SortKey:
        """Return the sort key of a row; rows without a value come last in either direction."""
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
    """Parse `order` and `ascending`.

    Without an order rows are sorted by id. Names may be written with underscores, as in some of the
    host's own examples.
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
    """Return the rows for `offset` and `limit`."""
    offset = query.whole("offset", 0)
    return items[offset : offset + query.limit(highest=highest)]


class _Cursor(msgspec.Struct, array_like=True):
    filters: str
    key: list[tuple[bool, int, float, str] | int]


def keyset_page(
    items: Iterable[Item], order: Order[Item], query: Query, *, highest: int
) -> tuple[list[Item], str | None]:
    """Return one page and the cursor of the next, None on the last.

    `keyset_id` is another spelling of `after_cursor`. A parameter called `cursor` is ignored, as on
    the public venue.
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


MarketTest = Callable[[CatalogueMarket], bool]
EventTest = Callable[[CatalogueEvent], bool]
RowTest = Callable[[Row], bool]


class TagGraph:
    """Which tags occur together on events, which the host calls related."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._version = -1
        self._together: dict[str, Counter[str]] = {}

    def related(self, tag_id: str) -> list[str]:
        """Return ids of the tags most often found together with one, the most frequent first."""
        self._catch_up()
        together = self._together.get(tag_id, Counter())
        ranked = sorted(together.items(), key=lambda pair: (-pair[1], pair[0]))
        return [other for other, _ in ranked[:_RELATED_COUNT]]

    def _catch_up(self) -> None:
        if self._version == self._catalogue.version:
            return
        self._version = self._catalogue.version
        self._together.clear()
        for event in self._catalogue.events:
            for tag_id in event.tag_ids:
                others = self._together.setdefault(tag_id, Counter())
                others.update(other for other in event.tag_ids if other != tag_id)


class Filters:
    """Applies the filters of a query."""

    def __init__(self, catalogue: Catalogue, rows: MetadataRows, tags: TagGraph) -> None:
        self._catalogue = catalogue
        self._rows = rows
        self._tags = tags

    def markets(self, query: Query, *, closed_default: bool | None) -> list[CatalogueMarket]:
        """Return the markets that pass a query's filters, in the catalogue's order."""
        closed = query.flag("closed")
        wanted = closed_default if closed is None else closed
        tests = self._market_tests(query)
        raw_tests = _row_tests(query, _MARKET_FLAGS, _MARKET_TEXTS)
        amounts = _amount_tests(query, {"liquidity_num": "liquidityNum", "volume_num": "volumeNum"})
        tag_test = self._tag_test(query)
        return [
            market
            for market in self._market_candidates(query)
            if (wanted is None or self._rows.is_closed(market) == wanted)
            and all(test(market) for test in tests)
            and all(test(market.raw) for test in raw_tests)
            and (not amounts or self._amounts_fit(market, amounts))
            and (tag_test is None or tag_test(self._catalogue.event_of(market)))
        ]

    def _market_candidates(self, query: Query) -> Collection[CatalogueMarket]:
        # One indexed filter first: requests for a hundred tokens are far more common than for all.
        for name, find in (
            ("clob_token_ids", self._catalogue.market_by_token),
            ("condition_ids", self._catalogue.market_by_condition),
        ):
            values = query.texts(name)
            if values:
                found = (find(value) for value in values)
                return list({one.market_id: one for one in found if one is not None}.values())
        return self._catalogue.markets

    def _market_tests(self, query: Query) -> list[MarketTest]:
        tests: list[MarketTest] = []
        if ids := set(query.numerals("id")):
            tests.append(lambda market: market.market_id in ids)
        if slugs := set(query.texts("slug")):
            tests.append(lambda market: market.slug in slugs)
        if conditions := {text.lower() for text in query.texts("condition_ids")}:
            tests.append(lambda market: market.condition_id in conditions)
        if questions := {text.lower() for text in query.texts("question_ids")}:
            tests.append(lambda market: market.question_id.lower() in questions)
        if fits := _within(query, "end_date"):
            tests.append(lambda market: fits(market.ends_at))
        if starts := _within(query, "start_date"):
            tests.append(lambda market: starts(moment_of(market.raw, "startDate")))
        return tests

    def _amounts_fit(self, market: CatalogueMarket, tests: list[RowTest]) -> bool:
        row = {**market.raw, **self._rows.changes(market)}
        return all(test(row) for test in tests)

    def events(self, query: Query) -> list[CatalogueEvent]:
        """Return the events that pass a query's filters, in the catalogue's order."""
        closed = query.flag("closed")
        tests = self._event_tests(query)
        raw_tests = _row_tests(query, _EVENT_FLAGS, _EVENT_TEXTS)
        amounts = _amount_tests(query, {"liquidity": "liquidity", "volume": "volume"})
        tag_test = self._tag_test(query)
        return [
            event
            for event in self._catalogue.events
            if (closed is None or self.is_closed(event) == closed)
            and all(test(event) for test in tests)
            and all(test(event.raw) for test in raw_tests)
            and (not amounts or self._sums_fit(event, amounts))
            and (tag_test is None or tag_test(event))
        ]

    def is_closed(self, event: CatalogueEvent) -> bool:
        """Return whether an event is closed by now."""
        if event.raw.get("closed") is True:
            return True
        return bool(event.markets) and all(map(self._rows.is_closed, event.markets))

    def _sums_fit(self, event: CatalogueEvent, tests: list[RowTest]) -> bool:
        row = {**event.raw, **self._rows.event_sums(event)}
        return all(test(row) for test in tests)

    def _event_tests(self, query: Query) -> list[EventTest]:
        tests: list[EventTest] = []
        if ids := set(query.numerals("id")):
            tests.append(lambda event: event.event_id in ids)
        if slugs := set(query.texts("slug")):
            tests.append(lambda event: event.slug in slugs)
        if series := set(query.numerals("series_id")):
            tests.append(lambda event: not series.isdisjoint(event.series_ids))
        if recurrence := query.text("recurrence"):
            tests.append(
                lambda event: any(
                    one.get("recurrence") == recurrence for one in rows_of(event.raw, "series")
                )
            )
        if words := (query.text("title_search") or "").casefold().split():
            tests.append(lambda event: all(word in event.title.casefold() for word in words))
        for name, key in (
            ("start_date", "startDate"),
            ("end_date", "endDate"),
            ("start_time", "startTime"),
        ):
            if fits := _within(query, name):
                tests.append(_moment_test(key, fits))
        return tests

    def _tag_test(self, query: Query) -> EventTest | None:
        wanted = query.numerals("tag_id")
        excluded = set(query.numerals("exclude_tag_id"))
        if slug := query.text("tag_slug"):
            wanted.extend(self._tag_ids_of_slug(slug))
        match = query.text("tag_match") or "any"
        if match not in ("any", "all"):
            raise QueryRefused("invalid tag_match")
        if not wanted and not excluded:
            return None
        asked = bool(wanted)
        if query.flag("related_tags"):
            wanted = [*wanted, *(other for one in wanted for other in self._tags.related(one))]
        tags = set(wanted)

        def fits(event: CatalogueEvent) -> bool:
            if not excluded.isdisjoint(event.tag_ids):
                return False
            if match == "all":
                return tags.issubset(event.tag_ids)
            return not asked or not tags.isdisjoint(event.tag_ids)

        return fits

    def _tag_ids_of_slug(self, slug: str) -> list[str]:
        found = [
            text_of(tag, "id")
            for tag in self._catalogue.extras.tags
            if text_of(tag, "slug") == slug
        ]
        # An unknown slug matches nothing, which differs from no filter.
        return found or [""]


_MARKET_FLAGS = {
    "active": "active",
    "archived": "archived",
    "cyom": "cyom",
    "featured": "featured",
    "rfq_enabled": "rfqEnabled",
}
_MARKET_TEXTS = {
    "market_maker_address": "marketMakerAddress",
    "uma_resolution_status": "umaResolutionStatus",
    "game_id": "gameId",
    "sports_market_types": "sportsMarketType",
    "rewards_min_size": "rewardsMinSize",
}
_EVENT_FLAGS = {
    "active": "active",
    "archived": "archived",
    "featured": "featured",
    "cyom": "cyom",
    "live": "live",
    "ended": "ended",
}
_EVENT_TEXTS = {
    "game_id": "gameId",
    "event_date": "eventDate",
    "event_week": "eventWeek",
    "parent_event_id": "parentEventId",
}


def _row_tests(query: Query, flags: dict[str, str], texts: dict[str, str]) -> list[RowTest]:
    tests: list[RowTest] = []
    for name, key in flags.items():
        wanted = query.flag(name)
        if wanted is not None:
            tests.append(_flag_test(key, is_set=wanted))
    for name, key in texts.items():
        values = query.texts(name)
        if values:
            tests.append(_text_test(key, set(values)))
    return tests


def _flag_test(key: str, *, is_set: bool) -> RowTest:
    return lambda row: (row.get(key) is True) == is_set


def _text_test(key: str, values: set[str]) -> RowTest:
    return lambda row: text_of(row, key) in values


def _amount_tests(query: Query, names: dict[str, str]) -> list[RowTest]:
    tests: list[RowTest] = []
    for name, key in names.items():
        least, most = query.amount(f"{name}_min"), query.amount(f"{name}_max")
        if least is not None or most is not None:
            tests.append(_amount_test(key, least, most))
    return tests


def _amount_test(key: str, least: Micros | None, most: Micros | None) -> RowTest:
    def fits(row: Row) -> bool:
        amount = micros_of(row, key) or ZERO
        return (least is None or amount >= least) and (most is None or amount <= most)

    return fits


def _within(query: Query, name: str) -> Callable[[datetime | None], bool] | None:
    earliest, latest = query.moment(f"{name}_min"), query.moment(f"{name}_max")
    if earliest is None and latest is None:
        return None

    def fits(moment: datetime | None) -> bool:
        if moment is None:
            return False
        return (earliest is None or moment >= earliest) and (latest is None or moment <= latest)

    return fits


def _moment_test(key: str, fits: Callable[[datetime | None], bool]) -> EventTest:
    return lambda event: fits(moment_of(event.raw, key))
