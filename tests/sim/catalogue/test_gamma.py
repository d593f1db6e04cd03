import pytest

from pmtui.domain.ids import EventId
from pmtui.domain.money import ONE, Micros
from pmtui.sim.catalogue.gamma import decimal_number, micros_of, moment_of, read_market, texts_of
from pmtui.sim.catalogue.model import Activity, CatalogueMarket, DepthProfile, FeeTerms, MarketState

_OPEN: dict[str, object] = {
    "id": "910001",
    "question": "Will the river rise above four metres in May?",
    "slug": "river-four-metres-may",
    "conditionId": "0x" + "6A" * 32,
    "outcomes": '["Yes", "No"]',
    "outcomePrices": '["0.405", "0.595"]',
    "clobTokenIds": '["1029", "7730"]',
    "active": True,
    "closed": False,
    "enableOrderBook": True,
    "acceptingOrders": True,
    "orderPriceMinTickSize": 0.01,
    "orderMinSize": 5,
    "bestBid": 0.4,
    "bestAsk": 0.41,
    "liquidityNum": 820.25,
    "volume24hr": 31.5,
}


def _read(**changes: object) -> CatalogueMarket:
    row = {key: value for key, value in {**_OPEN, **changes}.items() if value is not None}
    return read_market(row, EventId("7"))


def test_an_open_row_is_read_exactly() -> None:
    market = _read()
    assert market.state is MarketState.OPEN
    assert market.condition_id == "0x" + "6a" * 32
    assert market.token_ids == ("1029", "7730")
    assert market.start_price == 405_000
    assert market.spread == 10_000
    assert market.tick_size == 10_000
    assert market.min_order_size == 5 * ONE
    assert market.depth is DepthProfile.THIN
    assert market.activity is Activity.QUIET


@pytest.mark.parametrize(
    ("volume_24h", "activity"),
    [
        (999, Activity.QUIET),
        (1_000, Activity.STEADY),
        (20_000, Activity.BUSY),
        (100_000, Activity.FAST),
    ],
)
def test_who_trades_more_in_a_day_is_livelier(volume_24h: int, activity: Activity) -> None:
    assert _read(volume24hr=volume_24h).activity is activity


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({"acceptingOrders": None}, MarketState.OPEN),
        ({"acceptingOrders": False}, MarketState.NO_BOOK),
        ({"enableOrderBook": False}, MarketState.NO_BOOK),
        ({"active": False}, MarketState.NO_BOOK),
        ({"clobTokenIds": None}, MarketState.NO_BOOK),
        ({"clobTokenIds": '["1029"]'}, MarketState.NO_BOOK),
        ({"clobTokenIds": "not json"}, MarketState.NO_BOOK),
        ({"clobTokenIds": '["", ""]'}, MarketState.NO_BOOK),
        ({"conditionId": ""}, MarketState.LEGACY),
        ({"outcomes": '["A", "B", "C"]'}, MarketState.LEGACY),
        ({"outcomes": None}, MarketState.LEGACY),
        ({"closed": True}, MarketState.CLOSED),
        ({"archived": True}, MarketState.CLOSED),
        ({"closed": True, "outcomePrices": '["1", "0"]'}, MarketState.RESOLVED),
        ({"closed": True, "outcomePrices": '["0.5", "0.5"]'}, MarketState.RESOLVED),
        ({"closed": True, "outcomePrices": '["0", "0"]'}, MarketState.CLOSED),
        ({"closed": True, "outcomePrices": '["1", "x"]'}, MarketState.CLOSED),
        (
            {"closed": True, "outcomePrices": '["0.5", "0.5"]', "umaResolutionStatus": "proposed"},
            MarketState.CLOSED,
        ),
    ],
)
def test_the_state_follows_from_flags_ids_and_prices(
    changes: dict[str, object], state: MarketState
) -> None:
    assert _read(**changes).state is state


