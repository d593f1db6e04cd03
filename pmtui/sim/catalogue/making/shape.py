"""Gives a draft the shape of the metadata host: one event object with its markets."""

import math
import random
from dataclasses import dataclass, field

from pmtui.sim.catalogue import dates
from pmtui.sim.catalogue.making import naming
from pmtui.sim.catalogue.making.drafts import EventDraft, Game, SeriesDraft
from pmtui.sim.catalogue.making.market_shape import MarketShaper

_IMAGES = "https://images.example.org/pmtui"
_EVENT_FLAGS = {
    "archived": False,
    "new": False,
    "restricted": True,
    "cyom": False,
    "showAllOutcomes": True,
    "showMarketImages": False,
    "automaticallyActive": True,
    "cumulativeMarkets": False,
    "pendingDeployment": False,
    "deploying": False,
    "requiresTranslation": False,
}


@dataclass(slots=True)
class Registry:
    """Tags and series met so far, as the rows that events carry."""

    tags: dict[str, dict[str, object]] = field(default_factory=dict)
    series: dict[str, dict[str, object]] = field(default_factory=dict)

    def tag(self, label: str, rng: random.Random) -> dict[str, object]:
        """Return the row of a tag, made at first sight."""
        if label not in self.tags:
            row: dict[str, object] = {
                "id": str(101 + 7 * len(self.tags)),
                "label": label,
                "slug": naming.slug_of(label),
                "createdAt": dates.mark(-rng.randint(60 * dates.DAY_S, 900 * dates.DAY_S), "stamp"),
                "updatedAt": dates.mark(-rng.randint(600, 90_000), "stamp"),
                "requiresTranslation": False,
            }
            if rng.random() < 0.5:
                row["forceShow"] = rng.random() < 0.2
            if rng.random() < 0.3:
                published = dates.mark(
                    -rng.randint(900 * dates.DAY_S, 1_100 * dates.DAY_S), "spacems"
                )
                row.update(publishedAt=published, updatedBy=15, isCarousel=False)
            self.tags[label] = row
        return self.tags[label]

    def add_series(self, draft: SeriesDraft, rng: random.Random) -> None:
        """Make the row of a series."""
        icon = f"{_IMAGES}/series-{draft.slug}.png"
        self.series[draft.slug] = {
            "id": str(10_010 + 11 * len(self.series)),
            "ticker": draft.slug,
            "slug": draft.slug,
            "title": draft.title,
            "seriesType": "single",
            "recurrence": draft.recurrence,
            "image": icon,
            "icon": icon,
            "layout": "default",
            "active": True,
            "closed": False,
            "archived": False,
            "new": False,
            "featured": False,
            "restricted": True,
            "publishedAt": dates.mark(
                -rng.randint(300 * dates.DAY_S, 900 * dates.DAY_S), "spacems"
            ),
            "createdBy": "15",
            "updatedBy": "15",
            "createdAt": dates.mark(-rng.randint(300 * dates.DAY_S, 900 * dates.DAY_S), "stamp"),
            "updatedAt": dates.mark(-rng.randint(60, 9_000), "stamp"),
            "commentsEnabled": False,
            "competitive": "0",
            "volume24hr": round(rng.uniform(1_000, 900_000), 6),
            "volume": round(rng.uniform(1_000_000, 30_000_000), 6),
            "liquidity": round(rng.uniform(10_000, 3_000_000), 5),
            "startDate": dates.mark(-rng.randint(300 * dates.DAY_S, 900 * dates.DAY_S), "iso"),
            "commentCount": 0,
            "requiresTranslation": False,
        }


