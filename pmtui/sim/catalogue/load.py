"""Loads the packaged catalogue, or events and markets from recorded replies, into the venue's model.

Accepted: `/events` and `/markets` replies and bare arrays, one page per line under `body`, objects with
`data`, `events` or `markets`, search replies, single objects, rows wrapped in `raw`; as JSON or JSON
lines, gzipped or not; and the terminal's cached event list. Anything else is counted, with the reason.
"""

import gzip
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from importlib import resources
from pathlib import Path

import msgspec

from pmtui.domain.ids import EventId
from pmtui.sim.catalogue import dates, rolling
from pmtui.sim.catalogue.cached_events import is_event_list_cache, rows_of_cache
from pmtui.sim.catalogue.gamma import (
    moment_of,
    read_event,
    read_market,
    rows_of,
    text_of,
)
from pmtui.sim.catalogue.model import (
    Catalogue,
    CatalogueEvent,
    CatalogueMarket,
    Extras,
    Row,
)

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PACKAGED_NAME = "catalogue.json.gz"
_WINDOWS_BEHIND = timedelta(minutes=30)
_WINDOWS_AHEAD = timedelta(minutes=60)
_GZIP_MAGIC = b"\x1f\x8b"
_NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_WRAPPERS = ("body", "raw", "data", "events", "markets", "tags")


class CatalogueFileError(Exception):
    """A catalogue file that cannot be opened or contains no JSON."""


@dataclass(slots=True)
class RecordedRows:
    """Rows found so far, by kind and id; of two versions of a market or event the newer is kept.

    An event inside a market is incomplete: its fields are only added to the known ones.
    """

    events: dict[str, Row] = field(default_factory=dict)
    markets: dict[str, Row] = field(default_factory=dict)
    event_of_market: dict[str, str] = field(default_factory=dict)
    tags: dict[str, Row] = field(default_factory=dict)
    series: dict[str, Row] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    rows: int = 0
    merged: int = 0
    _tag_rows: int = 0
    _listed_events: set[str] = field(default_factory=set)

    def add_file(self, path: Path) -> None:
        """Add every row of one file.

        Raises:
            CatalogueFileError: the file cannot be read, or contains nothing of the metadata host.
        """
        known = self._known()
        for value in self._values_of(path):
            self.add_answer(value)
        # Copies of known rows count too: they show that the file is the host's.
        if self._known() == known:
            raise CatalogueFileError(f"{path}: holds no events, markets or tags")

    def _known(self) -> tuple[int, int]:
        return self.rows, self._tag_rows

    def _values_of(self, path: Path) -> Iterator[object]:
        try:
            data = path.read_bytes()
            if data.startswith(_GZIP_MAGIC):
                data = gzip.decompress(data)
            data = data.removeprefix(_BYTE_ORDER_MARK)
        except (OSError, EOFError, zlib.error) as error:
            raise CatalogueFileError(f"{path}: cannot be read: {error}") from error
        try:
            whole = msgspec.json.decode(data)
        except _NOT_JSON as error:
            yield from self._lines_of(data, path, error)
        else:
            yield whole

    def _lines_of(self, data: bytes, path: Path, error: Exception) -> Iterator[object]:
        broken = read = 0
        for line in data.splitlines():
            if not line.strip():
                continue
            try:
                value = msgspec.json.decode(line)
            except _NOT_JSON:
                broken += 1
                continue
            read += 1
            yield value
        if not read:
            raise CatalogueFileError(f"{path}: holds no JSON: {error}") from error
        if broken:
            self.skipped["line is not JSON"] += broken

    def add_answer(self, value: object) -> None:
        """Add every row of one decoded reply."""
        if isinstance(value, list):
            for item in value:
                self.add_answer(item)
        elif not isinstance(value, dict):
            self.skipped["not an object"] += 1
        elif "question" in value or "conditionId" in value:
            self._add_market(value)
        elif "id" in value and ("markets" in value or "title" in value):
            self._add_event(value)
        elif "id" in value and "label" in value:
            self._tag_rows += 1
            self.tags.setdefault(text_of(value, "id"), value)
        elif is_event_list_cache(value):
            self._add_cached(value)
        else:
            self._add_wrapped(value)

    def _add_cached(self, value: Row) -> None:
        try:
            rows = rows_of_cache(value)
        except msgspec.ValidationError:
            self.skipped["list of another version"] += 1
            return
        for row in rows:
            self._add_event(row)

    def _add_wrapped(self, value: Row) -> None:
        inner = [value[key] for key in _WRAPPERS if isinstance(value.get(key), list | dict)]
        if not inner:
            self.skipped["neither event nor market"] += 1
        for item in inner:
            self.add_answer(item)

    def _add_event(self, row: Row) -> None:
        event_id = text_of(row, "id")
        if not event_id:
            self.skipped["event without id"] += 1
            return
        self.rows += 1
        self._put(self.events, event_id, {key: row[key] for key in row if key != "markets"})
        self._listed_events.add(event_id)
        for tag in rows_of(row, "tags"):
            self.tags.setdefault(text_of(tag, "id"), tag)
        for series in rows_of(row, "series"):
            self.series.setdefault(text_of(series, "id"), series)
        for market in rows_of(row, "markets"):
            self._add_market(market, event_id)

    def _add_market(self, row: Row, event_id: str | None = None) -> None:
        market_id = text_of(row, "id")
        if not market_id:
            self.skipped["market without id"] += 1
            return
        self.rows += 1
        self._put(self.markets, market_id, {key: row[key] for key in row if key != "events"})
        if event_id is not None:
            self.event_of_market[market_id] = event_id
            return
        for event in rows_of(row, "events"):
            parent_id = text_of(event, "id")
            if parent_id:
                self.event_of_market.setdefault(market_id, parent_id)
                self._put_part(parent_id, event)
                for series in rows_of(event, "series"):
                    self.series.setdefault(text_of(series, "id"), series)
                return

    def _put(self, rows: dict[str, Row], row_id: str, row: Row) -> None:
        known = rows.get(row_id)
        if known is not None and rows is self.markets:
            self.merged += 1
        is_part = rows is self.events and row_id not in self._listed_events
        if known is None or is_part or _is_newer(row, known):
            rows[row_id] = row

    def _put_part(self, event_id: str, part: Row) -> None:
        known = self.events.get(event_id, {})
        is_newer = _is_newer(part, known)
        self.events[event_id] = {**known, **part} if is_newer else {**part, **known}


