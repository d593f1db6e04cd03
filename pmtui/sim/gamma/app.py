"""The metadata host: routes over the catalogue, in both dialects, and its lists of markets and events.

Where two spellings of a route exist both are served, and nothing is passed from one to the other.
"""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from pmtui.sim.catalogue.gamma import rows_of
from pmtui.sim.catalogue.model import Catalogue, CatalogueEvent, CatalogueMarket
from pmtui.sim.gamma.filters import Filters, TagGraph
from pmtui.sim.gamma.query import (
    Order,
    Query,
    QueryRefused,
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
from pmtui.sim.gamma.search import Search
from pmtui.sim.http_json import JsonResponse

_MOST_ROWS = 500
_MOST_KEYSET_MARKETS = 100


class MarketReads:
    """Routes below `/markets`."""

    def __init__(self, catalogue: Catalogue, rows: MetadataRows, filters: Filters) -> None:
        self._catalogue = catalogue
        self._rows = rows
        self._filters = filters
        self._fields: frozenset[str] = frozenset()
        self._fields_of = 0

    def page(self, request: Request) -> object:
        """Answer `/markets`: an array, by offset; closed markets only when asked for."""
        query = Query(request)
        order = self._order(query)
        found = order.sorted(self._filters.markets(query, closed_default=False))
        return [self._row(one, query) for one in offset_page(found, query, highest=_MOST_ROWS)]

    def keyset(self, request: Request) -> object:
        """Answer `/markets/keyset`: an object with the cursor of the next page."""
        query = Query(request)
        found = self._filters.markets(query, closed_default=False)
        page, cursor = keyset_page(found, self._order(query), query, highest=_MOST_KEYSET_MARKETS)
        return _page_object("markets", [self._row(one, query) for one in page], cursor)

    def one(self, request: Request) -> object:
        """Answer `/markets/{id}`; a slug in that place is the other dialect's spelling."""
        name = request.path_params["name"]
        return self._found(self._catalogue.market(name) or self._by_slug(name), request)

    def by_slug(self, request: Request) -> object:
        """Answer `/markets/slug/{slug}`."""
        return self._found(self._by_slug(request.path_params["slug"]), request)

    def by_token(self, request: Request) -> object:
        """Answer `/markets/token/{token_id}`."""
        token_id = request.path_params["token_id"]
        return self._found(self._catalogue.market_by_token(token_id), request)

    def tags(self, request: Request) -> object:
        """Answer `/markets/{id}/tags`: the tags of its event."""
        market = self._catalogue.market(request.path_params["name"])
        if market is None:
            raise not_found("market")
        return list(rows_of(self._catalogue.event_of(market).raw, "tags"))

    def _by_slug(self, slug: str) -> CatalogueMarket | None:
        return self._catalogue.market_by_slug(slug)

    def _found(self, market: CatalogueMarket | None, request: Request) -> object:
        if market is None:
            raise not_found("market")
        return self._row(market, Query(request))

    def _row(self, market: CatalogueMarket, query: Query) -> dict[str, object]:
        return self._rows.market(market, with_tags=query.flag("include_tag") is True)

    def _order(self, query: Query) -> Order[CatalogueMarket]:
        if self._fields_of != len(self._catalogue.markets):
            self._fields = frozenset().union(*(one.raw for one in self._catalogue.markets))
            self._fields_of = len(self._catalogue.markets)
        return order_of(query, self._fields, self._rows.value, _market_number)


class EventReads:
    """Routes below `/events`."""

    def __init__(self, catalogue: Catalogue, rows: MetadataRows, filters: Filters) -> None:
        self._catalogue = catalogue
        self._rows = rows
        self._filters = filters

    def page(self, request: Request) -> object:
        """Answer `/events`: an array, by offset."""
        query = Query(request)
        found = self._order(query).sorted(self._filters.events(query))
        return [self._rows.event(one) for one in offset_page(found, query, highest=_MOST_ROWS)]

    def keyset(self, request: Request) -> object:
        """Answer `/events/keyset`: an object with the cursor of the next page."""
        query = Query(request)
        found = self._filters.events(query)
        page, cursor = keyset_page(found, self._order(query), query, highest=_MOST_ROWS)
        return _page_object("events", [self._rows.event(one) for one in page], cursor)

    def one(self, request: Request) -> object:
        """Answer `/events/{id}`."""
        return self._rows.event(self._found(self._catalogue.event(request.path_params["name"])))

    def by_slug(self, request: Request) -> object:
        """Answer `/events/slug/{slug}`."""
        slug = request.path_params["slug"]
        return self._rows.event(self._found(self._catalogue.event_by_slug(slug)))

    def tags(self, request: Request) -> object:
        """Answer `/events/{id}/tags`."""
        event = self._found(self._catalogue.event(request.path_params["name"]))
        return list(rows_of(event.raw, "tags"))

    def value(self, event: CatalogueEvent, field: str) -> object:
        """Return a field of an event as it stands now."""
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
    # The key is absent on the last page, not null.
    return {key: rows} if cursor is None else {key: rows, "next_cursor": cursor}


def _market_number(market: CatalogueMarket) -> int:
    return id_number(market.raw)


def _event_number(event: CatalogueEvent) -> int:
    return id_number(event.raw)


Read = Callable[[Request], object]


def metadata_routes(catalogue: Catalogue, live: LiveNumbers) -> list[Route]:
    """Return the routes of the metadata host.

    Args:
        catalogue: May gain events while the host runs.
        live: Current prices, volumes and states.
    """
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
    routes = [Route(path, _answering(read, rows), methods=["GET"]) for path, read in paths]
    return [Route("/", _fine), Route("/status", _fine), *routes]


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


def _answering(read: Read, rows: MetadataRows) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        rows.begin()
        try:
            return JsonResponse(read(request))
        except QueryRefused as refused:
            body = {"type": refused.kind, "error": refused.text}
            return JsonResponse(body, status_code=refused.status)

    return endpoint


async def _fine(request: Request) -> Response:  # noqa: ARG001  the framework hands it over
    return PlainTextResponse("OK")
