"""Liquidity rewards as arithmetic."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import Address
from pmtui.domain.money import ONE, Micros, complement, parse_micros
from pmtui.sim.clob.rewards import (
    Quote,
    RewardTerms,
    account_scores,
    quote_score,
    shares_of,
)

ANN, BOB = Address("0x" + "01" * 20), Address("0x" + "02" * 20)
TERMS = RewardTerms(parse_micros("50"), parse_micros("0.03"))
MIDDLE = parse_micros("0.5")


def quote(price: str, size: str, *, is_bid: bool = True, account: Address = ANN) -> Quote:
    return Quote(account, is_bid, parse_micros(price), parse_micros(size))


@pytest.mark.parametrize(
    ("price", "size", "score"),
    [
        ("0.5", "100", Fraction(100)),
        ("0.49", "100", Fraction(4, 9) * 100),
        ("0.51", "100", Fraction(4, 9) * 100),
        ("0.485", "60", Fraction(1, 4) * 60),
        ("0.47", "1000", Fraction(0)),
        ("0.49", "49.99", Fraction(0)),
        ("0.49", "50", Fraction(4, 9) * 50),
    ],
)
def test_a_score_falls_with_the_square_of_the_distance(
    price: str, size: str, score: Fraction
) -> None:
    assert quote_score(quote(price, size), MIDDLE, TERMS) == score


def test_quotes_on_both_sides_count_with_the_weaker_one() -> None:
    quotes = [quote("0.49", "100"), quote("0.51", "60", is_bid=False)]
    assert account_scores(quotes, MIDDLE, TERMS) == {ANN: Fraction(4, 9) * 60}


def test_one_side_alone_counts_a_third() -> None:
    assert account_scores([quote("0.49", "90")], MIDDLE, TERMS) == {ANN: Fraction(4, 9) * 30}


def test_a_thin_second_side_never_counts_less_than_none() -> None:
    quotes = [quote("0.49", "900"), quote("0.51", "50", is_bid=False)]
    assert account_scores(quotes, MIDDLE, TERMS) == {ANN: Fraction(4, 9) * 300}


def test_near_an_end_one_side_alone_counts_nothing() -> None:
    middle = parse_micros("0.05")
    assert account_scores([quote("0.04", "500")], middle, TERMS) == {}
    both = [quote("0.04", "500"), quote("0.06", "500", is_bid=False)]
    assert account_scores(both, middle, TERMS) == {ANN: Fraction(4, 9) * 500}


def test_nobody_scoring_shares_nothing() -> None:
    assert shares_of({}) == {}


quotes_drawn = st.lists(
    st.builds(
        Quote,
        account=st.sampled_from([ANN, BOB]),
        is_bid=st.booleans(),
        price=st.integers(1, 99).map(lambda cents: Micros(cents * 10_000)),
        size=st.integers(0, 10**10).map(Micros),
    ),
    max_size=12,
)
middles = st.integers(1, 199).map(lambda half_cents: Micros(half_cents * 5_000))


@given(quotes_drawn, middles)
def test_shares_add_up_to_one_and_everybody_who_scores_has_one(
    quotes: list[Quote], middle: Micros
) -> None:
    scores = account_scores(quotes, middle, TERMS)
    shares = shares_of(scores)
    assert shares.keys() == scores.keys()
    assert all(share > 0 for share in shares.values())
    assert sum(shares.values()) in (0, 1)


@given(quotes_drawn, middles)
def test_seen_from_the_other_token_every_score_is_the_same(
    quotes: list[Quote], middle: Micros
) -> None:
    mirrored = [Quote(q.account, not q.is_bid, complement(q.price), q.size) for q in quotes]
    assert account_scores(mirrored, complement(middle), TERMS) == account_scores(
        quotes, middle, TERMS
    )


@given(quotes_drawn, middles, st.integers(1, 10**10))
def test_more_on_offer_never_lowers_ones_own_score(
    quotes: list[Quote], middle: Micros, size: int
) -> None:
    more = [*quotes, Quote(ANN, is_bid=True, price=Micros(ONE // 2), size=Micros(size))]
    before = account_scores(quotes, middle, TERMS).get(ANN, Fraction(0))
    assert account_scores(more, middle, TERMS).get(ANN, Fraction(0)) >= before
