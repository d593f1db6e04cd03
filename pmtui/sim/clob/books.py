"""Books and prices of the trading host, without authentication, and the hash of a book.

An empty side counts as 0 below and 1 above, in prices, midpoints and spreads alike, as in the
market stream. `side=BUY` returns the best bid, `side=SELL` the best ask. Source of the hashed text:
docs/wire.md#books, verified there against recorded production books.
"""

import hashlib
from collections.abc import Callable

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import TokenId
from pmtui.domain.money import ONE, ZERO, Micros, format_micros
from pmtui.sim.engine.terms import BookView, Level, MarketView
from pmtui.sim.http_json import NO_BOOK, JsonResponse, failure
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE


class BookRow(msgspec.Struct, frozen=True):
    """Price and size of one level, decimals as text."""

    price: str
    size: str


class BookDocument(msgspec.Struct):
    """A book; the order of the fields is part of the hashed text."""

    market: str
    asset_id: str
    timestamp: str
    """Unix milliseconds of the last change."""
    hash: str
    bids: tuple[BookRow, ...]
    """Ascending: the best is last."""
    asks: tuple[BookRow, ...]
    """Descending: the best is last."""
    min_order_size: str
    tick_size: str
    neg_risk: bool
    last_trade_price: str
    """At least three decimals; empty if the market never traded."""


_encoder = msgspec.json.Encoder()


def book_document(book: BookView, market: MarketView) -> BookDocument:
    """Return a book with its hash and the time of its last change; the other fields are its market's."""
    document = BookDocument(
        market=market.spec.condition_id,
        asset_id=book.token_id,
        timestamp=str(book.changed_ms),
        hash="",
        bids=_rows(book.bids),
        asks=_rows(book.asks),
        min_order_size=format_micros(market.spec.min_size),
        tick_size=format_micros(market.tick_size),
        neg_risk=market.spec.neg_risk,
        last_trade_price=last_price_text(market.last_trade_price),
    )
    document.hash = book_hash(document)
    return document


def book_hash(document: BookDocument) -> str:
    """Return the SHA-1 of the canonical text; any hash in the document is ignored."""
    carried, document.hash = document.hash, ""
    canonical = _encoder.encode(document)
    document.hash = carried
    # The public venue's own choice of hash; it protects against loss, not against attackers.
    return hashlib.sha1(canonical, usedforsecurity=False).hexdigest()


def last_price_text(price: Micros | None) -> str:
    """Return a last trade price: at least three decimals, more if the tick has more."""
    return "" if price is None else format_micros(price, min_decimals=3)


def _rows(levels: tuple[Level, ...]) -> tuple[BookRow, ...]:
    return tuple(BookRow(format_micros(level.price), format_micros(level.size)) for level in levels)


MAX_TOKENS = 500
_SIDES = ("BUY", "SELL")


class _Asked(msgspec.Struct):
    token_id: str
    side: str = ""


_decode_asked = msgspec.json.Decoder(list[_Asked]).decode


