"""The metadata host over the packaged catalogue: lists, single rows, filters, refusals."""

from datetime import UTC, datetime

import pytest

from pmtui.sim.catalogue.load import load_packaged
from pmtui.sim.catalogue.model import Catalogue, MarketState
from pmtui.sim.catalogue.rolling import WINDOW, windows_between
from tests.sim.metadata_client import CatalogueNumbers, MetadataClient

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_packaged(NOW)


@pytest.fixture(scope="module")
def host(catalogue: Catalogue) -> MetadataClient:
    return MetadataClient(catalogue, CatalogueNumbers(NOW))


@pytest.mark.parametrize("path", ["/", "/status"])
def test_the_host_says_it_is_there(host: MetadataClient, path: str) -> None:
    assert host.get(path).text == "OK"


def test_lists_are_bare_arrays_in_the_order_of_ids(host: MetadataClient) -> None:
    for path in ("/markets", "/events"):
        rows = host.read(path, limit=30)
        numbers = [int(row["id"]) for row in rows]
        assert len(numbers) == 30
        assert numbers == sorted(numbers)
        assert host.read(path, limit=10, offset=10) == rows[10:20]
    assert len(host.read("/markets")) == 20


def test_an_event_carries_its_markets_and_a_market_its_event(host: MetadataClient) -> None:
    event = host.read("/events", limit=1, offset=40)[0]
    assert event["markets"]
    assert all("events" not in market for market in event["markets"])
    market = host.read(f"/markets/{event['markets'][0]['id']}")
    assert [inner["id"] for inner in market["events"]] == [event["id"]]
    assert "markets" not in market["events"][0]


def test_closed_markets_are_hidden_unless_asked_for(host: MetadataClient) -> None:
    assert not any(row["closed"] for row in host.read("/markets", limit=500))
    closed = host.read("/markets", limit=500, closed="true")
    assert closed
    assert all(row["closed"] for row in closed)
    assert host.read("/events", limit=5, closed="true")[0]["closed"]


def test_the_volume_of_markets_sorts_as_text_and_volume_num_as_a_number(
    host: MetadataClient,
) -> None:
    texts = [row["volume"] for row in host.read("/markets", order="volume", limit=300)]
    assert texts == sorted(texts)
    assert texts != sorted(texts, key=float)
    numbers = [
        row["volumeNum"]
        for row in host.read("/markets", order="volumeNum", ascending="false", limit=300)
    ]
    assert numbers == sorted(numbers, reverse=True)


def test_events_sort_by_number_and_rows_without_a_value_come_last(host: MetadataClient) -> None:
    rows = host.read("/events", order="volume", ascending="false", limit=500)
    volumes = [row.get("volume") for row in rows]
    present = [volume for volume in volumes if volume is not None]
    assert present == sorted(present, reverse=True)
    assert volumes[len(present) :] == [None] * (len(volumes) - len(present))
    assert len(volumes) > len(present)


def test_several_order_fields_and_names_with_underscores_are_understood(
    host: MetadataClient,
) -> None:
    rows = host.read("/markets", order="sports_market_type,volume_num", limit=400)
    pairs = [
        (row["sportsMarketType"], row["volumeNum"])
        for row in rows
        if "sportsMarketType" in row and "volumeNum" in row
    ]
    assert len({kind for kind, _ in pairs}) > 2
    assert pairs == sorted(pairs)


def test_single_rows_are_found_by_every_name(host: MetadataClient, catalogue: Catalogue) -> None:
    market = next(one for one in catalogue.markets if one.is_tradable and not one.is_window)
    for path in (
        f"/markets/{market.market_id}",
        f"/markets/{market.slug}",
        f"/markets/slug/{market.slug}",
        f"/markets/token/{market.token_ids[1]}",
    ):
        assert host.read(path)["conditionId"] == market.condition_id
    event = catalogue.event_of(market)
    for path in (f"/events/{event.event_id}", f"/events/slug/{event.slug}"):
        assert host.read(path)["title"] == event.title
    assert host.read("/events", slug=event.slug, limit=1)[0]["id"] == event.event_id


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/markets/99999999", "market not found"),
        ("/markets/slug/nothing", "market not found"),
        ("/markets/token/5", "market not found"),
        ("/markets/99999999/tags", "market not found"),
        ("/events/99999999", "event not found"),
        ("/events/slug/nothing", "event not found"),
        ("/events/99999999/tags", "event not found"),
    ],
)
def test_what_does_not_exist_is_not_found(host: MetadataClient, path: str, text: str) -> None:
    answer = host.get(path)
    assert answer.status_code == 404
    assert answer.json() == {"type": "not found error", "error": text}


