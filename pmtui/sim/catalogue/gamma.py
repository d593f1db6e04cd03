"""Reads rows of the metadata host into the venue's model; missing facts are invented here.

Rows are never refused for a missing or malformed field, only if they have no id; untradable markets
are kept for display. Numbers are read from JSON numbers or strings.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal

import msgspec

from pmtui.domain.ids import ConditionId, EventId, MarketId, SeriesId, TagId, TokenId
from pmtui.domain.money import ONE, ZERO, Micros, MoneyError, round_micros
from pmtui.signing.contracts import POLYGON, condition_id, token_ids
from pmtui.signing.eip712 import keccak256
from pmtui.sim.catalogue.model import (
    Activity,
    CatalogueEvent,
    CatalogueMarket,
    DepthProfile,
    FeeTerms,
    MarketState,
    Rewards,
    Row,
)

_HALF = Micros(ONE // 2)
_CENT = Micros(10_000)
_FIVE_SHARES = Micros(5 * ONE)
_TEXTS = msgspec.json.Decoder(list[str])
_PENDING = ("requested", "proposed", "disputed")
_FINAL = ((ONE, ZERO), (ZERO, ONE), (_HALF, _HALF))


def text_of(row: Row, key: str) -> str:
    """Return a text field, a number as its digits, and "" for anything else."""
    value = row.get(key)
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return ""


def micros_of(row: Row, key: str) -> Micros | None:
    """Return a number given as JSON number or string; None if missing or invalid."""
    value = row.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return round_micros(str(value))
    except MoneyError:
        return None


def texts_of(row: Row, key: str) -> tuple[str, ...]:
    """Return a list given as JSON inside a string; () if missing or invalid."""
    value = row.get(key)
    if isinstance(value, list):
        return tuple(str(item) for item in value)
    if not isinstance(value, str) or not value:
        return ()
    try:
        return tuple(_TEXTS.decode(value))
    except msgspec.DecodeError:
        return ()


def moment_of(row: Row, key: str) -> datetime | None:
    """Return a time in any of the public venue's formats, as aware UTC."""
    value = row.get(key)
    if not isinstance(value, str) or not value:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def rows_of(row: Row, key: str) -> tuple[Row, ...]:
    """Return the objects in an array field."""
    value = row.get(key)
    if not isinstance(value, list):
        return ()
    return tuple(item for item in value if isinstance(item, dict))


def prices_of(row: Row) -> tuple[Micros, ...]:
    """Return `outcomePrices`; () if any of them is not a number."""
    try:
        return tuple(round_micros(text) for text in texts_of(row, "outcomePrices"))
    except MoneyError:
        return ()


def read_market(row: Row, event_id: EventId) -> CatalogueMarket:
    """Read one market row; the caller has checked that it has an id."""
    prices = prices_of(row)
    outcomes = texts_of(row, "outcomes")
    token_ids = tuple(TokenId(text) for text in texts_of(row, "clobTokenIds") if text)
    if len(token_ids) != len(outcomes):
        token_ids = ()
    condition_id = ConditionId(text_of(row, "conditionId").lower())
    state = _state_of(row, prices, is_whole=len(outcomes) == 2 and condition_id != "")
    if state is MarketState.OPEN and not token_ids:
        state = MarketState.NO_BOOK
    tick_size = _tick_of(row)
    midpoint, spread = _quote_of(row, prices, tick_size)
    liquidity = micros_of(row, "liquidityNum") or micros_of(row, "liquidity") or ZERO
    volume_24h = micros_of(row, "volume24hr") or ZERO
    return CatalogueMarket(
        market_id=MarketId(text_of(row, "id")),
        event_id=event_id,
        slug=text_of(row, "slug"),
        question=text_of(row, "question"),
        raw={key: value for key, value in row.items() if key != "events"},
        condition_id=condition_id,
        question_id=text_of(row, "questionID"),
        token_ids=token_ids,
        outcomes=outcomes,
        tick_size=tick_size,
        min_order_size=micros_of(row, "orderMinSize") or _FIVE_SHARES,
        neg_risk=row.get("negRisk") is True,
        fee=_fee_of(row),
        rewards=_rewards_of(row),
        start_price=midpoint,
        spread=spread,
        depth=_depth_of(row, state, midpoint, liquidity=liquidity),
        activity=_activity_of(state, volume_24h),
        state=state,
        payouts=prices if state is MarketState.RESOLVED else (),
        starts_at=moment_of(row, "eventStartTime") or moment_of(row, "startDate"),
        ends_at=moment_of(row, "endDate"),
        volume=micros_of(row, "volumeNum") or micros_of(row, "volume") or ZERO,
        volume_24h=volume_24h,
        liquidity=liquidity,
    )


def read_event(row: Row, markets: Iterable[CatalogueMarket]) -> CatalogueEvent:
    """Read one event row, with the markets already read."""
    return CatalogueEvent(
        event_id=EventId(text_of(row, "id")),
        slug=text_of(row, "slug"),
        title=text_of(row, "title"),
        raw={key: value for key, value in row.items() if key != "markets"},
        neg_risk=row.get("negRisk") is True or row.get("enableNegRisk") is True,
        markets=tuple(markets),
        tag_ids=tuple(TagId(text_of(tag, "id")) for tag in rows_of(row, "tags")),
        series_ids=tuple(SeriesId(text_of(one, "id")) for one in rows_of(row, "series")),
    )


