"""The analytics host in both dialects, v1 in bare arrays and v2 in envelopes, from the venue's ledger.

The newer one uses envelopes with cursors (docs/wire.md#analytics-host). Losing positions stay listed until they
are redeemed, as on the public venue.

The number of requests in ten seconds is limited (docs/wire.md#rate-limits), over all callers: beyond it the
host replies 429 until the oldest of these requests is ten seconds old. `/markets/live-activity`, which returns
a market with its trades, belongs to the trading host.
"""

from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from uuid import uuid4

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import TokenId
from pmtui.domain.money import complement
from pmtui.sim.catalogue.model import CatalogueMarket
from pmtui.sim.chain.contracts import Chain
from pmtui.sim.clob.price_history import INTERVALS_S as CHART_INTERVALS_S
from pmtui.sim.clob.price_history import MAX_POINTS, PastPrices
from pmtui.sim.data.figures import (
    FIDELITIES_S,
    INTERVALS_S,
    Answer,
    Figures,
    own_standing_row,
    standing_rows,
    standing_rows_v2,
)
from pmtui.sim.data.ledger import EntryKind, history_of
from pmtui.sim.data.query import MOST_OFFSET, AnalyticsQuery, QueryRefusal
from pmtui.sim.data.rows import Row, approval_rows, resolution_row, to_v2, token_row, units
from pmtui.sim.http_json import JsonResponse, cursor_at, failure, offset_of
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE

_POSITION_COLUMNS = MappingProxyType(
    {
        "TOKENS": "size",
        "CURRENT": "currentValue",
        "INITIAL": "initialValue",
        "CASHPNL": "cashPnl",
        "PERCENTPNL": "percentPnl",
        "TITLE": "title",
        "RESOLVING": "endDate",
        "PRICE": "curPrice",
        "AVGPRICE": "avgPrice",
    }
)
_CLOSED_COLUMNS = MappingProxyType(
    {
        "REALIZEDPNL": "realizedPnl",
        "TITLE": "title",
        "PRICE": "curPrice",
        "AVGPRICE": "avgPrice",
        "TIMESTAMP": "timestamp",
    }
)
_MARKET_POSITION_COLUMNS = MappingProxyType(
    {
        "TOKENS": "size",
        "CASH_PNL": "cashPnl",
        "REALIZED_PNL": "realizedPnl",
        "TOTAL_PNL": "totalPnl",
    }
)
_ACTIVITY_COLUMNS = MappingProxyType(
    {"TIMESTAMP": "timestamp", "TOKENS": "size", "CASH": "usdcSize"}
)
_STATUSES: Mapping[str, Callable[[Row], object]] = MappingProxyType(
    {
        "OPEN": lambda row: row["current_size"],
        "REDEEMABLE": lambda row: row["redeemable"] and row["current_price"],
        "REDEEMABLE_LOST": lambda row: row["redeemable"] and not row["current_price"],
        "MERGEABLE": lambda row: row["mergeable"],
        "CLOSED": lambda row: row["status"] == "CLOSED",
    }
)
WINDOW_MS = 10_000
MOST_IN_ALL = 1_000
MOST_BY_GROUP: Mapping[str, int] = MappingProxyType(
    {"positions": 200, "closed-positions": 200, "trades": 200, "health": 100}
)
"""Requests in a window, for routes with a limit besides that of the whole host."""
TOO_MANY = "too many requests"


