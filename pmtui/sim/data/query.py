"""Parses the query of an analytics request, and filters, sorts and pages by it."""

from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

from starlette.requests import Request

from pmtui.domain.ids import Address
from pmtui.domain.money import Micros, MoneyError, round_micros
from pmtui.signing.eip712 import AddressError, address_bytes, checksum_address
from pmtui.sim.catalogue.model import CatalogueMarket
from pmtui.sim.data.ledger import Entry
from pmtui.sim.data.rows import Row
from pmtui.sim.venue import Venue

MOST_OFFSET = 10_000
T = TypeVar("T")


class QueryRefusal(Exception):  # noqa: N818  it is the host's answer, not a fault of ours
    """A query that the host answers with status 400."""


class AnalyticsQuery:
    """Typed access to the parameters."""

    def __init__(self, request: Request, venue: Venue) -> None:
        self._params = request.query_params
        self._venue = venue

    def text(self, name: str, default: str = "") -> str:
        """Return a text."""
        return self._params.get(name) or default

    def listed(self, *names: str) -> list[str]:
        """Return the values of a comma-separated list, under any of its names."""
        joined = next((self._params[name] for name in names if self._params.get(name)), "")
        return [part.strip() for part in joined.split(",") if part.strip()]

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a boolean."""
        text = self.text(name).lower()
        if text not in ("", "true", "false"):
            raise QueryRefusal(f"invalid {name}")
        return text == "true" if text else default

    def whole(self, name: str, default: int, *, most: int) -> int:
        """Return a non-negative count, capped at its maximum."""
        text = self.text(name)
        if not text:
            return default
        if not (text.isascii() and text.isdigit() and len(text) < 16):
            raise QueryRefusal(f"invalid {name}")
        return min(int(text), most)

    def amount(self, name: str, default: int) -> Micros:
        """Return an amount given in whole units.

        Args:
            name: of the parameter.
            default: in whole units.
        """
        try:
            return round_micros(self.text(name) or default)
        except MoneyError as error:
            raise QueryRefusal(f"invalid {name}") from error

    def user(self, *, is_required: bool = True) -> Address | None:
        """Return the requested account, in the spelling of the records."""
        text = self.text("user")
        if not text:
            if is_required:
                raise QueryRefusal("required query param 'user' not provided")
            return None
        try:
            return checksum_address(address_bytes(text))
        except AddressError as error:
            raise QueryRefusal("user must be an address") from error

    def account(self) -> Address:
        """Return the requested account, which is required."""
        user = self.user()
        if user is None:
            raise QueryRefusal("required query param 'user' not provided")
        return user

    def conditions(self) -> set[str] | None:
        """Return the markets named by condition, token or event; None if none is given."""
        named = {self._condition_of(text) for text in self.listed("market", "condition_id")}
        events = self.listed("eventId", "event_id")
        if named and events:
            raise QueryRefusal("market and eventId are mutually exclusive")
        for event_id in events:
            event = self._venue.catalogue.event(event_id)
            named |= {str(market.condition_id) for market in event.markets} if event else set()
        return named if named or events else None

    def _condition_of(self, text: str) -> str:
        """Return a condition id as it is, and that of a token's market."""
        market = self._venue.market_of_token(text) if text.isdigit() else None
        return text.lower() if market is None else str(market.condition_id)

    def markets(self) -> list[CatalogueMarket]:
        """Return the named markets, which are required."""
        named = self.conditions()
        if named is None:
            raise QueryRefusal("required query param 'market' not provided")
        found = (self._venue.market(condition_id) for condition_id in sorted(named))
        return [market for market in found if market is not None]

    def one_market(self) -> CatalogueMarket:
        """Return the single named market, which is required."""
        named = self.listed("market", "condition_id")
        if len(named) != 1:
            raise QueryRefusal("exactly one market is required")
        market = self._venue.market(named[0])
        if market is None:
            raise QueryRefusal("market not found")
        return market

    def choice(self, name: str, allowed: Collection[str], default: str) -> str:
        """Return one of the allowed words, in lower case."""
        word = self.text(name, default).lower()
        if word not in allowed and word != default:
            raise QueryRefusal(f"invalid {name}")
        return word

    def matching(self, entries: Sequence[Entry]) -> list[Entry]:
        """Return the entries that match the markets, side, times and minimum amount."""
        conditions, side = self.conditions(), self.text("side").upper()
        start = self.whole("start", 0, most=10**12)
        end = self.whole("end", 10**12, most=10**12)
        filters = (self.text("filterType") or self.text("filter_type")).upper()
        least = self.amount("filterAmount" if self.text("filterAmount") else "filter_amount", 0)

        def is_wanted(entry: Entry) -> bool:
            amount = entry.cash if filters == "CASH" else entry.size
            return (
                (conditions is None or entry.condition_id in conditions)
                and (not side or (entry.side is not None and entry.side.value == side))
                and start <= entry.at_ms // 1_000 <= end
                and (not filters or amount >= least)
            )

        return [entry for entry in entries if is_wanted(entry)]

    def page(self, rows: Sequence[T], default: int, *, most: int) -> list[T]:
        """Return the rows of the requested page."""
        limit = self.whole("limit", default, most=most)
        offset = self.whole("offset", 0, most=10 * MOST_OFFSET)
        return list(rows[offset : offset + limit])

    def sorted(self, rows: Sequence[Row], columns: Mapping[str, str], *, default: str) -> list[Row]:
        """Return rows in the requested order, by default the largest first.

        Args:
            rows: to be sorted.
            columns: of the rows, by the names that a client may use.
            default: one of these names.
        """
        name = (self.text("sortBy") or self.text("sort_by") or default).upper()
        if name not in columns:
            raise QueryRefusal("invalid sortBy")
        direction = (self.text("sortDirection") or self.text("sort_direction") or "DESC").upper()
        column = columns[name]
        return sorted(rows, key=lambda row: _rank(row[column]), reverse=direction != "ASC")


def _rank(value: object) -> tuple[float, str]:
    return (value, "") if isinstance(value, int | float) else (0.0, str(value))