def _state_of(row: Row, prices: tuple[Micros, ...], *, is_whole: bool) -> MarketState:
    if not is_whole:
        return MarketState.LEGACY
    if row.get("closed") is True or row.get("archived") is True:
        is_pending = row.get("umaResolutionStatus") in _PENDING
        is_final = prices in _FINAL and not is_pending
        return MarketState.RESOLVED if is_final else MarketState.CLOSED
    # Missing on new rows that do accept orders; only an explicit false closes the book.
    is_shut = row.get("acceptingOrders") is False or row.get("active") is False
    if row.get("enableOrderBook") is False or is_shut:
        return MarketState.NO_BOOK
    return MarketState.OPEN


def _tick_of(row: Row) -> Micros:
    tick_size = micros_of(row, "orderPriceMinTickSize")
    return tick_size if tick_size is not None and ZERO < tick_size < _HALF else _CENT


def _quote_of(row: Row, prices: tuple[Micros, ...], tick_size: Micros) -> tuple[Micros, Micros]:
    bid = micros_of(row, "bestBid") or ZERO
    ask = micros_of(row, "bestAsk") or ONE
    if not ZERO <= bid < ask <= ONE:
        bid, ask = ZERO, ONE
    spread = Micros(ask - bid)
    if bid == ZERO and ask == ONE:
        midpoint = prices[0] if prices and ZERO < prices[0] < ONE else _HALF
        return midpoint, tick_size
    return Micros((bid + ask) // 2), spread


def _fee_of(row: Row) -> FeeTerms:
    schedule = row.get("feeSchedule")
    if row.get("feesEnabled") is not True or not isinstance(schedule, Mapping):
        return FeeTerms()
    exponent = schedule.get("exponent")
    return FeeTerms(
        rate=micros_of(schedule, "rate") or ZERO,
        exponent=exponent if isinstance(exponent, int) and 0 < exponent < 5 else 1,
        taker_only=schedule.get("takerOnly") is not False,
        rebate_rate=micros_of(schedule, "rebateRate") or ZERO,
    )


def _rewards_of(row: Row) -> Rewards:
    cents = micros_of(row, "rewardsMaxSpread") or ZERO
    daily = sum(micros_of(one, "rewardsDailyRate") or 0 for one in rows_of(row, "clobRewards"))
    return Rewards(
        min_size=micros_of(row, "rewardsMinSize") or ZERO,
        max_spread=Micros(cents // 100),
        daily_rate=Micros(daily),
    )


def _depth_of(row: Row, state: MarketState, midpoint: Micros, *, liquidity: Micros) -> DepthProfile:
    # Thresholds in dollars of displayed liquidity at which recorded books change their character.
    if state is not MarketState.OPEN:
        return DepthProfile.EMPTY
    if not micros_of(row, "bestBid") and (micros_of(row, "bestAsk") or ONE) == ONE:
        return DepthProfile.EMPTY
    if not 2 * _CENT < midpoint < ONE - 2 * _CENT:
        return DepthProfile.LONG_SHOT
    if liquidity < 2_000 * ONE:
        return DepthProfile.THIN
    return DepthProfile.NORMAL if liquidity < 60_000 * ONE else DepthProfile.DEEP


def _activity_of(state: MarketState, volume_24h: Micros) -> Activity:
    # Thresholds in dollars traded per day.
    if state is not MarketState.OPEN:
        return Activity.IDLE
    for limit, activity in _VOLUME_CLASSES:
        if volume_24h >= limit * ONE:
            return activity
    return Activity.QUIET


_VOLUME_CLASSES = (
    (100_000, Activity.FAST),
    (20_000, Activity.BUSY),
    (1_000, Activity.STEADY),
)


def decimal_number(amount: Micros) -> int | float:
    """Return an amount as a JSON number in the host's form: whole values as integers."""
    whole, rest = divmod(amount, ONE)
    return whole if rest == 0 else float(Decimal(amount) / ONE)


REGULAR_ORACLE = "0x65070BE91477460D8A7AeEb94ef92fe056C2f2A7"
"""Resolver of regular markets, and the oracle of their conditions."""
PROTOCOL = "v1"
"""The settlement protocol of a market. Newer rows have it, and the official library expects it
in every row."""


def made_up_hash(text: str) -> str:
    """Return 0x and 64 hex digits derived from a text."""
    return "0x" + keccak256(text.encode()).hex()


def chain_ids(question_id: str, *, neg_risk: bool) -> tuple[ConditionId, tuple[TokenId, TokenId]]:
    """Return condition and token ids, derived as in the contracts."""
    oracle = POLYGON.neg_risk_adapter if neg_risk else REGULAR_ORACLE
    condition = condition_id(oracle, question_id)
    return condition, token_ids(condition, neg_risk=neg_risk)


def in_string(value: object) -> str:
    """Return JSON in the host's form inside strings: with a space after each comma."""
    return msgspec.json.encode(value).decode().replace('","', '", "')
