"""The catalogue that ships: size, proportions and oddities, as measured on the real rows."""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from pmtui.domain.money import ONE
from pmtui.sim.catalogue.gamma import moment_of, text_of, texts_of
from pmtui.sim.catalogue.load import load_packaged
from pmtui.sim.catalogue.model import Activity, Catalogue, DepthProfile, MarketState
from tests.sim.conftest import NOW


def _share(packaged: Catalogue, key: str) -> float:
    return sum(key in market.raw for market in packaged.markets) / len(packaged.markets)


def test_it_holds_enough_events_and_markets(packaged: Catalogue) -> None:
    assert len(packaged.events) >= 150
    assert len(packaged.markets) >= 800
    assert sum(market.is_tradable for market in packaged.markets) >= 800


def test_two_markets_in_five_belong_to_negative_risk_events(packaged: Catalogue) -> None:
    share = sum(market.neg_risk for market in packaged.markets) / len(packaged.markets)
    assert 0.38 < share < 0.47
    sizes = {len(event.markets) for event in packaged.events if event.neg_risk}
    assert min(sizes) == 3
    assert max(sizes) == 100


def test_ticks_are_mostly_a_cent_and_sometimes_finer_or_odd(packaged: Catalogue) -> None:
    ticks = Counter[int](market.tick_size for market in packaged.markets)
    assert 0.65 < ticks[10_000] / len(packaged.markets) < 0.75
    assert 0.25 < ticks[1_000] / len(packaged.markets) < 0.35
    assert set(ticks) == {10_000, 1_000, 100_000, 5_000, 2_500, 100}


@pytest.mark.parametrize(
    ("key", "least", "most"),
    [
        ("volume", 0.35, 0.65),
        ("lastTradePrice", 0.4, 0.65),
        ("bestBid", 0.9, 0.99),
        ("bestAsk", 0.99, 1.0),
        ("endDate", 0.97, 0.999),
        ("outcomePrices", 0.97, 0.999),
        ("acceptingOrders", 0.97, 0.999),
        ("image", 0.93, 0.99),
        ("sportsMarketType", 0.25, 0.5),
        ("clobRewards", 0.05, 0.3),
    ],
)
def test_keys_are_missing_about_as_often_as_in_the_real_rows(
    packaged: Catalogue, key: str, least: float, most: float
) -> None:
    assert least <= _share(packaged, key) <= most


