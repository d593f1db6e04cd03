"""The metadata host's payloads: ours, recorded ones and hostile ones."""

import gzip
import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given

from pmtui.domain.markets.directory import SportsMarketType
from pmtui.domain.markets.market import NO_FEE, Event, FeeSchedule, Market, RewardTerms, Tag
from pmtui.domain.money import Micros
from pmtui.wire import gamma
from pmtui.wire.bounds import WireError
from pmtui.wire.rows import Rows
from tests.wire.payloads import CONDITION, TOKENS, Json, bent, event, market, wire


def test_a_market_keeps_its_facts() -> None:
    found = gamma.decode_market(wire(market()))
    assert found.condition_id == CONDITION
    assert [(o.label, o.token_id, o.price) for o in found.outcomes] == [
        ("Yes", TOKENS[0], 405_000),
        ("No", TOKENS[1], 595_000),
    ]
    assert found.is_tradable
    assert (found.tick_size, found.min_order_size) == (10_000, 5_000_000)
    assert (found.best_bid, found.best_ask, found.day_change) == (400_000, 410_000, -15_000)
    assert found.volume == 15_321_500_000
    assert found.liquidity == 820_250_000
    assert found.fee == FeeSchedule(Micros(50_000), 1, is_taker_only=True)
    assert found.rewards == RewardTerms(Micros(50_000_000), Micros(35_000))
    assert found.end_at == datetime(2027, 5, 31, tzinfo=UTC)
    assert found.game_start_at == datetime(2027, 5, 30, 19, 37, 33, tzinfo=UTC)
    assert found.closed_at == datetime(2027, 5, 30, 22, 1, 12, tzinfo=UTC)


def test_tops_of_an_empty_book_are_no_levels() -> None:
    found = gamma.decode_market(wire(market(bestBid=0, bestAsk=1, lastTradePrice=0)))
    assert (found.best_bid, found.best_ask, found.last_trade_price) == (None, None, None)


@pytest.mark.parametrize(
    "changes",
    [
        {"clobTokenIds": None},
        {"clobTokenIds": '["", ""]'},
        {"clobTokenIds": '["7"]'},
        {"conditionId": ""},
        {"conditionId": "0x12"},
        {"acceptingOrders": None},
        {"enableOrderBook": None},
        {"outcomes": '["A", "B", "C"]', "clobTokenIds": '["1", "2", "3"]'},
    ],
)
def test_what_cannot_be_traded_can_still_be_read(changes: dict[str, Json]) -> None:
    found = gamma.decode_market(wire(market(**changes)))
    assert not found.is_tradable
    assert found.outcomes


def test_absent_facts_are_none() -> None:
    found = gamma.decode_market(b'{"id": 5}')
    assert found.market_id == "5"
    assert found.outcomes == ()
    facts = (found.tick_size, found.volume, found.end_at, found.fee, found.rewards, found.event_id)
    assert facts == (None,) * 6


def test_fees_that_are_off_are_nothing_and_partial_ones_unknown() -> None:
    assert gamma.decode_market(wire(market(feesEnabled=False))).fee == NO_FEE
    assert gamma.decode_market(wire(market(feeSchedule={"rate": 0.1}))).fee is None
    assert gamma.decode_market(wire(market(feeSchedule=None))).fee is None


def test_a_market_on_top_knows_its_event() -> None:
    found = gamma.decode_market(wire(market(events=[{"id": "3", "title": "T", "slug": "s"}])))
    assert (found.event_id, found.event_title, found.event_slug) == ("3", "T", "s")
    assert gamma.decode_market(wire(market(events=[7]))).event_id is None
    assert gamma.decode_market(wire(market(events=[]))).event_id is None


def test_markets_of_an_event_know_it_too() -> None:
    found = gamma.decode_event(wire(event()))
    assert [m.event_id for m in found.markets] == ["77", "77"]
    assert found.neg_risk
    assert found.tags[0].slug == "weather"
    assert found.series[0].recurrence == "monthly"
    assert (found.volume, found.volume_24h, found.comment_count) == (99_500_000, 0, 3)


