from datetime import UTC, datetime
from typing import Any

import pytest

from pmtui.sim.catalogue.load import load_packaged
from tests.sim.metadata_client import CatalogueNumbers, MetadataClient

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def host() -> MetadataClient:
    return MetadataClient(load_packaged(NOW), CatalogueNumbers(NOW))


def _search(host: MetadataClient, **params: object) -> Any:
    answer = host.get("/public-search", params={key: str(value) for key, value in params.items()})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_events_are_found_by_words_of_titles_questions_and_tags(host: MetadataClient) -> None:
    for words in ("central BANK", "Song contest", "zürich", "temperature copenhagen"):
        found = _search(host, q=words)["events"]
        assert found, words
        for event in found:
            text = f"{event['title']} {event['slug']} " + " ".join(
                [market["question"] for market in event["markets"]]
                + [tag["label"] for tag in event["tags"]]
            )
            assert all(word in text.casefold() for word in words.casefold().split())


def test_words_in_the_title_rank_before_words_elsewhere_and_open_before_closed(
    host: MetadataClient,
) -> None:
    found = _search(host, q="bitcoin", limit_per_type=100)["events"]
    closed = [event["closed"] for event in found]
    assert closed == sorted(closed)
    titled = ["bitcoin" in event["title"].casefold() for event in found if not event["closed"]]
    assert titled == sorted(titled, reverse=True)


def test_pages_follow_one_another_while_there_is_more(host: MetadataClient) -> None:
    ids: list[str] = []
    page = 1
    while True:
        answer = _search(host, q="bitcoin", limit_per_type=4, page=page)
        ids += [event["id"] for event in answer["events"]]
        if not answer["pagination"]["hasMore"]:
            break
        page += 1
    assert len(ids) == len(set(ids)) == answer["pagination"]["totalResults"]
    assert page > 2


def test_nothing_found_is_an_empty_page(host: MetadataClient) -> None:
    answer = _search(host, q="zzzz-no-such-thing")
    assert answer == {"events": [], "pagination": {"hasMore": False, "totalResults": 0}}


def test_tags_and_profiles_are_absent_unless_asked_for(host: MetadataClient) -> None:
    assert set(_search(host, q="a")) == {"events", "pagination"}
    author = host.get("/comments?limit=1").json()[0]["profile"]["pseudonym"]
    answer = _search(host, q=author, search_tags="true", search_profiles="true")
    assert answer["tags"] == []
    assert [profile["pseudonym"] for profile in answer["profiles"]] == [author]
    tags = _search(host, q="sport", search_tags="true")["tags"]
    assert tags[0]["slug"] == "sports"
    assert tags[0]["event_count"] > 10


def test_status_tag_and_recurrence_narrow_a_search(host: MetadataClient) -> None:
    for status, is_closed in (("active", False), ("resolved", True)):
        found = _search(host, q="bitcoin", events_status=status, limit_per_type=100)["events"]
        assert found
        assert all(event["closed"] is is_closed for event in found)
    tagged = _search(host, q="temperature", events_tag="seoul")["events"]
    assert tagged
    assert all("Seoul" in event["title"] for event in tagged)
    weather = next(tag["id"] for tag in tagged[0]["tags"] if tag["slug"] == "weather")
    assert _search(host, q="temperature seoul", exclude_tag_id=weather)["events"] == []
    daily = _search(host, q="bitcoin", recurrence="daily", limit_per_type=50)["events"]
    assert all(event["series"][0]["recurrence"] == "daily" for event in daily)


@pytest.mark.parametrize(
    ("sort", "key"),
    [("volume", "volume"), ("volume_24hr", "volume24hr"), ("end_date", "endDate")],
)
def test_a_search_sorts_the_way_it_is_told(host: MetadataClient, sort: str, key: str) -> None:
    found = _search(host, q="will", sort=sort, limit_per_type=60)["events"]
    values = [event[key] for event in found if key in event]
    assert values == sorted(values, reverse=True)
    rising = _search(host, q="will", sort=sort, ascending="true", limit_per_type=100)["events"]
    values = [event[key] for event in rising if key in event]
    assert values == sorted(values)


def test_closed_markets_of_an_event_can_be_left_out(host: MetadataClient) -> None:
    whole = _search(host, q="bitcoin noon", events_status="resolved")["events"][0]
    assert whole["markets"]
    bare = _search(host, q="bitcoin noon", events_status="resolved", keep_closed_markets=0)
    assert bare["events"][0]["markets"] == []
