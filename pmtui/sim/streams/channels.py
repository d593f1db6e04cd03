"""The market channel and the user channel of the streams, and the socket that serves them.

On the market channel a client names tokens and receives their books and every change; the replies to frames
follow docs/wire.md#market-stream. Unknown tokens are ignored; a connection that subscribes to nothing
receives nothing.

On the user channel an account's order and trade events are sent to clients that prove its API key
(docs/wire.md#user-stream). A first frame without valid credentials gets no reply, the connection is just
closed, as on the public venue. Nothing is replayed.

The queue of each connection is bounded, so that a slow reader cannot fill our memory.
"""

import asyncio
import socket
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus

import msgspec
from typing_extensions import override
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from pmtui.domain.ids import ApiKey, ConditionId, TokenId
from pmtui.domain.orders.order import TimeInForce, TradeStatus
from pmtui.sim.clob.account import maker_row, order_row, trade_row
from pmtui.sim.controls import Controls, Framing, Silence, Trick
from pmtui.sim.engine.events import (
    Event,
    OrderCancelled,
    OrderPlaced,
    OrderUpdated,
    Trade,
    TradeAdvanced,
    TradeMatched,
)
from pmtui.sim.server import WRONG_HOST, is_loopback_host
from pmtui.sim.streams.publisher import Frame, MarketFeed, Watcher
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE

MAX_WAITING_BYTES = 8 * 1_024 * 1_024
"""About eight seconds of the busiest market recorded."""
PONG = b"PONG"
TOO_SLOW = 1008
"""Close code: policy violation."""
INVALID_OPERATION = b"INVALID OPERATION"
NO_NEW_ASSETS = b"NO NEW ASSETS"
_TYPES: dict[type, str] = {
    OrderPlaced: "PLACEMENT",
    OrderUpdated: "UPDATE",
    OrderCancelled: "CANCELLATION",
}
PATHS = ("/ws/market", "/ws/user")
MAX_FRAME_BYTES = 128 * 1_024
"""Of a client's frame: more than a thousand token ids, which the public venue does not accept
either."""
SILENCE_S = 60.0
"""The documentation says 10, but clients that ping every 50 s are known to stay connected."""
GOING_AWAY_S = 1.0
SEND_BUFFER_BYTES = 64 * 1_024