def test_equal_values_of_an_answer_are_kept_once() -> None:
    odd = market(negRisk=False, volumeNum=0, orderMinSize=1, liquidityNum=1, bestBid="0.5")
    one, other = gamma.decode_markets(wire([odd, json.loads(json.dumps(odd))])).items
    assert one == other
    for name in ("description", "end_at", "best_bid", "rewards", "event_id"):
        assert getattr(one, name) is getattr(other, name)
    assert one.neg_risk is False


def test_one_odd_row_does_not_hide_the_others() -> None:
    rows = [market(), market(id=None), market(bestBid="high"), market(question=5), 3, market()]
    found = gamma.decode_markets(wire(rows))
    assert len(found.items) == 2
    assert found.skipped == 4
    assert found.received == 6
    assert found.reasons[:3] == (
        "markets[1]: id: missing",
        "markets[2]: bestBid: not a number",
        "markets[3]: question: Expected `str | null`, got `int`",
    )


def test_an_odd_market_does_not_hide_its_event() -> None:
    body = wire([event(markets=[market(), 5], tags=[{}], series=None), event()])
    found = gamma.decode_events(body)
    assert [len(e.markets) for e in found.items] == [1, 2]
    assert found.skipped == 2
    assert found.received == 2


def test_reasons_are_bounded_and_counted() -> None:
    found = gamma.decode_markets(wire([1] * 500))
    assert found.skipped == 500
    assert len(found.reasons) == 20


def test_a_keyset_page_has_a_cursor_until_the_last() -> None:
    page = gamma.decode_events(wire({"events": [event()], "next_cursor": "abc"}))
    assert (len(page.items), page.next_cursor) == (1, "abc")
    lasts: list[Json] = [
        {"events": []},
        {"events": [], "next_cursor": None},
        {"events": [], "next_cursor": ""},
    ]
    for last in lasts:
        assert gamma.decode_events(wire(last)).next_cursor is None
    assert (
        gamma.decode_markets(wire({"markets": [market()], "next_cursor": "x"})).next_cursor == "x"
    )
    assert page.to_page().next_cursor == "abc"


def test_a_search_says_whether_there_is_more() -> None:
    more = gamma.decode_search(wire({"events": [event()], "pagination": {"hasMore": True}}))
    assert (len(more.items), more.next_cursor) == (1, "2")
    none = gamma.decode_search(wire({"events": None, "pagination": {"hasMore": False}}))
    assert (none.items, none.next_cursor) == ((), None)


def test_tags_fall_back_to_their_slug() -> None:
    found = gamma.decode_tags(
        wire([{"id": "1", "slug": "a", "label": "A"}, {"id": 2, "slug": "b"}])
    )
    assert [(t.tag_id, t.label) for t in found.items] == [("1", "A"), ("2", "b")]


def test_comments_name_their_author_and_parent() -> None:
    rows = [
        {"id": "1", "body": "b", "profile": {"name": "Ann"}, "reactionCount": 2},
        {"id": "2", "body": "c", "parentCommentID": "1", "profile": {"pseudonym": "Quiet-Fox"}},
        {"id": "3", "userAddress": "0xabc", "createdAt": "2026-11-01T08:00:00Z"},
        {"id": "4", "profile": {"proxyWallet": "0xdef"}, "parentCommentID": ""},
    ]
    found = gamma.decode_comments(wire(rows)).items
    assert [c.author for c in found] == ["Ann", "Quiet-Fox", "0xabc", "0xdef"]
    assert [c.parent_id for c in found] == [None, "1", None, None]
    assert found[0].reaction_count == 2


@pytest.mark.parametrize("body", [b"", b"{", b"null", b"5", b'{"a":1}', b"\xff", b"[" * 100_000])
def test_what_is_no_list_is_a_wire_error(body: bytes) -> None:
    for decode in (gamma.decode_events, gamma.decode_markets, gamma.decode_tags):
        with pytest.raises(WireError):
            decode(body)


@given(bent(market()))
def test_a_bent_row_leaves_the_others(odd_market: Json) -> None:
    found = gamma.decode_markets(wire([odd_market, market()]))
    assert found.items[-1].market_id == "910001"


