"""The metadata host: routes over the catalogue, in both dialects.

Where two spellings of a route exist both are served, and nothing is passed from one to the other.
"""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from pmtui.sim.catalogue.model import Catalogue
from pmtui.sim.gamma.filters import Filters, TagGraph
from pmtui.sim.gamma.lists import EventReads, MarketReads, Search
from pmtui.sim.gamma.query import QueryRefused
from pmtui.sim.gamma.reference import CommentReads, ProfileReads, SeriesReads, SportReads, TagReads
from pmtui.sim.gamma.rows import CatalogueNumbers, LiveMarket, LiveNumbers, MetadataRows
from pmtui.sim.http_json import JsonResponse

__all__ = ["CatalogueNumbers", "LiveMarket", "LiveNumbers", "metadata_routes"]

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
