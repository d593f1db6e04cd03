r"""Payloads of the metadata host: markets, tags, profiles, searches; and the geographic check.

A market, reduced to the relevant fields (it has over a hundred); all of them are optional:

    {"id": "512345", "conditionId": "0xab…", "slug": "will-it-rain", "question": "Will it rain?",
     "outcomes": "[\"Yes\", \"No\"]", "outcomePrices": "[\"0.43\", \"0.57\"]",
     "clobTokenIds": "[\"7121…\", \"9034…\"]", "orderPriceMinTickSize": 0.01, "orderMinSize": 5,
     "volume": "120000.5", "volumeNum": 120000.5, "bestBid": 0.42, "bestAsk": 0.44,
     "endDate": "2026-12-31T12:00:00Z", "acceptingOrders": true, "enableOrderBook": true,
     "rewardsMaxSpread": 3.5, "events": [{"id": "9001", "title": "Weather", "slug": "weather"}]}

Three lists are JSON inside strings; prices are dollars, `rewardsMaxSpread` is in cents. Lists are bare
arrays, or `{"events": […], "next_cursor": "…"}` from the keyset routes. Rows that cannot be decoded are
skipped and counted. Trading rules are not applied here.

    /teams           [{"id": 7, "name": "Reds", "league": "epl", "abbreviation": "red", "record": "3-1"}]
    /sports          [{"sport": "epl", "name": "…", "tags": "1,82,306", "series": "10188"}]
    /sports/market-types        {"marketTypes": ["moneyline", "spreads"]}
    /public-profile  {"proxyWallet": "0x…", "name": "ann", "verifiedBadge": false}
    /tags/2/related-tags        [{"id": "2100", "tagID": 2, "relatedTagID": 100, "rank": 1}]
    /public-search   {"events": […], "tags": […], "profiles": […], "pagination": {"hasMore": true}}
"""

from collections.abc import Callable
from typing import TypeVar

import msgspec

from pmtui.domain.answers import GeoAnswer
from pmtui.domain.ids import EventId, MarketId, SeriesId, TagId
from pmtui.domain.markets.directory import (
    HitKind,
    Profile,
    SearchHit,
    Sport,
    SportsMarketType,
    TagRelation,
    Team,
    market_hit,
)
from pmtui.domain.markets.market import (
    NO_FEE,
    Comment,
    Event,
    FeeSchedule,
    Market,
    Outcome,
    RewardTerms,
    Series,
    Tag,
)
from pmtui.domain.money import (
    CASH,
    CENTS,
    ONE,
    PRICE,
    PRICE_CHANGE,
    RATE,
    SIZE,
    TICK,
    Micros,
    Range,
)
from pmtui.wire import bounds, fields
from pmtui.wire.bounds import (
    LABEL,
    UNREADABLE,
    Identifier,
    WireError,
    cut,
    decode_envelope,
    decode_json,
    split_list,
)
from pmtui.wire.fields import Row
from pmtui.wire.rows import (
    Listing,
    Number,
    Rows,
    Shared,
    SkipLog,
    read_listing,
    read_one,
    read_rows,
    to_condition_id,
    to_count,
    to_micros,
    to_moment,
    to_texts,
    to_token_id,
)

T = TypeVar("T")


class TagRow(msgspec.Struct, gc=False):
    """A tag; `id` is a string of digits, an int in some replies."""

    id: str | int | None = None
    label: str | None = None
    slug: Identifier | None = None


class SeriesRow(msgspec.Struct, gc=False):
    """A series, as embedded in an event."""

    id: str | int | None = None
    slug: Identifier | None = None
    title: str | None = None
    recurrence: str | None = None


class FeeScheduleRow(msgspec.Struct, rename="camel", gc=False):
    """The fee schedule of a market, present since mid-2026."""

    rate: Number = None
    exponent: Number = None
    taker_only: bool | None = None


class EventRefRow(msgspec.Struct, gc=False):
    """The event inside a market that is the top-level object."""

    id: str | int | None = None
    slug: Identifier | None = None
    title: str | None = None


_DISPUTED = "disputed"


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
    closed_time: Number = None
    game_start_time: Number = None
    fees_enabled: bool | None = None
    fee_schedule: FeeScheduleRow | None = None
    rewards_min_size: Number = None
    rewards_max_spread: Number = None
    sports_market_type: str | None = None
    uma_resolution_status: str | None = None
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
    neg_risk_market_id: str | None = msgspec.field(name="negRiskMarketID", default=None)
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
    """The author of a comment."""

    name: str | None = None
    pseudonym: str | None = None
    proxy_wallet: Identifier | None = None


