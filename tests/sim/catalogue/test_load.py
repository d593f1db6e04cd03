import gzip
import json
import random
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import pytest

from pmtui.domain.markets.market import Event
from pmtui.service.markets.event_list_cache import FILE, EventListFile
from pmtui.sim.catalogue.load import CatalogueFileError, LoadedCatalogue, load_recorded
from pmtui.sim.catalogue.model import Catalogue, CatalogueEvent, MarketState
from pmtui.sim.traders.habits import book_for
from pmtui.wire.gamma import decode_events


def _market(number: int, **more: object) -> dict[str, object]:
    return {
        "id": str(number),
        "question": f"Question {number}?",
        "slug": f"question-{number}",
        "conditionId": f"0x{number:064x}",
        "outcomes": '["Yes", "No"]',
        "outcomePrices": '["0.3", "0.7"]',
        "clobTokenIds": json.dumps([str(number * 10 + 1), str(number * 10 + 2)]),
        "active": True,
        "closed": False,
        "bestBid": 0.29,
        "bestAsk": 0.31,
        "updatedAt": "2026-03-11T20:00:00Z",
        **more,
    }


def _event(number: int, *markets: dict[str, object]) -> dict[str, object]:
    return {
        "id": str(number),
        "title": f"Event {number}",
        "slug": f"event-{number}",
        "tags": [{"id": "3", "label": "Three", "slug": "three"}],
        "series": [{"id": "8", "slug": "eight"}],
        "markets": list(markets),
    }


_Wrap = Callable[[dict[str, object], dict[str, object]], str]
_FORMS: dict[str, _Wrap] = {
    "a bare array of events": lambda one, two: json.dumps([one, two]),
    "an indented array": lambda one, two: json.dumps([one, two], indent=1),
    "an object with data": lambda one, two: json.dumps({"data": [one, two]}),
    "an object with events": lambda one, two: json.dumps({"events": [one, two]}),
    "a search answer": lambda one, two: json.dumps(
        {"events": [one, two], "tags": None, "pagination": {"hasMore": False}}
    ),
    "pages with a body on each line": lambda one, two: "\n".join(
        json.dumps({"offset": offset, "body": [row]}) for offset, row in ((0, one), (25, two))
    ),
    "one object on each line": lambda one, two: "\n\n".join(map(json.dumps, (one, two))),
    "rows in raw": lambda one, two: json.dumps([{"asset": "x", "raw": row} for row in (one, two)]),
}


@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize("is_packed", [True, False])
def test_each_form_of_a_file_gives_the_same_catalogue(
    tmp_path: Path, form: str, is_packed: bool
) -> None:
    text = _FORMS[form](_event(1, _market(11), _market(12)), _event(2, _market(21)))
    path = tmp_path / "rows"
    path.write_bytes(gzip.compress(text.encode()) if is_packed else text.encode())
    loaded = load_recorded([path])
    assert [event.event_id for event in loaded.catalogue.events] == ["1", "2"]
    assert [market.market_id for market in loaded.catalogue.markets] == ["11", "12", "21"]
    assert loaded.report.skipped == {}
    assert (loaded.report.files, loaded.report.rows) == (1, 5)
    assert [tag["id"] for tag in loaded.catalogue.extras.tags] == ["3"]
    assert [row["id"] for row in loaded.catalogue.extras.series] == ["8"]


def _load(tmp_path: Path, *values: object) -> LoadedCatalogue:
    paths = []
    for number, value in enumerate(values):
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_text(json.dumps(value))
    return load_recorded(paths)


def test_a_single_object_is_enough(tmp_path: Path) -> None:
    assert len(_load(tmp_path, _market(5)).catalogue.markets) == 1
    assert len(_load(tmp_path, _event(5)).catalogue.events) == 1


def test_markets_are_grouped_in_the_event_they_carry(tmp_path: Path) -> None:
    event = {"id": "4", "title": "Four", "slug": "four", "series": [{"id": "2", "slug": "two"}]}
    loaded = _load(tmp_path, [_market(41, events=[event]), _market(42, events=[event])])
    [only] = loaded.catalogue.events
    assert only.title == "Four"
    assert [market.market_id for market in only.markets] == ["41", "42"]
    assert "events" not in only.markets[0].raw


def test_a_market_without_event_gets_one_of_its_own(tmp_path: Path) -> None:
    loaded = _load(tmp_path, [_market(7, negRisk=True), _event(907)])
    market = loaded.catalogue.market("7")
    assert market is not None
    event = loaded.catalogue.event_of(market)
    assert event.event_id not in {"907", "7"}
    assert event.title == "Question 7?"
    assert event.neg_risk


