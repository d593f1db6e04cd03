"""What makers earn: rewards behind level 2, rebates open to everybody, and both in the older dialect.

The older dialect asks for "the user's" earnings without saying who that is. There a request may
name a `maker_address`; without one it gets the rows of everybody who is not simulated.
"""

from collections.abc import Sequence
from datetime import date

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import Address
from pmtui.domain.money import ZERO, Micros, format_micros
from pmtui.signing.contracts import POLYGON
from pmtui.signing.eip712 import AddressError, address_bytes, checksum_address
from pmtui.sim.accounts.accounts import Credentials
from pmtui.sim.accounts.auth import credentials_of, unauthorized
from pmtui.sim.catalogue.model import CatalogueMarket
from pmtui.sim.clob.clob_account import wallet_asked
from pmtui.sim.gamma.market_rows import number
from pmtui.sim.http_json import JsonResponse, failure
from pmtui.sim.paging import paged
from pmtui.sim.rewards.market_routes import RewardMarketRoutes, page_size
from pmtui.sim.rewards.rebates import Rebate, rebates
from pmtui.sim.rewards.rewards import Earning, Rewards
from pmtui.sim.rewards.rows import ASSET_RATE, earning_row
from pmtui.sim.venue import Venue

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
        """List what one of the caller's wallets earned on a day."""
        wallet, day = await self._own_wallet(request), _day(request)
        if isinstance(wallet, Response):
            return wallet
        if day is None:
            return failure(400, INVALID_DATE)
        found = self._rewards.earnings(day, maker=wallet)
        return paged(request, found, limit=PAGE, to_row=earning_row)

    async def own_total(self, request: Request) -> Response:
        """Sum up what one of the caller's wallets earned on a day."""
        wallet, day = await self._own_wallet(request), _day(request)
        if isinstance(wallet, Response):
            return wallet
        if day is None:
            return failure(400, INVALID_DATE)
        return JsonResponse(_totals(day, self._rewards.earnings(day, maker=wallet)))

    async def own_percentages(self, request: Request) -> Response:
        """Tell which part of each market's reward a wallet earns at this moment."""
        wallet = await self._own_wallet(request)
        if isinstance(wallet, Response):
            return wallet
        return JsonResponse(self._rewards.percentages(wallet))

    async def own_markets(self, request: Request) -> Response:
        """List the paying markets with what a wallet earned in each on a day."""
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
        """List what makers earned on a day."""
        maker, day = self._open_maker(request), _day(request)
        if isinstance(maker, Response):
            return maker
        if day is None:
            return failure(400, INVALID_DATE)
        return JsonResponse([earning_row(one) for one in self._rewards.earnings(day, maker=maker)])

    async def total(self, request: Request) -> Response:
        """Sum up what makers earned on a day."""
        maker, day = self._open_maker(request), _day(request)
        if isinstance(maker, Response):
            return maker
        if day is None:
            return failure(400, INVALID_DATE)
        return JsonResponse(_totals(day, self._rewards.earnings(day, maker=maker)))

    async def percentages(self, request: Request) -> Response:
        """Tell which parts of the markets' rewards makers earn at this moment."""
        maker = self._open_maker(request)
        if isinstance(maker, Response):
            return maker
        sums: dict[str, float] = {}
        for account in self._venue.records.users() if maker is None else (maker,):
            for condition_id, percent in self._rewards.percentages(account).items():
                sums[condition_id] = round(sums.get(condition_id, 0) + percent, 4)
        return JsonResponse(sums)

    async def markets(self, request: Request) -> Response:
        """List the paying markets; with a maker and a day, also what it earned in each."""
        maker = self._open_maker(request)
        if isinstance(maker, Response):
            return maker
        if maker is None or not request.query_params.get("date"):
            return await self._markets.multi(request)
        return self._earned_markets(request, maker)

    async def rebates(self, request: Request) -> Response:
        """List what makers get back of takers' fees; without a day, of every day."""
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
