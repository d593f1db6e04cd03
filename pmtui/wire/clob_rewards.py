"""Rewards, scoring and rebates of the trading host, as domain values.

    GET /rewards/markets/current {"data": [{"condition_id": "0xab…", "rewards_min_size": 50,
        "rewards_max_spread": 3.5, "rewards_config": [{"asset_address": "0xC0…", "rate_per_day": 10,
        "start_date": "2026-01-01", "end_date": "2500-12-31"}]}], "next_cursor": "LTE="}
    GET /rewards/user {"data": [{"date": "2026-11-20", "condition_id": "0xab…", "asset_address": "0xC0…",
        "maker_address": "0x9a…", "earnings": 0.52, "asset_rate": 1}], "next_cursor": "LTE="}

Sizes are shares, spreads cents, rates units of the asset a day. The rows of all lists have one form with
more or fewer fields; dates come with or without a time of day, amounts as numbers or texts.
"""

from datetime import date
from typing import TypeVar

from pmtui.domain.answers import Page
from pmtui.domain.ids import Address, ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import RewardTerms
from pmtui.domain.markets.rewards import (
    AssetEarnings,
    Earnings,
    OutcomePrice,
    Rebate,
    RewardedMarket,
    RewardProgram,
)
from pmtui.domain.money import CASH, CENTS, ONE, PERCENT, PRICE, SIZE, ZERO, Micros
from pmtui.wire import bounds, fields
from pmtui.wire.bounds import WireError
from pmtui.wire.clob import decode_page, read_page
from pmtui.wire.fields import Row
from pmtui.wire.rows import to_moment

T = TypeVar("T")

_CENTS_IN_A_PRICE = 100


def decode_scoring(body: bytes) -> bool:
    """Decode whether one order earns rewards."""
    source = fields.load_object(body, "scoring")
    if source.get("scoring") is None:
        raise WireError("scoring", "missing")
    return fields.flag(source, "scoring", default=False)


def decode_scorings(body: bytes) -> dict[OrderId, bool]:
    """Decode which of several orders earn rewards."""
    source = fields.load_object(body, "scoring")
    return {
        OrderId(bounds.identifier(key, "scoring")): fields.flag(source, key, default=False)
        for key in source
    }


def decode_rewarded_markets(body: bytes) -> Page[RewardedMarket]:
    """Decode a page of any of the lists of markets with rewards."""
    page = read_page(body, _rewarded_market)
    try:
        loaded = fields.load(body)
        source = loaded if isinstance(loaded, dict) else {}
        total = fields.whole(source, "total_count", within=fields.COUNT)
    except WireError:
        # The total is optional: the rows are valid without it.
        total = None
    return Page(page.items, page.next_cursor, page.skipped, total)


def decode_earnings(body: bytes) -> Page[Earnings]:
    """Decode a page of a day's earnings by market, or the sums of a day."""
    return read_page(body, _earnings)


def decode_total_earnings(body: bytes) -> tuple[Earnings, ...]:
    """Decode the sums of a day, one for each asset; an unreadable one makes the whole reply invalid."""
    rows, _ = decode_page(body)
    return tuple(_earnings(fields.load_row(row, "earnings")) for row in rows)


def decode_percentages(body: bytes) -> dict[ConditionId, Micros]:
    """Decode our share of current payouts, by market; an array of rows is accepted too."""
    loaded = fields.load(body)
    if isinstance(loaded, list):
        listed = fields.rows(loaded, "percentages")
        names = ("earning_percentage", "percentage", "percent")
        return {
            ConditionId(fields.required(row, "condition_id", "market")): fields.required_amount(
                row, *names, within=PERCENT
            )
            for row in listed
        }
    source = fields.row(loaded, "percentages")
    return {
        ConditionId(bounds.identifier(key, "percentages")): fields.required_amount(
            source, key, within=PERCENT
        )
        for key in source
    }


