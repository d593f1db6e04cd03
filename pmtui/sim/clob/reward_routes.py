"""Routes of rewards and rebates: paying markets, scoring orders, earnings, in both dialects.

Markets and rebates need no authentication, earnings need level 2. The older dialect requests "the
user's" earnings without saying who that is. There a request may contain a `maker_address`; without
one it gets the rows of everybody who is not simulated.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from fractions import Fraction

import msgspec
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import Address, OrderId
from pmtui.domain.money import ONE, ZERO, Micros, MoneyError, format_micros, parse_micros
from pmtui.signing.contracts import POLYGON
from pmtui.signing.eip712 import AddressError, address_bytes, checksum_address
from pmtui.sim.accounts import Credentials
from pmtui.sim.auth import credentials_of, signed, unauthorized
from pmtui.sim.catalogue.gamma import moment_of
from pmtui.sim.catalogue.model import CatalogueEvent, CatalogueMarket, Row
from pmtui.sim.clob.account import HASH_ID, wallet_asked
from pmtui.sim.clob.markets import first_price, iso_time, number, token_rows
from pmtui.sim.clob.price_history import PastPrices
from pmtui.sim.clob.rewards import Earning, Rebate, Rewards, rebates
from pmtui.sim.gamma.rows import id_number
from pmtui.sim.http_json import JsonResponse, failure, paged
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE

ASSET_RATE = 1
"""Dollars per unit of collateral."""
NO_DATE = "1970-01-01T00:00:00Z"
"""Used if a row must have a date and the catalogue has none."""


def config_rows(market: CatalogueMarket) -> list[dict[str, object]]:
    """Return the reward programs of a market."""
    listed = market.raw.get("clobRewards")
    programmes: Sequence[object] = listed if isinstance(listed, list) else ()
    return [_config(row) for row in programmes if isinstance(row, Mapping)]


def _config(row: Row) -> dict[str, object]:
    return {
        "id": _whole(row.get("id")),
        "asset_address": POLYGON.collateral,
        "start_date": row.get("startDate", ""),
        "end_date": row.get("endDate", ""),
        "rate_per_day": row.get("rewardsDailyRate", 0),
        "total_rewards": row.get("rewardsAmount", 0),
    }


def _whole(value: object) -> int:
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() else 0


def terms_row(market: CatalogueMarket) -> dict[str, object]:
    """Return the conditions for orders, with the spread in cents as on the metadata host."""
    return {
        "condition_id": market.condition_id,
        "rewards_max_spread": number(Micros(market.rewards.max_spread * 100)),
        "rewards_min_size": number(market.rewards.min_size),
        "rewards_config": config_rows(market),
    }


def current_row(market: CatalogueMarket) -> dict[str, object]:
    """Return a row of the list of paying markets; there are no sponsors here."""
    daily = number(market.rewards.daily_rate)
    return {
        **terms_row(market),
        "sponsored_daily_rate": 0,
        "sponsors_count": 0,
        "native_daily_rate": daily,
        "total_daily_rate": daily,
    }


def market_row(
    venue: Venue, market: CatalogueMarket, competition: Fraction, day_change: Micros
) -> dict[str, object]:
    """Return a market with its terms and its competitiveness."""
    event, raw = venue.catalogue.event_of(market), market.raw
    bid, ask = venue.exchange.reads.top(market.token_ids[0])
    return {
        "market_id": market.market_id,
        "question": market.question,
        "market_slug": market.slug,
        "event_id": event.event_id,
        "event_slug": event.slug,
        "image": raw.get("image", ""),
        "group_item_title": raw.get("groupItemTitle", ""),
        "created_at": iso_time(raw, "createdAt") or iso_time(raw, "startDate") or NO_DATE,
        "end_date": iso_time(raw, "endDate"),
        **terms_row(market),
        "market_competitiveness": round(float(competition), 4),
        "volume_24hr": number(volume_24h(venue, market)),
        "one_day_price_change": number(day_change),
        "spread": number(Micros((ONE if ask is None else ask) - (ZERO if bid is None else bid))),
        "tokens": [
            {key: row[key] for key in ("token_id", "outcome", "price")}
            for row in token_rows(venue, market)
        ],
    }


def volume_24h(venue: Venue, market: CatalogueMarket) -> Micros:
    """Return the dollars traded in a day: before this run, and in it."""
    since_ms = venue.clock.now_ms() - 86_400_000
    return Micros(market.volume_24h + venue.records.volume_since(market.condition_id, since_ms))


def earning_row(earning: Earning) -> dict[str, object]:
    """Return the earnings in one market on one day."""
    return {
        "date": earning.day.isoformat(),
        "condition_id": earning.condition_id,
        "asset_address": POLYGON.collateral,
        "maker_address": earning.maker,
        "earnings": number(earning.amount),
        "asset_rate": ASSET_RATE,
    }


CURRENT_PAGE = 500
MARKET_PAGE = 100

_Bounds = tuple[Micros, Micros]


class RewardMarketRoutes:
    """Lists of paying markets, and single ones."""

    def __init__(self, venue: Venue, rewards: Rewards, prices: PastPrices) -> None:
        self._venue = venue
        self._rewards = rewards
        self._prices = prices

    def routes(self) -> list[Route]:
        """Return the routes; `config`, `raw` and a bare `markets` belong to the older dialect."""
        return [
            Route("/rewards/markets/current", self.current),
            Route("/rewards/markets/multi", self.multi),
            Route("/rewards/markets/{condition_id}", self.one),
            Route("/rewards/config", self.current),
            Route("/rewards/raw", self.one),
        ]

    def paying(self) -> list[CatalogueMarket]:
        """Return the markets that pay at this moment."""
        return [
            market for market in self._venue.catalogue.markets if self._venue.pays_makers(market)
        ]

    async def current(self, request: Request) -> Response:
        """List the rewards of each market."""
        return paged(request, self.paying(), limit=CURRENT_PAGE, to_row=current_row)

    async def one(self, request: Request) -> Response:
        """Return one market's terms and competitiveness, as a page with one row or none."""
        named = request.path_params.get("condition_id") or request.query_params.get("market", "")
        if HASH_ID.fullmatch(named.lower()) is None:
            return failure(400, "Invalid market")
        market = self._venue.market(named)
        found = [market] if market is not None and self._venue.pays_makers(market) else []
        return paged(request, found, limit=MARKET_PAGE, to_row=self.row)

    def row(self, market: CatalogueMarket) -> dict[str, object]:
        """Return a market's row with its terms and competitiveness."""
        return market_row(self._venue, market, self._competition(market), self._day_change(market))

    def _day_change(self, market: CatalogueMarket) -> Micros:
        return self._prices.change(market, "oneDayPriceChange")

    def _competition(self, market: CatalogueMarket) -> Fraction:
        return sum(self._rewards.scores(market).values(), Fraction(0))

    async def multi(self, request: Request) -> Response:
        """Search, filter and sort the paying markets."""
        query = request.query_params
        size = page_size(query)
        if size is None:
            return failure(400, "Invalid page_size")
        chosen = self.chosen(query, self.paying())
        if isinstance(chosen, Response):
            return chosen
        return paged(request, chosen, limit=size, to_row=self.row)

    def chosen(
        self, query: QueryParams, markets: Sequence[CatalogueMarket]
    ) -> list[CatalogueMarket] | Response:
        """Filter and sort markets by a query; its errors are answered with the venue's text."""
        try:
            bounds = {name: _bounds(query, name) for name in self._figures()}
        except MoneyError:
            return failure(400, "Invalid filters")
        found = [
            market
            for market in markets
            if self._matches(query, market) and self._is_within(bounds, market)
        ]
        order_by, position = query.get("order_by", ""), query.get("position", "").upper()
        if position not in ("", "ASC", "DESC"):
            return failure(400, "Invalid position")
        if not order_by:
            return found
        key = self._orders().get(order_by)
        if key is None:
            return failure(400, "Invalid order_by")
        return sorted(found, key=key, reverse=position == "DESC")

    def _matches(self, query: QueryParams, market: CatalogueMarket) -> bool:
        event = self._venue.catalogue.event_of(market)
        words, title = query.get("q", "").lower(), query.get("event_title", "").lower()
        slug = query.get("tag_slug", "")
        return (
            words in f"{market.question} {event.title}".lower()
            and title in event.title.lower()
            and query.get("event_id", "") in ("", str(event.event_id))
            and (not slug or slug in _slugs(event))
        )

    def _is_within(self, bounds: Mapping[str, _Bounds | None], market: CatalogueMarket) -> bool:
        figures = self._figures()
        return all(
            bound is None or bound[0] <= figures[name](market) <= bound[1]
            for name, bound in bounds.items()
        )

    def _figures(self) -> dict[str, Callable[[CatalogueMarket], Micros]]:
        return {
            "volume_24hr": lambda market: volume_24h(self._venue, market),
            "spread": self._spread,
            "price": lambda market: first_price(self._venue, market),
        }

    def _orders(self) -> dict[str, Callable[[CatalogueMarket], int | str | Fraction]]:
        return {
            **self._figures(),
            "market": lambda market: market.question,
            "question": lambda market: market.question,
            "market_id": lambda market: id_number(market.raw),
            "market_competitiveness": self._competition,
            "competitiveness": self._competition,
            "one_day_price_change": self._day_change,
            "created_at": lambda market: _second(market, "createdAt"),
            "start_date": lambda market: _second(market, "startDate"),
            "end_date": lambda market: _second(market, "endDate"),
            "reward_end_date": _reward_end,
            "max_spread": lambda market: market.rewards.max_spread,
            "min_size": lambda market: market.rewards.min_size,
            "rate_per_day": lambda market: market.rewards.daily_rate,
        }

    def _spread(self, market: CatalogueMarket) -> Micros:
        bid, ask = self._venue.exchange.reads.top(market.token_ids[0])
        return Micros((ONE if ask is None else ask) - (ZERO if bid is None else bid))


