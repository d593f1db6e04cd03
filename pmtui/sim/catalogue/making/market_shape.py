"""Gives one market of a draft the shape of the metadata host, keys missing as they are there."""

import random

import msgspec

from pmtui.sim.catalogue import dates
from pmtui.sim.catalogue.making import naming
from pmtui.sim.catalogue.making.drafts import EventDraft, MarketDraft
from pmtui.sim.catalogue.making.figures import (
    Quote,
    decimal_text,
    liquidity_of,
    noisy,
    number,
    quote_of,
    volume_of,
)

_IMAGES = "https://images.example.org/pmtui"
_SUBMITTER = naming.made_up_address("pmtui catalogue submitter")
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
}
"""Flags that stand on every market and hardly ever differ."""


def in_string(value: object) -> str:
    """Return JSON the way the host puts it inside strings: with a space after each comma."""
    return msgspec.json.encode(value).decode().replace('","', '", "')


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
        slug = naming.slug_of(market.question)
        if draft.game is not None:
            # Two fixtures of a side may fall on one day once they have moved in time.
            slug = f"{event_slug}-{naming.slug_of(market.group or market.market_type)}"
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
        question_id = naming.made_up_hash(f"question:{row['id']}:{row['slug']}")
        if neg_risk_id:
            question_id = naming.neg_risk_question(neg_risk_id, index)
            row["negRiskMarketID"] = neg_risk_id
        condition_id, tokens = naming.chain_ids(question_id, neg_risk=bool(neg_risk_id))
        row["questionID"] = question_id
        row["conditionId"] = condition_id
        row["clobTokenIds"] = in_string(tokens)
        row["negRisk"] = bool(neg_risk_id)
        if self._rng.random() < 0.956:
            request = naming.made_up_hash(f"request:{question_id}") if neg_risk_id else ""
            row.update(
                submitted_by=_SUBMITTER,
                umaBond="500",
                umaReward="5",
                customLiveness=0,
                negRiskRequestID=request,
                resolvedBy=naming.NEG_RISK_RESOLVER if neg_risk_id else naming.REGULAR_ORACLE,
            )

    def _add_dates(self, row: dict[str, object], draft: EventDraft, market: MarketDraft) -> None:
        rng = self._rng
        ends = (market.ends or draft.ends).seconds
        started = min(-rng.randint(dates.DAY_S, 120 * dates.DAY_S), ends - 2 * dates.DAY_S)
        row.update(
            startDate=dates.mark(started, "stamp"),
            startDateIso=dates.mark(started, "day"),
            createdAt=dates.mark(started - 4_000, "stamp"),
            updatedAt=dates.mark(-rng.randint(20, 3_000), "stamp"),
            acceptingOrdersTimestamp=dates.mark(started + 40, "iso"),
            deployingTimestamp=dates.mark(started - 300, "stamp"),
        )
        if rng.random() < 0.992:
            row.update(endDate=dates.mark(ends, "iso"), endDateIso=dates.mark(ends, "day"))
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
                    "startDate": dates.mark(-20 * dates.DAY_S, "day"),
                    "endDate": "2500-12-31",
                }
            ]

    def _add_presentation(
        self, row: dict[str, object], draft: EventDraft, market: MarketDraft, index: int
    ) -> None:
        rng = self._rng
        row["umaResolutionStatuses"] = "[]"
        if rng.random() < 0.97:
            icon = f"{_IMAGES}/{naming.slug_of(draft.tags[-1])}.png"
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
        closedTime=dates.mark(ends + 4_900, "space"),
        umaEndDate=dates.mark(ends + 4_900, "iso"),
        umaResolutionStatus="resolved",
        automaticallyResolved=True,
    )
