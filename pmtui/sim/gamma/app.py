"""The metadata host in both dialects: lists of markets and events, single ones by id, and the search.

The search matches words; it does not imitate the public venue's ranking, which is not published.

If a route has two spellings both are served, and neither forwards to the other.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from pmtui.sim.catalogue.gamma import rows_of, text_of
from pmtui.sim.catalogue.model import Catalogue, CatalogueEvent, CatalogueMarket, Row
from pmtui.sim.gamma.query import (
    Filters,
    Order,
    Query,
    QueryRefused,
    TagGraph,
    keyset_page,
    not_found,
    offset_page,
    order_of,
)
from pmtui.sim.gamma.reference import CommentReads, ProfileReads, SeriesReads, SportReads, TagReads
from pmtui.sim.gamma.rows import (
    EVENT_SUMS,
    LiveNumbers,
    MetadataRows,
    id_number,
)
from pmtui.sim.http_json import JsonResponse

_MOST_ROWS = 500
_MOST_KEYSET_MARKETS = 100
_STATUSES = {"active": False, "closed": True, "resolved": True}


class MarketReads:
    """Routes below `/markets`."""

    def __init__(self, catalogue: Catalogue, rows: MetadataRows, filters: Filters) -> None:
        self._catalogue = catalogue
        self._rows = rows
        self._filters = filters
        self._fields: frozenset[str] = frozenset()
        self._fields_version = -1

    def page(self, request: Request) -> object:
        """Serve `/markets`: an array, by offset; closed markets only on request."""
        query = Query(request)
        order = self._order(query)
        found = order.sorted(self._filters.markets(query, closed_default=False))
        return [self._row(one, query) for one in offset_page(found, query, highest=_MOST_ROWS)]

    def keyset(self, request: Request) -> object:
        """Serve `/markets/keyset`: an object with the cursor of the next page."""
        query = Query(request)
        found = self._filters.markets(query, closed_default=False)
        page, cursor = keyset_page(found, self._order(query), query, highest=_MOST_KEYSET_MARKETS)
        return _page_object("markets", [self._row(one, query) for one in page], cursor)

    def one(self, request: Request) -> object:
        """Serve `/markets/{id}`; a slug in place of the id is the other dialect's spelling."""
        name = request.path_params["name"]
        return self._found(
            self._catalogue.market(name) or self._catalogue.market_by_slug(name), request
        )

    def by_slug(self, request: Request) -> object:
        """Serve `/markets/slug/{slug}`."""
        return self._found(self._catalogue.market_by_slug(request.path_params["slug"]), request)

    def by_token(self, request: Request) -> object:
        """Serve `/markets/token/{token_id}`."""
        token_id = request.path_params["token_id"]
        return self._found(self._catalogue.market_by_token(token_id), request)

    def tags(self, request: Request) -> object:
        """Serve `/markets/{id}/tags`: the tags of its event."""
        market = self._catalogue.market(request.path_params["name"])
        if market is None:
            raise not_found("market")
        return list(rows_of(self._catalogue.event_of(market).raw, "tags"))

    def _found(self, market: CatalogueMarket | None, request: Request) -> object:
        if market is None:
            raise not_found("market")
        return self._row(market, Query(request))

    def _row(self, market: CatalogueMarket, query: Query) -> dict[str, object]:
        return self._rows.market(market, with_tags=query.flag("include_tag") is True)

    def _order(self, query: Query) -> Order[CatalogueMarket]:
        if self._fields_version != self._catalogue.version:
            self._fields = frozenset().union(*(one.raw for one in self._catalogue.markets))
            self._fields_version = self._catalogue.version
        return order_of(query, self._fields, self._rows.value, _market_number)