def _second(market: CatalogueMarket, key: str) -> int:
    moment = moment_of(market.raw, key)
    return 0 if moment is None else int(moment.timestamp())


def _reward_end(market: CatalogueMarket) -> str:
    # The public venue writes these dates as YYYY-MM-DD, which sort as texts.
    return max((str(row["end_date"]) for row in config_rows(market)), default="")


def page_size(query: QueryParams) -> int | None:
    """Return the requested number of rows on a page; None if it is invalid."""
    text = query.get("page_size") or str(MARKET_PAGE)
    size = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0
    return size if 0 < size <= CURRENT_PAGE else None


def _slugs(event: CatalogueEvent) -> set[object]:
    tags = event.raw.get("tags")
    rows = tags if isinstance(tags, list) else []
    return {tag.get("slug") for tag in rows if isinstance(tag, Mapping)}


def _bounds(query: QueryParams, name: str) -> _Bounds | None:
    low, high = query.get(f"min_{name}", ""), query.get(f"max_{name}", "")
    if not low and not high:
        return None
    return parse_micros(low or "0"), parse_micros(high) if high else Micros(10**18)


class _Wrapped(msgspec.Struct, rename={"order_ids": "orderIds"}):
    order_ids: list[str]


_decode_ids = msgspec.json.Decoder(list[str] | _Wrapped).decode


