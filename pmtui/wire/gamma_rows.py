"""The metadata host's objects as they travel: all fields optional, unknown ones ignored.

Only what the program shows or trades by is named; a market has over a hundred keys
(WIRE_METADATA §3.2).
"""

import msgspec

from pmtui.wire.bounds import Identifier
from pmtui.wire.numbers import Listing, Number


class TagRow(msgspec.Struct, gc=False):
    """A tag; `id` is a string of digits, an int in some answers."""

    id: str | int | None = None
    label: str | None = None
    slug: Identifier | None = None


class SeriesRow(msgspec.Struct, gc=False):
    """A series, as it stands inside an event."""

    id: str | int | None = None
    slug: Identifier | None = None
    title: str | None = None
    recurrence: str | None = None


class FeeScheduleRow(msgspec.Struct, rename="camel", gc=False):
    """The fee of a market, on objects since mid-2026."""

    rate: Number = None
    exponent: Number = None
    taker_only: bool | None = None


class EventRefRow(msgspec.Struct, gc=False):
    """The event inside a market that is the top object."""

    id: str | int | None = None
    slug: Identifier | None = None
    title: str | None = None


class MarketRow(msgspec.Struct, rename="camel", gc=False):
    """A market; `outcomes`, `outcomePrices` and `clobTokenIds` are JSON inside strings."""

    id: str | int | None = None
    condition_id: str | None = None
    slug: Identifier | None = None
    question: str | None = None
    group_item_title: str | None = None
    description: str | None = None
    resolution_source: str | None = None
    outcomes: Listing = None
    outcome_prices: Listing = None
    clob_token_ids: Listing = None
    order_price_min_tick_size: Number = None
    order_min_size: Number = None
    neg_risk: bool | None = None
    active: bool | None = None
    closed: bool | None = None
    archived: bool | None = None
    accepting_orders: bool | None = None
    enable_order_book: bool | None = None
    best_bid: Number = None
    best_ask: Number = None
    last_trade_price: Number = None
    one_day_price_change: Number = None
    volume: Number = None
    volume_num: Number = None
    volume_24hr: Number = msgspec.field(name="volume24hr", default=None)
    liquidity: Number = None
    liquidity_num: Number = None
    created_at: Number = None
    end_date: Number = None
    end_date_iso: Number = None
    game_start_time: Number = None
    fees_enabled: bool | None = None
    fee_schedule: FeeScheduleRow | None = None
    rewards_min_size: Number = None
    rewards_max_spread: Number = None
    sports_market_type: str | None = None
    events: list[msgspec.Raw] | None = None


class EventRow(msgspec.Struct, rename="camel", gc=False):
    """An event with its markets; numbers that are strings on a market are numbers here."""

    id: str | int | None = None
    slug: Identifier | None = None
    title: str | None = None
    description: str | None = None
    resolution_source: str | None = None
    markets: list[msgspec.Raw] | None = None
    tags: list[msgspec.Raw] | None = None
    series: list[msgspec.Raw] | None = None
    neg_risk: bool | None = None
    enable_neg_risk: bool | None = None
    active: bool | None = None
    closed: bool | None = None
    archived: bool | None = None
    volume: Number = None
    volume_24hr: Number = msgspec.field(name="volume24hr", default=None)
    liquidity: Number = None
    open_interest: Number = None
    comment_count: Number = None
    created_at: Number = None
    end_date: Number = None


class ProfileRow(msgspec.Struct, rename="camel", gc=False):
    """Who wrote a comment."""

    name: str | None = None
    pseudonym: str | None = None
    proxy_wallet: Identifier | None = None


class CommentRow(msgspec.Struct, rename="camel", gc=False):
    """A comment; replies carry the id of the comment they answer."""

    id: str | int | None = None
    body: str | None = None
    parent_comment_id: str | int | None = msgspec.field(name="parentCommentID", default=None)
    user_address: Identifier | None = None
    created_at: Number = None
    profile: ProfileRow | None = None
    reaction_count: Number = None
