"""Reads the query of a metadata request, and refuses values in the host's words."""

from datetime import UTC, datetime

from starlette.requests import Request
from typing_extensions import override

from pmtui.domain.money import Micros, MoneyError, round_micros

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
