"""Replies of the trading host's public routes, as domain values.

Every function takes the bytes of a body and raises `WireError` if it cannot decode them. Prices come
as texts or numbers, some fields under two names; both forms are accepted.

    GET /clob-markets/{id} {"c": "0xab…", "t": [{"t": "7121…", "o": "Yes"}, {"t": "9034…", "o": "No"}],
                            "mts": 0.01, "mos": 5, "nr": false, "ao": true, "sd": 0,
                            "fd": {"r": 0.04, "e": 1, "to": true}, "r": {"mi": 50, "ma": 3.5}}
    GET /prices-history    {"history": [{"t": 1780000000, "p": 0.43}]}
    GET /midpoint          {"mid": "0.43"}
    GET /markets           {"data": […], "next_cursor": "MTAwMA==", "limit": 1000, "count": 1000}

`mts` is the tick size in dollars, `mos` the smallest order in shares, `fd` the taker's fee (rate,
exponent, taker only), `r` the rewards: shares, and cents from the midpoint.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

import msgspec

from pmtui.domain.answers import Page
from pmtui.domain.books.market_events import BookSnapshot
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.history import PricePoint
from pmtui.domain.markets.market import (
    NO_FEE,
    FeeSchedule,
    ListedMarket,
    MarketTerms,
    RewardTerms,
    Side,
)
from pmtui.domain.money import (
    CASH,
    CENTS,
    ONE,
    PRICE,
    RATE,
    SCALE,
    SIZE,
    TICK,
    ZERO,
    Micros,
    MoneyError,
)
from pmtui.wire import bounds, fields
from pmtui.wire.book_snapshot import decode_snapshot, decode_snapshot_body
from pmtui.wire.bounds import UNREADABLE, Identifier, WireError, decode_json, split_list
from pmtui.wire.fields import Row

T = TypeVar("T")

LAST_CURSOR = "LTE="
"""Base64 of -1."""


@dataclass(frozen=True, slots=True)
class LastTrade:
    """Price and side of the last trade; a side of None means that nothing has traded."""

    price: Micros
    side: Side | None


@dataclass(frozen=True, slots=True)
class MarketOfToken:
    """The market of a token, and its pair of tokens, the first outcome's first."""

    condition_id: ConditionId
    token_ids: tuple[TokenId, TokenId]


def decode_time(body: bytes) -> datetime:
    """Decode `/time`: a bare number of seconds, or a text of one."""
    at = fields.moment({"time": fields.load(body)}, "time")
    if at is None:
        raise WireError("time", "missing")
    return at


def decode_book(body: bytes) -> BookSnapshot:
    """Decode `/book`."""
    try:
        return decode_snapshot_body(body)
    except MoneyError as error:
        raise WireError("book", str(error)) from error


def decode_books(body: bytes) -> tuple[BookSnapshot, ...]:
    """Decode `/books`: in arbitrary order, without tokens that have no book."""
    try:
        rows, _ = decode_page(body)
        return tuple(decode_snapshot(fields.load_row(row, "book")) for row in rows)
    except MoneyError as error:
        raise WireError("books", str(error)) from error


def decode_price(body: bytes) -> Micros:
    """Decode `/price`."""
    return fields.required_amount(fields.load_object(body, "price"), "price", within=PRICE)


def decode_prices(body: bytes) -> dict[TokenId, dict[Side, Micros]]:
    """Decode `/prices`: only the requested sides."""
    prices: dict[TokenId, dict[Side, Micros]] = {}
    for token, sides in fields.load_object(body, "prices").items():
        listed = fields.row(sides, "prices")
        prices[_token(token)] = {
            side: fields.required_amount(listed, side.value, within=PRICE)
            for side in Side
            if listed.get(side.value) is not None
        }
    return prices


def decode_midpoint(body: bytes) -> Micros:
    """Decode `/midpoint`, under its actual name and the documented one."""
    return fields.required_amount(
        fields.load_object(body, "midpoint"), "mid", "mid_price", within=PRICE
    )


def decode_spread(body: bytes) -> Micros:
    """Decode `/spread`."""
    return fields.required_amount(fields.load_object(body, "spread"), "spread", within=PRICE)


def decode_amounts(body: bytes) -> dict[TokenId, Micros]:
    """Decode `/midpoints` or `/spreads`: an amount for each token."""
    source = fields.load_object(body, "amounts")
    return {_token(token): fields.required_amount(source, token, within=PRICE) for token in source}