@pytest.mark.parametrize(
    ("changes", "middle", "spread"),
    [
        ({"bestBid": None, "bestAsk": 0.004, "orderPriceMinTickSize": 0.001}, 2_000, 4_000),
        ({"bestBid": 0, "bestAsk": 1}, 405_000, 10_000),
        ({"bestBid": 0, "bestAsk": 1, "outcomePrices": None}, 500_000, 10_000),
        ({"bestBid": 0.5, "bestAsk": 0.4}, 405_000, 10_000),
        ({"bestBid": "0.3", "bestAsk": "0.5"}, 400_000, 200_000),
    ],
)
def test_the_quote_survives_missing_and_crossed_sides(
    changes: dict[str, object], middle: int, spread: int
) -> None:
    market = _read(**changes)
    assert (market.start_price, market.spread) == (middle, spread)


@pytest.mark.parametrize("tick", [None, 0, -0.01, 0.9, "x", True])
def test_an_impossible_tick_becomes_a_cent(tick: object) -> None:
    assert _read(orderPriceMinTickSize=tick).tick_size == 10_000


def test_an_empty_book_and_a_decided_market_are_told_apart() -> None:
    assert _read(bestBid=0, bestAsk=1).depth is DepthProfile.EMPTY
    assert _read(bestBid=0.995, bestAsk=0.999).depth is DepthProfile.LONG_SHOT
    assert _read(liquidityNum=61_000).depth is DepthProfile.DEEP
    assert _read(liquidityNum=None, liquidity="5000.5").depth is DepthProfile.NORMAL


def test_fees_count_only_when_they_are_switched_on() -> None:
    schedule = {"rate": 0.07, "exponent": 1, "takerOnly": True, "rebateRate": 0.2}
    assert _read(feeSchedule=schedule).fee == FeeTerms()
    fee = _read(feesEnabled=True, feeSchedule=schedule).fee
    assert (fee.rate, fee.exponent, fee.taker_only, fee.rebate_rate) == (70_000, 1, True, 200_000)
    assert _read(feesEnabled=True).fee == FeeTerms()


def test_rewards_are_read_in_price_units() -> None:
    rewards = _read(
        rewardsMinSize=50, rewardsMaxSpread=3.5, clobRewards=[{"rewardsDailyRate": 2.5}, 7]
    ).rewards
    assert (rewards.min_size, rewards.max_spread) == (50 * ONE, 35_000)
    assert rewards.daily_rate == 2_500_000


def test_amounts_may_be_numbers_texts_or_nothing() -> None:
    row = {"a": "80362.86028499973", "b": 3, "c": 0.5, "d": True, "e": "", "f": "NaN", "g": None}
    assert [micros_of(row, key) for key in row] == [80_362_860_285, 3 * ONE, 500_000] + [None] * 4


def test_lists_in_strings_and_plain_lists_read_alike() -> None:
    row = {"a": '["x", "y"]', "b": ["x", 1], "c": "[", "d": 4}
    assert [texts_of(row, key) for key in row] == [("x", "y"), ("x", "1"), (), ()]


@pytest.mark.parametrize(
    "text",
    ["2026-03-11T21:00:00Z", "2026-03-11 21:00:00+00", "2026-03-11T21:00:00.000000Z"],
)
def test_moments_read_alike_in_every_format(text: str) -> None:
    moment = moment_of({"at": text}, "at")
    assert moment is not None
    assert moment.isoformat() == "2026-03-11T21:00:00+00:00"


def test_broken_moments_are_absent() -> None:
    assert moment_of({"at": "soon"}, "at") is None
    assert moment_of({"at": 5}, "at") is None


def test_whole_amounts_travel_as_integers() -> None:
    assert decimal_number(Micros(2_000_000)) == 2
    assert isinstance(decimal_number(Micros(2_000_000)), int)
    assert decimal_number(Micros(2_500_000)) == 2.5
