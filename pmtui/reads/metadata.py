"""Reads of the metadata host: events, markets, tags, series, sports, comments and profiles."""

from functools import partial

from pmtui.domain.markets import directory as domain
from pmtui.domain.markets.market import Comment, Event, Market, Series, Tag
from pmtui.reads.answers import Reachable
from pmtui.reads.read import (
    Argument,
    ArgumentKind,
    Read,
    ReadHost,
    read_list,
    read_one,
)
from pmtui.reads.routes import Pages, Paging, Route, by_offset
from pmtui.wire import gamma as wire
from pmtui.wire.gamma import decode_comments, decode_events, decode_markets, decode_tags

_NAME = Argument("id", ArgumentKind.TEXT, "id or slug", is_required=True)
_SLUG = Argument("slug", ArgumentKind.TEXT, "only of this slug", is_many=True)
_CLOSED = Argument("closed", ArgumentKind.FLAG, "closed ones, or open ones")
_ACTIVE = Argument("active", ArgumentKind.FLAG, "active ones, or others")
_ORDER = Argument(
    "order",
    ArgumentKind.TEXT,
    "field to order by, such as volume24hr; largest first unless told otherwise",
)
_ASCENDING = Argument(
    "ascending",
    ArgumentKind.FLAG,
    "smallest first, or largest first",
    default="false",
    default_beside="order",
)
"""Always sent with a sort order: the host's own default is ascending."""
TAG = Argument("tag", ArgumentKind.TEXT, "id or slug of a tag", seed_key="tag_id")
"""The hosts filter by ids, so a slug is looked up first."""
_MARKET_FILTERS = (
    TAG,
    _SLUG,
    Argument(
        "condition_id",
        ArgumentKind.CONDITION,
        "only these markets",
        is_many=True,
        seed_key="condition_ids",
    ),
    Argument(
        "token_id",
        ArgumentKind.TOKEN,
        "only markets of these tokens",
        is_many=True,
        seed_key="clob_token_ids",
    ),
    _ACTIVE,
    _CLOSED,
    _ORDER,
    _ASCENDING,
)
_EVENT_FILTERS = (TAG, _SLUG, _ACTIVE, _CLOSED, _ORDER, _ASCENDING)


def _keyset(key: str, size: int) -> Pages:
    return Pages(Paging.CURSOR, key, size)


_list = partial(read_list, ReadHost.METADATA)
_one = partial(read_one, ReadHost.METADATA)