class CommentRow(msgspec.Struct, rename="camel", gc=False):
    """A comment; replies have the id of the comment they answer."""

    id: str | int | None = None
    body: str | None = None
    parent_comment_id: str | int | None = msgspec.field(name="parentCommentID", default=None)
    user_address: Identifier | None = None
    created_at: Number = None
    profile: ProfileRow | None = None
    reaction_count: Number = None


_MARKET = msgspec.json.Decoder(MarketRow)
_EVENT = msgspec.json.Decoder(EventRow)
_EVENT_REF = msgspec.json.Decoder(EventRefRow)
_TAG = msgspec.json.Decoder(TagRow)
_SERIES = msgspec.json.Decoder(SeriesRow)
_COMMENT = msgspec.json.Decoder(CommentRow)

NO_EVENT = EventRefRow()
MOST_EXPONENT = 4


def decode_events(body: bytes) -> Rows[Event]:
    """Decode a list of events: a bare array, or a keyset page with its cursor.

    Raises:
        WireError: the body is not a list of events.
    """
    log, share = SkipLog(), Shared()
    return read_listing(body, "events", _EVENT, lambda row: _to_event(row, log, share), log=log)


def decode_markets(body: bytes) -> Rows[Market]:
    """Decode a list of markets: a bare array, or a keyset page with its cursor.

    Raises:
        WireError: the body is not a list of markets.
    """
    share = Shared()
    return read_listing(body, "markets", _MARKET, lambda row: _to_market(row, share))


def decode_event(body: bytes) -> Event:
    """Decode one event.

    Raises:
        WireError: it cannot be decoded; single markets in it that cannot are left out.
    """
    return read_one(body, _EVENT, lambda row: _to_event(row, SkipLog(), Shared()))


def decode_market(body: bytes) -> Market:
    """Decode one market.

    Raises:
        WireError: it cannot be decoded.
    """
    return read_one(body, _MARKET, lambda row: _to_market(row, Shared()))


def decode_search(body: bytes) -> Rows[Event]:
    """Decode the events of a search; the cursor is the number of the next page, if there is one.

    Raises:
        WireError: the body is not the object of a search.
    """
    envelope = decode_envelope(body)
    log, share = SkipLog(), Shared()
    events = read_rows(
        envelope.events or (), _EVENT, lambda r: _to_event(r, log, share), log=log, place="events"
    )
    has_more = envelope.pagination is not None and envelope.pagination.more is True
    return log.rows(events, cursor="2" if has_more else None, received=len(events))


def decode_tags(body: bytes) -> Rows[Tag]:
    """Decode a list of tags.

    Raises:
        WireError: the body is not a list of tags.
    """
    return read_listing(body, "tags", _TAG, _to_tag)


def decode_comments(body: bytes) -> Rows[Comment]:
    """Decode comments: a bare array, where replies come beside the root comments, or a keyset page.

    Raises:
        WireError: the body is not a list of comments.
    """
    return read_listing(body, "comments", _COMMENT, _to_comment)


def _to_event(row: EventRow, log: SkipLog, share: Shared) -> Event:
    event_id = _id(row.id, "id")
    reference = EventRefRow(id=event_id, slug=row.slug, title=cut(row.title, bounds.TITLE))
    return Event(
        event_id=EventId(event_id),
        slug=row.slug or "",
        title=cut(row.title, bounds.TITLE),
        markets=read_rows(
            log.bounded(row.markets, bounds.MOST_MARKETS, "markets"),
            _MARKET,
            lambda market: _to_market(market, share, reference),
            log=log,
            place="markets",
        ),
        description=share(cut(row.description, bounds.PROSE)),
        resolution_source=share(cut(row.resolution_source, bounds.TITLE)),
        tags=read_rows(
            log.bounded(row.tags, bounds.MOST_TAGS, "tags"),
            _TAG,
            lambda r: share(_to_tag(r)),
            log=log,
            place="tags",
        ),
        series=read_rows(
            log.bounded(row.series, bounds.MOST_TAGS, "series"),
            _SERIES,
            lambda r: share(_to_series(r)),
            log=log,
            place="series",
        ),
        neg_risk=bool(row.neg_risk or row.enable_neg_risk),
        neg_risk_id=to_condition_id(row.neg_risk_market_id) or "",
        active=row.active is not False,
        closed=row.closed is True,
        archived=row.archived is True,
        volume=to_micros(row.volume, "volume", CASH),
        volume_24h=to_micros(row.volume_24hr, "volume24hr", CASH),
        liquidity=to_micros(row.liquidity, "liquidity", CASH),
        open_interest=to_micros(row.open_interest, "openInterest", CASH),
        comment_count=to_count(row.comment_count, "commentCount"),
        created_at=share(to_moment(row.created_at)),
        end_at=share(to_moment(row.end_date)),
    )


