"""Data beside markets at the metadata host: teams, sports, profiles, related tags, search results."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pmtui.domain.ids import ConditionId, TagId, TokenId
from pmtui.domain.markets.market import Market
from pmtui.domain.money import Micros


@dataclass(frozen=True, slots=True)
class Team:
    """A sports team. Texts are untrusted."""

    team_id: str
    name: str
    league: str
    abbreviation: str
    alias: str
    record: str


@dataclass(frozen=True, slots=True)
class Sport:
    """A sport or a league."""

    sport: str
    name: str
    resolution: str
    """The address where results are published."""
    tag_ids: tuple[TagId, ...]
    series_id: str


@dataclass(frozen=True, slots=True)
class SportsMarketType:
    """A type of market about a game, such as `moneyline`."""

    name: str


@dataclass(frozen=True, slots=True)
class Profile:
    """A trader's public profile. Texts are untrusted."""

    wallet: str
    name: str
    pseudonym: str
    bio: str
    x_username: str
    is_verified: bool
    created_at: datetime | None


@dataclass(frozen=True, slots=True)
class TagRelation:
    """A relation between two tags."""

    tag_id: TagId
    related_tag_id: TagId
    rank: int | None


class HitKind(StrEnum):
    """The kind of a search result."""

    EVENT = "event"
    MARKET = "market"
    TAG = "tag"
    PROFILE = "profile"


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One search result; fields that its kind lacks are empty. Texts are untrusted."""

    kind: HitKind
    title: str
    slug: str = ""
    identifier: str = ""
    """Id of an event, a market or a tag, or the wallet of a profile."""
    event_slug: str = ""
    condition_id: ConditionId | None = None
    token_ids: tuple[TokenId, ...] = ()
    closed: bool | None = None
    best_bid: Micros | None = None
    best_ask: Micros | None = None
    volume_24h: Micros | None = None
    end_at: datetime | None = None


def market_hit(market: Market, event_slug: str = "") -> SearchHit:
    """Return a market as a search result.

    Args:
        market: the market found.
        event_slug: of its event, if the market does not contain it.
    """
    return SearchHit(
        HitKind.MARKET,
        market.question,
        market.slug,
        market.market_id,
        market.event_slug or event_slug,
        market.condition_id,
        market.token_ids,
        market.closed,
        market.best_bid,
        market.best_ask,
        market.volume_24h,
        market.end_at,
    )