class AnalyticsV1:
    """Routes of the older dialect."""

    def __init__(self, figures: Figures) -> None:
        self._figures = figures
        self._writer = figures.writer

    def answers(self) -> Mapping[str, Answer]:
        """Return the handler of each path."""
        return {
            "/": lambda _: {"data": "OK"},
            "/positions": self.positions,
            "/closed-positions": self.closed_positions,
            "/trades": self.trades,
            "/activity": self.activity,
            "/value": self.value,
            "/holders": self.holders,
            "/traded": self.traded,
            "/oi": self.open_interest,
            "/live-volume": self.live_volume,
            "/v1/leaderboard": self.leaderboard,
            "/v1/market-positions": self.market_positions,
        }

    def positions(self, query: AnalyticsQuery) -> list[Row]:
        """List an account's positions, settled markets included."""
        holdings = self._figures.holdings(query)
        mergeable = self._figures.mergeable(holdings)
        least = query.amount("sizeThreshold", 1)
        rows = [
            self._writer.position(
                holding, is_mergeable=(holding.account, holding.condition_id) in mergeable
            )
            for holding in holdings
            if holding.size and holding.size >= least
        ]
        for name in ("redeemable", "mergeable"):
            if query.flag(name, default=False):
                rows = [row for row in rows if row[name]]
        ordered = query.sorted(rows, _POSITION_COLUMNS, default="TOKENS")
        return query.page(ordered, 100, most=500)

    def closed_positions(self, query: AnalyticsQuery) -> list[Row]:
        """List an account's closed positions."""
        rows = [
            self._writer.closed_position(holding)
            for holding in self._figures.holdings(query)
            if not holding.size and holding.bought
        ]
        ordered = query.sorted(rows, _CLOSED_COLUMNS, default="REALIZEDPNL")
        return query.page(ordered, 10, most=50)

    def trades(self, query: AnalyticsQuery) -> list[Row]:
        """List trades; without `takerOnly=false` only from the takers' sides."""
        is_taker_only = query.flag("takerOnly", default=True)
        entries = self._figures.trades(query, is_taker_only=is_taker_only)
        page = query.page(entries, 100, most=MOST_OFFSET)
        return [self._writer.trade(entry) for entry in page]

    def activity(self, query: AnalyticsQuery) -> list[Row]:
        """List an account's activity."""
        is_without = query.flag("excludeDepositsWithdrawals", default=True)
        entries = self._figures.activity(query, is_without_transfers=is_without)
        rows = [self._writer.activity(entry) for entry in entries]
        ordered = query.sorted(rows, _ACTIVITY_COLUMNS, default="TIMESTAMP")
        return query.page(ordered, 100, most=500)

    def value(self, query: AnalyticsQuery) -> list[Row]:
        """Return the value of an account's positions."""
        user = query.account().lower()
        return [{"user": user, "value": units(self._figures.value(query))}]

    def holders(self, query: AnalyticsQuery) -> list[Row]:
        """List the largest holders of both tokens of some markets."""
        least, most = query.amount("minBalance", 1), query.whole("limit", 20, most=20)
        return [
            {"token": token_id, "holders": rows}
            for market in query.markets()
            for token_id, rows in zip(
                market.token_ids,
                self._figures.holders(market, least=least, most=most),
                strict=True,
            )
        ]

    def traded(self, query: AnalyticsQuery) -> Row:
        """Count the markets an account has traded."""
        user = query.account()
        history = history_of(self._figures.venue, user)
        traded = {entry.condition_id for entry in history if entry.kind is EntryKind.TRADE}
        return {"user": user.lower(), "traded": len(traded)}

    def open_interest(self, query: AnalyticsQuery) -> list[Row]:
        """Return the open interest of some markets, or of all, in dollars."""
        return [
            {"market": market, "value": value}
            for market, value in self._figures.open_interest(query)
        ]

    def live_volume(self, query: AnalyticsQuery) -> list[Row]:
        """Return the traded volume of an event."""
        volumes = self._figures.volumes(query)
        rows = [{"market": m.condition_id, "value": units(v)} for m, v in volumes if v]
        return [{"total": sum(units(v) for _, v in volumes), "markets": rows or None}]

    def market_positions(self, query: AnalyticsQuery) -> list[Row]:
        """List all accounts' positions in both tokens of one market."""
        market = query.one_market()
        status = query.choice("status", ("all", "open", "closed"), "all")
        user = query.user(is_required=False)
        rows = [
            self._writer.market_position(holding)
            for holding in self._figures.market_holdings(market)
            if user in (None, holding.account)
            and (status == "all" or bool(holding.size) == (status == "open"))
        ]
        ordered = query.sorted(rows, _MARKET_POSITION_COLUMNS, default="TOTAL_PNL")
        return [
            {
                "token": token_id,
                "positions": query.page(
                    [row for row in ordered if row["asset"] == token_id], 50, most=500
                ),
            }
            for token_id in market.token_ids
        ]

    def leaderboard(self, query: AnalyticsQuery) -> list[Row]:
        """Rank accounts by profit or volume."""
        return query.page(standing_rows(self._figures.venue, self._writer, query), 25, most=50)