def test_of_two_versions_the_newer_is_taken_whole(tmp_path: Path) -> None:
    old = _market(1, image="old.png", bestBid=0.1, updatedAt="2026-03-01T00:00:00Z")
    new = _market(1, bestBid=0.2, updatedAt="2026-03-02T00:00:00Z")
    # A fraction of a second makes it newer, which a comparison of texts would miss.
    later = _market(1, bestAsk=0.3, updatedAt="2026-03-02T00:00:00.5Z")
    for pair in ([old, new], [new, old]):
        loaded = _load(tmp_path, *pair)
        [market] = loaded.catalogue.markets
        assert market.raw["bestBid"] == 0.2
        assert "image" not in market.raw
        assert loaded.report.merged == 1
    [market] = _load(tmp_path, later, new).catalogue.markets
    assert market.raw["bestAsk"] == 0.3


def test_of_two_recordings_of_an_event_the_newer_is_taken_whole(tmp_path: Path) -> None:
    old = {"id": "7", "title": "Old", "closedTime": "x", "updatedAt": "2026-03-01T00:00:00Z"}
    new = {"id": "7", "title": "New", "updatedAt": "2026-03-02T00:00:00Z"}
    for pair in ([old, new], [new, old]):
        loaded = _load(tmp_path, *pair)
        [event] = loaded.catalogue.events
        assert event.title == "New"
        assert "closedTime" not in event.raw
    part = _market(1, events=[{"id": "7", "title": "Newest", "updatedAt": "2026-03-03T00:00:00Z"}])
    tagged = {**old, "tags": [{"id": "3", "label": "Weather"}]}
    [event] = _load(tmp_path, tagged, part).catalogue.events
    assert (event.title, len(event.tag_ids)) == ("Newest", 1)


def test_odd_rows_are_counted_with_their_reason(tmp_path: Path) -> None:
    twin = _market(2) | {"id": "3"}
    rows = [
        _market(2),
        twin,
        _market(4, clobTokenIds='["9", "9"]'),
        {"question": "no id"},
        {"title": "no id", "id": "", "markets": []},
        {"hello": 1},
        17,
        None,
        _market(6, outcomes=None, conditionId=None, clobTokenIds=3, endDate=5, bestBid="x"),
    ]
    loaded = _load(tmp_path, rows)
    assert loaded.report.skipped == {
        "condition or token id of another market": 2,
        "market without id": 1,
        "event without id": 1,
        "neither event nor market": 1,
        "not an object": 2,
    }
    kept = {market.market_id: market.state for market in loaded.catalogue.markets}
    assert kept == {"2": MarketState.OPEN, "6": MarketState.LEGACY}


def test_broken_lines_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text(f"{json.dumps(_market(1))}\n{{broken\n")
    report = load_recorded([path]).report
    assert (report.markets, dict(report.skipped)) == (1, {"line is not JSON": 1})


@pytest.mark.parametrize("content", [b"", b"hello", b"\x1f\x8b broken"])
def test_a_file_without_any_json_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "nothing"
    path.write_bytes(content)
    with pytest.raises(CatalogueFileError, match="nothing"):
        load_recorded([path])


@pytest.mark.parametrize(
    "content", [b"{}", b"null", b"[]", b'{"orders": [{"id": "1"}]}', b'{"data": [{"tokens": []}]}']
)
def test_a_file_of_nothing_of_the_host_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(CatalogueFileError, match=r"other\.json: holds no events, markets or tags"):
        load_recorded([path])


def test_a_second_copy_of_a_file_is_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "tags.json"
    path.write_text(json.dumps([{"id": "3", "label": "Three", "slug": "three"}]))
    assert len(load_recorded([path, path]).catalogue.extras.tags) == 1


def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "marked.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(_event(1, _market(1))).encode())
    assert load_recorded([path]).report.markets == 1


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CatalogueFileError, match="absent"):
        load_recorded([tmp_path / "absent"])


@pytest.fixture(scope="module")
def everything(shared_dir: Path) -> LoadedCatalogue:
    # Time on the processor: a busy machine is no reason to fail.
    started = time.process_time()
    loaded = load_recorded(sorted((shared_dir / "data" / "gamma").iterdir()))
    assert time.process_time() - started < 2.0
    return loaded


def test_every_recorded_list_loads_together(everything: LoadedCatalogue) -> None:
    report = everything.report
    assert report.files == 14
    assert report.markets > 4_000
    assert report.skipped == {}
    assert report.events > 1_000
    assert report.rows - report.merged >= report.markets


def test_recorded_markets_keep_their_state(everything: LoadedCatalogue) -> None:
    states = [market.state for market in everything.catalogue.markets]
    assert states.count(MarketState.OPEN) > 3_500
    assert states.count(MarketState.RESOLVED) > 200
    for market in everything.catalogue.markets:
        if market.raw["closed"] is True:
            assert not market.is_tradable


def test_every_open_recorded_market_gets_a_book(everything: LoadedCatalogue) -> None:
    for market in everything.catalogue.markets:
        if market.is_tradable:
            assert len(market.token_ids) == 2
            assert book_for(market, random.Random(market.market_id))


def test_each_recorded_file_loads_alone(shared_dir: Path) -> None:
    for path in sorted((shared_dir / "data" / "gamma").iterdir()):
        loaded = load_recorded([path])
        assert loaded.report.skipped == {}, path
        assert loaded.catalogue.markets or loaded.catalogue.extras.tags, path


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