def test_markets_are_filtered_by_their_ids(host: MetadataClient, catalogue: Catalogue) -> None:
    chosen = [one for one in catalogue.markets if one.is_tradable][3:6]
    ids = [market.market_id for market in chosen]
    for name, values in (
        ("id", ids),
        ("slug", [market.slug for market in chosen]),
        ("clob_token_ids", [market.token_ids[0] for market in chosen]),
        ("condition_ids", [market.condition_id.upper().replace("0X", "0x") for market in chosen]),
        ("question_ids", [market.question_id for market in chosen]),
    ):
        rows = host.get("/markets", params={name: values}).json()
        assert sorted(row["id"] for row in rows) == sorted(ids), name
        assert host.get("/markets", params={name: "77"}).json() == []


def test_two_identifying_filters_must_both_hold(host: MetadataClient, catalogue: Catalogue) -> None:
    one, other = [market for market in catalogue.markets if market.is_tradable][3:5]
    both = {"clob_token_ids": one.token_ids[0], "condition_ids": other.condition_id}
    assert host.get("/markets", params=both).json() == []


def test_markets_are_filtered_by_amounts_dates_and_kind(host: MetadataClient) -> None:
    rich = host.read("/markets", volume_num_min=50_000, volume_num_max=90_000, limit=500)
    assert rich
    assert all(50_000 <= row["volumeNum"] <= 90_000 for row in rich)
    liquid = host.read("/markets", liquidity_num_min="1000.5", limit=500)
    assert all(row["liquidityNum"] >= 1000.5 for row in liquid)
    soon = host.read("/markets", end_date_max="2026-11-25T00:00:00Z", limit=500)
    assert soon
    assert all(row["endDate"] <= "2026-11-25T00:00:00Z" for row in soon)
    fresh = host.read("/markets", start_date_min="2026-11-10", limit=500)
    assert all(row["startDate"] >= "2026-11-10" for row in fresh)
    totals = host.read("/markets", sports_market_types="totals", limit=500)
    assert {row["sportsMarketType"] for row in totals} == {"totals"}
    assert host.read("/markets", active="false") == []
    assert host.read("/markets", cyom="true") == []
    assert host.read("/markets", uma_resolution_status="disputed")


def test_tags_filter_markets_and_events(host: MetadataClient, catalogue: Catalogue) -> None:
    weather = next(tag for tag in catalogue.extras.tags if tag["label"] == "Weather")
    events = host.read("/events", tag_id=weather["id"], limit=500)
    assert events
    assert all("weather" in {tag["slug"] for tag in event["tags"]} for event in events)
    assert host.read("/events", tag_slug="weather", limit=500) == events
    markets = host.read("/markets", tag_id=weather["id"], limit=500, include_tag="true")
    assert all("weather" in {tag["slug"] for tag in row["tags"]} for row in markets)
    related = host.read("/events", tag_id=weather["id"], related_tags="true", limit=500)
    assert len(related) >= len(events)
    rest = host.read("/events", exclude_tag_id=weather["id"], limit=500)
    assert len(rest) + len(events) == len(catalogue.events)
    assert host.read("/events", tag_slug="no-such-tag") == []