def decode_last_trade(body: bytes) -> LastTrade:
    """Decode `/last-trade-price`."""
    return _last_trade(fields.load_object(body, "last trade"))


def decode_last_trades(body: bytes) -> dict[TokenId, LastTrade]:
    """Decode `/last-trades-prices`: the host leaves out tokens that never traded."""
    listed = fields.rows(fields.load(body), "last trades")
    return {TokenId(fields.required(row, "token_id")): _last_trade(row) for row in listed}


def _last_trade(source: Row) -> LastTrade:
    side = fields.side(source) if fields.text(source, "side") else None
    return LastTrade(fields.required_amount(source, "price", within=PRICE), side)


def decode_tick_size(body: bytes) -> Micros:
    """Decode `/tick-size`: a number or a text, under either name."""
    source = fields.load_object(body, "tick size")
    return fields.required_amount(source, "minimum_tick_size", "tick_size", within=TICK)


def decode_neg_risk(body: bytes) -> bool:
    """Decode `/neg-risk`."""
    source = fields.load_object(body, "neg risk")
    if source.get("neg_risk") is None:
        raise WireError("neg_risk", "missing")
    return fields.flag(source, "neg_risk", default=False)


def decode_fee_rate(body: bytes) -> int:
    """Decode `/fee-rate`, in basis points; this is not the fee of today's exchange."""
    names = ("base_fee", "fee_rate_bps", "fee_rate")
    rate = fields.whole(fields.load_object(body, "fee rate"), *names, within=fields.BASIS_POINTS)
    if rate is None:
        raise WireError("base_fee", "missing")
    return rate


def decode_market_of_token(body: bytes) -> MarketOfToken:
    """Decode `/markets-by-token/{token_id}`."""
    source = fields.load_object(body, "market of token")
    return MarketOfToken(
        ConditionId(fields.required(source, "condition_id")),
        (
            TokenId(fields.required(source, "primary_token_id")),
            TokenId(fields.required(source, "secondary_token_id")),
        ),
    )


def decode_market_terms(body: bytes) -> MarketTerms:
    """Decode `/clob-markets/{condition_id}`: keys have one to five letters, empty fields are left out."""
    source = fields.load_object(body, "market terms")
    tokens = fields.rows(source.get("t") or [], "t", most=bounds.MOST_OUTCOMES)
    return MarketTerms(
        condition_id=ConditionId(fields.required(source, "c", "condition_id")),
        token_ids=tuple(TokenId(fields.required(token, "t")) for token in tokens),
        outcome_labels=tuple(fields.shown(token, "o", most=bounds.LABEL) for token in tokens),
        tick_size=fields.required_amount(source, "mts", within=TICK),
        min_order_size=fields.amount(source, "mos", within=SIZE) or ZERO,
        neg_risk=fields.flag(source, "nr", default=False),
        fee=_fee_schedule(source.get("fd")),
        # Shorter samples lack it. If it is wrongly assumed open, the venue at worst refuses an
        # order; if it were wrongly assumed closed, a market could not be traded.
        accepting_orders=fields.flag(source, "ao", default=True),
        has_taker_delay=fields.flag(source, "itode", default=False),
        seconds_delay=fields.whole(source, "sd", within=fields.SECONDS) or 0,
        rewards=_reward_terms(source.get("r")),
    )


def _fee_schedule(value: object) -> FeeSchedule:
    if value is None:
        return NO_FEE
    source = fields.row(value, "fd")
    exponent, rest = divmod(fields.amount(source, "e", within=CASH) or ONE, SCALE)
    if rest or not 1 <= exponent <= 4:
        raise WireError("fd.e", "not a small whole number")
    rate = fields.amount(source, "r", within=RATE) or ZERO
    return FeeSchedule(rate, exponent, fields.flag(source, "to", default=True))


