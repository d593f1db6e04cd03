"""Rows of the metadata host, made from the terminal's cached event list of the last session."""

import json
from typing import Final

import msgspec

from pmtui.domain.markets.market import Event, FeeSchedule, Market, RewardTerms
from pmtui.domain.money import Micros, format_micros
from pmtui.sim.catalogue.gamma import decimal_number
from pmtui.sim.catalogue.model import Row

_KEYS: Final = frozenset({"format", "seen_at", "events"})
"""Present in every such file."""


def is_event_list_cache(value: Row) -> bool:
    """Whether an object is the terminal's event list and not a reply of the metadata host."""
    return value.keys() >= _KEYS


def rows_of_cache(value: Row) -> list[Row]:
    """Return the list's events as rows of the metadata host, each with its markets.

    Raises:
        msgspec.ValidationError: the list is damaged, or of another version.
    """
    return [_event_row(event) for event in msgspec.convert(value["events"], list[Event])]


def _event_row(event: Event) -> Row:
    return _known_fields(
        id=event.event_id,
        slug=event.slug,
        title=event.title,
        markets=[_market_row(market) for market in event.markets],
        tags=[{"id": tag.tag_id, "slug": tag.slug, "label": tag.label} for tag in event.tags],
        series=[
            {"id": s.series_id, "slug": s.slug, "title": s.title, "recurrence": s.recurrence}
            for s in event.series
        ],
        negRisk=event.neg_risk,
        active=event.active,
        closed=event.closed,
        archived=event.archived,
        volume=_number(event.volume),
        volume24hr=_number(event.volume_24h),
        liquidity=_number(event.liquidity),
        openInterest=_number(event.open_interest),
        commentCount=event.comment_count,
        createdAt=event.created_at and event.created_at.isoformat(),
        endDate=event.end_at and event.end_at.isoformat(),
    )


def _market_row(market: Market) -> Row:
    tokens = market.token_ids
    return _known_fields(
        id=market.market_id,
        conditionId=market.condition_id,
        slug=market.slug,
        question=market.question,
        groupItemTitle=market.group_title or None,
        outcomes=json.dumps([outcome.label for outcome in market.outcomes]),
        outcomePrices=_prices(market),
        clobTokenIds=json.dumps(list(tokens)) if tokens else None,
        orderPriceMinTickSize=_number(market.tick_size),
        orderMinSize=_number(market.min_order_size),
        negRisk=market.neg_risk,
        active=market.active,
        closed=market.closed,
        archived=market.archived,
        acceptingOrders=market.accepting_orders,
        enableOrderBook=market.has_order_book,
        bestBid=_number(market.best_bid),
        bestAsk=_number(market.best_ask),
        lastTradePrice=_number(market.last_trade_price),
        oneDayPriceChange=_number(market.day_change),
        volumeNum=_number(market.volume),
        volume24hr=_number(market.volume_24h),
        liquidityNum=_number(market.liquidity),
        createdAt=market.created_at and market.created_at.isoformat(),
        endDate=market.end_at and market.end_at.isoformat(),
        closedTime=market.closed_at and market.closed_at.isoformat(),
        gameStartTime=market.game_start_at and market.game_start_at.isoformat(),
        sportsMarketType=market.sports_type or None,
        **_fee(market.fee),
        **_rewards(market.rewards),
    )


def _prices(market: Market) -> str | None:
    stated = [format_micros(o.price) for o in market.outcomes if o.price is not None]
    return json.dumps(stated) if len(stated) == len(market.outcomes) else None


def _fee(fee: FeeSchedule | None) -> Row:
    if fee is None:
        return {}
    if not fee.rate:
        return {"feesEnabled": False}
    schedule = {
        "rate": decimal_number(fee.rate),
        "exponent": fee.exponent,
        "takerOnly": fee.is_taker_only,
    }
    return {"feesEnabled": True, "feeSchedule": schedule}


def _rewards(terms: RewardTerms | None) -> Row:
    if terms is None:
        return {}
    cents = Micros(terms.max_spread * 100)
    return {
        "rewardsMinSize": decimal_number(terms.min_size),
        "rewardsMaxSpread": decimal_number(cents),
    }


def _number(amount: Micros | None) -> int | float | None:
    return None if amount is None else decimal_number(amount)


# The host leaves out unknown fields.
def _known_fields(**fields: object) -> Row:
    return {name: value for name, value in fields.items() if value is not None}
