"""Teams, sports, profiles, related tags and searches of the metadata host, as domain values.

    /teams           [{"id": 7, "name": "Reds", "league": "epl", "abbreviation": "red", "record": "3-1"}]
    /sports          [{"sport": "epl", "name": "…", "tags": "1,82,306", "series": "10188"}]
    /sports/market-types        {"marketTypes": ["moneyline", "spreads"]}
    /public-profile  {"proxyWallet": "0x…", "name": "ann", "verifiedBadge": false}
    /tags/2/related-tags        [{"id": "2100", "tagID": 2, "relatedTagID": 100, "rank": 1}]
    /public-search   {"events": […], "tags": […], "profiles": […], "pagination": {"hasMore": true}}

Rows that cannot be read are skipped and counted.
"""

from collections.abc import Callable
from typing import TypeVar

from pmtui.domain.ids import SeriesId, TagId
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
from pmtui.domain.markets.market import Event, Market, Series, Tag
from pmtui.wire import bounds, fields
from pmtui.wire.bodies import split_list
from pmtui.wire.bounds import WireError
from pmtui.wire.fields import Row
from pmtui.wire.gamma import (
    decode_events,
    decode_market,
    decode_markets,
    decode_search,
    decode_tags,
)
from pmtui.wire.rows import Rows, SkipLog, to_moment

T = TypeVar("T")


def read_table(body: bytes, to_value: Callable[[Row], T], place: str) -> Rows[T]:
    """Read a list of objects: a bare array, or one under `data`.

    Raises:
        WireError: no list at all.
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
    """Read an event, alone or in a list that was asked for by its slug."""
    return decode_events(_listed(body))


def decode_one_market(body: bytes) -> Rows[Market]:
    """Read a market, alone or in a list that was asked for by its slug or token."""
    if body.lstrip()[:1] == b"[":
        return decode_markets(body)
    return Rows((decode_market(body),), received=1)


def decode_one_tag(body: bytes) -> Rows[Tag]:
    """Read a tag."""
    return decode_tags(_listed(body))


def decode_series(body: bytes) -> Rows[Series]:
    """Read series, or one that stands alone."""
    return read_table(_listed(body), _to_series, "series")


def decode_teams(body: bytes) -> Rows[Team]:
    """Read teams."""
    return read_table(body, _to_team, "teams")


def decode_sports(body: bytes) -> Rows[Sport]:
    """Read the catalogue of sports."""
    return read_table(body, _to_sport, "sports")


def decode_market_types(body: bytes) -> Rows[SportsMarketType]:
    """Read the kinds of sports markets."""
    names = fields.texts(fields.load_object(body, "market types"), "marketTypes")
    kinds = tuple(SportsMarketType(name) for name in names if name)
    return Rows(kinds, received=len(names))


def decode_profile(body: bytes) -> Profile:
    """Read a public profile."""
    return _to_profile(fields.load_object(body, "profile"))


def decode_tag_relations(body: bytes) -> Rows[TagRelation]:
    """Read the rows that say which tags belong near another."""
    return read_table(body, _to_relation, "related tags")


def decode_hits(body: bytes) -> Rows[SearchHit]:
    """Read a search: events, each followed by its markets, then tags, then profiles.

    Raises:
        WireError: not the object of a search.
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


def _to_series(row: Row) -> Series:
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
