"""Markets and their terms on the trading host, and its utility routes; without authentication.

Rows come in three sizes: full, simplified and compact.
"""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import ConditionId
from pmtui.domain.money import ONE, ZERO, Micros
from pmtui.signing.contracts import POLYGON
from pmtui.sim.catalogue.gamma import moment_of
from pmtui.sim.catalogue.model import CatalogueMarket, MarketState, Row
from pmtui.sim.controls import HOLD_MS, TakerDelay
from pmtui.sim.engine.terms import MarketView
from pmtui.sim.http_json import JsonResponse, alive, failure, paged
from pmtui.sim.venue import Venue

NO_DELAY = TakerDelay()


def delay_of(venue: Venue, condition_id: ConditionId) -> TakerDelay:
    """Return a market's delay: as set by the operator, else from its catalogue row."""
    chosen = venue.controls.delays.get(condition_id)
    if chosen is not None:
        return chosen
    market = venue.market(condition_id)
    return NO_DELAY if market is None else listed_delay(market)


def listed_delay(market: CatalogueMarket) -> TakerDelay:
    """Return the delay in a row of the metadata host."""
    seconds = market.raw.get("secondsDelay")
    return TakerDelay(
        seconds=seconds if isinstance(seconds, int) and seconds > 0 else 0,
        hold_ms=HOLD_MS if market.raw.get("itode") is True else 0,
    )


LEGACY_FEE_BPS = 1_000
"""The value of `base_fee` if fees are on; a leftover that no fee is computed from."""


def number(amount: Micros) -> int | float:
    """Return an amount as the JSON number that this host uses for terms and prices."""
    return amount // ONE if amount % ONE == 0 else amount / ONE


def base_fee(market: CatalogueMarket) -> int:
    """Return the legacy fee rate of a market."""
    return LEGACY_FEE_BPS if market.fee.rate else 0