def test_events_are_filtered_by_what_they_are(host: MetadataClient, catalogue: Catalogue) -> None:
    series = next(one for one in catalogue.extras.series if one["slug"] == "daily-highs")
    daily = host.read("/events/keyset", series_id=series["id"], limit=500)["events"]
    assert daily
    assert all(event["seriesSlug"] == "daily-highs" for event in daily)
    recurring = host.read("/events", recurrence="daily", limit=500)
    assert {event["id"] for event in daily} <= {event["id"] for event in recurring}
    titled = host.read("/events/keyset", title_search="central bank DECISION")["events"]
    assert all("Central Bank decision" in event["title"] for event in titled)
    played = host.read("/events", ended="true", limit=500)
    assert played
    assert all(event["closed"] for event in played)
    game = played[0]
    found = host.read("/events/keyset", game_id=game["gameId"])["events"]
    assert game["id"] in {event["id"] for event in found}
    later = host.read("/events/keyset", start_time_min="2026-11-23T00:00:00Z", limit=500)["events"]
    assert all(event["startTime"] >= "2026-11-23" for event in later)
    big = host.read("/events", volume_min=1_000_000, liquidity_min=1, limit=500)
    assert all(event["volume"] >= 1_000_000 for event in big)


def test_every_tag_asked_for_must_be_there_with_match_all(
    host: MetadataClient, catalogue: Catalogue
) -> None:
    tags = {str(tag["label"]): str(tag["id"]) for tag in catalogue.extras.tags}
    asked = {"tag_id": [tags["Politics"], tags["Local"]], "limit": "500"}
    some = host.get("/events/keyset", params=asked).json()["events"]
    both = host.get("/events/keyset", params={**asked, "tag_match": "all"}).json()["events"]
    assert 0 < len(both) < len(some)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/markets?limit=many", 400),
        ("/markets?limit=-1", 400),
        ("/markets?offset=1e3", 400),
        ("/markets?closed=perhaps", 400),
        ("/markets?id=abc", 400),
        ("/markets?volume_num_min=lots", 400),
        ("/markets?end_date_max=tomorrow", 400),
        ("/markets?order=beauty", 422),
        ("/events?tag_id=x", 400),
        ("/events/keyset?tag_match=none", 400),
        ("/markets/keyset?limit=101", 422),
        ("/markets/keyset?limit=0", 422),
        ("/events/keyset?limit=501", 422),
        ("/public-search", 400),
        ("/public-search?q=x&sort=beauty", 400),
        ("/public-search?q=x&limit_per_type=0", 400),
        ("/public-profile", 400),
        ("/comments?offset=201", 422),
        ("/comments?parent_entity_type=Planet", 400),
        ("/tags/101/related-tags?status=odd", 400),
    ],
)
def test_bad_values_are_refused_in_the_hosts_form(
    host: MetadataClient, path: str, status: int
) -> None:
    answer = host.get(path)
    assert answer.status_code == status
    assert answer.json()["type"] == "validation error"
    assert answer.json()["error"]


def test_too_many_values_of_one_key_are_refused(host: MetadataClient) -> None:
    values = {"condition_ids": [f"0x{number:064x}" for number in range(101)]}
    assert host.get("/markets", params=values).status_code == 422


def test_moments_are_understood_with_and_without_zone(host: MetadataClient) -> None:
    spelled = (
        "2026-12-01T00:00:00Z",
        "2026-12-01T00:00:00+00:00",
        "2026-12-01",
        "2026-12-01T00:00",
    )
    answers = [host.get(f"/markets?limit=500&end_date_min={moment}").json() for moment in spelled]
    assert all(answer == answers[0] for answer in answers)
    assert answers[0]


def test_windows_added_while_the_host_runs_are_served() -> None:
    catalogue = load_packaged(NOW)
    client = MetadataClient(catalogue, CatalogueNumbers(NOW))
    start = datetime(2026, 11, 21, 12, tzinfo=UTC)
    [added, *_] = windows_between(start, start + WINDOW, now=NOW)
    assert client.get(f"/events/{added.event_id}").status_code == 404
    assert client.read("/public-search", q=added.title)["events"] == []
    assert catalogue.add_event(added)
    assert client.read(f"/events/{added.event_id}")["title"] == added.title
    assert client.read(f"/markets/slug/{added.markets[0].slug}")["events"]
    assert len(client.read("/public-search", q=added.title)["events"]) == 1


def test_rows_of_every_state_are_readable_one_by_one(
    host: MetadataClient, catalogue: Catalogue
) -> None:
    for state in MarketState:
        market = next(one for one in catalogue.markets if one.state is state)
        assert host.read(f"/markets/{market.market_id}")["question"] == market.question