class EventReads:
    """Routes below `/events`."""

    def __init__(self, catalogue: Catalogue, rows: MetadataRows, filters: Filters) -> None:
        self._catalogue = catalogue
        self._rows = rows
        self._filters = filters

    def page(self, request: Request) -> object:
        """Serve `/events`: an array, by offset."""
        query = Query(request)
        found = self._order(query).sorted(self._filters.events(query))
        return [self._rows.event(one) for one in offset_page(found, query, highest=_MOST_ROWS)]

    def keyset(self, request: Request) -> object:
        """Serve `/events/keyset`: an object with the cursor of the next page."""
        query = Query(request)
        found = self._filters.events(query)
        page, cursor = keyset_page(found, self._order(query), query, highest=_MOST_ROWS)
        return _page_object("events", [self._rows.event(one) for one in page], cursor)

    def one(self, request: Request) -> object:
        """Serve `/events/{id}`."""
        return self._rows.event(self._found(self._catalogue.event(request.path_params["name"])))

    def by_slug(self, request: Request) -> object:
        """Serve `/events/slug/{slug}`."""
        slug = request.path_params["slug"]
        return self._rows.event(self._found(self._catalogue.event_by_slug(slug)))

    def tags(self, request: Request) -> object:
        """Serve `/events/{id}/tags`."""
        event = self._found(self._catalogue.event(request.path_params["name"]))
        return list(rows_of(event.raw, "tags"))

    def value(self, event: CatalogueEvent, field: str) -> object:
        """Return the current value of an event's field."""
        sums = self._rows.event_sums(event) if field in EVENT_SUMS else {}
        return sums[field] if field in sums else event.raw.get(field)

    def _order(self, query: Query) -> Order[CatalogueEvent]:
        fields = frozenset().union(*(one.raw for one in self._catalogue.events))
        return order_of(query, fields, self.value, _event_number)

    @staticmethod
    def _found(event: CatalogueEvent | None) -> CatalogueEvent:
        if event is None:
            raise not_found("event")
        return event


def _page_object(key: str, rows: list[dict[str, object]], cursor: str | None) -> object:
    # The key is missing on the last page, not null.
    return {key: rows} if cursor is None else {key: rows, "next_cursor": cursor}


def _market_number(market: CatalogueMarket) -> int:
    return id_number(market.raw)


def _event_number(event: CatalogueEvent) -> int:
    return id_number(event.raw)


_SORTS = {
    "volume": "volume",
    "volume_24hr": "volume24hr",
    "liquidity": "liquidity",
    "competitive": "competitive",
    "closed_time": "closedTime",
    "start_date": "startDate",
    "end_date": "endDate",
}


@dataclass(frozen=True, slots=True)
class _Indexed:
    event: CatalogueEvent
    title: str
    text: str