class ScoringRoutes:
    """Scoring of one order by query, or of many by a posted list."""

    def __init__(self, venue: Venue, rewards: Rewards) -> None:
        self._venue = venue
        self._rewards = rewards

    def routes(self) -> list[Route]:
        """Return the routes; those with `/orders/` belong to the older dialect and need no authentication."""
        return [
            Route("/order-scoring", signed(self._venue, self.own_one)),
            Route("/orders-scoring", signed(self._venue, self.own_many), methods=["POST"]),
            Route("/orders/scoring", self.one),
            Route("/orders/scoring", self.many, methods=["POST"]),
        ]

    async def own_one(self, request: Request, _caller: Credentials) -> Response:
        """Return whether one of the caller's orders scores."""
        return await self.one(request)

    async def own_many(self, request: Request, _caller: Credentials) -> Response:
        """Return whether many of the caller's orders score."""
        return await self.many(request)

    async def one(self, request: Request) -> Response:
        """Return whether one order scores; one that does not rest never does."""
        order_id = request.query_params.get("order_id", "").lower()
        if HASH_ID.fullmatch(order_id) is None:
            return failure(400, "Invalid order_id")
        return JsonResponse({"scoring": self._rewards.is_scoring(OrderId(order_id))})

    async def many(self, request: Request) -> Response:
        """Return whether many orders score, under the requested ids."""
        try:
            asked = _decode_ids(await request.body())
        except UNREADABLE:
            return failure(400, "Invalid payload")
        order_ids = asked if isinstance(asked, list) else asked.order_ids
        if any(HASH_ID.fullmatch(order_id.lower()) is None for order_id in order_ids):
            return failure(400, "Invalid order_id")
        return JsonResponse(
            {text: self._rewards.is_scoring(OrderId(text.lower())) for text in order_ids}
        )


