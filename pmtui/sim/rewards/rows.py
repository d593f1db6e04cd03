"""Markets and earnings as the reward routes list them."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from pmtui.domain.money import ONE, ZERO, Micros
from pmtui.signing.contracts import POLYGON
from pmtui.sim.catalogue.model import CatalogueMarket, Row
from pmtui.sim.gamma.market_rows import iso_time, number, token_rows
from pmtui.sim.rewards.rewards import Earning
from pmtui.sim.venue import Venue

ASSET_RATE = 1
"""Dollars a unit of collateral is worth."""
NO_DATE = "1970-01-01T00:00:00Z"
"""Where a row must have a date and the catalogue names none."""


def config_rows(market: CatalogueMarket) -> list[dict[str, object]]:
    """Return the programmes a market's reward comes from."""
    listed = market.raw.get("clobRewards")
    programmes: Sequence[object] = listed if isinstance(listed, list) else ()
    return [_config(row) for row in programmes if isinstance(row, Mapping)]


def _config(row: Row) -> dict[str, object]:
    return {
        "id": _whole(row.get("id")),
        "asset_address": POLYGON.collateral,
        "start_date": row.get("startDate", ""),
        "end_date": row.get("endDate", ""),
        "rate_per_day": row.get("rewardsDailyRate", 0),
        "total_rewards": row.get("rewardsAmount", 0),
    }


def _whole(value: object) -> int:
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() else 0


def terms_row(market: CatalogueMarket) -> dict[str, object]:
    """Return what an order must be, spread in cents as the metadata host has it."""
    return {
        "condition_id": market.condition_id,
        "rewards_max_spread": number(Micros(market.rewards.max_spread * 100)),
        "rewards_min_size": number(market.rewards.min_size),
        "rewards_config": config_rows(market),
    }


def current_row(market: CatalogueMarket) -> dict[str, object]:
    """Return a row of the list of paying markets; nobody sponsors any here."""
    daily = number(market.rewards.daily_rate)
    return {
        **terms_row(market),
        "sponsored_daily_rate": 0,
        "sponsors_count": 0,
        "native_daily_rate": daily,
        "total_daily_rate": daily,
    }


def market_row(
    venue: Venue, market: CatalogueMarket, competition: Fraction, day_change: Micros
) -> dict[str, object]:
    """Return a market with its terms and how much it is quoted.

    Args:
        venue: knows its prices.
        market: the market.
        competition: the sum of all accounts' scores.
        day_change: how far the price has come in a day.
    """
    event, raw = venue.catalogue.event_of(market), market.raw
    bid, ask = venue.exchange.reads.top(market.token_ids[0])
    return {
        "market_id": market.market_id,
        "question": market.question,
        "market_slug": market.slug,
        "event_id": event.event_id,
        "event_slug": event.slug,
        "image": raw.get("image", ""),
        "group_item_title": raw.get("groupItemTitle", ""),
        "created_at": iso_time(raw, "createdAt") or iso_time(raw, "startDate") or NO_DATE,
        "end_date": iso_time(raw, "endDate"),
        **terms_row(market),
        "market_competitiveness": round(float(competition), 4),
        "volume_24hr": number(volume_24h(venue, market)),
        "one_day_price_change": number(day_change),
        "spread": number(Micros((ONE if ask is None else ask) - (ZERO if bid is None else bid))),
        "tokens": [
            {key: row[key] for key in ("token_id", "outcome", "price")}
            for row in token_rows(venue, market)
        ],
    }


def volume_24h(venue: Venue, market: CatalogueMarket) -> Micros:
    """Return the dollars of a day: those before this run, and those in it."""
    since_ms = venue.clock.now_ms() - 86_400_000
    return Micros(market.volume_24h + venue.records.volume_since(market.condition_id, since_ms))


def earning_row(earning: Earning) -> dict[str, object]:
    """Return what was earned in one market on one day."""
    return {
        "date": earning.day.isoformat(),
        "condition_id": earning.condition_id,
        "asset_address": POLYGON.collateral,
        "maker_address": earning.maker,
        "earnings": number(earning.amount),
        "asset_rate": ASSET_RATE,
    }
