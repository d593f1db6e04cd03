"""Reads of comments and public profiles."""

import re

from starlette.requests import Request

from pmtui.sim.catalogue.gamma import text_of
from pmtui.sim.catalogue.model import Catalogue, Row
from pmtui.sim.gamma.pages import keyset_page, order_of
from pmtui.sim.gamma.query import Query, QueryRefused, not_allowed, not_found
from pmtui.sim.gamma.rows import id_number

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
        """Answer `/comments`: `limit` counts roots, their replies come in addition."""
        query = Query(request)
        offset = query.whole("offset", 0)
        if offset > _FURTHEST:
            raise not_allowed(f"offset must be at most {_FURTHEST}")
        if query.flag("holders_only"):
            # Those who wrote the catalogue's comments hold nothing at this venue.
            return []
        rows = self._under_parent(query)
        roots = [row for row in rows if "parentCommentID" not in row]
        chosen = self._sorted(roots, query)[offset : offset + query.limit(highest=100)]
        threads = {text_of(root, "id") for root in chosen}
        replies = [row for row in rows if row.get("parentCommentID") in threads]
        return [_shown(row, query) for row in [*chosen, *replies]]

    def keyset(self, request: Request) -> object:
        """Answer `/comments/keyset`, oldest first unless asked otherwise."""
        query = Query(request)
        order = order_of(query, _FIELDS, _field, id_number)
        page, cursor = keyset_page(self._under_parent(query), order, query, highest=100)
        answer: dict[str, object] = {"comments": [_shown(row, query) for row in page]}
        if cursor is not None:
            answer["next_cursor"] = cursor
        return answer

    def thread(self, request: Request) -> object:
        """Answer `/comments/{id}`: the comment and its replies."""
        query = Query(request)
        name = request.path_params["name"]
        found = [row for row in self._comments if name in (row["id"], row.get("parentCommentID"))]
        if all(row["id"] != name for row in found):
            raise not_found("comment")
        return [_shown(row, query) for row in found]

    def by_author(self, request: Request) -> object:
        """Answer `/comments/user_address/{address}`."""
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
        """Answer `/public-profile?address=`."""
        return self._profile(Query(request).text("address") or "")

    def by_path(self, request: Request) -> object:
        """Answer `/profiles/{wallet}`, the other dialect's spelling."""
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


def _field(row: Row, field: str) -> object:
    return row.get(field)


def _shown(row: Row, query: Query) -> Row:
    profile = row.get("profile")
    if not query.flag("get_positions") or not isinstance(profile, dict):
        return row
    return {**row, "profile": {**profile, "positions": []}}