_MOST = 1_000
_MOST_TOKENS = 50
_MOST_CONDITIONS = 10
_MOST_RESOLUTIONS = 20
_LAST_S = 10**12
_LONGEST_WINDOW_S = 15 * 86_400
_USUAL_BUCKET_S = 60
_OWN_STATUSES = ("REDEEMABLE_LOST", "MERGEABLE")
_LEAST_BUCKETS_S = MappingProxyType({"1w": 300, "1m": 600, "max": 600, "all": 600})
_COLUMNS = MappingProxyType(
    {
        "CURRENT_VALUE": "current_value",
        "PRICE": "current_price",
        "TOKENS": "current_size",
        "UNREALIZED_PNL": "unrealized_pnl",
        "REALIZED_PNL": "realized_pnl",
        "TOTAL_PNL": "total_pnl",
        "TIMESTAMP": "last_event_at",
    }
)


class AnalyticsV2:
    """Routes of the newer dialect."""

    def __init__(self, figures: Figures, chain: Chain) -> None:
        self._figures = figures
        self._chain = chain
        self._writer = figures.writer

    def answers(self) -> Mapping[str, Answer]:
        """Return the handler of each path."""
        return {
            "/v2/positions": self.positions,
            "/v2/trades": self.trades,
            "/v2/activity": self.activity,
            "/v2/value": self.value,
            "/v2/holders": self.holders,
            "/v2/oi": self.open_interest,
            "/v2/live-volume": self.live_volume,
            "/v2/prices-history": self.price_history,
            "/v2/leaderboard": self.leaderboard,
            "/v2/biggest-winners": self.biggest_winners,
            "/v2/user-stats": self.user_stats,
            "/v2/user-pnl": self.user_pnl,
            "/v2/user-volume": self.user_volume,
            "/v2/tokens": self.tokens,
            "/v2/resolutions": self.resolutions,
            "/v2/approvals": self.approvals,
        }

    def positions(self, query: AnalyticsQuery) -> Row:
        """List positions by their status, of an account or in one market; by default open ones."""
        status = query.text("status", "OPEN").upper()
        choose = _STATUSES.get(status)
        if choose is None:
            raise QueryRefusal("invalid status")
        if query.user(is_required=False) is not None:
            holdings = self._figures.holdings(query)
        elif status in _OWN_STATUSES:
            raise QueryRefusal(f"status {status} requires a user")
        else:
            holdings = self._figures.market_holdings(query.one_market())
        mergeable = self._figures.mergeable(holdings)
        rows = [
            self._writer.position_v2(
                holding,
                is_mergeable=bool(holding.size)
                and (holding.account, holding.condition_id) in mergeable,
            )
            for holding in holdings
        ]
        wanted = [row for row in rows if choose(row) and _is_within(query, row)]
        return _envelope(query, query.sorted(wanted, _COLUMNS, default="CURRENT_VALUE"))

    def trades(self, query: AnalyticsQuery) -> Row:
        """List trades."""
        is_taker_only = query.flag("taker_only", default=True)
        entries = self._figures.trades(query, is_taker_only=is_taker_only)
        return _envelope(query, [to_v2(self._writer.trade(entry)) for entry in entries])

    def activity(self, query: AnalyticsQuery) -> Row:
        """List an account's activity."""
        is_without = query.flag("exclude_deposits_withdrawals", default=True)
        entries = self._figures.activity(query, is_without_transfers=is_without)
        if query.text("sort_direction").upper() == "ASC":
            entries.reverse()
        return _envelope(query, [to_v2(self._writer.activity(entry)) for entry in entries])

    def value(self, query: AnalyticsQuery) -> Row:
        """Return the value of an account's positions."""
        user = query.account().lower()
        return {"data": {"proxy_wallet": user, "value": units(self._figures.value(query))}}

    def holders(self, query: AnalyticsQuery) -> Row:
        """List the largest holders of both tokens of some markets."""
        has_gains = query.flag("include_pnl", default=False)
        gains = self._gains(query.one_market()) if has_gains else {}
        least, most = query.amount("min_balance", 1), query.whole("limit", 20, most=_MOST)
        rows: list[Row] = [
            {
                "token_id": token_id,
                "holders": [
                    to_v2(holder) | (gains.get((holder["proxyWallet"], token_id), {}))
                    for holder in holders
                ],
            }
            for market in query.markets()
            for token_id, holders in zip(
                market.token_ids,
                self._figures.holders(market, least=least, most=most),
                strict=True,
            )
        ]
        return _envelope(query, rows)

    def open_interest(self, query: AnalyticsQuery) -> Row:
        """Return the open interest of some markets, or of all, in dollars."""
        rows: list[Row] = [
            {"condition_id": market, "value": value}
            for market, value in self._figures.open_interest(query)
        ]
        return _envelope(query, rows)

    def live_volume(self, query: AnalyticsQuery) -> Row:
        """Return the traded volume of some events."""
        volumes = self._figures.volumes(query)
        return {
            "data": {
                "taker_volume_total": sum(units(volume) for _, volume in volumes),
                "conditions": [
                    {"condition_id": market.condition_id, "taker_volume": units(volume)}
                    for market, volume in volumes
                ],
            }
        }

    def _gains(self, market: CatalogueMarket) -> dict[tuple[object, str], Row]:
        return {
            (one.account.lower(), one.token_id): self._writer.holder_gains(one)
            for one in self._figures.market_holdings(market)
        }

    def price_history(self, query: AnalyticsQuery) -> Row:
        """List prices of a token, oldest first."""
        venue = self._figures.venue
        token_id = query.text("token_id")
        if not token_id:
            raise QueryRefusal("required query param 'token_id' not provided")
        start_s, end_s, step_s = _chart_span(query, venue.clock.now_ms() // 1_000)
        market = venue.market_of_token(token_id)
        if market is None:
            return _envelope(query, [], usual=_MOST, most=MAX_POINTS)
        is_first = token_id == market.token_ids[0]
        rows: list[Row] = [
            {
                "timestamp": at_s,
                "price": units(price if is_first else complement(price)),
                "resolution_seconds": step_s,
            }
            for at_s, price in self._figures.prices.points(market, start_s, end_s, step_s)
        ]
        return _envelope(query, rows, usual=_MOST, most=MAX_POINTS)

    def leaderboard(self, query: AnalyticsQuery) -> Row:
        """Rank accounts by profit or volume, or return the rank of one of them."""
        venue, user = self._figures.venue, query.user(is_required=False)
        if user is not None:
            return {"data": own_standing_row(venue, self._writer, query, user)}
        return _envelope(query, standing_rows_v2(venue, self._writer, query))

    def biggest_winners(self, query: AnalyticsQuery) -> Row:
        """Rank the accounts by profit; the markets that earned it are not stated."""
        rows = standing_rows_v2(self._figures.venue, self._writer, query)
        return _envelope(query, [row for row in rows if str(row["pnl"])[:1] != "-" and row["pnl"]])

    def user_stats(self, query: AnalyticsQuery) -> Row:
        """Return an account's public profile."""
        return {"data": self._figures.accounts.stats(query.account())}

    def user_pnl(self, query: AnalyticsQuery) -> Row:
        """Return an account's profit and loss over time."""
        interval = query.choice("interval", INTERVALS_S, "max")
        fidelity = query.choice("fidelity", FIDELITIES_S, "")
        account = query.account()
        return {"data": self._figures.accounts.profit_and_loss(account, interval, fidelity)}

    def user_volume(self, query: AnalyticsQuery) -> Row:
        """Return an account's traded volume."""
        start_s = query.whole("start", 0, most=_LAST_S)
        end_s = query.whole("end", _LAST_S, most=_LAST_S)
        return {"data": self._figures.accounts.volume(query.account(), start_s, end_s)}

    def tokens(self, query: AnalyticsQuery) -> Row:
        """Return the markets and outcomes of tokens, by token id or by market."""
        venue = self._figures.venue
        tokens, conditions = query.listed("token_id"), query.listed("condition", "condition_id")
        if bool(tokens) == bool(conditions):
            raise QueryRefusal("exactly one of token_id and condition is required")
        if len(tokens) > _MOST_TOKENS or len(conditions) > _MOST_CONDITIONS:
            raise QueryRefusal("too many selectors")
        named = [market for one in conditions if (market := venue.market(one)) is not None]
        wanted = [TokenId(token) for token in tokens] + [t for m in named for t in m.token_ids]
        rows = [
            token_row(venue, market, token_id)
            for token_id in dict.fromkeys(wanted)
            if (market := venue.market_of_token(token_id)) is not None
        ]
        return {"data": rows}

    def resolutions(self, query: AnalyticsQuery) -> Row:
        """Return the resolution state of some markets."""
        venue = self._figures.venue
        question = query.text("question_id").lower()
        conditions, events = query.listed("condition_id"), query.listed("event_id")
        if [bool(question), bool(conditions), bool(events)].count(True) != 1:
            raise QueryRefusal("exactly one of question_id, condition_id and event_id is required")
        if max(len(conditions), len(events)) > _MOST_RESOLUTIONS:
            raise QueryRefusal("too many selectors")
        if question:
            markets = [m for m in venue.catalogue.markets if m.question_id.lower() == question]
        elif conditions:
            markets = [m for one in conditions if (m := venue.market(one)) is not None]
        else:
            found = [venue.catalogue.event(one) for one in events]
            markets = [m for event in found if event is not None for m in event.markets]
        rows = [resolution_row(venue, market) for market in markets if market.condition_id]
        return {"data": rows}

    def approvals(self, query: AnalyticsQuery) -> Row:
        """Return a wallet's approvals."""
        return {"data": approval_rows(self._figures.venue, self._chain, query.account())}


def _is_within(query: AnalyticsQuery, row: Row) -> bool:
    filters = query.choice("filter_type", ("", "cash", "tokens"), "")
    column = "current_value" if filters == "cash" else "current_size"
    least = units(query.amount("filter_amount", 0)) if filters else 0
    start_s = query.whole("start", 0, most=_LAST_S)
    end_s = query.whole("end", _LAST_S, most=_LAST_S)
    size, moment = row[column], row["last_event_at"]
    assert isinstance(size, int | float)
    assert isinstance(moment, int)
    # 0 is not a time: for simulated accounts the time of purchase is unknown.
    return size >= least and (not moment or start_s <= moment <= end_s)


def _chart_span(query: AnalyticsQuery, now_s: int) -> tuple[int, int, int]:
    """Return the start and end of a chart, and the time between two of its points."""
    interval = query.choice("interval", CHART_INTERVALS_S, "")
    stated = {name: query.text(name) for name in ("start", "as_of")}
    if [bool(interval), *map(bool, stated.values())].count(True) != 1:
        raise QueryRefusal("exactly one of interval, start and as_of is required")
    if stated["as_of"]:
        moment = min(query.whole("as_of", 0, most=_LAST_S), now_s)
        return moment, moment, 1
    least = _LEAST_BUCKETS_S.get(interval, _USUAL_BUCKET_S)
    step_s = query.whole("bucket_seconds", least, most=_LAST_S)
    if not least <= step_s <= 86_400:
        raise QueryRefusal("invalid bucket_seconds")
    if interval:
        start_s = now_s - CHART_INTERVALS_S[interval]
        return start_s, now_s, max(step_s, (now_s - start_s) // MAX_POINTS + 1)
    start_s, end_s = query.whole("start", 0, most=_LAST_S), query.whole("end", now_s, most=_LAST_S)
    if end_s < start_s or end_s - start_s > _LONGEST_WINDOW_S:
        raise QueryRefusal("a window ends after its start and has 15 days at most")
    return start_s, min(end_s, now_s), step_s


def _envelope(
    query: AnalyticsQuery, rows: Sequence[Row], *, usual: int = 100, most: int = _MOST
) -> Row:
    limit = query.whole("limit", usual, most=most) or usual
    offset = offset_of(query.text("cursor"))
    if offset is None or offset < 0:
        raise QueryRefusal("invalid cursor")
    has_more = offset + limit < len(rows)
    return {
        "data": list(rows[offset : offset + limit]),
        "pagination": {
            "limit": limit,
            "offset": offset,
            "has_more": has_more,
            "next_cursor": cursor_at(offset + limit) if has_more else None,
        },
    }


class RequestWindow:
    """Counts the requests of the last ten seconds, in total and by group."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._seen: defaultdict[str, deque[int]] = defaultdict(deque)

    def take(self, path: str) -> int:
        """Count a request, or return the seconds until one will be accepted again."""
        limits = self._venue.controls.analytics_limits
        if not limits.is_enforced:
            return 0
        now_ms = self._venue.clock.now_ms()
        groups = {"": MOST_IN_ALL}
        group = "health" if path == "/" else path.removeprefix("/v2").strip("/")
        if group in MOST_BY_GROUP:
            groups[group] = MOST_BY_GROUP[group]
        wait_ms = 0
        for name, most in groups.items():
            seen = self._seen[name]
            while seen and seen[0] <= now_ms - WINDOW_MS:
                seen.popleft()
            if len(seen) >= max(most * limits.scale, 1):
                wait_ms = max(wait_ms, seen[0] + WINDOW_MS - now_ms)
        if wait_ms:
            return -(-wait_ms // 1_000)
        for name in groups:
            self._seen[name].append(now_ms)
        return 0


def analytics_routes(venue: Venue, chain: Chain, prices: PastPrices) -> list[Route]:
    """Return the routes of the analytics host in both dialects."""
    figures, window = Figures(venue, prices, chain.hash_of), RequestWindow(venue)
    answers = {**AnalyticsV1(figures).answers(), **AnalyticsV2(figures, chain).answers()}
    return [Route(path, _endpoint(venue, answer, window)) for path, answer in answers.items()]


def _endpoint(
    venue: Venue, answer: Answer, window: RequestWindow
) -> Callable[[Request], Awaitable[Response]]:
    """Wrap a handler for the server; invalid queries are refused with status 400."""

    async def respond(request: Request) -> Response:
        path = request.url.path
        if wait_s := window.take(path):
            return _refused(path, 429, TOO_MANY, {"Retry-After": str(wait_s)})
        try:
            return JsonResponse(answer(AnalyticsQuery(request, venue)))
        except QueryRefusal as refusal:
            return _refused(path, 400, str(refusal))

    return respond


def _refused(
    path: str, status: int, text: str, headers: Mapping[str, str] | None = None
) -> Response:
    if not path.startswith("/v2/"):
        return failure(status, text, headers)
    trace = uuid4().hex
    body = {
        "error": text,
        "code": "rate_limited" if status == 429 else "invalid_request",
        "retryable": status == 429,
        "trace_id": trace,
    }
    return JsonResponse(body, status_code=status, headers={**(headers or {}), "x-trace-id": trace})


MAX_MARKETS = 500
_decode_asked = msgspec.json.Decoder(list[str]).decode


class LiveActivityRoutes:
    """One market by path, or many by a posted list."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/markets/live-activity/{condition_id}", self.one),
            Route("/markets/live-activity", self.many, methods=["POST"]),
        ]

    async def one(self, request: Request) -> Response:
        """Return one market with its trades."""
        market = self._venue.market(request.path_params["condition_id"])
        return (
            failure(404, "market not found") if market is None else JsonResponse(self._row(market))
        )

    async def many(self, request: Request) -> Response:
        """Return the named markets, without unknown ones."""
        try:
            asked = _decode_asked(await request.body())
        except UNREADABLE:
            return failure(400, "Invalid payload")
        if len(asked) > MAX_MARKETS:
            return failure(400, "Payload exceeds the limit")
        markets = (self._venue.market(condition_id) for condition_id in dict.fromkeys(asked))
        return JsonResponse([self._row(market) for market in markets if market is not None])

    def _row(self, market: CatalogueMarket) -> dict[str, object]:
        event = self._venue.catalogue.event_of(market)
        tags = event.raw.get("tags")
        rows = tags if isinstance(tags, list) else []
        return {
            "condition_id": market.condition_id,
            "id": market.market_id,
            "question": market.question,
            "market_slug": market.slug,
            "event_slug": event.slug,
            "series_slug": event.raw.get("seriesSlug", ""),
            "icon": market.raw.get("icon", ""),
            "image": market.raw.get("image", ""),
            "tags": [tag.get("slug", "") for tag in rows if isinstance(tag, Mapping)],
        }
