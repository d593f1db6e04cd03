"""Loads the packaged catalogue or recorded pages into the venue's model."""

import gzip
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib import resources
from pathlib import Path

import msgspec

from pmtui.domain.ids import EventId
from pmtui.sim.catalogue import dates, rolling
from pmtui.sim.catalogue.gamma import read_event, read_market, rows_of, text_of
from pmtui.sim.catalogue.model import (
    Catalogue,
    CatalogueEvent,
    CatalogueMarket,
    Extras,
    Row,
)
from pmtui.sim.catalogue.recorded import RecordedRows

PACKAGED_NAME = "catalogue.json.gz"
_WINDOWS_BEHIND = timedelta(minutes=30)
_WINDOWS_AHEAD = timedelta(minutes=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReport:
    """What was found in recorded files."""

    files: int
    rows: int
    """Event and market rows seen, copies included."""
    events: int
    markets: int
    merged: int
    """Market rows that were another version of a row already seen."""
    skipped: Mapping[str, int]
    """Reason to count of what was left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedCatalogue:
    """A catalogue from recorded files, and the account of reading it."""

    catalogue: Catalogue
    report: LoadReport


class _PackagedEvent(msgspec.Struct):
    period_s: int
    row: msgspec.Raw


class _Packaged(msgspec.Struct):
    """The packaged file: events apart, because each moves in time by steps of its own."""

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
        now: Aware. Events recur with a period of their own, so what a daily market says about
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
    """Load recorded answers of the metadata host.

    Raises:
        CatalogueFileError: a file cannot be read, or holds no JSON at all; odd rows are counted
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
    """Return the catalogue of recorded rows; events without a market that is wanted are left out.

    Args:
        rows: from recorded answers.
        wanted: which markets to list; None for all, and for all events.
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
    """Make the event of a market that was recorded without one."""
    event_id = f"90{text_of(market, 'id')}"
    while event_id in rows.events:
        event_id = f"9{event_id}"
    kept = ("slug", "description", "image", "icon", "startDate", "endDate", "active", "closed")
    event: dict[str, object] = {key: market[key] for key in kept if key in market}
    event.update(id=event_id, ticker=event.get("slug", ""), title=text_of(market, "question"))
    event["negRisk"] = market.get("negRisk") is True
    rows.events[event_id] = event
    return event_id
