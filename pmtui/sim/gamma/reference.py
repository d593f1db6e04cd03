"""Routes other than events and markets: tags, series, teams, sports, comments, profiles."""

import re
from collections.abc import Sequence

from starlette.requests import Request

from pmtui.sim.catalogue.gamma import text_of
from pmtui.sim.catalogue.model import Catalogue, Row
from pmtui.sim.gamma.query import (
    Filters,
    Query,
    QueryRefused,
    TagGraph,
    keyset_page,
    not_allowed,
    not_found,
    offset_page,
    order_of,
)
from pmtui.sim.gamma.rows import MetadataRows, id_number

_STATUSES = ("active", "closed", "all")


def ordered(rows: Sequence[Row], query: Query) -> list[Row]:
    """Return plain rows in the order of a query."""
    fields = frozenset().union(*rows)
    return order_of(query, fields, _field, id_number).sorted(rows)


def _field(row: Row, field: str) -> object:
    return row.get(field)


class TagReads:
    """Routes below `/tags`; ids and slugs are both accepted in either place."""

    def __init__(self, catalogue: Catalogue, graph: TagGraph, filters: Filters) -> None:
        self._catalogue = catalogue
        self._graph = graph
        self._filters = filters

    def page(self, request: Request) -> object:
        """Serve `/tags`."""
        query = Query(request)
        carousel = query.flag("is_carousel")
        rows = [
            tag
            for tag in self._catalogue.extras.tags
            if carousel is None or (tag.get("isCarousel") is True) == carousel
        ]
        return offset_page(ordered(rows, query), query, highest=100)

    def one(self, request: Request) -> object:
        """Serve `/tags/{id}` and `/tags/slug/{slug}`."""
        return self._tag(request.path_params["name"])

    def relations(self, request: Request) -> object:
        """Serve the related-tags routes that return rows of the relation."""
        tag = self._tag(request.path_params["name"])
        tag_id = text_of(tag, "id")
        return [
            {"id": f"{tag_id}{other}", "tagID": int(tag_id), "relatedTagID": int(other), "rank": n}
            for n, other in enumerate(self._related(tag_id, Query(request)), start=1)
        ]

    def related(self, request: Request) -> object:
        """Serve the related-tags routes that return the tags themselves."""
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
        """Serve `/series`."""
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
        """Serve `/series/{id}`."""
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
        """Serve `/teams`."""
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
        """Serve `/sports`."""
        return self._catalogue.extras.sports

    def market_types(self, request: Request) -> object:  # noqa: ARG002  every route hands it over
        """Serve `/sports/market-types`."""
        kinds = {text_of(market.raw, "sportsMarketType") for market in self._catalogue.markets}
        return {"marketTypes": sorted(kinds - {""})}


_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}", re.ASCII)
_PARENTS = ("Event", "Series", "market")
_FURTHEST = 200
_PUBLIC = (
    "createdAt",
    "proxyWallet",
    "profileImage",
    "displayUsernamePublic",
    "bio",
    "pseudonym",
    "name",
    "users",
    "xUsername",
    "verifiedBadge",
)
_FIELDS = frozenset({"id", "createdAt", "reactionCount"})


class CommentReads:
    """Routes below `/comments`."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._comments = catalogue.extras.comments

    def page(self, request: Request) -> object:
        """Serve `/comments`: `limit` counts root comments; their replies come in addition."""
        query = Query(request)
        offset = query.whole("offset", 0)
        if offset > _FURTHEST:
            raise not_allowed(f"offset must be at most {_FURTHEST}")
        if query.flag("holders_only"):
            # The authors of the catalogue's comments hold nothing at this venue.
            return []
        rows = self._under_parent(query)
        roots = [row for row in rows if "parentCommentID" not in row]
        chosen = self._sorted(roots, query)[offset : offset + query.limit(highest=100)]
        threads = {text_of(root, "id") for root in chosen}
        replies = [row for row in rows if row.get("parentCommentID") in threads]
        return [_shown(row, query) for row in [*chosen, *replies]]

    def keyset(self, request: Request) -> object:
        """Serve `/comments/keyset`, oldest first unless requested otherwise."""
        query = Query(request)
        order = order_of(query, _FIELDS, _field, id_number)
        page, cursor = keyset_page(self._under_parent(query), order, query, highest=100)
        answer: dict[str, object] = {"comments": [_shown(row, query) for row in page]}
        if cursor is not None:
            answer["next_cursor"] = cursor
        return answer

    def thread(self, request: Request) -> object:
        """Serve `/comments/{id}`: the comment and its replies."""
        query = Query(request)
        name = request.path_params["name"]
        found = [row for row in self._comments if name in (row["id"], row.get("parentCommentID"))]
        if all(row["id"] != name for row in found):
            raise not_found("comment")
        return [_shown(row, query) for row in found]

    def by_author(self, request: Request) -> object:
        """Serve `/comments/user_address/{address}`."""
        query = Query(request)
        author = _address(request.path_params["address"])
        rows = [row for row in self._comments if text_of(row, "userAddress").lower() == author]
        offset = query.whole("offset", 0)
        return self._sorted(rows, query)[offset : offset + query.limit(highest=100)]

    def _under_parent(self, query: Query) -> list[Row]:
        kind = query.text("parent_entity_type")
        if kind is not None and kind not in _PARENTS:
            raise QueryRefused("invalid parent_entity_type")
        parents = {int(one) for one in query.numerals("parent_entity_id")}
        return [
            row
            for row in self._comments
            if (kind is None or row["parentEntityType"] == kind)
            and (not parents or row["parentEntityID"] in parents)
        ]

    @staticmethod
    def _sorted(rows: list[Row], query: Query) -> list[Row]:
        if query.text("order") is None:
            return sorted(rows, key=lambda row: text_of(row, "createdAt"), reverse=True)
        return order_of(query, _FIELDS, _field, id_number).sorted(rows)


class ProfileReads:
    """Public profiles, by wallet."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._profiles = {
            text_of(row, "proxyWallet").lower(): row for row in catalogue.extras.profiles
        }

    def by_query(self, request: Request) -> object:
        """Serve `/public-profile?address=`."""
        return self._profile(Query(request).text("address") or "")

    def by_path(self, request: Request) -> object:
        """Serve `/profiles/{wallet}`, the other dialect's spelling."""
        return self._profile(request.path_params["wallet"])

    def _profile(self, address: str) -> Row:
        row = self._profiles.get(_address(address))
        if row is None:
            raise not_found("profile")
        return {key: row.get(key) for key in _PUBLIC}


def _address(text: str) -> str:
    if _ADDRESS.fullmatch(text) is None:
        raise QueryRefused("invalid address")
    return text.lower()


def _shown(row: Row, query: Query) -> Row:
    profile = row.get("profile")
    if not query.flag("get_positions") or not isinstance(profile, dict):
        return row
    return {**row, "profile": {**profile, "positions": []}}
