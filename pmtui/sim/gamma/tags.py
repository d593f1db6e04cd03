"""Reads of tags, series, teams and sports."""

from collections.abc import Sequence

from starlette.requests import Request

from pmtui.sim.catalogue.gamma import text_of
from pmtui.sim.catalogue.model import Catalogue, Row
from pmtui.sim.gamma.filters import Filters, TagGraph
from pmtui.sim.gamma.pages import offset_page, order_of
from pmtui.sim.gamma.query import Query, QueryRefused, not_found
from pmtui.sim.gamma.rows import MetadataRows, id_number

_STATUSES = ("active", "closed", "all")


def ordered(rows: Sequence[Row], query: Query) -> list[Row]:
    """Return plain rows in the order a query asks for."""
    fields = frozenset().union(*rows)
    return order_of(query, fields, _field, id_number).sorted(rows)


def _field(row: Row, field: str) -> object:
    return row.get(field)


class TagReads:
    """Routes below `/tags`; ids and slugs are both understood in either place."""

    def __init__(self, catalogue: Catalogue, graph: TagGraph, filters: Filters) -> None:
        self._catalogue = catalogue
        self._graph = graph
        self._filters = filters

    def page(self, request: Request) -> object:
        """Answer `/tags`."""
        query = Query(request)
        carousel = query.flag("is_carousel")
        rows = [
            tag
            for tag in self._catalogue.extras.tags
            if carousel is None or (tag.get("isCarousel") is True) == carousel
        ]
        return offset_page(ordered(rows, query), query, highest=100)

    def one(self, request: Request) -> object:
        """Answer `/tags/{id}` and `/tags/slug/{slug}`."""
        return self._tag(request.path_params["name"])

    def relations(self, request: Request) -> object:
        """Answer the related-tags routes with rows of the relation."""
        tag = self._tag(request.path_params["name"])
        tag_id = text_of(tag, "id")
        return [
            {"id": f"{tag_id}{other}", "tagID": int(tag_id), "relatedTagID": int(other), "rank": n}
            for n, other in enumerate(self._related(tag_id, Query(request)), start=1)
        ]

    def related(self, request: Request) -> object:
        """Answer the related-tags routes with the tags themselves."""
        tag = self._tag(request.path_params["name"])
        return [self._tag(other) for other in self._related(text_of(tag, "id"), Query(request))]

    def _related(self, tag_id: str, query: Query) -> list[str]:
        status = query.text("status") or "all"
        if status not in _STATUSES:
            raise QueryRefused("invalid status")
        known = {text_of(tag, "id") for tag in self._catalogue.extras.tags}
        found = [other for other in self._graph.related(tag_id) if other in known]
        if status == "all":
            return found
        wanted = {
            tag
            for event in self._catalogue.events
            if self._filters.is_closed(event) == (status == "closed")
            for tag in event.tag_ids
        }
        return [other for other in found if other in wanted]

    def _tag(self, name: str) -> Row:
        for tag in self._catalogue.extras.tags:
            if name in (tag.get("id"), tag.get("slug")):
                return tag
        raise not_found("tag")


class SeriesReads:
    """Routes below `/series`."""

    def __init__(self, catalogue: Catalogue, rows: MetadataRows) -> None:
        self._catalogue = catalogue
        self._rows = rows

    def page(self, request: Request) -> object:
        """Answer `/series`."""
        query = Query(request)
        slugs = set(query.texts("slug"))
        recurrence = query.text("recurrence")
        closed = query.flag("closed")
        rows = [
            row
            for row in self._catalogue.extras.series
            if (not slugs or row.get("slug") in slugs)
            and (recurrence is None or row.get("recurrence") == recurrence)
            and (closed is None or (row.get("closed") is True) == closed)
        ]
        page = offset_page(ordered(rows, query), query, highest=50)
        return page if query.flag("exclude_events") else [self._with_events(row) for row in page]

    def one(self, request: Request) -> object:
        """Answer `/series/{id}`."""
        name = request.path_params["name"]
        for row in self._catalogue.extras.series:
            if name in (row.get("id"), row.get("slug")):
                return self._with_events(row)
        raise not_found("series")

    def _with_events(self, row: Row) -> Row:
        series_id = text_of(row, "id")
        events = [
            {**event.raw, **self._rows.event_sums(event)}
            for event in self._catalogue.events
            if series_id in event.series_ids
        ]
        return {**row, "events": events}


class SportReads:
    """Teams, sports and the kinds of sports markets."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def teams(self, request: Request) -> object:
        """Answer `/teams`."""
        query = Query(request)
        tests = [
            (key, {value.casefold() for value in values})
            for name, key in (
                ("league", "league"),
                ("name", "name"),
                ("abbreviation", "abbreviation"),
                ("provider_id", "providerId"),
            )
            if (values := query.texts(name))
        ]
        rows = [
            row
            for row in self._catalogue.extras.teams
            if all(text_of(row, key).casefold() in values for key, values in tests)
        ]
        return offset_page(ordered(rows, query), query, highest=100)

    def sports(self, request: Request) -> object:  # noqa: ARG002  every route hands it over
        """Answer `/sports`."""
        return self._catalogue.extras.sports

    def market_types(self, request: Request) -> object:  # noqa: ARG002  every route hands it over
        """Answer `/sports/market-types`."""
        kinds = {text_of(market.raw, "sportsMarketType") for market in self._catalogue.markets}
        return {"marketTypes": sorted(kinds - {""})}