def first_price(venue: Venue, market: CatalogueMarket) -> Micros:
    """Return the price of the first outcome: the payout once known, else the midpoint of the book."""
    view = venue.trading(market.condition_id)
    if view is not None and view.payout is not None:
        return view.payout.pays(0)
    if market.payouts:
        return market.payouts[0]
    if view is None:
        return market.start_price
    bid, ask = venue.exchange.reads.top(view.spec.tokens[0])
    if bid is None and ask is None:
        return market.start_price
    return Micros(((ZERO if bid is None else bid) + (ONE if ask is None else ask)) // 2)


def iso_time(row: Row, key: str) -> str | None:
    """Return a time from the metadata host in the trading host's form: with a T and a Z."""
    moment = moment_of(row, key)
    return None if moment is None else f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def full_row(venue: Venue, market: CatalogueMarket) -> dict[str, object]:
    """Return a row of `/markets`."""
    raw = market.raw
    tick = _tick(venue, market)
    return {
        "enable_order_book": market.state is not MarketState.LEGACY
        and raw.get("enableOrderBook") is not False,
        **_states(venue, market),
        "accepting_order_timestamp": raw.get("acceptingOrdersTimestamp"),
        "minimum_order_size": number(market.min_order_size),
        "minimum_tick_size": number(tick),
        "condition_id": market.condition_id,
        "question_id": market.question_id,
        "question": market.question,
        "description": raw.get("description", ""),
        "market_slug": market.slug,
        "end_date_iso": raw.get("endDate"),
        "game_start_time": iso_time(raw, "gameStartTime"),
        "seconds_delay": delay_of(venue, market.condition_id).seconds,
        "fpmm": "",
        "maker_base_fee": base_fee(market),
        "taker_base_fee": base_fee(market),
        "notifications_enabled": True,
        "neg_risk": market.neg_risk,
        "neg_risk_market_id": raw.get("negRiskMarketID", ""),
        "neg_risk_request_id": raw.get("negRiskRequestID", ""),
        "icon": raw.get("icon", ""),
        "image": raw.get("image", ""),
        "rewards": _rewards(market),
        "is_50_50_outcome": market.payouts == (Micros(ONE // 2), Micros(ONE // 2)),
        "tokens": token_rows(venue, market),
        "tags": _tags(venue, market),
    }


def simplified_row(venue: Venue, market: CatalogueMarket) -> dict[str, object]:
    """Return a row of `/simplified-markets`."""
    return {
        "condition_id": market.condition_id,
        "rewards": _rewards(market),
        "tokens": token_rows(venue, market),
        **_states(venue, market),
    }


def compact_row(venue: Venue, market: CatalogueMarket) -> dict[str, object]:
    """Return the reply of `/clob-markets/{condition_id}`; false and empty fields are left out."""
    is_accepting = _states(venue, market)["accepting_orders"]
    delay = delay_of(venue, market.condition_id)
    row: dict[str, object] = {
        "c": market.condition_id,
        "t": [
            {"t": token_id, "o": outcome}
            for token_id, outcome in zip(market.token_ids, market.outcomes, strict=False)
        ],
        "mos": number(market.min_order_size),
        "mts": number(_tick(venue, market)),
        "mbf": base_fee(market),
        "tbf": base_fee(market),
        "nr": market.neg_risk,
        "ao": is_accepting,
        "aot": market.raw.get("acceptingOrdersTimestamp"),
        "sd": delay.seconds,
        "itode": delay.hold_ms > 0,
        "gst": iso_time(market.raw, "gameStartTime"),
        "cbos": market.raw.get("clearBookOnStart") is True,
        # Orders of banned addresses are refused in every market here.
        "ibce": True,
    }
    if market.rewards.min_size or market.rewards.max_spread:
        # Spread in cents, as on the metadata host; no order is too young to earn.
        spread = Micros(market.rewards.max_spread * 100)
        row["r"] = {"mi": number(market.rewards.min_size), "ma": number(spread), "moas": 0}
    if market.fee.rate:
        row["fd"] = {
            "r": number(market.fee.rate),
            "e": market.fee.exponent,
            "to": market.fee.taker_only,
        }
    return {key: value for key, value in row.items() if value or key in ("mbf", "tbf")}


def _tick(venue: Venue, market: CatalogueMarket) -> Micros:
    view: MarketView | None = venue.trading(market.condition_id)
    return market.tick_size if view is None else view.tick_size


def _states(venue: Venue, market: CatalogueMarket) -> dict[str, object]:
    view = venue.trading(market.condition_id)
    is_ended = view is not None and view.payout is not None
    is_accepting = view is not None and view.is_accepting and not is_ended
    return {
        "active": market.raw.get("active") is not False,
        "closed": is_ended or market.raw.get("closed") is True,
        "archived": market.raw.get("archived") is True,
        "accepting_orders": is_accepting,
    }


def token_rows(venue: Venue, market: CatalogueMarket) -> list[dict[str, object]]:
    """Return both outcomes with their prices, and whether they won."""
    yes = first_price(venue, market)
    view = venue.trading(market.condition_id)
    has_ended = bool(market.payouts) or (view is not None and view.payout is not None)
    # Rows of the first years have no token ids; the public venue lists them with empty ones.
    token_ids = market.token_ids or ("", "")
    return [
        {
            "token_id": token_id,
            "outcome": outcome,
            "price": number(price),
            "winner": has_ended and price == ONE,
        }
        for token_id, outcome, price in zip(
            token_ids, market.outcomes, (yes, Micros(ONE - yes)), strict=False
        )
    ]


def _rewards(market: CatalogueMarket) -> dict[str, object]:
    rewards = market.rewards
    rate = {"asset_address": POLYGON.collateral, "rewards_daily_rate": number(rewards.daily_rate)}
    return {
        "rates": [rate] if rewards.daily_rate else None,
        "min_size": number(rewards.min_size),
        "max_spread": number(Micros(rewards.max_spread * 100)),
    }


def _tags(venue: Venue, market: CatalogueMarket) -> list[object]:
    tags = venue.catalogue.event_of(market).raw.get("tags")
    labels = (
        [tag.get("label") for tag in tags if isinstance(tag, dict)]
        if isinstance(tags, list)
        else []
    )
    return [*labels, "All"]


PAGE = 1_000
NOT_FOUND = "market not found"

_RowWriter = Callable[[Venue, CatalogueMarket], dict[str, object]]


class MarketRoutes:
    """Lists with cursors, single markets, per-token terms."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/", alive),
            Route("/ok", alive),
            Route("/time", self.time),
            Route("/version", self.version),
            Route("/markets", self._list(full_row, sampling=False)),
            Route("/simplified-markets", self._list(simplified_row, sampling=False)),
            Route("/sampling-markets", self._list(full_row, sampling=True)),
            Route("/sampling-simplified-markets", self._list(simplified_row, sampling=True)),
            Route("/markets/{condition_id}", self._one(full_row)),
            Route("/clob-markets/{condition_id}", self._one(compact_row)),
            Route("/markets-by-token/{token_id}", self.by_token),
            Route("/tick-size", self.tick_size),
            Route("/tick-size/{token_id}", self.tick_size),
            Route("/neg-risk", self.neg_risk),
            Route("/neg-risk/{token_id}", self.neg_risk),
            Route("/fee-rate", self.fee_rate),
            Route("/fee-rate/{token_id}", self.fee_rate),
        ]

    async def time(self, request: Request) -> Response:
        """Return the venue's time in seconds."""
        del request
        return JsonResponse(self._venue.clock.now_ms() // 1_000)

    async def version(self, request: Request) -> Response:
        """Return the accepted version of orders."""
        del request
        return JsonResponse({"version": 2})

    def _list(self, to_row: _RowWriter, *, sampling: bool) -> Callable[[Request], object]:
        async def answer(request: Request) -> Response:
            markets = self._venue.catalogue.markets
            if sampling:
                markets = [market for market in markets if self._venue.pays_makers(market)]
            return paged(
                request, markets, limit=PAGE, to_row=lambda market: to_row(self._venue, market)
            )

        return answer

    def _one(self, to_row: _RowWriter) -> Callable[[Request], object]:
        async def answer(request: Request) -> Response:
            market = self._venue.market(request.path_params["condition_id"])
            if market is None:
                return failure(404, NOT_FOUND)
            return JsonResponse(to_row(self._venue, market))

        return answer

    def _by_token(self, request: Request) -> CatalogueMarket | None:
        token_id = request.path_params.get("token_id") or request.query_params.get("token_id", "")
        return self._venue.market_of_token(token_id)

    async def by_token(self, request: Request) -> Response:
        """Return a token's market and both of its tokens."""
        market = self._by_token(request)
        if market is None or len(market.token_ids) != 2:
            return failure(404, NOT_FOUND)
        return JsonResponse(
            {
                "condition_id": market.condition_id,
                "primary_token_id": market.token_ids[0],
                "secondary_token_id": market.token_ids[1],
            }
        )

    async def tick_size(self, request: Request) -> Response:
        """Return the tick size of a token's market, as a number."""
        market = self._by_token(request)
        if market is None:
            return failure(404, NOT_FOUND)
        view = self._venue.trading(market.condition_id)
        tick = market.tick_size if view is None else view.tick_size
        return JsonResponse({"minimum_tick_size": number(tick)})

    async def neg_risk(self, request: Request) -> Response:
        """Return whether a token settles on the negative-risk exchange."""
        market = self._by_token(request)
        return (
            failure(404, NOT_FOUND)
            if market is None
            else JsonResponse({"neg_risk": market.neg_risk})
        )

    async def fee_rate(self, request: Request) -> Response:
        """Return the legacy fee rate in basis points."""
        market = self._by_token(request)
        if market is None:
            return failure(404, "fee rate not found for market")
        return JsonResponse({"base_fee": base_fee(market)})