class Search:
    """Answers searches; texts are indexed as events appear."""

    def __init__(
        self, catalogue: Catalogue, rows: MetadataRows, filters: Filters, events: EventReads
    ) -> None:
        self._catalogue = catalogue
        self._rows = rows
        self._filters = filters
        self._events = events
        self._index: dict[str, _Indexed] = {}
        self._version = -1

    def answer(self, request: Request) -> object:
        """Reply to one search."""
        query = Query(request)
        words = (query.text("q") or "").casefold().split()
        if not words:
            raise QueryRefused("q is required")
        limit = query.whole("limit_per_type", 10)
        if not 1 <= limit <= 100:
            raise QueryRefused("invalid limit_per_type")
        page = max(query.whole("page", 1), 1)
        found = self._sorted(self._matches(words, query), query, words)
        shown = found[(page - 1) * limit : page * limit]
        keeps_closed = query.whole("keep_closed_markets", 1) != 0
        answer: dict[str, object] = {
            "events": [self._row(event, keeps_closed=keeps_closed) for event in shown],
            "pagination": {"hasMore": page * limit < len(found), "totalResults": len(found)},
        }
        if query.flag("search_tags"):
            answer["tags"] = self._tags(words)[:limit]
        if query.flag("search_profiles"):
            answer["profiles"] = self._profiles(words)[:limit]
        return answer

    def _row(self, event: CatalogueEvent, *, keeps_closed: bool) -> dict[str, object]:
        row = self._rows.event(event)
        if not keeps_closed:
            row["markets"] = [
                self._rows.market(one, with_event=False)
                for one in event.markets
                if not self._rows.is_closed(one)
            ]
        return row

    def _matches(self, words: Sequence[str], query: Query) -> list[CatalogueEvent]:
        status = query.text("events_status")
        wants_closed = _STATUSES.get(status) if status is not None else None
        tags = {slug.casefold() for slug in query.texts("events_tag")}
        excluded = set(query.numerals("exclude_tag_id"))
        recurrence = query.text("recurrence")
        return [
            one.event
            for one in self._indexed()
            if all(word in one.text for word in words)
            and (wants_closed is None or self._filters.is_closed(one.event) == wants_closed)
            and excluded.isdisjoint(one.event.tag_ids)
            and (not tags or _has_tag(one.event, tags))
            and (recurrence is None or _recurs(one.event, recurrence))
        ]

    def _indexed(self) -> Iterable[_Indexed]:
        if self._version != self._catalogue.version:
            self._version = self._catalogue.version
            known = self._index
            self._index = {
                event.event_id: known.get(event.event_id) or self._index_event(event)
                for event in self._catalogue.events
            }
        return self._index.values()

    @staticmethod
    def _index_event(event: CatalogueEvent) -> _Indexed:
        labels = [text_of(tag, "label") for tag in rows_of(event.raw, "tags")]
        questions = [market.question for market in event.markets]
        text = "\n".join([event.title, event.slug, *questions, *labels]).casefold()
        return _Indexed(event, event.title.casefold(), text)

    def _sorted(
        self, found: list[CatalogueEvent], query: Query, words: Sequence[str]
    ) -> list[CatalogueEvent]:
        sort = query.text("sort")
        if sort is None:
            # Open before closed, matches in the title before others, then by volume.
            def rank(event: CatalogueEvent) -> tuple[bool, int, float]:
                title = event.title.casefold()
                missing = sum(word not in title for word in words)
                return self._filters.is_closed(event), missing, -self._number(event, "volume")

            return sorted(found, key=rank)
        if sort not in _SORTS:
            raise QueryRefused("invalid sort")
        is_descending = query.flag("ascending") is not True
        field = _SORTS[sort]
        if sort.endswith(("date", "time")):
            return sorted(found, key=lambda event: text_of(event.raw, field), reverse=is_descending)
        return sorted(found, key=lambda event: self._number(event, field), reverse=is_descending)

    def _number(self, event: CatalogueEvent, field: str) -> float:
        value = self._events.value(event, field)
        return value if isinstance(value, int | float) else 0.0

    def _tags(self, words: Sequence[str]) -> list[Row]:
        found: list[tuple[int, Row]] = []
        for tag in self._catalogue.extras.tags:
            label = text_of(tag, "label")
            if all(word in label.casefold() for word in words):
                tag_id = text_of(tag, "id")
                count = sum(tag_id in event.tag_ids for event in self._catalogue.events)
                slug = text_of(tag, "slug")
                row = {"id": tag_id, "label": label, "slug": slug, "event_count": count}
                found.append((count, row))
        found.sort(key=lambda pair: -pair[0])
        return [row for _, row in found]

    def _profiles(self, words: Sequence[str]) -> list[Row]:
        return [
            profile
            for profile in self._catalogue.extras.profiles
            if all(
                word in f"{text_of(profile, 'name')} {text_of(profile, 'pseudonym')}".casefold()
                for word in words
            )
        ]


def _has_tag(event: CatalogueEvent, slugs: set[str]) -> bool:
    return any(
        text_of(tag, "slug").casefold() in slugs or text_of(tag, "label").casefold() in slugs
        for tag in rows_of(event.raw, "tags")
    )


