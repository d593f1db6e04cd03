"""Serves a replay: the local venue's hosts, with recorded books, histories and trades."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager, closing
from dataclasses import dataclass

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send
from typing_extensions import override

from pmtui.recording.reader import Recording
from pmtui.recording.timeline import Timeline
from pmtui.sim.admin_token import new_token
from pmtui.sim.clob.books import MAX_TOKENS
from pmtui.sim.http_json import NO_BOOK, JsonResponse, failure
from pmtui.sim.replay.books import RecordedBooks, recorded_catalogue
from pmtui.sim.replay.feed import ReplayFeed
from pmtui.sim.replay.practice import PracticeBooks
from pmtui.sim.run import RunningVenue, listen, serve_hosts, urls_of
from pmtui.sim.server import AccessRules, applications
from pmtui.sim.storage.persistence import Store
from pmtui.sim.streams.channels import serve_streams
from pmtui.sim.subsystems import Subsystems
from pmtui.sim.venue import Venue, VenueClock
from pmtui.wire.bounds import UNREADABLE

_SPANS_S = {"1h": 3_600, "6h": 21_600, "1d": 86_400, "1w": 604_800, "1m": 2_592_000}
_SAMPLE_S = 60
"""Seconds between two points that the replay itself adds to a history."""
SAMPLE_S = 1.0
"""Seconds between two samples of the books' midpoints, for charts."""


class _Asked(msgspec.Struct):
    token_id: str


class _Point(msgspec.Struct):
    t: int
    p: float


class _History(msgspec.Struct):
    history: list[_Point]


class RecordedRoutes:
    """Routes whose replies come from the recording instead of the engine."""

    def __init__(
        self, recording: Recording, books: RecordedBooks, *, now_s: Callable[[], int]
    ) -> None:
        """Read the recorded replies.

        Args:
            recording: with the replies.
            books: the books at the replay's position.
            now_s: returns Unix seconds by the replay's clock.
        """
        self._books = books
        self._now_s = now_s
        self._began_s = recording.header.started_ms // 1_000
        self._histories = _histories(recording)
        self._trades = _trades(recording)
        self._sampled: dict[str, dict[int, float]] = {}

    def before(self, host: str, usual: ASGIApp, *, catch_up: Callable[[], None]) -> ASGIApp:
        """Return a host's application with recorded replies in place of the engine's.

        Args:
            host: its name.
            usual: the local venue's application.
            catch_up: updates the engine to the recording before each request.
        """
        recorded = Starlette(routes=_ROUTES_OF[host](self) if host in _ROUTES_OF else [])

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            is_recorded = any(
                route.matches(scope)[0] is Match.FULL for route in recorded.router.routes
            )
            # A wallet's own trades are the engine's.
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
        """Record the midpoint of every book, for histories that continue during the replay."""
        minute = self._now_s() // _SAMPLE_S * _SAMPLE_S
        for market in self._books.markets.values():
            for token_id, recorded in zip(market.token_ids, market.books, strict=True):
                bid, ask = recorded.book.best_bid, recorded.book.best_ask
                if bid is not None and ask is not None:
                    points = self._sampled.setdefault(str(token_id), {})
                    points[minute] = (bid + ask) / 2_000_000

    async def book(self, request: Request) -> Response:
        """Return one recorded book."""
        recorded = self._books.book(request.query_params.get("token_id", ""))
        if recorded is None or not recorded.book.has_levels:
            return failure(404, NO_BOOK)
        return _json(recorded.to_document())

    async def all_books(self, request: Request) -> Response:
        """Return several recorded books."""
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
        """Return a token's recorded history up to now, plus the prices seen by the replay since."""
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
        """Return a market's trades from before the recording; nobody's own."""
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
    """Return the points of all recorded replies, by token, each time once."""
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
    """Return the last reply with trades for each market, unchanged."""
    found: dict[str, str] = {}
    for answer in recording.answers:
        if answer.host == "data" and answer.path.endswith("/trades"):
            query = dict(answer.query)
            market = query.get("market") or query.get("condition_id") or ""
            found[market.lower()] = answer.data
    return found


class ReplayClock(VenueClock):
    """The time of the recording at the replay's position."""

    def __init__(self, started_ms: int, timeline: Timeline) -> None:
        self._started_ms = started_ms
        self._timeline = timeline
        self._stepped_ms = 0

    @override
    def now_ms(self) -> int:
        return self._started_ms + self._timeline.position_us // 1_000 + self._stepped_ms

    @override
    def step(self, milliseconds: int) -> None:
        self._stepped_ms += milliseconds


@dataclass(frozen=True, slots=True)
class RunningReplay:
    """A replay that accepts connections."""

    running: RunningVenue
    """The local venue for practice orders, with the addresses of all hosts."""
    feed: ReplayFeed
    books: RecordedBooks
    timeline: Timeline
    clock: ReplayClock


class NoMarketError(Exception):
    """A recording without a market with two known tokens."""


@asynccontextmanager
async def running_replay(recording: Recording, timeline: Timeline) -> AsyncIterator[RunningReplay]:
    """Serve a recording inside the context.

    Raises:
        NoMarketError: there is nothing to show.
    """
    clock = ReplayClock(recording.header.started_ms, timeline)
    catalogue = recorded_catalogue(recording)
    if not catalogue.markets:
        raise NoMarketError("it holds no market of which both tokens are known")
    sockets = listen(0)
    with ExitStack() as cleanup:
        for listener in sockets.values():
            cleanup.enter_context(listener)
        store = cleanup.enter_context(closing(Store(None)))
        # Settlement keeps its normal pace; there are no simulated traders.
        venue = Venue(catalogue, clock=clock, store=store, speed=0)
        books = RecordedBooks(catalogue.markets)
        practice = PracticeBooks(venue, books)
        feed = ReplayFeed(recording, timeline, books, practice)
        routes = RecordedRoutes(recording, books, now_s=lambda: clock.now_ms() // 1_000)
        async with _served(venue, feed, sockets, (routes, practice)) as running:
            yield RunningReplay(running, feed, books, timeline, clock)


@asynccontextmanager
async def _served(
    venue: Venue,
    feed: ReplayFeed,
    sockets: Mapping[str, socket.socket],
    recorded: tuple[RecordedRoutes, PracticeBooks],
) -> AsyncIterator[RunningVenue]:
    routes, practice = recorded
    subsystems, token = Subsystems(venue), new_token()
    hosts = {
        host: routes.before(host, usual, catch_up=practice.catch_up)
        for host, usual in applications(venue, subsystems).items()
    }
    access = AccessRules(token)
    async with (
        serve_hosts(venue, subsystems, sockets, hosts=hosts, access=access) as maintenance,
        serve_streams(venue, feed, sockets["ws"]),
        asyncio.TaskGroup() as tasks,
    ):
        playing = [
            tasks.create_task(feed.run()),
            tasks.create_task(_keep_sampling(routes.sample)),
        ]
        try:
            yield RunningVenue(venue, maintenance, urls_of(sockets), token)
        finally:
            for task in playing:
                task.cancel()


async def _keep_sampling(sample: Callable[[], None]) -> None:
    while True:
        sample()
        await asyncio.sleep(SAMPLE_S)