class BookRoutes:
    """Books and prices of one token by query, or of many by a posted list or a comma-separated query."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/book", self.book),
            *self._many("/books", self._books),
            Route("/price", self.price),
            *self._many("/prices", self._prices),
            Route("/midpoint", self.midpoint),
            *self._many("/midpoints", self._midpoints),
            Route("/spread", self.spread),
            *self._many("/spreads", self._spreads),
            Route("/last-trade-price", self.last_trade_price),
            *self._many("/last-trades-prices", self._last_trades_prices),
        ]

    def _many(self, path: str, answer: Callable[[list[_Asked]], object]) -> list[Route]:
        async def by_body(request: Request) -> Response:
            try:
                asked = _decode_asked(await request.body())
            except UNREADABLE:
                return failure(400, "Invalid payload")
            return _answered(asked, answer)

        async def by_query(request: Request) -> Response:
            tokens = [
                token for token in request.query_params.get("token_ids", "").split(",") if token
            ]
            sides = request.query_params.get("sides", "").split(",")
            sides += [sides[-1]] * (len(tokens) - len(sides))
            asked = [_Asked(token, side) for token, side in zip(tokens, sides, strict=False)]
            return _answered(asked, answer)

        return [Route(path, by_body, methods=["POST"]), Route(path, by_query)]

    def _market(self, token_id: str) -> MarketView | Response:
        if not (token_id.isascii() and token_id.isdigit()):
            return failure(400, "Invalid token id")
        market = self._venue.trading_of_token(token_id)
        if market is None or market.payout is not None:
            return failure(404, NO_BOOK)
        return market

    def _document(self, token_id: str) -> BookDocument | None:
        market = self._market(token_id)
        book = self._venue.exchange.reads.book(TokenId(token_id))
        if isinstance(market, Response) or book is None:
            return None
        return book_document(book, market)

    def _top(self, token_id: str) -> tuple[Micros, Micros] | None:
        if isinstance(self._market(token_id), Response):
            return None
        bid, ask = self._venue.exchange.reads.top(TokenId(token_id))
        return ZERO if bid is None else bid, ONE if ask is None else ask

    async def book(self, request: Request) -> Response:
        """Return one book; its timestamp is that of its last change, however long ago."""
        token_id = request.query_params.get("token_id", "")
        market = self._market(token_id)
        if isinstance(market, Response):
            return market
        return JsonResponse(self._document(token_id))

    def _books(self, asked: list[_Asked]) -> object:
        found = (self._document(token_id) for token_id in {one.token_id for one in asked})
        # The public venue's order is undefined; sorting makes ours repeatable.
        return sorted((book for book in found if book is not None), key=lambda book: book.asset_id)

    async def price(self, request: Request) -> Response:
        """Return the best price of one side."""
        side = request.query_params.get("side", "").upper()
        if side not in _SIDES:
            return failure(400, "Invalid side")
        return self._one(
            request, lambda bid, ask: {"price": format_micros(bid if side == "BUY" else ask)}
        )

    def _prices(self, asked: list[_Asked]) -> object:
        answer: dict[str, dict[str, str]] = {}
        for one in asked:
            top = self._top(one.token_id)
            side = one.side.upper()
            if top is not None:
                answer.setdefault(one.token_id, {})[side] = format_micros(top[side == "SELL"])
        return answer

    async def midpoint(self, request: Request) -> Response:
        """Return the midpoint of best bid and best ask."""
        return self._one(request, lambda bid, ask: {"mid": _middle(bid, ask)})

    def _midpoints(self, asked: list[_Asked]) -> object:
        return self._each(asked, _middle)

    async def spread(self, request: Request) -> Response:
        """Return the distance between best bid and best ask."""
        return self._one(request, lambda bid, ask: {"spread": _distance(bid, ask)})

    def _spreads(self, asked: list[_Asked]) -> object:
        return self._each(asked, _distance)

    async def last_trade_price(self, request: Request) -> Response:
        """Return the last trade's price and taker side; 0.5 and no side if the market never traded."""
        market = self._market(request.query_params.get("token_id", ""))
        if isinstance(market, Response):
            return market
        if market.last_trade_price is None or market.last_trade_side is None:
            return JsonResponse({"price": "0.5", "side": ""})
        price = format_micros(market.last_trade_price)
        return JsonResponse({"price": price, "side": market.last_trade_side.value})

    def _last_trades_prices(self, asked: list[_Asked]) -> object:
        rows = []
        for one in asked:
            market = self._market(one.token_id)
            if isinstance(market, Response) or market.last_trade_side is None:
                continue
            price = last_price_text(market.last_trade_price)
            side = market.last_trade_side.value
            rows.append({"token_id": one.token_id, "price": price, "side": side})
        return rows

    def _one(
        self, request: Request, answer: Callable[[Micros, Micros], dict[str, str]]
    ) -> Response:
        token_id = request.query_params.get("token_id", "")
        market = self._market(token_id)
        if isinstance(market, Response):
            return market
        top = self._top(token_id)
        return failure(404, NO_BOOK) if top is None else JsonResponse(answer(*top))

    def _each(self, asked: list[_Asked], say: Callable[[Micros, Micros], str]) -> dict[str, str]:
        tops = {one.token_id: self._top(one.token_id) for one in asked}
        return {token_id: say(*top) for token_id, top in tops.items() if top is not None}


def _answered(asked: list[_Asked], answer: Callable[[list[_Asked]], object]) -> Response:
    if len(asked) > MAX_TOKENS:
        return failure(400, "Payload exceeds the limit")
    if any(one.side and one.side.upper() not in _SIDES for one in asked):
        return failure(400, "Invalid side")
    return JsonResponse(answer(asked))


def _middle(bid: Micros, ask: Micros) -> str:
    return format_micros(Micros((bid + ask) // 2))


def _distance(bid: Micros, ask: Micros) -> str:
    return format_micros(Micros(ask - bid))