def _to_market(row: MarketRow, share: Shared, event: EventRefRow | None = None) -> Market:
    event = event or _event_of(row)
    volume = row.volume if row.volume_num is None else row.volume_num
    liquidity = row.liquidity if row.liquidity_num is None else row.liquidity_num
    return Market(
        market_id=MarketId(_id(row.id, "id")),
        condition_id=to_condition_id(row.condition_id),
        slug=row.slug or "",
        question=cut(row.question, bounds.TITLE),
        outcomes=_to_outcomes(row, share),
        group_title=cut(row.group_item_title, bounds.TITLE),
        description=share(cut(row.description, bounds.PROSE)),
        resolution_source=share(cut(row.resolution_source, bounds.TITLE)),
        event_id=None if event.id is None else share(EventId(_id(event.id, "events"))),
        event_title=cut(event.title, bounds.TITLE),
        event_slug=event.slug or "",
        tick_size=share(_tick_size(row.order_price_min_tick_size)),
        min_order_size=share(_positive(row.order_min_size, "orderMinSize", SIZE)),
        neg_risk=row.neg_risk is True,
        active=row.active is not False,
        closed=row.closed is True,
        archived=row.archived is True,
        accepting_orders=row.accepting_orders is True,
        has_order_book=row.enable_order_book is True,
        best_bid=share(_price_level(row.best_bid, "bestBid")),
        best_ask=share(_price_level(row.best_ask, "bestAsk")),
        last_trade_price=share(_price_level(row.last_trade_price, "lastTradePrice")),
        day_change=share(to_micros(row.one_day_price_change, "oneDayPriceChange", PRICE_CHANGE)),
        volume=to_micros(volume, "volume", CASH),
        volume_24h=to_micros(row.volume_24hr, "volume24hr", CASH),
        liquidity=to_micros(liquidity, "liquidity", CASH),
        created_at=share(to_moment(row.created_at)),
        end_at=share(to_moment(row.end_date) or to_moment(row.end_date_iso)),
        closed_at=share(to_moment(row.closed_time)),
        game_start_at=share(to_moment(row.game_start_time)),
        fee=share(_to_fee(row)),
        is_disputed=row.uma_resolution_status == _DISPUTED,
        rewards=share(_to_rewards(row)),
        sports_type=share(cut(row.sports_market_type, bounds.LABEL)),
    )


def _to_outcomes(row: MarketRow, share: Shared) -> tuple[Outcome, ...]:
    # Index i of the three lists belongs together; prices and tokens may be fewer, or missing.
    most = bounds.MOST_OUTCOMES
    labels = to_texts(row.outcomes, "outcomes", most=most)
    prices = to_texts(row.outcome_prices, "outcomePrices", most=most)
    tokens = to_texts(row.clob_token_ids, "clobTokenIds", most=most)
    return tuple(
        Outcome(
            label=share(cut(label, bounds.LABEL)),
            token_id=to_token_id(tokens[i]) if i < len(tokens) else None,
            price=share(to_micros(prices[i], "outcomePrices", PRICE)) if i < len(prices) else None,
        )
        for i, label in enumerate(labels)
    )


def _to_fee(row: MarketRow) -> FeeSchedule | None:
    if row.fees_enabled is False:
        return NO_FEE
    schedule = row.fee_schedule
    if schedule is None:
        return None
    rate = to_micros(schedule.rate, "feeSchedule.rate", RATE)
    exponent = to_count(schedule.exponent, "feeSchedule.exponent", most=MOST_EXPONENT)
    if rate is None or exponent is None:
        return None
    return FeeSchedule(rate, exponent, schedule.taker_only is not False)


