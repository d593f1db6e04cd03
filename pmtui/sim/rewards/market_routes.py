"""Which markets pay for resting orders, in both dialects; open to everybody."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.money import ONE, ZERO, Micros, MoneyError, parse_micros
from pmtui.sim.catalogue.gamma import moment_of
from pmtui.sim.catalogue.model import CatalogueEvent, CatalogueMarket
from pmtui.sim.clob.clob_account import CONDITION_ID
from pmtui.sim.clob.past_prices import PastPrices
from pmtui.sim.gamma.market_rows import first_price
from pmtui.sim.gamma.rows import id_number
from pmtui.sim.http_json import failure
from pmtui.sim.paging import paged
from pmtui.sim.rewards.rewards import Rewards
from pmtui.sim.rewards.rows import config_rows, current_row, market_row, volume_24h
from pmtui.sim.venue import Venue

CURRENT_PAGE = 500
MARKET_PAGE = 100

_Bounds = tuple[Micros, Micros]


class RewardMarketRoutes:
    """Lists of paying markets, and single ones."""

    def __init__(self, venue: Venue, rewards: Rewards) -> None:
        self._venue = venue
        self._rewards = rewards
        self._prices = PastPrices(venue)

    def routes(self) -> list[Route]:
        """Return the routes; `config`, `raw` and `markets` alone are the older dialect's."""
        return [
            Route("/rewards/markets/current", self.current),
            Route("/rewards/markets/multi", self.multi),
            Route("/rewards/markets/{condition_id}", self.one),
            Route("/rewards/config", self.current),
            Route("/rewards/raw", self.one),
        ]

    def paying(self) -> list[CatalogueMarket]:
        """Return the markets that pay at this moment."""
        return [market for market in self._venue.catalogue.markets if self._pays(market)]

    def _pays(self, market: CatalogueMarket) -> bool:
        view = self._venue.trading(market.condition_id)
        return view is not None and view.payout is None and market.rewards.daily_rate > 0

    async def current(self, request: Request) -> Response:
        """List what is paid in which market."""
        return paged(request, self.paying(), limit=CURRENT_PAGE, to_row=current_row)

    async def one(self, request: Request) -> Response:
        """Show one market's terms and competition, as a page of one row or of none."""
        named = request.path_params.get("condition_id") or request.query_params.get("market", "")
        if CONDITION_ID.fullmatch(named.lower()) is None:
            return failure(400, "Invalid market")
        market = self._venue.market(named)
        found = [market] if market is not None and self._pays(market) else []
        return paged(request, found, limit=MARKET_PAGE, to_row=self.row)

    def row(self, market: CatalogueMarket) -> dict[str, object]:
        """Write a market with its terms and competition."""
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
        """Filter and sort markets as a query asks; its problems are answered in the service's words."""
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
    # The service writes these dates as YYYY-MM-DD, which sort as texts.
    return max((str(row["end_date"]) for row in config_rows(market)), default="")


def page_size(query: QueryParams) -> int | None:
    """Return how many rows a page is to have; None where that is no usable number."""
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
