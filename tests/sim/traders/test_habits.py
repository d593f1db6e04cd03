import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.money import ONE, Micros
from pmtui.sim.catalogue.model import Catalogue, CatalogueMarket, DepthProfile, MarketState
from pmtui.sim.traders.habits import BookLevel, Side, book_for

_TICKS = st.sampled_from([100_000, 10_000, 5_000, 2_500, 1_000, 100])


@pytest.fixture(scope="module")
def market(packaged: Catalogue) -> CatalogueMarket:
    return next(one for one in packaged.markets if one.is_tradable)


def _sides(levels: list[BookLevel]) -> tuple[list[BookLevel], list[BookLevel]]:
    return (
        [level for level in levels if level.side is Side.BID],
        [level for level in levels if level.side is Side.ASK],
    )


@given(
    tick=_TICKS,
    price=st.integers(1, ONE - 1),
    spread=st.integers(1, ONE // 3),
    depth=st.sampled_from(DepthProfile),
    seed=st.integers(0, 99_999),
)
def test_books_are_on_the_grid_sorted_and_never_crossed(
    market: CatalogueMarket, tick: int, price: int, spread: int, depth: DepthProfile, seed: int
) -> None:
    shaped = replace(
        market,
        tick_size=Micros(tick),
        start_price=Micros(price),
        spread=Micros(spread),
        depth=depth,
    )
    levels = book_for(shaped, random.Random(seed))
    bids, asks = _sides(levels)
    assert [one.price for one in bids] == sorted({one.price for one in bids}, reverse=True)
    assert [one.price for one in asks] == sorted({one.price for one in asks})
    for level in levels:
        assert 0 < level.price < ONE
        assert level.price % tick == 0
        assert level.size >= shaped.min_order_size
        assert level.size % 10_000 == 0
    if bids and asks:
        assert bids[0].price < asks[0].price


def test_the_same_seed_fills_the_same_book(market: CatalogueMarket) -> None:
    assert book_for(market, random.Random(3)) == book_for(market, random.Random(3))


def test_a_market_that_takes_no_orders_has_no_book(market: CatalogueMarket) -> None:
    for state in MarketState:
        levels = book_for(replace(market, state=state), random.Random(1))
        assert bool(levels) == (state is MarketState.OPEN)


def test_profiles_differ_in_depth_as_recorded_books_do(market: CatalogueMarket) -> None:
    middle = replace(
        market, tick_size=Micros(1_000), start_price=Micros(ONE // 2), spread=Micros(1_000)
    )
    counts = {
        depth: len(book_for(replace(middle, depth=depth), random.Random(9)))
        for depth in (DepthProfile.THIN, DepthProfile.NORMAL, DepthProfile.DEEP)
    }
    assert counts[DepthProfile.THIN] <= 36
    assert counts[DepthProfile.NORMAL] > counts[DepthProfile.THIN]
    assert counts[DepthProfile.DEEP] >= 150


def test_long_shots_lean_to_one_side_and_sometimes_lack_the_other(
    market: CatalogueMarket,
) -> None:
    shot = replace(
        market,
        tick_size=Micros(1_000),
        start_price=Micros(3_500),
        spread=Micros(1_000),
        depth=DepthProfile.LONG_SHOT,
    )
    books = [_sides(book_for(shot, random.Random(seed))) for seed in range(60)]
    assert all(len(bids) <= 3 < len(asks) for bids, asks in books)
    assert any(not bids for bids, _ in books)