def decode_rebates(body: bytes) -> Page[Rebate]:
    """Decode the rebates of a day; rows that cannot be decoded are counted."""
    return read_page(body, _rebate)


def _rewarded_market(source: Row) -> RewardedMarket:
    tokens = fields.rows(source.get("tokens") or [], "tokens", most=bounds.MOST_OUTCOMES)
    listed = source.get("rewards_config") or []
    programs = fields.rows(listed, "rewards_config", most=bounds.MOST_TAGS)
    earned = fields.rows(source.get("earnings") or [], "earnings", most=bounds.MOST_TAGS)
    return RewardedMarket(
        condition_id=ConditionId(fields.required(source, "condition_id")),
        terms=RewardTerms(
            min_size=fields.amount(source, "rewards_min_size", within=SIZE) or ZERO,
            max_spread=_price_of_cents(
                fields.amount(source, "rewards_max_spread", within=CENTS) or ZERO
            ),
        ),
        programs=tuple(_program(row) for row in programs),
        question=fields.shown(source, "question", most=bounds.TITLE),
        slug=fields.text(source, "market_slug"),
        event_slug=fields.text(source, "event_slug"),
        outcomes=tuple(
            OutcomePrice(
                TokenId(fields.required(token, "token_id")),
                fields.shown(token, "outcome", most=bounds.LABEL),
                fields.amount(token, "price", within=PRICE),
            )
            for token in tokens
        ),
        competitiveness=fields.amount(source, "market_competitiveness", within=CASH),
        daily_rate=fields.amount(source, "total_daily_rate", within=CASH),
        sponsored_rate=fields.amount(source, "sponsored_daily_rate", within=CASH),
        spread=fields.amount(source, "spread", within=PRICE),
        volume_24h=fields.amount(source, "volume_24hr", within=CASH),
        earning_percent=fields.amount(source, "earning_percentage", within=PERCENT),
        earned=tuple(_asset_earnings(row) for row in earned),
    )


def _price_of_cents(cents: Micros) -> Micros:
    return Micros(cents // _CENTS_IN_A_PRICE)


def _program(source: Row) -> RewardProgram:
    return RewardProgram(
        asset=Address(fields.required(source, "asset_address")),
        rate_per_day=fields.required_amount(
            source, "rate_per_day", "rewards_daily_rate", within=CASH
        ),
        starts_on=_day(source, "start_date"),
        ends_on=_day(source, "end_date"),
        total=fields.amount(source, "total_rewards", within=CASH),
        remaining=fields.amount(source, "remaining_reward_amount", within=CASH),
        total_days=fields.whole(source, "total_days", within=fields.COUNT),
    )


def _earnings(source: Row) -> Earnings:
    condition_id = fields.text(source, "condition_id")
    return Earnings(
        day=_required_day(source),
        maker=Address(fields.text(source, "maker_address")),
        paid=_asset_earnings(source),
        condition_id=ConditionId(condition_id) if condition_id else None,
    )


def _asset_earnings(source: Row) -> AssetEarnings:
    rate = fields.amount(source, "asset_rate", within=CASH)
    return AssetEarnings(
        Address(fields.required(source, "asset_address")),
        fields.required_amount(source, "earnings", within=CASH),
        ONE if rate is None else rate,
    )


def _rebate(source: Row) -> Rebate:
    return Rebate(
        day=_required_day(source),
        condition_id=ConditionId(fields.required(source, "condition_id", "market")),
        asset=Address(fields.text(source, "asset_address")),
        maker=Address(fields.text(source, "maker_address")),
        amount=fields.required_amount(source, "rebated_fees_usdc", "rebate", within=CASH),
    )


def _required_day(source: Row) -> date:
    day = _day(source, "date")
    if day is None:
        raise WireError("date", "missing")
    return day


def _day(source: Row, name: str) -> date | None:
    value = fields.text(source, name)
    if not value:
        return None
    at = to_moment(value)
    if at is None:
        raise WireError(name, "not a date")
    return at.date()