class Outbox:
    """Frames for one connection, sent in order by `run`."""

    def __init__(
        self,
        connection: ServerConnection,
        *,
        controls: Controls | None = None,
        channel: str = "",
        limit: int = MAX_WAITING_BYTES,
    ) -> None:
        """Start empty.

        Args:
            connection: where the frames go.
            controls: may silence the connection, change the framing of its events or play tricks.
            channel: `market` or `user`.
            limit: the most bytes that may be queued.
        """
        self._connection = connection
        self._controls = Controls() if controls is None else controls
        self._channel = channel
        self._swapped: bytes | None = None
        self._limit = limit
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._has_news = asyncio.Event()
        self.is_overrun = False
        """Whether the queue exceeded its limit: the connection gets closed."""

    def put(self, data: bytes) -> None:
        """Queue a text frame, given as UTF-8."""
        manner = self._controls.streams
        is_said = manner.silence is Silence.NONE or (
            manner.silence is Silence.EVENTS and data == PONG
        )
        if self.is_overrun or not is_said:
            return
        if manner.framing is Framing.ARRAYS and data.startswith(b"{"):
            data = b"[%b]" % data
        if data.startswith((b"{", b"[")):
            self._put_event(data)
        else:
            self._queue(data)

    def _put_event(self, data: bytes) -> None:
        swapped, self._swapped = self._swapped, None
        match self._controls.take_trick(self._channel):
            case None:
                self._queue(data)
            case Trick.DROP:
                pass
            case Trick.DUPLICATE:
                self._queue(data)
                self._queue(data)
            case Trick.SWAP:
                self._swapped = data
            case Trick.GARBLE:
                # Still valid text, or the client's library would close the connection by itself.
                self._queue(data[: len(data) // 2].decode(errors="ignore").encode())
            case Trick.CLOSE:
                self._connection.transport.abort()
        if swapped is not None:
            self._queue(swapped)

    def _queue(self, data: bytes) -> None:
        self._waiting.append(data)
        self._waiting_bytes += len(data)
        if self._waiting_bytes > self._limit:
            self.is_overrun = True
            self._waiting.clear()
        self._has_news.set()

    async def run(self) -> None:
        """Send until cancelled, or until the reader is too slow.

        Raises:
            ConnectionClosed: the other side is gone.
        """
        while not self.is_overrun:
            await self._has_news.wait()
            self._has_news.clear()
            while self._waiting:
                data = self._waiting.popleft()
                self._waiting_bytes -= len(data)
                await self._connection.send(data, text=True)
        # A normal close would wait behind data that the reader does not read.
        self._connection.transport.abort()


class MarketRequest(msgspec.Struct):
    """A frame from a client of the market channel."""

    type: str = ""
    operation: str = ""
    assets_ids: list[str] = []
    custom_feature_enabled: bool | None = None
    initial_dump: bool = True
    level: int = 2


_decoder = msgspec.json.Decoder(MarketRequest)


class MarketSession(Watcher):
    """One connection of the market channel."""

    def __init__(self, venue: Venue, feed: MarketFeed, outbox: Outbox) -> None:
        self._venue = venue
        self._feed = feed
        self._outbox = outbox
        # A dict keeps the order of subscription.
        self._tokens: dict[TokenId, ConditionId] = {}
        self._is_custom = False
        self._has_begun = False

    def receive(self, data: bytes) -> None:
        """Handle a frame from the client."""
        try:
            request = _decoder.decode(data)
        except UNREADABLE:
            self._outbox.put(INVALID_OPERATION)
            return
        match request.operation, request.type.lower():
            case "subscribe", _:
                self._add(request)
            case "unsubscribe", _:
                self._remove(request.assets_ids)
            case "", "market" if not self._has_begun:
                self._add(request)
            case _:
                self._outbox.put(INVALID_OPERATION)

    def leave(self) -> None:
        """End all subscriptions: the connection is gone."""
        self._feed.leave(self)

    @override
    def receive_frames(self, frames: Sequence[Frame]) -> None:
        for frame in frames:
            if (self._is_custom or not frame.is_custom) and (
                frame.token_id is None or frame.token_id in self._tokens
            ):
                self._outbox.put(self._worded(frame.data))

    def _worded(self, data: bytes) -> bytes:
        if self._venue.controls.streams.has_lower_case_sides:
            return data.replace(b'"side":"BUY"', b'"side":"buy"').replace(
                b'"side":"SELL"', b'"side":"sell"'
            )
        return data

    def _add(self, request: MarketRequest) -> None:
        is_first = not self._has_begun
        self._has_begun = True
        if request.custom_feature_enabled is not None:
            self._is_custom = request.custom_feature_enabled
        if self._is_custom:
            self._feed.watch_listings(self)
        wanted = [TokenId(t) for t in dict.fromkeys(request.assets_ids) if t not in self._tokens]
        if not wanted:
            if not is_first:
                self._outbox.put(NO_NEW_ASSETS)
            return
        books = [book for token_id in wanted if (book := self._watch(token_id)) is not None]
        if books and request.initial_dump:
            # In no useful order, as on the public venue; the same for the same tokens.
            books.sort(key=hash_of)
            if self._venue.controls.streams.framing is Framing.OBJECTS:
                for book in books:
                    self._outbox.put(book.encode())
            else:
                self._outbox.put(f"[{','.join(books)}]".encode())

    def _watch(self, token_id: TokenId) -> str | None:
        condition_id = self._venue.exchange.reads.market_of(token_id)
        if condition_id is None:
            return None
        ladder = self._feed.watch(condition_id, self)
        if ladder is None:
            return None
        self._tokens[token_id] = condition_id
        return ladder.book_frame(ladder.index_of(token_id), with_last_price=True)

    def _remove(self, tokens: Sequence[str]) -> None:
        for text in tokens:
            condition_id = self._tokens.pop(TokenId(text), None)
            if condition_id is not None and condition_id not in self._tokens.values():
                self._feed.unwatch(condition_id, self)


def hash_of(book: str) -> str:
    """Return the hash in a book event."""
    return book.partition('"hash":"')[2][:40]


def order_event(
    venue: Venue, event: OrderPlaced | OrderUpdated | OrderCancelled
) -> dict[str, object]:
    """Return the event for a step in an order's lifecycle."""
    order = event.order
    row = order_row(venue, order)
    row |= {
        "event_type": "order",
        "type": _TYPES[type(event)],
        "order_owner": order.owner,
        "associate_trades": list(order.trade_ids) or None,
        "created_at": str(order.created_ms // 1_000),
        "timestamp": str(event.at_ms),
    }
    if isinstance(event, OrderCancelled) and order.time_in_force is TimeInForce.FOK:
        # For a killed order, which never rested, the public venue sends fewer details.
        row |= {"size_matched": "", "created_at": "", "outcome": ""}
    return row


def trade_event(venue: Venue, trade: Trade, owner: ApiKey) -> dict[str, object]:
    """Return the event for a step in a trade's settlement, for the party with the API key `owner`."""
    row = trade_row(venue, trade, owner)
    del row["err_msg"]
    market = venue.market(trade.condition_id)
    tokens = () if market is None else market.token_ids
    makers = [
        # A maker has no outcome index in rows of the trading host, but has one here.
        maker_row(venue, fill)
        | {"outcome_index": tokens.index(fill.token_id) if fill.token_id in tokens else 0}
        for fill in trade.makers
    ]
    is_new = trade.status is TradeStatus.MATCHED
    row |= {
        "event_type": "trade",
        "type": "TRADE",
        "trade_owner": owner,
        "maker_orders": makers,
        # Milliseconds at first, seconds on every later step (recordings of 2024 and 2025).
        "timestamp": str(trade.matched_ms if is_new else trade.updated_ms // 1_000),
    }
    return row


class UserAuth(msgspec.Struct):
    """Credentials in the first frame."""

    api_key: str = msgspec.field(name="apiKey")
    secret: str
    passphrase: str


class UserRequest(msgspec.Struct):
    """A frame from a client of the user channel."""

    type: str = ""
    operation: str = ""
    auth: UserAuth | None = None
    markets: list[str] | None = None


_user_decoder = msgspec.json.Decoder(UserRequest)


class UserSession:
    """One connection of the user channel."""

    def __init__(self, venue: Venue, hub: "UserHub", outbox: Outbox) -> None:
        self._venue = venue
        self._hub = hub
        self._outbox = outbox
        self._owner: ApiKey | None = None
        self._markets: set[str] = set()

    @property
    def owner(self) -> ApiKey | None:
        """The API key that was proved; None before that."""
        return self._owner

    def receive(self, data: bytes) -> bool:
        """Handle a frame from the client.

        Returns:
            Whether the connection may stay open.
        """
        try:
            request = _user_decoder.decode(data)
        except UNREADABLE:
            return self._refuse()
        if self._owner is None:
            return self._begin(request)
        markets = {market.lower() for market in request.markets or ()}
        match request.operation:
            case "subscribe":
                # Naming markets restricts a connection that received all of them.
                self._markets |= markets
            case "unsubscribe":
                # Without any remaining name it receives all of them again.
                self._markets -= markets
            case _:
                return self._refuse()
        return True

    def wants(self, condition_id: ConditionId) -> bool:
        """Return whether to send events of a market."""
        return not self._markets or condition_id in self._markets

    def send(self, row: dict[str, object]) -> None:
        """Send one event."""
        self._outbox.put(msgspec.json.encode(row))

    def _begin(self, request: UserRequest) -> bool:
        auth = request.auth
        if self._venue.controls.streams.refuses_users:
            return False
        if auth is None or request.type.lower() not in ("", "user"):
            return False
        known = self._venue.accounts.check(auth.api_key, auth.secret, auth.passphrase)
        if known is None:
            return False
        self._owner = known.api_key
        self._markets = {market.lower() for market in request.markets or ()}
        self._hub.join(self)
        return True

    def _refuse(self) -> bool:
        if self._owner is not None:
            self._outbox.put(INVALID_OPERATION)
        return self._owner is not None


class UserHub:
    """Sends events to the connections of the parties they concern."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._sessions: dict[ApiKey, dict[UserSession, None]] = {}
        self._unsubscribe = venue.subscribe(self._on_events)

    def close(self) -> None:
        """Unsubscribe."""
        self._unsubscribe()

    def join(self, session: UserSession) -> None:
        """Send a session its owner's events from now on."""
        if session.owner is not None:
            self._sessions.setdefault(session.owner, {})[session] = None

    def leave(self, session: UserSession) -> None:
        """Remove a session."""
        if session.owner is not None:
            sessions = self._sessions.get(session.owner, {})
            sessions.pop(session, None)
            if not sessions:
                self._sessions.pop(session.owner, None)

    def _on_events(self, events: Iterable[Event]) -> None:
        if not self._sessions:
            return
        for event in events:
            match event:
                case (
                    OrderPlaced(order=order)
                    | OrderUpdated(order=order)
                    | OrderCancelled(order=order)
                ):
                    for session in self._listening(order.owner, order.condition_id):
                        session.send(order_event(self._venue, event))
                case TradeMatched(trade=trade) | TradeAdvanced(trade=trade):
                    # An owner on both sides receives it once, as its taker.
                    owners = (trade.taker_owner, *(fill.owner for fill in trade.makers))
                    for owner in dict.fromkeys(owners):
                        for session in self._listening(owner, trade.condition_id):
                            session.send(trade_event(self._venue, trade, owner))
                case _:
                    pass

    def _listening(self, owner: ApiKey, condition_id: ConditionId) -> list[UserSession]:
        sessions = self._sessions.get(owner, ())
        return [session for session in sessions if session.wants(condition_id)]


@asynccontextmanager
async def serve_streams(venue: Venue, feed: MarketFeed, sock: socket.socket) -> AsyncIterator[None]:
    """Serve both channels on a listening socket inside the context."""
    hub = UserHub(venue)

    async def handle(connection: ServerConnection) -> None:
        request = connection.request
        path = request.path.partition("?")[0] if request else ""
        channel = path.rpartition("/")[2]
        outbox = Outbox(connection, controls=venue.controls, channel=channel)
        if path == "/ws/market":
            await _market(connection, outbox, MarketSession(venue, feed, outbox))
        else:
            await _user(connection, outbox, session=UserSession(venue, hub, outbox), hub=hub)

    try:
        async with serve(
            handle,
            sock=sock,
            process_request=_route,
            compression=None,
            max_size=MAX_FRAME_BYTES,
            write_limit=SEND_BUFFER_BYTES,
            # The channels have a text heartbeat of their own.
            ping_interval=None,
            close_timeout=GOING_AWAY_S,
        ):
            yield
    finally:
        hub.close()


def _route(connection: ServerConnection, request: Request) -> Response | None:
    if not is_loopback_host(request.headers.get_all("Host")):
        return connection.respond(HTTPStatus.MISDIRECTED_REQUEST, f"{WRONG_HOST}\n")
    if request.path.partition("?")[0] in PATHS:
        return None
    return connection.respond(HTTPStatus.NOT_FOUND, "404 page not found\n")


async def _market(connection: ServerConnection, outbox: Outbox, session: MarketSession) -> None:
    def receive(data: bytes) -> bool:
        session.receive(data)
        return True

    try:
        await _converse(connection, outbox, receive)
    finally:
        session.leave()


async def _user(
    connection: ServerConnection, outbox: Outbox, *, session: UserSession, hub: UserHub
) -> None:
    def receive(data: bytes) -> bool:
        return session.receive(data)

    try:
        await _converse(connection, outbox, receive)
    finally:
        hub.leave(session)


async def _converse(
    connection: ServerConnection, outbox: Outbox, receive: Callable[[bytes], bool]
) -> None:
    sending = asyncio.create_task(outbox.run())
    try:
        with suppress(ConnectionClosed, TimeoutError):
            while True:
                async with asyncio.timeout(SILENCE_S):
                    data = await connection.recv(decode=False)
                if data.strip() == b"PING":
                    outbox.put(PONG)
                elif not receive(data):
                    break
    finally:
        sending.cancel()
        with suppress(asyncio.CancelledError, ConnectionClosed):
            await sending
    await connection.close(TOO_SLOW if outbox.is_overrun else 1000)
