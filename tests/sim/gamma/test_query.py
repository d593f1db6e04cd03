"""Keyset paging: every row once, then an end, whatever the order and the page size."""

import base64
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmtui.sim.catalogue.load import load_packaged
from pmtui.sim.catalogue.model import Catalogue, CatalogueEvent
from tests.sim.metadata_client import CatalogueNumbers, MetadataClient

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    whole = load_packaged(NOW)
    return Catalogue(whole.events[50:110], extras=whole.extras)


@pytest.fixture(scope="module")
def host(catalogue: Catalogue) -> MetadataClient:
    return MetadataClient(catalogue, CatalogueNumbers(NOW))


def _walk(
    host: MetadataClient, path: str, key: str, params: dict[str, str]
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    cursors = set()
    asked = dict(params)
    while True:
        answer = host.get(path, params=asked)
        assert answer.status_code == 200, answer.text
        body = answer.json()
        rows.extend(body[key])
        if "next_cursor" not in body:
            return rows
        assert len(body[key]) == int(params["limit"])
        assert body["next_cursor"] not in cursors
        cursors.add(body["next_cursor"])
        asked["after_cursor"] = body["next_cursor"]


@settings(max_examples=25)
@given(
    limit=st.integers(1, 100),
    order=st.sampled_from(["", "volume", "volumeNum", "endDate", "question,id", "spread,slug"]),
    ascending=st.booleans(),
    closed=st.booleans(),
)
@pytest.mark.no_cover
def test_market_pages_hold_every_market_once_and_stop(
    host: MetadataClient,
    catalogue: Catalogue,
    limit: int,
    order: str,
    ascending: bool,
    closed: bool,
) -> None:
    params = {
        "limit": str(limit),
        "order": order,
        "ascending": str(ascending).lower(),
        "closed": str(closed).lower(),
    }
    rows = _walk(host, "/markets/keyset", "markets", params)
    expected = [one.market_id for one in catalogue.markets if one.raw["closed"] is closed]
    assert sorted(row["id"] for row in rows) == sorted(expected)
    by_offset = host.get("/markets", params={**params, "limit": "500"}).json()
    assert [row["id"] for row in rows] == [row["id"] for row in by_offset]


@settings(max_examples=15)
@given(
    limit=st.integers(1, 500),
    order=st.sampled_from(["", "volume", "title", "startDate", "competitive"]),
    ascending=st.booleans(),
    path=st.sampled_from(["/events/keyset", "/events-keyset"]),
)
def test_event_pages_hold_every_event_once_and_stop(
    host: MetadataClient, catalogue: Catalogue, limit: int, order: str, ascending: bool, path: str
) -> None:
    params = {"limit": str(limit), "order": order, "ascending": str(ascending).lower()}
    rows = _walk(host, path, "events", params)
    assert sorted(row["id"] for row in rows) == sorted(one.event_id for one in catalogue.events)


def test_the_other_dialect_names_the_cursor_keyset_id(host: MetadataClient) -> None:
    first = host.get("/markets-keyset?limit=3").json()
    second = host.get(
        "/markets-keyset", params={"limit": "3", "keyset_id": first["next_cursor"]}
    ).json()
    ids = [row["id"] for row in first["markets"] + second["markets"]]
    assert len(set(ids)) == 6


def test_an_offset_is_refused(host: MetadataClient) -> None:
    for path in ("/markets/keyset", "/events/keyset", "/comments/keyset"):
        answer = host.get(f"{path}?offset=5")
        assert answer.status_code == 422
        assert answer.json() == {
            "type": "validation error",
            "error": "offset is not allowed on keyset endpoints",
        }


def test_a_parameter_called_cursor_is_ignored(host: MetadataClient) -> None:
    first = host.get("/markets/keyset?limit=3").json()
    again = host.get(
        "/markets/keyset", params={"limit": "3", "cursor": first["next_cursor"]}
    ).json()
    assert [row["id"] for row in again["markets"]] == [row["id"] for row in first["markets"]]


def _forged() -> list[str]:
    texts = ["[]", '["x",[]]', '["",["a"]]', '["limit=3",[[false,0,1,""]]]', "{}"]
    return ["%%%", "abc", *(base64.urlsafe_b64encode(text.encode()).decode() for text in texts)]


@pytest.mark.parametrize("cursor", _forged())
def test_a_broken_cursor_is_refused(host: MetadataClient, cursor: str) -> None:
    answer = host.get("/markets/keyset", params={"after_cursor": cursor})
    assert answer.status_code == 400
    assert answer.json()["type"] == "validation error"


def test_a_cursor_belongs_to_its_filters_and_direction(host: MetadataClient) -> None:
    cursor = host.get("/markets/keyset?limit=3&order=spread").json()["next_cursor"]
    for query in ("limit=3", "limit=3&order=spread&ascending=false", "limit=3&order=slug"):
        answer = host.get(f"/markets/keyset?{query}&after_cursor={cursor}")
        assert answer.status_code == 400
    assert (
        host.get(f"/markets/keyset?limit=9&order=spread&after_cursor={cursor}").status_code == 200
    )


def test_rows_that_come_and_go_between_pages_neither_repeat_nor_hide_others() -> None:
    whole = load_packaged(NOW)
    catalogue = Catalogue(whole.events[60:80])
    client = MetadataClient(catalogue, CatalogueNumbers(NOW))
    first = client.get("/events/keyset?limit=7").json()
    newcomers: list[CatalogueEvent] = list(whole.events[80:90])
    for event in newcomers:
        catalogue.add_event(event)
    rest = client.get(
        "/events/keyset", params={"limit": "500", "after_cursor": first["next_cursor"]}
    ).json()
    ids = [row["id"] for row in first["events"] + rest["events"]]
    assert len(ids) == len(set(ids))
    assert {event.event_id for event in whole.events[60:80]} <= set(ids)


def test_comment_pages_hold_every_comment_once(host: MetadataClient, catalogue: Catalogue) -> None:
    rows = _walk(host, "/comments/keyset", "comments", {"limit": "17"})
    assert len(rows) == len(catalogue.extras.comments)
    numbers = [int(row["id"]) for row in rows]
    assert numbers == sorted(numbers)


def test_cursors_are_opaque_but_carry_no_offset(host: MetadataClient) -> None:
    cursor = host.get("/markets/keyset?limit=3").json()["next_cursor"]
    decoded = json.loads(base64.urlsafe_b64decode(cursor + "=="))
    assert isinstance(decoded, list)
