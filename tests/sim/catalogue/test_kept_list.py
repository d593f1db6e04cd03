"""The terminal's own list of the last session is a catalogue: what it knows comes back whole."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import pytest

from pmtui.domain.markets.market import Event
from pmtui.service.markets.event_list_cache import FILE, EventListFile
from pmtui.sim.catalogue.load import CatalogueFileError, load_recorded
from pmtui.sim.catalogue.model import Catalogue, CatalogueEvent
from pmtui.wire.gamma import decode_events

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
AS_MANY = 40


def as_seen(events: list[CatalogueEvent]) -> list[Event]:
    """Return events as a terminal reads them from the metadata host."""
    rows = [{**event.raw, "markets": [market.raw for market in event.markets]} for event in events]
    read = decode_events(json.dumps(rows).encode())
    assert not read.skipped
    return list(read.items)


def without_prose(event: Event) -> Event:
    markets = tuple(replace(m, description="", resolution_source="") for m in event.markets)
    return replace(event, description="", resolution_source="", markets=markets)


def test_the_list_of_a_session_is_the_catalogue_of_a_venue(
    tmp_path: Path, packaged: Catalogue
) -> None:
    seen = as_seen(list(islice(packaged.events, AS_MANY)))
    EventListFile(tmp_path).write(seen, NOW)
    loaded = load_recorded([tmp_path / FILE])
    assert loaded.report.skipped == {}
    again = as_seen(list(loaded.catalogue.events))
    assert [without_prose(event) for event in seen] == again
    markets = {market.market_id: market for market in packaged.markets}
    assert loaded.catalogue.markets
    for market in loaded.catalogue.markets:
        known = markets[market.market_id]
        assert (market.token_ids, market.tick_size, market.state, market.neg_risk) == (
            known.token_ids, known.tick_size, known.state, known.neg_risk,
        )  # fmt: skip


@pytest.mark.parametrize("events", [[{"event_id": 5}], [7], {"a": 1}, "many"])
def test_a_list_of_another_version_is_refused_in_words(tmp_path: Path, events: object) -> None:
    path = tmp_path / FILE
    path.write_text(json.dumps({"format": 9, "seen_at": NOW.isoformat(), "events": events}))
    with pytest.raises(CatalogueFileError, match="holds no events, markets or tags"):
        load_recorded([path])