def _reward_terms(value: object) -> RewardTerms | None:
    if value is None:
        return None
    source = fields.row(value, "r")
    size = fields.amount(source, "mi", within=SIZE)
    cents = fields.amount(source, "ma", within=CENTS)
    if not size or not cents:
        return None
    return RewardTerms(min_size=size, max_spread=Micros(cents // 100))


def decode_market_page(body: bytes) -> Page[ListedMarket]:
    """Decode a page of `/markets`, `/sampling-markets` or one of their simplified forms."""
    return read_page(body, _listed_market)


def decode_listed_market(body: bytes) -> ListedMarket:
    """Decode `/markets/{condition_id}`."""
    return _listed_market(fields.load_object(body, "market"))


def _listed_market(source: Row) -> ListedMarket:
    tokens = fields.rows(source.get("tokens") or [], "tokens", most=bounds.MOST_OUTCOMES)
    token_ids = tuple(TokenId(fields.text(token, "token_id")) for token in tokens)
    condition_id = fields.text(source, "condition_id")
    return ListedMarket(
        condition_id=ConditionId(condition_id) if condition_id else None,
        token_ids=token_ids if all(token_ids) else (),
        outcome_labels=tuple(fields.shown(token, "outcome", most=bounds.LABEL) for token in tokens),
        slug=fields.text(source, "market_slug"),
        question=fields.shown(source, "question", most=bounds.TITLE),
        tick_size=fields.amount(source, "minimum_tick_size", within=PRICE),
        min_order_size=fields.amount(source, "minimum_order_size", within=SIZE),
        neg_risk=None
        if source.get("neg_risk") is None
        else fields.flag(source, "neg_risk", default=False),
        active=fields.flag(source, "active", default=True),
        closed=fields.flag(source, "closed", default=False),
        accepting_orders=fields.flag(source, "accepting_orders", default=True),
    )


class _History(msgspec.Struct, gc=False):
    history: list[msgspec.Raw] | None = None


class _Histories(msgspec.Struct, gc=False):
    history: dict[Identifier, list[msgspec.Raw] | None] | None = None


_HISTORY = msgspec.json.Decoder(_History)
_HISTORIES = msgspec.json.Decoder(_Histories)


def decode_prices_history(body: bytes) -> Page[PricePoint]:
    """Decode `/prices-history`, oldest first; empty for a token unknown to the host.

    Points that cannot be decoded are counted.
    """
    try:
        return _points(decode_json(_HISTORY, body).history)
    except UNREADABLE as error:
        raise WireError.of(error) from error


def decode_prices_histories(body: bytes) -> dict[TokenId, tuple[PricePoint, ...]]:
    """Decode `/batch-prices-history`: several histories, each oldest first."""
    try:
        histories = decode_json(_HISTORIES, body).history or {}
    except UNREADABLE as error:
        raise WireError.of(error) from error
    return {TokenId(token): _points(listed).items for token, listed in histories.items()}


def _points(listed: Sequence[msgspec.Raw] | None) -> Page[PricePoint]:
    points: list[PricePoint] = []
    skipped = 0
    for raw in bounds.bounded(listed or (), bounds.MOST_POINTS, "history"):
        try:
            points.append(_point(fields.load_row(raw, "history")))
        except WireError:
            skipped += 1
    points.sort(key=lambda point: point.at)
    return Page(tuple(points), next_cursor=None, skipped=skipped)


def _point(source: Row) -> PricePoint:
    at = fields.moment(source, "t")
    if at is None:
        raise WireError("t", "missing")
    return PricePoint(at, fields.required_amount(source, "p", within=PRICE))


def decode_version(body: bytes) -> int:
    """Decode `/version`: the version of orders that the host accepts."""
    version = fields.whole(fields.load_object(body, "version"), "version", within=fields.COUNT)
    if version is None:
        raise WireError("version", "missing")
    return version


def decode_page(body: bytes) -> tuple[list[msgspec.Raw], str | None]:
    """Return the undecoded rows of a page, and the cursor of the next one, None on the last."""
    rows, cursor = split_list(body, "data", is_required=False)
    _ = bounds.bounded(rows, bounds.MOST_ROWS, "data")
    return rows, None if cursor == LAST_CURSOR else cursor


def read_page(body: bytes, decode: Callable[[Row], T]) -> Page[T]:
    """Decode the rows of a page; those that cannot be decoded are counted."""
    rows, cursor = decode_page(body)
    found: list[T] = []
    skipped = 0
    for raw in rows:
        try:
            found.append(decode(fields.load_row(raw, "row")))
        except WireError:
            skipped += 1
    return Page(tuple(found), cursor, skipped)


def _token(text: str) -> TokenId:
    return TokenId(bounds.identifier(text, "token"))