def test_every_recorded_row_can_be_read(shared_dir: Path) -> None:
    counts = Counter[str]()
    for path in sorted((shared_dir / "data" / "gamma").glob("*.gz")):
        for rows in _recorded_lists(gzip.decompress(path.read_bytes())):
            kind, found = _decode_rows(rows)
            assert found.reasons == (), path
            counts[kind] += len(found.items)
    assert counts["events"] >= 136
    assert counts["markets"] >= 4_000
    assert counts["tags"] >= 100


def _decode_rows(rows: list[dict[str, Json]]) -> tuple[str, Rows[Event] | Rows[Market] | Rows[Tag]]:
    if "markets" in rows[0]:
        return "events", gamma.decode_events(wire(rows))
    if "question" in rows[0]:
        return "markets", gamma.decode_markets(wire(rows))
    return "tags", gamma.decode_tags(wire(rows))


def _recorded_lists(text: bytes) -> list[list[dict[str, Json]]]:
    try:
        documents = [json.loads(text)]
    except ValueError:
        documents = [json.loads(line) for line in text.splitlines()]
    lists = []
    for document in documents:
        inner = document
        if isinstance(inner, dict):
            inner = inner.get("body") or inner.get("raw") or inner
            inner = inner["events"] if "pagination" in inner else inner
        lists.append(inner if isinstance(inner, list) else [inner])
    return lists


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
    rows = gamma.decode_hits(wire(SEARCH))
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
    rows = gamma.decode_hits(wire({"events": [], "tags": None}))
    assert (rows.items, rows.next_cursor) == ((), None)


def test_one_thing_comes_alone_or_in_a_list() -> None:
    event = SEARCH["events"][0]  # type: ignore[index]
    assert gamma.decode_one_event(wire(event)).items == gamma.decode_one_event(wire([event])).items
    market = {"id": "5", "question": "Will it rain?"}
    assert gamma.decode_one_market(wire(market)).items[0].market_id == "5"
    assert gamma.decode_one_market(wire([market])).items[0].market_id == "5"
    assert gamma.decode_one_event(b"[]").items == ()
    assert gamma.decode_one_tag(wire({"id": 3, "label": "Rain"})).items[0].label == "Rain"
    assert gamma.decode_series(wire({"id": 3, "title": "Daily"})).items[0].title == "Daily"


def test_rows_that_cannot_be_read_are_counted() -> None:
    rows = gamma.decode_teams(wire([{"id": 7, "name": "Reds"}, {"name": "none"}, 5]))
    assert [team.name for team in rows.items] == ["Reds"]
    assert (rows.skipped, rows.received) == (2, 3)


def test_sports_name_their_tags_in_one_text() -> None:
    rows = gamma.decode_sports(wire([{"sport": "epl", "tags": "1, 82,", "series": "10"}]))
    (sport,) = rows.items
    assert (sport.tag_ids, sport.series_id) == (("1", "82"), "10")


def test_kinds_of_sports_markets_are_names() -> None:
    rows = gamma.decode_market_types(wire({"marketTypes": ["moneyline", ""]}))
    assert rows.items == (SportsMarketType("moneyline"),)


def test_a_profile_may_leave_out_everything() -> None:
    profile = gamma.decode_profile(wire({"proxyWallet": "0xab", "verifiedBadge": None}))
    assert (profile.wallet, profile.name, profile.is_verified) == ("0xab", "", False)
    assert profile.created_at is None


def test_a_relation_names_both_tags() -> None:
    rows = gamma.decode_tag_relations(wire([{"id": "1", "tagID": 2, "relatedTagID": 100}]))
    (relation,) = rows.items
    assert (relation.tag_id, relation.related_tag_id, relation.rank) == ("2", "100", None)


@pytest.mark.parametrize("body", [b"", b"7", b"<html>", b"{"])
def test_what_is_no_list_is_refused(body: bytes) -> None:
    for decode in (gamma.decode_teams, gamma.decode_hits, gamma.decode_market_types):
        with pytest.raises(WireError):
            decode(body)
