"""Gives a draft the shape of the metadata host: an event with its markets, slugs, chain ids and figures.

Keys are missing where they are missing there.
"""

import math
import random
import re
import unicodedata
from dataclasses import dataclass, field

from pmtui.signing.eip712 import keccak256
from pmtui.sim.catalogue import dates
from pmtui.sim.catalogue.gamma import (
    PROTOCOL,
    REGULAR_ORACLE,
    chain_ids,
    in_string,
    made_up_hash,
)
from tests.catalogue.drafts import EventDraft, Game, MarketDraft, SeriesDraft, mark

NEG_RISK_RESOLVER = "0x2F5e3684cb1F318ec51b00Edba38d79Ac2c0aA9d"

_MARK = re.compile(r"\{\{(-?\d+)\|(\w+)\}\}")
_SLUG_FORMS = {"year": "year", "month": "monthslug", "monthname": "monthslug"}


def slug_of(text: str) -> str:
    """Return a slug; dates in the text stay marks."""
    parts = []
    place = 0
    for match in _MARK.finditer(text):
        parts.append(_plain_slug(text[place : match.start()]))
        parts.append(f"{{{{{match[1]}|{_SLUG_FORMS.get(match[2], 'slug')}}}}}")
        place = match.end()
    parts.append(_plain_slug(text[place:]))
    return "-".join(part for part in parts if part)


def _plain_slug(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.replace("ø", "o").replace("Ø", "O"))
    ascii_only = letters.encode("ascii", "ignore").decode().lower().replace("%", " percent")
    return re.sub(r"[^a-z0-9]+", "-", ascii_only.replace("'", "")).strip("-")


def made_up_address(text: str) -> str:
    """Return 0x and 40 hex digits that belong to a text."""
    return "0x" + keccak256(text.encode())[-20:].hex()


def neg_risk_question(market_id: str, index: int) -> str:
    """Return the question id of one outcome: the event's market id ending in the index."""
    return f"{market_id[:-2]}{index:02x}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Where a market stands, in millionths."""

    tick: int
    bid: int
    ask: int

    @property
    def middle(self) -> int:
        """Return the midpoint."""
        return (self.bid + self.ask) // 2


def number(millionths: int) -> int | float:
    """Return a JSON number: whole values are integers."""
    whole, rest = divmod(millionths, 1_000_000)
    return whole if rest == 0 else millionths / 1_000_000


def decimal_text(millionths: int) -> str:
    """Return the shortest decimal text."""
    return f"{millionths / 1_000_000:.6f}".rstrip("0").rstrip(".")


def volume_of(draft: EventDraft, market: MarketDraft, rng: random.Random) -> float | None:
    """Return dollars traded so far; None for the many markets that never traded."""
    total = 10.0**draft.volume
    share = market.weight / math.fsum(one.weight for one in draft.markets)
    # Rounded, and summed exactly, so that every interpreter writes the same digits.
    volume = round(total * share * 10 ** rng.gauss(0, 0.45), 6)
    is_quiet = volume < 60_000 and rng.random() < 0.75
    return None if is_quiet and market.winner is None else volume


def liquidity_of(volume: float | None, rng: random.Random) -> float:
    """Return displayed liquidity in dollars: it follows volume, loosely."""
    if volume is None:
        return round(10 ** rng.gauss(2.9, 0.5), 5)
    return round(min(math.pow(10, rng.gauss(1.6, 0.45)) * math.pow(volume, 0.56), 2_400_000), 5)


def quote_of(draft: EventDraft, market: MarketDraft, liquidity: float, rng: random.Random) -> Quote:
    """Return tick, best bid and best ask for a chance and the depth behind it."""
    price = min(max(market.price, 0.0015), 0.9985)
    tick = _tick(draft, price)
    if liquidity > 60_000:
        width = 1
    elif liquidity > 5_000:
        width = rng.choice((1, 1, 1, 2, 3))
    else:
        width = rng.choice((1, 2, 2, 3, 4, 6, 9))
    if tick <= 1_000 and 0.04 < price < 0.96:
        width *= rng.choice((1, 2, 4))
    last = 1_000_000 // tick - 1
    place = price * 1_000_000 / tick
    # Near 0 and 1 there is no room for a wide spread around the same chance.
    width = max(min(width, int(2 * min(place, last + 1 - place))), 1)
    bid = min(max(round(place - width / 2), 0), last - 1)
    ask = min(bid + width, last)
    if bid == 0 and ask > 2:
        bid, ask = 1, ask - 1
    return Quote(tick=tick, bid=bid * tick, ask=ask * tick)