def _is_newer(row: Row, known: Row) -> bool:
    """Whether a row replaces another: of rows without a date the later one is kept."""
    changed, before = moment_of(row, "updatedAt"), moment_of(known, "updatedAt")
    return before is None or (changed is not None and changed >= before)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReport:
    """Statistics about recorded files."""

    files: int
    rows: int
    """Event and market rows found, copies included."""
    events: int
    markets: int
    merged: int
    """Market rows that were another version of a known row."""
    skipped: Mapping[str, int]
    """Number of rows left out, by reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedCatalogue:
    """A catalogue from recorded files, with statistics about reading them."""

    catalogue: Catalogue
    report: LoadReport


class _PackagedEvent(msgspec.Struct):
    period_s: int
    row: msgspec.Raw


class _Packaged(msgspec.Struct):
    """The packaged file: events separately, because each moves in time by its own step."""

    events: list[_PackagedEvent]
    extras: msgspec.Raw


class _PackagedExtras(msgspec.Struct):
    tags: list[dict[str, object]]
    series: list[dict[str, object]]
    comments: list[dict[str, object]]
    profiles: list[dict[str, object]]
    teams: list[dict[str, object]]
    sports: list[dict[str, object]]


def load_packaged(now: datetime) -> Catalogue:
    """Load the catalogue that ships with pmtui, moved to the present.

    Args:
        now: Aware. Events recur with their own period, so that a daily market's statement about
            tomorrow stays true; the five-minute windows around this moment are added.
    """
    packed = resources.files("pmtui.sim.catalogue").joinpath(PACKAGED_NAME).read_bytes()
    packaged = msgspec.json.decode(gzip.decompress(packed), type=_Packaged)
    extras = msgspec.json.decode(
        dates.fill(bytes(packaged.extras), dates.moved_anchor(now, dates.DAY_S)),
        type=_PackagedExtras,
    )
    decoder = msgspec.json.Decoder(dict[str, object])
    events = [
        _read_packaged(
            decoder.decode(dates.fill(bytes(one.row), dates.moved_anchor(now, one.period_s)))
        )
        for one in packaged.events
    ]
    windows = rolling.windows_between(now - _WINDOWS_BEHIND, now + _WINDOWS_AHEAD, now=now)
    return Catalogue(
        [*windows, *events],
        extras=Extras(
            tags=(*extras.tags, *rolling.tag_rows()),
            series=(*extras.series, *rolling.series_rows(now)),
            comments=tuple(extras.comments),
            profiles=tuple(extras.profiles),
            teams=tuple(extras.teams),
            sports=tuple(extras.sports),
        ),
    )


def _read_packaged(row: Row) -> CatalogueEvent:
    event_id = EventId(text_of(row, "id"))
    return read_event(row, [read_market(market, event_id) for market in rows_of(row, "markets")])


def load_recorded(paths: Iterable[Path]) -> LoadedCatalogue:
    """Load recorded replies of the metadata host.

    Raises:
        CatalogueFileError: a file cannot be read, or contains no JSON; malformed rows are counted
            in the report instead.
    """
    rows = RecordedRows()
    files = 0
    for path in paths:
        rows.add_file(path)
        files += 1
    catalogue = catalogue_of(rows)
    report = LoadReport(
        files=files,
        rows=rows.rows,
        events=len(catalogue.events),
        markets=len(catalogue.markets),
        merged=rows.merged,
        skipped=dict(rows.skipped),
    )
    return LoadedCatalogue(catalogue=catalogue, report=report)


def catalogue_of(
    rows: RecordedRows, *, wanted: Callable[[CatalogueMarket], bool] | None = None
) -> Catalogue:
    """Return the catalogue of recorded rows; events without a wanted market are left out.

    Args:
        rows: from recorded replies.
        wanted: whether to list a market; None for all markets and events.
    """
    groups = {
        event_id: [market for market in markets if wanted is None or wanted(market)]
        for event_id, markets in _grouped(rows).items()
    }
    return Catalogue(
        (
            read_event(rows.events[event_id], markets)
            for event_id, markets in groups.items()
            if markets or wanted is None
        ),
        extras=Extras(tags=tuple(rows.tags.values()), series=tuple(rows.series.values())),
    )


def _grouped(rows: RecordedRows) -> dict[str, list[CatalogueMarket]]:
    groups: dict[str, list[CatalogueMarket]] = {event_id: [] for event_id in rows.events}
    taken: Counter[str] = Counter()
    for market_id, row in rows.markets.items():
        event_id = rows.event_of_market.get(market_id)
        if event_id is None:
            event_id = _invent_event(rows, row)
            groups[event_id] = []
        market = read_market(row, EventId(event_id))
        names = [name for name in (market.condition_id, *market.token_ids) if name]
        if len(set(names)) < len(names) or any(taken[name] for name in names):
            rows.skipped["condition or token id of another market"] += 1
            continue
        taken.update(names)
        groups[event_id].append(market)
    return groups


def _invent_event(rows: RecordedRows, market: Row) -> str:
    """Create the event of a market that was recorded without one."""
    event_id = f"90{text_of(market, 'id')}"
    while event_id in rows.events:
        event_id = f"9{event_id}"
    kept = ("slug", "description", "image", "icon", "startDate", "endDate", "active", "closed")
    event: dict[str, object] = {key: market[key] for key in kept if key in market}
    event.update(id=event_id, ticker=event.get("slug", ""), title=text_of(market, "question"))
    event["negRisk"] = market.get("negRisk") is True
    rows.events[event_id] = event
    return event_id
