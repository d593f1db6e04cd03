"""Answers of a replay that come from the recording and not from the engine: books, histories, trades."""

from collections.abc import Callable

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from pmtui.recording.reader import Recording
from pmtui.sim.clob.books import MAX_TOKENS
from pmtui.sim.http_json import NO_BOOK, JsonResponse, failure
from pmtui.sim.replay.books import RecordedBooks
from pmtui.wire.bounds import UNREADABLE

_SPANS_S = {"1h": 3_600, "6h": 21_600, "1d": 86_400, "1w": 604_800, "1m": 2_592_000}
_SAMPLE_S = 60
"""Between two points of a history that the replay itself adds."""


class _Asked(msgspec.Struct):
    token_id: str


class _Point(msgspec.Struct):
    t: int
    p: float


class _History(msgspec.Struct):
    history: list[_Point]


class RecordedRoutes:
    """What the recording knows better than the engine."""

    def __init__(
        self, recording: Recording, books: RecordedBooks, *, now_s: Callable[[], int]
    ) -> None:
        """Read the recorded answers.

        Args:
            recording: with the answers.
            books: as they are at the replay's position.
            now_s: unix seconds by the replay's clock.
        """
        self._books = books
        self._now_s = now_s
        self._began_s = recording.header.started_ms // 1_000
        self._histories = _histories(recording)
        self._trades = _trades(recording)
        self._sampled: dict[str, dict[int, float]] = {}

    def before(self, host: str, usual: ASGIApp, *, catch_up: Callable[[], None]) -> ASGIApp:
        """Return a host's application with the recorded answers in the place of the engine's.

        Args:
            host: its name.
            usual: the local venue's application.
            catch_up: brings the engine up to the recording, before it is asked anything.
        """
        recorded = Starlette(routes=_ROUTES_OF[host](self) if host in _ROUTES_OF else [])

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            is_recorded = any(
                route.matches(scope)[0] is Match.FULL for route in recorded.router.routes
            )
            # A wallet's own trades are those of the engine.
            if is_recorded and b"user=" not in scope.get("query_string", b""):
                await recorded(scope, receive, send)
                return
            catch_up()
            await usual(scope, receive, send)

        return answer

    def clob(self) -> list[Route]:
        """Return the routes of the trading host."""
        return [
            Route("/book", self.book),
            Route("/books", self.all_books, methods=["POST"]),
            Route("/prices-history", self.history),
        ]

    def data(self) -> list[Route]:
        """Return the routes of the analytics host."""
        return [Route(path, self.trades) for path in ("/trades", "/v2/trades")]

    def sample(self) -> None:
        """Note the middle of every book, for histories that go on while the replay plays."""
        minute = self._now_s() // _SAMPLE_S * _SAMPLE_S
        for market in self._books.markets.values():
            for token_id, recorded in zip(market.token_ids, market.books, strict=True):
                bid, ask = recorded.book.best_bid, recorded.book.best_ask
                if bid is not None and ask is not None:
                    points = self._sampled.setdefault(str(token_id), {})
                    points[minute] = (bid + ask) / 2_000_000

    async def book(self, request: Request) -> Response:
        """Show one recorded book."""
        recorded = self._books.book(request.query_params.get("token_id", ""))
        if recorded is None or not recorded.book.has_levels:
            return failure(404, NO_BOOK)
        return _json(recorded.to_document())

    async def all_books(self, request: Request) -> Response:
        """Show several recorded books."""
        try:
            asked = msgspec.json.decode(await request.body(), type=list[_Asked])
        except UNREADABLE:
            return failure(400, "Invalid payload")
        if len(asked) > MAX_TOKENS:
            return failure(400, "Payload exceeds the limit")
        found = (self._books.book(one.token_id) for one in asked)
        texts = [one.to_document() for one in found if one is not None and one.book.has_levels]
        return _json(f"[{','.join(texts)}]")

    async def history(self, request: Request) -> Response:
        """Show the recorded history of a token up to now, and what the replay has seen since."""
        query = request.query_params
        token_id, now_s = query.get("market", ""), self._now_s()
        span_s = _SPANS_S.get(query.get("interval", ""))
        start_s = _number(query.get("startTs"), 0 if span_s is None else now_s - span_s)
        end_s = min(_number(query.get("endTs"), now_s), now_s)
        before = [p for p in self._histories.get(token_id, ()) if p.t <= self._began_s]
        since = [_Point(t, p) for t, p in sorted(self._sampled.get(token_id, {}).items())]
        points = [point for point in (*before, *since) if start_s <= point.t <= end_s]
        return JsonResponse({"history": points})

    async def trades(self, request: Request) -> Response:
        """Show the trades before the recording began, of a market; nobody's own."""
        market = request.query_params.get("market", "") or request.query_params.get(
            "condition_id", ""
        )
        return _json(self._trades.get(market.lower(), "[]"))


_ROUTES_OF = {"clob": RecordedRoutes.clob, "data": RecordedRoutes.data}


def _json(text: str) -> Response:
    return Response(text, media_type="application/json")


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() else otherwise


def _histories(recording: Recording) -> dict[str, list[_Point]]:
    """Return the points of all recorded answers, by token, each moment once."""
    found: dict[str, dict[int, float]] = {}
    for answer in recording.answers:
        if answer.host != "clob" or answer.path != "/prices-history":
            continue
        try:
            history = msgspec.json.decode(answer.data, type=_History).history
        except UNREADABLE:
            continue
        points = found.setdefault(dict(answer.query).get("market", ""), {})
        points.update({point.t: point.p for point in history})
    return {token: [_Point(t, p) for t, p in sorted(rows.items())] for token, rows in found.items()}


def _trades(recording: Recording) -> dict[str, str]:
    """Return the last answer of trades of each market, unchanged."""
    found: dict[str, str] = {}
    for answer in recording.answers:
        if answer.host == "data" and answer.path.endswith("/trades"):
            query = dict(answer.query)
            market = query.get("market") or query.get("condition_id") or ""
            found[market.lower()] = answer.data
    return found
