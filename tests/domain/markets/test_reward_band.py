from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import Address
from pmtui.domain.markets.market import RewardTerms
from pmtui.domain.markets.rewards import reward_band
from pmtui.domain.money import ONE, Micros
from pmtui.sim.clob.rewards import Quote, quote_score
from pmtui.sim.clob.rewards import RewardTerms as VenueTerms

amounts = st.integers(1, 10**9).map(Micros)
prices = st.integers(1, ONE - 1).map(Micros)


@given(amounts, st.integers(1, 200_000).map(Micros), prices, prices, amounts)
def test_the_band_is_where_the_venue_scores(
    least: Micros, spread: Micros, middle: Micros, price: Micros, size: Micros
) -> None:
    band = reward_band(RewardTerms(least, spread), middle)
    assert band is not None
    quote = Quote(Address("0x0"), is_bid=True, price=price, size=size)
    scores = quote_score(quote, middle, VenueTerms(least, spread)) > 0
    assert band.takes(price, size) == scores
    assert band.holds(price) == (abs(price - middle) < spread)


def test_without_terms_or_a_middle_there_is_no_band() -> None:
    terms = RewardTerms(Micros(1), Micros(10_000))
    assert reward_band(None, Micros(500_000)) is None
    assert reward_band(terms, None) is None
    assert reward_band(RewardTerms(Micros(1), Micros(0)), Micros(500_000)) is None
