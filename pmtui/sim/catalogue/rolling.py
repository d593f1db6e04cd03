"""The five-minute series: will a coin be higher at the end of a window than at its start.

Windows are derived from their start alone, so every run gives the same window the same ids, and the
venue can create more of them for as long as it runs.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from pmtui.domain.ids import EventId
from pmtui.domain.money import Micros
from pmtui.sim.catalogue.gamma import (
    PROTOCOL,
    REGULAR_ORACLE,
    chain_ids,
    in_string,
    made_up_hash,
    read_event,
    read_market,
)
from pmtui.sim.catalogue.model import (
    Activity,
    CatalogueEvent,
    CatalogueMarket,
    DepthProfile,
    Row,
)

WINDOW = timedelta(minutes=5)
_LISTED_BEFORE = timedelta(hours=21)
_IMAGES = "https://images.example.org/pmtui"
_RULES = (
    'This market resolves to "Up" if the reference price of {coin} at {end} is equal to or above '
    'the reference price at {start}, else to "Down". Both prices are taken from the same feed, '
    "to the last digit it publishes.\n\nResolution source: the {pair} reference feed."
)


@dataclass(frozen=True, slots=True)
class Coin:
    """An asset that has five-minute windows."""

    code: str
    name: str
    pair: str
    tick: float


COINS = (
    Coin("btc", "Bitcoin", "BTC/USD", 0.01),
    Coin("eth", "Ether", "ETH/USD", 0.01),
    Coin("sol", "Solana", "SOL/USD", 0.001),
)
_TAGS: tuple[dict[str, object], ...] = (
    {"id": "95001", "label": "Up or Down", "slug": "up-or-down", "requiresTranslation": False},
    {"id": "95002", "label": "5 minutes", "slug": "5-minutes", "requiresTranslation": False},
)


def windows_between(start: datetime, end: datetime, *, now: datetime) -> list[CatalogueEvent]:
    """Return the windows of every coin that start in a period.

    Args:
        start: Aware; included.
        end: Aware; excluded.
        now: Windows that ended before this are returned resolved.
    """
    first = -(-int(start.timestamp()) // 300) * 300
    starts = range(first, int(-(-end.timestamp() // 1)), 300)
    moments = (datetime.fromtimestamp(seconds, UTC) for seconds in starts)
    return [
        _window(coin, index, moment, now=now)
        for moment in moments
        for index, coin in enumerate(COINS)
    ]


def tag_rows() -> tuple[Row, ...]:
    """Return the tags of the windows."""
    return _TAGS


def series_rows(now: datetime) -> Iterator[Row]:
    """Return one series row for each coin."""
    for index, coin in enumerate(COINS):
        icon = f"{_IMAGES}/series-{coin.code}.png"
        yield {
            "id": str(19_901 + index),
            "ticker": f"{coin.code}-five-minutes",
            "slug": f"{coin.code}-five-minutes",
            "title": f"{coin.name} every five minutes",
            "seriesType": "single",
            "recurrence": "5m",
            "image": icon,
            "icon": icon,
            "active": True,
            "closed": False,
            "archived": False,
            "createdAt": "2026-01-12T09:30:00.5Z",
            "updatedAt": _stamp(now),
            "commentCount": 0,
        }


def _window(coin: Coin, index: int, start: datetime, *, now: datetime) -> CatalogueEvent:
    end = start + WINDOW
    seconds = int(start.timestamp())
    serial = seconds // 300 * len(COINS) + index
    rng = random.Random(serial)
    event_id = EventId(str(serial))
    slug = f"{coin.code}-five-minutes-{seconds}"
    title = f"{coin.name}: up or down, {start:%B} {start.day}, {start:%H:%M}–{end:%H:%M} UTC"
    rules = _RULES.format(
        coin=coin.name, pair=coin.pair, start=f"{start:%H:%M:%S UTC}", end=f"{end:%H:%M:%S UTC}"
    )
    shared: dict[str, object] = {
        "id": event_id,
        "slug": slug,
        "description": rules,
        "resolutionSource": f"{coin.pair} reference feed",
        "startDate": _stamp(start - _LISTED_BEFORE),
        "endDate": f"{end:%Y-%m-%dT%H:%M:%SZ}",
        "createdAt": _stamp(start - _LISTED_BEFORE - timedelta(hours=2)),
        "updatedAt": _stamp(min(now, end + timedelta(seconds=90))),
        "image": f"{_IMAGES}/series-{coin.code}.png",
        "icon": f"{_IMAGES}/series-{coin.code}.png",
        "active": True,
        "closed": end <= now,
        "archived": False,
        "new": False,
        "featured": False,
        "restricted": True,
        "enableOrderBook": True,
        "negRisk": False,
    }
    market = {**shared, "question": title, **_market_fields(coin, slug, start, rng)}
    if end <= now:
        market.update(_result(end, rng))
    event: dict[str, object] = {
        **shared,
        "ticker": slug,
        "title": title,
        "startTime": f"{start:%Y-%m-%dT%H:%M:%SZ}",
        "volume": market["volumeNum"],
        "volume24hr": market["volume24hr"],
        "liquidity": market["liquidityNum"],
        "seriesSlug": f"{coin.code}-five-minutes",
        "series": [list(series_rows(now))[index]],
        "tags": list(_TAGS),
        "commentCount": 0,
    }
    return read_event(event, [_read(market, event_id)])


def _market_fields(coin: Coin, slug: str, start: datetime, rng: random.Random) -> dict[str, object]:
    question_id = made_up_hash(f"window:{slug}")
    condition_id, tokens = chain_ids(question_id, neg_risk=False)
    volume = round(rng.uniform(8_000, 140_000), 6)
    return {
        "questionID": question_id,
        "conditionId": condition_id,
        "clobTokenIds": in_string(tokens),
        "outcomes": '["Up", "Down"]',
        "outcomePrices": '["0.505", "0.495"]',
        "resolvedBy": REGULAR_ORACLE,
        "eventStartTime": f"{start:%Y-%m-%dT%H:%M:%SZ}",
        "acceptingOrders": True,
        "acceptingOrdersTimestamp": f"{start - _LISTED_BEFORE:%Y-%m-%dT%H:%M:%SZ}",
        "version": PROTOCOL,
        "orderPriceMinTickSize": coin.tick,
        "orderMinSize": 5,
        "bestBid": 0.5,
        "bestAsk": 0.51,
        "spread": 0.01,
        "lastTradePrice": 0.5,
        "volume": str(volume),
        "volumeNum": volume,
        "volume24hr": volume,
        "liquidity": "14200.5",
        "liquidityNum": 14200.5,
        "feesEnabled": True,
        "feeType": "crypto_fees_v2",
        "feeSchedule": {"exponent": 1, "rate": 0.07, "takerOnly": True, "rebateRate": 0.2},
        "makerBaseFee": 1000,
        "takerBaseFee": 1000,
        "rewardsMinSize": 50,
        "rewardsMaxSpread": 4.5,
        "umaResolutionStatuses": "[]",
        "groupItemThreshold": "0",
    }


def _result(end: datetime, rng: random.Random) -> dict[str, object]:
    is_up = rng.random() < 0.5
    return {
        "outcomePrices": '["1", "0"]' if is_up else '["0", "1"]',
        "acceptingOrders": False,
        "liquidity": "0",
        "liquidityNum": 0,
        "closedTime": f"{end + timedelta(seconds=16):%Y-%m-%d %H:%M:%S}+00",
        "umaEndDate": f"{end + timedelta(seconds=16):%Y-%m-%dT%H:%M:%SZ}",
        "umaResolutionStatus": "resolved",
        "automaticallyResolved": True,
    }


def _read(row: Row, event_id: EventId) -> CatalogueMarket:
    market = read_market(row, event_id)
    if not market.is_tradable:
        return replace(market, is_window=True)
    return replace(
        market,
        is_window=True,
        depth=DepthProfile.NORMAL,
        activity=Activity.FAST,
        spread=Micros(10_000),
    )


def _stamp(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.5Z"