_LISTS = (
    _list(
        "markets",
        "markets by offset; open ones unless `--closed true`",
        Route("GET /markets", by_offset(100)),
        Market,
        decode_markets,
        *_MARKET_FILTERS,
    ),
    _list(
        "markets-keyset",
        "markets by cursor, which neither skips nor repeats rows of a list that moves",
        Route("GET /markets-keyset", _keyset("keyset_id", 100)),
        Market,
        decode_markets,
        *_MARKET_FILTERS,
        live=Route("GET /markets/keyset", _keyset("after_cursor", 100)),
    ),
    _list(
        "events",
        "events with their markets, by offset",
        Route("GET /events", by_offset(50)),
        Event,
        decode_events,
        *_EVENT_FILTERS,
    ),
    _list(
        "events-keyset",
        "events with their markets, by cursor",
        Route("GET /events-keyset", _keyset("keyset_id", 50)),
        Event,
        decode_events,
        *_EVENT_FILTERS,
        live=Route("GET /events/keyset", _keyset("after_cursor", 50)),
    ),
    _list(
        "search",
        "events, markets, tags and profiles that match some words",
        Route(
            "GET /public-search",
            Pages(Paging.NUMBER, "page", 20, 1_000, "limit_per_type"),
            (("search_tags", "true"), ("search_profiles", "true")),
        ),
        domain.SearchHit,
        wire.decode_hits,
        Argument("query", ArgumentKind.TEXT, "words to look for", is_required=True, seed_key="q"),
        Argument(
            "status",
            ArgumentKind.TEXT,
            "state of the events",
            choices=("active", "resolved"),
            seed_key="events_status",
        ),
    ),
    _list(
        "series-list",
        "recurring events",
        Route("GET /series", by_offset(50), (("exclude_events", "true"),)),
        Series,
        wire.decode_series,
        _SLUG,
        Argument("recurrence", ArgumentKind.TEXT, "such as daily or weekly"),
        _CLOSED,
    ),
    _list("tags", "tags", Route("GET /tags", by_offset(100)), Tag, decode_tags, _ORDER, _ASCENDING),
    _list(
        "teams",
        "sports teams",
        Route("GET /teams", by_offset(100)),
        domain.Team,
        wire.decode_teams,
        Argument("league", ArgumentKind.TEXT, "only of these leagues", is_many=True),
        Argument("name", ArgumentKind.TEXT, "only of these names", is_many=True),
        Argument("abbreviation", ArgumentKind.TEXT, "only of these short names", is_many=True),
    ),
    _list(
        "sports",
        "sports and leagues",
        Route("GET /sports-metadata"),
        domain.Sport,
        wire.decode_sports,
        live=Route("GET /sports"),
    ),
    _list(
        "sports-market-types",
        "kinds of sports markets",
        Route("GET /sports-market-types"),
        domain.SportsMarketType,
        wire.decode_market_types,
        live=Route("GET /sports/market-types"),
    ),
    _list(
        "comments",
        "comments on an event or a series, replies included",
        Route("GET /comments", by_offset(100, 200)),
        Comment,
        decode_comments,
        Argument(
            "parent_type",
            ArgumentKind.TEXT,
            "what is commented on",
            choices=("Event", "Series"),
            default="Event",
            seed_key="parent_entity_type",
        ),
        Argument(
            "parent_id",
            ArgumentKind.NUMBER,
            "its id",
            is_required=True,
            seed_key="parent_entity_id",
        ),
    ),
    _list(
        "comment-thread",
        "a comment and its replies",
        Route("GET /comments/{id}"),
        Comment,
        decode_comments,
        Argument("id", ArgumentKind.NUMBER, "comment", is_required=True),
    ),
    _list(
        "wallet-comments",
        "comments by one wallet",
        Route("GET /comments/user_address/{wallet}", by_offset(100, 200)),
        Comment,
        decode_comments,
        Argument("wallet", ArgumentKind.ADDRESS, "who wrote them", is_required=True),
    ),
    _list(
        "related-tags",
        "which tags belong near one",
        Route("GET /tags/{id}/related"),
        domain.TagRelation,
        wire.decode_tag_relations,
        _NAME,
        live=Route("GET /tags/{id:slug}/related-tags"),
    ),
)

_SINGLE = (
    _one(
        "market",
        "one market",
        "GET /markets/{id}",
        Market,
        wire.decode_one_market,
        _NAME,
        live="GET /markets/{id:slug}",
    ),
    _one(
        "market-by-token",
        "the market of an outcome token",
        "GET /markets/token/{token_id}",
        Market,
        wire.decode_one_market,
        Argument("token_id", ArgumentKind.TOKEN, "outcome token", is_required=True),
        live="GET /markets?clob_token_ids={token_id}",
    ),
    _one(
        "event",
        "one event with its markets",
        "GET /events/{id}",
        Event,
        wire.decode_one_event,
        Argument("id", ArgumentKind.NUMBER, "event", is_required=True),
    ),
    _one(
        "event-by-slug",
        "one event with its markets, by its slug",
        "GET /events?slug={slug}&limit=1",
        Event,
        wire.decode_one_event,
        Argument("slug", ArgumentKind.TEXT, "slug of the event", is_required=True),
        live="GET /events/slug/{slug}",
    ),
    _one(
        "series",
        "one recurring event",
        "GET /series/{id}",
        Series,
        wire.decode_series,
        Argument("id", ArgumentKind.NUMBER, "series", is_required=True),
    ),
    _one(
        "tag",
        "one tag",
        "GET /tags/{id}",
        Tag,
        wire.decode_one_tag,
        _NAME,
        live="GET /tags/{id:slug}",
    ),
    _one(
        "profile",
        "what a wallet's owner shows of itself",
        "GET /profiles/{wallet}",
        domain.Profile,
        wire.decode_profile,
        Argument("wallet", ArgumentKind.ADDRESS, "whose profile", is_required=True),
        live="GET /public-profile?address={wallet}",
    ),
    Read(
        "metadata-check",
        "whether the host answers",
        ReadHost.METADATA,
        Reachable,
        Route("GET /"),
        live=Route("GET /status"),
        decode=lambda _: Reachable(is_reachable=True),
    ),
)

METADATA = (*_LISTS, *_SINGLE)
"""Every read of the metadata host."""