class EventShaper:
    """Writes event after event; ids and slugs are given in order."""

    def __init__(self, rng: random.Random, registry: Registry) -> None:
        self._rng = rng
        self._registry = registry
        self._markets = MarketShaper(rng)
        self._event_id = 20_400
        self._slugs: set[str] = set()

    def shape(self, draft: EventDraft) -> dict[str, object]:
        """Return the event object with its markets."""
        rng = self._rng
        self._event_id += rng.randint(3, 90)
        slug = naming.slug_of(draft.title)
        if slug in self._slugs:
            slug = f"{slug}-{self._event_id}"
        self._slugs.add(slug)
        row = self._identity(draft, slug)
        neg_risk_id = ""
        if draft.neg_risk:
            neg_risk_id = naming.made_up_hash(f"negrisk:{self._event_id}")[:-2] + "00"
            row.update(negRiskMarketID=neg_risk_id, negRiskFeeBips=0)
        markets = [
            self._markets.shape(draft, index, event_slug=slug, neg_risk_id=neg_risk_id)
            for index in range(len(draft.markets))
        ]
        self._sum_up(row, markets)
        row["markets"] = markets
        if draft.series:
            row["series"] = [self._registry.series[draft.series]]
            row["seriesSlug"] = draft.series
        row["tags"] = [self._registry.tag(label, rng) for label in draft.tags]
        if draft.game is not None:
            row.update(_game_fields(draft, draft.game, rng))
        return row

    def _identity(self, draft: EventDraft, slug: str) -> dict[str, object]:
        rng = self._rng
        started = min(
            -rng.randint(2 * dates.DAY_S, 200 * dates.DAY_S), draft.ends.seconds - 3 * dates.DAY_S
        )
        icon = f"{_IMAGES}/{naming.slug_of(draft.tags[-1])}.png"
        row: dict[str, object] = {
            "id": str(self._event_id),
            "ticker": slug,
            "slug": slug,
            "title": draft.title,
            "description": draft.rules,
            "resolutionSource": draft.source if rng.random() < 0.7 else "",
            "startDate": dates.mark(started, "stamp"),
            "creationDate": dates.mark(started, "stamp"),
            "endDate": f"{draft.ends:iso}",
            "image": icon,
            "icon": icon,
            "active": True,
            "closed": draft.is_past,
            "featured": rng.random() < 0.06,
            "createdAt": dates.mark(started - rng.randint(600, 40_000), "stamp"),
            "updatedAt": dates.mark(-rng.randint(20, 900), "stamp"),
            "enableOrderBook": True,
            "negRisk": draft.neg_risk,
            "enableNegRisk": draft.neg_risk,
            "negRiskAugmented": draft.neg_risk and rng.random() < 0.3,
            "commentCount": 0,
            **_EVENT_FLAGS,
        }
        if draft.is_past:
            row["closedTime"] = dates.mark(draft.ends.seconds + 5_400, "iso")
        if rng.random() < 0.3:
            row["sortBy"] = "price"
        if rng.random() < 0.34:
            row["gmpChartMode"] = "default"
        return row

    def _sum_up(self, row: dict[str, object], markets: list[dict[str, object]]) -> None:
        rng = self._rng
        for key in ("volume", "volume24hr", "volume1wk", "volume1mo", "volume1yr"):
            source = "volumeNum" if key == "volume" else key
            parts = [
                figure for market in markets if isinstance(figure := market.get(source), float)
            ]
            if parts:
                row[key] = math.fsum(parts)
        liquidity = math.fsum(
            figure for market in markets if isinstance(figure := market["liquidityNum"], float)
        )
        row.update(liquidity=liquidity, liquidityClob=liquidity)
        row["competitive"] = round(rng.uniform(0.75, 0.99), 16)
        row["openInterest"] = round(liquidity * rng.uniform(0.1, 0.9), 6)


def _game_fields(draft: EventDraft, game: Game, rng: random.Random) -> dict[str, object]:
    row: dict[str, object] = {
        "gameId": game.game_id,
        "startTime": f"{game.starts:iso}",
        "eventDate": f"{game.starts:day}",
        "eventWeek": rng.randint(1, 20),
        "homeTeamName": game.home,
        "awayTeamName": game.away,
        "live": False,
        "ended": draft.is_past,
        "eventMetadata": {"league": game.league, "leagueTier": "tier1"},
    }
    if draft.is_past:
        row["score"] = f"{rng.randint(0, 4)}-{rng.randint(0, 4)}"
        row["period"] = "FT"
        row["finishedTimestamp"] = dates.mark(game.starts.seconds + 7_000, "stamp")
    return row
