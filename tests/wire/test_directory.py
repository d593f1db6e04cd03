import pytest

from pmtui.domain.markets.directory import SportsMarketType
from pmtui.wire import directory
from pmtui.wire.bounds import WireError
from tests.wire.payloads import wire

SEARCH = {
    "events": [
        {
            "id": "9",
            "title": "Weather",
            "slug": "weather",
            "markets": [{"id": "5", "question": "Will it rain?", "bestBid": 0.42}],
        }
    ],
    "tags": [{"id": "3", "label": "Weather", "slug": "weather"}],
    "profiles": [{"proxyWallet": "0xab", "name": "ann"}],
    "pagination": {"hasMore": True, "totalResults": 4},
}


def test_a_search_tells_events_with_their_markets_then_tags_then_profiles() -> None:
    rows = directory.decode_hits(wire(SEARCH))
    assert [(hit.kind, hit.identifier) for hit in rows.items] == [
        ("event", "9"),
        ("market", "5"),
        ("tag", "3"),
        ("profile", "0xab"),
    ]
    assert rows.next_cursor == "2"
    market = rows.items[1]
    assert (market.best_bid, market.event_slug) == (420_000, "weather")


def test_tags_and_profiles_may_be_absent_or_null() -> None:
    rows = directory.decode_hits(wire({"events": [], "tags": None}))
    assert (rows.items, rows.next_cursor) == ((), None)


def test_one_thing_comes_alone_or_in_a_list() -> None:
    event = SEARCH["events"][0]  # type: ignore[index]
    assert (
        directory.decode_one_event(wire(event)).items
        == directory.decode_one_event(wire([event])).items
    )
    market = {"id": "5", "question": "Will it rain?"}
    assert directory.decode_one_market(wire(market)).items[0].market_id == "5"
    assert directory.decode_one_market(wire([market])).items[0].market_id == "5"
    assert directory.decode_one_event(b"[]").items == ()
    assert directory.decode_one_tag(wire({"id": 3, "label": "Rain"})).items[0].label == "Rain"
    assert directory.decode_series(wire({"id": 3, "title": "Daily"})).items[0].title == "Daily"


def test_rows_that_cannot_be_read_are_counted() -> None:
    rows = directory.decode_teams(wire([{"id": 7, "name": "Reds"}, {"name": "none"}, 5]))
    assert [team.name for team in rows.items] == ["Reds"]
    assert (rows.skipped, rows.received) == (2, 3)


def test_sports_name_their_tags_in_one_text() -> None:
    rows = directory.decode_sports(wire([{"sport": "epl", "tags": "1, 82,", "series": "10"}]))
    (sport,) = rows.items
    assert (sport.tag_ids, sport.series_id) == (("1", "82"), "10")


def test_kinds_of_sports_markets_are_names() -> None:
    rows = directory.decode_market_types(wire({"marketTypes": ["moneyline", ""]}))
    assert rows.items == (SportsMarketType("moneyline"),)


def test_a_profile_may_leave_out_everything() -> None:
    profile = directory.decode_profile(wire({"proxyWallet": "0xab", "verifiedBadge": None}))
    assert (profile.wallet, profile.name, profile.is_verified) == ("0xab", "", False)
    assert profile.created_at is None


def test_a_relation_names_both_tags() -> None:
    rows = directory.decode_tag_relations(wire([{"id": "1", "tagID": 2, "relatedTagID": 100}]))
    (relation,) = rows.items
    assert (relation.tag_id, relation.related_tag_id, relation.rank) == ("2", "100", None)


@pytest.mark.parametrize("body", [b"", b"7", b"<html>", b"{"])
def test_what_is_no_list_is_refused(body: bytes) -> None:
    for decode in (directory.decode_teams, directory.decode_hits, directory.decode_market_types):
        with pytest.raises(WireError):
            decode(body)