def _tick(draft: EventDraft, price: float) -> int:
    # The service refines the grid of a market when its price passes 0.04 or 0.96.
    if draft.tick is not None:
        return draft.tick
    if draft.fine_tick or not 0.04 < price < 0.96:
        return 1_000
    return 10_000


def noisy(dollars: float, rng: random.Random) -> float:
    """Return an amount with the digits of a sum of many fills, binary noise included."""
    return dollars + rng.randint(0, 999_999) / 1_000_000


_IMAGES = "https://images.example.org/pmtui"
_SUBMITTER = made_up_address("pmtui catalogue submitter")
_REWARD_ASSET = "0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174"

FEES: dict[str, tuple[str, float, float]] = {
    "crypto": ("crypto_fees_v2", 0.07, 0.2),
    "sports": ("sports_fees_v2", 0.05, 0.15),
    "finance": ("finance_fees", 0.04, 0.25),
    "politics": ("politics_fees", 0.04, 0.25),
    "tech": ("tech_fees", 0.04, 0.25),
    "economics": ("economics_fees", 0.05, 0.25),
    "culture": ("culture_fees", 0.05, 0.25),
    "weather": ("weather_fees", 0.05, 0.25),
}
"""Name on the wire, taker rate and rebate share by subject; what is absent is free of fees."""

_FLAGS = {
    "new": False,
    "archived": False,
    "restricted": True,
    "hasReviewedDates": True,
    "ready": False,
    "funded": False,
    "cyom": False,
    "pagerDutyNotificationEnabled": False,
    "approved": True,
    "automaticallyActive": True,
    "clearBookOnStart": True,
    "manualActivation": False,
    "negRiskOther": False,
    "pendingDeployment": False,
    "deploying": False,
    "rfqEnabled": False,
    "holdingRewardsEnabled": False,
    "requiresTranslation": False,
    "version": PROTOCOL,
}
"""What stands on every market and hardly ever differs."""


