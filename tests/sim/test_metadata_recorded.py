"""The metadata host over recorded rows: it answers with what it was given."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pmtui.sim.catalogue.load import load_recorded
from pmtui.sim.catalogue.model import Catalogue
from tests.sim.metadata_client import CatalogueNumbers, MetadataClient


@pytest.fixture(scope="module")
def catalogue(shared_dir: Path) -> Catalogue:
    return load_recorded(sorted((shared_dir / "data" / "gamma").iterdir())).catalogue


@pytest.fixture(scope="module")
def host(catalogue: Catalogue) -> MetadataClient:
    numbers = CatalogueNumbers(datetime(2026, 11, 21, tzinfo=UTC))
    return MetadataClient(catalogue, numbers)


@pytest.mark.no_cover
def test_a_walk_by_keyset_meets_every_recorded_market(
    host: MetadataClient, catalogue: Catalogue
) -> None:
    ids = []
    for closed in ("false", "true"):
        params = {"limit": "100", "closed": closed}
        while True:
            body = host.get("/markets/keyset", params=params).json()
            ids += [row["id"] for row in body["markets"]]
            if "next_cursor" not in body:
                break
            params["after_cursor"] = body["next_cursor"]
    assert sorted(ids) == sorted(market.market_id for market in catalogue.markets)


def test_a_recorded_row_comes_back_unchanged(host: MetadataClient, catalogue: Catalogue) -> None:
    for market in catalogue.markets[::211]:
        row = host.get(f"/markets/{market.market_id}").json()
        assert row.pop("events")
        assert row == dict(market.raw)


def test_recorded_events_are_searched_and_ordered(host: MetadataClient) -> None:
    answer = host.get("/public-search?q=bitcoin&limit_per_type=5").json()
    assert len(answer["events"]) == 5
    rows = host.get("/events?order=volume24hr&ascending=false&limit=50").json()
    volumes = [row["volume24hr"] for row in rows if "volume24hr" in row]
    assert volumes == sorted(volumes, reverse=True)