def _recurs(event: CatalogueEvent, recurrence: str) -> bool:
    return any(one.get("recurrence") == recurrence for one in rows_of(event.raw, "series"))


Read = Callable[[Request], object]


def metadata_routes(catalogue: Catalogue, live: LiveNumbers) -> list[Route]:
    """Return the routes of the metadata host."""
    rows = MetadataRows(catalogue, live)
    graph = TagGraph(catalogue)
    filters = Filters(catalogue, rows, graph)
    events = EventReads(catalogue, rows, filters)
    search = Search(catalogue, rows, filters, events)
    paths: list[tuple[str, Read]] = [
        *_market_paths(MarketReads(catalogue, rows, filters)),
        *_event_paths(events),
        ("/public-search", search.answer),
        *_tag_paths(TagReads(catalogue, graph, filters)),
        *_series_paths(SeriesReads(catalogue, rows)),
        *_sport_paths(SportReads(catalogue)),
        *_people_paths(CommentReads(catalogue), ProfileReads(catalogue)),
    ]
    routes = [Route(path, _endpoint_of(read, rows), methods=["GET"]) for path, read in paths]
    return [Route("/", _health), Route("/status", _health), *routes]


def _market_paths(markets: MarketReads) -> list[tuple[str, Read]]:
    return [
        ("/markets", markets.page),
        ("/markets/keyset", markets.keyset),
        ("/markets-keyset", markets.keyset),
        ("/markets/slug/{slug}", markets.by_slug),
        ("/markets/token/{token_id}", markets.by_token),
        ("/markets/{name}", markets.one),
        ("/markets/{name}/tags", markets.tags),
    ]


def _event_paths(events: EventReads) -> list[tuple[str, Read]]:
    return [
        ("/events", events.page),
        ("/events/keyset", events.keyset),
        ("/events-keyset", events.keyset),
        ("/events/slug/{slug}", events.by_slug),
        ("/events/{name}", events.one),
        ("/events/{name}/tags", events.tags),
    ]


def _tag_paths(tags: TagReads) -> list[tuple[str, Read]]:
    return [
        ("/tags", tags.page),
        ("/tags/slug/{name}", tags.one),
        ("/tags/slug/{name}/related-tags", tags.relations),
        ("/tags/slug/{name}/related-tags/tags", tags.related),
        ("/tags/{name}", tags.one),
        ("/tags/{name}/related-tags", tags.relations),
        ("/tags/{name}/related-tags/tags", tags.related),
        ("/tags/{name}/related", tags.relations),
    ]


def _series_paths(series: SeriesReads) -> list[tuple[str, Read]]:
    return [("/series", series.page), ("/series/{name}", series.one)]


def _sport_paths(sports: SportReads) -> list[tuple[str, Read]]:
    return [
        ("/teams", sports.teams),
        ("/sports", sports.sports),
        ("/sports-metadata", sports.sports),
        ("/sports/market-types", sports.market_types),
        ("/sports-market-types", sports.market_types),
    ]


def _people_paths(comments: CommentReads, profiles: ProfileReads) -> list[tuple[str, Read]]:
    return [
        ("/comments", comments.page),
        ("/comments/keyset", comments.keyset),
        ("/comments/user_address/{address}", comments.by_author),
        ("/comments/{name}", comments.thread),
        ("/public-profile", profiles.by_query),
        ("/profiles/{wallet}", profiles.by_path),
    ]


def _endpoint_of(read: Read, rows: MetadataRows) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        rows.begin()
        try:
            return JsonResponse(read(request))
        except QueryRefused as refused:
            body = {"type": refused.kind, "error": refused.text}
            return JsonResponse(body, status_code=refused.status)

    return endpoint


async def _health(request: Request) -> Response:  # noqa: ARG001  the framework hands it over
    return PlainTextResponse("OK")