def _to_rewards(row: MarketRow) -> RewardTerms | None:
    min_size = _positive(row.rewards_min_size, "rewardsMinSize", SIZE)
    spread_in_cents = _positive(row.rewards_max_spread, "rewardsMaxSpread", CENTS)
    if min_size is None or spread_in_cents is None:
        return None
    return RewardTerms(min_size, Micros(spread_in_cents // 100))


def _to_tag(row: TagRow) -> Tag:
    label = cut(row.label or row.slug, bounds.LABEL)
    return Tag(TagId(_id(row.id, "id")), row.slug or "", label)


def _to_series(row: SeriesRow) -> Series:
    return Series(
        SeriesId(_id(row.id, "id")),
        row.slug or "",
        cut(row.title, bounds.TITLE),
        cut(row.recurrence, bounds.LABEL),
    )


def _to_comment(row: CommentRow) -> Comment:
    profile = row.profile
    author = (profile.name or profile.pseudonym or profile.proxy_wallet) if profile else None
    parent = row.parent_comment_id
    return Comment(
        comment_id=_id(row.id, "id"),
        author=cut(author or row.user_address, bounds.LABEL),
        body=cut(row.body, bounds.PROSE),
        created_at=to_moment(row.created_at),
        parent_id=None if parent is None or parent == "" else _id(parent, "parentCommentID"),
        reaction_count=to_count(row.reaction_count, "reactionCount") or 0,
    )


def _event_of(row: MarketRow) -> EventRefRow:
    # The event's data is optional here: a market is valid without it.
    if not row.events:
        return NO_EVENT
    try:
        return decode_json(_EVENT_REF, row.events[0])
    except UNREADABLE:
        return NO_EVENT


def _id(value: str | int | None, field: str) -> str:
    if value is None or value == "":
        raise WireError(field, "missing")
    return bounds.identifier(str(value), field)


def _positive(value: Number, field: str, within: Range) -> Micros | None:
    # Zero or less stands for a missing value.
    amount = to_micros(value, field, within._replace(low=-within.high))
    return amount if amount is not None and amount > 0 else None


def _tick_size(value: Number) -> Micros | None:
    # Zero stands for a missing value.
    tick = to_micros(value, "orderPriceMinTickSize", PRICE)
    return to_micros(value, "orderPriceMinTickSize", TICK) if tick else None


def _price_level(value: Number, field: str) -> Micros | None:
    # 0 and 1 stand for an empty side, not for a tradable level (docs/wire.md#metadata-host).
    price = to_micros(value, field, PRICE)
    return price if price is not None and 0 < price < ONE else None


class GeoRow(msgspec.Struct, gc=False):
    """`GET /api/geoblock` (docs/wire.md#geographic-check); the IP address in it is not kept."""

    blocked: bool | None = None
    country: str | None = None
    region: str | None = None


_GEO = msgspec.json.Decoder(GeoRow)


def decode_geo_answer(body: bytes) -> GeoAnswer:
    """Decode the reply of the geographic check.

    Raises:
        WireError: it does not say whether we are blocked.
    """
    return read_one(body, _GEO, _to_geo_answer)


def _to_geo_answer(row: GeoRow) -> GeoAnswer:
    if row.blocked is None:
        raise WireError("blocked", "missing")
    return GeoAnswer(
        is_blocked=row.blocked, country=cut(row.country, LABEL), region=cut(row.region, LABEL)
    )


def read_table(body: bytes, to_value: Callable[[Row], T], place: str) -> Rows[T]:
    """Decode a list of objects: a bare array, or one under `data`.

    Raises:
        WireError: the body is not a list.
    """
    raws, cursor = split_list(body, "data")
    log = SkipLog()
    values: list[T] = []
    for index, raw in enumerate(log.bounded(raws, bounds.MOST_ROWS, place)):
        try:
            values.append(to_value(fields.load_row(raw, place)))
        except WireError as error:
            log.add(f"{place}[{index}]", error)
    return log.rows(tuple(values), cursor=cursor, received=len(raws))


def decode_one_event(body: bytes) -> Rows[Event]:
    """Decode an event, alone or in a list that was filtered by its slug."""
    return decode_events(_listed(body))


def decode_one_market(body: bytes) -> Rows[Market]:
    """Decode a market, alone or in a list that was filtered by its slug or token."""
    if body.lstrip()[:1] == b"[":
        return decode_markets(body)
    return Rows((decode_market(body),), received=1)


def decode_one_tag(body: bytes) -> Rows[Tag]:
    """Decode a tag."""
    return decode_tags(_listed(body))


def decode_series(body: bytes) -> Rows[Series]:
    """Decode series, or a single one."""
    return read_table(_listed(body), _read_series, "series")


def decode_teams(body: bytes) -> Rows[Team]:
    """Decode teams."""
    return read_table(body, _to_team, "teams")


def decode_sports(body: bytes) -> Rows[Sport]:
    """Decode the list of sports."""
    return read_table(body, _to_sport, "sports")


def decode_market_types(body: bytes) -> Rows[SportsMarketType]:
    """Decode the types of sports markets."""
    names = fields.texts(fields.load_object(body, "market types"), "marketTypes")
    kinds = tuple(SportsMarketType(name) for name in names if name)
    return Rows(kinds, received=len(names))


def decode_profile(body: bytes) -> Profile:
    """Decode a public profile."""
    return _to_profile(fields.load_object(body, "profile"))


def decode_tag_relations(body: bytes) -> Rows[TagRelation]:
    """Decode the rows that relate tags to each other."""
    return read_table(body, _to_relation, "related tags")


def decode_hits(body: bytes) -> Rows[SearchHit]:
    """Decode a search: events, each followed by its markets, then tags, then profiles.

    Raises:
        WireError: the body is not the object of a search.
    """
    events = decode_search(body)
    source = fields.load_object(body, "search")
    hits = [hit for event in events.items for hit in _event_hits(event)]
    for key, to_hit in (("tags", _tag_hit), ("profiles", _profile_hit)):
        listed = source.get(key)
        hits.extend(to_hit(row) for row in fields.rows([] if listed is None else listed, key))
    return Rows(
        tuple(hits), events.next_cursor, events.skipped, events.reasons, received=events.received
    )


def _listed(body: bytes) -> bytes:
    return b"[" + body + b"]" if body.lstrip()[:1] == b"{" and b'"data"' not in body[:20] else body


def _event_hits(event: Event) -> list[SearchHit]:
    hit = SearchHit(
        HitKind.EVENT,
        event.title,
        event.slug,
        event.event_id,
        closed=event.closed,
        volume_24h=event.volume_24h,
        end_at=event.end_at,
    )
    return [hit, *(market_hit(market, event.slug) for market in event.markets)]


def _tag_hit(row: Row) -> SearchHit:
    label = fields.shown(row, "label", most=bounds.LABEL)
    return SearchHit(HitKind.TAG, label, fields.text(row, "slug"), fields.text(row, "id"))


def _profile_hit(row: Row) -> SearchHit:
    profile = _to_profile(row)
    return SearchHit(HitKind.PROFILE, profile.name or profile.pseudonym, identifier=profile.wallet)


def _read_series(row: Row) -> Series:
    return Series(
        series_id=SeriesId(fields.required(row, "id")),
        slug=fields.text(row, "slug"),
        title=fields.shown(row, "title", most=bounds.TITLE),
        recurrence=fields.shown(row, "recurrence", most=bounds.LABEL),
    )


def _to_team(row: Row) -> Team:
    return Team(
        team_id=fields.required(row, "id"),
        name=fields.shown(row, "name", most=bounds.LABEL),
        league=fields.shown(row, "league", most=bounds.LABEL),
        abbreviation=fields.shown(row, "abbreviation", most=bounds.LABEL),
        alias=fields.shown(row, "alias", most=bounds.LABEL),
        record=fields.shown(row, "record", most=bounds.LABEL),
    )


def _to_sport(row: Row) -> Sport:
    tags = fields.shown(row, "tags", most=bounds.TITLE).split(",")
    return Sport(
        sport=fields.required(row, "sport"),
        name=fields.shown(row, "name", most=bounds.LABEL),
        resolution=fields.shown(row, "resolution", most=bounds.TITLE),
        tag_ids=tuple(TagId(tag.strip()) for tag in tags if tag.strip()),
        series_id=fields.text(row, "series"),
    )


def _to_profile(row: Row) -> Profile:
    return Profile(
        wallet=fields.text(row, "proxyWallet"),
        name=fields.shown(row, "name", most=bounds.LABEL),
        pseudonym=fields.shown(row, "pseudonym", most=bounds.LABEL),
        bio=fields.shown(row, "bio", most=bounds.PROSE),
        x_username=fields.shown(row, "xUsername", most=bounds.LABEL),
        is_verified=fields.flag(row, "verifiedBadge", default=False),
        created_at=to_moment(fields.text(row, "createdAt")),
    )


def _to_relation(row: Row) -> TagRelation:
    return TagRelation(
        tag_id=TagId(fields.required(row, "tagID")),
        related_tag_id=TagId(fields.required(row, "relatedTagID")),
        rank=fields.whole(row, "rank", within=fields.COUNT),
    )