PAGE = 100
INVALID_DATE = "Invalid date (format: YYYY-MM-DD)"


class RewardUserRoutes:
    """Earnings, percentages and rebates."""

    def __init__(self, venue: Venue, rewards: Rewards, markets: RewardMarketRoutes) -> None:
        self._venue = venue
        self._rewards = rewards
        self._markets = markets

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/rewards/user", self.own_earnings),
            Route("/rewards/user/total", self.own_total),
            Route("/rewards/user/percentages", self.own_percentages),
            Route("/rewards/user/markets", self.own_markets),
            Route("/rebates/current", self.rebates),
            Route("/rewards/earnings", self.earnings),
            Route("/rewards/total-earnings", self.total),
            Route("/rewards/percentages", self.percentages),
            Route("/rewards/markets", self.markets),
            Route("/rebates", self.rebates),
        ]

    async def _own_wallet(self, request: Request) -> Address | Response:
        caller = await credentials_of(self._venue, request)
        if caller is None:
            return unauthorized()
        named = request.query_params.get("maker_address")
        return (
            self._named_wallet(named, caller)
            if named
            else wallet_asked(self._venue, request, caller)
        )

    def _named_wallet(self, named: str, caller: Credentials) -> Address | Response:
        maker = _address(named)
        is_theirs = maker is not None and self._venue.accounts.owner_of(maker) == caller.eoa
        return maker if maker is not None and is_theirs else failure(400, "Invalid maker_address")

    async def own_earnings(self, request: Request) -> Response:
        """List the earnings of one of the caller's wallets on a day."""
        found = self._earned(request, await self._own_wallet(request))
        if isinstance(found, Response):
            return found
        return paged(request, found[1], limit=PAGE, to_row=earning_row)

    async def own_total(self, request: Request) -> Response:
        """Return the total earnings of one of the caller's wallets on a day."""
        found = self._earned(request, await self._own_wallet(request))
        return found if isinstance(found, Response) else JsonResponse(_totals(*found))

    def _earned(
        self, request: Request, maker: Address | Response | None
    ) -> tuple[date, list[Earning]] | Response:
        """Return what a maker, or every maker, earned on the day that a request names."""
        if isinstance(maker, Response):
            return maker
        day = _day(request)
        if day is None:
            return failure(400, INVALID_DATE)
        return day, self._rewards.earnings(day, maker=maker)

    async def own_percentages(self, request: Request) -> Response:
        """Return the share of each market's rewards that a wallet earns now."""
        wallet = await self._own_wallet(request)
        if isinstance(wallet, Response):
            return wallet
        return JsonResponse(self._rewards.percentages(wallet))

    async def own_markets(self, request: Request) -> Response:
        """List the paying markets with a wallet's earnings in each on a day."""
        wallet = await self._own_wallet(request)
        return wallet if isinstance(wallet, Response) else self._earned_markets(request, wallet)

    def _earned_markets(self, request: Request, wallet: Address) -> Response:
        day = _day(request)
        if day is None:
            return failure(400, INVALID_DATE)
        size = page_size(request.query_params)
        if size is None:
            return failure(400, "Invalid page_size")
        markets = self._markets.paying()
        if request.query_params.get("no_competition", "").lower() == "true":
            markets = [market for market in markets if not self._has_others(market, wallet)]
        chosen = self._markets.chosen(request.query_params, markets)
        if isinstance(chosen, Response):
            return chosen
        earned = {one.condition_id: one.amount for one in self._rewards.earnings(day, maker=wallet)}
        percentages = self._rewards.percentages(wallet)

        def to_row(market: CatalogueMarket) -> dict[str, object]:
            amount = earned.get(market.condition_id, ZERO)
            return {
                **self._markets.row(market),
                "maker_address": wallet,
                "earning_percentage": percentages.get(market.condition_id, 0),
                "earnings": [_amount_row(amount)],
            }

        return paged(request, chosen, limit=size, to_row=to_row, is_counted=True)

    def _has_others(self, market: CatalogueMarket, wallet: Address) -> bool:
        return any(maker != wallet for maker in self._rewards.scores(market))

    async def earnings(self, request: Request) -> Response:
        """List the earnings of makers on a day."""
        found = self._earned(request, self._open_maker(request))
        if isinstance(found, Response):
            return found
        return JsonResponse([earning_row(one) for one in found[1]])

    async def total(self, request: Request) -> Response:
        """Return the total earnings of makers on a day."""
        found = self._earned(request, self._open_maker(request))
        return found if isinstance(found, Response) else JsonResponse(_totals(*found))

    async def percentages(self, request: Request) -> Response:
        """Return the shares of the markets' rewards that makers earn now."""
        maker = self._open_maker(request)
        if isinstance(maker, Response):
            return maker
        sums: dict[str, float] = {}
        for account in self._venue.records.users() if maker is None else (maker,):
            for condition_id, percent in self._rewards.percentages(account).items():
                sums[condition_id] = round(sums.get(condition_id, 0) + percent, 4)
        return JsonResponse(sums)

    async def markets(self, request: Request) -> Response:
        """List the paying markets; with a maker and a day, also that maker's earnings in each."""
        maker = self._open_maker(request)
        if isinstance(maker, Response):
            return maker
        if maker is None or not request.query_params.get("date"):
            return await self._markets.multi(request)
        return self._earned_markets(request, maker)

    async def rebates(self, request: Request) -> Response:
        """List the makers' rebates of takers' fees; without a day, of every day."""
        maker = self._open_maker(request)
        if isinstance(maker, Response):
            return maker
        day = _day(request)
        if day is None and request.query_params.get("date"):
            return failure(400, INVALID_DATE)
        return JsonResponse(
            [_rebate_row(one) for one in rebates(self._venue, day=day, maker=maker)]
        )

    def _open_maker(self, request: Request) -> Address | Response | None:
        named = request.query_params.get("maker_address")
        if not named:
            return None
        maker = _address(named)
        return failure(400, "Invalid maker_address") if maker is None else maker


def _address(text: str) -> Address | None:
    try:
        return checksum_address(address_bytes(text))
    except AddressError:
        return None


def _day(request: Request) -> date | None:
    text = request.query_params.get("date", "")
    try:
        return date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None


def _amount_row(amount: Micros) -> dict[str, object]:
    return {
        "asset_address": POLYGON.collateral,
        "earnings": number(amount),
        "asset_rate": ASSET_RATE,
    }


def _totals(day: date, earnings: Sequence[Earning]) -> list[dict[str, object]]:
    sums: dict[Address, Micros] = {}
    for one in earnings:
        sums[one.maker] = Micros(sums.get(one.maker, ZERO) + one.amount)
    return [
        {"date": day.isoformat(), "maker_address": maker, **_amount_row(amount)}
        for maker, amount in sums.items()
    ]


def _rebate_row(rebate: Rebate) -> dict[str, object]:
    return {
        "date": rebate.day.isoformat(),
        "condition_id": rebate.condition_id,
        "asset_address": POLYGON.collateral,
        "maker_address": rebate.maker,
        "rebated_fees_usdc": format_micros(rebate.amount),
    }
