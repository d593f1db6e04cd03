"""What orders brought: nothing is lost or counted twice, whatever rows come."""

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import Address, ConditionId
from pmtui.domain.markets.market import RewardTerms
from pmtui.domain.markets.rewards import AssetEarnings, Earnings, Rebate, earned_on, reward_band
from pmtui.domain.money import ONE, Micros, notional_floor, parse_micros
from pmtui.sim.clob.rewards import Quote, quote_score
from pmtui.sim.clob.rewards import RewardTerms as VenueTerms

sizes = st.integers(1, 10**9).map(Micros)
prices = st.integers(1, ONE - 1).map(Micros)


@given(sizes, st.integers(1, 200_000).map(Micros), prices, prices, sizes)
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


DAY = date(2026, 11, 21)
ME, DOLLARS, COINS = (Address("0x" + pair * 20) for pair in ("5a", "d0", "c0"))
RAIN, SNOW = ConditionId("0x01"), ConditionId("0x02")
m = parse_micros

amounts = st.integers(0, 10**12).map(Micros)
days = st.sampled_from([DAY, DAY - timedelta(days=1)])
markets = st.sampled_from([RAIN, SNOW])
all_earnings = st.lists(
    st.builds(
        Earnings,
        days,
        st.just(ME),
        st.builds(AssetEarnings, st.sampled_from([DOLLARS, COINS]), amounts, amounts),
        st.one_of(st.none(), markets),
    ),
    max_size=6,
)
all_rebates = st.lists(
    st.builds(Rebate, days, markets, st.just(DOLLARS), st.just(ME), amounts), max_size=6
)


def paid(amount: str, market: ConditionId | None, *, rate: str = "1") -> Earnings:
    return Earnings(DAY, ME, AssetEarnings(COINS, m(amount), m(rate)), market)


@given(all_earnings, all_rebates, st.dictionaries(markets, amounts))
def test_every_dollar_of_the_day_is_in_one_row(
    earnings: list[Earnings], rebates: list[Rebate], percents: dict[ConditionId, Micros]
) -> None:
    rows = earned_on(DAY, earnings, rebates, percents)
    of_markets = [e for e in earnings if e.day == DAY and e.condition_id is not None]
    assert sum(row.reward for row in rows) == sum(
        notional_floor(e.paid.asset_rate, e.paid.earnings) for e in of_markets
    )
    assert sum(row.rebate for row in rows) == sum(r.amount for r in rebates if r.day == DAY)
    assert len({row.condition_id for row in rows}) == len(rows)
    assert [row.total for row in rows] == sorted((row.total for row in rows), reverse=True)
    assert {row.day for row in rows} <= {DAY}


def test_assets_are_added_up_in_dollars() -> None:
    (row,) = earned_on(DAY, [paid("3", RAIN), paid("4", RAIN, rate="0.25")], [])
    assert row.reward == row.total == 4 * ONE
    assert row.percent is None


def test_the_sum_of_all_markets_is_not_another_market() -> None:
    assert earned_on(DAY, [paid("3", None)], []) == ()


def test_a_market_that_pays_us_now_is_shown_before_it_has_paid() -> None:
    (row,) = earned_on(DAY, [], [], {RAIN: m("20.5"), SNOW: m("0")})
    assert (row.condition_id, row.total, row.percent) == (RAIN, 0, m("20.5"))
