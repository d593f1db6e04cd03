"""Filters of the lists of markets and events: which rows a query keeps."""

from collections import Counter
from collections.abc import Callable, Collection
from datetime import datetime

from pmtui.domain.money import ZERO, Micros
from pmtui.sim.catalogue.gamma import micros_of, moment_of, rows_of, text_of
from pmtui.sim.catalogue.model import Catalogue, CatalogueEvent, CatalogueMarket, Row
from pmtui.sim.gamma.query import Query, QueryRefused
from pmtui.sim.gamma.rows import MetadataRows

MarketTest = Callable[[CatalogueMarket], bool]
EventTest = Callable[[CatalogueEvent], bool]
RowTest = Callable[[Row], bool]
_RELATED_COUNT = 6


class TagGraph:
    """Which tags stand together on events: what the host calls related."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._version = -1
        self._together: dict[str, Counter[str]] = {}

    def related(self, tag_id: str) -> list[str]:
        """Return ids of the tags most often met beside one, the most frequent first."""
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
    """Makes the tests a query asks for."""

    def __init__(self, catalogue: Catalogue, rows: MetadataRows, tags: TagGraph) -> None:
        self._catalogue = catalogue
        self._rows = rows
        self._tags = tags

    def markets(self, query: Query, *, closed_default: bool | None) -> list[CatalogueMarket]:
        """Return the markets a query keeps, in the catalogue's order."""
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
        # One indexed filter first: a client asks for a hundred tokens far more often than for all.
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
        """Return the events a query keeps, in the catalogue's order."""
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
        """Tell whether an event is closed by now."""
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
        # An unknown slug matches nothing, which is not the same as no filter.
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
