"""Tags, series, comments, profiles, teams and sports."""

from datetime import UTC, datetime
from typing import Any

import pytest

from pmtui.sim.catalogue.gamma import text_of
from pmtui.sim.catalogue.load import load_packaged
from pmtui.sim.catalogue.model import Catalogue
from tests.sim.metadata_client import CatalogueNumbers, MetadataClient

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_packaged(NOW)


@pytest.fixture(scope="module")
def host(catalogue: Catalogue) -> MetadataClient:
    return MetadataClient(catalogue, CatalogueNumbers(NOW))


def test_tags_are_listed_and_read_by_id_and_slug(host: MetadataClient) -> None:
    rows = host.read("/tags", limit=100)
    assert len(rows) > 40
    tag = rows[3]
    for path in (f"/tags/{tag['id']}", f"/tags/slug/{tag['slug']}", f"/tags/{tag['slug']}"):
        assert host.read(path) == tag
    assert host.get("/tags/nothing").status_code == 404
    named = [row["label"] for row in host.read("/tags", order="label", limit=100)]
    assert named == sorted(named)
    assert all(row["isCarousel"] is True for row in host.read("/tags", is_carousel="true"))


def test_tags_of_an_event_and_of_a_market_agree(host: MetadataClient) -> None:
    event = host.read("/events", limit=1, offset=30)[0]
    tags = host.read(f"/events/{event['id']}/tags")
    assert tags == event["tags"]
    assert host.read(f"/markets/{event['markets'][0]['id']}/tags") == tags


def test_related_tags_come_as_relations_or_as_tags(host: MetadataClient) -> None:
    weather = host.read("/tags/slug/weather")
    relations = host.read("/tags/slug/weather/related-tags")
    assert [row["rank"] for row in relations] == list(range(1, len(relations) + 1))
    assert all(row["tagID"] == int(weather["id"]) for row in relations)
    tags = host.read(f"/tags/{weather['id']}/related-tags/tags")
    assert [int(tag["id"]) for tag in tags] == [row["relatedTagID"] for row in relations]
    assert "Temperature" in {tag["label"] for tag in tags}
    for path in (f"/tags/{weather['id']}/related-tags", "/tags/weather/related"):
        assert host.read(path) == relations
    closed = host.read("/tags/slug/weather/related-tags", status="closed")
    assert len(closed) <= len(relations)


def test_series_carry_their_events_unless_told_not_to(host: MetadataClient) -> None:
    rows = host.read("/series", limit=50)
    assert {"daily", "weekly", "monthly"} <= {row["recurrence"] for row in rows}
    daily = host.read("/series", slug="daily-highs")[0]
    assert daily["events"]
    assert all(event["seriesSlug"] == "daily-highs" for event in daily["events"])
    assert host.read(f"/series/{daily['id']}") == daily
    assert "events" not in host.read("/series", slug="daily-highs", exclude_events="true")[0]
    assert host.read("/series", recurrence="hourly") == []
    assert host.read("/series", closed="true") == []
    assert host.get("/series/1").status_code == 404


def test_teams_are_filtered_by_league_and_name(host: MetadataClient) -> None:
    league = host.read("/teams", league="cbl")
    assert len(league) == 12
    assert all(isinstance(team["id"], int) for team in league)
    one = league[4]
    assert host.read("/teams", name=one["name"].upper()) == [one]
    assert one in host.read("/teams", abbreviation=one["abbreviation"])
    assert host.read("/teams", provider_id=one["providerId"]) == [one]
    assert host.read("/teams", league="none") == []


def test_both_spellings_of_the_sports_routes_answer_alike(host: MetadataClient) -> None:
    assert host.read("/sports") == host.read("/sports-metadata")
    assert {row["sport"] for row in host.read("/sports")} >= {"cbl", "ncl"}
    kinds = host.read("/sports/market-types")
    assert kinds == host.read("/sports-market-types")
    assert {"moneyline", "spreads", "totals"} <= set(kinds["marketTypes"])


def _commented_event(host: MetadataClient) -> Any:
    events = host.read("/events", order="commentCount", ascending="false", limit=1)
    return events[0]


def test_comments_of_an_event_are_newest_first_with_replies_in_addition(
    host: MetadataClient,
) -> None:
    event = _commented_event(host)
    rows = host.read(
        "/comments", parent_entity_type="Event", parent_entity_id=event["id"], limit=100
    )
    assert len(rows) == event["commentCount"] > 3
    roots = [row for row in rows if "parentCommentID" not in row]
    stamps = [row["createdAt"] for row in roots]
    assert stamps == sorted(stamps, reverse=True)
    page = host.read("/comments", parent_entity_type="Event", parent_entity_id=event["id"], limit=2)
    assert [row for row in page if "parentCommentID" not in row] == roots[:2]


def test_a_comment_is_read_as_its_thread(host: MetadataClient, catalogue: Catalogue) -> None:
    reply = next(row for row in catalogue.extras.comments if "parentCommentID" in row)
    thread = host.read(f"/comments/{reply['parentCommentID']}")
    assert thread[0]["id"] == reply["parentCommentID"]
    assert reply["id"] in {row["id"] for row in thread[1:]}
    assert thread[1]["replyAddress"] == thread[0]["userAddress"]
    assert [row["id"] for row in host.read(f"/comments/{reply['id']}")] == [reply["id"]]
    assert host.get("/comments/1").status_code == 404


def test_comments_are_listed_by_author(host: MetadataClient, catalogue: Catalogue) -> None:
    author = text_of(catalogue.extras.comments[0], "userAddress")
    rows = host.read(f"/comments/user_address/{author.upper().replace('0X', '0x')}", limit=100)
    assert rows
    assert {row["userAddress"] for row in rows} == {author}
    by_reactions = host.read(f"/comments/user_address/{author}", order="reactionCount", limit=100)
    counts = [row["reactionCount"] for row in by_reactions]
    assert counts == sorted(counts)
    assert host.get("/comments/user_address/0x12").status_code == 400


def test_positions_come_only_when_asked_for_and_holders_wrote_nothing(host: MetadataClient) -> None:
    assert "positions" not in host.read("/comments", limit=1)[0]["profile"]
    assert host.read("/comments", limit=1, get_positions="true")[0]["profile"]["positions"] == []
    assert host.read("/comments", holders_only="true") == []
    assert host.read("/comments", parent_entity_type="market") == []


def test_profiles_are_read_by_wallet_in_both_spellings(
    host: MetadataClient, catalogue: Catalogue
) -> None:
    wallet = text_of(catalogue.extras.profiles[7], "proxyWallet")
    profile = host.read("/public-profile", address=wallet)
    assert profile["proxyWallet"] == wallet
    assert {"name", "pseudonym", "bio", "users", "xUsername"} <= set(profile)
    assert "id" not in profile
    assert host.read(f"/profiles/{wallet.upper().replace('0X', '0x')}") == profile
    unknown = host.get("/public-profile", params={"address": "0x" + "1" * 40})
    assert unknown.status_code == 404
    assert unknown.json() == {"type": "not found error", "error": "profile not found"}
    assert host.get("/public-profile?address=me").json() == {
        "type": "validation error",
        "error": "invalid address",
    }
