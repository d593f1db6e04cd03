"""What stands beside markets at the metadata host: teams, sports, profiles, related tags, search hits."""

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
    """A sport or a league, and where its games are found."""

    sport: str
    name: str
    resolution: str
    """Where results are published."""
    tag_ids: tuple[TagId, ...]
    series_id: str


@dataclass(frozen=True, slots=True)
class SportsMarketType:
    """A kind of question about a game, such as `moneyline`."""

    name: str


@dataclass(frozen=True, slots=True)
class Profile:
    """What a trader shows of itself. Texts are untrusted."""

    wallet: str
    name: str
    pseudonym: str
    bio: str
    x_username: str
    is_verified: bool
    created_at: datetime | None


@dataclass(frozen=True, slots=True)
class TagRelation:
    """One tag that belongs near another."""

    tag_id: TagId
    related_tag_id: TagId
    rank: int | None


class HitKind(StrEnum):
    """What a search found."""

    EVENT = "event"
    MARKET = "market"
    TAG = "tag"
    PROFILE = "profile"


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One thing that a search found; what a kind does not have is empty. Texts are untrusted."""

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
    """Return a market as a hit of a search.

    Args:
        market: that was found.
        event_slug: of its event, where the market does not say it.
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