def test_every_state_a_client_must_show_occurs(packaged: Catalogue) -> None:
    states = Counter(market.state for market in packaged.markets)
    assert set(states) == set(MarketState)
    payouts = {market.payouts for market in packaged.markets}
    assert {(ONE, 0), (0, ONE), (ONE // 2, ONE // 2)} <= payouts
    assert {market.depth for market in packaged.markets} == set(DepthProfile)
    assert {market.activity for market in packaged.markets} == set(Activity)


def test_legacy_rows_have_no_ids_of_today(packaged: Catalogue) -> None:
    legacy = [market for market in packaged.markets if market.state is MarketState.LEGACY]
    assert {len(market.outcomes) for market in legacy} == {2, 3}
    assert all(not market.condition_id and not market.token_ids for market in legacy)


def test_an_open_market_has_outlived_its_end_date(packaged: Catalogue) -> None:
    assert any(
        market.is_tradable and market.ends_at is not None and market.ends_at < NOW
        for market in packaged.markets
    )


def test_hostile_and_foreign_titles_occur(packaged: Catalogue) -> None:
    titles = [market.question for market in packaged.markets]
    for piece in ("[R]", "[bold]", "<b>", "  ", "Å", "кириллица", "→"):
        assert any(piece in title for title in titles), piece
    assert any("  " in title for title in titles)
    assert 0.05 < sum(not title.isascii() for title in titles) / len(titles) < 0.3


def test_fields_travel_in_the_types_of_the_service(packaged: Catalogue) -> None:
    for market in packaged.markets:
        raw = market.raw
        assert isinstance(raw["id"], str)
        assert isinstance(raw["outcomes"], str)
        assert len(texts_of(raw, "outcomes")) == len(market.outcomes)
        for key in ("volume", "liquidity"):
            assert isinstance(raw.get(key, ""), str)
        for key in ("volumeNum", "liquidityNum", "bestBid", "bestAsk"):
            assert not isinstance(raw.get(key), str)
    for event in packaged.events:
        assert isinstance(event.raw.get("volume", 0.0), int | float)


def test_both_date_formats_occur_and_can_be_read(packaged: Catalogue) -> None:
    kinds: Counter[str] = Counter()
    for market in packaged.markets:
        for key in ("startDate", "endDate", "gameStartTime", "closedTime", "createdAt"):
            text = text_of(market.raw, key)
            if text:
                assert moment_of(market.raw, key) is not None, text
                kinds["blank" if " " in text else "T" if "T" in text else "day"] += 1
    assert set(kinds) == {"blank", "T", "day"}


def test_no_mark_of_a_date_is_left(packaged: Catalogue) -> None:
    rows = [event.raw for event in packaged.events]
    texts = json.dumps([rows, [dict(market.raw) for market in packaged.markets]])
    assert "{{" not in texts


@pytest.mark.parametrize("days", [0, 1, 6, 20, 27, 28, 100, 365, 2000])
def test_ids_and_slugs_are_unique_whenever_it_is_loaded(days: int) -> None:
    catalogue = load_packaged(datetime(2026, 11, 2, 5, tzinfo=UTC) + timedelta(days=days))
    for names in (
        [market.market_id for market in catalogue.markets],
        [market.slug for market in catalogue.markets],
        [event.slug for event in catalogue.events],
        [event.event_id for event in catalogue.events],
        [token for market in catalogue.markets for token in market.token_ids],
        [market.condition_id for market in catalogue.markets if market.condition_id],
    ):
        assert not [name for name, count in Counter(names).items() if count > 1]


@pytest.mark.parametrize("days", [0, 3, 13, 27, 45, 400])
def test_hardly_any_open_market_is_overdue_whenever_it_is_loaded(days: int) -> None:
    now = datetime(2026, 11, 2, 17, 45, tzinfo=UTC) + timedelta(days=days)
    overdue = [
        market.question
        for market in load_packaged(now).markets
        if market.is_tradable and market.ends_at is not None and market.ends_at < now
    ]
    assert 8 <= len(overdue) <= 40


def test_token_ids_do_not_depend_on_the_day_it_is_loaded(packaged: Catalogue) -> None:
    later = load_packaged(NOW + timedelta(days=40))
    for market in packaged.markets:
        if not market.is_window:
            same = later.market(market.market_id)
            assert same is not None
            assert same.token_ids == market.token_ids


def test_rows_of_every_other_kind_are_there(packaged: Catalogue) -> None:
    extras = packaged.extras
    assert len(extras.tags) > 40
    assert len(extras.series) > 8
    assert len(extras.comments) > 150
    assert len(extras.profiles) > 40
    assert len(extras.teams) > 50
    assert len(extras.sports) == 7
    known = {tag["id"] for tag in extras.tags}
    assert all(known.issuperset(event.tag_ids) for event in packaged.events)


def test_resolution_sources_and_rules_are_written_out(packaged: Catalogue) -> None:
    for market in packaged.markets:
        if market.state is not MarketState.LEGACY:
            assert "esol" in str(market.raw["description"])


def test_a_catalogue_takes_an_event_once(packaged: Catalogue) -> None:
    event = packaged.events[5]
    other = Catalogue([event])
    assert not other.add_event(event)
    assert len(other.events) == 1
    market = event.markets[0]
    assert other.event_of(market) is event
    assert other.event_by_slug(event.slug) is event
    assert other.market_by_slug(market.slug) is market
    assert other.market_by_condition(market.condition_id.upper().replace("0X", "0x")) is market
    assert all(other.market_by_token(token) is market for token in market.token_ids)
    assert other.event("0") is None


def test_yes_prices_of_a_negative_risk_event_add_up_to_about_one(packaged: Catalogue) -> None:
    for event in packaged.events:
        if event.neg_risk:
            total = sum(market.start_price for market in event.markets) / ONE
            assert 0.93 < total < 1.2, event.title