class MarketShaper:
    """Writes market after market; ids and slugs are given in order."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._market_id = 7_610_000
        self._slugs: set[str] = set()

    def shape(
        self, draft: EventDraft, index: int, *, event_slug: str, neg_risk_id: str
    ) -> dict[str, object]:
        """Return the object of one market of the draft."""
        rng = self._rng
        market = draft.markets[index]
        self._market_id += rng.randint(1, 14)
        slug = slug_of(market.question)
        if draft.game is not None:
            # Two fixtures of a side may fall on one day once they have moved in time.
            slug = f"{event_slug}-{slug_of(market.group or market.market_type)}"
        if slug in self._slugs:
            slug = f"{slug}-{self._market_id % 1_000}"
        self._slugs.add(slug)
        volume = volume_of(draft, market, rng)
        liquidity = liquidity_of(volume, rng) if market.winner is None else 0.0
        quote = quote_of(draft, market, liquidity, rng)
        if volume is None and not draft.neg_risk and rng.random() < 0.04:
            quote = Quote(tick=quote.tick, bid=0, ask=1_000_000)
        row: dict[str, object] = {
            "id": str(self._market_id),
            "question": market.question,
            "slug": slug,
            "description": market.rules or draft.rules,
            "outcomes": in_string(market.outcomes),
            "active": True,
            "closed": market.winner is not None,
            "marketMakerAddress": "",
            "featured": False,
            **_FLAGS,
        }
        self._add_ids(row, index, neg_risk_id)
        self._add_dates(row, draft, market)
        self._add_quote(row, market, quote, has_traded=volume is not None)
        self._add_amounts(row, volume, liquidity)
        self._add_terms(row, draft, liquidity)
        self._add_presentation(row, draft, market, index)
        if market.winner is not None:
            _add_resolution(row, draft, market)
        row.update(draft.patch)
        return row

    def _add_ids(self, row: dict[str, object], index: int, neg_risk_id: str) -> None:
        question_id = made_up_hash(f"question:{row['id']}:{row['slug']}")
        if neg_risk_id:
            question_id = neg_risk_question(neg_risk_id, index)
            row["negRiskMarketID"] = neg_risk_id
        condition_id, tokens = chain_ids(question_id, neg_risk=bool(neg_risk_id))
        row["questionID"] = question_id
        row["conditionId"] = condition_id
        row["clobTokenIds"] = in_string(tokens)
        row["negRisk"] = bool(neg_risk_id)
        if self._rng.random() < 0.956:
            request = made_up_hash(f"request:{question_id}") if neg_risk_id else ""
            row.update(
                submitted_by=_SUBMITTER,
                umaBond="500",
                umaReward="5",
                customLiveness=0,
                negRiskRequestID=request,
                resolvedBy=NEG_RISK_RESOLVER if neg_risk_id else REGULAR_ORACLE,
            )

    def _add_dates(self, row: dict[str, object], draft: EventDraft, market: MarketDraft) -> None:
        rng = self._rng
        ends = (market.ends or draft.ends).seconds
        started = min(-rng.randint(dates.DAY_S, 120 * dates.DAY_S), ends - 2 * dates.DAY_S)
        row.update(
            startDate=mark(started, "stamp"),
            startDateIso=mark(started, "day"),
            createdAt=mark(started - 4_000, "stamp"),
            updatedAt=mark(-rng.randint(20, 3_000), "stamp"),
            acceptingOrdersTimestamp=mark(started + 40, "iso"),
            deployingTimestamp=mark(started - 300, "stamp"),
        )
        if rng.random() < 0.992:
            row.update(endDate=mark(ends, "iso"), endDateIso=mark(ends, "day"))
        if draft.game is not None:
            row["gameStartTime"] = f"{draft.game.starts:space}"
            row["secondsDelay"] = 3
            if rng.random() < 0.2:
                row["eventStartTime"] = f"{draft.game.starts:iso}"

    def _add_quote(
        self, row: dict[str, object], market: MarketDraft, quote: Quote, *, has_traded: bool
    ) -> None:
        rng = self._rng
        row["orderPriceMinTickSize"] = number(quote.tick)
        row["orderMinSize"] = 5
        row["enableOrderBook"] = True
        row["bestAsk"] = number(quote.ask)
        row["spread"] = number(quote.ask - quote.bid)
        row["competitive"] = round(1 / (1 + (quote.middle / 1_000_000 - 0.5) ** 2), 16)
        if quote.bid:
            row["bestBid"] = number(quote.bid)
        if rng.random() < 0.995:
            row["acceptingOrders"] = market.winner is None
            prices = (decimal_text(quote.middle), decimal_text(1_000_000 - quote.middle))
            row["outcomePrices"] = in_string(prices)
        if not has_traded:
            return
        row["lastTradePrice"] = number(rng.choice((quote.bid, quote.ask)) or quote.ask)
        for key, width in (("oneDayPriceChange", 9), ("oneWeekPriceChange", 18)):
            if rng.random() < 0.6:
                row[key] = number(rng.randint(-width, width) * quote.tick)

    def _add_amounts(self, row: dict[str, object], volume: float | None, liquidity: float) -> None:
        rng = self._rng
        row["liquidity"] = f"{liquidity:g}" if liquidity == 0 else str(liquidity)
        row["liquidityNum"] = row["liquidityClob"] = liquidity or 0
        if volume is None:
            return
        total = noisy(volume, rng)
        day = noisy(volume * rng.uniform(0.001, 0.12), rng)
        week = noisy(max(day, volume * rng.uniform(0.1, 0.6)), rng)
        amounts = {
            "volume24hr": day if rng.random() < 0.85 else 0,
            "volume1wk": week,
            "volume1mo": total,
            "volume1yr": total,
        }
        row.update(volume=str(total), volumeNum=total, volumeClob=total, **amounts)
        row.update({f"{key}Clob": value for key, value in amounts.items()})

    def _add_terms(self, row: dict[str, object], draft: EventDraft, liquidity: float) -> None:
        rng = self._rng
        fee = FEES.get(draft.fees) if rng.random() < 0.85 else None
        row["feesEnabled"] = fee is not None
        row["feeType"] = None
        if fee is not None:
            name, rate, rebate = fee
            row["feeType"] = name
            row["feeSchedule"] = {
                "exponent": 1,
                "rate": rate,
                "takerOnly": True,
                "rebateRate": rebate,
            }
            row.update(makerBaseFee=1000, takerBaseFee=1000)
        row["rewardsMinSize"] = rng.choice((20, 50, 100, 200))
        row["rewardsMaxSpread"] = rng.choice((2.5, 3.5, 4.5, 3))
        if liquidity > 4_000 and rng.random() < 0.4:
            row["clobRewards"] = [
                {
                    "id": str(30_000 + int(self._market_id) % 9_999),
                    "conditionId": row["conditionId"],
                    "assetAddress": _REWARD_ASSET,
                    "rewardsAmount": 0,
                    "rewardsDailyRate": rng.choice((1, 2, 5, 10, 25, 40, 0.5)),
                    "startDate": mark(-20 * dates.DAY_S, "day"),
                    "endDate": "2500-12-31",
                }
            ]

    def _add_presentation(
        self, row: dict[str, object], draft: EventDraft, market: MarketDraft, index: int
    ) -> None:
        rng = self._rng
        row["umaResolutionStatuses"] = "[]"
        if rng.random() < 0.97:
            icon = f"{_IMAGES}/{slug_of(draft.tags[-1])}.png"
            row.update(image=icon, icon=icon)
        if rng.random() < 0.77:
            row["resolutionSource"] = draft.source if rng.random() < 0.5 else ""
        if market.group or rng.random() < 0.3:
            row["groupItemTitle"] = market.group
            row["groupItemThreshold"] = str(index)
        if rng.random() < 0.35:
            row.update(showGmpSeries=False, showGmpOutcome=False)
        if rng.random() < 0.5:
            row["comboStatus"] = "disabled"
        if market.market_type:
            row["sportsMarketType"] = market.market_type
        if market.line is not None:
            row["line"] = market.line
        if draft.game is not None and rng.random() < 0.2:
            row["gameId"] = str(draft.game.game_id)


def _add_resolution(row: dict[str, object], draft: EventDraft, market: MarketDraft) -> None:
    payouts = {0: ("1", "0"), 1: ("0", "1"), -1: ("0.5", "0.5")}
    ends = draft.ends.seconds
    row.update(
        outcomePrices=in_string(payouts[market.winner or 0]),
        acceptingOrders=False,
        closedTime=mark(ends + 4_900, "space"),
        umaEndDate=mark(ends + 4_900, "iso"),
        umaResolutionStatus="resolved",
        automaticallyResolved=True,
    )


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
                "slug": slug_of(label),
                "createdAt": mark(-rng.randint(60 * dates.DAY_S, 900 * dates.DAY_S), "stamp"),
                "updatedAt": mark(-rng.randint(600, 90_000), "stamp"),
                "requiresTranslation": False,
            }
            if rng.random() < 0.5:
                row["forceShow"] = rng.random() < 0.2
            if rng.random() < 0.3:
                published = mark(-rng.randint(900 * dates.DAY_S, 1_100 * dates.DAY_S), "spacems")
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
            "publishedAt": mark(-rng.randint(300 * dates.DAY_S, 900 * dates.DAY_S), "spacems"),
            "createdBy": "15",
            "updatedBy": "15",
            "createdAt": mark(-rng.randint(300 * dates.DAY_S, 900 * dates.DAY_S), "stamp"),
            "updatedAt": mark(-rng.randint(60, 9_000), "stamp"),
            "commentsEnabled": False,
            "competitive": "0",
            "volume24hr": round(rng.uniform(1_000, 900_000), 6),
            "volume": round(rng.uniform(1_000_000, 30_000_000), 6),
            "liquidity": round(rng.uniform(10_000, 3_000_000), 5),
            "startDate": mark(-rng.randint(300 * dates.DAY_S, 900 * dates.DAY_S), "iso"),
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
        slug = slug_of(draft.title)
        if slug in self._slugs:
            slug = f"{slug}-{self._event_id}"
        self._slugs.add(slug)
        row = self._identity(draft, slug)
        neg_risk_id = ""
        if draft.neg_risk:
            neg_risk_id = made_up_hash(f"negrisk:{self._event_id}")[:-2] + "00"
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
        icon = f"{_IMAGES}/{slug_of(draft.tags[-1])}.png"
        row: dict[str, object] = {
            "id": str(self._event_id),
            "ticker": slug,
            "slug": slug,
            "title": draft.title,
            "description": draft.rules,
            "resolutionSource": draft.source if rng.random() < 0.7 else "",
            "startDate": mark(started, "stamp"),
            "creationDate": mark(started, "stamp"),
            "endDate": f"{draft.ends:iso}",
            "image": icon,
            "icon": icon,
            "active": True,
            "closed": draft.is_past,
            "featured": rng.random() < 0.06,
            "createdAt": mark(started - rng.randint(600, 40_000), "stamp"),
            "updatedAt": mark(-rng.randint(20, 900), "stamp"),
            "enableOrderBook": True,
            "negRisk": draft.neg_risk,
            "enableNegRisk": draft.neg_risk,
            "negRiskAugmented": draft.neg_risk and rng.random() < 0.3,
            "commentCount": 0,
            **_EVENT_FLAGS,
        }
        if draft.is_past:
            row["closedTime"] = mark(draft.ends.seconds + 5_400, "iso")
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
        row["finishedTimestamp"] = mark(game.starts.seconds + 7_000, "stamp")
    return row
